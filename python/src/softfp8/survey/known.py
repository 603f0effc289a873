# SPDX-License-Identifier: MIT
"""known.py -- differences between a product and its policy that are explained

`python -m softfp8.survey.known OUT` prints the lines of known.txt for the cells of a run that
differ and have a reason. It names the others on standard error.

A difference is known if a pattern of reasons.txt describes it, and if `known.txt` has the key of the
cell. The key stands for all inputs that differ and their codes, so that a new difference of the
same conversion is not taken for a known one. docs/products.md explains them. The word `broken`
stands for the key of a cell that is broken: it stays broken, and gets the reason.
"""
import functools
import json
import pathlib
import re
import sys

from .adapters.lab import WITHIN

RED = "differs", "broken"


def _lines(name):
    """The lines of a file beside this one, without remarks."""
    lines = (pathlib.Path(__file__).parent / name).read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


@functools.cache
def _reasons():
    return [line.split(" | ", 1) for line in _lines("reasons.txt")]


def explained(package, conversion, mode):
    """The reason why this conversion differs; None if no difference of it is explained."""
    title = f"{package} {conversion} {mode}"
    return next((text for pattern, text in _reasons() if re.search(pattern, title)), None)


@functools.cache
def _keys():
    return set(_lines("known.txt"))


def conversion_of(cell):
    """What a cell converts or computes: f32_to_e4m3, add_e4m3, quantize_f32_to_e2m1-32-e8m0."""
    operation = cell.get("operation")
    if operation in WITHIN:
        return f"{operation}_{cell['to']}"
    return (f"{operation}_" if operation else "") + f"{cell['from']}_to_{cell['to']}"


def line(cell):
    """The line of known.txt for a cell."""
    key = "broken" if cell.get("status") == "broken" else cell["key"]
    return f"{cell['package']} {conversion_of(cell)} {cell['mode']} {key}"


def labelled(cell):
    """A cell that differs, as known where it is. A cell that is broken gets the reason only."""
    if cell["status"] not in RED:
        return cell
    text = explained(cell["package"], conversion_of(cell), cell["mode"])
    if not text or line(cell) not in _keys():
        return cell
    return cell | {"reason": text, "status": "known" if cell["status"] == "differs" else "broken"}


def main(out):
    cells = (json.loads(path.read_text()) for path in pathlib.Path(out, "cells").glob("*.json"))
    for cell in sorted((cell for cell in cells if cell["status"] in RED), key=line):
        known = explained(cell["package"], conversion_of(cell), cell["mode"])
        print(line(cell) if known else f"no reason: {line(cell)}",
              file=sys.stdout if known else sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
