# SPDX-License-Identifier: MIT
"""documents.py -- whether a conversion does what OCP, or the documentation of the package, says

OCP leaves open the sign and the payload of NaN, and what NaN and infinity become in a format that
has neither; the table of ONNX, what a negative value becomes in e8m0. There any code is right. The
other codes are those of a policy, which is written from the document alone.
"""
import functools
import re

import numpy as np

from ..convert import convert
from ..formats import format as format_of
from ..testing.inputs import _critical
from .adapters.lab import BITS, WIDE, dtype_of
from .changes import rules

DOCUMENTS = {
    "ocp": "OCP 8-bit Floating Point 1.0, section 5, and Microscaling Formats 1.0, section 5.3",
    "onnx": "ONNX 1.23, Operators.md, Cast of opset 25",
}
# The formats whose conversions OCP defines, and the policies that say what it allows.
OCP = {"saturating": "ocp", "non-saturating": "ocp-nosat"}
OCP_TARGETS = {"e4m3": OCP, "e5m2": OCP, "e2m1": {"equals": "ocp"}, "e2m3": {"equals": "ocp"},
               "e3m2": {"equals": "ocp"}}
NO_NAN = {"e2m1", "e2m3", "e3m2"}
# Packages whose Cast is that of ONNX: the mode has the attributes.
ONNX = {"onnx", "onnxruntime"}
ONNX_TARGETS = {"e4m3", "e5m2", "e4m3fnuz", "e5m2fnuz", "e2m1", "e8m0"}
ROUND_MODES = {"up": "ru", "down": "rz", "nearest": "rna"}


def documents(package, cell):
    """What each document that defines the conversion says about it: equals, differs, or with OCP
    which of its two conversions it is. A cell of which only some differences are kept has no
    answer if these do not decide."""
    if cell.get("operation") or cell["from"] not in WIDE or cell["status"] in ("absent", "broken"):
        return {}
    found = {"ocp": _allowed(cell, OCP_TARGETS.get(cell["to"], {}))}
    if package in ONNX and cell["to"] in ONNX_TARGETS:
        found["onnx"] = _allowed(cell, {"equals": _onnx(cell)})
    return {name: answer for name, answer in found.items() if answer}


def _onnx(cell):
    """The policy of ONNX's text for the attributes of a mode."""
    mode = next(iter(cell["modes"]))
    saturates = "nosat" if "saturate=0" in mode else "saturate"
    if cell["to"] != "e8m0":
        return f"onnx-{saturates}"
    turn = re.search(r"round_mode=(\w+)", mode)
    return f"onnx-{saturates}-e8m0 round={ROUND_MODES[turn[1]]}" if turn else None


def _allowed(cell, choices):
    """The first choice that the cell equals; "differs" if it equals none; None: not known."""
    choices = {name: text for name, text in choices.items() if text}
    known = {name: _equals(cell, text) for name, text in choices.items()}
    first = next((name for name, equal in known.items() if equal), None)
    if first or not choices:
        return first
    return "differs" if all(equal is False for equal in known.values()) else None


def _equals(cell, text):
    """Whether all codes of a cell are those of a policy, but for what documents leave open. None:
    the cell names no policy that gives all codes, and the differences that it has do not tell."""
    if cell.get("policy"):
        return _agree(cell["from"], cell["to"], cell["policy"], text)
    base = cell.get("claimed") or cell.get("nearest")
    if not base or not cell.get("ranges"):
        return None
    for part in cell["ranges"]:
        words = np.array([int(part["first"], 16)], dtype_of(cell["from"]))
        want = _codes(words, cell["from"], cell["to"], text)
        got = np.array([int(part["got"], 16)])
        if want is not None and not _same(words, want, got, cell["from"], cell["to"]):
            return False
    return True if _agree(cell["from"], cell["to"], base, text) and \
        cell["range_count"] == len(cell["ranges"]) else None


@functools.cache
def _agree(source, to, a, b):
    words = np.arange(1 << 16, dtype=np.uint16) if BITS[source] == 16 else _critical(source, to)
    first, second = (_codes(words, source, to, text) for text in (a, b))
    return first is not None and second is not None and _same(words, first, second, source, to)


def _codes(words, source, to, text):
    policy = rules(text, to, source)
    if policy is None:
        return None
    return np.asarray(convert(words.astype(dtype_of(source)), to, from_=format_of(source),
                              policy=policy, dtype="codes"))


def _values(codes, name):
    codes = codes.astype(dtype_of(name))
    return np.asarray(convert(codes, "f64", from_=format_of(name), policy="ocp-nosat"))


def _same(words, a, b, source, to):
    """Whether the codes are the same, but for what is left open."""
    nan = [np.isnan(_values(codes, to)) for codes in (a, b)]
    x = _values(words, source)
    free = ~np.isfinite(x) if to in NO_NAN else np.signbit(x) if to == "e8m0" else False
    return bool(((a == b) | nan[0] & nan[1] | free).all())
