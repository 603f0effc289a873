/* SPDX-License-Identifier: MIT */
/* sparse.h -- the kernel of a wgmma with sparse A, the instruction's model, gpu_mma_sparse_run
 *
 * In memory a row of A is its 32 codes, a row of `kept` two words of 8 groups, a row of B 64 codes.
 */
#ifndef SOFTFP8_GPU_MMA_SPARSE_H
#define SOFTFP8_GPU_MMA_SPARSE_H

#include "mma/engine.h"

namespace mma
{

/* ---- rows of the list ------------------------------------------------------------------------ */

constexpr shape sparse_shapes[] = {
#define MMA_SHAPE(n, a, b, out, source) {64, n, 32, 1, !RS_##source, 1, HALF_##out, 0, 0, 0},
    MMA_SPARSE_LIST(MMA_SHAPE)
#undef MMA_SHAPE
};
constexpr int sparse_count = sizeof sparse_shapes / sizeof sparse_shapes[0];

/* ---- the instruction on this processor ------------------------------------------------------- */

/* The position in its group of one of the two kept codes; PTX says where it is stored, depending on
 * the row. */
inline int kept_place(const uint32_t *lanes, size_t stride, int row, int group, int which)
{
    int lane = row / 16 * 32 + row % 8 * 4 + (row % 16 >= 8 ? 1 : 0) + (group >= 8 ? 2 : 0);
    uint32_t four = lanes[static_cast<size_t>(lane) * stride] >> group % 8 * 4 & 15;
    return static_cast<int>(which ? four >> 2 : four & 3);
}

/* The sum of the products of what is kept, in its order along k, and c. */
SF8_NOINLINE inline void execute_sparse(const shape &s, const sf8_mma &unit, const fragments &f,
                                        const uint32_t *kept, const unsigned char *shared,
                                        uint64_t da, uint64_t db, uint32_t scale_d)
{
    unsigned char a[32], b[32];
    for (int row = 0; row < s.rows; row++)
        for (int column = 0; column < s.columns; column++) {
            for (int i = 0; i < s.k; i++) {
                int k = i / 2 * 4 + kept_place(kept, f.stride, row, i / 2, i % 2);
                a[i] = static_cast<unsigned char>(a_element(s, f, shared, da, row, i));
                b[i] = *described(shared, db, column, k);
            }
            d_place d = d_element(s, f, row, column);
            uint32_t mask = s.half ? 0xffffu : 0xffffffffu;
            uint32_t c = scale_d ? *d.word >> d.shift & mask : 0;
            sf8_mma_operands x = {a, b, nullptr, nullptr};
            uint32_t sum = dot(&unit, x, s.k, c);
            *d.word = (*d.word & ~(mask << d.shift)) | sum << d.shift;
        }
}

/* ---- kernels --------------------------------------------------------------------------------- */

template <int row> struct sparse {
    static constexpr shape s = sparse_shapes[row];
    static constexpr int threads = 128;
    static constexpr int words_a = ROW_BYTES / 4, words_b = WIDE_ROW_BYTES / 4;
    static constexpr int elements = s.rows * s.columns / threads; /* of D, a lane */
    static constexpr int d_registers = s.half ? elements / 2 : elements;
    static constexpr int a_bytes = s.a_shared ? s.rows * ROW_BYTES : 0;
    static constexpr int shared_bytes = a_bytes + s.columns * WIDE_ROW_BYTES;

    const uint32_t *a, *kept, *b, *c;
    uint32_t *d;
    uint32_t steps; /* tiles */
    uint32_t scale_d;
    sf8_mma unit; /* for the model */

    struct lane {
        uint32_t a[4], kept, d[d_registers];
    };

    static SHIM_FN void copy(unsigned char *to, const uint32_t *from)
    {
        chunk *c = reinterpret_cast<chunk *>(to);
        for (int j = 0; j < 4; j++)
            c->word[j] = from[j];
    }

    SHIM_FN void load(uint32_t step, uint32_t number, lane &l, unsigned char *shared) const
    {
        const uint32_t *rows_a = a + static_cast<uint64_t>(step) * (s.rows * words_a);
        const uint32_t *rows_kept = kept + static_cast<uint64_t>(step) * (s.rows * 2);
        const uint32_t *rows_b = b + static_cast<uint64_t>(step) * (s.columns * words_b);
        const uint32_t *rows_c = c + static_cast<uint64_t>(step) * (s.rows * s.columns);
        const int me = static_cast<int>(number);
        l.kept = rows_kept[kept_row(me) * 2 + kept_word(me)];
        if constexpr (s.a_shared)
            for (int i = me; i < s.rows * 2; i += threads)
                copy(shared + chunk_place(i / 2, i % 2), rows_a + i * 4);
        else
            SHIM_UNROLL for (int r = 0; r < 4; r++)
                l.a[r] = rows_a[a_row(me, r) * words_a + a_word(me, r)];
        for (int i = me; i < s.columns * 4; i += threads)
            copy(shared + a_bytes + wide_chunk_place(i / 4, i % 4), rows_b + i * 4);
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
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
    }

    __device__ void execute(lane &l, unsigned char *shared) const
    {
#if defined(__CUDA_ARCH__)
        typename sparse_instruction<row>::word x[d_registers];
        uint32_t base = static_cast<uint32_t>(__cvta_generic_to_shared(shared));
        memcpy(x, l.d, sizeof x);
        sparse_instruction<row>::run(x, l.a, l.kept, descriptor(base),
                                     wide_descriptor(base + a_bytes), scale_d);
        memcpy(l.d, x, sizeof x);
#endif
    }
#else
    /* All lanes at once. */
    void execute_all(lane *lanes, const unsigned char *shared) const
    {
        fragments f = {lanes[0].a, nullptr, lanes[0].d, sizeof lanes[0] / sizeof(uint32_t)};
        execute_sparse(s, unit, f, &lanes[0].kept, shared, descriptor(SHARED_BASE),
                       wide_descriptor(SHARED_BASE + a_bytes), scale_d);
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

/* ---- tiles of the caller's ------------------------------------------------------------------- */

/* The arrays on the device. */
struct sparse_tiles {
    uint32_t *a, *kept, *b, *c, *d;
};

struct sparse_launcher {
    const char *(*prepare)(void);
    const char *(*launch)(const sparse_tiles &t, const gpu_mma_sparse_tiles *g);
};

template <int row> const char *launch_sparse(const sparse_tiles &t, const gpu_mma_sparse_tiles *g)
{
    sparse<row> body = {t.a, t.kept, t.b, t.c, t.d, g->count, g->scale_d != 0, *g->unit};
    return shim::launch_groups(body);
}

template <class Numbers> struct sparse_launchers;
template <int... row> struct sparse_launchers<std::integer_sequence<int, row...>> {
    static constexpr sparse_launcher rows[] = {
        {shim::prepare_groups<sparse<row>>, launch_sparse<row>}...};
};

inline const char *run_sparse(const gpu_mma_sparse_tiles *g)
{
    size_t count, row = static_cast<size_t>(g->mma - gpu_mma_sparses(&count));
    if (row >= count || count != static_cast<size_t>(sparse_count))
        return "not a sparse instruction of the list";
    const sparse_launcher *l =
        &sparse_launchers<std::make_integer_sequence<int, sparse_count>>::rows[row];
    const uint64_t rows = static_cast<uint64_t>(g->mma->rows) * g->count;
    const uint64_t columns = static_cast<uint64_t>(g->mma->columns) * g->count;
    const uint64_t words = rows * static_cast<uint64_t>(g->mma->columns) * 4;
    sparse_tiles t = {};
    struct {
        uint32_t **to;
        const void *from;
        uint64_t bytes;
    } const arrays[] = {{&t.a, g->a, rows * ROW_BYTES},
                        {&t.kept, g->kept, rows * KEPT_BYTES},
                        {&t.b, g->b, columns * WIDE_ROW_BYTES},
                        {&t.c, g->c, words}};
    const char *error = l->prepare();
    for (const auto &array : arrays) {
        if (!error)
            error = shim::allocate(array.to, array.bytes);
        if (!error)
            error = shim::upload(*array.to, array.from, array.bytes);
    }
    if (!error)
        error = shim::allocate(&t.d, words);
    if (!error)
        error = shim::fill(t.d, poison, words);
    if (!error)
        error = l->launch(t, g);
    if (!error)
        error = shim::download(g->d, t.d, words);
    void *const memory[] = {t.a, t.kept, t.b, t.c, t.d};
    return release(memory, 5, error);
}

} // namespace mma

const char *gpu_mma_sparse_run(const gpu_mma_sparse_tiles *t)
{
    return mma::run_sparse(t);
}

#endif
