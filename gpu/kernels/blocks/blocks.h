/* SPDX-License-Identifier: MIT */
/* blocks.h -- the block kernels by their number in the list, and how one is run
 *
 * This text is compiled once for the GPU and once for this processor.
 */
#ifndef SOFTFP8_GPU_KERNELS_BLOCKS_H
#define SOFTFP8_GPU_KERNELS_BLOCKS_H

#include "kernels/blocks/list.h"
#include "kernels/blocks/quantize.h"
#include "kernels/timing.h"

#include <stdio.h>
#include <string.h>

namespace kernels
{

enum { GUARD = 64 };
constexpr int poison = 0xa5; /* in memory that no kernel has written */
constexpr uint32_t steps_most = UINT32_C(1) << 30;

/* ---- launching ------------------------------------------------------------------------------- */

/* The arrays of a matrix, their sizes and g are known. */
struct launcher {
    const char *(*prepare)(void);
    const char *(*launch)(matrix m);
};

/* The number of pieces, and how many of them a step processes. */
inline uint64_t steps_for(uint64_t pieces, int held)
{
    uint64_t step = 32 * static_cast<uint64_t>(held);
    return pieces / step + (pieces % step != 0);
}

/* If rows are whole blocks, and scales are contiguous, a matrix is processed as one long row. */
template <class Body> const char *launch_body(matrix m)
{
    constexpr uint64_t block = Body::block, each = Body::each;
    uint64_t elements = static_cast<uint64_t>(m.rows) * m.columns;
    if (!m.tiled && m.columns % block == 0 && elements < UINT32_MAX - block) {
        m.columns = static_cast<uint32_t>(elements);
        m.rows = 1;
    }
    m.blocks = static_cast<uint32_t>((m.columns + block - 1) / block);
    m.row_bytes = static_cast<uint32_t>((static_cast<uint64_t>(m.columns) * Body::bits + 7) / 8);
    uint64_t of_row = steps_for((m.columns + each - 1) / each, Body::held);
    if (of_row * m.rows > steps_most)
        return "too large a matrix";
    m.by_steps = divider_of(of_row ? static_cast<uint32_t>(of_row) : 1);
    Body body = {m, static_cast<uint32_t>(of_row * m.rows)};
    return shim::launch_warps(body);
}

/* Whole: a kernel for rows of whole chunks; Any: for other rows. */
template <class Whole, class Any> const char *prepare_either()
{
    const char *error = shim::prepare_warps<Whole>();
    return error ? error : shim::prepare_warps<Any>();
}

template <class Whole, class Any> const char *launch_either(matrix m)
{
    return m.columns % Whole::each == 0 ? launch_body<Whole>(m) : launch_body<Any>(m);
}

template <template <class, class, bool> class Body, class Type, class Rule>
constexpr launcher launcher_of()
{
    using Whole = Body<Type, Rule, true>;
    using Any = Body<Type, Rule, false>;
    return {prepare_either<Whole, Any>, launch_either<Whole, Any>};
}

/* ---- the list -------------------------------------------------------------------------------- */

#define KERNELS_QUANTIZE_LAUNCH(recipe, rule, approximate)                                         \
    launcher_of<quantize, of_f32, rule>(), launcher_of<quantize, of_bf16, rule>(),                 \
        launcher_of<quantize, of_f16, rule>(),
#define KERNELS_DEQUANTIZE_LAUNCH(recipe, rule, approximate)                                       \
    launcher_of<dequantize, of_f32, rule>(), launcher_of<dequantize, of_bf16, rule>(),             \
        launcher_of<dequantize, of_f16, rule>(),
static const launcher launchers[] = {KERNELS_QUANTIZE(KERNELS_QUANTIZE_LAUNCH)
                                         KERNELS_DEQUANTIZE(KERNELS_DEQUANTIZE_LAUNCH)};
constexpr size_t row_count = sizeof launchers / sizeof launchers[0];

/* ---- a run ----------------------------------------------------------------------------------- */

/* An array of the caller's and its place on the device, with a guard behind it. */
struct array {
    void *here;
    unsigned char *there;
    size_t bytes;
    const char *name; /* of what the kernel writes; NULL: it reads */
};

inline const char *put_array(array *a)
{
    const char *error = shim::allocate(&a->there, a->bytes + GUARD);
    if (!error)
        error = shim::fill(a->there, poison, a->bytes + GUARD);
    if (!error && !a->name)
        error = shim::upload(a->there, a->here, a->bytes);
    return error;
}

/* Copies back what was written, and checks the guard behind it. */
inline const char *get_array(const array *a)
{
    static char wrong[GPU_TEXT];
    unsigned char guard[GUARD];
    if (!a->name)
        return nullptr;
    const char *error = shim::download(a->here, a->there, a->bytes);
    if (!error)
        error = shim::download(guard, a->there + a->bytes, GUARD);
    for (int i = 0; i < GUARD && !error; i++) {
        if (guard[i] != poison) {
            strcpy(wrong, "it wrote beyond its ");
            strcat(wrong, a->name);
            error = wrong;
        }
    }
    return error;
}

inline const char *run_blocks(const gpu_blocks *b, double *seconds)
{
    size_t count, row = static_cast<size_t>(b->kernel - gpu_kernels(&count));
    if (row >= count || count != row_count)
        return "not a kernel of the list";
    const launcher &l = launchers[row];
    if (b->rows > INT32_MAX || b->columns > INT32_MAX)
        return "too large a matrix";
    int back = b->kernel->back;
    array arrays[3] = {{b->tensor, nullptr, b->tensor_bytes, back ? "tensor" : nullptr},
                       {b->codes, nullptr, b->code_bytes, back ? nullptr : "codes"},
                       {b->scales, nullptr, b->scale_bytes, back ? nullptr : "scales"}};
    const char *error = l.prepare();
    for (array &a : arrays)
        error = error ? error : put_array(&a);
    matrix m = {};
    m.tensor = arrays[0].there;
    m.codes = arrays[1].there;
    m.scales = arrays[2].there;
    m.rows = static_cast<uint32_t>(b->rows);
    m.columns = static_cast<uint32_t>(b->columns);
    m.tiled = b->tiled != 0;
    m.g = b->g;
    if (!error)
        error = time_launches([&] { return l.launch(m); }, b->times, seconds);
    for (const array &a : arrays)
        error = error ? error : get_array(&a);
    static char kept[2 * GPU_TEXT]; /* the shim has a single buffer for messages */
    if (error) {
        snprintf(kept, sizeof kept, "%s", error);
        error = kept;
    }
    for (const array &a : arrays) {
        const char *now = a.there ? shim::release(a.there) : nullptr;
        error = error ? error : now;
    }
    return error;
}

} // namespace kernels

const char *gpu_blocks_run(const gpu_blocks *b, double *seconds)
{
    *seconds = 0;
    return kernels::run_blocks(b, seconds);
}

const char *gpu_copy_run(uint64_t bytes, uint64_t around, int times, double *seconds)
{
    kernels::packet *from = nullptr, *to = nullptr;
    *seconds = 0;
    if (bytes % 16 != 0 || bytes / 16 > kernels::steps_most)
        return "too large a copy";
    const uint64_t places = kernels::places_for(2 * bytes, around), each = bytes / 16;
    const char *error = shim::allocate(&from, places * bytes);
    if (!error)
        error = shim::allocate(&to, places * bytes);
    if (!error)
        error = shim::fill(from, kernels::poison, places * bytes);
    kernels::copy body = {from, to, static_cast<uint32_t>(each), 0};
    body.steps = static_cast<uint32_t>(kernels::steps_for(body.all, kernels::copy::held));
    uint64_t place = 0;
    auto launch = [&] {
        body.from = from + place * each;
        body.to = to + place * each;
        place = (place + 1) % places;
        return shim::launch_warps(body);
    };
    if (!error)
        error = kernels::time_launches(launch, times, seconds);
    static char kept[2 * GPU_TEXT];
    if (error) {
        snprintf(kept, sizeof kept, "%s", error);
        error = kept;
    }
    kernels::packet *both[] = {from, to};
    for (kernels::packet *p : both) {
        const char *now = p ? shim::release(p) : nullptr;
        error = error ? error : now;
    }
    return error;
}

#endif
