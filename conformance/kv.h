/* SPDX-License-Identifier: MIT */
/* kv.h -- kernels of KV caches against the library: the sets of tokens, what is right, what came
 *
 * A case of the domain DOMAIN_KV is a kernel of gpu_kv_kernels(), its subject, and a layout, in
 * `rbits`. Tokens and images are made here from seeds, the same on every machine; what is right is
 * what sf8_kv_store_n or sf8_kv_gather_n makes of them.
 */
#ifndef SOFTFP8_CONFORM_KV_H
#define SOFTFP8_CONFORM_KV_H

#include "../gpu/device.h"
#include "record.h"
#include "softfp8_blocks.h"
#include "softfp8_kv_store.h"

/* A page has scales behind the rows of a block, those of V 4-token. The others have the scales of
 * their recipe, if it makes any, in an array of their own. */
typedef enum kv_place {
    KV_NHD,
    KV_HND,
    KV_XPACKED,
    KV_COLUMNS,
    KV_PAGE_K, /* NHD */
    KV_PAGE_V, /* HND */
    KV_DS_MLA,
    KV_INDEXER,
    KV_PLACES
} kv_place;

extern const char *const kv_places[KV_PLACES];

/* What a kernel's name stands for. */
typedef struct kv_subject {
    const gpu_kv_kernel *kernel;
    sf8_recipe recipe;
    int copies;       /* there is no recipe */
    int given;        /* the scale is g */
    size_t group;     /* else: elements with one scale, 0: those of a row */
    sf8_format words; /* of the tensor */
    kv_place place;
} kv_subject;

/* 0 if there is no such kernel or recipe. */
int kv_subject_of(kv_subject *s, const gpu_kv_kernel *kernel, kv_place place);
/* Whether there are cases of a kernel with a layout. */
int kv_takes(const gpu_kv_kernel *kernel, kv_place place);

/* ---- sets ------------------------------------------------------------------------------------ */

typedef enum kv_data {
    KV_SEEDED,   /* rows of a kind each: ordinary, zero, subnormal, with NaN, infinite ... */
    KV_DIRECTED, /* one value that is special, in each place of a row */
    KV_WORDS     /* all words of 16 bits, or all codes */
} kv_data;

typedef struct kv_set {
    kv_data data;
    size_t tokens, blocks, slots, heads, dim;
    size_t pad;        /* bytes between rows, and between blocks */
    size_t skew;       /* words, in front of the tensor */
    size_t image_skew; /* bytes */
    int by_head;       /* a g for each head */
    uint32_t g;        /* as bits; of head h the h-th from there on in a list, if by_head */
    uint8_t canary;    /* in the image, before */
    uint64_t seed;
    int extra; /* it is no part of the digest: how many there are depends on the tier */
} kv_set;

/* The i-th set; 0 where there are no more. */
int kv_set_at(const kv_subject *s, conform_tier tier, size_t i, kv_set *set);
/* How long the tensor's words are. */
size_t kv_width(const kv_subject *s);

/* A set with its arrays; `right` has those that the library wrote. */
typedef struct kv_arrays {
    sf8_kv_layout layout;
    size_t tensor_bytes, tail_bytes, image_bytes, scale_bytes;
    size_t token_stride, head_stride;
    unsigned char *tensor, *tail;
    uint8_t *image, *scales;
    unsigned char *right_tensor, *right_tail;
    uint8_t *right_image, *right_scales;
    int64_t *slot;
    float *g;
    size_t g_count;
} kv_arrays;

/* NULL, or what is wrong. Call kv_arrays_free in any case. */
const char *kv_arrays_make(kv_arrays *a, const kv_subject *s, const kv_set *set);
void kv_arrays_free(kv_arrays *a);

/* ---- cases ----------------------------------------------------------------------------------- */

size_t kv_case_count(void);
const conform_case *kv_case_at(size_t i);

/* Runs the kernel over all sets, and measures it where there is a GPU; *record, if asked for, gets
 * the text for its record. */
void kv_run(const conform_case *c, const gpu_device *device, conform_tier tier,
            conform_result *result, char **record);
/* Whether the digest of what came then is that of what is right now. */
void kv_replay(const conform_case *c, const record_case *record, conform_result *result);

#endif
