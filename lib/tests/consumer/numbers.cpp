/* SPDX-License-Identifier: MIT */
/* numbers.cpp -- softfp8.hpp: every code, every pair, limits, and constants from C++20 on */
#include <softfp8.hpp>

#include <cmath>
#include <cstdio>
#include <sstream>
#include <type_traits>

static int failures;
#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            std::printf("line %d: %s\n", __LINE__, #condition);                                    \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)

/* Each code comes back, as float and as double, if infinity does not saturate; NaN stays NaN. */
template <class Of> static void codes()
{
    using Number = sf8::number<typename Of::format, sf8::policies::ocp_nosat>;
    std::size_t count = 0;
    for (Number x : sf8::all<Number>()) {
        count++;
        if (x.is_nan()) {
            EXPECT(!(x == x) && x != x && float(x) != float(x));
            continue;
        }
        EXPECT(Number(float(x)).code() == x.code());
        EXPECT(Number(double(x)).code() == x.code());
        EXPECT(x == x && !(x < x) && x <= x);
        EXPECT(x.is_negative() == (std::signbit(double(x)) != 0));
    }
    const std::size_t bits = sizeof(typename Number::code_type) * 8;
    EXPECT(count == std::size_t(1) << (bits == 8 ? sf8_format_bits(Number::format::row()) : 16));
}

/* Sums and products of values that double has exactly, rounded once. */
template <class Number> static void pairs()
{
    for (Number a : sf8::all<Number>())
        for (Number b : sf8::all<Number>()) {
            if (a.is_nan() || b.is_nan() || a.is_inf() || b.is_inf())
                continue;
            double x = double(a), y = double(b);
            if (x + y != 0)
                EXPECT((a + b).code() == Number(x + y).code());
            if (x - y != 0)
                EXPECT((a - b).code() == Number(x - y).code());
            EXPECT((a * b).code() == Number(x * y).code());
            EXPECT((a < b) == (x < y) && (a == b) == (x == y) && (a >= b) == (x >= y));
        }
}

/* The smallest normal number is 2^(min_exponent - 1) and at most 10^min_exponent10, the
 * largest number below 2^max_exponent and at least 10^max_exponent10, each as near as possible. */
template <class Number> static void exponents(int min, int max, int min10, int max10)
{
    using limits = std::numeric_limits<Number>;
    EXPECT(limits::min_exponent == min && limits::max_exponent == max);
    EXPECT(limits::min_exponent10 == min10 && limits::max_exponent10 == max10);
}

static void all_exponents()
{
    exponents<sf8::e4m3>(-5, 9, -1, 2);           /* 0.015625 to 448 */
    exponents<sf8::e5m2>(-13, 16, -4, 4);         /* 6.1e-5 to 57344 */
    exponents<sf8::e2m1>(1, 3, 0, 0);             /* 1 to 6 */
    exponents<sf8::e3m2>(-1, 5, 0, 1);            /* 0.25 to 28 */
    exponents<sf8::e2m3>(1, 3, 0, 0);             /* 1 to 7.5 */
    exponents<sf8::e8m0>(-126, 128, -38, 38);     /* 5.9e-39 to 1.7e38 */
    exponents<sf8::ue4m3>(-5, 9, -1, 2);          /* 0.015625 to 448 */
    exponents<sf8::ue5m3>(-13, 17, -4, 5);        /* 6.1e-5 to 114688 */
    exponents<sf8::e4m3fnuz>(-6, 8, -2, 2);       /* 0.0078125 to 240 */
    exponents<sf8::e5m2fnuz>(-14, 16, -4, 4);     /* 3.1e-5 to 57344 */
    exponents<sf8::e4m3b11fnuz>(-9, 5, -3, 1);    /* 0.00098 to 30 */
    exponents<sf8::e4m3ieee>(-5, 8, -1, 2);       /* 0.015625 to 240 */
    exponents<sf8::e3m4>(-1, 4, 0, 1);            /* 0.25 to 15.5 */
    exponents<sf8::e4m3b15>(-13, 1, -4, 0);       /* 6.1e-5 to 1.875 */
    exponents<sf8::p3109_k8p4se>(-6, 8, -2, 2);   /* 0.0078125 to 224 */
    exponents<sf8::p3109_k8p3se>(-14, 16, -4, 4); /* 3.1e-5 to 49152 */
    exponents<sf8::p3109_k8p4sf>(-6, 8, -2, 2);   /* 0.0078125 to 240 */
    exponents<sf8::p3109_k8p3sf>(-14, 16, -4, 4); /* 3.1e-5 to 57344 */
    exponents<sf8::f16>(-13, 16, -4, 4);          /* 6.1e-5 to 65504 */
    exponents<sf8::bf16>(-125, 128, -37, 38);     /* 1.2e-38 to 3.39e38 */
    exponents<sf8::tf32>(-125, 128, -37, 38);     /* 1.2e-38 to 3.401e38 */
    exponents<sf8::f32>(-125, 128, -37, 38);      /* 1.2e-38 to 3.403e38 */
    exponents<sf8::f64>(-1021, 1024, -307, 308);  /* 2.2e-308 to 1.8e308 */
}

static void limits()
{
    using e4m3 = std::numeric_limits<sf8::e4m3>;
    using e5m2 = std::numeric_limits<sf8::e5m2>;
    using e8m0 = std::numeric_limits<sf8::e8m0>;
    EXPECT(float(e4m3::max()) == 448 && float(e4m3::lowest()) == -448);
    EXPECT(float(e4m3::min()) == 0x1p-6f && float(e4m3::denorm_min()) == 0x1p-9f);
    EXPECT(float(e4m3::epsilon()) == 0.125f && e4m3::quiet_NaN().code() == 0x7f);
    EXPECT(!e4m3::has_infinity && e4m3::digits == 4 && e4m3::max_exponent == 9);
    EXPECT(e4m3::min_exponent == -5 && e4m3::max_exponent10 == 2 && e4m3::min_exponent10 == -1);
    EXPECT(float(e5m2::max()) == 57344 && e5m2::infinity().is_inf() && e5m2::max_exponent == 16);
    EXPECT(float(e8m0::max()) == 0x1p127f && float(e8m0::lowest()) == 0x1p-127f);
    EXPECT(e8m0::max_exponent == 128 && e8m0::min_exponent == -126 && !e8m0::is_signed);
    EXPECT(!std::numeric_limits<sf8::e2m1>::has_quiet_NaN);
    /* Of a type that the language has too. */
    using f32 = std::numeric_limits<sf8::f32>;
    using own = std::numeric_limits<float>;
    EXPECT(f32::digits == own::digits && f32::digits10 == own::digits10);
    EXPECT(f32::max_digits10 == own::max_digits10 && f32::min_exponent == own::min_exponent);
    EXPECT(f32::max_exponent == own::max_exponent && f32::max_exponent10 == own::max_exponent10);
    EXPECT(f32::min_exponent10 == own::min_exponent10 && float(f32::max()) == own::max());
    EXPECT(float(f32::min()) == own::min() && float(f32::epsilon()) == own::epsilon());
    EXPECT(float(f32::denorm_min()) == own::denorm_min());
}

/* A policy as a user makes one. */
template <unsigned int Mode> struct rounds {
    static SF8_CONSTEXPR sf8_policy row()
    {
        sf8_policy policy = SF8_OCP;
        policy.round = Mode & SF8_ROUND_MASK;
        return policy;
    }
};
template <unsigned int Mode> struct says_how : rounds<Mode> {
    static constexpr unsigned int round()
    {
        return Mode;
    }
};
/* One whose row() is no constant in any C++. */
struct unknown {
    static sf8_policy row()
    {
        return SF8_OCP;
    }
};

template <class Policy> static void style(std::float_round_style expected, float error)
{
    using limits = std::numeric_limits<sf8::number<sf8::formats::e4m3, Policy>>;
    EXPECT(limits::round_style == expected);
    EXPECT(float(limits::round_error()) == error);
}

static void styles()
{
    style<sf8::policies::ocp>(std::round_to_nearest, 0.5f);
    style<sf8::policies::onnx_saturate_e8m0>(std::round_toward_infinity, 1);
    style<says_how<SF8_RNA>>(std::round_to_nearest, 0.5f);
    style<says_how<SF8_RNZ>>(std::round_to_nearest, 0.5f);
    style<says_how<SF8_RZ>>(std::round_toward_zero, 1);
    style<says_how<SF8_RU>>(std::round_toward_infinity, 1);
    style<says_how<SF8_RD>>(std::round_toward_neg_infinity, 1);
    style<says_how<SF8_RO>>(std::round_indeterminate, 1);
    style<says_how<SF8_SR>>(std::round_indeterminate, 1);
    style<unknown>(std::round_indeterminate, 1);
#if __cplusplus >= 202002L
    style<rounds<SF8_RNE>>(std::round_to_nearest, 0.5f);
    style<rounds<SF8_RZ>>(std::round_toward_zero, 1);
#else
    style<rounds<SF8_RZ>>(std::round_indeterminate, 1);
#endif
}

/* Every format has subnormals but e8m0, which has powers of two alone. */
static void subnormals()
{
    EXPECT(int(std::numeric_limits<sf8::e4m3>::has_denorm) == 1);
    EXPECT(int(std::numeric_limits<sf8::e2m1>::has_denorm) == 1);
    EXPECT(int(std::numeric_limits<sf8::f64>::has_denorm) == 1);
    EXPECT(int(std::numeric_limits<sf8::e8m0>::has_denorm) == 0);
    EXPECT(!std::numeric_limits<sf8::e4m3>::has_denorm_loss);
}

/* Bits above a code are ignored. */
static void wide_codes()
{
    EXPECT(sf8::e2m1::from_code(0xff).code() == 0xf && sf8::e3m2::from_code(0x181).code() == 1);
    EXPECT(sf8::tf32::from_code(0xffffffff).code() == 0x7ffff);
    EXPECT(sf8::e4m3::from_code(0x17e).code() == 0x7e);
    EXPECT(sf8::f64::from_code(~std::uint64_t(0)).code() == ~std::uint64_t(0));
}

/* An integer of 128 bits has no conversion: once it lost its upper half. */
#ifdef __SIZEOF_INT128__
__extension__ typedef __int128 int128;
static_assert(!std::is_constructible_v<sf8::f32, int128>);
#endif
static_assert(std::is_constructible_v<sf8::f32, long long>);

/* A type of up to 8 bits saturates, the sign counted: at its largest number. A wider one does not.
 */
static void usual_policies()
{
    EXPECT(sf8::e4m3(1e6f).code() == 0x7e && sf8::e5m2(1e6f).code() == 0x7b);
    EXPECT(sf8::e2m1(1e6f).code() == 0x7 && sf8::e4m3fnuz(1e6f).code() == 0x7f);
    EXPECT(sf8::ue4m3(1e6f).code() == 0x7e);
    EXPECT(sf8::ue5m3(200000.0f).code() == 0xfe); /* 114688; 9 bits with a sign */
    EXPECT(sf8::e8m0(3.4e38f).code() == 0xfe);    /* 2^127 */
    EXPECT(sf8::f16(1e6f).code() == 0x7c00 && sf8::bf16(3.4e38).code() == 0x7f80);
    EXPECT(sf8::f32(1e39).code() == 0x7f800000);
}

static void policies()
{
    using torch = sf8::number<sf8::formats::e4m3, sf8::policies::torch_2_12>;
    EXPECT(sf8::e5m2(std::numeric_limits<float>::infinity()).code() == 0x7b);
    EXPECT(sf8::f16(1e6f).is_inf());
    EXPECT(sf8::e4m3(500.0f).code() == 0x7e && torch(500.0f).code() == 0x7f);
    EXPECT(torch(sf8::f16(464)).code() == 0x7e && sf8::e4m3(464u).code() == 0x7e);
    EXPECT(sf8::e4m3(-1000).code() == 0xfe && sf8::e2m1(0.25).code() == 0);
    sf8_policy toward_zero = SF8_OCP;
    toward_zero.round = SF8_RZ;
    EXPECT(sf8::e4m3::rounded(SF8_F32, 0x3f8fffff, toward_zero).code() == 0x38);
    EXPECT((-sf8::e4m3(1)).code() == 0xb8 && sqrt(sf8::e4m3(4)) == sf8::e4m3(2));
    EXPECT(fma(sf8::e4m3(1.125f), sf8::e4m3(1.125f), sf8::e4m3(-1)).code() ==
           sf8::e4m3(0.265625).code());
    sf8::e4m3 x(1);
    x += sf8::e4m3(2);
    x *= x;
    x -= sf8::e4m3(1);
    x /= sf8::e4m3(4);
    EXPECT(x == sf8::e4m3(2));
    std::ostringstream text;
    text << sf8::e4m3(1.75f) << ' ' << torch(500.0f);
    EXPECT(text.str() == "1.75 nan");
}

#if __cplusplus >= 202002L
static_assert(sf8::e4m3(464.0f).code() == 0x7e);
static_assert(sf8::e5m2(1e30).is_inf() == false && sf8::e5m2(-57344).code() == 0xfb);
static_assert((sf8::e4m3(1.5f) * sf8::e4m3(3) + sf8::e4m3(0.5f)) == sf8::e4m3(5));
static_assert(float(sf8::e4m3::from_code(0x7e)) == 448.0f);
static_assert((sf8::bf16(3) <=> sf8::bf16(2)) > 0);
static_assert((sf8::e4m3::from_code(0x7f) <=> sf8::e4m3(1)) == std::partial_ordering::unordered);
static_assert(sf8::e4m3(1) / sf8::e4m3(3) == sf8::e4m3(0.34375f));
static_assert(sqrt(sf8::f32(2)).code() == 0x3fb504f3);
static_assert(std::numeric_limits<sf8::e3m2>::max() == sf8::e3m2(28));
#if defined(__cpp_lib_format)
static void formats()
{
    EXPECT(std::format("{:.3f}", sf8::e4m3(1.75f)) == "1.750");
}
#else
static void formats()
{
}
#endif
#else
static void formats()
{
}
#endif

int main()
{
    codes<sf8::e4m3>();
    codes<sf8::e5m2>();
    codes<sf8::e2m1>();
    codes<sf8::e8m0>();
    codes<sf8::e4m3fnuz>();
    codes<sf8::f16>();
    codes<sf8::bf16>();
    pairs<sf8::e4m3>();
    pairs<sf8::e5m2>();
    pairs<sf8::e2m1>();
    all_exponents();
    styles();
    subnormals();
    wide_codes();
    limits();
    usual_policies();
    policies();
    formats();
    return failures != 0;
}
