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
    } rows[] = {
        {"document: PTX ISA 9.0, cvt", 1},
        {"source: a.h of 1.0", 2},
        {"ran: torch 2.15.0, 2^32 words, 2026-11-22", 3},
        {"verified: torch 2.15.0, 8 conversions, all inputs, 2026-11", 4},
        {"hardware: H100, replayed", 5},
        {"document: a; hardware: b", 5},
        {"hardware: b; source: a", 5},
        {"verified: a, 2026-11-22; ran: b, 2026-11-22", 4},
        {"source: a; document: b", 2},
        {"", 0},
        {"ran: ", 0},
        {"somebody said so", 0},
        {"ran: torch 2.15.0, 2^32 words", 0},
        {"ran: torch 2.15.0, 2^32 words, 2026-11", 0},
        {"ran: torch 2.15.0, 2^32 words, 2026-11-22 or so", 0},
        {"ran: torch, 2026-11-22; it was also read", 0},
        {"verified: torch 2.15.0, all inputs", 0},
        {"verified: torch 2.15.0, all inputs, 2026", 0},
        {"verified: torch 2.15.0, all inputs, 2026-1", 0},
        {"ran: torch 2.15.0, 2^32 words, 22.11.2026", 0},
        {"ran: 2026-11-22", 0},
        {"; source: a", 0},
        {"document:a", 0},
        {"Document: a", 0},
        {"document: a; ", 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        EXPECT(sf8_evidence_rank(rows[i].evidence) == rows[i].rank, "\"%s\": %d", rows[i].evidence,
               (int)sf8_evidence_rank(rows[i].evidence));
    EXPECT(strcmp(sf8_evidence_name(3), "ran") == 0, "3");
    EXPECT(strcmp(sf8_evidence_name(4), "verified") == 0, "4");
    EXPECT(strcmp(sf8_evidence_name(5), "hardware") == 0, "5");
    EXPECT(strcmp(sf8_evidence_name(0), "none") == 0, "0");
    EXPECT(strcmp(sf8_evidence_name(6), "none") == 0, "6");
}
