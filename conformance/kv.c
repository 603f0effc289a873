/* SPDX-License-Identifier: MIT */
/* kv.c -- a kernel of KV caches run over its sets, every byte that came held against the library */
#include "kv.h"

#include <stdlib.h>
#include <string.h>

enum { TIMES = 21 };

typedef struct kv_case_run {
    kv_subject s;
    const gpu_device *device;
    conform_result *result;
    sf8_sha256 hash; /* of what came */
    uint64_t hashed; /* elements of the sets in it */
    char speed[CONFORM_TEXT];
} kv_case_run;

/* ---- one set --------------------------------------------------------------------------------- */

/* Counts the bytes that differ, and says where the first does. */
static void compare(kv_case_run *r, const kv_set *set, const char *what, const uint8_t *came,
                    const uint8_t *right, size_t bytes)
{
    conform_result *result = r->result;
    for (size_t i = 0; i < bytes; i++) {
        if (came[i] == right[i])
            continue;
        if (result->differ++ == 0)
            snprintf(result->why, sizeof result->why,
                     "%zu tokens, %zu heads of %zu, blocks of %zu, g %08x, set %u: byte %zu of the "
                     "%s is %02x, not %02x",
                     set->tokens, set->heads, set->dim, set->slots, (unsigned)set->g,
                     (unsigned)set->seed, i, what, came[i], right[i]);
        result->status = CONFORM_FAILED;
    }
}

typedef struct kv_came {
    unsigned char *tensor, *tail;
    uint8_t *image, *scales;
} kv_came;

static unsigned char *copy_of(const unsigned char *from, size_t bytes)
{
    unsigned char *to = malloc(bytes + 1);
    if (to)
        memcpy(to, from, bytes);
    return to;
}

static gpu_kv call_of(const kv_case_run *r, const kv_set *set, const kv_arrays *a,
                      const kv_came *came)
{
    gpu_kv b;
    memset(&b, 0, sizeof b);
    b.kernel = r->s.kernel;
    b.layout = &a->layout;
    b.tokens = set->tokens;
    b.slots = a->slot;
    b.g = a->g;
    b.g_count = a->g_count;
    b.tensor = came->tensor;
    b.tail = came->tail;
    b.tensor_bytes = a->tensor_bytes;
    b.tail_bytes = a->tail_bytes;
    b.token_stride = a->token_stride;
    b.head_stride = a->head_stride;
    b.tail_stride = (size_t)a->layout.tail;
    b.image = came->image;
    b.scales = came->scales;
    b.image_bytes = a->image_bytes;
    b.scale_bytes = a->scale_bytes;
    b.tensor_skew = set->skew * kv_width(&r->s);
    b.image_skew = set->image_skew;
    return b;
}

/* What the hash gets: of a store the image and scales, of a gather words. */
static void add_hash(kv_case_run *r, const kv_arrays *a, const kv_came *c)
{
    if (r->s.kernel->back) {
        sf8_sha256_add(&r->hash, c->tensor, a->tensor_bytes);
        sf8_sha256_add(&r->hash, c->tail, a->tail_bytes);
    } else {
        sf8_sha256_add(&r->hash, c->image, a->image_bytes);
        sf8_sha256_add(&r->hash, c->scales, a->scale_bytes);
    }
}

/* One launch; with `times` more of them are timed. */
static const char *launch(kv_case_run *r, const kv_set *set, const kv_arrays *a, int again,
                          int times, double *seconds)
{
    kv_came came = {copy_of(a->tensor, a->tensor_bytes), copy_of(a->tail, a->tail_bytes),
                    copy_of(a->image, a->image_bytes), copy_of(a->scales, a->scale_bytes)};
    const char *wrong = "no memory for a set";
    if (came.tensor && came.tail && came.image && came.scales) {
        gpu_kv b = call_of(r, set, a, &came);
        b.times = times;
        wrong = gpu_kv_run(&b, seconds);
    }
    if (!wrong) {
        compare(r, set, "tensor", came.tensor, a->right_tensor, a->tensor_bytes);
        compare(r, set, "tail", came.tail, a->right_tail, a->tail_bytes);
        compare(r, set, "image", came.image, a->right_image, a->image_bytes);
        compare(r, set, "scales", came.scales, a->right_scales, a->scale_bytes);
        if (!set->extra && !again)
            add_hash(r, a, &came);
    }
    free(came.tensor);
    free(came.tail);
    free(came.image);
    free(came.scales);
    return wrong;
}

/* All launches of a set give the same, for all give what is right. */
static const char *try_set(kv_case_run *r, const kv_set *set, int launches)
{
    kv_arrays a;
    double seconds = 0;
    const char *wrong = kv_arrays_make(&a, &r->s, set);
    for (int i = 0; i < launches && !wrong; i++) {
        wrong = launch(r, set, &a, i > 0, 0, &seconds);
        r->result->inputs += set->tokens * set->heads * set->dim;
    }
    if (!set->extra)
        r->hashed += set->tokens * set->heads * set->dim;
    kv_arrays_free(&a);
    return wrong;
}

/* ---- speed ----------------------------------------------------------------------------------- */

/* What a launch reads and writes. */
static double bytes_of(const kv_arrays *a, const kv_subject *s, const kv_set *set)
{
    double tokens = 0, row = (double)(set->heads * set->dim);
    for (size_t i = 0; i < set->tokens; i++)
        tokens += a->slot[i] >= 0 && (uint64_t)a->slot[i] < a->layout.blocks * a->layout.slots;
    double scales = s->given ? 0 : row / (double)a->layout.group * (double)a->layout.scale_bits / 8;
    return tokens * (row * (double)kv_width(s) + row * s->kernel->bits / 8 + scales +
                     2.0 * (double)a->layout.tail * a->layout.tail_bits / 8) +
           8.0 * (double)set->tokens;
}

/* How long a kernel takes for the tokens of a set; `in_order`: to slots 0, 1, ... */
static const char *time_kernel(const kv_case_run *r, const gpu_kv_kernel *kernel, const kv_set *set,
                               int in_order, int times, double *seconds)
{
    kv_case_run other = *r;
    kv_arrays a;
    if (!kv_subject_of(&other.s, kernel, KV_NHD))
        return "no kernel to measure";
    const char *wrong = kv_arrays_make(&a, &other.s, set);
    for (size_t i = 0; i < set->tokens && in_order && !wrong; i++)
        a.slot[i] = (int64_t)i;
    kv_came here = {a.tensor, a.tail, a.image, a.scales};
    gpu_kv b = call_of(&other, set, &a, &here);
    b.times = times;
    if (!wrong)
        wrong = gpu_kv_run(&b, seconds);
    kv_arrays_free(&a);
    return wrong;
}

static const gpu_kv_kernel *copy_kernel(size_t bits)
{
    size_t count;
    const gpu_kv_kernel *k = gpu_kv_kernels(&count);
    for (size_t i = 0; i < count; i++)
        if (!k[i].tensor && !k[i].back && (size_t)k[i].bits == bits)
            return &k[i];
    return NULL;
}

/* Where a store is three launches: words clamped, then cast, then put to their places. */
static const char *measure_unfused(const kv_case_run *r, const kv_set *set, int times,
                                   double *seconds)
{
    double clamp = 0, cast = 0, scatter = 0;
    size_t words = set->tokens * set->heads * set->dim;
    const char *wrong = gpu_kv_clamp_run(r->s.kernel->tensor, words * kv_width(&r->s) / 16 * 16,
                                         times, &clamp);
    if (!wrong)
        wrong = time_kernel(r, r->s.kernel, set, 1, times, &cast);
    if (!wrong)
        wrong = time_kernel(r, copy_kernel(8), set, 0, times, &scatter);
    *seconds = clamp + cast + scatter;
    return wrong;
}

/* 16,384 tokens, four fifths of them with a slot; here a few, so that the way is tried. */
static const char *measure(kv_case_run *r)
{
    kv_set set = {KV_SEEDED, 16384, 1025, 16, 8, 128, 0, 0, 0, 0, 0x3d4ccccd, 0xa5, 4711, 1};
    kv_arrays a;
    double took = 0, copy = 0, raw = 0, three = 0;
    int times = r->device->emulated ? 1 : TIMES;
    int fuses = r->s.given && !r->s.copies && !r->s.kernel->back;
    if (r->device->emulated) {
        set.tokens = 8;
        set.blocks = 2;
    }
    if (r->s.place == KV_DS_MLA || r->s.place == KV_INDEXER) {
        set.heads = 1;
        set.dim = r->s.place == KV_DS_MLA ? 512 : 128;
    }
    const char *wrong = kv_arrays_make(&a, &r->s, &set);
    if (!wrong)
        wrong = launch(r, &set, &a, 1, times, &took);
    double bytes = wrong ? 0 : bytes_of(&a, &r->s, &set);
    kv_arrays_free(&a);
    if (!wrong)
        wrong = gpu_copy_run((uint64_t)(bytes / 32) * 16, times, &copy);
    if (!wrong && !r->s.kernel->back)
        wrong = time_kernel(r, copy_kernel(8 * kv_width(&r->s)), &set, 0, times, &raw);
    if (!wrong && fuses)
        wrong = measure_unfused(r, &set, times, &three);
    r->result->seconds += took;
    if (wrong || r->device->emulated || took <= 0 || copy <= 0)
        return wrong;
    int used = snprintf(r->speed, sizeof r->speed,
                        "%zu tokens in %.1f us, %.2f TB/s; a copy %.2f TB/s: %.0f %%", set.tokens,
                        took * 1e6, bytes / took * 1e-12, bytes / copy * 1e-12, 100 * copy / took);
    if (raw > 0)
        used += snprintf(r->speed + used, sizeof r->speed - (size_t)used,
                         "; words as they are %.1f us", raw * 1e6);
    if (fuses)
        snprintf(r->speed + used, sizeof r->speed - (size_t)used, "; by three launches %.1f us",
                 three * 1e6);
    return NULL;
}

/* ---- a case ---------------------------------------------------------------------------------- */

static int open_run(kv_case_run *r, const conform_case *c, conform_result *result)
{
    size_t count;
    const gpu_kv_kernel *k = gpu_kv_kernels(&count);
    memset(r, 0, sizeof *r);
    r->result = result;
    sf8_sha256_begin(&r->hash);
    result->status = CONFORM_PASSED;
    for (size_t i = 0; i < count; i++)
        if (strcmp(k[i].name, c->subject) == 0 && kv_subject_of(&r->s, &k[i], (kv_place)c->rbits))
            return 1;
    set_broken(result, "no kernel", c->subject);
    return 0;
}

/* A set that has all: several blocks, heads, tokens that are passed over. */
enum { AGAIN = 2 };

void kv_run(const conform_case *c, const gpu_device *device, conform_tier tier,
            conform_result *result, char **record)
{
    kv_case_run r;
    kv_set set;
    const char *wrong = NULL;
    int launches = tier == TIER_QUICK ? 3 : 100;
    if (!open_run(&r, c, result))
        return;
    r.device = device;
    for (size_t i = 0; !wrong && kv_set_at(&r.s, tier, i, &set); i++)
        wrong = try_set(&r, &set, i == AGAIN ? launches : 1);
    sf8_sha256_end(&r.hash, result->digest);
    if (!wrong)
        wrong = measure(&r);
    if (result->differ > result->inputs)
        result->differ = result->inputs;
    if (wrong)
        set_broken(result, "the device:", wrong);
    else if (record)
        *record = record_digest_text(c, result, r.hashed);
    if (result->status == CONFORM_PASSED)
        snprintf(result->why, sizeof result->why, "%s", r.speed);
}

void kv_replay(const conform_case *c, const record_case *record, conform_result *result)
{
    kv_case_run r;
    kv_set set;
    kv_arrays a;
    if (!open_run(&r, c, result))
        return;
    for (size_t i = 0; kv_set_at(&r.s, TIER_QUICK, i, &set); i++) {
        const char *wrong = kv_arrays_make(&a, &r.s, &set);
        kv_came right = {a.right_tensor, a.right_tail, a.right_image, a.right_scales};
        if (!wrong)
            add_hash(&r, &a, &right);
        kv_arrays_free(&a);
        if (wrong) {
            set_broken(result, "the library:", wrong);
            return;
        }
        result->inputs += set.tokens * set.heads * set.dim;
    }
    sf8_sha256_end(&r.hash, result->digest);
    if (result->inputs != record->inputs) {
        result->status = CONFORM_STALE;
        snprintf(result->why, sizeof result->why, "the suite has other tokens now");
    } else if (strcmp(result->digest, record->digest) != 0) {
        result->status = CONFORM_FAILED;
        result->differ = 1; /* so much at least */
        snprintf(result->why, sizeof result->why, "what came has the digest %s", record->digest);
    }
}
