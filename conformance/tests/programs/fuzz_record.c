/* SPDX-License-Identifier: MIT */
/* fuzz_record.c -- libFuzzer: any three texts as a record, unchanged and with checks corrected
 *
 * The texts follow one another, separated by a line of four '='. A record that the reader accepts
 * is, byte for byte, what the writer writes.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../lib/tests/fuzz.h"
#include "record/text.h"
#include "mend.h"

static void write_again(const record_contents *r, const char *const text[], const size_t size[])
{
    record_head head = {r->device, r->toolkit, r->date, r->version};
    record_writer *w = record_begin(&head);
    char *again[RECORD_FILES], why[CONFORM_LONG];
    size_t sizes[RECORD_FILES];
    CHECK(w);
    for (size_t i = 0; i < r->entries; i++) {
        const record_entry *e = &r->entry[i];
        char *entry = record_entry_text(e, &r->source[e->source], r->table);
        CHECK(entry && record_add(w, entry, strlen(entry)));
        free(entry);
    }
    CHECK(record_compose(w, again, sizes, why));
    for (int i = 0; i < RECORD_FILES; i++) {
        CHECK(sizes[i] == size[i] && memcmp(again[i], text[i], size[i]) == 0);
        free(again[i]);
    }
    record_free(w);
}

/* In memory of exactly their size, so that reading beyond it is noticed. */
static void read_texts(char *const text[])
{
    char *exact[RECORD_FILES];
    size_t size[RECORD_FILES], lines;
    record_contents r;
    input_error e;
    for (int i = 0; i < RECORD_FILES; i++) {
        size[i] = strlen(text[i]);
        exact[i] = malloc(size[i] ? size[i] : 1);
        CHECK(exact[i]);
        memcpy(exact[i], text[i], size[i]);
    }
    const char *const texts[] = {exact[0], exact[1], exact[2]};
    if (record_read(&r, texts, size, &e)) {
        write_again(&r, texts, size);
        record_contents_free(&r);
    } else {
        CHECK(e.file >= 0 && e.file < RECORD_FILES && e.text[0]);
        lines = 2;
        for (size_t i = 0; i < size[e.file]; i++)
            lines += exact[e.file][i] == '\n';
        CHECK(e.line >= 1 && e.line <= lines);
    }
    for (int i = 0; i < RECORD_FILES; i++)
        free(exact[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char between[] = "====\n";
    char *all = malloc(size + 1), *text[RECORD_FILES], *at = all;
    CHECK(all);
    memcpy(all, data, size);
    all[size] = '\0';
    for (int i = 0; i < RECORD_FILES; i++) {
        char *end = strstr(at, between);
        size_t length = end ? (size_t)(end - at) : strlen(at);
        text[i] = malloc(length + 1);
        CHECK(text[i]);
        memcpy(text[i], at, length);
        text[i][length] = '\0';
        at += length + (end ? sizeof between - 1 : 0);
    }
    read_texts(text);
    mend(text);
    read_texts(text);
    for (int i = 0; i < RECORD_FILES; i++)
        free(text[i]);
    free(all);
    return 0;
}
