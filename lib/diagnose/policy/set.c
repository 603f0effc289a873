/* SPDX-License-Identifier: MIT */
/* set.c -- observed results as runs of inputs with the same result */
#include "diagnose/policy/identify.h"
#include "softfp8/number/convert.h"

#include <stdlib.h>
#include <string.h>

const char *const identify_roundings[IDENTIFY_ROUNDINGS + 1] = {SF8_ROUNDINGS(SF8_ROUNDING_NAME)
                                                                    NULL};

int identify_same_format(sf8_format a, sf8_format b)
{
    return a.exp_bits == b.exp_bits && a.man_bits == b.man_bits && a.is_signed == b.is_signed &&
           a.nan == b.nan && a.has_inf == b.has_inf && a.has_zero == b.has_zero && a.bias == b.bias;
}

uint64_t identify_words_of(sf8_format f)
{
    int bits = sf8_format_bits(f);
    return bits == 64 ? UINT64_MAX : UINT64_C(1) << bits;
}

uint64_t identify_sum(uint64_t a, uint64_t b)
{
    return a + b < a ? UINT64_MAX : a + b;
}

void identify_free(identify_set *set)
{
    search_free(set->context, set->words);
    search_free(set->context, set->runs);
    set->words = NULL;
    set->runs = NULL;
    set->count = set->room = 0;
}

void identify_add(identify_set *set, uint64_t first, uint64_t last, uint64_t code, uint32_t flags)
{
    uint64_t at = set->inputs;
    set->inputs = identify_sum(set->inputs, identify_sum(last - first, 1));
    if (set->count > 0) {
        identify_run *run = &set->runs[set->count - 1];
        if (run->code == code && run->flags == flags) {
            run->last = last;
            return;
        }
    }
    if (set->count == set->room) {
        set->room = set->room ? 2 * set->room : 1024;
        set->runs = search_reallocate(set->context, set->runs, set->room, sizeof set->runs[0]);
    }
    identify_run run = {first, last, code, at, flags};
    set->runs[set->count++] = run;
}

uint64_t identify_lower_bound(const uint64_t *words, uint64_t low, uint64_t high, uint64_t word)
{
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (words[middle] < word)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint64_t identify_count(const identify_set *set, const identify_run *run, uint64_t first,
                        uint64_t last)
{
    if (!set->words)
        return identify_sum(last - first, 1);
    uint64_t from = run->at, to = set->inputs;
    if (first > run->first)
        from = identify_lower_bound(set->words, from, to, first);
    to = last == UINT64_MAX ? to : identify_lower_bound(set->words, from, to, last + 1);
    return to - from;
}

int identify_find(const identify_set *set, uint64_t word, uint64_t *code)
{
    size_t low = 0, high = set->count;
    if (set->words) {
        uint64_t at = identify_lower_bound(set->words, 0, set->inputs, word);
        if (at == set->inputs || set->words[at] != word)
            return 0;
    }
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (set->runs[middle].first <= word)
            low = middle;
        else
            high = middle;
    }
    *code = set->runs[low].code;
    return 1;
}
