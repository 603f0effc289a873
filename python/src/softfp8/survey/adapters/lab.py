# SPDX-License-Identifier: MIT
"""lab.py -- what all adapters share: formats, their names in packages, and kinds of blocks"""
import dataclasses

import numpy as np

BITS = {
    "f64": 64, "f32": 32, "f16": 16, "bf16": 16, "e2m1": 4, "e2m3": 6, "e3m2": 6, "ue4m3": 8,
    "e4m3": 8, "e5m2": 8, "e8m0": 8, "e4m3fnuz": 8, "e5m2fnuz": 8, "e4m3b11fnuz": 8,
    "e4m3ieee": 8, "e3m4": 8, "p3109_k8p3se": 8, "p3109_k8p4se": 8, "p3109_k8p4sf": 8,
    "p3109_k6p3se": 6, "p3109_k4p2sf": 4, "hif8": 8,
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


ARITHMETIC = ["add", "sub", "mul", "div"]
WITHIN = [*ARITHMETIC, "merge"]  # operations with one format
CHANNELS = 64  # of a row of attention whose parts are merged


def bits_of(source):
    """The bits of an input. That of add:e4m3 is a pair of codes, the first one in the upper bits.
    """
    operation, _, name = source.rpartition(":")
    return BITS[name] * (2 if operation else 1)


def pair(words, source):
    """The first and the second operands of an operation."""
    bits = BITS[source.rpartition(":")[2]]
    return [(x & (1 << bits) - 1).astype(np.uint8) for x in (words >> bits, words)]


def dtype_of(source):
    """The unsigned integer type that holds one input of a source."""
    bits = bits_of(source)
    return np.uint8 if bits <= 8 else np.uint16 if bits <= 16 else np.uint32 if bits == 32 \
        else np.uint64


# ---- blocks

COLUMNS = 256  # of a matrix that is quantized
ELEMENTS = ["e2m1", "e2m3", "e3m2", "e4m3", "e5m2", "int8", "uint4"]


@dataclasses.dataclass(frozen=True)
class Blocks:
    """How a tensor is quantized: e2m1-32-e8m0 has elements of e2m1, and for each 32 of a row a
    scale of e8m0. e4m3-128x128-f32 has blocks of 128 rows and 128 columns. -offset at the end: each
    block has an offset of the format of the scale. -g: the tensor has a global scale of f32."""

    element: str
    rows: int
    columns: int
    scale: str
    extra: str = ""

    @staticmethod
    def of(name):
        element, block, scale, *extra = name.split("-")
        rows, _, columns = block.rpartition("x")
        if element not in ELEMENTS or scale not in BITS or extra not in ([], ["g"], ["offset"]):
            raise ValueError(name)
        return Blocks(element, int(rows or 1), int(columns), scale, "".join(extra))

    def scales(self, count):
        """How many scales a matrix of `count` values has."""
        return count // (self.rows * self.columns)

    def parts(self, count):
        """The arrays of a quantized matrix, as types and shapes: codes, scales, and what is extra.
        """
        rows = count // COLUMNS
        shape = rows // self.rows, COLUMNS // self.columns
        yield np.uint8, (rows, COLUMNS)
        yield dtype_of(self.scale), shape
        if self.extra == "offset":
            yield dtype_of(self.scale), shape
        elif self.extra == "g":
            yield np.uint32, (1,)


def nibbles(packed):
    """The codes of bytes that hold two each, the first one in the lower half."""
    return np.stack([packed & 15, packed >> 4], -1).reshape(*packed.shape[:-1], -1)


def packed(codes):
    """Two codes of 4 bits to a byte, the first one in the lower half."""
    return codes[..., 0::2] | codes[..., 1::2] << 4
