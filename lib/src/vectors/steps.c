/* SPDX-License-Identifier: MIT */
/* steps.c -- where the result of a conversion changes: a walk over all inputs without trying all
 *
 * The walk goes over the inputs in ascending order: first the positive half, then in a signed
 * format the negative one. It divides them into stretches in which a result that was left does not
 * return. If the results at both ends of a stretch are equal, all of it is equal. Otherwise
 * bisection finds the first input with another result. Within a sign the stretches are
 *
 *   - the inputs above the value of one magnitude of the target, up to the value of the next,
 *     which may be an input or not; the first stretch ends with the value of magnitude 0. In a
 *     stretch the code changes once, from the lower magnitude to the upper, and underflow changes
 *     once, from 1 to 0, each at its own input; the upper value itself is exact. An operand that
 *     is flushed comes before all others and gives zero. A flushed result changes with its code;
 *   - the finite inputs above the target's largest number, where the result changes from its code
 *     to overflow. If codes continue beyond it (`round_past_max`, `beyond_max`), the stretches
 * continue too, up to the end of the exponent field;
 *   - infinity with the signaling NaNs, and the quiet NaNs. The payload that a NaN passes on grows
 *     with the input. Infinity shares a result with the last signaling NaN only if it shares it
 *     with all of them. (Where NaN is not of the kind ieee there is at most one, the top input.)
 *
 * Every input is tried in a source of at most SF8_STEPS_FEW bits, and in one of at most
 * SF8_STEPS_NARROW bits if the target has more than SF8_STEPS_FEW: a stretch would be a few inputs.
 * With a conversion in two steps (`via`) a stretch of finite inputs is those that reach the same
 * row of the second step.
 */
#include "softfp8_vectors.h"
#include "softfp8/scalar.h"

#include <string.h>

enum { SF8_STEPS_NARROW = 20, SF8_STEPS_FEW = 12 };

static sf8_result sf8_steps_result(const sf8_steps *walk, uint64_t word)
{
    return sf8_core_convert(walk->to, walk->from, word, walk->policy, walk->random);
}

static int sf8_steps_differ(sf8_result a, sf8_result b)
{
    return a.code != b.code || a.flags != b.flags;
}

/* The last magnitude of `from` whose value is not above that of a finite magnitude of `to`; 0 if
 * there is no such value. */
static uint64_t sf8_steps_image(sf8_format from, sf8_format to, uint64_t magnitude)
{
    sf8_policy down = sf8_policy_default();
    down.round = SF8_RZ;
    sf8_number x = sf8_core_unpack(to, magnitude, down);
    return sf8_core_round_number(from, down, 0, x.exponent, x.sig, 0).code;
}

/* The last magnitude of the target that ends a stretch. */
static uint64_t sf8_steps_end(const sf8_steps *walk)
{
    return walk->policy.round_past_max || walk->policy.beyond_max ? sf8_format_mag_mask(walk->to)
                                                                  : sf8_format_max(walk->to);
}

/* In a conversion of two steps, the result is that of the first step's output, which grows with the
 * source. It stays the same until the walk over the second step reaches its next row. Returns the
 * last such input with the sign of `word` that is finite if `word` is. */
static uint64_t sf8_steps_via_last(sf8_steps *walk, uint64_t word)
{
    sf8_format via = sf8_core_via_format(walk->policy);
    sf8_steps inner;
    sf8_step row;
    uint64_t mask = sf8_format_mag_mask(walk->from), sign = word & ~mask, low = word & mask;
    uint64_t high = sf8_format_max(walk->from), end;
    sf8_steps_begin(&inner, via, walk->to, walk->policy, walk->random);
    inner.at = sf8_core_first_step(walk->from, word, walk->policy);
    inner.next = walk->next; /* rows that earlier inputs have passed need not be passed again */
    sf8_steps_next(&inner, &row);
    walk->next = inner.next;
    end = inner.done ? UINT64_MAX : inner.at;
    while (low < high) {
        uint64_t middle = high - (high - low) / 2;
        if (sf8_core_first_step(walk->from, sign | middle, walk->policy) >= end)
            high = middle - 1;
        else
            low = middle;
    }
    return sign | low;
}

/* The last input of the stretch of `word`. */
static uint64_t sf8_steps_last(sf8_steps *walk, uint64_t word)
{
    uint64_t mask = sf8_format_mag_mask(walk->from), max = sf8_format_max(walk->from);
    uint64_t magnitude = word & mask, sign = word - magnitude;
    uint64_t quiet = (max + 1) | (UINT64_C(1) << walk->from.man_bits) >> 1;
    if (walk->every)
        return word;
    if (magnitude == 0)
        walk->next = 0;
    if (magnitude > max)
        return sign | (walk->from.nan == SF8_NANS_IEEE && magnitude < quiet ? quiet - 1 : mask);
    if (sf8_core_takes_via(walk->from, walk->policy))
        return sf8_steps_via_last(walk, word);
    for (; walk->next <= sf8_steps_end(walk); walk->next++) {
        uint64_t image = sf8_steps_image(walk->from, walk->to, walk->next);
        if (image >= magnitude)
            return sign | image;
    }
    return sign | max;
}

sf8_status sf8_steps_begin(sf8_steps *walk, sf8_format from, sf8_format to, sf8_policy policy,
                           uint32_t random)
{
    memset(walk, 0, sizeof *walk);
    walk->from = from;
    walk->to = to;
    walk->policy = policy;
    walk->random = random;
    walk->done = 1;
    if (!sf8_format_valid(from) || !sf8_format_valid(to))
        return SF8_BAD_FORMAT;
    if (sf8_format_bits(from) > SF8_STEPS_NARROW && sf8_format_bits(to) > SF8_STEPS_NARROW)
        return SF8_BAD_FORMAT;
    walk->done = 0;
    int32_t few = sf8_format_bits(to) <= SF8_STEPS_FEW ? SF8_STEPS_FEW : SF8_STEPS_NARROW;
    walk->every = sf8_format_bits(from) <= few;
    return SF8_OK;
}

/* The first input from `low` + 1 to `high` whose result is not `first`, the result of `low`. The
 * result of `high` differs, and there is only one change between. */
static uint64_t sf8_steps_bisect(const sf8_steps *walk, sf8_result first, uint64_t low,
                                 uint64_t high)
{
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (sf8_steps_differ(sf8_steps_result(walk, middle), first))
            high = middle;
        else
            low = middle;
    }
    return high;
}

int32_t sf8_steps_next(sf8_steps *walk, sf8_step *step)
{
    if (walk->done)
        return 0;
    uint64_t word = walk->at, top = sf8_format_code_mask(walk->from);
    sf8_result first = sf8_steps_result(walk, word);
    step->first = word;
    step->code = first.code;
    step->flags = first.flags;
    for (;;) {
        uint64_t last = sf8_steps_last(walk, word);
        if (last > word && sf8_steps_differ(sf8_steps_result(walk, last), first)) {
            walk->at = sf8_steps_bisect(walk, first, word, last);
            return 1;
        }
        if (last == top) {
            walk->done = 1;
            return 1;
        }
        word = last + 1;
        if (sf8_steps_differ(sf8_steps_result(walk, word), first)) {
            walk->at = word;
            return 1;
        }
    }
}

size_t sf8_steps_find(const sf8_step *steps, size_t count, uint64_t word)
{
    size_t low = 0, high = count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (steps[middle].first <= word)
            low = middle;
        else
            high = middle;
    }
    return low;
}
