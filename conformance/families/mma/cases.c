/* SPDX-License-Identifier: MIT */
/* cases.c -- rows: the instructions of matrix units and products of matrices, by each kind of
 * inputs
 *
 * The lists are those of the device; the rows are made from them once.
 */
#include "families/mma/mma.h"
#include "families/mma/gemm.h"

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

/* Enumerating all codes is only possible for codes of 8 bits. */
static int takes(const gpu_mma *m, uint32_t kind)
{
    return m->a_bytes == 1 || (kind != MMA_SINGLE && kind != MMA_SWEEPS + GPU_MMA_PAIRS &&
                               kind != MMA_SWEEPS + GPU_MMA_TRIPLES);
}

static conform_case row(const char *subject, uint32_t kind)
{
    return (conform_case){.subject = subject, .rbits = kind};
}

static void add_kinds(case_list *list, uint32_t first, uint32_t end)
{
    size_t count;
    const gpu_mma *m = gpu_mmas(&count);
    for (uint32_t kind = first; kind < end; kind++)
        for (size_t i = 0; i < count; i++)
            if (takes(&m[i], kind))
                case_list_add(list, row(m[i].name, kind), "%s/%s", kinds[kind], m[i].name);
}

static void cases(case_list *list)
{
    add_kinds(list, 0, MMA_SWEEPS);
}

static void sweep_cases(case_list *list)
{
    add_kinds(list, MMA_SWEEPS, KINDS);
}

static void sparse_cases(case_list *list)
{
    size_t count;
    const gpu_mma *m = gpu_mma_sparses(&count);
    for (; count > 0; count--, m++)
        case_list_add(list, row(m->name, MMA_SPARSE), "mma-sparse/%s", m->name);
}

static void gemm_cases(case_list *list)
{
    size_t gemms;
    const gpu_gemm *g = gpu_gemms(&gemms);
    for (uint32_t kind = 0; kind < GEMM_KINDS; kind++)
        for (size_t i = 0; i < gemms; i++)
            for (uint32_t shape = 0; shape < GEMM_SHAPES; shape++)
                case_list_add(list, row(g[i].name, kind * GEMM_SHAPES + shape), "mma-gemm-%s/%s/%s",
                              gemm_kinds[kind], g[i].name, mma_gemm_shape(shape));
}

#define TILES(first, list, rule)                                                                   \
    .name = "mma", .begins = first, .inputs = "tiles", .against = rule, .on_device = 1,            \
    .cases = list

const conform_family mma_family = {TILES("mma-directed mma-single", cases, "its unit"),
                                   .kernels = &mma_kernels, .run = kernel_case_run,
                                   .replay = kernel_case_replay};
const conform_family mma_sweep_family = {
    TILES("mma-accumulator mma-pairs mma-triples mma-random", sweep_cases, "its unit"),
    .parts = mma_sweep_parts, .kernels = &mma_kernels, .run = kernel_case_run};
const conform_family mma_sparse_family = {TILES("mma-sparse", sparse_cases, "its unit"),
                                          .kernels = &mma_sparse_kernels, .run = kernel_case_run,
                                          .replay = kernel_case_replay};
const conform_family mma_gemm_family = {
    TILES("mma-gemm-interval mma-gemm-tree mma-gemm-scales mma-gemm-random", gemm_cases,
          "its schedule"),
    .kernels = &mma_gemm_kernels, .run = kernel_case_run, .replay = kernel_case_replay};
