/* SPDX-License-Identifier: MIT */
/* p3109.c -- what IEEE P3109 calls rounding modes, and the remark about its policies */
#include "cli/cli.h"

#include <string.h>
#include <strings.h>

const char *rounding_name(const char *value)
{
    static const char *const names[][2] = {
        {"NearestTiesToEven", "rne"}, {"NearestTiesToAway", "rna"}, {"TowardZero", "rz"},
        {"TowardPositive", "ru"},     {"TowardNegative", "rd"},     {"ToOdd", "ro"},
        {"RoundToOdd", "ro"},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcasecmp(names[i][0], value) == 0)
            return names[i][1];
    return value;
}

/* Whether a text has p3109_k8p3se or Binary8p3se in it; binary16 has no p. */
static int names_p3109(const char *text)
{
    for (; *text; text++) {
        if (strncmp(text, "p3109_k", 7) == 0)
            return 1;
        if (strncasecmp(text, "binary", 6) == 0 && text[6 + strspn(text + 6, "0123456789")] == 'p')
            return 1;
    }
    return 0;
}

void policy_remark(const policy_choice *p, const char *name, const char *policy_name)
{
    static int said;
    int has_dialect = p->name != NULL;
    for (int i = 0; i < p->changes; i++)
        has_dialect |= strcmp(p->change[i].field, "dialect") == 0;
    if (said || has_dialect || !names_p3109(name))
        return;
    said = 1;
    note("policy %s; IEEE P3109's own rules, for example that 1/0 is NaN, are --policy SatFinite, "
         "SatPropagate and SatNone",
         policy_name);
}
