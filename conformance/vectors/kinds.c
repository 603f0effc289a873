/* SPDX-License-Identifier: MIT */
/* kinds.c -- the fields of a group, the words of a case */
#include "vectors/kinds.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- groups ---------------------------------------------------------------------------------- */

void group_begin(vector_group *g, const vector_kind *kind)
{
    memset(g, 0, sizeof *g);
    g->kind = kind;
}

void group_set(vector_group *g, const char *key, const char *text)
{
    for (int i = 0; i < HEAD_MOST && g->kind->head[i].key; i++) {
        if (strcmp(g->kind->head[i].key, key) == 0)
            snprintf(g->head[i], HEAD_TEXT, "%s", text);
    }
}

void group_field(vector_group *g, const char *key, int bits, size_t count, int output)
{
    vector_field *f = &g->field[g->fields++];
    f->key = key;
    f->bits = bits;
    f->count = count;
    f->output = output;
}

int group_find(const vector_group *g, const char *key)
{
    for (int i = 0; i < g->fields; i++) {
        if (strcmp(g->field[i].key, key) == 0)
            return i;
    }
    return -1;
}

vector_words *case_field(const vector_group *g, vector_case *c, const char *key)
{
    int i = group_find(g, key);
    return i < 0 ? NULL : &c->field[i];
}

/* ---- words ----------------------------------------------------------------------------------- */

void words_resize(vector_words *w, size_t count)
{
    if (count > w->room) {
        w->room = 2 * count;
        w->word = reallocate(w->word, w->room, sizeof w->word[0]);
    }
    w->count = count;
}

int words_equal(const vector_words *a, const vector_words *b)
{
    return a->count == b->count &&
           (a->count == 0 || memcmp(a->word, b->word, a->count * sizeof a->word[0]) == 0);
}

void case_copy_inputs(const vector_group *g, vector_case *to, const vector_case *from)
{
    for (int i = 0; i < g->fields; i++) {
        if (g->field[i].output)
            continue;
        words_resize(&to->field[i], from->field[i].count);
        if (from->field[i].count)
            memcpy(to->field[i].word, from->field[i].word,
                   from->field[i].count * sizeof from->field[i].word[0]);
    }
}

void case_free(vector_case *c)
{
    for (int i = 0; i < FIELDS_MOST; i++)
        free(c->field[i].word);
    memset(c, 0, sizeof *c);
}

void array_put(sf8_format f, void *array, size_t i, uint64_t word)
{
    int32_t bits = sf8_format_bits(f);
    if (bits <= 8)
        ((uint8_t *)array)[i] = (uint8_t)word;
    else if (bits == 16)
        ((uint16_t *)array)[i] = (uint16_t)word;
    else
        ((uint32_t *)array)[i] = (uint32_t)word;
}

uint64_t array_get(sf8_format f, const void *array, size_t i)
{
    int32_t bits = sf8_format_bits(f);
    return bits <= 8    ? ((const uint8_t *)array)[i]
           : bits == 16 ? ((const uint16_t *)array)[i]
                        : ((const uint32_t *)array)[i];
}

int tensor_format(const char *name, sf8_format *f)
{
    sf8_status status;
    if (strcmp(name, "f32") != 0 && strcmp(name, "bf16") != 0 && strcmp(name, "f16") != 0)
        return 0;
    *f = sf8_format_named(name, &status);
    return 1;
}
