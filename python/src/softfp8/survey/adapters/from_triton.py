# SPDX-License-Identifier: MIT
"""from_triton.py -- Triton: tensor.to in a kernel, by its interpreter, which runs on the CPU

TRITON_DEVICE=cuda compiles the kernels for a GPU and runs them there.
"""
import os

DEVICE = os.environ.get("TRITON_DEVICE", "cpu")
if DEVICE == "cpu":
    os.environ["TRITON_INTERPRET"] = "1"

import numpy as np
import torch
import triton
import triton.language as tl

import lab

if DEVICE != "cpu" and not torch.cuda.is_available():
    raise ModuleNotFoundError("Triton finds no GPU")
PACKAGE, VERSION = "triton", triton.__version__
MACHINE = torch.cuda.get_device_name() if DEVICE != "cpu" else None
NARROW = ["e4m3", "e5m2"]
TYPES = {name: getattr(torch, lab.NUMPY[name]) for name in [*lab.WIDE, *NARROW]}
INTEGER = {8: torch.uint8, 16: torch.int16, 32: torch.int32, 64: torch.int64}
SIGNED = {8: np.uint8, 16: np.int16, 32: np.int32, 64: np.int64}
BLOCK = 1 << 16 if DEVICE == "cpu" else 1 << 10


@triton.jit
def kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at, at < n).to(y.dtype.element_ty), at < n)


def cast(source, to):
    def run(words):
        x = torch.from_numpy(words.view(SIGNED[lab.BITS[source]])).to(DEVICE).view(TYPES[source])
        y = torch.empty(len(words), dtype=INTEGER[lab.BITS[to]], device=DEVICE).view(TYPES[to])
        kernel[(-(-len(words) // BLOCK),)](x, y, len(words), BLOCK=BLOCK)
        return y.view(INTEGER[lab.BITS[to]]).cpu().numpy().view(lab.dtype_of(to))
    return run


def claim(source, to, mode):
    return "triton" if DEVICE == "cpu" else "cuda-satfinite"


def conversions():
    for source in lab.WIDE:
        for to in NARROW:
            mode = "interpreter" if DEVICE == "cpu" else DEVICE
            yield source, to, mode, cast(source, to)
            yield to, source, mode, cast(to, source)
