/* SPDX-License-Identifier: MIT */
/* run.h -- the kernels of KV caches by their number in the list, and how one is run
 *
 * This text is compiled once for the GPU and once for this processor.
 */
#ifndef SOFTFP8_GPU_KERNELS_KV_RUN_H
#define SOFTFP8_GPU_KERNELS_KV_RUN_H

#include "kernels/guarded.h"
#include "kernels/kv/four.h"
#include "kernels/kv/kv.h"
#include "kernels/kv/list.h"
#include "kernels/kv/table.h"
#include "kernels/timing.h"

namespace kernels
{

constexpr uint64_t kv_most = UINT64_C(1) << 30;

/* ---- launching ------------------------------------------------------------------------------- */

struct kv_launcher {
    const char *(*prepare)(void);
    const char *(*launch)(cache m);
    uint32_t group; /* elements of an item; 0: those of a row, or of all of a token */
    uint32_t bits;
    uint32_t width; /* bytes of an element */
    bool given;     /* the image has no scales */
    uint32_t scale; /* otherwise: elements with one scale; 0: those of a row */
};

template <class Body> const char *launch_kv(cache m)
{
    Body body = {m, (m.items + Body::of_step - 1) / Body::of_step};
    return shim::launch_warps(body);
}

template <class Body> constexpr kv_launcher kv_of(uint32_t group, bool given, uint32_t scale)
{
    return {shim::prepare_warps<Body>, launch_kv<Body>, group, Body::bits,
            16 / Body::each,           given,           scale};
}

/* The pieces of an item. */
inline uint32_t kv_pieces(const cache &m)
{
    return m.rows * ((m.group + kv_piece - 1) / kv_piece);
}

/* A row or a token has few pieces, for a few lanes, or many, for a warp. */
template <class From, class Rule> struct kv_rows {
    using few = kv_store<From, Rule>;
    using many = kv_store<From, Rule, 32>;

    static const char *prepare()
    {
        const char *error = shim::prepare_warps<few>();
        return error ? error : shim::prepare_warps<many>();
    }
    static const char *launch(cache m)
    {
        return kv_pieces(m) > few::held * few::together ? launch_kv<many>(m) : launch_kv<few>(m);
    }
};

template <class From, class Rule, int bits> constexpr kv_launcher kv_store_of()
{
    static_assert(Rule::bits == bits, "the list has other bits than the rule");
    kv_launcher k = kv_of<kv_store<From, Rule>>(Rule::given ? kv_piece : Rule::group, Rule::given,
                                                Rule::group);
    if constexpr (!Rule::given && Rule::group == 0) {
        k.prepare = kv_rows<From, Rule>::prepare;
        k.launch = kv_rows<From, Rule>::launch;
    }
    return k;
}

/* The kernels of kv/four.h, for the caches that they take. */
template <class Rule> struct kv_four {
    using four = kv_store_four<Rule>;
    using any = kv_store<of_bf16, Rule>;

    static const char *prepare()
    {
        const char *error = shim::prepare_warps<four>();
        return error ? error : shim::prepare_warps<any>();
    }
    static const char *launch(cache m)
    {
        return kv_takes_four(m) && m.scale_bytes == 1 ? launch_kv<four>(m) : launch_kv<any>(m);
    }
};

template <> struct kv_four<int4_per_token_head> {
    using any = kv_rows<of_bf16, int4_per_token_head>;

    static const char *prepare()
    {
        const char *error = shim::prepare_warps<kv_store_four_int4<2>>();
        error = error ? error : shim::prepare_warps<kv_store_four_int4<4>>();
        error = error ? error : shim::prepare_warps<kv_store_four_int4<8>>();
        return error ? error : any::prepare();
    }
    static const char *launch(cache m)
    {
        switch (kv_takes_four(m) ? m.dim : 0) {
        case 64:
            return launch_kv<kv_store_four_int4<2>>(m);
        case 128:
            return launch_kv<kv_store_four_int4<4>>(m);
        case 256:
            return launch_kv<kv_store_four_int4<8>>(m);
        default:
            return any::launch(m);
        }
    }
};

template <class Rule, int bits> constexpr kv_launcher kv_store_four_of()
{
    kv_launcher k = kv_store_of<of_bf16, Rule, bits>();
    k.prepare = kv_four<Rule>::prepare;
    k.launch = kv_four<Rule>::launch;
    return k;
}

template <class To, class Rule, int bits> constexpr kv_launcher kv_gather_of()
{
    static_assert(Rule::bits == bits, "the list has other bits than the rule");
    if constexpr (Rule::bits == 4 && Rule::group)
        return kv_of<kv_gather_pair<To, Rule>>(kv_piece, Rule::given, Rule::group);
    else
        return kv_of<kv_gather<To, Rule>>(kv_piece, Rule::given, Rule::group);
}

template <class To, class Rule> constexpr kv_launcher kv_gather_table_of()
{
    return kv_of<kv_gather_table<To, Rule>>(kv_piece, Rule::given, Rule::group);
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
#define KV_STORE_LAUNCH(recipe, rule, bits)                                                        \
    kv_store_of<of_f32, rule, bits>(), kv_store_of<of_bf16, rule, bits>(),                         \
        kv_store_of<of_f16, rule, bits>(),
#define KV_STORE_FOUR_LAUNCH(recipe, rule, bits)                                                   \
    kv_store_of<of_f32, rule, bits>(), kv_store_four_of<rule, bits>(),                             \
        kv_store_of<of_f16, rule, bits>(),
#define KV_STORE_OF_LAUNCH(recipe, rule, bits, word) kv_store_of<of_##word, rule, bits>(),
#define KV_GATHER_LAUNCH(recipe, rule, bits)                                                       \
    kv_gather_of<of_f32, rule, bits>(), kv_gather_of<of_bf16, rule, bits>(),                       \
        kv_gather_of<of_f16, rule, bits>(),
#define KV_GATHER_TABLE_LAUNCH(recipe, rule, bits)                                                 \
    kv_gather_of<of_f32, rule, bits>(), kv_gather_table_of<of_bf16, rule>(),                       \
        kv_gather_table_of<of_f16, rule>(),
#define KV_COPY_LAUNCH(name, bits) kv_copy_of<bits, false>(), kv_copy_of<bits, true>(),
static const kv_launcher kv_launchers[] = {
    KV_STORE(KV_STORE_LAUNCH) KV_STORE_FOUR(KV_STORE_FOUR_LAUNCH) KV_STORE_OF(KV_STORE_OF_LAUNCH)
        KV_GATHER(KV_GATHER_LAUNCH) KV_GATHER_TABLE(KV_GATHER_TABLE_LAUNCH) KV_COPY(KV_COPY_LAUNCH)};
constexpr size_t kv_count = sizeof kv_launchers / sizeof kv_launchers[0];

/* ---- arrays ---------------------------------------------------------------------------------- */

enum { KV_SLOTS = GPU_KV_ARRAYS, KV_GIVEN, KV_ARRAYS };

inline void kv_arrays(guarded a[KV_ARRAYS], const gpu_kv *b)
{
    static const float one = 1.0f;
    const size_t scales = b->layout->scales == SF8_KV_SCALES_APART ? b->scale_bytes : 0;
    const size_t gs = b->g_count ? b->g_count : 1;
    uint64_t copies = places_for(b->tensor_bytes + b->tail_bytes + b->image_bytes + scales,
                                 b->around);
    a[GPU_KV_TENSOR] = {b->tensor, b->tensor, b->tensor_bytes, b->tensor_skew,
                        "tensor",  nullptr,   nullptr,         copies};
    a[GPU_KV_TAIL] = {b->tail, b->tail, b->tail_bytes, b->tensor_skew,
                      "tail",  nullptr, nullptr,       copies};
    a[GPU_KV_IMAGE] = {b->image, b->image, b->image_bytes, b->image_skew,
                       "image",  nullptr,  nullptr,        copies};
    a[GPU_KV_SCALES] = {b->scales, b->scales, scales, 0, "scales", nullptr, nullptr, copies};
    a[KV_SLOTS] = {b->slots, nullptr, b->tokens * sizeof b->slots[0], 0, "slots", nullptr,
                   nullptr,  1};
    a[KV_GIVEN] = {b->g_count ? b->g : &one, nullptr, gs * sizeof one, 0, "g", nullptr, nullptr, 1};
}

/* Returns true if two arrays of the caller share a byte. */
inline bool kv_overlap(const guarded &a, const guarded &b)
{
    uintptr_t x = reinterpret_cast<uintptr_t>(a.here), y = reinterpret_cast<uintptr_t>(b.here);
    return a.bytes && b.bytes && x < y + b.bytes && y < x + a.bytes;
}

/* ---- a run ----------------------------------------------------------------------------------- */

/* The largest of 16, 4, 2 and 1 bytes that divides all of these. */
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
    m->tail_at = l->tail_at;
    m->tail_bytes = static_cast<uint32_t>(l->tail * width);
    m->tail_unit = kv_unit(b->tensor_skew | m->tail_stride, b->image_skew | l->tail_at,
                           l->slot_stride | l->block_stride, m->tail_bytes);
    m->by_tail = divider_of(m->tail_bytes / m->tail_unit);
}

/* Returns true if this kernel supports the layout's scales. */
inline bool kv_takes_scales(const sf8_kv_layout *l, const kv_launcher &k)
{
    if (k.given || l->scales == SF8_KV_SCALES_GIVEN)
        return k.given && l->scales == SF8_KV_SCALES_GIVEN;
    return l->order == SF8_KV_ROWS &&
           (k.scale ? l->group == k.scale : l->group == l->dim || l->group == l->heads * l->dim);
}

/* Returns NULL, or why a kernel does not support a call. */
inline const char *kv_refuse(const gpu_kv *b, const kv_launcher &k)
{
    const sf8_kv_layout *l = b->layout;
    if (sf8_kv_check(l) != SF8_KV_GOOD || l->bits != k.bits || !kv_takes_scales(l, k) ||
        (l->scales != SF8_KV_SCALES_GIVEN && l->group > l->dim && b->g_count > 1))
        return "not a layout of this kernel";
    if (b->second &&
        (l->tail || l->heads != 1 || b->second >= l->dim || (l->dim - b->second) % kv_piece != 0))
        return "not rows of two parts";
    uint64_t tail = l->tail ? l->tail : b->second;
    if (b->kernel->back &&
        (!sf8_kv_nested(b->tokens, b->token_stride, l->heads, b->head_stride, l->dim - b->second) ||
         !sf8_kv_nested(b->tokens, b->tail_stride, 1, 0, tail)))
        return "words that lie in one place";
    uint64_t group = k.group ? k.group : l->dim, groups = (l->dim + group - 1) / group;
    if (l->dim > kv_most || l->heads > kv_most || l->blocks * l->slots > kv_most ||
        b->tokens > kv_most || l->dim * l->heads > kv_most || groups * l->heads > kv_most ||
        groups * l->heads * b->tokens > kv_most || tail * b->tokens > kv_most / 4)
        return "too large a cache";
    return nullptr;
}

/* The kernel's parameters, except the addresses of the arrays. */
inline void kv_describe(cache *m, const gpu_kv *b, const kv_launcher &k)
{
    const sf8_kv_layout *l = b->layout;
    uint64_t group = k.group ? k.group : l->dim, groups = (l->dim + group - 1) / group;
    bool token = l->scales != SF8_KV_SCALES_GIVEN && l->group > l->dim;
    m->rows = token && k.group == 0 ? static_cast<uint32_t>(l->heads) : 1;
    m->block_stride = l->block_stride;
    m->slot_stride = l->slot_stride;
    m->head_stride = l->head_stride;
    m->token_stride = b->token_stride;
    m->word_head_stride = b->head_stride;
    m->tail_stride = b->tail_stride * k.width;
    m->tokens = static_cast<uint32_t>(b->tokens);
    m->dim = static_cast<uint32_t>(l->dim);
    m->items = static_cast<uint32_t>(groups * l->heads / m->rows * b->tokens);
    m->total = static_cast<uint32_t>(l->blocks * l->slots);
    m->group = static_cast<uint32_t>(group);
    m->split = b->second ? static_cast<uint32_t>(l->dim - b->second) : UINT32_MAX;
    m->order = l->order;
    m->g_stride = b->g_count > 1;
    m->by_groups = divider_of(static_cast<uint32_t>(groups));
    m->by_heads = divider_of(static_cast<uint32_t>(l->heads) / m->rows);
    m->by_pieces = divider_of(static_cast<uint32_t>((l->dim + kv_piece - 1) / kv_piece));
    m->by_slots = divider_of(static_cast<uint32_t>(l->slots));
    if (l->scales != SF8_KV_SCALES_GIVEN) {
        m->scale_block_stride = l->scale_block_stride;
        m->scale_slot_stride = l->scale_slot_stride;
        m->scale_head_stride = token ? 0 : l->scale_head_stride;
        m->four = l->scale_order == SF8_LAYOUT_4TOKEN;
        m->columns = static_cast<uint32_t>(sf8_kv_scale_columns(l));
        m->scale_bytes = l->scale_bits / 8;
    }
    kv_tails(m, b);
}

inline uint32_t kv_divides(uint32_t unit, uint64_t a, uint64_t b, uint64_t c)
{
    return ((a | b | c) & (unit - 1)) == 0;
}

/* Whether every piece is whole, and aligned so that a lane loads or stores it by one access. */
inline void kv_find_whole(cache *m, const gpu_kv *b, const kv_launcher &k)
{
    const uint32_t all = kv_piece * k.bits / 8, rows = m->dim % kv_piece == 0;
    const bool second = m->split != UINT32_MAX;
    m->whole_words = rows &&
                     kv_divides(16, reinterpret_cast<uintptr_t>(m->tensor),
                                m->token_stride * k.width, m->word_head_stride * k.width) &&
                     kv_divides(16, second ? reinterpret_cast<uintptr_t>(m->tail) : 0,
                                second ? m->tail_stride : 0, 0);
    m->whole_codes = rows && b->layout->order != SF8_KV_COLUMNS &&
                     kv_divides(all, reinterpret_cast<uintptr_t>(m->image), m->block_stride,
                                m->head_stride) &&
                     kv_divides(all, b->layout->order == SF8_KV_ROWS ? m->slot_stride : 0, 0, 0);
}

/* The i-th copy of the arrays. */
inline void kv_point(cache *m, const gpu_kv *b, const kv_launcher &k, const guarded *a, uint64_t i)
{
    uint8_t *at[GPU_KV_ARRAYS];
    for (int n = 0; n < GPU_KV_ARRAYS; n++)
        at[n] = a[n].there + i * a[n].stride();
    m->tensor = at[GPU_KV_TENSOR] + b->tensor_at * k.width;
    m->tail = at[GPU_KV_TAIL];
    m->image = at[GPU_KV_IMAGE];
    m->scales = at[b->layout->scales == SF8_KV_SCALES_APART ? GPU_KV_SCALES : GPU_KV_IMAGE] +
                b->layout->scale_at;
    kv_find_whole(m, b, k);
}

inline const char *launch_around(const gpu_kv *b, const kv_launcher &k, const guarded *a, cache *m,
                                 double *seconds)
{
#if !defined(__CUDACC__)
    for (int i = 0; i < GPU_KV_ARRAYS; i++)
        kv_counted[i] = {a[i].there, a[i].bytes, b->writes[i], b->accesses[i]};
    kv_misaligned = 0;
#endif
    uint64_t copy = 0;
    auto launch = [&] {
        kv_point(m, b, k, a, copy);
        copy = (copy + 1) % a[GPU_KV_IMAGE].copies;
        return k.launch(*m);
    };
    const char *error = time_launches(launch, b->times, seconds);
#if !defined(__CUDACC__)
    memset(kv_counted, 0, sizeof kv_counted);
    if (!error && kv_misaligned)
        error = "a misaligned access";
#endif
    return error;
}

inline const char *run_kv(const gpu_kv *b, double *seconds)
{
    size_t count, row = static_cast<size_t>(b->kernel - gpu_kv_kernels(&count));
    if (row >= count || count != kv_count)
        return "not a kernel of the list";
    const kv_launcher &k = kv_launchers[row];
    guarded a[KV_ARRAYS];
    cache m = {};
    const char *error = kv_refuse(b, k);
    if (error)
        return error;
    kv_arrays(a, b);
    for (int i = 0; i < 4; i++) /* tensor and tail, image and scales */
        if (kv_overlap(a[i / 2], a[2 + i % 2]))
            return "in place";
    kv_describe(&m, b, k);
    error = k.prepare();
    for (guarded &array : a)
        error = error ? error : array.put();
    m.slot = reinterpret_cast<const int64_t *>(a[KV_SLOTS].there);
    m.g = reinterpret_cast<const float *>(a[KV_GIVEN].there);
    if (!error)
        error = launch_around(b, k, a, &m, seconds);
    for (const guarded &array : a)
        error = error ? error : array.get();
    static char kept[2 * GPU_TEXT]; /* the shim has a single buffer for messages */
    if (error) {
        snprintf(kept, sizeof kept, "%s", error);
        error = kept;
    }
    for (const guarded &array : a) {
        const char *now = array.room ? shim::release(array.room) : nullptr;
        error = error ? error : now;
    }
    return error;
}

template <class From>
const char *time_clamp(uint64_t bytes, uint64_t around, int times, double *seconds)
{
    kv_clamp<From> body = {nullptr, nullptr, static_cast<uint32_t>(bytes / 16), 0.25f};
    const uint64_t places = places_for(2 * bytes, around);
    packet *from = nullptr, *to = nullptr;
    const char *error = shim::allocate(&from, places * bytes);
    if (!error)
        error = shim::allocate(&to, places * bytes);
    if (!error)
        error = shim::fill(from, 0x3d, places * bytes);
    uint64_t place = 0;
    auto launch = [&] {
        body.from = from + place * body.all;
        body.to = to + place * body.all;
        place = (place + 1) % places;
        return shim::launch(body, body.all);
    };
    if (!error)
        error = time_launches(launch, times, seconds);
    packet *both[] = {from, to};
    for (packet *p : both) {
        const char *now = p ? shim::release(p) : nullptr;
        error = error ? error : now;
    }
    return error;
}

} // namespace kernels

const char *gpu_kv_clamp_run(const char *tensor, uint64_t bytes, uint64_t around, int times,
                             double *seconds)
{
    *seconds = 0;
    if (bytes / 16 > kernels::kv_most)
        return "too large a tensor";
    if (strcmp(tensor, "f32") == 0)
        return kernels::time_clamp<kernels::of_f32>(bytes, around, times, seconds);
    if (strcmp(tensor, "bf16") == 0)
        return kernels::time_clamp<kernels::of_bf16>(bytes, around, times, seconds);
    return kernels::time_clamp<kernels::of_f16>(bytes, around, times, seconds);
}

const char *gpu_kv_run(const gpu_kv *b, double *seconds)
{
    *seconds = 0;
    return kernels::run_kv(b, seconds);
}

#endif
