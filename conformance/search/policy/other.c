/* SPDX-License-Identifier: MIT */
/* other.c -- the same bytes read as something else: other formats, another order
 *
 * Each reading is scored on a sample, under every policy with rne; one that scores better than the
 * plain reading is worth the whole comparison.
 */
#include "search/policy/identify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE = 1024 };

/* A reading: the formats, and how a word of the sample is found in the plain set. */
typedef struct reading {
    sf8_format from, to;
    int swap_words, swap_codes;
} reading;

static int has_code(sf8_format f, uint64_t code)
{
    return (code & ~sf8_format_code_mask(f)) == 0;
}

/* The number of words of the sample that policy `p` explains in this reading. */
static unsigned score_policy(const identify_set *set, const reading *r, size_t p)
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

static unsigned score(const identify_set *set, const reading *r)
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

typedef struct contest {
    const identify_set *set;
    identify_other *other;
    unsigned best;
    reading reading;
} contest;

static void try_reading(contest *c, const reading *r, const char *name, const char *words,
                        const char *detail)
{
    unsigned s = score(c->set, r);
    if (s <= c->best)
        return;
    c->best = s;
    c->reading = *r;
    c->other->found = 1;
    c->other->swap_words = r->swap_words;
    c->other->swap_codes = r->swap_codes;
    snprintf(c->other->name, sizeof c->other->name, "%s", name);
    snprintf(c->other->words, sizeof c->other->words, "%s%s", words, detail);
}

static int same_row(sf8_format a, sf8_format b)
{
    return a.exp_bits == b.exp_bits && a.man_bits == b.man_bits && a.is_signed == b.is_signed &&
           a.nan == b.nan && a.has_inf == b.has_inf && a.has_zero == b.has_zero && a.bias == b.bias;
}

static void try_formats(contest *c)
{
    sf8_format f;
    const identify_set *set = c->set;
    for (size_t i = 0; sf8_format_at(i, &f); i++) {
        reading r = {set->from, f, 0, 0};
        if (sf8_format_bits(f) == sf8_format_bits(set->to) && !same_row(f, set->to))
            try_reading(c, &r, "codes", "these are codes of ", sf8_format_at(i, NULL));
    }
    for (int shift = -2; shift <= 2; shift++) {
        reading r = {set->from, set->to, 0, 0};
        char bias[16];
        r.to.bias = (int16_t)(r.to.bias + shift);
        snprintf(bias, sizeof bias, "%d", r.to.bias);
        if (shift && sf8_format_valid(r.to))
            try_reading(c, &r, "bias", "the codes have the exponent bias ", bias);
    }
    for (size_t i = 0; sf8_format_at(i, &f); i++) {
        reading r = {f, set->to, 0, 0};
        if (sf8_format_bits(f) == sf8_format_bits(set->from) && !same_row(f, set->from))
            try_reading(c, &r, "inputs", "the inputs are those of ", sf8_format_at(i, NULL));
    }
}

static void try_orders(contest *c)
{
    const identify_set *set = c->set;
    int words = sf8_format_bits(set->from) == 16 && !set->words;
    int codes = sf8_format_bits(set->to) == 16;
    reading r = {set->from, set->to, 1, 0};
    if (words)
        try_reading(c, &r, "swapped-inputs", "the inputs were taken with their bytes swapped", "");
    r.swap_codes = 1;
    if (words && codes)
        try_reading(c, &r, "swapped-both", "inputs and codes have their bytes swapped", "");
    r.swap_words = 0;
    if (codes)
        try_reading(c, &r, "swapped-codes", "the codes have their bytes swapped", "");
}

/* The set under a reading. */
static void build(const identify_set *set, const reading *r, identify_set *to)
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
        to->runs = allocate(set->count, sizeof to->runs[0]);
        memcpy(to->runs, set->runs, set->count * sizeof to->runs[0]);
    } else {
        for (uint64_t i = 0; i < set->inputs; i++) {
            uint64_t at = set->words ? set->words[i] : i, code = 0;
            identify_find(set, r->swap_words ? identify_swapped(at) : at, &code);
            identify_add(to, at, at, r->swap_codes ? identify_swapped(code) : code, 0);
        }
    }
    if (set->words) {
        to->words = allocate(set->inputs, sizeof to->words[0]);
        memcpy(to->words, set->words, set->inputs * sizeof to->words[0]);
    }
}

void identify_read_otherwise(const identify_set *set, identify_other *other)
{
    contest c;
    memset(&c, 0, sizeof c);
    memset(other, 0, sizeof *other);
    c.set = set;
    c.other = other;
    reading plain = {set->from, set->to, 0, 0};
    c.best = score(set, &plain);
    try_orders(&c);
    try_formats(&c);
    if (other->found)
        build(set, &c.reading, &other->set);
}

void identify_other_free(identify_other *other)
{
    if (other->found)
        identify_free(&other->set);
}
