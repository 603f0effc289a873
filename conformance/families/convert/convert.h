/* SPDX-License-Identifier: MIT */
/* convert.h -- conversions of single values by any subject: their inputs, their parts, how they run
 *
 * A case has steps of softfp8_vectors.h. Its subject is a function of the CUDA headers on the
 * processor, or a kernel that calls one, or an instruction of PTX.
 */
#ifndef SOFTFP8_CONFORM_CONVERT_H
#define SOFTFP8_CONFORM_CONVERT_H

#include "suite/compare.h"
#include "suite/family.h"

extern const conform_family cuda_host_family, cuda_later_family, cuda_device_family, ptx_family;

/* Long cases have 16 parts. */
unsigned convert_parts(const conform_case *c, conform_tier tier);
/* Finds the inputs of the case in this tier, whatever rule they are compared with, and those of the
 * job's part. Returns 0 if the row is wrong; the result says why. */
int convert_open(comparison *k, inputs *in, const conform_job *j, conform_tier tier);

void convert_host_run(const conform_job *j);
/* The same, but skipped where the CUDA headers lack the subject. */
void convert_later_run(const conform_job *j);
void convert_device_run(const conform_job *j);
void convert_replay(const conform_job *j);

#endif
