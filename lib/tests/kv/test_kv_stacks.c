/* SPDX-License-Identifier: MIT */
/* test_kv_stacks.c -- images as stacks write them, with the scales that their kernels compute: MLA,
 * fp8_ds_mla, the indexer, a scale for each token and head, NVFP4
 *
 * Codes and scales are literals. Where there are too many of them, each row is quantized by itself,
 * by the core, and written where the stack's formula has it.
 */
#include "kv/kv.h"

static float words[256 * 1024];
static uint8_t scale_room[1 << 16], scale_want[1 << 16];

static sf8_kv_store store_of(const sf8_kv_layout *l, const sf8_recipe *r, sf8_format from,
                             const void *x, size_t tokens)
{
    sf8_kv_store s;
    memset(&s, 0, sizeof s);
    s.image = image_of(l, image, scale_room);
    s.recipe = r;
    s.from = from;
    s.first.words = x;
    s.first.tokens = tokens;
    s.first.dim = s.first.head_stride = (size_t)l->dim;
    s.first.token_stride = (size_t)(l->heads * l->dim);
    images_begin(s.image.size);
    memset(scale_room, CANARY, sizeof scale_room);
    memset(scale_want, CANARY, sizeof scale_want);
    return s;
}

static void run(const sf8_kv_store *s, const sf8_kv_slots *slots)
{
    sf8_kv_error error;
    sf8_status status = sf8_kv_store_n(s, 1, slots, &error);
    cr_assert(status == SF8_OK, "%s", sf8_kv_reason(error.reason));
}

static void put32(uint8_t *at, uint32_t word)
{
    memcpy(at, &word, 4);
}

static int same(const sf8_kv_store *s)
{
    return images_same(s->image.size) && memcmp(scale_room, scale_want, sizeof scale_room) == 0;
}

static void fill_words(size_t n)
{
    for (size_t i = 0; i < n; i++) { /* magnitudes from 2^-12 to 2^3, of both signs */
        uint32_t exponent = 115 + pseudo_random() % 16;
        words[i] = sf8_f32_from_bits((pseudo_random() & 0x807fffffu) | exponent << 23);
    }
}

/* ---- MLA ------------------------------------------------------------------------------------- */

/* vLLM concat_and_cache_mla: kv_c and k_pe side by side, one scale for both. */
Test(kv_stacks, mla)
{
    sf8_kv_layout l = sf8_kv_nhd(3, 64, 1, 576, 8);
    sf8_recipe r = given_divide("e4m3");
    const float g = .3f;
    static float k_pe[50 * 70];
    sf8_kv_store s = store_of(&l, &r, SF8_F32, words, 50);
    sf8_kv_slots slots = permuted(50, 3 * 64);
    fill_words(50 * 520);
    memcpy(k_pe, words + 77, sizeof k_pe);
    s.g = &g;
    s.g_count = 1;
    s.first.dim = 512;
    s.first.token_stride = 520;
    s.second = s.first;
    s.second.words = k_pe;
    s.second.dim = 64;
    s.second.token_stride = 70;
    run(&s, &slots);
    for (size_t t = 0; t < 50; t++)
        for (size_t d = 0; d < 576 && slot_room[t] >= 0; d++) {
            float x = d < 512 ? words[t * 520 + d] : k_pe[t * 70 + d - 512];
            want[(size_t)slot_room[t] * 576 + d] = sf8_f32_to_e4m3(x / g, SF8_CUDA_SATFINITE);
        }
    cr_expect(same(&s));
}

/* A tile of fp8_ds_mla: elements of bf16, the scale and the codes. */
typedef struct tile {
    const char *what;
    uint32_t scale;
    uint16_t x[6];
    uint8_t code[6];
} tile;

/* vLLM concat_and_cache_ds_mla: tile_scale = fmaxf(amax / 448, FLT_MIN), x / tile_scale satfinite.
 * amax 448: the scale is 1, so that codes are the elements' own. amax 1: the scale is 3b124925, and
 * 1 becomes 448. */
static const tile tiles[] = {
    {"448",
     0x3f800000,
     {0x43e0, 0xc3e0, 0x4248, 0x3f80, 0xbf80, 0},
     {0x7e, 0xfe, 0x64, 0x38, 0xb8, 0}},
    {"1",
     0x3b124925,
     {0x3f80, 0xbf80, 0x3f00, 0x8000, 0x3e80, 0},
     {0x7e, 0xfe, 0x76, 0x80, 0x6e, 0}},
    {"0", 0x00800000, {0, 0x8000, 0, 0, 0, 0}, {0, 0x80, 0, 0, 0, 0}},
    {"NaN passed over", 0x3b124925, {0x7fc0, 0x3f80, 0xffc1, 0, 0, 0}, {0x7f, 0x7e, 0x7f, 0, 0, 0}},
    /* 2^-133, 2^-127, 127 2^-133, over 2^-126: 2^-7, 2^-1, and 127/128 to 1 */
    {"subnormal",
     0x00800000,
     {0x0001, 0x0040, 0x007f, 0x8040, 0, 0},
     {0x04, 0x30, 0x38, 0xb0, 0, 0}},
    {"infinite", 0x7f800000, {0x7f80, 0x3f80, 0xbf80, 0, 0, 0}, {0x7f, 0, 0x80, 0, 0, 0}},
    {"NaN alone", 0x00800000, {0x7fc0, 0, 0, 0, 0, 0}, {0x7f, 0, 0, 0, 0, 0}},
};

static sf8_recipe ds_mla(void)
{
    return recipe_read("e4m3", 128, "f32", "amax 448 / 2^-126 max", "x s /", "e s *");
}

/* Each token has four of the tiles, one after another; the rotary part is copied, NaN and all. */
Test(kv_stacks, ds_mla)
{
    static uint16_t nope[21 * 512], rope[21 * 64];
    sf8_kv_layout l = sf8_kv_ds_mla(2, 64);
    sf8_recipe r = ds_mla();
    sf8_kv_store s = store_of(&l, &r, SF8_BF16, nope, 21);
    sf8_kv_slots slots = permuted(21, 128);
    s.second.words = rope;
    s.second.tokens = 21;
    s.second.dim = s.second.token_stride = 64;
    for (size_t i = 0; i < COUNT(rope); i++)
        rope[i] = (uint16_t)(i * 49 + 0x7f00);
    for (size_t t = 0; t < 21; t++) {
        uint8_t *token = want + (slot_room[t] < 0 ? 0 : slot_room[t] * 656);
        for (size_t k = 0; k < 4; k++) {
            const tile *of = &tiles[(t + 3 * k) % COUNT(tiles)];
            for (size_t i = 0; i < 6; i++)
                nope[t * 512 + k * 128 + 3 + 19 * i] = of->x[i];
            if (slot_room[t] < 0)
                continue;
            memset(token + 128 * k, 0, 128);
            for (size_t i = 0; i < 6; i++)
                token[128 * k + 3 + 19 * i] = of->code[i];
            put32(token + 512 + 4 * k, of->scale);
        }
        if (slot_room[t] >= 0)
            memcpy(token + 528, rope + 64 * t, 128);
    }
    run(&s, &slots);
    cr_expect(same(&s));
    want[slot_room[0] * 656 + 512] ^= 1;
    cr_expect(!same(&s));
}

/* ---- the indexer ----------------------------------------------------------------------------- */

/* vLLM indexer_k_quant_and_cache: scale = fmaxf(amax, 1e-4) / 448, x / scale; in a block the scales
 * behind all elements. */
Test(kv_stacks, indexer)
{
    sf8_kv_layout l = sf8_kv_indexer(2, 64, 128, 128);
    sf8_recipe r = recipe_read("e4m3", 0, "f32", "amax 1e-4 max 448 /", "x s /", "e s *");
    sf8_kv_store s = store_of(&l, &r, SF8_F32, words, 40);
    sf8_kv_slots slots = permuted(40, 128);
    fill_words(40 * 128);
    memset(words, 0, 128 * sizeof *words);
    for (size_t d = 0; d < 128; d++)
        words[128 + d] = 1e-5f;
    run(&s, &slots);
    for (size_t t = 0; t < 40; t++) {
        float amax = 1e-4f, scale;
        if (slot_room[t] < 0)
            continue;
        size_t block = (size_t)slot_room[t] / 64 * 64 * 132, in = (size_t)slot_room[t] % 64;
        for (size_t d = 0; d < 128; d++) {
            float x = words[t * 128 + d];
            amax = x > amax ? x : -x > amax ? -x : amax;
        }
        scale = amax / 448;
        for (size_t d = 0; d < 128; d++)
            want[block + in * 128 + d] = sf8_f32_to_e4m3(words[t * 128 + d] / scale,
                                                         SF8_CUDA_SATFINITE);
        put32(want + block + 64 * 128 + 4 * in, sf8_f32_bits(scale));
    }
    cr_expect(same(&s));
    cr_expect_eq(want[(size_t)slot_room[1] % 64 * 128 + (size_t)slot_room[1] / 64 * 64 * 132],
                 0x63);
}

/* ---- a scale for each token and head --------------------------------------------------------- */

/* The row's codes, packed where they have 4 bits, and its scales, by the core. */
static void quantize_row(const sf8_recipe *r, const float *x, size_t dim, uint8_t *codes,
                         uint32_t *scales, float g)
{
    static uint8_t one[20480];
    cr_assert(dim <= sizeof one);
    cr_assert(sf8_quantize_n_at("core", r, one, scales, NULL, SF8_F32, x, 1, dim, g) == SF8_OK);
    for (size_t d = 0; d < dim; d++)
        if (sf8_recipe_bits(r) == 8)
            codes[d] = one[d];
        else
            codes[d / 2] = (uint8_t)(d % 2 ? codes[d / 2] | one[d] << 4 : one[d]);
}

/* What was stored is read back as the core reads the codes of each row, and scales in the wrong
 * places are seen. */
static int reads_back(const sf8_kv_store *s, const sf8_kv_slots *slots, size_t row)
{
    static float back[COUNT(words)], value[20480];
    static uint8_t codes[20480];
    const size_t all = (size_t)(s->image.layout.heads * s->image.layout.dim);
    sf8_kv_gather g;
    int same_values = 1;
    memset(&g, 0, sizeof g);
    g.image = s->image;
    g.recipe = s->recipe;
    g.to = SF8_F32;
    g.first = (sf8_kv_room){back, slots->count, (size_t)s->image.layout.dim, all,
                            (size_t)s->image.layout.dim};
    g.g = s->g;
    g.g_count = s->g_count;
    cr_assert(row <= COUNT(codes) && slots->count * all <= COUNT(back));
    cr_assert(sf8_kv_gather_n(&g, 1, slots, NULL) == SF8_OK);
    for (size_t at = 0; at < slots->count * all; at += row) {
        uint32_t scales[256];
        if (slot_room[at / all] < 0)
            continue;
        cr_assert(sf8_quantize_n_at("core", s->recipe, codes, scales, NULL, SF8_F32, words + at, 1,
                                    row, s->g ? *s->g : 0) == SF8_OK);
        cr_assert(sf8_dequantize_n_at("core", s->recipe, SF8_F32, value, codes, scales, NULL, 1,
                                      row, s->g ? *s->g : 0) == SF8_OK);
        same_values &= memcmp(value, back + at, row * sizeof value[0]) == 0;
    }
    return same_values;
}

static void check_token_heads(const char *name, int by_head, uint64_t heads, uint64_t dim,
                              size_t tokens)
{
    sf8_recipe r = recipe_called(name);
    uint32_t bits = sf8_recipe_bits(&r);
    size_t row = dim * bits / 8;
    sf8_kv_layout l = sf8_kv_dense(SF8_KV_ROWS, (uint32_t)by_head, 3, 16, heads, dim, bits);
    l = sf8_kv_with_scales(l, dim, 32, 0);
    sf8_kv_store s = store_of(&l, &r, SF8_F32, words, tokens);
    sf8_kv_slots slots = permuted(tokens, 48);
    fill_words(tokens * heads * dim);
    run(&s, &slots);
    for (size_t t = 0; t < tokens; t++)
        for (size_t h = 0; h < heads && slot_room[t] >= 0; h++) {
            size_t place = (size_t)slot_room[t], block = place / 16, slot = place % 16;
            size_t at = by_head ? (block * heads + h) * 16 + slot : place * heads + h;
            uint32_t scale;
            quantize_row(&r, words + (t * heads + h) * dim, dim, want + at * row, &scale, 0);
            put32(scale_want + 4 * (place * heads + h), scale);
        }
    cr_expect(same(&s), "%s, heads %u, dim %u", name, (unsigned)heads, (unsigned)dim);
    cr_expect(reads_back(&s, &slots, dim), "%s, heads %u, dim %u", name, (unsigned)heads,
              (unsigned)dim);
}

/* One head of 20,000 is larger than a piece. */
Test(kv_stacks, token_heads)
{
    static const char *const names[] = {"fp8-per-token-head", "int8-per-token-head",
                                        "int4-per-token-head"};
    static const uint64_t sizes[][3] = {{1, 64, 30},  {5, 80, 30}, {8, 128, 30},
                                        {2, 576, 30}, {5, 2, 30},  {2, 20000, 3}};
    for (size_t i = 0; i < COUNT(names); i++)
        for (int by_head = 0; by_head < 2; by_head++)
            for (size_t k = 0; k < COUNT(sizes); k++)
                check_token_heads(names[i], by_head, sizes[k][0], sizes[k][1], sizes[k][2]);
}

/* vLLM int4_per_token_head: measured, the zero point 4 in the last bits of the scale 3e888889; the
 * even element in the low half. */
Test(kv_stacks, int4_literal)
{
    static const float x[16] = {-1, .5f, 2, -.25f, 3, 1.25f, 0, .75f,
                                -1, .5f, 2, -.25f, 3, 1.25f, 0, .75f};
    static const uint8_t codes[4] = {0x60, 0x3c, 0x9f, 0x74};
    sf8_recipe r = recipe_called("int4-per-token-head-interpreted");
    sf8_kv_layout l = sf8_kv_with_scales(sf8_kv_hnd(1, 4, 2, 8, 4), 8, 32, 0);
    sf8_kv_store s = store_of(&l, &r, SF8_F32, x, 1);
    sf8_kv_slots slots = in_order(1);
    slot_room[0] = 2;
    run(&s, &slots);
    memcpy(want + 2 * 4, codes, 4);
    memcpy(want + (4 + 2) * 4, codes, 4);
    put32(scale_want + 4 * 4, 0x3e888884);
    put32(scale_want + 4 * 5, 0x3e888884);
    cr_expect(same(&s));
}

/* Two elements to a byte, by a scale that is given. */
Test(kv_stacks, four_bits_given)
{
    static const uint64_t dims[] = {2, 80, 128, 16386};
    const float g[3] = {.3f, 3, 10};
    sf8_recipe r = given_divide("e2m1");
    for (size_t i = 0; i < COUNT(dims); i++)
        for (uint32_t by_head = 0; by_head < 2; by_head++)
            for (size_t many = 1; many <= 3; many += 2) {
                size_t dim = dims[i];
                sf8_kv_layout l = sf8_kv_dense(SF8_KV_ROWS, by_head, 2, 4, 3, dim, 4);
                sf8_kv_store s = store_of(&l, &r, SF8_F32, words, 5);
                sf8_kv_slots slots = permuted(5, 8);
                s.g = g;
                s.g_count = many;
                fill_words(5 * 3 * dim);
                run(&s, &slots);
                for (size_t t = 0; t < 4; t++)
                    for (size_t k = 0; k < 3 * dim; k++) {
                        size_t place = (size_t)slot_room[t], h = k / dim, d = k % dim;
                        size_t row = by_head ? (place / 4 * 3 + h) * 4 + place % 4 : place * 3 + h;
                        uint8_t *at = want + (row * dim + d) / 2;
                        float y = words[t * 3 * dim + k] / g[many == 3 ? h : 0];
                        uint8_t code = sf8_f32_to_e2m1(y, SF8_CUDA_SATFINITE);
                        *at = (uint8_t)(d % 2 ? *at | code << 4 : code);
                    }
                cr_expect(same(&s), "dim %u, by_head %u, %u g", (unsigned)dim, by_head,
                          (unsigned)many);
            }
}

/* Scales of 16 bits, four to a row. */
Test(kv_stacks, scales_of_16_bits)
{
    sf8_recipe r = recipe_read("e4m3", 16, "bf16", "amax 448 /", "x s /", "e s *");
    sf8_kv_layout l = sf8_kv_with_scales(sf8_kv_hnd(2, 4, 3, 64, 8), 16, 16, 0);
    sf8_kv_store s = store_of(&l, &r, SF8_F32, words, 7);
    sf8_kv_slots slots = permuted(7, 8);
    fill_words(7 * 3 * 64);
    run(&s, &slots);
    for (size_t t = 0; t < 7; t++)
        for (size_t h = 0; h < 3 && slot_room[t] >= 0; h++) {
            size_t place = (size_t)slot_room[t];
            uint32_t scales[4];
            quantize_row(&r, words + (t * 3 + h) * 64, 64,
                         want + ((place / 4 * 3 + h) * 4 + place % 4) * 64, scales, 0);
            for (size_t k = 0; k < 4; k++) {
                uint16_t half = (uint16_t)scales[k];
                memcpy(scale_want + 2 * ((place * 3 + h) * 4 + k), &half, 2);
            }
        }
    cr_expect(same(&s) && reads_back(&s, &slots, 64));
}

/* One scale for all heads of a token, wherever these lie; 300 heads, and one head of 20,000, which
 * is larger than a piece. */
Test(kv_stacks, tokens)
{
    static const size_t sizes[][2] = {{1, 64}, {5, 80}, {8, 128}, {300, 64}, {2, 4096}, {5, 4096}};
    sf8_recipe r = recipe_called("fp8-per-token");
    r.amax_nan = SF8_AMAX_NAN; /* which of the elements is the first counts */
    for (size_t i = 0; i < COUNT(sizes); i++)
        for (uint32_t by_head = 0; by_head < 2; by_head++)
            for (size_t gap = 0; gap < 9; gap += 8) {
                size_t heads = sizes[i][0], dim = sizes[i][1], all = heads * dim;
                sf8_kv_layout l = sf8_kv_dense(SF8_KV_ROWS, by_head, 2, 4, heads, dim, 8);
                l = sf8_kv_with_scales(l, all, 32, 0);
                sf8_kv_store s = store_of(&l, &r, SF8_F32, words, 6);
                sf8_kv_slots slots = permuted(6, 8);
                s.first.head_stride = dim + gap;
                s.first.token_stride = all + heads * gap;
                fill_words(6 * s.first.token_stride);
                words[5] = sf8_f32_from_bits(0x7fc00000);
                run(&s, &slots);
                for (size_t t = 0; t < 6; t++) {
                    static float one[20480];
                    static uint8_t codes[20480];
                    uint32_t scale;
                    if (slot_room[t] < 0)
                        continue;
                    size_t place = (size_t)slot_room[t];
                    for (size_t h = 0; h < heads; h++)
                        memcpy(one + h * dim, words + t * s.first.token_stride + h * (dim + gap),
                               4 * dim);
                    cr_assert(sf8_quantize_n_at("core", &r, codes, &scale, NULL, SF8_F32, one, 1,
                                                all, 0) == SF8_OK);
                    put32(scale_want + 4 * place, scale);
                    for (size_t h = 0; h < heads; h++) {
                        size_t at = by_head ? (place / 4 * heads + h) * 4 + place % 4
                                            : place * heads + h;
                        memcpy(want + at * dim, codes + h * dim, dim);
                    }
                }
                cr_expect(same(&s), "heads %u, dim %u, by_head %u, gap %u", (unsigned)heads,
                          (unsigned)dim, by_head, (unsigned)gap);
                cr_expect(gap || reads_back(&s, &slots, all), "heads %u, dim %u, by_head %u",
                          (unsigned)heads, (unsigned)dim, by_head);
            }
}

/* ---- NVFP4 ----------------------------------------------------------------------------------- */

/* A page of vLLM's is K_data, K_scale, V_data, V_scale; scales of V are put by its
 * swizzle_scale_offset. Blocks have magnitudes of their own, so that a scale in the wrong place is
 * seen. G is 448: the golden block's scale is 7e. */
static void check_nvfp4(size_t bs, size_t S, uint32_t by_head, uint32_t read_linear)
{
    const float g = 448;
    const size_t H = 3, D = 16 * S, part = bs * H * (D / 2 + S), page = 2 * part;
    const size_t count = bs + 7;
    sf8_recipe r = recipe_called("nvfp4-vllm");
    sf8_kv_layout l = sf8_kv_dense(SF8_KV_ROWS, by_head, 2, bs, H, D, 4);
    l = sf8_kv_in_pages(sf8_kv_behind(sf8_kv_with_scales(l, 16, 8, by_head)), page);
    sf8_kv_store kv[2];
    sf8_kv_slots slots = permuted(count, 2 * bs);
    kv[0] = store_of(&l, &r, SF8_F32, words, count);
    kv[0].g = &g;
    kv[0].g_count = 1;
    kv[1] = kv[0];
    kv[1].image.layout.scale_order = read_linear ? SF8_LAYOUT_LINEAR : SF8_LAYOUT_4TOKEN;
    kv[1].image.data = image + part;
    images_begin(2 * page);
    for (size_t i = 0; i < count * H * D; i++)
        words[i] = ((float)(i * 7 % 13) - 6) *
                   sf8_f32_from_bits((120 + (uint32_t)(i / 16 * 5 % 8)) << 23);
    cr_assert(sf8_kv_store_n(kv, 2, &slots, NULL) == SF8_OK);
    for (size_t t = 0; t < count; t++)
        for (size_t h = 0; h < H && slot_room[t] >= 0; h++) {
            size_t slot = (size_t)slot_room[t] % bs, base = (size_t)slot_room[t] / bs * page;
            size_t head = by_head ? bs : 1, token = by_head ? 1 : H;
            size_t at = (h * head + slot * token) * (D / 2), sf = bs * H * D / 2;
            uint32_t scales[16];
            quantize_row(&r, words + (t * H + h) * D, D, want + base + at, scales, g);
            memcpy(want + base + part + at, want + base + at, D / 2);
            for (size_t s = 0; s < S; s++) {
                size_t t4 = slot / 4 * 4 + s / (S / 4), s4 = s % (S / 4) * 4 + slot % 4;
                want[base + sf + (h * head + slot * token) * S + s] = (uint8_t)scales[s];
                want[base + part + sf + (h * head + t4 * token) * S + s4] = (uint8_t)scales[s];
            }
        }
    cr_expect(images_same(2 * page) == !read_linear, "page of %u, %u scales", (unsigned)bs,
              (unsigned)S);
    cr_expect(reads_back(&kv[1], &slots, D), "page of %u, %u scales", (unsigned)bs, (unsigned)S);
    kv[1].image.layout.scale_order ^= SF8_LAYOUT_LINEAR ^ SF8_LAYOUT_4TOKEN;
    cr_expect(!reads_back(&kv[1], &slots, D), "scales in another order");
}

Test(kv_stacks, nvfp4)
{
    for (size_t bs = 16; bs <= 64; bs *= 2)
        for (size_t S = 4; S <= 16; S *= 2)
            for (uint32_t by_head = 0; by_head < 2; by_head++) {
                check_nvfp4(bs, S, by_head, 0);
                check_nvfp4(bs, S, by_head, 1);
            }
}

/* Measured: the golden block, bytes 90 22 4b d4 66 7e 80 87 and the scale 7e. */
Test(kv_stacks, nvfp4_literal)
{
    static const float x[16] = {.25f, -.5f, .75f, 1, -1.5f, 2,      2.5f,  -3,
                                3.5f, 4,    -5,   6, 0,     -.125f, 5.25f, -0.0f};
    static const uint8_t bytes[8] = {0x90, 0x22, 0x4b, 0xd4, 0x66, 0x7e, 0x80, 0x87};
    const float g = 448;
    sf8_recipe r = recipe_called("nvfp4-te");
    sf8_kv_layout l = sf8_kv_behind(sf8_kv_with_scales(sf8_kv_nhd(1, 4, 1, 16, 4), 16, 8, 0));
    sf8_kv_store s = store_of(&l, &r, SF8_F32, x, 1);
    sf8_kv_slots slots = in_order(1);
    slot_room[0] = 3;
    s.g = &g;
    s.g_count = 1;
    run(&s, &slots);
    memcpy(want + 24, bytes, 8);
    want[32 + 3] = 0x7e;
    cr_expect(same(&s));
}
