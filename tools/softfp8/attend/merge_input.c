/* SPDX-License-Identifier: MIT */
/* merge_input.c -- parts of attention for softfp8 attend --merge: .npy files, or lines of words */
#include "attend/merge.h"
#include "base/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- .npy files ------------------------------------------------------------------------------ */

enum { SHAPE_TEXT = 24 * NPY_AXES + 8 };

/* "(3, 4, 64)" */
static const char *shape_text(const size_t *axis, int dimensions, char text[SHAPE_TEXT])
{
    int used = snprintf(text, SHAPE_TEXT, "(");
    for (int i = 0; i < dimensions; i++)
        used += snprintf(text + used, SHAPE_TEXT - (size_t)used, i ? ", %zu" : "%zu", axis[i]);
    snprintf(text + used, SHAPE_TEXT - (size_t)used, dimensions == 1 ? ",)" : ")");
    return text;
}

static int same_axes(const size_t *a, const size_t *b, int dimensions)
{
    return memcmp(a, b, (size_t)dimensions * sizeof *a) == 0;
}

static tensor read_npy(const char *path, const char *from)
{
    tensor t = tensor_read(path, from, (tensor_shape){0, 0});
    if (t.dimensions < 2) {
        char text[SHAPE_TEXT];
        fail_at(input_name(path), 0,
                "shape %s; expected [rows][channels] or [tokens][heads][channels]",
                shape_text(t.axis, t.dimensions, text));
    }
    return t;
}

/* The lse of an output: of its shape without the last axis, or with the last two exchanged. */
static tensor read_lse(const char *path, const tensor *out, int *heads_first)
{
    tensor t = tensor_read(path, NULL, (tensor_shape){0, 0});
    int n = out->dimensions - 1;
    size_t swapped[NPY_AXES];
    char got[SHAPE_TEXT], want[SHAPE_TEXT], other[SHAPE_TEXT];
    memcpy(swapped, out->axis, sizeof swapped);
    if (n >= 2) {
        swapped[n - 2] = out->axis[n - 1];
        swapped[n - 1] = out->axis[n - 2];
    }
    const char *hint = t.dimensions == out->dimensions + 1
                           ? "; are the output and the lse exchanged?"
                           : "";
    if (sf8_format_bits(t.format) != 32)
        fail_at(input_name(path), 0, "the format is %s; expected f32%s", t.format_name, hint);
    int straight = t.dimensions == n && same_axes(t.axis, out->axis, n);
    int turned = n >= 2 && t.dimensions == n && same_axes(t.axis, swapped, n);
    if (!straight && !turned)
        fail_at(input_name(path), 0, "shape %s; expected %s%s%s%s",
                shape_text(t.axis, t.dimensions, got), shape_text(out->axis, n, want),
                n >= 2 ? " or, heads first, " : "", n >= 2 ? shape_text(swapped, n, other) : "",
                hint);
    if (*heads_first && !turned)
        fail_at(input_name(path), 0, "shape %s; --heads-first expects %s",
                shape_text(t.axis, t.dimensions, got),
                n >= 2 ? shape_text(swapped, n, other) : "[heads][tokens]");
    *heads_first = *heads_first || !straight;
    return t;
}

size_t merge_lse_place(const merge_states *m, size_t row)
{
    int n = m->out.dimensions - 1;
    size_t heads, tokens, inner;
    if (!m->heads_first)
        return row;
    heads = m->out.axis[n - 1];
    tokens = m->out.axis[n - 2];
    inner = row % (heads * tokens);
    return row - inner + inner % heads * tokens + inner / heads;
}

static void check_like(const char *path, const tensor *t, const char *first, const tensor *like)
{
    char got[SHAPE_TEXT], want[SHAPE_TEXT];
    if (t->dimensions != like->dimensions || !same_axes(t->axis, like->axis, t->dimensions))
        fail_at(input_name(path), 0, "shape %s, but %s has %s",
                shape_text(t->axis, t->dimensions, got), input_name(first),
                shape_text(like->axis, like->dimensions, want));
    if (strcmp(t->format_name, like->format_name) != 0)
        fail_at(input_name(path), 0, "the format is %s, but %s has %s", t->format_name,
                input_name(first), like->format_name);
}

static void begin(merge_states *m, size_t rows, size_t parts, size_t channels)
{
    m->rows = rows;
    m->parts = parts;
    m->channels = channels;
    if (parts > SIZE_MAX / 8 / (2 + channels) || rows > SIZE_MAX / 8 / (2 + channels) / parts)
        fail("the parts are too large for memory");
    m->words = allocate(rows * parts * (2 + channels) + 1, sizeof *m->words);
}

static uint32_t *part_of(const merge_states *m, size_t row, size_t part)
{
    return m->words + (row * m->parts + part) * (2 + m->channels);
}

/* The lse of a part, or its sum, which is word 1. */
static void take_heads(merge_states *m, const tensor *t, size_t part, int word)
{
    for (size_t row = 0; row < m->rows; row++)
        part_of(m, row, part)[word] = ((const uint32_t *)t->words)[merge_lse_place(m, row)];
}

static void take_part(merge_states *m, char **paths, size_t part, int sums, const char *from,
                      int heads_first)
{
    size_t stride = 2 + (size_t)sums;
    char **path = paths + part * stride;
    tensor out = read_npy(path[0], from);
    if (part == 0) {
        m->out = out;
        m->out.words = NULL;
        m->heads_first = heads_first;
        begin(m, out.shape.rows, m->parts, out.shape.columns);
    }
    check_like(path[0], &out, paths[0], &m->out);
    for (size_t i = 0; i < 1 + (size_t)sums; i++) {
        int first = m->heads_first;
        tensor lse = read_lse(path[1 + i], &out, &first);
        if (part == 0 && i == 0) {
            m->heads_first = first;
            m->lse = lse;
            m->lse.words = NULL;
        }
        check_like(path[1 + i], &lse, paths[1], &m->lse);
        take_heads(m, &lse, part, (int)i);
        tensor_free(&lse);
    }
    for (size_t row = 0; row < m->rows; row++)
        for (size_t c = 0; c < m->channels; c++)
            part_of(m, row, part)[2 + c] = tensor_f32(&out, row * m->channels + c);
    tensor_free(&out);
}

void merge_read_files(merge_states *m, char **paths, size_t count, int sums, const char *from,
                      int heads_first)
{
    size_t stride = 2 + (size_t)sums;
    memset(m, 0, sizeof *m);
    if (count % stride != 0 || count < 2 * stride)
        fail("%zu files; expected two parts or more, and for each part %s", count,
             sums ? "its output, its largest scores and its sums" : "its output and its lse");
    m->parts = count / stride;
    for (size_t part = 0; part < m->parts; part++)
        take_part(m, paths, part, sums, from, heads_first);
}

/* ---- lines ----------------------------------------------------------------------------------- */

typedef struct line_words {
    uint32_t *word;
    size_t count, room;
    size_t part[256], parts; /* where each part begins */
} line_words;

static void add_word(line_words *l, const input *in, text_word word, size_t heads, int digits)
{
    size_t place = l->count - l->part[l->parts - 1];
    int want = place < heads ? 8 : digits;
    uint64_t value;
    if (!words_hex(word, want, &value))
        fail_at(in->name, in->line, "'%.*s': expected %s of %d hexadecimal digits",
                word.length > 40 ? 40 : (int)word.length, word.text,
                place == 0      ? "an lse"
                : place < heads ? "a sum"
                                : "a channel",
                want);
    l->word = grow(l->word, l->count, &l->room, sizeof *l->word);
    l->word[l->count++] = (uint32_t)value;
}

/* The words of a line, in parts with | between them: one of 8 digits for each of the first `heads`
 * of a part, then codes of `digits` digits. 0 if the line has none. */
static int read_line(line_words *l, const input *in, const char *text, size_t length, size_t heads,
                     int digits)
{
    const char *end = words_end(text, text + length);
    text_word word;
    l->count = l->parts = 0;
    l->part[l->parts++] = 0;
    for (;;) {
        const char *bar = memchr(text, '|', (size_t)(end - text));
        while (words_next(&text, bar ? bar : end, &word))
            add_word(l, in, word, heads, digits);
        if (!bar)
            return l->count > 0 || l->parts > 1;
        if (l->parts == sizeof l->part / sizeof l->part[0])
            fail_at(in->name, in->line, "more than 256 parts in a line");
        l->part[l->parts++] = l->count;
        text = bar + 1;
    }
}

/* The channels of each part; fails where parts differ or have none. */
static size_t channels_of(const line_words *l, const input *in, size_t heads)
{
    size_t first = 0;
    for (size_t i = 0; i < l->parts; i++) {
        size_t end = i + 1 < l->parts ? l->part[i + 1] : l->count, n = end - l->part[i];
        if (n <= heads)
            fail_at(in->name, in->line, "part %zu has %zu numbers; expected %zu and the channels",
                    i + 1, n, heads);
        if (i > 0 && n - heads != first)
            fail_at(in->name, in->line, "part %zu has %zu channels, but part 1 has %zu", i + 1,
                    n - heads, first);
        first = n - heads;
    }
    return first;
}

static void add_row(merge_states *m, size_t *room, const line_words *l, size_t heads)
{
    if (m->rows == *room) {
        *room = 2 * *room + 16;
        m->words = reallocate(m->words, *room * m->parts * (2 + m->channels), sizeof *m->words);
    }
    m->rows++;
    for (size_t part = 0; part < m->parts; part++) {
        const uint32_t *from = l->word + l->part[part];
        uint32_t *to = part_of(m, m->rows - 1, part);
        to[0] = from[0];
        to[1] = heads > 1 ? from[1] : 0x3f800000;
        for (size_t c = 0; c < m->channels; c++)
            to[2 + c] = (uint32_t)sf8_convert(SF8_F32, m->out.format, from[heads + c],
                                              SF8_OCP_NOSAT);
        if (sf8_format_bits(m->out.format) == 32)
            memcpy(to + 2, from + heads, m->channels * sizeof *to);
    }
}

void merge_read_lines(merge_states *m, const char *path, int sums, const char *from)
{
    input *in = input_open(path);
    line_words l = {NULL, 0, 0, {0}, 0};
    size_t length, room = 0, heads = 1 + (size_t)sums;
    char *text;
    memset(m, 0, sizeof *m);
    m->lines = 1;
    m->out.format_name = from ? from : "f32";
    m->out.format = format_of_name(m->out.format_name);
    while ((text = input_line(in, &length)) != NULL) {
        if (!read_line(&l, in, text, length, heads, word_digits(sf8_format_bits(m->out.format))))
            continue;
        size_t channels = channels_of(&l, in, heads);
        if (l.parts < 2)
            fail_at(in->name, in->line, "one part; expected two or more, separated by |");
        if (m->rows && (l.parts != m->parts || channels != m->channels))
            fail_at(in->name, in->line,
                    "%zu parts of %zu channels, but the first line has %zu of %zu", l.parts,
                    channels, m->parts, m->channels);
        m->parts = l.parts;
        m->channels = channels;
        add_row(m, &room, &l, heads);
    }
    if (m->rows == 0)
        fail_at(in->name, 0, "no rows; expected at least one line");
    input_close(in);
    free(l.word);
}

/* ---- what is compared ------------------------------------------------------------------------ */

static void read_joined_lines(const merge_states *m, const char *path, tensor *out, uint32_t *lse)
{
    input *in = input_open(path);
    line_words l = {NULL, 0, 0, {0}, 0};
    size_t length, row = 0, wide = tensor_width(out->format) == 4;
    char *text;
    while ((text = input_line(in, &length)) != NULL) {
        if (!read_line(&l, in, text, length, 1, word_digits(sf8_format_bits(out->format))))
            continue;
        size_t channels = channels_of(&l, in, 1);
        if (l.parts != 1 || channels != m->channels)
            fail_at(in->name, in->line,
                    "%zu parts of %zu channels; expected an lse and %zu channels", l.parts,
                    channels, m->channels);
        if (row == m->rows)
            fail_at(in->name, in->line, "too many rows; expected %zu, as in the parts", m->rows);
        for (size_t c = 0; c < channels; c++)
            if (wide)
                ((uint32_t *)out->words)[row * channels + c] = l.word[1 + c];
            else
                ((uint16_t *)out->words)[row * channels + c] = (uint16_t)l.word[1 + c];
        lse[row++] = l.word[0];
    }
    if (row != m->rows)
        fail_at(in->name, 0, "%zu rows; expected %zu, as in the parts", row, m->rows);
    input_close(in);
    free(l.word);
}

void merge_read_joined(const merge_states *m, const char *path, const char *lse_path,
                       const char *from, tensor *out, uint32_t **lse)
{
    char got[SHAPE_TEXT], want[SHAPE_TEXT];
    *lse = NULL;
    if (m->lines) {
        *out = m->out;
        out->format_name = from ? from : m->out.format_name;
        out->format = format_of_name(out->format_name);
        out->words = allocate(m->rows * m->channels, tensor_width(out->format));
        *lse = allocate(m->rows, sizeof **lse);
        read_joined_lines(m, path, out, *lse);
        return;
    }
    *out = read_npy(path, from);
    if (out->dimensions != m->out.dimensions || !same_axes(out->axis, m->out.axis, out->dimensions))
        fail_at(input_name(path), 0, "shape %s; expected %s, as in the parts",
                shape_text(out->axis, out->dimensions, got),
                shape_text(m->out.axis, m->out.dimensions, want));
    if (!lse_path)
        return;
    int first = m->heads_first;
    tensor t = read_lse(lse_path, &m->out, &first);
    check_like(lse_path, &t, "the parts' lse", &m->lse);
    *lse = allocate(m->rows, sizeof **lse);
    for (size_t row = 0; row < m->rows; row++)
        (*lse)[row] = ((const uint32_t *)t.words)[merge_lse_place(m, row)];
    tensor_free(&t);
}

void merge_free(merge_states *m)
{
    free(m->words);
}
