/* SPDX-License-Identifier: MIT */
/* place.h -- where a lane finds elements, codes and scales of a KV cache, and how it moves them
 *
 * Work is numbered: item i is the set of elements with one scale, a group of elements of a row or
 * all rows of a token; or if the scale is given, a piece of 16 elements. The groups of a row follow
 * each other, then heads, then tokens. A lane processes a piece of an item at once, whose codes of
 * 8 bits are 16 bytes; no piece has elements of two rows:
 *
 *     all rows of a token, 2 heads of 40     0 1 2    3 4 5
 *                                            16 16 8  16 16 8
 *
 * Strides are bytes in the image, and elements outside, as in <softfp8/kv/layout.h>. The places are
 * computed independently here, so that cases compare one with the other.
 */
#ifndef SOFTFP8_GPU_KERNELS_KV_PLACE_H
#define SOFTFP8_GPU_KERNELS_KV_PLACE_H

#include "kernels/codes.h"

#include "softfp8/kv/layout.h"

/* Only on this processor: how often each byte was written. */
#if defined(__CUDACC__)
#define KV_COUNT(...)
#else
#define KV_COUNT(...) __VA_ARGS__
#endif

namespace kernels
{

/* Elements of a piece. */
constexpr uint32_t kv_piece = 16;

#if !defined(__CUDACC__)
/* An array, and how often each of its bytes was written; 255 means that often or more. */
struct counted {
    const uint8_t *at;
    uint64_t bytes;
    unsigned char *times; /* NULL: writes are not counted */
    uint64_t *accesses;
};
inline counted kv_counted[GPU_KV_ARRAYS];
inline uint64_t kv_misaligned; /* accesses that would fail on a GPU */

inline void accessed(const void *at, unsigned bytes)
{
    kv_misaligned += (reinterpret_cast<uintptr_t>(at) & (bytes - 1)) != 0;
}

inline void wrote(const void *at, unsigned bytes)
{
    for (const counted &array : kv_counted) {
        uint64_t from = reinterpret_cast<uintptr_t>(at) - reinterpret_cast<uintptr_t>(array.at);
        if (array.accesses && from < array.bytes)
            ++*array.accesses;
        for (uint64_t i = from; array.times && i < from + bytes; i++)
            if (i < array.bytes && array.times[i] < 255)
                array.times[i]++;
    }
}
#endif

/* ---- 1 to 16 bytes --------------------------------------------------------------------------- */

SHIM_FN inline bool aligned(const void *at, uint32_t bytes)
{
    return (reinterpret_cast<uintptr_t>(at) & (bytes - 1)) == 0;
}

template <int bytes> SHIM_FN inline void put_whole(void *to, const uint32_t word[4])
{
    KV_COUNT(accessed(to, bytes);)
    if constexpr (bytes == 16)
        store16(to, {{word[0], word[1], word[2], word[3]}});
    else
        store_some<bytes>(to, word);
    KV_COUNT(wrote(to, bytes);)
}

template <int bytes> SHIM_FN inline void get_whole(uint32_t word[4], const void *from)
{
    KV_COUNT(accessed(from, bytes);)
    if constexpr (bytes == 16) {
        packet p = load16(from);
        for (int i = 0; i < 4; i++)
            word[i] = p.word[i];
    } else {
        load_some<bytes>(word, from);
    }
}

SHIM_FN inline void put_byte(uint8_t *to, uint32_t byte)
{
    *to = static_cast<uint8_t>(byte);
    KV_COUNT(wrote(to, 1);)
}

/* A scale of 1 or 4 bytes, at any address. */
SHIM_FN inline void put_scale(uint8_t *to, uint32_t scale, uint32_t bytes)
{
    if (bytes == 1) {
        put_byte(to, scale & 0xff);
        return;
    }
    if (bytes == 4 && aligned(to, 4)) {
        put_whole<4>(to, &scale);
        return;
    }
    for (uint32_t i = 0; i < bytes; i++)
        put_byte(to + i, scale >> 8 * i & 0xff);
}

SHIM_FN inline uint32_t get_scale(const uint8_t *from, uint32_t bytes)
{
    uint32_t scale = *from;
    for (uint32_t i = 1; i < bytes; i++)
        scale |= static_cast<uint32_t>(from[i]) << 8 * i;
    return scale;
}

/* ---- words ----------------------------------------------------------------------------------- */

/* The elements of 16 bytes, at a multiple of 16. */
template <class Word> SHIM_FN inline packet fetch_whole(const Word *from)
{
    KV_COUNT(accessed(from, 16);)
    return load16(from);
}

/* 16 bytes of one element. */
template <class Word> SHIM_FN inline packet filled(uint32_t word)
{
    word |= sizeof(Word) < 4 ? word << 16 : 0;
    return {{word, word, word, word}};
}

/* `n` of the `each` elements at an address; the others are `none`. */
template <class Word> SHIM_FN inline packet fetch(const Word *from, int count, uint32_t none)
{
    constexpr int each = 16 / sizeof(Word), bits = 8 * sizeof(Word);
    packet p = {{0, 0, 0, 0}};
    if (count == each && aligned(from, 16)) {
        KV_COUNT(accessed(from, 16);)
        return load16(from);
    }
    for (int i = 0; i < each; i++) {
        uint32_t w = i < count ? static_cast<uint32_t>(from[i]) : none;
        p.word[i * bits / 32] |= w << i * bits % 32;
    }
    return p;
}

template <class Word> SHIM_FN inline void deliver(Word *to, const packet &p, int count)
{
    constexpr int each = 16 / sizeof(Word), bits = 8 * sizeof(Word);
    if (count == each && aligned(to, 16)) {
        KV_COUNT(accessed(to, 16);)
        KV_COUNT(wrote(to, 16);)
        store16(to, p);
        return;
    }
    for (int i = 0; i < each; i++) {
        if (i >= count)
            continue;
        to[i] = static_cast<Word>(p.word[i * bits / 32] >> i * bits % 32);
        KV_COUNT(wrote(to + i, sizeof(Word));)
    }
}

/* ---- codes ----------------------------------------------------------------------------------- */

/* Writes `n` of the `each` elements in word[] to an image in which neighbours are `pitch` elements
 * apart. For 4 bits the count is even. An incomplete piece is written 4 bytes at a time where these
 * are aligned, and the rest one by one. */
template <int each, int bits>
SHIM_FN inline void put_codes(uint8_t *to, uint64_t pitch, const uint32_t word[4], int count)
{
    constexpr uint32_t all = each * bits / 8, unit = bits < 8 ? 1 : bits / 8;
    if (pitch == 1 && count == each && aligned(to, all)) {
        put_whole<all>(to, word);
        return;
    }
    const uint32_t n = static_cast<uint32_t>(count * bits / 8);
    const bool fours = pitch == 1 && aligned(to, 4);
    SHIM_UNROLL
    for (uint32_t w = 0; w < all; w += 4) {
        if (fours && w + 4 <= n) {
            put_whole<4>(to + w, word + w / 4);
            continue;
        }
        SHIM_UNROLL
        for (uint32_t i = w; i < w + 4; i++)
            if (i < n)
                put_byte(to + i / unit * pitch * unit + i % unit,
                         word[i / 4] >> 8 * (i % 4) & 0xff);
    }
}

template <int each, int bits>
SHIM_FN inline void get_codes(uint32_t word[4], const uint8_t *from, uint64_t pitch, int count)
{
    constexpr uint32_t all = each * bits / 8, unit = bits < 8 ? 1 : bits / 8;
    word[0] = word[1] = word[2] = word[3] = 0;
    if (pitch == 1 && count == each && aligned(from, all)) {
        get_whole<all>(word, from);
        return;
    }
    const uint32_t n = static_cast<uint32_t>(count * bits / 8);
    const bool fours = pitch == 1 && aligned(from, 4);
    SHIM_UNROLL
    for (uint32_t w = 0; w < all; w += 4) {
        if (fours && w + 4 <= n) {
            uint32_t two[2];
            KV_COUNT(accessed(from + w, 4);)
            load_some<4>(two, from + w);
            word[w / 4] = two[0];
            continue;
        }
        SHIM_UNROLL
        for (uint32_t i = w; i < w + 4; i++)
            if (i < n)
                word[i / 4] |= static_cast<uint32_t>(from[i / unit * pitch * unit + i % unit])
                               << 8 * (i % 4);
    }
}

/* ---- items ----------------------------------------------------------------------------------- */

struct item {
    uint8_t *codes;  /* of its first element */
    uint64_t scales; /* of scale 0 of its row, or with 4 tokens of those of its 4 slots */
    uint32_t token, head, d, slot;
    uint32_t count; /* elements of a row; 0: there is no row, or its token is skipped */
};

/* A piece of an item: where its codes are, and which element of which head is its first. */
struct spot {
    uint8_t *codes;
    uint32_t head, d;
    int count; /* elements; 0: the piece does not exist */
};

struct cache {
    uint8_t *image, *scales; /* of scale 0 of block 0 */
    void *tensor, *tail;
    const int64_t *slot;
    const float *g;
    uint64_t block_stride, slot_stride, head_stride;
    uint64_t scale_block_stride, scale_slot_stride, scale_head_stride;
    uint64_t token_stride, word_head_stride, tail_stride, tail_at;
    uint32_t tokens, dim, items, total; /* total: slots of all blocks */
    uint32_t group;                     /* elements of a row of an item */
    uint32_t rows;                      /* of an item: 1, or the heads of a token */
    uint32_t split;                     /* elements of a row that the tensor has; then the tail */
    uint32_t order, four, columns;      /* four: scales 4-token, `columns` of a row */
    uint32_t scale_bytes, g_stride;
    uint32_t whole_words, whole_codes; /* 1: every piece is whole, and aligned to its own size */
    uint32_t tail_bytes, tail_unit;    /* of a token; bytes moved at once: 16, 4, 2, 1 */
    divider by_groups, by_heads, by_slots, by_tail;
    divider by_pieces; /* of a row, where an item has several */

    SHIM_FN uint64_t pitch() const
    {
        return order == SF8_KV_COLUMNS ? by_slots.by : 1;
    }

    /* Finds the place of a token; returns 0 if it is skipped. */
    SHIM_FN bool place(uint32_t token, uint32_t *block, uint32_t *at) const
    {
        int64_t where = slot[token];
        if (where < 0 || where >= static_cast<int64_t>(total))
            return false;
        *block = by_slots.of(static_cast<uint32_t>(where));
        *at = static_cast<uint32_t>(where) - *block * by_slots.by;
        return true;
    }

    /* The offset of element d from the first of a head of a block. */
    template <int bits> SHIM_FN uint64_t within(uint32_t at, uint32_t d) const
    {
        constexpr uint32_t x = 128 / bits;
        if (order == SF8_KV_ROWS)
            return at * slot_stride + static_cast<uint64_t>(d) * bits / 8;
        if (order == SF8_KV_COLUMNS)
            return (static_cast<uint64_t>(d) * by_slots.by + at) * (bits / 8);
        return ((static_cast<uint64_t>(d / x) * by_slots.by + at) * x + d % x) * (bits / 8);
    }

    /* The row of item i, with the codes of its first element, and which of the row's items it is.
     */
    SHIM_FN item row_of(uint32_t i, uint32_t *share) const
    {
        item t = {image, 0, 0, 0, 0, 0, 0};
        uint32_t block;
        if (i >= items)
            return t;
        uint32_t row = by_groups.of(i), token = by_heads.of(row);
        if (!place(token, &block, &t.slot))
            return t;
        *share = i - row * by_groups.by;
        t.token = token;
        t.head = row - token * by_heads.by;
        t.count = dim;
        t.codes = image + (block * block_stride + t.head * head_stride);
        t.scales = block * scale_block_stride + t.head * scale_head_stride +
                   (four ? t.slot & ~3u : t.slot) * scale_slot_stride;
        return t;
    }

    template <int bits> SHIM_FN item find(uint32_t i) const
    {
        uint32_t share = 0;
        item t = row_of(i, &share);
        if (t.count == 0)
            return t;
        t.d = share * group;
        t.count = dim - t.d < group ? dim - t.d : group;
        t.codes += within<bits>(t.slot, t.d);
        return t;
    }

    SHIM_FN uint32_t pieces(const item &t) const
    {
        return rows * ((t.count + kv_piece - 1) / kv_piece);
    }

    /* The k-th piece. If an item has several rows, or pieces, images have the order of rows. An
     * item that is only a piece is `single`. */
    template <int bits, bool single> SHIM_FN spot piece(const item &t, uint32_t k) const
    {
        if (single)
            return {t.codes, t.head, t.d, static_cast<int>(t.count)};
        uint32_t row = rows > 1 ? by_pieces.of(k) : 0;
        uint32_t d = (k - row * by_pieces.by) * kv_piece;
        uint32_t left = row >= rows || d >= t.count ? 0 : t.count - d;
        return {t.codes + row * head_stride + static_cast<uint64_t>(d) * bits / 8, t.head + row,
                t.d + d, static_cast<int>(left < kv_piece ? left : kv_piece)};
    }

    /* The elements from element d of a head of a token on. */
    template <class Word> SHIM_FN Word *words(uint32_t token, uint32_t head, uint32_t d) const
    {
        if (d >= split)
            return reinterpret_cast<Word *>(static_cast<uint8_t *>(tail) + token * tail_stride) +
                   (d - split);
        return static_cast<Word *>(tensor) + (token * token_stride + head * word_head_stride + d);
    }

    /* The offset of scale k of the row of an item. With 4-token scales, those of one k are in one
     * 32-bit word; rows are where the strides say. */
    SHIM_FN uint8_t *scale(const item &t, uint32_t k) const
    {
        if (!four)
            return scales + t.scales + static_cast<uint64_t>(k) * scale_bytes;
        uint32_t at = 4 * k + t.slot % 4;
        return scales + t.scales + at / columns * scale_slot_stride + at % columns;
    }

    /* Copies the tail of a token between the image and the caller's memory. */
    SHIM_FN void move_tails(shim::place at, bool out) const
    {
        uint32_t block, where, n = tail_bytes ? tokens * by_tail.by : 0;
        for (uint32_t i = at.first(); i < n; i += at.stride()) {
            uint32_t token = by_tail.of(i), part = (i - token * by_tail.by) * tail_unit;
            if (!place(token, &block, &where))
                continue;
            uint8_t *here = image + block * block_stride + where * slot_stride + tail_at + part;
            uint8_t *words = static_cast<uint8_t *>(tail) + token * tail_stride + part;
            move(out ? words : here, out ? here : words, tail_unit);
        }
    }

    SHIM_FN static void move(uint8_t *to, const uint8_t *from, uint32_t unit)
    {
        uint32_t word[4];
        if (unit == 16) {
            get_whole<16>(word, from);
            put_whole<16>(to, word);
            return;
        }
        for (uint32_t i = 0; i < unit; i++)
            put_byte(to + i, from[i]);
    }
};

} // namespace kernels

#endif
