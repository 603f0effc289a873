# SPDX-License-Identifier: MIT
"""tensors.py -- the tensors on which quantizers and dequantizers are compared with recipes

A tensor consists of blocks, and each block has one of eight characters, in turn:

    0   like weights: sums of four uniform numbers
    1   random numbers in four binades
    2   ties of the element's format, with their neighbours, below a largest magnitude c 2^k
    3   a largest magnitude c 2^k, or one or two units in the last place beside it
    4   any bit patterns of finite numbers
    5   tiny and subnormal numbers
    6   one large number among small ones
    7   zeros of both signs, and few different numbers

k covers the exponents of the format, its ends more often. If the tensor has a global scale, then k
covers 26 binades below the largest magnitude of the tensor. Everything comes from integers of a
fixed seed.
"""
import numpy as np

from ..formats import format as format_of
from .adapters.lab import BITS, COLUMNS, Blocks, dtype_of

MANTISSA = {"f32": 23, "f16": 10, "bf16": 7}
EXPONENTS = {"f32": (-149, 127), "f16": (-24, 15), "bf16": (-133, 127)}
TENSORS = 8
BLOCKS = 1024  # of a tensor
SPECIAL = 2  # tensors with infinity and NaN
SPAN = 26  # binades of blocks below the global scale's
TOPS = {"f32": (-100, -30, -4, 0, 9, 40, 100, 127), "bf16": (-100, -30, -4, 0, 9, 40, 100, 127),
        "f16": (-9, -4, -1, 0, 3, 9, 13, 15)}


def words_of(values, source):
    """Doubles as words of a format, rounded toward zero and no larger than the largest number."""
    with np.errstate(all="ignore"):
        if source == "f16":
            words = values.astype(np.float16).view(np.uint16)
        else:
            words = values.astype(np.float32).view(np.uint32)
    return limited(words >> 16 if source == "bf16" else words, source)


def infinity(source):
    """The word of infinity."""
    bits = BITS[source]
    return (1 << bits - 1) - (1 << MANTISSA[source])


def limited(words, source):
    """Infinity and NaN become the largest finite number."""
    dtype, sign = dtype_of(source), 1 << BITS[source] - 1
    size = np.minimum(words.astype(np.int64) & sign - 1, infinity(source) - 1)
    return (size | words.astype(np.int64) & sign).astype(dtype)


def beside(words, steps, source):
    """The words that are some units in the last place farther from zero."""
    sign = 1 << BITS[source] - 1
    words = words.astype(np.int64)
    size = np.clip((words & sign - 1) + steps, 0, infinity(source) - 1)
    return (size | words & sign).astype(dtype_of(source))


class _Maker:
    """Makes the blocks of a tensor."""

    def __init__(self, source, kind, seed, top=None):
        self.source, self.size = source, kind.rows * kind.columns
        self.rng = np.random.default_rng([20261124, seed, self.size])
        least, most = EXPONENTS[source]
        self.low, self.high = (least, most) if top is None else (max(top - SPAN, least), top)
        self.ties, self.largest = _ties(kind.element)

    def uniform(self, *shape):
        """Numbers from -1 to 1 with 20 bits."""
        return self.rng.integers(-1 << 20, 1 << 20, shape) / (1 << 20)

    def block(self, i):
        """The words of the block i."""
        character = i % 8
        k = self.exponent()
        values = self.uniform(self.size) * 2.0 ** k
        if character == 0 and self.high > 0:
            values = self.uniform(4, self.size).sum(0) * 2.0 ** min(-5, self.high)
        elif character in (0, 1):
            values *= 2.0 ** -self.rng.integers(0, 4, self.size)
        elif character == 2:
            return self.tied(k)
        elif character == 4:
            return self.bits(k)
        elif character == 5:
            values = self.uniform(self.size) * 2.0 ** (self.low + int(self.rng.integers(0, 6)))
        elif character == 6:
            values *= 2.0 ** -self.rng.integers(4, 20, self.size)
        elif character == 7:
            values *= self.rng.integers(0, 2) * (self.rng.integers(0, 4, self.size) == 0)
            values = np.copysign(np.where(values == 0, 0.0, values[0]), self.uniform(self.size))
        words = words_of(values, self.source)
        if character in (3, 6):
            words[self.rng.integers(0, self.size)] = self.peak(k)
        return words

    def exponent(self):
        """An exponent; one in eight is the largest or the least."""
        end = int(self.rng.integers(0, 16))
        return self.high if end == 0 else self.low if end == 1 else \
            self.low + int(self.rng.integers(0, self.high - self.low + 1))

    def peak(self, k):
        """The word of a magnitude c 2^k, or of a neighbour."""
        c = 1 + int(self.rng.integers(0, 16)) / 16 if self.rng.integers(0, 2) else 1.0
        word = words_of(np.array([c * 2.0 ** k * self.sign()]), self.source)
        return beside(word, int(self.rng.integers(-2, 3)), self.source)[0]

    def sign(self):
        return 1.0 if self.rng.integers(0, 2) else -1.0

    def tied(self, k):
        """Ties of the element's format times a power of two, below the largest element times it, or
        below the power of two of that."""
        largest = self.largest if self.rng.integers(0, 2) else 2.0 ** np.floor(np.log2(self.largest))
        scale = 2.0 ** (k - int(np.log2(self.largest)))
        ties = self.rng.choice(self.ties[self.ties <= largest], self.size)
        ties = np.copysign(ties, self.uniform(self.size)) * scale
        words = beside(words_of(ties, self.source), self.rng.integers(-1, 2, self.size), self.source)
        words[self.rng.integers(0, self.size)] = \
            words_of(np.array([largest * scale]), self.source)[0]
        return words

    def bits(self, k):
        """Any words of finite numbers up to 2^k."""
        bits = BITS[self.source]
        words = self.rng.integers(0, 1 << bits, self.size, dtype=np.uint64)
        peak = int(words_of(np.array([2.0 ** k]), self.source)[0])
        size = words & np.uint64((1 << bits - 1) - 1)
        sign = words & np.uint64(1 << bits - 1)
        return (size % np.uint64(peak + 1) | sign).astype(dtype_of(self.source))


def _ties(element):
    """The numbers half way between neighbours of an element, and the largest one."""
    if element in ("int8", "uint4"):
        most = 127 if element == "int8" else 8
        return np.arange(most) + 0.5, float(most)
    of = format_of(element)
    values = np.unique(np.abs(of.decode(np.arange(of.max_code + 1, dtype=np.uint8), to="f64")))
    return (values[1:] + values[:-1]) / 2, values[-1]


def arranged(blocks, kind):
    """A matrix of blocks, as rows of COLUMNS words."""
    across = COLUMNS // kind.columns
    shaped = np.stack(blocks).reshape(-1, across, kind.rows, kind.columns)
    return np.ascontiguousarray(shaped.transpose(0, 2, 1, 3).reshape(-1, COLUMNS))


def blocks_of(matrix, kind):
    """The blocks of a matrix of elements, one a row."""
    across = COLUMNS // kind.columns
    shaped = matrix.reshape(-1, kind.rows, across, kind.columns).transpose(0, 2, 1, 3)
    return shaped.reshape(-1, kind.rows * kind.columns)


def to_quantize(source, name, special):
    """The tensors that a quantizer gets, as words: finite ones, or those with infinity and NaN."""
    kind = Blocks.of(name)
    count = max(BLOCKS // kind.rows, 16)
    if special:
        for seed in range(SPECIAL):
            yield _special(_Maker(source, kind, 100 + seed), kind, count)
        return
    tops = TOPS[source] if kind.extra == "g" else (None,) * TENSORS
    for seed, top in enumerate(tops):
        maker = _Maker(source, kind, seed, top)
        blocks = [maker.block(i) for i in range(count)]
        if top is not None:
            blocks[0][0] = words_of(np.array([1.9 * 2.0 ** top]), source)[0]
        yield arranged(blocks, kind)


def _special(maker, kind, count):
    """A tensor with an infinity or a NaN in every second block."""
    blocks = [maker.block(i) for i in range(count)]
    source, rng = maker.source, maker.rng
    infinite = infinity(source)
    patterns = infinite + np.array([0, 0, 1, 1 << MANTISSA[source] - 1, (1 << MANTISSA[source]) - 1])
    for block in blocks[::2]:
        sign = int(rng.integers(0, 2)) << BITS[source] - 1
        block[rng.integers(0, block.size)] = int(rng.choice(patterns)) | sign
    return arranged(blocks, kind)


def to_dequantize(name):
    """Quantized matrices: each scale with all codes. Of scales of more than 8 bits some are taken."""
    kind = Blocks.of(name)
    rng = np.random.default_rng(20261124)
    scales = _scales(kind, rng)
    bits = {"int8": 8, "uint4": 4}.get(kind.element) or BITS[kind.element]
    each = max(1, (1 << bits) // (kind.rows * kind.columns))  # blocks with one scale
    scales = np.repeat(scales, each)
    across = (COLUMNS // kind.columns) * (128 // kind.rows)
    scales = np.resize(scales, -(-scales.size // across) * across)
    codes = np.arange(scales.size * kind.rows * kind.columns) & (1 << bits) - 1
    blocks = codes.astype(np.uint8).reshape(scales.size, -1)
    shape = -1, COLUMNS // kind.columns
    arrays = [arranged(list(blocks), kind), scales.astype(dtype_of(kind.scale)).reshape(shape)]
    if kind.extra == "offset":
        yield [*arrays, rng.permutation(arrays[1].reshape(-1)).reshape(shape)]
    elif kind.extra == "g":
        for g in (1.0, 0.00037, 2688.0, 12345.678):
            yield [*arrays, np.array([g], np.float32).view(np.uint32)]
    else:
        yield arrays


def _scales(kind, rng):
    """The scales of a format: all; but no negative ones of e4m3, and of others some."""
    if kind.scale == "e8m0":
        return np.arange(256)
    if kind.scale == "e4m3":
        return np.arange(128)
    exponents = EXPONENTS[kind.scale]
    values = 2.0 ** rng.integers(exponents[0] + 8, exponents[1] - 8, 500)
    return words_of(values * (1 + rng.integers(0, 1 << 20, 500) / (1 << 20)), kind.scale)
