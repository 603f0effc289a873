/* SPDX-License-Identifier: MIT */
/* test_evidence.c -- every row that names a product says for which versions, and how that is
 * known */
#include "softfp8_attend.h"
#include "softfp8_blocks.h"
#include "softfp8_mma.h"
#include "table.h"

static void check_row(const char *kind, const char *name, const char *product, const char *versions,
                      const char *source, const char *evidence, const char *open)
{
    EXPECT(strlen(product) > 2, "%s %s names no product", kind, name);
    EXPECT(strlen(versions) > 0, "%s %s names no version", kind, name);
    EXPECT(strlen(source) > 0, "%s %s names no function or rule", kind, name);
    EXPECT(sf8_evidence_rank(evidence) > 0, "%s %s: evidence \"%s\"", kind, name, evidence);
    EXPECT(open != NULL, "%s %s", kind, name);
    EXPECT(!strchr(evidence, '\n') && strcmp(evidence, open) != 0, "%s %s", kind, name);
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
    static const char *const none[] = {"", "ran on a CPU: ", "document: a; "};
    table known = table_read("text/evidence.txt");
    for (size_t i = 0; i < known.count; i++) {
        const table_line *x = &known.line[i];
        EXPECT(sf8_evidence_rank(x->note) == (int32_t)table_hex(x, 0), "\"%s\": %d", x->note,
               (int)sf8_evidence_rank(x->note));
        EXPECT(strcmp(sf8_evidence_how(x->note), table_rest(x, 1)) == 0, "\"%s\": %s", x->note,
               sf8_evidence_how(x->note));
    }
    cr_expect(known.count == 33, "%zu", known.count);
    table_free(&known);
    for (size_t i = 0; i < COUNT(none); i++)
        EXPECT(sf8_evidence_rank(none[i]) == 0 && !*sf8_evidence_how(none[i]), "\"%s\"", none[i]);
    static const char *const names[] = {"none", "document", "source",   "machine code",
                                        "ran",  "verified", "hardware", "none"};
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
