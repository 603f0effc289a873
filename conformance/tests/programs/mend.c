/* SPDX-License-Identifier: MIT */
/* mend.c -- corrects the checks and digests of a record that was changed */
#include "mend.h"

#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The line from `at` on, its "\n" included. */
static size_t line_size(const char *at)
{
    const char *end = strchr(at, '\n');
    return end ? (size_t)(end - at) + 1 : strlen(at);
}

static int begins(const char *at, const char *with)
{
    return strncmp(at, with, strlen(with)) == 0;
}

/* ---- lines with checks ----------------------------------------------------------------------- */

/* The line without its check; *rest is what follows the first word of the previous line. */
static void mend_line(text_buffer *b, text_buffer *before, const char *at, size_t size)
{
    text_buffer checked = {NULL, 0, 0};
    char sha[65], tail[16];
    size_t length = at[size - 1] == '\n' ? size - 1 : size;
    if (length >= 10 && memcmp(at + length - 10, " #", 2) == 0)
        length -= 10;
    text_add(&checked, before->bytes, before->size);
    text_add(&checked, "\n", 1);
    text_add(&checked, at, length);
    text_digest(checked.bytes, checked.size, sha);
    snprintf(tail, sizeof tail, " #%.8s\n", sha);
    text_add(b, at, length);
    text_add(b, tail, strlen(tail));
    size_t word = 0;
    while (word < length && at[word] != ' ')
        word++;
    before->size = 0;
    text_add(before, at, word);
    free(checked.bytes);
}

/* "end ... KEY=64 digits": a value in the last line. */
static void replace_value(char *line, const char *key, const char *value)
{
    char *at = strstr(line, key);
    if (at && strlen(at) >= strlen(key) + 64)
        memcpy(at + strlen(key), value, 64);
}

static void mend_end(text_buffer *b, const char *at, size_t size, const char *tables,
                     const char *seconds)
{
    size_t from = b->size;
    char sha[65];
    text_add(b, at, size);
    if (tables)
        replace_value(b->bytes + from, " tables=", tables);
    if (seconds)
        replace_value(b->bytes + from, " seconds=", seconds);
    char *key = strstr(b->bytes + from, " sha256=");
    if (!key || strlen(key) < 8 + 64)
        return;
    text_digest(b->bytes, (size_t)(key - b->bytes) + 8, sha);
    memcpy(key + 8, sha, 64);
}

static void mend_lines(char **text, const char *tables, const char *seconds)
{
    text_buffer b = {NULL, 0, 0}, before = {NULL, 0, 0};
    text_add(&b, "", 0);
    text_add(&before, "", 0);
    for (const char *at = *text; *at; at += line_size(at)) {
        if (begins(at, "end "))
            mend_end(&b, at, line_size(at), tables, seconds);
        else
            mend_line(&b, &before, at, line_size(at));
    }
    free(before.bytes);
    free(*text);
    *text = b.bytes;
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* Everywhere in the text; both names have 16 digits. */
static void rename_table(char *text, const char *old, const char *name)
{
    for (char *at = text; (at = strstr(at, old)) != NULL; at += 16)
        memcpy(at, name, 16);
}

/* "table NAME in=4 out=1 rows=N" and its rows, with the right number of rows and the right name.
 * Returns the end. */
static const char *mend_table(text_buffer *b, const char *at, char *cases)
{
    text_buffer body = {NULL, 0, 0};
    char old[17], sha[65], rows[32];
    size_t count = 0, head = line_size(at);
    const char *key = strstr(at, " rows="), *end = at + head;
    for (; *end && !begins(end, "table ") && !begins(end, "end "); end += line_size(end))
        count++;
    if (head < 6 + 16 + 2 || !key || key > at + head) {
        text_add(b, at, (size_t)(end - at));
        return end;
    }
    memcpy(old, at + 6, 16);
    old[16] = '\0';
    snprintf(rows, sizeof rows, " rows=%zu\n", count);
    if (key > at + 23)
        text_add(&body, at + 23, (size_t)(key - at - 23));
    text_add(&body, rows, strlen(rows));
    text_add(&body, at + head, (size_t)(end - at) - head);
    text_digest(body.bytes, body.size, sha);
    sha[16] = '\0';
    if (strspn(old, "0123456789abcdef") == 16)
        rename_table(cases, old, sha);
    text_add(b, "table ", 6);
    text_add(b, sha, 16);
    text_add(b, " ", 1);
    text_add(b, body.bytes, body.size);
    free(body.bytes);
    return end;
}

static void mend_tables(char **text, char *cases)
{
    text_buffer b = {NULL, 0, 0};
    text_add(&b, "", 0);
    for (const char *at = *text; *at;) {
        if (begins(at, "table ")) {
            at = mend_table(&b, at, cases);
            continue;
        }
        if (begins(at, "end "))
            mend_end(&b, at, line_size(at), NULL, NULL);
        else
            text_add(&b, at, line_size(at));
        at += line_size(at);
    }
    free(*text);
    *text = b.bytes;
}

void mend(char *text[MEND_FILES])
{
    char tables[65], seconds[65];
    mend_tables(&text[MEND_TABLES], text[MEND_CASES]);
    mend_lines(&text[MEND_SECONDS], NULL, NULL);
    text_digest(text[MEND_TABLES], strlen(text[MEND_TABLES]), tables);
    text_digest(text[MEND_SECONDS], strlen(text[MEND_SECONDS]), seconds);
    mend_lines(&text[MEND_CASES], tables, seconds);
}
