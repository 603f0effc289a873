/* SPDX-License-Identifier: MIT */
/* run.c -- programs run over lanes, and what quantizing and reading back share */
#include "blocks/block_vector.h"

#if SF8_HAS_X86

#include <string.h>

/* ---- programs -------------------------------------------------------------------------------- */

/* Returns 1 if each operation has a loop; adds a bit for each variable to *used. */
static int32_t sf8_lanes_has(const sf8_program *p, uint32_t *used)
{
    for (int32_t i = 0; i < p->count; i++) {
        uint32_t op = p->term[i].op;
        if (op == SF8_TERM_VARIABLE)
            *used |= 1u << p->term[i].word;
        else if (op >= SF8_TERM_COUNT)
            return 0;
    }
    return 1;
}

static void sf8_lanes_fill(uint32_t *r, uint32_t word, size_t n)
{
    for (size_t i = 0; i < n; i++)
        r[i] = word;
}

/* Like sf8_program_run. A value is where its variable is, or at its place of w->stack. */
static const uint32_t *sf8_lanes_run(sf8_lanes *w, const sf8_program *p,
                                     const uint32_t *const *variable, size_t n)
{
    const uint32_t *stack[SF8_PROGRAM_STACK + 2] = {0};
    size_t top = 0, whole = sf8_lanes_whole(n);
    for (int32_t i = 0; i < p->count; i++) {
        uint32_t op = p->term[i].op, word = p->term[i].word;
        size_t operands = (size_t)sf8_term_operands(op);
        top -= operands;
        if (op == SF8_TERM_VARIABLE) {
            stack[top++] = variable[word];
            continue;
        }
        uint32_t *r = w->stack[top];
        if (op == SF8_TERM_NUMBER)
            sf8_lanes_fill(r, word, whole);
        else
            w->ops->op[op](r, stack[top], stack[top + (operands > 1)],
                           stack[top + (operands > 2 ? 2 : 0)], whole);
        stack[top++] = r;
    }
    return stack[0];
}

SF8_PRIVATE const uint32_t *sf8_lanes_of_blocks(sf8_lanes *w, const sf8_program *p, size_t n)
{
    const uint32_t *variable[SF8_VAR_COUNT + SF8_LANES_NUMBERS];
    for (size_t i = 0; i < SF8_VAR_COUNT + SF8_LANES_NUMBERS; i++)
        variable[i] = w->block[i];
    return sf8_lanes_run(w, p, variable, n);
}

/* The logarithm of a power of two from 16 to 4096; else 0. */
static int32_t sf8_lanes_log(size_t block)
{
    int32_t shift = 4;
    while (shift < 12 && (size_t)1 << shift < block)
        shift++;
    return (size_t)1 << shift == block ? shift : 0;
}

SF8_PRIVATE int32_t sf8_lanes_shift(const sf8_recipe *r, const sf8_lanes_group *group)
{
    return sf8_lanes_log(r->block ? (size_t)r->block : group->count);
}

/* Expands a variable of blocks to one value for each element. */
static void sf8_lanes_spread(const sf8_lanes *w, uint32_t *r, const uint32_t *words,
                             const sf8_lanes_group *group, size_t at, size_t n)
{
    size_t count = group->count;
    int32_t shift = sf8_lanes_log(count);
    if (shift) {
        w->ops->spread(r, words, shift, at, sf8_lanes_whole(n));
        return;
    }
    size_t block = at / count, left = count - at % count;
    for (size_t i = 0; i < n; left = count, block++) {
        size_t end = n - i < left ? n : i + left;
        for (; i < end; i++)
            r[i] = words[block];
    }
}

SF8_PRIVATE const uint32_t *sf8_lanes_of_elements(sf8_lanes *w, const sf8_program *p,
                                                  const sf8_lanes_group *group, size_t at, size_t n)
{
    const uint32_t *variable[SF8_VAR_COUNT];
    for (size_t i = 0; i < SF8_VAR_COUNT; i++) {
        variable[i] = w->element[i];
        if ((w->used & ~SF8_LANES_ALIKE) >> i & 1)
            sf8_lanes_spread(w, w->element[i], w->block[i], group, at, n);
    }
    return sf8_lanes_run(w, p, variable, n);
}

/* ---- constants ------------------------------------------------------------------------------- */

/* Puts the result of an operation on numbers in their place, the terms at t. */
static void sf8_lanes_compute(sf8_lanes *w, sf8_term *t, uint32_t op, size_t operands)
{
    uint32_t *r = w->stack[0];
    for (size_t i = 0; i < 3; i++)
        sf8_lanes_fill(w->stack[i], t[i < operands ? i : 0].word, SF8_LANES_STEP);
    w->ops->op[op](r, r, w->stack[1], w->stack[2], SF8_LANES_STEP);
    t->word = r[0];
}

/* A number becomes a variable that each block has, so that it is expanded once. The last numbers of
 * many stay as they are. */
static void sf8_lanes_number(sf8_lanes *w, sf8_term *t)
{
    size_t i = 0;
    while (i < w->numbers && w->block[SF8_VAR_COUNT + i][0] != t->word)
        i++;
    if (i == SF8_LANES_NUMBERS)
        return;
    if (i == w->numbers)
        sf8_lanes_fill(w->block[SF8_VAR_COUNT + w->numbers++], t->word, w->lanes);
    t->op = SF8_TERM_VARIABLE;
    t->word = SF8_VAR_COUNT + (uint32_t)i;
}

/* Makes q the same program over blocks with each operation computed that has numbers only; g is a
 * number. The operation's loop computes it, so that the bits are the same. q may be p. */
static void sf8_lanes_constants(sf8_lanes *w, sf8_program *q, const sf8_program *p, uint32_t g)
{
    size_t n = 0;
    for (int32_t i = 0; i < p->count; i++) {
        sf8_term t = p->term[i];
        size_t operands = (size_t)sf8_term_operands(t.op), numbers = 0;
        if (t.op == SF8_TERM_VARIABLE && t.word == SF8_VAR_g) {
            t.op = SF8_TERM_NUMBER;
            t.word = g;
        }
        while (numbers < operands && q->term[n - 1 - numbers].op == SF8_TERM_NUMBER)
            numbers++;
        if (operands && numbers == operands) {
            n -= operands;
            sf8_lanes_compute(w, &q->term[n], t.op, operands);
            n++;
        } else {
            q->term[n++] = t;
        }
    }
    q->count = (int32_t)n;
    for (size_t i = 0; i < n; i++)
        if (q->term[i].op == SF8_TERM_NUMBER)
            sf8_lanes_number(w, &q->term[i]);
}

/* ---- products -------------------------------------------------------------------------------- */

/* Returns 1 if the middle of a program, without its first and last term, is a program that uses
 * block variables only. */
static int32_t sf8_lanes_middle(sf8_program *middle, const sf8_program *p, int32_t count)
{
    int32_t depth = 0;
    middle->count = 0;
    for (int32_t i = 1; i < count - 1; i++) {
        sf8_term t = p->term[i];
        if (t.op == SF8_TERM_VARIABLE && (t.word == SF8_VAR_x || t.word == SF8_VAR_e))
            return 0;
        depth -= sf8_term_operands(t.op);
        if (depth < 0)
            return 0;
        depth++;
        middle->term[middle->count++] = t;
    }
    return depth == 1;
}

/* "x ... *", "x ... /", "x ... / 0 +" */
static void sf8_lanes_product_of(sf8_lanes_product *product, const sf8_program *p, uint32_t of)
{
    const sf8_term *t = p->term;
    int32_t n = p->count;
    product->is = product->divide = 0;
    product->more = 0x80000000u;
    if (n > 2 && t[n - 1].op == SF8_TERM_ADD && t[n - 2].op == SF8_TERM_NUMBER &&
        t[n - 2].word == 0) {
        product->more = 0;
        n -= 2;
    }
    if (n < 3 || t[0].op != SF8_TERM_VARIABLE || t[0].word != of)
        return;
    product->divide = t[n - 1].op == SF8_TERM_DIV;
    if (product->divide || (t[n - 1].op == SF8_TERM_MUL && product->more != 0))
        product->is = sf8_lanes_middle(&product->factor_of, p, n);
}

SF8_PRIVATE sf8_lanes_gauge sf8_lanes_factors(sf8_lanes *w, size_t n)
{
    const uint32_t *words = sf8_lanes_of_blocks(w, &w->product.factor_of, n);
    return w->ops->factors(w->factor, words, sf8_lanes_whole(n));
}

/* ---- codes of at most 8 bits ----------------------------------------------------------------- */

/* Formats with zero and subnormal numbers, and e8m0. Of the former, the exponents and the factor
 * must be within those of normal f32. */
SF8_PRIVATE sf8_lanes_decoding sf8_lanes_decoding_of(sf8_format f)
{
    const sf8_format powers = SF8_E8M0;
    int32_t is_powers = memcmp(&f, &powers, sizeof f) == 0, bits = sf8_format_bits(f);
    int32_t by_nan = f.nan == SF8_NANS_NONE || f.nan == SF8_NANS_TOP ||
                     (f.nan == SF8_NANS_IEEE && f.has_inf);
    sf8_lanes_decoding c;
    memset(&c, 0, sizeof c);
    c.is = is_powers || (bits <= 8 && by_nan && f.has_zero && f.exp_bits > 0 && f.exp_bits < 7 &&
                         f.bias > 0 && f.bias < 100);
    if (!c.is)
        return c;
    c.magnitude = (int32_t)sf8_format_mag_mask(f);
    c.to_top = 32 - bits;
    c.up = 23 - f.man_bits;
    c.sign = f.is_signed ? 0x80000000u : 0;
    c.most = (int32_t)sf8_format_max(f);
    c.inf = f.has_inf ? (int32_t)sf8_format_inf(f) : -1;
    c.add = (uint32_t)(127 - f.bias) << 23;
    c.least = is_powers ? 0x00400000u : 0;
    return c;
}

/* ---- matrices -------------------------------------------------------------------------------- */

SF8_PRIVATE int32_t sf8_lanes_one_row(const sf8_recipe *r, size_t columns, int32_t bits)
{
    return r->block && columns % (size_t)r->block == 0 && columns % 8 * (size_t)bits % 8 == 0;
}

/* Variables that no block sets have the values of the core: NaN or 0. */
static void sf8_lanes_defaults(sf8_lanes *w, uint32_t of, size_t columns, uint32_t g)
{
    size_t blocks = w->r->block ? columns / (size_t)w->r->block + 1 : 1;
    size_t lanes = blocks < SF8_LANES_MOST ? sf8_lanes_whole(blocks) : SF8_LANES_MOST;
    w->lanes = lanes;
    sf8_block b;
    sf8_block_begin(&b, g);
    for (uint32_t i = 0; i < SF8_VAR_COUNT; i++) {
        if (w->asked >> i & 1)
            sf8_lanes_fill(w->block[i], b.variable[i], lanes);
        if (w->used >> i & 1 && i != of && SF8_LANES_ALIKE >> i & 1)
            sf8_lanes_fill(w->element[i], b.variable[i], SF8_LANES_MOST);
    }
}

SF8_PRIVATE void sf8_lanes_of_f32(sf8_program *q, const sf8_program *p)
{
    q->count = 0;
    for (int32_t i = 0; i < p->count; i++)
        if (p->term[i].op != SF8_TERM_OWN)
            q->term[q->count++] = p->term[i];
}

SF8_PRIVATE int32_t sf8_lanes_begin(sf8_lanes *w, const sf8_level *level, const sf8_recipe *r,
                                    const sf8_program *over, uint32_t of, sf8_format tensor,
                                    size_t columns, uint32_t g)
{
    const uint32_t f = 1u << SF8_VAR_f, fo = f | 1u << SF8_VAR_o, fos = fo | 1u << SF8_VAR_s;
    uint32_t scale = 0, offset = 0, factor = 0;
    w->r = r;
    w->ops = level->blocks;
    w->arrays = level->arrays;
    w->tensor = tensor;
    w->used = 0;
    if (!sf8_lanes_has(&r->scale_of, &scale) || !sf8_lanes_has(&r->offset_of, &offset) ||
        !sf8_lanes_has(&r->factor_of, &factor) || !sf8_lanes_has(over, &w->used))
        return 0;
    if (scale & fos || offset & fo || factor & f) /* used before it is computed */
        return 0;
    w->asked = w->used | scale | offset | factor | 1u << SF8_VAR_s;
    sf8_lanes_defaults(w, of, columns, g);
    sf8_lanes_product_of(&w->product, over, of);
    w->numbers = 0;
    sf8_lanes_constants(w, &w->scale_of, &r->scale_of, g);
    sf8_lanes_constants(w, &w->factor_of, &r->factor_of, g);
    if (w->product.is)
        sf8_lanes_constants(w, &w->product.factor_of, &w->product.factor_of, g);
    w->scale_codes = sf8_lanes_decoding_of(r->scale);
    w->element_codes = sf8_lanes_decoding_of(r->element);
    return 1;
}

SF8_PRIVATE sf8_lanes_group sf8_lanes_next(size_t block, size_t left)
{
    sf8_lanes_group group = {block < left ? block : left, 1};
    if (group.count < block || block > SF8_LANES_PIECE)
        return group;
    group.blocks = SF8_LANES_PIECE / block;
    if (group.blocks > SF8_LANES_MOST)
        group.blocks = SF8_LANES_MOST;
    if (group.blocks > left / block)
        group.blocks = left / block;
    return group;
}

SF8_PRIVATE void sf8_lanes_read_scales(sf8_lanes *w, uint32_t without, size_t n)
{
    sf8_format f = w->r->scale;
    uint32_t *s = w->block[SF8_VAR_s];
    if (sf8_format_bits(f) <= 8) {
        uint8_t codes[SF8_LANES_MOST];
        size_t whole = sf8_lanes_whole(n);
        for (size_t i = 0; i < whole; i++)
            codes[i] = (uint8_t)(w->scale[i] & ~without);
        if (w->scale_codes.is)
            w->ops->decode(s, codes, &w->scale_codes, whole);
        if (w->scale_codes.is || sf8_convert_n(SF8_F32, s, f, codes, n, SF8_OCP_NOSAT) == SF8_OK)
            return;
    }
    for (size_t i = 0; i < n; i++)
        s[i] =
            (uint32_t)sf8_core_convert(SF8_F32, f, w->scale[i] & ~without, SF8_OCP_NOSAT, 0).code;
}

#endif
