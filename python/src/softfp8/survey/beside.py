# SPDX-License-Identifier: MIT
"""beside.py -- the table of docs/matrix/gpu.md: the same conversion on the CPU and on a GPU

Each entry follows from a cell of the result: from its policy, or from its first ranges.
"""
import numpy as np

from .adapters.lab import BITS, dtype_of
from .changes import codes_of
from .shown import hexadecimal, value_text

# Package, version and mode of each column, and what its head adds to them.
WAYS = [
    ("torch", "2.12.1", "contiguous,avx512", "CPU"),
    ("torch", "2.15.0", "contiguous,avx512", "CPU"),
    ("torch", "2.11.0", "contiguous,cuda", "GPU"),
    ("torch", "2.11.0", "compiled,cuda", "GPU, `torch.compile`"),
    ("triton", "3.6.0", "cuda", "GPU"),
    ("jax", "0.10.2", "jit", "CPU"),
    ("jax", "0.11.2", "jit,cuda", "GPU"),
]
SPECIAL = {"nan": "NaN", "inf": "infinity"}
# From, to, input, and what it is.
ROWS = [
    ("f32", "e4m3", "43fa0000", "500"),
    ("f32", "e4m3", "7f800000", "infinity"),
    ("f32", "e4m3", "7fc00000", "NaN"),
    ("f32", "e4m3", "ffc00000", "NaN with a sign"),
    ("f32", "e5m2", "47800000", "65536"),
    ("f32", "e5m2", "7f800000", "infinity"),
    ("f32", "e5m2", "7fc00000", "NaN"),
    ("f32", "e5m2", "ffc00000", "NaN with a sign"),
    ("f64", "e4m3", "3f50000000000001", "just above 2^-10"),
    ("f16", "e4m3", "fe00", "NaN with a sign"),
    ("bf16", "e4m3", "ffc0", "NaN with a sign"),
    ("bf16", "e2m3", "40f8", "7.75"),
    ("e4m3", "f16", "ff", "NaN with a sign"),
    ("e5m2", "f32", "7e", "NaN"),
    ("e5m2", "bf16", "7c", "infinity"),
]


def _head(way):
    package, version, _, where = way
    return f"{package} {version}, {where}"


def _cell(result, way, source, to):
    """The cell of a way; None if there is none."""
    name, version, mode, _ = way
    return next((cell for package in result["packages"]
                 if (package["package"], package.get("version")) == (name, version)
                 for cell in package["cells"] if not cell.get("operation") and
                 (cell["from"], cell["to"]) == (source, to) and mode in cell["modes"]), None)


def _entry(result, way, source, to, word):
    cell = _cell(result, way, source, to)
    if cell is None:
        return "not run"
    if cell["status"] in ("absent", "broken"):
        return cell["status"]
    codes = codes_of(np.array([int(word, 16)], dtype_of(source)), source, to, cell)
    if codes is None or codes[0] < 0:
        return "not kept"
    value = value_text(to, codes[0])
    return f"`{hexadecimal(codes[0], BITS[to])}` {SPECIAL.get(value, value)}"


def table(result):
    """A row for each input, a column for each way."""
    lines = ["| input | " + " | ".join(map(_head, WAYS)) + " |", "|---|" + "---|" * len(WAYS)]
    for source, to, word, what in ROWS:
        entries = [_entry(result, way, source, to, word) for way in WAYS]
        lines.append(f"| {source} to {to}: {what} | " + " | ".join(entries) + " |")
    return "\n".join(lines) + "\n"
