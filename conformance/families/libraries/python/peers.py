# SPDX-License-Identifier: MIT
# peers.py -- conversions of arrays by softfp8 and by other libraries in one process, in turn
#
# Runs as: python3 run.py LIBRARY COMMAND ROUNDS SIZE,... for `softfp8-bench --peers`. LIBRARY is
# libsoftfp8, or - for the one beside COMMAND. All use one thread and write to an array that is
# there, but NumKong, which makes one. Inputs have exponents from 2^-17 to 2^12, as those of bench.
import array
import ctypes
import glob
import importlib
import os
import random
import sys
import time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"
CASES = ["f32 e4m3", "e4m3 f32", "f32 e5m2", "e5m2 f32", "f32 bf16", "f32 f16"]
BYTES = {"f32": 4, "e4m3": 1, "e5m2": 1, "bf16": 2, "f16": 2}
PEERS = ["numpy", "torch", "ml_dtypes", "numkong"]


class Eight(ctypes.Structure):
    """A format or a policy: eight bytes."""
    _fields_ = [("bits", ctypes.c_uint64)]


def softfp8(library, command):
    here = os.path.dirname(command)
    found = [library] if library != "-" else [
        f for folder in ("lib*", "lib*/*")
        for f in sorted(glob.glob(f"{here}/../{folder}/libsoftfp8.so*"))]
    if not found:
        sys.exit("no libsoftfp8 beside the command; SOFTFP8_LIBRARY can name it")
    lib = ctypes.CDLL(found[0])
    lib.sf8_format_named.restype = lib.sf8_policy_named.restype = Eight
    lib.sf8_format_named.argtypes = lib.sf8_policy_named.argtypes = [ctypes.c_char_p] * 2
    lib.sf8_convert_n.argtypes = [Eight, ctypes.c_void_p, Eight, ctypes.c_void_p, ctypes.c_size_t,
                                  Eight]
    return lib


def by_softfp8(lib, source, to, x, n):
    """A call that converts the n values in the buffer x, and its result."""
    out, call = ctypes.create_string_buffer(n * BYTES[to]), lib.sf8_convert_n
    a, b = (ctypes.c_void_p(ctypes.addressof(of)) for of in (out, x))
    arguments = (lib.sf8_format_named(to.encode(), None), a,
                 lib.sf8_format_named(source.encode(), None), b, ctypes.c_size_t(n),
                 lib.sf8_policy_named(b"ocp", None))
    if call(*arguments):
        sys.exit("sf8_convert_n refuses the arrays")
    return (lambda: call(*arguments)), out


def by_numpy(numpy, source, to, x, n):
    types = {"f32": numpy.float32, "f16": numpy.float16}
    return by_copyto(numpy, types, source, to, x, n)


def by_ml_dtypes(ml_dtypes, source, to, x, n):
    import numpy
    types = {"f32": numpy.float32, "bf16": ml_dtypes.bfloat16,
             "e4m3": ml_dtypes.float8_e4m3fn, "e5m2": ml_dtypes.float8_e5m2}
    return by_copyto(numpy, types, source, to, x, n)


def by_copyto(numpy, types, source, to, x, n):
    values, out = numpy.frombuffer(x, types[source], n), numpy.empty(n, types[to])
    return (lambda: numpy.copyto(out, values, casting="unsafe")), out


def by_torch(torch, source, to, x, n):
    types = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16,
             "e4m3": torch.float8_e4m3fn, "e5m2": torch.float8_e5m2}
    torch.set_num_threads(1)
    values = torch.frombuffer(x, dtype=types[source], count=n)
    out = torch.empty(n, dtype=types[to])
    return (lambda: out.copy_(values)), out


def by_numkong(numkong, source, to, x, n):
    types = {"f32": "float32", "f16": "float16"}
    values = numkong.from_pointer(ctypes.addressof(x), (n,), types.get(source, source), owner=x)
    return (lambda: values.astype(types.get(to, to))), None


def imported():
    """The peers that are there, with their modules; a line for each."""
    found = {}
    for peer in PEERS:
        try:
            found[peer] = importlib.import_module(peer)
            print(f"{peer:10} {getattr(found[peer], '__version__', 'there')}")
        except Exception as error:  # a package that is broken must not end the others
            print(f"{peer:10} absent: {type(error).__name__}: {str(error).splitlines()[0][:80]}")
    return found


def seconds(run, calls):
    start = time.perf_counter()
    for _ in range(calls):
        run()
    return (time.perf_counter() - start) / calls


def measured(runs, n, rounds):
    """The least time of each, in ns for a value. They take turns."""
    calls = max(1, 100000 // n)
    best = dict.fromkeys(runs, float("inf"))
    for _ in range(rounds):
        for who, run in runs.items():
            best[who] = min(best[who], seconds(run, calls) / n * 1e9)
    return best


def inputs(lib, source, n):
    draw = random.Random(1)
    some = array.array("f", [
        draw.choice((-1, 1)) * draw.uniform(1, 2) * 2.0 ** draw.randint(-17, 12)
        for _ in range(min(n, 4096))])
    many = (some * (n // len(some) + 1))[:n]
    x = (ctypes.c_char * (4 * n)).from_buffer(many)
    if source == "f32":
        return x
    return by_softfp8(lib, "f32", source, x, n)[1]


def row(lib, found, case, n, rounds):
    source, to = case.split()
    x, runs, kept = inputs(lib, source, n), {}, []
    runs["softfp8"], out = by_softfp8(lib, source, to, x, n)
    for peer, module in found.items():
        try:
            run, result = globals()["by_" + peer](module, source, to, x, n)
            run()
        except Exception:  # no such conversion
            continue
        runs[peer] = run
        kept.append(result)
    best = measured(runs, n, rounds)
    cells = [f"{source + ' to ' + to:12}{n:>9}{best['softfp8']:10.3f}"]
    for peer in found:
        cells.append(f"{best[peer]:9.3f} ({best[peer] / best['softfp8']:.1f})" if peer in best
                     else "-")
    print("".join(f"{c:>18}" if i else c for i, c in enumerate(cells)), flush=True)


def main():
    library, command, rounds, sizes = sys.argv[1:]
    lib = softfp8(library, command)
    found = imported()
    print("\nns for a value, the least of "
          f"{rounds} rounds; in brackets how many times as long as softfp8\n")
    print(f"{'conversion':12}{'values':>9}{'softfp8':>10}" + "".join(f"{p:>18}" for p in found))
    for case in CASES:
        for size in sizes.split(","):
            row(lib, found, case, int(size), int(rounds))


main()
