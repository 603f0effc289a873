/* SPDX-License-Identifier: MIT */
/* read.c -- reading rows of cases in the six forms they are written in
 *
 * Nothing here ends the program: an error is returned with its place, and the caller says it.
 */
#include "vectors/vectors.h"
#include "base/words.h"

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

static int wrong(vector_error *error, const char *found, size_t length, const char *expected)
{
    size_t n = length < sizeof error->found ? length : sizeof error->found - 1;
    memcpy(error->found, found, n);
    error->found[n] = '\0';
    error->expected = expected;
    return 0;
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
                    vector_error *error)
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
static int text_row(vector_reader *v, const char *line, size_t length, row *r, vector_error *error)
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

static int head_csv(vector_reader *v, vector_error *error)
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
static int head_c(vector_reader *v, vector_error *error)
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

static int head_npy(vector_reader *v, vector_error *error)
{
    input *in = v->in;
    while (in->end - in->at < 10 && !in->ended)
        input_more(in);
    const unsigned char *b = (const unsigned char *)in->buffer + in->at;
    if (in->end - in->at < 10 || memcmp(b, "\x93NUMPY\x01", 7) != 0)
        return wrong(error, "", 0, "a .npy file, version 1");
    size_t size = b[8] | (size_t)b[9] << 8;
    while (in->end - in->at < 10 + size && !in->ended)
        input_more(in);
    if (in->end - in->at < 10 + size)
        return wrong(error, "", 0, "the complete header of a .npy file");
    char *text = in->buffer + in->at + 10;
    text[size ? size - 1 : 0] = '\0';
    char want[256];
    size_t used = (size_t)snprintf(want, sizeof want, "{'descr': ");
    vectors_dtype(&v->l, want + used, sizeof want - used);
    used = strlen(want);
    if (strncmp(text, want, used) != 0 ||
        strncmp(text + used, ", 'fortran_order': False, ", 26) != 0)
        return wrong(error, text, strlen(text), "the dtype of these columns, in C order");
    const char *shape = strstr(text, "'shape': (");
    v->promised = 1;
    for (const char *c = shape ? shape + 10 : ""; *c && *c != ')';) {
        uint64_t n = 0;
        while (*c == ' ' || *c == ',')
            c++;
        if (*c < '0' || *c > '9')
            break;
        while (*c >= '0' && *c <= '9' && n < UINT64_C(1) << 40)
            n = 10 * n + (uint64_t)(*c++ - '0');
        v->promised *= n;
    }
    in->at += 10 + size;
    return 1;
}

static int read_head(vector_reader *v, vector_error *error)
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

static int read_bytes(vector_reader *v, row *r, vector_error *error)
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

static int read_line(vector_reader *v, row *r, vector_error *error)
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

int vectors_read(vector_reader *v, row *r, vector_error *error)
{
    error->byte = 0;
    v->unknown_result[0] = v->unknown_flags[0] = 0;
    if (v->state == STATE_HEAD && !read_head(v, error)) {
        error->line = v->in->line;
        return -1;
    }
    int binary = v->l.form == FORM_BIN || v->l.form == FORM_NPY;
    int got = binary ? read_bytes(v, r, error) : read_line(v, r, error);
    error->line = binary ? 0 : v->in->line;
    error->byte = v->rows * (uint64_t)v->l.bytes;
    if (got == 0 && v->promised != UINT64_MAX && v->rows != v->promised) {
        wrong(error, "", 0, "as many rows as the header says");
        return -1;
    }
    v->rows += got == 1;
    return got;
}
