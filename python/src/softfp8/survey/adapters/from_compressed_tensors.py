# SPDX-License-Identifier: MIT
"""from_compressed_tensors.py -- compressed-tensors on the CPU: its compressors of weights

The smallest and largest values of blocks are those of the weight, as llm-compressor's observer
memoryless_minmax finds them.
"""
import importlib.metadata

import torch
from compressed_tensors.compressors import BaseCompressor
from compressed_tensors.quantization import QuantizationArgs, QuantizationScheme
from compressed_tensors.quantization.quant_scheme import preset_name_to_scheme
from compressed_tensors.quantization.utils import calculate_qparams, generate_gparam

import lab
from torch_words import tensor, words_of

torch.set_num_threads(1)
PACKAGE, VERSION = "compressed-tensors", importlib.metadata.version("compressed-tensors")
WIDE = ["f32", "bf16", "f16"]
# The preset, the compressor, and the recipe of a kind of blocks.
KINDS = {"e2m1-16-e4m3-g": ("NVFP4A16", "nvfp4-pack-quantized", "nvfp4-compressed"),
         "e2m1-32-e8m0": ("MXFP4A16", "mxfp4-pack-quantized", "mxfp4-compressed"),
         "e4m3-32-e8m0": ("MXFP8A16", "mxfp8-quantized", "mxfp8-compressed")}


def scheme_of(kind):
    preset = preset_name_to_scheme(KINDS[kind][0], ["Linear"])
    return QuantizationScheme(targets=["Linear"], weights=QuantizationArgs.model_validate(
        preset.weights.model_dump()))


def compressor(kind):
    return BaseCompressor.get_value_from_registry(KINDS[kind][1])


def quantize(source, kind):
    scheme, blocks = scheme_of(kind), lab.Blocks.of(kind)

    def run(words):
        weight = tensor(words, source)
        groups = weight.reshape(len(words), -1, blocks.columns)
        state = {"weight": weight}
        second = None
        if blocks.extra == "g":
            second = generate_gparam(weight.amin(), weight.amax())
            state["weight_global_scale"] = second
        scale, zero = calculate_qparams(groups.amin(-1), groups.amax(-1), scheme.weights, second)
        state |= {"weight_scale": scale, "weight_zero_point": zero}
        made = compressor(kind).compress(state, scheme)
        if "weight_packed" in made:
            codes = lab.nibbles(words_of(made["weight_packed"], "e4m3"))
        else:
            codes = words_of(made["weight"], "e4m3")
        scales = words_of(made["weight_scale"], "e4m3")
        return (codes, scales) if second is None else \
            (codes, scales, words_of(second.float().reshape(1), "f32"))
    return run


def dequantize(kind, to):
    scheme = scheme_of(kind)

    def run(codes, scales, *second):
        packed = kind.startswith("e2m1")
        state = {"weight_packed": torch.from_numpy(lab.packed(codes))} if packed else \
            {"weight": tensor(codes, "e4m3")}
        state["weight_scale"] = tensor(scales, "e4m3") if second else torch.from_numpy(scales)
        if second:
            state["weight_global_scale"] = tensor(second[0], "f32")
        found = compressor(kind).decompress(state, scheme)["weight"]
        if found.dtype != getattr(torch, lab.NUMPY[to]):
            raise TypeError(f"decompress gives {found.dtype}")
        return words_of(found, to)
    return run


def claim(source, to, mode):
    return KINDS[to if source.startswith("quantize") else source.partition(":")[2]][2]


def conversions():
    for kind in KINDS:
        for wide in WIDE:
            yield f"quantize:{wide}", kind, "", quantize(wide, kind)
        yield f"dequantize:{kind}", "bf16", "", dequantize(kind, "bf16")
