/* SPDX-License-Identifier: MIT */
/* tile.c -- tiles of a product of matrices: decoded, then summed by the loops of a level, or by the
 * definition where the loops cannot */
#include "mma/tile.h"

#include <string.h>

/* ---- which units ----------------------------------------------------------------------------- */

static int32_t sf8_mma_is_lowered(const sf8_mma *m)
{
    return m->order == SF8_MMA_CHAIN || m->order == SF8_MMA_INDEPENDENT;
}

/* Returns 1 if the loops can decode a format: at most 11 bits of significand, with zeros; and above
 * 8 bits only of the IEEE kind. */
static int32_t sf8_mma_fits_operand(sf8_format f)
{
    return f.man_bits <= 10 && f.has_zero && sf8_format_bits(f) <= 19 &&
           (sf8_format_bits(f) <= 8 || (f.nan == SF8_NANS_IEEE && f.has_inf));
}

/* Products of `values` are between 2^-50 and 2^34. */
static int32_t sf8_mma_is_moderate(sf8_format f)
{
    return sf8_format_emin(f) >= -15 && sf8_format_emax(f) <= 16;
}

static int32_t sf8_mma_has_moderate(const sf8_mma *m)
{
    return sf8_mma_is_moderate(m->a) && sf8_mma_is_moderate(m->b);
}

/* Groups of e2m1, whose sums of products are below 2^12 in their smallest unit. */
static int32_t sf8_mma_fits_groups(const sf8_mma *m)
{
    const sf8_format e2m1 = SF8_E2M1;
    int32_t point = m->a.man_bits + m->b.man_bits + 2 * m->scale.man_bits;
    return m->order == SF8_MMA_FUSED && m->group == SF8_TILE_GROUP &&
           m->length % SF8_TILE_GROUP == 0 && m->length <= SF8_TILE_GROUP * SF8_TILE_GROUPS &&
           memcmp(&m->a, &e2m1, sizeof e2m1) == 0 && memcmp(&m->b, &e2m1, sizeof e2m1) == 0 &&
           m->scale_block > 0 && m->scale_block % m->group == 0 && m->scale.man_bits <= 3 &&
           m->fraction >= point && m->fraction >= m->out.man_bits && m->fraction <= 37;
}

static int32_t sf8_mma_fits_products(const sf8_mma *m)
{
    int32_t scaled = m->scale_block != 0, count = sf8_mma_is_lowered(m) ? m->k : m->length;
    int32_t two = m->order == SF8_MMA_TWO_STAGE || m->order == SF8_MMA_INTERLEAVED;
    int32_t most = m->order == SF8_MMA_FUSED || m->order == SF8_MMA_TWO_STAGE ? 2 : 4;
    return m->group == 0 && sf8_mma_fits_operand(m->a) && sf8_mma_fits_operand(m->b) &&
           m->fraction >= 8 && m->fraction <= 25 && count <= SF8_TILE_K && count % most == 0 &&
           (!scaled || (m->order == SF8_MMA_FUSED && m->scale_block % m->length == 0 &&
                        m->scale.man_bits == 0)) &&
           (!two || m->out.man_bits == 23) && (!sf8_mma_is_lowered(m) || sf8_mma_has_moderate(m));
}

static int32_t sf8_mma_fits(const sf8_mma *m)
{
    int32_t step = sf8_mma_is_lowered(m) ? m->k : m->length;
    return m->cut == SF8_MMA_CUT_ZERO && m->products == SF8_MMA_RAW && m->k % step == 0 &&
           (m->round == SF8_RZ || m->round == SF8_RNE) &&
           (m->group ? sf8_mma_fits_groups(m) : sf8_mma_fits_products(m));
}

/* ---- codes ----------------------------------------------------------------------------------- */

static sf8_mma_decoded sf8_mma_decoded_of(const sf8_mma_tiles *j, sf8_mma_term t)
{
    sf8_mma_decoded d = {0, SF8_TILE_NONE, 0};
    int32_t shift = (j->tile.way == SF8_TILE_PARTS ? 0 : t.exponent) - t.point;
    if (t.kind != SF8_MMA_FINITE)
        d.special = -1;
    else if (t.significand != 0) {
        d.value = (float)t.significand * sf8_f32_from_bits((uint32_t)(127 + shift) << 23);
        d.exponent = (int16_t)t.exponent;
    }
    return d;
}

static void sf8_mma_decode_all(const sf8_mma_tiles *j, sf8_format f, sf8_mma_decoded all[256])
{
    for (uint32_t code = 0; sf8_format_bits(f) <= 8 && code < 256; code++) {
        uint8_t byte = (uint8_t)code;
        all[code] = sf8_mma_decoded_of(j, sf8_mma_element(j->m, f, &byte, 0));
    }
}

/* One of f16, bf16 or tf32. */
static sf8_mma_decoded sf8_mma_decode_wide(const sf8_mma_tiles *j, sf8_format f, uint64_t code)
{
    sf8_mma_term t;
    int32_t man = f.man_bits, most = (1 << f.exp_bits) - 1;
    uint32_t magnitude = (uint32_t)code & ((1u << (man + f.exp_bits)) - 1);
    int32_t field = (int32_t)(magnitude >> man), part = (int32_t)(magnitude & ((1u << man) - 1));
    t.kind = field == most ? SF8_MMA_NAN : SF8_MMA_FINITE;
    t.significand = part | (field != 0) << man;
    if (code >> (man + f.exp_bits) & 1)
        t.significand = -t.significand;
    t.exponent = (field ? field : 1) - f.bias;
    t.point = man;
    return sf8_mma_decoded_of(j, t);
}

/* ---- loading --------------------------------------------------------------------------------- */

/* Where a row of a matrix is written: elements `stride` apart, its floors `floors` apart. */
typedef struct sf8_mma_line {
    float *value;
    int16_t *exponent, *floor;
    int32_t *special;
    size_t stride, floors;
} sf8_mma_line;

static void sf8_mma_load_line(const sf8_mma_tiles *j, sf8_format f, const sf8_mma_decoded *all,
                              const void *codes, size_t first, int32_t scale, sf8_mma_line to)
{
    int32_t narrow = sf8_format_bits(f) <= 8, count = j->tile.count, special = 0;
    for (int32_t set = 0; set < j->sets; set++) {
        int32_t least = 0;
        for (int32_t i = set * count; i < (set + 1) * count; i++) {
            size_t k = first + j->order[i];
            sf8_mma_decoded d = narrow ? all[((const uint8_t *)codes)[k]]
                                       : sf8_mma_decode_wide(j, f, sf8_mma_load(f, codes, k));
            to.value[(size_t)i * to.stride] = d.value;
            to.exponent[(size_t)i * to.stride] = (int16_t)(d.exponent + scale);
            special |= d.special;
            least = d.exponent < least ? d.exponent : least;
        }
        to.floor[(size_t)set * to.floors] = (int16_t)(least == SF8_TILE_NONE ? j->tile.zero
                                                                             : 2 * SF8_TILE_NONE);
    }
    *to.special = special;
}

/* The scale of a sum is a power of two, which is added to the exponents; `special` becomes -1 if it
 * is NaN. */
static int32_t sf8_mma_load_scale(const sf8_mma_tiles *j, const uint8_t *scales, size_t row,
                                  size_t first, int32_t *special)
{
    size_t block = (size_t)j->m->scale_block;
    if (block == 0)
        return 0;
    sf8_mma_term t = sf8_mma_code(
        j->m->scale, sf8_mma_load(j->m->scale, scales, row * (j->k / block) + first / block));
    *special |= t.kind != SF8_MMA_FINITE ? -1 : 0;
    return t.kind == SF8_MMA_FINITE ? t.exponent : 0;
}

SF8_PRIVATE void sf8_mma_tiles_load(sf8_mma_tiles *j, sf8_mma_block at, size_t first)
{
    sf8_mma_tile *t = &j->tile;
    size_t a = j->k * sf8_mma_code_bytes(j->m->a), b = j->k * sf8_mma_code_bytes(j->m->b);
    for (size_t r = 0; r < at.rows; r++) {
        sf8_mma_line line = {t->a[r],          t->a_exp[r], &t->a_floor[0][r],
                             &t->a_special[r], 1,           SF8_TILE_ROWS};
        int32_t special = 0;
        int32_t scale = sf8_mma_load_scale(j, j->x.scale_a, at.row + r, first, &special);
        sf8_mma_load_line(j, j->m->a, j->a, (const uint8_t *)j->x.a + (at.row + r) * a, first,
                          scale, line);
        t->a_special[r] |= special;
    }
    for (size_t c = 0; c < at.columns; c++) {
        sf8_mma_line line = {&t->b[0][c],      &t->b_exp[0][c],  &t->b_floor[0][c],
                             &t->b_special[c], SF8_TILE_COLUMNS, SF8_TILE_COLUMNS};
        int32_t special = 0;
        int32_t scale = sf8_mma_load_scale(j, j->x.scale_b, at.column + c, first, &special);
        sf8_mma_load_line(j, j->m->b, j->b, (const uint8_t *)j->x.b + (at.column + c) * b, first,
                          scale, line);
        t->b_special[c] |= special;
    }
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* Decodes the elements of a group as integers, and its scale. Anything that is not finite sets
 * `special`. */
static void sf8_mma_load_group(const sf8_mma_tiles *j, const sf8_mma_decoded *all,
                               const uint8_t *codes, uint8_t scale, int16_t *whole, size_t stride,
                               int16_t *part, int16_t *exponent, int32_t *special)
{
    sf8_mma_term s = sf8_mma_code(j->m->scale, scale & sf8_format_code_mask(j->m->scale));
    for (size_t k = 0; k < SF8_TILE_GROUP; k++)
        whole[k * stride] = (int16_t)all[codes[k]].value;
    *part = (int16_t)s.significand;
    *exponent = (int16_t)s.exponent;
    if (s.kind != SF8_MMA_FINITE) {
        *part = *exponent = 0;
        *special = -1;
    }
}

static void sf8_mma_load_groups(sf8_mma_tiles *j, sf8_mma_block at, size_t first)
{
    sf8_mma_tile *t = &j->tile;
    size_t block = (size_t)j->m->scale_block, scales = j->k / block;
    const uint8_t *a = (const uint8_t *)j->x.a, *b = (const uint8_t *)j->x.b;
    memset(t->a_special, 0, sizeof t->a_special);
    memset(t->b_special, 0, sizeof t->b_special);
    for (int32_t g = 0; g < t->count; g++) {
        size_t k = first + (size_t)g * SF8_TILE_GROUP;
        for (size_t r = 0; r < at.rows; r++)
            sf8_mma_load_group(j, j->a, a + (at.row + r) * j->k + k,
                               j->x.scale_a[(at.row + r) * scales + k / block], t->a_whole[r][g], 1,
                               &t->a_scale[r][g], &t->a_scale_exp[r][g], &t->a_special[r]);
        for (size_t c = 0; c < at.columns; c++)
            sf8_mma_load_group(j, j->b, b + (at.column + c) * j->k + k,
                               j->x.scale_b[(at.column + c) * scales + k / block],
                               &t->b_whole[g][0][c], SF8_TILE_COLUMNS, &t->b_scale[g][c],
                               &t->b_scale_exp[g][c], &t->b_special[c]);
    }
}

/* ---- rows ------------------------------------------------------------------------------------ */

static int32_t sf8_mma_row_lowered(const sf8_mma_tiles *j, size_t row, uint32_t *c, int32_t *left)
{
    const sf8_mma_tile *t = &j->tile;
    uint32_t low[SF8_TILE_COLUMNS], high[SF8_TILE_COLUMNS];
    memset(low, 0, sizeof low);
    int32_t any = j->loops->sum(t, 0, row, low, left);
    memset(high, 0, sizeof high);
    if (j->m->order == SF8_MMA_CHAIN)
        memcpy(high, low, sizeof high);
    any |= j->loops->sum(t, 1, row, high, left);
    if (j->m->order == SF8_MMA_INDEPENDENT)
        any |= j->loops->add(t, high, low, left);
    return any | j->loops->add(t, c, high, left);
}

/* A product of 2^128 or more counts as infinite. */
static int32_t sf8_mma_row_two_stage(const sf8_mma_tiles *j, size_t row, size_t columns,
                                     uint32_t *c, int32_t *left)
{
    const sf8_mma_tile *t = &j->tile;
    sf8_mma_partial p[SF8_TILE_SETS];
    int32_t any = 0;
    for (int32_t set = 0; set < j->sets; set++) {
        for (size_t i = 0; i < SF8_TILE_COLUMNS; i++)
            p[set].top[i] = 2 * SF8_TILE_NONE;
        j->loops->products(t, set, row, &p[set]);
    }
    for (size_t i = 0; i < columns; i++) {
        sf8_mma_term sum[SF8_TILE_SETS];
        int32_t bad = t->a_special[row] | t->b_special[i] |
                      (sf8_mma_kind(j->m->out, c[i]) != SF8_MMA_FINITE ? -1 : 0);
        for (int32_t set = 0; set < j->sets; set++) {
            sum[set].significand = (int64_t)p[set].first[i] + p[set].other[i];
            sum[set].exponent = p[set].top[i];
            sum[set].point = t->fraction;
            sum[set].kind = SF8_MMA_FINITE;
            bad |= p[set].top[i] >= 127 ? -1 : 0;
        }
        left[i] |= bad;
        any |= bad;
        if (!bad)
            c[i] = sf8_mma_joined(j->m, j->sets > 1 ? sf8_mma_halves(j->m, sum[0], sum[1]) : sum[0],
                                  c[i]);
    }
    return any;
}

/* Computes one element by the definition. */
static uint32_t sf8_mma_one(const sf8_mma_tiles *j, size_t row, size_t column, size_t first,
                            size_t count, uint32_t c)
{
    sf8_mma_operands x = j->x;
    size_t scales = j->m->scale_block ? j->k / (size_t)j->m->scale_block : 0;
    x.a = (const uint8_t *)x.a + row * j->k * sf8_mma_code_bytes(j->m->a);
    x.b = (const uint8_t *)x.b + column * j->k * sf8_mma_code_bytes(j->m->b);
    if (scales) {
        x.scale_a += row * scales;
        x.scale_b += column * scales;
    }
    return sf8_core_mma_dot(j->m, x, first, count, c);
}

/* Computes an element that the loops left. Such an accumulator often is not finite and has been so
 * for long: a NaN stays, and in a fused sum with finite products an infinity stays. */
static uint32_t sf8_mma_left(const sf8_mma_tiles *j, sf8_mma_block at, size_t r, size_t i,
                             size_t first, uint32_t c)
{
    uint32_t kind = sf8_mma_kind(j->m->out, c & sf8_format_code_mask(j->m->out));
    if (kind == SF8_MMA_NAN)
        return sf8_mma_nan(j->m->out);
    if (kind != SF8_MMA_FINITE && j->m->order == SF8_MMA_FUSED && !j->tile.a_special[r] &&
        !j->tile.b_special[i])
        return c & (uint32_t)sf8_format_code_mask(j->m->out);
    return sf8_mma_one(j, at.row + r, at.column + i, first, (size_t)j->step, c);
}

SF8_PRIVATE int32_t sf8_mma_tiles_row(const sf8_mma_tiles *j, size_t r, size_t columns, uint32_t *c,
                                      int32_t *left)
{
    if (j->m->order == SF8_MMA_FUSED)
        return j->loops->sum(&j->tile, 0, r, c, left);
    if (sf8_mma_is_lowered(j->m))
        return sf8_mma_row_lowered(j, r, c, left);
    return sf8_mma_row_two_stage(j, r, columns, c, left);
}

static void sf8_mma_tile_row(const sf8_mma_tiles *j, sf8_mma_block at, size_t r, size_t first,
                             uint32_t *c)
{
    uint32_t before[SF8_TILE_COLUMNS];
    int32_t left[SF8_TILE_COLUMNS], any;
    memcpy(before, c, sizeof before);
    memset(left, 0, sizeof left);
    any = sf8_mma_tiles_row(j, r, at.columns, c, left);
    for (size_t i = 0; any && i < at.columns; i++)
        if (left[i])
            c[i] = sf8_mma_left(j, at, r, i, first, before[i]);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

SF8_PRIVATE void sf8_mma_tiles_sum(sf8_mma_tiles *j, sf8_mma_block at, size_t first, size_t end,
                                   uint32_t c[][SF8_TILE_COLUMNS])
{
    if (!j->loops) {
        for (size_t r = 0; r < at.rows; r++)
            for (size_t i = 0; i < at.columns; i++)
                c[r][i] = sf8_mma_one(j, at.row + r, at.column + i, first, end - first, c[r][i]);
        return;
    }
    j->tile.columns = (int32_t)((at.columns + 31) / 32 * 32);
    for (; first < end; first += (size_t)j->step) {
        if (j->tile.way == SF8_TILE_GROUPED)
            sf8_mma_load_groups(j, at, first);
        else
            sf8_mma_tiles_load(j, at, first);
        for (size_t r = 0; r < at.rows; r++)
            sf8_mma_tile_row(j, at, r, first, c[r]);
    }
}

/* The properties of the unit that the loops need. */
static void sf8_mma_tile_begin(sf8_mma_tiles *j)
{
    const sf8_mma *m = j->m;
    sf8_mma_tile *t = &j->tile;
    memset(t, 0, sizeof *t);
    t->way = m->group                                     ? SF8_TILE_GROUPED
             : !m->scale_block && sf8_mma_has_moderate(m) ? SF8_TILE_VALUES
                                                          : SF8_TILE_PARTS;
    t->count = m->group ? m->length / m->group : j->step / j->sets;
    t->fraction = m->fraction;
    t->zero = m->zero;
    t->man = m->out.man_bits;
    t->bias = m->out.bias;
    t->mag_mask = (int32_t)sf8_format_mag_mask(m->out);
    t->sign = m->out.man_bits == 23 ? INT32_MIN : t->mag_mask + 1;
    t->point = m->a.man_bits + m->b.man_bits + 2 * m->scale.man_bits;
    t->sum.kept = m->sum.man_bits;
    t->sum.shift = m->out.man_bits - m->sum.man_bits;
    t->sum.nearest = m->round == SF8_RNE;
    t->sum.positive = m->underflow == SF8_MMA_POSITIVE;
    t->addition.kept = m->out.man_bits;
    t->addition.nearest = 1;
}

SF8_PRIVATE void sf8_mma_tiles_begin(sf8_mma_tiles *j, const sf8_mma *m, sf8_mma_operands x,
                                     size_t k, const sf8_level *level)
{
    static const uint32_t sets[][SF8_TILE_SETS] = {{SF8_MMA_ALL, SF8_MMA_ALL},
                                                   {SF8_MMA_LOW, SF8_MMA_HIGH},
                                                   {SF8_MMA_LOW, SF8_MMA_HIGH},
                                                   {SF8_MMA_ALL, SF8_MMA_ALL},
                                                   {SF8_MMA_EVEN, SF8_MMA_ODD}};
    j->m = m;
    j->x = x;
    j->k = k;
    j->loops = sf8_mma_fits(m) ? level->mma : NULL;
    if (!j->loops)
        return;
    j->sets = m->order == SF8_MMA_FUSED || m->order == SF8_MMA_TWO_STAGE ? 1 : 2;
    j->step = sf8_mma_is_lowered(m) ? m->k : m->length;
    sf8_mma_tile_begin(j);
    for (int32_t i = 0; !m->group && i < j->step; i++)
        j->order[i] = (uint8_t)sf8_mma_index(sets[m->order][i / j->tile.count],
                                             (size_t)(i % j->tile.count));
    sf8_mma_decode_all(j, m->a, j->a);
    sf8_mma_decode_all(j, m->b, j->b);
    for (int32_t i = 0; m->group && i < 256; i++) {
        /* in units of the least element */
        j->a[i].value *= (float)(1 << m->a.man_bits);
        j->b[i].value *= (float)(1 << m->b.man_bits);
    }
}
