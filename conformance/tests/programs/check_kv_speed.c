/* SPDX-License-Identifier: MIT */
/* check_kv_speed.c -- the report about the speed of kernels of KV caches: bytes, shares, goals
 *
 * No GPU is used: the bytes that a launch moves are counted by hand, and times are invented.
 */
#include "checks.h"
#include "families/kv/kv.h"

#include <stdlib.h>
#include <string.h>

/* Of 20 tokens 16 have a slot; each slot number is read. */
static void bytes(const char *kernel, kv_place place, uint64_t of_token)
{
    size_t count;
    const gpu_kv_kernel *list = gpu_kv_kernels(&count);
    char got[96];
    kv_subject s;
    kv_set set;
    kv_arrays a;
    uint64_t right = 16 * of_token + 20 * 8, came = 0;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(list[i].name, kernel) != 0)
            continue;
        if (!kv_subject_of(&s, &list[i], place))
            break;
        kv_set_timed(&s, 20, &set);
        if (!kv_arrays_make(&a, &s, &set))
            came = kv_bytes_moved(&a, &s, &set);
        kv_arrays_free(&a);
    }
    snprintf(got, sizeof got, "%llu bytes, not %llu", (unsigned long long)came,
             (unsigned long long)right);
    check(came == right, kernel, got);
}

static void all_bytes(void)
{
    bytes("kv-store/kv-vllm/bf16", KV_NHD, 8 * 128 * 3);
    bytes("kv-store/kv-vllm/f32", KV_COLUMNS, 8 * 128 * 5);
    bytes("kv-gather/kv-vllm/f16", KV_XPACKED, 8 * 128 * 3);
    bytes("kv-store/copy16", KV_HND, 8 * 128 * 4);
    bytes("kv-store/kv-vllm/bf16", KV_MLA, 576 * 3);
    bytes("kv-store/fp8-per-token-head-interpreted/bf16", KV_NHD, 8 * (128 * 3 + 4));
    bytes("kv-store/fp8-per-token-head-interpreted/bf16", KV_TOKEN, 8 * 128 * 3 + 4);
    bytes("kv-store/int4-per-token-head-interpreted/bf16", KV_HND, 8 * (256 + 64 + 4));
    bytes("kv-store/nvfp4-te/bf16", KV_PAGE_V, 8 * (256 + 64 + 8));
    bytes("kv-store/kv-vllm-ds-mla/bf16", KV_DS_MLA, 1024 + 656 + 128);
    bytes("kv-store/kv-vllm-indexer-ue8m0/f32", KV_INDEXER, 512 + 128 + 4);
}

static void text(const conform_speed *speed, size_t count, const char *right)
{
    char got[CONFORM_LONG];
    kv_speed_text(got, sizeof got, speed, count);
    check(strcmp(got, right) == 0, right, got);
}

static void all_texts(void)
{
    static const conform_speed three[CONFORM_SPEEDS] = {
        {4096, 12000000, 4000, 3600, 5000, 12000},
        {16384, 48000000, 16000, 13600, 20000, 40000},
        {131072, 384000000, 120000, 108000, 120000, 300000},
    };
    conform_speed other[CONFORM_SPEEDS];
    text(three, 3,
         "4096 tokens: 4.0 us, 3.00 TB/s, 90 % of a copy, unconverted values 5.0, three launches "
         "12.0; "
         "16384 tokens: 16.0 us, 3.00 TB/s, 85 % of a copy, unconverted values 20.0, three launches "
         "40.0; 131072 tokens: 120.0 us, 3.20 TB/s, 90 % of a copy, unconverted values 120.0, three "
         "launches 300.0; goals: 85 % of a copy reached, no slower than unconverted values reached, "
         "faster than three launches reached");
    memcpy(other, three, sizeof other);
    other[1].copy = 13599;
    other[2].as_they_are = 119000;
    other[0].three = 4000;
    text(other, 3,
         "4096 tokens: 4.0 us, 3.00 TB/s, 90 % of a copy, unconverted values 5.0, three launches "
         "4.0; "
         "16384 tokens: 16.0 us, 3.00 TB/s, 84 % of a copy, unconverted values 20.0, three launches "
         "40.0; 131072 tokens: 120.0 us, 3.20 TB/s, 90 % of a copy, unconverted values 119.0, three "
         "launches 300.0; goals: 85 % of a copy missed, no slower than unconverted values missed, "
         "faster than three launches missed");
    other[0].as_they_are = other[0].three = 0;
    text(other, 1, "4096 tokens: 4.0 us, 3.00 TB/s, 90 % of a copy; goals: 85 % of a copy reached");
    other[0].took = 0;
    text(other, 1, "");
    text(other, 0, "");
}

int main(void)
{
    all_bytes();
    all_texts();
    printf("%d checks, %d failures\n", checks, failures);
    return failures != 0;
}
