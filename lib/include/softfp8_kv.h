/* SPDX-License-Identifier: MIT */
/* softfp8_kv.h -- caches of keys and values: readers and rules of scales by name, the life of a
 * scale, and how many bytes a token takes
 *
 * What is stored is a recipe (softfp8_blocks.h), those of docs/spec/cache-stores.md. As everywhere
 * in the library nothing is allocated.
 */
#ifndef SOFTFP8_KV_PUBLIC_H
#define SOFTFP8_KV_PUBLIC_H

#include "softfp8.h"
#include "softfp8/kv/kv.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- readers --------------------------------------------------------------------------------- */

/* What is said of a reader, as its row in <softfp8/kv/kv.h> has it. */
typedef struct sf8_kv_reader_row {
    const char *name, *element;
    int32_t all_numbers;
    const char *out, *value_of;
    const char *source, *open;
} sf8_kv_reader_row;

/* The i-th row, or NULL. */
SF8_API const sf8_kv_reader_row *sf8_kv_reader_at(size_t i);
/* A reader by name: SF8_UNKNOWN_NAME, and *reader as it was, if there is none. */
SF8_API sf8_status sf8_kv_reader_named(sf8_kv_reader *reader, const char *name);
/* Reads n codes under one scale to words of the reader's format, of 2 or 4 bytes each. The arrays
 * may not overlap. */
SF8_API void sf8_kv_read_n(const sf8_kv_reader *reader, void *dst, const uint8_t *codes, size_t n,
                           float scale);

/* ---- rules of scales ------------------------------------------------------------------------- */

typedef struct sf8_kv_rule_row {
    const char *name, *scale_of;
    uint32_t amax_nan;
    const char *source, *open;
} sf8_kv_rule_row;

SF8_API const sf8_kv_rule_row *sf8_kv_rule_at(size_t i);
SF8_API sf8_status sf8_kv_rule_named(sf8_kv_rule *rule, const char *name);
/* The scales, words of f32, of a tensor [tokens][heads][size] of f32, bf16 or f16: one, or one for
 * each head, token, or head of a token, in the order of sf8_kv_scale_at. SF8_BAD_FORMAT for another
 * format, SF8_BAD_CALL for sizes beyond the address space or another `per`; nothing is written
 * then. */
SF8_API sf8_status sf8_kv_scales_n(const sf8_kv_rule *rule, int32_t per, uint32_t *scales,
                                   sf8_format from, const void *src, size_t tokens, size_t heads,
                                   size_t size);

/* ---- the life of a scale --------------------------------------------------------------------- */

enum { SF8_KV_K, SF8_KV_V, SF8_KV_Q, SF8_KV_SIDES };

/* How long a scale lives: it is kept; each request has its own, by which its tokens are written and
 * everything is read; each token has its own, which lies beside it. */
enum { SF8_KV_KEPT, SF8_KV_OF_REQUEST, SF8_KV_OF_TOKEN };

/* What a reader multiplies with: the numbers that the store has too; the host's copy, one for all
 * heads; what that copy was at the first request, as FlashInfer's backend keeps it. */
enum { SF8_KV_READS_DEVICE, SF8_KV_READS_HOST, SF8_KV_READS_FIRST };

enum { SF8_KV_HEADS_MOST = 128 };

/* The scales of one layer of vLLM. What is above the line may be set before the first event. Words
 * are those of f32. */
typedef struct sf8_kv_life {
    int32_t life, reads;
    uint32_t
        calibrating; /* which runs may compute the scale: bits 1 << SF8_KV_DUMMY ...; 0: none */
    int32_t doubled; /* FNUZ codes: scales times 2 */
    int32_t latent;  /* MLA: the scales of keys and values are both of what is given as keys */
    sf8_kv_rule rule[SF8_KV_SIDES];
    /* ---- */
    int32_t calculates; /* a scale is still to be computed */
    uint32_t heads;     /* of keys and values; 1: one scale for all */
    uint32_t device[SF8_KV_SIDES][SF8_KV_HEADS_MOST];
    uint32_t host[SF8_KV_SIDES], first[SF8_KV_SIDES];
    int32_t has_first, has_stored;
    uint32_t stored[SF8_KV_SIDES][SF8_KV_HEADS_MOST]; /* by which the oldest tokens were written */
} sf8_kv_life;

/* All scales 1, kept, nothing computed; the rules are amax-200, amax-100 and amax-200. */
SF8_API sf8_kv_life sf8_kv_life_begin(void);
/* The same where the first run of `calibrating` computes the scale (--calculate-kv-scales, which
 * vLLM 0.27.1 has and 0.33.0 has not): at first only requests did, in later versions the run that
 * measures memory does too. */
SF8_API sf8_kv_life sf8_kv_life_calculating(uint32_t calibrating);

/* The scales of a checkpoint, -1 where it has none, as kv_cache.py takes them: both of keys and
 * values if both are above 0; 1 if both are below; if those of keys alone are above 0 they are
 * those of values too; anything else, NaN and 0 among it, is refused: SF8_BAD_CALL, and nothing is
 * changed. The scale of queries counts if it is above 0, and nothing is computed any more; else it
 * is 1: what kv_cache.py says of a scale below 0, that it is that of keys, is written there and
 * then overwritten by the 1. While scales are to be computed those of keys and values are left. */
SF8_API sf8_status sf8_kv_load(sf8_kv_life *l, const uint32_t scale[SF8_KV_SIDES]);
/* One scale for each head, as compressed-tensors has it: of keys and values `heads`, of queries
 * `query_heads`, a multiple, of which each group has its largest. The host's copies are the largest
 * of all. No scale is looked at, as compressed_tensors.py looks at none: 0 and NaN are taken.
 * SF8_BAD_CALL for other counts; nothing is changed then. */
SF8_API sf8_status sf8_kv_load_heads(sf8_kv_life *l, const uint32_t *keys, const uint32_t *values,
                                     uint32_t heads, const uint32_t *queries, uint32_t query_heads);

/* What happens to a layer. A run has the largest magnitudes of what it is given; dummy runs, and
 * those that measure memory, write nothing to the cache. */
enum {
    SF8_KV_DUMMY,   /* a run on made-up tokens, as for graphs */
    SF8_KV_PROFILE, /* the run that measures memory */
    SF8_KV_REQUEST, /* a request */
    SF8_KV_SET,     /* new scales on the device, as by a reload: the host's copies stay */
    SF8_KV_COPY,    /* the host's copies are made anew, the largest of all heads */
    SF8_KV_CLEAR    /* nothing is left in the cache */
};
typedef struct sf8_kv_event {
    int32_t what;
    uint32_t word[SF8_KV_SIDES]; /* amax of keys, values, queries; or scales */
} sf8_kv_event;

/* Returns whether the event has set the scale that is written by. */
SF8_API int32_t sf8_kv_step(sf8_kv_life *l, const sf8_kv_event *event);

/* What a head of keys or values (or queries) is written by now, what is read by, and what the
 * oldest tokens in the cache were written by (`reads`, if there are none). What is read is the
 * value that was written times new_factor, of the oldest tokens times old_factor; 1 if the two are
 * the same word, and NaN where that means nothing. Of a side or a head that there is not all are
 * NaN, and nothing agrees; where all heads have one scale each of SF8_KV_HEADS_MOST has it. */
typedef struct sf8_kv_trace {
    uint32_t writes, reads, stored;
    int32_t agrees; /* all three are the same */
    double new_factor, old_factor;
} sf8_kv_trace;
SF8_API sf8_kv_trace sf8_kv_trace_of(const sf8_kv_life *l, int32_t side, uint32_t head);

/* ---- bytes of a token ------------------------------------------------------------------------ */

/* What a token has in a layer: keys and values, of each head of them; one latent vector and its
 * rotary part (MLA); one vector, as an indexer has it. */
enum { SF8_KV_KEYS_VALUES, SF8_KV_LATENT, SF8_KV_ONE_VECTOR };

/* Elements have `bits`, and each `group` of a vector (0: all of it) `more` bytes besides, of scales
 * and offsets; with `keys_along` a group of keys is so many tokens of a channel. The rotary part
 * has `rope_bits`. Scales of a tensor or head are not counted: they do not grow with the tokens. */
typedef struct sf8_kv_type {
    const char *name;
    int32_t of; /* SF8_KV_KEYS_VALUES ... */
    uint32_t bits, group, more, keys_along, rope_bits;
    const char *source;
} sf8_kv_type;

SF8_API const sf8_kv_type *sf8_kv_type_at(size_t i);
SF8_API sf8_status sf8_kv_type_named(sf8_kv_type *type, const char *name);

typedef struct sf8_kv_shape {
    uint32_t layers, heads, size; /* heads of keys and values, elements of each */
    uint32_t latent, rope;
} sf8_kv_shape;

/* The bytes of a token in all layers, num / den in lowest terms. SF8_BAD_CALL if a number that is
 * asked for is 0 or above 65535, or the codes of a vector fill no whole bytes; or the type has more
 * than 64 bits, groups of more than 1024 or more than 64 bytes of them. */
SF8_API sf8_status sf8_kv_token_bytes(const sf8_kv_type *type, const sf8_kv_shape *shape,
                                      uint64_t *num, uint64_t *den);
/* How many tokens fit so many bytes, to *tokens; the same. */
SF8_API sf8_status sf8_kv_tokens(const sf8_kv_type *type, const sf8_kv_shape *shape, uint64_t bytes,
                                 uint64_t *tokens);

#ifdef __cplusplus
}
#endif

#endif
