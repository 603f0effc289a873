/* SPDX-License-Identifier: MIT */
/* words.h -- the vectors of a level, and what every level does with them alike; no include guard
 *
 * A vocabulary, as avx2.h is one, first defines SF8_ON(name), a name of its level; SF8_TARGET, the
 * processor that its functions are compiled for; and SF8_LANES, how many words of 32 bits a
 * register has. Then it includes this file, and defines those of the operations below that loops of
 * its level need. Loops are written once, and included by lib/src/levels for each level. + - & | ~
 * << >> of registers are the compiler's own, on unsigned words.
 *
 *     for all loops
 *     min max               of words, as signed integers
 *     add sub mul div       of floats, as MXCSR rounds: with -ffast-math a compiler could change
 *                           plain expressions, so these are instructions. Of two NaN the first
 * wins. fused                 (a, b, c): a b + c as floats, rounded once
 *
 *     arrays/f32_kernel.h
 *     mask byte_mask        types: masks of words, and of bytes
 *     above                 (a, b): where a > b, as signed integers
 *     select choose         (mask, a, b): a where the mask says so, else b; of words, of bytes
 *     only                  (mask, a): a where the mask of words says so, else zeros
 *     shift raise           to the right, to the left, by a distance to each word: of equal
 * distances a compiler would make a slower instruction has                   whether a mask of
 * words has any fma                   (a, b, c, round): a b + c as floats, rounded as `round` needs
 * it rest plus             c - a b, a + b as floats, toward zero begin end             (round):
 * sets MXCSR for fma, rest and plus, if they need it, and returns what it was; sets it back widened
 * (memory, index, source): words of f32 from elements of `source` pack signs masks      of four
 * registers of words, the low bytes, the signs, four masks put_where unlike      (mask, codes,
 * sign): sets that bit there; where the mask says so and the bytes differ at_least              (a,
 * b): where the byte a is not below b, without signs store_codes stream_codes store4 store16
 * store32 what `pack` gave, put in order first; two codes to a byte; codes of four registers of
 * words, of 2 or 4 bytes
 *
 *     arrays/arith_kernel.h
 *     ...8 ...16            operations on bytes, and on halves of words
 *
 *     blocks/block_kernel.h
 *     across                of as many registers as there are lanes, the largest integer of each
 *     bytes                 as many bytes as there are lanes, as integers
 *
 *     mma/mma_columns.h
 *     larger16              the larger of signed halves of words
 */
#define SF8_ON_FN SF8_TARGET SF8_INLINED
#define SF8_U SF8_ON(u)
#define SF8_I SF8_ON(i)
#define SF8_F SF8_ON(f)
#define SF8_M SF8_ON(mask)
#define SF8_BM SF8_ON(byte_mask)

typedef uint32_t SF8_U __attribute__((vector_size(4 * SF8_LANES)));
typedef int32_t SF8_I __attribute__((vector_size(4 * SF8_LANES)));
typedef float SF8_F __attribute__((vector_size(4 * SF8_LANES)));
typedef uint32_t SF8_ON(at) __attribute__((vector_size(4 * SF8_LANES), aligned(1), may_alias));

SF8_ON_FN SF8_U SF8_ON(load)(const void *p)
{
    return *(const SF8_ON(at) *)p;
}

SF8_ON_FN void SF8_ON(store)(void *p, SF8_U x)
{
    *(SF8_ON(at) *)p = x;
}

/* One word, or one byte, everywhere. */
SF8_ON_FN SF8_U SF8_ON(all)(uint32_t x)
{
    return (SF8_U){0} + x;
}

SF8_ON_FN SF8_U SF8_ON(set)(int32_t x)
{
    return SF8_ON(all)((uint32_t)x);
}

SF8_ON_FN SF8_U SF8_ON(set_bytes)(int32_t byte)
{
    return SF8_ON(all)(((uint32_t)byte & 255) * 0x01010101u);
}

SF8_ON_FN SF8_U SF8_ON(where)(SF8_I mask, SF8_U a, SF8_U b)
{
    return (a & (SF8_U)mask) | (b & ~(SF8_U)mask);
}

SF8_ON_FN SF8_I SF8_ON(magnitude)(SF8_U x)
{
    return (SF8_I)(x & 0x7fffffffu);
}

SF8_ON_FN SF8_U SF8_ON(sign)(SF8_U x)
{
    return x & 0x80000000u;
}

SF8_ON_FN SF8_I SF8_ON(is_nan)(SF8_U x)
{
    return SF8_ON(magnitude)(x) > 0x7f800000;
}

/* The result of an operation, with the NaN of the core. */
SF8_ON_FN SF8_U SF8_ON(made)(SF8_U x)
{
    return SF8_ON(where)(SF8_ON(is_nan)(x), SF8_ON(all)(0x7fc00000u), x);
}

/* sf8_f32_order: integers that compare like the numbers. */
SF8_ON_FN SF8_I SF8_ON(order)(SF8_U x)
{
    SF8_I s = (SF8_I)x >> 31;
    return (SF8_ON(magnitude)(x) ^ s) - s;
}

/* Returns 1 if a lane is not 0. */
SF8_ON_FN int32_t SF8_ON(any)(SF8_I v)
{
    int32_t lane[SF8_LANES], any = 0;
    memcpy(lane, &v, sizeof lane);
    for (size_t i = 0; i < SF8_LANES; i++)
        any |= lane[i];
    return any != 0;
}

SF8_ON_FN int32_t SF8_ON(largest)(SF8_I v)
{
    int32_t lane[SF8_LANES];
    memcpy(lane, &v, sizeof lane);
    for (size_t half = SF8_LANES / 2; half; half /= 2)
        for (size_t i = 0; i < half; i++)
            lane[i] = lane[i] > lane[i + half] ? lane[i] : lane[i + half];
    return lane[0];
}

/* Definitions of a vocabulary: of one or two registers, by an expression with x and y, which are
 * those registers as its intrinsics have them, SF8_X; and by an instruction. */
#define SF8_OF_ONE(name, result)                                                                   \
    SF8_ON_FN SF8_U SF8_ON(name)(SF8_U a)                                                          \
    {                                                                                              \
        const SF8_X x = (SF8_X)a;                                                                  \
        return (SF8_U)(result);                                                                    \
    }
#define SF8_OF_TWO(name, result)                                                                   \
    SF8_ON_FN SF8_U SF8_ON(name)(SF8_U a, SF8_U b)                                                 \
    {                                                                                              \
        const SF8_X x = (SF8_X)a, y = (SF8_X)b;                                                    \
        return (SF8_U)(result);                                                                    \
    }
#define SF8_INSTRUCTION(name, text, registers)                                                     \
    SF8_ON_FN SF8_U SF8_ON(name)(SF8_U a, SF8_U b)                                                 \
    {                                                                                              \
        SF8_U r;                                                                                   \
        __asm__(text : "=" registers(r) : registers(a), registers(b));                             \
        return r;                                                                                  \
    }
