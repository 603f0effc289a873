/* SPDX-License-Identifier: MIT */
/* broken_converters.c -- inputs for test_identify.sh: right outputs, and those of bad converters
 *
 *     broken_converters policy POLICY ROUND FROM TO    the library's codes of all inputs, raw
 *     broken_converters classes ROUND FROM TO          the policies whose codes are all equal
 *     broken_converters raw NAME                       a bad converter, all inputs of f16, raw
 *     broken_converters pairs NAME                     the same on chosen inputs of f32, as pairs
 *     broken_converters steps NAME                     the same on all inputs of f32, step table
 *
 * The bad converters give e4m3. They are written as such code is written: a value as a double,
 * scaled and rounded; nothing in them comes from the library.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
};

static converter find(const char *name)
{
    for (size_t i = 0; i < sizeof converters / sizeof converters[0]; i++) {
        if (strcmp(converters[i].name, name) == 0)
            return converters[i].convert;
    }
    fprintf(stderr, "no converter %s\n", name);
    exit(2);
}

/* ---- their outputs --------------------------------------------------------------------------- */

static uint32_t from_f16(converter convert, uint32_t word)
{
    return convert(decode(word, 5, 10), word >> 15 << 7);
}

static uint32_t from_f32(converter convert, uint32_t word)
{
    return convert(decode(word, 8, 23), word >> 31 << 7);
}

static int write_raw(converter convert)
{
    for (uint32_t word = 0; word < 0x10000; word++)
        putchar((int)from_f16(convert, word));
    return 0;
}

static void pair(converter convert, uint32_t word)
{
    for (uint32_t sign = 0; sign < 2; sign++, word ^= 0x80000000)
        printf("%08x %02x\n", word, from_f32(convert, word));
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
        return write_raw(find(argv[2]));
    if (argc == 3 && strcmp(argv[1], "pairs") == 0)
        return write_pairs(find(argv[2]));
    if (argc == 3 && strcmp(argv[1], "steps") == 0)
        return write_steps(find(argv[2]));
    fprintf(stderr, "usage: %s policy|classes|raw|pairs|steps ...\n", argv[0]);
    return 2;
}
