/* SPDX-License-Identifier: MIT */
/* prove_block_dot.c -- matrix products of quantized blocks against exact sums of MPFR
 *
 * A case is one element of a product of two small matrices, whose codes and scales are drawn from a
 * seed: any bits; numbers close to each other, so that sums cancel; few bits, so that they tie.
 */
#include "rows/rows.h"
#include "softfp8_blocks.h"
#include "mpfr/blocks/ref_block.h"

#include <stdlib.h>

enum { ROWS = 3, MOST = 70 };

typedef struct side {
    const char *recipe;
    enum ref_narrow element, scale;
    int block, bits, scale_bits; /* scales of 32 bits are f32 */
} side;

static const side sides[] = {
    {"nvfp4-te", REF_E2M1, REF_E4M3, 16, 4, 7},
    {"nvfp4-torchao", REF_E2M1, REF_E4M3, 16, 4, 8},
    {"mxfp4-floor", REF_E2M1, REF_E8M0, 32, 4, 8},
    {"mxfp6-e3m2-even", REF_E3M2, REF_E8M0, 32, 6, 8},
    {"mxfp8-e4m3-floor", REF_E4M3, REF_E8M0, 32, 8, 8},
    {"mxfp8-e5m2-rceil", REF_E5M2, REF_E8M0, 32, 8, 8},
    {"fp8-group128", REF_E4M3, REF_E8M0, 128, 8, 32},
    {"fp8-per-token", REF_E4M3, REF_E8M0, 0, 8, 32},
};
enum { SIDES = sizeof sides / sizeof sides[0] };

typedef struct matrix {
    const side *s;
    sf8_recipe recipe;
    uint8_t codes[ROWS * MOST];
    uint32_t scales[ROWS * MOST];
    sf8_blocks blocks;
    size_t a_row; /* blocks of a row */
} matrix;

static uint32_t draw(uint64_t *seed)
{
    return (uint32_t)(word_random(seed) >> 32);
}

/* Scales: any; of nearly one size; powers of two of f32. */
static uint32_t draw_scale(const side *s, uint64_t *seed, unsigned turn)
{
    uint32_t r = draw(seed);
    if (s->scale_bits == 32)
        return turn % 4 == 0 ? r
                             : ((r & 0x83ffffffu) | 0x3c000000u) & (turn & 1 ? ~0u : 0xffff0000u);
    if (turn % 4 == 0)
        return r & ((1u << s->scale_bits) - 1);
    return s->scale == REF_E8M0 ? 120 + r % 15 : 0x30 + r % 16;
}

static void draw_matrix(matrix *m, const side *s, uint64_t *seed, size_t k, unsigned turn)
{
    m->s = s;
    if (sf8_recipe_named(&m->recipe, s->recipe) != SF8_OK)
        abort();
    m->a_row = sf8_recipe_blocks(&m->recipe, k);
    for (size_t i = 0; i < ROWS * k; i++) {
        m->codes[i] = (uint8_t)(draw(seed) & ((1u << s->bits) - 1));
        if (turn % 3 != 0 && s->bits == 8) /* few specials */
            m->codes[i] &= 0xbf;
    }
    for (size_t i = 0; i < ROWS * m->a_row; i++)
        m->scales[i] = draw_scale(s, seed, turn);
    m->blocks = (sf8_blocks){&m->recipe, m->codes, m->scales, NULL, 1};
}

static word scale_word(const matrix *m, size_t row_of, size_t i)
{
    size_t block = m->s->block ? i / (size_t)m->s->block : 0;
    uint32_t code = m->scales[row_of * m->a_row + block];
    return m->s->scale_bits == 32 ? code : ref_widened(m->s->scale, code);
}

/* Element i of an array of words of 16, 32 or 64 bits. */
static uint64_t word_at(const void *words, size_t i, int32_t bits)
{
    uint16_t half;
    uint32_t single;
    uint64_t both;
    if (bits == 16) {
        memcpy(&half, (const char *)words + 2 * i, sizeof half);
        return half;
    }
    if (bits == 32) {
        memcpy(&single, (const char *)words + 4 * i, sizeof single);
        return single;
    }
    memcpy(&both, (const char *)words + 8 * i, sizeof both);
    return both;
}

static void check_product(worker *w, const matrix *a, const matrix *b, size_t k, int f, word alpha,
                          int mode)
{
    static const unsigned rounds[3] = {SF8_RNE, SF8_RU, SF8_RZ};
    static const mpfr_rnd_t rnd[3] = {MPFR_RNDN, MPFR_RNDU, MPFR_RNDZ};
    sf8_policy policy = SF8_OCP_NOSAT;
    sf8_format to = f == 0 ? SF8_F64 : f == 1 ? SF8_F32 : f == 2 ? SF8_BF16 : SF8_F16;
    uint64_t got[ROWS * ROWS] = {0};
    float factor;
    word factors[MOST][4];
    policy.round = rounds[mode] & SF8_ROUND_MASK;
    memcpy(&factor, &alpha, sizeof factor);
    if (sf8_blocks_matmul(to, policy, got, &a->blocks, ROWS, &b->blocks, ROWS, k, factor) != SF8_OK)
        abort();
    for (size_t at = 0; at < ROWS * ROWS; at++) {
        size_t i = at / ROWS, j = at % ROWS;
        uint64_t word_got = word_at(got, at, sf8_format_bits(to));
        for (size_t c = 0; c < k; c++) {
            factors[c][0] = ref_widened(a->s->element, a->codes[i * k + c]);
            factors[c][1] = scale_word(a, i, c);
            factors[c][2] = ref_widened(b->s->element, b->codes[j * k + c]);
            factors[c][3] = scale_word(b, j, c);
        }
        uint64_t want = ref_dot(f, rnd[mode], (const word(*)[4])factors, k, alpha);
        w->found.cases++;
        if (want != word_got) {
            w->what = ref_dot_format(f);
            inputs(w, 3, k, at, alpha);
            mismatch(w, -1, 0, (ref_answer){.code = want}, (sf8_result){word_got, 0});
        }
    }
}

static void run_dot(worker *w)
{
    static _Thread_local matrix a, b;
    uint64_t seed = (uint64_t)w->row->work.arg << 32 | w->part;
    unsigned turns = by_tier(w, 4000, 150, 30);
    ref_f32_open();
    for (unsigned turn = 0; turn < turns; turn++) {
        size_t k = turn % 8 == 0 ? turn / 8 % 4 : 1 + draw(&seed) % MOST;
        draw_matrix(&a, &sides[w->row->work.arg / SIDES], &seed, k, turn);
        draw_matrix(&b, &sides[w->row->work.arg % SIDES], &seed, k, turn);
        word alpha = turn % 5 == 0 ? draw(&seed) : 0x3f800000u | (draw(&seed) & 0x80700000u);
        check_product(w, &a, &b, k, (int)(turn / 2 % REF_DOT_FORMATS), alpha, (int)(turn % 3));
    }
    ref_f32_close();
}

void add_block_dot_rows(void)
{
    for (int i = 0; i < SIDES; i++)
        for (int j = 0; j <= i; j++)
            add_row_named(
                "blocks-dot", sides[i].recipe, "e4m3",
                (work){.modes = sides[j].recipe, .run = run_dot, .arg = i * SIDES + j, .parts = 1});
}
