/* SPDX-License-Identifier: MIT */
/* line.c -- a row of operands of a matrix unit taken apart */
#include "mma/line.h"
#include "base/words.h"

enum { FIELDS = 6 };

typedef struct field {
    const char *name, *text;
    size_t length;
} field;

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

/* Codes run together, into bytes, or words of two or four. */
static int read_codes(input_error *e, const field *f, sf8_format format, const char *name,
                      void *codes, size_t count)
{
    int bits = sf8_format_bits(format), digits = word_digits(bits);
    uint64_t mask = sf8_format_code_mask(format);
    for (size_t i = 0; i < count; i++) {
        uint64_t code;
        const field at = {f->name, f->text + i * (size_t)digits, (size_t)digits};
        if (!hex_read(at.text, digits, &code) || code & ~mask)
            return input_expected(e, at.name, at.text, at.length,
                                  "a code of %s with %d digit%s, as number %zu", name, digits,
                                  plural((size_t)digits), i);
        if (bits <= 8)
            ((uint8_t *)codes)[i] = (uint8_t)code;
        else if (bits <= 16)
            ((uint16_t *)codes)[i] = (uint16_t)code;
        else
            ((uint32_t *)codes)[i] = (uint32_t)code;
    }
    return 1;
}

/* How many codes a field has: a multiple of the instruction's. */
static int read_count(input_error *e, const field *f, sf8_format format, size_t multiple,
                      size_t *count)
{
    size_t digits = (size_t)word_digits(sf8_format_bits(format));
    *count = f->length / digits;
    if (f->length % digits == 0 && *count > 0 && *count % multiple == 0)
        return 1;
    return input_expected(e, f->name, f->text, f->length,
                          "a multiple of %zu codes of %zu digit%s each, but found %zu digit%s",
                          multiple, digits, plural(digits), f->length, plural(f->length));
}

static int read_scales(input_error *e, const field *f, mma_row *row)
{
    size_t scales = row->k / (size_t)row->m.scale_block;
    const char *name = row->m.scale.man_bits ? "ue4m3" : "e8m0";
    /* A scale is a byte: the sign that e4m3 would have there is not looked at. */
    sf8_format byte = sf8_format_named("e8m0", NULL);
    for (int i = 0; i < 2; i++)
        if (f[i].length != 2 * scales)
            return input_expected(e, f[i].name, f[i].text, f[i].length,
                                  "%zu scale%s of 2 digits each", scales, plural(scales));
    return read_codes(e, &f[0], byte, name, row->scale_a, scales) &&
           read_codes(e, &f[1], byte, name, row->scale_b, scales);
}

/* The scales of a schedule: words of the result's format, one for each stretch of k. */
static int read_words(input_error *e, const field *f, mma_row *row)
{
    size_t stretch = mma_stretch(row), count = (row->k + stretch - 1) / stretch;
    int digits = word_digits(sf8_format_bits(row->m.out));
    for (int i = 0; i < 2; i++) {
        uint32_t *words = i ? row->words_b : row->words_a;
        if (f[i].length != count * (size_t)digits)
            return input_expected(e, f[i].name, f[i].text, f[i].length,
                                  "%zu scale%s of %d digits each", count, plural(count), digits);
        for (size_t k = 0; k < count; k++) {
            uint64_t word;
            const field at = {f[i].name, f[i].text + k * (size_t)digits, (size_t)digits};
            if (!hex_read(at.text, digits, &word))
                return input_expected(e, at.name, at.text, at.length, "%d digits as number %zu",
                                      digits, k);
            words[k] = (uint32_t)word;
        }
    }
    return 1;
}

static int read_word(input_error *e, const field *f, const char *name, uint32_t *word)
{
    sf8_format format = sf8_format_named(name, NULL);
    uint64_t bits;
    int digits = word_digits(sf8_format_bits(format));
    if (f->length != (size_t)digits || !hex_read(f->text, digits, &bits))
        return input_expected(e, f->name, f->text, f->length, "a code of %s with %d digits", name,
                              digits);
    *word = (uint32_t)bits;
    return 1;
}

static const char *stored_name(const mma_row *row)
{
    return row->stored == MMA_STORED_BF16  ? "bf16"
           : row->stored == MMA_STORED_F16 ? "f16"
                                           : row->out_name;
}

static int read_row(input_error *e, const field *f, mma_row *row, int results)
{
    size_t b = 0;
    int last = row->m.scale_block || mma_stretch(row) ? 4 : 2;
    if (!read_count(e, &f[0], row->m.a, (size_t)row->m.k, &row->k) ||
        !read_count(e, &f[1], row->m.b, (size_t)row->m.k, &b))
        return 0;
    if (b != row->k)
        return input_expected(e, f[1].name, f[1].text, f[1].length, "as many codes as a has, %zu",
                              row->k);
    return read_codes(e, &f[0], row->m.a, row->a_name, row->a, row->k) &&
           read_codes(e, &f[1], row->m.b, row->b_name, row->b, row->k) &&
           (!row->m.scale_block || read_scales(e, &f[2], row)) &&
           (!mma_stretch(row) || read_words(e, &f[2], row)) &&
           read_word(e, &f[last], row->out_name, &row->c) &&
           (!results || read_word(e, &f[last + 1], stored_name(row), &row->d));
}

mma_kind mma_line_read(mma_row *row, int results, char *text, size_t length, input_error *e)
{
    static const char *const plain[] = {"a", "b", "c", "d"};
    static const char *const scaled[] = {"a", "b", "sa", "sb", "c", "d"};
    static const char *const forms[2][2] = {{"'a b c'", "'a b c d'"},
                                            {"'a b sa sb c'", "'a b sa sb c d'"}};
    text_word words[FIELDS];
    field f[FIELDS];
    int has_scales = row->m.scale_block != 0 || mma_stretch(row) != 0, with = results != 0;
    size_t count = words_split(text, length, words, FIELDS);
    if (count == 0)
        return MMA_EMPTY;
    if (count != (size_t)((has_scales ? 5 : 3) + with)) {
        input_expected(e, "row", text, length, "%s", forms[has_scales][with]);
        return MMA_BAD;
    }
    for (size_t i = 0; i < count; i++) {
        text_word digits = words_digits(words[i]);
        f[i] = (field){has_scales ? scaled[i] : plain[i], digits.text, digits.length};
    }
    return read_row(e, f, row, with) ? MMA_ROW : MMA_BAD;
}
