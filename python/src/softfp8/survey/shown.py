# SPDX-License-Identifier: MIT
"""shown.py -- codes and their values as a result shows them"""
import numpy as np

from ..convert import convert
from ..formats import format as format_of


def hexadecimal(code, bits):
    return f"{int(code):0{-(-bits // 4)}x}"


def value_text(of, code):
    """The value of a code of a format."""
    of = format_of(of)
    found = convert(np.asarray(code, of.code_dtype), "f64", from_=of, policy="ocp-nosat")
    return f"{float(found.reshape(())):.9g}"
