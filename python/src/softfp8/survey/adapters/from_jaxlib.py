# SPDX-License-Identifier: MIT
"""from_jaxlib.py -- LLVM's APFloat by way of MLIR, which jaxlib contains: attributes of numbers

FloatAttr.get converts a double with APFloat::convert. FloatAttr.value converts a narrow number to
a double.
"""
import importlib.metadata
import struct

import numpy as np
from jaxlib.mlir import ir

import lab

PACKAGE, VERSION = "jaxlib", importlib.metadata.version("jaxlib")
TYPES = {"e4m3": "Float8E4M3FN", "e5m2": "Float8E5M2", "e4m3fnuz": "Float8E4M3FNUZ",
         "e5m2fnuz": "Float8E5M2FNUZ", "e4m3b11fnuz": "Float8E4M3B11FNUZ",
         "e4m3ieee": "Float8E4M3", "e3m4": "Float8E3M4", "e2m1": "Float4E2M1FN",
         "e2m3": "Float6E2M3FN", "e3m2": "Float6E3M2FN", "e8m0": "Float8E8M0FNU"}
LEAST = 128  # MLIR prints the codes of more elements than 100, if they are not all equal
context = ir.Context()


def type_of(name):
    return getattr(ir, TYPES[name] + "Type").get()


def encode(source, to):
    def run(words):
        values = words.view(lab.NUMPY[source]).astype(np.float64).tolist()
        with context, ir.Location.unknown():
            kind = type_of(to)
            found = [ir.FloatAttr.get(kind, value) for value in values + [1.0, 2.0] * LEAST]
            text = str(ir.DenseElementsAttr.get(
                found, ir.RankedTensorType.get([len(found)], kind)))
        start = text.index('"0x') + 3
        return np.frombuffer(bytes.fromhex(text[start:start + 2 * len(found)]),
                             np.uint8)[:len(values)]
    return run


def decode(source):
    def run(codes):
        with context:
            kind = type_of(source)
            found = [ir.FloatAttr(ir.Attribute.parse(f"0x{code:0{-(-lab.BITS[source] // 4)}X} : "
                                                     f"{kind}")).value for code in codes.tolist()]
        return np.frombuffer(struct.pack(f"{len(found)}d", *found), np.uint64)
    return run


def claim(source, to, mode):
    return "llvm"


def conversions():
    for name in TYPES:
        for wide in ("f64", "f16"):
            yield wide, name, "", encode(wide, name)
        yield name, "f64", "", decode(name)
