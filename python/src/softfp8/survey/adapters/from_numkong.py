# SPDX-License-Identifier: MIT
"""from_numkong.py -- NumKong: Tensor.astype, with one family of kernels

The environment variable NUMKONG_LEVEL names it: serial, haswell (the default), skylake, icelake or
genoa.
"""
import importlib.metadata
import os

import numkong
import numpy as np

import lab

PACKAGE, VERSION = "numkong", importlib.metadata.version("numkong")
LEVEL = os.environ.get("NUMKONG_LEVEL", "haswell")
LEVELS = ["serial", "haswell", "skylake", "icelake", "genoa"]
for level in LEVELS[LEVELS.index(LEVEL) + 1:]:
    numkong.disable_capability(level)
NARROW = ["e4m3", "e5m2", "e2m3", "e3m2"]
TYPES = {"f32": "float32", "f64": "float64", "f16": "float16", **{k: k for k in ["bf16", *NARROW]}}


def cast(source, to):
    def run(words):
        w = np.ascontiguousarray(words)
        x = numkong.from_pointer(w.ctypes.data, (len(w),), TYPES[source], owner=w)
        return np.array(np.asarray(x.astype(TYPES[to])), copy=True).view(lab.dtype_of(to))
    return run


def conversions():
    for source in lab.WIDE + NARROW:
        for to in NARROW if source in lab.WIDE else lab.WIDE + NARROW:
            if source != to:
                yield source, to, LEVEL, cast(source, to)
