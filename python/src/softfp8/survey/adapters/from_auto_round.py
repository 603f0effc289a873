# SPDX-License-Identifier: MIT
"""from_auto_round.py -- auto-round on the CPU: its data types, and QuantLinear.pack of its export"""
import importlib.metadata
import types

import torch
from auto_round.data_type.mxfp import quant_mx, quant_mx_rceil
from auto_round.data_type.nvfp import calculate_gparam, nv_fp4
from auto_round.export.export_to_autoround.qlinear_fp import QuantLinear

import lab
from torch_words import tensor, words_of

torch.set_num_threads(1)
PACKAGE, VERSION = "auto-round", importlib.metadata.version("auto-round")
WIDE = ["f32", "bf16", "f16"]
BITS = {"e2m1": 4, "e4m3": 8}


def packed(weight, scales, bits, group, data_type, second=None):
    """What the export writes for a weight that was rounded: codes and scales."""
    layer = QuantLinear(bits, group, weight.shape[1], weight.shape[0], False, data_type=data_type,
                        act_bits=16)
    linear = types.SimpleNamespace(weight=torch.nn.Parameter(weight, requires_grad=False))
    layer.pack(linear, scales.reshape(len(weight), -1), global_scale=second)
    codes = words_of(layer.weight, "e4m3") if bits == 8 else \
        lab.nibbles(words_of(layer.weight_packed, "e4m3"))
    return codes, words_of(layer.weight_scale, "e4m3")


def quantize_mx(source, element, mode):
    function = quant_mx_rceil if mode == "rceil" else quant_mx

    def run(words):
        weight, scales, _ = function(tensor(words, source), bits=BITS[element], group_size=32)
        return packed(weight, scales, BITS[element], 32, "mx_fp")
    return run


def quantize_nvfp4(source):
    def run(words):
        x = tensor(words, source)
        second = calculate_gparam(x)
        weight, scales, _ = nv_fp4(x, global_scale=second)
        return *packed(weight, scales, 4, 16, "nv_fp", second), words_of(second.reshape(1), "f32")
    return run


def claim(source, to, mode):
    if to.endswith("-g"):
        return "nvfp4-auto-round"
    return f"mxfp{BITS[to.split('-')[0]]}-auto-round" + ("-rceil" if mode == "rceil" else "")


def conversions():
    for wide in WIDE:
        for element in BITS:
            for mode in ("even", "rceil"):
                yield f"quantize:{wide}", f"{element}-32-e8m0", mode, \
                    quantize_mx(wide, element, mode)
        yield f"quantize:{wide}", "e2m1-16-e4m3-g", "", quantize_nvfp4(wide)
