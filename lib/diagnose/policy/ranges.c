/* SPDX-License-Identifier: MIT */
/* ranges.c -- where a model differs from what was observed, as ranges of inputs */
#include "diagnose/policy/identify.h"

#include <stdlib.h>

/* Values that round to a number; a range may hold them together. */
static int is_ordinary(identify_class c)
{
    return c == IDENTIFY_IS_TIE || c == IDENTIFY_IS_TINY || c == IDENTIFY_IS_TINY_TIE ||
           c == IDENTIFY_IS_OTHER;
}

/* What a range is that holds both. */
static identify_class class_of_both(identify_class a, identify_class b)
{
    if (a == b)
        return a;
    if ((a == IDENTIFY_IS_TINY || a == IDENTIFY_IS_TINY_TIE) &&
        (b == IDENTIFY_IS_TINY || b == IDENTIFY_IS_TINY_TIE))
        return IDENTIFY_IS_TINY;
    return IDENTIFY_IS_OTHER;
}

static int joins(const identify_range *range, identify_class class)
{
    return range->class == class || (is_ordinary(range->class) && is_ordinary(class));
}

static void extend(identify_range *range, const identify_cell *cell, uint64_t expected,
                   identify_class class)
{
    range->last = cell->last;
    range->count = identify_sum(range->count, cell->count);
    range->class = class_of_both(range->class, class);
    range->constant[0] &= range->got[1] == cell->code;
    range->constant[1] &= range->expected[1] == expected;
    range->got[1] = cell->code;
    range->expected[1] = expected;
}

static identify_range begin(const identify_cell *cell, uint64_t expected, identify_class class)
{
    identify_range range = {cell->first,          cell->last, cell->count, {cell->code, cell->code},
                            {expected, expected}, {1, 1},     class};
    return range;
}

/* Ties among the small values are named after what the other inputs are. */
static void fold_ties(identify_range *ranges, size_t count, uint64_t of_class[IDENTIFY_CLASSES])
{
    identify_class into = of_class[IDENTIFY_IS_TINY] ? IDENTIFY_IS_TINY : IDENTIFY_IS_TIE;
    of_class[into] = identify_sum(of_class[into], of_class[IDENTIFY_IS_TINY_TIE]);
    of_class[IDENTIFY_IS_TINY_TIE] = 0;
    for (size_t i = 0; i < count; i++) {
        if (ranges[i].class == IDENTIFY_IS_TINY_TIE)
            ranges[i].class = into;
    }
}

identify_range *identify_ranges(const identify_cells *cells, const identify_model *m, size_t *count,
                                uint64_t of_class[IDENTIFY_CLASSES])
{
    const identify_set *set = cells->set;
    identify_range *ranges = NULL;
    size_t room = 0;
    int open = 0; /* the cell before differs */
    *count = 0;
    for (int i = 0; i < IDENTIFY_CLASSES; i++)
        of_class[i] = 0;
    for (size_t i = 0; i < cells->count; i++) {
        const identify_cell *cell = &cells->cells[i];
        uint64_t code = identify_code(m, &cells->seen, set->from, set->to, cell->first);
        if (code == cell->code) {
            open = 0;
            continue;
        }
        identify_class class = identify_classify(set->from, set->to, cell->first);
        of_class[class] = identify_sum(of_class[class], cell->count);
        if (open && joins(&ranges[*count - 1], class)) {
            extend(&ranges[*count - 1], cell, code, class);
            continue;
        }
        if (*count == room) {
            room = room ? 2 * room : 64;
            ranges = search_reallocate(cells->set->context, ranges, room, sizeof ranges[0]);
        }
        ranges[(*count)++] = begin(cell, code, class);
        open = 1;
    }
    fold_ties(ranges, *count, of_class);
    return ranges;
}
