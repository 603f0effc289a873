/* SPDX-License-Identifier: MIT */
/* map.h -- a whole conversion as a table, made once, for the speed of `convert`
 *
 * A source of 16 bits or less has an entry for every word. A wider one has an entry for every value
 * of its top 16 bits: the code, if all words that begin so give the same, else MAP_ASK, and then
 * the library is asked. Where the result changes is known from the step table of the conversion.
 */
#ifndef SOFTFP8_CONVERT_MAP_H
#define SOFTFP8_CONVERT_MAP_H

#include "cli/cli.h"

#define MAP_ASK UINT32_MAX

typedef struct convert_map {
    sf8_format from, to;
    sf8_policy policy;
    int shift;       /* of a word, to make it an index */
    uint32_t *entry; /* the code, or MAP_ASK */
} convert_map;

/* 1, or 0 if the pair has no map: a target over 8 bits of a source over 16, a target over 32 bits,
 * or a source of 17 to 20 bits, whose step table costs more than it saves. Not for stochastic
 * rounding. */
int convert_map_make(convert_map *map, sf8_format from, sf8_format to, sf8_policy policy);
void convert_map_free(convert_map *map);

/* What sf8_convert gives for a word of the source's width. (A code that happens to be MAP_ASK is
 * asked for, no harm done.) */
static inline uint64_t convert_map_code(const convert_map *map, uint64_t word)
{
    uint32_t code = map->entry[word >> map->shift];
    return code != MAP_ASK ? code : sf8_convert(map->to, map->from, word, map->policy);
}

#endif
