# SPDX-License-Identifier: MIT
"""scaled.py -- the scales with which codes are consistent, where the kernel took another one

A code bounds the scale that gives it: 448 times the scale is not far from the input. The bounds of
all elements together are an interval, often a narrow one. If it is not empty, then every code is
right for a scale in it, and the rounding is as it should be. No element may be an exception.

The library computes the codes for a scale, and their magnitudes never turn back when the scale
grows. So the ends of the interval are found by bisection over the numbers of f32, and are exact.
"""
import numpy as np

from ..convert import convert
from ..formats import format as format_of
from ..recipes import recipe as recipe_of, valid_program
from .message import Why

FEW = 4  # codes that differ; fewer are those of many factors that are almost 1
LEAST = 16  # elements that are not 0; fewer leave too much room
MOST = 1 << 20  # elements for which codes are computed sixty times
ERROR = 3e-7
SPAN = 2.0 ** 20  # how far from the expected scale the bisection looks


def bits_of(x):
    return int(np.float32(x).view(np.uint32))


def number(bits):
    return float(np.uint32(bits).view(np.float32))


def _least(holds, low, high):
    """The least of the numbers from low to high, as bits, for which a condition holds. It holds for
    all above that one."""
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


def interval(keys_of, got, low, high, to_the_ends=False):
    """The numbers of f32 from low to high for which keys_of(number) are the keys that came: the
    least and the greatest. None if there are none, or if they reach an end, unless they may.

    All keys grow with the number, or all fall.
    """
    low, high = bits_of(low), bits_of(high)
    first, last = keys_of(number(low)), keys_of(number(high))
    if first is None or last is None:
        return None
    sign = 1 if last.sum() >= first.sum() else -1

    def reaches(bits):
        keys = keys_of(number(bits))
        return keys is None or bool((sign * keys >= sign * got).all())

    def exceeds(bits):
        keys = keys_of(number(bits))
        return keys is None or bool((sign * keys > sign * got).any())

    if not reaches(high) or exceeds(low) or not to_the_ends and (reaches(low) or not exceeds(high)):
        return None
    first, after = _least(reaches, low, high), _least(exceeds, low, high + 1)
    return (number(first), number(after - 1)) if first < after else None


def middle(found):
    return number((bits_of(found[0]) + bits_of(found[1])) // 2)


def bounds_text(found):
    """An interval with as few digits as show that it is one: "in [1.02, 1.04]", or "of 1.03"."""
    for digits in range(4, 10):
        low, high = (f"{x:.{digits}g}" for x in found)
        if low != high:
            return f"in [{low}, {high}]"
    return f"of {low}"


def times_text(low, high):
    """The shortest factor in an interval, give or take the error of two numbers of f32."""
    for digits in range(1, 10):
        text = f"{(low + high) / 2:.{digits}g}"
        if low * (1 - ERROR) <= float(text) <= high * (1 + ERROR):
            break
    return f"{float(text):.9g}"  # no exponent where that is as short


# ---- quantizers


def _keys(codes, element, bits):
    """The magnitudes of codes as integers that have the same order."""
    keys = codes.astype(np.int64)
    if element[:1] == "u":
        return keys
    if "int" in element:
        return np.abs(keys - ((keys >> (bits - 1)) << bits))
    return keys & ((1 << (bits - 1)) - 1)


def quantizer(case):
    """The scale with which the codes of a quantizer are consistent, or None."""
    row = case.of.info()
    few = np.count_nonzero(_keys(case.codes, case.of.element or "", case.of.bits)) < LEAST
    few |= 0 < np.count_nonzero(case.codes != case.want.codes) < FEW
    if not row or few or case.of.has_offsets or case.codes.size > MOST:
        return None
    if case.of.has_global_scale:
        found = _global_scale(case)
        if found or case.of.scale_is_given:
            return found
    return _factor(case, row) or _own_scales(case)


def _global_scale(case):
    """The global scale that gives all codes, and all scales."""
    of, g = case.of, case.want.global_scale
    if not of.scale_is_given and case.scales is None:
        return None  # scales that are rounded do not grow with g evenly, nor do codes then
    ends = g / SPAN, g * SPAN

    def made(value):
        return case.made_by(of, value)

    def code_keys(value):
        q = made(value)
        return None if q is None else _keys(q.codes, of.element, of.bits)

    if not of.scale_is_given:
        ends = interval(lambda value: (q := made(value)) and q.scales.astype(np.int64),
                        case.scales.astype(np.int64), *ends)
        if ends is None:
            return None
    found = interval(code_keys, _keys(case.codes, of.element, of.bits), *ends,
                     to_the_ends=not of.scale_is_given)
    if found is None or found[0] <= g <= found[1] or not case.is_made_by(of, middle(found)):
        return None
    return Why(f"{of.name}, global scale {middle(found):.9g}",
               f"the global scale is {times_text(*(x / g for x in found))} times yours: all codes are "
               f"consistent with a scale {bounds_text(found)}")


def _factor(case, row):
    """By which factor the scales differ from the recipe's, where that explains the codes."""
    of, g = case.of, case.want.global_scale
    if not row["element_of"].startswith("x ") or not valid_program("x 1 /" + row["element_of"][1:]):
        return None  # or it is too long

    def other(value):
        return recipe_of(of, element_of=f"x {value:.9g} /" + row["element_of"][1:])

    def code_keys(value):
        q = case.made_by(other(value), g)
        return None if q is None else _keys(q.codes, of.element, of.bits)

    found = interval(code_keys, _keys(case.codes, of.element, of.bits), 1 / SPAN, SPAN)
    if found is None or found[0] <= 1 <= found[1]:
        return None
    q = case.made_by(other(middle(found)), g)
    if q is None or not np.array_equal(q.codes, case.codes):
        return None
    if case.stored is not None and not case.equals(q.codes, q.scales):
        return None
    return Why(None, f"the codes are those for scales {times_text(*found)} times as large: all are "
                     f"consistent with a factor {bounds_text(found)}")


def _own_scales(case):
    """Where no scales came: whether each block has a scale that gives its codes, though it is not
    that of the recipe."""
    of, block = case.of, case.of.block
    columns = case.x.shape[-1]
    if case.stored is not None or "int" in of.element or not block or columns % block or \
            case.want.along != "rows" or case.want.scales.size * block != case.x.size:
        return None
    element = format_of(of.element)
    x, got = (np.asarray(convert(array.reshape(-1, block), "f64", from_=source, policy="ocp-nosat"))
              for array, source in ((case.x, case.source), (case.codes, element)))
    if not np.isfinite(x).all() or not np.isfinite(got).all() or ((x < 0) & (got > 0)).any() or \
            ((x > 0) & (got < 0)).any():
        return None
    numbers = np.asarray(convert(element.all_codes(), "f64", from_=element, policy="ocp-nosat"))
    numbers = np.unique(np.abs(numbers[np.isfinite(numbers)]))
    ties = np.concatenate(([0], (numbers[1:] + numbers[:-1]) / 2, [np.inf]))
    at = np.searchsorted(numbers, np.abs(got))
    with np.errstate(divide="ignore", invalid="ignore"):
        low, high = (np.abs(x) / ties[i] for i in (at + 1, at))
    low, high = low.max(1), np.where(np.isnan(high), np.inf, high).min(1)
    if (low > high * (1 + ERROR)).any():
        return None
    return Why(None, "the codes of each block are right for some scale, but not for the recipe's; pass "
                     "got_scales to have the scales compared")
