/* SPDX-License-Identifier: MIT */
/* block.h -- a block of elements with a scale: how one recipe quantizes it and reads it back
 *
 * A recipe is data. Its steps are programs (program.h) and conversions (convert.h):
 *
 *     amax, peak           of the elements of the block; low and high likewise
 *     scale    s           the program `scale_of`, stored in the scale's format; zero may have a
 *                          code of its own; s is the scale that the reader will see
 *     offset   o           the program `offset_of`, stored likewise
 *     factor   f           the program `factor_of`
 *     codes                `element_of` for each element, converted to the element's format
 *     values               `value_of` for each code, to read it back
 *
 * A recipe may have a second program of the scale. Then each block uses the scale that gives its
 * elements the smaller error. All values are f32 bit patterns, whatever the format of the tensor:
 * f16 and bf16 are exact in f32.
 */
#ifndef SOFTFP8_BLOCK_H
#define SOFTFP8_BLOCK_H

#include "softfp8/blocks/program.h"

/* amax_nan: what a NaN among the elements does. SF8_AMAX_NUMBER: it is ignored as long as there is
 * a number. SF8_AMAX_NAN: it makes the largest magnitude, the least and the largest element NaN. */
enum { SF8_AMAX_NUMBER, SF8_AMAX_NAN };

/* offset_at: where the offset is stored: nowhere, since there is none; as a code of its own; or in
 * the last 4 bits of the scale, which the reader clears. */
enum { SF8_OFFSET_NONE, SF8_OFFSET_WORD, SF8_OFFSET_IN_SCALE };

/* has_g: what the global scale means. The program g_of computes it. */
enum {
    SF8_G_NONE,
    SF8_G_ENCODE, /* scales were multiplied by it, so that values are divided by it */
    SF8_G_DECODE, /* the inverse of SF8_G_ENCODE */
    SF8_G_GIVEN   /* a given number; only the programs say how it is used */
};

/* errors: how the errors of a row of a block are added where there is a choice between two scales.
 * _SUM: in order. _PAIRS: each two neighbours first. _HALVES: each half of the row, then the
 * halves. _MOST: their maximum. Rows are combined pairwise: i and i + rows / 2, and so on. */
enum { SF8_ERRORS_SUM, SF8_ERRORS_PAIRS, SF8_ERRORS_HALVES, SF8_ERRORS_MOST };

/* nibbles: which two codes of 4 bits share a byte. _NEXT: neighbours. _HALF: j, in the low half,
 * and j + block / 2. */
enum { SF8_NIBBLES_NEXT, SF8_NIBBLES_HALF };

/* per: what a row of the recipe is in a tensor of tokens and heads. A row that a caller makes may
 * leave it open. */
enum {
    SF8_PER_ROW,        /* not specified */
    SF8_PER_NONE,       /* the tensor; the scale is a constant and is not stored */
    SF8_PER_TENSOR,     /* the tensor; where the scale is given, also one of its heads */
    SF8_PER_TOKEN,      /* a token with all its heads */
    SF8_PER_TOKEN_HEAD, /* a head of a token */
    SF8_PER_BLOCK,      /* a head of a token, cut into blocks */
    SF8_PER_COUNT
};

typedef struct sf8_recipe {
    sf8_format element, scale, offset;
    sf8_policy element_policy, scale_policy;
    int32_t integer; /* elements are integers of this many bits, in two's complement if signed; 0: a
                        format */
    int32_t is_signed;
    int32_t block; /* elements of a row with one scale; 0: the whole row */
    int32_t rows;  /* rows that share the scale; 0 means 1 */
    int32_t per;   /* what a row is: SF8_PER_ROW ... */
    int32_t has_g; /* SF8_G_NONE if there is no global scale */
    uint32_t amax_nan, offset_at;
    uint32_t scale_zero; /* the code that is stored if the scale is zero; 0: none */
    sf8_program scale_of, offset_of, factor_of, element_of, value_of;
    sf8_program g_of; /* computes g from the amax of the tensor; no terms: not specified */
    /* A second program of the scale, or no terms; the error of an element, where e is the value of
     * its code; and whether the second scale wins if both errors are equal. */
    sf8_program second_of, error_of;
    uint32_t errors, tie_second;
    uint32_t nibbles;
    int32_t image; /* blocks whose scales precede their codes as a group; 0: no image */
} sf8_recipe;

/* The state of one block: the codes of scale and offset, and the variables of the programs. */
typedef struct sf8_block {
    uint32_t scale, offset;
    uint32_t variable[SF8_VAR_COUNT];
} sf8_block;

SF8_FN uint32_t sf8_recipe_bits(const sf8_recipe *r)
{
    return (uint32_t)(r->integer ? r->integer : sf8_format_bits(r->element));
}

/* Returns 1 if the scale is g itself, the same for all blocks. */
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

/* Returns 1 if a program rounds to the format of the tensor. */
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

/* Returns the recipe for a tensor of f32, bf16 or f16: that of the source when quantizing, and that
 * of the result when reading back. It is r itself if no program has `own` or the tensor is f32.
 * Otherwise it is *room, a copy in which `own` is replaced by bf16 or f16. The functions of
 * softfp8_blocks.h do this themselves; the functions below use the recipe unchanged. */
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

/* Returns the global scale of a tensor with this largest magnitude, by a recipe of sf8_recipe_for;
 * NaN if the recipe does not specify it. */
SF8_LONG uint32_t sf8_recipe_g_word(const sf8_recipe *r, uint32_t amax)
{
    uint32_t variable[SF8_VAR_COUNT];
    for (int32_t i = 0; i < SF8_VAR_COUNT; i++)
        variable[i] = 0;
    variable[SF8_VAR_amax] = amax;
    return r->g_of.count ? sf8_program_run(&r->g_of, variable) : SF8_F32_NAN;
}

/* Begins a block without elements: amax, low, high and peak are NaN. */
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

/* Reads a block: computes scale, offset and factor from their codes, without any element. */
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

/* Returns what a code stands for before any scale, as f32. */
SF8_FN uint32_t sf8_block_element(const sf8_recipe *r, uint32_t code)
{
    if (!r->integer)
        return (uint32_t)sf8_core_convert(SF8_F32, r->element, code, SF8_OCP_NOSAT, 0).code;
    uint32_t sign = r->is_signed ? 1u << (r->integer - 1) : 0;
    code &= (2u << (r->integer - 1)) - 1;
    return sf8_f32_of((int32_t)(code ^ sign) - (int32_t)sign);
}

/* Returns the value of a code in a block, as f32. */
SF8_LONG uint32_t sf8_block_value(const sf8_recipe *r, sf8_block *b, uint32_t code)
{
    b->variable[SF8_VAR_e] = sf8_block_element(r, code);
    return sf8_program_run(&r->value_of, b->variable);
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Adds an element to a block that is being quantized. `first` is 1 for its first element. */
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

/* After the last element: computes scale, offset and factor, with the given program of the scale.
 * The factor and the codes are computed with the scale as it is stored, but before an offset is put
 * into it. */
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

/* Whether a program reads a variable; -1, or the operation behind it. */
SF8_LONG int32_t sf8_program_reads(const sf8_program *p, uint32_t variable)
{
    for (int32_t i = 0; i < p->count; i++)
        if (p->term[i].op == SF8_TERM_VARIABLE && p->term[i].word == variable)
            return i + 1 < p->count ? (int32_t)p->term[i + 1].op : SF8_TERM_COUNT;
    return -1;
}

/* After the last element: takes the codes of a scale and an offset that are given. The factor of
 * some recipes comes from the elements alone, so that it belongs to the recipe's own scale; for
 * another one it is that scale, or its inverse. */
SF8_LONG void sf8_block_give_scale(const sf8_recipe *r, sf8_block *b, uint32_t scale,
                                   uint32_t offset)
{
    sf8_block own = *b, given;
    int32_t with_f = sf8_program_reads(&r->element_of, SF8_VAR_f);
    sf8_block_scale(r, &own);
    sf8_block_read(r, &given, scale, offset, b->variable[SF8_VAR_g]);
    b->scale = scale;
    b->offset = offset;
    b->variable[SF8_VAR_s] = given.variable[SF8_VAR_s];
    b->variable[SF8_VAR_o] = given.variable[SF8_VAR_o];
    if (r->factor_of.count)
        b->variable[SF8_VAR_f] = sf8_program_run(&r->factor_of, b->variable);
    if (scale != own.scale && with_f >= 0 && sf8_program_reads(&r->factor_of, SF8_VAR_s) < 0 &&
        sf8_program_reads(&r->element_of, SF8_VAR_s) < 0)
        b->variable[SF8_VAR_f] = with_f == SF8_TERM_DIV
                                     ? b->variable[SF8_VAR_s]
                                     : sf8_f32_div(0x3f800000u, b->variable[SF8_VAR_s]);
}

/* Returns the code of an element. */
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
    uint32_t part[2][2];              /* of the current row */
    uint32_t row[2][SF8_CHOICE_ROWS]; /* of complete rows */
} sf8_choice;

SF8_FN uint32_t sf8_recipe_rows(const sf8_recipe *r)
{
    return r->rows > 1 ? (uint32_t)r->rows : 1;
}

SF8_FN uint32_t sf8_recipe_chooses(const sf8_recipe *r)
{
    return r->second_of.count != 0;
}

/* Begins with a block to which all elements were added. Then sf8_choice_take gets each of them
 * again, in the same order. */
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

/* Adds the errors of an element. `down` and `across` are its position in the block, `wide` is the
 * width of the block. */
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

/* Returns the block with the scale that has the smaller error; the first one if an error is NaN. */
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
