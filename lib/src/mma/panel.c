/* SPDX-License-Identifier: MIT */
/* panel.c -- a matrix of operands that is decoded once and then multiplied by many rows */
#include "mma/panel.h"
#include "softfp8/kv/layout.h"

#include <string.h>

enum { SF8_PANEL_WIDTH = SF8_TILE_COLUMNS };

static uint64_t sf8_panel_stride(uint64_t columns)
{
    return sf8_kv_plus(columns, 2 * SF8_PANEL_WIDTH - 1) / SF8_PANEL_WIDTH * SF8_PANEL_WIDTH;
}

/* A value and an exponent for each product; 5/16 of that for the floors and marks of an
 * instruction, which has at least four. */
SF8_PRIVATE uint64_t sf8_mma_panel_room(uint64_t columns, uint64_t k)
{
    return sf8_kv_times(2, sf8_kv_times(k, sf8_panel_stride(columns)));
}

SF8_PRIVATE int32_t sf8_mma_panels_begin(sf8_mma_tiles *j, const sf8_mma *m)
{
    const sf8_mma_operands none = {NULL, NULL, NULL, NULL};
    unsigned int before = sf8_floats_begin();
    sf8_mma_tiles_begin(j, m, none, 0, sf8_level_now());
    sf8_floats_end(before);
    return j->loops && !m->group && !m->scale_block && j->step >= 4;
}

SF8_PRIVATE void sf8_mma_panel_begin(sf8_mma_panel *p, const sf8_mma_tiles *j, size_t columns,
                                     size_t k, uint32_t *room)
{
    size_t size = (size_t)sf8_panel_stride(columns), steps = k / (size_t)j->step;
    p->stride = size;
    p->value = (char *)room;
    p->exponent = p->value + k * size * sizeof(float);
    p->floor = p->exponent + k * size * sizeof(int16_t);
    p->special = (uint8_t *)p->floor + steps * SF8_TILE_SETS * size * sizeof(int16_t);
    memset(room, 0, (size_t)sf8_mma_panel_room(columns, k) * sizeof *room);
}

/* The products of an instruction that are loaded, `columns` of them at most a tile. */
static void sf8_panel_put(const sf8_mma_panel *p, const sf8_mma_tiles *j, size_t column,
                          size_t columns, size_t k)
{
    const sf8_mma_tile *t = &j->tile;
    size_t step = (size_t)j->step, at = k * p->stride + column;
    for (size_t i = 0; i < step; i++, at += p->stride) {
        memcpy(p->value + at * sizeof(float), t->b[i], columns * sizeof(float));
        memcpy(p->exponent + at * sizeof(int16_t), t->b_exp[i], columns * sizeof(int16_t));
    }
    for (size_t set = 0; set < (size_t)j->sets; set++)
        memcpy(p->floor + ((k / step * SF8_TILE_SETS + set) * p->stride + column) * sizeof(int16_t),
               t->b_floor[set], columns * sizeof(int16_t));
    for (size_t i = 0; i < columns; i++)
        p->special[k / step * p->stride + column + i] = t->b_special[i] != 0;
}

SF8_PRIVATE void sf8_mma_panel_fill(const sf8_mma_panel *p, sf8_mma_tiles *j, const void *codes,
                                    size_t column, size_t columns, size_t k, size_t count)
{
    unsigned int before = sf8_floats_begin();
    j->x.b = codes;
    j->k = count;
    for (size_t i = 0; i < columns; i += SF8_PANEL_WIDTH) {
        sf8_mma_block at = {0, 0, i, sf8_mma_least_size(columns - i, SF8_PANEL_WIDTH)};
        for (size_t first = 0; first < count; first += (size_t)j->step) {
            sf8_mma_tiles_load(j, at, first);
            sf8_panel_put(p, j, column + i, at.columns, k + first);
        }
    }
    sf8_floats_end(before);
}

/* The same back. Returns 0 if an operand is not finite. */
static int32_t sf8_panel_get(const sf8_mma_panel *p, sf8_mma_tiles *j, size_t column,
                             size_t columns, size_t k)
{
    sf8_mma_tile *t = &j->tile;
    size_t step = (size_t)j->step, at = k * p->stride + column;
    const uint8_t *special = p->special + k / step * p->stride + column;
    if (memchr(special, 1, columns))
        return 0;
    for (size_t i = 0; i < step; i++, at += p->stride) {
        memcpy(t->b[i], p->value + at * sizeof(float), sizeof t->b[i]);
        memcpy(t->b_exp[i], p->exponent + at * sizeof(int16_t), sizeof t->b_exp[i]);
    }
    for (size_t set = 0; set < (size_t)j->sets; set++)
        memcpy(t->b_floor[set],
               p->floor + ((k / step * SF8_TILE_SETS + set) * p->stride + column) * sizeof(int16_t),
               sizeof t->b_floor[set]);
    return 1;
}

/* At most a tile of columns; 0 if the definition must compute one. */
static int32_t sf8_panel_tile(const sf8_mma_panel *p, sf8_mma_tiles *j, size_t column,
                              size_t columns, size_t k, size_t count, uint32_t *c)
{
    const sf8_mma_block row = {0, 1, 0, 0};
    uint32_t sum[SF8_PANEL_WIDTH] = {0};
    int32_t left[SF8_PANEL_WIDTH] = {0};
    memcpy(sum, c, columns * sizeof *c);
    memset(j->tile.b_special, 0, sizeof j->tile.b_special);
    j->tile.columns = (int32_t)((columns + 31) / 32 * 32);
    for (size_t first = 0; first < count; first += (size_t)j->step) {
        if (!sf8_panel_get(p, j, column, columns, k + first))
            return 0;
        sf8_mma_tiles_load(j, row, first);
        if (!sf8_mma_tiles_row(j, 0, columns, sum, left))
            continue;
        for (size_t i = 0; i < columns; i++)
            if (left[i])
                return 0;
        memset(left, 0, sizeof left);
    }
    memcpy(c, sum, columns * sizeof *c);
    return 1;
}

SF8_PRIVATE size_t sf8_mma_panel_sum(const sf8_mma_panel *p, sf8_mma_tiles *j, const void *row,
                                     size_t column, size_t columns, size_t k, size_t count,
                                     uint32_t *c)
{
    size_t done = 0;
    unsigned int before = sf8_floats_begin();
    j->x.a = row;
    while (done < columns) {
        size_t width = sf8_mma_least_size(columns - done, SF8_PANEL_WIDTH);
        if (!sf8_panel_tile(p, j, column + done, width, k, count, c + done))
            break;
        done += width;
    }
    sf8_floats_end(before);
    return done;
}
