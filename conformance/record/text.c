/* SPDX-License-Identifier: MIT */
/* text.c -- what the writer and the reader of records both know: names, checks, texts */
#include "record/text.h"
#include "softfp8/sha256.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char *const record_file_name[RECORD_FILES] = {"cases.txt", "tables.txt", "seconds.txt"};

/* ---- names ----------------------------------------------------------------------------------- */

static int is_name(const char *text, size_t length, const char *others)
{
    if (length < 1 || length > RECORD_NAME)
        return 0;
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && (c == '\0' || !strchr(others, c)))
            return 0;
    }
    return 1;
}

int record_is_folder_name(const char *text, size_t length)
{
    return is_name(text, length, "._=-") && text[0] != '.';
}

/* Each part between slashes could be that of a folder. */
int record_is_case_name(const char *text, size_t length)
{
    size_t begin = 0;
    if (!is_name(text, length, "._/=-") || !memchr(text, '/', length))
        return 0;
    for (size_t i = 0; i <= length; i++) {
        if (i < length && text[i] != '/')
            continue;
        if (!record_is_folder_name(text + begin, i - begin))
            return 0;
        begin = i + 1;
    }
    return 1;
}

/* ---- digests --------------------------------------------------------------------------------- */

void record_sha256(const char *text, size_t size, char digest[65])
{
    sf8_sha256 state;
    sf8_sha256_begin(&state);
    sf8_sha256_add(&state, text, size);
    sf8_sha256_end(&state, digest);
}

void record_check(const char *before, const char *line, size_t size, char check[9])
{
    sf8_sha256 state;
    char digest[65];
    sf8_sha256_begin(&state);
    sf8_sha256_add(&state, before, strlen(before));
    sf8_sha256_add(&state, "\n", 1);
    sf8_sha256_add(&state, line, size);
    sf8_sha256_end(&state, digest);
    memcpy(check, digest, 8);
    check[8] = '\0';
}

uint64_t record_id(const char *text, size_t size)
{
    char digest[65];
    record_sha256(text, size, digest);
    digest[16] = '\0';
    return strtoull(digest, NULL, 16);
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* Ensures space for `more` further characters and a closing 0. */
static int make_room(record_text *t, size_t more)
{
    if (t->failed || more > SIZE_MAX / 4 || t->size > SIZE_MAX / 4) {
        t->failed = 1;
        return 0;
    }
    if (t->room - t->size > more)
        return 1;
    size_t room = 2 * (t->size + more) + 256;
    char *text = realloc(t->text, room);
    if (!text) {
        t->failed = 1;
        return 0;
    }
    t->text = text;
    t->room = room;
    return 1;
}

void record_text_add(record_text *t, const char *text, size_t size)
{
    if (!make_room(t, size))
        return;
    if (size > 0)
        memcpy(t->text + t->size, text, size);
    t->size += size;
    t->text[t->size] = '\0';
}

void record_text_print(record_text *t, const char *format, ...)
{
    va_list list;
    char text[2 * CONFORM_LONG];
    va_start(list, format);
    int size = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (size < 0 || (size_t)size >= sizeof text)
        t->failed = 1;
    else
        record_text_add(t, text, (size_t)size);
}
