/* SPDX-License-Identifier: MIT */
/* fuzz_silicon.c -- libFuzzer: any text as a file of published results
 *
 * The first byte chooses the set. An accepted text has a row for each line that is no comment, and
 * each row can be written again as it was. A refused text has a reason with the file and a line of
 * it.
 */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../lib/tests/fuzz.h"
#include "base/words.h"
#include "families/published/silicon.h"

static const silicon_set sets[] = {
    {"a", "hopper-qgmma", "e4m3", "f32", ""},
    {"b", "volta-hmma", "f16", "f16", ""},
    {"c", "ampere-hmma", "tf32", "f32", ""},
    {"d", "hopper-mma-fp8", "e5m2", "f16", ""},
};

static int digits_of(int32_t bits)
{
    return (bits + 3) / 4;
}

/* The codes of a row, as its line begins. */
static void check_row(const silicon_rows *rows, const mma_result *r, const char *line)
{
    const void *codes[2] = {r->x.a, r->x.b};
    for (int i = 0; i < 2; i++) {
        line += strspn(line, " \t,");
        line += line[0] == '0' && (line[1] | 32) == 'x' ? 2 : 0;
        for (size_t k = 0; k < r->k; k++) {
            char text[16];
            snprintf(text, sizeof text, "%0*x", digits_of(sf8_format_bits(rows->m.a)),
                     (unsigned)sf8_mma_load(rows->m.a, codes[i], k));
            for (const char *digit = text; *digit; digit++)
                CHECK(tolower((unsigned char)*line++) == *digit);
        }
        CHECK(strchr(" \t,", *line));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    silicon_rows rows;
    char why[CONFORM_LONG] = "";
    if (size == 0)
        return 0;
    const silicon_set *s = &sets[data[0] % (sizeof sets / sizeof sets[0])];
    size_t length = size - 1, count = 0;
    unsigned long lines = 1;
    char *text = malloc(size + 1);
    CHECK(text);
    memcpy(text, data + 1, length);
    text[length] = '\0';
    if (!silicon_read(&rows, s, &(silicon_text){"file", text, length, 0}, why)) {
        for (size_t i = 0; i < length; i++)
            lines += text[i] == '\n';
        unsigned long line = strncmp(why, "file:", 5) == 0 ? strtoul(why + 5, NULL, 10) : 0;
        CHECK(line >= 1 && line <= lines && strlen(why) > 8);
        free(text);
        return 0;
    }
    CHECK(rows.count > 0 && rows.k > 0 && rows.k <= 64);
    const char *next;
    for (const char *line = text; line < text + length; line = next + 1) {
        next = memchr(line, '\n', (size_t)(text + length - line));
        CHECK(next);
        text_word word;
        const char *at = line;
        if (!words_next(&at, next, &word))
            continue;
        CHECK(count < rows.count && rows.row[count].k == rows.k);
        check_row(&rows, &rows.row[count++], line);
    }
    CHECK(count == rows.count);
    silicon_free(&rows);
    free(text);
    return 0;
}
