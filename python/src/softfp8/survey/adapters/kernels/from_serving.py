# SPDX-License-Identifier: MIT
"""from_serving.py -- quantizers of vLLM and SGLang that are written in PyTorch, on the CPU

SERVING is the package: vllm or sglang. Only the file of the quantizer is imported. The global scale
of NVFP4 is 448 * 6 / amax, as vLLM's own tests compute it.
"""
import os
import types

import torch

import bare
import lab
from torch_words import tensor, words_of

torch.set_num_threads(1)
PACKAGE = os.environ.get("SERVING", "vllm")
VERSION = bare.version(PACKAGE)
UTILS = "vllm.model_executor.layers.quantization.utils."
E2M1 = torch.tensor([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0])


def nvfp4(source):
    from vllm.model_executor.layers.quantization.utils.nvfp4_emulation_utils import ref_nvfp4_quant

    def run(words):
        x = tensor(words, source)
        second = (448.0 * 6.0 / x.abs().max().float()).reshape(1)
        values, scales = ref_nvfp4_quant(x, second, 16)
        codes = torch.bucketize(values.abs(), E2M1) + 8 * torch.signbit(values)
        return codes.numpy(), words_of(scales.to(torch.float8_e4m3fn), "e4m3"), \
            words_of(second, "f32")
    return run


def mxfp8(source):
    from vllm.model_executor.layers.quantization.utils.mxfp8_utils import \
        _mxfp8_e4m3_quantize_torch

    def run(words):
        codes, scales = _mxfp8_e4m3_quantize_torch(tensor(words, source))
        return words_of(codes, "e4m3"), scales.numpy()
    return run


def kvfp4(source):
    """SGLang compiles it; without that, a block is computed in the format of the tensor."""
    from sglang.srt.layers.quantization.kvfp4_tensor import FP4MXBlock16KVQuantizeUtil as util

    def run(words):
        codes, scales = util.batched_quantize(tensor(words, source).unsqueeze(1))
        return lab.nibbles(codes.squeeze(1).numpy()), scales.numpy()
    return run


def claim(source, to, mode):
    return {"e2m1-16-e4m3-g": "nvfp4-vllm-ref", "e4m3-32-e8m0": "mxfp8-e4m3-vllm",
            "e2m1-16-e8m0": "sglang-kvfp4"}[to]


def conversions():
    for wide in ("f32", "bf16", "f16"):
        if PACKAGE == "vllm":
            yield f"quantize:{wide}", "e2m1-16-e4m3-g", "ref_nvfp4_quant", nvfp4(wide)
            yield f"quantize:{wide}", "e4m3-32-e8m0", "torch", mxfp8(wide)
        else:
            yield f"quantize:{wide}", "e2m1-16-e8m0", "compiled", kvfp4(wide)


if PACKAGE == "vllm":
    import triton
    import triton.language as tl
    for name in ("nvfp4_emulation_utils", "mxfp8_utils"):
        bare.packages("vllm", UTILS + name)
    bare.made("vllm.platforms", current_platform=types.SimpleNamespace())
    bare.made("vllm.triton_utils", tl=tl, triton=triton)
    bare.packages("vllm", "vllm.utils.torch_utils")
    bare.made("vllm.utils.torch_utils", direct_register_custom_op=lambda **_: None)
else:
    bare.packages("sglang", "sglang.srt.layers.quantization.kvfp4_tensor")
    bare.made("sglang.srt.runtime_context", get_platform=None)
