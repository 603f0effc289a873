/* SPDX-License-Identifier: MIT */
/* check_record_text.c -- the reader and the writer of records, on a small one that is written out
 * here
 *
 * Its checks and digests come from mend.c. Every damage is reported where it was done. A text that
 * is not damaged but says something impossible is refused for that.
 */
#include "../../../lib/tests/fields.h"
#include "record/text.h"
#include "mend.h"

#include <stdlib.h>
#include <string.h>

#define ZEROS16 "0000000000000000"
#define ZEROS ZEROS16 ZEROS16 ZEROS16 ZEROS16
#define ONES "1111111111111111111111111111111111111111111111111111111111111111"

static const char *const literal[RECORD_FILES] = {
    "softfp8-record 1\n"
    "gpu NVIDIA H200\n"
    "driver 580.95.05\n"
    "toolkit 13.0\n"
    "target sm_90a\n"
    "emulated no\n"
    "date 2026-11-21\n"
    "version 0.1.0\n"
    "source.fp8 " ONES "\n"
    "source.ptx " ONES "\n"
    "cuda-device/one/a group=fp8 inputs=all:256 lanes=2 tables=aaaaaaaaaaaaaaa1 digest=" ONES
    " differ=0 sass=F2FP.SATFINITE.E4M3,I2F\n"
    "cuda-device/two group=ptx inputs=set:3:" ONES
    " lanes=2 tables=aaaaaaaaaaaaaaa2,aaaaaaaaaaaaaaa3 digest=" ONES " differ=2 sass=none\n"
    "ptx/cvt.rs/rbits=00000000 group=ptx inputs=all:16 lanes=1 tables=aaaaaaaaaaaaaaa1 "
    "digest=" ONES " differ=0 sass=not-shown\n"
    "end cases=3 tables=" ZEROS " seconds=" ZEROS " sha256=" ZEROS "\n",

    "softfp8-record-tables 1\n"
    "table aaaaaaaaaaaaaaa1 in=1 out=2 rows=3\n"
    "00 0000\n"
    "02 7e00\n"
    "0f 7e01\n"
    "table aaaaaaaaaaaaaaa2 in=8 out=1 rows=2\n"
    "0000000000000007 00\n"
    "7ff0000000000000 7f\n"
    "table aaaaaaaaaaaaaaa3 in=8 out=1 rows=1\n"
    "0000000000000007 7f\n"
    "end tables=3 sha256=" ZEROS "\n",

    "softfp8-record-seconds 1\n"
    "cuda-device/one/a 0.250000\n"
    "cuda-device/two 12.000001 4096:12000000:4000:3600:5000:0\n"
    "ptx/cvt.rs/rbits=00000000 0.000000\n"
    "end cases=3 sha256=" ZEROS "\n",
};

static int checks, failures;

static void check(int condition, const char *what, int file, size_t at)
{
    checks++;
    if (condition)
        return;
    if (++failures <= 20)
        printf("FAILED: %s, %s, %zu\n", what, file < 0 ? "" : record_file_name[file], at);
}

/* ---- texts ----------------------------------------------------------------------------------- */

static char *copy(const char *text)
{
    char *to = malloc(strlen(text) + 1);
    if (!to)
        exit(2);
    return strcpy(to, text);
}

/* The record of the literals, with `from` in one of them replaced once. */
static void make(char *text[RECORD_FILES], int file, const char *from, const char *to)
{
    for (int i = 0; i < RECORD_FILES; i++)
        text[i] = copy(literal[i]);
    if (from) {
        char *at = strstr(text[file], from);
        if (!at) {
            printf("no '%s' in %s\n", from, record_file_name[file]);
            exit(2);
        }
        char *changed = malloc(strlen(text[file]) + strlen(to) + 1);
        if (!changed)
            exit(2);
        sprintf(changed, "%.*s%s%s", (int)(at - text[file]), text[file], to, at + strlen(from));
        free(text[file]);
        text[file] = changed;
    }
    mend(text);
}

static void drop(char *text[RECORD_FILES])
{
    for (int i = 0; i < RECORD_FILES; i++)
        free(text[i]);
}

/* The memory has exactly the size of the text. */
static int reads_sized(char *const text[], const size_t size[], record_contents *r, input_error *e)
{
    char *exact[RECORD_FILES];
    for (int i = 0; i < RECORD_FILES; i++) {
        exact[i] = malloc(size[i] ? size[i] : 1);
        if (!exact[i])
            exit(2);
        memcpy(exact[i], text[i], size[i]);
    }
    const char *const texts[] = {exact[0], exact[1], exact[2]};
    int good = record_read(r, texts, size, e);
    for (int i = 0; i < RECORD_FILES; i++)
        free(exact[i]);
    return good;
}

static int reads(char *const text[], input_error *e)
{
    record_contents r;
    const size_t size[] = {strlen(text[0]), strlen(text[1]), strlen(text[2])};
    int good = reads_sized(text, size, &r, e);
    if (good)
        record_contents_free(&r);
    return good;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void check_entries(const record_contents *r)
{
    const record_entry *e = r->entry;
    check(r->entries == 3 && r->tables == 3 && r->sources == 2, "counts", -1, 0);
    check(strcmp(r->device.name, "NVIDIA H200") == 0 && r->device.emulated == 0 &&
              strcmp(r->device.target, "sm_90a") == 0 && strcmp(r->date, "2026-11-21") == 0 &&
              strcmp(r->device.driver, "580.95.05") == 0 && strcmp(r->toolkit, "13.0") == 0,
          "the head", -1, 0);
    check(strcmp(e[0].name, "cuda-device/one/a") == 0 && e[0].whole && e[0].inputs == 256 &&
              e[0].lanes == 2 && e[0].table[0] == 0 && e[0].table[1] == 0 && e[0].source == 0 &&
              e[0].sass_shown && strcmp(e[0].sass, "F2FP.SATFINITE.E4M3 I2F") == 0,
          "the first case", -1, 0);
    check(!e[1].whole && e[1].inputs == 3 && e[1].table[0] == 1 && e[1].table[1] == 2 &&
              e[1].source == 1 && e[1].differ == 2 && e[1].microseconds == 12000001 &&
              e[0].speeds == 0 && e[1].speeds == 1 && e[1].speed[0].tokens == 4096 &&
              e[1].speed[0].bytes == 12000000 && e[1].speed[0].took == 4000 &&
              e[1].speed[0].copy == 3600 && e[1].speed[0].as_they_are == 5000 &&
              e[1].speed[0].three == 0 && e[1].sass_shown && e[1].sass[0] == '\0' &&
              strcmp(e[1].list_digest, ONES) == 0,
          "the second case", -1, 0);
    check(e[2].whole && e[2].inputs == 16 && !e[2].sass_shown && e[2].table[0] == 0,
          "the third case", -1, 0);
    const gpu_row *row = r->table[0].row;
    check(r->table[0].rows == 3 && row[0].index == 0 && row[0].code == 0 && row[1].index == 2 &&
              row[1].code == 0x7e00 && row[2].index == 15 && row[2].code == 0x7e01,
          "the rows", -1, 0);
}

/* What was read is written again, with the same bytes. */
static void check_whole(void)
{
    char *text[RECORD_FILES], *again[RECORD_FILES], why[CONFORM_LONG];
    size_t sizes[RECORD_FILES];
    record_contents r;
    input_error e;
    make(text, 0, NULL, NULL);
    const size_t size[] = {strlen(text[0]), strlen(text[1]), strlen(text[2])};
    if (!reads_sized(text, size, &r, &e)) {
        printf("%s:%llu: %s\n", record_file_name[e.file], (unsigned long long)e.line, e.text);
        exit(1);
    }
    check_entries(&r);
    record_head head = {r.device, r.toolkit, r.date, r.version};
    record_writer *w = record_begin(&head);
    check(w && !record_compose(w, again, sizes, why), "a record without a case", -1, 0);
    for (size_t i = 0; w && i < r.entries; i++) {
        char *entry = record_entry_text(&r.entry[i], &r.source[r.entry[i].source], r.table);
        check(entry && record_add(w, entry, strlen(entry)), "record_add", -1, i);
        free(entry);
    }
    check(w && record_compose(w, again, sizes, why), "record_compose", -1, 0);
    for (int i = 0; i < RECORD_FILES; i++) {
        check(strcmp(again[i], text[i]) == 0 && sizes[i] == size[i], "written again", i, 0);
        free(again[i]);
    }
    record_free(w);
    record_contents_free(&r);
    drop(text);
}

/* ---- damage ---------------------------------------------------------------------------------- */

static size_t line_of(const char *text, size_t at)
{
    size_t line = 1;
    for (size_t i = 0; i < at; i++)
        line += text[i] == '\n';
    return line;
}

/* The text of one file replaced by another: refused, in this file, from line `first` to `last`. A
 * damaged table may be noticed only by its name, in its head, or by where it ends. */
static void check_damage(char *const text[], int file, char *damaged, size_t size, size_t first,
                         size_t last, const char *what, size_t at)
{
    record_contents r;
    input_error e;
    char *texts[RECORD_FILES] = {text[0], text[1], text[2]};
    size_t sizes[RECORD_FILES] = {strlen(text[0]), strlen(text[1]), strlen(text[2])};
    texts[file] = damaged;
    sizes[file] = size;
    if (reads_sized(texts, sizes, &r, &e)) {
        check(0, what, file, at);
        record_contents_free(&r);
        return;
    }
    if (file == RECORD_TABLES) {
        static const size_t heads[] = {1, 2, 6, 9, 11};
        size_t i = 4;
        while (heads[i] > first)
            i--;
        first = heads[i];
        last = i < 4 && heads[i + 1] > last ? heads[i + 1] : last;
    }
    check(e.file == file && e.line >= first && e.line <= last, what, file, at);
    if ((e.file != file || e.line < first || e.line > last) && failures <= 20)
        printf("    %s:%llu: %s, not %zu to %zu\n", record_file_name[e.file],
               (unsigned long long)e.line, e.text, first, last);
}

static void check_bytes(char *const text[], int file)
{
    static const char others[] = {'0', 'a', ' ', '\n', '#', 'g', '\0', '\x80'};
    size_t size = strlen(text[file]);
    for (size_t at = 0; at < size; at++) {
        size_t line = line_of(text[file], at);
        char was = text[file][at], *damaged = copy(text[file]);
        for (size_t i = 0; i <= sizeof others; i++) {
            damaged[at] = (char)(i < sizeof others ? others[i] : was ^ 1);
            if (damaged[at] != was)
                check_damage(text, file, damaged, size, line, line, "a changed byte", at);
        }
        memmove(damaged + at, text[file] + at + 1, size - at - 1);
        check_damage(text, file, damaged, size - 1, line, line + (was == '\n'), "a lost byte", at);
        memcpy(damaged, text[file], size);
        check_damage(text, file, damaged, at, line, line, "cut off", at);
        free(damaged);
    }
}

static void check_lines(char *const text[], int file)
{
    const char *whole = text[file];
    size_t size = strlen(whole), line = 1;
    for (const char *at = whole, *next; *at; at = next, line++) {
        char damaged[8192];
        next = strchr(at, '\n') + 1;
        size_t before = (size_t)(at - whole), length = (size_t)(next - at);
        const char *after = strchr(next, '\n');
        memcpy(damaged, whole, before);
        memcpy(damaged + before, next, size - before - length);
        check_damage(text, file, damaged, size - length, line, line, "a lost line", line);
        memcpy(damaged + before, at, length);
        memcpy(damaged + before + length, at, size - before);
        check_damage(text, file, damaged, size + length, line + 1, line + 1, "a line twice", line);
        if (!after)
            continue;
        size_t second = (size_t)(after + 1 - next);
        memcpy(damaged, whole, size);
        memcpy(damaged + before, next, second);
        memcpy(damaged + before + second, at, length);
        check_damage(text, file, damaged, size, line, line, "two lines swapped", line);
    }
}

/* Each file of a record with those of another one. */
static void check_halves(void)
{
    char *one[RECORD_FILES], *two[RECORD_FILES];
    input_error e;
    make(one, 0, NULL, NULL);
    make(two, RECORD_TABLES, "7e01", "7e02");
    two[RECORD_SECONDS][0] = 's';
    for (unsigned choice = 1; choice < 7; choice++) {
        char *text[RECORD_FILES];
        for (int i = 0; i < RECORD_FILES; i++)
            text[i] = choice >> i & 1 ? two[i] : one[i];
        /* the seconds of both are the same */
        int same = (choice & 3) == 0 || (choice & 3) == 3;
        check(reads(text, &e) == same, "halves", -1, choice);
    }
    drop(two);
    make(two, RECORD_SECONDS, "0.250000", "0.250001");
    char *mixed[] = {one[0], one[1], two[2]};
    check(!reads(mixed, &e) && e.file == RECORD_CASES && e.line == 14 &&
              strstr(e.text, "seconds.txt belongs to another record"),
          "the seconds of another record", -1, 0);
    drop(one);
    drop(two);
}

/* ---- what cannot be -------------------------------------------------------------------------- */

/* The file of that name; -1 if there is none. */
static int file_of(const char *name)
{
    int file = RECORD_FILES;
    while (file-- > 0 && name && strncmp(record_file_name[file], name, strlen(name)) != 0)
        continue;
    return name ? file : -1;
}

static void check_changes(void)
{
    fields row = fields_of(SOFTFP8_SOURCE "/conformance/tests/record/changes.txt");
    while (fields_next(&row)) {
        char *text[RECORD_FILES];
        input_error e = {.text = ""};
        int file = file_of(row.field[0]), wrong = file_of(row.field[3]);
        const char *to = row.field[2];
        make(text, file, row.field[1], to);
        int good = reads(text, &e);
        check(good == (wrong < 0), to, file, row.line);
        if (!good && wrong >= 0 &&
            (e.file != wrong || e.line != strtoul(row.field[4], NULL, 10) ||
             !strstr(e.text, row.field[5]))) {
            check(0, to, file, row.line);
            printf("    %s:%llu: %s\n", record_file_name[e.file], (unsigned long long)e.line,
                   e.text);
        }
        drop(text);
    }
    check(row.line == 83, "rows", -1, row.line);
}

int main(void)
{
    char *text[RECORD_FILES];
    check_whole();
    make(text, 0, NULL, NULL);
    for (int file = 0; file < RECORD_FILES; file++) {
        check_bytes(text, file);
        check_lines(text, file);
    }
    drop(text);
    check_halves();
    check_changes();
    printf("%d checks, %d failed\n", checks, failures);
    return failures > 0;
}
