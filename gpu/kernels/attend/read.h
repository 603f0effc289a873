/* SPDX-License-Identifier: MIT */
/* read.h -- keys and values: from the image of a cache to shared memory, and from there to sums
 *
 * A cache type defines how 16 elements of the image become a piece in shared memory, and how that
 * is read there. Codes of 8 bits and elements of 16 bits are kept as they are; nibbles.h has those
 * of 4 bits.
 *
 * In shared memory keys are rows whose distance puts the accesses of a warp's lanes in different
 * banks (attend.h says which lane reads what).
 */
#ifndef SOFTFP8_GPU_KERNELS_ATTEND_READ_H
#define SOFTFP8_GPU_KERNELS_ATTEND_READ_H

#include "kernels/attend/nibbles.h"

namespace kernels
{

namespace attention
{

enum { CHUNK = 64, SPAN_CHUNKS = 16, THREADS = 128, WARPS = 4, PIECE = 16 };

/* ---- cache types ----------------------------------------------------------------------------- */

/* Codes of 8 bits: a piece is 16 bytes. copied: the sums need it as it is in the image. */
template <class Element> struct bytes_cache {
    static constexpr int bits = 8, kept = 8; /* in the image, in shared memory */
    static constexpr bool grouped = false, may_be_large = false;
    template <class Operand> static constexpr bool copied = true;

    static constexpr int packets = 1;

    SHIM_FN static void get(packet *p, const uint8_t *from)
    {
        p[0] = get_codes_at<16>(from);
    }
    template <class Operand>
    SHIM_FN static void put(unsigned char *to, const packet *p, uint32_t, uint32_t)
    {
        put16(to, p[0]);
    }
    SHIM_FN static void wide2(float *x, const unsigned char *from)
    {
        uint32_t two = Element::halves(get2(from));
        x[0] = of_f16::wide(two & 0xffff);
        x[1] = of_f16::wide(two >> 16);
    }
    SHIM_FN static float wide(const unsigned char *from)
    {
        return of_f16::wide(Element::halves(*from) & 0xffff);
    }
    /* Two codes as two operands. */
    template <class Operand> SHIM_FN static uint32_t operands(uint32_t codes)
    {
        uint32_t two = Element::halves(codes);
        return Operand::of_halves(two);
    }
};

/* Elements of 16 bits: a piece is 32 bytes. */
template <class Half> struct halves_cache {
    static constexpr int bits = 16, kept = 16;
    static constexpr bool grouped = false, may_be_large = false;
    template <class Operand> static constexpr bool copied = Operand::template takes<Half>;

    static constexpr int packets = 2;

    SHIM_FN static void get(packet *p, const uint8_t *from)
    {
        p[0] = get_codes_at<16>(from);
        p[1] = get_codes_at<16>(from + 16);
    }
    template <class Operand>
    SHIM_FN static void put(unsigned char *to, const packet *p, uint32_t, uint32_t)
    {
        put16(to, Operand::template of_words<Half>(p[0]));
        put16(to + 16, Operand::template of_words<Half>(p[1]));
    }
    SHIM_FN static void wide2(float *x, const unsigned char *from)
    {
        x[0] = wide(from);
        x[1] = wide(from + 2);
    }
    SHIM_FN static float wide(const unsigned char *from)
    {
        return Half::wide(get2(from));
    }
};

using e4m3_cache = bytes_cache<of_e4m3>;
using e5m2_cache = bytes_cache<of_e5m2>;
using f16_cache = halves_cache<of_f16>;
using bf16_cache = halves_cache<of_bf16>;

/* ---- what sums take -------------------------------------------------------------------------- */

/* Elements of 16 bits, two in a register. */
template <class Half> struct operands {
    using half = Half;
    static constexpr bool unit = true;
    template <class From> static constexpr bool takes = Half::nan == From::nan;

    SHIM_FN static uint32_t narrow(float low, float high)
    {
        return Half::narrow(low, high);
    }
    template <class From> SHIM_FN static packet of_words(packet p)
    {
        if constexpr (!takes<From>)
            for (uint32_t &w : p.word)
                w = Half::narrow(From::wide(w & 0xffff), From::wide(w >> 16));
        return p;
    }
    SHIM_FN static uint32_t of_halves(uint32_t two)
    {
        if constexpr (Half::nan == of_f16::nan)
            return two;
        else
            return Half::narrow(of_f16::wide(two & 0xffff), of_f16::wide(two >> 16));
    }
};

struct by_f16 : operands<of_f16> {
    static constexpr bool is_f16 = true;
};
struct by_bf16 : operands<of_bf16> {
    static constexpr bool is_f16 = false;
};

/* Sums by fma of f32, of elements as they are; elements of 4 bits were converted to bf16. */
struct by_fma {
    using half = of_bf16;
    static constexpr bool unit = false, is_f16 = false;
    template <class From> static constexpr bool takes = true;

    template <class From> SHIM_FN static packet of_words(packet p)
    {
        return p;
    }
};

} // namespace attention

} // namespace kernels

#endif
