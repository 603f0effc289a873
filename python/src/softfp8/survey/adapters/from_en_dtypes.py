# SPDX-License-Identifier: MIT
"""from_en_dtypes.py -- en_dtypes: numpy's astype, to HiF8 and to the formats of MX, and from them"""
import importlib.metadata

import en_dtypes
import numpy as np

import lab

PACKAGE, VERSION = "en_dtypes", importlib.metadata.version("en_dtypes")
NARROW = {"hif8": "hifloat8", "e2m1": "float4_e2m1", "e2m3": "float6_e2m3", "e3m2": "float6_e3m2",
          "e8m0": "float8_e8m0"}
WIDE = ["f32", "f16", "f64"]


def type_of(name):
    return np.dtype(getattr(en_dtypes, NARROW[name]) if name in NARROW else lab.NUMPY[name])


def cast(source, to):
    def run(words):
        with np.errstate(all="ignore"):
            return words.view(type_of(source)).astype(type_of(to)).view(lab.dtype_of(to))
    return run


def claim(source, to, mode):
    if "hif8" in (source, to):
        return "en-dtypes"
    if source in NARROW:
        return "ml_dtypes"
    return "ort-nosat-e8m0 round=rz" if to == "e8m0" else "ml_dtypes missing_nan=signed-zero"


def conversions():
    for to in NARROW:
        for source in WIDE:
            yield source, to, "", cast(source, to)
            yield to, source, "", cast(to, source)
