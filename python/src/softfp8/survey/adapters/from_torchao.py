# SPDX-License-Identifier: MIT
"""from_torchao.py -- torchao on the CPU: to_mx and to_dtype, nvfp4_quantize and dequantize"""
import importlib.metadata

import torch
from torchao.prototype.mx_formats import config, mx_tensor, nvfp4_tensor
from torchao.prototype.mx_formats.constants import DTYPE_FP6_E2M3, DTYPE_FP6_E3M2

import lab
from torch_words import tensor, words_of

torch.set_num_threads(1)
PACKAGE, VERSION = "torchao", importlib.metadata.version("torchao")
ELEMENTS = {"e2m1": torch.float4_e2m1fn_x2, "e3m2": DTYPE_FP6_E3M2, "e2m3": DTYPE_FP6_E2M3,
            "e4m3": torch.float8_e4m3fn, "e5m2": torch.float8_e5m2}
MODES = {mode: config.ScaleCalculationMode[mode.upper()]
         for mode in ("floor", "even", "ceil", "rceil")}
TITLES = {"e2m1": "mxfp4", "e3m2": "mxfp6-e3m2", "e2m3": "mxfp6-e2m3", "e4m3": "mxfp8-e4m3",
          "e5m2": "mxfp8-e5m2"}


def quantize(source, element, mode):
    def run(words):
        scales, data = mx_tensor.to_mx(tensor(words, source), ELEMENTS[element], 32, MODES[mode])
        codes = words_of(data, "e4m3")
        return lab.nibbles(codes) if element == "e2m1" else codes, words_of(scales, "e8m0")
    return run


def dequantize(element, to):
    def run(codes, scales):
        data = torch.from_numpy(lab.packed(codes) if element == "e2m1" else codes)
        if element in ("e4m3", "e5m2"):
            data = data.view(ELEMENTS[element])
        values = mx_tensor.to_dtype(data, tensor(scales, "e8m0"), ELEMENTS[element], 32,
                                    torch.float32 if to == "f32" else torch.bfloat16)
        return words_of(values, to)
    return run


def quantize_nvfp4(source):
    def run(words):
        x = tensor(words, source)
        second = nvfp4_tensor.per_tensor_amax_to_scale(x.abs().max())
        scales, data = nvfp4_tensor.nvfp4_quantize(x, 16, second)
        return lab.nibbles(words_of(data, "e4m3")), words_of(scales, "e4m3"), \
            words_of(second.reshape(1), "f32")
    return run


def dequantize_nvfp4(to):
    def run(codes, scales, second):
        made = nvfp4_tensor.NVFP4Tensor(
            torch.from_numpy(lab.packed(codes)), tensor(scales, "e4m3"), 16, torch.bfloat16,
            tensor(second, "f32").reshape(()))
        return words_of(made.dequantize(torch.float32 if to == "f32" else torch.bfloat16), to)
    return run


def claim(source, to, mode):
    name = to if source.startswith("quantize") else source.partition(":")[2]
    return "nvfp4-torchao" if "-16-" in name else \
        f"{TITLES[name.split('-')[0]]}-torchao-{mode or 'floor'}"


def conversions():
    for wide in ("f32", "bf16"):
        for element in ELEMENTS:
            for mode in MODES:
                yield f"quantize:{wide}", f"{element}-32-e8m0", mode, quantize(wide, element, mode)
            yield f"dequantize:{element}-32-e8m0", wide, "", dequantize(element, wide)
        yield f"quantize:{wide}", "e2m1-16-e4m3-g", "", quantize_nvfp4(wide)
        yield "dequantize:e2m1-16-e4m3-g", wide, "", dequantize_nvfp4(wide)
