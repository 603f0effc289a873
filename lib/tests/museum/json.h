/* SPDX-License-Identifier: MIT */
/* json.h -- a JSON text as a tree, as base/json_reader.h reads it */
#ifndef SF8_TEST_MUSEUM_JSON_H
#define SF8_TEST_MUSEUM_JSON_H

#include "base/json_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JSON_KEY = 64 };

/* A value. `type` is the first character of its text, '0' for a number. */
typedef struct json {
    char type;
    int used;                  /* set by json_get */
    const char *key;           /* of a member */
    const char *text;          /* of a string, or a number in decimal */
    struct json *first, *next; /* the first member or element, and the next one after this */
} json;

typedef struct json_tree {
    json
        *pool; /* a value each: as many as the text has characters of "{[,:", and one, are enough */
    char *text; /* keys and texts, each with a closing 0: as long as the text itself is enough */
    char *end;
} json_tree;

/* The text that was written at `text`, which is taken. */
static inline const char *json_keep(json_tree *t)
{
    const char *kept = t->text;
    t->text += strlen(kept) + 1;
    return kept;
}

static inline json *json_value(json_tree *t, json_reader *r)
{
    json *v = t->pool++, **end = &v->first;
    size_t room = (size_t)(t->end - t->text);
    char key[JSON_KEY];
    *v = (json){.type = jr_kind(r)};
    if (v->type == '{') {
        for (jr_begin(r, '{'); jr_member(r, key, sizeof key); end = &(*end)->next) {
            const char *name = (strcpy(t->text, key), json_keep(t));
            *end = json_value(t, r);
            (*end)->key = name;
        }
    } else if (v->type == '[') {
        for (jr_begin(r, '['); jr_element(r); end = &(*end)->next)
            *end = json_value(t, r);
    } else if (v->type == '"') {
        if (jr_text(r, t->text, room))
            v->text = json_keep(t);
    } else if (v->type == 't' || v->type == 'f') {
        jr_bool(r);
    } else {
        v->type = '0';
        snprintf(t->text, room, "%llu", (unsigned long long)jr_unsigned(r));
        v->text = json_keep(t);
    }
    return v;
}

/* The member of an object, or NULL. It is marked as used. */
static inline json *json_get(const json *object, const char *key)
{
    for (json *m = object->first; m; m = m->next)
        if (strcmp(m->key, key) == 0) {
            m->used = 1;
            return m;
        }
    return NULL;
}

#endif
