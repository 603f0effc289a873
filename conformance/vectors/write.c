/* SPDX-License-Identifier: MIT */
/* write.c -- writes a file of JSON vectors: a line for the head of a group, a line for each case */
#include "base/memory.h"
#include "vectors/json.h"

#include <stdlib.h>
#include <string.h>

void vectors_write_begin(vectors_writer *w, const char *title)
{
    json_writer *j = &w->j;
    jw_begin(j, NULL, '{');
    jw_text(jw_space(j, "\n"), "schema", "vectors-1");
    jw_text(jw_space(j, "\n"), "title", title);
    jw_begin(jw_space(j, "\n"), "groups", '[');
}

void vectors_write_group(vectors_writer *w, const vector_group *g)
{
    json_writer *j = &w->j;
    jw_begin(jw_space(j, "\n"), NULL, '{');
    jw_text(j, "kind", g->kind->name);
    for (int i = 0; i < HEAD_MOST && g->kind->head[i].key; i++) {
        const head_member *m = &g->kind->head[i];
        if (!g->head[i][0])
            continue;
        if (m->type == 's')
            jw_text(j, m->key, g->head[i]);
        else
            jw_number(j, m->key, g->head[i]);
    }
    jw_begin(j, "cases", '[');
}

/* The words of a field with a blank between two. */
static const char *words_text(vectors_writer *w, const vector_field *f, const vector_words *words)
{
    int digits = (f->bits + 3) / 4;
    size_t size = words->count * (size_t)(digits + 1) + 1;
    if (size > w->room) {
        w->room = 2 * size;
        w->text = reallocate(w->text, w->room, 1);
    }
    char *at = w->text;
    for (size_t i = 0; i < words->count; i++) {
        if (i)
            *at++ = ' ';
        for (int k = digits; k-- > 0;)
            *at++ = "0123456789abcdef"[words->word[i] >> 4 * k & 15];
    }
    *at = '\0';
    return w->text;
}

void vectors_write_case(vectors_writer *w, const vector_group *g, const char *id, vector_case *c)
{
    json_writer *j = &w->j;
    vector_tags tags = g->kind->tags(g, c);
    jw_begin(jw_space(j, "\n"), NULL, '{');
    jw_text(j, "id", id);
    for (int i = 0; i < g->fields; i++)
        jw_text(j, g->field[i].key, words_text(w, &g->field[i], &c->field[i]));
    jw_begin(j, "why", '[');
    for (int i = 0; i < TAG_COUNT; i++) {
        if (tags >> i & 1)
            jw_text(j, NULL, tag_name((vector_tag)i));
    }
    jw_end(j);
    jw_end(j);
    w->used |= tags;
    w->count++;
}

void vectors_write_group_end(vectors_writer *w)
{
    jw_space(&w->j, "\n");
    jw_end(&w->j);
    jw_end(&w->j);
}

void vectors_write_end(vectors_writer *w)
{
    json_writer *j = &w->j;
    jw_space(j, "\n");
    jw_end(j);
    jw_begin(jw_space(j, "\n"), "tags", '{');
    for (int i = 0; i < TAG_COUNT; i++) {
        if (w->used >> i & 1)
            jw_text(jw_space(j, "\n"), tag_name((vector_tag)i), tag_text((vector_tag)i));
    }
    jw_space(j, "\n");
    jw_end(j);
    jw_unsigned(jw_space(j, "\n"), "count", w->count);
    jw_space(j, "\n");
    jw_end(j);
    free(w->text);
}
