/* SPDX-License-Identifier: MIT */
/* block.h -- a block of elements with a scale: how one recipe quantizes it and reads it back
 *
 * A recipe is data. The steps, each of them a program (program.h) or a conversion (convert.h):
 *
 *     amax, peak           of the elements; low and high likewise
 *     scale    s           the program `scale_of`, stored in the scale's format; a zero may have a
 *                          code of its own; s is what the reader will see
 *     offset   o           `offset_of`, stored likewise
 *     factor   f           `factor_of`
 *     codes                `element_of` each element, converted to the element's format
 *     and back             `value_of` each code
 *
 * All are words of f32, whatever the tensor's own format was: f16 and bf16 are exact in it.
 */
#ifndef SOFTFP8_BLOCK_H
#define SOFTFP8_BLOCK_H

#include "program.h"

/* amax_nan: a NaN among the elements is passed over, as long as there is a number, or is what the
 * largest magnitude, the least and the largest element are. */
enum { SF8_AMAX_NUMBER, SF8_AMAX_NAN };

/* offset_at: there is none; it has a word of its own; it lies in the last 4 bits of the scale's
 * word, where the reader clears it. */
enum { SF8_OFFSET_NONE, SF8_OFFSET_WORD, SF8_OFFSET_IN_SCALE };

/* has_g: what the second scale is. Where it comes from is the program g_of. */
enum {
    SF8_G_NONE,
    SF8_G_ENCODE, /* scales were multiplied by it: values are divided by it */
    SF8_G_DECODE, /* the inverse of that */
    SF8_G_GIVEN   /* a number that the programs alone know the use of */
};

/* per: what a row of the recipe is in a tensor of tokens and heads, or each of its blocks lies in.
 * Of a row of the caller's own it may be left open. */
enum {
    SF8_PER_ROW,        /* it is not said */
    SF8_PER_NONE,       /* the tensor; the scale is a constant, and stored nowhere */
    SF8_PER_TENSOR,     /* the tensor; where the scale is given, a head of it too */
    SF8_PER_TOKEN,      /* a token with all its heads */
    SF8_PER_TOKEN_HEAD, /* a head of a token */
    SF8_PER_BLOCK,      /* a head of a token, cut into blocks */
    SF8_PER_COUNT
};

typedef struct sf8_recipe {
    sf8_format element, scale, offset;
    sf8_env element_env, scale_env;
    int32_t integer; /* elements are integers of so many bits, in two's complement if signed */
    int32_t is_signed;
    int32_t block; /* elements of a row with one scale; 0: the whole row */
    int32_t per;   /* what a row is: SF8_PER_ROW ... */
    int32_t has_g; /* SF8_G_NONE if there is no second scale */
    uint32_t amax_nan, offset_at;
    uint32_t scale_zero; /* the code that stands where the scale is zero; 0: none */
    sf8_program scale_of, offset_of, factor_of, element_of, value_of;
    sf8_program g_of; /* of the amax of the tensor; no terms: it is not said */
} sf8_recipe;

/* A block's own words: the codes of scale and offset, and what they are as f32. */
typedef struct sf8_block {
    uint32_t scale, offset;
    uint32_t variable[SF8_VAR_COUNT];
} sf8_block;

SF8_FN uint32_t sf8_recipe_bits(const sf8_recipe *r)
{
    return (uint32_t)(r->integer ? r->integer : sf8_format_bits(r->element));
}

/* Whether the scale is g itself, the same for all blocks. */
SF8_FN int32_t sf8_recipe_scale_given(const sf8_recipe *r)
{
    return r->has_g == SF8_G_GIVEN && r->scale_of.count == 1 &&
           r->scale_of.term[0].op == SF8_TERM_VARIABLE && r->scale_of.term[0].word == SF8_VAR_g;
}

/* ---- the format of the tensor ---------------------------------------------------------------- */

SF8_FN uint32_t sf8_program_has(const sf8_program *p, uint32_t op)
{
    uint32_t has = 0;
    for (int32_t i = 0; i < p->count; i++)
        has |= p->term[i].op == op;
    return has;
}

SF8_FN void sf8_program_swap(sf8_program *p, uint32_t op, uint32_t by)
{
    for (int32_t i = 0; i < p->count; i++)
        p->term[i].op = p->term[i].op == op ? by : p->term[i].op;
}

/* Whether a program rounds to the format of the tensor. */
SF8_FN uint32_t sf8_recipe_has_own(const sf8_recipe *r)
{
    return sf8_program_has(&r->scale_of, SF8_TERM_OWN) |
           sf8_program_has(&r->offset_of, SF8_TERM_OWN) |
           sf8_program_has(&r->factor_of, SF8_TERM_OWN) |
           sf8_program_has(&r->element_of, SF8_TERM_OWN) |
           sf8_program_has(&r->value_of, SF8_TERM_OWN) | sf8_program_has(&r->g_of, SF8_TERM_OWN);
}

/* The recipe for a tensor of f32, bf16 or f16, that of the source when it is quantized and that of
 * the result when it is read back: r itself where no program has `own`, or f32 is the tensor's
 * format; else *room, where `own` is bf16 or f16. The functions of softfp8_blocks.h do this
 * themselves; those below take the recipe as it is. */
SF8_LONG const sf8_recipe *sf8_recipe_for(const sf8_recipe *r, sf8_format of, sf8_recipe *room)
{
    uint32_t by = of.exp_bits == 8 ? SF8_TERM_BF16 : SF8_TERM_F16;
    if (sf8_format_bits(of) != 16 || !sf8_recipe_has_own(r))
        return r;
    *room = *r;
    sf8_program_swap(&room->scale_of, SF8_TERM_OWN, by);
    sf8_program_swap(&room->offset_of, SF8_TERM_OWN, by);
    sf8_program_swap(&room->factor_of, SF8_TERM_OWN, by);
    sf8_program_swap(&room->element_of, SF8_TERM_OWN, by);
    sf8_program_swap(&room->value_of, SF8_TERM_OWN, by);
    sf8_program_swap(&room->g_of, SF8_TERM_OWN, by);
    return room;
}

/* The second scale of a tensor from its largest magnitude, by a recipe of sf8_recipe_for; NaN where
 * it is not said. */
SF8_LONG uint32_t sf8_recipe_g_word(const sf8_recipe *r, uint32_t amax)
{
    uint32_t variable[SF8_VAR_COUNT];
    for (int32_t i = 0; i < SF8_VAR_COUNT; i++)
        variable[i] = 0;
    variable[SF8_VAR_amax] = amax;
    return r->g_of.count ? sf8_program_run(&r->g_of, variable) : SF8_F32_NAN;
}

/* Before the first element: all are NaN so far. */
SF8_FN void sf8_block_begin(sf8_block *b, uint32_t g)
{
    for (int32_t i = 0; i < SF8_VAR_COUNT; i++)
        b->variable[i] = 0;
    b->variable[SF8_VAR_amax] = b->variable[SF8_VAR_low] = b->variable[SF8_VAR_high] = SF8_F32_NAN;
    b->variable[SF8_VAR_peak] = SF8_F32_NAN;
    b->variable[SF8_VAR_g] = g;
    b->scale = b->offset = 0;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* The block as its reader sees it, who knows no element: scale, offset and factor. */
SF8_LONG void sf8_block_read(const sf8_recipe *r, sf8_block *b, uint32_t scale, uint32_t offset,
                             uint32_t g)
{
    uint32_t word = scale;
    sf8_block_begin(b, g);
    b->scale = scale;
    b->offset = offset;
    if (r->offset_at == SF8_OFFSET_IN_SCALE) {
        word = scale & ~15u;
        b->variable[SF8_VAR_o] = sf8_f32_of((int32_t)(scale & 15u));
    } else if (r->offset_at == SF8_OFFSET_WORD) {
        b->variable[SF8_VAR_o] =
            (uint32_t)sf8_core_convert(SF8_F32, r->offset, offset, SF8_OCP_NOSAT, 0).code;
    }
    b->variable[SF8_VAR_s] =
        (uint32_t)sf8_core_convert(SF8_F32, r->scale, word, SF8_OCP_NOSAT, 0).code;
    if (r->factor_of.count)
        b->variable[SF8_VAR_f] = sf8_program_run(&r->factor_of, b->variable);
}

/* What a code stands for, before any scale, as f32. */
SF8_FN uint32_t sf8_block_element(const sf8_recipe *r, uint32_t code)
{
    if (!r->integer)
        return (uint32_t)sf8_core_convert(SF8_F32, r->element, code, SF8_OCP_NOSAT, 0).code;
    uint32_t sign = r->is_signed ? 1u << (r->integer - 1) : 0;
    code &= (2u << (r->integer - 1)) - 1;
    return sf8_f32_of((int32_t)(code ^ sign) - (int32_t)sign);
}

/* The value of a code in such a block, as f32. */
SF8_LONG uint32_t sf8_block_value(const sf8_recipe *r, sf8_block *b, uint32_t code)
{
    b->variable[SF8_VAR_e] = sf8_block_element(r, code);
    return sf8_program_run(&r->value_of, b->variable);
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Takes an element into account; `first` if there was none before. */
SF8_LONG void sf8_block_take(const sf8_recipe *r, sf8_block *b, uint32_t x, uint32_t first)
{
    uint32_t *v = b->variable;
    if (r->amax_nan == SF8_AMAX_NAN && !first &&
        (sf8_f32_is_nan(x) || sf8_f32_is_nan(v[SF8_VAR_amax]))) {
        v[SF8_VAR_amax] = v[SF8_VAR_low] = v[SF8_VAR_high] = v[SF8_VAR_peak] = SF8_F32_NAN;
        return;
    }
    if (sf8_f32_is_nan(v[SF8_VAR_peak]) ||
        (!sf8_f32_is_nan(x) && sf8_f32_magnitude(x) > sf8_f32_magnitude(v[SF8_VAR_peak])))
        v[SF8_VAR_peak] = x;
    v[SF8_VAR_amax] = sf8_f32_most(v[SF8_VAR_amax], sf8_f32_magnitude(x));
    v[SF8_VAR_low] = sf8_f32_least(v[SF8_VAR_low], x);
    v[SF8_VAR_high] = sf8_f32_most(v[SF8_VAR_high], x);
}

SF8_LONG uint32_t sf8_block_stored(sf8_format f, sf8_env env, uint32_t word)
{
    return (uint32_t)sf8_core_convert(f, SF8_F32, word, env, 0).code;
}

/* When all elements were taken: scale, offset and factor. What follows computes with the scale as
 * it is stored, but for an offset that is put into its word afterwards. */
SF8_LONG void sf8_block_scale(const sf8_recipe *r, sf8_block *b)
{
    uint32_t *v = b->variable;
    b->scale = sf8_block_stored(r->scale, r->scale_env, sf8_program_run(&r->scale_of, v));
    if (r->scale_zero && r->scale.has_zero && (b->scale & sf8_format_mag_mask(r->scale)) == 0)
        b->scale = r->scale_zero;
    v[SF8_VAR_s] = (uint32_t)sf8_core_convert(SF8_F32, r->scale, b->scale, SF8_OCP_NOSAT, 0).code;
    if (r->offset_at == SF8_OFFSET_WORD) {
        b->offset = sf8_block_stored(r->offset, SF8_OCP_NOSAT, sf8_program_run(&r->offset_of, v));
        v[SF8_VAR_o] =
            (uint32_t)sf8_core_convert(SF8_F32, r->offset, b->offset, SF8_OCP_NOSAT, 0).code;
    } else if (r->offset_at == SF8_OFFSET_IN_SCALE) {
        v[SF8_VAR_o] = sf8_program_run(&r->offset_of, v);
        b->offset =
            (uint32_t)sf8_core_to_integer(SF8_F32, v[SF8_VAR_o], 32, 0, SF8_OCP, 0, 0).code & 15u;
        b->scale = (b->scale & ~15u) | b->offset;
    }
    if (r->factor_of.count)
        v[SF8_VAR_f] = sf8_program_run(&r->factor_of, v);
}

/* The code of an element. */
SF8_LONG uint32_t sf8_block_code(const sf8_recipe *r, sf8_block *b, uint32_t x)
{
    b->variable[SF8_VAR_x] = x;
    uint32_t word = sf8_program_run(&r->element_of, b->variable);
    if (!r->integer)
        return sf8_block_stored(r->element, r->element_env, word);
    uint64_t i = sf8_core_to_integer(SF8_F32, word, 32, r->is_signed, r->element_env, 0, 0).code;
    return (uint32_t)i & ((2u << (r->integer - 1)) - 1);
}

#endif
