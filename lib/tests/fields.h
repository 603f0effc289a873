/* SPDX-License-Identifier: MIT */
/* fields.h -- rows of a text, whose fields have | between them, for any test
 *
 * Lines that are empty or begin with # are passed over. In a field \n, \r, \t and \e stand for
 * these characters; \0 stands for no text.
 */
#ifndef SF8_TEST_FIELDS_H
#define SF8_TEST_FIELDS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct fields {
    FILE *file;
    unsigned line;
    char text[1024];
    const char *field[8]; /* NULL: no text */
} fields;

static inline fields fields_of(const char *path)
{
    fields f = {.file = fopen(path, "r")};
    if (!f.file) {
        printf("%s: cannot be read\n", path);
        exit(2);
    }
    return f;
}

static inline const char *fields_plain(char *field)
{
    static const char names[] = "nrte", meant[] = "\n\r\t\033";
    char *to = field;
    if (strcmp(field, "\\0") == 0)
        return NULL;
    for (const char *at = field; *at; at++) {
        const char *name = at[0] == '\\' && at[1] ? strchr(names, at[1]) : NULL;
        *to++ = name ? meant[name - names] : *at;
        at += name != NULL;
    }
    *to = '\0';
    return field;
}

/* The next row: how many fields it has; 0 at the end, where the file is closed. */
static inline size_t fields_next(fields *f)
{
    while (fgets(f->text, sizeof f->text, f->file)) {
        size_t count = 0;
        f->line++;
        f->text[strcspn(f->text, "\n")] = '\0';
        if (f->text[0] == '\0' || f->text[0] == '#')
            continue;
        for (char *at = f->text, *end; at && count < 8; at = end) {
            end = strchr(at, '|');
            if (end)
                *end++ = '\0';
            f->field[count++] = fields_plain(at);
        }
        return count;
    }
    fclose(f->file);
    return 0;
}

#endif
