/* SPDX-License-Identifier: MIT */
/* order.c -- which of several policies that match is named first, and the products
 *
 * Many policies give the same codes for most conversions, so most sets match several. The order
 * puts the likely ones first: a policy that was seen in a product that ran comes before one that
 * somebody read about, and one for this conversion before one for others.
 */
#include "search/policy/identify.h"

#include <stdlib.h>
#include <string.h>

/* ---- rows of the table of products ----------------------------------------------------------- */

/* By the rule for policies: its lists of formats are the same. */
static int is_for(const sf8_product_row *row, const identify_set *set)
{
    const sf8_policy_row lists = {.name = "", .to = row->to, .from = row->from};
    return sf8_policy_holds(&lists, set->to, set->from);
}

/* Whether an earlier row of the same product has this conversion in all versions. */
static int is_hidden(size_t at, const identify_set *set)
{
    const sf8_product_row *row = sf8_product_at(at);
    for (size_t i = 0; i < at; i++) {
        const sf8_product_row *before = sf8_product_at(i);
        if (strcmp(before->product, row->product) == 0 && !*before->first && !*before->last &&
            is_for(before, set))
            return 1;
    }
    return 0;
}

/* "cuda-satfinite-f64" is a policy of the product "cuda". */
static int is_policy_of(const char *policy_name, const char *product)
{
    size_t n = strlen(product);
    return strncmp(policy_name, product, n) == 0 &&
           (policy_name[n] == '-' || policy_name[n] == '\0');
}

/* Whether a policy is one for the conversion of the set. It is not if its own product has another
 * one for that. */
static int is_at_home(const char *policy_name, const identify_set *set)
{
    const sf8_product_row *row;
    int elsewhere = 0;
    for (size_t i = 0; (row = sf8_product_at(i)) != NULL; i++) {
        if (strcmp(row->policy_name, policy_name) != 0)
            continue;
        if (is_for(row, set) && !is_hidden(i, set))
            return 1;
        elsewhere |= is_policy_of(policy_name, row->product);
    }
    return !elsewhere;
}

/* ---- the order ------------------------------------------------------------------------------- */

enum {
    NOT_THE_PRODUCT = 31, /* the bits of identify_candidate.order, from the most important */
    OTHER_FLAGS = 30,
    OTHER_ROUNDING = 29,
    OTHER_CONVERSION = 28,
    WEAKNESS = 25, /* of the evidence, 0 to 5 */
    NOT_PLAIN = 24,
    POLICY = 4,
    RAN = 3,
    VERIFIED = 4,
    STRONGEST = 5
};

/* The rank of the evidence. Whether this project kept the results of a run says nothing about which
 * product gave the codes, so that `ran` counts like `verified`. */
static int32_t strength(const char *evidence)
{
    int32_t rank = sf8_evidence_rank(evidence);
    return rank == RAN ? VERIFIED : rank;
}

uint32_t identify_order(const identify_set *set, size_t policy_index, size_t round)
{
    const sf8_policy_row *row = sf8_policy_at(policy_index);
    const char *wanted = set->product ? sf8_policy_for(set->product, set->to, set->from) : NULL;
    sf8_policy own = sf8_policy_named(row->name, NULL);
    uint32_t not_wanted = !wanted || strcmp(wanted, row->name) != 0;
    uint32_t not_plain = strcmp(row->name, "ocp") != 0 && strcmp(row->name, "ocp-nosat") != 0;
    uint32_t weakness = (uint32_t)(STRONGEST - strength(row->evidence));
    return not_wanted << NOT_THE_PRODUCT | (uint32_t)(own.round != round) << OTHER_ROUNDING |
           (uint32_t)!is_at_home(row->name, set) << OTHER_CONVERSION | weakness << WEAKNESS |
           not_plain << NOT_PLAIN | (uint32_t)policy_index << POLICY | (uint32_t)round;
}

static uint32_t order_of(const identify_candidate *c)
{
    return c->order | (uint32_t)(c->flags != 0) << OTHER_FLAGS;
}

int identify_is_before(const identify_candidate *a, const identify_candidate *b)
{
    return order_of(a) < order_of(b);
}

static int compare_matches(const void *a, const void *b)
{
    const identify_candidate *const *x = a, *const *y = b;
    return identify_is_before(*x, *y) ? -1 : identify_is_before(*y, *x);
}

const identify_candidate **identify_matches(const identify_candidate *list, size_t count,
                                            size_t *matches)
{
    const identify_candidate **found = allocate(count, sizeof *found);
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        if (list[i].codes == 0)
            found[n++] = &list[i];
    }
    if (n > 0)
        qsort(found, n, sizeof *found, compare_matches);
    *matches = n;
    return found;
}

/* ---- products -------------------------------------------------------------------------------- */

size_t identify_policy_index(const char *name)
{
    size_t i = 0;
    while (strcmp(sf8_policy_at(i)->name, name) != 0)
        i++;
    return i;
}

/* Whether a policy matches as it is, with its own rounding. */
static int matches_as_it_is(const identify_candidate *list, const char *policy_name)
{
    unsigned round = sf8_policy_named(policy_name, NULL).round;
    return round < IDENTIFY_ROUNDINGS &&
           list[identify_policy_index(policy_name) * IDENTIFY_ROUNDINGS + round].codes == 0;
}

/* Looks at the rows of a product, of which the one at `at` is the first. */
static int product_matches(const identify_set *set, const identify_candidate *list, size_t at,
                           identify_product *found)
{
    const sf8_product_row *row;
    found->name = sf8_product_at(at)->product;
    found->before = "";
    for (; (row = sf8_product_at(at)) != NULL; at++) {
        if (strcmp(row->product, found->name) != 0 || !is_for(row, set))
            continue;
        if (matches_as_it_is(list, row->policy_name))
            return 1;
        if (!*row->first)
            return 0;
        found->before = row->first;
    }
    return 0;
}

int identify_products(const identify_set *set, const identify_candidate *list,
                      identify_product products[IDENTIFY_PRODUCTS])
{
    const sf8_product_row *row;
    int n = 0;
    for (size_t i = 0; n < IDENTIFY_PRODUCTS && (row = sf8_product_at(i)) != NULL; i++) {
        size_t first = 0;
        while (strcmp(sf8_product_at(first)->product, row->product) != 0)
            first++;
        if (first == i && product_matches(set, list, i, &products[n]))
            n++;
    }
    return n;
}
