# SPDX-License-Identifier: MIT
"""from_gfloat.py -- gfloat: round_ndarray and encode_ndarray, and decode_ndarray

It encodes no NaN in formats that have none, so that only decoding of these can be run.
"""
import importlib.metadata

import gfloat
import numpy as np
from gfloat import formats

import lab

PACKAGE, VERSION = "gfloat", importlib.metadata.version("gfloat")
NARROW = {"e4m3": formats.format_info_ocp_e4m3, "e5m2": formats.format_info_ocp_e5m2,
          "e2m3": formats.format_info_ocp_e2m3, "e3m2": formats.format_info_ocp_e3m2,
          "e2m1": formats.format_info_ocp_e2m1}
P3109 = {name: formats.format_info_p3109(
    int(name[7]), int(name[9]), gfloat.Signedness.Signed,
    gfloat.Domain.Extended if name.endswith("e") else gfloat.Domain.Finite)
    for name in lab.BITS if name.startswith("p3109_")}
NARROW |= P3109


def claim(source, to, mode):
    if to in P3109:
        return "p3109-satfinite" if mode == "sat" else "p3109-satnone"
    return "ocp" if mode == "sat" else "ocp-nosat"


def values(words, source):
    if source == "bf16":
        return (words.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return words.view(lab.NUMPY[source]).astype(np.float64)


def encode(source, to, saturates):
    def run(words):
        with np.errstate(all="ignore"):
            rounded = gfloat.round_ndarray(NARROW[to], values(words, source), sat=saturates)
            return gfloat.encode_ndarray(NARROW[to], rounded)
    return run


def decode(source, to):
    def run(words):
        with np.errstate(all="ignore"):
            found = gfloat.decode_ndarray(NARROW[source], words).astype(lab.NUMPY[to])
        return found.view(lab.dtype_of(to))
    return run


def conversions():
    for to in NARROW:
        for source in lab.WIDE if to in ("e4m3", "e5m2") or to in P3109 else ():
            for mode in ("sat",) if to.endswith("sf") else ("sat", "nosat"):
                yield source, to, mode, encode(source, to, mode == "sat")
        yield to, "f64", "", decode(to, "f64")
