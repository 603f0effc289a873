/* SPDX-License-Identifier: MIT */
/* table.h -- tables of known results, read from text
 *
 * A line is words with blanks between them, then " | " and a note, if there is one. Lines that are
 * empty or begin with # are passed over.
 */
#ifndef SF8_TEST_TABLE_H
#define SF8_TEST_TABLE_H

#include "check.h"

enum { TABLE_WORDS = 24 };

typedef struct table_line {
    const char *note; /* "" if there is none */
    size_t count;
    char *word[TABLE_WORDS];
} table_line;

typedef struct table {
    const char *file;
    size_t count;
    table_line *line;
    char *text;
} table;

static inline void table_add(table *t, char *text)
{
    char *note = strstr(text, " | ");
    if (note)
        *note = '\0';
    t->line = realloc(t->line, (t->count + 1) * sizeof t->line[0]);
    cr_assert(t->line);
    table_line *line = &t->line[t->count++];
    memset(line, 0, sizeof *line);
    line->note = note ? note + 3 : "";
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
        cr_assert(line->count < TABLE_WORDS, "%s: too many words: %s", t->file, text);
        line->word[line->count++] = word;
    }
}

/* The text of a file, from malloc. */
static inline char *table_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    cr_assert(file, "%s: cannot be read", path);
    cr_assert(fseek(file, 0, SEEK_END) == 0);
    size_t size = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(size + 1);
    cr_assert(text && fread(text, 1, size, file) == size);
    text[size] = '\0';
    fclose(file);
    return text;
}

/* A file of lib/tests. */
static inline table table_read(const char *name)
{
    table t = {name, 0, NULL, NULL};
    char path[512];
    snprintf(path, sizeof path, SOFTFP8_SOURCE "/lib/tests/%s", name);
    t.text = table_text(path);
    for (char *at = t.text, *end; *at; at = end) {
        end = at + strcspn(at, "\n");
        if (*end)
            *end++ = '\0';
        if (*at && *at != '#')
            table_add(&t, at);
    }
    cr_assert(t.count > 0, "%s: empty", name);
    return t;
}

static inline void table_free(table *t)
{
    free(t->line);
    free(t->text);
}

/* A word as a hexadecimal number. */
static inline uint64_t table_hex(const table_line *line, size_t i)
{
    char *end = NULL;
    cr_assert(i < line->count, "line of %s: too few words", line->word[0]);
    uint64_t number = strtoull(line->word[i], &end, 16);
    cr_assert(end > line->word[i] && *end == '\0', "not a hexadecimal number: %s", line->word[i]);
    return number;
}

/* The words from i on, with blanks between them. */
static inline const char *table_rest(const table_line *line, size_t i)
{
    static char text[128];
    *text = '\0';
    for (; i < line->count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", *text ? " " : "",
                 line->word[i]);
    return text;
}

static inline int32_t table_flags(const char *text)
{
    static const struct {
        const char *name;
        int32_t flags;
    } names[] = {{"nx", NX}, {"uf", UF}, {"of", OF}, {"dz", DZ}, {"nv", NV}};
    int32_t flags = 0;
    if (strcmp(text, "any") == 0)
        return ANY;
    if (strcmp(text, "none") == 0)
        return 0;
    for (; *text; text += 2 + (text[2] == ',')) {
        size_t i = 0;
        while (i < COUNT(names) && strncmp(text, names[i].name, 2) != 0)
            i++;
        cr_assert(i < COUNT(names), "no flags: %s", text);
        flags |= names[i].flags;
    }
    return flags;
}

#endif
