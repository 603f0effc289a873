# SPDX-License-Identifier: MIT
"""from_torch.py -- PyTorch: Tensor.to of contiguous, strided and single elements

ATEN_CPU_CAPABILITY=default or avx2 in the environment selects slower code paths of the CPU. With
TORCH_WAYS=compiled, torch.compile makes a program of each conversion instead: for this it needs a
C++ compiler. TORCH_DEVICE=cuda converts on a GPU, with either way.
"""
import os

import numpy as np
import torch

import lab

torch.set_num_threads(1)
PACKAGE, VERSION = "torch", torch.__version__.split("+")[0]
DEVICE = os.environ.get("TORCH_DEVICE", "cpu")
if DEVICE != "cpu" and not torch.cuda.is_available():
    raise ModuleNotFoundError("PyTorch finds no GPU")
MACHINE = torch.cuda.get_device_name() if DEVICE != "cpu" else None
LEVEL = torch.backends.cpu.get_cpu_capability().lower() if DEVICE == "cpu" else DEVICE
COMPILED = os.environ.get("TORCH_WAYS") == "compiled"
if COMPILED and LEVEL == "avx2":
    import torch._inductor.config
    torch._inductor.config.cpp.simdlen = 256  # bits of a vector; AVX-512 if it has that
NARROW = ["e4m3", "e5m2", "e4m3fnuz", "e5m2fnuz", "e8m0"]
TYPES = {name: getattr(torch, lab.NUMPY[name]) for name in lab.WIDE + NARROW}
INTEGER = {8: torch.uint8, 16: torch.int16, 32: torch.int32, 64: torch.int64}
SIGNED = {8: np.uint8, 16: np.int16, 32: np.int32, 64: np.int64}


def words_of(tensor, to):
    return tensor.view(INTEGER[lab.BITS[to]]).contiguous().cpu().numpy().view(lab.dtype_of(to))


def tensor_of(words, source):
    w = np.ascontiguousarray(words).view(SIGNED[lab.BITS[source]])
    return torch.from_numpy(w).to(DEVICE).view(TYPES[source])


def cast(source, to, how):
    def run(words):
        x = tensor_of(words, source)
        if how == "strided":
            apart = torch.empty((len(x), 3), dtype=INTEGER[lab.BITS[source]], device=DEVICE)
            apart = apart.view(TYPES[source])
            apart[:, 1] = x
            room = torch.empty((len(x), 2), dtype=INTEGER[lab.BITS[to]], device=DEVICE)
            room = room.view(TYPES[to])
            y = room[:, 0]
            y.copy_(apart[:, 1])
            return words_of(y, to)
        if how == "one":
            return np.concatenate([words_of(x[i:i + 1].to(TYPES[to]), to) for i in range(len(x))])
        return words_of(x.to(TYPES[to]), to)
    return run


def compiled(source, to):
    convert = None

    def run(words):
        nonlocal convert
        if not convert:
            torch._dynamo.reset()  # PyTorch compiles only so many variants of this function
            convert = torch.compile(lambda x: x.to(TYPES[to]), fullgraph=True, dynamic=True)
        return words_of(convert(tensor_of(words, source)), to)
    return run


def claim(source, to, mode):
    if DEVICE != "cpu":
        if COMPILED and to in ("e4m3", "e5m2"):
            return "cuda-satfinite"
        if not COMPILED and (to in ("f16", "bf16") or source == "f16" and to in ("e4m3", "e5m2")):
            return "cuda-nosat"  # half and bfloat16 have one NaN there, 7fff
    return "torch-" + ".".join(VERSION.split(".")[:2])


def conversions():
    for source in lab.WIDE + NARROW:
        for to in NARROW if source in lab.WIDE else lab.WIDE + NARROW:
            if source != to and COMPILED:
                yield source, to, f"compiled,{LEVEL}", compiled(source, to)
            elif source != to:
                ways = ["contiguous", "strided"]
                if source in NARROW and DEVICE == "cpu":
                    ways.append("one")
                for how in ways:
                    yield source, to, f"{how},{LEVEL}", cast(source, to, how)
