/* SPDX-License-Identifier: MIT */
/* read.c -- reading rows of cases in the six forms they are written in
 *
 * Nothing here ends the program: an error is returned with its place, and the caller says it.
 */
#include "vectors/vectors.h"
#include "base/words.h"
#include "files/tensor_file.h"

#include <stdio.h>
#include <string.h>

enum { STATE_HEAD, STATE_ROWS, STATE_ENDED };

void vectors_open(vector_reader *reader, input *in, const layout *l)
{
    memset(reader, 0, sizeof *reader);
    reader->in = in;
    reader->l = *l;
    reader->promised = UINT64_MAX;
}

static int wrong(input_error *error, const char *found, size_t length, const char *expected)
{
    return input_expected(error, NULL, found, length, "%s", expected);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static int word_fits(const column *c, uint64_t value)
{
    return c->bits == 64 || value >> c->bits == 0;
}

/* A word of a column at *at, which is moved behind it. */
static int take_word(const column *c, const char **at, const char *end, uint64_t *value)
{
    if (end - *at < c->digits || !hex_read(*at, c->digits, value) || !word_fits(c, *value))
        return 0;
    *at += c->digits;
    return 1;
}

static int is_unknown_digit(char c)
{
    return c == 'x' || c == 'X' || c == 'z' || c == 'Z';
}

/* Digits of a result or of flags in which a simulator wrote x or z, at *at, which is moved behind
 * them. Those of an operand are an error: nothing follows from them. */
static int take_unknown(vector_reader *v, int i, const char **at, const char *end, uint64_t *value)
{
    int digits = v->l.column[i].digits, unknown = 0;
    if ((i != v->l.result && i != v->l.flags) || end - *at < digits)
        return 0;
    for (int k = 0; k < digits; k++) {
        char c = (*at)[k];
        if (!is_unknown_digit(c) && hex_values[(unsigned char)c] > 15)
            return 0;
        unknown |= is_unknown_digit(c);
    }
    if (!unknown)
        return 0;
    char *text = i == v->l.result ? v->unknown_result : v->unknown_flags;
    memcpy(text, *at, (size_t)digits);
    text[digits] = '\0';
    *value = 0;
    *at += digits;
    return 1;
}

/* `text` at *at, which is moved behind it. A blank in it stands for any number of blanks. */
static int take(const char *text, const char **at, const char *end)
{
    for (; *text; text++) {
        if (*text == ' ') {
            while (*at < end && (**at == ' ' || **at == '\t'))
                ++*at;
        } else if (*at == end || *(*at)++ != *text) {
            return 0;
        }
    }
    return 1;
}

typedef struct pattern {
    const char *before, *prefix, *between, *after;
} pattern;

static int take_row(vector_reader *v, const pattern *p, const char *line, size_t length, row *r,
                    input_error *error)
{
    const layout *l = &v->l;
    const char *at = line, *end = line + length;
    int good = take(p->before, &at, end);
    for (int i = 0; good && i < l->count; i++) {
        good = (i == 0 || take(p->between, &at, end)) && take(p->prefix, &at, end) &&
               (take_word(&l->column[i], &at, end, &r->value[i]) ||
                take_unknown(v, i, &at, end, &r->value[i]));
    }
    if (!good || !take(p->after, &at, end) || at != end)
        return wrong(error, line, length, vectors_expected(l, line, length));
    if (l->flags >= 0 && r->value[l->flags] > 0x1f)
        return wrong(error, line, length, "flags from 00 to 1f");
    return 1;
}

/* One word of a line of text into its column. */
static int text_word_fits(vector_reader *v, int i, text_word word, uint64_t *value)
{
    const column *c = &v->l.column[i];
    const char *at = word.text;
    return (words_hex(word, c->digits, value) && word_fits(c, *value)) ||
           (take_unknown(v, i, &at, at + word.length, value) && at == word.text + word.length);
}

/* 1: a row; 0: no words; -1: an error. */
static int text_row(vector_reader *v, const char *line, size_t length, row *r, input_error *error)
{
    const layout *l = &v->l;
    /* The usual line, each word at its place and one blank between them. */
    size_t at = 0;
    int good = 1;
    for (int i = 0; good && i < l->count; i++) {
        const column *c = &l->column[i];
        size_t end = at + (size_t)c->digits;
        good = end <= length && hex_read(line + at, c->digits, &r->value[i]) &&
               word_fits(c, r->value[i]) && (i == l->count - 1 ? end == length : line[end] == ' ');
        at = end + 1;
    }
    if (!good) {
        text_word words[COLUMNS_MOST];
        size_t count = words_split(line, length, words, COLUMNS_MOST);
        if (count == 0)
            return 0;
        good = count == (size_t)l->count;
        for (int i = 0; good && i < l->count; i++)
            good = text_word_fits(v, i, words[i], &r->value[i]);
    }
    if (!good)
        return wrong(error, line, length, vectors_expected(l, line, length)) - 1;
    if (l->flags >= 0 && r->value[l->flags] > 0x1f)
        return wrong(error, line, length, "flags from 00 to 1f") - 1;
    return 1;
}

/* ---- remarks --------------------------------------------------------------------------------- */

static void keep_title(const vector_reader *v, char text[TITLE_SIZE], uint64_t *line,
                       const char *from, size_t length)
{
    snprintf(text, TITLE_SIZE, "%.*s", (int)(length < TITLE_SIZE ? length : TITLE_SIZE - 1), from);
    *line = v->in->line;
}

/* "# function: NAME" and "# policy: TEXT", as gen -header writes them; and what the other forms
 * begin with, a comment "NAME, policy TEXT: ". */
static void take_remark(vector_reader *v, const char *line)
{
    static const char function[] = "# function: ", policy[] = "# policy: ", both[] = ", policy ";
    const char *name;
    if (strncmp(line, function, sizeof function - 1) == 0) {
        name = line + sizeof function - 1;
        keep_title(v, v->function, &v->function_line, name, strlen(name));
    } else if (strncmp(line, policy, sizeof policy - 1) == 0) {
        name = line + sizeof policy - 1;
        keep_title(v, v->policy, &v->policy_line, name, strlen(name));
    } else if (strncmp(line, "// ", 3) == 0 || strncmp(line, "/* ", 3) == 0) {
        name = line + 3;
        const char *comma = strstr(name, both), *end = comma ? strstr(comma, ": ") : NULL;
        if (!end || memchr(name, ' ', (size_t)(comma - name)))
            return;
        keep_title(v, v->function, &v->function_line, name, (size_t)(comma - name));
        comma += sizeof both - 1;
        keep_title(v, v->policy, &v->policy_line, comma, (size_t)(end - comma));
    }
}

/* ---- heads ----------------------------------------------------------------------------------- */

/* The number in the last pair of brackets before " = {". */
static uint64_t number_in_brackets(const char *line)
{
    const char *open = strrchr(line, '[');
    uint64_t n = 0;
    int digits = 0;
    for (const char *c = open ? open + 1 : ""; *c >= '0' && *c <= '9' && digits < 19; c++, digits++)
        n = 10 * n + (uint64_t)(*c - '0');
    return digits ? n : UINT64_MAX;
}

static int head_csv(vector_reader *v, input_error *error)
{
    char want[64] = "";
    size_t length;
    for (int i = 0; i < v->l.count; i++)
        snprintf(want + strlen(want), sizeof want - strlen(want), "%s%s", i ? "," : "",
                 v->l.column[i].name);
    const char *line = input_line(v->in, &length);
    if (!line || strcmp(line, want) != 0)
        return wrong(error, line ? line : "", line ? length : 0,
                     "a line with the names of the columns, such as a,b,result,flags");
    return 1;
}

/* Up to the line that opens the array. */
static int head_c(vector_reader *v, input_error *error)
{
    size_t length;
    const char *line;
    while ((line = input_line(v->in, &length)) != NULL) {
        if (length >= 3 && strcmp(line + length - 3, "= {") == 0) {
            v->promised = number_in_brackets(line);
            return 1;
        }
        take_remark(v, line);
    }
    return wrong(error, "", 0, "an array: static const ... NAME[N] = {");
}

static int head_npy(vector_reader *v, input_error *error)
{
    input *in = v->in;
    npy_head head;
    char dtype[NPY_DTYPE], want[NPY_DTYPE];
    input_fill(in);
    if (!npy_columns_read(in->buffer + in->at, in->end - in->at, &head, dtype, error))
        return 0;
    vectors_dtype(&v->l, want, sizeof want);
    if (strcmp(dtype, want) != 0)
        return input_expected(error, "the dtype", dtype, strlen(dtype), "%s for these columns",
                              want);
    v->promised = (uint64_t)head.shape.rows * head.shape.columns;
    in->at += head.data;
    return 1;
}

static int read_head(vector_reader *v, input_error *error)
{
    v->state = STATE_ROWS;
    switch (v->l.form) {
    case FORM_CSV:
        return head_csv(v, error);
    case FORM_C:
        return head_c(v, error);
    case FORM_NPY:
        return head_npy(v, error);
    default:
        return 1;
    }
}

/* ---- rows ------------------------------------------------------------------------------------ */

static int read_bytes(vector_reader *v, row *r, input_error *error)
{
    input *in = v->in;
    size_t size = (size_t)v->l.bytes;
    while (in->end - in->at < size && !in->ended)
        input_more(in);
    size_t left = in->end - in->at;
    if (left == 0)
        return 0;
    if (left < size) {
        wrong(error, "", 0, "whole rows: the file ends within one");
        return -1;
    }
    const unsigned char *b = (const unsigned char *)in->buffer + in->at;
    for (int i = 0; i < v->l.count; i++) {
        const column *c = &v->l.column[i];
        r->value[i] = 0;
        for (int k = 0; k < c->bytes; k++)
            r->value[i] |= (uint64_t)*b++ << 8 * k;
        if (!word_fits(c, r->value[i]) || (i == v->l.flags && r->value[i] > 0x1f)) {
            wrong(error, c->name, strlen(c->name),
                  "numbers that fit into the width of their column");
            return -1;
        }
    }
    in->at += size;
    return 1;
}

static int read_line(vector_reader *v, row *r, input_error *error)
{
    static const pattern readmemh = {" ", "", "_", " "};
    static const pattern csv = {" ", "0x", " , ", " "};
    static const pattern structure = {" { ", "0x", " , ", " } ,"};
    static const pattern number = {" ", "0x", "", " ,"};
    size_t length;
    const char *line;
    while ((line = input_line(v->in, &length)) != NULL) {
        /* In these forms remarks stand before the first row only: a damaged row must not become
         * one. Text has comments everywhere, as all lines of words do (base/words.h). */
        if (length == 0)
            continue;
        if (v->rows == 0 && (line[0] == '#' || strncmp(line, "//", 2) == 0)) {
            take_remark(v, line);
            continue;
        }
        switch (v->l.form) {
        case FORM_READMEMH:
            return take_row(v, &readmemh, line, length, r, error) ? 1 : -1;
        case FORM_CSV:
            return take_row(v, &csv, line, length, r, error) ? 1 : -1;
        case FORM_C:
            if (strcmp(line, "};") == 0) {
                v->state = STATE_ENDED;
                continue;
            }
            if (v->state == STATE_ENDED)
                return wrong(error, line, length, "nothing after the array") - 1;
            return take_row(v, v->l.count == 1 ? &number : &structure, line, length, r, error) ? 1
                                                                                               : -1;
        default: {
            int got = text_row(v, line, length, r, error);
            if (got != 0)
                return got;
        }
        }
    }
    if (v->l.form == FORM_C && v->state != STATE_ENDED) {
        wrong(error, "", 0, "the end of the array, };");
        return -1;
    }
    return 0;
}

int vectors_read(vector_reader *v, row *r, input_error *error)
{
    v->unknown_result[0] = v->unknown_flags[0] = 0;
    int binary = v->l.form == FORM_BIN || v->l.form == FORM_NPY;
    int head = v->state != STATE_HEAD || read_head(v, error), got = -1;
    if (head)
        got = binary ? read_bytes(v, r, error) : read_line(v, r, error);
    if (got == 0 && v->promised != UINT64_MAX && v->rows != v->promised)
        got = wrong(error, "", 0, "as many rows as the header says") - 1;
    if (got < 0 && !binary)
        error->line = v->in->line;
    else if (got < 0 && head)
        error->byte = v->rows * (uint64_t)v->l.bytes;
    v->rows += got == 1;
    return got;
}
