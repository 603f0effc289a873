/* SPDX-License-Identifier: MIT */
/* kv.c -- cases: the kernels of KV caches, with every byte of the results compared */
#include "base/memory.h"
#include "families/kv/kv.h"

#include "suite/compare.h"

#include <stdlib.h>
#include <string.h>

static const kv_subject *subject_of(const kernel_run *r)
{
    return r->own;
}

/* ---- one set --------------------------------------------------------------------------------- */

/* Counts the bytes that differ, and reports where the first one does. */
static void compare(kernel_run *r, const kv_set *set, const char *what, const uint8_t *came,
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
    return memcpy(allocate(bytes, 1), from, bytes);
}

static const char *const array_names[GPU_KV_ARRAYS] = {"tensor", "tail", "image", "scales"};

/* If the number of writes to each byte is known: it must be once, or never. */
static void compare_writes(kernel_run *r, const kv_set *set, const kv_arrays *a,
                           unsigned char *const times[GPU_KV_ARRAYS])
{
    unsigned char *right[GPU_KV_ARRAYS] = {NULL};
    for (int k = 0; k < GPU_KV_ARRAYS; k++)
        right[k] = allocate(kv_array_bytes(a, k), 1);
    kv_expected_writes(a, subject_of(r), set, right);
    for (int k = 0; k < GPU_KV_ARRAYS; k++) {
        char what[64];
        snprintf(what, sizeof what, "%s, written", array_names[k]);
        compare(r, set, what, times[k], right[k], kv_array_bytes(a, k));
    }
    for (int k = 0; k < GPU_KV_ARRAYS; k++)
        free(right[k]);
}

/* What is hashed: of a store the image and scales, of a gather the elements. */
static void add_hash(kernel_run *r, const kv_arrays *a, const kv_came *c)
{
    if (subject_of(r)->kernel->back) {
        sf8_sha256_add(&r->hash, c->tensor, a->tensor_bytes);
        sf8_sha256_add(&r->hash, c->tail, a->tail_bytes);
    } else {
        sf8_sha256_add(&r->hash, c->image, a->image_bytes);
        sf8_sha256_add(&r->hash, c->scales, a->scale_bytes);
    }
}

/* Everything is copied back from the device and compared; after a store the tensor too. */
static const char *launch_into(kernel_run *r, const kv_set *set, const kv_arrays *a, int hashed,
                               const kv_came *came, unsigned char *const times[GPU_KV_ARRAYS])
{
    double seconds;
    gpu_kv b = kv_call_of(subject_of(r), set, a, came);
    for (int k = 0; k < GPU_KV_ARRAYS; k++)
        b.writes[k] = times[k];
    const char *wrong = gpu_kv_run(&b, &seconds);
    if (wrong)
        return wrong;
    compare(r, set, "tensor", came->tensor, a->right_tensor, a->tensor_bytes);
    compare(r, set, "tail", came->tail, a->right_tail, a->tail_bytes);
    compare(r, set, "image", came->image, a->right_image, a->image_bytes);
    compare(r, set, "scales", came->scales, a->right_scales, a->scale_bytes);
    if (hashed)
        add_hash(r, a, came);
    if (r->device->emulated)
        compare_writes(r, set, a, times);
    return NULL;
}

static const char *launch_set(kernel_run *r, const kv_set *set, const kv_arrays *a, int hashed)
{
    kv_came came = {copy_of(a->tensor, a->tensor_bytes), copy_of(a->tail, a->tail_bytes),
                    copy_of(a->image, a->image_bytes), copy_of(a->scales, a->scale_bytes)};
    unsigned char *times[GPU_KV_ARRAYS] = {NULL};
    for (int k = 0; k < GPU_KV_ARRAYS; k++)
        times[k] = allocate(kv_array_bytes(a, k), 1);
    const char *wrong = launch_into(r, set, a, hashed, &came, times);
    free(came.tensor);
    free(came.tail);
    free(came.image);
    free(came.scales);
    for (int k = 0; k < GPU_KV_ARRAYS; k++)
        free(times[k]);
    return wrong;
}

/* ---- sets ------------------------------------------------------------------------------------ */

static uint64_t elements_of(const kv_set *set)
{
    return set->tokens * set->heads * set->dim;
}

static int set_at(const kernel_run *r, size_t i, void *data)
{
    kv_set *set = data;
    size_t words = kv_word_sets(subject_of(r), r->tier, r->emulated);
    if (!kv_set_at(subject_of(r), words, i, set))
        return SETS_END;
    return set->extra ? SET_EXTRA : SET_HASHED;
}

static const char *make(const kernel_run *r, const void *set, void *data)
{
    return kv_arrays_make(data, subject_of(r), set);
}

static const char *launch(kernel_run *r, const void *set, void *data, int hashed)
{
    r->result->inputs += elements_of(set);
    r->hashed += hashed ? elements_of(set) : 0;
    return launch_set(r, set, data, hashed);
}

static const char *right(kernel_run *r, const void *set, void *data)
{
    const kv_arrays *a = data;
    const kv_came right = {a->right_tensor, a->right_tail, a->right_image, a->right_scales};
    add_hash(r, a, &right);
    r->hashed += elements_of(set);
    return NULL;
}

/* Stores the same tokens repeatedly: on a GPU often, and enough to keep all of it busy. All
 * launches return the same, since all return what is right. */
static const char *try_again(kernel_run *r)
{
    kv_set set;
    kv_arrays a;
    conform_result *result = r->result;
    const int times = r->emulated && r->tier == TIER_QUICK ? 3 : 100;
    kv_set_again(subject_of(r), r->emulated ? 40 : 1000, &set);
    const char *wrong = kv_arrays_make(&a, subject_of(r), &set);
    for (int i = 0; i < times && !wrong; i++)
        wrong = launch(r, &set, &a, 0);
    kv_arrays_free(&a);
    if (result->differ > result->inputs)
        result->differ = result->inputs;
    return wrong;
}

/* ---- the family ------------------------------------------------------------------------------ */

static int open_subject(kernel_run *r)
{
    const gpu_kv_kernel *k = r->kernel;
    r->group = k->group;
    return kv_subject_of(r->own, k, (kv_place)r->job->c->rbits) ||
           set_broken(r->result, "no kernel", k->name);
}

static const char *measure(kernel_run *r)
{
    return kv_measure(subject_of(r), r->device, r->result->speed, &r->result->speeds);
}

static void say(const kernel_run *r, const conform_speed *speed, size_t count)
{
    kv_speed_text(r->result->why, sizeof r->result->why, speed, count);
}

KERNEL_LIST(list, gpu_kv_kernels)

static const kernel_family kernels = {.counts = "tokens",
                                      .list = list,
                                      KERNEL_TYPES(gpu_kv_kernel, kv_subject, kv_set, kv_arrays),
                                      .open = open_subject,
                                      .set_at = set_at,
                                      .make = make,
                                      .free = kv_arrays_free,
                                      .launch = launch,
                                      .right = right,
                                      .more = try_again,
                                      .measure = measure,
                                      .say = say};

/* Each kernel by each layout that it takes. */
static void cases(case_list *list_of)
{
    size_t count;
    const gpu_kv_kernel *k = gpu_kv_kernels(&count);
    for (size_t i = 0; i < count; i++)
        for (uint32_t place = 0; place < KV_PLACES; place++) {
            const conform_case c = {.subject = k[i].name, .rbits = place};
            if (kv_takes(&k[i], (kv_place)place))
                case_list_add(list_of, c, "%s/%s", k[i].name, kv_places[place]);
        }
}

const conform_family kv_family = {.name = "kv",
                                  .begins = "kv-store kv-gather",
                                  .inputs = "tokens",
                                  .subjects = "the kernel",
                                  .against = "the library's images",
                                  .timed = 1,
                                  .on_device = 1,
                                  .cases = cases,
                                  .kernels = &kernels,
                                  .run = kernel_case_run,
                                  .replay = kernel_case_replay};
