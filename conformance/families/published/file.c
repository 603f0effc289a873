/* SPDX-License-Identifier: MIT */
/* file.c -- reads a file of published results: its head, its items, the end */
#include "families/published/published.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS_MOST = 16 };

/* A text that is read line by line. */
typedef struct reader {
    published_file *file;
    char *next, *end;
    size_t line; /* the number of the current line */
} reader;

static int report(char why[CONFORM_LONG], const char *path, size_t line, const char *format,
                  va_list list)
{
    int used = snprintf(why, CONFORM_LONG, "%.500s:%zu: ", path, line);
    vsnprintf(why + used, CONFORM_LONG - (size_t)used, format, list);
    return 0;
}

static int bad(reader *r, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    report(r->file->why, r->file->path, r->line + (r->line == 0), format, list);
    va_end(list);
    return 0;
}

int published_wrong(const published_item *item, size_t row, char why[CONFORM_LONG],
                    const char *format, ...)
{
    va_list list;
    va_start(list, format);
    report(why, item->file->path, item->line + row, format, list);
    va_end(list);
    return 0;
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* The next line, closed by 0; NULL at the end of the text, or after an error. */
static char *next_line(reader *r)
{
    char *line = r->next;
    if (line == r->end)
        return NULL;
    r->line++;
    for (char *at = line; at < r->end; at++) {
        int blank_too_much = *at == ' ' && (at == line || at[-1] == ' ' || at[1] == '\n');
        if (*at == '\n') {
            *at = '\0';
            r->next = at + 1;
            return line;
        }
        if (*at < ' ' || *at > '~' || blank_too_much) {
            bad(r, "expected words of printable ASCII with one blank between two of them");
            return NULL;
        }
    }
    bad(r, "the file is cut off: its last line does not end");
    return NULL;
}

/* "KEY TEXT": the text; NULL if the line has another key. */
static char *after_key(char *line, const char *key)
{
    size_t n = strlen(key);
    return strncmp(line, key, n) == 0 && line[n] == ' ' ? line + n + 1 : NULL;
}

static int head_line(reader *r, const char *key, char **value)
{
    char *line = next_line(r);
    *value = line ? after_key(line, key) : NULL;
    if (!*value && !r->file->why[0])
        bad(r, "expected '%s TEXT'", key);
    return *value != NULL;
}

static int is_word(const char *text, const char *allowed)
{
    return *text && text[strspn(text, allowed)] == '\0' && strlen(text) < PUBLISHED_NAME;
}

#define DIGITS "0123456789"
#define SMALL "abcdefghijklmnopqrstuvwxyz" DIGITS
static const char in_names[] = SMALL "ABCDEFGHIJKLMNOPQRSTUVWXYZ._-";

static int read_head(reader *r)
{
    published_file *f = r->file;
    char *line = next_line(r), *measured, *licence;
    if (!line || strcmp(line, "softfp8-published 1") != 0)
        return f->why[0] ? 0 : bad(r, "expected 'softfp8-published 1'");
    line = next_line(r);
    if (!line)
        return f->why[0] ? 0 : bad(r, "expected 'hardware TEXT' or 'model TEXT'");
    f->hardware = after_key(line, "hardware");
    f->is_model = !f->hardware;
    if (!f->hardware && !(f->hardware = after_key(line, "model")))
        return bad(r, "expected 'hardware TEXT' or 'model TEXT'");
    if (!head_line(r, "name", &f->name))
        return 0;
    if (!is_word(f->name, SMALL))
        return bad(r, "the name '%.40s': expected characters a-z 0-9", f->name);
    if (!head_line(r, "source", &f->source) || !head_line(r, "commit", &f->commit))
        return 0;
    if (strlen(f->commit) != 40 || !is_word(f->commit, DIGITS "abcdef"))
        return bad(r, "the commit '%.60s': expected 40 digits 0-9 a-f", f->commit);
    return head_line(r, "licence", &licence) && head_line(r, "measured", &measured);
}

/* ---- items ----------------------------------------------------------------------------------- */

static int read_property(reader *r, published_item *item, char *word)
{
    char *equals = strchr(word, '=');
    if (!equals || equals == word || !equals[1])
        return bad(r, "'%.40s': expected a property KEY=VALUE", word);
    *equals = '\0';
    if (published_get(item, word))
        return bad(r, "the property %.40s stands there twice", word);
    if (item->properties == PUBLISHED_PROPERTIES)
        return bad(r, "more than %d properties", PUBLISHED_PROPERTIES);
    item->property[item->properties++] = (published_property){word, equals + 1, 0};
    return 1;
}

static int is_unique(const published_file *f, const published_item *item)
{
    for (size_t i = 0; i < f->count; i++)
        if (f->item[i].is_case == item->is_case && strcmp(f->item[i].name, item->name) == 0)
            return 0;
    return 1;
}

/* Passes over the rows behind the line of an item. */
static int skip_rows(reader *r, published_item *item)
{
    const char *rows = published_get(item, "rows");
    if (rows && (!is_word(rows, DIGITS) || strlen(rows) > 6 || rows[0] == '0'))
        return bad(r, "rows=%.40s: expected a number from 1 to 999999", rows);
    item->row_count = rows ? (size_t)strtoul(rows, NULL, 10) : 0;
    item->rows = r->next;
    for (size_t i = 0; i < item->row_count; i++) {
        char *line = next_line(r);
        if (!line)
            return r->file->why[0] ? 0 : bad(r, "the file ends within the rows of %s", item->name);
        line[strlen(line)] = '\n';
    }
    item->size = (size_t)(r->next - item->rows);
    return 1;
}

static int read_item(reader *r, char *text, int is_case)
{
    published_item item = {.file = r->file, .name = text, .is_case = is_case, .line = r->line};
    for (char *blank = strchr(text, ' '); blank;) {
        *blank = '\0';
        char *word = blank + 1;
        blank = strchr(word, ' ');
        if (blank)
            *blank = '\0';
        if (!read_property(r, &item, word))
            return 0;
    }
    if (!is_word(item.name, in_names))
        return bad(r, "'%.40s': expected a name of at most %d characters a-z A-Z 0-9 . _ -",
                   item.name, PUBLISHED_NAME - 1);
    if (!is_unique(r->file, &item))
        return bad(r, "%s stands there twice", item.name);
    if (!skip_rows(r, &item))
        return 0;
    r->file->item[r->file->count++] = item;
    return 1;
}

static int read_items(reader *r)
{
    char end[32], *line, *text;
    while ((line = next_line(r)) != NULL) {
        if (r->file->count == 0 && after_key(line, "measured"))
            continue;
        snprintf(end, sizeof end, "end %zu", r->file->count);
        if (after_key(line, "end"))
            return strcmp(line, end) != 0 ? bad(r, "expected '%s'", end)
                   : r->next != r->end    ? bad(r, "text behind the end")
                                          : 1;
        text = after_key(line, "case");
        if (!text && !after_key(line, "list"))
            return bad(r, "expected 'case NAME KEY=VALUE...', 'list NAME KEY=VALUE...' or '%s'",
                       end);
        if (!read_item(r, line + 5, text != NULL))
            return 0;
    }
    r->line++;
    return r->file->why[0] ? 0 : bad(r, "the file ends without 'end %zu'", r->file->count);
}

void published_read(published_file *file, char *text, size_t size)
{
    reader r = {file, text, text + size, 0};
    size_t lines = 0;
    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    file->item = calloc(lines + 1, sizeof file->item[0]);
    if (!file->item)
        bad(&r, "not enough memory for it");
    else if (read_head(&r))
        read_items(&r);
}

/* ---- what kinds ask -------------------------------------------------------------------------- */

const char *published_get(published_item *item, const char *key)
{
    for (size_t i = 0; i < item->properties; i++) {
        if (strcmp(item->property[i].key, key) != 0)
            continue;
        item->property[i].used = 1;
        return item->property[i].value;
    }
    return NULL;
}

const char *published_need(published_item *item, const char *key, char why[CONFORM_LONG])
{
    const char *value = published_get(item, key);
    if (!value)
        published_wrong(item, 0, why, "%s: expected a property %s=...", item->name, key);
    return value;
}

uint64_t published_number(published_item *item, const char *key, uint64_t most,
                          char why[CONFORM_LONG])
{
    const char *text = published_need(item, key, why);
    uint64_t n = text && is_word(text, DIGITS) && strlen(text) < 12 ? strtoull(text, NULL, 10) : 0;
    if (text && (n == 0 || n > most)) {
        published_wrong(item, 0, why, "%s=%.40s: expected a number from 1 to %llu", key, text,
                        (unsigned long long)most);
        n = 0;
    }
    return n;
}

int published_complete(const published_item *item, char why[CONFORM_LONG])
{
    for (size_t i = 0; i < item->properties; i++)
        if (!item->property[i].used)
            return published_wrong(item, 0, why, "%s has no property %.40s", item->name,
                                   item->property[i].key);
    return 1;
}

published_item *published_list(const published_item *item, const char *name)
{
    const published_file *f = item->file;
    for (size_t i = 0; i < f->count; i++)
        if (!f->item[i].is_case && strcmp(f->item[i].name, name) == 0)
            return &f->item[i];
    return NULL;
}

int published_words(const published_item *item, size_t digits, uint64_t *words, size_t count,
                    char why[CONFORM_LONG])
{
    size_t row = 1, n = 0;
    for (const char *at = item->rows; at < item->rows + item->size; n++) {
        size_t length = strspn(at, "0123456789abcdef");
        char text[DIGITS_MOST + 1];
        if (length != digits || (at[length] != ' ' && at[length] != '\n'))
            return published_wrong(item, row, why, "%s: expected words of %zu digits 0-9 a-f",
                                   item->name, digits);
        if (n == count)
            return published_wrong(item, row, why, "%s: more than %zu words", item->name, count);
        memcpy(text, at, length);
        text[length] = '\0';
        words[n] = strtoull(text, NULL, 16);
        row += at[length] == '\n';
        at += length + 1;
    }
    return n == count ||
           published_wrong(item, row - 1, why, "%s: %zu words: expected %zu", item->name, n, count);
}
