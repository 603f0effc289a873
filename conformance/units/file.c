/* SPDX-License-Identifier: MIT */
/* file.c -- the file of a finished unit: its name and its text */
#include "units/file.h"

#include "base/memory.h"
#include "units/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "/" becomes "+"; what is not usual in names of files becomes %XX. */
void unit_file_name(const unit *u, char name[UNIT_FILE_NAME])
{
    static const char usual[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._=-";
    size_t k = 0;
    for (const char *c = u->name; *c; c++) {
        if (*c == '/')
            name[k++] = '+';
        else if (strchr(usual, *c) && !(k == 0 && *c == '.'))
            name[k++] = *c;
        else
            k += (size_t)snprintf(name + k, 4, "%%%02X", (unsigned char)*c);
    }
    snprintf(name + k, UNIT_FILE_NAME - k, "@%u-of-%u.unit", u->part + 1, u->of);
}

char *unit_file_text(const unit *u, const char plan[65], size_t *size)
{
    text_buffer t = {NULL, 0, 0};
    text_print(&t, "softfp8-unit 1\nplan %s\nunit %s\npart %u of %u\n", plan, u->name, u->part + 1,
               u->of);
    text_print(&t, "host %s\nseconds %.6f\nabout %zu\n", u->host, u->seconds, strlen(u->about));
    text_add(&t, u->about, strlen(u->about));
    text_print(&t, "\nbody %zu\n", u->size);
    text_add(&t, u->body, u->size);
    text_print(&t, "\n");
    text_end(&t);
    *size = t.size;
    return t.bytes;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* The rest of a line that begins with the key and a blank, or NULL. */
static char *after(unit_lines *l, const char *key)
{
    char *line = lines_next(l);
    size_t size = strlen(key);
    return line && strncmp(line, key, size) == 0 && line[size] == ' ' ? line + size + 1 : NULL;
}

/* "3 of 16" */
static int parse_part(char *text, unit *u)
{
    uint64_t part, of;
    if (!text || !(text = text_number(text, UNIT_PARTS, &part)) || strncmp(text, " of ", 4) != 0 ||
        !(text = text_number(text + 4, UNIT_PARTS, &of)) || *text || part < 1 || part > of)
        return 0;
    u->part = (unsigned)part - 1;
    u->of = (unsigned)of;
    return 1;
}

static int parse_seconds(const char *text, double *seconds)
{
    char *end;
    if (!text || text[0] < '0' || text[0] > '9')
        return 0;
    *seconds = strtod(text, &end);
    return !*end && *seconds < 1e9;
}

/* "about N" or "body N", then as many bytes. */
static char *parse_bytes(unit_lines *l, const char *key, size_t *size)
{
    uint64_t n;
    char *text = after(l, key), *end = text ? text_number(text, UNIT_SIZE, &n) : NULL;
    if (!end || *end)
        return NULL;
    *size = (size_t)n;
    return lines_bytes(l, *size);
}

static const char *parse(unit_lines *l, const char plan[65], unit *u)
{
    size_t about;
    const char *first = lines_next(l), *digest;
    if (!first || strcmp(first, "softfp8-unit 1") != 0)
        return "'softfp8-unit 1'";
    if (!(digest = after(l, "plan")) || strcmp(digest, plan) != 0)
        return "the plan of this folder: the unit is that of another run";
    if (!(u->name = after(l, "unit")) || !u->name[0] || strlen(u->name) > UNIT_NAME)
        return "'unit NAME'";
    if (!parse_part(after(l, "part"), u))
        return "'part N of M'";
    if (!(u->host = after(l, "host")))
        return "'host NAME'";
    if (!parse_seconds(after(l, "seconds"), &u->seconds))
        return "'seconds NUMBER'";
    if (!(u->about = parse_bytes(l, "about", &about)) || strlen(u->about) != about)
        return "'about BYTES' and as many bytes";
    if (!(u->body = parse_bytes(l, "body", &u->size)))
        return "'body BYTES' and as many bytes";
    return lines_done(l) ? NULL : "the end";
}

char *unit_file_parse(const char *text, size_t size, const char plan[65], unit *u, size_t *line,
                      const char **expected)
{
    unit_lines l;
    memset(u, 0, sizeof *u);
    *expected = lines_open(&l, text, size)
                    ? parse(&l, plan, u)
                    : "a last line with the digest of the lines before: the file is cut or edited";
    *line = l.line;
    if (!*expected)
        return l.bytes;
    lines_close(&l);
    return NULL;
}
