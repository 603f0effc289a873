# SPDX-License-Identifier: MIT
"""from_neural_compressor.py -- Intel Neural Compressor on the CPU: the MX emulation of MXLinear

quantize_mx_op returns values alone. The scales and the elements are those of the functions that it
calls, and they have to give its values.
"""
import importlib.metadata

import torch
from neural_compressor.torch.algorithms.mx_quant import utils

from codes import codes_of, scales_of
from torch_words import tensor

torch.set_num_threads(1)
PACKAGE, VERSION = "neural-compressor", importlib.metadata.version("neural-compressor")
ELEMENTS = {"e2m1": "fp4", "e2m3": "fp6_e2m3", "e3m2": "fp6_e3m2", "e4m3": "fp8_e4m3",
            "e5m2": "fp8_e5m2", "int8": "int8"}
TITLES = {"e2m1": "mxfp4", "e2m3": "mxfp6-e2m3", "e3m2": "mxfp6-e3m2", "e4m3": "mxfp8-e4m3",
          "e5m2": "mxfp8-e5m2", "int8": "mxint8"}


def quantize(element, mode):
    def run(words):
        x = tensor(words, "f32")
        blocks = x.reshape(-1, 32)
        exponents, mantissas, largest, most, _ = utils._get_format_params(ELEMENTS[element])
        shared = utils._shared_exponents(blocks, axes=[1]) - largest
        shared[shared > 127] = float("nan")
        shared[shared < -127] = -127
        elements = utils._quantize_elemwise_core(
            blocks / 2 ** shared, mantissas, exponents, most, round=mode, allow_denorm=True,
            saturate_normals=True)
        values = utils.quantize_mx_op(x, ELEMENTS[element], mode, 32, axes=[-1])
        same = [x.reshape(-1).nan_to_num(7) for x in (elements * 2 ** shared, values)]
        if not torch.equal(*same):
            raise ValueError("quantize_mx_op has other values")
        return codes_of(elements.numpy(), element).reshape(words.shape), \
            scales_of((2 ** shared.double()).numpy()).reshape(len(words), -1)
    return run


def claim(source, to, mode):
    title = TITLES[to.split("-")[0]]
    return {"nearest": f"{title}-microxcaling", "even": f"{title}-floor"}.get(mode)


def conversions():
    for element in ELEMENTS:
        for mode in ("nearest", "even", "floor"):
            yield "quantize:f32", f"{element}-32-e8m0", mode, quantize(element, mode)
