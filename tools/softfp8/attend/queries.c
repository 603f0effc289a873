/* SPDX-License-Identifier: MIT */
/* queries.c -- queries that are cast to 8 bits before attention, as FP8 kernels do; numbers */
#include "attend/attend.h"

#include <stdlib.h>
#include <string.h>

uint32_t attend_number(const char *option, const char *text)
{
    uint32_t word;
    const char *wrong = recipe_g_wrong(text, &word);
    if (wrong)
        fail("--%s %s: %s", option, text, wrong);
    if ((word & 0x7fffffff) >= SF8_F32_INF)
        fail("--%s %s: expected a finite number", option, text);
    return word;
}

/* The head of the cache that the i-th value of the queries belongs to. */
static size_t kv_head_of(const attend_request *r, size_t i)
{
    return i / r->k.dim % r->heads / (r->heads / r->kv_heads);
}

/* scale[kv] = the largest magnitude / 448: of the queries of that head of the cache, or of all. */
static void scales_of_amax(attend_request *r, const char *text)
{
    int by_head = strcmp(text, "head") == 0;
    size_t words = r->queries * r->heads * r->k.dim;
    uint32_t *amax = r->q_scales;
    memset(amax, 0, r->kv_heads * sizeof *amax);
    for (size_t i = 0; i < words; i++) {
        uint32_t magnitude = tensor_f32(&r->q, i) & 0x7fffffff;
        size_t kv = by_head ? kv_head_of(r, i) : 0;
        amax[kv] = magnitude <= SF8_F32_INF && magnitude > amax[kv] ? magnitude : amax[kv];
    }
    for (size_t kv = 0; kv < r->kv_heads; kv++) {
        uint32_t most = amax[by_head ? kv : 0];
        if (most == 0 || most == SF8_F32_INF)
            fail("--q-scale %s: the largest magnitude of the queries gives no scale", text);
    }
    for (size_t kv = r->kv_heads; kv-- > 0;)
        r->q_scales[kv] =
            (uint32_t)sf8_div(SF8_F32, amax[by_head ? kv : 0], 0x43e00000, SF8_OCP_NOSAT).code;
}

/* One number, or one for each head of the cache, separated by commas. */
static void scales_given(attend_request *r, const char *text)
{
    char *copy = allocate(strlen(text) + 1, 1), *next = copy;
    size_t n = 0;
    memcpy(copy, text, strlen(text) + 1);
    for (char *number = copy; next; number = next) {
        next = strchr(number, ',');
        if (next)
            *next++ = '\0';
        uint32_t scale = attend_number("q-scale", number);
        if (scale == 0 || scale >> 31)
            fail("--q-scale %s: expected numbers above 0", text);
        if (n < r->kv_heads)
            r->q_scales[n] = scale;
        n++;
    }
    if (n != 1 && n != r->kv_heads)
        fail("--q-scale %s: %zu numbers; expected one, or one for each of the %zu key/value heads",
             text, n, r->kv_heads);
    for (size_t kv = n; kv < r->kv_heads; kv++)
        r->q_scales[kv] = r->q_scales[0];
    free(copy);
}

void attend_cast_queries(attend_request *r, const char *text)
{
    size_t words = r->queries * r->heads * r->k.dim;
    uint8_t *codes = allocate(words + 1, 1);
    r->q_scales = allocate(r->kv_heads, sizeof *r->q_scales);
    if (strcmp(text, "tensor") == 0 || strcmp(text, "head") == 0)
        scales_of_amax(r, text);
    else
        scales_given(r, text);
    for (size_t i = 0; i < words; i++) {
        uint64_t inverse =
            sf8_div(SF8_F32, SF8_F32_ONE, r->q_scales[kv_head_of(r, i)], SF8_OCP_NOSAT).code;
        uint64_t x = sf8_mul(SF8_F32, tensor_f32(&r->q, i), inverse, SF8_OCP_NOSAT).code;
        codes[i] = (uint8_t)sf8_convert(SF8_E4M3, SF8_F32, x, SF8_CUDA_SATFINITE);
    }
    free(r->q.words);
    r->q.words = codes;
    r->q.format = SF8_E4M3;
    r->q.format_name = "e4m3";
}
