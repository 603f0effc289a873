/* SPDX-License-Identifier: MIT */
/* reinterpret.c -- the same bytes read as something else: other formats, another order
 *
 * Each reading is scored on a sample, under every policy with rne; one that scores better than the
 * plain reading is worth the whole comparison.
 */
#include "diagnose/policy/identify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE = 1024 };

static int has_code(sf8_format f, uint64_t code)
{
    return (code & ~sf8_format_code_mask(f)) == 0;
}

/* The number of words of the sample that policy `p` explains in this reading. */
static unsigned score_policy(const identify_set *set, const identify_reading *r, size_t p)
{
    sf8_policy policy = sf8_policy_named(sf8_policy_at(p)->name, NULL);
    uint64_t step = set->words ? set->inputs / SAMPLE : identify_words_of(set->from) / SAMPLE;
    uint64_t top = sf8_format_code_mask(set->from);
    unsigned score = 0;
    for (uint64_t i = 0; i < SAMPLE; i++) {
        /* Not always the middle of a stretch: the low bits vary too. */
        uint64_t at = step ? i * step + i % step : i, code = 0;
        if (set->words ? at >= set->inputs : at > top)
            break;
        uint64_t plain = set->words ? set->words[at] : at;
        uint64_t word = r->swap_words ? identify_swapped(plain) : plain;
        identify_find(set, plain, &code);
        code = r->swap_codes ? identify_swapped(code) : code;
        if (!has_code(r->to, code))
            return 0;
        score += sf8_convert(r->to, r->from, word, policy) == code;
    }
    return score;
}

static unsigned score(const identify_set *set, const identify_reading *r)
{
    unsigned best = 0;
    for (size_t p = 0; sf8_policy_at(p); p++) {
        int meant = sf8_policy_holds(sf8_policy_at(p), r->to, r->from);
        unsigned one = meant ? score_policy(set, r, p) : 0;
        best = one > best ? one : best;
    }
    return best;
}

/* ---- the readings ---------------------------------------------------------------------------- */

typedef struct readings {
    sf8_format from, to; /* what the user says */
    identify_reading *list;
    int count;
} readings;

static void add(readings *all, identify_reading r, const char *name, const char *words,
                const char *detail)
{
    if (all->count == IDENTIFY_READINGS)
        return;
    r.name = name;
    snprintf(r.words, sizeof r.words, "%s%s", words, detail);
    all->list[all->count++] = r;
}

static void add_formats(readings *all)
{
    sf8_format f;
    identify_reading plain = {.from = all->from, .to = all->to};
    for (size_t i = 0; sf8_format_at(i, &f); i++) {
        identify_reading r = plain;
        r.to = f;
        if (sf8_format_bits(f) == sf8_format_bits(all->to) && !identify_same_format(f, all->to))
            add(all, r, "codes", "these are codes of ", sf8_format_at(i, NULL));
    }
    for (int shift = -2; shift <= 2; shift++) {
        identify_reading r = plain;
        char bias[16];
        r.to.bias = (int16_t)(r.to.bias + shift);
        snprintf(bias, sizeof bias, "%d", r.to.bias);
        if (shift && sf8_format_valid(r.to))
            add(all, r, "bias", "the codes have the exponent bias ", bias);
    }
    for (size_t i = 0; sf8_format_at(i, &f); i++) {
        identify_reading r = plain;
        r.from = f;
        if (sf8_format_bits(f) == sf8_format_bits(all->from) && !identify_same_format(f, all->from))
            add(all, r, "inputs", "the inputs are those of ", sf8_format_at(i, NULL));
    }
}

static void add_orders(readings *all)
{
    int words = sf8_format_bits(all->from) == 16, codes = sf8_format_bits(all->to) == 16;
    identify_reading r = {.from = all->from, .to = all->to, .swap_words = 1};
    if (words)
        add(all, r, "swapped-inputs", "the inputs were taken with their bytes swapped", "");
    r.swap_codes = 1;
    if (words && codes)
        add(all, r, "swapped-both", "inputs and codes have their bytes swapped", "");
    r.swap_words = 0;
    if (codes)
        add(all, r, "swapped-codes", "the codes have their bytes swapped", "");
}

int identify_readings(sf8_format from, sf8_format to, identify_reading list[IDENTIFY_READINGS])
{
    readings all = {from, to, list, 0};
    add_orders(&all);
    add_formats(&all);
    return all.count;
}

/* The set under a reading. */
static void build(const identify_set *set, const identify_reading *r, identify_set *to)
{
    *to = *set;
    to->from = r->from;
    to->to = r->to;
    to->runs = NULL;
    to->count = to->room = 0;
    to->inputs = 0;
    if (!r->swap_words && !r->swap_codes) {
        to->inputs = set->inputs;
        to->count = to->room = set->count;
        to->runs = search_allocate(set->context, set->count, sizeof to->runs[0]);
        memcpy(to->runs, set->runs, set->count * sizeof to->runs[0]);
    } else {
        for (uint64_t i = 0; i < set->inputs; i++) {
            uint64_t at = set->words ? set->words[i] : i, code = 0;
            identify_find(set, r->swap_words ? identify_swapped(at) : at, &code);
            identify_add(to, at, at, r->swap_codes ? identify_swapped(code) : code, 0);
        }
    }
    if (set->words) {
        to->words = search_allocate(set->context, set->inputs, sizeof to->words[0]);
        memcpy(to->words, set->words, (size_t)set->inputs * sizeof to->words[0]);
    }
}

void identify_read_otherwise(const identify_set *set, identify_other *other)
{
    identify_reading list[IDENTIFY_READINGS], plain = {.from = set->from, .to = set->to};
    int count = identify_readings(set->from, set->to, list);
    unsigned best = score(set, &plain);
    memset(other, 0, sizeof *other);
    for (int i = 0; i < count; i++) {
        unsigned s = list[i].swap_words && set->words ? 0 : score(set, &list[i]);
        if (s <= best)
            continue;
        best = s;
        other->found = 1;
        other->reading = list[i];
    }
    if (other->found)
        build(set, &other->reading, &other->set);
}

uint64_t identify_count_model(const identify_set *all, const identify_reading *reading,
                              const identify_seen *seen, const identify_model *m)
{
    identify_reading plain = {.from = all->from, .to = all->to};
    const identify_reading *r = reading ? reading : &plain;
    uint64_t differ = 0;
    for (size_t i = 0; i < all->count; i++) {
        uint64_t end = i + 1 < all->count ? all->runs[i + 1].at : all->inputs;
        uint64_t code = r->swap_codes ? identify_swapped(all->runs[i].code) : all->runs[i].code;
        for (uint64_t at = all->runs[i].at; at < end; at++) {
            uint64_t word = all->words ? all->words[at] : at;
            word = r->swap_words ? identify_swapped(word) : word;
            differ += identify_code(m, seen, r->from, r->to, word) != code;
        }
    }
    return differ;
}

void identify_other_free(identify_other *other)
{
    if (other->found)
        identify_free(&other->set);
}
