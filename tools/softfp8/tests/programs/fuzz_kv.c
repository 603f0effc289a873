/* SPDX-License-Identifier: MIT */
/* fuzz_kv.c -- lists of scales on any bytes: what was read is written so that it is read the same
 */
#include "kv/doctor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    uint32_t scales[MOST], again[MOST];
    char text[MOST * 11 + 1];
    input_error error = {.text = ""};
    size_t count = kv_scales_read((const char *)data, size, scales, MOST, &error), used = 0;
    if (count == 0) {
        if (!error.text[0] || error.byte > size || error.line)
            abort();
        return 0;
    }
    if (count > MOST)
        abort();
    for (size_t i = 0; i < count; i++) {
        if (scales[i] == 0 || scales[i] >= SF8_F32_INF)
            abort();
        used += (size_t)snprintf(text + used, sizeof text - used, "0x%08x,", (unsigned)scales[i]);
    }
    if (kv_scales_read(text, used - 1, again, MOST, &error) != count ||
        memcmp(scales, again, count * sizeof scales[0]) != 0)
        abort();
    return 0;
}
