/* SPDX-License-Identifier: MIT */
/* product_version.c -- what a version in the name of a policy means, where that is unexpected */
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION = 16 };

/* What follows the product and a hyphen, if it begins with a digit; or NULL. */
static const char *version_behind(const char *name, const char *product)
{
    size_t n = strlen(product);
    if (strncmp(name, product, n) != 0 || name[n] != '-' || name[n + 1] < '0' || name[n + 1] > '9')
        return NULL;
    return name + n + 1;
}

/* The version in a name, and its product; NULL if there is none. */
static const char *version_in(const char *name, const char **product)
{
    const char *alias, *version;
    const sf8_product_row *row;
    for (size_t i = 0; (alias = sf8_product_alias_at(i, product)) != NULL; i++)
        if ((version = version_behind(name, alias)) != NULL)
            return version;
    for (size_t i = 0; (row = sf8_product_at(i)) != NULL; i++)
        if ((version = version_behind(name, row->product)) != NULL) {
            *product = row->product;
            return version;
        }
    return NULL;
}

/* Below 0, 0 or above 0, by as many numbers as `b` has. */
static long version_order(const char *a, const char *b)
{
    while (*b) {
        char *end_a, *end_b;
        long x = strtol(a, &end_a, 10), y = strtol(b, &end_b, 10);
        if (x != y || *end_b != '.')
            return x - y;
        a = *end_a == '.' ? end_a + 1 : end_a;
        b = end_b + 1;
    }
    return 0;
}

/* Takes the numbers with a point, as 2.13 and 2.15 of "2.13 to 2.15", if they are newer. */
static void take_newest(char newest[VERSION], const char *versions)
{
    static const char digits[] = "0123456789.";
    for (const char *s = versions; *s; s += strcspn(s, " "), s += strspn(s, " ")) {
        size_t n = strspn(s, digits);
        if (n == 0 || n >= VERSION || !memchr(s, '.', n))
            continue;
        char found[VERSION];
        snprintf(found, sizeof found, "%.*s", (int)n, s);
        if (!newest[0] || version_order(found, newest) > 0)
            memcpy(newest, found, sizeof found);
    }
}

/* The newest version of a product that a policy of its own name has been compared with, or "". */
static void newest_known(const char *product, char newest[VERSION])
{
    const sf8_policy_row *row;
    size_t n = strlen(product);
    newest[0] = '\0';
    for (size_t i = 0; (row = sf8_policy_at(i)) != NULL; i++)
        if (strncmp(row->name, product, n) == 0 && (row->name[n] == '-' || !row->name[n]))
            take_newest(newest, row->versions);
}

/* The version at which a rule of the product begins, if `version` is a beginning of it: 2.13 for 2
 * of torch. */
static const char *rule_within(const char *product, const char *version)
{
    const sf8_product_row *row;
    size_t n = strlen(version);
    for (size_t i = 0; (row = sf8_product_at(i)) != NULL; i++)
        if (strcmp(row->product, product) == 0 && strncmp(row->first, version, n) == 0 &&
            row->first[n] == '.')
            return row->first;
    return NULL;
}

const char *policy_version_remark(const char *name, char text[VERSION_REMARK])
{
    char newest[VERSION];
    const char *product, *version = version_in(name, &product);
    text[0] = '\0';
    if (!version)
        return text;
    const char *later = rule_within(product, version);
    newest_known(product, newest);
    if (newest[0] && version_order(version, newest) > 0)
        snprintf(text, VERSION_REMARK,
                 "version %.32s is newer than %s, the newest one known here, and counts as it",
                 version, newest);
    else if (later)
        snprintf(text, VERSION_REMARK,
                 "version %.32s means %.32s.0; from %s on another rule applies", version, version,
                 later);
    return text;
}
