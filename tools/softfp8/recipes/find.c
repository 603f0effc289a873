/* SPDX-License-Identifier: MIT */
/* find.c -- recipes by a product, an alias or a format; and what an unknown name is near to
 */
#include "recipes/find.h"

#include "cli/cli.h"
#include "softfp8/blocks/recipe_aliases.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *patterns;
} aliases[] = {
#define ALIAS(name, patterns) {name, patterns},
    SF8_RECIPE_ALIASES(ALIAS)
#undef ALIAS
};
enum { ALIASES = sizeof aliases / sizeof aliases[0], WORD = 64 };

static const char *alias_at(size_t i)
{
    return i < ALIASES ? aliases[i].name : NULL;
}

/* The letters and digits of a text, up to `end` or its own end, in lower case. */
static void plain(char to[WORD], const char *text, const char *end)
{
    size_t n = 0;
    for (; *text && text != end && n < WORD - 1; text++) {
        char c = *text;
        if (c >= 'A' && c <= 'Z')
            c = (char)(c - 'A' + 'a');
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
            to[n++] = c;
    }
    to[n] = '\0';
}

/* Whether a product begins with a word; two letters are too few for that. */
static int is_product(const sf8_recipe_row *row, const char word[WORD])
{
    char product[WORD];
    plain(product, row->product, NULL);
    return strlen(word) > 2 && strncmp(product, word, strlen(word)) == 0;
}

/* Whether a name is what a pattern of `length` characters says. */
static int fits(const char *name, const char *pattern, size_t length)
{
    const char *star = memchr(pattern, '*', length), *again;
    size_t before = star ? (size_t)(star - pattern) : length, n = strlen(name), after;
    if (!star)
        return n == length && memcmp(name, pattern, n) == 0;
    after = length - before - 1;
    if (n < before || memcmp(name, pattern, before) != 0)
        return 0;
    again = memchr(star + 1, '*', after);
    if (again) { /* *text* */
        for (; *name; name++)
            if (strncmp(name, star + 1, (size_t)(again - star) - 1) == 0)
                return 1;
        return 0;
    }
    return n >= before + after && memcmp(name + n - after, star + 1, after) == 0;
}

static int pattern_has(const sf8_recipe_row *row, const char *pattern, size_t length)
{
    char product[WORD];
    if (*pattern != '@')
        return fits(row->name, pattern, length);
    plain(product, pattern + 1, pattern + length);
    return is_product(row, product);
}

static int patterns_have(const sf8_recipe_row *row, const char *patterns)
{
    while (*patterns) {
        size_t length = strcspn(patterns, " ");
        if (*patterns == '@') /* a product may have a space in it */
            length = strlen(patterns);
        if (pattern_has(row, patterns, length))
            return 1;
        patterns += length + strspn(patterns + length, " ");
    }
    return 0;
}

/* What the aliases with this name find. Returns their number. */
static size_t patterns_named(const char word[WORD], const char *patterns[ALIASES])
{
    size_t n = 0;
    for (size_t i = 0; *word && i < ALIASES; i++) {
        char alias[WORD];
        plain(alias, aliases[i].name, NULL);
        if (strcmp(alias, word) == 0)
            patterns[n++] = aliases[i].patterns;
    }
    return n;
}

static int any_has(const sf8_recipe_row *row, const char *const patterns[], size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (patterns_have(row, patterns[i]))
            return 1;
    return 0;
}

int recipe_belongs(const char *text, const sf8_recipe_row *row)
{
    const char *patterns[ALIASES];
    char word[WORD];
    plain(word, text, NULL);
    return is_product(row, word) || any_has(row, patterns, patterns_named(word, patterns));
}

const sf8_recipe_row *recipe_found(const char *text, size_t i)
{
    const sf8_recipe_row *row;
    const char *patterns[ALIASES];
    char word[WORD];
    plain(word, text, NULL);
    for (size_t k = 0; (row = sf8_recipe_at(k)) != NULL; k++)
        if (is_product(row, word) && i-- == 0)
            return row;
    size_t n = patterns_named(word, patterns);
    for (size_t k = 0; (row = sf8_recipe_at(k)) != NULL; k++)
        if (!is_product(row, word) && any_has(row, patterns, n) && i-- == 0)
            return row;
    return NULL;
}

size_t recipe_found_count(const char *text)
{
    size_t n = 0;
    while (recipe_found(text, n))
        n++;
    return n;
}

/* The part of a name, between its dashes, that finds the fewest recipes. */
static size_t best_part(const char *name, char best[WORD])
{
    size_t least = 0;
    while (*name) {
        char part[WORD];
        size_t length = strcspn(name, "-_/: "), n;
        plain(part, name, name + length);
        n = length < WORD ? recipe_found_count(part) : 0;
        if (n && (least == 0 || n < least)) {
            least = n;
            strcpy(best, part);
        }
        name += length + strspn(name + length, "-_/: ");
    }
    return least;
}

void recipe_unknown(const char *name, const char *(*names)(size_t i), char text[160])
{
    char part[WORD];
    size_t length = strlen(name), most = length > 8 ? 2 : 1, n;
    const char *near = nearest_name_within(name, names, most);
    const char *alias = nearest_name_within(name, alias_at, most);
    if (alias && !near)
        snprintf(text, 160, "; did you mean '%s'?", alias);
    else if (near)
        snprintf(text, 160, "; did you mean '%s'?", near);
    else if ((n = best_part(name, part)) != 0)
        snprintf(text, 160, "; 'softfp8 recipes %s' lists %zu", part, n);
    else
        snprintf(text, 160, "; 'softfp8 recipes' lists them");
}
