# SPDX-License-Identifier: MIT
"""worker.py ADAPTER -- serves the conversions of a package over standard input and output

ADAPTER is the name of a package here ("torch"), or a Python file. This program runs in the
environment of the package and needs NumPy there, but not softfp8. Its answers follow the protocol
of docs/guides/add-your-implementation.md, which a program in any language can follow instead.
"""
import importlib
import math
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
    folder = pathlib.Path(__file__).parent
    sys.path += [str(folder / "emulators"), str(folder / "kernels")]
    return importlib.import_module(f"from_{name}")


def greet(adapter, out):
    """Writes what the package converts; returns the functions by (source, to, mode)."""
    claim = getattr(adapter, "claim", lambda source, to, mode: adapter.PACKAGE)
    functions = {}
    device = getattr(adapter, "MACHINE", None) or ""
    out.write(f"softfp8-matrix 1 {adapter.PACKAGE} {adapter.VERSION} {device}".rstrip().encode())
    out.write(b"\n")
    for source, to, mode, function in adapter.conversions():
        functions[source, to, mode or "-"] = function
        out.write(f"{source} {to} {mode or '-'} {claim(source, to, mode) or ''}\n".encode())
    out.write(b"\n")
    out.flush()
    return functions


def called(function, arrays, kinds):
    """The head of the answer and the data, of arrays of these kinds: types and shapes."""
    start = time.perf_counter()
    try:
        found = function(*arrays)
        found = found if isinstance(found, tuple) else (found,)
        data = [np.ascontiguousarray(array, dtype).tobytes()
                for array, (dtype, _) in zip(found, kinds, strict=True)]
    except Exception as error:  # the package has no such conversion
        text = " ".join(f"{type(error).__name__}: {error}".split())
        return f"error {text[:100]}\n", b""
    return f"ok {found[0].size} {time.perf_counter() - start:.9f}\n", b"".join(data)


def read(kinds):
    """Arrays of these types and shapes, from standard input."""
    for dtype, shape in kinds:
        size = np.dtype(dtype).itemsize * math.prod(shape)
        yield np.frombuffer(sys.stdin.buffer.read(size), dtype).reshape(shape).copy()


def answer(function, source, to, count):
    operation, _, name = source.rpartition(":")
    matrix = count // lab.COLUMNS, lab.COLUMNS
    if operation == "quantize":
        given, wanted = [(lab.dtype_of(name), matrix)], lab.Blocks.of(to).parts(count)
    elif operation == "dequantize":
        given, wanted = lab.Blocks.of(name).parts(count), [(lab.dtype_of(to), matrix)]
    elif operation == "merge":
        rows = count // lab.CHANNELS
        wanted = [(np.uint32, (rows, lab.CHANNELS)), (np.uint32, (rows,))]
        given = wanted * 2
    else:
        given, wanted = [(lab.dtype_of(source), (count,))], [(lab.dtype_of(to), (count,))]
    arrays = list(read(given))
    if operation in lab.ARITHMETIC:
        arrays = lab.pair(arrays[0], source)
    return called(function, arrays, wanted)


def main():
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what the package prints is no answer
    functions = greet(load(sys.argv[1]), out)
    while line := sys.stdin.buffer.readline():
        source, to, mode, count = line.decode().split()
        head, data = answer(functions[source, to, mode], source, to, int(count))
        out.write(head.encode() + data)
        out.flush()


if __name__ == "__main__":
    main()
