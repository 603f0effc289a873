/* SPDX-License-Identifier: MIT */
/* codes.c -- what can be seen in codes that differ, if nothing is known of the operands */
#include "diagnose/failure/failure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Codes: whose order can be wrong; that are looked at; fewer may be of many formats. */
enum { MANY = 16, SAMPLE = 1 << 13, FEW = 8 };

static int mistake(const failure_case *c, const char *words)
{
    failure_add(c->report->mistake, FAILURE_TEXT, "%s", words);
    return 1;
}

static int all_same(const uint64_t *codes, size_t count)
{
    size_t i = 1;
    while (i < count && codes[i] == codes[0])
        i++;
    return i >= count;
}

/* One code everywhere, as in memory that no kernel has written. */
static int is_constant(const failure_case *c)
{
    if (!all_same(c->got, c->count) || all_same(c->want, c->count))
        return 0;
    mistake(c, "every result is ");
    failure_add_both(c->report->mistake, FAILURE_TEXT, c->test->to, c->got[0]);
    return mistake(c, ": perhaps the kernel did not run, or wrote elsewhere");
}

/* ---- the same codes in another order --------------------------------------------------------- */

static size_t axis(const failure_case *c, size_t i)
{
    return c->test->shape ? c->test->shape[i] : c->count;
}

static size_t axes_of(const failure_case *c)
{
    return c->test->shape ? c->test->axes : 1;
}

static int pairs_are_swapped(const failure_case *c)
{
    size_t axes = axes_of(c), i = 0;
    if (axes == 0 || axis(c, axes - 1) % 2)
        return 0;
    while (i < c->count && c->got[i] == c->want[i ^ 1])
        i++;
    return i == c->count;
}

static int bytes_are_swapped(const failure_case *c)
{
    size_t i = 0;
    int bits = sf8_format_bits(c->test->to);
    while (i < c->count && c->got[i] == ((c->want[i] >> 8 & 0xff) | (c->want[i] & 0xff) << 8))
        i++;
    return bits > 8 && bits <= 16 && i == c->count;
}

/* Where an element of the tensor lies if the axes are stored in the opposite order. */
static size_t transposed(const failure_case *c, size_t i)
{
    size_t at = 0, axes = axes_of(c), stride = 1, index[32];
    for (size_t k = axes; k-- > 0; i /= axis(c, k))
        index[k] = i % axis(c, k);
    for (size_t k = 0; k < axes; stride *= axis(c, k++))
        at += index[k] * stride;
    return at;
}

static int is_transposed(const failure_case *c)
{
    size_t i = 0;
    if (axes_of(c) < 2 || axes_of(c) > 32)
        return 0;
    while (i < c->count && c->got[transposed(c, i)] == c->want[i])
        i++;
    return i == c->count;
}

static int compare_words(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static uint64_t *sorted(const failure_case *c, const uint64_t *codes)
{
    search_context *context = (search_context *)(uintptr_t)&c->context;
    uint64_t *copy = search_allocate(context, c->count, sizeof *copy);
    memcpy(copy, codes, c->count * sizeof *copy);
    qsort(copy, c->count, sizeof *copy, compare_words);
    return copy;
}

int failure_in_order(const failure_case *c)
{
    if (is_constant(c))
        return 1;
    if (pairs_are_swapped(c))
        return mistake(c, sf8_format_bits(c->test->to) == 4
                              ? "nibbles swapped: the codes of each pair have changed places"
                              : "the codes of each pair have changed places");
    if (bytes_are_swapped(c))
        return mistake(c, "the bytes of each code are swapped");
    if (is_transposed(c))
        return mistake(c, "the tensor is transposed");
    if (c->count >= MANY &&
        memcmp(sorted(c, c->got), sorted(c, c->want), c->count * sizeof(uint64_t)) == 0)
        return mistake(c, "the expected codes, in another order");
    return 0;
}

/* ---- another format -------------------------------------------------------------------------- */

/* As a code of f64, in which every NaN is the same. */
static uint64_t value_of(sf8_format f, uint64_t code)
{
    return sf8_is_nan(f, code) ? UINT64_C(0x7ff8) << 48
                               : sf8_convert(SF8_F64, f, code, SF8_OCP_NOSAT);
}

/* Whether the codes that came have the expected values in this format. */
static int are_of(const failure_case *c, sf8_format f)
{
    size_t k = 0;
    while (k < c->count && value_of(f, c->got[k]) == value_of(c->test->to, c->want[k]))
        k++;
    return k == c->count;
}

/* Another bias is a factor of all values, and so is another format where no special code shows. */
static int is_other_format(const failure_case *c)
{
    sf8_format f, to = c->test->to;
    for (size_t i = 0; c->count >= FEW && sf8_format_at(i, &f); i++) {
        sf8_format biased = identify_biased(to, f);
        if (sf8_format_bits(f) != sf8_format_bits(to) || identify_same_format(f, to) ||
            !are_of(c, f))
            continue;
        failure_add(c->report->mistake, FAILURE_TEXT,
                    "these are codes of %s, which have the expected values",
                    sf8_format_at(i, NULL));
        if (biased.bias != to.bias && are_of(c, biased))
            failure_add(c->report->mistake, FAILURE_TEXT,
                        "; or all are codes of %g times the expected values",
                        ldexp(1, biased.bias - to.bias));
        return 1;
    }
    return 0;
}

/* ---- kinds of codes -------------------------------------------------------------------------- */

typedef enum kind { ZERO, SUBNORMAL, NUMBER, LARGEST, IS_INF, IS_NAN, KINDS } kind;

/* What became of a kind of code, and of which share of them at least: a number of the largest
 * magnitude need not be a saturated one, so that some may be right. */
static const struct {
    kind want, got;
    double least;
    const char *words;
} changes[] = {
    {SUBNORMAL, ZERO, 1, "subnormal results are flushed to zero"},
    {ZERO, ZERO, 0.25, "the sign of zero is wrong"},
    {IS_NAN, IS_NAN, 0.1, "NaN has another sign or payload (any_nan accepts it)"},
    {LARGEST, IS_NAN, 0.5, "NaN instead of saturation: what is too large gives NaN"},
    {LARGEST, IS_INF, 0.5, "infinity instead of saturation: what is too large gives infinity"},
    {IS_NAN, LARGEST, 0.1, "what is too large saturates instead of giving NaN"},
    {IS_INF, LARGEST, 0.5, "what is too large saturates instead of giving infinity"},
};
enum { CHANGES = sizeof changes / sizeof changes[0] };

static kind kind_of(sf8_format f, uint64_t code)
{
    static const kind kinds[] = {
        [SF8_CLASS_SIGNALING_NAN] = IS_NAN,    [SF8_CLASS_QUIET_NAN] = IS_NAN,
        [SF8_CLASS_NEG_INFINITY] = IS_INF,     [SF8_CLASS_POS_INFINITY] = IS_INF,
        [SF8_CLASS_NEG_NORMAL] = NUMBER,       [SF8_CLASS_POS_NORMAL] = NUMBER,
        [SF8_CLASS_NEG_SUBNORMAL] = SUBNORMAL, [SF8_CLASS_POS_SUBNORMAL] = SUBNORMAL,
        [SF8_CLASS_NEG_ZERO] = ZERO,           [SF8_CLASS_POS_ZERO] = ZERO};
    kind k = kinds[sf8_class(f, code, SF8_OCP)];
    int largest = (code & sf8_format_mag_mask(f)) == sf8_format_max(f);
    return (k == NUMBER || k == SUBNORMAL) && largest ? LARGEST : k;
}

static size_t change_of(const failure_case *c, size_t i)
{
    kind want = kind_of(c->test->to, c->want[i]), got = kind_of(c->test->to, c->got[i]);
    size_t k = 0;
    while (k < CHANGES && (changes[k].want != want || changes[k].got != got))
        k++;
    return k;
}

/* What became of which kind of code, if it became of most of them. */
static int is_of_kinds(const failure_case *c)
{
    size_t became[CHANGES + 1] = {0}, right[KINDS] = {0};
    size_t step = c->count / SAMPLE + 1, order[CHANGES];
    for (size_t i = 0; i < c->count; i += step) {
        if (!c->differ[i])
            right[kind_of(c->test->to, c->want[i])]++;
    }
    for (size_t i = 0; i < c->count; i++) {
        size_t k = c->differ[i] ? change_of(c, i) : 0;
        if (k == CHANGES)
            return 0;
        became[k] += c->differ[i];
    }
    for (size_t k = 0; k < CHANGES; k++) {
        double wrong = (double)became[k] / (double)step;
        if (became[k] && wrong < changes[k].least * (wrong + (double)right[changes[k].want]))
            return 0;
        order[k] = k;
    }
    for (size_t n = 0; n < CHANGES; n++) { /* the most frequent first */
        size_t best = CHANGES;
        for (size_t k = 0; k < CHANGES; k++)
            if (became[order[k]] && (best == CHANGES || became[order[k]] > became[best]))
                best = order[k];
        if (best == CHANGES)
            break;
        failure_add(c->report->mistake, FAILURE_TEXT, "%s%s", n ? "; " : "", changes[best].words);
        became[best] = 0;
    }
    return 1;
}

/* By how much the codes differ, if by one: neighbours of one sign, which are numbers. */
static void see_steps(const failure_case *c)
{
    sf8_format to = c->test->to;
    int up = 0, down = 0;
    for (size_t i = 0; i < c->count; i++) {
        uint64_t apart = c->got[i] ^ c->want[i];
        if (!c->differ[i])
            continue;
        if ((c->got[i] != c->want[i] + 1 && c->got[i] + 1 != c->want[i]) ||
            (to.is_signed && apart >> (sf8_format_bits(to) - 1)) ||
            kind_of(to, c->got[i]) >= IS_INF || kind_of(to, c->want[i]) >= IS_INF)
            return;
        up |= c->got[i] > c->want[i];
        down |= c->got[i] < c->want[i];
    }
    failure_add(c->report->seen, FAILURE_TEXT,
                "each code that differs is one too %s, as with another rounding, or with slightly "
                "other values",
                up && down ? "large or too small"
                : up       ? "large"
                           : "small");
}

int failure_in_codes(const failure_case *c)
{
    if (failure_in_order(c) || is_other_format(c) || is_of_kinds(c))
        return 1;
    see_steps(c);
    return 0;
}
