/* SPDX-License-Identifier: MIT */
/* my_cast.h -- the code under test: f32 to e4m3, rounded to nearest even and saturating */
#ifndef MY_CAST_H
#define MY_CAST_H

#include <cmath>
#include <cstdint>
#include <cstring>

inline std::uint8_t my_cast(float x)
{
    std::uint32_t bits;
    std::memcpy(&bits, &x, 4);
    std::uint32_t sign = bits >> 24 & 0x80, magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000)
        return 0x7f; /* NaN */
    if (magnitude < 0x3c800000) /* subnormal, below 2^-6 */
        return static_cast<std::uint8_t>(sign | static_cast<std::uint32_t>(
                                                    std::lrint(std::fabs(x) * 512)));
#ifndef MY_CAST_TRUNCATES
    magnitude += 0x7ffff + (magnitude >> 20 & 1);
#endif
    std::uint32_t code = (magnitude >> 20) - (120 << 3);
    return static_cast<std::uint8_t>(sign | (code < 0x7e ? code : 0x7e));
}

#endif
