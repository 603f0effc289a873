/* SPDX-License-Identifier: MIT */
/* blocks.c -- a block kernel run over its matrices, and its results compared with the library
 *
 * Bytes are compared, with one exception: a kernel that multiplies by the GPU's approximate
 * reciprocals may have a factor next to the right one. There the codes of a block are right if one
 * factor, at most NEAR steps away, gives all of them. Its scale must be right in any case.
 */
#include "base/memory.h"
#include "families/blocks/blocks.h"

#include "suite/compare.h"

#include <stdlib.h>
#include <string.h>

enum { NEAR = 4, TIMES = 21, LARGE = 8192, PERIOD = 64 };

/* The digest counts a block that a near factor explains as right. */
typedef struct block_run {
    kernel_run *run;
    const gpu_kernel *kernel;
    sf8_recipe recipe;
    uint64_t near_blocks;
    char speed[CONFORM_TEXT / 2];
} block_run;

/* ---- approximate factors --------------------------------------------------------------------- */

/* Returns 1 if the codes of the block, one a byte, are those of a factor `steps` steps away. */
static int block_is(const sf8_recipe *recipe, sf8_block block, const uint32_t *x, size_t count,
                    const uint8_t *came, int step)
{
    block.variable[SF8_VAR_f] += (uint32_t)step;
    for (size_t i = 0; i < count; i++) {
        if (sf8_block_code(recipe, &block, x[i]) != came[i])
            return 0;
    }
    return 1;
}

static uint32_t element_at(const gpu_kernel *kernel, const void *tensor, size_t i)
{
    uint32_t word;
    uint16_t half;
    if (strcmp(kernel->tensor, "f32") == 0) {
        memcpy(&word, (const unsigned char *)tensor + 4 * i, 4);
        return word;
    }
    memcpy(&half, (const unsigned char *)tensor + 2 * i, 2);
    return (uint32_t)sf8_convert(SF8_F32, sf8_format_named(kernel->tensor, NULL), half,
                                 SF8_OCP_NOSAT);
}

/* Returns 1 if a near factor gives the block that begins at an element of a row. */
static int near_block(const block_run *r, const block_matrix *m, const block_arrays *a, size_t row,
                      size_t column, const uint8_t *came)
{
    uint32_t x[32], g;
    uint8_t codes[32];
    sf8_block block;
    size_t size = (size_t)r->recipe.block;
    size_t count = m->columns - column < size ? m->columns - column : size;
    memcpy(&g, &m->g, sizeof g);
    sf8_unpack_n(4, codes, came + row * a->row_bytes + column / 2, count);
    sf8_block_begin(&block, g);
    for (size_t i = 0; i < count; i++) {
        x[i] = element_at(r->kernel, a->tensor, row * m->columns + column + i);
        sf8_block_take(&r->recipe, &block, x[i], i == 0);
    }
    sf8_block_scale(&r->recipe, &block);
    for (int step = -NEAR; step <= NEAR; step++) {
        if (block_is(&r->recipe, block, x, count, codes, step))
            return 1;
    }
    return 0;
}

/* Replaces the returned codes by the right ones where a near factor explains them. */
static void forgive_near(block_run *r, const block_matrix *m, const block_arrays *a, uint8_t *came)
{
    size_t size = (size_t)r->recipe.block, bytes = size / 2;
    for (size_t row = 0; row < m->rows; row++)
        for (size_t column = 0; column < m->columns; column += size) {
            size_t at = row * a->row_bytes + column / 2;
            size_t n = a->row_bytes - column / 2 < bytes ? a->row_bytes - column / 2 : bytes;
            if (memcmp(came + at, a->codes + at, n) != 0 &&
                near_block(r, m, a, row, column, came)) {
                memcpy(came + at, a->codes + at, n);
                r->near_blocks++;
            }
        }
}

/* ---- one matrix ------------------------------------------------------------------------------ */

/* Counts the bytes that differ, and reports where the first one does. */
static void compare(block_run *r, const block_matrix *m, int tiled, const char *what,
                    const uint8_t *came, const uint8_t *right, size_t bytes, size_t row_bytes)
{
    conform_result *result = r->run->result;
    if (memcmp(came, right, bytes) == 0)
        return;
    for (size_t i = 0; i < bytes; i++) {
        if (came[i] == right[i])
            continue;
        if (result->differ++ == 0)
            snprintf(
                result->why, sizeof result->why,
                "%zu x %zu, g %g, scales %s: byte %zu of the %s, in row %zu, is %02x, not %02x",
                m->rows, m->columns, (double)m->g, tiled ? "128x4" : "linear", i, what,
                row_bytes ? i / row_bytes : 0, came[i], right[i]);
    }
    result->status = CONFORM_FAILED;
}

/* Runs the kernel on copies of the arrays of `a`. Returns NULL or what is wrong. */
static const char *run_matrix(block_run *r, const block_matrix *m, const block_arrays *a, int tiled,
                              int times, double *seconds)
{
    const gpu_kernel *k = r->kernel;
    size_t scale_bytes = tiled ? a->tiled_bytes : a->scale_count;
    const uint8_t *scales = tiled ? a->tiled : a->scales;
    size_t bytes = k->back ? a->tensor_bytes : a->code_bytes;
    uint8_t *came = allocate(bytes, 1), *came_scales = allocate(scale_bytes, 1);
    gpu_blocks b = {k,    m->rows,     m->columns,      tiled,         m->g,        a->tensor,
                    came, came_scales, a->tensor_bytes, a->code_bytes, scale_bytes, times};
    if (k->back) {
        b.tensor = came;
        b.codes = a->codes;
        memcpy(came_scales, scales, scale_bytes);
    }
    const char *wrong = gpu_blocks_run(&b, seconds);
    if (!wrong && k->back) {
        sf8_sha256_add(&r->run->hash, came, bytes);
        compare(r, m, tiled, "tensor", came, a->tensor, bytes, a->tensor_bytes / m->rows);
    } else if (!wrong) {
        int near = k->approximate && !r->run->device->emulated;
        if (near)
            forgive_near(r, m, a, came);
        sf8_sha256_add(&r->run->hash, came, bytes);
        sf8_sha256_add(&r->run->hash, came_scales, scale_bytes);
        compare(r, m, tiled, "codes", came, a->codes, bytes, a->row_bytes);
        compare(r, m, tiled, "scales", came_scales, scales, scale_bytes, 0);
    }
    free(came);
    free(came_scales);
    r->run->result->inputs += m->rows * m->columns;
    r->run->result->seconds += *seconds;
    return wrong;
}

static const char *run_layouts(block_run *r, const block_matrix *m, const block_arrays *a,
                               int times, double seconds[2])
{
    const char *wrong = run_matrix(r, m, a, 0, times, &seconds[0]);
    return wrong ? wrong : run_matrix(r, m, a, 1, times, &seconds[1]);
}

/* ---- speed ----------------------------------------------------------------------------------- */

/* 64 Mi elements, and a copy that moves as many bytes. Without a GPU a small matrix tests the code.
 * Its rows repeat, since the library would take too long otherwise. */
static const char *measure(block_run *r)
{
    block_matrix m = {BLOCKS_SEEDED, LARGE, LARGE, 448.0f, 4711, PERIOD};
    block_arrays a;
    double seconds[2], copy = 0;
    const int emulated = r->run->emulated, times = emulated ? 1 : TIMES;
    if (emulated)
        m.rows = 2 * PERIOD + 3, m.columns = 1024;
    const char *wrong = "not enough memory for a matrix";
    if (block_arrays_make(&a, r->kernel, &r->recipe, &m))
        wrong = run_layouts(r, &m, &a, times, seconds);
    block_arrays_free(&a);
    if (wrong)
        return wrong;
    uint64_t elements = m.rows * m.columns, width = strcmp(r->kernel->tensor, "f32") == 0 ? 4 : 2;
    uint64_t bytes = elements * width + elements * sf8_recipe_bits(&r->recipe) / 8 +
                     elements / (uint64_t)r->recipe.block;
    wrong = gpu_copy_run(bytes / 32 * 16, 0, times, &copy);
    if (!wrong && !emulated && copy > 0 && seconds[0] > 0 && seconds[1] > 0) {
        double moved = (double)(bytes / 32 * 32);
        snprintf(r->speed, sizeof r->speed,
                 "%.2f TB/s, %.2f with scales 128x4; a copy %.2f TB/s: %.0f %%, %.0f %%",
                 moved / seconds[0] * 1e-12, moved / seconds[1] * 1e-12, moved / copy * 1e-12,
                 100 * copy / seconds[0], 100 * copy / seconds[1]);
    }
    return wrong;
}

/* ---- the family ------------------------------------------------------------------------------ */

static int open_kernel(kernel_run *run)
{
    block_run *r = run->own;
    r->run = run;
    r->kernel = run->kernel;
    return sf8_recipe_named(&r->recipe, r->kernel->recipe) == SF8_OK ||
           set_broken(run->result, "no kernel", r->kernel->name);
}

static int set_at(const kernel_run *run, size_t i, void *set)
{
    const block_run *r = run->own;
    return block_matrix_at(r->kernel, &r->recipe, i, set) ? SET_HASHED : SETS_END;
}

static const char *make(const kernel_run *run, const void *set, void *data)
{
    const block_run *r = run->own;
    return block_arrays_make(data, r->kernel, &r->recipe, set) ? NULL
                                                               : "not enough memory for a matrix";
}

static const char *launch(kernel_run *run, const void *set, void *data, int hashed)
{
    double seconds[2];
    const char *wrong = run_layouts(run->own, set, data, 0, seconds);
    (void)hashed;
    run->hashed = run->result->inputs;
    return wrong;
}

/* What a launch adds to the digest if all is right. */
static const char *right(kernel_run *run, const void *set, void *data)
{
    const block_run *r = run->own;
    const block_matrix *m = set;
    const block_arrays *a = data;
    for (int tiled = 0; tiled < 2; tiled++) {
        run->hashed += m->rows * m->columns;
        if (r->kernel->back) {
            sf8_sha256_add(&run->hash, a->tensor, a->tensor_bytes);
            continue;
        }
        sf8_sha256_add(&run->hash, a->codes, a->code_bytes);
        sf8_sha256_add(&run->hash, tiled ? a->tiled : a->scales,
                       tiled ? a->tiled_bytes : a->scale_count);
    }
    return NULL;
}

static const char *more(kernel_run *run)
{
    sf8_sha256_begin(&run->hash);
    return measure(run->own);
}

static void say(const kernel_run *run, const conform_speed *speed, size_t count)
{
    const block_run *r = run->own;
    conform_result *result = run->result;
    int used = snprintf(result->why, sizeof result->why, "%s", r->speed);
    (void)speed, (void)count;
    if (r->near_blocks)
        snprintf(result->why + used, sizeof result->why - (size_t)used,
                 "%s%llu blocks by a factor next to the right one", used ? "; " : "",
                 (unsigned long long)r->near_blocks);
}

KERNEL_LIST(list, gpu_kernels)

const kernel_family block_kernels = {
    .group = "blocks",
    .counts = "matrices",
    .list = list,
    KERNEL_TYPES(gpu_kernel, block_run, block_matrix, block_arrays),
    .open = open_kernel,
    .set_at = set_at,
    .make = make,
    .free = block_arrays_free,
    .launch = launch,
    .right = right,
    .more = more,
    .say = say};
