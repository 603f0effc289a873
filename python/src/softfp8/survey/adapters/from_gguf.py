# SPDX-License-Identifier: MIT
"""from_gguf.py -- gguf, the Python package of ggml: blocks, and the scale format ue4m3"""
import importlib.metadata

import numpy as np
from gguf import GGMLQuantizationType, quants

import lab

PACKAGE, VERSION = "gguf", importlib.metadata.version("gguf")
# The kind of blocks, and the bytes of a block before its codes.
KINDS = {"Q8_0": ("int8-32-f16", 2), "Q4_0": ("uint4-32-f16", 2),
         "Q4_1": ("uint4-32-f16-offset", 4), "MXFP4": ("e2m1-32-e8m0", 1)}


def encode(words):
    with np.errstate(all="ignore"):
        codes = quants.NVFP4.fp32_to_ue4m3(words.view(np.float32))
    return np.asarray(codes).astype(np.uint8)


def quantize(name):
    head = KINDS[name][1]

    def run(words):
        with np.errstate(all="ignore"):
            data = quants.quantize(words.view(np.float32), GGMLQuantizationType[name])
        blocks = np.asarray(data).reshape(words.size // 32, -1)
        codes = np.ascontiguousarray(blocks[:, head:])
        if name != "Q8_0":  # the first half of a block is in the lower halves of bytes
            codes = np.concatenate([codes & 15, codes >> 4], 1)
        scales = np.ascontiguousarray(blocks[:, :head])
        parts = [scales] if head == 1 else np.hsplit(scales.view(np.uint16), head // 2)
        return codes.reshape(words.shape), *(part.reshape(len(words), -1) for part in parts)
    return run


def dequantize(name):
    head = KINDS[name][1]

    def run(codes, *scales):
        c = codes.reshape(-1, 32)
        if name != "Q8_0":
            c = c[:, :16] | c[:, 16:] << 4
        s = np.concatenate([part.reshape(-1, 1) for part in scales], 1).view(np.uint8)
        blocks = np.concatenate([s, c], 1)
        assert s.shape[1] == head
        with np.errstate(all="ignore"):
            values = quants.dequantize(blocks.reshape(len(codes), -1), GGMLQuantizationType[name])
        return np.ascontiguousarray(values, np.float32).view(np.uint32)
    return run


def claim(source, to, mode):
    for name, (kind, _) in KINDS.items():
        if kind in (to, source.partition(":")[2]):
            return f"{name.lower()}-gguf"
    return "ggml"


def conversions():
    yield "f32", "ue4m3", "", encode
    for name, (kind, _) in KINDS.items():
        yield "quantize:f32", kind, "", quantize(name)
        yield f"dequantize:{kind}", "f32", "", dequantize(name)
