/* SPDX-License-Identifier: MIT */
/* check_array_levels.c -- array functions on every level of this machine, without a test framework
 *
 *     check_array_levels [--sample] [--nearest] [LEVEL...]
 *
 * It also runs where only the library was built, for another processor in an emulator. The expected
 * results are those of the function for one value. If levels are named, the machine must have
 * exactly these, in this order. With --sample only some inputs are tried. With --nearest, roundings
 * other than to nearest are called but not compared, since some emulators have vectors that only
 * round to nearest.
 */
#include "random.h"
#include "softfp8.h"
#include "softfp8_vectors.h"

#include <fenv.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define ONE(...) +1
enum { NARROW = SF8_NARROW_FORMATS(ONE), MOST = 1 << 16, LONGEST = 300, PLACES = 16, GUARD = 80, SHOWN = 10 };

static const char *const roundings[] = {SF8_ROUNDINGS(SF8_ROUNDING_NAME)};
static const char *const overflows[] = {"max", "special", "inf", "zero"};
static size_t failures, stride = 1;
static int only_nearest;

/* A conversion, and how it is named in messages. */
typedef struct job {
    sf8_format to, from;
    sf8_policy policy;
    char text[96];
} job;

static uint8_t narrow_room[MOST];
static uint32_t words[MOST];
static uint16_t halves[MOST];

static size_t width_of(sf8_format f)
{
    int32_t bits = sf8_format_bits(f);
    return bits <= 8 ? 1 : bits <= 16 ? 2 : 4;
}

static uint32_t element(const void *array, size_t i, size_t width)
{
    uint32_t w32;
    uint16_t w16;
    const unsigned char *at = (const unsigned char *)array + i * width;
    if (width == 1)
        return *at;
    memcpy(width == 2 ? (void *)&w16 : (void *)&w32, at, width);
    return width == 2 ? w16 : w32;
}

static void set_element(void *array, size_t i, size_t width, uint64_t word)
{
    uint32_t w32 = (uint32_t)word;
    uint16_t w16 = (uint16_t)word;
    uint8_t w8 = (uint8_t)word;
    memcpy((unsigned char *)array + i * width,
           width == 4   ? (const void *)&w32
           : width == 2 ? (const void *)&w16
                        : (const void *)&w8,
           width);
}

static int failed(void)
{
    return ++failures <= SHOWN;
}

static void need(int condition, const char *what)
{
    if (!condition && failed())
        printf("%s\n", what);
}

static sf8_format format_of(const char *name)
{
    sf8_status status;
    sf8_format f = sf8_format_named(name, &status);
    need(status == SF8_OK, name);
    return f;
}

/* A policy, and fields to change: "ocp round=rd". */
static sf8_policy policy_of(const char *text)
{
    char copy[64];
    sf8_status status;
    snprintf(copy, sizeof copy, "%s", text);
    sf8_policy policy = sf8_policy_named(strtok(copy, " "), &status);
    need(status == SF8_OK, text);
    for (char *field; (field = strtok(NULL, " ="));)
        need(sf8_policy_set(&policy, field, strtok(NULL, " =")) == SF8_OK, text);
    return policy;
}

/* The portable level, the first, asks for no direction of vectors. */
static int is_compared(size_t level, sf8_policy policy)
{
    return !only_nearest || level == 0 || policy.round == SF8_RNE;
}

/* All inputs on all levels. */
static void check(const job *j, const void *src, size_t n)
{
    size_t in = width_of(j->from), out = width_of(j->to);
    for (size_t level = 0; sf8_simd_at(level); level++) {
        const char *name = sf8_simd_at(level);
        memset(narrow_room, 0x55, n * out);
        need(sf8_convert_n_at(name, j->to, narrow_room, j->from, src, n, j->policy) == SF8_OK,
             j->text);
        if (!is_compared(level, j->policy))
            continue;
        for (size_t i = 0; i < n; i++) {
            uint32_t word = element(src, i, in), code = element(narrow_room, i, out);
            uint32_t want = (uint32_t)sf8_convert(j->to, j->from, word, j->policy);
            if (code != want && failed())
                printf("%s, %s: %" PRIx32 " gives %" PRIx32 ", not %" PRIx32 "\n", j->text, name,
                       word, code, want);
        }
    }
}

/* ---- words ----------------------------------------------------------------------------------- */

/* Around every step of the conversion, around every exponent, and anywhere. */
static void check_steps(const job *j)
{
    sf8_steps walk;
    sf8_step row;
    size_t n = 0;
    need(sf8_steps_begin(&walk, j->from, j->to, j->policy, 0) == SF8_OK, j->text);
    while (sf8_steps_next(&walk, &row) && n < MOST / 2)
        for (uint64_t near = 0; near < 7; near++)
            words[n++] = (uint32_t)(row.first + near - 3);
    need(n < MOST / 2, j->text);
    for (uint32_t exponent = 0; exponent < 512; exponent++) {
        words[n++] = exponent << 23;
        words[n++] = (exponent << 23) - 1;
        words[n++] = exponent << 23 | 1;
        words[n++] = exponent << 23 | 0x400000;
    }
    for (size_t i = 0; i < 300; i++)
        words[n++] = pseudo_random();
    check(j, words, n);
}

static void check_halves(const job *j)
{
    size_t n = 0;
    for (size_t word = 0; word < MOST; word += stride)
        halves[n++] = (uint16_t)word;
    check(j, halves, n);
}

/* Every narrow format, rounding and overflow rule, and some other fields. */
static void check_encode(const char *from)
{
    static const char *const policies[] = {"ocp",
                                           "ocp flush=both",
                                           "cuda-nosat nan_sign=signed",
                                           "p3109-satnone overflow_test=exact flush=inputs",
                                           "ocp negative=abs flush=outputs inf=inf",
                                           "ocp missing_zero=nan-exact above_least=up",
                                           "ocp missing_zero=nan-below flush=inputs"};
    job j = {.from = format_of(from)};
    for (size_t to = 0; to < NARROW; to++)
        for (size_t r = 0; r < COUNT(roundings); r++)
            for (size_t k = 0; k < COUNT(overflows) + COUNT(policies); k++) {
                const char *name = sf8_format_at(to, &j.to), *policy_name;
                char text[64];
                snprintf(text, sizeof text, "ocp overflow=%s", overflows[k % COUNT(overflows)]);
                policy_name = k < COUNT(overflows) ? text : policies[k - COUNT(overflows)];
                snprintf(j.text, sizeof j.text, "%s to %s, %s %s", from, name, policy_name,
                         roundings[r]);
                j.policy = policy_of(policy_name);
                need(sf8_policy_set(&j.policy, "round", roundings[r]) == SF8_OK, j.text);
                if (width_of(j.from) == 4)
                    check_steps(&j);
                else if (k < 5)
                    check_halves(&j);
            }
}

/* Rows of no name, from f16: exponents on both sides of its own. */
static void check_rows(void)
{
    for (int32_t bias = -20; bias <= 20; bias++)
        for (int32_t exp_bits = 3; exp_bits <= 5; exp_bits++) {
            job j = {.from = SF8_F16,
                     .to = sf8_format_row(exp_bits, 7 - exp_bits, 1, SF8_NANS_TOP, 0, 1, bias)};
            j.policy = bias & 1 ? SF8_OCP : SF8_OCP_NOSAT;
            snprintf(j.text, sizeof j.text, "f16 to a row of %d exponent bits, bias %d",
                     (int)exp_bits, (int)bias);
            check_halves(&j);
        }
}

/* Every code, in arrays of several lengths. */
static void check_decode(void)
{
    static const char *const targets[] = {"f16", "bf16", "f32"};
    static const size_t lengths[] = {256, 255, 257, 319, 320, 5000};
    uint8_t codes[5000];
    for (size_t i = 0; i < sizeof codes; i++)
        codes[i] = (uint8_t)(i * 37);
    for (size_t from = 0; from < NARROW; from++)
        for (size_t t = 0; t < COUNT(targets); t++)
            for (size_t k = 0; k < COUNT(lengths); k++) {
                job j = {.to = format_of(targets[t]), .policy = SF8_OCP_NOSAT};
                const char *name = sf8_format_at(from, &j.from);
                snprintf(j.text, sizeof j.text, "%s to %s", name, targets[t]);
                check(&j, codes, lengths[k]);
            }
}

/* ---- memory ---------------------------------------------------------------------------------- */

typedef struct pair {
    const char *from, *to, *policy_name;
} pair;

static const pair pairs[] = {{"f32", "e4m3", "ocp"},          {"f32", "e5m2", "cuda-nosat"},
                             {"f32", "e4m3", "ocp round=rd"}, {"f32", "e8m0", "ocp"},
                             {"f16", "e4m3", "ocp"},          {"f16", "e3m2", "ocp round=ro"},
                             {"bf16", "e5m2", "ocp"},         {"e4m3", "f32", "ocp-nosat"},
                             {"e5m2", "f16", "ocp-nosat"},    {"e8m0", "bf16", "ocp-nosat"}};

static job job_of(const pair *p)
{
    job j = {
        .to = format_of(p->to), .from = format_of(p->from), .policy = policy_of(p->policy_name)};
    snprintf(j.text, sizeof j.text, "%s to %s, %s", p->from, p->to, p->policy_name);
    return j;
}

/* Every length at every place: the results, and not a byte before or behind them. */
static void check_places(const job *j)
{
    static unsigned char in[4 * LONGEST + PLACES], want[4 * LONGEST];
    static unsigned char area[4 * LONGEST + PLACES + 2 * GUARD], right[sizeof area];
    size_t w = width_of(j->from), out = width_of(j->to);
    for (size_t i = 0; i < sizeof in; i++)
        in[i] = (unsigned char)pseudo_random();
    for (size_t place = 0; place<PLACES; place += stride> 1 ? 5 : 1) {
        const unsigned char *src = in + place * 7 % PLACES;
        for (size_t i = 0; i < LONGEST; i++)
            set_element(want, i, out, sf8_convert(j->to, j->from, element(src, i, w), j->policy));
        for (size_t n = 0; n <= LONGEST; n++)
            for (size_t level = 0; sf8_simd_at(level); level++) {
                const char *name = sf8_simd_at(level);
                memset(area, 0xa5, sizeof area);
                memset(right, 0xa5, sizeof area);
                memcpy(right + GUARD + place, want, n * out);
                need(sf8_convert_n_at(name, j->to, area + GUARD + place, j->from, src, n,
                                      j->policy) == SF8_OK,
                     j->text);
                if (is_compared(level, j->policy) && memcmp(area, right, sizeof area) != 0 &&
                    failed())
                    printf("%s, %s: %zu at %zu\n", j->text, name, n, place);
            }
    }
}

static void check_in_place(const job *j)
{
    enum { N = 3001 };
    static uint32_t in[N], both[N], want[N];
    size_t w = width_of(j->from), out = width_of(j->to);
    if (out > w)
        return;
    for (size_t i = 0; i < N; i++)
        in[i] = pseudo_random();
    memcpy(want, in, sizeof in);
    for (size_t i = 0; i < N; i++)
        set_element(want, i, out, sf8_convert(j->to, j->from, element(in, i, w), j->policy));
    for (size_t level = 0; sf8_simd_at(level); level++) {
        memcpy(both, in, sizeof in);
        need(sf8_convert_n_at(sf8_simd_at(level), j->to, both, j->from, both, N, j->policy) ==
                 SF8_OK,
             j->text);
        if (is_compared(level, j->policy) && memcmp(both, want, sizeof both) != 0 && failed())
            printf("%s, %s: in place\n", j->text, sf8_simd_at(level));
    }
}

/* However the processor rounds, results are the same, and it rounds and flags as before. */
static void check_environment(const job *j)
{
#if defined(FE_UPWARD) && defined(FE_DOWNWARD) && defined(FE_TOWARDZERO)
    static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    static uint32_t in[999];
    for (size_t i = 0; i < COUNT(in); i++)
        in[i] = pseudo_random();
    for (size_t m = 0; m < COUNT(modes); m++) {
        feclearexcept(FE_ALL_EXCEPT);
        need(fesetround(modes[m]) == 0, "fesetround");
        check(j, in, COUNT(in));
        if ((fegetround() != modes[m] || fetestexcept(FE_ALL_EXCEPT) != 0) && failed())
            printf("%s: the floating-point environment is not left as it was\n", j->text);
        fesetround(FE_TONEAREST);
    }
#else
    (void)j;
#endif
}

/* ---- arithmetic and packing, on the level in use --------------------------------------------- */

typedef sf8_status array_op(sf8_format f, void *dst, const void *a, const void *b, size_t n,
                            sf8_policy policy);
typedef sf8_result one_op(sf8_format f, uint64_t a, uint64_t b, sf8_policy policy);

static void check_operation(const char *name, array_op *array, one_op *one, sf8_format f,
                            const char *policy_name)
{
    static uint8_t a[MOST], b[MOST];
    sf8_policy policy = policy_of(policy_name);
    for (size_t i = 0; i < MOST; i++) {
        a[i] = (uint8_t)(i >> 8);
        b[i] = (uint8_t)i;
    }
    need(array(f, narrow_room, a, b, MOST, policy) == SF8_OK, name);
    if (only_nearest && policy.round != SF8_RNE)
        return;
    for (size_t i = 0; i < MOST; i += stride) {
        uint64_t want = one(f, a[i], b[i], policy).code;
        if (narrow_room[i] != want && failed())
            printf("%s, %s, %s: %02x %02x gives %02x, not %02x\n", name, policy_name, sf8_simd(),
                   a[i], b[i], narrow_room[i], (unsigned)want);
    }
}

static void check_arithmetic(void)
{
    static const char *const policies[] = {"ocp", "cuda-nosat", "ocp-nosat round=rd"};
    static const char *const formats[] = {"e4m3", "e5m2", "e2m3", "e4m3fnuz"};
    for (size_t p = 0; p < COUNT(policies); p++)
        for (size_t k = 0; k < COUNT(formats); k++) {
            sf8_format f = format_of(formats[k]);
            check_operation("add", sf8_add_n, sf8_add, f, policies[p]);
            check_operation("sub", sf8_sub_n, sf8_sub, f, policies[p]);
            check_operation("mul", sf8_mul_n, sf8_mul, f, policies[p]);
            check_operation("div", sf8_div_n, sf8_div, f, policies[p]);
            check_operation("minimum", sf8_minimum_n, sf8_minimum, f, policies[p]);
        }
}

static void check_fma(void)
{
    static uint8_t a[MOST], b[MOST], c[MOST];
    for (size_t i = 0; i < MOST; i++) {
        a[i] = (uint8_t)pseudo_random();
        b[i] = (uint8_t)pseudo_random();
        c[i] = (uint8_t)pseudo_random();
    }
    need(sf8_fma_n(SF8_E4M3, narrow_room, a, b, c, MOST, SF8_OCP) == SF8_OK, "fma");
    for (size_t i = 0; i < MOST && !only_nearest; i += stride)
        if (narrow_room[i] != sf8_fma(SF8_E4M3, a[i], b[i], c[i], SF8_OCP).code && failed())
            printf("fma, %s: %02x %02x %02x\n", sf8_simd(), a[i], b[i], c[i]);
}

/* Bit j of code i is bit i * bits + j of the packed string. */
static void check_packing(int32_t bits)
{
    enum { N = 1003 };
    static uint8_t codes[N], packed[N], back[N], want[N];
    memset(want, 0, sizeof want);
    for (size_t i = 0; i < N; i++)
        codes[i] = (uint8_t)(pseudo_random() & ((1u << bits) - 1));
    for (size_t k = 0; k < N * (size_t)bits; k++)
        want[k / 8] |= (uint8_t)((codes[k / (size_t)bits] >> k % (size_t)bits & 1) << k % 8);
    need(sf8_pack_n(bits, packed, codes, N) == SF8_OK, "pack");
    need(memcmp(packed, want, sf8_packed_size(bits, N)) == 0, "pack: wrong");
    need(sf8_unpack_n(bits, back, packed, N) == SF8_OK, "unpack");
    need(memcmp(back, codes, N) == 0, "unpack: wrong");
}

/* ---------------------------------------------------------------------------------------------- */

/* Says which levels there are, and compares them with those named, if any. */
static void check_levels(int argc, char **argv)
{
    size_t named = 0;
    printf("levels:");
    for (size_t level = 0; sf8_simd_at(level); level++)
        printf(" %s", sf8_simd_at(level));
    printf("; in use: %s\n", sf8_simd());
    fflush(stdout);
    for (int i = 1; i < argc; i++)
        if (argv[i][0] != '-') {
            const char *have = sf8_simd_at(named++);
            if ((!have || strcmp(argv[i], have) != 0) && failed())
                printf("%s should be the next level\n", argv[i]);
        }
    need(named == 0 || sf8_simd_at(named) == NULL, "there is a level that was not named");
    if (!getenv("SOFTFP8_SIMD")) {
        size_t levels = 0;
        while (sf8_simd_at(levels))
            levels++;
        need(strcmp(sf8_simd(), sf8_simd_at(levels - 1)) == 0, "the highest level is not in use");
    } else if (strcmp(getenv("SOFTFP8_SIMD"), "portable") == 0) {
        need(strcmp(sf8_simd(), "portable") == 0, "portable is not in use");
    }
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--sample") == 0)
            stride = 61;
        if (strcmp(argv[i], "--nearest") == 0)
            only_nearest = 1;
    }
    check_levels(argc, argv);
    check_encode("f16");
    check_encode("bf16");
    check_encode("f32");
    check_rows();
    check_decode();
    for (size_t p = 0; p < COUNT(pairs); p++) {
        job j = job_of(&pairs[p]);
        check_places(&j);
        check_in_place(&j);
        check_environment(&j);
    }
    check_arithmetic();
    check_fma();
    check_packing(4);
    check_packing(6);
    printf("%zu differences\n", failures);
    return failures != 0;
}
