/* SPDX-License-Identifier: MIT */
/* block_cases.c -- the inputs of quantize and dequantize that are worth a case
 *
 * quantize: largest magnitudes at and next to powers of two, over the whole range; elements at and
 * just before every value where the code changes, found by bisection, so that this holds for every
 * recipe; zeros, NaN, infinities, a short block. dequantize: every code with telling scales.
 * Everything is integer arithmetic on words, so that the cases are the same everywhere.
 *
 * Of two words next to each other that get different codes one is the tie, if there is one. A
 * quantizer whose codes do not fall while the input grows, and that is right for both, is right for
 * all inputs.
 */
#include "vectors/block_cases.h"
#include "base/memory.h"
#include "base/random.h"
#include "vectors/block_trace.h"
#include "vectors/kinds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROW_ELEMENTS = 16 }; /* of a recipe whose block is a whole row */

static size_t width_of(const vector_group *g)
{
    return (size_t)sf8_recipe_rows(&g->recipe) *
           (g->recipe.block ? (size_t)g->recipe.block : ROW_ELEMENTS);
}

static uint64_t one_of(sf8_format f)
{
    return sf8_convert(f, SF8_F32, 0x3f800000, SF8_OCP_NOSAT);
}

/* The global scale for a largest magnitude, as the recipe computes it. If the recipe has no rule,
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
    w->word[0] = g->second ? g->second : sf8_f32_bits(second);
}

/* ---- quantize -------------------------------------------------------------------------------- */

/* The powers of two of the largest magnitudes; those outside of the tensor's range are left out. */
static const int some_powers[] = {-149, -140, -126, -24, -20, -14, -9, -6,
                                  -1,   0,    1,    6,   8,   9,   15, 127};
enum { SOME_POWERS = sizeof some_powers / sizeof some_powers[0] };

static uint64_t power_word(sf8_format f, int power)
{
    return sf8_convert(f, SF8_F64, (uint64_t)(power + 1023) << 52, SF8_OCP_NOSAT);
}

typedef struct block_walk {
    const vector_group *g;
    vector_case *c;
    block_taker take;
    void *context;
} block_walk;

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

/* A largest magnitude of 2^power, and its neighbours. */
static int walk_power(const block_walk *w, int power)
{
    static const char *const sides[] = {"before", "at", "after"};
    char name[CASE_NAME];
    sf8_format f = w->g->tensor;
    int least = sf8_format_emin(f) - f.man_bits;
    if (power < least || power > sf8_format_emax(f))
        return 0;
    for (uint64_t side = 0; side < 3; side++) {
        uint64_t word = power_word(f, power);
        descending(w->g, w->c, word - 1 + side);
        /* A tensor whose largest magnitude is 512 at least: blocks far below it get small scales.
         */
        uint64_t tensor = sf8_convert(f, SF8_F32, 0x44000000, SF8_OCP_NOSAT);
        if (word < tensor && !sf8_recipe_scale_given(&w->g->recipe))
            put_g(w->g, w->c, tensor);
        snprintf(name, CASE_NAME, "amax-%s-2^%d", sides[side], power);
        if (w->take(w->context, w->c, name))
            return 1;
    }
    return 0;
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

/* The i-th special block. Returns 0 if the recipe has none such. */
static int special(const vector_group *g, size_t i, vector_case *c)
{
    sf8_format f = g->tensor;
    uint64_t sign = sf8_format_sign_bit(f), infinity = sf8_format_inf(f), one = one_of(f);
    uint64_t quiet = infinity | UINT64_C(1) << (f.man_bits - 1);
    vector_words *v = case_field(g, c, "values");
    descending(g, c, i == 6 ? sf8_format_max(f) : one);
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

static int walk_specials(const block_walk *w)
{
    static const char *const names[SPECIALS] = {"zeros",    "negative-zeros", "nan",
                                                "infinity", "minus-infinity", "all-nan",
                                                "largest",  "short"};
    for (size_t i = 0; i < SPECIALS; i++) {
        if (special(w->g, i, w->c) && w->take(w->context, w->c, names[i]))
            return 1;
    }
    return 0;
}

/* Largest magnitudes between 2^power and 2^(power + 1), each with the elements where the code
 * changes. `id` is what the names of these blocks begin with. */
static int walk_boundaries(const block_walk *w, const char *id, int power)
{
    enum { STARTS = 3 };
    char name[CASE_NAME];
    sf8_format f = w->g->tensor;
    if (w->g->recipe.offset_at != SF8_OFFSET_NONE || power < sf8_format_emin(f))
        return 0;
    const uint64_t start = power_word(f, power), quarter = UINT64_C(1) << (f.man_bits - 2);
    const uint64_t starts[STARTS] = {start, start | (4 * quarter - 1), start | 3 * quarter};
    for (size_t k = 0; k < STARTS; k++) {
        for (size_t block = 0; nth_boundaries(w->g, block, starts[k], w->c); block++) {
            snprintf(name, CASE_NAME, "%s-%zu-%zu", id, k, block);
            if (w->take(w->context, w->c, name))
                return 1;
        }
    }
    return 0;
}

typedef struct counted {
    size_t left;
    char *name;
} counted;

static int take_nth(void *context, vector_case *c, const char *name)
{
    counted *n = context;
    (void)c;
    snprintf(n->name, CASE_NAME, "%s", name);
    return n->left-- == 0;
}

int nth_quantize(const vector_group *g, size_t i, vector_case *c, char name[CASE_NAME])
{
    counted n = {i, name};
    block_walk w = {g, c, take_nth, &n};
    for (size_t k = 0; k < SOME_POWERS; k++) {
        if (walk_power(&w, some_powers[k]))
            return 1;
    }
    return walk_specials(&w) || walk_boundaries(&w, "boundaries", 0);
}

/* ---- a tensor -------------------------------------------------------------------------------- */

/* The code of the scale of a block with this largest magnitude. */
static uint32_t scale_code(const block_walk *w, uint64_t amax)
{
    sf8_recipe room;
    sf8_block b;
    uint32_t x = (uint32_t)sf8_convert(SF8_F32, w->g->tensor, amax, SF8_OCP_NOSAT);
    block_of(sf8_recipe_for(&w->g->recipe, w->g->tensor, &room), &b, &x, 1, w->g->second);
    return b.scale;
}

/* Two blocks for each place where the code of the scale grows with the largest magnitude. */
static int walk_scales(const block_walk *w)
{
    char name[CASE_NAME];
    uint64_t most = sf8_format_max(w->g->tensor), at = 0;
    if (sf8_format_bits(w->g->recipe.scale) > 8 || sf8_recipe_scale_given(&w->g->recipe))
        return 0;
    for (;;) {
        uint32_t code = scale_code(w, at);
        uint64_t low = at, high = most + 1;
        while (low < high) {
            uint64_t middle = low + (high - low) / 2;
            if (middle <= most && scale_code(w, middle) <= code)
                low = middle + 1;
            else
                high = middle;
        }
        if (low > most)
            return 0;
        for (uint64_t side = 0; side < 2; side++) {
            descending(w->g, w->c, low - side);
            snprintf(name, CASE_NAME, "scale-%s-%x", side ? "before" : "from", code + 1);
            if (w->take(w->context, w->c, name))
                return 1;
        }
        at = low;
    }
}

/* ---- near ties of a choice ------------------------------------------------------------------- */

/* Whether a block takes the second of its two scales. */
static int takes_second(const block_walk *w, const vector_words *v, uint32_t *x)
{
    sf8_recipe room;
    const sf8_recipe *r = sf8_recipe_for(&w->g->recipe, w->g->tensor, &room);
    sf8_block b, first;
    for (size_t i = 0; i < v->count; i++)
        x[i] = (uint32_t)sf8_convert(SF8_F32, w->g->tensor, v->word[i], SF8_OCP_NOSAT);
    block_of_rows(r, &b, x, v->count, v->count / sf8_recipe_rows(r), w->g->second);
    first = b;
    sf8_block_scale_by(r, &first, &r->scale_of);
    return first.scale != b.scale;
}

/* Words of a tensor with signs, in the order of their values. */
static int64_t key_of(sf8_format f, uint64_t word)
{
    int64_t magnitude = (int64_t)(word & sf8_format_mag_mask(f));
    return word & sf8_format_sign_bit(f) ? -magnitude : magnitude;
}

static uint64_t word_of(sf8_format f, int64_t key)
{
    return key < 0 ? (uint64_t)-key | sf8_format_sign_bit(f) : (uint64_t)key;
}

/* Random elements up to amax, which comes first. */
static void draw_block(const block_walk *w, uint64_t amax, uint64_t *state)
{
    vector_words *v = case_field(w->g, w->c, "values");
    descending(w->g, w->c, amax);
    for (size_t i = 1; i < v->count; i++) {
        uint64_t r = word_random(state);
        /* Magnitudes near amax, as those of an even distribution are. */
        uint64_t less = (r >> 8) % (4 * (UINT64_C(1) << w->g->tensor.man_bits));
        v->word[i] = (amax > less ? amax - less : 0) |
                     (r & 1 ? sf8_format_sign_bit(w->g->tensor) : 0);
    }
}

/* From block `a`, which takes one scale, to block `b`, which takes the other: the elements of b
 * take the place of those of a one by one, and the last of them by and by, until one step of one
 * word changes the scale. Leaves the block after this step in the case; the other has `*before` as
 * its element `*at`. */
static void approach(const block_walk *w, uint64_t *a, const uint64_t *b, uint32_t *x, size_t *at,
                     uint64_t *before)
{
    vector_words *v = case_field(w->g, w->c, "values");
    sf8_format f = w->g->tensor;
    size_t low = 0, high = v->count; /* the number of elements taken from b */
    memcpy(v->word, a, v->count * sizeof *a);
    int from = takes_second(w, v, x);
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        memcpy(v->word, b, middle * sizeof *b);
        memcpy(v->word + middle, a + middle, (v->count - middle) * sizeof *a);
        if (takes_second(w, v, x) == from)
            low = middle;
        else
            high = middle;
    }
    memcpy(v->word, b, low * sizeof *b);
    memcpy(v->word + low, a + low, (v->count - low) * sizeof *a);
    int64_t here = key_of(f, a[low]), there = key_of(f, b[low]);
    while (here - there > 1 || there - here > 1) {
        int64_t middle = here + (there - here) / 2;
        v->word[low] = word_of(f, middle);
        if (takes_second(w, v, x) == from)
            here = middle;
        else
            there = middle;
    }
    v->word[low] = word_of(f, there);
    *at = low;
    *before = word_of(f, here);
}

/* Pairs of blocks that differ by one word in one element, and take different scales: the errors of
 * both scales are almost equal. A quantizer that computes the errors otherwise changes its choice
 * elsewhere. */
static int walk_choices(const block_walk *w)
{
    enum { PAIRS = 64, TRIES = 64 };
    vector_words *v = case_field(w->g, w->c, "values");
    size_t n = width_of(w->g);
    uint64_t state = 1, *kept = allocate(2 * n, sizeof *kept);
    uint32_t *x = allocate(n, sizeof *x);
    int ended = 0;
    for (int i = 0; i < PAIRS && !ended && sf8_recipe_chooses(&w->g->recipe); i++) {
        uint64_t amax = power_word(w->g->tensor, i % 8 - 1) |
                        (word_random(&state) >> 20) % (UINT64_C(1) << w->g->tensor.man_bits);
        int seen = 0; /* bits: of blocks with the first scale, and with the second */
        for (int k = 0; k < TRIES && seen != 3; k++) {
            draw_block(w, amax, &state);
            int second = takes_second(w, v, x);
            memcpy(kept + (second ? n : 0), v->word, n * sizeof *kept);
            seen |= 1 << second;
        }
        if (seen != 3)
            continue;
        size_t at;
        uint64_t before;
        char name[CASE_NAME];
        approach(w, kept, kept + n, x, &at, &before);
        for (int side = 0; side < 2 && !ended; side++) {
            snprintf(name, CASE_NAME, "choice-%s-%d", side ? "second" : "first", i);
            uint64_t after = v->word[at];
            if (!side)
                v->word[at] = before;
            ended = w->take(w->context, w->c, name);
            v->word[at] = after;
        }
    }
    free(kept);
    free(x);
    return ended;
}

/* ---- the whole tensor ------------------------------------------------------------------------ */

/* Drops short blocks and blocks beyond the largest magnitude. */
typedef struct tensor_walk {
    const vector_group *g;
    uint64_t top;
    block_taker take;
    void *context;
} tensor_walk;

static int take_fitting(void *context, vector_case *c, const char *name)
{
    const tensor_walk *t = context;
    const vector_words *v = case_field(t->g, c, "values");
    uint64_t mask = sf8_format_mag_mask(t->g->tensor);
    if (v->count < width_of(t->g))
        return 0;
    for (size_t i = 0; i < v->count; i++) {
        if ((v->word[i] & mask) > t->top)
            return 0;
    }
    return t->take(t->context, c, name);
}

/* Where all blocks have the scale that is given, one amax reaches all codes. */
static int walk_given(const block_walk *w, uint64_t top)
{
    char name[CASE_NAME];
    uint64_t most = sf8_format_max(w->g->tensor);
    for (size_t i = 0; nth_boundaries(w->g, i, top < most ? top : most, w->c); i++) {
        snprintf(name, CASE_NAME, "codes-%zu", i);
        if (w->take(w->context, w->c, name))
            return 1;
    }
    return 0;
}

void walk_tensor(const vector_group *g, vector_case *c, uint64_t top, block_taker take,
                 void *context)
{
    enum { LARGE = 1024 }; /* elements of a block of which not all powers are taken */
    tensor_walk t = {g, top, take, context};
    block_walk w = {g, c, take_fitting, &t};
    int least = sf8_format_emin(g->tensor) - g->tensor.man_bits, most = sf8_format_emax(g->tensor);
    int all = width_of(g) <= LARGE, count = all ? most - least + 1 : SOME_POWERS;
    int given = sf8_recipe_scale_given(&g->recipe);
    for (int i = 0; i < count; i++) {
        int power = all ? least + i : some_powers[i];
        char id[CASE_NAME];
        snprintf(id, CASE_NAME, "codes-2^%d", power);
        if (power > most)
            break;
        if (walk_power(&w, power) || (!given && walk_boundaries(&w, id, power)))
            return;
    }
    if (!(given ? walk_given(&w, top) : walk_scales(&w)) && !walk_choices(&w))
        walk_specials(&w);
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
