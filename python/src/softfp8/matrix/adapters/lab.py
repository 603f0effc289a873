# SPDX-License-Identifier: MIT
"""lab.py -- what all adapters share: the widths of formats, and their names in packages"""
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
