/* SPDX-License-Identifier: MIT */
/* device.h -- the C interface of gpu/: conversions of the CUDA headers, and kernels on a GPU
 *
 * A subject is one conversion as the vendor offers it. Host subjects are the CPU paths of the CUDA
 * headers; device subjects run on the GPU. If CUDA was not available when this was built, the lists
 * are empty, and gpu_host_missing() and gpu_open() give the reason.
 */
#ifndef SOFTFP8_GPU_DEVICE_H
#define SOFTFP8_GPU_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#include "softfp8.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the CPU paths of the headers ------------------------------------------------------------ */

/* A conversion of arrays. Elements have the width and alignment of their C type, 1, 2, 4 or 8
 * bytes; `in` and `out` do not overlap. A subject of pairs or quadruples is called with a whole
 * number of them; element 0 is .x, in the low bits. A code narrower than a byte is in its low bits;
 * denser codes (fp4x2) are unpacked to one code a byte. */
typedef struct gpu_subject {
    const char *name; /* "float2_to_fp8x2/e4m3/satfinite" */
    /* what it calls in the headers: "__nv_cvt_float2_to_fp8x2", "__nv_fp8_e4m3(float)",
     * "__nv_fp8_e4m3::operator unsigned int"; types are spelled as there */
    const char *covers;
    int in_bytes, out_bytes;
    int lanes; /* 1, 2, 4 */
    void (*run)(const void *in, void *out, size_t n);
} gpu_subject;

/* Returns the version of the toolkit whose headers are compiled in, "13.0", or NULL. */
const char *gpu_toolkit(void);
/* Returns why there are no host subjects, or NULL. */
const char *gpu_host_missing(void);
const gpu_subject *gpu_host_subjects(size_t *count);

/* ---- the GPU --------------------------------------------------------------------------------- */

enum { GPU_LANES = 4, GPU_TEXT = 128 };

typedef struct gpu_device {
    char name[GPU_TEXT];   /* "NVIDIA H200" */
    char driver[GPU_TEXT]; /* "580.95.05", or what the runtime reports */
    char target[16];       /* what the kernels were compiled for: "sm_90a" */
    int emulated;          /* 1: it is this processor, through the shim, not a GPU */
} gpu_device;

/* Opens the device and describes it. Returns NULL, or why there is no device: "no GPU", "no nvcc".
 * A process that has called it must not fork. */
const char *gpu_open(gpu_device *device);

/* "yes" or "no", as plans and records say it; and what such a text says: returns 0 for any other.
 */
const char *gpu_emulated_text(const gpu_device *device);
int gpu_take_emulated(gpu_device *device, const char *text);

typedef struct gpu_device_subject {
    const char *name;   /* like a host subject's, or "cvt.rn.satfinite.e4m3x2.f32" */
    const char *covers; /* like a host subject's, or NULL */
    int in_bytes, out_bytes, lanes;
    const char *needs; /* the target that it is compiled for, "sm_100a", if not every one; or NULL.
                          Others may have the instruction too: sm_103a, some of them sm_120a */
    const char *group; /* its group of sources, see gpu_source: "fp8" "fp6" "fp4" "ptx" */
} gpu_device_subject;

const gpu_device_subject *gpu_device_subjects(size_t *count);
/* Returns the SHA-256 of the sources of a group of kernels, without comments; NULL if there is no
 * such group. It is available without CUDA too. */
const char *gpu_source(const char *group);
/* Returns the conversion instructions in the machine code of its kernel, each once, separated by
 * blanks: "F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C". Returns "" if there are none, NULL if no
 * disassembler was available. */
const char *gpu_device_sass(const gpu_device_subject *subject);

/* The inputs of a sweep. Each lane gets all inputs, in chunks of at most 2^28. Lanes with an odd
 * number get a chunk from its last input to its first, and lanes 2 and 3 begin in its middle, so
 * that the elements of a tuple are far from each other. */
typedef struct gpu_sweep {
    const gpu_device_subject *subject;
    const uint64_t *list; /* the inputs; NULL: 0 to count - 1 */
    uint64_t count;
    /* The oracle, which also runs on the device: the conversion of an input, with the random number
     * of its lane. With relu, a result with the sign bit that is not NaN becomes 0. */
    int check;
    sf8_format from, to;
    sf8_policy policy;
    uint32_t random[GPU_LANES];
    int relu;
} gpu_sweep;

/* A row: from the input with this index on, this code was returned. */
typedef struct gpu_row {
    uint64_t index, code;
} gpu_row;

/* The results of a lane as rows: neighbouring rows differ, and the first has index 0. The sums are
 * those of the codes, and of (index + 1) * code, modulo 2^64. They are computed on the device from
 * every code, and show that the rows are complete. If there was an oracle: the sums of its codes,
 * and the number of codes that differ. */
typedef struct gpu_lane {
    gpu_row *row;
    size_t rows;
    uint64_t sum, weighted;
    uint64_t right_sum, right_weighted, differ;
} gpu_lane;

typedef struct gpu_answer {
    int lanes;
    gpu_lane lane[GPU_LANES];
    double seconds; /* of the device; of the subject's kernel alone: */
    double subject_seconds;
    int too_many; /* there were more rows than fit: there are none then, but the sums are valid */
} gpu_answer;

/* The 16 random bits of a lane within the random number of a `cvt.rs` with four results, for codes
 * of 8 and 6 bits (bytes), or of 4 bits. */
uint32_t gpu_rbits_slice(int bytes, uint32_t word, int lane);

/* Runs a sweep. Returns NULL, or what went wrong; the process must not use the device after
 * that. */
const char *gpu_run(const gpu_sweep *sweep, gpu_answer *answer);
void gpu_answer_free(gpu_answer *answer);

/* ---- the project's own kernels: blocks ------------------------------------------------------- */

/* A kernel that quantizes a matrix by a recipe of softfp8_blocks.h, or reads one back. */
typedef struct gpu_kernel {
    const char *name;   /* "quantize/nvfp4-te/bf16", "dequantize/mxfp4-floor/f16" */
    const char *recipe; /* one of the recipes that give the same values */
    const char *tensor; /* "f32", "bf16", "f16" */
    int back;           /* 1: it reads codes and scales */
    int approximate;    /* 1: on a GPU its factors are reciprocals that may miss the last bit */
} gpu_kernel;

const gpu_kernel *gpu_kernels(size_t *count);

/* A matrix, row by row. Each row of codes begins with a new byte. Of two 4-bit codes the first is
 * in the low half of the byte, and the last byte of an odd row has 0 above. Scales are bytes,
 * linear or 128x4 as in sf8_layout; the padding of a tile is 0. */
typedef struct gpu_blocks {
    const gpu_kernel *kernel;
    size_t rows, columns; /* below 2^31 */
    int tiled;            /* 1: scales as 128x4 */
    float g;
    void *tensor;
    uint8_t *codes, *scales;
    size_t tensor_bytes, code_bytes, scale_bytes; /* of the arrays; not checked */
    int times;                                    /* timed launches after the first one; 0: none */
} gpu_blocks;

/* Runs a kernel. Returns NULL, or what went wrong, including "it wrote beyond its codes"; the
 * process must not use the device after that. *seconds receives the median of the timed
 * launches. */
const char *gpu_blocks_run(const gpu_blocks *b, double *seconds);
/* Returns the median time of a kernel that copies `bytes` bytes, a multiple of 16. Each launch uses
 * other memory, until `around` bytes were used. */
const char *gpu_copy_run(uint64_t bytes, uint64_t around, int times, double *seconds);

/* ---- the project's own kernels: KV caches ---------------------------------------------------- */

struct sf8_kv_layout; /* softfp8/kv/layout.h */

/* A kernel that stores tokens in the image of a cache, or gathers them: scale, range, cast and
 * place in one launch. */
typedef struct gpu_kv_kernel {
    const char *name;   /* "kv-store/fp8-per-token-head-interpreted/bf16", "kv-gather/copy16" */
    const char *recipe; /* "copy16": elements of 16 bits are moved unchanged */
    const char *tensor; /* "f32", "bf16", "f16"; NULL: elements of any format */
    int back;           /* 1: it gathers */
    int bits;           /* of an element of the image */
    const char *group;  /* of its sources, for gpu_source() */
} gpu_kv_kernel;

const gpu_kv_kernel *gpu_kv_kernels(size_t *count);

/* The arrays that a kernel writes or only reads. */
enum { GPU_KV_TENSOR, GPU_KV_TAIL, GPU_KV_IMAGE, GPU_KV_SCALES, GPU_KV_ARRAYS };

/* A store or a gather. Element d of a head of token i is at tensor[tensor_at + i * token_stride +
 * head * head_stride + d], and element d of its tail at tail[i * tail_stride + d]. In a layout of
 * one head without a tail, the last `second` elements of a row are there instead, like k_pe after
 * kv_c. The tensor begins `tensor_skew` bytes, a multiple of its element, beyond a multiple of 16,
 * and the image `image_skew` bytes. A slot that is negative or beyond the last one is skipped. If a
 * slot comes twice, either token may be left in it. `g` is one number, one for each head, or none.
 *
 * Nothing is stored in place: an image that overlaps the tensor or the tail is refused, and so are
 * strides with which a gather would write an element twice. All arrays are copied back from the
 * device, so that the caller can check the sources too.
 */
typedef struct gpu_kv {
    const gpu_kv_kernel *kernel;
    const struct sf8_kv_layout *layout;
    size_t tokens;
    const int64_t *slots;
    const float *g;
    size_t g_count;
    void *tensor, *tail;
    size_t tensor_bytes, tail_bytes, tensor_at, token_stride, head_stride, tail_stride;
    size_t second;
    uint8_t *image, *scales; /* scales: if the layout has them apart */
    size_t image_bytes, scale_bytes;
    size_t tensor_skew, image_skew; /* below 16 */
    int times;                      /* timed launches after the first one; 0: none */
    /* Launches alternate between copies of the arrays. There are enough copies to exceed a
     * cache of the device: at least this many bytes together, or GPU_KV_COPIES copies. */
    uint64_t around;
    /* Only on this processor, and if not NULL: the number of writes to each byte, and of accesses,
     * is added here. */
    unsigned char *writes[GPU_KV_ARRAYS];
    uint64_t *accesses[GPU_KV_ARRAYS];
} gpu_kv;

enum { GPU_KV_COPIES = 128 };

/* Runs a kernel, as gpu_blocks_run. Writing before or behind an array is an error: "it wrote before
 * its image". */
const char *gpu_kv_run(const gpu_kv *b, double *seconds);
/* Returns the median time of a kernel that divides and clamps `bytes` bytes of elements to elements
 * of the same size: the first of three steps where a store is not fused. `around` is as in
 * gpu_kv. */
const char *gpu_kv_clamp_run(const char *tensor, uint64_t bytes, uint64_t around, int times,
                             double *seconds);

/* ---- the project's own kernels: attention ---------------------------------------------------- */

struct sf8_attend; /* softfp8_attend.h */
struct sf8_mma;    /* softfp8_mma.h */

/* A kernel that computes what sf8_attend_n does, over one kind of cache. Its name gives the cache,
 * the sums, and the number of rows, queries of one head of the cache, that it processes at once. */
typedef struct gpu_attend_kernel {
    const char *name;  /* "attend/e4m3/mma-f16/8" */
    const char *cache; /* "f16", "bf16", "e4m3", "e5m2", "nvfp4", "mxfp4", "int4" */
    const char *sums;  /* as in sf8_attend_sums_named */
    int rows;
} gpu_attend_kernel;

const gpu_attend_kernel *gpu_attends(size_t *count);
/* Returns the bytes of shared memory that a block of the kernel needs for the longest rows that it
 * takes; 0 if this was built without kernels. A GPU of sm_90 or sm_100 has 227 KiB for a block, one
 * of sm_89 or sm_120 has 99. */
uint64_t gpu_attend_shared(const gpu_attend_kernel *kernel);
/* The bytes of shared memory that the device has for a block. Returns NULL, or what went wrong. On
 * this processor it is UINT64_MAX, or for tests what the environment variable SOFTFP8_SHIM_SHARED
 * says. */
const char *gpu_shared(uint64_t *bytes);

/* The images of a batch on the device, so that runs over the same ones copy them there once; all
 * NULL at first. */
typedef struct gpu_attend_images {
    unsigned char *room[4];
} gpu_attend_images;

/* Requests that share everything except q, out, lse, keys, queries, first and blocks. Images have
 * the order of rows, sizes that are multiples of 16 up to 256, or with 32 rows up to 128; with
 * block scales a row has at least two blocks. q and out are f32, f16 or bf16; lse is written too.
 * Each request is split into `splits` parts of chunks, from 1 on. If `shared` is not 0, all
 * requests have their first `shared` chunks in the same blocks; these are computed once for all of
 * them, as parts of their own. A piece is one span of one part; with `at_once` the spans of a part
 * that begins with the first key are one piece. With `free_order` chunks are joined as they come,
 * which gives other bits; it measures what spans cost.
 *
 * `unit` is the model of the instruction that sums, hopper-hmma, which a device ignores; NULL if
 * the sums are exact.
 */
typedef struct gpu_attend {
    const gpu_attend_kernel *kernel;
    const struct sf8_mma *unit;
    const struct sf8_attend *requests;
    size_t count, splits, shared;
    int at_once, free_order;
    int times;                 /* timed launches after the first one; 0: none */
    gpu_attend_images *images; /* where the images stay after the run; NULL: nowhere */
} gpu_attend;

/* Runs a kernel, as gpu_kv_run. Images must be unchanged afterwards, and nothing may be written
 * around the outputs. */
const char *gpu_attend_run(const gpu_attend *b, double *seconds);
const char *gpu_attend_images_free(gpu_attend_images *images);

/* ---- the project's own kernels: parts of attention joined ------------------------------------ */

/* A kernel that joins the parts of rows by a rule. The rules of docs/spec/attend/merging.md join
 * two parts at a time, one after the other ("vllm", "vllm-triton", "flashinfer"). Those of
 * docs/spec/attend/parts.md join all at once ("flashinfer-states", "fa3", "segments",
 * "partitions"). */
typedef struct gpu_merge_kernel {
    const char *name;   /* "merge/fa3/bf16" */
    const char *rule;   /* "fa3" */
    const char *words;  /* of parts and output: "f32", "bf16" */
    int sums;           /* 1: a part has its largest score and the sum of exponentials, not its
                           lse */
    const char *theirs; /* what the stack's own kernel computes with, if that differs */
} gpu_merge_kernel;

const gpu_merge_kernel *gpu_merges(size_t *count);

/* Parts to be joined: channel c of row r of part k is element (k rows + r) channels + c, its lse is
 * element k rows + r. There are 1 to 64 parts; "segments" needs a power of two. */
typedef struct gpu_merge {
    const gpu_merge_kernel *kernel;
    size_t parts, rows, channels;
    size_t joined; /* rows from this one on are copies of the last part's */
    int fuse;      /* 1: nvcc's default; 0: every product is rounded */
    const void *part_out;
    const uint32_t *part_lse, *part_sum; /* part_sum: NULL if the kernel does not use it */
    void *out;
    uint32_t *lse;
    /* Further launches with the same parts, as long as each gives this; out and lse are from the
     * last one. */
    int times;
    const void *right_out;
    const uint32_t *right_lse;
} gpu_merge;

/* Runs a kernel. Returns NULL, or what went wrong, as gpu_attend_run. */
const char *gpu_merge_run(const gpu_merge *m);

/* ---- the links of "softfp8 kv chain" ----------------------------------------------------------
 */

/* A link of a chain as a kernel: `in` numbers for an item to `out` numbers; kernels/chain/chain.h
 * explains them. */
typedef struct gpu_link {
    const char *name; /* "scale" */
    int in, out;      /* in: 0: the caller decides */
} gpu_link;

const gpu_link *gpu_links(size_t *count);
/* Runs it on `count` items of n numbers. Returns NULL, or what went wrong, as gpu_run. */
const char *gpu_link_run(const gpu_link *link, size_t n, const uint32_t *in, uint32_t *out,
                         size_t count);

/* ---- matrix units: what an instruction adds up to ---------------------------------------------
 */

struct sf8_mma; /* softfp8_mma.h */

/* An instruction: D = A B + C on a tile. A has `rows` rows of k codes, B `columns` rows, both along
 * k. C and D have an element of 32 bits each, whatever `out` is. Codes are bytes, uint16_t, or
 * uint32_t for tf32. */
typedef struct gpu_mma {
    const char *name; /* "wgmma.m64n8k32/e4m3.e5m2/f32/ss"; "/neg-a": A negated */
    const char *unit; /* the name of its model */
    const char *a, *b, *out;
    int rows, columns, k;
    int a_bytes; /* format of a code of a; of b too */
    int negate_a, negate_b;
    int scales; /* 1: it can leave C out */
} gpu_mma;

const gpu_mma *gpu_mmas(size_t *count);
/* Returns the computing opcodes of its kernel with their counts, "2xHMMA.16816.F32", separated by
 * blanks; "" if there are none, NULL if no disassembler was available. */
const char *gpu_mma_sass(const gpu_mma *m);

/* Multiplies tiles, one after the other. `unit` is the model, which a device ignores. With scale_d
 * 0, C is left out. Returns NULL, or what went wrong, as gpu_run. */
typedef struct gpu_mma_tiles {
    const gpu_mma *mma;
    const struct sf8_mma *unit;
    const void *a, *b;
    const uint32_t *c;
    uint32_t *d;
    uint32_t count;
    int scale_d;
} gpu_mma_tiles;

const char *gpu_mma_run(const gpu_mma_tiles *t);

/* The contents of the tiles of a sweep.
 *
 *     accumulators  products of zeros, of both signs, and each accumulator in turn
 *     pairs         two products, every quadruple of codes; only for codes of 8 bits
 *     triples       three products of every class, which is sign, exponent and significand: each
 *                   triple of codes of A with each triple of codes of B that have the two least or
 *                   the two largest exponents; if the formats differ, of every value; only for
 *                   codes of 8 bits
 *     bits          any codes and accumulators
 *     finite        finite codes, and an accumulator with an exponent near those of the products
 *     cancel        products that cancel, and small ones; or all alike
 *     small         zeros and subnormal codes
 *     normal        normally distributed, some of them large
 *     chain         the same, where D becomes the next C, for 128 steps
 */
enum {
    GPU_MMA_ACCUMULATORS,
    GPU_MMA_PAIRS,
    GPU_MMA_TRIPLES,
    GPU_MMA_BITS,
    GPU_MMA_FINITE,
    GPU_MMA_CANCEL,
    GPU_MMA_SMALL,
    GPU_MMA_NORMAL,
    GPU_MMA_CHAIN,
    GPU_MMA_KINDS
};
enum { GPU_MMA_STEPS = 128, GPU_MMA_MISSES = 16 };

/* The codes of B in `triples`, by the bits of exponents and of B's mantissa: those of four
 * exponents, plus one in the middle if A has fewer of them. */
#define GPU_MMA_TRIPLES_B(a_exp, b_exp, b_man) ((UINT64_C(4) + ((b_exp) > (a_exp))) << (b_man))

/* An element that differs. */
typedef struct gpu_mma_miss {
    uint64_t tile;
    int row, column;
    unsigned char a[32], b[32];
    uint32_t c, got, right;
} gpu_mma_miss;

/* Tiles `first`, `first` + stride, ... are made and multiplied on the device, and compared with the
 * unit there. A sample of about one of `sample` tiles, chosen by number, is passed to the
 * caller. */
typedef struct gpu_mma_sweep {
    const gpu_mma *mma;
    const struct sf8_mma *unit;
    int kind;
    uint64_t seed, first, stride, count, sample;
    void (*tell)(void *context, uint64_t tile, const gpu_mma_tiles *t);
    void *context;
} gpu_mma_sweep;

typedef struct gpu_mma_answer {
    uint64_t elements, differ;
    gpu_mma_miss miss[GPU_MMA_MISSES];
    int misses;
    double seconds; /* of the device; of the instruction: */
    double mma_seconds;
} gpu_mma_answer;

const char *gpu_mma_sweep_run(const gpu_mma_sweep *s, gpu_mma_answer *answer);

/* ---- matrix units: sparse A ------------------------------------------------------------------ */

/* The instructions whose A keeps two of each four codes along k. `k` is the number that a row
 * keeps, 32 of 64; the unit sums the products of those. */
const gpu_mma *gpu_mma_sparses(size_t *count);
const char *gpu_mma_sparse_sass(const gpu_mma *m);

/* A row of A is its kept codes, group by group. `kept` has for each row 16 numbers of 4 bits, the
 * first in the low half of a byte: the positions of the two codes of each group, the first in the
 * low two bits and less than the second. A row of B has 64 codes. */
typedef struct gpu_mma_sparse_tiles {
    const gpu_mma *mma;
    const struct sf8_mma *unit;
    const void *a, *kept, *b;
    const uint32_t *c;
    uint32_t *d;
    uint32_t count;
    int scale_d;
} gpu_mma_sparse_tiles;

const char *gpu_mma_sparse_run(const gpu_mma_sparse_tiles *t);

/* ---- products of matrices, by cuBLASLt ------------------------------------------------------- */

/* The products that the library computes, and what it is documented to do. */
typedef struct gpu_gemm {
    const char *name; /* "cublaslt/e4m3.e4m3/bf16/fast" */
    const char *a, *b, *out;
    int fast;             /* CUBLASLT_MATMUL_DESC_FAST_ACCUM */
    const char *schedule; /* of sf8_mma_schedule_at() */
} gpu_gemm;

const gpu_gemm *gpu_gemms(size_t *count);
/* Returns why there is no library: "no cuBLASLt when this was built"; or NULL. */
const char *gpu_gemm_missing(void);

/* D = alpha scale_a scale_b A B, where the factors are f32. A has `rows` rows of k codes, B
 * `columns` rows, both along k; all three are multiples of 16. d receives elements of `out`, row by
 * row. */
typedef struct gpu_product {
    const gpu_gemm *gemm;
    size_t rows, columns, k;
    const uint8_t *a, *b;
    uint32_t alpha, scale_a, scale_b;
    uint32_t *d;
} gpu_product;

/* The first algorithm of the library's heuristic: numbers of its own enumerations, except the
 * splits of K; -1: not reported. */
typedef struct gpu_gemm_choice {
    long version; /* cublasLtGetVersion() */
    int algo, tile, stages, splits, reduction, swizzle, custom, inner, cluster;
    double seconds;
} gpu_gemm_choice;

/* Computes a product. Returns NULL, or what went wrong, as gpu_run. */
const char *gpu_gemm_run(const gpu_product *p, gpu_gemm_choice *choice);

#ifdef __cplusplus
}
#endif

#endif
