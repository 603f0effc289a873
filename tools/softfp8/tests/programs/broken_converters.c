/* SPDX-License-Identifier: MIT */
/* broken_converters.c -- inputs for identify.session: right outputs, and those of bad converters
 *
 *     broken_converters policy POLICY ROUND FROM TO    the library's codes of all inputs, raw
 *     broken_converters classes ROUND FROM TO          the policies whose codes are all equal
 *     broken_converters raw NAME [f16|bf16]            a bad converter, all inputs of f16, raw
 *     broken_converters pairs NAME                     the same on chosen inputs of f32, as pairs
 *     broken_converters random NAME                    the same on random inputs of f32, as pairs
 *     broken_converters steps NAME                     the same on all inputs of f32, step table
 *
 * The bad converters are those of lib/tests/diagnose/bad_converters.h.
 */
#include <stdio.h>
#include <stdlib.h>

#include "bad_converters.h"
#include "base/random.h"
#include "softfp8_vectors.h"

static int sign_at = 7; /* the bit of the sign in the codes of the one that was found */

static converter find(const char *name)
{
    sign_at = strstr(name, "e2m1") ? 3 : 7;
    if (converter_named(name))
        return converter_named(name);
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
