/* SPDX-License-Identifier: MIT */
/* source_hash.c -- a C file with the hashes of groups of sources, for gpu_source()
 *
 *     source_hash OUTPUT [-I DIR]... GROUP FILE... [-- GROUP FILE...]...
 *
 * If the name of a group begins with +, the hash is also of everything that its files include with
 * quotes, each file once, as a compiler finds it: beside the file, then in the folders DIR. So it
 * covers all of the project that is compiled into the objects of these files. OUTPUT.d lists those
 * files, for make.
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

enum { GROUPS = 16, FOLDERS = 8, FILES = 256, PATH = 1024 };

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

/* ---- what files include ---------------------------------------------------------------------- */

static const char *folders[FOLDERS];
static int folder_count;

/* The files of a group, in the order in which they are found. */
typedef struct file_list {
    char path[FILES][PATH];
    int count;
} file_list;

static int is_there(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file)
        fclose(file);
    return file != NULL;
}

/* Adds a file, unless the list has it; 0 if there are too many. */
static int list_add(file_list *list, const char *path)
{
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->path[i], path) == 0)
            return 1;
    if (list->count == FILES || strlen(path) >= PATH)
        return 0;
    snprintf(list->path[list->count++], PATH, "%s", path);
    return 1;
}

/* The path of what a file includes as `name`. */
static int find_included(char path[PATH], const char *from, const char *name)
{
    const char *slash = strrchr(from, '/');
    int beside = slash ? (int)(slash - from) : 0;
    for (int i = -1; i < folder_count; i++) {
        int n = i < 0 ? snprintf(path, PATH, "%.*s%s%s", beside, from, slash ? "/" : "", name)
                      : snprintf(path, PATH, "%s/%s", folders[i], name);
        if (n < PATH && is_there(path))
            return 1;
    }
    return 0;
}

/* Adds what the file at `at` of the list includes with quotes. */
static int add_included(file_list *list, int at)
{
    char line[PATH], name[PATH], path[PATH];
    FILE *file = fopen(list->path[at], "rb");
    int good = file != NULL;
    while (good && fgets(line, sizeof line, file)) {
        if (sscanf(line, " # include \"%1000[^\"]\"", name) != 1)
            continue;
        good = find_included(path, list->path[at], name) && list_add(list, path);
        if (!good)
            fprintf(stderr, "source_hash: %s: cannot find %s\n", list->path[at], name);
    }
    if (file)
        fclose(file);
    return good;
}

static void write_depends(FILE *depends, const file_list *list)
{
    for (int i = 0; i < list->count; i++)
        fprintf(depends, " \\\n    %s", list->path[i]);
}

/* The hash of the group at argument i; the argument after its last file, or 0. */
static int hash_group(char text[65], int argc, char **argv, int i, FILE *depends)
{
    static file_list list;
    const int follows = argv[i][0] == '+';
    stripper s;
    sf8_sha256_begin(&s.hash);
    list.count = 0;
    for (i++; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (!follows && !add_file(&s, argv[i])) {
            fprintf(stderr, "source_hash: cannot read %s\n", argv[i]);
            return 0;
        }
        if (follows && !list_add(&list, argv[i]))
            return 0;
    }
    for (int k = 0; k < list.count; k++)
        if (!add_file(&s, list.path[k])) {
            fprintf(stderr, "source_hash: cannot read %s\n", list.path[k]);
            return 0;
        } else if (!add_included(&list, k)) {
            return 0;
        }
    write_depends(depends, &list);
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
        fprintf(out, "    \"%s\", \"%s\",\n", groups[i].name + (groups[i].name[0] == '+'),
                groups[i].hash);
    fprintf(out, "    NULL, NULL};\n");
    int failed = ferror(out);
    return fclose(out) == 0 && !failed;
}

int main(int argc, char **argv)
{
    static group groups[GROUPS];
    char path[PATH];
    int count = 0, i = 2;
    for (; i + 1 < argc && strcmp(argv[i], "-I") == 0 && folder_count < FOLDERS; i += 2)
        folders[folder_count++] = argv[i + 1];
    if (argc < i + 2) {
        fprintf(stderr, "source_hash: OUTPUT [-I DIR]... GROUP FILE... [-- GROUP FILE...]...\n");
        return 2;
    }
    snprintf(path, sizeof path, "%s.d", argv[1]);
    FILE *depends = fopen(path, "w");
    if (!depends) {
        fprintf(stderr, "source_hash: cannot write %s\n", path);
        return 2;
    }
    fprintf(depends, "%s:", argv[1]);
    for (; i < argc && count < GROUPS; i++, count++) {
        groups[count].name = argv[i];
        i = hash_group(groups[count].hash, argc, argv, i, depends);
        if (i == 0) {
            fclose(depends);
            return 2;
        }
    }
    fprintf(depends, "\n");
    int failed = ferror(depends);
    if (fclose(depends) != 0 || failed || !write_table(argv[1], groups, count)) {
        fprintf(stderr, "source_hash: cannot write %s\n", argv[1]);
        return 2;
    }
    return 0;
}
