/* SPDX-License-Identifier: MIT */
/* block_cases.c -- the inputs of quantize and dequantize that are worth a case
 *
 * quantize: largest magnitudes at and next to powers of two, over the whole range; elements at and
 * just before every value where the code changes, found by bisection, so that this holds for every
 * recipe; zeros, NaN, infinities, a short block. dequantize: every code with telling scales.
 * Everything is integer arithmetic on words, so that the cases are the same everywhere.
 */
#include "search/engine.h"
#include "vectors/block_trace.h"
#include "vectors/kinds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROW_ELEMENTS = 16 }; /* of a recipe whose block is a whole row */

static size_t width_of(const vector_group *g)
{
    return g->recipe.block ? (size_t)g->recipe.block : ROW_ELEMENTS;
}

static uint64_t one_of(sf8_format f)
{
    return sf8_convert(f, SF8_F32, 0x3f800000, SF8_OCP_NOSAT);
}

/* The second scale for a largest magnitude, as the recipe computes it. If the recipe has no rule,
 * or all blocks have the scale that is given: 1, 1.2 and 0.1 in turn. A product with 1/scale
 * differs from a division by the last two. */
static void put_g(const vector_group *g, vector_case *c, uint64_t amax)
{
    static const uint32_t given[] = {0x3f800000, 0x3f99999a, 0x3dcccccd};
    const float usual = sf8_f32_from_bits(given[(amax >> g->tensor.man_bits) % 3]);
    vector_words *w = case_field(g, c, "g");
    float second = usual;
    uint32_t word = (uint32_t)sf8_convert(SF8_F32, g->tensor, amax, SF8_OCP_NOSAT);
    if (!w)
        return;
    if (sf8_recipe_scale_given(&g->recipe) ||
        sf8_recipe_g(&g->recipe, g->tensor, sf8_f32_from_bits(word), &second) != SF8_OK ||
        !(second > 0) || second > 3e38f)
        second = usual;
    words_resize(w, 1);
    w->word[0] = sf8_f32_bits(second);
}

/* ---- quantize -------------------------------------------------------------------------------- */

/* The powers of two of the largest magnitudes; those outside of the tensor's range are left out. */
static const int powers[] = {-149, -140, -126, -24, -20, -14, -9, -6, -1, 0, 1, 6, 8, 9, 15, 127};
enum { POWERS = sizeof powers / sizeof powers[0] };

/* A block whose largest magnitude comes first, and others that become smaller by and by. */
static void descending(const vector_group *g, vector_case *c, uint64_t amax)
{
    vector_words *v = case_field(g, c, "values");
    uint64_t step = (UINT64_C(1) << g->tensor.man_bits) * 3 / 11 + 1;
    words_resize(v, width_of(g));
    for (size_t i = 0; i < v->count; i++) {
        uint64_t less = i * step;
        v->word[i] = (amax > less ? amax - less : 0) |
                     (i % 3 == 1 ? sf8_format_sign_bit(g->tensor) : 0);
    }
    put_g(g, c, amax);
}

static int nth_power(const vector_group *g, size_t i, vector_case *c, char name[CASE_NAME])
{
    static const char *const sides[] = {"before", "at", "after"};
    sf8_format f = g->tensor;
    int power = powers[i / 3], least = sf8_format_emin(f) - f.man_bits;
    if (power < least || power > sf8_format_emax(f))
        return 0;
    uint64_t word = sf8_convert(f, SF8_F64, (uint64_t)(power + 1023) << 52, SF8_OCP_NOSAT);
    descending(g, c, word - 1 + i % 3);
    /* A tensor whose largest magnitude is 512 at least: blocks far below it get small scales. */
    uint64_t tensor = sf8_convert(f, SF8_F32, 0x44000000, SF8_OCP_NOSAT);
    if (word < tensor && !sf8_recipe_scale_given(&g->recipe))
        put_g(g, c, tensor);
    snprintf(name, CASE_NAME, "amax-%s-2^%d", sides[i % 3], power);
    return 1;
}

/* The magnitude of the code that a word gets in a block. */
static uint32_t code_magnitude(const vector_group *g, const sf8_recipe *r, sf8_block *b,
                               uint64_t word)
{
    uint32_t x = (uint32_t)sf8_convert(SF8_F32, g->tensor, word, SF8_OCP_NOSAT);
    uint32_t code = sf8_block_code(r, b, x);
    return r->integer ? code : code & (uint32_t)sf8_format_mag_mask(r->element);
}

/* The first word up to `amax` that gets a larger code than `code`; above amax if there is none. */
static uint64_t boundary(const vector_group *g, const sf8_recipe *r, sf8_block *b, uint32_t code,
                         uint64_t amax)
{
    uint64_t low = 0, high = amax + 1;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (code_magnitude(g, r, b, middle) > code)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Blocks of boundaries: amax, and from there on pairs of a boundary and the word before it. The
 * i-th such block; 0 if the codes do not get there. */
static int nth_boundaries(const vector_group *g, size_t i, uint64_t amax, vector_case *c)
{
    sf8_recipe room;
    const sf8_recipe *r = sf8_recipe_for(&g->recipe, g->tensor, &room);
    sf8_block b;
    vector_words *v = case_field(g, c, "values"), *second = case_field(g, c, "g");
    descending(g, c, amax);
    uint32_t x = (uint32_t)sf8_convert(SF8_F32, g->tensor, amax, SF8_OCP_NOSAT);
    block_of(r, &b, &x, 1, second ? (uint32_t)second->word[0] : 0);
    uint32_t pairs = (uint32_t)(v->count - 1) / 2, code = (uint32_t)i * pairs;
    uint64_t sign = i % 2 ? sf8_format_sign_bit(g->tensor) : 0;
    if (pairs == 0 || code >= code_magnitude(g, r, &b, amax))
        return 0;
    for (uint32_t k = 0; k < pairs; k++) {
        uint64_t first = boundary(g, r, &b, code + k, amax);
        v->word[1 + 2 * k] = (first > amax ? amax : first) | sign;
        v->word[2 + 2 * k] = (first ? first - 1 : 0) | sign;
    }
    return 1;
}

static void fill(vector_words *v, uint64_t word)
{
    for (size_t i = 0; i < v->count; i++)
        v->word[i] = word;
}

enum { SPECIALS = 8 };

static int nth_special(const vector_group *g, size_t i, vector_case *c, char name[CASE_NAME])
{
    static const char *const names[SPECIALS] = {"zeros",    "negative-zeros", "nan",
                                                "infinity", "minus-infinity", "all-nan",
                                                "largest",  "short"};
    sf8_format f = g->tensor;
    uint64_t sign = sf8_format_sign_bit(f), infinity = sf8_format_inf(f), one = one_of(f);
    uint64_t quiet = infinity | UINT64_C(1) << (f.man_bits - 1);
    vector_words *v = case_field(g, c, "values");
    descending(g, c, i == 6 ? sf8_format_max(f) : one);
    snprintf(name, CASE_NAME, "%s", names[i]);
    if (i < 2)
        fill(v, i ? sign : 0);
    else if (i < 5)
        v->word[v->count / 2] = i == 2 ? quiet : i == 3 ? infinity : infinity | sign;
    else if (i == 5)
        fill(v, quiet);
    else if (i == 7)
        v->count -= v->count / 2;
    /* A block over several rows, or codes without an end in mid-byte, has no short form here. */
    return i < 7 || g->recipe.block > 1;
}

int nth_quantize(const vector_group *g, size_t i, vector_case *c, char name[CASE_NAME])
{
    enum { STARTS = 3 };
    const uint64_t one = one_of(g->tensor), quarter = UINT64_C(1) << (g->tensor.man_bits - 2);
    const uint64_t starts[STARTS] = {one, one | (4 * quarter - 1), one | 3 * quarter};
    for (size_t k = 0; k < 3 * POWERS; k++) {
        if (nth_power(g, k, c, name) && i-- == 0)
            return 1;
    }
    for (size_t k = 0; k < SPECIALS; k++) {
        if (nth_special(g, k, c, name) && i-- == 0)
            return 1;
    }
    for (size_t k = 0; k < STARTS && g->recipe.offset_at == SF8_OFFSET_NONE; k++) {
        for (size_t block = 0; nth_boundaries(g, block, starts[k], c); block++) {
            snprintf(name, CASE_NAME, "boundaries-%zu-%zu", k, block);
            if (i-- == 0)
                return 1;
        }
    }
    return 0;
}

/* ---- dequantize ------------------------------------------------------------------------------ */

/* Telling codes of a scale, each once: 0, the least, the smallest normal, 1 and what follows, the
 * largest, infinity or NaN, all ones. Returns how many. */
static size_t scale_codes(sf8_format f, uint64_t codes[8])
{
    uint64_t one = one_of(f), mask = sf8_format_mag_mask(f), max = sf8_format_max(f);
    const uint64_t all[] = {0, 1, sf8_format_min_normal(f), one, one + 1, max, max + 1, mask};
    size_t n = 0;
    for (size_t i = 0; i < 8; i++) {
        int again = all[i] > mask;
        for (size_t k = 0; k < n; k++)
            again |= codes[k] == all[i];
        if (!again)
            codes[n++] = all[i];
    }
    return n;
}

int nth_dequantize(const vector_group *g, size_t i, vector_case *c, char name[CASE_NAME])
{
    uint64_t scales[8];
    size_t width = width_of(g), kinds = scale_codes(g->recipe.scale, scales);
    size_t all = (size_t)1 << sf8_recipe_bits(&g->recipe), blocks = (all + width - 1) / width;
    vector_words *codes = case_field(g, c, "codes"), *scale = case_field(g, c, "scales");
    vector_words *offset = case_field(g, c, "offsets");
    if (i >= kinds * blocks)
        return 0;
    words_resize(codes, width);
    for (size_t k = 0; k < width; k++)
        codes->word[k] = (i % blocks * width + k) % all;
    words_resize(scale, 1);
    scale->word[0] = scales[i / blocks];
    if (offset) {
        words_resize(offset, 1);
        offset->word[0] = one_of(g->recipe.offset);
    }
    put_g(g, c, one_of(g->tensor));
    snprintf(name, CASE_NAME, "scale-%llx-codes-%zx", (unsigned long long)scale->word[0],
             (size_t)codes->word[0]);
    return 1;
}
