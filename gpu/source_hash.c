/* SPDX-License-Identifier: MIT */
/* source_hash.c -- a C file with the hashes of groups of sources, for gpu_source()
 *
 *     source_hash OUTPUT GROUP FILE... [-- GROUP FILE...]...
 *
 * The hash is the SHA-256 of the files one after the other, each ended by a newline. Each run of
 * comments and white space counts as one blank, and as nothing at the ends. So comments can be
 * edited and lines broken differently, and the records of what this source did on a GPU stay valid.
 * Literals are hashed completely.
 */
#include "softfp8/sha256.h"
#include "softfp8_vectors.h"

#include <stdio.h>
#include <string.h>

enum { GROUPS = 16 };

typedef struct group {
    const char *name;
    char hash[65];
} group;

typedef struct stripper {
    sf8_sha256 hash;
    int began;  /* something of this file has been hashed */
    int blank;  /* white space or comments followed */
    char quote; /* inside a literal: the character that ends it */
} stripper;

static void put(stripper *s, char c)
{
    if (s->blank && s->began)
        sf8_sha256_add(&s->hash, " ", 1);
    sf8_sha256_add(&s->hash, &c, 1);
    s->began = 1;
    s->blank = 0;
}

static int is_blank(int c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Skips a comment whose second character, '/' or '*', has just been read. */
static void skip_comment(FILE *file, int kind)
{
    int before = 0, c;
    while ((c = getc(file)) != EOF) {
        if (kind == '/' ? c == '\n' && before != '\\' : c == '/' && before == '*')
            return;
        before = c;
    }
}

/* One character outside of literals. */
static void outside(stripper *s, FILE *file, int c)
{
    if (is_blank(c)) {
        s->blank = 1;
        return;
    }
    if (c == '/') {
        int next = getc(file);
        if (next == '/' || next == '*') {
            skip_comment(file, next);
            s->blank = 1;
            return;
        }
        if (next != EOF)
            ungetc(next, file);
    }
    if (c == '"' || c == '\'')
        s->quote = (char)c;
    put(s, (char)c);
}

/* One character inside a literal, which ends at the end of its line at the latest. */
static void inside(stripper *s, FILE *file, int c)
{
    put(s, (char)c);
    if (c == '\\') {
        int next = getc(file);
        if (next != EOF)
            put(s, (char)next);
    } else if (c == s->quote || c == '\n') {
        s->quote = 0;
    }
}

/* 0 if the file can not be read. */
static int add_file(stripper *s, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return 0;
    s->began = 0;
    s->blank = 0;
    s->quote = 0;
    int c;
    while ((c = getc(file)) != EOF) {
        if (s->quote)
            inside(s, file, c);
        else
            outside(s, file, c);
    }
    sf8_sha256_add(&s->hash, "\n", 1);
    int good = !ferror(file);
    fclose(file);
    return good;
}

/* The hash of the group at argument i; the argument after its last file, or 0. */
static int hash_group(char text[65], int argc, char **argv, int i)
{
    stripper s;
    sf8_sha256_begin(&s.hash);
    for (i++; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (!add_file(&s, argv[i])) {
            fprintf(stderr, "source_hash: cannot read %s\n", argv[i]);
            return 0;
        }
    }
    sf8_sha256_end(&s.hash, text);
    return i;
}

static int write_table(const char *path, const group *groups, int count)
{
    FILE *out = fopen(path, "w");
    if (!out)
        return 0;
    fprintf(out, "/* Written by source_hash.c. */\n#include <stddef.h>\n\n"
                 "extern const char *const gpu_source_table[];\n"
                 "const char *const gpu_source_table[] = {\n");
    for (int i = 0; i < count; i++)
        fprintf(out, "    \"%s\", \"%s\",\n", groups[i].name, groups[i].hash);
    fprintf(out, "    NULL, NULL};\n");
    int failed = ferror(out);
    return fclose(out) == 0 && !failed;
}

int main(int argc, char **argv)
{
    static group groups[GROUPS];
    int count = 0;
    if (argc < 4) {
        fprintf(stderr, "source_hash: OUTPUT GROUP FILE... [-- GROUP FILE...]...\n");
        return 2;
    }
    for (int i = 2; i < argc && count < GROUPS; i++, count++) {
        groups[count].name = argv[i];
        i = hash_group(groups[count].hash, argc, argv, i);
        if (i == 0)
            return 2;
    }
    if (!write_table(argv[1], groups, count)) {
        fprintf(stderr, "source_hash: cannot write %s\n", argv[1]);
        return 2;
    }
    return 0;
}
