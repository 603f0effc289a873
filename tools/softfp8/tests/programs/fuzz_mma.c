/* SPDX-License-Identifier: MIT */
/* fuzz_mma.c -- libFuzzer: any line as a row of a matrix unit, against a reader of its own
 *
 * The first byte chooses the unit and the form, the rest is the line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../../lib/tests/fuzz.h"
#include "mma/line.h"

enum { MOST = 4096 };

typedef struct unit {
    const char *name, *in, *out;
    size_t k, digits, bits; /* of the codes */
    size_t block;           /* elements of a scale, or 0 */
    size_t scale_digits;    /* 8: the scales are those of a schedule */
} unit;

static const unit units[] = {
    {"hopper-qgmma", "e4m3", "f32", 32, 2, 8, 0, 0},
    {"volta-hmma", "f16", "f16", 4, 4, 16, 0, 0},
    {"hopper-hmma", "tf32", "f32", 8, 5, 19, 0, 0},
    {"sm120-mxf8f6f4", "e2m3", "f32", 32, 2, 6, 32, 2},
    {"sm120-mxf4nvf4", "e2m1", "f32", 64, 1, 4, 16, 2},
    {"ada-hmma", "bf16", "f32", 16, 4, 16, 0, 0},
    {"hopper-qgmma", "e5m2", "f32", 32, 2, 8, 64, 8},
};

/* The i-th code of that many digits, or a whole field; 0 if it is not one. */
static int reads_as(const char *text, size_t digits, size_t bits, uint32_t *word)
{
    char copy[9];
    CHECK(digits < sizeof copy);
    memcpy(copy, text, digits);
    copy[digits] = '\0';
    if (strspn(copy, "0123456789abcdefABCDEF") != digits)
        return 0;
    unsigned long value = strtoul(copy, NULL, 16);
    *word = (uint32_t)value;
    return bits >= 32 || value >> bits == 0;
}

/* Every code of a field against what was read into memory. */
static int same_codes(const char *text, size_t digits, size_t bits, size_t count, const void *codes,
                      int compare)
{
    if (strlen(text) != count * digits)
        return 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t word, got;
        if (!reads_as(text + i * digits, digits, bits, &word))
            return 0;
        got = bits <= 8    ? ((const uint8_t *)codes)[i]
              : bits <= 16 ? ((const uint16_t *)codes)[i]
                           : ((const uint32_t *)codes)[i];
        CHECK(!compare || got == word);
    }
    return 1;
}

/* The same line by strtok, without its comment: the kind it must have; and if it was read, what
 * must have come. */
static mma_kind reference(const unit *u, int results, char *text, const mma_row *row, int read)
{
    char *field[8] = {NULL};
    size_t count = 0, word = strcmp(u->out, "f32") == 0 ? 8 : 4, last = u->block ? 4 : 2;
    uint32_t c, d = 0;
    char *slashes = strstr(text, "//");
    if (slashes)
        *slashes = '\0';
    text[strcspn(text, "#")] = '\0';
    for (char *f = strtok(text, " \t,"); f && count < 8; f = strtok(NULL, " \t,"))
        field[count++] = f + (f[0] == '0' && (f[1] == 'x' || f[1] == 'X') && f[2] ? 2 : 0);
    if (count == 0)
        return MMA_EMPTY;
    if (count != last + 1 + (size_t)results)
        return MMA_BAD;
    size_t k = strlen(field[0]) / u->digits;
    if (k == 0 || k % u->k || !same_codes(field[0], u->digits, u->bits, k, row->a, read) ||
        !same_codes(field[1], u->digits, u->bits, k, row->b, read))
        return MMA_BAD;
    size_t scales = u->block ? (k + u->block - 1) / u->block : 0;
    const void *sa = u->scale_digits == 8 ? (const void *)row->words_a : row->scale_a;
    const void *sb = u->scale_digits == 8 ? (const void *)row->words_b : row->scale_b;
    if (u->block &&
        (!same_codes(field[2], u->scale_digits, 4 * u->scale_digits, scales, sa, read) ||
         !same_codes(field[3], u->scale_digits, 4 * u->scale_digits, scales, sb, read)))
        return MMA_BAD;
    if (strlen(field[last]) != word || !reads_as(field[last], word, 32, &c))
        return MMA_BAD;
    if (results && (strlen(field[last + 1]) != word || !reads_as(field[last + 1], word, 32, &d)))
        return MMA_BAD;
    CHECK(!read || (row->k == k && row->c == c && (!results || row->d == d)));
    return MMA_ROW;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint32_t a[MOST], b[MOST], words_a[MOST], words_b[MOST];
    static uint8_t scale_a[MOST], scale_b[MOST];
    if (size == 0 || size > MOST)
        return 0;
    const unit *u = &units[(data[0] & 127) % (sizeof units / sizeof units[0])];
    int results = data[0] >> 7;
    size_t length = size - 1;
    char *text = malloc(size), *copy = malloc(size);
    CHECK(text && copy);
    memcpy(text, data + 1, length);
    text[length] = '\0';
    memcpy(copy, text, size);
    mma_row row = {.a_name = u->in,
                   .b_name = u->in,
                   .out_name = u->out,
                   .a = a,
                   .b = b,
                   .scale_a = scale_a,
                   .scale_b = scale_b};
    row.words_a = words_a;
    row.words_b = words_b;
    row.scheduled = u->scale_digits == 8;
    row.schedule.promote = 2;
    row.schedule.scaling = SF8_MMA_SUM_FIRST;
    sf8_format in = sf8_format_named(u->in, NULL);
    CHECK(sf8_mma_named(&row.m, u->name, in, in, sf8_format_named(u->out, NULL)) == SF8_OK);
    input_error e = {.text = ""};
    mma_kind kind = mma_line_read(&row, results, text, length, &e);
    CHECK((kind == MMA_BAD) == (e.what != NULL) && (kind == MMA_BAD) == (e.text[0] != '\0'));
    CHECK(strlen(e.text) < sizeof e.text - 1);
    if (strlen(copy) == length)
        CHECK(kind == reference(u, results, copy, &row, kind == MMA_ROW));
    else
        CHECK(kind != MMA_ROW || strchr(copy, '#') || strstr(copy, "//"));
    free(text);
    free(copy);
    return 0;
}
