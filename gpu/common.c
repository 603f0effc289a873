/* SPDX-License-Identifier: MIT */
/* common.c -- what is the same with CUDA and without */
#include "device.h"
#include "kernels/attend/list.h"
#include "kernels/chain/list.h"
#include "kernels/kv/list.h"
#include "kernels/blocks/list.h"
#include "kernels/merge/list.h"
#include "mma/list.h"
#include "random_bits.h"

#include <string.h>

/* By pairs, a name and a hash, and NULL; written by source_hash.c when this is built. */
extern const char *const gpu_source_table[];

const char *gpu_source(const char *group)
{
    for (const char *const *row = gpu_source_table; *row; row += 2)
        if (strcmp(row[0], group) == 0)
            return row[1];
    return NULL;
}

const char *gpu_emulated_text(const gpu_device *device)
{
    return device->emulated ? "yes" : "no";
}

int gpu_take_emulated(gpu_device *device, const char *text)
{
    device->emulated = strcmp(text, "yes") == 0;
    return device->emulated || strcmp(text, "no") == 0;
}

uint32_t gpu_rbits_slice(int bytes, uint32_t word, int lane)
{
    return rbits_slice(bytes, word, lane);
}

#define QUANTIZE(recipe, rule, approximate)                                                        \
    {"quantize/" recipe "/f32", recipe, "f32", 0, approximate},                                    \
        {"quantize/" recipe "/bf16", recipe, "bf16", 0, approximate},                              \
        {"quantize/" recipe "/f16", recipe, "f16", 0, approximate},
#define DEQUANTIZE(recipe, rule, approximate)                                                      \
    {"dequantize/" recipe "/f32", recipe, "f32", 1, approximate},                                  \
        {"dequantize/" recipe "/bf16", recipe, "bf16", 1, approximate},                            \
        {"dequantize/" recipe "/f16", recipe, "f16", 1, approximate},

const gpu_kernel *gpu_kernels(size_t *count)
{
    static const gpu_kernel kernels[] = {KERNELS_QUANTIZE(QUANTIZE) KERNELS_DEQUANTIZE(DEQUANTIZE)};
    *count = sizeof kernels / sizeof kernels[0];
    return kernels;
}

/* ---- KV caches ------------------------------------------------------------------------------- */

#define KV_ROW(kind, recipe, word, back, bits, group)                                              \
    {kind "/" recipe "/" word, recipe, word, back, bits, group},
#define KV_ROWS(kind, recipe, back, bits, halves)                                                  \
    KV_ROW(kind, recipe, "f32", back, bits, "kv")                                                  \
    KV_ROW(kind, recipe, "bf16", back, bits, halves)                                               \
    KV_ROW(kind, recipe, "f16", back, bits, halves)
#define KV_STORE_ROWS(recipe, rule, bits) KV_ROWS("kv-store", recipe, 0, bits, "kv")
#define KV_STORE_FOUR_ROWS(recipe, rule, bits)                                                     \
    KV_ROW("kv-store", recipe, "f32", 0, bits, "kv")                                               \
    KV_ROW("kv-store", recipe, "bf16", 0, bits, "kvfour")                                          \
    KV_ROW("kv-store", recipe, "f16", 0, bits, "kv")
#define KV_STORE_OF_ROW(recipe, rule, bits, word) KV_ROW("kv-store", recipe, #word, 0, bits, "kv")
#define KV_GATHER_ROWS(recipe, rule, bits) KV_ROWS("kv-gather", recipe, 1, bits, "kv")
#define KV_GATHER_TABLE_ROWS(recipe, rule, bits) KV_ROWS("kv-gather", recipe, 1, bits, "kvtable")
#define KV_COPY_ROWS(name, bits)                                                                   \
    {"kv-store/" name, name, NULL, 0, bits, "kv"}, {"kv-gather/" name, name, NULL, 1, bits, "kv"},

const gpu_kv_kernel *gpu_kv_kernels(size_t *count)
{
    static const gpu_kv_kernel kernels[] = {
        KV_STORE(KV_STORE_ROWS) KV_STORE_FOUR(KV_STORE_FOUR_ROWS) KV_STORE_OF(KV_STORE_OF_ROW)
            KV_GATHER(KV_GATHER_ROWS) KV_GATHER_TABLE(KV_GATHER_TABLE_ROWS) KV_COPY(KV_COPY_ROWS)};
    *count = sizeof kernels / sizeof kernels[0];
    return kernels;
}

/* ---- the chain ------------------------------------------------------------------------------- */

#define LINK_ROW(name, link, in, out) {name, in, out},

const gpu_link *gpu_links(size_t *count)
{
    static const gpu_link links[] = {CHAIN_LINKS(LINK_ROW, LINK_ROW)};
    *count = sizeof links / sizeof links[0];
    return links;
}

/* ---- attention ------------------------------------------------------------------------------- */

#define ATTEND_ROW(cache, sums, rows, type)                                                        \
    {"attend/" #cache "/" sums "/" #rows, #cache, sums, rows},

const gpu_attend_kernel *gpu_attends(size_t *count)
{
    static const gpu_attend_kernel kernels[] = {ATTEND_LIST(ATTEND_ROW)};
    *count = sizeof kernels / sizeof kernels[0];
    return kernels;
}

/* ---- parts of attention ---------------------------------------------------------------------- */

#define MERGE_ROW(rule, type, words, sums, theirs)                                                 \
    {"merge/" rule "/" #words, rule, #words, sums, theirs},

const gpu_merge_kernel *gpu_merges(size_t *count)
{
    static const gpu_merge_kernel kernels[] = {MERGE_LIST(MERGE_ROW)};
    *count = sizeof kernels / sizeof kernels[0];
    return kernels;
}

/* ---- matrix units ---------------------------------------------------------------------------- */

enum { ROWS_sync = 16, ROWS_wgmma = 64, SCALES_sync = 0, SCALES_wgmma = 1 };
enum { NEGATE_plus = 0, NEGATE_minus = 1 };
enum { BYTES_e4m3 = 1, BYTES_e5m2 = 1, BYTES_f16 = 2, BYTES_bf16 = 2, BYTES_tf32 = 4 };

#define NAME_sync(n, k) "mma.sync.m16n" #n "k" #k
#define NAME_wgmma(n, k) "wgmma.m64n" #n "k" #k
#define SOURCE_whole ""
#define SOURCE_half ""
#define SOURCE_ss "/ss"
#define SOURCE_rs "/rs"
#define A_plus ""
#define A_minus "/neg-a"
#define B_plus ""
#define B_minus "/neg-b"
#define MMA_ROW(kind, n, k, a, b, out, source, sign_a, sign_b, unit)                               \
    {NAME_##kind(n, k) "/" #a "." #b "/" #out SOURCE_##source A_##sign_a B_##sign_b,               \
     unit,                                                                                         \
     #a,                                                                                           \
     #b,                                                                                           \
     #out,                                                                                         \
     ROWS_##kind,                                                                                  \
     n,                                                                                            \
     k,                                                                                            \
     BYTES_##a,                                                                                    \
     NEGATE_##sign_a,                                                                              \
     NEGATE_##sign_b,                                                                              \
     SCALES_##kind},

const gpu_mma *gpu_mmas(size_t *count)
{
    static const gpu_mma mmas[] = {MMA_LIST(MMA_ROW)};
    *count = sizeof mmas / sizeof mmas[0];
    return mmas;
}

#define MMA_SPARSE_ROW(n, a, b, out, source)                                                       \
    {"wgmma.sp.m64n" #n "k64/" #a "." #b "/" #out SOURCE_##source,                                 \
     "hopper-qgmma",                                                                               \
     #a,                                                                                           \
     #b,                                                                                           \
     #out,                                                                                         \
     64,                                                                                           \
     n,                                                                                            \
     32,                                                                                           \
     1,                                                                                            \
     0,                                                                                            \
     0,                                                                                            \
     1},

const gpu_mma *gpu_mma_sparses(size_t *count)
{
    static const gpu_mma mmas[] = {MMA_SPARSE_LIST(MMA_SPARSE_ROW)};
    *count = sizeof mmas / sizeof mmas[0];
    return mmas;
}

/* ---- products of matrices -------------------------------------------------------------------- */

#define GEMM_ROWS(out)                                                                             \
    {"cublaslt/e4m3.e4m3/" out "/fast", "e4m3", "e4m3", out, 1, "cublaslt-fast"},                  \
        {"cublaslt/e4m3.e4m3/" out "/promoted", "e4m3", "e4m3", out, 0, "cublaslt-promoted"},

const gpu_gemm *gpu_gemms(size_t *count)
{
    static const gpu_gemm gemms[] = {GEMM_ROWS("f32") GEMM_ROWS("bf16") GEMM_ROWS("f16")};
    *count = sizeof gemms / sizeof gemms[0];
    return gemms;
}
