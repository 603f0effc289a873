/* SPDX-License-Identifier: MIT */
/* kv_run.h -- the kernels of KV caches by their number in the list, and how one is run
 *
 * This text is compiled once for the GPU and once for this processor.
 */
#ifndef SOFTFP8_GPU_KERNELS_KV_RUN_H
#define SOFTFP8_GPU_KERNELS_KV_RUN_H

#include "kernels/kv.h"
#include "kernels/kv_list.h"
#include "kernels/timing.h"

namespace kernels
{

constexpr int kv_guard = 256, kv_poison = 0xa5;
constexpr uint64_t kv_most = UINT64_C(1) << 30;

/* ---- launching ------------------------------------------------------------------------------- */

struct kv_launcher {
    const char *(*prepare)(void);
    const char *(*launch)(cache m);
    uint32_t group; /* elements of an item; 0: those of a row */
    uint32_t bits;
    bool given;     /* no scale lies in the image */
    uint32_t scale; /* else: elements with one scale; 0: those of a row */
};

template <class Body> const char *launch_kv(cache m)
{
    Body body = {m, (m.items + Body::of_step - 1) / Body::of_step};
    return shim::launch_warps(body);
}

template <class Body> constexpr kv_launcher kv_of(uint32_t group, bool given, uint32_t scale)
{
    return {shim::prepare_warps<Body>, launch_kv<Body>, group, Body::bits, given, scale};
}

template <class From, class Rule> constexpr kv_launcher kv_store_of()
{
    return kv_of<kv_store<From, Rule>>(Rule::given ? From::each : Rule::group, Rule::given,
                                       Rule::group);
}

template <class To, class Rule> constexpr kv_launcher kv_gather_of()
{
    return kv_of<kv_gather<To, Rule>>(To::each, Rule::given, Rule::group);
}

template <int bits> struct kv_word;
template <> struct kv_word<8> {
    using type = uint8_t;
};
template <> struct kv_word<16> {
    using type = uint16_t;
};
template <> struct kv_word<32> {
    using type = uint32_t;
};

template <int bits, bool out> constexpr kv_launcher kv_copy_of()
{
    return kv_of<kv_copy<typename kv_word<bits>::type, out>>(128 / bits, true, 0);
}

/* In the order of gpu_kv_kernels(). */
#define KV_STORE_LAUNCH(recipe, rule)                                                              \
    kv_store_of<of_f32, rule>(), kv_store_of<of_bf16, rule>(), kv_store_of<of_f16, rule>(),
#define KV_GATHER_LAUNCH(recipe, rule)                                                             \
    kv_gather_of<of_f32, rule>(), kv_gather_of<of_bf16, rule>(), kv_gather_of<of_f16, rule>(),
#define KV_COPY_LAUNCH(name, bits) kv_copy_of<bits, false>(), kv_copy_of<bits, true>(),
static const kv_launcher kv_launchers[] = {KV_STORE(KV_STORE_LAUNCH) KV_GATHER(KV_GATHER_LAUNCH)
                                               KV_COPY(KV_COPY_LAUNCH)};
constexpr size_t kv_count = sizeof kv_launchers / sizeof kv_launchers[0];

/* ---- arrays ---------------------------------------------------------------------------------- */

/* An array of the caller's and where it lies on the device, `skew` bytes beyond a multiple of 16,
 * with a guard before it and one behind it. */
struct kv_array {
    const void *here;
    void *back; /* where it goes afterwards, or NULL */
    size_t bytes, skew;
    const char *name;
    unsigned char *room, *there;

    size_t all() const
    {
        return bytes + skew + 2 * kv_guard;
    }
    const char *put()
    {
        const char *error = shim::allocate(&room, all());
        if (error)
            return error;
        there = room + kv_guard + skew;
        error = shim::fill(room, kv_poison, all());
        return error || bytes == 0 ? error : shim::upload(there, here, bytes);
    }
    /* What was written; nothing around it may have been. */
    const char *get() const
    {
        static char wrong[GPU_TEXT];
        unsigned char guard[2 * kv_guard];
        size_t before = kv_guard + skew;
        const char *error = bytes == 0 || !back ? nullptr : shim::download(back, there, bytes);
        for (int side = 0; side < 2 && !error; side++) {
            size_t n = side ? static_cast<size_t>(kv_guard) : before;
            error = shim::download(guard, side ? there + bytes : room, n);
            for (size_t i = 0; i < n && !error; i++) {
                if (guard[i] == kv_poison)
                    continue;
                snprintf(wrong, sizeof wrong, "it wrote %s its %s", side ? "beyond" : "before",
                         name);
                error = wrong;
            }
        }
        return error;
    }
};

enum { KV_TENSOR, KV_TAIL, KV_IMAGE, KV_SCALES, KV_SLOTS, KV_GIVEN, KV_ARRAYS };

inline void kv_arrays(kv_array a[KV_ARRAYS], const gpu_kv *b)
{
    static const float one = 1.0f;
    bool out = b->kernel->back != 0;
    const sf8_kv_layout *l = b->layout;
    a[KV_TENSOR] = {b->tensor, b->tensor, b->tensor_bytes, b->tensor_skew,
                    "tensor",  nullptr,   nullptr};
    a[KV_TAIL] = {b->tail, b->tail, b->tail_bytes, b->tensor_skew, "tail", nullptr, nullptr};
    a[KV_IMAGE] = {b->image, b->image, b->image_bytes, b->image_skew, "image", nullptr, nullptr};
    a[KV_SCALES] = {b->scales, b->scales, b->scale_bytes, 0, "scales", nullptr, nullptr};
    a[KV_SLOTS] = {b->slots, nullptr, b->tokens * sizeof b->slots[0], 0, "slots", nullptr, nullptr};
    a[KV_GIVEN] = {b->g_count ? b->g : &one,
                   nullptr,
                   (b->g_count ? b->g_count : 1) * sizeof one,
                   0,
                   "g",
                   nullptr,
                   nullptr};
    for (int i = 0; i < KV_ARRAYS; i++)
        if ((i == KV_TENSOR || i == KV_TAIL) != out)
            a[i].back = nullptr;
    if (l->scales != SF8_KV_SCALES_APART)
        a[KV_SCALES].bytes = 0;
}

/* ---- a run ----------------------------------------------------------------------------------- */

/* The most bytes of which all these are multiples, at most 16. */
inline uint32_t kv_unit(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    uint32_t unit = 16;
    while (((a | b | c | d) & (unit - 1)) != 0)
        unit /= 2;
    return unit == 8 ? 4 : unit;
}

inline void kv_tails(cache *m, const gpu_kv *b)
{
    const sf8_kv_layout *l = b->layout;
    uint64_t width = l->tail_bits / 8;
    m->by_tail = divider_of(1);
    if (l->tail == 0)
        return;
    m->tail_stride = b->tail_stride * width;
    m->tail_at = l->tail_at;
    m->tail_bytes = static_cast<uint32_t>(l->tail * width);
    m->tail_unit = kv_unit(b->tensor_skew | m->tail_stride, b->image_skew | l->tail_at,
                           l->slot_stride | l->block_stride, m->tail_bytes);
    m->by_tail = divider_of(m->tail_bytes / m->tail_unit);
}

/* What the kernel is told, but for where the arrays lie. NULL, or why it cannot take it. */
inline const char *kv_describe(cache *m, const gpu_kv *b, const kv_launcher &k)
{
    const sf8_kv_layout *l = b->layout;
    uint64_t group = k.group ? k.group : l->dim;
    if (sf8_kv_check(l) != SF8_KV_GOOD || l->bits != k.bits ||
        k.given != (l->scales == SF8_KV_SCALES_GIVEN) ||
        (!k.given && (l->order != SF8_KV_ROWS || l->group != (k.scale ? k.scale : l->dim))))
        return "not a layout of this kernel";
    uint64_t groups = (l->dim + group - 1) / group;
    if (l->dim > kv_most || l->heads > kv_most || l->blocks * l->slots > kv_most ||
        b->tokens > kv_most || groups * l->heads > kv_most ||
        groups * l->heads * b->tokens > kv_most || l->tail * b->tokens > kv_most / 4)
        return "too large a cache";
    m->block_stride = l->block_stride;
    m->slot_stride = l->slot_stride;
    m->head_stride = l->head_stride;
    m->token_stride = b->token_stride;
    m->word_head_stride = b->head_stride;
    m->tokens = static_cast<uint32_t>(b->tokens);
    m->dim = static_cast<uint32_t>(l->dim);
    m->items = static_cast<uint32_t>(groups * l->heads * b->tokens);
    m->total = static_cast<uint32_t>(l->blocks * l->slots);
    m->group = static_cast<uint32_t>(group);
    m->order = l->order;
    m->g_stride = b->g_count > 1;
    m->by_groups = divider_of(static_cast<uint32_t>(groups));
    m->by_heads = divider_of(static_cast<uint32_t>(l->heads));
    m->by_slots = divider_of(static_cast<uint32_t>(l->slots));
    if (l->scales != SF8_KV_SCALES_GIVEN) {
        m->scale_block_stride = l->scale_block_stride;
        m->scale_slot_stride = l->scale_slot_stride;
        m->scale_head_stride = l->scale_head_stride;
        m->four = l->scale_order == SF8_LAYOUT_4TOKEN;
        m->columns = static_cast<uint32_t>(l->dim / l->group);
        m->scale_bytes = l->scale_bits / 8;
    }
    kv_tails(m, b);
    return nullptr;
}

inline const char *run_kv(const gpu_kv *b, double *seconds)
{
    size_t count, row = static_cast<size_t>(b->kernel - gpu_kv_kernels(&count));
    if (row >= count || count != kv_count)
        return "not a kernel of the list";
    const kv_launcher &k = kv_launchers[row];
    kv_array a[KV_ARRAYS];
    cache m = {};
    kv_arrays(a, b);
    const char *error = kv_describe(&m, b, k);
    if (error)
        return error;
    error = k.prepare();
    for (kv_array &array : a)
        error = error ? error : array.put();
    m.tensor = a[KV_TENSOR].there;
    m.tail = a[KV_TAIL].there;
    m.image = a[KV_IMAGE].there;
    m.scales = a[b->layout->scales == SF8_KV_SCALES_APART ? KV_SCALES : KV_IMAGE].there +
               b->layout->scale_at;
    m.slot = reinterpret_cast<const int64_t *>(a[KV_SLOTS].there);
    m.g = reinterpret_cast<const float *>(a[KV_GIVEN].there);
#if !defined(__CUDACC__)
    kv_counted = {m.image, b->image_bytes, 0};
#endif
    if (!error)
        error = time_launches([&] { return k.launch(m); }, b->times, seconds);
#if !defined(__CUDACC__)
    if (!error && kv_counted.misaligned)
        error = "a misaligned access";
#endif
    for (const kv_array &array : a)
        error = error ? error : array.get();
    static char kept[2 * GPU_TEXT]; /* the shim has one text for all failures */
    if (error) {
        snprintf(kept, sizeof kept, "%s", error);
        error = kept;
    }
    for (const kv_array &array : a) {
        const char *now = array.room ? shim::release(array.room) : nullptr;
        error = error ? error : now;
    }
    return error;
}

template <class From> const char *time_clamp(uint64_t bytes, int times, double *seconds)
{
    kv_clamp<From> body = {nullptr, nullptr, static_cast<uint32_t>(bytes / 16), 0.25f};
    packet *from = nullptr;
    const char *error = shim::allocate(&from, bytes);
    if (!error)
        error = shim::allocate(&body.to, bytes);
    if (!error)
        error = shim::fill(from, 0x3d, bytes);
    body.from = from;
    if (!error)
        error = time_launches([&] { return shim::launch(body, body.all); }, times, seconds);
    packet *both[] = {from, body.to};
    for (packet *p : both) {
        const char *now = p ? shim::release(p) : nullptr;
        error = error ? error : now;
    }
    return error;
}

} // namespace kernels

const char *gpu_kv_clamp_run(const char *tensor, uint64_t bytes, int times, double *seconds)
{
    *seconds = 0;
    if (bytes / 16 > kernels::kv_most)
        return "too large a tensor";
    if (strcmp(tensor, "f32") == 0)
        return kernels::time_clamp<kernels::of_f32>(bytes, times, seconds);
    if (strcmp(tensor, "bf16") == 0)
        return kernels::time_clamp<kernels::of_bf16>(bytes, times, seconds);
    return kernels::time_clamp<kernels::of_f16>(bytes, times, seconds);
}

const char *gpu_kv_run(const gpu_kv *b, double *seconds)
{
    *seconds = 0;
    return kernels::run_kv(b, seconds);
}

#endif
