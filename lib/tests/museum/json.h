/* SPDX-License-Identifier: MIT */
/* json.h -- reads a JSON text into a tree
 *
 * It reads what vectors/museum/museum.json needs: the only escapes are \" and \\, a number has
 * digits alone, and there is no null. The text is changed: strings and keys of the tree lie in it.
 */
#ifndef SF8_TEST_MUSEUM_JSON_H
#define SF8_TEST_MUSEUM_JSON_H

#include <stddef.h>
#include <string.h>

/* A value. `type` is the first character of its text, '0' for a number. */
typedef struct json {
    char type;
    int used; /* set by json_get */
    const char *key, *text;
    struct json *first, *next; /* the first member or element, and the next one after this */
} json;

typedef struct json_reader {
    char *at;
    json *pool; /* as many as the text has characters of "{[,:", and one, are enough */
    size_t left;
} json_reader;

static inline void json_blanks(json_reader *r)
{
    while (*r->at && strchr(" \t\r\n", *r->at))
        r->at++;
}

static inline int json_take(json_reader *r, char c)
{
    json_blanks(r);
    if (*r->at != c)
        return 0;
    r->at++;
    return 1;
}

/* The string that begins here, without its quotes; NULL if there is none. */
static inline const char *json_string(json_reader *r)
{
    if (!json_take(r, '"'))
        return NULL;
    char *start = r->at, *to = r->at;
    while (*r->at != '"') {
        if (*r->at == '\\' && (r->at[1] == '"' || r->at[1] == '\\'))
            r->at++;
        else if ((unsigned char)*r->at < 0x20 || *r->at == '\\')
            return NULL;
        *to++ = *r->at++;
    }
    r->at++;
    *to = '\0';
    return start;
}

static inline json *json_value(json_reader *r);

/* The members up to `close`. Returns 0 if they are malformed. */
static inline int json_members(json_reader *r, json *parent, char close)
{
    json **end = &parent->first;
    if (json_take(r, close))
        return 1;
    do {
        const char *key = close == '}' ? json_string(r) : NULL;
        if (close == '}' && (!key || !json_take(r, ':')))
            return 0;
        if (!(*end = json_value(r)))
            return 0;
        (*end)->key = key;
        end = &(*end)->next;
    } while (json_take(r, ','));
    return json_take(r, close);
}

/* A number, true or false. Its text has no end of its own: what follows it stays in place. */
static inline int json_word(json_reader *r, json *v)
{
    size_t n = strspn(r->at, "0123456789");
    v->text = r->at;
    if (n > 0)
        v->type = '0';
    else if (strncmp(r->at, "true", 4) == 0)
        n = 4;
    else if (strncmp(r->at, "false", 5) == 0)
        n = 5;
    r->at += n;
    return n > 0;
}

static inline json *json_value(json_reader *r)
{
    json_blanks(r);
    if (r->left == 0)
        return NULL;
    json *v = r->pool++;
    r->left--;
    *v = (json){.type = *r->at};
    int right = 0;
    if (v->type == '{' || v->type == '[') {
        r->at++;
        right = json_members(r, v, v->type == '{' ? '}' : ']');
    } else if (v->type == '"') {
        right = (v->text = json_string(r)) != NULL;
    } else {
        right = json_word(r, v);
    }
    return right ? v : NULL;
}

/* The whole text, or NULL; then `r->at` is where it is malformed. */
static inline json *json_read(json_reader *r)
{
    json *v = json_value(r);
    json_blanks(r);
    return v && *r->at == '\0' ? v : NULL;
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
