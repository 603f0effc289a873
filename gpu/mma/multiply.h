/* SPDX-License-Identifier: MIT */
/* multiply.h -- the kernel of an instruction: tiles of A, B and C in, D out
 *
 * A tile is stored as matrices row by row: A has `rows` rows of k codes, B `columns` of them, C and
 * D a word of 32 bits for each element. A code of tf32 has 19 bits there. In the word that the
 * instruction gets there are random bits below it, which must have no effect.
 */
#ifndef SOFTFP8_GPU_MMA_MULTIPLY_H
#define SOFTFP8_GPU_MMA_MULTIPLY_H

#include "mma/layout.h"
#include "mma/list.h"
#include "mma/model.h"
#include "shim.h"

#if defined(__CUDA_ARCH__)
#include "mma/instruction.h"
#endif

namespace mma
{

/* ---- rows of the list ------------------------------------------------------------------------ */

enum { SYNC_sync = 1, SYNC_wgmma = 0 };
enum { RS_ss = 0, RS_rs = 1, RS_whole = 1, RS_half = 1 };
enum { BYTES_e4m3 = 1, BYTES_e5m2 = 1, BYTES_f16 = 2, BYTES_bf16 = 2, BYTES_tf32 = 4 };
enum { LOW_e4m3 = 0, LOW_e5m2 = 0, LOW_f16 = 0, LOW_bf16 = 0, LOW_tf32 = 13 };
enum { HALF_f32 = 0, HALF_f16 = 1, NEGATE_plus = 0, NEGATE_minus = 1 };

constexpr shape shapes[] = {
#define MMA_SHAPE(kind, n, k, a, b, out, source, sign_a, sign_b, unit)                             \
    {SYNC_##kind ? 16 : 64,                                                                        \
     n,                                                                                            \
     k,                                                                                            \
     BYTES_##a,                                                                                    \
     !RS_##source,                                                                                 \
     !SYNC_##kind,                                                                                 \
     HALF_##out,                                                                                   \
     NEGATE_##sign_a,                                                                              \
     NEGATE_##sign_b,                                                                              \
     LOW_##a},
    MMA_LIST(MMA_SHAPE)
#undef MMA_SHAPE
};
constexpr int row_count = sizeof shapes / sizeof shapes[0];

/* ---- kernels --------------------------------------------------------------------------------- */

struct alignas(16) chunk {
    uint32_t word[4];
};

template <int row> struct multiply {
    static constexpr shape s = shapes[row];
    static constexpr int threads = s.rows == 16 ? 32 : 128;
    static constexpr int words = s.k * s.bytes / 4; /* of a row along k */
    static constexpr int a_registers = words / 2, b_registers = s.b_shared ? 1 : words / 4;
    static constexpr int elements = s.rows * s.columns / threads; /* of D, a lane */
    static constexpr int d_registers = s.half ? elements / 2 : elements;
    static constexpr int a_bytes = s.a_shared ? s.rows * ROW_BYTES : 0;
    static constexpr int shared_bytes = s.b_shared ? a_bytes + s.columns * ROW_BYTES : CHUNK;

    const uint32_t *a, *b, *c;
    uint32_t *d;
    uint32_t steps; /* tiles */
    uint32_t scale_d;
    sf8_mma unit; /* for the model */

    struct lane {
        uint32_t a[a_registers], b[b_registers], d[d_registers];
    };

    /* Converts elements from memory to the form that the instruction takes. */
    static SHIM_FN uint32_t operand(uint32_t word)
    {
        if constexpr (s.low_bits != 0)
            return word << s.low_bits | (word * 0x9e3779b1u >> (32 - s.low_bits));
        else
            return word;
    }

    static SHIM_FN void to_shared(unsigned char *shared, const uint32_t *from, int rows,
                                  uint32_t number)
    {
        for (int i = static_cast<int>(number); i < rows * 2; i += threads) {
            chunk *to = reinterpret_cast<chunk *>(shared + chunk_place(i / 2, i % 2));
            for (int j = 0; j < 4; j++)
                to->word[j] = operand(from[i * 4 + j]);
        }
    }

    SHIM_FN void load(uint32_t step, uint32_t number, lane &l, unsigned char *shared) const
    {
        const uint32_t *rows_a = a + static_cast<uint64_t>(step) * (s.rows * words);
        const uint32_t *rows_b = b + static_cast<uint64_t>(step) * (s.columns * words);
        const uint32_t *rows_c = c + static_cast<uint64_t>(step) * (s.rows * s.columns);
        const int me = static_cast<int>(number);
        if constexpr (s.a_shared)
            to_shared(shared, rows_a, s.rows, number);
        else
            SHIM_UNROLL for (int r = 0; r < a_registers; r++)
                l.a[r] = operand(rows_a[a_row(me, r) * words + a_word(me, r)]);
        if constexpr (s.b_shared)
            to_shared(shared + a_bytes, rows_b, s.columns, number);
        else
            SHIM_UNROLL for (int r = 0; r < b_registers; r++)
                l.b[r] = operand(rows_b[b_column(me) * words + b_word(me, r)]);
        SHIM_UNROLL for (int i = 0; i < elements; i++)
        {
            uint32_t word = rows_c[d_row(me, i) * s.columns + d_column(me, i)];
            if constexpr (!s.half)
                l.d[i] = word;
            else if (i % 2 == 0)
                l.d[i / 2] = word & 0xffff;
            else
                l.d[i / 2] |= word << 16;
        }
    }

#if defined(__CUDACC__)
    /* The matrix unit reads shared memory by another path than the stores use. */
    static __device__ void written()
    {
#if defined(__CUDA_ARCH__)
        if constexpr (s.b_shared)
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
    }

    __device__ void execute(lane &l, unsigned char *shared) const
    {
#if defined(__CUDA_ARCH__)
        typename instruction<row>::word x[d_registers];
        uint32_t base = static_cast<uint32_t>(__cvta_generic_to_shared(shared));
        memcpy(x, l.d, sizeof x);
        instruction<row>::run(x, l.a, l.b, descriptor(base), descriptor(base + a_bytes), scale_d);
        memcpy(l.d, x, sizeof x);
#endif
    }
#else
    /* All lanes at once. */
    void execute_all(lane *lanes, const unsigned char *shared) const
    {
        fragments f = {lanes[0].a, lanes[0].b, lanes[0].d, sizeof lanes[0] / sizeof(uint32_t)};
        mma::execute(s, unit, f, shared, descriptor(SHARED_BASE), descriptor(SHARED_BASE + a_bytes),
                     scale_d);
    }
#endif

    SHIM_FN void store(uint32_t step, uint32_t number, const lane &l) const
    {
        uint32_t *rows_d = d + static_cast<uint64_t>(step) * (s.rows * s.columns);
        const int me = static_cast<int>(number);
        SHIM_UNROLL for (int i = 0; i < elements; i++)
        {
            uint32_t word = s.half ? l.d[i / 2] >> (i % 2 * 16) & 0xffff : l.d[i];
            rows_d[d_row(me, i) * s.columns + d_column(me, i)] = word;
        }
    }
};

} // namespace mma

#endif
