# SPDX-License-Identifier: MIT
"""from_quark.py -- AMD Quark on the CPU: quant_fp8_e4m3 and quant_fp8_e5m2, and fake_quantize_mx

fake_quantize_mx returns values alone. Its scales are those of the function get_scale of its
observers; the elements are the values without them.
"""
import importlib.metadata
import os
import sys
import types

os.environ["PATH"] = os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]  # ninja

import torch
from quark.torch.kernel.hw_emulation.hw_emulation_interface import fake_quantize_mx
from quark.torch.quantization.observer.observer import ObserverBase

import lab
from codes import codes_of, scales_of
from torch_words import tensor, words_of

torch.set_num_threads(1)
PACKAGE, VERSION = "amd-quark", importlib.metadata.version("amd-quark")
ELEMENTS = {"e2m1": "fp4", "e2m3": "fp6_e2m3", "e3m2": "fp6_e3m2", "e4m3": "fp8_e4m3",
            "e5m2": "fp8_e5m2"}
TITLES = {"e2m1": "mxfp4", "e2m3": "mxfp6-e2m3", "e3m2": "mxfp6-e3m2", "e4m3": "mxfp8-e4m3",
          "e5m2": "mxfp8-e5m2"}


def cast(source, to):
    def run(words):
        function = getattr(torch.ops.quark, f"quant_fp8_{to}")
        return words_of(function(tensor(words, source)), to)
    return run


def quantize(element, mode):
    def run(words):
        x = tensor(words, "f32")
        blocks = x.reshape(-1, 32)
        observer = types.SimpleNamespace(
            scale_calculation_mode=mode,
            qspec=types.SimpleNamespace(mx_element_dtype=ELEMENTS[element], dtype=None))
        scales = ObserverBase.get_scale(observer, blocks.abs().max(-1, True)[0],
                                        torch.finfo(torch.float32).eps, "e8m0")
        values = fake_quantize_mx(x, -1, 32, mode, mx_element_dtype=ELEMENTS[element])
        elements = values.reshape(-1, 32).double() / scales.double()
        return codes_of(elements.numpy(), element).reshape(words.shape), \
            scales_of(scales.numpy()).reshape(len(words), -1)
    return run


def claim(source, to, mode):
    if source.startswith("quantize"):
        return f"{TITLES[to.split('-')[0]]}-{mode}"
    return "torch-2.12 overflow=max inf=max"


def conversions():
    for to in ("e4m3", "e5m2"):
        for source in lab.WIDE:
            yield source, to, "", cast(source, to)
    for element in ELEMENTS:
        for mode in ("even", "floor", "ceil"):
            yield "quantize:f32", f"{element}-32-e8m0", mode, quantize(element, mode)
