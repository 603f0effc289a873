/* SPDX-License-Identifier: MIT */
/* examine.h -- the kernel that looks at the codes of one lane of a chunk
 *
 * Where the code changes from one input to the next it makes a row, and it adds up all codes, those
 * of the oracle too. Sums are kept by each thread and added to one of several cells in the end, so
 * that few threads meet.
 */
#ifndef SOFTFP8_GPU_EXAMINE_H
#define SOFTFP8_GPU_EXAMINE_H

#include "sample.h"

namespace gpu
{

enum { SUM, WEIGHTED, RIGHT_SUM, RIGHT_WEIGHTED, DIFFER, SUMS, CELLS = 256 };

/* The rows of a lane; `count` continues when no further row fits. */
struct row_list {
    gpu_row *row;
    uint64_t *count;
    uint64_t room;
};

template <class Word> struct examine {
    const Word *out, *right; /* right: NULL, or the oracle's codes */
    row_list rows;
    uint64_t *sums; /* SUMS times CELLS */
    uint64_t base;  /* index of the chunk's first input */
    uint32_t n;
    int lane, lanes;

    SHIM_FN Word code_at(uint32_t i) const
    {
        uint64_t tuple = place_of(i, n, lane);
        return out[tuple * static_cast<uint32_t>(lanes) + static_cast<uint32_t>(lane)];
    }

    SHIM_FN void make_row(uint32_t i, uint64_t code) const
    {
        uint64_t at = shim::add(rows.count, 1);
        if (at < rows.room) {
            rows.row[at].index = base + i;
            rows.row[at].code = code;
        }
    }

    SHIM_FN void add_up(shim::place at, int which, uint64_t value) const
    {
        shim::add(sums + which * CELLS + at.first() % CELLS, value);
    }

    SHIM_FN void run(shim::place at) const
    {
        uint64_t sum = 0, weighted = 0, right_sum = 0, right_weighted = 0, differ = 0;
        for (uint32_t i = at.first(); i < n; i += at.stride()) {
            Word code = code_at(i);
            uint64_t weight = base + i + 1;
            if (i == 0 || code != code_at(i - 1))
                make_row(i, code);
            sum += code;
            weighted += weight * code;
            if (right) {
                right_sum += right[i];
                right_weighted += weight * right[i];
                differ += code != right[i];
            }
        }
        add_up(at, SUM, sum);
        add_up(at, WEIGHTED, weighted);
        if (!right)
            return;
        add_up(at, RIGHT_SUM, right_sum);
        add_up(at, RIGHT_WEIGHTED, right_weighted);
        add_up(at, DIFFER, differ);
    }
};

} // namespace gpu

#endif
