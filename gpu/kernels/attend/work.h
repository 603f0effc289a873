/* SPDX-License-Identifier: MIT */
/* work.h -- pieces of attention: their parameters, what lanes share, the instruction */
#ifndef SOFTFP8_GPU_KERNELS_ATTEND_WORK_H
#define SOFTFP8_GPU_KERNELS_ATTEND_WORK_H

#include "kernels/attend/read.h"

#include "softfp8/attend/attend.h"

#if !defined(__CUDACC__)
#include "mma/model.h"
#include "softfp8_mma.h"
#endif

namespace kernels
{

namespace attention
{

/* ---- what is to be done ---------------------------------------------------------------------- */

/* A query of a head: where its elements begin, and which keys it sees. */
struct row {
    uint32_t q_at, from, to;
};

/* A piece. All rows see some of the keys from `from` to `to` - 1, and each sees all from
 * `inner_from` to `inner_to` - 1, which may be none. */
struct item {
    uint32_t first_row, rows, head, table, first_chunk, last_chunk, piece;
    uint32_t from, to, inner_from, inner_to;
};

/* Where the parts of a block's shared memory are, and how far rows of them are apart, in bytes.
 * These are constants in a kernel for one number of elements. */
struct layout {
    uint32_t dim;
    uint32_t k_stride, v_stride, q_stride, weight_stride;
    uint32_t next; /* distance of the two buffers for a chunk; 0 if there is one */
    uint32_t v_at, q_at, score_at, weight_at, scale_at, state_at, all;
};

struct work {
    side k, v;
    const void *q;
    const uint32_t *blocks;
    const item *items;
    const row *rows;
    const sf8_attend_factor *factors; /* of each head of the cache */
    uint32_t *pieces;                 /* rows of 2 + columns numbers */
    divider by_slots, by_parts;       /* by_parts: pieces of 16 elements of a row */
    divider by_units;                 /* of 16 bytes, in the form of shared memory */
    uint32_t rows_each;               /* rows per round of all lanes, if that is a whole number;
                                         else 0 */
    uint32_t q_bits, q_exp;           /* of a word of q: 32 8, 16 8, 16 5 */
    uint32_t span_mask, span_shift;   /* a span has 1 << shift chunks */
    uint32_t aligned;                 /* all rows of the image begin at multiples of 16 */
    uint32_t plain_scales;            /* the scales of four pieces are neighbours, and aligned */
    layout lay;

    SHIM_FN const side &of(bool values) const
    {
        return values ? v : k;
    }
};

enum { SCORE_STRIDE = 68 }; /* words */

/* A row of a piece, in shared memory. `before`, `after`, `take`, which are loaded together, are of
 * a chunk, and those of `whole` of a span. The mask is that of a chunk that is not whole. */
struct alignas(16) row_state {
    float before, after;
    uint32_t take, whole_take;
    float whole_most, whole_sum, whole_before, whole_after;
    uint32_t from, to;
    uint64_t mask;
};

/* The rows of the keys of a chunk in the image. Caches of 4 bits also keep where the scales of each
 * row begin, since each piece needs them. Other caches keep the block, from which the scale is
 * found once a chunk. */
struct places {
    const uint8_t *row[2][CHUNK], *scales[2][CHUNK]; /* of keys, of values */
    uint32_t block[CHUNK];
};

/* Rows with equal masks follow each other: run u has those from begin[u] to begin[u + 1] - 1. */
template <int rows> struct shared_state {
    row_state row[rows];
    float k_scale[CHUNK], v_scale[CHUNK];
    places at[2];
    uint32_t runs, begin[rows + 1]; /* of a chunk that is not whole */
    uint32_t large;                 /* one more than the last round with large scales */
};

/* The 32-bit words of a row plus padding, so that the number is `rest`, or `other` if that is
 * given, modulo `of`. */
SHIM_BOTH constexpr uint32_t padded(uint32_t words, uint32_t of, uint32_t rest, uint32_t other)
{
    while (words % of != rest && words % of != other)
        words++;
    return words;
}

enum { PACKED_SCALES = 1024 }; /* bytes for the factors of packed keys, or values */

/* Rows of 8-bit keys are read as one 32-bit word by each lane of a warp, rows of 16 bits as two by
 * each lane of half a warp. Values are read as one word from consecutive rows. Packed codes are
 * read as halves of words, and in rows of 16 bytes. Queries and weights are read as two words by
 * half a warp; with `fixed` as four by a quarter. Two buffers are used if copies overlap the
 * arithmetic. */
SHIM_BOTH constexpr layout layout_of(uint32_t dim, uint32_t rows, uint32_t kept, bool unit,
                                     bool copied, bool fixed)
{
    const uint32_t words = dim * kept / 32;
    layout l = {};
    l.dim = dim;
    l.k_stride = 4 * (kept == 4   ? padded(words, 32, 4, 20)
                      : kept == 8 ? padded(words, 8, 4, 4)
                                  : padded(words, 32, 8, 24));
    l.v_stride = kept == 4 ? l.k_stride : 4 * padded(words, 32, 8, 24);
    l.q_stride = !unit ? 4 * dim
                       : 4 * (fixed ? padded(dim / 2, 32, 16, 16) : padded(dim / 2, 32, 8, 24));
    l.weight_stride = fixed ? 144 : 160;
    l.v_at = CHUNK * l.k_stride;
    const uint32_t room = l.v_at + CHUNK * l.v_stride;
    l.next = copied ? room : 0;
    l.q_at = room + l.next;
    l.score_at = l.q_at + rows * l.q_stride;
    l.weight_at = l.score_at + rows * SCORE_STRIDE * 4;
    l.scale_at = (l.weight_at + (unit ? rows * l.weight_stride : CHUNK * rows * 4) + 15) / 16 * 16;
    l.state_at = l.scale_at + (kept == 4 ? 2 * PACKED_SCALES : 0);
    l.all = l.state_at +
            static_cast<uint32_t>(rows == 8 ? sizeof(shared_state<8>) : sizeof(shared_state<32>));
    return l;
}

SHIM_FN inline uint64_t mask_of(uint32_t first, uint32_t from, uint32_t to)
{
    uint32_t low = from > first ? from - first : 0, high = to > first ? to - first : 0;
    if (high <= low || low >= CHUNK)
        return 0;
    uint64_t mask = high >= CHUNK ? ~uint64_t{0} : (uint64_t{1} << high) - 1;
    return mask >> low << low;
}

/* ---- powers of two --------------------------------------------------------------------------- */

/* Before a function that is called, since it seldom runs. */
#if defined(__CUDACC__)
#define ATTEND_RARE static __device__ __noinline__
#else
#define ATTEND_RARE inline
#endif

/* NaN if one of both is. */
SHIM_FN inline float most_or_nan(float a, float b)
{
    LANE_GPU(float d; asm("max.NaN.f32 %0, %1, %2;" : "=f"(d) : "f"(a), "f"(b)); return d;)
    LANE_MODEL(return is_nan(a) || is_nan(b) ? made(a + b) : most(a, b);)
}

/* For x that is not above 0, or NaN: at most 1. The same result as that of exp2_of, with fewer
 * instructions: 2^k is added to the exponent of the sum, and times 2^64, so that no exponent is too
 * small. The last operation removes 2^64 and rounds. Its sum is with a zero, or NaN. */
SHIM_FN inline float power_to_one(float x)
{
    const uint32_t factor[6] = {0x391d3330u, 0x3aaf6b31u, 0x3c1d9a72u,
                                0x3d6357dcu, 0x3e75fdecu, 0x3f317218u};
    const float large = 12582976.0f; /* 3 * 2^22 + 64 */
    const float y = most_or_nan(x, -151.0f), shifted = sum(y, large);
    const float f = less(y, less(shifted, large));
    float p = float_of(factor[0]);
    for (int i = 1; i < 6; i++)
        p = fused(p, f, float_of(factor[i]));
    p = fused(p, f, 1.0f);
    p = float_of(bits_of(p) + (bits_of(shifted) << 23));
    return fused(p, 0x1p-64f, mul(f, 0.0f));
}

/* ---- joining --------------------------------------------------------------------------------- */

struct head {
    float most, sum;
};

struct joint {
    head both;
    float before, after;
    uint32_t take;
};

SHIM_FN inline head nothing()
{
    return {negative(infinity()), 0.0f};
}

SHIM_FN inline bool is_nothing(head h)
{
    return bits_of(h.most) == SF8_F32_NEG_INF;
}

/* 32 times the upper bit. */
SHIM_FN inline uint32_t sign_of(uint32_t word)
{
    return static_cast<uint32_t>(static_cast<int32_t>(word) >> 31);
}

/* As an unsigned number, so that the maximum can be found. The NaN of a GPU, which is positive, is
 * the greatest of all. */
SHIM_FN inline uint32_t ordered(float x)
{
    return bits_of(x) ^ (sign_of(bits_of(x)) | 0x80000000u);
}

SHIM_FN inline float float_of_ordered(uint32_t n)
{
    return float_of(n ^ (~sign_of(n) | 0x80000000u));
}

SHIM_FN inline float joined(uint32_t take, float x, float by_x, float y, float by_y)
{
    if (take != SF8_ATTEND_BOTH)
        return take == SF8_ATTEND_BEFORE ? x : y;
    return fused(x, by_x, mul(y, by_y));
}

/* One of the two differences is 0, whose power is 1, so that their sum is the other one. Otherwise
 * one or both are NaN, and then the result is NaN in any case. */
SHIM_FN inline joint join_heads(head before, head after)
{
    joint j = {before, 1.0f, 1.0f, SF8_ATTEND_BEFORE};
    if (is_nothing(after))
        return j;
    if (is_nothing(before)) {
        j.both = after;
        j.take = SF8_ATTEND_AFTER;
        return j;
    }
    j.take = SF8_ATTEND_BOTH;
    j.both.most = most_or_nan(before.most, after.most);
    const float x = less(before.most, j.both.most), y = less(after.most, j.both.most);
    const float other = power_to_one(::kernels::sum(x, y));
    j.before = x == 0.0f ? 1.0f : other;
    j.after = y == 0.0f ? 1.0f : other;
    j.both.sum = joined(j.take, before.sum, j.before, after.sum, j.after);
    return j;
}

/* The same at the end of a span. */
ATTEND_RARE joint join_spans(head before, head after)
{
    return join_heads(before, after);
}

/* A score with a cap. */
ATTEND_RARE float capped(float x, float per_cap, float cap_log2e)
{
    return mul(tanh_of(mul(x, per_cap)), cap_log2e);
}

/* ---- the instruction ------------------------------------------------------------------------- */

#if defined(__CUDA_ARCH__)
template <bool is_f16>
static __device__ __forceinline__ void multiply(float *d, const uint32_t *a, const uint32_t *b)
{
    if constexpr (is_f16)
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                     "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    else
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
                     "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
#elif !defined(__CUDACC__)
/* The model of the instruction; the caller provides the unit. */
inline const sf8_mma *unit_model;

struct registers {
    uint32_t a[4], b[2], d[4];
};

/* gpu/mma/model.h says where elements are; the sums are the library's. */
inline void multiply_all(registers *r)
{
    const mma::shape shape = {16, 8, 16, 2, 0, 0, 0, 0, 0, 0};
    const mma::fragments f = {r[0].a, r[0].b, r[0].d, sizeof r[0] / sizeof r[0].a[0]};
    uint16_t a[16 * 16], b[8 * 16];
    uint32_t d[16 * 8];
    const sf8_mma_operands x = {a, b, nullptr, nullptr};
    for (int k = 0; k < 16; k++) {
        for (int i = 0; i < 16; i++)
            a[i * 16 + k] = static_cast<uint16_t>(mma::a_element(shape, f, nullptr, 0, i, k));
        for (int i = 0; i < 8; i++)
            b[i * 16 + k] = static_cast<uint16_t>(mma::b_element(shape, f, nullptr, 0, k, i));
    }
    for (int i = 0; i < 16 * 8; i++)
        d[i] = *mma::d_element(shape, f, i / 8, i % 8).word;
    sf8_mma_matmul(unit_model, nullptr, d, d, x, 16, 8, 16);
    for (int i = 0; i < 16 * 8; i++)
        *mma::d_element(shape, f, i / 8, i % 8).word = d[i];
}
#endif

/* ---- to shared memory ------------------------------------------------------------------------ */

SHIM_FN inline float query(const work &w, uint32_t at)
{
    if (w.q_bits == 32)
        return float_of(static_cast<const uint32_t *>(w.q)[at]);
    uint32_t half = static_cast<const uint16_t *>(w.q)[at];
    return w.q_exp == 8 ? of_bf16::wide(half) : of_f16::wide(half);
}

} // namespace attention

} // namespace kernels

#endif
