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
 * A row may have a second program of the scale: then each block takes that of the two scales by
 * which its elements have the smaller error. All are words of f32, whatever the tensor's own format
 * was: f16 and bf16 are exact in it.
 */
#ifndef SOFTFP8_BLOCK_H
#define SOFTFP8_BLOCK_H

#include "softfp8/blocks/program.h"

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

/* errors: how those of a row of a block are added up where there is a choice between two scales: in
 * order; each two neighbours first; each half of the row, then the halves; or the largest of them.
 * Rows are joined two by two, i and i + rows / 2 and so on. */
enum { SF8_ERRORS_SUM, SF8_ERRORS_PAIRS, SF8_ERRORS_HALVES, SF8_ERRORS_MOST };

/* nibbles: which two codes of 4 bits a byte has: neighbours, or j and j + block / 2, j low. */
enum { SF8_NIBBLES_NEXT, SF8_NIBBLES_HALF };

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
    sf8_policy element_policy, scale_policy;
    int32_t integer; /* elements are integers of so many bits, in two's complement if signed */
    int32_t is_signed;
    int32_t block; /* elements of a row with one scale; 0: the whole row */
    int32_t rows;  /* rows that share the scale, one below the other; 0 means 1 */
    int32_t per;   /* what a row is: SF8_PER_ROW ... */
    int32_t has_g; /* SF8_G_NONE if there is no second scale */
    uint32_t amax_nan, offset_at;
    uint32_t scale_zero; /* the code that stands where the scale is zero; 0: none */
    sf8_program scale_of, offset_of, factor_of, element_of, value_of;
    sf8_program g_of; /* of the amax of the tensor; no terms: it is not said */
    /* A second program of the scale, or no terms; the error of an element, with e its code's value;
     * and whether the second scale is taken where both have the same error too. */
    sf8_program second_of, error_of;
    uint32_t errors, tie_second;
    uint32_t nibbles;
    int32_t image; /* how many blocks have their scales together before their codes; 0: no image */
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
           sf8_program_has(&r->value_of, SF8_TERM_OWN) | sf8_program_has(&r->g_of, SF8_TERM_OWN) |
           sf8_program_has(&r->second_of, SF8_TERM_OWN) |
           sf8_program_has(&r->error_of, SF8_TERM_OWN);
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
    sf8_program_swap(&room->second_of, SF8_TERM_OWN, by);
    sf8_program_swap(&room->error_of, SF8_TERM_OWN, by);
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

SF8_LONG uint32_t sf8_block_stored(sf8_format f, sf8_policy policy, uint32_t word)
{
    return (uint32_t)sf8_core_convert(f, SF8_F32, word, policy, 0).code;
}

/* When all elements were taken: scale, offset and factor, by a program of the scale. What follows
 * computes with the scale as it is stored, but for an offset that is put into its word afterwards.
 */
SF8_LONG void sf8_block_scale_by(const sf8_recipe *r, sf8_block *b, const sf8_program *scale_of)
{
    uint32_t *v = b->variable;
    b->scale = sf8_block_stored(r->scale, r->scale_policy, sf8_program_run(scale_of, v));
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

SF8_FN void sf8_block_scale(const sf8_recipe *r, sf8_block *b)
{
    sf8_block_scale_by(r, b, &r->scale_of);
}

/* The code of an element. */
SF8_LONG uint32_t sf8_block_code(const sf8_recipe *r, sf8_block *b, uint32_t x)
{
    b->variable[SF8_VAR_x] = x;
    uint32_t word = sf8_program_run(&r->element_of, b->variable);
    if (!r->integer)
        return sf8_block_stored(r->element, r->element_policy, word);
    uint64_t i = sf8_core_to_integer(SF8_F32, word, 32, r->is_signed, r->element_policy, 0, 0).code;
    return (uint32_t)i & ((2u << (r->integer - 1)) - 1);
}

/* ---- the choice between two scales ----------------------------------------------------------- */

enum { SF8_CHOICE_ROWS = 128 };

/* The block with either scale, and its errors so far. */
typedef struct sf8_choice {
    sf8_block block[2];
    uint32_t part[2][2];              /* of the row at hand */
    uint32_t row[2][SF8_CHOICE_ROWS]; /* of whole rows */
} sf8_choice;

SF8_FN uint32_t sf8_recipe_rows(const sf8_recipe *r)
{
    return r->rows > 1 ? (uint32_t)r->rows : 1;
}

SF8_FN uint32_t sf8_recipe_chooses(const sf8_recipe *r)
{
    return r->second_of.count != 0;
}

/* With a block of which all elements were taken; then each of them once more, in the same order. */
SF8_LONG void sf8_choice_begin(const sf8_recipe *r, sf8_choice *c, const sf8_block *taken)
{
    c->block[0] = c->block[1] = *taken;
    sf8_block_scale_by(r, &c->block[0], &r->scale_of);
    sf8_block_scale_by(r, &c->block[1], &r->second_of);
    for (int32_t k = 0; k < 2; k++)
        for (int32_t i = 0; i < SF8_CHOICE_ROWS; i++)
            c->row[k][i] = 0;
}

SF8_FN uint32_t sf8_choice_joined(const sf8_recipe *r, uint32_t a, uint32_t b)
{
    return r->errors == SF8_ERRORS_MOST ? sf8_f32_most_or_nan(a, b) : sf8_f32_add(a, b);
}

SF8_LONG uint32_t sf8_choice_error(const sf8_recipe *r, sf8_block *b, uint32_t x)
{
    b->variable[SF8_VAR_e] = sf8_block_element(r, sf8_block_code(r, b, x));
    return sf8_program_run(&r->error_of, b->variable);
}

/* The element so far down and across in the block, which is so wide. */
SF8_LONG void sf8_choice_take(const sf8_recipe *r, sf8_choice *c, uint32_t x, uint32_t down,
                              uint32_t across, uint32_t wide)
{
    uint32_t last = across + 1 == wide;
    for (int32_t k = 0; k < 2; k++) {
        uint32_t *part = c->part[k], error = sf8_choice_error(r, &c->block[k], x);
        if (across == 0)
            part[0] = part[1] = 0;
        if (r->errors == SF8_ERRORS_HALVES) {
            uint32_t half = across >= (wide + 1) / 2;
            part[half] = sf8_f32_add(part[half], error);
        } else if (r->errors != SF8_ERRORS_PAIRS) {
            part[0] = sf8_choice_joined(r, part[0], error);
        } else if (across % 2 == 0 && !last) {
            part[1] = error;
        } else {
            part[0] = sf8_f32_add(part[0], across % 2 == 0 ? error : sf8_f32_add(part[1], error));
        }
        if (last)
            c->row[k][down] = r->errors == SF8_ERRORS_HALVES ? sf8_f32_add(part[0], part[1])
                                                             : part[0];
    }
}

/* The block with the scale that has the smaller error: the first if an error is NaN. */
SF8_LONG const sf8_block *sf8_choice_end(const sf8_recipe *r, sf8_choice *c)
{
    for (uint32_t n = sf8_recipe_rows(r) / 2; n > 0; n /= 2)
        for (int32_t k = 0; k < 2; k++)
            for (uint32_t i = 0; i < n; i++)
                c->row[k][i] = sf8_choice_joined(r, c->row[k][i], c->row[k][i + n]);
    uint32_t a = c->row[0][0], b = c->row[1][0];
    int64_t more = sf8_f32_order(b) - sf8_f32_order(a);
    uint32_t second = !sf8_f32_is_nan(a) && !sf8_f32_is_nan(b) &&
                      (more < 0 || (more == 0 && r->tie_second));
    return &c->block[second];
}

#endif
