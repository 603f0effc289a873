# SPDX-License-Identifier: MIT
"""What all adapters share: widths of formats, sets of input words, staircases and their digests.

A staircase is the list of rows (first word, code) at which the code changes when all words of a
format are converted in order. It describes every result of a conversion in a few thousand rows.
"""
import hashlib

import numpy as np

BITS = {
    "f64": 64, "f32": 32, "f16": 16, "bf16": 16, "e2m1": 4, "e2m3": 6, "e3m2": 6, "ue4m3": 8,
    "e4m3": 8, "e5m2": 8, "e8m0": 8, "e4m3fnuz": 8, "e5m2fnuz": 8, "e4m3b11fnuz": 8,
    "e4m3ieee": 8, "e3m4": 8,
}
WIDE = ["f32", "f16", "bf16", "f64"]

# The names that numpy, ml_dtypes, JAX and TensorFlow have for these formats.
NUMPY = {
    "f32": "float32", "f64": "float64", "f16": "float16", "bf16": "bfloat16",
    "e4m3": "float8_e4m3fn", "e5m2": "float8_e5m2", "e4m3fnuz": "float8_e4m3fnuz",
    "e5m2fnuz": "float8_e5m2fnuz", "e2m1": "float4_e2m1fn", "e8m0": "float8_e8m0fnu",
    "e2m3": "float6_e2m3fn", "e3m2": "float6_e3m2fn", "e4m3b11fnuz": "float8_e4m3b11fnuz",
    "e4m3ieee": "float8_e4m3", "e3m4": "float8_e3m4",
}


def dtype_of(name):
    """The unsigned integer type that holds one word of a format."""
    bits = BITS[name]
    return np.uint8 if bits <= 8 else np.uint16 if bits == 16 else np.uint32 if bits == 32 \
        else np.uint64


# ---- input words --------------------------------------------------------------------------------


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
    return np.unique(np.concatenate([p.astype(np.uint32) for p in parts]))


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
    return np.unique(np.concatenate(out + [ends, ends | np.uint64(1 << 63)]))


def inputs(source):
    """Every word of a format of 16 bits or less, else the dense set of f32 or of f64."""
    if BITS[source] <= 16:
        return np.arange(1 << BITS[source], dtype=dtype_of(source))
    return f32_dense() if source == "f32" else f64_set()


# ---- staircases ---------------------------------------------------------------------------------


def stairs_of(codes):
    """The staircase of the codes of all words in order."""
    at = np.concatenate([[0], np.flatnonzero(codes[1:] != codes[:-1]) + 1])
    return at.astype(np.uint64), codes[at].astype(np.uint64)


def stairs(function, source, chunk=1 << 24):
    """The staircase of a conversion, over every word of its source."""
    total = 1 << BITS[source]
    chunk = min(chunk, total)
    firsts, codes, last = [], [], None
    base = np.arange(chunk, dtype=np.uint64).astype(dtype_of(source))
    for start in range(0, total, chunk):
        c = np.asarray(function(base | base.dtype.type(start)))
        if c.size != chunk:
            raise ValueError(f"{c.size} codes for {chunk} words")
        first, code = stairs_of(c)
        if last is not None and code[0] == last:
            first, code = first[1:], code[1:]
        firsts.append(first + np.uint64(start))
        codes.append(code)
        last = np.uint64(c[-1])
    return np.concatenate(firsts), np.concatenate(codes)


def digest(first, code):
    """SHA-256 over the rows, each as two unsigned integers of 64 bits, least byte first."""
    pairs = np.empty((len(first), 2), "<u8")
    pairs[:, 0], pairs[:, 1] = first, code
    return hashlib.sha256(pairs.tobytes()).hexdigest()
