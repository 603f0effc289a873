# SPDX-License-Identifier: MIT
"""codes.py -- the codes of values that an emulator returns in a wider format

An emulator rounds a number to a narrow format and returns it as f32 or f64. A value that the format
does not have counts as NaN, and so does an infinity if the format has none. The code of NaN is all
ones, with the sign of a number that the format does not have. In a format without NaN this is the
code of the largest number.
"""
import numpy as np

# The bits of the exponent and of the mantissa, and two codes: the largest number, infinity or NaN.
FORMATS = {"e4m3": (4, 3, 0x7e, 0x7f), "e5m2": (5, 2, 0x7b, 0x7c), "e4m3ieee": (4, 3, 0x77, 0x78),
           "e3m4": (3, 4, 0x6f, 0x70), "e2m1": (2, 1, 7, 7), "e2m3": (2, 3, 31, 31),
           "e3m2": (3, 2, 31, 31)}
NONE = 0xff  # a scale of e8m0 that is NaN


def codes_of(values, name):
    """The codes of these values in a format; those of int8 are multiples of 1/64."""
    if name == "int8":
        return np.nan_to_num(values * 64, nan=0).astype(np.int8).view(np.uint8)
    exponent_bits, mantissa_bits, last, infinity = FORMATS[name]
    codes = np.arange(last + 1)
    exponent, mantissa = codes >> mantissa_bits, codes & (1 << mantissa_bits) - 1
    mantissa = mantissa + np.where(exponent > 0, 1 << mantissa_bits, 0)
    nan = (1 << exponent_bits + mantissa_bits) - 1
    bias = (1 << exponent_bits - 1) - 1
    numbers = np.ldexp(mantissa.astype(float), np.maximum(exponent, 1) - bias - mantissa_bits)
    size = np.abs(values).astype(np.float64)
    at = np.minimum(np.searchsorted(numbers, size), last)
    found = np.where(numbers[at] == size, at, np.where(np.isinf(size), infinity, nan))
    sign = np.signbit(values) & ~np.isnan(values)
    return (found | sign * (nan + 1)).astype(np.uint8)


def scales_of(values):
    """The codes of scales in e8m0. Those below 2^-127 have the code of 2^-127."""
    values = np.asarray(values, np.float64)
    exponent = np.frexp(np.where(np.isfinite(values), values, 1))[1] - 1
    return np.where(np.isfinite(values), np.clip(exponent, -127, 128) + 127, NONE).astype(np.uint8)
