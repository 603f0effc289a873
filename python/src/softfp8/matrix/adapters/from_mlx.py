# SPDX-License-Identifier: MIT
"""from_mlx.py -- MLX on the CPU: to_fp8 and from_fp8"""
import importlib.metadata

import mlx.core as mx
import numpy as np

import lab

mx.set_default_device(mx.cpu)
PACKAGE, VERSION = "mlx", importlib.metadata.version("mlx-cpu")
TYPES = {"f32": mx.float32, "f16": mx.float16, "bf16": mx.bfloat16}
INTEGER = {16: mx.uint16, 32: mx.uint32}


def encode(source):
    return lambda words: np.array(mx.to_fp8(mx.array(words).view(TYPES[source])))


def decode(to):
    def run(words):
        return np.array(mx.from_fp8(mx.array(words), TYPES[to]).view(INTEGER[lab.BITS[to]]))
    return run


def conversions():
    for wide in TYPES:
        yield wide, "e4m3", "", encode(wide)
        yield "e4m3", wide, "", decode(wide)
