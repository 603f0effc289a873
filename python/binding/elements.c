/* SPDX-License-Identifier: MIT */
/* elements.c -- loops over operations that the library has for one value */
#include "elements.h"

#include <string.h>

/* Returns the bytes of an element of this many bits. */
static size_t bytes_of(int32_t bits)
{
    return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
}

static uint64_t load(const void *array, size_t i, size_t bytes)
{
    const unsigned char *at = (const unsigned char *)array + i * bytes;
    uint16_t two;
    uint32_t four;
    uint64_t eight;
    switch (bytes) {
    case 1:
        return *at;
    case 2:
        memcpy(&two, at, sizeof two);
        return two;
    case 4:
        memcpy(&four, at, sizeof four);
        return four;
    default:
        memcpy(&eight, at, sizeof eight);
        return eight;
    }
}

static void store(void *array, size_t i, size_t bytes, uint64_t word)
{
    unsigned char *at = (unsigned char *)array + i * bytes;
    uint16_t two = (uint16_t)word;
    uint32_t four = (uint32_t)word;
    switch (bytes) {
    case 1:
        *at = (unsigned char)word;
        break;
    case 2:
        memcpy(at, &two, sizeof two);
        break;
    case 4:
        memcpy(at, &four, sizeof four);
        break;
    default:
        memcpy(at, &word, sizeof word);
        break;
    }
}

/* Writes a result. Returns 0 if the operation is not supported. */
static int32_t keep(py_elements e, void *dst, size_t i, size_t bytes, sf8_result r)
{
    store(dst, i, bytes, r.code);
    if (e.flags)
        e.flags[i] = (uint8_t)(r.flags & 31u);
    return !(r.flags & SF8_UNSUPPORTED);
}

sf8_status py_call_n(const sf8_function *function, void *dst, const void *a, const void *b,
                     const void *c, py_elements e)
{
    const void *const array[3] = {a, b, c};
    size_t to = bytes_of(function->result.bits), from[3] = {0, 0, 0};
    uint64_t operand[3] = {0, 0, 0};
    int32_t supported = 1;
    for (int32_t k = 0; k < function->operands; k++)
        from[k] = bytes_of(function->operand[k].bits);
    for (size_t i = 0; i < e.n; i++) {
        for (int32_t k = 0; k < function->operands; k++)
            operand[k] = load(array[k], i, from[k]);
        supported &= keep(
            e, dst, i, to,
            sf8_function_call(function, operand, e.policy, e.random ? e.random[i] : 0, e.exact));
    }
    return supported ? SF8_OK : SF8_BAD_FORMAT;
}

sf8_status py_scalb_n(sf8_format f, void *dst, const void *a, const int32_t *exponents,
                      py_elements e)
{
    size_t bytes = bytes_of(sf8_format_bits(f));
    int32_t supported = 1;
    for (size_t i = 0; i < e.n; i++)
        supported &= keep(
            e, dst, i, bytes,
            sf8_scalb_sr(f, load(a, i, bytes), exponents[i], e.policy, e.random ? e.random[i] : 0));
    return supported ? SF8_OK : SF8_BAD_FORMAT;
}

sf8_status py_compare_n(sf8_format f, int8_t *dst, const void *a, const void *b, int32_t signaling,
                        py_elements e)
{
    size_t bytes = bytes_of(sf8_format_bits(f));
    if (!sf8_format_valid(f))
        return SF8_BAD_FORMAT;
    for (size_t i = 0; i < e.n; i++) {
        uint64_t x = load(a, i, bytes), y = load(b, i, bytes);
        uint32_t flags = 0;
        dst[i] = (int8_t)(signaling ? sf8_compare_signaling(f, x, y, e.policy, &flags)
                                    : sf8_compare(f, x, y, e.policy, &flags));
        if (e.flags)
            e.flags[i] = (uint8_t)flags;
    }
    return SF8_OK;
}

void py_special_n(sf8_format f, uint8_t *dst, const void *a, size_t n, int32_t what)
{
    size_t bytes = bytes_of(sf8_format_bits(f));
    for (size_t i = 0; i < n; i++) {
        uint64_t code = load(a, i, bytes) & sf8_format_code_mask(f);
        int32_t nan = sf8_is_nan(f, code), inf = sf8_is_inf(f, code);
        dst[i] = (uint8_t)(what == 0 ? nan : what == 1 ? inf : !nan && !inf);
    }
}

typedef struct writing {
    char *text;
    size_t room, size;
} writing;

static int32_t put(void *context, const char *text, size_t size)
{
    writing *w = context;
    if (w->size < w->room)
        memcpy(w->text + w->size, text, size < w->room - w->size ? size : w->room - w->size);
    w->size += size;
    return 0;
}

sf8_status py_steps_text(const sf8_steps_head *head, const sf8_step *rows, size_t count, char *text,
                         size_t room, size_t *size)
{
    writing w = {text, room, 0};
    sf8_steps_writer writer;
    sf8_status status;
    if (!rows) {
        status = sf8_steps_write(head, put, &w);
    } else {
        status = sf8_steps_write_head(&writer, head, put, &w);
        for (size_t i = 0; i < count && status == SF8_OK; i++)
            status = sf8_steps_write_row(&writer, rows + i);
        if (status == SF8_OK)
            status = sf8_steps_write_end(&writer);
    }
    *size = w.size;
    return status;
}

/* A matrix whose blocks have scales that are given. */
typedef struct py_matrix {
    const sf8_recipe *recipe;
    sf8_format from;
    const void *src;
    uint8_t *codes;
    size_t rows, columns, high, wide; /* of the matrix, and of a block */
    uint32_t g;
} py_matrix;

static uint32_t element_at(const py_matrix *m, size_t i)
{
    uint64_t code = load(m->src, i, bytes_of(sf8_format_bits(m->from)));
    return (uint32_t)sf8_convert(SF8_F32, m->from, code, SF8_OCP_NOSAT);
}

/* Writes the codes of the block whose first element is in this row and column. */
static void code_block(const py_matrix *m, size_t row, size_t column, uint32_t scale,
                       uint32_t offset)
{
    sf8_block taken;
    size_t end_row = m->rows - row < m->high ? m->rows : row + m->high;
    size_t end_column = m->columns - column < m->wide ? m->columns : column + m->wide;
    sf8_block_begin(&taken, m->g);
    for (size_t i = row; i < end_row; i++)
        for (size_t j = column; j < end_column; j++)
            sf8_block_take(m->recipe, &taken, element_at(m, i * m->columns + j),
                           i == row && j == column);
    sf8_block_give_scale(m->recipe, &taken, scale, offset);
    for (size_t i = row; i < end_row; i++)
        for (size_t j = column; j < end_column; j++) {
            size_t at = i * m->columns + j;
            m->codes[at] = (uint8_t)sf8_block_code(m->recipe, &taken, element_at(m, at));
        }
}

sf8_status py_codes_n(const sf8_recipe *recipe, uint8_t *codes, const uint32_t *scales,
                      const uint32_t *offsets, sf8_format from, const void *src, size_t rows,
                      size_t columns, float g)
{
    sf8_recipe room;
    py_matrix m = {.from = from, .src = src, .codes = codes, .rows = rows, .columns = columns};
    size_t blocks = sf8_recipe_blocks(recipe, columns);
    if (recipe->offset_at == SF8_OFFSET_IN_SCALE)
        return SF8_BAD_CALL;
    m.recipe = sf8_recipe_for(recipe, from, &room);
    m.high = recipe->rows > 1 ? (size_t)recipe->rows : 1;
    m.wide = recipe->block ? (size_t)recipe->block : columns;
    memcpy(&m.g, &g, sizeof g);
    for (size_t i = 0; i < sf8_recipe_scale_rows(recipe, rows) * blocks; i++)
        code_block(&m, i / blocks * m.high, i % blocks * m.wide, scales[i],
                   offsets ? offsets[i] : 0);
    return SF8_OK;
}
