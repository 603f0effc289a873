/* SPDX-License-Identifier: MIT */
/* model.h -- an instruction on this processor: the lanes' registers and shared memory in, D out
 *
 * It works in the opposite direction to layout.h, from an element of a matrix to where PTX says
 * that it is, so that a mistake in one of the two is noticed.
 */
#ifndef SOFTFP8_GPU_MMA_MODEL_H
#define SOFTFP8_GPU_MMA_MODEL_H

#include "mma/layout.h"
#include "softfp8/core.h"
#include "softfp8/mma/mma.h"

#include <stddef.h>

namespace mma
{

/* The properties of an instruction. */
struct shape {
    int rows, columns, k;
    int bytes;    /* of an element: 1, 2, 4 */
    int a_shared; /* A is in shared memory */
    int b_shared;
    int half; /* results of 16 bits, two to a register */
    int negate_a, negate_b;
    int low_bits; /* of a word below the code: 13 of tf32 */
};

/* The registers of all lanes: register r of a lane is first[lane * stride + r]. */
struct fragments {
    uint32_t *a, *b, *d;
    size_t stride;
};

/* Where shared memory begins, for descriptors. */
enum { SHARED_BASE = 0x2400 };

/* The byte of a row along k, by a descriptor. */
inline const unsigned char *described(const unsigned char *shared, uint64_t d, int row, int byte)
{
    uint64_t start = (d & 0x3fff) << 4, leading = (d >> 16 & 0x3fff) << 4;
    uint64_t stride = (d >> 32 & 0x3fff) << 4;
    uint64_t outer = static_cast<uint64_t>(row) / 8, inner = static_cast<uint64_t>(row) % 8;
    uint64_t along = static_cast<uint64_t>(byte) / 16, rest = static_cast<uint64_t>(byte) % 16;
    return shared + start - SHARED_BASE + outer * stride + along * leading + inner * 16 + rest;
}

inline uint32_t code_of(const shape &s, const unsigned char *from)
{
    uint32_t code = 0;
    for (int i = 0; i < s.bytes; i++)
        code |= static_cast<uint32_t>(from[i]) << 8 * i;
    return code >> s.low_bits;
}

/* Registers of a 16 x 32-byte fragment: a0, a1 have the first half of k, a2, a3 the second; even
 * ones the rows 0 to 7, odd ones 8 to 15. */
inline uint32_t a_element(const shape &s, const fragments &f, const unsigned char *shared,
                          uint64_t descriptor, int row, int k)
{
    int byte = k * s.bytes;
    if (s.a_shared)
        return code_of(s, described(shared, descriptor, row, byte));
    int group = row % 8, in_group = byte % 16 / 4;
    int lane = row / 16 * 32 + group * 4 + in_group;
    int which = (row % 16 >= 8 ? 1 : 0) + (byte >= 16 ? 2 : 0);
    const uint32_t *r = f.a + static_cast<size_t>(lane) * f.stride + which;
    return code_of(s, reinterpret_cast<const unsigned char *>(r) + byte % 4);
}

inline uint32_t b_element(const shape &s, const fragments &f, const unsigned char *shared,
                          uint64_t descriptor, int k, int column)
{
    int byte = k * s.bytes;
    if (s.b_shared)
        return code_of(s, described(shared, descriptor, column, byte));
    int lane = column * 4 + byte % 16 / 4;
    const uint32_t *r = f.b + static_cast<size_t>(lane) * f.stride + (byte >= 16 ? 1 : 0);
    return code_of(s, reinterpret_cast<const unsigned char *>(r) + byte % 4);
}

/* D: warp row / 16, in it the lanes of group row % 8; four elements for each 8 columns, the last
 * two of them 8 rows below. */
struct d_place {
    uint32_t *word;
    int shift;
};

inline d_place d_element(const shape &s, const fragments &f, int row, int column)
{
    int lane = row / 16 * 32 + row % 8 * 4 + column % 8 / 2;
    int i = column / 8 * 4 + (row % 16 >= 8 ? 2 : 0) + column % 2;
    uint32_t *first = f.d + static_cast<size_t>(lane) * f.stride;
    if (s.half)
        return {first + i / 2, i % 2 * 16};
    return {first + i, 0};
}

inline void put_code(const shape &s, unsigned char *to, int k, uint32_t code, uint32_t flip)
{
    code ^= flip;
    for (int i = 0; i < s.bytes; i++)
        to[k * s.bytes + i] = static_cast<unsigned char>(code >> 8 * i);
}

/* The expected result. Not inlined, since compilers take long over each copy. */
SF8_NOINLINE MMA_FN uint32_t dot(const sf8_mma *unit, sf8_mma_operands x, int k, uint32_t c)
{
    return sf8_core_mma_dot(unit, x, 0, static_cast<size_t>(k), c);
}

/* D = A B + C, or A B where scale_d is 0; C is in D's registers. */
SF8_NOINLINE inline void execute(const shape &s, const sf8_mma &unit, const fragments &f,
                                 const unsigned char *shared, uint64_t da, uint64_t db,
                                 uint32_t scale_d)
{
    unsigned char a[32], b[32];
    uint32_t flip_a = s.negate_a ? static_cast<uint32_t>(sf8_format_sign_bit(unit.a)) : 0;
    uint32_t flip_b = s.negate_b ? static_cast<uint32_t>(sf8_format_sign_bit(unit.b)) : 0;
    for (int row = 0; row < s.rows; row++) {
        for (int k = 0; k < s.k; k++)
            put_code(s, a, k, a_element(s, f, shared, da, row, k), flip_a);
        for (int column = 0; column < s.columns; column++) {
            for (int k = 0; k < s.k; k++)
                put_code(s, b, k, b_element(s, f, shared, db, k, column), flip_b);
            d_place d = d_element(s, f, row, column);
            uint32_t mask = s.half ? 0xffffu : 0xffffffffu;
            uint32_t c = scale_d ? *d.word >> d.shift & mask : 0;
            sf8_mma_operands x = {a, b, nullptr, nullptr};
            uint32_t sum = dot(&unit, x, s.k, c);
            *d.word = (*d.word & ~(mask << d.shift)) | sum << d.shift;
        }
    }
}

} // namespace mma

#endif
