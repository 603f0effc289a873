/* SPDX-License-Identifier: MIT */
/* doctor.h -- what the files of softfp8 kv doctor share: its options, and its reports */
#ifndef SOFTFP8_KV_DOCTOR_H
#define SOFTFP8_KV_DOCTOR_H

#include "files/tensor_stream.h"
#include "kv/doctor_measure.h"

typedef struct kv_doctor_options {
    const char *recipe, *format, *policy, *from, *scale, *g, *json, *svg, *html;
    uint32_t *head_scales;
    size_t heads, head_scale_count, piece; /* piece: tokens */
    int one_pass, all, progress, strict;
    tensor_sides sides;
} kv_doctor_options;

/* How many values are NaN or infinite in the tensor, are clipped, or become NaN or infinite, as the
 * cache is configured. */
uint64_t kv_doctor_problems(const kv_report *r);
void kv_doctor_text(output *out, const kv_report *r, const kv_doctor_options *o);
void kv_doctor_json(output *out, const kv_report *list, size_t count);
void kv_doctor_svg(output *out, const kv_report *r);

/* ---- scales of heads ------------------------------------------------------------------------- */

/* Scales separated by commas, blanks or lines: numbers, or words of f32 of 8 hexadecimal digits.
 * Their count, or 0 and what is wrong at which byte. At most `most` are stored. */
size_t kv_scales_read(const char *text, size_t size, uint32_t *scales, size_t most,
                      input_error *error);

#endif
