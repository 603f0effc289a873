# SPDX-License-Identifier: MIT
"""spec.py -- what docs/spec says a result is, as bit-vector terms; shares nothing with the core

The rows of formats and the fields of a policy are read from the tables of docs/spec. A number is
exact: a sign, and zero or 1.frac * 2^exponent. Rounding looks for its two neighbours by its binade:
in the binade of 2^e of the target, the leading bits of frac count the multiples of the quantum that
lie below, and the other bits are the fraction of the gap, nu. No sum, no shift by a variable
distance and no carry takes part in this; the one increment is that from lo to hi.
"""
import pathlib
import re

import terms as t

DOCS = pathlib.Path(__file__).resolve().parents[3] / "docs" / "spec"
EXPONENT = 14  # bits of an exponent, signed
INEXACT, UNDERFLOW, OVERFLOW, DIVBYZERO, INVALID = 1, 2, 4, 8, 16


# ---- formats and policies


class Format:
    """A row of the table in docs/spec/formats.md."""

    def __init__(self, name, e, m, is_signed, bias, nan, inf, zero):
        self.name, self.e, self.m, self.bias, self.nan = name, e, m, bias, nan
        self.signed, self.inf, self.zero = is_signed, inf, zero
        self.mags = e + m
        self.bits = e + m + is_signed
        self.emin = 1 - bias if zero else -bias
        top = (1 << self.mags) - 1
        if nan == "ieee":
            self.max = (((1 << e) - 1) << m) - 1
        else:
            self.max = top - (nan == "top") - inf
        self.neg_zero = is_signed and zero and nan != "neg-zero"
        field = self.max >> m
        self.emax = (field if field or not zero else 1) - bias
        self.least = self.emin - m  # exponent of the quantum of the smallest numbers


def _formats():
    rows = {}
    for line in (DOCS / "formats.md").read_text().splitlines():
        cells = [c.strip() for c in line.strip("|").split("|")]
        if len(cells) == 8 and cells[1].isdigit():
            yes = [c == "yes" for c in cells]
            rows[cells[0]] = Format(cells[0], int(cells[1]), int(cells[2]), int(yes[3]),
                                    int(cells[4]), cells[5], int(yes[6]), int(yes[7]))
    return rows


def _fields():
    """The names of the fields of a policy, and the values of each."""
    fields = {}
    for line in (DOCS / "policies.md").read_text().splitlines():
        row = re.fullmatch(r"    ([a-z_0-9]+)  +([a-z0-9(): -]+)", line)
        if row and row[1] not in fields and len(fields) < 27:
            fields[row[1]] = [] if row[1] == "sr_bits" else row[2].split()
    return fields


FORMATS, FIELDS = _formats(), _fields()
WIDTHS = {f: 6 if f == "sr_bits" else (len(v) - 1).bit_length() for f, v in FIELDS.items()}


class Policy:
    """A term for each field."""

    def __init__(self, fields):
        self.fields = fields

    def __getitem__(self, question):
        """Policy["round", "rne"]: a Boolean."""
        name, value = question
        return t.eq(self.fields[name], t.const(FIELDS[name].index(value), WIDTHS[name]))

    def any_of(self, name, *values):
        return t.or_(*(self[name, v] for v in values))

    def changed(self, **fields):
        new = dict(self.fields)
        for name, value in fields.items():
            if isinstance(value, str):
                value = t.const(FIELDS[name].index(value), WIDTHS[name])
            new[name] = value
        return Policy(new)

    def packed(self):
        """The fields one after the other, the first one lowest, in 64 bits."""
        return t.zext(t.concat(*reversed(list(self.fields.values()))), 64)

    def valid(self):
        """Each field has one of its values."""
        held = [t.ule(self.fields[f], t.const(len(v) - 1, WIDTHS[f])) for f, v in FIELDS.items() if v]
        n = self.fields["sr_bits"]
        return t.and_(*held, t.ule(t.const(1, 6), n), t.ule(n, t.const(32, 6)))


def ocp():
    zero = {f: t.const(0, w) for f, w in WIDTHS.items()}
    zero["sr_bits"] = t.const(16, 6)
    return Policy(zero)


def ocp_nosat():
    return ocp().changed(overflow="special", inf="special")


def symbolic():
    return Policy({f: t.var(f"policy.{f}", w) for f, w in WIDTHS.items()})


# ---- numbers


class Number:
    """zero, or 1.frac * 2^exponent, with a sign (a Boolean)."""

    def __init__(self, sign, zero, exponent, frac):
        self.sign, self.zero, self.exponent, self.frac = sign, zero, exponent, frac


def exponent(value):
    return t.const(value, EXPONENT)


def from_integer(sign, size, least):
    """size * 2^least: the leading one, found by looking at each place."""
    e, frac = exponent(0), t.const(0, size.width - 1)
    for i in range(size.width):  # from the lowest: a higher one replaces it
        here = t.eq(t.extract(i, i, size), t.const(1, 1))
        below = t.low(size, i) if i else None
        pad = t.const(0, size.width - 1 - i)
        mine = t.concat(*(x for x in (below, pad) if x is not None and x.width))
        e = t.ite(here, exponent(least + i), e)
        frac = t.ite(here, mine, frac) if mine.width else frac
    return Number(sign, t.eq(size, t.const(0, size.width)), e, frac)


class Code:
    """What a code means."""

    def __init__(self, f, code, policy):
        mag = t.low(code, f.mags)
        self.format, self.mag = f, mag
        self.sign = t.eq(t.extract(f.bits - 1, f.bits - 1, code), t.const(1, 1)) if f.signed else t.FALSE
        self.inf = t.eq(mag, t.const(f.max + 1, f.mags)) if f.inf else t.FALSE
        if f.nan == "neg-zero":
            self.nan = t.eq(code, t.const(1 << f.mags, f.bits))
        else:
            self.nan = t.and_(t.ugt(mag, t.const(f.max, f.mags)), t.not_(self.inf))
        self.mantissa = t.low(mag, f.m) if f.m else None
        self.signaling = t.FALSE
        if f.nan == "ieee":
            quiet = t.eq(t.extract(f.m - 1, f.m - 1, code), t.const(1, 1))
            self.signaling = t.and_(self.nan, t.not_(quiet))
            if f.bits <= 8:
                self.signaling = t.and_(self.signaling, t.not_(policy["quiet", "yes"]))
        self.number = self._number(policy)

    def _number(self, policy):
        f, field = self.format, t.extract(self.format.mags - 1, self.format.m, self.mag)
        frac = self.mantissa if f.m else t.const(0, 1)
        normal = t.bvsub(t.zext(field, EXPONENT), exponent(f.bias))
        if not f.zero:
            return Number(self.sign, t.FALSE, normal, frac)
        low_field = t.eq(field, t.const(0, f.e))
        if not f.m:
            return Number(self.sign, low_field, normal, frac)
        flushed = policy.any_of("flush", "inputs", "both")
        small = from_integer(self.sign, self.mantissa, f.least)
        small_frac = t.concat(small.frac, t.const(0, 1))
        return Number(self.sign, t.and_(low_field, t.or_(small.zero, flushed)),
                      t.ite(low_field, small.exponent, normal), t.ite(low_field, small_frac, frac))


# ---- rounding


def _goes_up(policy, sign, odd, nu, p1, random):
    """Whether hi is the result, where lo < |x| < hi; nu is the fraction of the gap."""
    width = nu.width
    half = t.const(1 << (width - 1), width)
    above, tie = t.ugt(nu, half), t.eq(nu, half)
    even_rule = odd if not p1 else t.or_(policy["tie_p1", "away"], odd)
    return t.or_(
        t.and_(policy["round", "rne"], t.or_(above, t.and_(tie, even_rule))),
        t.and_(policy["round", "rna"], t.or_(above, tie)),
        t.and_(policy["round", "rnz"], above),
        t.and_(policy["round", "ru"], t.not_(sign)),
        t.and_(policy["round", "rd"], sign),
        t.and_(policy["round", "ro"], t.not_(odd)),
        t.and_(policy["round", "sr"], _random_goes_up(policy, nu, random)))


def _random_goes_up(policy, nu, random):
    """The three rules of P3109, where the random number has n bits."""
    n6 = policy.fields["sr_bits"]
    if nu.width < 34:
        nu = t.concat(nu, t.const(0, 34 - nu.width))
    wide = 36
    n = t.zext(n6, wide)
    first = t.zext(t.extract(nu.width - 1, nu.width - 33, nu), wide)  # floor(nu 2^33)
    one = t.const(1, wide)
    size = t.shl(one, n)  # 2^n
    r = t.bvand(t.zext(random, wide), t.bvsub(size, one))
    floor = t.lshr(first, t.bvsub(t.const(33, wide), n))
    floor_more = t.lshr(first, t.bvsub(t.const(32, wide), n))
    rest = t.shl(nu, t.fit(n6, nu.width))
    half = t.const(1 << (nu.width - 1), nu.width)
    is_odd = t.eq(t.low(floor, 1), t.const(1, 1))
    rint = t.bvadd(floor, t.zext(t.bit(
        t.or_(t.ugt(rest, half), t.and_(t.eq(rest, half), is_odd))), wide))
    twice = t.bvadd(t.bvadd(r, r), one)
    return t.or_(
        t.and_(policy["sr_rule", "a"], t.uge(t.bvadd(floor, r), size)),
        t.and_(policy["sr_rule", "b"], t.uge(t.bvadd(floor_more, twice), t.bvadd(size, size))),
        t.and_(policy["sr_rule", "c"], t.uge(t.bvadd(rint, r), size)))


def _neighbours(to, x):
    """lo as a magnitude code that goes on beyond the format, signed; and nu.

    Numbers more than `deep` binades below 2^emin have nu = 0.00...01. nu is then below 2^-35, and
    every rule gives the same for all such numbers.
    """
    m, frac = to.m, x.frac
    if frac.width < m + 1:
        frac = t.concat(frac, t.const(0, m + 1 - frac.width))
    size, deep = frac.width, m + 36
    width, bits = size - m + deep, EXPONENT + m + 2

    def pad(a):
        return t.concat(a, t.const(0, width - a.width)) if width > a.width else a

    above = t.bvsub(x.exponent, exponent(to.emin))
    field = t.bvadd(above, exponent(to.zero))
    lead = t.extract(size - 1, size - m, frac) if m else None
    lo = t.sext(field, EXPONENT + 2) if not m else t.concat(t.sext(field, EXPONENT + 2), lead)
    nu = pad(t.low(frac, size - m))
    under = t.const(0 if to.zero else -1, bits)
    far = t.slt(above, exponent(-deep))
    lo, nu = t.ite(far, under, lo), t.ite(far, t.const(1, width), nu)
    for k in range(1, deep + 1):
        here = t.eq(above, exponent(-k))
        if k <= m:
            count = t.concat(t.const(1, 1), *([t.extract(size - 1, size - (m - k), frac)] if k < m else []))
            mine, rest = t.zext(count, bits), t.low(frac, size - (m - k))
        else:
            mine = under
            rest = t.concat(t.const(0, k - m - 1), t.const(1, 1), frac)
        lo, nu = t.ite(here, mine, lo), t.ite(here, pad(rest), nu)
    return t.ite(x.zero, under, lo), t.ite(x.zero, t.const(0, width), nu), above, frac


def _tiny(to, policy, x, sign, above, frac, random):
    below = t.and_(t.not_(x.zero), t.slt(above, exponent(0)))
    size, m = frac.width, to.m
    # Only a number of the binade below 2^emin, with p leading ones, can be rounded up to 2^emin.
    ones = t.eq(t.extract(size - 1, size - m, frac), t.const(-1, m)) if m else t.TRUE
    odd = t.TRUE if m else t.boolean(not to.zero)
    rest = t.low(frac, size - m)
    up = t.and_(t.not_(t.eq(rest, t.const(0, rest.width))),
                _goes_up(policy, sign, odd, rest, m == 0, random))
    reaches = t.and_(t.eq(above, exponent(-1)), ones, up)
    return t.and_(below, t.or_(policy["tininess", "before"], t.not_(reaches)))


def _code(to, mag, sign):
    """A magnitude with a sign; zero has one only if the format has a -0."""
    mag = t.low(mag, to.mags)
    if not to.signed:
        return mag
    if not to.neg_zero:
        sign = t.and_(sign, t.not_(t.eq(mag, t.const(0, to.mags))))
    return t.concat(t.bit(sign), mag)


def _mag(to, value):
    return t.const(value, to.mags)


def missing_nan(to, policy, sign):
    """What stands for a NaN that the format lacks."""
    largest, zero = _mag(to, to.max), _mag(to, 0)
    result = _code(to, largest, t.FALSE)
    for name, mag, negative in (
            ("signed-max", largest, sign), ("zero", zero, t.FALSE), ("signed-zero", zero, sign),
            ("opposite-zero", zero, t.not_(sign)), ("neg-zero", zero, t.TRUE),
            ("inf", _mag(to, to.max + 1) if to.inf else largest, sign)):
        result = t.ite(policy["missing_nan", name], _code(to, mag, negative), result)
    return result


def nan(to, policy, sign, missing_sign, mantissa=None):
    """The code of a NaN. `mantissa` is that of the operand, None if there is no operand."""
    missing = missing_nan(to, policy, missing_sign)
    if to.nan == "none":
        return missing
    if to.nan == "neg-zero":
        kept = t.const(1 << to.mags, to.bits)
    else:
        mag = _mag(to, (1 << to.mags) - 1)
        if to.nan == "ieee":
            m = to.m
            quiet = t.const(1 << (m - 1), m)
            payload, empty = t.const(0, m), t.TRUE
            if mantissa is not None:
                padded = t.concat(mantissa, t.const(0, m)) if m else mantissa
                payload = t.extract(padded.width - 1, padded.width - m, padded)
                empty = t.eq(mantissa, t.const(0, mantissa.width))
            bits = quiet
            for name, value in (("ones", t.const(-1, m)), ("payload", t.bvor(payload, quiet)),
                                ("signaling", t.const(1, m)), ("bits", t.ite(empty, quiet, payload))):
                bits = t.ite(policy["nan_code", name], value, bits)
            mag = t.concat(t.const(-1, to.e), bits)
        kept = t.concat(t.bit(sign), mag) if to.signed else mag
    return t.ite(policy["nan", "as-missing"], missing, kept)


def made_nan(to, policy, sign):
    """A NaN made by an overflow or an infinity of that sign."""
    sign = t.and_(sign, policy["made_nan_sign", "signed"])
    return nan(to, policy, sign, sign)


def invalid(to, policy):
    return nan(to, policy, t.FALSE, t.FALSE), t.const(INVALID, 5)


def beyond(to, policy, field, sign):
    """The table of the fields `overflow` and `inf`."""
    largest = _code(to, _mag(to, to.max), sign)
    if to.inf:
        return t.ite(policy[field, "max"], largest, _code(to, _mag(to, to.max + 1), sign))
    if to.nan != "none":
        return t.ite(policy.any_of(field, "max", "inf"), largest, made_nan(to, policy, sign))
    return t.ite(policy[field, "zero"], _code(to, _mag(to, 0), sign), largest)


def lost_flags(policy, field):
    flags = t.const(INVALID, 5)
    for name, value in (("none", 0), ("inexact", INEXACT), ("overflow", OVERFLOW | INEXACT)):
        flags = t.ite(policy[field, name], t.const(value, 5), flags)
    return flags


def negative(to, policy, inward):
    """A negative value in an unsigned format."""
    code, flags = invalid(to, policy)
    is_nan = t.or_(policy["negative", "nan-all"], t.and_(policy["negative", "nan"], t.not_(inward)))
    return t.ite(is_nan, code, t.const(0, to.bits)), flags


def infinity(to, policy, sign, flags=None):
    """An infinite exact result."""
    code = beyond(to, policy, "inf", sign)
    is_inf = t.eq(t.low(code, to.mags), _mag(to, to.max + 1)) if to.inf else t.FALSE
    raised = t.ite(is_inf, t.const(0, 5), lost_flags(policy, "inf_flags")) if flags is None else flags
    if to.signed:
        return code, raised
    below = t.and_(sign, t.not_(policy["negative", "abs"]))
    other = negative(to, policy, t.FALSE)
    return t.ite(below, other[0], code), t.ite(below, other[1], raised)


def _flag(condition, flag):
    return t.ite(condition, t.const(flag, 5), t.const(0, 5))


def round_(to, policy, x, random):
    """The code and the flags of an exact number, rounded once."""
    sign = x.sign if to.signed else t.and_(x.sign, t.not_(policy["negative", "abs"]))
    lo, nu, above, frac = _neighbours(to, x)
    width = lo.width
    number = lambda value: t.const(value, width)
    inexact = t.not_(t.eq(nu, t.const(0, nu.width)))
    odd = t.eq(t.low(lo, 1), t.const(1, 1))
    up = t.and_(inexact, _goes_up(policy, sign, odd, nu, to.m == 0, random))
    if not to.zero:
        always = t.and_(policy["above_least", "up"], t.eq(lo, number(0)),
                        policy.any_of("round", "rne", "rna", "rnz"))
        up = t.or_(up, t.and_(inexact, always))
    least_normal = 1 << to.m
    if to.zero:
        stays = t.and_(policy["below_normal", "stay"], t.eq(lo, number(least_normal - 1)))
        up = t.and_(up, t.not_(stays))
    mag = t.ite(up, t.bvadd(lo, number(1)), lo)

    largest = number(to.max)
    rounded_over = t.slt(largest, mag)
    early = t.or_(t.slt(largest, lo), t.and_(t.eq(lo, largest), inexact))
    all_ones = t.sle(number(((1 << to.e) - 1) << to.m), mag)
    over = t.ite(policy["overflow_test", "exact"], early, t.or_(
        rounded_over, t.and_(policy["overflow_test", "exponent"], all_ones)))

    # The result in the range, and where it is flushed.
    small = t.and_(t.slt(number(0), mag), t.slt(mag, number(least_normal))) if to.zero else t.FALSE
    flushed = t.and_(small, policy.any_of("flush", "outputs", "both"))
    shown = t.ite(flushed, number(0), mag)
    unsigned = t.FALSE if to.bits <= 8 else \
        t.and_(policy["dialect", "p3109"], t.eq(shown, number(0)))
    code = _code(to, shown, t.and_(sign, t.not_(unsigned)))

    # Beyond the range.
    largest_code = _code(to, _mag(to, to.max), sign)
    inward = t.or_(policy["round", "rz"], t.and_(policy["round", "ru"], sign),
                   t.and_(policy["round", "rd"], t.not_(sign)),
                   t.and_(policy["round", "ro"], policy["odd", "bounded"], t.boolean(to.max & 1)))
    out = t.ite(inward, largest_code, beyond(to, policy, "overflow", sign))
    counted = t.concat(t.bit(sign), t.low(mag, to.mags)) if to.signed else t.low(mag, to.mags)
    fits = t.sle(mag, number((1 << to.mags) - 1))
    applies = t.and_(policy["overflow_test", "rounded"], rounded_over)
    carried = t.and_(applies, t.eq(lo, largest))
    banded = t.and_(applies, t.slt(largest, lo), fits)
    out = t.ite(t.and_(carried, fits, policy["round_past_max", "next"]), counted, out)
    if to.nan != "none":
        out = t.ite(t.and_(carried, policy["round_past_max", "nan"]), made_nan(to, policy, sign), out)
    out = t.ite(t.and_(banded, policy["beyond_max", "next"]), counted, out)
    if not to.inf:
        out = t.ite(t.and_(banded, policy["beyond_max", "max"]), largest_code, out)
    code = t.ite(over, out, code)

    inexact_flag = t.or_(inexact, over)
    underflow = t.and_(inexact, _tiny(to, policy, x, sign, above, frac, random))
    flags = t.bvor(t.bvor(_flag(inexact_flag, INEXACT), _flag(over, OVERFLOW)), t.bvor(
        _flag(underflow, UNDERFLOW), _flag(flushed, UNDERFLOW | INEXACT)))

    if not to.zero:
        below = t.ite(policy["missing_zero", "nan-below"], t.slt(lo, number(0)), t.slt(mag, number(0)))
        is_nan = t.or_(policy.any_of("missing_zero", "nan", "nan-below"),
                       t.and_(x.zero, policy["missing_zero", "nan-exact"]))
        bad = invalid(to, policy)
        code = t.ite(below, t.ite(is_nan, bad[0], t.const(0, to.bits)), code)
        flags = t.ite(below, t.ite(is_nan, bad[1], t.const(UNDERFLOW | INEXACT, 5)), flags)
    if not to.signed:
        refused = t.and_(sign, t.not_(x.zero), t.TRUE if not to.zero else t.slt(number(0), mag))
        other = negative(to, policy, policy.any_of("round", "rz", "ru"))
        code, flags = t.ite(refused, other[0], code), t.ite(refused, other[1], flags)
    return code, flags


def either(condition, a, b):
    return tuple(t.ite(condition, x, y) for x, y in zip(a, b))


# ---- conversions


def holds(wide, narrow):
    """Whether a format has every finite value of another one."""
    def top(f):
        field, mant = f.max >> f.m, f.max & ((1 << f.m) - 1)
        sig = mant + (1 << f.m) if field or not f.zero else mant
        e = (field if field or not f.zero else 1) - f.bias - f.m
        return (sig << (e + 4096)) if e >= -4096 else 0
    return (wide.signed >= narrow.signed and wide.zero >= narrow.zero and wide.m >= narrow.m
            and wide.least <= narrow.least and top(wide) >= top(narrow))


def nan_operand(to, policy, x, flags=None):
    """The result for a NaN operand; `flags` are those of all operands."""
    f = x.format
    as_sign = t.and_(x.sign, policy["nan_sign", "sign-bit"]) if f.nan == "neg-zero" else x.sign
    sign = t.and_(as_sign, t.not_(policy["nan_sign", "positive"]))
    code = nan(to, policy, sign, as_sign, x.mantissa)
    lost = t.TRUE if to.nan == "none" else policy["nan", "as-missing"]
    raised = t.ite(lost, lost_flags(policy, "nan_flags"), t.const(0, 5))
    return code, t.bvor(raised, _flag(x.signaling, INVALID) if flags is None else flags)


def convert_once(to, f, code, policy, random):
    x = Code(f, code, policy)
    infinite = infinity(to, policy, x.sign)
    if to is not f and to.inf and holds(to, f):
        kept = (_code(to, _mag(to, to.max + 1), x.sign), t.const(0, 5))
        infinite = either(policy["dialect", "p3109"], infinite, kept)
    finite = round_(to, policy, x.number, random)
    return either(x.nan, nan_operand(to, policy, x), either(x.inf, infinite, finite))


def convert(to, f, code, policy, random):
    """A conversion, by way of another format if the field `via` says so."""
    result = convert_once(to, f, code, policy, random)
    bits = t.ite(policy["nan_code", "bits"], t.const(FIELDS["nan_code"].index("bits"), 3),
                 t.const(FIELDS["nan_code"].index("payload"), 3))
    step = ocp_nosat().changed(nan_sign="signed", nan_code=bits)
    zero = t.const(0, 32)
    for value in FIELDS["via"][1:]:
        if policy["via", value] is t.FALSE:
            continue
        between = FORMATS["f16" if value == "f32-f16" else value.partition(":")[0]]
        first = step.changed(round="rz") if value.endswith(":rz") else step
        source, word = f, code
        if not _fits(f, between):
            if value == "f32-f16" and not _fits(f, FORMATS["f32"]):
                source, word = FORMATS["f32"], convert_once(FORMATS["f32"], f, code, step, zero)[0]
            word = convert_once(between, source, word, first, zero)[0]
            result = either(policy["via", value], convert_once(to, between, word, policy, random),
                            result)
        elif value == "f32" and f.bits <= 8 < to.bits and to is not between:
            first = convert_once(between, f, code, policy, random)
            plain = step.changed(nan_code="payload")
            second = convert_once(to, between, first[0], plain, zero)
            result = either(policy["via", value], (second[0], first[1]), result)
    return result


def _fits(f, between):
    return f.m <= between.m and f.emax <= between.emax and f.least >= between.least


# ---- arithmetic


def fixed(x, width):
    """A finite number as an integer, in units of the smallest number, by the exponent field."""
    f = x.format
    field = t.extract(f.mags - 1, f.m, x.mag)
    sig = t.concat(t.bit(t.not_(t.eq(field, t.const(0, f.e)))), x.mantissa)
    size = t.zext(t.low(sig, f.m), width)
    for e in range(1, 1 << f.e):
        here = t.eq(field, t.const(e, f.e))
        size = t.ite(here, t.shl(t.zext(sig, width), t.const(e - 1, width)), size)
    return t.ite(x.number.zero, t.const(0, width), size)


def _of_sign(sign, size):
    return t.ite(sign, t.bvneg(size), size)


class Exact:
    """An exact finite result, size * 2^exponent with a sign, before it is rounded."""

    def __init__(self, sign, size, exponent):
        self.sign, self.size, self.exponent = sign, size, exponent

    def number(self):
        x = from_integer(self.sign, self.size, 0)
        x.exponent = t.bvadd(x.exponent, self.exponent)
        return x


def _nan_among(to, policy, operands, finite, more=t.FALSE):
    """The result if an operand is NaN: the first one is carried over."""
    flags = _flag(t.or_(more, *(x.signaling for x in operands)), INVALID)
    result = finite
    for x in reversed(operands):
        result = either(x.nan, nan_operand(to, policy, x, flags), result)
    return result


def _sum(policy, terms, least):
    """The sum of (sign, size) in units of 2^least."""
    width = max(size.width for _, size in terms) + 2
    total = t.const(0, width)
    for sign, size in terms:
        total = t.bvadd(total, _of_sign(sign, t.zext(size, width)))
    below = t.slt(total, t.const(0, width))
    size = t.low(t.ite(below, t.bvneg(total), total), width - 1)
    signs = [sign for sign, _ in terms]
    zero = t.eq(total, t.const(0, width))
    # Zeros of one sign keep it; another zero sum is +0, and -0 under rd.
    all_zero = t.and_(*(t.eq(s, t.const(0, s.width)) for _, s in terms))
    same = t.or_(t.and_(*signs), t.not_(t.or_(*signs)))
    zero_sign = t.ite(t.and_(all_zero, same), signs[0], policy["round", "rd"])
    return Exact(t.ite(zero, zero_sign, below), size, exponent(least))


# An operation is the exact finite result, and a function that makes the result of it, given that
# number rounded.


def add(f, a, b, policy, subtract=False):
    x, y = Code(f, a, policy), Code(f, b, policy)
    minus = t.not_(y.sign) if subtract else y.sign
    width = f.m + 1 + (1 << f.e)
    exact = _sum(policy, [(x.sign, fixed(x, width)), (minus, fixed(y, width))], f.least)
    opposite = t.not_(t.eq(x.sign, minus))
    infinite = either(t.and_(x.inf, y.inf, opposite), invalid(f, policy),
                      infinity(f, policy, t.ite(x.inf, x.sign, minus)))
    return exact, lambda rounded: _nan_among(
        f, policy, [x, y], either(t.or_(x.inf, y.inf), infinite, rounded))


def sub(f, a, b, policy):
    return add(f, a, b, policy, subtract=True)


def _product(x, y):
    """A finite product: that of the significands 1.frac, and the sum of the exponents."""
    one = t.const(1, 1)
    a, b = t.concat(one, x.number.frac), t.concat(one, y.number.frac)
    width = a.width + b.width
    size = t.bvmul(t.zext(a, width), t.zext(b, width))
    zero = t.or_(x.number.zero, y.number.zero)
    e = t.bvadd(x.number.exponent, y.number.exponent)
    return Exact(t.not_(t.eq(x.sign, y.sign)), t.ite(zero, t.const(0, width), size),
                 t.bvsub(e, exponent(width - 2)))


def mul(f, a, b, policy):
    x, y = Code(f, a, policy), Code(f, b, policy)
    sign = t.not_(t.eq(x.sign, y.sign))
    no_product = t.or_(t.and_(x.inf, y.number.zero, t.not_(y.inf)),
                       t.and_(y.inf, x.number.zero, t.not_(x.inf)))
    infinite = either(no_product, invalid(f, policy), infinity(f, policy, sign))
    return _product(x, y), lambda rounded: _nan_among(
        f, policy, [x, y], either(t.or_(x.inf, y.inf), infinite, rounded))


def product_of(f, a, b, policy):
    """The product that fma adds to: its sign, its size as an integer in units of 2^unit, and unit."""
    x, y = Code(f, a, policy), Code(f, b, policy)
    if f.e < 5:  # in a small range, that of two integers
        width = 2 * (f.m + 1 + (1 << f.e))
        size = t.bvmul(*(t.zext(fixed(v, width // 2), width) for v in (x, y)))
        return t.not_(t.eq(x.sign, y.sign)), size, 2 * f.least
    product, unit = _product(x, y), 2 * f.least - 2 * f.m
    width = product.size.width + 2 * (f.emax - f.least)
    size = t.const(0, width)
    for e in range(unit, 2 * f.emax - 2 * f.m + 1):
        moved = t.shl(t.zext(product.size, width), t.const(e - unit, width))
        size = t.ite(t.eq(product.exponent, exponent(e)), moved, size)
    return product.sign, size, unit


def fma(f, a, b, c, policy):
    x, y, z = (Code(f, v, policy) for v in (a, b, c))
    sign, size, unit = product_of(f, a, b, policy)
    addend = t.concat(fixed(z, f.m + 1 + (1 << f.e)), t.const(0, f.least - unit))
    exact = _sum(policy, [(sign, size), (z.sign, addend)], unit)
    infinite_product = t.or_(x.inf, y.inf)
    no_product = t.or_(t.and_(x.inf, y.number.zero, t.not_(y.inf)),
                       t.and_(y.inf, x.number.zero, t.not_(x.inf)))
    bad = t.or_(no_product, t.and_(infinite_product, z.inf, t.not_(t.eq(sign, z.sign))))
    infinite = either(bad, invalid(f, policy),
                      infinity(f, policy, t.ite(infinite_product, sign, z.sign)))
    special = t.or_(infinite_product, z.inf)
    return exact, lambda rounded: _nan_among(
        f, policy, [x, y, z], either(special, infinite, rounded), no_product)


OPERATIONS = {"add": add, "sub": sub, "mul": mul, "fma": fma}


def operation(op, f, operands, policy, random):
    exact, result = OPERATIONS[op](f, *operands, policy)
    return result(round_(f, policy, exact.number(), random))


# ---- integers


def from_int(f, x, is_signed, policy, random):
    """An integer of 64 bits to a format."""
    sign = t.slt(x, t.const(0, x.width)) if is_signed else t.FALSE
    size = t.ite(sign, t.bvneg(x), x)
    return round_(f, policy, from_integer(sign, size, 0), random)


def to_int(f, code, width, is_signed, exact, policy, random):
    """A format to an integer of `width` bits; `exact` (a Boolean) asks for the flag inexact."""
    x = Code(f, code, policy)
    n = x.number
    size, bits = n.frac.width, width + 2
    # floor |x| and the fraction, by the binade; -36 and below count as 0.00...01.
    deep = 36
    wide = size + deep
    whole, nu = t.const(0, bits), t.const(1, wide)
    for e in range(-deep, width + 1):
        here = t.eq(n.exponent, exponent(e))
        if e < 0:
            mine, rest = t.const(0, bits), t.concat(t.const(0, -e - 1), t.const(1, 1), n.frac)
        elif e < size:
            mine = t.zext(t.concat(t.const(1, 1), *([t.extract(size - 1, size - e, n.frac)] if e else [])), bits)
            rest = t.low(n.frac, size - e)
        else:
            one = t.concat(t.const(1, 1), n.frac)
            mine, rest = t.shl(t.zext(one, max(bits, one.width)), t.const(e - size, max(bits, one.width))), t.const(0, 1)
            mine = t.fit(mine, bits)
        rest = t.concat(rest, t.const(0, wide - rest.width)) if wide > rest.width else rest
        whole, nu = t.ite(here, mine, whole), t.ite(here, rest, nu)
    whole, nu = t.ite(n.zero, t.const(0, bits), whole), t.ite(n.zero, t.const(0, wide), nu)
    large = t.and_(t.not_(n.zero), t.slt(exponent(width), n.exponent))
    inexact = t.not_(t.eq(nu, t.const(0, wide)))
    odd = t.eq(t.low(whole, 1), t.const(1, 1))
    up = t.and_(inexact, _goes_up(policy, x.sign, odd, nu, False, random))
    value = t.bvadd(whole, t.zext(t.bit(up), bits))
    ones = (1 << width) - 1
    largest, smallest = (ones >> 1, 1 << (width - 1)) if is_signed else (ones, 0)
    limit = t.ite(x.sign, t.const(smallest, bits), t.const(largest, bits))
    out = t.or_(large, t.ult(limit, value))
    code_of = lambda v: t.const(v, width)
    within = t.low(t.ite(x.sign, t.bvneg(value), value), width)
    saturated = t.ite(x.sign, code_of(smallest), code_of(largest))
    indefinite = code_of(smallest if is_signed else largest)
    beyond_ = t.ite(policy["integer", "indefinite"], indefinite, saturated)
    of_nan = code_of(0)
    top = code_of(1 << (width - 1)) if width == 64 or f.bits == 64 else code_of(0)
    for name, v in (("max", code_of(largest)), ("indefinite", indefinite), ("ptx", top)):
        of_nan = t.ite(policy["integer", name], v, of_nan)
    bad = t.const(INVALID, 5)
    finite = either(out, (beyond_, bad), (within, _flag(t.and_(exact, inexact), INEXACT)))
    return either(x.nan, (of_nan, bad), either(x.inf, (beyond_, bad), finite))
