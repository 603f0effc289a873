/* SPDX-License-Identifier: MIT */
/* prepare.c -- reads and tests what the selected cases share, before any of them is run */
#include "suite/family.h"

int conform_prepare(const conform_options *o, char why[CONFORM_LONG])
{
    conform_choice at = {0, 0};
    const conform_case *c;
    while ((c = conform_next(o, &at)) != NULL) {
        if (!c->record && c->family->prepare && !c->family->prepare(c, why))
            return 0;
    }
    return 1;
}
