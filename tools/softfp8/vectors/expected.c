/* SPDX-License-Identifier: MIT */
/* expected.c -- which columns a row has, and what is missing or wrong in a line of text */
#include "vectors/vectors.h"
#include "base/words.h"

#include <stdio.h>
#include <string.h>

typedef struct text {
    char text[384];
    size_t used;
} text;

static void add(text *t, const char *word)
{
    size_t n = strlen(word);
    if (t->used + n >= sizeof t->text)
        return;
    memcpy(t->text + t->used, word, n + 1);
    t->used += n;
}

static void add_number(text *t, int n)
{
    char digits[16];
    snprintf(digits, sizeof digits, "%d", n);
    add(t, digits);
}

/* Before the i-th of `count` things in a list: ", ", " and " or nothing. */
static const char *joint(int i, int count)
{
    return i == 0 ? "" : i + 1 == count ? " and " : ", ";
}

enum { WORDS = COLUMNS_MOST };

/* "; result and flags are missing": columns are found by their digits, in order. Nothing, if a word
 * is left over. */
static void add_missing(text *t, const layout *l, const text_word *words, int count)
{
    int missing[COLUMNS_MOST], n = 0, next = 0;
    for (int i = 0; i < l->count; i++) {
        if (next < count && words_digits(words[next]).length == (size_t)l->column[i].digits)
            next++;
        else
            missing[n++] = i;
    }
    if (next < count)
        return;
    for (int i = 0; i < n; i++) {
        add(t, i ? joint(i, n) : "; ");
        add(t, l->column[missing[i]].name);
    }
    add(t, n == 1 ? " is missing" : " are missing");
    if (n == 1 && missing[0] == l->flags)
        add(t, l->result < 0 ? ""
               : l->operands ? " (--columns operands,result: a file without flags)"
                             : " (--columns result: a file without flags)");
}

/* Digits, of a result or of flags also x and z: read.c says what these are. */
static int fits(const layout *l, int i, const text_word *w, uint64_t *value)
{
    static const char digits[] = "0123456789abcdefABCDEF", unknown[] = "xXzZ";
    const char *and = i == l->result || i == l->flags ? unknown : "";
    *value = 0;
    if (words_hex(*w, l->column[i].digits, value))
        return 1;
    if (w->length != (size_t)l->column[i].digits)
        return 0;
    for (size_t k = 0; k < w->length; k++)
        if (!w->text[k] || (!strchr(digits, w->text[k]) && !strchr(and, w->text[k])))
            return 0;
    return 1;
}

/* "; b is 'xyz'": the first word that is no number of its column. */
static void add_wrong(text *t, const layout *l, const text_word *words)
{
    for (int i = 0; i < l->count; i++) {
        char found[24];
        const column *c = &l->column[i];
        uint64_t value;
        int is_number = fits(l, i, &words[i], &value);
        if (is_number && (c->bits == 64 || value >> c->bits == 0))
            continue;
        snprintf(found, sizeof found, "%.*s", (int)words[i].length, words[i].text);
        add(t, "; ");
        add(t, c->name);
        add(t, " is '");
        add(t, found);
        add(t, is_number ? "', which does not fit into " : "'");
        if (is_number) {
            add_number(t, c->bits);
            add(t, " bits");
        }
        return;
    }
}

const char *vectors_expected(const layout *l, const char *line, size_t length)
{
    static text t;
    text_word words[WORDS];
    int count = (int)words_split(line, length, words, WORDS);
    t.used = 0;
    add_number(&t, l->count);
    add(&t, l->count == 1 ? " column of " : " columns of ");
    for (int i = 0; i < l->count; i++) {
        add(&t, joint(i, l->count));
        add_number(&t, l->column[i].digits);
    }
    add(&t, " hexadecimal digits: ");
    for (int i = 0; i < l->count; i++) {
        add(&t, joint(i, l->count));
        add(&t, l->column[i].name);
    }
    if (l->form != FORM_TEXT)
        return t.text;
    if (count < l->count) {
        add_missing(&t, l, words, count);
    } else if (count == l->count) {
        add_wrong(&t, l, words);
    } else {
        add(&t, "; the line has ");
        add(&t, count > WORDS ? "more" : "");
        if (count <= WORDS)
            add_number(&t, count);
    }
    return t.text;
}
