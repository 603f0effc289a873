/* SPDX-License-Identifier: MIT */
/* device.h -- the plain C face of gpu/: what the CUDA headers and the GPU are asked
 *
 * A subject is one conversion as the vendor offers it: words in, words out. Host subjects are the
 * CPU paths of the CUDA headers; device subjects run on the GPU. Where CUDA was not there when
 * this was built the lists are empty and gpu_host_missing() says why.
 */
#ifndef SOFTFP8_GPU_DEVICE_H
#define SOFTFP8_GPU_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Words are as wide as their C type, 1, 2, 4 or 8 bytes, in the order of memory, and aligned as it
 * is; `in` and `out` do not overlap. A subject that takes pairs or quadruples is called with a
 * whole number of them: word 0 is the element .x, in the low bits. A code narrower than a byte has
 * the low bits of one; what is packed more densely (fp4x2) is unpacked: one code a byte. */
typedef struct gpu_subject {
    const char *name; /* "float2_to_fp8x2/e4m3/satfinite" */
    /* what of the headers it calls: "__nv_cvt_float2_to_fp8x2", "__nv_fp8_e4m3(float)",
     * "__nv_fp8_e4m3::operator unsigned int", types as they are spelled there */
    const char *covers;
    int in_bytes, out_bytes;
    int lanes; /* 1, 2, 4 */
    void (*run)(const void *in, void *out, size_t n);
} gpu_subject;

/* The version of the toolkit whose headers are compiled in, "13.0", or NULL. */
const char *gpu_toolkit(void);
/* Why there are no host subjects, or NULL. */
const char *gpu_host_missing(void);
const gpu_subject *gpu_host_subjects(size_t *count);

#ifdef __cplusplus
}
#endif

#endif
