/* SPDX-License-Identifier: MIT */
/* speed.c -- how long kernels of attention take, compared with a copy of the bytes that they read,
 * with chunks joined in any order, and with a prefix that is not shared */
#include "families/attend/device.h"

#include <string.h>

enum { TIMES = 21, REQUESTS = 64, KEYS = 8192, LONG = 131072, GOAL = 70 };

static uint64_t nanoseconds(double seconds)
{
    return (uint64_t)(seconds * 1e9 + 0.5);
}

/* 64 query heads on 8 of 128; a prefix of `prefix` chunks. */
static void timed_set(attend_set *set, size_t requests, size_t keys, size_t prefix, int emulated)
{
    memset(set, 0, sizeof *set);
    set->count = emulated ? 2 : requests;
    set->keys = emulated ? (prefix ? 192 : 70) : keys;
    set->prefix = emulated && prefix ? 2 : prefix;
    set->queries = 1;
    set->heads = emulated ? 8 : 64;
    set->kv_heads = emulated ? 1 : 8;
    set->dim = 128;
    set->slots = 16;
    set->left = -1;
    set->q_words = set->out_words = SF8_BF16;
    set->repeated = 1;
}

/* The bytes of keys and values; those of a shared prefix count once. */
static uint64_t bytes_read(const attend_batch *b, const attend_set *set)
{
    const sf8_kv_layout *l = &b->request[0].k.image.layout;
    uint64_t keys = set->prefix * SF8_ATTEND_CHUNK, row = set->kv_heads * set->dim * l->bits / 8;
    for (size_t i = 0; i < set->count; i++)
        keys += b->request[i].keys - set->prefix * SF8_ATTEND_CHUNK;
    if (l->scales != SF8_KV_SCALES_GIVEN)
        row += sf8_kv_scale_heads(l) * sf8_kv_scale_columns(l) * l->scale_bits / 8;
    return 2 * keys * row;
}

/* A batch whose caches stay on the device: gigabytes, which are copied there once. */
typedef struct timed_batch {
    attend_batch batch;
    gpu_attend_images images;
} timed_batch;

static const char *time_one(const gpu_attend_kernel *k, timed_batch *t, const attend_set *set,
                            size_t shared, size_t free_splits, int times, double *seconds)
{
    gpu_attend g;
    memset(&g, 0, sizeof g);
    g.kernel = k;
    g.unit = t->batch.model;
    g.requests = t->batch.request;
    g.images = &t->images;
    g.count = set->count;
    g.splits = free_splits ? free_splits : 1;
    g.shared = shared;
    g.free_order = free_splits > 0;
    g.times = times;
    return gpu_attend_run(&g, seconds);
}

/* Pieces of any chunks, as many for a request as are fastest. */
static const char *time_any_order(const gpu_attend_kernel *k, timed_batch *t, const attend_set *set,
                                  int times, double *seconds)
{
    static const size_t splits[] = {1, 2, 3, 4, 5, 6, 8, 11, 16, 24, 32, 48, 64, 96, 128};
    const char *wrong = NULL;
    for (size_t i = 0; i < sizeof splits / sizeof splits[0] && !wrong; i++) {
        double now = 0;
        if (splits[i] * SF8_ATTEND_CHUNK > set->keys && i > 0)
            break;
        wrong = time_one(k, t, set, 0, splits[i], times, &now);
        *seconds = i == 0 || now < *seconds ? now : *seconds;
    }
    return wrong;
}

/* The kernel for the same cache and sums that processes fewer rows, as a single request has. */
static const gpu_attend_kernel *for_one(const gpu_attend_kernel *k)
{
    size_t count;
    const gpu_attend_kernel *list = gpu_attends(&count);
    for (size_t i = 0; i < count; i++)
        if (list[i].rows == 8 && strcmp(list[i].cache, k->cache) == 0 &&
            strcmp(list[i].sums, k->sums) == 0)
            return &list[i];
    return k;
}

/* Each request with its own prefix, by the kernel that is best for that; the bits are the same. */
static const char *time_apart(const gpu_attend_kernel *k, timed_batch *t, const attend_set *set,
                              int times, double *seconds)
{
    attend_batch *b = &t->batch;
    memcpy(b->right, b->out, b->out_bytes);
    memcpy(b->right_lse, b->lse, b->rows * 4);
    const char *wrong = time_one(for_one(k), t, set, 0, 0, times, seconds);
    if (!wrong && (memcmp(b->right, b->out, b->out_bytes) != 0 ||
                   memcmp(b->right_lse, b->lse, b->rows * 4) != 0))
        return "other bits where the prefix is shared";
    return wrong;
}

static const char *measure(const gpu_attend_kernel *k, const attend_set *set, int times,
                           conform_speed *speed)
{
    timed_batch t;
    attend_batch *b = &t.batch;
    double took = 0, copy = 0, any_order = 0, apart = 0;
    memset(speed, 0, sizeof *speed);
    memset(&t.images, 0, sizeof t.images);
    const char *wrong = attend_batch_make(b, k, set, 0);
    if (!wrong)
        wrong = time_one(k, &t, set, set->prefix, 0, times, &took);
    if (!wrong)
        wrong = set->prefix ? time_apart(k, &t, set, times, &apart)
                            : time_any_order(k, &t, set, times, &any_order);
    const char *freed = gpu_attend_images_free(&t.images);
    wrong = wrong ? wrong : freed;
    if (!wrong) {
        speed->tokens = set->count * set->keys;
        speed->bytes = bytes_read(b, set);
        /* half of it is read, half is written */
        wrong = gpu_copy_run(speed->bytes / 32 * 16, 0, times, &copy);
    }
    attend_batch_free(b);
    speed->took = nanoseconds(took);
    speed->copy = nanoseconds(copy);
    speed->as_they_are = nanoseconds(any_order);
    speed->three = nanoseconds(apart);
    return wrong;
}

/* Few rows: a batch, and one long request. Many: a batch with a prefix. */
const char *attend_measure(const gpu_attend_kernel *k, const gpu_device *device, int torch,
                           conform_speed speed[CONFORM_SPEEDS], size_t *count)
{
    const int times = device->emulated ? 1 : TIMES;
    double by_torch;
    attend_set set;
    const char *wrong;
    *count = 0;
    if (k->rows > 8) {
        timed_set(&set, REQUESTS, KEYS + SF8_ATTEND_CHUNK, KEYS / SF8_ATTEND_CHUNK,
                  device->emulated);
        return measure(k, &set, times, &speed[(*count)++]);
    }
    timed_set(&set, REQUESTS, KEYS, 0, device->emulated);
    wrong = measure(k, &set, times, &speed[(*count)++]);
    if (wrong || device->emulated)
        return wrong;
    if (torch && !attend_torch_seconds(&set, &by_torch))
        speed[0].three = nanoseconds(by_torch);
    timed_set(&set, 1, LONG, 0, 0);
    return measure(k, &set, times, &speed[(*count)++]);
}

/* ---- words ----------------------------------------------------------------------------------- */

static size_t append(char *text, size_t size, size_t used, const char *form, double x)
{
    int n = used < size ? snprintf(text + used, size - used, form, x) : 0;
    return used + (n > 0 ? (size_t)n : 0);
}

void attend_speed_text(char *text, size_t size, const conform_speed *speed, size_t count)
{
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; i < count; i++) {
        const conform_speed *v = &speed[i];
        if (v->took == 0 || v->copy == 0 || used >= size)
            return;
        uint64_t share = 100 * v->copy / v->took; /* 69.9 counts as 69, not 70 */
        used += (size_t)snprintf(text + used, size - used,
                                 "%s%llu keys: %.1f us, %.2f TB/s", i ? "; " : "",
                                 (unsigned long long)v->tokens, (double)v->took * 1e-3,
                                 (double)v->bytes / (double)v->took * 1e-3);
        /* the prefix stays in the caches of the device, and so would a copy of it */
        const int prefix = v->as_they_are == 0 && v->three > 0;
        if (!prefix && used < size)
            used += (size_t)snprintf(text + used, size - used, ", %llu %% of a copy (goal %d)",
                                     (unsigned long long)share, GOAL);
        if (v->as_they_are > 0)
            used = append(text, size, used, ", %.3f of the time in any order (goal 1.05)",
                          (double)v->took / (double)v->as_they_are);
        if (v->as_they_are > 0 && i == 0)
            used = append(text, size, used,
                          v->three > 0 ? ", PyTorch over bf16 %.1f us" : ", no PyTorch beside it",
                          (double)v->three * 1e-3);
        else if (v->three > 0)
            used = append(text, size, used,
                          ", %.2f times as fast as with each its own prefix (goal 4)",
                          (double)v->three / (double)v->took);
    }
}
