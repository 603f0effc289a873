# SPDX-License-Identifier: MIT
"""goals.py -- the list of goals; each has a name and is a claim about entries of the core

    right.ENTRY.POLICY   the result and the flags are those of docs/spec
    exact.ENTRY.POLICY   the same, if the function that rounds is right: it gets the exact result
    round.FORMAT_OP.POLICY  that function is right
    sticky.FORMAT.POLICY  of the digits that are cut off, the last ones matter as one
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

    def __init__(self, claim, assumed, runs, logic="QF_BV", expected=None, is_whole=True):
        self.claim, self.assumed, self.runs, self.logic = claim, assumed, runs, logic
        self.expected = expected  # code and flags by the specification
        self.is_whole = is_whole  # without that, an input that violates it shows nothing


class Goal:
    def __init__(self, name, symbolic, build, quick=False, mutants=(), solver="bitwuzla"):
        self.name, self.symbolic, self.build, self.quick = name, symbolic, build, quick
        self.mutants, self.solver = mutants, solver


# ---- policies

SR = {f: t.var(f"policy.{f}", spec.WIDTHS[f]) for f in ("sr_rule", "sr_bits")}


def policy_of(name):
    """ocp, ocp-nosat    any rounding mode but sr
    ocp.sr, ...          sr with any rule and number of bits
    ocp-like             ocp or ocp-nosat, with any rounding mode but sr, tie_p1, flush, overflow_test, via
    no-via, via-VALUE    any policy whose field via is none, or that value
    any                  any policy
    """
    base, _, mode = name.partition(".")
    if base in ("ocp", "ocp-nosat"):
        policy = spec.ocp() if base == "ocp" else spec.ocp_nosat()
        if mode == "sr":
            return policy.changed(round="sr", **SR)
        return policy.changed(round=t.var("policy.round", 3))
    if base == "ocp-like":
        beyond = t.zext(t.var("policy.beyond", 1), spec.WIDTHS["overflow"])
        fields = {f: t.var(f"policy.{f}", spec.WIDTHS[f])
                  for f in ("round", "tie_p1", "flush", "overflow_test", "via")}
        return spec.ocp().changed(overflow=beyond, inf=beyond, **fields)
    if base == "any":
        return spec.symbolic()
    return spec.symbolic().changed(via="none" if base == "no-via" else base[4:])


def assumed_of(name, policy):
    if name in ("ocp", "ocp-nosat"):
        return [t.not_(policy["round", "sr"])]
    if name == "ocp-like":
        return [t.not_(policy["round", "sr"]), policy.valid()]
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
        want = spec.operation(op, f, xs, p, RANDOM)
        return Claim(holds([got], got.equals(*want)), assumed_of(policy, p), [got], expected=want)
    return build


# ---- a proof in two steps
#
# An operation computes an exact result, and calls a function that rounds it. The core passes an
# integer sig and an exponent. `exact` proves that they stand for the exact result, size *
# 2^exponent, as follows. The exact result in units of the core's 2^exponent has an integer part and
# a fraction. sig is the integer part, and its lowest bit is set if there is a fraction. A fraction
# is allowed only if sig has at least p + 35 bits. `round` proves that the function that rounds is
# right for each sig and exponent. `sticky` proves that rounding depends on the digits that follow
# the first p + 35 only by whether all are zero. Together they prove the claim of `right`. Where a
# sum drops an underflow, `exact` proves that it does so, and `round` that there was none.


def rounder(f, op):
    """The function that the core calls, and its exponent if that is a constant."""
    bits = f.emax + 1 - f.least
    if f.m < 6 and f.least <= -1 and 2 * bits <= 60 and bits - f.least <= 60:
        return "round_fixed", f.least - 1 if op in ("add", "sub") else 2 * f.least
    return "round_number", None


def underflows(f, op, p, flags):
    """What an operation keeps of the flags of the function that rounds. A sum in fixed point drops
    an underflow, unless results are flushed; `round` proves that there is none."""
    if rounder(f, op)[1] is None or op not in ("add", "sub"):
        return flags
    never = t.bvand(flags, t.const(31 - spec.UNDERFLOW, 5))
    return t.ite(p.any_of("flush", "outputs", "both"), flags, never)


def relation(f, op, exact, call_exponent):
    """The sig that stands for an exact result, as a wide term, and the conditions."""
    # The core's exponent is lower than that of the specification by at most `slack`.
    slack = 2 * f.m + 2
    if op == "mul" and rounder(f, op)[1] is not None:
        slack = 2 * (f.emax - f.m - f.least)
    width = max(exact.size.width + slack, 64)
    size = t.zext(t.concat(exact.size, t.const(0, slack)), width)
    unit = t.bvsub(t.sext(exact.exponent, 32), t.const(slack, 32))
    by = t.bvsub(call_exponent, unit)
    distance = t.fit(by, width)
    whole = t.lshr(size, distance)
    fraction = t.not_(t.eq(t.shl(whole, distance), size))
    sig = t.bvor(whole, t.zext(t.bit(fraction), width))
    zero = t.eq(exact.size, t.const(0, exact.size.width))
    many = t.ule(t.const(1 << (f.m + 35), width), sig)
    return sig, [t.or_(zero, t.ult(by, t.const(width, 32))), t.or_(t.not_(fraction), many)]


def allowed(sig, exponent):
    """What the goals `round` assume of a sig and its exponent."""
    return t.and_(t.ult(sig, t.const(1 << 62, 64)), t.sle(t.const(-2000, 32), exponent),
                  t.sle(exponent, t.const(2000, 32)))


class Replaced:
    """One execution of an entry in which a function of the core has unknown results."""

    def __init__(self, module, f, policy, function, entry, *arguments):
        self.code, self.flags = t.var("rounded", f.bits), t.var("rounded_flags", 5)
        results = {f"sf8_core_{function}": (t.zext(self.code, 64), t.zext(self.flags, 32))}
        self.run = Run(module, entry, *arguments, policy.packed(), RANDOM, replaced=results)
        alike = Run(module, f"{f.name}_{function}", t.const(0, 32), t.const(0, 32), t.const(0, 64),
                    policy.packed(), RANDOM, replaced=results)
        (_, _, (self.row, self.fields, *_)), = alike.calls

    def all_calls(self, claim):
        """Each call has this row, policy and random word, and claim(sign, exponent, sig) holds."""
        claims = []
        for reached, _, (row, fields, sign, exponent, sig, random) in self.run.calls:
            same = t.and_(t.eq(row, self.row), t.eq(t.low(fields, 56), t.low(self.fields, 56)),
                          t.eq(random, RANDOM))
            claims.append(t.implies(reached, t.and_(same, claim(sign, exponent, sig))))
        return t.and_(*claims)


def exact_operation(name, op, policy, part="all"):
    """Both sides have the same unknowns as the rounded result.

    If it has a product there may be two parts: that the factors are the same, and the rest, where
    both sides have the same unknown as the product. In fixed point the factors of the core are
    negative where the operands are. It takes (-a) b = -(a b) to see that the products are the same,
    and that these have 40 bits."""
    def build(module):
        f, p = spec.FORMATS[name], policy_of(policy)
        xs = operands(f, 3 if op == "fma" else 2)
        function, constant = rounder(f, op)
        got = Replaced(module, f, p, function, f"{name}_{op}", *words(xs))
        exact, result = spec.OPERATIONS[op](f, *xs, p)

        def stands_for(sign, exponent, sig):
            wide, conditions = relation(f, op, exact, exponent)
            return t.and_(
                t.eq(sign, t.zext(t.bit(exact.sign), 32)), t.eq(t.zext(sig, wide.width), wide),
                t.eq(exponent, t.const(constant, 32)) if constant else t.TRUE,
                allowed(sig, exponent), *conditions)
        rounded = got.code, underflows(f, op, p, got.flags)
        claim = t.and_(got.all_calls(stands_for), got.run.equals(*result(rounded)))
        if part == "all":
            return Claim(holds([got.run], claim), assumed_of(policy, p), [got.run])
        if part in ("factors", "rest"):
            return in_factors(f, xs[:2], p, part, claim, got.run, assumed_of(policy, p))
        sign, size, _ = spec.product_of(f, *xs[:2], p)
        # The product of the core, and that of 128 bits of which the sanitizer checks that it fits.
        product, wide = (
            [x for x in t.in_order([claim]) if x.op == "bvmul" and x.width == width
             and not any(t.is_const(a) for a in x.args)] for width in (64, 128))
        (product,), (wide,) = product, [
            x for x in wide if not any(t.is_const(t.low(a, 64)) for a in x.args)]
        assert {t.sext(a, 128) for a in product.args} == set(wide.args)
        if part == "product":
            codes = [spec.Code(f, x, p) for x in xs[:2]]
            factors = [t.zext(spec.fixed(c, size.width // 2), 64) for c in codes]
            same = [t.eq(a, t.ite(c.sign, t.bvneg(v), v))
                    for a, c, v in zip(product.args, codes, factors)]
            called = t.or_(*(reached for reached, *_ in got.run.calls))
            return Claim(t.implies(called, t.and_(*same)), assumed_of(policy, p), [got.run])
        unknown = t.var("product", size.width)
        new = t.ite(sign, t.bvneg(t.zext(unknown, 64)), t.zext(unknown, 64))
        claim, = t.replaced([holds([got.run], claim)], [
            (size, unknown), (product, new), (wide, t.sext(new, 128))])
        return Claim(claim, assumed_of(policy, p), [got.run])
    return build


def in_factors(f, xs, p, part, claim, run, assumed):
    """The factors are the same; or the claim, with the same unknown as the product of both sides."""
    ours, theirs = ([v for v in t.in_order([claim]) if v.op == "bvmul" and v.width == width]
                    for width in (64, 2 * f.m + 2))
    (ours,), (theirs,) = ours, theirs
    numbers = [spec.Code(f, x, p).number for x in xs]
    if part == "factors":
        same = [t.eq(factor, t.ite(number.zero, t.const(0, 64), t.zext(
            t.concat(t.const(1, 1), number.frac), 64))) for factor, number in zip(ours.args, numbers)]
        called = t.or_(*(reached for reached, *_ in run.calls))
        return Claim(t.implies(called, t.and_(*same)), assumed, [run])
    unknown = t.var("product", theirs.width)
    zero = t.or_(*(n.zero for n in numbers))
    claim, = t.replaced([holds([run], claim)], [
        (ours, t.zext(t.ite(zero, t.const(0, theirs.width), unknown), 64)), (theirs, unknown)])
    return Claim(claim, assumed, [run])


def exact_normal(name, policy):
    """sf8_core_round_number moves the leading one to its place, and calls sf8_core_round_normal."""
    def build(module):
        f, p = spec.FORMATS[name], policy_of(policy)
        sign, sig, exponent = t.var("sign", 1), t.var("sig", 64), t.var("exponent", 32)
        got = Replaced(module, f, p, "round_normal", f"{name}_round_number", t.zext(sign, 32),
                       exponent, sig)
        x = spec.Exact(sign, t.low(sig, 62), t.low(exponent, spec.EXPONENT)).number()

        def is_number(its_sign, its_exponent, its_sig):
            normal = t.concat(t.const(1, 3), x.frac)
            return t.and_(
                t.eq(its_sign, t.zext(sign, 32)),
                t.eq(its_sig, t.ite(x.zero, t.const(0, 64), normal)),
                t.eq(its_exponent, t.ite(x.zero, t.const(f.emin, 32), t.sext(x.exponent, 32))))
        claim = t.and_(got.all_calls(is_number), got.run.equals(got.code, got.flags))
        return Claim(holds([got.run], claim), [allowed(sig, exponent), *assumed_of(policy, p)],
                     [got.run])
    return build


def round_normal(name, policy):
    """sf8_core_round_normal, of every number of 62 digits."""
    def build(module):
        f, p = spec.FORMATS[name], policy_of(policy)
        sign, zero = (t.eq(t.var(v, 1), t.const(1, 1)) for v in ("sign", "zero"))
        frac, exponent = t.var("frac", 61), t.var("exponent", spec.EXPONENT)
        got = Run(module, f"{name}_round_normal", t.zext(t.bit(sign), 32),
                  t.ite(zero, t.const(f.emin, 32), t.sext(exponent, 32)),
                  t.ite(zero, t.const(0, 64), t.concat(t.const(1, 3), frac)), p.packed(), RANDOM)
        want = spec.round_(f, p, spec.Number(sign, zero, exponent, frac), RANDOM)
        limits = [t.sle(t.const(-2000, spec.EXPONENT), exponent),
                  t.sle(exponent, t.const(2061, spec.EXPONENT))]
        return Claim(holds([got], got.equals(*want)), limits + assumed_of(policy, p), [got],
                     expected=want)
    return build


def round_fixed(name, op, policy):
    """sf8_core_round_fixed, of every sig, with the exponent that an operation gives it."""
    def build(module):
        f, p = spec.FORMATS[name], policy_of(policy)
        _, exponent = rounder(f, op)
        sign, sig = t.var("sign", 1), t.var("sig", 62)
        got = Run(module, f"{name}_round_fixed", t.zext(sign, 32), t.const(exponent, 32),
                  t.zext(sig, 64), p.packed(), RANDOM)
        x = spec.from_integer(t.eq(sign, t.const(1, 1)), sig, exponent)
        want = spec.round_(f, p, x, RANDOM)
        is_sum = t.eq(t.low(sig, 1), t.const(0, 1))  # what a sum passes is twice an integer
        kept = t.eq(want[1], underflows(f, op, p, want[1]))
        claim = t.and_(got.equals(*want), t.implies(is_sum, kept))
        return Claim(holds([got], claim), assumed_of(policy, p), [got], expected=want)
    return build


def sticky(name, width, policy):
    """A number of 1 + width digits, and one of p + 35."""
    def build(module):
        f, p = spec.FORMATS[name], policy_of(policy)
        frac, kept = t.var("frac", width), f.m + 34
        rest = t.low(frac, width - kept)
        short = t.concat(t.extract(width - 1, width - kept, frac),
                         t.bit(t.not_(t.eq(rest, t.const(0, rest.width)))))
        sign, e = t.eq(t.var("sign", 1), t.const(1, 1)), t.var("exponent", spec.EXPONENT)
        one, other = (spec.round_(f, p, spec.Number(sign, t.FALSE, e, x), RANDOM)
                      for x in (frac, short))
        limits = [t.sle(t.const(-4000, spec.EXPONENT), e), t.sle(e, t.const(4000, spec.EXPONENT))]
        same = t.and_(t.eq(one[0], other[0]), t.eq(one[1], other[1]))
        return Claim(same, limits + assumed_of(policy, p), [])
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


def safe(entry, policy, *kinds, by_bounds=False):
    """kinds: the width of each argument; `policy`, of any bits; or `row` for any valid row.

    by_bounds: of products and quotients, only bounds are known to the solver."""
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
        claim = got.is_safe()
        if by_bounds:
            (claim, *assumed), facts = t.bounded([claim, *assumed])
            assumed += facts
        return Claim(claim, assumed, [got], is_whole=not by_bounds)
    return build


def safe_convert(module):
    """A conversion of any valid row to any other, where sf8_core_convert_once is replaced: its
    results are unknown, and each call of it has valid rows. It is a goal of its own."""
    p, assumed = policy_of("any"), []
    to, source = (t.zext(t.var(f"row{i}", 32), 64) for i in (0, 1))
    assumed = [t.eq(Run(module, "row_valid", row).code, t.const(1, 32)) for row in (to, source)]
    callee = "sf8_core_convert_once"
    got = Run(module, "row_convert", to, source, t.var("x", 64), p.packed(), RANDOM,
              replaced={callee: (t.var("code", 64), t.var("flags", 32))})
    rows = [t.implies(reached, t.eq(Run(module, "sf8_format_valid", row).code, t.const(1, 32)))
            for reached, _, arguments in got.calls for row in arguments[:2]]
    return Claim(holds([got], t.and_(*rows)), assumed, [got])


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
        mode, theirs = _mode(p), [_to_fp(f, x) for x in xs]
        if entry == "e5m2_add":  # z3 does not add in formats that have more exponent than mantissa
            wide = "(_ FloatingPoint 6 36)"
            theirs = [t.raw(f"(_ to_fp 6 36) : {wide}", (mode, x), -1) for x in theirs]
            theirs = [t.raw(f"fp.add : {wide}", (mode, *theirs), -1)]  # exact
        theirs = t.raw(f"{head} : {_sort(g)}", (mode, *theirs), -1)
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
          "early overflow takes the exact largest", "round_past_max=next ignored")
SUMS = ("a zero sum is negative", "rounding down, zero sums positive", "inf - inf is inf")
DISORDER = (
    ("a carry goes down", "number/round.h", "uint64_t mag = base + ((sig + up) >> shift);",
     "uint64_t mag = 2 * kept - base - ((sig + up) >> shift);"),
    ("subnormals a binade too high", "number/round.h", "normal : shift, above - below, random",
     "normal : shift, above - below + (below < 0), random"),
    ("an exponent without its top bit", "number/round.h", "base = (uint64_t)(uint32_t)above <<",
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
    for source, to in (("f64", "f16"), ("f64", "bf16"), ("f64", "tf32"), ("f64", "f32"),
                       ("f32", "f16"), ("f32", "bf16"), ("f32", "tf32")):
        goal(f"order.{source}_to_{to}.ocp-like",  # the rows arrays-wide rely on these
             "two operands, sign, rounding mode but sr, tie_p1, flush, overflow_test, via",
             order(source, to, "ocp-like"))
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
    for f, op in (("e4m3", "add"), ("e4m3", "mul"), ("e5m2", "mul")):
        goal(f"right.{f}_{op}.any", ALL, right_operation(f, op, "any"))
    for f in ("e4m3", "e5m2", "f16"):
        e5m2 = f == "e5m2"
        policy = "every field of the policy, random word"
        if rounder(spec.FORMATS[f], "add")[1]:
            for op in ("add", "mul"):
                goal(f"round.{f}_{op}.any", "sign, integer of 62 bits, " + policy,
                     round_fixed(f, op, "any"), op == "add")
        else:
            number = "sign, integer of 62 bits, exponent, " + policy
            goal(f"exact.{f}_number.any", number, exact_normal(f, "any"), True)
            goal(f"round.{f}_number.any", number, round_normal(f, "any"),
                 mutants=TIES if e5m2 else ())
        for op in ("add", "sub", "mul", "fma"):
            parts = ("product", "sum") if (f, op) == ("e4m3", "fma") else ("all",)
            if f == "f16" and op in ("mul", "fma"):
                parts = ("factors", "rest")
            for part in parts:
                goal(f"exact.{f}_{op}{'' if part == 'all' else '_' + part}.any", ALL,
                     exact_operation(f, op, "any", part), f != "f16" and op != "fma",
                     SUMS if (f, op) == ("e5m2", "add") else ())
    goal("sticky.f16.any", "number, every field of the policy, random word",
         sticky("f16", 100, "any"))

    for to in [*NARROW, "f16", "bf16", "f32"]:
        goal(f"safe.f64_to_{to}", ALL, safe(f"f64_to_{to}", "any", 64, "policy", 32),
             mutants=UNSAFE_SHIFTS if to == "e4m3" else ())
    for f in [*NARROW, "f16", "bf16", "f32"]:
        for op, kinds in (("add", (64, 64)), ("mul", (64, 64)), ("fma", (64, 64, 64)),
                          ("div", (64, 64)), ("sqrt", (64,)), ("rem", (64, 64))):
            goal(f"safe.{f}_{op}", ALL, safe(f"{f}_{op}", "any", *kinds, "policy", 32,
                                             by_bounds=(f, op) in BY_BOUNDS))
        goal(f"safe.{f}_rint", ALL + ", exact", safe(f"{f}_rint", "any", 64, "policy", 32, 32))
        goal(f"safe.{f}_scalb", ALL + ", n", safe(f"{f}_scalb", "any", 64, 32, "policy", 32))
        goal(f"safe.i64_to_{f}", ALL, safe(f"i64_to_{f}", "any", 64, "policy", 32),
             mutants=UNSAFE + UNSAFE_SHIFTS[3:] if f == "e4m3" else ())
        goal(f"safe.{f}_to_i64", ALL, safe(f"{f}_to_i64", "any", 64, "policy", 32, 32))
    for entry, kinds in ROWS:
        goal(f"safe.{entry}", ALL + ", every valid row", safe(entry, "any", *kinds),
             mutants=())

    goal("safe.row_convert", ALL + ", every valid row", safe_convert)

    for entry, source, to, head, count in (
            ("f32_to_f16", "f32", "f16", "(_ to_fp 5 11)", 1),
            ("f32_to_bf16", "f32", "bf16", "(_ to_fp 8 8)", 1),
            ("f64_to_f32", "f64", "f32", "(_ to_fp 8 24)", 1),
            ("f64_to_e5m2", "f64", "e5m2", "(_ to_fp 5 3)", 1),
            ("e5m2_add", "e5m2", "e5m2", "(_ to_fp 5 3)", 2),
            ("e5m2_mul", "e5m2", "e5m2", "fp.mul", 2),
            ("e5m2_div", "e5m2", "e5m2", "fp.div", 2), ("e5m2_sqrt", "e5m2", "e5m2", "fp.sqrt", 1),
            ("f16_add", "f16", "f16", "fp.add", 2), ("f16_mul", "f16", "f16", "fp.mul", 2),
            ("bf16_add", "bf16", "bf16", "fp.add", 2), ("bf16_mul", "bf16", "bf16", "fp.mul", 2),
            ("f32_add", "f32", "f32", "fp.add", 2), ("f32_mul", "f32", "f32", "fp.mul", 2)):
        goal(f"theory.{entry}", "operands, the rounding modes of IEEE 754",
             theory(entry, source, to, head, count), entry in QUICK_THEORY,
             TIES[:3] if entry == "f32_to_f16" else (),
             solver="z3" if to in ("e5m2", "bf16") else "bitwuzla")  # formats that bitwuzla lacks
    return found


BY_BOUNDS = (("f16", "div"), ("f32", "div"), ("f32", "fma"))
QUICK_THEORY = ("f32_to_f16", "f64_to_f32")


ROWS = (("row_convert_once", ("row", "row", 64, "policy", 32)),
        ("row_from_i64", ("row", 64, "policy", 32)), ("row_from_u64", ("row", 64, "policy", 32)),
        ("row_to_integer", ("row", 64, 32, 32, "policy", 32, 32)),
        ("row_next", ("row", 64, 32, "policy")), ("row_compare", ("row", 64, 64, 32, "policy")),
        ("row_extremum", ("row", 64, 64, 32, "policy")), ("row_class", ("row", 64, "policy")),
        ("row_total_order", ("row", 64, 64, "policy")), ("row_negate", ("row", 64, "policy")),
        ("row_copy_sign", ("row", 64, 64)), ("row_abs", ("row", 64)),
        ("row_copy_sign_flags", ("row", 64, 64, "policy")), ("row_abs_flags", ("row", 64, "policy")))
# Undefined behaviour, which no test of results has to notice.
UNSAFE = (
    ("the smallest integer negated", "number/convert.h",
     "x < 0 ? UINT64_C(0) - (uint64_t)x : (uint64_t)x", "(uint64_t)(x < 0 ? -x : x)"),
    ("a zero without a leading one", "number/round.h", "sf8_msb64(sig | 1)", "sf8_msb64(sig)"))
UNSAFE_SHIFTS = (
    ("a shift by more than 63", "number/round.h", "shift = sf8_min(shift, 63);", ""),
    ("a short value shifted by more than 63", "number/round.h", "sf8_min(-below, 63 - normal)",
     "-below"),
    ("a shift by 64", "number/bits.h", "if (distance > 63)", "if (distance > 64)"),
    ("a shift by less than 0", "number/round.h", "shift > 63 ? shift - 63 : 0", "shift - 63"))
