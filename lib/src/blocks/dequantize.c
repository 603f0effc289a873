/* SPDX-License-Identifier: MIT */
/* dequantize.c -- matrices read back by loops over lanes: what sf8_block_read and sf8_block_value
 * do, for many blocks at once */
#include "blocks/block_vector.h"

#if SF8_HAS_X86

#include <immintrin.h>
#include <string.h>

/* Loads the scales of n blocks; the first of them has the number `done`. */
static void sf8_lanes_load_scales(sf8_lanes *w, const sf8_in_blocks *d, size_t done, size_t n)
{
    const uint8_t *bytes = d->scale_bytes ? d->scale_bytes + done : NULL;
    for (size_t i = 0; bytes && i < n; i++)
        w->scale[i] = bytes[i];
    if (!bytes)
        memcpy(w->scale, d->scales + done, 4 * n);
    memset(w->scale + n, 0, 4 * (sf8_lanes_whole(n) - n));
}

/* Computes scale, offset and factor of these blocks. */
static void sf8_lanes_read(sf8_lanes *w, const sf8_in_blocks *d, size_t done, size_t n)
{
    const sf8_recipe *r = w->r;
    uint32_t *o = w->block[SF8_VAR_o];
    sf8_lanes_read_scales(w, r->offset_at == SF8_OFFSET_IN_SCALE ? 15 : 0, n);
    for (size_t i = 0; r->offset_at == SF8_OFFSET_IN_SCALE && i < n; i++)
        o[i] = sf8_f32_of((int32_t)(w->scale[i] & 15u));
    for (size_t i = 0; r->offset_at == SF8_OFFSET_WORD && i < n; i++)
        o[i] = (uint32_t)sf8_core_convert(SF8_F32, r->offset, d->offsets[done + i], SF8_OCP_NOSAT,
                                          0)
                   .code;
    if (r->factor_of.count)
        memcpy(w->block[SF8_VAR_f], sf8_lanes_of_blocks(w, &w->factor_of, n), 4 * n);
}

/* The n codes of 4 bits at a column, followed by whole steps. */
static const uint8_t *sf8_lanes_codes4(sf8_lanes *w, const uint8_t *row, size_t column, size_t n)
{
    size_t whole = sf8_lanes_whole(n);
    const uint8_t *codes = row + column / 2;
    if (n == whole)
        return codes;
    memset(w->codes, 0, whole / 2);
    return memcpy(w->codes, codes, (n + 1) / 2);
}

/* The n codes at a column, one to a byte, followed by whole steps. */
static const uint8_t *sf8_lanes_codes8(sf8_lanes *w, const sf8_in_blocks *d, const uint8_t *row,
                                       size_t column, size_t n)
{
    size_t whole = sf8_lanes_whole(n);
    if (d->bits == 8 && n == whole)
        return row + column;
    sf8_codes_get(d->bits, row, column, w->codes, n);
    memset(w->codes + n, 0, whole - n);
    return w->codes;
}

/* Converts n codes, followed by whole steps, to f32; at most SF8_LANES_MOST if they are
 * integers. */
static void sf8_lanes_elements(const sf8_lanes *w, uint32_t *e, const uint8_t *codes, size_t n)
{
    const sf8_recipe *r = w->r;
    if (!r->integer && w->element_codes.is) {
        w->ops->decode(e, codes, &w->element_codes, sf8_lanes_whole(n));
        return;
    }
    if (!r->integer) {
        (void)sf8_convert_n(SF8_F32, e, r->element, codes, n, SF8_OCP_NOSAT);
        return;
    }
    uint32_t sign = r->is_signed ? 1u << (r->integer - 1) : 0, mask = (2u << (r->integer - 1)) - 1;
    for (size_t i = 0; i < n; i++)
        e[i] = ((codes[i] & mask) ^ sign) - sign;
    w->ops->of_integer(e, e, e, e, sf8_lanes_whole(n));
}

/* Stores n values in the tensor, beginning with its i-th element. */
static void sf8_lanes_store(const sf8_lanes *w, unsigned char *dst, size_t i, const uint32_t *words,
                            size_t n)
{
    uint32_t rounded[SF8_LANES_MOST];
    uint16_t half[SF8_LANES_MOST];
    if (sf8_format_bits(w->tensor) == 32) {
        memcpy(dst + 4 * i, words, 4 * n);
        return;
    }
    size_t whole = sf8_lanes_whole(n);
    int32_t is_bf16 = w->tensor.exp_bits == 8;
    w->ops->op[is_bf16 ? SF8_TERM_BF16 : SF8_TERM_F16](rounded, words, words, words, whole);
    if (!is_bf16)
        w->ops->to_f16(rounded, rounded, rounded, rounded, whole);
    for (size_t k = 0; k < n; k++)
        half[k] = (uint16_t)(rounded[k] >> (is_bf16 ? 16 : 0));
    memcpy(dst + 2 * i, half, 2 * n);
}

/* Where n values of f32 are computed: directly in the tensor, or in scratch memory. */
static uint32_t *sf8_lanes_room(sf8_lanes *w, unsigned char *dst, size_t i)
{
    void *at = dst + 4 * i;
    return sf8_format_bits(w->tensor) == 32 && (uintptr_t)at % 4 == 0 ? (uint32_t *)at : w->words;
}

/* Stores what a loop wrote into scratch memory. */
static void sf8_lanes_store_room(const sf8_lanes *w, unsigned char *dst, size_t i,
                                 const uint32_t *room, size_t n)
{
    for (size_t k = 0; room == w->words && k < n; k += SF8_LANES_MOST)
        sf8_lanes_store(w, dst, i + k, room + k, n - k < SF8_LANES_MOST ? n - k : SF8_LANES_MOST);
}

/* The elements of n codes at a column, at most SF8_LANES_MOST. */
static void sf8_lanes_load_elements(sf8_lanes *w, const sf8_in_blocks *d, uint32_t *e,
                                    const uint8_t *row, size_t column, size_t n)
{
    static const uint32_t row_0 = 0;
    size_t whole = sf8_lanes_whole(n);
    if (d->bits == 4 && w->ops->find4 && column % 2 == 0)
        w->ops->find4(e, sf8_lanes_codes4(w, row, column, n), w->value, &row_0, 12, whole);
    else
        sf8_lanes_elements(w, e, sf8_lanes_codes8(w, d, row, column, n), n);
    memset(e + n, 0, 4 * (whole - n));
}

/* Returns 1 if all values of codes of 4 bits are upper halves of f32. Those of a format whose
 * numbers are subnormal in f32 need not be. */
static int32_t sf8_lanes_are_halves(const uint32_t *value)
{
    uint32_t any = 0;
    for (size_t i = 0; i < 16; i++)
        any |= value[i];
    return (any & 0xffff) == 0;
}

/* Looks a group of at most one piece up in w->rows, for which only its scales are loaded. Returns 0
 * if that is not possible. */
static int32_t sf8_lanes_find(sf8_lanes *w, const sf8_in_blocks *d, const sf8_lanes_group *group,
                              const uint8_t *row, size_t column, size_t i)
{
    size_t n = group->count * group->blocks, whole = sf8_lanes_whole(n);
    int32_t shift = sf8_lanes_shift(w->r, group);
    if (!w->rows || shift == 0 || n > SF8_LANES_PIECE)
        return 0;
    uint32_t *to = n == whole ? sf8_lanes_room(w, d->words, i) : w->words;
    w->ops->find4(to, sf8_lanes_codes4(w, row, column, n), w->rows, w->scale, shift, whole);
    sf8_lanes_store_room(w, d->words, i, to, n);
    return 1;
}

/* Reads a group of at most one piece by products. Returns 0 if that could give a NaN other than the
 * core's. An incomplete step goes through scratch memory. */
static int32_t sf8_lanes_products(sf8_lanes *w, const sf8_in_blocks *d,
                                  const sf8_lanes_group *group, const uint8_t *row, size_t column,
                                  size_t i)
{
    const sf8_recipe *r = w->r;
    size_t n = group->count * group->blocks, whole = sf8_lanes_whole(n);
    int32_t shift = sf8_lanes_shift(r, group), by_4 = w->by_halves && w->ops->scale4;
    if (!w->product.is || w->product.divide || shift == 0 || n > SF8_LANES_PIECE || r->integer)
        return 0;
    int32_t factors = sf8_lanes_factors(w, group->blocks).has;
    if (factors & SF8_FACTOR_INF || (factors & SF8_FACTOR_ZERO && r->element.has_inf))
        return 0;
    uint32_t *to = n == whole ? sf8_lanes_room(w, d->words, i) : w->words;
    if (by_4) {
        w->ops->scale4(to, sf8_lanes_codes4(w, row, column, n), w->value, w->factor, shift, whole);
    } else if (w->element_codes.is) {
        w->ops->scale8(to, sf8_lanes_codes8(w, d, row, column, n), &w->element_codes, w->factor,
                       shift, whole);
    } else {
        sf8_lanes_elements(w, to, sf8_lanes_codes8(w, d, row, column, n), n);
        memset(to + n, 0, 4 * (whole - n));
        w->ops->scale(to, to, w->factor, shift, whole);
    }
    sf8_lanes_store_room(w, d->words, i, to, n);
    return 1;
}

/* Reads a group whose first element is at `column` of a row and is the i-th of the tensor. */
static void sf8_lanes_dequantize_group(sf8_lanes *w, const sf8_in_blocks *d,
                                       const sf8_lanes_group *group, const uint8_t *row,
                                       size_t column, size_t i)
{
    size_t count = group->count * group->blocks, n;
    if (sf8_lanes_products(w, d, group, row, column, i))
        return;
    for (size_t k = 0; k < count; k += n) {
        n = count - k < SF8_LANES_MOST ? count - k : SF8_LANES_MOST;
        sf8_lanes_load_elements(w, d, w->element[SF8_VAR_e], row, column + k, n);
        sf8_lanes_store(w, d->words, i + k, sf8_lanes_of_elements(w, &w->r->value_of, group, k, n),
                        n);
    }
}

static __attribute__((noinline)) void sf8_lanes_dequantize_rows(sf8_lanes *w,
                                                                const sf8_in_blocks *d)
{
    size_t block = w->r->block ? (size_t)w->r->block : d->columns, done = 0;
    size_t bytes = sf8_packed_size(d->bits, d->columns);
    for (size_t row = 0; row < d->rows; row++) {
        sf8_lanes_group group;
        for (size_t at = 0; at < d->columns; at += group.count * group.blocks) {
            const uint8_t *codes = d->codes + row * bytes;
            size_t i = row * d->columns + at;
            group = sf8_lanes_next(block, d->columns - at);
            sf8_lanes_load_scales(w, d, done, group.blocks);
            if (!sf8_lanes_find(w, d, &group, codes, at, i)) {
                sf8_lanes_read(w, d, done, group.blocks);
                sf8_lanes_dequantize_group(w, d, &group, codes, at, i);
            }
            done += group.blocks;
        }
    }
}

/* A scale in a byte is all that a block has of its own, so that a code of 4 bits has one of 4096
 * values. They are computed once if that is less work than to compute all that are read, and where
 * products, which are as fast, are not possible. */
enum { SF8_LANES_SCALES = 256 };

static int32_t sf8_lanes_has_rows(const sf8_lanes *w, const sf8_in_blocks *d)
{
    const sf8_recipe *r = w->r;
    return d->bits == 4 && d->scale_bytes && w->ops->find4 && r->block >= 16 &&
           !(w->product.is && !w->product.divide) &&
           d->columns / (size_t)r->block >= 2 * (size_t)SF8_LANES_SCALES;
}

/* As if there were a block for each code of a scale. */
static __attribute__((noinline)) void sf8_lanes_dequantize_by_rows(sf8_lanes *w,
                                                                   const sf8_in_blocks *d)
{
    const sf8_recipe *r = w->r;
    const sf8_lanes_group all = {16, SF8_LANES_SCALES};
    uint32_t rows[16 * SF8_LANES_SCALES];
    for (uint32_t i = 0; i < SF8_LANES_SCALES; i++)
        w->scale[i] = i;
    sf8_lanes_read(w, d, 0, SF8_LANES_SCALES);
    for (size_t k = 0; k < all.count * all.blocks; k += SF8_LANES_MOST) {
        for (size_t i = 0; i < SF8_LANES_MOST; i++)
            w->element[SF8_VAR_e][i] = w->value[i % 16];
        memcpy(rows + k, sf8_lanes_of_elements(w, &r->value_of, &all, k, SF8_LANES_MOST),
               4 * SF8_LANES_MOST);
    }
    w->rows = rows;
    sf8_lanes_dequantize_rows(w, d);
}

SF8_PRIVATE int32_t sf8_lanes_dequantize(const sf8_level *level, const sf8_in_blocks *d)
{
    static const uint8_t codes[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const sf8_recipe *r = d->r;
    sf8_in_blocks all = *d;
    sf8_lanes w;
    if (sf8_lanes_one_row(r, d->columns, d->bits)) {
        all.rows = d->rows != 0;
        all.columns = d->rows * d->columns;
    }
    sf8_program over;
    sf8_lanes_of_f32(&over, &r->value_of);
    unsigned int mxcsr = sf8_floats_begin();
    if (!sf8_lanes_begin(&w, level, r, &over, SF8_VAR_e, all.tensor, all.columns, all.g)) {
        _mm_setcsr(mxcsr);
        return 0;
    }
    if (d->bits == 4)
        sf8_lanes_elements(&w, w.value, codes, 16);
    w.by_halves = d->bits == 4 && sf8_lanes_are_halves(w.value);
    w.rows = NULL;
    (sf8_lanes_has_rows(&w, &all) ? sf8_lanes_dequantize_by_rows : sf8_lanes_dequantize_rows)(&w,
                                                                                              &all);
    _mm_setcsr(mxcsr);
    return 1;
}

#endif
