/* SPDX-License-Identifier: MIT */
/* fuzz_gguf.c -- any bytes as a .gguf file: each tensor lies within it, and its blocks are read */
#include "checkpoint/layers.h"
#include "files/gguf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void check_tensor(const safetensors *s, const safetensor *t, size_t size)
{
    layer l;
    layer_measure m;
    if (t->begin > size || t->bytes > size - t->begin || t->dimensions > GGUF_AXES ||
        strlen(t->name) >= GGUF_NAME * 4 || strlen(t->dtype) >= sizeof t->dtype)
        if (t->bytes)
            abort();
    if (!layer_of(s, t, &l) || !l.scheme)
        return;
    layer_measure_all(s, &l, NULL, NULL, NULL, &m);
    if (m.nan_scales + m.zero_scales + m.negative_scales > m.scales)
        abort();
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    safetensors s;
    gguf_parts parts;
    input_error error = {.text = ""};
    FILE *stream = size ? fmemopen((void *)(size_t)data, size, "rb") : NULL;
    if (!stream)
        return 0;
    memset(&s, 0, sizeof s);
    s.path = allocate(1, sizeof s.path[0]);
    s.stream = allocate(1, sizeof s.stream[0]);
    s.path[0] = text_of("any");
    s.stream[0] = stream;
    if (!gguf_read(&s, stream, size, &parts, &error)) {
        if (!error.text[0] || error.byte > size)
            abort();
    } else {
        for (size_t i = 0; i < s.count; i++)
            check_tensor(&s, &s.tensor[i], size);
    }
    s.files = 1;
    safetensors_close(&s);
    return 0;
}
