/* SPDX-License-Identifier: MIT */
/** @file
 * softfp8_kv.h -- KV caches: readers and scale rules by name, the life of a scale, bytes per token
 *
 * The recipes by which caches are stored are in softfp8_blocks.h; docs/spec/kv/stores.md
 * defines the results of this header.
 */
#ifndef SOFTFP8_KV_PUBLIC_H
#define SOFTFP8_KV_PUBLIC_H

#include "softfp8.h"
#include "softfp8/kv/kv.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- readers --------------------------------------------------------------------------------- */

/** A reader as text, as its row in softfp8/kv/kv.h has it. A reader is how an attention kernel
 * turns a stored code and a scale into a number. */
typedef struct sf8_kv_reader_row {
    const char *name, *element;
    int32_t all_numbers;
    const char *out, *value_of;
    const char *source, *open;
} sf8_kv_reader_row;

/** Returns the i-th row, or NULL past the end. */
SF8_API const sf8_kv_reader_row *sf8_kv_reader_at(size_t i);
/** Finds a reader by its name. Returns SF8_UNKNOWN_NAME, and leaves *reader unchanged, if there is
 * none. */
SF8_API sf8_status sf8_kv_reader_named(sf8_kv_reader *reader, const char *name);
/** Reads n codes with one scale. `dst` receives n numbers in the reader's output format, 2 or 4
 * bytes each. The arrays may not overlap. */
SF8_API void sf8_kv_read_n(const sf8_kv_reader *reader, void *dst, const uint8_t *codes, size_t n,
                           float scale);

/* ---- rules of scales ------------------------------------------------------------------------- */

/** A rule as text, as its row in softfp8/kv/kv.h has it. A rule computes a scale from the largest
 * magnitude (amax) of the elements that share it. */
typedef struct sf8_kv_rule_row {
    const char *name, *scale_of;
    uint32_t amax_nan;
    const char *source, *open;
} sf8_kv_rule_row;

/** Returns the i-th row, or NULL past the end. */
SF8_API const sf8_kv_rule_row *sf8_kv_rule_at(size_t i);
/** Finds a rule by its name. Returns SF8_UNKNOWN_NAME, and leaves *rule unchanged, if there is
 * none. */
SF8_API sf8_status sf8_kv_rule_named(sf8_kv_rule *rule, const char *name);
/** Computes the scales of a tensor [tokens][heads][size].
 *
 * @param rule   the rule
 * @param per    which elements share a scale: SF8_KV_PER_TENSOR, _HEAD, _TOKEN or _TOKEN_HEAD
 * @param scales receives sf8_kv_scale_count() scales, f32, in the order of sf8_kv_scale_index
 * @param from   the format of the tensor: f32, bf16 or f16
 * @param src    the tensor
 * @param tokens its number of tokens
 * @param heads  its number of heads
 * @param size   the number of elements of a head
 * @return SF8_BAD_FORMAT for another format; SF8_BAD_CALL for another `per` and if a size exceeds
 *     the address space */
SF8_API sf8_status sf8_kv_scales_n(const sf8_kv_rule *rule, int32_t per, uint32_t *scales,
                                   sf8_format from, const void *src, size_t tokens, size_t heads,
                                   size_t size);

/* ---- the life of a scale --------------------------------------------------------------------- */

/** Keys, values and queries: the index of most arrays below. */
enum { SF8_KV_K, SF8_KV_V, SF8_KV_Q, SF8_KV_SIDES };

/** How long a scale lives. SF8_KV_KEPT: from its computation on. SF8_KV_OF_REQUEST: each request
 * computes a new one, with which its tokens are written and everything is read. SF8_KV_OF_TOKEN:
 * each token has its own scale, which is stored beside it. */
enum { SF8_KV_KEPT, SF8_KV_OF_REQUEST, SF8_KV_OF_TOKEN };

/** Which copy of a scale the reader multiplies by. SF8_KV_READS_DEVICE: the numbers on the device,
 * which the store uses too. SF8_KV_READS_HOST: the host's copy, one number for all heads.
 * SF8_KV_READS_FIRST: the host's copy as of the first request, which FlashInfer's backend keeps. */
enum { SF8_KV_READS_DEVICE, SF8_KV_READS_HOST, SF8_KV_READS_FIRST };

/** The largest number of heads with scales of their own. */
enum { SF8_KV_HEADS_MOST = 128 };

/** The scales of one layer of vLLM, as f32 bit patterns. The caller may set the fields above the
 * line before the first event. */
typedef struct sf8_kv_life {
    int32_t life, reads; /**< SF8_KV_KEPT ..., SF8_KV_READS_DEVICE ... */
    /** The runs that may compute the scale: bits 1 << SF8_KV_DUMMY, ...; 0: none. */
    uint32_t calibrating;
    int32_t doubled; /**< 1 for FNUZ codes: scales are multiplied by 2 */
    int32_t latent;  /**< 1 for MLA: the scales of keys and of values both come from the keys */
    sf8_kv_rule rule[SF8_KV_SIDES];
    /* ---- */
    int32_t calculates; /**< 1 while a scale is still to be computed */
    uint32_t heads;     /**< heads with scales of their own; 1: one scale for all */
    uint32_t device[SF8_KV_SIDES][SF8_KV_HEADS_MOST];
    uint32_t host[SF8_KV_SIDES], first[SF8_KV_SIDES];
    int32_t has_first, has_stored;
    uint32_t stored[SF8_KV_SIDES]
                   [SF8_KV_HEADS_MOST]; /**< with which the oldest tokens were written */
} sf8_kv_life;

/** Returns a layer whose scales are all 1 and kept, with no computation pending. The rules are
 * amax-200 for keys, amax-100 for values and amax-200 for queries. */
SF8_API sf8_kv_life sf8_kv_life_begin(void);
/** Returns such a layer, where the first run listed in `calibrating` computes the scale. This is
 * --calculate-kv-scales, which vLLM 0.27.1 has and 0.33.0 does not. At first only requests computed
 * the scale; in later versions the run that measures memory does so too. */
SF8_API sf8_kv_life sf8_kv_life_calculating(uint32_t calibrating);

/** Loads the scales of a checkpoint, as vLLM's kv_cache.py does. -1 means that the checkpoint has
 * none.
 *
 * Keys and values: if both are above 0, both are used. If both are below 0, both become 1. If only
 * the key scale is above 0, it is used for values too. Everything else, including NaN and 0, is
 * SF8_BAD_CALL, and nothing is changed. While scales are still to be computed, these two stay as
 * they are.
 *
 * Queries: a scale above 0 is used, and nothing is computed any more. Otherwise the scale becomes
 * 1. (For a scale below 0, kv_cache.py first sets that of the keys and then overwrites it by 1.) */
SF8_API sf8_status sf8_kv_load(sf8_kv_life *l, const uint32_t scale[SF8_KV_SIDES]);
/** Loads one scale for each head, as compressed-tensors does.
 *
 * `keys` and `values` have `heads` scales. `queries` has `query_heads`, a multiple of `heads`; each
 * group of query heads uses the largest of its scales. The host's copies become the largest of all.
 * No scale is checked, as in compressed_tensors.py: 0 and NaN are accepted. Returns SF8_BAD_CALL,
 * and changes nothing, for other counts. */
SF8_API sf8_status sf8_kv_load_heads(sf8_kv_life *l, const uint32_t *keys, const uint32_t *values,
                                     uint32_t heads, const uint32_t *queries, uint32_t query_heads);

/** What happens to a layer. Dummy runs and the run that measures memory write nothing to the cache.
 */
enum {
    SF8_KV_DUMMY,   /**< a run on made-up tokens, such as for CUDA graphs */
    SF8_KV_PROFILE, /**< the run that measures memory */
    SF8_KV_REQUEST, /**< a request */
    SF8_KV_SET,     /**< new scales on the device, as after a reload; the host's copies stay */
    SF8_KV_COPY,    /**< the host's copies are updated: the largest of all heads */
    SF8_KV_CLEAR    /**< the cache is emptied */
};
/** One event. */
typedef struct sf8_kv_event {
    int32_t what;
    uint32_t word[SF8_KV_SIDES]; /**< of a run: amax of keys, values and queries; of SF8_KV_SET: the
                                    scales */
} sf8_kv_event;

/** Applies an event to a layer. Returns 1 if the event set the scale with which tokens are written,
 * even to the value that it had, else 0. */
SF8_API int32_t sf8_kv_step(sf8_kv_life *l, const sf8_kv_event *event);

/** The scales of one head: with which tokens are written now (`writes`), with which they are read
 * (`reads`), and with which the oldest tokens in the cache were written (`stored`, which is `reads`
 * if the cache is empty).
 *
 * A token that is written now is read as its value times new_factor, the oldest tokens as their
 * value times old_factor. A factor is 1 if both scales are the same bit pattern, and NaN if it has
 * no meaning. For a side or a head that does not exist everything is NaN and `agrees` is 0. Where
 * all heads share one scale, every head below SF8_KV_HEADS_MOST has it. */
typedef struct sf8_kv_trace {
    uint32_t writes, reads, stored;
    int32_t agrees; /**< 1 if all three are the same */
    double new_factor, old_factor;
} sf8_kv_trace;
/** Returns the scales of a head of keys, values or queries (`side`). */
SF8_API sf8_kv_trace sf8_kv_trace_of(const sf8_kv_life *l, int32_t side, uint32_t head);

/* ---- bytes of a token ------------------------------------------------------------------------ */

/** What a token stores in a layer. SF8_KV_KEYS_VALUES: keys and values of each head.
 * SF8_KV_LATENT: one latent vector and its rotary part (MLA). SF8_KV_ONE_VECTOR: one vector, as an
 * indexer has it. */
enum { SF8_KV_KEYS_VALUES, SF8_KV_LATENT, SF8_KV_ONE_VECTOR };

/** How a cache stores the vectors of a token. Scales of a tensor or a head are not counted, since
 * they do not grow with the number of tokens. */
typedef struct sf8_kv_type {
    const char *name;
    int32_t of;          /**< SF8_KV_KEYS_VALUES ... */
    uint32_t bits;       /**< bits of an element */
    uint32_t group;      /**< elements that share `more` bytes; 0: a whole vector */
    uint32_t more;       /**< bytes of scales and offsets for each group */
    uint32_t keys_along; /**< 1: a group of keys is that many tokens of a channel */
    uint32_t rope_bits;  /**< bits of an element of the rotary part */
    const char *source;
} sf8_kv_type;

/** Returns the i-th type of the library, or NULL past the end. */
SF8_API const sf8_kv_type *sf8_kv_type_at(size_t i);
/** Finds a type by its name. Returns SF8_UNKNOWN_NAME, and leaves *type unchanged, if there is
 * none. */
SF8_API sf8_status sf8_kv_type_named(sf8_kv_type *type, const char *name);

/** The sizes of a model, as far as its cache depends on them. */
typedef struct sf8_kv_shape {
    uint32_t layers, heads, size; /**< heads of keys and values, and the elements of each */
    uint32_t latent, rope;        /**< elements of the latent vector and of its rotary part */
} sf8_kv_shape;

/** Computes the bytes of a token in all layers, num / den in lowest terms.
 *
 * Returns SF8_BAD_CALL if a number of the shape that is needed is 0 or above 65535; if the codes of
 * a vector do not fill whole bytes; or if the type has elements of more than 64 bits, groups of
 * more than 1024 elements, or more than 64 extra bytes for each group. */
SF8_API sf8_status sf8_kv_token_bytes(const sf8_kv_type *type, const sf8_kv_shape *shape,
                                      uint64_t *num, uint64_t *den);
/** Computes how many tokens fit into `bytes` bytes, to *tokens. Status as sf8_kv_token_bytes. */
SF8_API sf8_status sf8_kv_tokens(const sf8_kv_type *type, const sf8_kv_shape *shape, uint64_t bytes,
                                 uint64_t *tokens);

#ifdef __cplusplus
}
#endif

#endif
