/* SPDX-License-Identifier: MIT */
/* elements.h -- what Python calls: the public headers, and operations on arrays that they lack
 *
 * The library has array functions for what needs speed. Comparisons, classes, conversions of
 * integers, and everything that returns flags exist for one value only. The functions below loop
 * over these.
 */
#ifndef SOFTFP8_PYTHON_ELEMENTS_H
#define SOFTFP8_PYTHON_ELEMENTS_H

#include "softfp8.h"
#include "softfp8_attend.h"
#include "softfp8_blocks.h"
#include "softfp8_f32.h"
#include "softfp8_fused.h"
#include "softfp8_kv.h"
#include "softfp8_kv_policy.h"
#include "softfp8_kv_store.h"
#include "softfp8_mma.h"
#include "softfp8_stages.h"
#include "softfp8_test.h"
#include "softfp8_vectors.h"

/* What is the same for all elements of a call. */
typedef struct py_elements {
    size_t n;
    sf8_policy policy;
    const uint32_t *random; /* one for each element, or NULL: 0 */
    int32_t exact;          /* as in sf8_function_call */
    uint8_t *flags;         /* receives the flags of each element, which fit in a byte; or NULL */
} py_elements;

/* Computes dst[i] = function(a[i], b[i], c[i]). An element takes 1, 2, 4 or 8 bytes, the fewest
 * that hold its type. Operands that the function does not have may be NULL. Returns SF8_BAD_FORMAT
 * if an element is not supported; dst then has zeros from there on. */
sf8_status py_call_n(const sf8_function *function, void *dst, const void *a, const void *b,
                     const void *c, py_elements e);
/* Computes dst[i] = a[i] * 2^exponents[i]. */
sf8_status py_scalb_n(sf8_format f, void *dst, const void *a, const int32_t *exponents,
                      py_elements e);
/* Compares a[i] with b[i]; dst receives SF8_LESS, ... With `signaling`, every NaN is invalid. */
sf8_status py_compare_n(sf8_format f, int8_t *dst, const void *a, const void *b, int32_t signaling,
                        py_elements e);
/* Writes 1 if a[i] is a NaN (`what` 0), an infinity (1), or neither (2); else 0. */
void py_special_n(sf8_format f, uint8_t *dst, const void *a, size_t n, int32_t what);
/* Computes the codes that a recipe gives the elements of a matrix with scales, and offsets, that are
 * given. Parameters are as those of sf8_quantize_n, but only `codes` is written. Returns SF8_BAD_CALL
 * if the recipe stores the offset in the scale: what the scale was before is unknown then. */
sf8_status py_codes_n(const sf8_recipe *recipe, uint8_t *codes, const uint32_t *scales,
                      const uint32_t *offsets, sf8_format from, const void *src, size_t rows,
                      size_t columns, float g);

/* Writes the text of a step table: the `count` rows, or with NULL the whole conversion that the
 * head names. *size receives the size of the text; `text` receives what `room` bytes hold of it. A
 * writer in C, since an interrupt would be lost in a function of Python that the library calls. */
sf8_status py_steps_text(const sf8_steps_head *head, const sf8_step *rows, size_t count, char *text,
                         size_t room, size_t *size);

#endif
