/* SPDX-License-Identifier: MIT */
/* test_evidence.c -- every row that names a product says for which versions, and how that is
 * known */
#include "check.h"
#include "softfp8_attend.h"
#include "softfp8_blocks.h"
#include "softfp8_mma.h"

static void check_row(const char *table, const char *name, const char *product,
                      const char *versions, const char *source, const char *evidence,
                      const char *open)
{
    EXPECT(strlen(product) > 2, "%s %s names no product", table, name);
    EXPECT(strlen(versions) > 0, "%s %s names no version", table, name);
    EXPECT(strlen(source) > 0, "%s %s names no function or rule", table, name);
    EXPECT(sf8_evidence_rank(evidence) > 0, "%s %s: evidence \"%s\"", table, name, evidence);
    EXPECT(open != NULL, "%s %s", table, name);
    EXPECT(!strchr(evidence, '\n') && strcmp(evidence, open) != 0, "%s %s", table, name);
}

Test(evidence, policies)
{
    const sf8_policy_row *p;
    for (size_t i = 0; (p = sf8_policy_at(i)) != NULL; i++)
        check_row("policy", p->name, p->product, p->versions, p->source, p->evidence, p->open);
}

Test(evidence, recipes)
{
    const sf8_recipe_row *r;
    for (size_t i = 0; (r = sf8_recipe_at(i)) != NULL; i++)
        check_row("recipe", r->name, r->product, r->versions, r->source, r->evidence, r->open);
}

Test(evidence, units)
{
    const sf8_mma_row *u;
    for (size_t i = 0; (u = sf8_mma_at(i)) != NULL; i++)
        check_row("unit", u->unit, u->product, u->versions, u->source, u->evidence, u->open);
}

Test(evidence, orders)
{
    const sf8_attend_order *o;
    for (size_t i = 0; (o = sf8_attend_order_at(i)) != NULL; i++)
        check_row("order", o->name, o->product, o->versions, o->source, o->evidence, o->open);
}

Test(evidence, ranks)
{
    static const struct {
        const char *evidence;
        int32_t rank;
        const char *how;
    } rows[] = {
        {"document: PTX ISA 9.0, cvt", 1, "read"},
        {"source: a.h of 1.0", 2, "read"},
        {"machine code: nvcc 13.0 for sm_90a, not run", 3, "read"},
        {"ran on a CPU: torch 2.15.0, 2^32 words, 2026-11-22", 4, "on a CPU"},
        {"ran on a GPU: torch 2.15.0, 2^32 words, 2026-11-22", 4, "on a GPU"},
        {"ran interpreted: vLLM 0.33.0, 2^32 words, 2026-11-22", 4, "interpreted"},
        {"ran compiled for a CPU: vLLM 0.33.0, 2^32 words, 2026-11-22", 4, "compiled for a CPU"},
        {"verified on a CPU: torch 2.15.0, 8 conversions, all inputs, 2026-11", 5, "on a CPU"},
        {"hardware: H100, replayed", 6, "on a GPU"},
        {"document: a; hardware: b", 6, "on a GPU"},
        {"hardware: b; source: a", 6, "on a GPU"},
        {"verified interpreted: a, 2026-11-22; ran on a CPU: b, 2026-11-22", 5, "interpreted"},
        {"ran on a CPU: a, 2026-11-22; ran interpreted: b, 2026-11-22", 4, "on a CPU"},
        {"machine code: a; source: b", 3, "read"},
        {"source: a; document: b", 2, "read"},
        {"", 0, ""},
        {"ran on a CPU: ", 0, ""},
        {"somebody said so", 0, ""},
        {"ran: torch 2.15.0, 2^32 words, 2026-11-22", 0, ""},
        {"verified: torch 2.15.0, 2^32 words, 2026-11-22", 0, ""},
        {"ran by hand: torch 2.15.0, 2^32 words, 2026-11-22", 0, ""},
        {"ranon a CPU: torch 2.15.0, 2^32 words", 0, ""},
        {"source on a CPU: a.h", 0, ""},
        {"ran on a CPU: torch 2.15.0, 2^32 words", 0, ""},
        {"ran on a CPU: torch 2.15.0, 2^32 words, 2026-11", 0, ""},
        {"ran on a CPU: torch 2.15.0, 2^32 words, 2026-11-22 or so", 0, ""},
        {"ran on a CPU: torch, 2026-11-22; it was also read", 0, ""},
        {"verified on a CPU: torch 2.15.0, all inputs", 0, ""},
        {"verified on a CPU: torch 2.15.0, all inputs, 2026", 0, ""},
        {"verified on a CPU: torch 2.15.0, all inputs, 2026-1", 0, ""},
        {"ran on a CPU: torch 2.15.0, 2^32 words, 22.11.2026", 0, ""},
        {"ran on a CPU: 2026-11-22", 0, ""},
        {"; source: a", 0, ""},
        {"document:a", 0, ""},
        {"Document: a", 0, ""},
        {"document: a; ", 0, ""},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        EXPECT(sf8_evidence_rank(rows[i].evidence) == rows[i].rank, "\"%s\": %d", rows[i].evidence,
               (int)sf8_evidence_rank(rows[i].evidence));
        EXPECT(strcmp(sf8_evidence_how(rows[i].evidence), rows[i].how) == 0, "\"%s\": %s",
               rows[i].evidence, sf8_evidence_how(rows[i].evidence));
    }
    static const char *const names[] = {"none",     "document", "source", "machine code", "ran",
                                        "verified", "hardware", "none"};
    for (int32_t i = 0; i < 8; i++)
        EXPECT(strcmp(sf8_evidence_name(i), names[i]) == 0, "%d", (int)i);
    EXPECT(strcmp(sf8_evidence_how(NULL), "") == 0, "NULL");
}

/* Whether a text has one of these words, which are separated by blanks. */
static int has_one(const char *text, const char *words)
{
    char word[64];
    for (size_t n; *words; words += n + (words[n] == ' ')) {
        n = strcspn(words, " ");
        snprintf(word, sizeof word, "%.*s", (int)n, words);
        if (strstr(text, word))
            return 1;
    }
    return 0;
}

/* The kernels of these rows are written in Triton or TileLang. What ran on a CPU was their source,
 * operation by operation, and a row must not say that the product's code ran. */
Test(evidence, interpreted)
{
    const sf8_recipe_row *r;
    size_t rows = 0;
    for (size_t i = 0; (r = sf8_recipe_at(i)) != NULL; i++) {
        if (!strstr(r->source, "Triton") && !strstr(r->source, "TileLang") &&
            !strstr(r->source, "inference/kernel.py act_quant") &&
            !has_one(r->source, "triton_turboquant_store.py downcast_to_mxfp, _per_token_head"))
            continue;
        rows++;
        const char *how = sf8_evidence_how(r->evidence);
        EXPECT(strcmp(how, "interpreted") == 0 || strcmp(how, "read") == 0, "%s: %s", r->name, how);
    }
    EXPECT(rows >= 20, "%zu rows", rows);
}
