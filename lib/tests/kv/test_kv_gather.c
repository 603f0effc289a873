/* SPDX-License-Identifier: MIT */
/* test_kv_gather.c -- tokens read back from the images of KV caches
 *
 * The images are random bytes. The expected values are those of plain float arithmetic at the
 * places that the stacks' formulas name. Elements between those of tokens stay unchanged. What has
 * scales of its own is read back in test_kv_stacks.c.
 */
#include "kv/kv.h"

enum { OUT_MOST = 1 << 20 };

static unsigned char out[4 * OUT_MOST + 2 * GUARD], out_want[4 * OUT_MOST + 2 * GUARD];
static uint8_t scale_room[1 << 16];

/* A NaN that arithmetic makes is 7fc00000. */
static void put_word(unsigned char *at, sf8_format f, float value)
{
    uint32_t word = value != value ? 0x7fc00000 : sf8_f32_bits(value);
    uint16_t half = (uint16_t)sf8_convert(f, SF8_F32, word, SF8_OCP_NOSAT);
    if (sf8_format_bits(f) == 32)
        memcpy(at, &word, 4);
    else
        memcpy(at, &half, 2);
}

static void fill_image(size_t size)
{
    images_begin(size);
    for (size_t i = 0; i < size; i++)
        image[i] = (uint8_t)pseudo_random();
    for (size_t i = 0; i < sizeof scale_room / 4; i++) { /* 2^-7 to 2^8, with a fraction */
        uint32_t word = (120 + (uint32_t)i % 16) << 23 | (pseudo_random() & 0x7fffff);
        memcpy(scale_room + 4 * i, &word, 4);
    }
    memset(out, CANARY, sizeof out);
    memset(out_want, CANARY, sizeof out_want);
}

static sf8_kv_gather gather_of(const sf8_kv_layout *l, const sf8_recipe *r, sf8_format to,
                               size_t tokens)
{
    sf8_kv_gather g;
    memset(&g, 0, sizeof g);
    g.image = image_of(l, image, scale_room);
    g.recipe = r;
    g.to = to;
    g.first.words = out + GUARD;
    g.first.tokens = tokens;
    g.first.dim = g.first.head_stride = (size_t)l->dim;
    g.first.token_stride = (size_t)(l->heads * l->dim);
    return g;
}

static void run(const sf8_kv_gather *g, const sf8_kv_slots *slots)
{
    sf8_kv_error error;
    sf8_status status = sf8_kv_gather_n(g, 1, slots, &error);
    cr_assert(status == SF8_OK, "%s", sf8_kv_reason(error.reason));
}

static int same(void)
{
    return memcmp(out, out_want, sizeof out) == 0;
}

/* ---- given scales ---------------------------------------------------------------------------- */

static const float given[8] = {.025f, 3, 2 * 5, 4 * 7, 8 * 9, 16 * 11, 32 * 13, .3f};

static void place_words(sf8_kv_room *room, int how, size_t heads, size_t dim)
{
    room->head_stride = how == 2 ? dim + 8 : how == 3 ? room->tokens * dim : dim;
    room->token_stride = how == 1   ? 3 * heads * dim
                         : how == 2 ? heads * (dim + 8) + 24
                         : how == 3 ? dim
                                    : heads * dim;
    room->words = out + GUARD + how;
}

static void check_given(int kind, shape s, sf8_format to, int how, size_t g_count)
{
    sf8_recipe r = given_divide("e4m3");
    sf8_kv_layout l = layout_of(kind, &s);
    size_t count = 13, width = sf8_format_bits(to) == 32 ? 4 : 2;
    sf8_kv_gather g = gather_of(&l, &r, to, count + 1);
    sf8_kv_slots slots = permuted(count, s.blocks * s.slots);
    place_words(&g.first, how, (size_t)s.heads, (size_t)s.dim);
    g.g = given;
    g.g_count = g_count;
    fill_image(g.image.size);
    slot_room[2] = slot_room[0];
    for (size_t t = 0; t < count; t++)
        for (uint64_t h = 0; h < s.heads && slot_room[t] >= 0; h++)
            for (uint64_t d = 0; d < s.dim; d++) {
                uint64_t place = (uint64_t)slot_room[t];
                uint8_t code = image[formula(kind, &s, place / s.slots, place % s.slots, h, d)];
                size_t at = t * g.first.token_stride + h * g.first.head_stride + d;
                put_word(out_want + GUARD + how + width * at, to,
                         sf8_e4m3_to_f32(code) * given[g_count > 1 ? h : 0]);
            }
    run(&g, &slots);
    EXPECT(same(), "%s, slots %u, heads %u, dim %u, words %d", kinds[kind], (unsigned)s.slots,
           (unsigned)s.heads, (unsigned)s.dim, how);
}

Test(kv_gather, given_scales)
{
    static const uint64_t slot_counts[] = {1, 16, 128}, heads[] = {1, 5, 8};
    static const uint64_t dims[] = {64, 80, 576};
    const sf8_format formats[] = {SF8_BF16, SF8_F16, SF8_F32};
    int how = 0;
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 3; k++)
            for (size_t d = 0; d < 3; d++)
                for (int kind = 0; kind < KINDS; kind++, how++) {
                    shape s = {20, slot_counts[i], heads[k], dims[d], 8};
                    s.blocks = 20 / s.slots + 1;
                    check_given(kind, s, formats[(i + k + d) % 3], how % 4,
                                how % 3 ? 1 : (size_t)heads[k]);
                }
    for (int kind = 0; kind < KINDS; kind++)
        for (how = 0; how < 4; how++) {
            shape s = {2, 8, 1, 20000, 8};
            check_given(kind, s, SF8_BF16, how, 1);
            s.heads = 3;
            s.dim = 4112;
            check_given(kind, s, SF8_F32, how, how % 2 ? 3 : 1);
        }
}

/* A reader of its own: no NaN, so that 7f is 480, as bits are moved into bf16. */
Test(kv_gather, another_reader)
{
    sf8_recipe r = given_divide("e4m3");
    sf8_kv_layout l = sf8_kv_nhd(1, 1, 1, 256, 8);
    sf8_kv_gather g = gather_of(&l, &r, SF8_F32, 1);
    sf8_kv_slots slots = in_order(1);
    float two = 2;
    r.element.nan = SF8_NANS_NONE;
    g.g = &two;
    g.g_count = 1;
    fill_image(256);
    for (size_t i = 0; i < 256; i++)
        image[i] = (uint8_t)i;
    run(&g, &slots);
    cr_expect(word_at(SF8_F32, g.first.words, 0x7f) == 960);
    cr_expect(word_at(SF8_F32, g.first.words, 0xff) == -960);
    cr_expect(word_at(SF8_F32, g.first.words, 0x7e) == 896);
}

/* Bits, of any width, as they are. */
Test(kv_gather, copies)
{
    const sf8_format formats[] = {SF8_E5M2, SF8_F16, SF8_F32};
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t i = 0; i < 3; i++) {
            shape s = {3, 16, 5, 80, 8u << i};
            size_t width = (size_t)1 << i;
            sf8_kv_layout l = layout_of(kind, &s);
            sf8_kv_gather g = gather_of(&l, NULL, formats[i], 30);
            sf8_kv_slots slots = permuted(30, 48);
            place_words(&g.first, 2, 5, 80);
            fill_image(g.image.size);
            for (size_t t = 0; t < 30; t++)
                for (uint64_t h = 0; h < 5 && slot_room[t] >= 0; h++)
                    for (uint64_t d = 0; d < 80; d++) {
                        uint64_t place = (uint64_t)slot_room[t];
                        uint64_t from = formula(kind, &s, place / 16, place % 16, h, d);
                        memcpy(out_want + GUARD + 2 +
                                   width * (t * g.first.token_stride + h * 88 + d),
                               image + from * width, width);
                    }
            run(&g, &slots);
            cr_expect(same(), "%s, %u bits", kinds[kind], s.bits);
        }
}

/* ---- scales in the image --------------------------------------------------------------------- */

/* vLLM cp_gather_and_upconvert_fp8_kv_cache: bf16(e * tile_scale), and the rotary part copied. */
Test(kv_gather, ds_mla)
{
    sf8_recipe r = given_divide("e4m3");
    sf8_kv_layout l = sf8_kv_ds_mla(2, 64);
    sf8_kv_gather g = gather_of(&l, &r, SF8_BF16, 30);
    sf8_kv_slots slots = permuted(30, 128);
    fill_image(g.image.size);
    g.first.token_stride = 576;
    g.second = g.first;
    g.second.words = out + GUARD + 2 * 512;
    g.second.dim = 64;
    for (size_t t = 0; t < 128; t++)
        memcpy(image + t * 656 + 512, scale_room + 16 * t, 16);
    for (size_t t = 0; t < 30; t++) {
        const uint8_t *token = image + (slot_room[t] < 0 ? 0 : slot_room[t] * 656);
        unsigned char *to = out_want + GUARD + t * 576 * 2;
        if (slot_room[t] < 0)
            continue;
        for (size_t d = 0; d < 512; d++)
            put_word(to + 2 * d, SF8_BF16,
                     sf8_e4m3_to_f32(token[d]) * word_at(SF8_F32, token + 512, d / 128));
        memcpy(to + 1024, token + 528, 128);
    }
    run(&g, &slots);
    cr_expect(same());
}
