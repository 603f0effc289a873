/* SPDX-License-Identifier: MIT */
/* rounding.c -- how values are rounded where no rounding mode explains it, as text */
#include "identify/identify.h"

/* "from nu = 0.75 on", "above nu = 0.5" */
static void print_side(output *out, const identify_side *side)
{
    double nu = identify_threshold_of(side);
    if (side->up == 1)
        output_print(out, "never");
    else if (nu == side->up)
        output_print(out, "from nu = %.9g on", nu);
    else
        output_print(out, "above nu = %.9g", nu);
}

static int is_one_threshold(const identify_threshold *t)
{
    double even = identify_threshold_of(&t->side[0]), odd = identify_threshold_of(&t->side[1]);
    return even == odd && (even == t->side[0].up) == (odd == t->side[1].up);
}

/* A rounding that no mode describes: by a threshold between the neighbours, or by no rule. */
void identify_print_rounding(output *out, const identify_findings *r)
{
    const identify_cells *cells = &r->plain.cells;
    identify_threshold t;
    output_print(out, "diagnosis: every code is one of the two nearest its value");
    if (!identify_find_threshold(cells, r->plain.closest->policy, &t)) {
        /* Random numbers change many codes; a few may be damaged. */
        int many = r->plain.closest->codes >= cells->set->inputs / 16;
        output_print(out, many && identify_is_disordered(cells)
                              ? ": rounded in another way, perhaps at random\n"
                              : ", but no rule for the rounding was found\n");
        return;
    }
    output_print(out, ": magnitudes are rounded up ");
    print_side(out, &t.side[0]);
    if (!is_one_threshold(&t)) {
        output_print(out, "\n  if the code below is even, and ");
        print_side(out, &t.side[1]);
        output_print(out, " if it is odd");
    }
    output_print(out,
                 "\n  nu: how far the value lies between its neighbours, 0 to 1; a tie has 0.5\n");
}
