/* SPDX-License-Identifier: MIT */
/* softfp8_kv.h -- caches of keys and values: readers and rules of scales by name
 *
 * What is stored is a recipe (softfp8_blocks.h), those of section 10 of SPEC.md. As everywhere in
 * the library nothing is allocated.
 */
#ifndef SOFTFP8_KV_PUBLIC_H
#define SOFTFP8_KV_PUBLIC_H

#include "softfp8.h"
#include "softfp8/kv.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- readers --------------------------------------------------------------------------------- */

/* What is said of a reader, as its row in <softfp8/kv.h> has it. */
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

#ifdef __cplusplus
}
#endif

#endif
