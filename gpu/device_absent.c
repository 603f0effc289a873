/* SPDX-License-Identifier: MIT */
/* device_absent.c -- the engine where there is no nvcc: it returns the reason; the list where there
 * are no headers */
#include "device.h"

#include <string.h>

const char *gpu_open(gpu_device *device)
{
    memset(device, 0, sizeof *device);
    return SOFTFP8_DEVICE_MISSING;
}

#if !SOFTFP8_GPU_LIST
const gpu_device_subject *gpu_device_subjects(size_t *count)
{
    *count = 0;
    return NULL;
}
#endif

const char *gpu_device_sass(const gpu_device_subject *subject)
{
    (void)subject;
    return NULL;
}

const char *gpu_run(const gpu_sweep *sweep, gpu_answer *answer)
{
    (void)sweep;
    memset(answer, 0, sizeof *answer);
    return SOFTFP8_DEVICE_MISSING;
}

void gpu_answer_free(gpu_answer *answer)
{
    memset(answer, 0, sizeof *answer);
}

const char *gpu_blocks_run(const gpu_blocks *b, double *seconds)
{
    (void)b;
    *seconds = 0;
    return SOFTFP8_DEVICE_MISSING;
}

const char *gpu_copy_run(uint64_t bytes, uint64_t around, int times, double *seconds)
{
    (void)bytes;
    (void)around;
    (void)times;
    *seconds = 0;
    return SOFTFP8_DEVICE_MISSING;
}

const char *gpu_kv_run(const gpu_kv *b, double *seconds)
{
    (void)b;
    *seconds = 0;
    return SOFTFP8_DEVICE_MISSING;
}

const char *gpu_kv_clamp_run(const char *tensor, uint64_t bytes, uint64_t around, int times,
                             double *seconds)
{
    (void)tensor;
    (void)bytes;
    (void)around;
    (void)times;
    *seconds = 0;
    return SOFTFP8_DEVICE_MISSING;
}

const char *gpu_attend_images_free(gpu_attend_images *images)
{
    (void)images;
    return NULL;
}

const char *gpu_attend_run(const gpu_attend *b, double *seconds)
{
    (void)b;
    *seconds = 0;
    return SOFTFP8_DEVICE_MISSING;
}

const char *gpu_merge_run(const gpu_merge *m)
{
    (void)m;
    return SOFTFP8_DEVICE_MISSING;
}

const char *gpu_link_run(const gpu_link *link, size_t n, const uint32_t *in, uint32_t *out,
                         size_t count)
{
    (void)link;
    (void)n;
    (void)in;
    (void)out;
    (void)count;
    return SOFTFP8_DEVICE_MISSING;
}
