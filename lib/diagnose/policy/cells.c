/* SPDX-License-Identifier: MIT */
/* cells.c -- the inputs cut into cells in which no model of a converter changes
 *
 * A model is asked about one input of a cell and stands for all of them, so a model costs some
 * thousand conversions and not 2^32. Within a sign the magnitudes where a cell begins are
 *
 *   - every multiple of the target's quantum and every midpoint, and the word after it;
 *   - the smallest normal, the largest, infinity, and the NaNs' quiet bit of the source;
 *   - if small values gave odd codes, the numbers that a wider exponent would have there;
 *   - where the candidates' results change (they come with the call: payloads of NaNs);
 *   - for a source that is rounded first to another format, the first word that gets to each such
 *     boundary of that format.
 */
#include "diagnose/policy/operand.h"

#include <stdlib.h>
#include <string.h>

enum { FEW_WORDS = 1 << 14, MANY_RUNS = 6, TABLE_BITS = 20 };

/* ---- what was seen where a policy has a choice ----------------------------------------------- */

/* The last observed word from `first` to `last`. */
static int last_observed(const identify_set *set, uint64_t first, uint64_t last, uint64_t *word)
{
    *word = last;
    if (!set->words)
        return 1;
    uint64_t at = identify_lower_bound(set->words, 0, set->inputs, last);
    if (at == set->inputs || set->words[at] != last) {
        if (at == 0)
            return 0;
        at--;
    }
    *word = set->words[at];
    return *word >= first && *word <= last;
}

/* The number of runs that reach into first .. last, and the code of the last. */
static size_t runs_between(const identify_set *set, uint64_t first, uint64_t last, uint64_t *code)
{
    size_t n = 0;
    for (size_t i = 0; i < set->count; i++) {
        const identify_run *run = &set->runs[i];
        if (run->last < first || run->first > last)
            continue;
        uint64_t a = run->first > first ? run->first : first;
        uint64_t b = run->last < last ? run->last : last;
        if (identify_count(set, run, a, b) == 0)
            continue;
        if (n == 0 || *code != run->code)
            n++;
        *code = run->code;
    }
    return n;
}

/* Whether a positive value below the smallest normal number gives a code other than zero that is
 * not next to it; and the smallest value whose code is not zero. */
static void look_below(const identify_set *set, identify_seen *seen)
{
    uint64_t mask = sf8_format_mag_mask(set->to), top = sf8_format_mag_mask(set->from);
    sf8_policy down = SF8_OCP;
    int begun = 0;
    down.round = SF8_RZ;
    for (size_t i = 0; set->to.has_zero && i < set->count; i++) {
        uint64_t word = set->runs[i].last, code = set->runs[i].code & mask;
        operand_value v = operand_value_of(set->from, set->runs[i].first ? set->runs[i].first : 1);
        if (word == 0 || word > top || code == 0)
            continue;
        seen->low = begun ? seen->low : v.top;
        begun = 1;
        if (!operand_is_tiny(operand_value_of(set->from, word), set->to))
            return;
        uint64_t right = sf8_core_convert(set->to, set->from, word, down, 0).code & mask;
        seen->sinks |= code > right + 1 || code < right;
    }
}

static identify_seen look(const identify_set *set)
{
    identify_seen seen;
    sf8_format from = set->from;
    uint64_t max = sf8_format_max(from), top = sf8_format_mag_mask(from), word;
    memset(&seen, 0, sizeof seen);
    int *has = seen.has;
    has[IDENTIFY_SEEN_OVER] = 1;
    has[IDENTIFY_SEEN_INF] = from.has_inf;
    has[IDENTIFY_SEEN_NAN] = from.nan != SF8_NANS_NONE;
    has[IDENTIFY_SEEN_ZERO] = from.has_zero;
    for (int sign = 0; sign < 2; sign++) {
        uint64_t bit = sign ? sf8_format_sign_bit(from) : 0;
        has[IDENTIFY_SEEN_OVER] &= last_observed(set, bit, bit | max, &word) &&
                                   identify_classify(from, set->to, word & top) ==
                                       IDENTIFY_IS_OVER &&
                                   identify_find(set, word, &seen.code[IDENTIFY_SEEN_OVER][sign]);
        has[IDENTIFY_SEEN_INF] = has[IDENTIFY_SEEN_INF] &&
                                 identify_find(set, bit | (max + 1),
                                               &seen.code[IDENTIFY_SEEN_INF][sign]);
        has[IDENTIFY_SEEN_ZERO] = has[IDENTIFY_SEEN_ZERO] &&
                                  identify_find(set, bit, &seen.code[IDENTIFY_SEEN_ZERO][sign]);
        uint64_t first = bit | (max + 1 + from.has_inf), last = bit | top;
        if (from.nan == SF8_NANS_NEG_ZERO)
            first = last = sf8_format_sign_bit(from);
        if (from.nan == SF8_NANS_TOP)
            first = last;
        has[IDENTIFY_SEEN_NAN] = has[IDENTIFY_SEEN_NAN] &&
                                 runs_between(set, first, last,
                                              &seen.code[IDENTIFY_SEEN_NAN][sign]) == 1;
    }
    sf8_policy round_up = SF8_OCP;
    round_up.round = SF8_RU;
    uint64_t code = 0,
             begin = sf8_core_convert(from, set->to, sf8_format_max(set->to), round_up, 0).code;
    seen.wraps = begin < max && runs_between(set, begin, max, &code) > MANY_RUNS;
    look_below(set, &seen);
    return seen;
}

/* ---- where cells begin ----------------------------------------------------------------------- */

/* The magnitude of the source at sig * 2^exponent or next below, and the word after it. */
static uint64_t add_around(search_words *set, sf8_format from, int32_t exponent, uint64_t sig)
{
    sf8_policy down = SF8_OCP;
    down.round = SF8_RZ;
    uint64_t word = sf8_core_round_number(from, down, 0, exponent, sig, 0).code;
    search_words_add(set, word);
    search_words_add(set, word + 1);
    return word;
}

/* The multiples and midpoints of `to`, to the end of its exponent field, and with `beyond` as far
 * as the source goes. */
static void add_lattice(search_words *set, sf8_format from, sf8_format to, int beyond)
{
    uint64_t top = sf8_format_mag_mask(to), normal = sf8_format_min_normal(to);
    uint64_t last = (top > normal ? top : normal) + 3;
    for (uint64_t k = 0; k <= last || beyond; k++) {
        uint64_t low = (UINT64_C(1) << to.man_bits) - 1;
        int32_t field = (int32_t)(k >> to.man_bits);
        int normal_number = field > 0 || !to.has_zero;
        int32_t exponent = (normal_number ? field : 1) - to.bias - to.man_bits;
        uint64_t sig = (k & low) | (normal_number ? low + 1 : 0);
        add_around(set, from, exponent, sig);
        if (add_around(set, from, exponent - 1, 2 * sig + 1) >= sf8_format_max(from))
            break;
        if (k == 0 && !to.has_zero)
            add_around(set, from, exponent - 1, sig);
    }
}

/* The numbers and midpoints from 2^low to the smallest normal number of `to`, as if there were no
 * subnormal numbers. */
static void add_fine_lattice(search_words *set, sf8_format from, sf8_format to, int32_t low)
{
    uint64_t one = UINT64_C(1) << to.man_bits;
    for (int32_t exponent = low; exponent < sf8_format_emin(to); exponent++)
        for (uint64_t k = 0; k < 2 * one; k++)
            add_around(set, from, exponent - to.man_bits - 1, 2 * one + k);
}

static void add_specials(search_words *set, sf8_format from)
{
    uint64_t max = sf8_format_max(from);
    for (uint64_t i = 0; i < 3; i++) {
        search_words_add(set, i);
        search_words_add(set, max + i);
    }
    search_words_add(set, sf8_format_min_normal(from));
    if (from.nan == SF8_NANS_IEEE)
        search_words_add(set, (max + 1) | UINT64_C(1) << (from.man_bits - 1));
}

/* Adds the first word from `low` to `high`, where the first of two steps is monotone, that gets to
 * `goal`. */
static void add_goal(search_words *set, sf8_format from, sf8_policy policy, uint64_t low,
                     uint64_t high, uint64_t goal)
{
    if (low > high || sf8_core_first_step(from, low, policy) >= goal ||
        sf8_core_first_step(from, high, policy) < goal)
        return;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (sf8_core_first_step(from, middle, policy) < goal)
            low = middle;
        else
            high = middle;
    }
    search_words_add(set, high);
}

static void add_via(search_words *set, const identify_set *given, sf8_policy policy, int beyond)
{
    sf8_format from = given->from, first = sf8_core_via_format(policy);
    search_words goals = {NULL, 0, 0, given->context};
    add_lattice(&goals, first, given->to, beyond);
    add_specials(&goals, first);
    search_words_sort(&goals);
    uint64_t inf = sf8_format_max(from) + 1, top = sf8_format_mag_mask(from);
    uint64_t quiet = inf | UINT64_C(1) << (from.man_bits - 1);
    for (uint64_t i = 0; i < goals.count; i++) {
        add_goal(set, from, policy, 0, inf, goals.words[i]);
        add_goal(set, from, policy, inf + 1, quiet - 1, goals.words[i]);
        add_goal(set, from, policy, quiet, top, goals.words[i]);
    }
    search_words_free(&goals);
}

/* Every way that a policy can make two steps of a conversion. */
static void add_vias(search_words *set, const identify_set *given, int beyond)
{
    sf8_policy policy = sf8_policy_default();
    for (unsigned via = SF8_VIA_F32; via <= SF8_VIA_BF16_RZ; via++) {
        policy.via = via & 7;
        if (sf8_format_bits(given->from) > 8 && sf8_core_takes_via(given->from, policy))
            add_via(set, given, policy, beyond);
    }
}

/* The payloads that differ in the bits that the target, or a first rounding, takes over. */
static void add_payloads(search_words *set, sf8_format from, sf8_format to)
{
    int bits = to.man_bits < from.man_bits ? to.man_bits : from.man_bits;
    if (from.nan != SF8_NANS_IEEE || bits > 10)
        return;
    for (uint64_t i = 0; i < UINT64_C(1) << bits; i++)
        search_words_add(set, (sf8_format_max(from) + 1) | i << (from.man_bits - bits));
}

/* All boundaries, of both signs. */
static void complete(search_words *set, const identify_set *given, const identify_seen *seen)
{
    int beyond = seen->wraps;
    sf8_format from = given->from;
    uint64_t sign = sf8_format_sign_bit(from), top = sf8_format_mag_mask(from);
    if (sf8_format_bits(given->to) <= TABLE_BITS) {
        add_lattice(set, from, given->to, beyond);
        add_vias(set, given, beyond);
        if (seen->sinks)
            add_fine_lattice(set, from, given->to, seen->low);
    }
    add_specials(set, from);
    add_payloads(set, from, given->to);
    uint64_t count = set->count;
    for (uint64_t i = 0; i < count; i++) {
        set->words[i] &= top;
        if (sign)
            search_words_add(set, set->words[i] | sign);
    }
    search_words_sort(set);
}

/* ---- cutting --------------------------------------------------------------------------------- */

static void add_cell(identify_cells *c, size_t *room, identify_cell cell)
{
    if (c->count == *room) {
        *room = *room ? 2 * *room : 4096;
        c->cells = search_reallocate(c->set->context, c->cells, *room, sizeof c->cells[0]);
    }
    c->cells[c->count++] = cell;
}

/* A run of a sparse set: its words from index `at` to before `end`, cut at the boundaries; without
 * these every word is a cell. */
static void cut_sparse(identify_cells *c, size_t *room, const identify_run *run, uint64_t end,
                       const search_words *boundaries, uint64_t *next)
{
    const uint64_t *words = c->set->words;
    uint64_t at = run->at;
    while (at < end) {
        uint64_t to = boundaries ? end : at + 1;
        while (boundaries && *next < boundaries->count && boundaries->words[*next] <= words[at])
            ++*next;
        if (boundaries && *next < boundaries->count)
            to = identify_lower_bound(words, at, end, boundaries->words[*next]);
        identify_cell cell = {words[at], words[to - 1], to - at, run->code, 0};
        add_cell(c, room, cell);
        at = to;
    }
}

static void cut_dense(identify_cells *c, size_t *room, const identify_run *run,
                      const search_words *boundaries, uint64_t *next)
{
    uint64_t first = run->first;
    for (;;) {
        while (*next < boundaries->count && boundaries->words[*next] <= first)
            ++*next;
        uint64_t last = run->last;
        if (*next < boundaries->count && boundaries->words[*next] - 1 < last)
            last = boundaries->words[*next] - 1;
        identify_cell cell = {first, last, identify_sum(last - first, 1), run->code, 0};
        add_cell(c, room, cell);
        if (last == run->last)
            return;
        first = last + 1;
    }
}

identify_cells identify_cut(const identify_set *set, search_words *boundaries)
{
    identify_cells c = {set, NULL, 0, 0, look(set), NULL};
    size_t room = 0;
    /* Of a small set, and of one whose boundaries are too many, every word is a cell. */
    if (set->words && (set->inputs < FEW_WORDS || sf8_format_bits(set->to) > TABLE_BITS))
        boundaries = NULL;
    else
        complete(boundaries, set, &c.seen);
    uint64_t next = 0;
    for (size_t i = 0; i < set->count; i++) {
        const identify_run *run = &set->runs[i];
        if (set->words)
            cut_sparse(&c, &room, run, i + 1 < set->count ? set->runs[i + 1].at : set->inputs,
                       boundaries, &next);
        else
            cut_dense(&c, &room, run, boundaries, &next);
    }
    return c;
}

void identify_mark(identify_cells *cells, const identify_set *plain, sf8_policy policy,
                   const identify_reading *reading)
{
    cells->wrong = 0;
    for (size_t i = 0; i < cells->count; i++) {
        identify_cell *cell = &cells->cells[i];
        uint64_t word = cell->first, code = cell->code;
        if (reading && reading->swap_words)
            word = identify_swapped(word);
        if (reading && reading->swap_codes)
            code = identify_swapped(code);
        cell->right = sf8_core_convert(plain->to, plain->from, word, policy, 0).code == code;
        cells->wrong = identify_sum(cells->wrong, cell->right ? 0 : cell->count);
    }
}

void identify_cells_free(identify_cells *c)
{
    search_free(c->set ? c->set->context : NULL, c->cells);
    c->cells = NULL;
    c->count = 0;
}

/* ---- where a model differs from what was observed, as ranges of inputs ----------------------- */

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

/* Codes between which the codes of a range lie have to go one way. */
static int turns(const uint64_t ends[2], uint64_t next)
{
    return (next > ends[1] && ends[1] < ends[0]) || (next < ends[1] && ends[1] > ends[0]);
}

static int joins(const identify_range *range, const identify_cell *cell, uint64_t expected,
                 identify_class class)
{
    return (range->class == class || (is_ordinary(range->class) && is_ordinary(class))) &&
           !turns(range->got, cell->code) && !turns(range->expected, expected);
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
        if (open && joins(&ranges[*count - 1], cell, code, class)) {
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
