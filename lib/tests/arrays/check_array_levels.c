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
#define SF8_TEST_PLAIN
#include "arrays/test_arrays.c"
#include "arrays/test_arrays_codes.c"
#include "arrays/test_arrays_policies.c"
#include "arrays/test_arrays_strided.c"

#include <fenv.h>

enum { LONGEST = 300, PLACES = 16, GUARD = 80 };

static size_t stride = 1;
static uint8_t results[4 * MOST];

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
    return (job){format_of(p->to), format_of(p->from), policy_of(p->policy_name), p->policy_name};
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
                EXPECT(sf8_convert_n_at(name, j->to, area + GUARD + place, j->from, src, n,
                                        j->policy) == SF8_OK,
                       "%s", j->text);
                EXPECT(!is_compared(level, j->policy) || memcmp(area, right, sizeof area) == 0,
                       "%s, %s: %zu at %zu", j->text, name, n, place);
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
        EXPECT(sf8_convert_n_at(sf8_simd_at(level), j->to, both, j->from, both, N, j->policy) ==
                   SF8_OK,
               "%s", j->text);
        EXPECT(!is_compared(level, j->policy) || memcmp(both, want, sizeof both) == 0,
               "%s, %s: in place", j->text, sf8_simd_at(level));
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
        EXPECT(fesetround(modes[m]) == 0, "fesetround");
        check_array(j, in, COUNT(in), results);
        EXPECT(fegetround() == modes[m] && fetestexcept(FE_ALL_EXCEPT) == 0,
               "%s: the floating-point environment is not left as it was", j->text);
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
    EXPECT(array(f, results, a, b, MOST, policy) == SF8_OK, "%s", name);
    if (only_nearest && policy.round != SF8_RNE)
        return;
    for (size_t i = 0; i < MOST; i += stride) {
        uint64_t want = one(f, a[i], b[i], policy).code;
        EXPECT(results[i] == want, "%s, %s, %s: %02x %02x gives %02x, not %02x", name, policy_name,
               sf8_simd(), a[i], b[i], results[i], (unsigned)want);
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
    EXPECT(sf8_fma_n(SF8_E4M3, results, a, b, c, MOST, SF8_OCP) == SF8_OK, "fma");
    for (size_t i = 0; i < MOST && !only_nearest; i += stride)
        EXPECT(results[i] == sf8_fma(SF8_E4M3, a[i], b[i], c[i], SF8_OCP).code,
               "fma, %s: %02x %02x %02x", sf8_simd(), a[i], b[i], c[i]);
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
    EXPECT(sf8_pack_n(bits, packed, codes, N) == SF8_OK, "pack");
    EXPECT(memcmp(packed, want, sf8_packed_size(bits, N)) == 0, "pack: wrong");
    EXPECT(sf8_unpack_n(bits, back, packed, N) == SF8_OK, "unpack");
    EXPECT(memcmp(back, codes, N) == 0, "unpack: wrong");
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
            EXPECT(have && strcmp(argv[i], have) == 0, "%s should be the next level", argv[i]);
        }
    EXPECT(named == 0 || sf8_simd_at(named) == NULL, "there is a level that was not named");
    if (!getenv("SOFTFP8_SIMD")) {
        size_t levels = 0;
        while (sf8_simd_at(levels))
            levels++;
        EXPECT(strcmp(sf8_simd(), sf8_simd_at(levels - 1)) == 0, "the highest level is not in use");
    } else if (strcmp(getenv("SOFTFP8_SIMD"), "portable") == 0) {
        EXPECT(strcmp(sf8_simd(), "portable") == 0, "portable is not in use");
    }
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--sample") == 0)
            stride = 61, plain_sample = 5;
        if (strcmp(argv[i], "--nearest") == 0)
            only_nearest = 1;
    }
    check_levels(argc, argv);
    arrays_f32_at_every_step();
    arrays_f64_at_every_step();
    arrays_f64_near_f32();
    arrays_f64_to_wide_formats();
    arrays_f32_to_itself();
    arrays_every_f16();
    arrays_every_bf16();
    arrays_codes_every_code();
    arrays_codes_flushed_codes();
    arrays_codes_flushed_beyond_the_range();
    arrays_codes_powers_beyond_f32();
    arrays_codes_tables_and_overflow();
    arrays_codes_other_pairs();
    arrays_policies_every_field();
    arrays_policies_values_without_a_name();
    arrays_policies_formats_of_no_name();
    arrays_policies_f16_to_larger_ranges();
    arrays_policies_own_halves();
    if (!only_nearest)
        arrays_strided_strided();
    arrays_strided_strided_in_place_and_refused();
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
    printf("%zu differences\n", plain_failures);
    return plain_failures != 0;
}
