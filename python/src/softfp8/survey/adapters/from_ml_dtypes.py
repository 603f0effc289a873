# SPDX-License-Identifier: MIT
"""from_ml_dtypes.py -- ml_dtypes: numpy's astype, arrays of Python floats, and arithmetic"""
import ml_dtypes
import numpy as np

import lab

PACKAGE, VERSION = "ml_dtypes", ml_dtypes.__version__
NARROW = [name for name in ("e4m3", "e5m2", "e4m3fnuz", "e5m2fnuz", "e2m1", "e8m0", "e2m3", "e3m2",
                            "e4m3b11fnuz", "e4m3ieee", "e3m4")
          if hasattr(ml_dtypes, lab.NUMPY[name])]


def type_of(name):
    return np.dtype(getattr(ml_dtypes, lab.NUMPY[name], None) or lab.NUMPY[name])


def cast(source, to):
    def run(words):
        with np.errstate(all="ignore"):
            return words.view(type_of(source)).astype(type_of(to)).view(lab.dtype_of(to))
    return run


def items(to):
    """Python floats, as np.array([x], TYPE) takes them."""
    def run(words):
        with np.errstate(all="ignore"):
            return np.array(words.view(np.float64).tolist(), type_of(to)).view(lab.dtype_of(to))
    return run


def claim(source, to, mode):
    return "ml_dtypes-direct" if mode == "items" else "ml_dtypes"


FUNCTIONS = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide}


def computed(operation, name):
    def run(a, b):
        with np.errstate(all="ignore"):
            found = FUNCTIONS[operation](a.view(type_of(name)), b.view(type_of(name)))
        return found.view(np.uint8)
    return run


def conversions():
    for to in NARROW:
        yield "f64", to, "items", items(to)
    for source in lab.WIDE + NARROW:
        for to in NARROW if source in lab.WIDE else lab.WIDE + NARROW:
            if source != to:
                yield source, to, "", cast(source, to)
    for operation in lab.ARITHMETIC:
        for name in NARROW:
            yield f"{operation}:{name}", name, "", computed(operation, name)
