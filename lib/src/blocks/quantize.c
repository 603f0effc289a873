/* SPDX-License-Identifier: MIT */
/* quantize.c -- matrices quantized by loops over lanes: what sf8_block_scale and sf8_block_code do,
 * for many blocks at once */
#include "blocks/block_vector.h"

#if SF8_HAS_X86

#include <immintrin.h>
#include <string.h>

/* ---- scale, offset, factor ------------------------------------------------------------------- */

static void sf8_lanes_store_scales(sf8_lanes *w, size_t n)
{
    const sf8_recipe *r = w->r;
    const uint32_t *words = sf8_lanes_of_blocks(w, &w->scale_of, n);
    memset(w->scale + n, 0, 4 * (sf8_lanes_whole(n) - n));
    if (w->to_scale) {
        uint8_t codes[SF8_LANES_MOST];
        w->to_scale(&w->scale_plan, SF8_SOURCE_F32, codes, (const unsigned char *)words, n);
        for (size_t i = 0; i < n; i++)
            w->scale[i] = codes[i];
    } else {
        for (size_t i = 0; i < n; i++)
            w->scale[i] = sf8_block_stored(r->scale, r->scale_policy, words[i]);
    }
    if (r->scale_zero && r->scale.has_zero) {
        uint32_t mask = (uint32_t)sf8_format_mag_mask(r->scale);
        for (size_t i = 0; i < n; i++)
            w->scale[i] = (w->scale[i] & mask) == 0 ? r->scale_zero : w->scale[i];
    }
    sf8_lanes_read_scales(w, 0, n);
}

static void sf8_lanes_store_offsets(sf8_lanes *w, size_t n)
{
    const sf8_recipe *r = w->r;
    const uint32_t *words = sf8_lanes_of_blocks(w, &r->offset_of, n);
    uint32_t *o = w->block[SF8_VAR_o];
    for (size_t i = 0; i < n; i++) {
        if (r->offset_at == SF8_OFFSET_WORD) {
            w->offset[i] = sf8_block_stored(r->offset, SF8_OCP_NOSAT, words[i]);
            o[i] =
                (uint32_t)sf8_core_convert(SF8_F32, r->offset, w->offset[i], SF8_OCP_NOSAT, 0).code;
        } else {
            o[i] = words[i];
            w->offset[i] = (uint32_t)sf8_core_to_integer(SF8_F32, o[i], 32, 0, SF8_OCP, 0, 0).code &
                           15u;
            w->scale[i] = (w->scale[i] & ~15u) | w->offset[i];
        }
    }
}

static void sf8_lanes_scales(sf8_lanes *w, size_t n)
{
    const sf8_recipe *r = w->r;
    if (w->emax) {
        w->ops->powers(w->scale, w->block[SF8_VAR_s], w->factor, w->block[SF8_VAR_amax], w->more,
                       w->emax, sf8_lanes_whole(n));
        return;
    }
    sf8_lanes_store_scales(w, n);
    if (r->offset_at != SF8_OFFSET_NONE)
        sf8_lanes_store_offsets(w, n);
    if (r->factor_of.count)
        memcpy(w->block[SF8_VAR_f], sf8_lanes_of_blocks(w, &w->factor_of, n), 4 * n);
}

/* ---- codes ----------------------------------------------------------------------------------- */

/* Converts n values at w->stack; returns 0 if one of them needs the core. */
static int32_t sf8_lanes_integers(sf8_lanes *w, uint8_t *codes, size_t n)
{
    const sf8_recipe *r = w->r;
    uint32_t *words = w->stack[0], mask = (2u << (r->integer - 1)) - 1;
    for (size_t i = n; i < sf8_lanes_whole(n); i++)
        words[i] = 0;
    if (r->element_policy.round != SF8_RNE ||
        !w->ops->integers(words, sf8_lanes_whole(n), r->is_signed))
        return 0;
    for (size_t i = 0; i < n; i++)
        codes[i] = (uint8_t)(words[i] & mask);
    return 1;
}

/* Quantizes at most SF8_LANES_MOST elements x of a group, beginning with its element `at`. */
static void sf8_lanes_codes(sf8_lanes *w, const sf8_lanes_group *group, uint8_t *codes,
                            const uint32_t *x, size_t at, size_t n)
{
    const sf8_recipe *r = w->r;
    sf8_block b;
    memcpy(w->element[SF8_VAR_x], x, 4 * n);
    memset(w->element[SF8_VAR_x] + n, 0, 4 * (sf8_lanes_whole(n) - n));
    const uint32_t *words = sf8_lanes_of_elements(w, &r->element_of, group, at, n);
    if (w->to_element) {
        w->to_element(&w->element_plan, SF8_SOURCE_F32, codes, (const unsigned char *)words, n);
        return;
    }
    if (r->integer) {
        if (words != w->stack[0])
            memcpy(w->stack[0], words, 4 * n);
        if (sf8_lanes_integers(w, codes, n))
            return;
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < SF8_VAR_COUNT; k++)
            b.variable[k] = w->asked >> k & 1 ? w->block[k][(at + i) / group->count] : 0;
        codes[i] = (uint8_t)sf8_block_code(r, &b, sf8_lanes_at(x, i));
    }
}

/* ---- products in one pass -------------------------------------------------------------------- */

/* Returns 1 if each of n blocks with elements that are not finite has NaN as its factor. */
static __attribute__((noinline)) int32_t sf8_lanes_all_nan(const sf8_lanes *w, size_t n)
{
    uint32_t beyond = 0;
    for (size_t i = 0; i < n; i++)
        beyond |= (w->block[SF8_VAR_amax][i] >= SF8_F32_INF) & (w->factor[i] != SF8_F32_NAN);
    return !beyond;
}

/* Chooses the shortcut for n blocks. SF8_BY_MAGNITUDE gives NaN the code of an overflow. With
 * finite elements no NaN has a sign, unless a factor is infinite or a divisor is 0. With others
 * none has if the factors of their blocks are NaN. */
static int32_t sf8_lanes_how(const sf8_lanes *w, int32_t factors, size_t n)
{
    const sf8_plan *plan = &w->element_plan;
    if (plan->shortcut != SF8_NO_SHORTCUT || plan->special != (int32_t)SF8_F32_INF ||
        plan->special_code != (int32_t)sf8_format_max(w->r->element) ||
        plan->special_code != plan->over.positive ||
        factors & (w->product.divide ? SF8_FACTOR_ZERO : SF8_FACTOR_INF))
        return plan->shortcut;
    if (!w->has_inf)
        return SF8_BY_MAGNITUDE;
    if (w->product.divide || w->r->amax_nan != SF8_AMAX_NAN ||
        (!w->emax && !sf8_lanes_all_nan(w, n)))
        return plan->shortcut; /* a NaN may have a sign */
    return SF8_BY_MAGNITUDE;
}

/* A product that is subnormal in f32 becomes the code of 0, and so does a subnormal element times a
 * factor that leaves it below half of the smallest number. They may be flushed to 0 at once, which
 * is much faster on some processors. A subnormal factor must be kept. */
static unsigned int sf8_lanes_tiny(const sf8_lanes *w, sf8_lanes_gauge factors)
{
    const sf8_plan *plan = &w->element_plan;
    int32_t small = (int32_t)(factors.most >> 23) <= plan->least - plan->man_bits + 124;
    int32_t tiny = factors.has & SF8_FACTOR_SUBNORMAL;
    return SF8_LANES_NO_TINY | (small && !tiny ? (unsigned int)SF8_LANES_TAKE_NO_TINY : 0);
}

/* Quantizes a group of at most one piece. Returns 0 if this way cannot do it. */
static int32_t sf8_lanes_scaled(sf8_lanes *w, const sf8_in_blocks *q, const sf8_lanes_group *group,
                                uint8_t *row, size_t column, const uint32_t *x)
{
    const sf8_plan *plan = &w->element_plan;
    int32_t shift = sf8_lanes_shift(w->r, group), divide = w->product.divide;
    int32_t by_kernel = w->to_element && w->arrays->scaled && plan->plain && plan->round == SF8_RNE;
    size_t n = group->count * group->blocks;
    if (!w->product.is || !w->to_element || plan->nan.differs || shift == 0 ||
        (divide && !by_kernel))
        return 0;
    sf8_lanes_gauge factors = w->emax ? w->ops->factors(w->factor, w->factor,
                                                        sf8_lanes_whole(group->blocks))
                                      : sf8_lanes_factors(w, group->blocks);
    int32_t there = q->bits == 8 || (q->bits == 4 && by_kernel);
    uint8_t *codes = there ? row + column * (size_t)q->bits / 8 : w->codes;
    if (by_kernel) {
        sf8_scaling s = {sf8_lanes_how(w, factors.has, group->blocks),
                         divide,
                         there && q->bits == 4,
                         shift,
                         w->product.more,
                         x == w->words ? 0 : 4 * n};
        if (!divide)
            _mm_setcsr(SF8_MXCSR_NEAREST | sf8_lanes_tiny(w, factors));
        w->arrays->scaled(plan, &s, codes, x, w->factor, n);
        _mm_setcsr(SF8_MXCSR_NEAREST);
    } else {
        if (n % SF8_LANES_STEP)
            return 0;
        w->ops->scale(w->words, x, w->factor, shift, n);
        w->to_element(plan, SF8_SOURCE_F32, codes, (const unsigned char *)w->words, n);
    }
    if (!there)
        sf8_codes_put(q->bits, row, column, codes, n);
    return 1;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Quantizes a group whose first element is at `column` of a row and is the i-th of the tensor. */
static void sf8_lanes_quantize_group(sf8_lanes *w, const sf8_in_blocks *q,
                                     const sf8_lanes_group *group, uint8_t *row, size_t column,
                                     size_t i)
{
    size_t n = group->count * group->blocks;
    sf8_lanes_ranges(w, group, q->words, i);
    sf8_lanes_scales(w, group->blocks);
    for (size_t at = 0; at < n; at += SF8_LANES_PIECE) {
        size_t piece = n - at < SF8_LANES_PIECE ? n - at : SF8_LANES_PIECE;
        const uint32_t *x = sf8_lanes_load(w, q->words, i + at, piece);
        if (piece == n && sf8_lanes_scaled(w, q, group, row, column, x))
            return;
        uint8_t *codes = q->bits == 8 ? row + column + at : w->codes;
        for (size_t k = 0; k < piece; k += SF8_LANES_MOST) {
            size_t some = piece - k < SF8_LANES_MOST ? piece - k : SF8_LANES_MOST;
            sf8_lanes_codes(w, group, codes + k, x + k, at + k, some);
        }
        if (codes == w->codes)
            sf8_codes_put(q->bits, row, column + at, codes, piece);
    }
}

/* Stores scales and offsets of n blocks; the first of them has the number `done`. */
static void sf8_lanes_put_scales(const sf8_lanes *w, const sf8_in_blocks *q, size_t done, size_t n)
{
    uint8_t *bytes = q->scale_bytes ? q->scale_bytes + done : NULL;
    if (bytes)
        for (size_t i = 0; i < n; i++)
            bytes[i] = (uint8_t)w->scale[i];
    else
        memcpy(q->scales + done, w->scale, 4 * n);
    if (w->r->offset_at == SF8_OFFSET_WORD)
        memcpy(q->offsets + done, w->offset, 4 * n);
}

static __attribute__((noinline)) void sf8_lanes_quantize_rows(sf8_lanes *w, const sf8_in_blocks *q)
{
    size_t block = w->r->block ? (size_t)w->r->block : q->columns, done = 0;
    size_t bytes = sf8_packed_size(q->bits, q->columns);
    for (size_t row = 0; row < q->rows; row++) {
        sf8_lanes_group group;
        for (size_t at = 0; at < q->columns; at += group.count * group.blocks) {
            group = sf8_lanes_next(block, q->columns - at);
            sf8_lanes_quantize_group(w, q, &group, q->codes + row * bytes, at,
                                     row * q->columns + at);
            sf8_lanes_put_scales(w, q, done, group.blocks);
            done += group.blocks;
        }
    }
}

static sf8_encoder *sf8_lanes_encoder(const sf8_lanes *w, sf8_plan *plan, sf8_format to,
                                      sf8_policy policy)
{
    return sf8_plan_make(plan, to, SF8_F32, policy) ? sf8_array_encoder(w->arrays, plan) : NULL;
}

/* Returns 1 if all numbers beyond `most`, on both sides, and infinity have the code of `most`. */
static int32_t sf8_lanes_saturates(const sf8_recipe *r, uint32_t most)
{
    const uint32_t beyond[] = {most + 1, 0x7f7fffffu, SF8_F32_INF};
    int32_t same = most < SF8_F32_INF;
    for (int32_t i = 0; i < 6; i++) {
        uint32_t sign = i < 3 ? 0 : 0x80000000u;
        same &= sf8_block_stored(r->element, r->element_policy, beyond[i % 3] | sign) ==
                sf8_block_stored(r->element, r->element_policy, most | sign);
    }
    return same;
}

/* The program over elements, without "-6 nmax 6 nmin" at its end where the codes are the same
 * without it: the rest may be a product. NaN stays NaN in both. */
static void sf8_lanes_unclamped(sf8_program *p, const sf8_recipe *r)
{
    sf8_lanes_of_f32(p, &r->element_of);
    const sf8_term *t = p->term + (p->count > 4 ? p->count - 4 : 0);
    if (p->count > 4 && !r->integer && t[0].op == SF8_TERM_NUMBER && t[1].op == SF8_TERM_NAN_MAX &&
        t[2].op == SF8_TERM_NUMBER && t[3].op == SF8_TERM_NAN_MIN &&
        t[0].word == (t[2].word | 0x80000000u) && sf8_lanes_saturates(r, t[2].word))
        p->count -= 4;
}

/* A division by a power of two is a multiplication. */
static void sf8_lanes_turn(sf8_lanes *w)
{
    const sf8_format powers = SF8_E8M0;
    sf8_program *p = &w->product.factor_of;
    w->inverse = 0;
    if (w->product.is && w->product.divide && w->product.more && p->count == 1 &&
        p->term[0].op == SF8_TERM_VARIABLE && p->term[0].word == SF8_VAR_s &&
        memcmp(&w->r->scale, &powers, sizeof powers) == 0) {
        p->term[1].op = SF8_TERM_RCP;
        p->count = 2;
        w->product.divide = 0;
        w->inverse = 1;
    }
}

/* What each exponent operation adds to a bit pattern; -1 for another operation. */
static int32_t sf8_lanes_more(uint32_t op)
{
    switch (op) {
    case SF8_TERM_EXPONENT:
        return 0;
    case SF8_TERM_EXP_UP:
        return 0x007fffff;
    case SF8_TERM_EXP_EVEN1:
        return 1 << 21;
    case SF8_TERM_EXP_EVEN2:
        return 1 << 20;
    case SF8_TERM_EXP_EVEN3:
        return 1 << 19;
    default:
        return -1;
    }
}

/* The integer from 1 to 31 that a number is; or 0. */
static int32_t sf8_lanes_small(uint32_t word)
{
    int32_t drop = 150 - (int32_t)(word >> 23); /* the bits of a fraction, 23 for numbers below 2 */
    uint32_t significand = (word & 0x007fffffu) | 0x00800000u;
    if (drop < 19 || drop > 23 || significand & ((1u << drop) - 1))
        return 0;
    return (int32_t)(significand >> drop);
}

/* Recognises "amax exponent 2 - pow2", with any of the exponent operations and any emax, and
 * products with 1 / s. */
static void sf8_lanes_powers(sf8_lanes *w)
{
    const sf8_recipe *r = w->r;
    const sf8_term *t = r->scale_of.term;
    w->emax = 0;
    if (r->scale_of.count != 5 || !sf8_same_format(r->scale, SF8_E8M0) ||
        !sf8_same_policy(r->scale_policy, SF8_OCP_NOSAT) || r->scale_zero || r->factor_of.count ||
        r->offset_at != SF8_OFFSET_NONE || r->amax_nan != SF8_AMAX_NAN || !w->inverse)
        return;
    int32_t more = sf8_lanes_more(t[1].op);
    if (t[0].op != SF8_TERM_VARIABLE || t[0].word != SF8_VAR_amax || more < 0 ||
        t[2].op != SF8_TERM_NUMBER || t[3].op != SF8_TERM_SUB || t[4].op != SF8_TERM_POW2)
        return;
    w->more = (uint32_t)more;
    w->emax = sf8_lanes_small(t[2].word);
}

SF8_PRIVATE int32_t sf8_lanes_quantize(const sf8_level *level, const sf8_in_blocks *q)
{
    const sf8_recipe *r = q->r;
    sf8_in_blocks all = *q;
    sf8_program over;
    sf8_lanes w;
    sf8_lanes_unclamped(&over, r);
    if (sf8_lanes_one_row(r, q->columns, q->bits)) {
        all.rows = q->rows != 0;
        all.columns = q->rows * q->columns;
    }
    unsigned int mxcsr = sf8_floats_begin();
    if (!sf8_lanes_begin(&w, level, r, &over, SF8_VAR_x, all.tensor, all.columns, all.g)) {
        _mm_setcsr(mxcsr);
        return 0;
    }
    sf8_lanes_turn(&w);
    sf8_lanes_powers(&w);
    w.to_element = r->integer
                       ? NULL
                       : sf8_lanes_encoder(&w, &w.element_plan, r->element, r->element_policy);
    w.to_scale = NULL;
    if (!w.emax)
        w.to_scale = sf8_lanes_encoder(&w, &w.scale_plan, r->scale, r->scale_policy);
    sf8_lanes_quantize_rows(&w, &all);
    _mm_setcsr(mxcsr);
    return 1;
}

#endif
