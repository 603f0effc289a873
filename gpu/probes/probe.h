/* SPDX-License-Identifier: MIT */
/* probe.h -- one loop for every conversion of the vendor's headers
 *
 * probe::run<In, Out, Call> is a subject's function: In makes the vendor's type from input bits,
 * Call converts it, and Out returns the bits of the result. All three are known when compiling, so
 * that a sweep costs what the vendor's function costs. The CUDA headers come first.
 */
#ifndef SOFTFP8_GPU_PROBE_H
#define SOFTFP8_GPU_PROBE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__CUDACC__)
#define PROBE_FN __host__ __device__
#else
#define PROBE_FN
#endif

namespace probe
{

/* ---- words ----------------------------------------------------------------------------------- */

template <size_t bytes> struct word_of;
template <> struct word_of<1> {
    using type = uint8_t;
};
template <> struct word_of<2> {
    using type = uint16_t;
};
template <> struct word_of<4> {
    using type = uint32_t;
};
template <> struct word_of<8> {
    using type = uint64_t;
};

/* A type that is stored as its elements, .x first. */
template <class T, size_t bytes> struct plain {
    using word = typename word_of<bytes>::type;
    static constexpr int lanes = sizeof(T) / bytes;

    static PROBE_FN T load(const word *from)
    {
        T x;
        memcpy(static_cast<void *>(&x), from, sizeof x);
        return x;
    }
    static PROBE_FN void store(T x, word *to)
    {
        memcpy(to, static_cast<const void *>(&x), sizeof x);
    }
};

/* Codes in an integer, the first in the low bits; outside each has a byte. If a code has a byte
 * inside too, all of its bits are kept, so that padding that is not 0 is noticed. */
template <class Storage, int count, int bits> struct packed {
    using word = uint8_t;
    static constexpr int lanes = count;
    static constexpr uint64_t mask = (UINT64_C(1) << bits) - 1;

    static PROBE_FN Storage load(const word *from)
    {
        uint64_t x = 0;
        for (int i = 0; i < count; i++)
            x |= (from[i] & mask) << (i * bits);
        return static_cast<Storage>(x);
    }
    static PROBE_FN void store(Storage x, word *to)
    {
        for (int i = 0; i < count; i++)
            to[i] = static_cast<word>((static_cast<uint64_t>(x) >> (i * bits)) & mask);
    }
};

using code = packed<unsigned char, 1, 8>;     /* of any width: the scalar storage types are bytes */
using code8x2 = packed<unsigned short, 2, 8>; /* FP8 and FP6 */
using code8x4 = packed<unsigned int, 4, 8>;
using code4x2 = packed<unsigned char, 2, 4>; /* FP4 */
using code4x4 = packed<unsigned short, 4, 4>;

/* The two arguments of the constructors of four. */
template <class T> struct pair {
    T lo, hi;
};

template <class T> struct words : plain<T, sizeof(T)> {
};
template <class T> struct words<pair<T>> : plain<pair<T>, sizeof(T) / 2> {
};
#define PROBE_VECTOR(type, bytes)                                                                  \
    template <> struct words<type> : plain<type, bytes> {                                          \
    };
PROBE_VECTOR(__half2_raw, 2)
PROBE_VECTOR(__half2, 2)
PROBE_VECTOR(__nv_bfloat162_raw, 2)
PROBE_VECTOR(__nv_bfloat162, 2)
PROBE_VECTOR(float2, 4)
PROBE_VECTOR(float4, 4)
PROBE_VECTOR(double2, 8)
PROBE_VECTOR(double4, 8)
PROBE_VECTOR(double4_16a, 8)
PROBE_VECTOR(double4_32a, 8)
#undef PROBE_VECTOR

/* ---- calls ----------------------------------------------------------------------------------- */

/* A function with its arguments after the first. */
template <auto f, auto... arguments> struct function {
    template <class T> static PROBE_FN auto of(T x)
    {
        return f(x, arguments...);
    }
};

/* A constructor, by the type of its argument. */
template <class C> struct construct {
    template <class T> static PROBE_FN auto of(const T &x)
    {
        return C(x).__x;
    }
    template <class T> static PROBE_FN auto of(const pair<T> &x)
    {
        return C(x.lo, x.hi).__x;
    }
};

/* A conversion operator, named: no other can be taken in its place. */
template <class C, class T> struct convert {
    static PROBE_FN T of(decltype(C::__x) x)
    {
        C c;
        c.__x = x;
        return c.operator T();
    }
};

template <class In, class Out, class Call> void run(const void *in, void *out, size_t n)
{
    static_assert(In::lanes == Out::lanes, "as many words out as in");
    const auto *from = static_cast<const typename In::word *>(in);
    auto *to = static_cast<typename Out::word *>(out);
    for (size_t i = 0; i < n; i += In::lanes)
        Out::store(Call::of(In::load(from + i)), to + i);
}

} // namespace probe

/* ---- rows ------------------------------------------------------------------------------------
 * The files rows_*.h are lists of SUBJECT(name, covers, In, Out, Call...), which is defined by who
 * includes them. These macros make such rows; they are named after what they call. */

/* __nv_cvt_<f> with its arguments after the first. */
#define PROBE_CVT(f, suffix, in, out, ...)                                                         \
    SUBJECT(#f suffix, "__nv_cvt_" #f, in, out, probe::function<__nv_cvt_##f, __VA_ARGS__>)

#define PROBE_FROM(c, codes, name, type)                                                           \
    SUBJECT("class/" #c "/from/" #name, "__nv_" #c "(" #type ")", probe::words<type>, codes,       \
            probe::construct<__nv_##c>)
#define PROBE_FROM_PAIR(c, codes, name, type)                                                      \
    SUBJECT("class/" #c "/from/" #name "_" #name, "__nv_" #c "(" #type ", " #type ")",             \
            probe::words<probe::pair<type>>, codes, probe::construct<__nv_##c>)
#define PROBE_TO(c, codes, name, type)                                                             \
    SUBJECT("class/" #c "/to/" #name, "__nv_" #c "::operator " #type, codes, probe::words<type>,   \
            probe::convert<__nv_##c, type>)

/*    class, its codes, name, type as the headers spell it */
#define PROBE_NUMBERS(X, c, codes)                                                                 \
    X(c, codes, half, __half)                                                                      \
    X(c, codes, bf16, __nv_bfloat16)                                                               \
    X(c, codes, float, float)                                                                      \
    X(c, codes, double, double)                                                                    \
    X(c, codes, ushort, unsigned short int)                                                        \
    X(c, codes, uint, unsigned int)                                                                \
    X(c, codes, ulong, unsigned long int)                                                          \
    X(c, codes, ulonglong, unsigned long long int)                                                 \
    X(c, codes, short, short int)                                                                  \
    X(c, codes, int, int)                                                                          \
    X(c, codes, long, long int)                                                                    \
    X(c, codes, longlong, long long int)

#define PROBE_CLASS(c)                                                                             \
    PROBE_NUMBERS(PROBE_FROM, c, probe::code)                                                      \
    PROBE_NUMBERS(PROBE_TO, c, probe::code)                                                        \
    PROBE_TO(c, probe::code, uchar, unsigned char)                                                 \
    PROBE_TO(c, probe::code, schar, signed char)                                                   \
    PROBE_TO(c, probe::code, char, char)                                                           \
    PROBE_TO(c, probe::code, bool, bool)

#define PROBE_CLASS_X2(c, codes)                                                                   \
    PROBE_FROM(c, codes, half2, __half2)                                                           \
    PROBE_FROM(c, codes, bf162, __nv_bfloat162)                                                    \
    PROBE_FROM(c, codes, float2, float2)                                                           \
    PROBE_FROM(c, codes, double2, double2)                                                         \
    PROBE_TO(c, codes, half2, __half2)                                                             \
    PROBE_TO(c, codes, float2, float2)

#define PROBE_CLASS_X4(c, codes)                                                                   \
    PROBE_FROM_PAIR(c, codes, half2, __half2)                                                      \
    PROBE_FROM_PAIR(c, codes, bf162, __nv_bfloat162)                                               \
    PROBE_FROM(c, codes, float4, float4)                                                           \
    PROBE_FROM(c, codes, double4, double4)                                                         \
    PROBE_FROM(c, codes, double4_16a, double4_16a)                                                 \
    PROBE_FROM(c, codes, double4_32a, double4_32a)                                                 \
    PROBE_TO(c, codes, float4, float4)

#endif
