# SPDX-License-Identifier: MIT
"""from_modelopt.py -- ModelOpt on the CPU: its tensors of NVFP4, MXFP4, MXFP8 and blocks of FP8"""
import importlib.metadata

import torch
from modelopt.torch.quantization.qtensor import (FP8QTensor, MXFP4QTensor, MXFP8QTensor,
                                                 NVFP4QTensor)

import lab
from torch_words import tensor, words_of

torch.set_num_threads(1)
PACKAGE, VERSION = "modelopt", importlib.metadata.version("nvidia-modelopt")
WIDE = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}


def quantize_nvfp4(source):
    def run(words):
        made, scales, second = NVFP4QTensor.quantize(tensor(words, source), 16)
        return lab.nibbles(words_of(made._quantized_data, "e4m3")), words_of(scales, "e4m3"), \
            words_of(second.reshape(1), "f32")
    return run


def dequantize_nvfp4(to):
    def run(codes, scales, second):
        made = NVFP4QTensor(torch.Size(codes.shape), WIDE[to], torch.from_numpy(lab.packed(codes)))
        return words_of(made.dequantize(WIDE[to], scale=tensor(scales, "e4m3"),
                                        double_scale=tensor(second, "f32").reshape(()),
                                        block_sizes={-1: 16}), to)
    return run


def quantize_mx(source, element):
    def run(words):
        x = tensor(words, source)
        if element == "e4m3":
            made, scales = MXFP8QTensor.quantize(x)
            return words_of(made._quantized_data, "e4m3"), words_of(scales, "e4m3")
        made, scales = MXFP4QTensor.quantize(x, 32)
        return lab.nibbles(words_of(made._quantized_data, "e4m3")), \
            words_of(scales.reshape(len(words), -1), "e4m3")
    return run


def dequantize_mx(element, to):
    def run(codes, scales):
        kind, data = (MXFP8QTensor, tensor(codes, "e4m3")) if element == "e4m3" else \
            (MXFP4QTensor, torch.from_numpy(lab.packed(codes)))
        made = kind(torch.Size(codes.shape), WIDE[to], data)
        return words_of(made.dequantize(WIDE[to], scale=torch.from_numpy(scales),
                                        block_sizes={-1: 32}), to)
    return run


def quantize_fp8(source):
    def run(words):
        made, scales = FP8QTensor.quantize(tensor(words, source), block_sizes={-1: 128, -2: 128})
        return words_of(made._quantized_data, "e4m3"), words_of(scales.float().squeeze(), "f32")
    return run


def claim(source, to, mode):
    name = to if source.startswith("quantize") else source.partition(":")[2]
    return {"e2m1-16-e4m3-g": "nvfp4-modelopt", "e4m3-32-e8m0": "mxfp8-modelopt",
            "e2m1-32-e8m0": "mxfp4-modelopt", "e4m3-128x128-f32": "fp8-modelopt-block128"}[name]


def conversions():
    for wide in WIDE:
        yield f"quantize:{wide}", "e2m1-16-e4m3-g", "", quantize_nvfp4(wide)
        yield "dequantize:e2m1-16-e4m3-g", wide, "", dequantize_nvfp4(wide)
        for element in ("e4m3", "e2m1"):
            yield f"quantize:{wide}", f"{element}-32-e8m0", "", quantize_mx(wide, element)
            yield f"dequantize:{element}-32-e8m0", wide, "", dequantize_mx(element, wide)
        yield f"quantize:{wide}", "e4m3-128x128-f32", "", quantize_fp8(wide)
