/* SPDX-License-Identifier: MIT */
/* read.c -- a file of published results: its head, its rows */
#include "families/published/silicon.h"
#include "base/hex.h"
#include "base/words.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_K = 64, QUOTED = 20 };

/* A text that is read line by line. */
typedef struct reader {
    const silicon_set *s;
    silicon_rows *rows;
    const char *path;
    const char *line; /* the current one, and its length */
    size_t length;
    uint64_t number;
    size_t digits; /* of a code */
    int32_t width; /* bytes of a code in memory: 1, 2, 4 */
    size_t head_k; /* K in the head; 0: the head does not give it */
    unsigned char *codes;
    char *why;
} reader;

static int bad(reader *r, const char *format, ...)
{
    va_list list;
    int used = snprintf(r->why, CONFORM_LONG, "%.700s:%llu: ", r->path,
                        (unsigned long long)r->number);
    va_start(list, format);
    vsnprintf(r->why + used, CONFORM_LONG - (size_t)used, format, list);
    va_end(list);
    return 0;
}

/* ---- the head -------------------------------------------------------------------------------- */

/* The word behind " NAME " in the line, in small letters; "" if it has none. */
static void head_word(const reader *r, const char *name, char word[32])
{
    size_t n = strlen(name), used = 0;
    for (size_t at = 1; at + n + 1 < r->length; at++) {
        if (r->line[at - 1] != ' ' || r->line[at + n] != ' ' || memcmp(r->line + at, name, n) != 0)
            continue;
        for (at += n; at < r->length && r->line[at] == ' ';)
            at++;
        for (; at < r->length && r->line[at] != ' ' && used < 31; at++)
            word[used++] = (char)tolower((unsigned char)r->line[at]);
        break;
    }
    word[used] = '\0';
}

/* "fp16" is f16. */
static int is_format(const char *word, const char *format)
{
    if (strncmp(word, "fp", 2) == 0)
        return format[0] == 'f' && strcmp(word + 2, format + 1) == 0;
    return strcmp(word, format) == 0;
}

static int read_head(reader *r)
{
    char word[32];
    snprintf(r->rows->origin, sizeof r->rows->origin, "%.*s", (int)(r->length - 6), r->line + 6);
    head_word(r, "inputs", word);
    if (word[0] && !is_format(word, r->s->in))
        return bad(r, "inputs '%s': expected those of %s", word, r->s->in);
    head_word(r, "result", word);
    if (word[0] && !is_format(word, r->s->out))
        return bad(r, "result '%s': expected that of %s", word, r->s->out);
    head_word(r, "K", word);
    if (word[0])
        r->head_k = (size_t)strtoul(word, NULL, 10);
    return 1;
}

/* ---- words ----------------------------------------------------------------------------------- */

/* Stores codes as bytes, or in two or four bytes, as sf8_mma_dot takes them. */
static int read_codes(reader *r, const char *name, const char *text, unsigned char *to)
{
    uint64_t mask = sf8_format_code_mask(r->rows->m.a);
    for (size_t i = 0; i < r->rows->k; i++) {
        uint64_t code;
        if (!hex_read(text + i * r->digits, (int)r->digits, &code) || code & ~mask)
            return bad(r, "%s: code %zu is not a code of %s", name, i, r->s->in);
        uint32_t word = (uint32_t)code;
        uint16_t half = (uint16_t)code;
        uint8_t byte = (uint8_t)code;
        const void *from = r->width == 1   ? (const void *)&byte
                           : r->width == 2 ? (const void *)&half
                                           : (const void *)&word;
        memcpy(to + i * (size_t)r->width, from, (size_t)r->width);
    }
    return 1;
}

/* An f32 word that an f16 result was widened to, as f16. */
static int read_narrow(reader *r, uint32_t word, uint32_t *d)
{
    sf8_format out = r->rows->m.out;
    if (sf8_is_nan(SF8_F32, word))
        *d = (word >> 16 & 0x8000u) | 0x7c00u | (word >> 13 & 0x3ffu);
    else
        *d = (uint32_t)sf8_convert(out, SF8_F32, word, SF8_OCP_NOSAT);
    if ((sf8_is_nan(SF8_F32, word) && (word & 0x1fffu)) ||
        (!sf8_is_nan(SF8_F32, word) &&
         sf8_convert(SF8_F32, out, *d, SF8_OCP_NOSAT) != (uint64_t)word))
        return bad(r, "d: %08x is not an f16 result", (unsigned)word);
    return 1;
}

/* ---- rows ------------------------------------------------------------------------------------ */

enum { FIELDS = 4 };

/* All rows have the K of the first. */
static int check_k(reader *r, const char *name, size_t length)
{
    size_t k = length / r->digits;
    const sf8_mma *m = &r->rows->m;
    if (length % r->digits || k == 0 || k > MOST_K || (k > (size_t)m->k && k % (size_t)m->k != 0))
        return bad(r, "%s: %zu digits, %zu for a code of %s, are no row of %s", name, length,
                   r->digits, r->s->in, r->s->unit);
    if (r->rows->k == 0)
        r->rows->k = k;
    if (k != r->rows->k || (r->head_k && k != r->head_k))
        return bad(r, "%s: %zu codes, where the %s %zu", name, k,
                   r->head_k && k != r->head_k ? "head says K" : "rows before have",
                   r->head_k && k != r->head_k ? r->head_k : r->rows->k);
    return 1;
}

static int read_row(reader *r)
{
    static const char *const names[FIELDS] = {"a", "b", "c", "d"};
    text_word field[FIELDS];
    uint64_t value[FIELDS];
    uint32_t word[2];
    size_t count = words_split(r->line, r->length, field, FIELDS);
    if (count == 0)
        return 1;
    if (count != FIELDS)
        return bad(r, "expected a row 'a b c d'");
    for (int i = 0; i < FIELDS; i++)
        field[i] = words_digits(field[i]);
    if (!check_k(r, "a", field[0].length) || !check_k(r, "b", field[1].length))
        return 0;
    for (int i = 2; i < FIELDS; i++) {
        if (!words_hex(field[i], 8, &value[i]))
            return bad(r, "%s '%.*s%s': expected 8 hexadecimal digits of f32", names[i],
                       (int)(field[i].length < QUOTED ? field[i].length : QUOTED), field[i].text,
                       field[i].length > QUOTED ? "..." : "");
        word[i - 2] = (uint32_t)value[i];
    }
    silicon_rows *rows = r->rows;
    size_t bytes = rows->k * (size_t)r->width;
    mma_result *row = &rows->row[rows->count];
    row->k = rows->k;
    row->line = r->number;
    row->x.a = r->codes;
    row->x.b = r->codes + bytes;
    if (!read_codes(r, "a", field[0].text, r->codes) ||
        !read_codes(r, "b", field[1].text, r->codes + bytes))
        return 0;
    r->codes += 2 * bytes;
    row->c = word[0];
    row->d = word[1];
    if (rows->m.out.man_bits < 23) {
        row->c = (uint32_t)sf8_convert(rows->m.out, SF8_F32, word[0], SF8_OCP_NOSAT);
        if (!read_narrow(r, word[1], &row->d))
            return 0;
    }
    rows->count++;
    return 1;
}

static int read_line(reader *r, const char *text, size_t left)
{
    const char *end = memchr(text, '\n', left);
    r->number++;
    r->line = text;
    r->length = end ? (size_t)(end - text) : left;
    if (!end)
        return bad(r, "the file is cut off: its last line does not end");
    if (r->length > 6 && memcmp(text, "# gpu ", 6) == 0)
        return read_head(r);
    return text[0] == '#' || read_row(r);
}

static int open_unit(reader *r)
{
    sf8_format in = sf8_format_named(r->s->in, NULL);
    int32_t bits = sf8_format_bits(in);
    r->digits = (size_t)(bits + 3) / 4;
    r->width = bits <= 8 ? 1 : bits <= 16 ? 2 : 4;
    if (sf8_mma_named(&r->rows->m, r->s->unit, in, in, sf8_format_named(r->s->out, NULL)) != SF8_OK)
        return bad(r, "no unit %s takes %s to %s", r->s->unit, r->s->in, r->s->out);
    return 1;
}

int silicon_read(silicon_rows *rows, const silicon_set *s, const silicon_text *text,
                 char why[CONFORM_LONG])
{
    reader r;
    size_t lines = 0;
    memset(&r, 0, sizeof r);
    memset(rows, 0, sizeof *rows);
    r.s = s;
    r.rows = rows;
    r.path = text->path;
    r.number = text->line;
    r.why = why;
    if (!open_unit(&r))
        return 0;
    for (size_t i = 0; i < text->size; i++)
        lines += text->text[i] == '\n';
    rows->row = calloc(lines + 1, sizeof rows->row[0]);
    rows->codes = malloc(text->size + 1); /* a code has more digits than bytes */
    r.codes = rows->codes;
    int good = rows->row && rows->codes;
    if (!good)
        bad(&r, "not enough memory for it");
    for (size_t at = 0; good && at < text->size; at += r.length + 1)
        good = read_line(&r, text->text + at, text->size - at);
    r.number += r.number == 0;
    if (good && rows->count == 0)
        good = bad(&r, "no rows");
    if (!good)
        silicon_free(rows);
    return good;
}

void silicon_free(silicon_rows *rows)
{
    free(rows->codes);
    free(rows->row);
    rows->codes = NULL;
    rows->row = NULL;
}
