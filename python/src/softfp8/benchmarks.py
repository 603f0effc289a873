# SPDX-License-Identifier: MIT
"""benchmarks.py -- python -m softfp8.benchmarks: what a call costs, beside C and other packages

Everything runs in one process, interleaved, on one thread; each number is the smallest of all
rounds.
"""
import time

import numpy as np

import softfp8 as sf

from ._base.library import ffi, lib


def subjects(n):
    """The ways to convert n values of f32 to e4m3: name, function."""
    x = np.random.default_rng(1).standard_normal(n).astype(np.float32) * 100
    out = np.empty(n, np.uint8)
    to, source, policy = sf.e4m3._format, sf.f32._format, sf.policy("ocp")._policy
    target, values = ffi.from_buffer(out), ffi.from_buffer(x)
    yield "C function", lambda: lib.sf8_convert_n(to, target, source, values, n, policy)
    yield "softfp8.convert", lambda: sf.convert(x, "e4m3")
    try:
        import ml_dtypes

        yield "ml_dtypes", lambda: x.astype(ml_dtypes.float8_e4m3fn)
    except ImportError:
        pass
    try:
        import torch

        torch.set_num_threads(1)
        tensor = torch.from_numpy(x)
        yield "torch", lambda: tensor.to(torch.float8_e4m3fn)
    except ImportError:
        pass


def measure(n, calls, rounds):
    """The smallest time of a call of each subject, in microseconds."""
    found = list(subjects(n))
    best = {name: float("inf") for name, _ in found}
    for _ in range(rounds):
        for name, call in found:
            start = time.perf_counter()
            for _ in range(calls):
                call()
            best[name] = min(best[name], (time.perf_counter() - start) / calls * 1e6)
    return best


def main():
    for n, calls, rounds in ((16, 200, 200), (1_000_000, 1, 50)):
        best = measure(n, calls, rounds)
        print(f"{n} values of f32 to e4m3, {sf.simd()}")
        for name, value in best.items():
            print(f"  {name:16} {value:12.2f} us  {value / best['C function']:8.2f} x C")


if __name__ == "__main__":
    main()
