/* SPDX-License-Identifier: MIT */
/* check_listing.c -- to choose one case, only its own family lists its cases */
#include "families/families.h"

#include <stdio.h>
#include <string.h>

static unsigned checks, failures;

static void check(int good, const char *what, const char *name)
{
    checks++;
    failures += !good;
    if (!good)
        printf("%s: %s\n", name, what);
}

/* Walks over all cases with this pattern, and returns how many there are. */
static size_t walk(const char *pattern, const char *found)
{
    conform_options o;
    conform_choice at = {0, 0, 0};
    const conform_case *c;
    size_t count = 0;
    memset(&o, 0, sizeof o);
    o.catalog = &conform_all;
    o.only = pattern;
    for (; (c = conform_next(&o, &at)) != NULL; count++)
        check(!found || strcmp(c->name, found) == 0, "another case was chosen", pattern);
    return count;
}

/* Their names are never freed: here they stay in reach. */
enum { MOST = 100 };
static case_list own[MOST];

int main(void)
{
    size_t families = 0;
    char pattern[CONFORM_TEXT];
    check(walk("no-family/*", NULL) == 0 && conform_listed() == 0, "a family listed its cases",
          "no-family/*");
    for (const conform_family *const *f = conform_all.families; *f; f++) {
        check(families < MOST, "there are more families than the test has room for", "");
        case_list *list = &own[families];
        list->family = *f;
        case_list_all(list);
        const char *name = list->cases[list->count - 1].name;
        families++;
        check(walk(name, name) == 1, "it was not chosen, or not once", name);
        check(conform_listed() == families, "other families listed their cases", name);
        snprintf(pattern, sizeof pattern, "%.*s/*", (int)strcspn(name, "/"), name);
        check(walk(pattern, NULL) > 0 && conform_listed() == families,
              "other families listed their cases", pattern);
        check(conform_find(&conform_all, name) && conform_listed() == families,
              "to find it, other families listed their cases", name);
    }
    printf("%u checks, %u failures\n", checks, failures);
    return failures != 0;
}
