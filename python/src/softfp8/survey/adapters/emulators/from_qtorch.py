# SPDX-License-Identifier: MIT
"""from_qtorch.py -- qtorch (QPyTorch): float_quantize on the CPU, rounding="nearest"

Its formats have numbers in place of infinity and NaN: its e4m3 ends at 480, its e5m2 at 114688.
Numbers that OCP's formats do not have count as NaN.
"""
import importlib.metadata
import os
import sys

os.environ["PATH"] = os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]  # ninja

import numpy as np
import torch
from qtorch.quant import float_quantize

from codes import FORMATS, codes_of

torch.set_num_threads(1)
PACKAGE, VERSION = "qtorch", importlib.metadata.version("qtorch")


def rounded(to):
    exponent, mantissa = FORMATS[to][:2]

    def run(words):
        x = torch.from_numpy(words.view(np.float32))
        return codes_of(float_quantize(x, exponent, mantissa, rounding="nearest").numpy(), to)
    return run


def claim(source, to, mode):
    return ("fbgemm" if to.startswith(("e2", "e3")) else "torch-2.12") + " round=rna"


def conversions():
    for to in ("e4m3", "e5m2", "e2m1", "e2m3", "e3m2"):
        yield "f32", to, "", rounded(to)
