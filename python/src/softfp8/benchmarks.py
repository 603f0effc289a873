# SPDX-License-Identifier: MIT
"""benchmarks.py -- python -m softfp8.benchmarks: conversions of arrays, beside C and other packages

Everything runs in one process, in turn, on one thread; each number is the smallest of all rounds.
softfp8 and the packages write to an array that is there, but softfp8.convert and NumKong, which
make one.
"""
import argparse
import importlib
import os
import time

import numpy as np

import softfp8 as sf

from ._base.library import ffi, lib

CASES = "f32 e4m3", "e4m3 f32", "f32 e5m2", "e5m2 f32", "f32 bf16", "f32 f16"
PEERS = "numpy", "torch", "ml_dtypes", "numkong"


def words(source, n):
    """n values with exponents from 2^-17 to 2^12, as the unsigned integers of a format."""
    rng = np.random.default_rng(1)
    x = rng.choice([-1, 1], n) * rng.uniform(1, 2, n) * 2.0 ** rng.integers(-17, 13, n)
    return np.asarray(sf.convert(x.astype(np.float32), source, dtype="codes"))


def by_c(source, to, x):
    to, source = sf.format(to), sf.format(source)
    out, policy = np.empty(x.size, to.code_dtype), sf.policy("ocp")._policy
    target, values = ffi.from_buffer(out), ffi.from_buffer(x)
    return lambda: lib.sf8_convert_n(to._format, target, source._format, values, x.size, policy)


def by_convert(source, to, x):
    return lambda: sf.convert(x, to, from_=source, policy="ocp", dtype="codes")


def by_copyto(types, source, to, x):
    values, out = x.view(types[source]), np.empty(x.size, types[to])
    return lambda: np.copyto(out, values, casting="unsafe")


def by_numpy(_, *case):
    return by_copyto({"f32": np.float32, "f16": np.float16}, *case)


def by_ml_dtypes(ml_dtypes, *case):
    return by_copyto({"f32": np.float32, "bf16": ml_dtypes.bfloat16,
                      "e4m3": ml_dtypes.float8_e4m3fn, "e5m2": ml_dtypes.float8_e5m2}, *case)


def by_torch(torch, source, to, x):
    types = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16,
             "e4m3": torch.float8_e4m3fn, "e5m2": torch.float8_e5m2}
    torch.set_num_threads(1)
    values = torch.frombuffer(x, dtype=types[source])
    out = torch.empty(x.size, dtype=types[to])
    return lambda: out.copy_(values)


def by_numkong(numkong, source, to, x):
    types = {"f32": "float32", "f16": "float16"}
    values = numkong.from_pointer(x.ctypes.data, (x.size,), types.get(source, source), owner=x)
    return lambda: values.astype(types.get(to, to))


def imported():
    """The peers that are there, with their modules; prints a line for each."""
    found = {}
    for peer in PEERS:
        try:
            found[peer] = importlib.import_module(peer)
            print(f"{peer:10} {getattr(found[peer], '__version__', 'there')}")
        except Exception as error:  # a package that is broken must not end the others
            print(f"{peer:10} absent: {type(error).__name__}: {str(error).splitlines()[0][:80]}")
    return found


def measured(runs, n, rounds):
    """The least time of each, in ns for a value."""
    calls = max(1, 100000 // n)
    best = dict.fromkeys(runs, float("inf"))
    for _ in range(rounds):
        for who, run in runs.items():
            start = time.perf_counter()
            for _ in range(calls):
                run()
            best[who] = min(best[who], (time.perf_counter() - start) / calls / n * 1e9)
    return best


def row(found, case, n, rounds):
    """A line of the table."""
    source, to = case.split()
    x = words(source, n)
    runs = {"C": by_c(source, to, x), "convert": by_convert(source, to, x)}
    for peer, module in found.items():
        try:
            run = globals()["by_" + peer](module, source, to, x)
            run()
        except Exception:  # no such conversion
            continue
        runs[peer] = run
    best = measured(runs, n, rounds)
    cells = [f"{best[who]:.3f} ({best[who] / best['C']:.1f})" if who in best else "-"
             for who in ("convert", *found)]
    return f"{source + ' to ' + to:12}{n:>9}{best['C']:12.3f}" + "".join(f"{c:>18}" for c in cells)


def main(argv=None):
    parser = argparse.ArgumentParser("python -m softfp8.benchmarks", description="Measures how "
                                     "fast arrays are converted: by the C function, by "
                                     "softfp8.convert, and by the other packages that are there.")
    parser.add_argument("--sizes", type=int, nargs="+", default=[16, 1000, 1_000_000, 10_000_000],
                        metavar="N", help="lengths of the arrays (default: 16 1000 1e6 1e7)")
    parser.add_argument("--rounds", type=int, default=15, metavar="N",
                        help="how often each one runs (default: %(default)d)")
    given = parser.parse_args(argv)
    os.environ["OMP_NUM_THREADS"] = "1"
    found = imported()
    print(f"\nns for a value, {sf.simd()}, the least of {given.rounds} rounds; in brackets how many "
          "times as long as the C function\n")
    print(f"{'conversion':12}{'values':>9}{'C function':>12}"
          + "".join(f"{who:>18}" for who in ("softfp8.convert", *found)))
    for case in CASES:
        for n in given.sizes:
            print(row(found, case, n, given.rounds), flush=True)


if __name__ == "__main__":
    main()
