# SPDX-License-Identifier: MIT
"""smt_proof.py -- z3 compares definitions of `softfp8 export smt` with tables: smt_proof.py SOFTFP8

Of a conversion, z3 proves that no input has another result or other flags than the step table.
Before that it evaluates the definition at some inputs, or at every boundary of the table if
SOFTFP8_TIER is full. Operations are compared with
`softfp8 gen` at all or at random operands, and those of IEEE formats with the floating-point sorts
of z3, which are another implementation.
"""
import os
import random
import subprocess
import sys

import z3

SOFTFP8 = sys.argv[1]
POINTS = 40
RANDOM = 500
FULL = os.environ.get("SOFTFP8_TIER") == "full"
draw = random.Random(1)
failures = 0
FIELDS = ["overflow=special", "overflow=inf", "overflow=zero", "inf=special", "inf=zero",
          "nan=as-missing", "nan_code=ones", "nan_code=payload", "nan_code=signaling",
          "nan_code=bits", "nan_sign=signed", "nan_sign=sign-bit", "made_nan_sign=signed",
          "missing_nan=signed-max", "missing_nan=opposite-zero", "missing_nan=inf",
          "missing_nan=neg-zero", "negative=abs", "negative=nan", "negative=nan-all",
          "missing_zero=nan", "missing_zero=nan-exact", "missing_zero=nan-below", "tie_p1=away",
          "odd=bounded", "overflow_test=exact", "overflow_test=exponent", "flush=inputs", "flush=outputs",
          "flush=both", "tininess=before", "quiet=yes", "inf_flags=overflow", "nan_flags=inexact",
          "via=f16", "via=bf16", "via=f32-f16", "via=f16:rz", "via=bf16:rz",
          "round_past_max=next", "round_past_max=nan", "beyond_max=next", "beyond_max=max",
          "above_least=up", "below_normal=stay", "dialect=p3109"]
ROUNDINGS = ["rne", "rna", "rz", "ru", "rd", "ro", "rnz"]


def softfp8(*arguments):
    return subprocess.run([SOFTFP8, *arguments], check=True, capture_output=True, text=True).stdout


def failed(what):
    global failures
    failures += 1
    print("FAILED:", what)


def definition(function, options, operands, bits):
    """The result of the exported function, flags before code, as a term of its operands."""
    text = softfp8("export", "smt", function, *options)
    symbol = function.replace(",", "_")
    names = "xy"[:len(operands)]
    declared = "".join(f"(declare-const {n} (_ BitVec {w}))" for n, w in zip(names, operands))
    solver = z3.SolverFor("QF_BV")
    solver.from_string(f"{text}{declared}(declare-const r (_ BitVec {bits + 5}))"
                       f"(assert (= r ({symbol}.result {' '.join(names)})))")
    equation = solver.assertions()[0]
    left, right = equation.children()
    return right if left.eq(z3.BitVec("r", bits + 5)) else left


def value(term, variables, inputs):
    pairs = [(v, z3.BitVecVal(i, v.size())) for v, i in zip(variables, inputs)]
    return z3.simplify(z3.substitute(term, *pairs)).as_long()


def conversion(function, *options):
    """The definition against the whole step table."""
    lines = softfp8("gen", function, "--steps", *options).splitlines()
    rows = [line.split() for line in lines if not line.startswith("#")]
    widths = [len(rows[0][0]) * 4, 0]
    for line in lines:
        for i, key in enumerate(["# from:", "# to:"]):
            if line.startswith(key):
                row = dict(part.split("=") for part in line.split()[3:])
                widths[i] = sum(int(row[key]) for key in ["exp", "man", "signed"])
    source, bits = widths
    first = [int(row[0], 16) for row in rows]
    want = [int(row[1], 16) | int(row[2], 16) << bits for row in rows]
    x = z3.BitVec("x", source)
    term = definition(function, options, [source], bits)
    title = " ".join([function, *options])

    def index(word, low=0):
        high = len(first)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if first[middle] <= word else (low, middle)
        return low

    points = {at + by for at in first for by in (-1, 0)} - {-1} | {(1 << source) - 1}
    points |= {draw.randrange(1 << source) for _ in range(RANDOM)}
    some = len(points) if FULL else min(POINTS, len(points))
    for at in draw.sample(sorted(points), some):
        got = value(term, [x], [at])
        if got != want[index(at)]:
            failed(f"{title}: input {at:x}: {got:x}, expected {want[index(at)]:x}")
            return

    def table(low, high):
        if high - low == 1:
            return z3.BitVecVal(want[low], bits + 5)
        middle = (low + high) // 2
        return z3.If(z3.UGE(x, first[middle]), table(middle, high), table(low, middle))

    solver = z3.SolverFor("QF_BV")
    solver.add(term != table(0, len(rows)))
    answer = solver.check()
    if answer != z3.unsat:
        failed(f"{title}: z3 says {answer}" + (
            f": input {solver.model()[x].as_long():x}" if answer == z3.sat else ""))


def operation(function, bits, count, *options):
    """The definition against all pairs of operands, or as many random ones."""
    term = definition(function, options, [bits, bits], bits)
    rows = [[int(word, 16) for word in line.split()]
            for line in softfp8("gen", function, *options).splitlines()]
    for a, b, result, flags in rows if count >= len(rows) else draw.sample(rows, count):
        got = value(term, [z3.BitVec("x", bits), z3.BitVec("y", bits)], [a, b])
        if got != result | flags << bits:
            failed(f"{function} {' '.join(options)}: {a:x} {b:x}: {got:x}, expected "
                   f"{result | flags << bits:x}")
            return


MODES = {"rne": z3.RNE(), "rna": z3.RNA(), "rz": z3.RTZ(), "ru": z3.RTP(), "rd": z3.RTN()}


def prove_equal(title, term, number, sort):
    """Equal as data: all NaN are one, and zeros have signs."""
    solver = z3.SolverFor("QF_FPBV")
    solver.add(z3.Not(z3.fpBVToFP(term, sort) == number))
    answer = solver.check()
    if answer != z3.unsat:
        failed(f"{title}, compared with z3: {answer}")


def theory(name, sort, rounding, operations):
    """Operations of a format of the IEEE kind are those of z3, for all operands. (z3 has no sums
    where the exponent has more bits than the significand.)"""
    options = ["--policy", "ocp-nosat", "--round", rounding]
    bits = sort.ebits() + sort.sbits()
    a, b = (z3.fpBVToFP(z3.BitVec(v, bits), sort) for v in "xy")
    for op, exact in operations:
        term = z3.Extract(bits - 1, 0, definition(f"{name}_{op}", options, [bits, bits], bits))
        prove_equal(f"{name}_{op}, {rounding}", term, exact(MODES[rounding], a, b), sort)


def theory_conversion(source, source_sort, target, sort, rounding):
    """A conversion between formats of the IEEE kind, too large for a step table, is that of z3."""
    bits = [s.ebits() + s.sbits() for s in (source_sort, sort)]
    term = definition(f"{source}_to_{target}", ["--round", rounding], bits[:1], bits[1])
    number = z3.fpFPToFP(MODES[rounding], z3.fpBVToFP(z3.BitVec("x", bits[0]), source_sort), sort)
    prove_equal(f"{source}_to_{target}, {rounding}", z3.Extract(bits[1] - 1, 0, term), number, sort)


FORMATS = ["e4m3", "e5m2", "e8m0", "e4m3fnuz", "e2m1", "ue4m3", "p3109_k5p3se", "e3m2"]
OTHERS = ["f16_to_e4m3", "bf16_to_e4m3fnuz", "f64_to_e5m2", "e4m3_to_f16", "e8m0_to_f32",
          "e4m3fnuz_to_f32", "ue5m3_to_f16", "e5m2_to_e4m3", "e4m3_to_e5m2", "e2m1_to_e8m0",
          "f32_to_p3109_k8p1uf", "e4m3b11fnuz_to_e4m3"]


def main():
    """Every value of every field and every policy, in turn for each format; for all with `full`."""
    policies = [line.split()[0] for line in softfp8("policies").splitlines() if line[:1].strip()]
    for to in FORMATS:
        conversion(f"f32_to_{to}")
    for function in OTHERS:
        conversion(function)
    conversion("e8m0_to_f16", "--via", "f32")
    for function in ["f64_to_e4m3", *(f"f32_to_{to}" for to in FORMATS)]:
        for first in ["f16:rz", "bf16:rz"]:  # the first of two steps truncates
            conversion(function, "--via", first)
    choices = [*(["--round", r] for r in ROUNDINGS), *(["--set", f] for f in FIELDS),
               *(["--policy", p] for p in policies)]
    for i, changed in enumerate(choices):
        for to in FORMATS if FULL or "--round" in changed else [FORMATS[i % len(FORMATS)]]:
            conversion(f"f32_to_{to}", *changed)
    # Fields that matter in one of the formats alone.
    for to, field in [("e8m0", "missing_zero=nan-exact"), ("e8m0", "missing_zero=nan-below"),
                      ("e8m0", "above_least=up"), ("e8m0", "tie_p1=away"), ("e8m0", "negative=nan"),
                      ("ue4m3", "negative=abs"), ("e4m3", "round_past_max=nan"), ("e2m1", "beyond_max=max"),
                      ("e4m3fnuz", "round_past_max=next"), ("e5m2", "nan_code=bits"),
                      ("e5m2", "nan_code=payload"), ("e2m1", "missing_nan=opposite-zero")]:
        conversion(f"f32_to_{to}", "--overflow", "ieee", "--set", field)
    for function, bits in [("e2m1_add", 4), ("e2m1_sub", 4), ("e2m1_mul", 4), ("e4m3_add", 8),
                           ("e4m3_sub", 8), ("e4m3_mul", 8), ("e5m2_add", 8), ("e5m2_mul", 8),
                           ("e4m3fnuz_mul", 8), ("e4m3fnuz_sub", 8), ("ue4m3_sub", 7),
                           ("e8m0_mul", 8), ("e8m0_add", 8), ("e4m3,bias=11_add", 8)]:
        operation(function, bits, 1000)
        operation(function, bits, 300, "--round", "rd", "--overflow", "ieee")
    for rounding in MODES:
        theory("e4m3ieee", z3.FPSort(4, 4), rounding,
               [("add", z3.fpAdd), ("sub", z3.fpSub), ("mul", z3.fpMul)])
        theory("e5m2", z3.FPSort(5, 3), rounding, [("mul", z3.fpMul)])
    theory_conversion("f32", z3.FPSort(8, 24), "f16", z3.FPSort(5, 11), "rne")
    theory_conversion("f32", z3.FPSort(8, 24), "bf16", z3.FPSort(8, 8), "ru")
    theory_conversion("f64", z3.FPSort(11, 53), "f32", z3.FPSort(8, 24), "rz")


if __name__ == "__main__":
    main()
    print(f"{failures} failed")
    sys.exit(failures != 0)
