/* SPDX-License-Identifier: MIT */
/* kv.c -- a kernel of KV caches run over its sets, with every byte of the results compared */
#include "families/kv/kv.h"
#include "softfp8/sha256.h"

#include <stdlib.h>
#include <string.h>

typedef struct kv_case_run {
    kv_subject s;
    const gpu_device *device;
    conform_result *result;
    sf8_sha256 hash; /* the digest of the results */
    uint64_t hashed; /* the elements of the sets that it includes */
} kv_case_run;

/* ---- one set --------------------------------------------------------------------------------- */

/* Counts the bytes that differ, and reports where the first one does. */
static void compare(kv_case_run *r, const kv_set *set, const char *what, const uint8_t *came,
                    const uint8_t *right, size_t bytes)
{
    conform_result *result = r->result;
    size_t all = memcmp(came, right, bytes) == 0 ? 0 : bytes;
    for (size_t i = 0; i < all; i++) {
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

static unsigned char *copy_of(const unsigned char *from, size_t bytes)
{
    unsigned char *to = malloc(bytes + 1);
    if (to)
        memcpy(to, from, bytes);
    return to;
}

static const char *const array_names[GPU_KV_ARRAYS] = {"tensor", "tail", "image", "scales"};

/* If the number of writes to each byte is known: it must be once, or never. */
static const char *compare_writes(kv_case_run *r, const kv_set *set, const kv_arrays *a,
                                  unsigned char *const times[GPU_KV_ARRAYS])
{
    unsigned char *right[GPU_KV_ARRAYS] = {NULL};
    int good = 1;
    for (int k = 0; k < GPU_KV_ARRAYS; k++)
        good &= (right[k] = calloc(kv_array_bytes(a, k) + 1, 1)) != NULL;
    if (good)
        kv_expected_writes(a, &r->s, set, right);
    for (int k = 0; k < GPU_KV_ARRAYS && good; k++) {
        char what[64];
        snprintf(what, sizeof what, "%s, written", array_names[k]);
        compare(r, set, what, times[k], right[k], kv_array_bytes(a, k));
    }
    for (int k = 0; k < GPU_KV_ARRAYS; k++)
        free(right[k]);
    return good ? NULL : "not enough memory for a set";
}

/* What is hashed: of a store the image and scales, of a gather the elements. */
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

/* Everything is copied back from the device and compared; after a store the tensor too. */
static const char *launch_into(kv_case_run *r, const kv_set *set, const kv_arrays *a, int again,
                               const kv_came *came, unsigned char *const times[GPU_KV_ARRAYS])
{
    double seconds;
    gpu_kv b = kv_call_of(&r->s, set, a, came);
    for (int k = 0; k < GPU_KV_ARRAYS; k++)
        b.writes[k] = times[k];
    const char *wrong = gpu_kv_run(&b, &seconds);
    if (wrong)
        return wrong;
    pretend_answer(r->device, came->tensor, a->right_tensor, a->tensor_bytes);
    pretend_answer(r->device, came->tail, a->right_tail, a->tail_bytes);
    pretend_answer(r->device, came->image, a->right_image, a->image_bytes);
    pretend_answer(r->device, came->scales, a->right_scales, a->scale_bytes);
    compare(r, set, "tensor", came->tensor, a->right_tensor, a->tensor_bytes);
    compare(r, set, "tail", came->tail, a->right_tail, a->tail_bytes);
    compare(r, set, "image", came->image, a->right_image, a->image_bytes);
    compare(r, set, "scales", came->scales, a->right_scales, a->scale_bytes);
    if (!set->extra && !again)
        add_hash(r, a, came);
    return r->device->emulated ? compare_writes(r, set, a, times) : NULL;
}

static const char *launch(kv_case_run *r, const kv_set *set, const kv_arrays *a, int again)
{
    kv_came came = {copy_of(a->tensor, a->tensor_bytes), copy_of(a->tail, a->tail_bytes),
                    copy_of(a->image, a->image_bytes), copy_of(a->scales, a->scale_bytes)};
    unsigned char *times[GPU_KV_ARRAYS] = {NULL};
    int good = came.tensor && came.tail && came.image && came.scales;
    for (int k = 0; k < GPU_KV_ARRAYS; k++)
        good &= (times[k] = calloc(kv_array_bytes(a, k) + 1, 1)) != NULL;
    const char *wrong = good ? launch_into(r, set, a, again, &came, times)
                             : "not enough memory for a set";
    free(came.tensor);
    free(came.tail);
    free(came.image);
    free(came.scales);
    for (int k = 0; k < GPU_KV_ARRAYS; k++)
        free(times[k]);
    return wrong;
}

/* All launches of a set return the same, since all return what is right. */
static const char *try_set(kv_case_run *r, const kv_set *set, int launches)
{
    kv_arrays a;
    const char *wrong = kv_arrays_make(&a, &r->s, set);
    for (int i = 0; i < launches && !wrong; i++) {
        wrong = launch(r, set, &a, i > 0);
        r->result->inputs += set->tokens * set->heads * set->dim;
    }
    if (!set->extra)
        r->hashed += set->tokens * set->heads * set->dim;
    kv_arrays_free(&a);
    return wrong;
}

/* ---- a case ---------------------------------------------------------------------------------- */

static int open_run(kv_case_run *r, const conform_case *c, conform_result *result)
{
    size_t count;
    const gpu_kv_kernel *list = gpu_kv_kernels(&count);
    memset(r, 0, sizeof *r);
    r->result = result;
    const gpu_kv_kernel *k = begin_run(c->subject, list, count, sizeof *list, &r->hash, result);
    return k && (kv_subject_of(&r->s, k, (kv_place)c->rbits) ||
                 set_broken(result, "no kernel", c->subject));
}

/* Stores the same tokens repeatedly: on a GPU often, and enough to keep all of it busy. */
static const char *try_again(kv_case_run *r, conform_tier tier)
{
    kv_set set;
    int few = r->device->emulated && tier == TIER_QUICK;
    kv_set_again(&r->s, r->device->emulated ? 40 : 1000, &set);
    return try_set(r, &set, few ? 3 : 100);
}

static void run_timed(const conform_job *j, const kv_case_run *r)
{
    conform_result *result = j->result;
    const char *wrong = kv_measure(&r->s, j->device, result->speed, &result->speeds);
    record_speeds(j, wrong);
    if (result->status == CONFORM_PASSED)
        kv_speed_text(result->why, sizeof result->why, result->speed, result->speeds);
}

void kv_run(const conform_job *j)
{
    kv_case_run r;
    kv_set set;
    const char *wrong = NULL;
    conform_result *result = j->result;
    const gpu_device *device = j->device;
    const conform_tier tier = j->o->tier;
    if (!open_run(&r, j->c, result))
        return;
    r.device = device;
    if (conform_is_timed(j->c, j->part)) {
        run_timed(j, &r);
        return;
    }
    size_t words = kv_word_sets(&r.s, tier, device->emulated);
    for (size_t i = 0; !wrong && kv_set_at(&r.s, words, i, &set); i++)
        wrong = try_set(&r, &set, 1);
    sf8_sha256_end(&r.hash, result->digest);
    if (!wrong)
        wrong = try_again(&r, tier);
    if (result->differ > result->inputs)
        result->differ = result->inputs;
    if (wrong)
        set_broken(result, "the device:", wrong);
    else
        record_digest(j, r.s.kernel->group, r.hashed);
}

void kv_replay(const conform_job *j)
{
    kv_case_run r;
    kv_set set;
    kv_arrays a;
    conform_result *result = j->result;
    const record_case *record = j->c->record;
    if (!open_run(&r, j->c, result))
        return;
    if (strcmp(record->group, r.s.kernel->group) != 0) {
        result->status = CONFORM_STALE;
        snprintf(result->why, sizeof result->why, "its kernel was one of the group %s, now of %s",
                 record->group, r.s.kernel->group);
        return;
    }
    size_t words = kv_word_sets(&r.s, TIER_QUICK, 1);
    for (size_t i = 0; kv_set_at(&r.s, words, i, &set); i++) {
        if (set.extra)
            continue;
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
    if (record_agrees(j, "tokens")) {
        result->speeds = record->speeds;
        kv_speed_text(result->why, sizeof result->why, record->speed, record->speeds);
    }
}
