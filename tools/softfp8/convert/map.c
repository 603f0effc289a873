/* SPDX-License-Identifier: MIT */
/* map.c -- a whole conversion as a table */
#include "convert/map.h"

#include <stdlib.h>

enum { INDEX_BITS = 16, STEPS_BY_THOUGHT = 21 };

static void fill_from_words(convert_map *map, uint64_t words)
{
    for (uint64_t word = 0; word < words; word++)
        map->entry[word] = (uint32_t)sf8_convert(map->to, map->from, word, map->policy);
}

/* The entries of the words from `first` to `last`, which all give `code`. If the row begins inside
 * an entry that entry is marked; if it ends inside one, so does the next row begin there. */
static void fill_row(convert_map *map, uint64_t first, uint64_t last, uint32_t code)
{
    uint64_t rest = (UINT64_C(1) << map->shift) - 1;
    uint64_t low = first >> map->shift, high = last >> map->shift;
    if (first & rest)
        map->entry[low++] = MAP_ASK;
    for (uint64_t i = low; i <= high; i++)
        map->entry[i] = code;
}

/* Steps that differ in their flags alone are one row. */
static int fill_from_steps(convert_map *map)
{
    sf8_steps walk;
    sf8_step step;
    if (sf8_steps_begin(&walk, map->from, map->to, map->policy, 0) != SF8_OK)
        return 0;
    uint64_t first = 0, code = 0;
    while (sf8_steps_next(&walk, &step)) {
        if (step.first > 0 && step.code != code) {
            fill_row(map, first, step.first - 1, (uint32_t)code);
            first = step.first;
        }
        code = step.code;
    }
    fill_row(map, first, sf8_format_code_mask(map->from), (uint32_t)code);
    return 1;
}

int convert_map_make(convert_map *map, sf8_format from, sf8_format to, sf8_policy policy)
{
    int bits = sf8_format_bits(from), narrow = bits <= INDEX_BITS;
    if (policy.round == SF8_SR || sf8_format_bits(to) > (narrow ? 32 : 8))
        return 0;
    if (!narrow && bits < STEPS_BY_THOUGHT)
        return 0;
    map->from = from;
    map->to = to;
    map->policy = policy;
    map->shift = narrow ? 0 : bits - INDEX_BITS;
    map->entry = allocate((size_t)1 << (bits - map->shift), sizeof *map->entry);
    if (!narrow)
        return fill_from_steps(map);
    fill_from_words(map, UINT64_C(1) << bits);
    return 1;
}

void convert_map_free(convert_map *map)
{
    free(map->entry);
    map->entry = NULL;
}
