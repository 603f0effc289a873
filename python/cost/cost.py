# SPDX-License-Identifier: MIT
# cost.py -- what the hot loops of the kernels cost on sm_90a, counted in machine code
"""tools/kernel-cost [option]

Predicts from machine code how fast the GPU kernels can be at most. It compiles the kernels of
rows.txt for sm_90a, disassembles them, and counts the instructions of one iteration of each hot
loop. It needs nvcc and cuobjdump, but no GPU, and takes about a minute.

  (nothing)       prints a table
  --markdown      prints the table of docs/benchmarks/kernel-cost.md
  --only TEXT     takes only the kernels whose name contains TEXT
  --code          prints the counted instructions
  --check         fails if a kernel became more than 10 % slower than predicted.txt says
  --accept        writes predicted.txt
  --same DIR      compares the machine code of all kernels, instead, and of the host code and tables
                  that start them, with that of another version of the project in DIR, and names
                  those that differ; then it exits with 1. --only takes parts of the names of
                  sources. All of them take some minutes
  --tables DIR    takes rows.txt and predicted.txt from DIR, and does not compile if DIR has `sass`
                  and `usage`, the outputs of cuobjdump -sass and -res-usage
"""
import argparse
import glob
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, namedtuple

sys.dont_write_bytecode = True
import same  # noqa: E402
import sass  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
GPU = HERE.parent.parent / "gpu"
RESERVED = 1024  # shared memory of a block that the system uses
MISSING, TOLERANCE, CLOCK, PROCESSORS = 77, 0.10, 1.755e9, 132
Row = namedtuple("Row", "kernel form type bytes needs trips shared goal measured")
Result = namedtuple("Result", "row kinds limits registers shared blocks loop code")

# Kinds of instructions in the order of the table: their opcodes. All others are "other".
KINDS = {
    "fp": r"F(ADD|MUL|FMA)|H(ADD|MUL|FMA)2|HMNMX2|VHMNMX",
    "imad": r"IMAD|IMUL",
    "int": r"IADD3?|LOP3|SHF|SHL|SHR|PRMT|LEA|SEL|FSEL|I?MNMX|FMNMX|VI\w+|ISETP|FSETP|HSETP2|FCHK|"
           r"MOV|PLOP3|P2R|R2P|BMSK|SGXT|IABS|FLO|POPC|BREV",
    "mufu": r"MUFU",
    "convert": r"F2FP|F2F|F2I|I2F|I2FP|F2IP|FRND",
    "global": r"LDG|STG|LDGSTS|LD|ST|ATOMG|RED",
    "shared": r"LDS|STS|LDSM|STSM|ATOMS|SHFL|REDUX",
    "bulk": r"UBLKCP|UTMALDG|SYNCS|LDGDEPBAR|DEPBAR",
    "matrix": r"[HIQ]G?MMA",
    "branch": r"BRA|BSSY|BSYNC|BREAK|EXIT|WARPSYNC|BAR|CALL|RET",
}
# Lanes a clock and multiprocessor of the pipes that are slower than the issue of 4 instructions.
PIPES = {"imad": 64, "int": 64, "mufu": 16, "convert": 64, "memory": 32, "matrix": 32}


def rows(tables):
    for line in (tables / "rows.txt").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            kernel, body, size, needs, trips, shared, *rest = map(str.strip, line.split("|"))
            form, type_ = body.split(" ", 1)
            yield Row(kernel, form, type_, int(size), counts(needs), counts(trips), int(shared),
                      *rest)


def counts(text):
    """{"G16": 2} of "G16 2, ..."."""
    return {word: int(n) for word, n in (part.split() for part in text.split(",") if part.strip())}


# ---- compiling and disassembling


def program(name, variables, folders):
    """A program: where a variable says, which names it or its folder; on the PATH; in folders."""
    named = [os.environ.get(v, "") for v in variables]
    for path in (*named, *map(os.path.dirname, named), os.environ.get("PATH", ""), *folders):
        if path and (found := shutil.which(name, path=path)):
            return found
    print(f"kernel-cost: skipped: no {name}")
    sys.exit(MISSING)


def source(all_rows):
    """A Body of its own for each row, so that its number is in the name of the function."""
    text = ['#include "shim.h"', '#include "kernels/attend/attend.h"',
            '#include "kernels/blocks/quantize.h"', '#include "kernels/kv/four.h"',
            '#include "kernels/kv/table.h"',
            "namespace cost {", "using namespace kernels; using namespace kernels::attention;"]
    text += [f"struct row_{n}_ : {row.type} {{}};" for n, row in all_rows]
    text.append("}")
    text += [f"template __global__ void shim::{row.form}<cost::row_{n}_>(const cost::row_{n}_);"
             for n, row in all_rows]
    return "\n".join(text) + "\n"


def object_of(cu, gpu, options, folder, kind="-cubin"):
    """The path of a source's machine code, which includes headers from the folder `gpu`."""
    nvcc = program("nvcc", ["SOFTFP8_NVCC"], ["/usr/local/cuda/bin"])
    path = folder + "/kernels.o"
    # as in device.cmake
    target = ["-gencode=arch=compute_90a,code=sm_90a"] if kind == "-c" else ["-arch=sm_90a"]
    subprocess.run([nvcc, *target, "-std=c++17", "-O2", "-DGPU_SM_100A=0", "-DGPU_PARTS=4",
                    "-Xcompiler=-fPIC,-fno-exceptions,-fno-rtti,-fno-threadsafe-statics",
                    "-D__NV_NO_VECTOR_DEPRECATION_DIAG", '-DGPU_TARGET="sm_90a"', f"-I{gpu}",
                    f"-I{gpu}/../lib/include", f"-I{gpu}/../lib/core", *options, kind, cu, "-o",
                    path], check=True)
    return path


def printed(path, prints=("-sass",)):
    """What cuobjdump prints about machine code."""
    nvcc = program("nvcc", ["SOFTFP8_NVCC"], ["/usr/local/cuda/bin"])
    packages = [f for p in sys.path[1:] for f in glob.glob(p + "/nvidia/*/bin")]
    cuobjdump = program("cuobjdump", ["SOFTFP8_CUOBJDUMP"], [os.path.dirname(nvcc)] + packages)
    program("nvdisasm", ["SOFTFP8_CUOBJDUMP"], [os.path.dirname(cuobjdump)] + packages)
    env = {**os.environ,
           "PATH": os.path.dirname(cuobjdump) + os.pathsep + os.environ.get("PATH", "")}
    return [subprocess.run([cuobjdump, option, path], check=True, capture_output=True, text=True,
                           env=env).stdout for option in prints]


def both_codes(cu, gpu, options):
    """The machine code of a source's kernels as text, and its object with the code of the host."""
    with tempfile.TemporaryDirectory() as folder:
        path = object_of(cu, gpu, options, folder, "-c")
        return printed(path)[0], pathlib.Path(path).read_bytes()


def compiled(all_rows):
    """The disassembly, and the use of registers and memory, of all rows."""
    with tempfile.TemporaryDirectory() as folder:
        cu = folder + "/rows.cu"
        pathlib.Path(cu).write_text(source(all_rows))
        return printed(object_of(cu, GPU, ["-fmad=false"], folder), ("-sass", "-res-usage"))


# ---- counting


def kind_of(i):
    for kind, pattern in KINDS.items():
        if re.fullmatch(pattern, sass.name(i)):
            return kind
    return "other"


def trips_of(row):
    """How often an inner loop runs, by its code."""
    def trips(code):
        have = Counter(sass.name(i) for i in code)
        for word, times in row.trips.items():
            opcode, _, exactly = word.partition("*")
            if have[opcode] and have[opcode] == int(exactly or have[opcode]):
                return times
        return 0
    return trips


def limits_of(code, kinds, size):
    """Bytes a clock and multiprocessor that the issue, and each pipe, allows."""
    # A global access takes a clock for each 128 bytes of a warp. One of shared memory takes at
    # least one, and more if lanes do not read the same words.
    memory = kinds["shared"] + sum(max(1, sass.width(i) // 4) for i in code
                                   if kind_of(i) == "global")
    clocks = {"issue": len(code) / 4}
    clocks.update((pipe, (memory if pipe == "memory" else kinds[pipe]) * 32 / lanes)
                  for pipe, lanes in PIPES.items())
    return {pipe: 32 * size / t for pipe, t in clocks.items() if t}


def blocks_of(threads, registers, shared):
    """Blocks on a multiprocessor."""
    of_warp = (registers * 32 + 255) // 256 * 256
    return min(32, 2048 // threads, 65536 // of_warp // (threads // 32),
               233472 // (shared + RESERVED))


def measure(row, code, usage):
    at, path = sass.Graph(code).hot(row.needs, trips_of(row))
    if not path:
        sys.exit(f"kernel-cost: {row.kernel}: no loop has {row.needs}; see its line in rows.txt")
    kinds = Counter(kind_of(i) for i in path)
    registers, shared = int(usage["REG"]), row.shared + max(0, int(usage["SHARED"]) - RESERVED)
    return Result(row, kinds, limits_of(path, kinds, row.bytes), registers, shared,
                  blocks_of(128 if row.form == "phased" else 256, registers, shared), at, path)


def results(tables, only):
    chosen = [(n, row) for n, row in enumerate(rows(tables)) if only in row.kernel]
    if not chosen:
        sys.exit(f"kernel-cost: no kernel '{only}'")
    if (tables / "sass").exists():
        text, use = (tables / "sass").read_text(), (tables / "usage").read_text()
    else:
        text, use = compiled(chosen)
    usage = {f: dict(re.findall(r"(\w+):(\d+)", line))
             for f, line in re.findall(r"Function (\w+):\s*\n(.*)", use)}
    code = sass.functions(text)
    for n, row in chosen:
        function = next(f for f in code if f"row_{n}_" in f)
        yield measure(row, code[function], usage[function])


# ---- output


def bound(result):
    """The pipe that limits most, and its limit."""
    return min(result.limits.items(), key=lambda p: p[1])


def measured(row):
    """Bytes a clock and multiprocessor on an H100, from a share of a copy; or None."""
    if row.measured == "-":
        return None
    share, speed = map(float, row.measured.split())
    return share / 100 * speed * 1e12 / PROCESSORS / CLOCK


def print_table(found):
    print(f"{'kernel':34}{'instr':>6}" + "".join(f"{k:>8}" for k in (*KINDS, "other")) +
          f"{'bytes':>7}{'issue':>7}{'limit':>7} {'by':8}{'goal':>5}{'regs':>6}{'shared':>8}"
          f"{'blocks':>7}")
    for r in found:
        pipe, limit = bound(r)
        print(f"{r.row.kernel:34}{len(r.code):6}" +
              "".join(f"{r.kinds[k]:8}" for k in (*KINDS, "other")) +
              f"{32 * r.row.bytes:7}{r.limits['issue']:7.1f}{limit:7.1f} {pipe:8}{r.row.goal:>5}"
              f"{r.registers:6}{r.shared:8}{r.blocks:7}")


def print_markdown(found):
    print("| kernel | instructions | bytes | predicted, at most | bound by | goal | measured | "
          "registers | blocks |\n|---|---|---|---|---|---|---|---|---|")
    for r in found:
        pipe, limit = bound(r)
        real = measured(r.row)
        print(f"| {r.row.kernel} | {len(r.code)} | {32 * r.row.bytes} | {limit:.1f} | {pipe} | "
              f"{'' if r.row.goal == '-' else r.row.goal} | {f'{real:.1f}' if real else ''} | "
              f"{r.registers} | {r.blocks} |")


def accept(tables, found):
    lines = ["# predicted.txt -- bytes a clock and multiprocessor, written by kernel-cost --accept"]
    lines += [f"{r.row.kernel} {bound(r)[1]:.1f}" for r in found]
    (tables / "predicted.txt").write_text("\n".join(lines) + "\n")


def check(tables, found):
    """Compares with what was predicted; returns 1 if a kernel became slower, or is not there."""
    lines = [line.rsplit(" ", 1) for line in (tables / "predicted.txt").read_text().splitlines()]
    before = {kernel: float(limit) for kernel, limit in lines if kernel[:1] != "#"}
    failed = count = 0
    for r in found:
        pipe, now = bound(r)
        was = before.get(r.row.kernel)
        count += 1
        if was is None:
            failed = 1
            print(f"{r.row.kernel}: no prediction; --accept writes it")
        elif now < was * (1 - TOLERANCE):
            failed = 1
            print(f"{r.row.kernel}: at most {now:.1f} bytes a clock, by {pipe}; predicted: {was}")
        elif now > was * (1 + TOLERANCE):
            print(f"{r.row.kernel}: {now:.1f} bytes a clock, more than {was}; --accept writes it")
    print(f"{count} kernels compared")
    return failed


def main():
    if {"--help", "-h"} & set(sys.argv):
        print(__doc__, end="")
        return 0
    parser = argparse.ArgumentParser(usage="tools/kernel-cost --help says what it does",
                                     add_help=False)
    parser.add_argument("--only", default="")
    parser.add_argument("--tables", type=pathlib.Path, default=HERE)
    parser.add_argument("--same")
    for option in ("--code", "--markdown", "--accept", "--check"):
        parser.add_argument(option, action="store_true")
    o = parser.parse_args()
    if o.accept and o.only:
        parser.error("--accept writes all kernels")
    if o.same:
        there = same.folder_of(o.same)
        if not there:
            print(f"kernel-cost: {o.same}: expected a folder of the project, with gpu/device.cu",
                  file=sys.stderr)
            return 2
        return same.compare(both_codes, GPU, there, o.only)
    found = list(results(o.tables, o.only))
    if o.check:
        return check(o.tables, found)
    if o.accept:
        accept(o.tables, found)
    elif o.code:
        for r in found:
            print(f"{r.row.kernel}: the loop at {r.loop:x}")
            for i in r.code:
                print(f"{i.at:6x}  {i.guard:6}{i.opcode} {i.operands}")
    else:
        (print_markdown if o.markdown else print_table)(found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
