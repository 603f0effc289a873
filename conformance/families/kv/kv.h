/* SPDX-License-Identifier: MIT */
/* kv.h -- kernels of KV caches against the library: the sets of tokens, what is right, what came
 *
 * A case of this family is a kernel of gpu_kv_kernels(), its subject, and a layout, in
 * `rbits`. Tokens and images are made here from seeds, the same on every machine; what is right is
 * what sf8_kv_store_n or sf8_kv_gather_n makes of them.
 */
#ifndef SOFTFP8_CONFORM_KV_H
#define SOFTFP8_CONFORM_KV_H

#include "../../../gpu/device.h"
#include "record/record.h"
#include "suite/family.h"
#include "softfp8_blocks.h"
#include "softfp8_kv_store.h"

/* A page has scales behind the rows of a block, those of V 4-token; with `token` all rows of a
 * token have one scale. The others have the scales of their recipe, if it makes any, in an array of
 * their own. MLA is one row whose last elements come from words of their own. */
typedef enum kv_place {
    KV_NHD,
    KV_HND,
    KV_XPACKED,
    KV_COLUMNS,
    KV_PAGE_K, /* NHD */
    KV_PAGE_V, /* HND */
    KV_DS_MLA,
    KV_INDEXER,
    KV_MLA,
    KV_TOKEN, /* NHD */
    KV_TOKEN_HND,
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
    KV_STEPS,    /* what makes the scale is a power of two, and the words beside it */
    KV_WORDS     /* all words of 16 bits, or all codes */
} kv_data;

/* How words lie: rows one behind the other; those of K in a tensor of Q, K and V, with as many
 * heads of Q again; rows with room behind them, of odd size; each beside one of another tensor; by
 * heads, of which each has all tokens. */
typedef enum kv_words_lie { KV_DENSE, KV_FUSED, KV_APART, KV_BESIDE, KV_BY_HEAD } kv_words_lie;

typedef struct kv_set {
    kv_data data;
    size_t tokens, blocks, slots, heads, dim;
    size_t second; /* elements of a row from words of their own */
    kv_words_lie lie;
    size_t pad;        /* bytes between rows, and between blocks */
    size_t skew;       /* words, in front of the tensor */
    size_t image_skew; /* bytes */
    int by_head;       /* a g for each head */
    uint32_t g;        /* as bits; of head h the h-th from there on in a list, if by_head */
    uint8_t canary;    /* in the image, before */
    uint64_t seed;
    int extra; /* it is no part of the digest: how many there are depends on tier and device */
    int timed; /* nothing is compared: there is nothing right, and its rows repeat */
} kv_set;

/* How many sets of all words there are for a kernel; those that there always are, in the quick tier
 * without a GPU, are part of the digest: KV_WORDS_LEAST at the most. */
enum { KV_WORDS_LEAST = 2, KV_WORDS_SCALES = 512 };
size_t kv_word_sets(const kv_subject *s, conform_tier tier, int emulated);
/* The i-th set, with so many of all words; 0 where there are no more. */
int kv_set_at(const kv_subject *s, size_t word_sets, size_t i, kv_set *set);
/* Some tokens with all there is, to be stored again and again; and those whose time is taken. */
void kv_set_again(const kv_subject *s, size_t tokens, kv_set *set);
void kv_set_timed(const kv_subject *s, size_t tokens, kv_set *set);
/* How long the tensor's words are. */
size_t kv_width(const kv_subject *s);

/* A set with its arrays; `right` has those that the library wrote. */
typedef struct kv_arrays {
    sf8_kv_layout layout;
    size_t tensor_bytes, tail_bytes, image_bytes, scale_bytes;
    size_t tensor_at, token_stride, head_stride, tail_stride; /* words */
    size_t parts; /* elements of a token that lie in the tail: of its layout, or of the set */
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
/* Where the word of an element is in the tensor. */
size_t kv_word_index(const kv_arrays *a, size_t token, size_t head, size_t d);
/* Adds 1 for each byte that a launch has to write, in the arrays of gpu_kv. */
void kv_expected_writes(const kv_arrays *a, const kv_subject *s, const kv_set *set,
                        unsigned char *const times[GPU_KV_ARRAYS]);
size_t kv_array_bytes(const kv_arrays *a, int which);

/* ---- speed ----------------------------------------------------------------------------------- */

enum { KV_GOAL = 85 /* per cent of what a copy moves in the same time */ };

/* What a launch reads and writes. */
uint64_t kv_bytes_moved(const kv_arrays *a, const kv_subject *s, const kv_set *set);
/* In words, and whether the goals are met: "reached", "missed". */
void kv_speed_text(char *text, size_t size, const conform_speed *speed, size_t count);
/* Measures a kernel, on a GPU at 4,096, 16,384 and 131,072 tokens; here at few, once, so that the
 * way is tried. NULL or what went wrong. */
const char *kv_measure(const kv_subject *s, const gpu_device *device,
                       conform_speed speed[CONFORM_SPEEDS], size_t *count);
/* The call of a set; arrays of `here` are those that a kernel gets. */
typedef struct kv_came {
    unsigned char *tensor, *tail;
    uint8_t *image, *scales;
} kv_came;
gpu_kv kv_call_of(const kv_subject *s, const kv_set *set, const kv_arrays *a, const kv_came *here);

/* ---- cases ----------------------------------------------------------------------------------- */

extern const conform_family kv_family;
/* Runs the kernel over all sets, and measures it where there is a GPU. */
void kv_run(const conform_job *j);
/* Whether the digest of what came then is that of what is right now. */
void kv_replay(const conform_job *j);

#endif
