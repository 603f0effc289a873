/* SPDX-License-Identifier: MIT */
/* blocks.c -- a block kernel run over its matrices, and its results compared with the library
 *
 * Bytes are compared, with one exception: a kernel that multiplies by the GPU's approximate
 * reciprocals may have a factor next to the right one. There the codes of a block are right if one
 * factor, at most NEAR steps away, gives all of them. Its scale must be right in any case.
 */
#include "families/blocks/blocks.h"
#include "softfp8/sha256.h"

#include <stdlib.h>
#include <string.h>

enum { NEAR = 4, TIMES = 21, LARGE = 8192, PERIOD = 64 };

typedef struct block_run {
    const gpu_kernel *kernel;
    const sf8_recipe *recipe;
    const gpu_device *device;
    conform_result *result;
    sf8_sha256 hash; /* the digest of the results, where a block explained by a near factor counts
                        as right */
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
    size_t size = (size_t)r->recipe->block;
    size_t count = m->columns - column < size ? m->columns - column : size;
    memcpy(&g, &m->g, sizeof g);
    sf8_unpack_n(4, codes, came + row * a->row_bytes + column / 2, count);
    sf8_block_begin(&block, g);
    for (size_t i = 0; i < count; i++) {
        x[i] = element_at(r->kernel, a->tensor, row * m->columns + column + i);
        sf8_block_take(r->recipe, &block, x[i], i == 0);
    }
    sf8_block_scale(r->recipe, &block);
    for (int step = -NEAR; step <= NEAR; step++) {
        if (block_is(r->recipe, block, x, count, codes, step))
            return 1;
    }
    return 0;
}

/* Replaces the returned codes by the right ones where a near factor explains them. */
static void forgive_near(block_run *r, const block_matrix *m, const block_arrays *a, uint8_t *came)
{
    size_t size = (size_t)r->recipe->block, bytes = size / 2;
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
    conform_result *result = r->result;
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
    uint8_t *came = malloc(bytes + 1), *came_scales = malloc(scale_bytes + 1);
    gpu_blocks b = {k,    m->rows,     m->columns,      tiled,         m->g,        a->tensor,
                    came, came_scales, a->tensor_bytes, a->code_bytes, scale_bytes, times};
    const char *wrong = NULL;
    if (!came || !came_scales)
        wrong = "no memory";
    if (!wrong && k->back) {
        b.tensor = came;
        b.codes = a->codes;
        memcpy(came_scales, scales, scale_bytes);
    }
    if (!wrong)
        wrong = gpu_blocks_run(&b, seconds);
    pretend_answer(r->device, came, k->back ? a->tensor : a->codes, came ? bytes : 0);
    pretend_answer(r->device, came_scales, scales, came_scales ? scale_bytes : 0);
    if (!wrong && k->back) {
        sf8_sha256_add(&r->hash, came, bytes);
        compare(r, m, tiled, "tensor", came, a->tensor, bytes, a->tensor_bytes / m->rows);
    } else if (!wrong) {
        int near = k->approximate && !r->device->emulated;
        if (near)
            forgive_near(r, m, a, came);
        sf8_sha256_add(&r->hash, came, bytes);
        sf8_sha256_add(&r->hash, came_scales, scale_bytes);
        compare(r, m, tiled, "codes", came, a->codes, bytes, a->row_bytes);
        compare(r, m, tiled, "scales", came_scales, scales, scale_bytes, 0);
    }
    free(came);
    free(came_scales);
    r->result->inputs += m->rows * m->columns;
    r->result->seconds += *seconds;
    return wrong;
}

static const char *try_matrix(block_run *r, const block_matrix *m, int times, double seconds[2])
{
    block_arrays a;
    const char *wrong = NULL;
    if (!block_arrays_make(&a, r->kernel, r->recipe, m))
        wrong = "not enough memory for a matrix";
    for (int tiled = 0; tiled < 2 && !wrong; tiled++)
        wrong = run_matrix(r, m, &a, tiled, times, &seconds[tiled]);
    block_arrays_free(&a);
    return wrong;
}

/* ---- speed ----------------------------------------------------------------------------------- */

/* 64 Mi elements, and a copy that moves as many bytes. Without a GPU a small matrix tests the code.
 * Its rows repeat, since the library would take too long otherwise. */
static const char *measure(block_run *r)
{
    block_matrix m = {BLOCKS_SEEDED, LARGE, LARGE, 448.0f, 4711, PERIOD};
    double seconds[2], copy = 0;
    if (r->device->emulated)
        m.rows = 2 * PERIOD + 3, m.columns = 1024;
    const char *wrong = try_matrix(r, &m, r->device->emulated ? 1 : TIMES, seconds);
    if (wrong)
        return wrong;
    uint64_t elements = m.rows * m.columns, width = strcmp(r->kernel->tensor, "f32") == 0 ? 4 : 2;
    uint64_t bytes = elements * width + elements * sf8_recipe_bits(r->recipe) / 8 +
                     elements / (uint64_t)r->recipe->block;
    wrong = gpu_copy_run(bytes / 32 * 16, 0, r->device->emulated ? 1 : TIMES, &copy);
    if (!wrong && !r->device->emulated && copy > 0 && seconds[0] > 0 && seconds[1] > 0) {
        double moved = (double)(bytes / 32 * 32);
        snprintf(r->speed, sizeof r->speed,
                 "%.2f TB/s, %.2f with scales 128x4; a copy %.2f TB/s: %.0f %%, %.0f %%",
                 moved / seconds[0] * 1e-12, moved / seconds[1] * 1e-12, moved / copy * 1e-12,
                 100 * copy / seconds[0], 100 * copy / seconds[1]);
    }
    return wrong;
}

/* ---- a case ---------------------------------------------------------------------------------- */

static const sf8_recipe *open_run(block_run *r, const char *subject, conform_result *result)
{
    static sf8_recipe recipe;
    size_t count;
    const gpu_kernel *list = gpu_kernels(&count);
    memset(r, 0, sizeof *r);
    r->recipe = &recipe;
    r->result = result;
    r->kernel = begin_run(subject, list, count, sizeof *list, &r->hash, result);
    if (r->kernel && sf8_recipe_named(&recipe, r->kernel->recipe) == SF8_OK)
        return &recipe;
    set_broken(result, "no kernel", subject);
    return NULL;
}

void blocks_run(const conform_job *j)
{
    block_run r;
    block_matrix m;
    double seconds[2];
    const char *wrong = NULL;
    conform_result *result = j->result;
    if (!open_run(&r, j->c->subject, result))
        return;
    r.device = j->device;
    for (size_t i = 0; !wrong && block_matrix_at(r.kernel, r.recipe, i, &m); i++)
        wrong = try_matrix(&r, &m, 0, seconds);
    uint64_t elements = result->inputs;
    sf8_sha256_end(&r.hash, result->digest);
    sf8_sha256_begin(&r.hash);
    if (!wrong)
        wrong = measure(&r);
    if (wrong)
        set_broken(result, "the device:", wrong);
    else
        record_digest(j, "blocks", elements);
    if (result->status != CONFORM_PASSED)
        return;
    int used = snprintf(result->why, sizeof result->why, "%s", r.speed);
    if (r.near_blocks)
        snprintf(result->why + used, sizeof result->why - (size_t)used,
                 "%s%llu blocks by a factor next to the right one", used ? "; " : "",
                 (unsigned long long)r.near_blocks);
}

/* What blocks_run adds to its digest for a matrix whose results are all right. */
static void hash_right(block_run *r, const block_arrays *a)
{
    for (int tiled = 0; tiled < 2; tiled++) {
        if (r->kernel->back) {
            sf8_sha256_add(&r->hash, a->tensor, a->tensor_bytes);
            continue;
        }
        sf8_sha256_add(&r->hash, a->codes, a->code_bytes);
        sf8_sha256_add(&r->hash, tiled ? a->tiled : a->scales,
                       tiled ? a->tiled_bytes : a->scale_count);
    }
}

void blocks_replay(const conform_job *j)
{
    block_run r;
    block_matrix m;
    block_arrays a;
    conform_result *result = j->result;
    if (!open_run(&r, j->c->subject, result))
        return;
    for (size_t i = 0; block_matrix_at(r.kernel, r.recipe, i, &m); i++) {
        if (!block_arrays_make(&a, r.kernel, r.recipe, &m)) {
            set_broken(result, "no memory for", "a matrix");
            return;
        }
        hash_right(&r, &a);
        result->inputs += 2 * m.rows * m.columns;
        block_arrays_free(&a);
    }
    sf8_sha256_end(&r.hash, result->digest);
    record_agrees(j, "matrices");
}
