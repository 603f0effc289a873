/* SPDX-License-Identifier: MIT */
/* speed.c -- how long kernels of KV caches take, compared with a copy, unchanged elements, and
 * three launches
 *
 * Each is timed alone, with three numbers of tokens. Launches alternate between copies of the
 * arrays that exceed a cache of the GPU, so that its memory is measured.
 */
#include "families/kv/kv.h"

#include <string.h>

enum { TIMES = 21 };

/* Four times the 50 MB of an H200. */
static const uint64_t around = UINT64_C(200) << 20;

static const size_t token_counts[CONFORM_SPEEDS] = {4096, 16384, 131072};

/* ---- bytes ----------------------------------------------------------------------------------- */

uint64_t kv_bytes_moved(const kv_arrays *a, const kv_subject *s, const kv_set *set)
{
    const sf8_kv_layout *l = &a->layout;
    uint64_t tokens = 0, row = set->heads * set->dim, scales = 0;
    for (size_t i = 0; i < set->tokens; i++)
        tokens += (uint64_t)a->slot[i] < l->blocks * l->slots;
    if (l->scales != SF8_KV_SCALES_GIVEN)
        scales = sf8_kv_scale_heads(l) * sf8_kv_scale_columns(l) * l->scale_bits / 8;
    return tokens *
               (row * kv_width(s) + row * l->bits / 8 + scales + 2 * l->tail * l->tail_bits / 8) +
           sizeof a->slot[0] * set->tokens;
}

/* ---- times ----------------------------------------------------------------------------------- */

/* `in_order`: the slots are 0, 1, ... */
static const char *time_kernel(const kv_subject *s, const kv_set *set, int in_order, int times,
                               double *seconds, uint64_t *bytes)
{
    kv_arrays a;
    const char *wrong = kv_arrays_make(&a, s, set);
    for (size_t i = 0; i < set->tokens && in_order && !wrong; i++)
        a.slot[i] = (int64_t)i;
    if (!wrong) {
        kv_came here = {a.tensor, a.tail, a.image, a.scales};
        gpu_kv b = kv_call_of(s, set, &a, &here);
        b.times = times;
        b.around = times > 1 ? around : 0;
        wrong = gpu_kv_run(&b, seconds);
        *bytes = kv_bytes_moved(&a, s, set);
    }
    kv_arrays_free(&a);
    return wrong;
}

/* Moves elements of `bits` bits unchanged, to the same places. */
static const char *time_copy(const kv_set *set, kv_place place, size_t bits, int times,
                             double *seconds)
{
    size_t count;
    uint64_t bytes;
    const gpu_kv_kernel *k = gpu_kv_kernels(&count);
    kv_subject s;
    for (size_t i = 0; i < count; i++)
        if (!k[i].tensor && !k[i].back && (size_t)k[i].bits == bits) {
            kv_subject_of(&s, &k[i], place);
            return time_kernel(&s, set, 0, times, seconds, &bytes);
        }
    return "no kernel to measure";
}

/* Where a store is three launches: elements are clamped, then cast, then moved to their places. */
static const char *time_unfused(const kv_subject *s, const kv_set *set, int times, double *seconds)
{
    double clamp = 0, cast = 0, scatter = 0;
    uint64_t bytes, words = set->tokens * set->heads * set->dim * kv_width(s) / 16 * 16;
    const char *wrong = gpu_kv_clamp_run(s->kernel->tensor, words, times > 1 ? around : 0, times,
                                         &clamp);
    if (!wrong)
        wrong = time_kernel(s, set, 1, times, &cast, &bytes);
    if (!wrong)
        wrong = time_copy(set, s->place, 8, times, &scatter);
    *seconds = clamp + cast + scatter;
    return wrong;
}

/* The bytes of the tail are not elements of a row: a store of unchanged elements has 512 and 64 of
 * them. */
static kv_place plain_place(const kv_subject *s)
{
    return s->place == KV_XPACKED || s->place == KV_COLUMNS || s->place == KV_HND ? s->place
                                                                                  : KV_NHD;
}

static uint64_t nanoseconds(double seconds)
{
    return (uint64_t)(seconds * 1e9 + 0.5);
}

static const char *measure_at(const kv_subject *s, size_t tokens, int times, conform_speed *speed)
{
    kv_set set, plain;
    double took = 0, copy = 0, as_they_are = 0, three = 0;
    memset(speed, 0, sizeof *speed);
    speed->tokens = tokens;
    kv_set_timed(s, tokens, &set);
    plain = set;
    plain.second = 0;
    plain.dim += s->place == KV_DS_MLA ? 64 : 0;
    const char *wrong = time_kernel(s, &set, 0, times, &took, &speed->bytes);
    if (!wrong)
        wrong = gpu_copy_run(speed->bytes / 32 * 16, times > 1 ? around : 0, times, &copy);
    if (!wrong && !s->kernel->back)
        wrong = time_copy(&plain, plain_place(s), 8 * kv_width(s), times, &as_they_are);
    if (!wrong && s->given && !s->copies && !s->kernel->back && s->place != KV_MLA)
        wrong = time_unfused(s, &set, times, &three);
    speed->took = nanoseconds(took);
    speed->copy = nanoseconds(copy);
    speed->as_they_are = nanoseconds(as_they_are);
    speed->three = nanoseconds(three);
    return wrong;
}

/* The middle number of tokens for every layout, all three for the first that a kernel supports,
 * since they take seconds. */
const char *kv_measure(const kv_subject *s, const gpu_device *device,
                       conform_speed speed[CONFORM_SPEEDS], size_t *count)
{
    const char *wrong = NULL;
    int first = 0;
    *count = 0;
    while (!kv_takes(s->kernel, (kv_place)first))
        first++;
    for (size_t i = 0; i < CONFORM_SPEEDS && !wrong; i++) {
        if (i != 1 && (first != (int)s->place || device->emulated))
            continue;
        wrong = measure_at(s, device->emulated ? 8 : token_counts[i], device->emulated ? 1 : TIMES,
                           &speed[(*count)++]);
    }
    return wrong;
}

/* ---- words ----------------------------------------------------------------------------------- */

static const char *met(int good)
{
    return good ? "reached" : "missed";
}

/* The share of what a copy moves in the same time, in per cent, rounded down: 84.9 counts as 84. */
static uint64_t share(const conform_speed *v)
{
    return 100 * v->copy / v->took;
}

static size_t append(char *text, size_t size, size_t used, const char *form, const char *a,
                     double x)
{
    int n = used < size ? snprintf(text + used, size - used, form, a, x) : 0;
    return used + (n > 0 ? (size_t)n : 0);
}

void kv_speed_text(char *text, size_t size, const conform_speed *speed, size_t count)
{
    size_t used = 0;
    int copies = 1, plain = 1, three = 1, has_plain = 0, has_three = 0;
    text[0] = 0;
    if (count == 0)
        return;
    for (size_t i = 0; i < count; i++) {
        const conform_speed *v = &speed[i];
        if (v->took == 0 || v->copy == 0)
            return;
        used += (size_t)snprintf(text + used, used < size ? size - used : 0,
                                 "%s%llu tokens: %.1f us, %.2f TB/s, %llu %% of a copy",
                                 i ? "; " : "", (unsigned long long)v->tokens,
                                 (double)v->took * 1e-3, (double)v->bytes / (double)v->took * 1e-3,
                                 (unsigned long long)share(v));
        if (v->as_they_are > 0)
            used = append(text, size, used, "%s %.1f", ", unconverted values",
                          (double)v->as_they_are * 1e-3);
        if (v->three > 0)
            used = append(text, size, used, "%s %.1f", ", three launches", (double)v->three * 1e-3);
        copies &= share(v) >= KV_GOAL;
        plain &= v->as_they_are == 0 || v->took <= v->as_they_are;
        three &= v->three == 0 || v->took < v->three;
        has_plain |= v->as_they_are > 0;
        has_three |= v->three > 0;
        if (used >= size)
            return;
    }
    used = append(text, size, used, "; goals: 85 %% of a copy %s", met(copies), 0);
    if (has_plain)
        used = append(text, size, used, ", no slower than unconverted values %s", met(plain), 0);
    if (has_three)
        (void)append(text, size, used, ", faster than three launches %s", met(three), 0);
}
