/* SPDX-License-Identifier: MIT */
/* broken_converters.c -- inputs for test_identify.sh: right outputs, and those of bad converters
 *
 *     broken_converters policy POLICY ROUND FROM TO    the library's codes of all inputs, raw
 *     broken_converters classes ROUND FROM TO          the policies whose codes are all equal
 *     broken_converters raw NAME [f16|bf16]            a bad converter, all inputs of f16, raw
 *     broken_converters pairs NAME                     the same on chosen inputs of f32, as pairs
 *     broken_converters random NAME                    the same on random inputs of f32, as pairs
 *     broken_converters steps NAME                     the same on all inputs of f32, step table
 *
 * The bad converters give e4m3, but for those that name another format. They are written as such
 * code is written: a value as a double, scaled and rounded; nothing in them comes from the library.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "softfp8_vectors.h"

/* ---- values ---------------------------------------------------------------------------------- */

/* The absolute value of an IEEE-like word; infinity and NaN as such. */
static double decode(uint32_t word, int exp_bits, int man_bits)
{
    uint32_t field = word >> man_bits & ((1u << exp_bits) - 1);
    uint32_t mantissa = word & ((1u << man_bits) - 1);
    int bias = (1 << (exp_bits - 1)) - 1;
    if (field == (1u << exp_bits) - 1)
        return mantissa ? NAN : INFINITY;
    if (field == 0)
        return ldexp(mantissa, 1 - bias - man_bits);
    return ldexp(mantissa + (double)(1u << man_bits), (int)field - bias - man_bits);
}

static double half_even(double x)
{
    double low = floor(x), rest = x - low;
    return rest > 0.5 || (rest == 0.5 && fmod(low, 2) == 1) ? low + 1 : low;
}

static double half_away(double x)
{
    return floor(x + 0.5);
}

static double half_down(double x)
{
    return ceil(x - 0.5);
}

/* x >= 0 rounded to a significand of `bits` bits, the exponent not below emin. */
static double round_to(double x, int bits, int emin, double (*nearest)(double))
{
    int e;
    if (x == 0 || isinf(x))
        return x;
    frexp(x, &e);
    e = e - 1 > emin ? e - 1 : emin;
    double unit = ldexp(1, e - bits + 1);
    return nearest(x / unit) * unit;
}

static double to_f16(double x)
{
    double r = round_to(x, 11, -14, half_even);
    return r > 65504 ? INFINITY : r;
}

static double to_bf16(double x)
{
    return round_to(x, 8, -126, half_even);
}

/* The code of a value that e4m3 has, as if its exponent field were wider. */
static uint32_t encode(double x)
{
    int e;
    if (x < ldexp(1, -6))
        return (uint32_t)ldexp(x, 9);
    double m = frexp(x, &e);
    return (uint32_t)(e + 6) * 8 + (uint32_t)(m * 16) - 8;
}

/* ---- the bad converters ---------------------------------------------------------------------- */

enum { NAN_CODE = 0x7f, MAX_CODE = 0x7e };

typedef uint32_t (*converter)(double x, uint32_t sign);

/* What is right: rounds to nearest even, saturates, one NaN. */
static uint32_t good(double x, uint32_t sign)
{
    if (isnan(x))
        return NAN_CODE;
    double r = round_to(x, 4, -6, half_even);
    return sign | (r > 448 ? MAX_CODE : encode(r));
}

static uint32_t ties_away(double x, uint32_t sign)
{
    if (isnan(x))
        return NAN_CODE;
    double r = round_to(x, 4, -6, half_away);
    return sign | (r > 448 ? MAX_CODE : encode(r));
}

static uint32_t ties_down(double x, uint32_t sign)
{
    if (isnan(x))
        return NAN_CODE;
    double r = round_to(x, 4, -6, half_down);
    return sign | (r > 448 ? MAX_CODE : encode(r));
}

static uint32_t flush(double x, uint32_t sign)
{
    uint32_t code = good(x, sign);
    return (code & 0x7f) < 8 ? code & 0x80 : code;
}

/* And what is flushed loses its sign. */
static uint32_t flush_unsigned(double x, uint32_t sign)
{
    uint32_t code = good(x, sign);
    return (code & 0x7f) < 8 ? 0 : code;
}

static uint32_t via_f16(double x, uint32_t sign)
{
    return good(isnan(x) ? x : to_f16(x), sign);
}

static uint32_t via_bf16(double x, uint32_t sign)
{
    return good(isnan(x) ? x : to_bf16(x), sign);
}

/* Overflow gives NaN without a sign, and is found by comparing the operand. */
static uint32_t early(double x, uint32_t sign)
{
    if (isnan(x) || x > 448)
        return NAN_CODE;
    return sign | encode(round_to(x, 4, -6, half_even));
}

/* Overflow saturates, infinity gives a NaN with its sign; that of NaN is lost. */
static uint32_t nan_unsigned(double x, uint32_t sign)
{
    return isinf(x) ? sign | NAN_CODE : good(x, sign);
}

static uint32_t zero_unsigned(double x, uint32_t sign)
{
    uint32_t code = good(x, sign);
    return code == 0x80 ? 0 : code;
}

/* No test for overflow; infinity saturates. */
static uint32_t wrap(double x, uint32_t sign)
{
    if (isnan(x) || isinf(x))
        return good(x, sign);
    return sign | (encode(round_to(x, 4, -6, half_even)) & 0x7f);
}

/* Clamps to 240, the largest number of another E4M3. */
static uint32_t clamp_240(double x, uint32_t sign)
{
    return good(x > 240 ? 240 : x, sign);
}

static uint32_t nan_zero(double x, uint32_t sign)
{
    return isnan(x) ? 0 : good(x, sign);
}

/* e4m3fnuz: half the values, one NaN at 80, no -0; overflow and infinity give NaN. */
static uint32_t fnuz(double x, uint32_t sign)
{
    double r = isnan(x) ? x : round_to(2 * x, 4, -6, half_even);
    if (isnan(r) || r > 480)
        return 0x80;
    return r == 0 ? 0 : sign | encode(r);
}

/* Random codes, as far as anyone can tell. */
static uint32_t noise(double x, uint32_t sign)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = (bits ^ sign) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(bits >> 40 & 0x7f);
}

/* As hardware without subnormal numbers does it, which looks at the operand's exponent alone. */
static uint32_t flush_early_unsigned(double x, uint32_t sign)
{
    return x < ldexp(1, -6) ? 0 : good(x, sign);
}

/* A stage of a pipeline: it cuts, has no subnormal numbers, and clamps; NaN is one more large
 * number. */
static uint32_t requantizer(double x, uint32_t sign)
{
    if (x < ldexp(1, -6))
        return 0;
    double r = isnan(x) || isinf(x) ? INFINITY : round_to(x, 4, -6, floor);
    return sign | (r > 448 ? MAX_CODE : encode(r));
}

/* f32 is cut to f16 on its way. */
static uint32_t cut_f16(double x, uint32_t sign)
{
    return good(isnan(x) || isinf(x) ? x : round_to(x, 11, -14, floor), sign);
}

/* Truncates, but NaN for what overflows. */
static uint32_t cut_nan(double x, uint32_t sign)
{
    double r = isnan(x) ? x : round_to(x, 4, -6, floor);
    return isnan(r) ? NAN_CODE : sign | (r > 448 ? NAN_CODE : encode(r));
}

/* One code in twenty has a wrong bit. */
static uint32_t flips(double x, uint32_t sign)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = (bits ^ sign) * UINT64_C(0x9e3779b97f4a7c15);
    bits ^= bits >> 29;
    uint32_t flip = bits % 20 == 0 && !isnan(x) ? 1u << (bits >> 40 & 7) : 0;
    return good(x, sign) ^ flip;
}

/* Ties go away from zero, and from 16 to 28 each code is one too high, which nothing explains. */
static uint32_t ties_and_more(double x, uint32_t sign)
{
    return ties_away(x, sign) + (x >= 16 && x < 28);
}

/* Two mistakes, of which one is known. */
static uint32_t flush_and_more(double x, uint32_t sign)
{
    return flush(x, sign) + (x >= 16 && x < 28);
}

/* ---- of other formats */

typedef struct small {
    int precision, emin;
    double max;
} small;

static const small e5m2 = {3, -14, 57344}, e2m1 = {2, 0, 6};

static uint32_t encode_to(const small *f, double x)
{
    int e;
    if (x < ldexp(1, f->emin))
        return (uint32_t)ldexp(x, f->precision - 1 - f->emin);
    double m = frexp(x, &e);
    return (uint32_t)((e - f->emin) << (f->precision - 1)) + (uint32_t)ldexp(m, f->precision) -
           (1u << (f->precision - 1));
}

/* e2m1; what is below its least number gives 0. */
static uint32_t least_e2m1(double x, uint32_t sign)
{
    if (isnan(x))
        return 7;
    if (x < 0.5)
        return sign;
    double r = round_to(x, 2, 0, half_even);
    return sign | encode_to(&e2m1, r > e2m1.max ? e2m1.max : r);
}

/* e2m1; some of the values that round up to its least number give 0. */
static uint32_t some_small_e2m1(double x, uint32_t sign)
{
    return x > 0.3 && x < 0.4 ? sign : least_e2m1(x > 0.25 && x < 0.5 ? 0.5 : x, sign);
}

/* e2m1; all that is below 0.68 gives 0. */
static uint32_t most_small_e2m1(double x, uint32_t sign)
{
    return x < 0.68 ? sign : least_e2m1(x, sign);
}

/* e5m2, truncated; but what overflows gives infinity. */
static uint32_t cut_inf_e5m2(double x, uint32_t sign)
{
    double r = isnan(x) ? x : round_to(x, 3, -14, floor);
    return sign | (isnan(r) ? 0x7e : r > e5m2.max ? 0x7c : encode_to(&e5m2, r));
}

/* e5m2, rounded down; but what is below its least number gives 0. */
static uint32_t down_least_e5m2(double x, uint32_t sign)
{
    if (isnan(x))
        return sign | 0x7e;
    double r = x < ldexp(1, -16) ? 0 : round_to(x, 3, -14, sign ? ceil : floor);
    return sign | (r > e5m2.max ? sign || isinf(x) ? 0x7c : 0x7b : encode_to(&e5m2, r));
}

/* Eight bits with five of exponent, of which the last two codes alone are infinity and NaN. */
static uint32_t cfloat_e5m2(double x, uint32_t sign)
{
    double r = isnan(x) ? x : round_to(x, 3, -14, half_even);
    return sign | (isnan(r) ? 0x7f : r > 81920 ? 0x7e : encode_to(&e5m2, r));
}

static const struct {
    const char *name;
    converter convert;
} converters[] = {
    {"good", good},
    {"ties_away", ties_away},
    {"ties_down", ties_down},
    {"flush", flush},
    {"flush_unsigned", flush_unsigned},
    {"via_f16", via_f16},
    {"via_bf16", via_bf16},
    {"early", early},
    {"nan_unsigned", nan_unsigned},
    {"zero_unsigned", zero_unsigned},
    {"wrap", wrap},
    {"clamp_240", clamp_240},
    {"nan_zero", nan_zero},
    {"fnuz", fnuz},
    {"noise", noise},
    {"flush_early_unsigned", flush_early_unsigned},
    {"requantizer", requantizer},
    {"cut_f16", cut_f16},
    {"cut_nan", cut_nan},
    {"flips", flips},
    {"ties_and_more", ties_and_more},
    {"flush_and_more", flush_and_more},
    {"least_e2m1", least_e2m1},
    {"some_small_e2m1", some_small_e2m1},
    {"most_small_e2m1", most_small_e2m1},
    {"cut_inf_e5m2", cut_inf_e5m2},
    {"down_least_e5m2", down_least_e5m2},
    {"cfloat_e5m2", cfloat_e5m2},
};

static int sign_at = 7; /* the bit of the sign in the codes of the one that was found */

static converter find(const char *name)
{
    for (size_t i = 0; i < sizeof converters / sizeof converters[0]; i++) {
        if (strcmp(converters[i].name, name) != 0)
            continue;
        sign_at = strstr(name, "e2m1") ? 3 : 7;
        return converters[i].convert;
    }
    fprintf(stderr, "no converter %s\n", name);
    exit(2);
}

/* ---- their outputs --------------------------------------------------------------------------- */

static uint32_t from_f32(converter convert, uint32_t word)
{
    return convert(decode(word, 8, 23), word >> 31 << sign_at);
}

static int write_raw(converter convert, int exp_bits)
{
    for (uint32_t word = 0; word < 0x10000; word++)
        putchar((int)convert(decode(word, exp_bits, 15 - exp_bits), word >> 15 << sign_at));
    return 0;
}

static void pair(converter convert, uint32_t word)
{
    for (uint32_t sign = 0; sign < 2; sign++, word ^= 0x80000000)
        printf("%08x %02x\n", word, from_f32(convert, word));
}

/* From 2^-13 to 2^11, where e4m3 has its numbers. */
static int write_random(converter convert)
{
    uint64_t state = 1;
    for (int i = 0; i < 20000; i++) {
        word_random_linear(&state);
        uint32_t low = (uint32_t)(state >> 40) & 0x7fffff;
        pair(convert, (uint32_t)(114 + (state >> 33) % 24) << 23 | low);
    }
    return 0;
}

/* Around each midpoint of e4m3, at the distances at which f16 and bf16 round it to the midpoint
 * or not; and powers of two, infinity, NaN. */
static int write_pairs(converter convert)
{
    for (uint32_t code = 0; code < 0x80; code++) {
        double x = decode(code, 4, 3), next = decode(code + 1, 4, 3);
        float middle = (float)((code < 0x77 ? x + next : 2 * x) / 2);
        uint32_t word;
        memcpy(&word, &middle, sizeof word);
        for (int bit = 0; bit < 22 && code < 0x77; bit++) {
            pair(convert, word + (1u << bit));
            pair(convert, word - (1u << bit));
        }
        pair(convert, word);
    }
    for (uint32_t field = 0; field < 0x100; field++)
        pair(convert, field << 23);
    pair(convert, 0x7f7fffff);
    pair(convert, 0x7fc00000);
    return 0;
}

static int32_t put(void *context, const char *text, size_t size)
{
    return fwrite(text, 1, size, context) == size ? 0 : 1;
}

/* The rows from `low` to `high`, within which the code goes one way. */
static void write_rows(sf8_steps_writer *writer, converter convert, uint64_t low, uint64_t high)
{
    static uint64_t last = UINT64_MAX;
    for (;;) {
        uint32_t code = from_f32(convert, (uint32_t)low);
        sf8_step row = {low, code, 0};
        if (code != last)
            sf8_steps_write_row(writer, &row);
        last = code;
        if (from_f32(convert, (uint32_t)high) == code)
            return;
        uint64_t same = low, other = high;
        while (other - same > 1) {
            uint64_t middle = same + (other - same) / 2;
            if (from_f32(convert, (uint32_t)middle) == code)
                same = middle;
            else
                other = middle;
        }
        low = other;
    }
}

static int write_steps(converter convert)
{
    sf8_steps_head head;
    sf8_steps_writer writer;
    memset(&head, 0, sizeof head);
    strcpy(head.from_name, "f32");
    strcpy(head.to_name, "e4m3");
    strcpy(head.policy_name, "ocp");
    head.from = sf8_format_named("f32", NULL);
    head.to = sf8_format_named("e4m3", NULL);
    head.policy = sf8_policy_named("ocp", NULL);
    sf8_steps_write_head(&writer, &head, put, stdout);
    for (uint64_t sign = 0; sign < 2; sign++) {
        uint64_t bit = sign << 31;
        write_rows(&writer, convert, bit, bit | 0x7f7fffff);
        write_rows(&writer, convert, bit | 0x7f800000, bit | 0x7f800000);
        write_rows(&writer, convert, bit | 0x7f800001, bit | 0x7fffffff);
    }
    return sf8_steps_write_end(&writer) == SF8_OK ? 0 : 2;
}

/* ---- the library's --------------------------------------------------------------------------- */

/* All codes of one policy; the caller frees them. */
static unsigned char *codes_of(const char *policy_name, const char *round, const char *from_name,
                               const char *to_name, size_t *size)
{
    sf8_format from = sf8_format_named(from_name, NULL), to = sf8_format_named(to_name, NULL);
    sf8_policy policy = sf8_policy_named(policy_name, NULL);
    int bits = from.is_signed + from.exp_bits + from.man_bits;
    int wide = to.is_signed + to.exp_bits + to.man_bits > 8;
    sf8_policy_set(&policy, "round", round);
    *size = (size_t)(1 + wide) << bits;
    unsigned char *codes = malloc(*size);
    if (!codes)
        exit(2);
    for (size_t word = 0; word < *size >> wide; word++) {
        uint64_t code = sf8_convert(to, from, word, policy);
        codes[word << wide] = (unsigned char)code;
        if (wide)
            codes[2 * word + 1] = (unsigned char)(code >> 8);
    }
    return codes;
}

static int write_policy(char **argv)
{
    size_t size;
    unsigned char *codes = codes_of(argv[0], argv[1], argv[2], argv[3], &size);
    int bad = fwrite(codes, 1, size, stdout) != size;
    free(codes);
    return bad ? 2 : 0;
}

/* Only policies that are meant for the conversion. */
static int write_classes(char **argv)
{
    unsigned char *codes[64];
    int shown[64] = {0};
    size_t size = 0;
    sf8_format from = sf8_format_named(argv[1], NULL), to = sf8_format_named(argv[2], NULL);
    for (size_t i = 0; sf8_policy_at(i); i++) {
        codes[i] = codes_of(sf8_policy_at(i)->name, argv[0], argv[1], argv[2], &size);
        shown[i] = !sf8_policy_holds(sf8_policy_at(i), to, from);
    }
    for (size_t i = 0; sf8_policy_at(i); i++) {
        for (size_t j = i; sf8_policy_at(j) && !shown[i]; j++) {
            if (shown[j] || memcmp(codes[i], codes[j], size) != 0)
                continue;
            printf("%s%s", j > i ? " " : "  ", sf8_policy_at(j)->name);
            shown[j] = j > i;
        }
        if (!shown[i])
            printf("\n");
    }
    for (size_t i = 0; sf8_policy_at(i); i++)
        free(codes[i]);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 6 && strcmp(argv[1], "policy") == 0)
        return write_policy(argv + 2);
    if (argc == 5 && strcmp(argv[1], "classes") == 0)
        return write_classes(argv + 2);
    if (argc == 3 && strcmp(argv[1], "raw") == 0)
        return write_raw(find(argv[2]), 5);
    if (argc == 4 && strcmp(argv[1], "raw") == 0)
        return write_raw(find(argv[2]), strcmp(argv[3], "bf16") == 0 ? 8 : 5);
    if (argc == 3 && strcmp(argv[1], "random") == 0)
        return write_random(find(argv[2]));
    if (argc == 3 && strcmp(argv[1], "pairs") == 0)
        return write_pairs(find(argv[2]));
    if (argc == 3 && strcmp(argv[1], "steps") == 0)
        return write_steps(find(argv[2]));
    fprintf(stderr, "usage: %s policy|classes|raw|pairs|random|steps ...\n", argv[0]);
    return 2;
}
