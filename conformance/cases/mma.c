/* SPDX-License-Identifier: MIT */
/* mma.c -- rows: the instructions of matrix units, by each kind of inputs
 *
 * The list of instructions is that of the device, so the rows are made of it, once.
 */
#include "../mma.h"

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

const conform_case *mma_case_at(size_t i)
{
    static conform_case rows[ROWS];
    static char names[ROWS][NAME];
    static size_t count;
    if (count == 0) {
        size_t mmas;
        const gpu_mma *m = gpu_mmas(&mmas);
        for (uint32_t kind = 0; kind < KINDS; kind++)
            for (size_t j = 0; j < mmas && count < ROWS; j++) {
                if (!takes(&m[j], kind))
                    continue;
                snprintf(names[count], NAME, "%s/%s", kinds[kind], m[j].name);
                conform_case row = {
                    names[count], m[j].name,   PLACE_DEVICE, DOMAIN_MMA, {{NULL, NULL, NULL}}, 0,
                    NULL,         SLICES_NONE, kind};
                rows[count++] = row;
            }
    }
    return i < count ? &rows[i] : NULL;
}
