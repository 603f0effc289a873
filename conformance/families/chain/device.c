/* SPDX-License-Identifier: MIT */
/* device.c -- the steps of the chain as kernels of the device, each result compared with the
 * library
 *
 * A case has the items of its step, made here, and the library's result for each. All NaN are
 * equal: a device may return any of them.
 */
#include "base/random.h"
#include "families/chain/chain.h"
#include "families/chain/tiny_model.h"
#include "suite/compare.h"
#include "suite/digest.h"
#include "softfp8/scalar.h"
#include "softfp8_f32.h"

#include <stdlib.h>
#include <string.h>

enum {
    SCALE = 0x3ccccccd, /* 0.025 */
    TWO_HUNDRED = 0x43480000,
    LARGEST = 0x43e00000, /* 448 */
    WORDS_MOST = 8192,    /* of an item */
    OUT_MOST = 136,
    NAN_WORD = 0x7fc00000
};

typedef struct link_items {
    size_t n, count, room; /* numbers of an item; items, and the number that fit */
    uint32_t *in, *out;    /* all of them */
    int few;               /* a processor is used as the device */
} link_items;

/* The values that "softfp8 kv chain" shows, and others. */
static const uint32_t shown[TINY_CHANNELS] = {0x4174cccd, 0x4195999a, 0x4141999a, 0x419c0000,
                                              0x41866666, 0x41a00000, 0x41633333, 0x418f3333};

static uint32_t next(uint64_t *seed)
{
    return (uint32_t)(word_random_linear(seed) >> 32);
}

/* From 2^-9 to 2^6, of one sign. */
static uint32_t any(uint64_t *seed)
{
    uint32_t r = next(seed);
    return (r & 0x7fffff) | (118 + (r >> 23) % 15) << 23;
}

/* Space for one more item; NULL if memory is exhausted. */
static uint32_t *item(link_items *r)
{
    if (r->count == r->room) {
        size_t room = r->room ? 2 * r->room : 256;
        uint32_t *in = realloc(r->in, 4 * room * r->n);
        if (!in)
            return NULL;
        r->in = in;
        r->room = room;
    }
    return r->in + r->n * r->count++;
}

/* ---- items ----------------------------------------------------------------------------------- */

/* Each amax of bf16 without sign, including 0, infinity and a NaN. */
static void fill_scale(link_items *r)
{
    for (uint32_t half = 0; half <= 0x7f81; half++) {
        uint32_t *x = item(r);
        if (x)
            x[0] = half << 16;
    }
}

/* Each value of bf16 by 0.025, and by a scale with ties; values around each limit. */
static void fill_cast(link_items *r)
{
    static const uint32_t scales[3] = {SCALE, 0x3b1db6db, 0x3f800000};
    for (uint32_t i = 0; i < 3 << 16; i++) {
        uint32_t *x = item(r);
        if (!x)
            return;
        x[0] = i << 16;
        x[1] = scales[i >> 16];
    }
    for (uint32_t q = 417; q <= 512; q++)
        for (uint32_t near = 0; near < 3; near++) {
            uint32_t *x = item(r);
            if (!x)
                return;
            x[0] = sf8_f32_mul(sf8_f32_of((int32_t)q), SCALE) + near - 1;
            x[1] = SCALE;
        }
}

static void fill_identical(link_items *r)
{
    uint64_t seed = 3;
    for (uint32_t i = 0; i < 1024; i++) {
        uint32_t *x = item(r);
        if (!x)
            return;
        for (int k = 0; k < TINY_CHANNELS; k++)
            x[k] = i % 2 ? any(&seed) : shown[k];
        x[TINY_CHANNELS] = sf8_f32_div(0x3f800000 | i << 13 | (i % 8) << 23, TWO_HUNDRED);
    }
}

/* All 2^23 values in [8, 16); on a processor one in 16, spread evenly. */
static void fill_scan(link_items *r)
{
    for (uint32_t word = 0x41000000; word < 0x41800000; word += r->few ? 16 * 4096 : 4096) {
        uint32_t *x = item(r);
        if (x)
            x[0] = word;
    }
}

/* Equal numbers; numbers that are near each other; and others. */
static void fill_variance(link_items *r)
{
    static const uint32_t equal[4] = {0x41333333, 0x3dcccccd, 0x41980000, 0x411fffff};
    uint64_t seed = 5;
    for (int i = 0; i < (r->few ? 6 : 64); i++) {
        uint32_t *x = item(r);
        if (!x)
            return;
        for (size_t k = 0; k < r->n; k++)
            x[k] = i < 4 ? equal[i] : i % 2 ? 0x41333333 + next(&seed) % 64 : any(&seed);
    }
}

/* Each combination of four scores of six, with values of which one may be NaN. */
static void fill_nan(link_items *r)
{
    static const uint32_t scores[6] = {NAN_WORD, 0xff800000, 0, 0x3f800000, 0xc2c80000, 0x42b00000};
    uint64_t seed = 7;
    for (uint32_t i = 0; i < 3 * 1296; i++) {
        uint32_t *x = item(r), rest = i / 3;
        if (!x)
            return;
        for (int j = 0; j < 4; j++, rest /= 6)
            x[j] = scores[rest % 6];
        for (int j = 0; j < 8; j++)
            x[4 + j] = any(&seed) ^ (next(&seed) & 0x80000000u);
        if (i % 3)
            x[4 + 2 * (i % 4)] = i % 3 == 1 ? NAN_WORD : 0x7f800000;
    }
}

/* Each code in the slot that was freed, which is masked, or seen by all. */
static void fill_cache(link_items *r)
{
    for (uint32_t i = 0; i < 3 * 256; i++) {
        static const uint8_t code[4] = {0x5c, 0xdc, 0, 0x54};
        uint32_t *x = item(r);
        if (!x)
            return;
        x[0] = SCALE;
        for (uint32_t j = 0; j < 4; j++) {
            x[1 + j] = j == 2 ? i % 256 : code[j];
            x[5 + j] = i < 256 ? 0 : i < 512 && j >= 2 ? 0xff800000 : j == 3 ? 0x3f800000 : 0;
        }
    }
}

static void fill_argmax(link_items *r)
{
    static const uint32_t logits[7] = {NAN_WORD,   0xff800000, 0x7f800000, 0x40a00000,
                                       0x40e00000, 0,          0xffc00001};
    for (uint32_t i = 0; i < 2401; i++) {
        uint32_t *x = item(r), rest = i;
        for (int j = 0; x && j < 4; j++, rest /= 7)
            x[j] = logits[rest % 7];
    }
}

static void fill_cures(link_items *r)
{
    uint64_t seed = 9;
    for (int i = 0; i < (r->few ? 200 : 4096); i++) {
        uint32_t *x = item(r);
        if (!x)
            return;
        x[0] = i ? any(&seed) : 0x40a00000;
        for (int k = 0; k < TINY_CHANNELS; k++)
            x[1 + k] = i ? any(&seed) : shown[k];
        for (int k = 0; i % 8 == 5 && k <= TINY_CHANNELS; k++)
            x[k] -= 16u << 23; /* so small that a row's least scale exceeds its own */
    }
}

/* ---- what is right --------------------------------------------------------------------------- */

static uint32_t code_of(uint32_t q)
{
    return sf8_f32bits_to_e4m3(q, SF8_CUDA_SATFINITE);
}

static uint32_t stored(uint32_t x, uint32_t scale, int nosat)
{
    uint32_t code = sf8_f32bits_to_e4m3(sf8_f32_div(x, scale),
                                        nosat ? SF8_CUDA_NOSAT : SF8_CUDA_SATFINITE);
    return sf8_f32_mul(sf8_e4m3_to_f32bits((uint8_t)code), scale);
}

static void right_scale(const uint32_t *x, uint32_t *out)
{
    out[0] = sf8_f32_div(x[0], TWO_HUNDRED);
    out[1] = sf8_f32_mul(x[0], sf8_f32_div(SF8_F32_ONE, TWO_HUNDRED));
    out[2] = code_of(sf8_f32_div(x[0], out[0]));
    out[3] = code_of(sf8_f32_div(x[0], out[1]));
}

static void right_cast(const uint32_t *x, uint32_t *out)
{
    out[0] = sf8_f32_div(x[0], x[1]);
    out[1] = code_of(out[0]);
    out[2] = stored(x[0], x[1], 0);
    out[3] = stored(x[0], x[1], 1);
}

static void right_identical(const uint32_t *x, uint32_t *out)
{
    uint32_t scale = x[TINY_CHANNELS], largest = sf8_f32_mul(LARGEST, scale);
    out[0] = out[1] = out[3] = 0;
    out[2] = SF8_F32_INF;
    for (int i = 0; i < TINY_CHANNELS; i++) {
        uint32_t y = stored(x[i], scale, 0);
        out[0] += y == largest;
        out[1] += sf8_f32_is_nan(stored(x[i], scale, 1)) != 0;
        out[2] = sf8_f32_least(out[2], y);
        out[3] = sf8_f32_most(out[3], y);
    }
}

static void right_scan(const uint32_t *x, uint32_t *out)
{
    static const uint32_t eps[3] = {0x2b8cbccc, 0x358637bd, 0x3727c5ac};
    memset(out, 0, 4 * sizeof *out);
    for (uint32_t i = 0; i < 4096; i++) {
        uint32_t a = x[0] + i, v = sf8_f32_fma(a ^ 0x80000000u, a, sf8_f32_mul(a, a));
        if (sf8_f32_order(v) >= 0) /* if the argument is below 0 there is no root, whatever eps */
            continue;
        out[0]++;
        for (int k = 0; k < 3; k++)
            out[1 + k] += sf8_f32_order(sf8_f32_add(v, eps[k])) < 0;
    }
}

static void right_variance(const uint32_t *x, size_t n, uint32_t *out)
{
    static const sf8_order orders[3] = {SF8_ORDER_SEQUENTIAL, SF8_ORDER_WARP, SF8_ORDER_BLOCK};
    for (int i = 0; i < 12; i++)
        out[i] = sf8_f32_moments_n(orders[i / 4], i % 4, x, n).variance;
    out[12] = sf8_f32_moments_n(SF8_ORDER_TREE, SF8_FUSE_NONE, x, n).variance;
    out[13] = sf8_f32_moments_n(SF8_ORDER_TREE, SF8_FUSE_LAST, x, n).variance;
    out[14] = sf8_f32_moments_n(SF8_ORDER_WELFORD, SF8_FUSE_NONE, x, n).variance;
    out[15] = sf8_f32_moments_n(SF8_ORDER_WELFORD, SF8_FUSE_SUM, x, n).variance;
}

static void right_nan(const uint32_t *x, uint32_t *out)
{
    sf8_softmax row = sf8_f32_softmax_n(SF8_ORDER_SEQUENTIAL, out + 3, x, 4);
    out[0] = row.most;
    out[1] = row.sum;
    out[2] = row.lse;
    for (int skip = 0; skip < 2; skip++)
        sf8_f32_weighted_n(out + 7 + 2 * skip, out + 3, x + 4, 4, 2, skip);
    out[11] = sf8_f32_add(x[3], SF8_F32_NEG_INF);
    out[12] = sf8_f32_add(SF8_F32_ONE, out[7]);
}

static void right_cache(const uint32_t *x, uint32_t *out)
{
    uint32_t weight[4];
    for (int j = 0; j < 4; j++)
        out[j] = sf8_f32_mul(sf8_e4m3_to_f32bits((uint8_t)x[1 + j]), x[0]);
    sf8_f32_softmax_n(SF8_ORDER_SEQUENTIAL, weight, x + 5, 4);
    for (int skip = 0; skip < 2; skip++)
        sf8_f32_weighted_n(out + 4 + skip, weight, out, 4, 1, skip);
}

static void right_argmax(const uint32_t *x, uint32_t *out)
{
    out[0] = (uint32_t)sf8_f32_argmax(x, 4);
    out[1] = (uint32_t)sf8_f32_argmax_greater(x, 4, 0);
    out[2] = (uint32_t)sf8_f32_argmax_greater(x, 4, 2);
}

static void right_cures(const uint32_t *x, uint32_t *out)
{
    for (int way = 0; way < TINY_WAYS; way++, out += 2 * TINY_CHANNELS + 1) {
        tiny_answer a;
        tiny_run(&a, way, x[0], x + 1);
        memcpy(out, a.read, sizeof a.read);
        out[TINY_CHANNELS] = a.variance;
        memcpy(out + TINY_CHANNELS + 1, a.token, sizeof a.token);
    }
}

/* ---- a case ---------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*fill)(link_items *r);
    void (*right)(const uint32_t *x, uint32_t *out); /* NULL: of variances */
} links[] = {
    {"scale", fill_scale, right_scale},
    {"cast", fill_cast, right_cast},
    {"identical", fill_identical, right_identical},
    {"scan", fill_scan, right_scan},
    {"variance", fill_variance, NULL},
    {"nan", fill_nan, right_nan},
    {"cache", fill_cache, right_cache},
    {"argmax", fill_argmax, right_argmax},
    {"cures", fill_cures, right_cures},
};
enum { LINKS = sizeof links / sizeof links[0] };

static uint32_t any_nan(uint32_t word)
{
    return sf8_f32_is_nan(word) ? NAN_WORD : word;
}

static void compare(kernel_run *r, const link_items *d)
{
    const gpu_link *link = r->kernel;
    const size_t which = *(const size_t *)r->own, words = (size_t)link->out;
    uint32_t right[OUT_MOST];
    for (size_t i = 0; i < d->count; i++) {
        const uint32_t *x = d->in + d->n * i, *got = d->out + words * i;
        size_t k = 0;
        if (links[which].right)
            links[which].right(x, right);
        else
            right_variance(x, d->n, right);
        for (size_t w = 0; w < words; w++)
            digest_row(&r->hash, r->result->inputs + i, any_nan(got[w]));
        while (k < words && any_nan(got[k]) == any_nan(right[k]))
            k++;
        if (k == words)
            continue;
        if (r->result->differ++ == 0)
            snprintf(r->result->why, sizeof r->result->why,
                     "item %zu of %zu words, %08x %08x ...: word %zu is %08x, not %08x", i, d->n,
                     (unsigned)x[0], (unsigned)(d->n > 1 ? x[1] : 0), k, (unsigned)got[k],
                     (unsigned)right[k]);
        r->result->status = CONFORM_FAILED;
    }
    r->result->inputs += d->count;
}

static int open_link(kernel_run *r)
{
    const gpu_link *link = r->kernel;
    size_t *which = r->own;
    while (*which < LINKS && strcmp(links[*which].name, link->name) != 0)
        ++*which;
    return (*which < LINKS && link->out <= OUT_MOST) ||
           set_broken(r->result, "no link", link->name);
}

/* The number of words of an item. */
static int set_at(const kernel_run *r, size_t i, void *set)
{
    static const size_t sizes[] = {8, 31, 64, 128, 896, 1024, 1025, 4096, 5120, WORDS_MOST};
    const gpu_link *link = r->kernel;
    if (i >= (link->in ? 1 : sizeof sizes / sizeof sizes[0]))
        return SETS_END;
    *(size_t *)set = link->in ? (size_t)link->in : sizes[i];
    return SET_HASHED;
}

static const char *make(const kernel_run *r, const void *set, void *data)
{
    const gpu_link *link = r->kernel;
    link_items *d = data;
    *d = (link_items){.n = *(const size_t *)set, .few = r->emulated};
    links[*(const size_t *)r->own].fill(d);
    d->out = calloc(d->count ? d->count : 1, 4 * (size_t)link->out);
    return d->out && d->count ? NULL : "not enough memory for the items";
}

static void unmake(void *data)
{
    const link_items *d = data;
    free(d->in);
    free(d->out);
}

static const char *launch(kernel_run *r, const void *set, void *data, int hashed)
{
    const link_items *d = data;
    const char *wrong = gpu_link_run(r->kernel, d->n, d->in, d->out, d->count);
    (void)set, (void)hashed;
    if (!wrong)
        compare(r, d);
    return wrong;
}

static void close(kernel_run *r)
{
    r->result->seconds = seconds_now() - r->began;
}

KERNEL_LIST(list, gpu_links)

const kernel_family chain_kernels = {.list = list,
                                     KERNEL_TYPES(gpu_link, size_t, size_t, link_items),
                                     .open = open_link,
                                     .set_at = set_at,
                                     .make = make,
                                     .free = unmake,
                                     .launch = launch,
                                     .close = close};
