/* SPDX-License-Identifier: MIT */
/* products.c -- the policy that a product has for one of its conversions, and what a row says of
 * its evidence */
#include "softfp8/number/products.h"
#include "arrays/array.h"
#include "softfp8.h"

#include <string.h>

static const sf8_product_row sf8_products[] = {
#define SF8_PRODUCT_ROW(product, first, last, to, from, policy)                                    \
    {product, first, last, to, from, policy},
    SF8_PRODUCTS(SF8_PRODUCT_ROW)};

static const sf8_product_row sf8_products_elsewhere[] = {SF8_PRODUCTS_ELSEWHERE(SF8_PRODUCT_ROW)};
#undef SF8_PRODUCT_ROW

static const char *const sf8_product_aliases[][2] = {
#define SF8_PRODUCT_ALIAS(alias, name) {alias, name},
    SF8_PRODUCT_ALIASES(SF8_PRODUCT_ALIAS)
#undef SF8_PRODUCT_ALIAS
};

const sf8_product_row *sf8_product_at(size_t i)
{
    return i < sizeof sf8_products / sizeof sf8_products[0] ? &sf8_products[i] : NULL;
}

const char *sf8_product_alias_at(size_t i, const char **name)
{
    if (i >= sizeof sf8_product_aliases / sizeof sf8_product_aliases[0])
        return NULL;
    if (name)
        *name = sf8_product_aliases[i][1];
    return sf8_product_aliases[i][0];
}

/* ---- versions -------------------------------------------------------------------------------- */

/* The next number of a version, "2.13.1", or -1 if there is no further one; *rest receives the text
 * behind it. */
static int32_t sf8_version_part(const char **rest)
{
    int32_t n = 0;
    const char *s = *rest;
    if (*s < '0' || *s > '9')
        return -1;
    for (; *s >= '0' && *s <= '9'; s++)
        n = n < 100000 ? 10 * n + (*s - '0') : n;
    *rest = s + (s[0] == '.' && s[1] >= '0' && s[1] <= '9');
    return n;
}

/* Below 0, 0 or above 0. Only as many parts as `limit` has are compared: 2.15.1 is not above
 * 2.15. */
static int32_t sf8_version_order(const char *version, const char *limit)
{
    while (*limit) {
        int32_t a = sf8_version_part(&version), b = sf8_version_part(&limit);
        a = a < 0 ? 0 : a;
        if (a != b || b < 0)
            return a - b;
    }
    return 0;
}

static int32_t sf8_is_version(const char *text)
{
    while (sf8_version_part(&text) >= 0)
        continue;
    return *text == '\0';
}

/* ---- rows ------------------------------------------------------------------------------------ */

static int32_t sf8_is_p3109(sf8_format f)
{
    int32_t p = f.man_bits + 1, k = f.exp_bits + f.man_bits + f.is_signed;
    return sf8_p3109_exists(k, p, f.is_signed) &&
           sf8_same_format(sf8_p3109_format(k, p, f.is_signed, f.has_inf), f);
}

/* Whether a name of a list, of a format or of the family of P3109, has this format. */
static int32_t sf8_names_format(const char *name, sf8_format f)
{
    if (strcmp(name, "p3109") == 0)
        return sf8_is_p3109(f);
    return sf8_same_format(sf8_format_named(name, NULL), f);
}

/* Returns 1 if a list of names, separated by blanks, has this format; an empty list has all. */
static int32_t sf8_lists_format(const char *list, sf8_format f)
{
    char name[24];
    if (!*list)
        return 1;
    while (*list) {
        size_t n = strcspn(list, " ");
        if (n < sizeof name) {
            memcpy(name, list, n);
            name[n] = '\0';
            if (sf8_names_format(name, f))
                return 1;
        }
        list += n + (list[n] == ' ');
    }
    return 0;
}

/* Compares the beginning of `name` with a product. *version receives "" if the name is the
 * product's, and the version if that follows after a hyphen. */
static int32_t sf8_names_product(const char *name, const char *product, const char **version)
{
    size_t n = strlen(product);
    if (strncmp(name, product, n) != 0)
        return 0;
    *version = name + n;
    if (name[n] == '-' && name[n + 1]) {
        *version = name + n + 1;
        return sf8_is_version(*version);
    }
    return name[n] == '\0';
}

static int32_t sf8_product_fits(const sf8_product_row *row, const char *name, sf8_format to,
                                sf8_format from)
{
    const char *version;
    if (!sf8_names_product(name, row->product, &version))
        return 0;
    if (*version && (sf8_version_order(version, row->first) < 0 ||
                     (*row->last && sf8_version_order(version, row->last) > 0)))
        return 0;
    return sf8_lists_format(row->to, to) && sf8_lists_format(row->from, from);
}

/* The name that an alias stands for, with its version kept: "pytorch-2.15" is "torch-2.15". */
static const char *sf8_unaliased(const char *name, char room[48])
{
    for (size_t i = 0; sf8_product_alias_at(i, NULL); i++) {
        const char *version, *alias = sf8_product_aliases[i][0], *real = sf8_product_aliases[i][1];
        if (!sf8_names_product(name, alias, &version))
            continue;
        if (!*version || strlen(real) + strlen(version) + 2 > 48)
            return real;
        memcpy(room, real, strlen(real));
        room[strlen(real)] = '-';
        memcpy(room + strlen(real) + 1, version, strlen(version) + 1);
        return room;
    }
    return name;
}

const char *sf8_policy_for(const char *name, sf8_format to, sf8_format from)
{
    char room[48];
    const sf8_product_row *row;
    const sf8_policy_row *policy;
    if (!name)
        return NULL;
    name = sf8_unaliased(name, room);
    for (size_t i = 0; (row = sf8_product_at(i)) != NULL; i++)
        if (sf8_product_fits(row, name, to, from))
            return row->policy_name;
    for (size_t i = 0; (policy = sf8_policy_at(i)) != NULL; i++)
        if (strcmp(policy->name, name) == 0)
            return policy->name;
    for (size_t i = 0; i < sizeof sf8_products_elsewhere / sizeof sf8_products_elsewhere[0]; i++)
        if (sf8_product_fits(&sf8_products_elsewhere[i], name, to, from))
            return sf8_products_elsewhere[i].policy_name;
    return NULL;
}

int32_t sf8_policy_holds(const sf8_policy_row *row, sf8_format to, sf8_format from)
{
    const sf8_product_row *product;
    if (sf8_lists_format(row->to, to) && sf8_lists_format(row->from, from))
        return 1;
    for (size_t i = 0; (product = sf8_product_at(i)) != NULL; i++)
        if (strcmp(product->policy_name, row->name) == 0 && sf8_lists_format(product->to, to) &&
            sf8_lists_format(product->from, from))
            return 1;
    return 0;
}

/* ---- the rank of the evidence of a row, and whether its text is well formed ------------------ */

/* The kinds of evidence, the weakest first. Something ran in the last three. */
static const char *const sf8_evidence_kinds[] = {"document", "source",   "machine code",
                                                 "ran",      "verified", "hardware"};
enum { SF8_EVIDENCE_KINDS = sizeof sf8_evidence_kinds / sizeof sf8_evidence_kinds[0] };
enum { SF8_EVIDENCE_RAN = 4, SF8_EVIDENCE_VERIFIED, SF8_EVIDENCE_HARDWARE };

/* How the code of a product ran. */
static const char *const sf8_evidence_hows[] = {"interpreted", "compiled for a CPU", "on a CPU",
                                                "on a GPU"};
enum { SF8_EVIDENCE_HOWS = sizeof sf8_evidence_hows / sizeof sf8_evidence_hows[0] };

/* The number of characters of `word` if the text of this length begins with it, else 0. */
static size_t sf8_begins_with(const char *word, const char *text, size_t length)
{
    size_t n = strlen(word);
    return length >= n && memcmp(text, word, n) == 0 ? n : 0;
}

/* The rank of the kind with which an item begins, from 1; 0 for an unknown kind, or if the item
 * does not say how something ran. `how` receives how. */
static int32_t sf8_evidence_kind(const char *item, size_t length, const char **how)
{
    size_t n = 0, m = 0;
    int32_t rank = 0;
    for (int32_t i = 0; i < SF8_EVIDENCE_KINDS && n == 0; i++) {
        n = sf8_begins_with(sf8_evidence_kinds[i], item, length);
        rank = i + 1;
    }
    *how = rank == SF8_EVIDENCE_HARDWARE ? "on a GPU" : "read";
    if (n && (rank == SF8_EVIDENCE_RAN || rank == SF8_EVIDENCE_VERIFIED)) {
        n += sf8_begins_with(" ", item + n, length - n);
        for (int32_t i = 0; i < SF8_EVIDENCE_HOWS && m == 0; i++) {
            m = sf8_begins_with(sf8_evidence_hows[i], item + n, length - n);
            *how = sf8_evidence_hows[i];
        }
        n = m ? n + m : 0;
    }
    return n && length > n + 2 && memcmp(item + n, ": ", 2) == 0 ? rank : 0;
}

static int32_t sf8_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Returns 1 if the text of this length ends like the form, in which 0 stands for any digit. */
static int32_t sf8_ends_like(const char *form, const char *item, size_t length)
{
    const size_t n = strlen(form);
    if (length < n)
        return 0;
    item += length - n;
    for (size_t i = 0; i < n; i++)
        if (form[i] == '0' ? !sf8_is_digit(item[i]) : item[i] != form[i])
            return 0;
    return 1;
}

/* Whether an item of this rank ends with the date that it needs. */
static int32_t sf8_has_its_date(int32_t rank, const char *item, size_t length)
{
    if (rank == SF8_EVIDENCE_RAN)
        return sf8_ends_like(", 0000-00-00", item, length);
    return rank != SF8_EVIDENCE_VERIFIED || sf8_ends_like(", 0000-00", item, length) ||
           sf8_ends_like(", 0000-00-00", item, length);
}

/* The length of the item at the head of the list, without the "; " behind it. */
static size_t sf8_evidence_item(const char *list)
{
    const char *end = strstr(list, "; ");
    return end ? (size_t)(end - list) : strlen(list);
}

/* The rank of the best item, and how the first one of that rank is known. */
static int32_t sf8_evidence_best(const char *evidence, const char **how)
{
    int32_t best = 0;
    *how = "";
    for (;;) {
        const char *of_item;
        size_t length = sf8_evidence_item(evidence);
        int32_t rank = sf8_evidence_kind(evidence, length, &of_item);
        if (rank == 0 || !sf8_has_its_date(rank, evidence, length))
            return 0;
        if (rank > best)
            *how = of_item;
        best = rank > best ? rank : best;
        if (!evidence[length])
            return best;
        evidence += length + 2;
    }
}

int32_t sf8_evidence_rank(const char *evidence)
{
    const char *how;
    return evidence ? sf8_evidence_best(evidence, &how) : 0;
}

const char *sf8_evidence_how(const char *evidence)
{
    const char *how;
    return evidence && sf8_evidence_best(evidence, &how) ? how : "";
}

const char *sf8_evidence_name(int32_t rank)
{
    return rank >= 1 && rank <= SF8_EVIDENCE_KINDS ? sf8_evidence_kinds[rank - 1] : "none";
}
