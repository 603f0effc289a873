/* SPDX-License-Identifier: MIT */
/** @file
 * softfp8.hpp -- the formats as C++ types: values with operators, for tests and models in C++
 *
 *     sf8::e4m3 x(1.75f), y = x * sf8::e4m3(300);        // 448: the policy ocp saturates
 *     using cast = sf8::number<sf8::formats::e4m3, sf8::policies::torch_2_12>;
 *     std::cout << cast(500.0f) << ' ' << int(x.code());   // nan 62
 *
 * A type has a format and a policy; every operation rounds once, by that policy. The header needs
 * C++17 and no library to link with. From C++20 on everything but printing can be computed in
 * constant expressions: static_assert(sf8::e4m3(464.0f).code() == 0x7e).
 */
#ifndef SOFTFP8_HPP
#define SOFTFP8_HPP

#include "softfp8/scalar.h"

#include <cstddef>
#include <iterator>
#include <limits>
#include <ostream>
#include <type_traits>
#if __cplusplus >= 202002L
#include <compare>
#if __has_include(<format>)
#include <format>
#endif
#endif

namespace sf8
{

/** The formats, as types: their fields as constants, and the row itself. */
namespace formats
{
#define SF8_FORMAT_TYPE(called, e, m, s, nans, inf, zero, b)                                       \
    struct called {                                                                                \
        static constexpr int exp_bits = e, man_bits = m, bias = b, nan = nans;                     \
        static constexpr bool is_signed = s, has_inf = inf, has_zero = zero;                       \
        static constexpr const char *name = #called;                                               \
        static SF8_CONSTEXPR sf8_format row()                                                      \
        {                                                                                          \
            return sf8_##called##_format();                                                        \
        }                                                                                          \
    };
SF8_NARROW_FORMATS(SF8_FORMAT_TYPE)
SF8_WIDE_FORMATS(SF8_FORMAT_TYPE)
#undef SF8_FORMAT_TYPE
} // namespace formats

/** The named policies, as types. Their names have _ for - and for a dot. A policy of your own is a
 * type with a function row(). With a constant function round() too, which returns its rounding
 * mode, numeric_limits knows that mode in C++17; from C++20 on a constant row() suffices. */
namespace policies
{
#define SF8_POLICY_TYPE(id, called, fields, product, versions, to, from, source, evidence, open)   \
    struct id {                                                                                    \
        static constexpr const char *name = called;                                                \
        static constexpr unsigned int round()                                                      \
        {                                                                                          \
            sf8_policy e = {};                                                                     \
            fields return e.round;                                                                 \
        }                                                                                          \
        static SF8_CONSTEXPR sf8_policy row()                                                      \
        {                                                                                          \
            return sf8_policy_##id();                                                              \
        }                                                                                          \
    };
SF8_POLICIES(SF8_POLICY_TYPE)
#undef SF8_POLICY_TYPE
} // namespace policies

/** The bits of a code. */
template <class Format>
constexpr int code_bits = Format::is_signed + Format::exp_bits + Format::man_bits;

/** The policy of a type that names none: `ocp`, which saturates; for more than 8 bits `ocp_nosat`.
 */
template <class Format>
using usual_policy =
    std::conditional_t<(code_bits<Format> <= 8), policies::ocp, policies::ocp_nosat>;

/* The rounding mode of a policy; SF8_SR, of which nothing can be said, if it is no constant. */
template <class Policy, class = void> struct rounding_of {
    template <class P> static constexpr unsigned int mode()
    {
#if __cplusplus >= 202002L
        if constexpr (requires { typename std::integral_constant<unsigned int, P::row().round>; })
            return P::row().round;
#endif
        return SF8_SR;
    }
    static constexpr unsigned int value = mode<Policy>();
};
template <class Policy> struct rounding_of<Policy, std::void_t<decltype(Policy::round())>> {
    static constexpr unsigned int value = Policy::round();
};

/** A number of a format. `Policy` decides how results are rounded, and what overflow, NaN and
 * infinity become. */
template <class Format, class Policy = usual_policy<Format>> class number
{
    static constexpr int bits = code_bits<Format>;

  public:
    using format = Format;
    using policy = Policy;
    /** An unsigned integer that has the bits of a code. */
    using code_type = std::conditional_t<
        bits <= 8, std::uint8_t,
        std::conditional_t<bits <= 16, std::uint16_t,
                           std::conditional_t<bits <= 32, std::uint32_t, std::uint64_t>>>;

    /** The code 0. */
    constexpr number() noexcept = default;
    /** The value, rounded once. */
    explicit SF8_CONSTEXPR number(float x) noexcept
        : number(rounded(SF8_F32, sf8_f32_bits(x), Policy::row()))
    {
    }
    explicit SF8_CONSTEXPR number(double x) noexcept
        : number(rounded(SF8_F64, sf8_f64_bits(x), Policy::row()))
    {
    }
    /** Of integers of up to 64 bits; __int128, which GNU C++ counts among integers, is refused. */
    template <class Integer,
              std::enable_if_t<std::is_integral_v<Integer> && sizeof(Integer) <= 8, int> = 0>
    explicit SF8_CONSTEXPR number(Integer x) noexcept : number(of_integer(x))
    {
    }
    template <class F, class P>
    explicit SF8_CONSTEXPR number(number<F, P> x) noexcept
        : number(rounded(F::row(), x.code(), Policy::row()))
    {
    }

    /** The number that a code stands for; bits above the width of the format are ignored. */
    static constexpr number from_code(std::uint64_t code) noexcept
    {
        number x;
        x.code_ = static_cast<code_type>(code & (~std::uint64_t(0) >> (64 - bits)));
        return x;
    }
    /** A code of another format, rounded by a policy that is known at run time. */
    static SF8_CONSTEXPR number rounded(sf8_format from, std::uint64_t code,
                                        sf8_policy rule) noexcept
    {
        return from_code(sf8_core_convert(Format::row(), from, code, rule, 0).code);
    }

    constexpr code_type code() const noexcept
    {
        return code_;
    }

    /** The value; exact in float for formats of up to 16 bits, and in double. */
    explicit SF8_CONSTEXPR operator float() const noexcept
    {
        return sf8_f32_from_bits(static_cast<std::uint32_t>(to(SF8_F32)));
    }
    explicit SF8_CONSTEXPR operator double() const noexcept
    {
        return sf8_f64_from_bits(to(SF8_F64));
    }

    SF8_CONSTEXPR bool is_nan() const noexcept
    {
        return sf8_is_nan(Format::row(), code_) != 0;
    }
    SF8_CONSTEXPR bool is_inf() const noexcept
    {
        return sf8_is_inf(Format::row(), code_) != 0;
    }
    SF8_CONSTEXPR bool is_negative() const noexcept
    {
        return sf8_core_sign(Format::row(), code_) != 0;
    }

    friend SF8_CONSTEXPR number operator+(number a, number b) noexcept
    {
        return of(sf8_core_add(arithmetic(), a.code_, b.code_, Policy::row(), 0));
    }
    friend SF8_CONSTEXPR number operator-(number a, number b) noexcept
    {
        return of(sf8_core_sub(arithmetic(), a.code_, b.code_, Policy::row(), 0));
    }
    friend SF8_CONSTEXPR number operator*(number a, number b) noexcept
    {
        return of(sf8_core_mul(arithmetic(), a.code_, b.code_, Policy::row(), 0));
    }
    friend SF8_CONSTEXPR number operator/(number a, number b) noexcept
    {
        return of(sf8_core_div(arithmetic(), a.code_, b.code_, Policy::row(), 0));
    }
    /** a * b + c, rounded once. */
    friend SF8_CONSTEXPR number fma(number a, number b, number c) noexcept
    {
        return of(sf8_core_fma(arithmetic(), a.code_, b.code_, c.code_, Policy::row(), 0));
    }
    friend SF8_CONSTEXPR number sqrt(number a) noexcept
    {
        return of(sf8_core_sqrt(arithmetic(), a.code_, Policy::row(), 0));
    }
    SF8_CONSTEXPR number operator-() const noexcept
    {
        return of(sf8_core_negate(Format::row(), code_, Policy::row()));
    }
    constexpr number operator+() const noexcept
    {
        return *this;
    }
    SF8_CONSTEXPR number &operator+=(number b) noexcept
    {
        return *this = *this + b;
    }
    SF8_CONSTEXPR number &operator-=(number b) noexcept
    {
        return *this = *this - b;
    }
    SF8_CONSTEXPR number &operator*=(number b) noexcept
    {
        return *this = *this * b;
    }
    SF8_CONSTEXPR number &operator/=(number b) noexcept
    {
        return *this = *this / b;
    }

    /** Compare values: -0 equals +0, and NaN nothing. Compare code() for the same bits. */
    friend SF8_CONSTEXPR bool operator==(number a, number b) noexcept
    {
        return order(a, b) == SF8_EQUAL;
    }
    friend SF8_CONSTEXPR bool operator!=(number a, number b) noexcept
    {
        return !(a == b);
    }
    friend SF8_CONSTEXPR bool operator<(number a, number b) noexcept
    {
        return order(a, b) == SF8_LESS;
    }
    friend SF8_CONSTEXPR bool operator>(number a, number b) noexcept
    {
        return b < a;
    }
    friend SF8_CONSTEXPR bool operator<=(number a, number b) noexcept
    {
        return a < b || a == b;
    }
    friend SF8_CONSTEXPR bool operator>=(number a, number b) noexcept
    {
        return b <= a;
    }
#if defined(__cpp_lib_three_way_comparison)
    friend constexpr std::partial_ordering operator<=>(number a, number b) noexcept
    {
        return a == b  ? std::partial_ordering::equivalent
               : a < b ? std::partial_ordering::less
               : b < a ? std::partial_ordering::greater
                       : std::partial_ordering::unordered;
    }
#endif

    friend std::ostream &operator<<(std::ostream &out, number x)
    {
        return out << static_cast<double>(x);
    }

  private:
    static SF8_CONSTEXPR number of(sf8_result r) noexcept
    {
        return from_code(r.code);
    }

    template <class Integer> static SF8_CONSTEXPR number of_integer(Integer x) noexcept
    {
        if constexpr (std::is_signed_v<Integer>)
            return of(sf8_core_from_i64(Format::row(), x, Policy::row(), 0));
        else
            return of(sf8_core_from_u64(Format::row(), x, Policy::row(), 0));
    }

    /* The format of an operation. */
    static SF8_CONSTEXPR sf8_format arithmetic() noexcept
    {
        static_assert(Format::man_bits < 24, "arithmetic needs a precision of 24 bits or less");
        return Format::row();
    }

    SF8_CONSTEXPR std::uint64_t to(sf8_format wide) const noexcept
    {
        return sf8_core_convert(wide, Format::row(), code_, policies::ocp_nosat::row(), 0).code;
    }

    static SF8_CONSTEXPR int order(number a, number b) noexcept
    {
        return static_cast<int>(static_cast<std::int64_t>(
            sf8_core_compare(Format::row(), a.code_, b.code_, 0, Policy::row()).code));
    }

    code_type code_ = 0;
};

/** @{ Short names, with the usual policy. */
#define SF8_SHORT_NAME(called, e, m, s, nans, inf, zero, b) using called = number<formats::called>;
SF8_NARROW_FORMATS(SF8_SHORT_NAME)
SF8_WIDE_FORMATS(SF8_SHORT_NAME)
#undef SF8_SHORT_NAME
/** @} */

/** All numbers of a type, by their codes: for (sf8::e4m3 x : sf8::all<sf8::e4m3>()). */
template <class Number> class all
{
  public:
    class iterator
    {
      public:
        using iterator_category = std::input_iterator_tag;
        using value_type = Number;
        using difference_type = std::ptrdiff_t;
        using pointer = const Number *;
        using reference = Number;

        constexpr iterator() noexcept = default;
        explicit constexpr iterator(std::uint64_t code) noexcept : code_(code)
        {
        }
        constexpr Number operator*() const noexcept
        {
            return Number::from_code(code_);
        }
        constexpr iterator &operator++() noexcept
        {
            ++code_;
            return *this;
        }
        constexpr iterator operator++(int) noexcept
        {
            return iterator(code_++);
        }
        friend constexpr bool operator==(iterator a, iterator b) noexcept
        {
            return a.code_ == b.code_;
        }
        friend constexpr bool operator!=(iterator a, iterator b) noexcept
        {
            return !(a == b);
        }

      private:
        std::uint64_t code_ = 0;
    };

    constexpr iterator begin() const noexcept
    {
        return iterator(0);
    }
    constexpr iterator end() const noexcept
    {
        return iterator(std::uint64_t(1) << bits);
    }

  private:
    static constexpr int bits = code_bits<typename Number::format>;
    static_assert(bits <= 32, "that many numbers nobody visits");
};

} // namespace sf8

/** The limits of a format. Those that it does not have, such as infinity in e4m3, are the code 0,
 * as for types without them. */
template <class Format, class Policy> class std::numeric_limits<sf8::number<Format, Policy>>
{
    using type = sf8::number<Format, Policy>;
    /* The magnitude of the largest number, and the exponents of that and of the smallest normal
     * one. */
    static constexpr std::uint64_t hidden = std::uint64_t(1) << Format::man_bits;
    static constexpr std::uint64_t specials = Format::nan == SF8_NANS_IEEE
                                                  ? hidden
                                                  : std::uint64_t(Format::nan == SF8_NANS_TOP) +
                                                        Format::has_inf;
    static constexpr std::uint64_t most = (hidden << Format::exp_bits) - 1 - specials;
    static constexpr int largest = static_cast<int>(most >> Format::man_bits) - Format::bias,
                         smallest = Format::has_zero - Format::bias;

    /* The decimal exponent of the largest number. x, from 1 to 10, has 59 bits of fraction; cutting
     * off the rest never matters, since no such number is that near above a power of ten. */
    static constexpr int decimal() noexcept
    {
        const std::uint64_t ten = std::uint64_t(10) << 59;
        std::uint64_t x = (hidden | (most & (hidden - 1))) << (59 - Format::man_bits);
        int n = 0;
        for (int e = 0; e < largest; e++)
            if ((x *= 2) >= ten) {
                x /= 10;
                n++;
            }
        for (int e = 0; e > largest; e--)
            if ((x /= 2) < ten / 10) {
                x *= 10;
                n--;
            }
        return n;
    }

    static constexpr std::float_round_style style(unsigned int mode) noexcept
    {
        switch (mode) {
        case SF8_RNE:
        case SF8_RNA:
        case SF8_RNZ:
            return std::round_to_nearest;
        case SF8_RZ:
            return std::round_toward_zero;
        case SF8_RU:
            return std::round_toward_infinity;
        case SF8_RD:
            return std::round_toward_neg_infinity;
        default:
            return std::round_indeterminate;
        }
    }

  public:
    static constexpr bool is_specialized = true, is_signed = Format::is_signed, is_integer = false,
                          is_exact = false, has_infinity = Format::has_inf,
                          has_quiet_NaN = Format::nan != SF8_NANS_NONE,
                          has_signaling_NaN = Format::nan == SF8_NANS_IEEE && Format::man_bits > 1,
                          is_iec559 = false, is_bounded = true, is_modulo = false, traps = false,
                          tinyness_before = false, has_denorm_loss = false;
/* Deprecated from C++23 on, and part of every numeric_limits nevertheless. */
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#elif defined(_MSC_VER)
#pragma warning(push)
#pragma warning(disable : 4996)
#endif
    static constexpr std::float_denorm_style has_denorm = Format::has_zero && Format::man_bits > 0
                                                              ? std::denorm_present
                                                              : std::denorm_absent;
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#elif defined(_MSC_VER)
#pragma warning(pop)
#endif
    /** That of the policy: all modes to nearest, whatever they do with ties, are one style. */
    static constexpr std::float_round_style round_style = style(sf8::rounding_of<Policy>::value);
    static constexpr int radix = 2, digits = Format::man_bits + 1,
                         digits10 = Format::man_bits * 30103 / 100000,
                         max_digits10 = digits * 30103 / 100000 + 2, min_exponent = smallest + 1,
                         max_exponent = largest + 1, min_exponent10 = smallest * 30103 / 100000,
                         max_exponent10 = decimal();

    static SF8_CONSTEXPR type min() noexcept
    {
        return type::from_code(sf8_format_min_normal(Format::row()));
    }
    static SF8_CONSTEXPR type max() noexcept
    {
        return type::from_code(sf8_format_max(Format::row()));
    }
    static SF8_CONSTEXPR type lowest() noexcept
    {
        return type::from_code(Format::is_signed ? sf8_format_max(Format::row()) |
                                                       sf8_format_sign_bit(Format::row())
                                                 : 0);
    }
    /** The distance from 1 to the next number. */
    static SF8_CONSTEXPR type epsilon() noexcept
    {
        return type::rounded(SF8_F64, std::uint64_t(1023 - Format::man_bits) << 52, SF8_OCP);
    }
    /** Half a place if the policy rounds to nearest, else one. */
    static SF8_CONSTEXPR type round_error() noexcept
    {
        return type::rounded(
            SF8_F64, std::uint64_t(1023 - (round_style == std::round_to_nearest)) << 52, SF8_OCP);
    }
    static SF8_CONSTEXPR type denorm_min() noexcept
    {
        return type::from_code(Format::has_zero ? 1 : 0);
    }
    static SF8_CONSTEXPR type infinity() noexcept
    {
        return type::from_code(has_infinity ? sf8_format_inf(Format::row()) : 0);
    }
    static SF8_CONSTEXPR type quiet_NaN() noexcept
    {
        return has_quiet_NaN ? type::rounded(SF8_F32, 0x7fc00000, SF8_OCP_NOSAT) : type();
    }
    static SF8_CONSTEXPR type signaling_NaN() noexcept
    {
        return type::from_code(has_signaling_NaN ? sf8_format_inf(Format::row()) + 1 : 0);
    }
};

#if defined(__cpp_lib_format)
/** std::format writes the value, with the options of a double. */
template <class Format, class Policy>
struct std::formatter<sf8::number<Format, Policy>> : std::formatter<double> {
    template <class Context> auto format(sf8::number<Format, Policy> x, Context &context) const
    {
        return std::formatter<double>::format(static_cast<double>(x), context);
    }
};
#endif

#endif
