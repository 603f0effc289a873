/* SPDX-License-Identifier: MIT */
/* cases.c -- rows: the instructions of matrix units and products of matrices, by each kind of inputs
 *
 * The lists are those of the device, so the rows are made of it, once.
 */
#include "families/mma/mma.h"
#include "families/mma/gemm.h"

#include <string.h>

enum { ROWS = 2048, NAME = 96 };

static const char *const kinds[] = {
    [MMA_DIRECTED] = "mma-directed",
    [MMA_SINGLE] = "mma-single",
    [MMA_SWEEPS + GPU_MMA_ACCUMULATORS] = "mma-accumulator",
    [MMA_SWEEPS + GPU_MMA_PAIRS] = "mma-pairs",
    [MMA_SWEEPS + GPU_MMA_TRIPLES] = "mma-triples",
    [MMA_SWEEPS + GPU_MMA_BITS] = "mma-random/bits",
    [MMA_SWEEPS + GPU_MMA_FINITE] = "mma-random/finite",
    [MMA_SWEEPS + GPU_MMA_CANCEL] = "mma-random/cancel",
    [MMA_SWEEPS + GPU_MMA_SMALL] = "mma-random/small",
    [MMA_SWEEPS + GPU_MMA_NORMAL] = "mma-random/normal",
    [MMA_SWEEPS + GPU_MMA_CHAIN] = "mma-random/chain",
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* All codes in turn are for those of 8 bits. */
static int takes(const gpu_mma *m, uint32_t kind)
{
    return m->a_bytes == 1 || (kind != MMA_SINGLE && kind != MMA_SWEEPS + GPU_MMA_PAIRS &&
                               kind != MMA_SWEEPS + GPU_MMA_TRIPLES);
}

static conform_case rows[ROWS];
static char names[ROWS][NAME];
static size_t count;

static void add_row(uint32_t kind, const char *subject)
{
    conform_case row = {
        names[count], subject,     PLACE_DEVICE, DOMAIN_MMA, {{NULL, NULL, NULL}}, 0,
        NULL,         SLICES_NONE, kind};
    rows[count++] = row;
}

static void add_gemms(void)
{
    size_t gemms;
    const gpu_gemm *g = gpu_gemms(&gemms);
    for (uint32_t kind = 0; kind < GEMM_KINDS; kind++)
        for (size_t i = 0; i < gemms; i++)
            for (uint32_t shape = 0; shape < GEMM_SHAPES && count < ROWS; shape++) {
                snprintf(names[count], NAME, "mma-gemm-%s/%s/%s", gemm_kinds[kind], g[i].name,
                         mma_gemm_shape(shape));
                add_row(MMA_GEMMS + kind * GEMM_SHAPES + shape, g[i].name);
            }
}

static void make_rows(void)
{
    size_t mmas;
    const gpu_mma *m = gpu_mmas(&mmas);
    for (uint32_t kind = 0; kind < KINDS; kind++)
        for (size_t j = 0; j < mmas && count < ROWS; j++) {
            if (!takes(&m[j], kind))
                continue;
            snprintf(names[count], NAME, "%s/%s", kinds[kind], m[j].name);
            add_row(kind, m[j].name);
        }
    m = gpu_mma_sparses(&mmas);
    for (size_t j = 0; j < mmas && count < ROWS; j++) {
        snprintf(names[count], NAME, "mma-sparse/%s", m[j].name);
        add_row(MMA_SPARSE, m[j].name);
    }
    add_gemms();
}

const conform_case *mma_case_at(size_t i)
{
    if (count == 0)
        make_rows();
    return i < count ? &rows[i] : NULL;
}
