/* SPDX-License-Identifier: MIT */
/* prove_block_g.c -- global scales from amax, and operations of programs, against the reference
 *
 * A row blocks-g/NAME compares sf8_recipe_g with straight-line code on MPFR (ref_block_g.c): for
 * tensors of f32, bf16 and f16, at every power of two and its neighbours, at special values, and at
 * numbers drawn from a seed. A row blocks-words/WORD compares an operation of programs on every
 * level with MPFR, near every power of two and at numbers drawn likewise.
 */
#include "rows/rows.h"
#include "softfp8_blocks.h"
#include "mpfr/blocks/ref_block.h"

#include <stdio.h>
#include <stdlib.h>

/* The i-th of the values that are tried; returns 0 past the end. */
static int next_word(uint64_t *seed, unsigned i, unsigned drawn, word *x)
{
    static const word specials[] = {0,           0x80000000u, 0x7f800000u, 0xff800000u,
                                    0x7fc00000u, 0xffc00000u, 1,           0x7f7fffffu};
    enum { BESIDE = 201, POWERS = 277 * BESIDE };
    if (i < sizeof specials / sizeof specials[0]) {
        *x = specials[i];
        return 1;
    }
    i -= (unsigned)(sizeof specials / sizeof specials[0]);
    if (i < POWERS) {
        *x = ref_f32_pow2((long)(i / BESIDE) - 149) + i % BESIDE - BESIDE / 2;
        *x &= 0x7fffffffu;
        return 1;
    }
    *x = (word)(word_random(seed) >> 32);
    return i - POWERS < drawn;
}

static word canonical(word a)
{
    return (a & 0x7fffffffu) > 0x7f800000u ? 0x7fc00000u : a;
}

static void compare(worker *w, const char *what, word x, unsigned format, word want, word got)
{
    w->found.cases++;
    if (canonical(want) == canonical(got))
        return;
    w->what = what;
    inputs(w, 2, x, format, 0);
    mismatch(w, -1, 0, (ref_answer){.code = want}, (sf8_result){got, 0});
}

/* ---- global scales --------------------------------------------------------------------------- */

static void check_g(worker *w, const sf8_recipe *r, ref_global_scale *want, word amax)
{
    const sf8_format formats[3] = {SF8_F32, SF8_BF16, SF8_F16};
    static const int tensors[3] = {REF_NARROWS, REF_BF16, REF_F16};
    for (unsigned k = 0; k < 3; k++) {
        float g, of;
        word got;
        ref_tensor(tensors[k]);
        word x = ref_own(amax & 0x7fffffffu);
        memcpy(&of, &x, sizeof of);
        if (sf8_recipe_g(r, formats[k], of, &g) != SF8_OK)
            abort();
        memcpy(&got, &g, sizeof got);
        compare(w, "g", x, (unsigned)sf8_format_bits(formats[k]), want(x), got);
    }
}

static void run_g(worker *w)
{
    const char *name = ref_recipe_at((size_t)w->row->work.arg)->name;
    uint64_t seed = (uint64_t)w->row->work.arg;
    sf8_recipe r;
    word x;
    ref_f32_open();
    if (sf8_recipe_named(&r, name) != SF8_OK)
        abort();
    for (unsigned i = 0; next_word(&seed, i, by_tier(w, 4000000, 40000, 4000), &x); i++)
        check_g(w, &r, ref_recipe_g(name), x);
    ref_f32_close();
}

/* ---- words ----------------------------------------------------------------------------------- */

typedef word unary(word a);
static const struct {
    const char *name;
    unary *right;
} words[] = {
    {"log2-floor", ref_f32_log2_floor}, {"log2-ceil", ref_f32_log2_ceil},
    {"trunc", ref_f32_trunc},           {"rint", ref_f32_rint},
    {"round", ref_f32_round},
};

enum { AT_ONCE = 512 };

static void check_words(worker *w, const sf8_recipe *r, unary *right, const word *x, size_t n)
{
    static const char *const levels[2] = {"core", NULL};
    uint8_t codes[AT_ONCE] = {0};
    word got[AT_ONCE];
    for (size_t k = 0; k < 2; k++) {
        const char *level = levels[k] ? levels[k] : sf8_simd();
        if (sf8_dequantize_n_at(level, r, SF8_F32, got, codes, x, NULL, 1, n, 0) != SF8_OK)
            abort();
        for (size_t i = 0; i < n; i++)
            compare(w, level, x[i], 0, right(x[i]), got[i]);
    }
}

static void run_words(worker *w)
{
    char text[32];
    sf8_recipe_row made_up = *sf8_recipe_at(0);
    sf8_recipe r;
    uint64_t seed = 1;
    word x[AT_ONCE];
    size_t n = 0;
    snprintf(text, sizeof text, "s %s", words[w->row->work.arg].name);
    made_up.block = 1;
    made_up.scale = "f32";
    made_up.factor_of = "";
    made_up.value_of = text;
    if (sf8_recipe_read(&r, &made_up) != SF8_OK)
        abort();
    ref_f32_open();
    for (unsigned i = 0; next_word(&seed, i, by_tier(w, 20000000, 200000, 20000), &x[n]); i++)
        if (++n == AT_ONCE) {
            check_words(w, &r, words[w->row->work.arg].right, x, n);
            n = 0;
        }
    check_words(w, &r, words[w->row->work.arg].right, x, n);
    ref_f32_close();
}

void add_block_g_rows(void)
{
    for (size_t i = 0; ref_recipe_at(i); i++) {
        sf8_recipe r;
        const char *name = ref_recipe_at(i)->name;
        if (sf8_recipe_named(&r, name) != SF8_OK ||
            (r.g_of.count != 0) != (ref_recipe_g(name) != NULL)) {
            fprintf(stderr,
                    "softfp8-compare-mpfr: the global scale of %s is not in the reference\n", name);
            exit(2);
        }
        if (r.g_of.count)
            add_row_named("blocks-g", name, ref_recipe_at(i)->element,
                          (work){.modes = "rne", .run = run_g, .arg = (int)i, .parts = 1});
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        add_row_named("blocks-words", words[i].name, "e2m1",
                      (work){.modes = "exact", .run = run_words, .arg = (int)i, .parts = 1});
}
