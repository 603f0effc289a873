/* SPDX-License-Identifier: MIT */
/* device.h -- the plain C face of gpu/: what the CUDA headers and the GPU are asked
 *
 * A subject is one conversion as the vendor offers it: words in, words out. Host subjects are the
 * CPU paths of the CUDA headers; device subjects run on the GPU. Where CUDA was not there when
 * this was built the lists are empty and gpu_host_missing(), gpu_open() say why.
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

/* ---- the GPU --------------------------------------------------------------------------------- */

enum { GPU_LANES = 4, GPU_TEXT = 128 };

typedef struct gpu_device {
    char name[GPU_TEXT];   /* "NVIDIA H200" */
    char driver[GPU_TEXT]; /* "580.95.05", or what the runtime tells of it */
    char target[16];       /* what the kernels were compiled for: "sm_90a" */
    int emulated;          /* it is this processor, through the shim: no record of a GPU */
} gpu_device;

/* NULL, and the device is described; or why there is none: "no GPU", "no nvcc". A process that has
 * called it does not fork. */
const char *gpu_open(gpu_device *device);

typedef struct gpu_device_subject {
    const char *name;   /* as a host subject's, or "cvt.rn.satfinite.e4m3x2.f32" */
    const char *covers; /* as a host subject's, or NULL */
    int in_bytes, out_bytes, lanes;
    const char *needs; /* the target it is compiled for alone, "sm_100a"; or NULL */
    const char *group; /* of sources, see gpu_source: "fp8" "fp6" "fp4" "ptx" */
} gpu_device_subject;

const gpu_device_subject *gpu_device_subjects(size_t *count);
/* SHA-256 of the sources that the kernels of a group are made of, comments left out; NULL if there
 * is no such group. It is there without CUDA as well. */
const char *gpu_source(const char *group);
/* The conversion instructions of the machine code of its kernel, each once, with a blank between:
 * "F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C"; "" where there is none; NULL where no disassembler was
 * there to tell. */
const char *gpu_device_sass(const gpu_device_subject *subject);

/* What a subject is asked. Each lane gets all inputs, by chunks of at most 2^28. Those with an odd
 * number get a chunk from its last input to its first, and 2 and 3 begin in its middle, so that
 * neighbours in a tuple are far from each other. */
typedef struct gpu_sweep {
    const gpu_device_subject *subject;
    const uint64_t *list; /* the inputs; NULL: 0 to count - 1 */
    uint64_t count;
    /* The oracle beside it, on the device as well: the conversion of an input, in each lane with
     * its random word; with relu, a result with the sign bit that is no NaN becomes 0. */
    int check;
    sf8_format from, to;
    sf8_policy policy;
    uint32_t random[GPU_LANES];
    int relu;
} gpu_sweep;

/* From the input with this index on this code came. */
typedef struct gpu_row {
    uint64_t index, code;
} gpu_row;

/* The codes of a lane, as rows; neighbouring rows differ, the first has index 0. The sums are those
 * of the codes, and of (index + 1) * code, modulo 2^64; made on the device from every code, they
 * show that the rows tell all of them. If the oracle was asked: the sums of its codes, and how
 * many of the subject's differ from them. */
typedef struct gpu_lane {
    gpu_row *row;
    size_t rows;
    uint64_t sum, weighted;
    uint64_t right_sum, right_weighted, differ;
} gpu_lane;

typedef struct gpu_answer {
    int lanes;
    gpu_lane lane[GPU_LANES];
    double seconds; /* of the device; that of the subject's kernel alone: */
    double subject_seconds;
    int too_many; /* more rows than there is room for: there are none then, the sums hold */
} gpu_answer;

/* The 16 random bits of a lane in the word that `cvt.rs` with four results is given: of codes of 8
 * and 6 bits (bytes), or of 4. */
uint32_t gpu_rbits_slice(int bytes, uint32_t word, int lane);

/* NULL, or what went wrong; after that the device is not to be used any more in this process. */
const char *gpu_run(const gpu_sweep *sweep, gpu_answer *answer);
void gpu_answer_free(gpu_answer *answer);

/* ---- the project's own kernels: blocks ------------------------------------------------------- */

/* A kernel quantizes a matrix by a recipe of softfp8_blocks.h, or reads one back. */
typedef struct gpu_kernel {
    const char *name;   /* "quantize/nvfp4-te/bf16", "dequantize/mxfp4-floor/f16" */
    const char *recipe; /* one that gives the same values, where several do */
    const char *tensor; /* "f32", "bf16", "f16" */
    int back;           /* it reads: codes and scales are its input */
    int approximate;    /* its factors are reciprocals that may miss the last bit, on a GPU */
} gpu_kernel;

const gpu_kernel *gpu_kernels(size_t *count);

/* A matrix of words, row by row. A row of codes begins at a byte of its own; of 4-bit codes the
 * first of a byte is in its low half, and the last byte of an odd row has 0 above. One byte a
 * scale, linear or 128x4 as sf8_layout says, what pads a tile being 0. */
typedef struct gpu_blocks {
    const gpu_kernel *kernel;
    size_t rows, columns; /* below 2^31 */
    int tiled;            /* scales as 128x4 */
    float g;
    void *tensor;
    uint8_t *codes, *scales;
    size_t tensor_bytes, code_bytes, scale_bytes; /* of the arrays; not checked */
    int times;                                    /* timed launches after the first; 0: none */
} gpu_blocks;

/* NULL, or what went wrong, "it wrote beyond its codes" too; after that the device is not to be
 * used any more in this process. *seconds gets the median of the timed launches. */
const char *gpu_blocks_run(const gpu_blocks *b, double *seconds);
/* The median time of a kernel that copies so many bytes, a multiple of 16; each time from and to
 * other places, until these have `around` bytes. */
const char *gpu_copy_run(uint64_t bytes, uint64_t around, int times, double *seconds);

/* ---- the project's own kernels: KV caches ---------------------------------------------------- */

struct sf8_kv_layout; /* softfp8/kv_layout.h */

/* A kernel stores tokens in the image of a cache, or gathers them: scale, range, cast and place in
 * one launch. */
typedef struct gpu_kv_kernel {
    const char *name;   /* "kv-store/fp8-per-token-head/bf16", "kv-gather/copy16" */
    const char *recipe; /* "copy16": words of 16 bits are moved as they are */
    const char *tensor; /* "f32", "bf16", "f16"; NULL: words of any format */
    int back;           /* it gathers */
    int bits;           /* of an element of the image */
} gpu_kv_kernel;

const gpu_kv_kernel *gpu_kv_kernels(size_t *count);

/* The arrays that a kernel writes, or reads alone. */
enum { GPU_KV_TENSOR, GPU_KV_TAIL, GPU_KV_IMAGE, GPU_KV_SCALES, GPU_KV_ARRAYS };

/* Element d of a head of token i is at tensor[tensor_at + i * token_stride + head * head_stride +
 * d], element d of its tail at tail[i * tail_stride + d]; of a layout without a tail, of one head,
 * the last `second` elements of a row are there, like k_pe behind kv_c. Words begin `tensor_skew`
 * bytes, of whole words, beyond a multiple of 16, the image `image_skew`. Slots that are negative
 * or beyond the last are passed over; of those that come twice any may be left. `g` is one number,
 * one for each head, or none.
 *
 * Nothing is stored in place: an image that has bytes of the tensor or the tail is refused, and so
 * are strides by which a gather would write a word twice. What comes back is all that lies on the
 * device, so that the caller sees what became of the sources as well. */
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
    uint8_t *image, *scales; /* scales: where the layout has them apart */
    size_t image_bytes, scale_bytes;
    size_t tensor_skew, image_skew; /* below 16 */
    int times;                      /* timed launches after the first; 0: none */
    /* They go round through so many copies of the arrays that these have so many bytes at least, or
     * GPU_KV_COPIES: more than a cache of the device. */
    uint64_t around;
    /* On this processor alone, and if asked for: how often each byte was written is added here, and
     * how many accesses that were. */
    unsigned char *writes[GPU_KV_ARRAYS];
    uint64_t *accesses[GPU_KV_ARRAYS];
} gpu_kv;

enum { GPU_KV_COPIES = 128 };

/* As gpu_blocks_run. Before and behind each array nothing may be written: "it wrote before its
 * image". */
const char *gpu_kv_run(const gpu_kv *b, double *seconds);
/* The median time of a kernel that divides and clamps so many bytes of words, to words: the first
 * of three where a store is not one. `around` as in gpu_kv. */
const char *gpu_kv_clamp_run(const char *tensor, uint64_t bytes, uint64_t around, int times,
                             double *seconds);

/* ---- the project's own kernels: attention ---------------------------------------------------- */

struct sf8_attend; /* softfp8_attend.h */
struct sf8_mma;    /* softfp8_mma.h */

/* A kernel computes what sf8_attend_n does, over a cache of a kind. Its name tells the cache, the
 * sums, and how many rows, queries of one head of the cache, it takes at once. */
typedef struct gpu_attend_kernel {
    const char *name;  /* "attend/e4m3/mma-f16/8" */
    const char *cache; /* "f16", "bf16", "e4m3", "e5m2", "nvfp4", "mxfp4", "int4" */
    const char *sums;  /* as sf8_attend_sums_named has it */
    int rows;
} gpu_attend_kernel;

const gpu_attend_kernel *gpu_attends(size_t *count);

/* Requests that have all but q, out, lse, keys, queries, first and blocks in common: images in rows,
 * of sizes that are multiples of 16 up to 256, with 32 rows up to 128, and of blocks with a scale at
 * least two; q and out are f32, f16 or bf16; lse is written too. Each request is cut into `splits`
 * parts of chunks, from 1 on; where `shared` is not 0 all have their first so many chunks in the
 * same blocks, and these are gone through once for all, being parts of their own. Of each part a
 * span is a piece; with `at_once` the spans of a part that begins with the first key are one. With
 * `free_order` chunks are joined as they come, which gives other bits: as a measure of what spans
 * cost.
 *
 * `unit` is the model of the sums' instruction, hopper-hmma, at which a device does not look; NULL
 * where they are exact. */
typedef struct gpu_attend {
    const gpu_attend_kernel *kernel;
    const struct sf8_mma *unit;
    const struct sf8_attend *requests;
    size_t count, splits, shared;
    int at_once, free_order;
    int times; /* timed launches after the first; 0: none */
} gpu_attend;

/* As gpu_kv_run. The images have to be as they were, and around what is written nothing may be. */
const char *gpu_attend_run(const gpu_attend *b, double *seconds);

/* ---- the project's own kernels: parts of attention joined ------------------------------------ */

/* A kernel joins the parts of rows by a rule of docs/spec: of merging.md, two at a time, one part
 * after the other ("vllm", "vllm-triton", "flashinfer"), or of attention-parts.md, all of them
 * ("flashinfer-states", "fa3", "segments", "partitions"). */
typedef struct gpu_merge_kernel {
    const char *name;   /* "merge/fa3/bf16" */
    const char *rule;   /* "fa3" */
    const char *words;  /* of parts and output: "f32", "bf16" */
    int sums;           /* a part has its largest score and the sum of exponentials, not its lse */
    const char *theirs; /* what the stack's own kernel computes with, where it is not the same */
} gpu_merge_kernel;

const gpu_merge_kernel *gpu_merges(size_t *count);

/* Part by part: channel c of row r of part k is word (k rows + r) channels + c, its lse k rows + r.
 * From 1 to 64 parts; "segments" takes powers of two. */
typedef struct gpu_merge {
    const gpu_merge_kernel *kernel;
    size_t parts, rows, channels;
    size_t joined; /* rows from this one on are copies of the last part's */
    int fuse;      /* as nvcc does where it is not told otherwise; else every product is rounded */
    const void *part_out;
    const uint32_t *part_lse, *part_sum; /* part_sum: NULL where the kernel has none */
    void *out;
    uint32_t *lse;
} gpu_merge;

/* NULL, or what went wrong, as gpu_attend_run. */
const char *gpu_merge_run(const gpu_merge *m);

/* ---- the links of "softfp8 kv chain" ---------------------------------------------------------- */

/* A link as a kernel: so many words for an item, to so many; kernels/chain.h has what they are. */
typedef struct gpu_link {
    const char *name; /* "scale" */
    int in, out;      /* in: 0: as many as the caller says */
} gpu_link;

const gpu_link *gpu_links(size_t *count);
/* Runs it on `count` items of n words. NULL, or what went wrong, as gpu_run. */
const char *gpu_link_run(const gpu_link *link, size_t n, const uint32_t *in, uint32_t *out,
                         size_t count);

/* ---- matrix units: what an instruction adds up to ---------------------------------------------
 */

struct sf8_mma; /* softfp8_mma.h */

/* An instruction: D = A B + C on a tile. A has `rows` rows of k codes, B `columns` of them, both
 * along k; C and D a word an element, of 32 bits whatever `out` is. Codes are bytes, uint16_t, or
 * uint32_t for tf32. */
typedef struct gpu_mma {
    const char *name; /* "wgmma.m64n8k32/e4m3.e5m2/f32/ss"; "/neg-a": A negated */
    const char *unit; /* its model's name */
    const char *a, *b, *out;
    int rows, columns, k;
    int a_bytes; /* of a code, of b too */
    int negate_a, negate_b;
    int scales; /* it can leave C out */
} gpu_mma;

const gpu_mma *gpu_mmas(size_t *count);
/* The opcodes of its kernel that compute, each with how often, "2xHMMA.16816.F32", a blank between;
 * "" where there is none, NULL where no disassembler was there to tell. */
const char *gpu_mma_sass(const gpu_mma *m);

/* Tiles, one after the other; with `unit` the model, which a device does not look at. Where
 * scale_d is 0 C is left out. NULL or what went wrong, as gpu_run. */
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

/* What the tiles of a sweep are made of.
 *
 *     accumulators  products of zeros, of both signs, and each accumulator in turn
 *     pairs         two products, every quadruple of codes; of 8 bits alone
 *     triples       three products of every class, which is sign, exponent and significand: each
 *                   triple of codes of A with each of those of B that have the two least exponents
 *                   or the two largest; where the formats differ, of every value; of 8 bits alone
 *     bits          any codes and accumulators
 *     finite        finite codes, an accumulator with an exponent near those of the products
 *     cancel        products that cancel, and small ones; or all alike
 *     small         zeros and subnormal codes
 *     normal        as of a normal distribution, some of them large
 *     chain         the same, D being the next C, for 128 steps
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

/* The codes of B that triples have, by the bits of exponents and of B's mantissa: those of four
 * exponents, and of one in the middle where A has fewer of them. */
#define GPU_MMA_TRIPLES_B(a_exp, b_exp, b_man) ((UINT64_C(4) + ((b_exp) > (a_exp))) << (b_man))

/* An element that differs. */
typedef struct gpu_mma_miss {
    uint64_t tile;
    int row, column;
    unsigned char a[32], b[32];
    uint32_t c, got, right;
} gpu_mma_miss;

/* Tiles `first`, `first` + stride, ... are made on the device, multiplied there and held against
 * the unit there. Of some, chosen by their number, about one of `sample`, the caller is told. */
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
    double seconds; /* of the device; the instruction's: */
    double mma_seconds;
} gpu_mma_answer;

const char *gpu_mma_sweep_run(const gpu_mma_sweep *s, gpu_mma_answer *answer);

/* ---- matrix units: sparse A ------------------------------------------------------------------ */

/* The instructions whose A has two of each four codes along k. `k` is how many a row keeps, 32 of
 * 64; the unit sums the products of those. */
const gpu_mma *gpu_mma_sparses(size_t *count);
const char *gpu_mma_sparse_sass(const gpu_mma *m);

/* A row of A is its kept codes, group by group; of `kept` it has 16 numbers of 4 bits, in the low
 * half of a byte first: of each group the places of its two codes, the first in the low two bits,
 * below the second. A row of B has 64 codes. */
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

/* Which products the library is asked for, and what it is documented to do. */
typedef struct gpu_gemm {
    const char *name; /* "cublaslt/e4m3.e4m3/bf16/fast" */
    const char *a, *b, *out;
    int fast;             /* CUBLASLT_MATMUL_DESC_FAST_ACCUM */
    const char *schedule; /* of sf8_mma_schedule_at() */
} gpu_gemm;

const gpu_gemm *gpu_gemms(size_t *count);
/* Why there is none: "no cuBLASLt when this was built"; or NULL. */
const char *gpu_gemm_missing(void);

/* D = alpha scale_a scale_b A B, the factors being words of f32: A has `rows` rows of k codes, B
 * `columns` of them, both along k; all three multiples of 16. d gets words of `out`, row by row. */
typedef struct gpu_product {
    const gpu_gemm *gemm;
    size_t rows, columns, k;
    const uint8_t *a, *b;
    uint32_t alpha, scale_a, scale_b;
    uint32_t *d;
} gpu_product;

/* The first algorithm of the library's heuristic, as the library tells it: numbers of its own
 * enumerations, but for the splits of K; -1: not told. */
typedef struct gpu_gemm_choice {
    long version; /* cublasLtGetVersion() */
    int algo, tile, stages, splits, reduction, swizzle, custom, inner, cluster;
    double seconds;
} gpu_gemm_choice;

/* NULL, or what went wrong, as gpu_run. */
const char *gpu_gemm_run(const gpu_product *p, gpu_gemm_choice *choice);

#ifdef __cplusplus
}
#endif

#endif
