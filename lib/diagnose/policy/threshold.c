/* SPDX-License-Identifier: MIT */
/* threshold.c -- whether a rounding goes up from one place between two neighbours on
 *
 * nu is how far a magnitude lies above the number below it: 0 is that number, 1 the next one. A
 * rounding has a threshold if a lower nu never goes up where a higher one goes down. Ties may go by
 * the parity of the lower code, so even and odd ones each have their own.
 */
#include "diagnose/policy/identify.h"

#include <math.h>
#include <string.h>

/* With fewer values between such numbers, chance could have made the threshold. */
enum { ROUNDED_LEAST = 8 };

/* A double has every value of a source exactly. */
static double magnitude_of(sf8_format f, uint64_t word)
{
    uint64_t bits = sf8_core_convert(SF8_F64, f, word, SF8_OCP_NOSAT, 0).code;
    double x;
    memcpy(&x, &bits, sizeof x);
    return fabs(x);
}

/* The codes next to a value, below and above in magnitude. */
static void neighbours_of(const identify_set *set, uint64_t word, sf8_policy policy,
                          uint64_t codes[2])
{
    policy.via = SF8_VIA_NONE;
    policy.round = SF8_RZ;
    codes[0] = sf8_core_convert(set->to, set->from, word, policy, 0).code;
    policy.round = word & sf8_format_sign_bit(set->from) ? SF8_RD : SF8_RU;
    codes[1] = sf8_core_convert(set->to, set->from, word, policy, 0).code;
}

static int note(identify_side *side, double nu, int up)
{
    side->rounded++;
    if (up && nu < side->up)
        side->up = nu;
    if (!up && nu > side->down)
        side->down = nu;
    return side->down < side->up;
}

/* Notes one input; 0 if no threshold fits any more. */
static int note_input(const identify_set *set, uint64_t word, uint64_t code, sf8_policy policy,
                      identify_threshold *t)
{
    uint64_t codes[2];
    if (identify_classify(set->from, set->to, word) < IDENTIFY_IS_TIE)
        return 1;
    neighbours_of(set, word, policy, codes);
    if (codes[0] == codes[1])
        return code == codes[0];
    double low = magnitude_of(set->to, codes[0]), high = magnitude_of(set->to, codes[1]);
    if ((code != codes[0] && code != codes[1]) || !(high > low))
        return 0;
    double nu = (magnitude_of(set->from, word) - low) / (high - low);
    return note(&t->side[codes[0] & 1], nu, code == codes[1]);
}

int identify_find_threshold(const identify_cells *cells, sf8_policy policy, identify_threshold *t)
{
    memset(t, 0, sizeof *t);
    t->side[0].up = t->side[1].up = 1;
    for (size_t i = 0; i < cells->count; i++) {
        const identify_cell *cell = &cells->cells[i];
        if (!note_input(cells->set, cell->first, cell->code, policy, t) ||
            !note_input(cells->set, cell->last, cell->code, policy, t))
            return 0;
    }
    return t->side[0].rounded >= ROUNDED_LEAST && t->side[1].rounded >= ROUNDED_LEAST;
}

/* Of the numbers from `down` to `up` the one with the fewest bits. */
double identify_threshold_of(const identify_side *side)
{
    for (double unit = 1; unit > 0; unit /= 2) {
        double nu = ceil(side->down / unit) * unit;
        if (nu <= side->up)
            return nu;
    }
    return side->up;
}
