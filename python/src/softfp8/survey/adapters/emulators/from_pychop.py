# SPDX-License-Identifier: MIT
"""from_pychop.py -- pychop with NumPy: Chop (LightChop), p3109_encode and p3109_decode, MXTensor"""
import importlib.metadata
import os

os.environ["chop_backend"] = "numpy"

import numpy as np
from pychop import Chop
from pychop.np.mx_formats import MXTensor_
from pychop.p3109 import P3109Format, p3109_decode, p3109_encode

import lab
from codes import FORMATS, codes_of, scales_of

PACKAGE, VERSION = "pychop", importlib.metadata.version("pychop")
# The modes of rounding of Chop and of P3109, and softfp8's names.
CHOP = {"nearest": (1, "rne"), "up": (2, "ru"), "down": (3, "rd"), "zero": (4, "rz"),
        "away": (8, "rna"), "odd": (9, "ro")}
ROUNDS = {"nearest_even": "rne", "nearest_away": "rna", "toward_zero": "rz",
          "toward_positive": "ru", "toward_negative": "rd", "to_odd": "ro"}
P3109 = {name: P3109Format(int(name[7]), int(name[9]), True,
                           "extended" if name.endswith("e") else "finite")
         for name in lab.BITS if name.startswith("p3109_")}
MX = {"e2m1": "mxfp4_e2m1", "e2m3": "mxfp6_e2m3", "e3m2": "mxfp6_e3m2", "e4m3": "mxfp8_e4m3",
      "e5m2": "mxfp8_e5m2", "int8": "mxint8"}


def chopped(source, to, mode):
    chop = Chop(*FORMATS[to][:2], rmode=CHOP[mode][0])

    def run(words):
        with np.errstate(all="ignore"):
            return codes_of(chop(words.view(lab.NUMPY[source])), to)
    return run


def encode(source, to, rounding, saturate):
    def run(words):
        with np.errstate(all="ignore"):
            return p3109_encode(words.view(lab.NUMPY[source]), P3109[to], rounding=rounding,
                                saturate=saturate)
    return run


def decode(source):
    def run(codes):
        return p3109_decode(codes, P3109[source]).view(np.uint64)
    return run


def quantize(element):
    def run(words):
        made = MXTensor_(words.view(np.float32), MX[element])
        elements = np.stack([block.quantized_elements for block in made.blocks])
        scales = np.array([block.shared_scale for block in made.blocks])
        return codes_of(elements, element).reshape(words.shape), \
            scales_of(scales).reshape(len(words), -1)
    return run


def claim(source, to, mode):
    if source.startswith("quantize"):
        return "-".join(MX[to.split("-")[0]].split("_")).replace("mxfp4-e2m1", "mxfp4") + "-floor"
    if to in P3109:
        rounding, saturate = mode.split(",")
        return f"p3109-sat{saturate} round={ROUNDS[rounding]}"
    return "p3109-satnone" if source in P3109 else \
        f"ocp-nosat nan_code=ones round={CHOP[mode][1]}"


def conversions():
    for to in ("e4m3ieee", "e5m2", "e3m4"):
        for mode in CHOP:
            for source in ("f32", "f64") if mode == "nearest" else ("f32",):
                yield source, to, mode, chopped(source, to, mode)
    for to in P3109:
        for rounding in ROUNDS:
            for saturate in ("none", "finite", "propagate"):
                for source in ("f16", "f32") if rounding == "nearest_even" else ("f16",):
                    yield source, to, f"{rounding},{saturate}", \
                        encode(source, to, rounding, saturate)
        yield to, "f64", "", decode(to)
    for element in MX:
        yield "quantize:f32", f"{element}-32-e8m0", "", quantize(element)
