# SPDX-License-Identifier: MIT
"""from_merges.py -- kernels that merge two parts of attention, on the CPU

MERGES is the package: vllm, sglang, flashinfer or torch. The first three have kernels in Triton,
which its interpreter runs. Only the file of the kernel is imported: to import a whole package needs
a GPU.
"""
import os
import types

os.environ["TRITON_INTERPRET"] = "1"

import numpy as np
import torch

import bare

PACKAGE = os.environ.get("MERGES", "torch")
DISTRIBUTION = {"flashinfer": "flashinfer-python"}.get(PACKAGE, PACKAGE)
FILES = {"vllm": "vllm.v1.attention.ops.triton_merge_attn_states",
         "sglang": "sglang.kernels.ops.attention.merge_state",
         "flashinfer": "flashinfer.triton.kernels.cascade"}


def vllm(a, lse_a, b, lse_b):
    from vllm.v1.attention.ops.triton_merge_attn_states import merge_attn_states
    out, lse = torch.empty_like(a), torch.empty_like(lse_a.T)
    merge_attn_states(out, a, lse_a.T, b, lse_b.T, lse)
    return out, lse


def sglang(a, lse_a, b, lse_b):
    from sglang.kernels.ops.attention.merge_state import merge_state_triton
    return merge_state_triton(a, lse_a, b, lse_b)


def flashinfer(a, lse_a, b, lse_b):
    from flashinfer.triton.kernels.cascade import merge_state_kernel
    (rows, heads, channels), out, lse = a.shape, torch.empty_like(a), torch.empty_like(lse_a)
    merge_state_kernel[(rows,)](a, lse_a, b, lse_b, out, lse, heads, channels, bdx=channels,
                                bdy=heads)
    return out, lse


def ring(a, lse_a, b, lse_b):
    """Attention that is divided among GPUs."""
    from torch.distributed.tensor.experimental._context_parallel._attention import _SDPAMerger
    merger = _SDPAMerger(convert_to_f32=True, seq_dim=0)
    merger.step(a, lse_a, partial=False)
    merger.step(b, lse_b, partial=False)
    return merger.results()


KERNELS = {"vllm": vllm, "sglang": sglang, "flashinfer": flashinfer, "torch": ring}
VERSION = bare.version(DISTRIBUTION).partition("+")[0]
if PACKAGE in FILES:
    bare.packages(DISTRIBUTION, FILES[PACKAGE])
if PACKAGE == "vllm":
    import triton
    import triton.language as tl
    platform = types.SimpleNamespace(fp8_dtype=lambda: torch.float8_e4m3fn)
    bare.made("vllm.platforms", current_platform=platform)
    bare.made("vllm.triton_utils", tl=tl, triton=triton)


def merge(*arrays):
    """Rows are tokens, with one head."""
    a, lse_a, b, lse_b = (torch.from_numpy(x.view(np.float32)).unsqueeze(1) for x in arrays)
    out, lse = KERNELS[PACKAGE](a, lse_a, b, lse_b)
    return [x.contiguous().numpy().view(np.uint32).reshape(shape)
            for x, shape in ((out, arrays[0].shape), (lse, arrays[1].shape))]


def claim(source, to, mode):
    return "vllm-triton" if PACKAGE == "vllm" else None


def conversions():
    yield "merge:f32", "f32", "context-parallel" if PACKAGE == "torch" else "interpreter", \
        lambda *arrays: tuple(merge(*arrays))
