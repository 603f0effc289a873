/* SPDX-License-Identifier: MIT */
/* text.c -- what the writer and the reader of records both know: names, checks, texts */
#include "record/text.h"
#include "softfp8/sha256.h"

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

void record_check(const char *before, size_t word, const char *line, size_t size, char check[9])
{
    sf8_sha256 state;
    char digest[65];
    sf8_sha256_begin(&state);
    sf8_sha256_add(&state, before, word);
    sf8_sha256_add(&state, "\n", 1);
    sf8_sha256_add(&state, line, size);
    sf8_sha256_end(&state, digest);
    memcpy(check, digest, 8);
    check[8] = '\0';
}

uint64_t record_id(const char *text, size_t size)
{
    char digest[65];
    text_digest(text, size, digest);
    digest[16] = '\0';
    return strtoull(digest, NULL, 16);
}
