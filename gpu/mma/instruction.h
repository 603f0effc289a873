/* SPDX-License-Identifier: MIT */
/* instruction.h -- the instructions of list.h, each behind one function: only for the GPU
 *
 * instruction<row>::run() is the instruction of that row and nothing else. Accumulator and result
 * are the same registers, so that no result overwrites an accumulator that is still needed. A
 * wgmma, its fence and its wait are one statement: nothing accesses the registers in between.
 */
#ifndef SOFTFP8_GPU_MMA_INSTRUCTION_H
#define SOFTFP8_GPU_MMA_INSTRUCTION_H

#include "mma/list.h"

#include <stdint.h>

namespace mma
{

template <int row> struct instruction;

#define SIGN_plus 1
#define SIGN_minus (-1)

/* ---- mma.sync -------------------------------------------------------------------------------- */

#define SYNC_whole_f32(text)                                                                       \
    asm volatile(text " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"           \
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                  \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
#define SYNC_whole_f16(text)                                                                       \
    asm volatile(text " {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"                           \
                 : "+r"(d[0]), "+r"(d[1])                                                          \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
#define SYNC_half_f32(text)                                                                        \
    asm volatile(text " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"                       \
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                  \
                 : "r"(a[0]), "r"(a[1]), "r"(b[0]))
#define SYNC_half_f16(text)                                                                        \
    asm volatile(text " {%0, %1}, {%2, %3}, {%4}, {%0, %1};"                                       \
                 : "+r"(d[0]), "+r"(d[1])                                                          \
                 : "r"(a[0]), "r"(a[1]), "r"(b[0]))

#define MMA_TEXT_sync(n, k, a, b, out)                                                             \
    "mma.sync.aligned.m16n" #n "k" #k ".row.col." #out "." #a "." #b "." #out
#define MMA_RUN_sync(n, k, a, b, out, source, sign_a, sign_b)                                      \
    SYNC_##source##_##out(MMA_TEXT_sync(n, k, a, b, out))

/* ---- wgmma ----------------------------------------------------------------------------------- */

/* The operands that are D. */
#define WGMMA_2 "%0, %1"
#define WGMMA_4 WGMMA_2 ", %2, %3"
#define WGMMA_16 WGMMA_4 ", %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
#define WGMMA_32                                                                                   \
    WGMMA_16                                                                                       \
    ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define WGMMA_64                                                                                   \
    WGMMA_32                                                                                       \
    ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47"             \
    ", %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define WGMMA_128                                                                                  \
    WGMMA_64                                                                                       \
    ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79"             \
    ", %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"             \
    ", %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109"             \
    ", %110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123"         \
    ", %124, %125, %126, %127"

#define WGMMA_f32_8 4
#define WGMMA_f32_64 32
#define WGMMA_f32_256 128
#define WGMMA_f16_8 2
#define WGMMA_f16_64 16
#define WGMMA_f16_256 64

#define D2(letter, i) letter(d[i]), letter(d[(i) + 1])
#define D4(letter, i) D2(letter, i), D2(letter, (i) + 2)
#define D16(letter, i) D4(letter, i), D4(letter, (i) + 4), D4(letter, (i) + 8), D4(letter, (i) + 12)
#define D32(letter, i) D16(letter, i), D16(letter, (i) + 16)
#define D64(letter, i) D32(letter, i), D32(letter, (i) + 32)
#define D128(letter, i) D64(letter, i), D64(letter, (i) + 64)

/* The predicate is scale_d; what follows the signs says that neither matrix is transposed. */
#define WGMMA_BEGIN(p) "{\n.reg .pred p;\nsetp.ne.b32 p, %" #p ", 0;\nwgmma.fence.sync.aligned;\n"
#define WGMMA_END ";\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n}"
#define WGMMA_SS(list, x, y, p, s, t, text, as_is, sign_a, sign_b, ...)                            \
    asm volatile(WGMMA_BEGIN(p) text " {" list "}, %" #x ", %" #y ", p, %" #s                      \
                                     ", %" #t as_is WGMMA_END:__VA_ARGS__                          \
                 : "l"(da), "l"(db), "r"(scale_d), "n"(sign_a), "n"(sign_b)                        \
                 : "memory")
#define WGMMA_RS(list, x0, x1, x2, x3, y, p, s, t, text, as_is, sign_a, sign_b, ...)               \
    asm volatile(WGMMA_BEGIN(p) text " {" list "}, {%" #x0 ", %" #x1 ", %" #x2 ", %" #x3 "}, %" #y \
                                     ", p, %" #s ", %" #t as_is WGMMA_END:__VA_ARGS__              \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(db), "r"(scale_d), "n"(sign_a), \
                   "n"(sign_b)                                                                     \
                 : "memory")
#define WGMMA_ss_2(...) WGMMA_SS(WGMMA_2, 2, 3, 4, 5, 6, __VA_ARGS__)
#define WGMMA_ss_4(...) WGMMA_SS(WGMMA_4, 4, 5, 6, 7, 8, __VA_ARGS__)
#define WGMMA_ss_16(...) WGMMA_SS(WGMMA_16, 16, 17, 18, 19, 20, __VA_ARGS__)
#define WGMMA_ss_32(...) WGMMA_SS(WGMMA_32, 32, 33, 34, 35, 36, __VA_ARGS__)
#define WGMMA_ss_64(...) WGMMA_SS(WGMMA_64, 64, 65, 66, 67, 68, __VA_ARGS__)
#define WGMMA_ss_128(...) WGMMA_SS(WGMMA_128, 128, 129, 130, 131, 132, __VA_ARGS__)
#define WGMMA_rs_2(...) WGMMA_RS(WGMMA_2, 2, 3, 4, 5, 6, 7, 8, 9, __VA_ARGS__)
#define WGMMA_rs_4(...) WGMMA_RS(WGMMA_4, 4, 5, 6, 7, 8, 9, 10, 11, __VA_ARGS__)
#define WGMMA_rs_16(...) WGMMA_RS(WGMMA_16, 16, 17, 18, 19, 20, 21, 22, 23, __VA_ARGS__)
#define WGMMA_rs_32(...) WGMMA_RS(WGMMA_32, 32, 33, 34, 35, 36, 37, 38, 39, __VA_ARGS__)
#define WGMMA_rs_64(...) WGMMA_RS(WGMMA_64, 64, 65, 66, 67, 68, 69, 70, 71, __VA_ARGS__)
#define WGMMA_rs_128(...) WGMMA_RS(WGMMA_128, 128, 129, 130, 131, 132, 133, 134, 135, __VA_ARGS__)

#define WGMMA_AS_IS_ss_f16 ", 0, 0"
#define WGMMA_AS_IS_ss_bf16 ", 0, 0"
#define WGMMA_AS_IS_ss_tf32 ""
#define WGMMA_AS_IS_ss_e4m3 ""
#define WGMMA_AS_IS_ss_e5m2 ""
#define WGMMA_AS_IS_rs_f16 ", 0"
#define WGMMA_AS_IS_rs_bf16 ", 0"
#define WGMMA_AS_IS_rs_tf32 ""
#define WGMMA_AS_IS_rs_e4m3 ""
#define WGMMA_AS_IS_rs_e5m2 ""

#define IN_FLOAT(x) "+f"(x)
#define IN_WORD(x) "+r"(x)
#define WGMMA_LETTER_f32 IN_FLOAT
#define WGMMA_LETTER_f16 IN_WORD

#define MMA_TEXT_wgmma(n, k, a, b, out)                                                            \
    "wgmma.mma_async.sync.aligned.m64n" #n "k" #k "." #out "." #a "." #b
#define WGMMA_RUN(source, count, letter, ...) WGMMA_RUN_2(source, count, letter, __VA_ARGS__)
#define WGMMA_RUN_2(source, count, letter, ...)                                                    \
    WGMMA_##source##_##count(__VA_ARGS__, D##count(letter, 0))
#define MMA_RUN_wgmma(n, k, a, b, out, source, sign_a, sign_b)                                     \
    WGMMA_RUN(source, WGMMA_##out##_##n, WGMMA_LETTER_##out, MMA_TEXT_wgmma(n, k, a, b, out),      \
              WGMMA_AS_IS_##source##_##a, SIGN_##sign_a, SIGN_##sign_b)

/* ---- rows ------------------------------------------------------------------------------------ */

#define MMA_WORD_f32 float
#define MMA_WORD_f16 uint32_t

constexpr int first_instruction = __COUNTER__ + 1;
#define MMA_INSTRUCTION(kind, n, k, A, B, out, source, sign_a, sign_b, unit)                       \
    template <> struct instruction<__COUNTER__ - first_instruction> {                              \
        using word = MMA_WORD_##out;                                                               \
        static __device__ __forceinline__ void run(word *d, const uint32_t *a, const uint32_t *b,  \
                                                   uint64_t da, uint64_t db, uint32_t scale_d)     \
        {                                                                                          \
            (void)a, (void)b, (void)da, (void)db, (void)scale_d;                                   \
            MMA_RUN_##kind(n, k, A, B, out, source, sign_a, sign_b);                               \
        }                                                                                          \
    };
MMA_LIST(MMA_INSTRUCTION)
#undef MMA_INSTRUCTION

/* ---- sparse A -------------------------------------------------------------------------------- */

template <int row> struct sparse_instruction;

/* The kept positions follow B, and a 0: all lanes have some of them. */
#define SPARSE_SS(list, x, y, e, p, text, ...)                                                     \
    asm volatile(WGMMA_BEGIN(p) text " {" list "}, %" #x ", %" #y ", %" #e ", 0, p, 1, 1"          \
                 WGMMA_END:__VA_ARGS__                                                             \
                 : "l"(da), "l"(db), "r"(kept), "r"(scale_d)                                       \
                 : "memory")
#define SPARSE_RS(list, x0, x1, x2, x3, y, e, p, text, ...)                                        \
    asm volatile(WGMMA_BEGIN(p) text " {" list "}, {%" #x0 ", %" #x1 ", %" #x2 ", %" #x3 "}, %" #y \
                                     ", %" #e ", 0, p, 1, 1" WGMMA_END:__VA_ARGS__                 \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(db), "r"(kept), "r"(scale_d)    \
                 : "memory")
#define SPARSE_ss_2(...) SPARSE_SS(WGMMA_2, 2, 3, 4, 5, __VA_ARGS__)
#define SPARSE_ss_4(...) SPARSE_SS(WGMMA_4, 4, 5, 6, 7, __VA_ARGS__)
#define SPARSE_ss_16(...) SPARSE_SS(WGMMA_16, 16, 17, 18, 19, __VA_ARGS__)
#define SPARSE_ss_32(...) SPARSE_SS(WGMMA_32, 32, 33, 34, 35, __VA_ARGS__)
#define SPARSE_rs_2(...) SPARSE_RS(WGMMA_2, 2, 3, 4, 5, 6, 7, 8, __VA_ARGS__)
#define SPARSE_rs_4(...) SPARSE_RS(WGMMA_4, 4, 5, 6, 7, 8, 9, 10, __VA_ARGS__)
#define SPARSE_rs_16(...) SPARSE_RS(WGMMA_16, 16, 17, 18, 19, 20, 21, 22, __VA_ARGS__)
#define SPARSE_rs_32(...) SPARSE_RS(WGMMA_32, 32, 33, 34, 35, 36, 37, 38, __VA_ARGS__)

#define SPARSE_TEXT(n, a, b, out)                                                                  \
    "wgmma.mma_async.sp.sync.aligned.m64n" #n "k64." #out "." #a "." #b
#define SPARSE_RUN(source, count, letter, ...) SPARSE_RUN_2(source, count, letter, __VA_ARGS__)
#define SPARSE_RUN_2(source, count, letter, ...)                                                   \
    SPARSE_##source##_##count(__VA_ARGS__, D##count(letter, 0))

constexpr int first_sparse = __COUNTER__ + 1;
#define MMA_INSTRUCTION(n, A, B, out, source)                                                      \
    template <> struct sparse_instruction<__COUNTER__ - first_sparse> {                            \
        using word = MMA_WORD_##out;                                                               \
        static __device__ __forceinline__ void run(word *d, const uint32_t *a, uint32_t kept,      \
                                                   uint64_t da, uint64_t db, uint32_t scale_d)     \
        {                                                                                          \
            (void)a, (void)da;                                                                     \
            SPARSE_RUN(source, WGMMA_##out##_##n, WGMMA_LETTER_##out, SPARSE_TEXT(n, A, B, out));  \
        }                                                                                          \
    };
MMA_SPARSE_LIST(MMA_INSTRUCTION)
#undef MMA_INSTRUCTION

} // namespace mma

#endif
