/* SPDX-License-Identifier: MIT */
/* fuzz_safetensors.c -- the head of a .safetensors file on any bytes: each tensor that is read lies
 * within the file
 */
#include "files/safetensors.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    const uint64_t room = 4096;
    safetensors s;
    input_error error = {.text = ""};
    memset(&s, 0, sizeof s);
    if (!safetensors_parse(&s, (const char *)data, size, room, &error)) {
        if (!error.text[0] || error.byte > 8 + size)
            abort();
    } else {
        for (size_t i = 0; i < s.count; i++) {
            const safetensor *t = &s.tensor[i];
            if (t->begin + t->bytes > room || t->dimensions > SAFETENSORS_AXES ||
                strlen(t->name) >= sizeof t->name || strlen(t->dtype) >= sizeof t->dtype)
                abort();
        }
    }
    safetensors_close(&s);
    return 0;
}
