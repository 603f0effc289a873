# SPDX-License-Identifier: MIT
"""gemm.py -- which schedule, or which matrix unit, gave the product of two matrices"""
import re

import numpy as np

from ._base.arrays import array_of, code_dtype
from ._base.library import size
from ._base.command import run
from .formats import format as format_of
from .matmul import _accumulator, factors, schedules, unit as unit_of

LINE = re.compile(r"^  (\d+) of (\d+)  (.*)$", re.MULTILINE)


class Explanation:
    """What `identify_mma` found. `print` shows the command's answer.

    agrees   the schedule that was asked about, or the unit, gives all results that were compared
    names    the schedules or units that give all of them, the nearest first
    """

    def __init__(self, text, asked):
        self.text = text
        given, of = map(int, re.search(r"explains (\d+) of (\d+) rows", text).groups())
        self.agrees = given == of
        self.names = [asked] if self.agrees else [
            name for some, all, name in LINE.findall(text) if some == all]

    def __str__(self):
        return self.text

    __repr__ = __str__


def identify_mma(d, a, b, c=None, *, unit=None, schedule=None, from_=None, from_b=None, results=64):
    """Which schedule of a kernel, or which matrix unit, gave d = a @ b + c.

    d         the product, in f32, or rounded to bf16 or f16 when it was stored. Scales must be 1
    a, b      matrices of m x k and k x n codes
    c         the accumulators, m x n of f32; None: 0
    unit      the matrix unit that is expected; None: that of the schedule
    schedule  how the kernel is expected to combine instructions (softfp8.schedules()); None:
              "cutlass-fast", or a single instruction where k is no more than the unit's
    results   how many elements of d are compared, evenly spread

    >>> import softfp8 as sf
    >>> rng = np.random.default_rng(1)
    >>> a, b = (rng.integers(0, 120, shape, np.uint8) for shape in ((8, 512), (512, 8)))
    >>> d = sf.mma("hopper-qgmma", a, b, from_="e4m3", schedule="cutlass-promote4")
    >>> identify_mma(d, a, b, from_="e4m3").names[0]
    'promote=4 splits=1: cutlass-promote4, cublaslt-promoted'
    """
    a, b, a_format, b_format = factors(a, b, from_, from_b)
    (m, k), n = a.shape, b.shape[1]
    if not m * n * k:
        raise ValueError(f"a, b: expected matrices that are not empty, got {a.shape} and {b.shape}")
    results = size("results", results)
    if not results:
        raise ValueError("results: expected at least 1")
    got, of = _stored(d, (m, n))
    c = np.zeros((m, n), np.uint32) if c is None else _accumulator(c, format_of("f32"))
    if c.shape not in ((), (m, n)):
        raise ValueError(f"c: expected the shape {(m, n)}, got {c.shape}")
    c = np.broadcast_to(c, (m, n))
    options, asked = _asked(unit, schedule, a_format, b_format, k)
    if of.name != "f32":
        options += ["--rounded-to", of.name]
    rows = []
    for at in np.unique(np.linspace(0, m * n - 1, min(results, m * n)).astype(int)):
        i, j = divmod(int(at), n)
        rows.append(f"{_hex(a[i], a_format)} {_hex(b[:, j], b_format)} {c[i, j]:08x} "
                    f"{got[i, j]:0{of.bits // 4}x}\n")
    text = run("mma", *options, "--in", f"{a_format.name},{b_format.name}", "--result", "f32",
               "--diagnose", input="".join(rows).encode())
    return Explanation(text, asked)


def _stored(d, shape):
    array, own = array_of(d, "d")
    if own not in ("f32", "bf16", "f16"):
        raise TypeError(f"d: expected f32, bf16 or f16, got {own or array.dtype}")
    if array.shape != shape:
        raise ValueError(f"d: expected the shape {shape}, got {array.shape}")
    return array.view(code_dtype(8 * array.itemsize)), format_of(own)


def _asked(unit, schedule, a, b, k):
    """The options of the command, and the name of what is asked about."""
    if schedule is None and unit is not None and k == unit_of(unit, a, b, "f32").k:
        return ["--unit", unit], f"unit={unit}"
    schedule = schedule or "cutlass-fast"
    if schedule not in [row["name"] for row in schedules()]:
        raise ValueError(f"schedule: unknown name {schedule!r}; softfp8.schedules() lists them")
    by = unit or next(row["unit"] for row in schedules() if row["name"] == schedule)
    each = unit_of(by, a, b, "f32").k
    if k % each:
        raise ValueError(f"a, b: {by} multiplies {each} codes at once, and {k} is no multiple of it; "
                         "append codes of 0 to both")
    return ["--schedule", schedule, *(["--unit", unit] if unit else [])], schedule


def _hex(codes, of):
    return "".join(f"{code:0{-(-of.bits // 4)}x}" for code in codes.tolist())
