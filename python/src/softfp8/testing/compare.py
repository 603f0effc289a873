# SPDX-License-Identifier: MIT
"""compare.py -- codes compared by the library, which says what differs, and why"""
import dataclasses

import numpy as np

from .._base.arrays import read, words
from .._base.library import check, ffi, lib, text
from ..convert import convert
from ..formats import format as format_of, formats
from .message import Why, hex_of, value_of

FIRST_FORMATS = ["e4m3", "e5m2", "e4m3fnuz", "e5m2fnuz"]


@dataclasses.dataclass
class Failure:
    """Results that differ. `ranges` are the first ranges of inputs, as the report's JSON has them.
    """

    differ: int
    message: str
    expected: str
    why: Why
    ranges: list
    range_count: int


def compared(got, want=None, operands=(), policy=None, random=None, any_nan=False, mistake=None):
    """What differs, or None if all codes are right.

    got, want  Codes; want is None where the operand is converted by the policy
    operands   Codes
    policy     in the grammar of the library
    random     for stochastic rounding an array of uint32
    mistake    a mistake that is known already
    """
    first = operands[0].of if operands else got.of
    kept = [None if name is None else name.encode() for name in (policy, got.of.name, first.name, mistake)]
    policy, to_name, from_name, mistake = (
        ffi.NULL if name is None else ffi.from_buffer("char[]", name + b"\0") for name in kept)
    shape = ffi.new("size_t[]", got.array.shape or [0])
    codes = [read(x.array) for x in operands] + [ffi.NULL] * (3 - len(operands))
    test = ffi.new("sf8_test *", {
        "to": got.of._format, "got": read(got.array), "want": read(want and want.array),
        "count": got.array.size, "from": first._format, "operand": codes, "policy": policy,
        "random": words(random, "const uint32_t *"), "any_nan": any_nan, "shape": shape,
        "axes": got.array.ndim, "to_name": to_name, "from_name": from_name, "mistake": mistake})
    found = ffi.new("sf8_failure **")
    check(lib.sf8_test_results(test, found), f"{first.name} to {got.of.name}")
    if not found[0]:
        return None
    try:
        return _failure(found[0], first, got.of)
    finally:
        lib.sf8_failure_free(found[0])


def _failure(f, source, target):
    why = Why(*(text(x) or None for x in (f.matches, f.mistake, f.nearest, f.seen)))
    ranges = [_range(f.ranges[i], source, target) for i in range(min(f.range_count, 64))]
    return Failure(f.differ, text(f.message), text(f.expected), why, ranges, f.range_count)


def _range(r, source, target):
    codes = {"first": (r.input[0], source), "last": (r.input[1], source),
             "got": (r.got[0], target), "expected": (r.expected[0], target)}
    names = {"first": "value", "last": "last_value", "got": "got_value",
             "expected": "expected_value"}
    return {**{name: hex_of(*codes[name]) for name in codes}, "policies": [],
            **{names[name]: value_of(*codes[name]) for name in codes}}


def numbers_of(codes):
    """Of which narrow format every result is a number, in words; None if there is none. So it is
    with a kernel whose codes were decoded again."""
    values = np.unique(np.asarray(convert(codes.array, "f64", from_=codes.of,
                                          policy="ocp-nosat")))
    values = values[values == values]
    narrow, found = [], []
    for name in [*FIRST_FORMATS, *(name for name in formats() if name not in FIRST_FORMATS)]:
        if (of := format_of(name)).bits <= 8 and values.size > 1:
            numbers = np.unique(convert(of.all_codes(), "f64", from_=of, policy="ocp-nosat"))
            if np.isin(values, numbers).all():  # of less than 8 bits only if most of them came
                (narrow if of.bits < 8 and 2 * values.size > numbers.size else found).append(name)
    found = narrow + found
    if not found:
        return None
    more = f" (also of {', '.join(found[1:3])})" if found[1:] else ""
    return f"every result is a number of {found[0]}{more}: pass its codes, or fmt={found[0]!r}"
