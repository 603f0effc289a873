# SPDX-License-Identifier: MIT
"""from_apytypes.py -- APyTypes: APyFloatArray.cast between its IEEE-like formats, and arithmetic"""
import importlib.metadata
import operator

import numpy as np
from apytypes import APyFloatArray

import lab

PACKAGE, VERSION = "apytypes", importlib.metadata.version("apytypes")
FIELDS = {"f64": (11, 52), "f32": (8, 23), "bf16": (8, 7), "f16": (5, 10), "e5m2": (5, 2),
          "e4m3ieee": (4, 3), "e3m4": (3, 4)}
NARROW = ["e5m2", "e4m3ieee", "e3m4"]


def cast(source, to):
    def run(words):
        found = APyFloatArray.from_bits(words, *FIELDS[source]).cast(*FIELDS[to])
        return np.asarray(found.to_bits(True)).astype(lab.dtype_of(to))
    return run


OPERATORS = {"add": operator.add, "sub": operator.sub, "mul": operator.mul,
             "div": operator.truediv}


def computed(operation, name):
    def run(a, b):
        x, y = (APyFloatArray.from_bits(codes, *FIELDS[name]) for codes in (a, b))
        return np.asarray(OPERATORS[operation](x, y).to_bits(True)).astype(np.uint8)
    return run


def conversions():
    for source in lab.WIDE + NARROW:
        for to in NARROW if source in lab.WIDE else lab.WIDE + NARROW:
            if source != to:
                yield source, to, "", cast(source, to)
    for operation in lab.ARITHMETIC:
        for name in NARROW:
            yield f"{operation}:{name}", name, "", computed(operation, name)
