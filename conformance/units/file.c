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

/* "part 3 of 16" */
static int parse_part(line_reader *r, unit *u)
{
    uint64_t part, of;
    if (!line_next(r, "part") || !line_take(r, "part ") ||
        !line_take_number(r, UNIT_PARTS, &part) || !line_take(r, " of ") ||
        !line_take_number(r, UNIT_PARTS, &of) || !line_is_done(r) || part < 1 || part > of)
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

/* "about N" or "body N", then as many bytes and a newline. */
static char *parse_bytes(line_reader *r, char *bytes, const char *key, size_t *size)
{
    uint64_t n;
    if (!line_next(r, key) || !line_take(r, key) || !line_take(r, " ") ||
        !line_take_number(r, UNIT_SIZE, &n) || !line_is_done(r))
        return NULL;
    *size = (size_t)n;
    char *begin = bytes + r->next;
    r->line++;
    if (n >= r->size - r->next || begin[n] != '\n')
        return NULL;
    begin[n] = '\0';
    r->next += *size + 1;
    return begin;
}

static const char *parse(line_reader *r, char *bytes, const char plan[65], unit *u)
{
    size_t about;
    const char *digest;
    if (!line_next(r, "the head") || !line_take(r, "softfp8-unit 1") || !line_is_done(r))
        return "'softfp8-unit 1'";
    if (!(digest = line_value(r, bytes, "plan")) || strcmp(digest, plan) != 0)
        return "the plan of this folder: the unit is that of another run";
    if (!(u->name = line_value(r, bytes, "unit")) || !u->name[0] || strlen(u->name) > UNIT_NAME)
        return "'unit NAME'";
    if (!parse_part(r, u))
        return "'part N of M'";
    if (!(u->host = line_value(r, bytes, "host")))
        return "'host NAME'";
    if (!parse_seconds(line_value(r, bytes, "seconds"), &u->seconds))
        return "'seconds NUMBER'";
    if (!(u->about = parse_bytes(r, bytes, "about", &about)) || strlen(u->about) != about)
        return "'about BYTES' and as many bytes";
    if (!(u->body = parse_bytes(r, bytes, "body", &u->size)))
        return "'body BYTES' and as many bytes";
    return r->next == r->size ? NULL : "the end";
}

char *unit_file_parse(const char *text, size_t size, const char plan[65], unit *u, size_t *line,
                      const char **expected)
{
    line_reader r;
    input_error error;
    char *bytes = allocate(size, 1);
    memcpy(bytes, text, size);
    memset(u, 0, sizeof *u);
    *expected = "a last line with the digest of the lines before: the file is cut or edited";
    *line = 1;
    if (lines_open(&r, bytes, size, &error)) {
        *expected = parse(&r, bytes, plan, u);
        *line = r.line;
    }
    if (!*expected)
        return bytes;
    free(bytes);
    return NULL;
}
