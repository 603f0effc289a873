/* SPDX-License-Identifier: MIT */
/* test_kv_layout.c -- where elements and scales of a KV cache lie
 *
 * The reference is the index formulas of the stacks, as in their sources: in elements, with what
 * each calls its strides. Every shape is walked completely: each byte of an image belongs to one
 * element or scale, or to padding that was requested.
 */
#include "kv/kv.h"

enum { MARKS = 3 * 128 * 8 * 576 * 2 };

static uint8_t marks[MARKS];

static void clear_marks(uint64_t size)
{
    cr_assert(size <= MARKS);
    memset(marks, 0, size);
}

static void mark(uint64_t at, uint64_t bytes)
{
    cr_assert(at + bytes <= MARKS);
    for (uint64_t i = 0; i < bytes; i++)
        marks[at + i]++;
}

static uint64_t marked(uint64_t from, uint64_t size, unsigned times)
{
    uint64_t n = 0;
    for (uint64_t i = from; i < size; i++)
        n += marks[i] == times;
    return n;
}

/* ---- elements -------------------------------------------------------------------------------- */

static void check_shape(int kind, const shape *s)
{
    sf8_kv_layout l = layout_of(kind, s);
    uint64_t bytes = s->bits / 8, wrong = 0;
    uint64_t size = s->blocks * s->slots * s->heads * s->dim * bytes;
    cr_assert(sf8_kv_check(&l) == SF8_KV_GOOD, "%s: %u", kinds[kind], sf8_kv_check(&l));
    cr_assert(sf8_kv_size(&l) == size && sf8_kv_scales_size(&l) == 0, "%s", kinds[kind]);
    clear_marks(size);
    for (uint64_t b = 0; b < s->blocks; b++)
        for (uint64_t t = 0; t < s->slots; t++)
            for (uint64_t h = 0; h < s->heads; h++)
                for (uint64_t d = 0; d < s->dim; d++) {
                    uint64_t at = sf8_kv_element_at(&l, b, t, h, d);
                    wrong += at != bytes * formula(kind, s, b, t, h, d);
                    mark(at, bytes);
                }
    EXPECT(wrong == 0 && marked(0, size, 1) == size,
           "%s, %u bits, slots %u, heads %u, dim %u: %u wrong", kinds[kind], s->bits,
           (unsigned)s->slots, (unsigned)s->heads, (unsigned)s->dim, (unsigned)wrong);
}

static const uint64_t slot_counts[] = {1, 8, 16, 32, 64, 128};
static const uint64_t head_counts[] = {1, 2, 5, 8};
static const uint64_t dims[] = {64, 80, 96, 128, 192, 256, 576};

Test(kv_layout, elements)
{
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t i = 0; i < COUNT(slot_counts); i++)
            for (size_t k = 0; k < COUNT(head_counts); k++)
                for (size_t d = 0; d < COUNT(dims); d += one_in(3))
                    for (uint32_t bits = 8; bits <= 16; bits *= 2) {
                        shape s = {2, slot_counts[i], head_counts[k], dims[d], bits};
                        check_shape(kind, &s);
                    }
    for (int kind = 0; kind < KINDS; kind++) {
        shape s = {3, 16, 2, 64, 32};
        check_shape(kind, &s);
    }
}

/* Literals, by hand. */
Test(kv_layout, literals)
{
    sf8_kv_layout nhd = sf8_kv_nhd(4, 16, 8, 128, 8), hnd = sf8_kv_hnd(4, 16, 8, 128, 8);
    sf8_kv_layout k8 = sf8_kv_xpacked(4, 16, 8, 128, 8), k16 = sf8_kv_xpacked(4, 16, 8, 128, 16);
    sf8_kv_layout v = sf8_kv_columns(4, 16, 8, 128, 8), four = sf8_kv_hnd(4, 16, 8, 128, 4);
    cr_expect_eq(sf8_kv_element_at(&nhd, 2, 3, 5, 7), 2 * 16384 + 3 * 1024 + 5 * 128 + 7);
    cr_expect_eq(sf8_kv_element_at(&hnd, 2, 3, 5, 7), 2 * 16384 + 5 * 2048 + 3 * 128 + 7);
    cr_expect_eq(sf8_kv_element_at(&k8, 0, 1, 0, 0), 16);
    cr_expect_eq(sf8_kv_element_at(&k8, 0, 0, 0, 16), 256);
    cr_expect_eq(sf8_kv_element_at(&k8, 1, 2, 3, 37), 16384 + 3 * 2048 + 2 * 256 + 2 * 16 + 5);
    cr_expect_eq(sf8_kv_element_at(&k16, 0, 1, 0, 9), 256 + 16 + 2);
    cr_expect_eq(sf8_kv_element_at(&v, 1, 2, 3, 37), 16384 + 3 * 2048 + 37 * 16 + 2);
    cr_expect_eq(sf8_kv_element_at(&four, 0, 1, 1, 3), 1024 + 64 + 1);
    cr_expect_eq(sf8_kv_element_at(&four, 0, 1, 1, 2), 1024 + 64 + 1);
}

/* Two elements of 4 bits to a byte: in order, the even one first. */
Test(kv_layout, four_bits)
{
    for (uint32_t by_head = 0; by_head < 2; by_head++) {
        sf8_kv_layout l = sf8_kv_dense(SF8_KV_ROWS, by_head, 2, 16, 3, 80, 4);
        cr_assert(sf8_kv_check(&l) == SF8_KV_GOOD && sf8_kv_size(&l) == 2 * 16 * 3 * 40);
        clear_marks(sf8_kv_size(&l));
        for (uint64_t b = 0; b < 2; b++)
            for (uint64_t t = 0; t < 16; t++)
                for (uint64_t h = 0; h < 3; h++)
                    for (uint64_t d = 0; d < 80; d++) {
                        uint64_t row = by_head ? (b * 3 + h) * 16 + t : (b * 16 + t) * 3 + h;
                        uint64_t at = sf8_kv_element_at(&l, b, t, h, d);
                        EXPECT(at == row * 40 + d / 2, "%u", (unsigned)at);
                        mark(at, 1);
                    }
        cr_expect_eq(marked(0, sf8_kv_size(&l), 2), sf8_kv_size(&l));
    }
}

/* Rows, pages and blocks with padding after them: for example K and V of a token side by side. */
Test(kv_layout, strides)
{
    shape s = {3, 16, 5, 80, 8};
    for (int kind = 0; kind < 2; kind++) {
        sf8_kv_layout l = layout_of(kind, &s);
        l.head_stride = kind == NHD ? 96 : 16 * 88 + 8;
        l.slot_stride = kind == NHD ? 5 * 96 + 32 : 88;
        l.block_stride = 16 * 5 * 112;
        cr_assert(sf8_kv_check(&l) == SF8_KV_GOOD, "%u", sf8_kv_check(&l));
        uint64_t size = 2 * l.block_stride + 15 * l.slot_stride + 4 * l.head_stride + 80;
        cr_expect_eq(sf8_kv_size(&l), size);
        clear_marks(size);
        for (uint64_t b = 0; b < 3; b++)
            for (uint64_t t = 0; t < 16; t++)
                for (uint64_t h = 0; h < 5; h++)
                    for (uint64_t d = 0; d < 80; d++)
                        mark(sf8_kv_element_at(&l, b, t, h, d), 1);
        cr_expect_eq(marked(0, size, 1), 3 * 16 * 5 * 80);
        cr_expect_eq(marked(0, size, 0), size - 3 * 16 * 5 * 80);
    }
}

/* ---- scales ---------------------------------------------------------------------------------- */

/* One f32 for each token and head, [blocks][slots][heads], or for each token. */
Test(kv_layout, scales_of_token_heads)
{
    for (uint32_t by_head = 0; by_head < 2; by_head++) {
        sf8_kv_layout l = sf8_kv_dense(SF8_KV_ROWS, by_head, 3, 16, 5, 64, 8);
        sf8_kv_layout head = sf8_kv_with_scales(l, 64, 32, 0);
        sf8_kv_layout token = sf8_kv_with_scales(l, 5 * 64, 32, 0);
        cr_assert(sf8_kv_check(&head) == SF8_KV_GOOD && sf8_kv_check(&token) == SF8_KV_GOOD);
        cr_expect(sf8_kv_scales_size(&head) == 3 * 16 * 5 * 4);
        cr_expect(sf8_kv_scales_size(&token) == 3 * 16 * 4);
        cr_expect(sf8_kv_scale_heads(&token) == 1 && sf8_kv_scale_columns(&token) == 1);
        for (uint64_t b = 0; b < 3; b++)
            for (uint64_t t = 0; t < 16; t++) {
                EXPECT(sf8_kv_scale_at(&token, b, t, 0, 0) == 4 * (b * 16 + t), "token");
                for (uint64_t h = 0; h < 5; h++)
                    EXPECT(sf8_kv_scale_at(&head, b, t, h, 0) == 4 * ((b * 16 + t) * 5 + h),
                           "head");
            }
    }
}

/* vLLM nvfp4_kv_cache_kernels.cu: a page is K_data, K_scale, V_data, V_scale; scales of K in rows,
 * those of V by swizzle_scale_offset. */
static void check_nvfp4(uint64_t bs, uint64_t S, uint32_t by_head)
{
    uint64_t H = 3, D = 16 * S, part = bs * H * (D / 2 + S), page = 2 * part, wrong = 0;
    sf8_kv_layout k = sf8_kv_dense(SF8_KV_ROWS, by_head, 2, bs, H, D, 4), v;
    k = sf8_kv_in_pages(sf8_kv_behind(sf8_kv_with_scales(k, 16, 8, by_head)), page);
    v = k;
    v.scale_order = SF8_LAYOUT_4TOKEN;
    cr_assert(sf8_kv_check(&k) == SF8_KV_GOOD && sf8_kv_check(&v) == SF8_KV_GOOD);
    cr_expect_eq(sf8_kv_size(&v), page + part);
    clear_marks(2 * page);
    for (uint64_t b = 0; b < 2; b++)
        for (uint64_t t = 0; t < bs; t++)
            for (uint64_t h = 0; h < H; h++) {
                uint64_t base = b * page + bs * H * D / 2;
                uint64_t head = by_head ? bs * S : S, token = by_head ? S : H * S;
                for (uint64_t s = 0; s < S; s++) {
                    uint64_t t4 = t / 4 * 4 + s / (S / 4), s4 = s % (S / 4) * 4 + t % 4;
                    uint64_t k_at = sf8_kv_scale_at(&k, b, t, h, s);
                    uint64_t v_at = sf8_kv_scale_at(&v, b, t, h, s);
                    wrong += k_at != base + h * head + t * token + s;
                    wrong += v_at != base + h * head + t4 * token + s4;
                    mark(k_at, 1);
                    mark(part + v_at, 1);
                }
                for (uint64_t d = 0; d < D; d += 2) {
                    mark(sf8_kv_element_at(&k, b, t, h, d), 1);
                    mark(part + sf8_kv_element_at(&v, b, t, h, d), 1);
                }
            }
    EXPECT(wrong == 0 && marked(0, 2 * page, 1) == 2 * page, "page of %u, %u scales: %u wrong",
           (unsigned)bs, (unsigned)S, (unsigned)wrong);
}

Test(kv_layout, nvfp4)
{
    for (uint64_t bs = 16; bs <= 64; bs *= 2)
        for (uint64_t S = 4; S <= 16; S += S == 4 ? 4 : 8)
            for (uint32_t by_head = 0; by_head < 2; by_head++)
                check_nvfp4(bs, S, by_head);
}

/* vLLM concat_and_cache_ds_mla: 656 bytes a token. */
Test(kv_layout, ds_mla)
{
    sf8_kv_layout l = sf8_kv_ds_mla(3, 64);
    uint64_t size = 3 * 64 * 656;
    cr_assert(sf8_kv_check(&l) == SF8_KV_GOOD && sf8_kv_size(&l) == size);
    clear_marks(size);
    for (uint64_t b = 0; b < 3; b++)
        for (uint64_t t = 0; t < 64; t++) {
            uint64_t token = (b * 64 + t) * 656;
            for (uint64_t d = 0; d < 512; d++) {
                EXPECT(sf8_kv_element_at(&l, b, t, 0, d) == token + d, "element");
                mark(sf8_kv_element_at(&l, b, t, 0, d), 1);
            }
            for (uint64_t k = 0; k < 4; k++) {
                EXPECT(sf8_kv_scale_at(&l, b, t, 0, k) == token + 512 + 4 * k, "scale");
                mark(sf8_kv_scale_at(&l, b, t, 0, k), 4);
            }
            for (uint64_t i = 0; i < 64; i++) {
                EXPECT(sf8_kv_tail_offset(&l, b, t, i) == token + 528 + 2 * i, "tail");
                mark(sf8_kv_tail_offset(&l, b, t, i), 2);
            }
        }
    cr_expect_eq(marked(0, size, 1), size);
}

/* vLLM indexer_k_quant_and_cache: in a block block_size * head_dim elements, then the scale of an
 * element at (block_offset * head_dim + head_dim_idx) * 4 / quant_block_size. */
Test(kv_layout, indexer)
{
    static const uint64_t shapes[][3] = {{1, 128, 128},  {16, 128, 128}, {64, 128, 128},
                                         {64, 128, 64},  {128, 64, 64},  {32, 256, 128},
                                         {64, 576, 576}, {64, 576, 64}};
    for (size_t i = 0; i < COUNT(shapes); i++) {
        uint64_t bs = shapes[i][0], D = shapes[i][1], group = shapes[i][2];
        uint64_t block = bs * D + bs * D / group * 4;
        sf8_kv_layout l = sf8_kv_indexer(2, bs, D, group);
        cr_assert(sf8_kv_check(&l) == SF8_KV_GOOD && sf8_kv_size(&l) == 2 * block);
        clear_marks(2 * block);
        for (uint64_t b = 0; b < 2; b++)
            for (uint64_t t = 0; t < bs; t++)
                for (uint64_t d = 0; d < D; d++) {
                    uint64_t scale = sf8_kv_scale_at(&l, b, t, 0, d / group);
                    EXPECT(sf8_kv_element_at(&l, b, t, 0, d) == b * block + t * D + d, "element");
                    if (d % group == 0) {
                        EXPECT(scale == b * block + bs * D + (t * D + d) * 4 / group, "scale");
                        mark(scale, 4);
                    }
                    mark(sf8_kv_element_at(&l, b, t, 0, d), 1);
                }
        cr_expect_eq(marked(0, 2 * block, 1), 2 * block);
    }
}
