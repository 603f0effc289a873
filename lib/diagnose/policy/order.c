/* SPDX-License-Identifier: MIT */
/* order.c -- which of several policies that match is named first, and the products
 *
 * Many policies give the same codes for most conversions, so most sets match several. The order
 * puts the likely ones first: a policy for this conversion before one for others, one that a
 * product has for it before one that no product is known to have, and one that was seen in a
 * product that ran before one that somebody read about.
 */
#include "diagnose/policy/identify.h"
#include "softfp8/number/products.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- what a product has ---------------------------------------------------------------------- */

/* The conversions of policies that no row of a product names. */
typedef struct family {
    const char *name, *to, *from;
} family;

static const family families[] = {
    {"ptx", SF8_CUDA_ALL, SF8_CUDA_ALL},
    {"cutlass", SF8_CUDA_ALL, SF8_CUDA_ALL},
    {"llvm", SF8_ML_DTYPES_ALL " tf32", SF8_ML_DTYPES_ALL " tf32"},
    {"riscv", "e4m3 e5m2", SF8_WIDE},
    {"riscv", SF8_WIDE, "e4m3 e5m2"},
    {"arm", "e4m3 e5m2", SF8_WIDE},
    {"arm", SF8_WIDE, "e4m3 e5m2"},
    {"fbgemm", "e4m3 e5m2 e4m3ieee e3m4", SF8_WIDE},
    {"fbgemm", SF8_WIDE, "e4m3 e5m2 e4m3ieee e3m4"},
};

/* A format of P3109 can be one of another product, too: p3109_k8p4sf is e4m3fnuz. Whether P3109 is
 * meant is known from the name that the user gave. */
static int is_of_p3109(const char *name)
{
    return strncasecmp(name, "p3109", 5) == 0 ||
           (strncasecmp(name, "binary", 6) == 0 && strchr(name, 'p'));
}

static int is_set_of_p3109(const identify_set *set)
{
    return is_of_p3109(set->to_name) || is_of_p3109(set->from_name);
}

/* By the rule for policies: the lists of formats are the same. */
static int is_listed(const char *to, const char *from, const identify_set *set)
{
    const sf8_policy_row lists = {.name = "", .to = to, .from = from};
    return sf8_policy_holds(&lists, set->to, set->from);
}

static int is_for(const sf8_product_row *row, const identify_set *set)
{
    return is_of_p3109(row->product) == is_set_of_p3109(set) && is_listed(row->to, row->from, set);
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

/* Whether a policy belongs to a family that lacks this conversion. */
static int is_foreign_to_family(const char *policy_name, const identify_set *set)
{
    int found = 0;
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        const family *f = &families[i];
        if (!is_policy_of(policy_name, f->name))
            continue;
        if (!is_set_of_p3109(set) && is_listed(f->to, f->from, set))
            return 0;
        found = 1;
    }
    return found;
}

typedef enum place {
    OF_A_PRODUCT, /* a product has the policy for this conversion */
    AT_HOME,      /* the product of the policy has the formats, or the policy is one for any */
    ELSEWHERE     /* the product lacks them, or has another policy for this conversion */
} place;

static place place_of(const char *policy_name, const identify_set *set)
{
    const sf8_product_row *row;
    int elsewhere = 0, products = 0, has_formats = 0;
    for (size_t i = 0; (row = sf8_product_at(i)) != NULL; i++) {
        int own = is_policy_of(policy_name, row->product);
        int has = strcmp(row->policy_name, policy_name) == 0;
        int named = (own || has) && is_for(row, set);
        if (has && named && !is_hidden(i, set))
            return OF_A_PRODUCT;
        products |= own;
        has_formats |= own && named;
        elsewhere |= own && has;
    }
    if (elsewhere || (products && !has_formats) || is_foreign_to_family(policy_name, set))
        return ELSEWHERE;
    return AT_HOME;
}

/* ---- the order ------------------------------------------------------------------------------- */

enum {
    NOT_THE_PRODUCT = 31, /* the bits of identify_candidate.order, from the most important */
    OTHER_FLAGS = 30,
    OTHER_ROUNDING = 29,
    OTHER_CONVERSION = 28,
    NO_PRODUCT = 27,
    WEAKNESS = 24, /* of the evidence, 0 to 6 */
    NOT_PLAIN = 23,
    POLICY = 4,
    RAN = 4,
    VERIFIED = 5,
    STRONGEST = 6
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
    place at = place_of(row->name, set);
    return not_wanted << NOT_THE_PRODUCT | (uint32_t)(own.round != round) << OTHER_ROUNDING |
           (uint32_t)(at == ELSEWHERE) << OTHER_CONVERSION |
           (uint32_t)(at != OF_A_PRODUCT) << NO_PRODUCT | weakness << WEAKNESS |
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

const identify_candidate **identify_matches(const identify_set *set, const identify_candidate *list,
                                            size_t count, size_t *matches)
{
    const identify_candidate **found = search_allocate(set->context, count, sizeof *found);
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        if (list[i].codes == 0)
            found[n++] = &list[i];
    }
    search_sort(set->context, found, n, sizeof *found, compare_matches);
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
