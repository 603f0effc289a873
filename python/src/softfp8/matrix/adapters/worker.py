# SPDX-License-Identifier: MIT
"""worker.py ADAPTER -- serves the conversions of a package over standard input and output

ADAPTER is the name of a package here ("torch"), or a Python file. This program runs in the
environment of the package and needs NumPy there, but not softfp8. Its answers follow the protocol
of docs/guides/add-your-implementation.md, which a program in any language can follow instead.
"""
import importlib
import os
import pathlib
import sys
import time

import numpy as np

import lab


def load(name):
    """The module of an adapter."""
    if name.endswith(".py"):
        path = pathlib.Path(name).resolve()
        sys.path.insert(0, str(path.parent))
        return importlib.import_module(path.stem)
    return importlib.import_module(f"from_{name}")


def greet(adapter, out):
    """Writes what the package converts; returns the functions by (source, to, mode)."""
    claim = getattr(adapter, "claim", lambda source, to, mode: adapter.PACKAGE)
    functions = {}
    out.write(f"softfp8-matrix 1 {adapter.PACKAGE} {adapter.VERSION}\n".encode())
    for source, to, mode, function in adapter.conversions():
        functions[source, to, mode or "-"] = function
        out.write(f"{source} {to} {mode or '-'} {claim(source, to, mode)}\n".encode())
    out.write(b"\n")
    out.flush()
    return functions


def convert(function, words, to):
    """The head of the answer, and the codes."""
    start = time.perf_counter()
    try:
        codes = np.ascontiguousarray(function(words), lab.dtype_of(to))
    except Exception as error:  # the package has no such conversion
        text = " ".join(f"{type(error).__name__}: {error}".split())
        return f"error {text[:100]}\n", b""
    return f"ok {codes.size} {time.perf_counter() - start:.9f}\n", codes.tobytes()


def main():
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what the package prints is no answer
    functions = greet(load(sys.argv[1]), out)
    while line := sys.stdin.buffer.readline():
        source, to, mode, count = line.decode().split()
        dtype = np.dtype(lab.dtype_of(source))
        words = np.frombuffer(sys.stdin.buffer.read(int(count) * dtype.itemsize), dtype)
        head, codes = convert(functions[source, to, mode], words.copy(), to)
        out.write(head.encode() + codes)
        out.flush()


if __name__ == "__main__":
    main()
