# SPDX-License-Identifier: MIT
"""goals.py -- the list of goals; each has a name and is a claim about entries of the core

    right.ENTRY.POLICY   the result and the flags are those of docs/spec
    safe.ENTRY           no input leads to undefined behaviour
    order.ENTRY.POLICY   of two numbers of one sign, the larger one has no smaller magnitude code
    theory.ENTRY         the result is that of the theory of floating point in SMT-LIB

`quick` goals take at most about 30 seconds each.
"""
import spec
import terms as t
from core import Run

NARROW = ["e4m3", "e5m2", "e2m1", "e3m2", "e2m3", "e8m0", "e4m3fnuz"]


class Claim:
    """What a solver gets: a term that must follow from others."""

    def __init__(self, claim, assumed, runs, logic="QF_BV", expected=None):
        self.claim, self.assumed, self.runs, self.logic = claim, assumed, runs, logic
        self.expected = expected  # code and flags by the specification


class Goal:
    def __init__(self, name, symbolic, build, quick=False, mutants=(), solver="bitwuzla"):
        self.name, self.symbolic, self.build, self.quick = name, symbolic, build, quick
        self.mutants, self.solver = mutants, solver


# ---- policies

SR = {f: t.var(f"policy.{f}", spec.WIDTHS[f]) for f in ("sr_rule", "sr_bits")}


def policy_of(name):
    """ocp, ocp-nosat    any rounding mode but sr
    ocp.sr, ...          sr with any rule and number of bits
    no-via, via-VALUE    any policy whose field via is none, or that value
    any                  any policy
    """
    base, _, mode = name.partition(".")
    if base in ("ocp", "ocp-nosat"):
        policy = spec.ocp() if base == "ocp" else spec.ocp_nosat()
        if mode == "sr":
            return policy.changed(round="sr", **SR)
        return policy.changed(round=t.var("policy.round", 3))
    if base == "any":
        return spec.symbolic()
    return spec.symbolic().changed(via="none" if base == "no-via" else base[4:])


def assumed_of(name, policy):
    if name in ("ocp", "ocp-nosat"):
        return [t.not_(policy["round", "sr"])]
    return [policy.valid()]


RANDOM = t.var("random", 32)
EXACT = t.var("exact", 1)


def operands(f, count):
    return [t.var("xyz"[i], f.bits) for i in range(count)]


def words(terms):
    return [t.zext(x, 64) for x in terms]


# ---- claims


def holds(runs, claim):
    """The claim, and that no run has undefined behaviour: its terms mean nothing then."""
    return t.and_(*(run.is_safe() for run in runs), claim)


def right_convert(source, to, policy):
    def build(module):
        f, g, p = spec.FORMATS[source], spec.FORMATS[to], policy_of(policy)
        x, = operands(f, 1)
        got = Run(module, f"{source}_to_{to}", t.zext(x, 64), p.packed(), RANDOM)
        want = spec.convert(g, f, x, p, RANDOM)
        return Claim(holds([got], got.equals(*want)), assumed_of(policy, p), [got], expected=want)
    return build


def right_operation(name, op, policy):
    def build(module):
        f, p = spec.FORMATS[name], policy_of(policy)
        xs = operands(f, 3 if op == "fma" else 2)
        got = Run(module, f"{name}_{op}", *words(xs), p.packed(), RANDOM)
        if op == "sub":
            want = spec.add(f, *xs, p, RANDOM, subtract=True)
        else:
            want = getattr(spec, op)(f, *xs, p, RANDOM)
        return Claim(holds([got], got.equals(*want)), assumed_of(policy, p), [got], expected=want)
    return build


def right_from_integer(to, is_signed, policy):
    def build(module):
        f, p, x = spec.FORMATS[to], policy_of(policy), t.var("x", 64)
        got = Run(module, f"{'iu'[not is_signed]}64_to_{to}", x, p.packed(), RANDOM)
        want = spec.from_int(f, x, is_signed, p, RANDOM)
        return Claim(holds([got], got.equals(*want)), assumed_of(policy, p), [got], expected=want)
    return build


def right_to_integer(source, is_signed, policy):
    def build(module):
        f, p = spec.FORMATS[source], policy_of(policy)
        x, = operands(f, 1)
        got = Run(module, f"{source}_to_{'iu'[not is_signed]}64", t.zext(x, 64), p.packed(),
                  t.zext(EXACT, 32), RANDOM)
        want = spec.to_int(f, x, 64, is_signed, t.eq(EXACT, t.const(1, 1)), p, RANDOM)
        return Claim(holds([got], got.equals(*want)), assumed_of(policy, p), [got], expected=want)
    return build


def safe(entry, policy, *kinds):
    """kinds: the width of each argument; `policy`, of any bits; or `row` for any valid row."""
    def build(module):
        p, assumed, arguments = policy_of(policy), [], []
        for i, kind in enumerate(kinds):
            if kind == "policy":
                arguments.append(p.packed())
            elif kind == "row":
                row = t.zext(t.var(f"row{i}", 32), 64)
                arguments.append(row)
                assumed.append(t.eq(Run(module, "row_valid", row).code, t.const(1, 32)))
            else:
                arguments.append(t.var(f"x{i}", kind))
        got = Run(module, entry, *arguments)
        return Claim(got.is_safe(), assumed, [got])
    return build


def order(source, to, policy):
    """Two numbers, or infinities, of one sign. The codes are compared without their signs."""
    def build(module):
        f, g = spec.FORMATS[source], spec.FORMATS[to]
        p = policy_of(policy)
        x, y = t.var("x", f.bits - 1), t.var("y", f.bits - 1)
        sign = t.var("sign", 1)
        top = t.const(f.max + 1, f.mags)
        runs = [Run(module, f"{source}_to_{to}", t.zext(t.concat(sign, v), 64), p.packed(), RANDOM)
                for v in (x, y)]
        mags = [t.low(r.code, g.mags) for r in runs]
        assumed = [t.ule(x, y), t.ule(y, top), *assumed_of(policy, p)]
        return Claim(holds(runs, t.ule(*mags)), assumed, runs)
    return build


# ---- the theory of floating point


def _sort(f):
    return f"(_ FloatingPoint {f.e} {f.m + 1})"


def _to_fp(f, bits):
    return t.raw(f"(_ to_fp {f.e} {f.m + 1}) : {_sort(f)}", (bits,), -1)


def _mode(p):
    mode = t.raw("ite true RNE RNE : RoundingMode", (), -1)
    for name, theirs in (("rna", "RNA"), ("rz", "RTZ"), ("ru", "RTP"), ("rd", "RTN")):
        c = p["round", name]
        mode = t.raw(f"CHOOSE {theirs} : RoundingMode", (c, mode), -1)
    return mode


def theory(entry, source, to, head, count):
    def build(module):
        f, g = spec.FORMATS[source], spec.FORMATS[to]
        p = policy_of("ocp-nosat")
        xs = operands(f, count)
        got = Run(module, entry, *words(xs), p.packed(), t.const(0, 32))
        theirs = t.raw(f"{head} : {_sort(g)}", (_mode(p), *(_to_fp(f, x) for x in xs)), -1)
        same = t.raw("= : Bool", (_to_fp(g, t.low(got.code, g.bits)), theirs), 0)
        return Claim(holds([got], same), [p.any_of("round", "rne", "rna", "rz", "ru", "rd")], [got], "QF_BVFP")
    return build


# ---- the list

# Mutants by what a goal is about: descriptions of tools/mutation/list.txt.
TIES = ("a tie goes up though even", "nearest-away rounds a tie down",
        "up rounds like away from zero", "overflow one code late")
STOCHASTIC = ("stochastic b without its half bit", "stochastic c rounds a tie up always",
              "stochastic: one random bit more")
INTEGERS = (*TIES[:3],
            ("inexact without being asked for", "number/convert.h", "if (!exact)", "if (exact)"))
FIELDS = ("odd takes the even neighbour", "tininess after rounding: at the subnormal's place",
          "early overflow takes the exact largest", "carry=next ignored")
DISORDER = (
    ("a carry goes down", "number/round.h", "uint64_t mag = base + ((sig + up) >> shift);",
     "uint64_t mag = 2 * kept - base - ((sig + up) >> shift);"),
    ("subnormals a binade too high", "number/round.h", "sf8_min(shift, 63), above - below, random",
     "sf8_min(shift, 63), above - below + (below < 0), random"),
    ("an exponent without its top bit", "number/round.h", "base = (uint64_t)above <<",
     "base = (uint64_t)(above & 7) <<"))
ALL = "operands, every field of the policy, random word"
ROUNDING = "operand, rounding mode"


def goals():
    """Every goal, in the order in which they run."""
    found = []

    def goal(name, symbolic, build, quick=False, mutants=(), solver="bitwuzla"):
        found.append(Goal(name, symbolic, build, quick, mutants, solver))

    for to in NARROW:
        e4m3 = to == "e4m3"
        for policy in ("ocp", "ocp-nosat"):
            goal(f"right.f64_to_{to}.{policy}", ROUNDING + " but sr",
                 right_convert("f64", to, policy), True, TIES if e4m3 else ())
            goal(f"right.f64_to_{to}.{policy}.sr", "operand, sr_rule, sr_bits, random word",
                 right_convert("f64", to, f"{policy}.sr"), mutants=STOCHASTIC if e4m3 else ())
        goal(f"order.f64_to_{to}.ocp", "two operands, sign, rounding mode but sr",
             order("f64", to, "ocp"), True,
             DISORDER if e4m3 else ())
    for to in NARROW:
        goal(f"right.f32_to_{to}.no-via", ALL + "; via = none",
             right_convert("f32", to, "no-via"), mutants=FIELDS if to == "e4m3" else ())
    for to in NARROW:
        for via in spec.FIELDS["via"][2:]:
            goal(f"right.f32_to_{to}.via-{via}", ALL + f"; via = {via}",
                 right_convert("f32", to, f"via-{via}"))
    for f in NARROW:
        goal(f"right.{f}_to_f32.any", ALL, right_convert(f, "f32", "any"), True)
        for sign in (1, 0):
            goal(f"right.{'ui'[sign]}64_to_{f}.any", ALL, right_from_integer(f, sign, "any"), f != "e8m0",
                 TIES[:2] + STOCHASTIC[:1] if f == "e4m3" else ())
            goal(f"right.{f}_to_{'ui'[sign]}64.any", ALL, right_to_integer(f, sign, "any"), True,
                 INTEGERS if f == "e4m3" else ())
    for f in ("e4m3", "e5m2"):
        for op in ("add", "sub", "mul", "fma"):
            goal(f"right.{f}_{op}.any", ALL, right_operation(f, op, "any"))
    for op in ("add", "mul", "fma"):
        goal(f"right.f16_{op}.ocp", "operands, rounding mode but sr",
             right_operation("f16", op, "ocp"))

    for to in [*NARROW, "f16", "bf16", "f32"]:
        goal(f"safe.f64_to_{to}", ALL, safe(f"f64_to_{to}", "any", 64, "policy", 32),
             mutants=UNSAFE_SHIFTS if to == "e4m3" else ())
    for f in [*NARROW, "f16", "bf16", "f32"]:
        for op, kinds in (("add", (64, 64)), ("mul", (64, 64)), ("fma", (64, 64, 64)),
                          ("div", (64, 64)), ("sqrt", (64,)), ("rem", (64, 64))):
            goal(f"safe.{f}_{op}", ALL, safe(f"{f}_{op}", "any", *kinds, "policy", 32))
        goal(f"safe.{f}_rint", ALL + ", exact", safe(f"{f}_rint", "any", 64, "policy", 32, 32))
        goal(f"safe.{f}_scalb", ALL + ", n", safe(f"{f}_scalb", "any", 64, 32, "policy", 32))
        goal(f"safe.i64_to_{f}", ALL, safe(f"i64_to_{f}", "any", 64, "policy", 32),
             mutants=UNSAFE if f == "e4m3" else ())
        goal(f"safe.{f}_to_i64", ALL, safe(f"{f}_to_i64", "any", 64, "policy", 32, 32))
    for entry, kinds in ROWS:
        goal(f"safe.{entry}", ALL + ", every valid row", safe(entry, "any", *kinds),
             mutants=())

    for entry, source, to, head, count in (
            ("f32_to_f16", "f32", "f16", "(_ to_fp 5 11)", 1),
            ("f32_to_bf16", "f32", "bf16", "(_ to_fp 8 8)", 1),
            ("f64_to_f32", "f64", "f32", "(_ to_fp 8 24)", 1),
            ("f64_to_e5m2", "f64", "e5m2", "(_ to_fp 5 3)", 1),
            ("e5m2_add", "e5m2", "e5m2", "fp.add", 2), ("e5m2_mul", "e5m2", "e5m2", "fp.mul", 2),
            ("e5m2_div", "e5m2", "e5m2", "fp.div", 2), ("e5m2_fma", "e5m2", "e5m2", "fp.fma", 3),
            ("e5m2_sqrt", "e5m2", "e5m2", "fp.sqrt", 1),
            ("f16_add", "f16", "f16", "fp.add", 2), ("f16_mul", "f16", "f16", "fp.mul", 2),
            ("bf16_add", "bf16", "bf16", "fp.add", 2), ("bf16_mul", "bf16", "bf16", "fp.mul", 2),
            ("f32_add", "f32", "f32", "fp.add", 2), ("f32_mul", "f32", "f32", "fp.mul", 2)):
        goal(f"theory.{entry}", "operands, the rounding modes of IEEE 754",
             theory(entry, source, to, head, count), entry in QUICK_THEORY,
             TIES[:3] if entry == "f32_to_f16" else (),
             solver="z3" if to in ("e5m2", "bf16") else "bitwuzla")  # formats that bitwuzla lacks
    return found


QUICK_THEORY = ("f32_to_f16", "f64_to_f32")


ROWS = (("row_convert", ("row", "row", 64, "policy", 32)),
        ("row_from_i64", ("row", 64, "policy", 32)), ("row_from_u64", ("row", 64, "policy", 32)),
        ("row_to_integer", ("row", 64, 32, 32, "policy", 32, 32)),
        ("row_next", ("row", 64, 32, "policy")), ("row_compare", ("row", 64, 64, 32, "policy")),
        ("row_extremum", ("row", 64, 64, 32, "policy")), ("row_class", ("row", 64, "policy")),
        ("row_total_order", ("row", 64, 64, "policy")), ("row_negate", ("row", 64, "policy")),
        ("row_copy_sign", ("row", 64, 64)), ("row_abs", ("row", 64)))
# Undefined behaviour, which no test of results has to notice.
UNSAFE = (
    ("the smallest integer negated", "number/convert.h",
     "x < 0 ? UINT64_C(0) - (uint64_t)x : (uint64_t)x", "(uint64_t)(x < 0 ? -x : x)"),
    ("a zero without a leading one", "number/round.h", "sf8_msb64(sig | 1)", "sf8_msb64(sig)"))
UNSAFE_SHIFTS = (
    ("a shift by more than 63", "number/round.h", "sf8_min(shift, 63), above - below",
     "shift, above - below"),
    ("a shift by 64", "number/bits.h", "if (distance > 63)", "if (distance > 64)"),
    ("a shift by less than 0", "number/round.h", "shift > 63 ? shift - 63 : 0", "shift - 63"))
