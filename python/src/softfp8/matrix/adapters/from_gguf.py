# SPDX-License-Identifier: MIT
"""from_gguf.py -- gguf, the Python package of ggml: its scale format ue4m3"""
import importlib.metadata

import numpy as np
from gguf import quants

PACKAGE, VERSION = "gguf", importlib.metadata.version("gguf")


def encode(words):
    with np.errstate(all="ignore"):
        codes = quants.NVFP4.fp32_to_ue4m3(words.view(np.float32))
    return np.asarray(codes).astype(np.uint8)


def claim(source, to, mode):
    return "ggml"


def conversions():
    yield "f32", "ue4m3", "", encode
