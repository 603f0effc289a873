/* SPDX-License-Identifier: MIT */
/* prove_blocks.c -- recipes of blocks: codes, scales, offsets and values against the reference
 *
 * A case is a block and the library's result for it, by its core and by its arrays, compared with
 * straight-line code on MPFR (ref_block.c). Blocks are drawn from a seed by kinds (block_fill), 2
 * million for each recipe in the full tier. Then follow all powers of two and their neighbours as
 * largest magnitudes, and bf16 values at every position of a block, in the full tier each of the
 * 2^16 (fewer of both for blocks of 128 x 128). Rows with "rcp~" stand for stacks that use an
 * approximate reciprocal; both sides round it correctly. All NaN values are equal.
 */
#include "rows/rows.h"
#include "softfp8_blocks.h"
#include "mpfr/blocks/ref_block.h"

#include <stdio.h>
#include <stdlib.h>

/* In the full tier a recipe has 16 sequences of blocks. A recipe that searches its scale is so slow
 * that 8 slices draw each sequence, and check every eighth block of it. */
enum { KINDS = 12, SEQUENCES = 16, SHARE = 8 };

typedef struct trial {
    worker *w;
    const ref_recipe *ref;
    sf8_recipe recipe;
    uint64_t seed;
    unsigned drawn, share, of; /* checks the blocks whose number is `share` modulo `of` */
    sf8_format from;           /* of the tensor */
    size_t n, rows, columns;
    word x[REF_BLOCK_MOST], g;
    uint8_t codes[REF_BLOCK_MOST];
    uint32_t scale, offset;
    ref_block want;
} trial;

/* ---- drawing --------------------------------------------------------------------------------- */

static uint32_t below(trial *t, uint32_t n)
{
    return (uint32_t)((word_random(&t->seed) >> 32) * n >> 32);
}

/* sign, 2^e and a random mantissa */
static word number(trial *t, int32_t e)
{
    uint32_t r = (uint32_t)(word_random(&t->seed) >> 32);
    return (r & 0x80000000u) | (uint32_t)(e + 127) << 23 | (r & 0x7fffffu);
}

/* With an exponent that is `least` with probability 1/2, less by 1 with 1/4, ...: at the top as
 * dense as a normal distribution. */
static word ordinary(trial *t, int32_t most)
{
    int32_t less = 0;
    uint32_t r = below(t, 1u << 16);
    while (less < 12 && (r >> less & 1))
        less++;
    return number(t, most - less < -126 ? -126 : most - less);
}

/* 2^e times 1, 1.25, 1.5, 1.75, and their neighbours; sometimes numbers farther away. */
static word threshold(trial *t, int32_t e)
{
    word x = (uint32_t)(e + 127) << 23 | below(t, 4) << 21;
    return below(t, 4) ? x + below(t, 3) - 1 : x + below(t, 200) - 100;
}

/* A few bits of mantissa, so that ties are frequent. */
static word coarse(trial *t, int32_t e)
{
    return ordinary(t, e) & 0xfff00000u;
}

static word special(trial *t)
{
    static const word words[] = {0,           0x80000000u, 0x7fc00000u, 0xffc00000u,
                                 0x7f800001u, 0x7f800000u, 0xff800000u, 0x7f7fffffu,
                                 0xff7fffffu, 1,           0x80000001u, 0x00800000u};
    return words[below(t, sizeof words / sizeof words[0])];
}

/* Exponents: mostly near 0, now and then anywhere. */
static int32_t exponent(trial *t)
{
    return below(t, 4) ? (int32_t)below(t, 24) - 16 : (int32_t)below(t, 253) - 126;
}

static void block_fill(trial *t, unsigned kind)
{
    int32_t e = exponent(t);
    uint32_t one = below(t, (uint32_t)t->n);
    word same = ordinary(t, e);
    for (size_t i = 0; i < t->n; i++) {
        word x = ordinary(t, e);
        switch (kind) {
        case 1: /* zeros of both signs */
            x &= 0x80000000u;
            break;
        case 2: /* one outlier */
            x = i == one ? number(t, e) : ordinary(t, e > -110 ? e - 16 : e);
            break;
        case 3: /* subnormal in f32 */
            x &= 0x807fffffu;
            break;
        case 4: /* one special */
            x = i == one ? special(t) : x;
            break;
        case 5: /* any words */
            x = (word)word_random(&t->seed);
            break;
        case 6: /* the largest magnitude at a threshold */
            x = i == one ? threshold(t, e) : ordinary(t, e > -126 ? e - 1 : e);
            break;
        case 7:
            x = coarse(t, e);
            break;
        case 8: /* all the same, or but for the sign */
            x = one & 1 ? same : same ^ (x & 0x80000000u);
            break;
        case 9: /* specials */
            x = below(t, 3) ? x : special(t);
            break;
        case 10: /* all near a threshold */
            x = threshold(t, e);
            break;
        default: /* ordinary */
            break;
        }
        t->x[i] = x;
    }
}

/* The global scale: of a tensor whose largest magnitude is near 2^e, a power of two, an extreme. */
static void draw_g(trial *t)
{
    static const word extremes[] = {1, 0x00800000u, 0x7f7fffffu, 0x7f800000u, 0x02000000u, 0};
    unsigned kind = below(t, 16);
    word amax = 0;
    for (size_t i = 0; i < t->n; i++)
        amax = ref_f32_max(amax, ref_f32_abs(t->x[i]));
    if (kind == 0)
        t->g = extremes[below(t, t->ref->g == REF_G_DECODE ? 5 : 6)];
    else if (kind == 1)
        t->g = number(t, exponent(t)) & 0x7fffffffu;
    else {
        amax = ref_f32_mul(amax, number(t, (int32_t)below(t, 4)) & 0x7fffffffu);
        if (kind > 8) /* of bf16: then scales are often ties */
            amax &= 0xffff0000u;
        word most = ref_f32_ratio(t->ref->g == REF_G_GIVEN ? 448 : 2688, 1);
        t->g = t->ref->g == REF_G_ENCODE ? ref_f32_div(most, amax) : ref_f32_div(amax, most);
        if (kind < 5 && t->g < 0x7f800000u)
            t->g &= 0xff800000u;
        if (t->g == 0 || ref_f32_is_nan(t->g))
            t->g = 0x3f800000u;
    }
}

static void use_tensor(trial *t, sf8_format format)
{
    t->from = format;
    ref_tensor(sf8_format_bits(format) == 32 ? REF_NARROWS
               : format.exp_bits == 8        ? REF_BF16
                                             : REF_F16);
}

/* f32, bf16, f16 in turn: rounds the elements to that format. */
static void as_tensor(trial *t, unsigned turn)
{
    use_tensor(t, turn % 3 == 0 ? SF8_F32 : turn % 3 == 1 ? SF8_BF16 : SF8_F16);
    for (size_t i = 0; i < t->n; i++) {
        if (turn % 3 == 1)
            t->x[i] &= 0xffff0000u;
        else if (turn % 3 == 2)
            t->x[i] = ref_widened(REF_F16, ref_narrowed(REF_F16, t->x[i], REF_RNE));
    }
}

/* The size of a block of several rows: mostly few rows and columns, which are as many cases. */
static void draw_tile(trial *t)
{
    uint32_t rows = sf8_recipe_rows(&t->recipe), columns = (uint32_t)t->ref->block;
    if (rows * columns > 512 || below(t, 4) == 0) {
        rows = 1 + below(t, rows < 20 ? rows : 20);
        columns = 1 + below(t, columns < 24 ? columns : 24);
    }
    t->rows = rows;
    t->columns = columns;
    t->n = (size_t)rows * columns;
    ref_shape(columns);
}

static void draw_size(trial *t)
{
    if (sf8_recipe_rows(&t->recipe) > 1) {
        draw_tile(t);
        return;
    }
    size_t block = (size_t)t->ref->block;
    t->n = block == 0 ? 1 + below(t, 20) : below(t, 8) ? block : 1 + below(t, (uint32_t)block);
    if (block > 32 && below(t, 8))
        t->n = 1 + below(t, 24);
    t->rows = 1;
    t->columns = t->n;
    ref_shape(t->columns);
}

/* ---- comparing ------------------------------------------------------------------------------- */

/* The inputs of a case for a report: element, size, global scale, expected result. */
static void compare(trial *t, const char *what, size_t i, uint32_t want, uint32_t got)
{
    t->w->found.cases++;
    if (want == got)
        return;
    t->w->what = what;
    inputs(t->w, 3, t->x[i], t->n, t->g);
    mismatch(t->w, -1, 0, (ref_answer){.code = want}, (sf8_result){got, 0});
}

static word canonical(word a)
{
    return (a & 0x7fffffffu) > 0x7f800000u ? 0x7fc00000u : a;
}

static float as_float(word a)
{
    float f;
    memcpy(&f, &a, sizeof f);
    return f;
}

static void quantize(trial *t, const char *level)
{
    static _Thread_local uint16_t halves[REF_BLOCK_MOST];
    const void *src = t->x;
    if (sf8_format_bits(t->from) == 16) {
        int f16 = t->from.exp_bits == 5;
        for (size_t i = 0; i < t->n; i++)
            halves[i] = (uint16_t)(f16 ? ref_narrowed(REF_F16, t->x[i], REF_RNE) : t->x[i] >> 16);
        src = halves;
    }
    t->scale = t->offset = 0;
    if (sf8_quantize_n_at(level, &t->recipe, t->codes, &t->scale, &t->offset, t->from, src, t->rows,
                          t->columns, as_float(t->g)) != SF8_OK)
        abort();
}

/* The library's two ways: one value at a time, and the fastest one. */
static const char *way(int i)
{
    return i == 0 ? "core" : sf8_simd();
}

/* The values of the block's codes with scale and offset, in the tensor's format: the f32, rounded
 * once more. */
static void check_values(trial *t, uint32_t scale, uint32_t offset)
{
    static _Thread_local uint32_t values[2][REF_BLOCK_MOST];
    int bits = sf8_format_bits(t->from);
    enum ref_narrow half = t->from.exp_bits == 5 ? REF_F16 : REF_BF16;
    for (int i = 0; i < 2; i++)
        if (sf8_dequantize_n_at(way(i), &t->recipe, t->from, values[i], t->codes, &scale, &offset,
                                t->rows, t->columns, as_float(t->g)) != SF8_OK)
            abort();
    for (size_t i = 0; i < t->n; i++) {
        word want = canonical(t->ref->value(scale, offset, t->g, t->codes[i]));
        if (bits == 16)
            want = ref_narrowed(half, want, REF_RNE);
        for (int j = 0; j < 2; j++) {
            word got = values[j][i];
            uint16_t narrow;
            if (bits == 16) {
                memcpy(&narrow, (const char *)values[j] + 2 * i, 2);
                got = narrow;
            }
            compare(t, "value", i, want, bits == 16 ? got : canonical(got));
        }
    }
}

/* Returns 1 if the slice checks the next block of its sequence. */
static int is_ours(trial *t)
{
    return t->drawn++ % t->of == t->share;
}

static void check_block(trial *t)
{
    t->ref->quantize(&t->want, t->x, t->n, t->g);
    for (int k = 0; k < 2; k++) {
        quantize(t, way(k));
        compare(t, "scale", 0, t->want.scale, t->scale);
        if (t->recipe.offset_at == SF8_OFFSET_WORD)
            compare(t, "offset", 0, t->want.offset, t->offset);
        for (size_t i = 0; i < t->n; i++)
            compare(t, "code", i, t->want.code[i], t->codes[i]);
    }
}

/* A block as drawn, and its values read back or the values of any scale, offset and codes. */
static void check_drawn(trial *t, unsigned turn)
{
    int ours = is_ours(t);
    uint32_t mask = t->ref->scale_bits == 32 ? UINT32_MAX : (1u << t->ref->scale_bits) - 1;
    draw_size(t);
    block_fill(t, turn % KINDS);
    as_tensor(t, turn / KINDS);
    draw_g(t);
    if (ours)
        check_block(t);
    if (turn & 1) {
        if (ours)
            check_values(t, t->scale, t->offset);
        return;
    }
    for (size_t i = 0; i < t->n; i++)
        t->codes[i] = (uint8_t)below(t, 1u << t->ref->bits);
    uint32_t offset = t->ref->scale_bits == 16 ? below(t, 1u << 16) : number(t, exponent(t));
    uint32_t scale = (uint32_t)word_random(&t->seed) & mask;
    if (ours)
        check_values(t, scale, offset);
}

/* The largest magnitude is each power of two of f32 and its neighbours, subnormal ones too. */
static void check_powers(trial *t)
{
    for (int32_t e = -149; e <= 127; e++)
        for (int32_t beside = -1; beside <= 1; beside++) {
            word power = ref_f32_pow2(e), amax = power + (word)beside;
            draw_size(t);
            use_tensor(t, SF8_F32);
            uint32_t one = below(t, (uint32_t)t->n);
            for (size_t i = 0; i < t->n; i++)
                t->x[i] = ordinary(t, e < -125 ? -126 : e - 1) & (e < -126 ? 0x80000000u : ~0u);
            t->x[one] = amax | (below(t, 2) << 31);
            draw_g(t);
            if (is_ours(t)) {
                check_block(t);
                check_values(t, t->scale, t->offset);
            }
        }
}

/* bf16 values at every position of a block, among neighbours that are at most twice as large. A
 * row, which may have any length, has eight positions. In a block of 128 the neighbours are all
 * equal, so that the reference takes less time. If such a block has several rows, whose first is
 * like a block of one row, each value is tried at every eighth position. */
static void check_places(trial *t, range words, uint64_t step)
{
    t->n = t->ref->block == 0 ? 8 : (size_t)t->ref->block;
    t->rows = 1; /* the first of a block of several */
    t->columns = t->n;
    ref_shape(t->columns);
    use_tensor(t, SF8_BF16);
    for (uint64_t at = words.begin; at < words.end; at += step) {
        int32_t e = (int32_t)(at >> 7 & 255) - 127 + (int32_t)below(t, 3) - 1;
        e = e < -126 ? -126 : e > 127 ? 127 : e;
        size_t stride = sf8_recipe_rows(&t->recipe) > 1 && t->n > 32 ? 8 : 1;
        size_t first = (size_t)(at ^ at >> 5 ^ at >> 10) % stride;
        for (size_t place = first; place < t->n; place += stride) {
            word same = ordinary(t, e);
            for (size_t i = 0; i < t->n; i++)
                t->x[i] = (t->n > 32 ? same : ordinary(t, e)) & 0xffff0000u;
            t->x[place] = (word)at << 16;
            if (place == first)
                draw_g(t);
            if (is_ours(t))
                check_block(t);
        }
    }
}

/* Blocks that are drawn: in the full tier two million; a tenth of that for several rows of 128. */
static unsigned drawn_blocks(const trial *t)
{
    int large = sf8_recipe_rows(&t->recipe) > 1 && t->ref->block > 32;
    return by_tier(t->w, (large ? 200000 : 2000000) / SEQUENCES, 12000, 1000);
}

static void run_blocks(worker *w)
{
    trial *t = calloc(1, sizeof *t);
    if (!t)
        abort();
    ref_f32_open();
    t->w = w;
    t->ref = ref_recipe_at((size_t)w->row->work.arg);
    t->of = w->tier == FULL ? w->row->work.parts / SEQUENCES : 1;
    t->share = w->part % t->of;
    uint64_t sequence = w->part / t->of, words = (1u << 16) * t->of / w->row->work.parts;
    t->seed = ((uint64_t)w->row->work.arg << 32) + sequence;
    if (sf8_recipe_named(&t->recipe, t->ref->name) != SF8_OK) {
        fprintf(stderr, "softfp8-compare-mpfr: the library has no recipe %s\n", t->ref->name);
        exit(2);
    }
    unsigned blocks = drawn_blocks(t);
    for (unsigned turn = 0; turn < blocks; turn++)
        check_drawn(t, turn);
    check_powers(t);
    range places = {words * sequence, words * (sequence + 1)};
    check_places(t, places, by_tier(w, 1, 509, 8209));
    ref_f32_close();
    free(t);
}

/* The reference must have all recipes of the library. */
static void same_recipes(void)
{
    size_t n = 0, known = 0;
    for (const sf8_recipe_row *r; (r = sf8_recipe_at(n)) != NULL; n++)
        for (size_t i = 0; ref_recipe_at(i); i++)
            known += strcmp(ref_recipe_at(i)->name, r->name) == 0;
    if (n != known) {
        fputs("softfp8-compare-mpfr: a recipe is not in the reference\n", stderr);
        exit(2);
    }
}

void add_block_rows(int tier)
{
    const ref_recipe *r;
    same_recipes();
    for (size_t i = 0; (r = ref_recipe_at(i)) != NULL; i++) {
        unsigned parts = strstr(r->name, "4over6") ? SEQUENCES * SHARE : SEQUENCES;
        add_row_named("blocks", r->name, r->element,
                      (work){.modes = r->approximate ? "rcp~" : "exact",
                             .run = run_blocks,
                             .arg = (int)i,
                             .parts = tier == FULL ? parts : 1,
                             .jobs = parts});
    }
}
