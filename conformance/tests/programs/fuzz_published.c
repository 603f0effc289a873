/* SPDX-License-Identifier: MIT */
/* fuzz_published.c -- libFuzzer: any text as a file of published results
 *
 * An accepted text is what its items say: written again from them it is the same text. Its cases
 * are opened, except those of matrix units, whose rows fuzz_silicon.c tries; small ones are run.
 * A refused text or case has a reason with the file and a line of it.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../lib/tests/fuzz.h"
#include "families/published/published.h"

static void check_reason(const char *why, unsigned long lines)
{
    unsigned long line = strncmp(why, "file:", 5) == 0 ? strtoul(why + 5, NULL, 10) : 0;
    CHECK(line >= 1 && line <= lines + 1 && strlen(why) > 8);
}

/* From `at`, where the first item begins, the text is that of the items and the end. */
static void compare_items(const published_file *f, const char *at)
{
    char line[64];
    for (size_t i = 0; i < f->count; i++) {
        const published_item *item = &f->item[i];
        CHECK(strncmp(at, item->is_case ? "case " : "list ", 5) == 0);
        CHECK(strncmp(at + 5, item->name, strlen(item->name)) == 0);
        at += 5 + strlen(item->name);
        for (size_t k = 0; k < item->properties; k++) {
            const published_property *p = &item->property[k];
            CHECK(*at == ' ' && strncmp(at + 1, p->key, strlen(p->key)) == 0);
            at += 1 + strlen(p->key);
            CHECK(*at == '=' && strncmp(at + 1, p->value, strlen(p->value)) == 0);
            at += 1 + strlen(p->value);
        }
        CHECK(*at++ == '\n' && memcmp(at, item->rows, item->size) == 0);
        at += item->size;
    }
    snprintf(line, sizeof line, "end %zu\n", f->count);
    CHECK(strcmp(at, line) == 0);
}

/* Its run is done at once. */
static int is_small(published_item *item)
{
    static const char *const sizes[] = {"results", "height", "width"};
    unsigned long product = 1;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const char *size = published_get(item, sizes[i]);
        product *= size ? strtoul(size, NULL, 10) : 1;
    }
    return product <= 4096;
}

static void run_case(const published_kind *kind, const published_item *item)
{
    static conform_result result;
    memset(&result, 0, sizeof result);
    result.status = CONFORM_PASSED;
    kind->run(item, &result);
    CHECK(result.status == CONFORM_BROKEN || result.inputs > 0);
    CHECK((result.status == CONFORM_PASSED) == !result.why[0]);
    CHECK((result.status == CONFORM_FAILED) == (result.differ > 0));
}

static void open_case(published_item *item, unsigned long lines)
{
    static const published_kind *const kinds[] = {&published_call, &published_ptx,
                                                  &published_quantize};
    const char *by = published_get(item, "by");
    for (size_t i = 0; by && i < sizeof kinds / sizeof kinds[0]; i++) {
        char why[CONFORM_LONG] = "";
        if (strcmp(kinds[i]->name, by) != 0)
            continue;
        if (!kinds[i]->open(item, why) || !published_complete(item, why))
            check_reason(why, lines);
        else if (is_small(item))
            run_case(kinds[i], item);
        kinds[i]->close(item->data);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    published_file f;
    unsigned long lines = 0;
    char *text = malloc(size + 1), *original = malloc(size + 1);
    CHECK(text && original);
    memcpy(text, data, size);
    text[size] = '\0';
    memcpy(original, text, size + 1);
    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    memset(&f, 0, sizeof f);
    snprintf(f.path, sizeof f.path, "file");
    published_read(&f, text, size);
    if (f.why[0]) {
        check_reason(f.why, lines);
    } else {
        if (f.count)
            compare_items(&f, original + (f.item[0].name - text) - 5);
        for (size_t i = 0; i < f.count; i++)
            if (f.item[i].is_case)
                open_case(&f.item[i], lines);
    }
    free(f.item);
    free(text);
    free(original);
    return 0;
}
