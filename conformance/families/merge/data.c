/* SPDX-License-Identifier: MIT */
/* data.c -- parts of rows of attention, and the library's results for them */
#include "base/memory.h"
#include "base/random.h"
#include "families/merge/device.h"

#include "softfp8_attend.h"
#include "softfp8_f32.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

static uint32_t next(uint64_t *state)
{
    return (uint32_t)(word_random(state) >> 16);
}

/* ---- special words --------------------------------------------------------------------------- */

/* (0, 0), (5, 0), (88, 0), a part without keys on either side or both, infinity, NaN, 1e30 and
 * -1e30, zeros of both signs, subnormal numbers. */
static const uint32_t golden[][2] = {
    {0, 0},
    {0x40a00000, 0},
    {0, 0x40a00000},
    {0x42b00000, 0},
    {0xff800000, 0x40400000},
    {0x40400000, 0xff800000},
    {0xff800000, 0xff800000},
    {0x7f800000, 0x40400000},
    {0x40400000, 0x7f800000},
    {0x7f800000, 0x7f800000},
    {0x7f800000, 0xff800000},
    {0x7fc00000, 0x40400000},
    {0x40400000, 0x7fc00000},
    {0x7fc00000, 0xff800000},
    {0x7fc00000, 0x7fc00000},
    {0x7149f2ca, 0xf149f2ca},
    {0xf149f2ca, 0x7149f2ca},
    {0, 0x80000000},
    {0x80000000, 0x80000000},
    {0x00000001, 0x807fffff},
};

static const uint32_t lses[] = {
    0,          0x80000000, 0x40a00000, 0xc0a00000, 0x42b00000, 0x42b17217, 0x42b17218, 0xc2cff1b4,
    0xc2d00001, 0x3f800000, 0x3f800001, 0x3eb33333, 0x42fe0000, 0xc3160000, 0x7149f2ca, 0xf149f2ca,
    0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001, 0x00000001, 0x80000001,
};

/* NaN with a payload and a sign, quiet and not, among them. */
static const uint32_t outputs[] = {
    0,          0x80000000, 0x00000001, 0x80010000, 0x007fffff, 0x00800000, 0x3f800000,
    0xbf800000, 0x3f810000, 0x42c00000, 0x3eaaaaab, 0x40490fdb, 0xc0490fdb, 0x7f7f0000,
    0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345, 0x7f812345,
};

static const uint32_t sums[] = {0x3f800000, 0x40200000, 0,          0x43000001, 0x7f800000,
                                0x7fc00000, 0x00000001, 0x7149f2ca, 0x3f4ccccd};

/* ---- sets ------------------------------------------------------------------------------------ */

static const size_t counts[] = {1, 2, 3, 4, 5, 7, 8, 16, 17, 31, 32, 33, 48, 64};
static const size_t widths[] = {64, 128, 80, 1, 7, 256, 3};

static void by_chance(merge_set *set, merge_kind kind, size_t i)
{
    set->kind = kind;
    set->parts = counts[i % COUNT(counts)];
    set->rows = 23;
    set->channels = widths[i % COUNT(widths)];
    set->joined = i % 3 == 0 ? 23 : 23 - i % 7;
}

static int base_set(size_t i, merge_set *set)
{
    if (i == 0) {
        *set = (merge_set){MERGE_GOLDEN, 2, COUNT(golden), 9, COUNT(golden), 0, 0};
    } else if (i == 1) {
        set->kind = MERGE_PAIRS;
        set->parts = 2;
        set->rows = set->joined = COUNT(lses) * COUNT(lses);
        set->channels = COUNT(outputs) * COUNT(outputs);
    } else if (i == 2) {
        *set = (merge_set){MERGE_PAIRS, 2, 48, COUNT(outputs) * COUNT(outputs), 0, 0, 0};
    } else if (i < 6) {
        *set = (merge_set){MERGE_SOME, i == 3 ? 3 : 4 * (i - 3), 400, 20, 390, 0, 0};
    } else if ((i -= 6) < COUNT(counts)) {
        by_chance(set, MERGE_CHANCE, i);
    } else if ((i -= COUNT(counts)) < 4) {
        by_chance(set, MERGE_BITS, 4 * i + 1);
    } else {
        return 0;
    }
    return 1;
}

/* Each set with fma and without; on a device, more of them follow. */
int merge_set_at(const kernel_run *r, size_t i, void *set_room)
{
    const gpu_merge_kernel *k = r->kernel;
    merge_set *set = set_room;
    const size_t more = r->emulated             ? (r->tier == TIER_SOAK ? 56 : 0)
                        : r->tier == TIER_QUICK ? 280
                                                : 2800;
    int kind = SET_HASHED;
    memset(set, 0, sizeof *set);
    if (!base_set(i / 2, set)) {
        size_t bases = 0;
        while (base_set(bases, set))
            bases++;
        if ((i -= 2 * bases) / 2 >= more)
            return SETS_END;
        memset(set, 0, sizeof *set);
        by_chance(set, MERGE_CHANCE, i / 2 / 4 * 5);
        kind = SET_EXTRA;
        set->rows += set->rows * (i / 2 % 4);
    }
    set->fuse = i % 2 == 0;
    set->seed = i / 2;
    while (strcmp(k->rule, "segments") == 0 && (set->parts & (set->parts - 1)) != 0)
        set->parts &= set->parts - 1; /* a power of two */
    return kind;
}

/* ---- words ----------------------------------------------------------------------------------- */

static uint32_t number(uint64_t *state, int first, uint32_t count)
{
    uint32_t r = next(state);
    return (r & 0x807fffff) | (uint32_t)(127 + first + (int)(next(state) % count)) << 23;
}

/* Of a part of a row: its lse or largest score, and its sum. */
static void put_head(merge_words *w, const merge_set *set, size_t part, size_t row, uint64_t *state)
{
    const size_t at = part * set->rows + row, places = COUNT(lses);
    uint32_t lse = number(state, -2, 4), sum = number(state, 0, 6) & 0x7fffffff;
    if (set->kind == MERGE_GOLDEN) {
        lse = golden[row][part];
    } else if (set->kind == MERGE_PAIRS) {
        lse = lses[part ? row / places : row % places];
        sum = sums[(row + 4 * part) % COUNT(sums)];
    } else if (set->kind == MERGE_SOME) {
        lse = lses[next(state) % places];
        sum = sums[next(state) % COUNT(sums)];
    } else if (set->kind == MERGE_BITS) {
        lse = next(state) ^ next(state) << 16;
        sum = next(state) ^ next(state) << 16;
    } else if (next(state) % 8 == 0) {
        lse = 0xff800000; /* no key; or far above all others */
        if (next(state) % 2)
            lse = number(state, 2, 4);
    }
    w->part_lse[at] = lse;
    w->part_sum[at] = sum;
}

static uint32_t output(const merge_set *set, size_t part, size_t row, size_t c, uint64_t *state)
{
    static const uint32_t small[][9] = {{0x3f800000, 0x3f810000, 0x3f820000, 0x7fc10000, 0x80000000,
                                         0x00010000, 0x7f7f0000, 0, 0x7f800000},
                                        {0x40000000, 0x42c00000, 0x42ff0000, 0x40400000, 0x80000000,
                                         0x80020000, 0x7f7f0000, 0x7fc00000, 0xff800000}};
    const size_t places = COUNT(outputs);
    if (set->kind == MERGE_GOLDEN)
        return small[part][c];
    if (set->kind == MERGE_PAIRS)
        return outputs[part ? c / places : c % places];
    if (set->kind == MERGE_SOME)
        return outputs[(next(state) + row) % places];
    if (set->kind == MERGE_BITS)
        return next(state) ^ next(state) << 16;
    return next(state) % 512 == 0 ? 0x7fc00000 : number(state, -4, 8);
}

static int is_bf16(const gpu_merge_kernel *k)
{
    return strcmp(k->words, "bf16") == 0;
}

static void put(const gpu_merge_kernel *k, uint8_t *to, size_t at, uint32_t word)
{
    uint16_t half = (uint16_t)(word >> 16);
    if (is_bf16(k))
        memcpy(to + 2 * at, &half, 2);
    else
        memcpy(to + 4 * at, &word, 4);
}

static uint32_t word_at(const gpu_merge_kernel *k, const uint8_t *from, size_t at)
{
    uint32_t word;
    uint16_t half;
    if (!is_bf16(k)) {
        memcpy(&word, from + 4 * at, 4);
        return word;
    }
    memcpy(&half, from + 2 * at, 2);
    return (uint32_t)half << 16;
}

/* ---- what is right --------------------------------------------------------------------------- */

/* Parts of 2 + channels words, to out. */
static uint32_t join(const gpu_merge_kernel *k, const merge_set *set, const uint32_t *parts,
                     uint32_t *out)
{
    static const struct {
        const char *rule;
        uint32_t join;
    } joins[] = {{"vllm", SF8_JOIN_VLLM},
                 {"fa3", SF8_JOIN_FA3},
                 {"flashinfer-states", SF8_JOIN_FLASHINFER},
                 {"segments", SF8_JOIN_SEGMENTS},
                 {"partitions", SF8_JOIN_PARTITIONS}};
    const int32_t fuse = set->fuse ? SF8_FUSE_SUM : SF8_FUSE_NONE;
    const size_t stride = 2 + set->channels;
    uint32_t lse = parts[0];
    for (size_t i = 0; i < COUNT(joins); i++)
        if (strcmp(k->rule, joins[i].rule) == 0) {
            sf8_attend_join_n(joins[i].join, fuse, out, &lse, parts, set->parts, set->channels);
            return lse;
        }
    memcpy(out, parts + 2, set->channels * sizeof *out);
    for (size_t i = 1; i < set->parts; i++)
        lse = sf8_f32_merge_fused_n(sf8_merge_named(k->rule, NULL), fuse, out, out, lse,
                                    parts + i * stride + 2, parts[i * stride], set->channels)
                  .lse;
    return lse;
}

static uint32_t one_nan(uint32_t word)
{
    return sf8_f32_is_nan(word) ? 0x7fc00000 : word;
}

static void make_right(merge_words *w, const gpu_merge_kernel *k, const merge_set *set,
                       uint32_t *parts, uint32_t *out)
{
    const size_t stride = 2 + set->channels;
    for (size_t row = 0; row < set->rows; row++) {
        for (size_t p = 0; p < set->parts; p++) {
            size_t at = p * set->rows + row;
            parts[p * stride] = w->part_lse[at];
            parts[p * stride + 1] = w->part_sum[at];
            for (size_t c = 0; c < set->channels; c++)
                parts[p * stride + 2 + c] = word_at(k, w->part_out, at * set->channels + c);
        }
        const uint32_t *last = parts + (set->parts - 1) * stride;
        int copied = row >= set->joined;
        w->right_lse[row] = copied ? last[0] : one_nan(join(k, set, parts, out));
        for (size_t c = 0; c < set->channels; c++) {
            uint32_t word = copied ? last[2 + c] : one_nan(out[c]);
            if (!copied && is_bf16(k))
                word = (uint32_t)sf8_convert(SF8_BF16, SF8_F32, word, SF8_OCP_NOSAT) << 16;
            put(k, w->right, row * set->channels + c, word);
        }
    }
}

const char *merge_words_make(const kernel_run *r, const void *made_of, void *data)
{
    const gpu_merge_kernel *k = r->kernel;
    const merge_set *set = made_of;
    merge_words *w = data;
    const size_t heads = set->parts * set->rows, words = heads * set->channels;
    const size_t stride = 2 + set->channels;
    uint64_t state = set->seed * 2 + 1;
    memset(w, 0, sizeof *w);
    w->bytes = set->rows * set->channels * (is_bf16(k) ? 2 : 4);
    w->part_out = allocate(1, words * 4);
    w->part_lse = allocate(1, heads * 4);
    w->part_sum = allocate(1, heads * 4);
    w->out = allocate(1, w->bytes);
    w->right = allocate(1, w->bytes);
    w->lse = allocate(1, set->rows * 4);
    w->right_lse = allocate(1, set->rows * 4);
    uint32_t *parts = allocate(1, set->parts * stride * 4), *out = allocate(1, set->channels * 4);
    for (size_t p = 0; p < set->parts; p++)
        for (size_t row = 0; row < set->rows; row++) {
            put_head(w, set, p, row, &state);
            for (size_t c = 0; c < set->channels; c++)
                put(k, w->part_out, (p * set->rows + row) * set->channels + c,
                    output(set, p, row, c, &state));
        }
    make_right(w, k, set, parts, out);
    free(parts);
    free(out);
    return NULL;
}

void merge_words_free(void *data)
{
    const merge_words *w = data;
    void *all[] = {w->part_out, w->part_lse, w->part_sum, w->out, w->right, w->lse, w->right_lse};
    for (size_t i = 0; i < COUNT(all); i++)
        free(all[i]);
}
