# SPDX-License-Identifier: MIT
"""from_mlx.py -- MLX on the CPU: to_fp8 and from_fp8, quantize and dequantize"""
import importlib.metadata

import mlx.core as mx
import numpy as np

import lab

mx.set_default_device(mx.cpu)
PACKAGE, VERSION = "mlx", importlib.metadata.version("mlx-cpu")
TYPES = {"f32": mx.float32, "f16": mx.float16, "bf16": mx.bfloat16}
MODES = {"e2m1-32-e8m0": "mxfp4", "e4m3-32-e8m0": "mxfp8", "e2m1-16-e4m3": "nvfp4"}
INTEGER = {16: mx.uint16, 32: mx.uint32}


def encode(source):
    return lambda words: np.array(mx.to_fp8(mx.array(words).view(TYPES[source])))


def decode(to):
    def run(words):
        return np.array(mx.from_fp8(mx.array(words), TYPES[to]).view(INTEGER[lab.BITS[to]]))
    return run


def quantize(source, name):
    def run(words):
        x = mx.array(words).view(TYPES[source])
        data, scales = mx.quantize(x, mode=MODES[name])
        codes = np.array(data).view(np.uint8).reshape(len(words), -1)
        return codes if name.startswith("e4m3") else lab.nibbles(codes), np.array(scales)
    return run


def dequantize(name, to):
    def run(codes, scales):
        data = codes if name.startswith("e4m3") else lab.packed(codes)
        values = mx.dequantize(mx.array(np.ascontiguousarray(data).view(np.uint32)),
                               mx.array(scales), mode=MODES[name], dtype=TYPES[to])
        return np.array(values.view(INTEGER[lab.BITS[to]]))
    return run


def claim(source, to, mode):
    if source.startswith("dequantize") and to != "bf16":
        return None  # the recipes read as mx.dequantize does without a dtype, which is bf16
    return next((f"{MODES[kind]}-mlx" for kind in MODES if kind in (to, source.partition(":")[2])),
                PACKAGE)


def conversions():
    for wide in TYPES:
        yield wide, "e4m3", "", encode(wide)
        yield "e4m3", wide, "", decode(wide)
        for kind in MODES:
            yield f"quantize:{wide}", kind, "", quantize(wide, kind)
            yield f"dequantize:{kind}", wide, "", dequantize(kind, wide)
