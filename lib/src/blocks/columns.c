/* SPDX-License-Identifier: MIT */
/* columns.c -- blocks along columns, and the packed words of KIVI */
#include "blocks/block_vector.h"
#include "blocks/given.h"
#include "scalar/tensor_word.h"

/* Blocks of several rows, and a choice between two scales, are possible for rows only. */
static sf8_status sf8_columns_convert(sf8_in_blocks m)
{
    sf8_recipe own;
    sf8_status status = sf8_blocks_given(m.r, m.codes, m.scales, m.offsets, m.words, m.rows,
                                         m.columns);
    if (status == SF8_OK)
        status = sf8_matrix_check(m.tensor, m.rows, m.columns);
    if (status == SF8_OK && (sf8_recipe_rows(m.r) > 1 || sf8_recipe_chooses(m.r)))
        status = SF8_BAD_CALL;
    if (status != SF8_OK)
        return status;
    m.r = sf8_recipe_for(m.r, m.tensor, &own);
    sf8_blocks_by_core(&m, m.r->block ? (size_t)m.r->block : m.rows, 1);
    return SF8_OK;
}

sf8_status sf8_quantize_columns_n(const sf8_recipe *recipe, uint8_t *codes, uint32_t *scales,
                                  uint32_t *offsets, sf8_format from, const void *src, size_t rows,
                                  size_t columns, float g)
{
    return sf8_columns_convert(
        sf8_in_blocks_of(0, recipe, codes, scales, offsets, from, src, rows, columns, g));
}

sf8_status sf8_dequantize_columns_n(const sf8_recipe *recipe, sf8_format to, void *dst,
                                    const uint8_t *codes, const uint32_t *scales,
                                    const uint32_t *offsets, size_t rows, size_t columns, float g)
{
    return sf8_columns_convert(
        sf8_in_blocks_of(1, recipe, codes, scales, offsets, to, dst, rows, columns, g));
}

/* ---- KIVI ------------------------------------------------------------------------------------ */

/* Packs lines of `count` codes. The codes of a line are `step` apart, the first codes of the lines
 * `apart`. Each line begins with a new word. */
typedef struct sf8_kivi_lines {
    size_t lines, count, step, apart, words; /* words of a line */
    uint32_t bits;
} sf8_kivi_lines;

static sf8_status sf8_kivi_plan(sf8_kivi_lines *l, size_t lines, size_t count, size_t step,
                                size_t apart, int32_t bits)
{
    if ((bits != 2 && bits != 4) || count % (32 / (size_t)bits) != 0 ||
        (lines != 0 && count > PTRDIFF_MAX / lines))
        return SF8_BAD_CALL;
    l->lines = count == 0 ? 0 : lines;
    l->count = count;
    l->step = step;
    l->apart = apart;
    l->bits = (uint32_t)bits;
    l->words = count / (32 / (size_t)bits);
    return SF8_OK;
}

static void sf8_kivi_pack(uint32_t *words, const uint8_t *codes, const sf8_kivi_lines *l)
{
    uint32_t mask = (1u << l->bits) - 1;
    size_t each = 32 / l->bits;
    for (size_t line = 0; line < l->lines; line++)
        for (size_t w = 0; w < l->words; w++) {
            uint32_t word = 0;
            for (size_t j = 0; j < each; j++)
                word |= (codes[line * l->apart + (w * each + j) * l->step] & mask) << l->bits * j;
            words[line * l->words + w] = word;
        }
}

static void sf8_kivi_unpack(uint8_t *codes, const uint32_t *words, const sf8_kivi_lines *l)
{
    uint32_t mask = (1u << l->bits) - 1;
    size_t each = 32 / l->bits;
    for (size_t line = 0; line < l->lines; line++)
        for (size_t i = 0; i < l->count; i++)
            codes[line * l->apart + i * l->step] =
                (uint8_t)(words[line * l->words + i / each] >> l->bits * (i % each) & mask);
}

sf8_status sf8_kivi_pack_keys(uint32_t *words, const uint8_t *codes, size_t tokens, size_t channels,
                              int32_t bits)
{
    sf8_kivi_lines l;
    sf8_status status = sf8_kivi_plan(&l, channels, tokens, channels, 1, bits);
    if (status == SF8_OK)
        sf8_kivi_pack(words, codes, &l);
    return status;
}

sf8_status sf8_kivi_pack_values(uint32_t *words, const uint8_t *codes, size_t tokens,
                                size_t channels, int32_t bits)
{
    sf8_kivi_lines l;
    sf8_status status = sf8_kivi_plan(&l, tokens, channels, 1, channels, bits);
    if (status == SF8_OK)
        sf8_kivi_pack(words, codes, &l);
    return status;
}

sf8_status sf8_kivi_unpack_keys(uint8_t *codes, const uint32_t *words, size_t tokens,
                                size_t channels, int32_t bits)
{
    sf8_kivi_lines l;
    sf8_status status = sf8_kivi_plan(&l, channels, tokens, channels, 1, bits);
    if (status == SF8_OK)
        sf8_kivi_unpack(codes, words, &l);
    return status;
}

sf8_status sf8_kivi_unpack_values(uint8_t *codes, const uint32_t *words, size_t tokens,
                                  size_t channels, int32_t bits)
{
    sf8_kivi_lines l;
    sf8_status status = sf8_kivi_plan(&l, tokens, channels, 1, channels, bits);
    if (status == SF8_OK)
        sf8_kivi_unpack(codes, words, &l);
    return status;
}

size_t sf8_kivi_tail_keys(size_t tokens, size_t residual)
{
    return residual ? tokens % residual : 0;
}

size_t sf8_kivi_tail_values(size_t tokens, size_t residual)
{
    return tokens < residual ? tokens : residual;
}
