/* SPDX-License-Identifier: MIT */
/* test_recipe_rows.c -- what a row says of its product and of the evidence */
#include "check.h"
#include "softfp8_blocks.h"

/* Items that are separated by "; ", each a kind, a space and a text. What ran has a date. */
static int item_is_good(const char *item, size_t length)
{
    static const char *const kinds[] = {"ran: ", "hardware: ", "source: ", "document: "};
    for (size_t i = 0; i < COUNT(kinds); i++) {
        size_t kind = strlen(kinds[i]);
        if (length <= kind || strncmp(item, kinds[i], kind) != 0)
            continue;
        const char *date = item + length - 10; /* 2026-11-22 */
        return i > 0 || (length > kind + 12 && memcmp(date - 2, ", 2", 3) == 0 && date[4] == '-' &&
                         date[7] == '-');
    }
    return 0;
}

static int evidence_is_good(const char *evidence)
{
    for (;;) {
        const char *end = strstr(evidence, "; ");
        if (!item_is_good(evidence, end ? (size_t)(end - evidence) : strlen(evidence)))
            return 0;
        if (!end)
            return 1;
        evidence = end + 2;
    }
}

Test(recipe_rows, evidence)
{
    const sf8_recipe_row *row;
    size_t n = 0;
    for (; (row = sf8_recipe_at(n)) != NULL; n++) {
        EXPECT(row->product && *row->product, "%s has no product", row->name);
        EXPECT(row->versions && *row->versions, "%s has no versions", row->name);
        EXPECT(row->source && *row->source, "%s has no source", row->name);
        EXPECT(row->evidence && evidence_is_good(row->evidence), "%s: %s", row->name,
               row->evidence);
        EXPECT(row->open, "%s", row->name);
    }
    EXPECT(n >= 75, "%zu rows", n);
}

/* The check itself. */
Test(recipe_rows, malformed)
{
    static const char *const wrong[] = {
        "",
        "source: ",
        "source:vLLM",
        "Source: vLLM",
        "read: vLLM",
        "ran: vLLM 0.33.0, f, 10 blocks, 0 differences",
        "ran: vLLM 0.33.0, f, 10 blocks, 0 differences, 22.11.2026",
        "ran: 2026-11-22",
        "source: a; ",
        "; source: a",
        "source: a; b",
        "source: a; ran: b",
    };
    for (size_t i = 0; i < COUNT(wrong); i++)
        EXPECT(!evidence_is_good(wrong[i]), "'%s'", wrong[i]);
    EXPECT(evidence_is_good("ran: a 1, f, 10 blocks, 0 differences, 2026-11-22; hardware: b; "
                            "source: c; document: d, 6.3"),
           "all four kinds");
}
