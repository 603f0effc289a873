# SPDX-License-Identifier: MIT
"""from_tinygrad.py -- tinygrad: its Python functions, and Tensor.cast compiled for the CPU"""
import importlib.metadata
import os

os.environ.setdefault("DEV", "CPU")

import numpy as np
from tinygrad import Tensor, dtypes
from tinygrad.dtype import float_to_fp8

import lab

PACKAGE, VERSION = "tinygrad", importlib.metadata.version("tinygrad")
NARROW = ["e4m3", "e5m2", "e4m3fnuz", "e5m2fnuz"]
TYPES = {"f32": dtypes.float32, "f64": dtypes.float64, "f16": dtypes.float16,
         "bf16": dtypes.bfloat16, **{name: getattr(dtypes, "fp8" + name) for name in NARROW}}
INTEGER = {8: dtypes.uint8, 16: dtypes.uint16, 32: dtypes.uint32, 64: dtypes.uint64}


def python(source, to):
    def run(words):
        if source == "bf16":
            values = (words.astype(np.uint32) << 16).view(np.float32)
        else:
            values = words.view(lab.NUMPY[source])
        return np.array([float_to_fp8(x, TYPES[to]) for x in values.astype(np.float64).tolist()],
                        np.uint8)
    return run


def compiled(source, to):
    def run(words):
        x = Tensor(np.ascontiguousarray(words)).bitcast(TYPES[source]).realize()
        y = x.cast(TYPES[to]).realize().bitcast(INTEGER[lab.BITS[to]])
        return y.numpy().view(lab.dtype_of(to))
    return run


def conversions():
    for to in NARROW:
        for source in ("f16", "bf16", "f64"):
            yield source, to, "python", python(source, to)
    for source in lab.WIDE + NARROW:
        for to in NARROW if source in lab.WIDE else lab.WIDE:
            yield source, to, "cpu", compiled(source, to)
