/* SPDX-License-Identifier: MIT */
/* kv.h -- kernels of KV caches against the library: sets of tokens, expected and actual results
 *
 * The subject of a case of this family is a kernel of gpu_kv_kernels(); `rbits` is a layout. Tokens
 * and images are made here from seeds, the same on every machine. The expected result is that of
 * sf8_kv_store_n or sf8_kv_gather_n.
 */
#ifndef SOFTFP8_CONFORM_KV_H
#define SOFTFP8_CONFORM_KV_H

#include "families/kernel_run.h"
#include "softfp8_blocks.h"
#include "softfp8_kv_store.h"

/* A page has scales behind the rows of a block, those of V in 4-token order; with `token` all rows
 * of a token share one scale. The other layouts have the scales of their recipe, if it computes
 * any, in an array of their own. MLA is one row whose last elements come from a second tensor. */
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

/* What a kernel's name means. */
typedef struct kv_subject {
    const gpu_kv_kernel *kernel;
    sf8_recipe recipe;
    int copies;       /* 1: there is no recipe */
    int given;        /* 1: the scale is g */
    size_t group;     /* otherwise: elements with one scale; 0: those of a row */
    sf8_format words; /* format of the tensor */
    kv_place place;
} kv_subject;

/* Parses a kernel's name; returns 0 if there is no such kernel or recipe. */
int kv_subject_of(kv_subject *s, const gpu_kv_kernel *kernel, kv_place place);
/* Returns 1 if there are cases of a kernel with a layout. */
int kv_takes(const gpu_kv_kernel *kernel, kv_place place);

/* ---- sets ------------------------------------------------------------------------------------ */

typedef enum kv_data {
    KV_SEEDED,   /* rows of all kinds: ordinary, zero, subnormal, with NaN, infinite ... */
    KV_DIRECTED, /* one special value, at each position of a row */
    KV_STEPS,    /* the value that determines the scale is a power of two, or next to one */
    KV_WORDS     /* all 16-bit values, or all codes */
} kv_data;

/* How elements are arranged: rows in sequence; rows of K in a tensor of Q, K and V, with as many
 * heads of Q; rows with padding of odd size; rows alternating with those of another tensor; by
 * heads, each with all tokens. */
typedef enum kv_words_lie { KV_DENSE, KV_FUSED, KV_APART, KV_BESIDE, KV_BY_HEAD } kv_words_lie;

typedef struct kv_set {
    kv_data data;
    size_t tokens, blocks, slots, heads, dim;
    size_t second; /* elements of a row that come from the second tensor */
    kv_words_lie lie;
    size_t pad;        /* bytes of padding between rows, and between blocks */
    size_t skew;       /* elements in front of the tensor */
    size_t image_skew; /* bytes */
    int by_head;       /* 1: a g for each head */
    uint32_t g;        /* as bits; if by_head, head h has the h-th from there on in a list */
    uint8_t canary;    /* of the image, before */
    uint64_t seed;
    int extra; /* not part of the digest: the number of sets depends on tier and device */
    int timed; /* nothing is compared: there is no expected result, and rows repeat */
} kv_set;

/* The number of sets with all values for a kernel. Those that there always are, also in the quick
 * tier without a GPU, are part of the digest: at most KV_WORDS_LEAST. */
enum { KV_WORDS_LEAST = 2, KV_WORDS_SCALES = 512 };
size_t kv_word_sets(const kv_subject *s, conform_tier tier, int emulated);
/* The i-th set, where `words` sets have all values; returns 0 if there are no more. */
int kv_set_at(const kv_subject *s, size_t word_sets, size_t i, kv_set *set);
/* A set with all features, to be stored repeatedly; and the sets that are timed. */
void kv_set_again(const kv_subject *s, size_t tokens, kv_set *set);
void kv_set_timed(const kv_subject *s, size_t tokens, kv_set *set);
/* The number of elements of the tensor. */
size_t kv_width(const kv_subject *s);

/* A set with its arrays; `right` has those that the library wrote. */
typedef struct kv_arrays {
    sf8_kv_layout layout;
    size_t tensor_bytes, tail_bytes, image_bytes, scale_bytes;
    size_t tensor_at, token_stride, head_stride, tail_stride; /* words */
    size_t parts; /* elements of a token in the tail of its layout, or in that of the set */
    unsigned char *tensor, *tail;
    uint8_t *image, *scales;
    unsigned char *right_tensor, *right_tail;
    uint8_t *right_image, *right_scales;
    int64_t *slot;
    float *g;
    size_t g_count;
} kv_arrays;

/* Makes the arrays. Returns NULL, or what is wrong. Call kv_arrays_free in either case. */
const char *kv_arrays_make(kv_arrays *a, const kv_subject *s, const kv_set *set);
void kv_arrays_free(void *arrays);
/* The index of an element in the tensor. */
size_t kv_word_index(const kv_arrays *a, size_t token, size_t head, size_t d);
/* Adds 1 for each byte that a launch must write, in the arrays of gpu_kv. */
void kv_expected_writes(const kv_arrays *a, const kv_subject *s, const kv_set *set,
                        unsigned char *const times[GPU_KV_ARRAYS]);
size_t kv_array_bytes(const kv_arrays *a, int which);

/* ---- speed ----------------------------------------------------------------------------------- */

enum { KV_GOAL = 85 /* per cent of what a copy moves in the same time */ };

/* The bytes that a launch reads and writes. */
uint64_t kv_bytes_moved(const kv_arrays *a, const kv_subject *s, const kv_set *set);
/* As text, and whether the goals are met: "reached", "missed". */
void kv_speed_text(char *text, size_t size, const conform_speed *speed, size_t count);
/* Measures a kernel, on a GPU with 4,096, 16,384 and 131,072 tokens; here with few, once, to test
 * the code. Returns NULL or what went wrong. */
const char *kv_measure(const kv_subject *s, const gpu_device *device,
                       conform_speed speed[CONFORM_SPEEDS], size_t *count);
/* The call of a set; the arrays of `here` are passed to the kernel. */
typedef struct kv_came {
    unsigned char *tensor, *tail;
    uint8_t *image, *scales;
} kv_came;
gpu_kv kv_call_of(const kv_subject *s, const kv_set *set, const kv_arrays *a, const kv_came *here);

#endif
