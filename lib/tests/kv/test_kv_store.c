/* SPDX-License-Identifier: MIT */
/* test_kv_store.c -- tokens stored into the images of KV caches
 *
 * A whole image, with guards, is compared with that of a slow writer, which uses the stacks'
 * formulas and plain float arithmetic.
 */
#include "kv/kv.h"

/* ---- the slow writer ------------------------------------------------------------------------- */

typedef struct task {
    int kind;
    shape s;
    sf8_format from;
    const char *element; /* NULL: elements are copied */
    const unsigned char *words;
    size_t tokens, token_stride, head_stride;
    float g[8];
    size_t g_count;
} task;

static uint8_t code_of(const task *t, float x, float scale)
{
    float y = x / scale;
    return strcmp(t->element, "e4m3") == 0 ? sf8_f32_to_e4m3(y, SF8_CUDA_SATFINITE)
                                           : sf8_f32_to_e5m2(y, SF8_CUDA_SATFINITE);
}

static void write_slowly(uint8_t *data, const task *t, const sf8_kv_slots *slots)
{
    size_t bytes = t->s.bits / 8;
    for (size_t i = 0; i < slots->count; i++) {
        uint64_t place = (uint64_t)slots->slot[i];
        for (uint64_t h = 0; h < t->s.heads && slots->slot[i] >= 0; h++)
            for (uint64_t d = 0; d < t->s.dim; d++) {
                uint64_t at = formula(t->kind, &t->s, place / t->s.slots, place % t->s.slots, h, d);
                size_t word = i * t->token_stride + h * t->head_stride + d;
                if (t->element)
                    data[at] = code_of(t, word_at(t->from, t->words, word),
                                       t->g[t->g_count > 1 ? h : 0]);
                else
                    memcpy(data + at * bytes, t->words + word * bytes, bytes);
            }
    }
}

/* The same by the library. */
static sf8_status store(const task *t, const sf8_kv_slots *slots, const sf8_recipe *r,
                        sf8_kv_error *error)
{
    sf8_kv_layout l = layout_of(t->kind, &t->s);
    sf8_kv_store s;
    memset(&s, 0, sizeof s);
    s.image = image_of(&l, image, NULL);
    s.recipe = r;
    s.from = t->from;
    s.first.words = t->words;
    s.first.tokens = t->tokens;
    s.first.dim = t->s.dim;
    s.first.token_stride = t->token_stride;
    s.first.head_stride = t->head_stride;
    s.g = r ? t->g : NULL;
    s.g_count = r ? t->g_count : 0;
    return sf8_kv_store_n(&s, 1, slots, error);
}

static size_t size_of(const shape *s)
{
    return (size_t)(s->blocks * s->slots * s->heads * s->dim * s->bits / 8);
}

static int stored_as(const task *t, const sf8_kv_slots *slots, const sf8_recipe *r)
{
    sf8_kv_error error;
    images_begin(size_of(&t->s));
    sf8_status status = store(t, slots, r, &error);
    cr_assert(status == SF8_OK, "%s: %s", kinds[t->kind], sf8_kv_reason(error.reason));
    write_slowly(want, t, slots);
    return images_same(size_of(&t->s));
}

#define EXPECT_STORED(task_, slots_, recipe_)                                                      \
    EXPECT(stored_as(task_, slots_, recipe_), "line %d: %s, slots %u, heads %u, dim %u",    \
           __LINE__, kinds[(task_)->kind], (unsigned)(task_)->s.slots, (unsigned)(task_)->s.heads, \
           (unsigned)(task_)->s.dim)

/* ---- where everything goes ------------------------------------------------------------------- */

static const uint64_t slot_counts[] = {1, 8, 16, 32, 64, 128};
static const uint64_t head_counts[] = {1, 2, 5, 8};
static const uint64_t dims[] = {64, 80, 96, 128, 192, 256, 576};

enum { WORDS_MOST = 64 * 8 * 576 };

static unsigned char words_room[4 * WORDS_MOST * 3 + 64];

/* A 16-bit value that says where it is from: the element and the head, or the token. */
static void fill_positions(const shape *s, size_t tokens, int which)
{
    for (size_t i = 0; i < tokens; i++)
        for (size_t h = 0; h < s->heads; h++)
            for (size_t d = 0; d < s->dim; d++) {
                uint16_t word = (uint16_t)(which ? 0x1000 + i : d | h << 10 | (i & 7) << 13);
                memcpy(words_room + 2 * ((i * s->heads + h) * s->dim + d), &word, 2);
            }
}

static task task_of(int kind, shape s, sf8_format from, const char *element, size_t tokens)
{
    task t;
    memset(&t, 0, sizeof t);
    t.kind = kind;
    t.s = s;
    t.from = from;
    t.element = element;
    t.words = words_room;
    t.tokens = tokens;
    t.token_stride = (size_t)(s.heads * s.dim);
    t.head_stride = (size_t)s.dim;
    t.g[0] = 1;
    t.g_count = 1;
    return t;
}

Test(kv_store, positions)
{
    for (size_t i = 0; i < COUNT(slot_counts); i++)
        for (size_t k = 0; k < COUNT(head_counts); k++)
            for (size_t d = 0; d < COUNT(dims); d += one_in(3))
                for (int which = 0; which < 2; which++) {
                    shape s = {3, slot_counts[i], head_counts[k], dims[d], 16};
                    size_t count = 2 * s.slots + 1 < 40 ? 2 * s.slots + 1 : 40;
                    sf8_kv_slots slots = permuted(count, 3 * s.slots);
                    fill_positions(&s, count + 3, which);
                    for (int kind = 0; kind < KINDS; kind++) {
                        task t = task_of(kind, s, SF8_BF16, NULL, count + 3);
                        EXPECT_STORED(&t, &slots, NULL);
                    }
                }
}

/* Copied as they are: NaN with its payload and sign, subnormals, -0; into f16 what was bf16. */
Test(kv_store, bits_are_kept)
{
    shape s = {1, 64, 2, 512, 16}, s32 = {1, 16, 2, 512, 32}, s8 = {1, 16, 2, 512, 8};
    sf8_kv_slots slots = in_order(64);
    for (size_t i = 0; i < 65536; i++) {
        uint16_t word = (uint16_t)i;
        memcpy(words_room + 2 * i, &word, 2);
    }
    for (int kind = 0; kind < KINDS; kind++) {
        task t = task_of(kind, s, SF8_F16, NULL, 64);
        EXPECT_STORED(&t, &slots, NULL);
        slots.count = 16;
        t = task_of(kind, s32, SF8_F32, NULL, 16);
        EXPECT_STORED(&t, &slots, NULL);
        t = task_of(kind, s8, SF8_E4M3, NULL, 16);
        EXPECT_STORED(&t, &slots, NULL);
        slots.count = 64;
    }
}

/* ---- what it becomes ------------------------------------------------------------------------- */

static void fill_random(size_t bytes)
{
    for (size_t i = 0; i + 4 <= bytes; i += 4) {
        uint32_t word = pseudo_random();
        memcpy(words_room + i, &word, 4);
    }
}

static const float given[8] = {.025f, 3, 2 * 5, 4 * 7, 8 * 9, 16 * 11, 32 * 13, .3f};

/* Words side by side; a part of rows with more; rows with a gap; heads first. All of them also at
 * an odd address. */
static void place_words(task *t, int how)
{
    size_t heads = (size_t)t->s.heads, dim = (size_t)t->s.dim;
    t->head_stride = how == 2 ? dim + 8 : how == 3 ? t->tokens * dim : dim;
    t->token_stride = how == 1   ? 3 * heads * dim
                      : how == 2 ? heads * (dim + 8) + 24
                      : how == 3 ? dim
                                 : heads * dim;
}

static void check_becomes(int kind, shape s, sf8_format from, const char *element)
{
    static unsigned char before[sizeof words_room];
    sf8_recipe r = given_divide(element);
    size_t count = 2 * s.slots + 1 < 24 ? 2 * s.slots + 1 : 24;
    sf8_kv_slots slots = permuted(count, 3 * s.slots);
    for (int how = 0; how < 4; how++)
        for (size_t many = 0; many < 2; many++) {
            task t = task_of(kind, s, from, element, count + 2);
            place_words(&t, how);
            t.words = words_room + how;
            t.g_count = many ? (size_t)s.heads : 1;
            memcpy(t.g, given, sizeof given);
            memcpy(before, words_room, sizeof before);
            EXPECT_STORED(&t, &slots, &r);
            EXPECT(memcmp(before, words_room, sizeof before) == 0, "the words have changed");
        }
}

Test(kv_store, codes)
{
    const sf8_format formats[] = {SF8_BF16, SF8_F16, SF8_F32};
    fill_random(sizeof words_room);
    for (size_t i = 0; i < COUNT(slot_counts); i += 2)
        for (size_t k = 0; k < COUNT(head_counts); k++)
            for (size_t d = 0; d < COUNT(dims); d += 2)
                for (int kind = 0; kind < KINDS; kind++) {
                    shape s = {3, slot_counts[i], head_counts[k], dims[d], 8};
                    check_becomes(kind, s, formats[(i + k + d / 2) % 3],
                                  (i / 2 + k) % 2 ? "e5m2" : "e4m3");
                }
}

/* A row of its own length for which pieces end anywhere. */
Test(kv_store, long_rows)
{
    static const uint64_t lengths[] = {1, 3, 17, 4095, 4096, 4097, 16383, 16384, 16385, 20000};
    fill_random(sizeof words_room);
    for (size_t i = 0; i < COUNT(lengths); i++)
        for (int kind = 0; kind < KINDS; kind++) {
            shape s = {3, 4, 3, lengths[i], 8};
            if (kind != X_PACKED || s.dim % 16 == 0)
                check_becomes(kind, s, SF8_BF16, "e4m3");
        }
}

/* Slots that follow one another, and tokens with gaps between them. */
Test(kv_store, in_order)
{
    shape s = {4, 16, 8, 128, 8};
    sf8_recipe r = given_divide("e4m3");
    task t = task_of(NHD, s, SF8_BF16, "e4m3", 64);
    sf8_kv_slots slots = in_order(64);
    fill_random(sizeof words_room);
    t.g[0] = .3f;
    EXPECT_STORED(&t, &slots, &r);
    slot_room[13] = slot_room[40] = slot_room[63] = -1;
    EXPECT_STORED(&t, &slots, &r);
}

/* With this scale division and multiplication by its inverse differ: for 3a2b, 1e and 1d. */
Test(kv_store, divides)
{
    shape s = {2, 16, 2, 64, 8};
    sf8_recipe r = given_divide("e4m3");
    task t = task_of(NHD, s, SF8_BF16, "e4m3", 20);
    sf8_kv_slots slots = permuted(20, 32);
    for (size_t i = 0; i < 20 * 128; i++) {
        uint16_t word = (uint16_t)(0x3a00 + i % 256);
        memcpy(words_room + 2 * i, &word, 2);
    }
    t.g[0] = sf8_f32_from_bits(0x3bcaaaab);
    EXPECT_STORED(&t, &slots, &r);
    uint64_t at = formula(NHD, &s, (uint64_t)slot_room[0] / 16, (uint64_t)slot_room[0] % 16, 0, 43);
    cr_expect_eq(image[at], 0x1e);
}

/* Rows, pages and blocks with padding after them, which stays unchanged: compared with the image of
 * a dense layout, row by row. */
Test(kv_store, padding)
{
    shape s = {3, 16, 5, 80, 8};
    sf8_recipe r = given_divide("e4m3");
    fill_random(sizeof words_room);
    for (int kind = NHD; kind <= HND; kind++) {
        task t = task_of(kind, s, SF8_BF16, "e4m3", 30);
        sf8_kv_slots slots = permuted(30, 48);
        sf8_kv_layout l = layout_of(kind, &s);
        sf8_kv_store item;
        size_t written = 0;
        l.head_stride = kind == NHD ? 96 : 16 * 88 + 8;
        l.slot_stride = kind == NHD ? 5 * 96 + 32 : 88;
        l.block_stride = 16 * 5 * 112;
        memset(&item, 0, sizeof item);
        item.image = image_of(&l, image, NULL);
        item.recipe = &r;
        item.from = SF8_BF16;
        item.first.words = words_room;
        item.first.tokens = 30;
        item.first.dim = item.first.head_stride = 80;
        item.first.token_stride = 400;
        images_begin(item.image.size);
        cr_assert(sf8_kv_store_n(&item, 1, &slots, NULL) == SF8_OK);
        for (size_t i = 0; i < 30; i++)
            for (uint64_t h = 0; h < 5 && slot_room[i] >= 0; h++)
                for (uint64_t d = 0; d < 80; d++, written++) {
                    uint64_t place = (uint64_t)slot_room[i];
                    uint64_t at = place / 16 * l.block_stride + place % 16 * l.slot_stride +
                                  h * l.head_stride + d;
                    want[at] = code_of(&t, word_at(SF8_BF16, words_room, i * 400 + h * 80 + d), 1);
                }
        cr_expect(images_same(item.image.size) && written == 24 * 400);
    }
}
