# SPDX-License-Identifier: MIT
"""inputs.py -- the inputs of a cell, sorted, in blocks of one size

A source of 16 bits or less has all its codes. f32 and f64 have a fixed set and random words: the
fixed set is a dense set of the format and the critical set of the conversion. Of the other words
one of each run of equal length is taken, at random from a fixed seed. So everything is sorted, and
a part can be made when it is needed.
"""
import dataclasses
import functools

import numpy as np

from ..testing.inputs import _critical
from .adapters.lab import BITS, dtype_of

BLOCK = 1 << 20
PARTS = 64


@dataclasses.dataclass(frozen=True)
class Inputs:
    """The inputs of a conversion. `random` is how many random words they have; None: all words.
    A request has up to `most` words."""

    source: str
    to: str
    random: int | None
    most: int = BLOCK

    @property
    def whole(self):
        return self.random is None or BITS[self.source] <= 16

    @property
    def block(self):
        """How many words a request has; the last one may have fewer."""
        return min(self.most, 1 << BITS[self.source])

    def blocks(self):
        """The words in order, in blocks."""
        if self.whole:
            base = np.arange(self.block, dtype=dtype_of(self.source))
            for start in range(0, 1 << BITS[self.source], self.block):
                yield base + base.dtype.type(start)
            return
        rest = np.empty(0, dtype_of(self.source))
        for part in range(PARTS):
            rest = np.concatenate([rest, self._part(part)])
            while rest.size >= self.block:
                yield rest[:self.block]
                rest = rest[self.block:]
        if rest.size:
            yield rest

    def _part(self, part):
        """The words of a part of the range of all words."""
        dtype, width = dtype_of(self.source), (1 << BITS[self.source]) // PARTS
        fixed = fixed_set(self.source, self.to)
        low, high = np.searchsorted(fixed, np.array([part * width, (part + 1) * width - 1], dtype))
        high += high < fixed.size and int(fixed[high]) == (part + 1) * width - 1
        step = width // max(self.random // PARTS, 1)
        rng = np.random.default_rng([20261123, part])
        random = np.arange(part * width, (part + 1) * width, step, dtype) + \
            rng.integers(0, step, -(-width // step), dtype)
        return _sorted([fixed[low:high], random])


def _sorted(parts):
    """The words of all parts, each once: faster than np.unique, above all if they are sorted."""
    words = np.concatenate(parts)
    words.sort(kind="stable")
    return words[np.concatenate([[True], words[1:] != words[:-1]])]


def dense(source):
    """The fixed set of a format, whatever it is converted to."""
    if BITS[source] <= 16:
        return np.arange(1 << BITS[source], dtype=dtype_of(source))
    return f32_dense() if source == "f32" else f64_set()


@functools.lru_cache(4)
def fixed_set(source, to):
    """The words that every cell of a conversion has."""
    if BITS[source] <= 16:
        return dense(source)
    return _sorted([dense(source), _critical(source, to)])


# ---- dense sets


def exact_points():
    """Values of the narrow formats, the multiples after their largest, and points between them."""
    values = set()
    for mantissa, low, high in ((3, -13, 10), (2, -20, 18), (4, -8, 6), (1, -4, 5), (0, -151, 130)):
        for e in range(low, high):
            for k in range(1 << (mantissa + 2)):
                values.add((1 + k / (1 << (mantissa + 2))) * 2.0 ** e)
    for k in range(1, 1 << 6):
        for e in (-24, -22, -21, -20, -19, -18, -17, -16, *range(-14, -1)):
            values.add(k * 2.0 ** e)
    points = np.array(sorted(values))
    return np.concatenate([points, -points])


def f32_edges():
    with np.errstate(all="ignore"):
        return np.unique(exact_points().astype(np.float32).view(np.uint32))


@functools.cache
def f32_dense(seed=1):
    """420210 words: each upper half with 4 lower ones, boundaries with 2 neighbours on each side,
    NaN payloads, random words."""
    rng = np.random.default_rng(seed)
    high = np.arange(1 << 16, dtype=np.uint32) << 16
    parts = [high + k for k in (0, 1, 0x8000, 0xffff)]
    edges = f32_edges().astype(np.int64)
    parts += [(edges + d).astype(np.uint32) for d in range(-2, 3)]
    payload = np.arange(1 << 12, dtype=np.uint32)
    parts += [base + payload for base in (0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000)]
    parts += [base + payload[:256] for base in (0x7fffff00, 0xffffff00)]
    parts.append(rng.integers(0, 1 << 32, 1 << 17, dtype=np.uint32))
    return _sorted([p.astype(np.uint32) for p in parts])


@functools.cache
def f64_set(seed=2):
    """842340 words: exact points, halfway points of f32, f16 and bf16 beside them, neighbours in
    f64 and in f32, NaN payloads, random words."""
    rng = np.random.default_rng(seed)
    a = exact_points()
    near = []
    for d in (-2, -1, 0, 1, 2):
        with np.errstate(all="ignore"):
            w = (f32_edges().astype(np.int64) + d).astype(np.uint32)
            near.append(w.view(np.float32).astype(np.float64))
    near = np.concatenate(near)
    points = [a, near[np.isfinite(near)]]
    for bits in (24, 11, 8):
        step = np.ldexp(1.0, np.frexp(a)[1] - bits)
        points += [a + k * step for k in (-1.5, -1.0, -0.5, 0.5, 1.0, 1.5)]
        for s in (2.0 ** -25, 2.0 ** -24):  # the spacing of f16's subnormal numbers
            points += [a + s, a - s]
    p = np.unique(np.concatenate(points)).view(np.uint64)
    out = [p, p + 1, p - 1, p + 2, p - 2]
    out.append(rng.integers(0, 1 << 64, 1 << 17, dtype=np.uint64))
    e = rng.integers(1023 - 30, 1023 + 20, 1 << 17, dtype=np.uint64)
    out.append(rng.integers(0, 1 << 52, 1 << 17, dtype=np.uint64) | e << 52 |
               rng.integers(0, 2, 1 << 17, dtype=np.uint64) << 63)
    one = np.array([1 << k for k in range(52)], dtype=np.uint64)
    low = np.arange(64, dtype=np.uint64)
    payload = np.unique(np.concatenate(
        [one, one - 1, one + 1, low, (1 << 52) - 1 - low, low << 46, low << 29, low << 42,
         low << 36, rng.integers(0, 1 << 52, 1 << 14, dtype=np.uint64)]))
    payload &= np.uint64((1 << 52) - 1)
    out += [np.uint64(0x7ff << 52) | payload, np.uint64(0xfff << 52) | payload]
    ends = np.array([0, 1, 2, 1 << 51, 1 << 52, (1 << 52) - 1, 0x7fefffffffffffff,
                     0x47efffffe0000000, 0x47effffff0000000, 0x47efffffefffffff], dtype=np.uint64)
    return _sorted(out + [ends, ends | np.uint64(1 << 63)])
