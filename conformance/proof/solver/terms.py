# SPDX-License-Identifier: MIT
"""terms.py -- bit-vector terms: built once each, simplified while built, printed as SMT-LIB 2

A term is a Boolean (width 0) or a bit vector. Equal terms are one object. The simplifications are
those that make packing fields into a word and taking them out again disappear, and that compute
with constants; the rest is left to the solver.
"""
import functools
import sys

sys.setrecursionlimit(100000)


class Term:
    """An operation with its arguments; `data` is a constant's value or an operation's indices."""

    __slots__ = ("op", "args", "width", "data", "number")

    def __init__(self, op, args, width, data, number):
        self.op, self.args, self.width, self.data, self.number = op, args, width, data, number

    def __repr__(self):
        return f"<{self.op} {self.width} {self.data}>"


_terms = {}


def _make(op, args, width, data=None):
    key = (op, tuple(a.number for a in args), width, data)
    term = _terms.get(key)
    if term is None:
        term = _terms[key] = Term(op, tuple(args), width, data, len(_terms))
    return term


def const(value, width):
    return _make("const", (), width, value & ((1 << width) - 1))


TRUE, FALSE = _make("const", (), 0, 1), _make("const", (), 0, 0)


def boolean(value):
    return TRUE if value else FALSE


def var(name, width):
    return _make("var", (), width, name)


_fresh = 0


def fresh(width, name="any"):
    """A variable of its own: a value that nothing determines."""
    global _fresh
    _fresh += 1
    return var(f"{name}{_fresh}", width)


def is_const(t):
    return t.op == "const"


def signed(value, width):
    return value - (1 << width) if value >> (width - 1) & 1 else value


_before = None


def only_these():
    """Forgets the terms that were made since its first call. So a query does not depend on the
    queries before it."""
    global _before, _fresh
    if _before is None:
        _before = len(_terms), _fresh
    count, _fresh = _before
    for key in list(_terms)[count:]:
        del _terms[key]
    extract.cache_clear()
    _renamed.clear()


# ---- Booleans


def not_(a):
    if is_const(a):
        return boolean(not a.data)
    if a.op == "not":
        return a.args[0]
    return _make("not", (a,), 0)


def and_(*args):
    kept = {}
    for a in args:
        for part in (a.args if a.op == "and" else (a,)):
            if part is FALSE or not_(part).number in kept:
                return FALSE
            if part is not TRUE:
                kept[part.number] = part
    if not kept:
        return TRUE
    if len(kept) == 1:
        return next(iter(kept.values()))
    return _make("and", tuple(kept.values()), 0)


def or_(*args):
    return not_(and_(*(not_(a) for a in args)))


def implies(a, b):
    return or_(not_(a), b)


def ite(c, a, b):
    assert a.width == b.width, (a, b)
    if is_const(c):
        return a if c.data else b
    if a is b:
        return a
    if c.op == "not":
        return ite(c.args[0], b, a)
    if a.width == 0:
        if a is TRUE:
            return or_(c, b)
        if a is FALSE:
            return and_(not_(c), b)
        if b is TRUE:
            return or_(not_(c), a)
        if b is FALSE:
            return and_(c, a)
    if a.op == "ite" and a.args[0] is c:
        a = a.args[1]
    if b.op == "ite" and b.args[0] is c:
        b = b.args[2]
    return a if a is b else _make("ite", (c, a, b), a.width)


def bit(c):
    """A Boolean as one bit."""
    return ite(c, const(1, 1), const(0, 1))


def _over_choice(a, b, function):
    """function(a, b) where one is a constant and the other a choice between constants; else None."""
    for x, y, swapped in ((a, b, False), (b, a, True)):
        if x.op == "ite" and is_const(y) and is_const(x.args[1]) and is_const(x.args[2]):
            yes, no = x.args[1], x.args[2]
            if swapped:
                return ite(x.args[0], function(a, yes), function(a, no))
            return ite(x.args[0], function(yes, b), function(no, b))
    return None


def eq(a, b):
    assert a.width == b.width, (a, b)
    if a is b:
        return TRUE
    if is_const(a) and is_const(b):
        return boolean(a.data == b.data)
    if a.width == 0:
        if is_const(a):
            a, b = b, a
        if is_const(b):
            return a if b.data else not_(a)
    if is_const(a):
        a, b = b, a
    chosen = _over_choice(a, b, eq)
    if chosen is not None:
        return chosen
    if is_const(b) and a.op == "concat":
        at, parts = a.width, []
        for part in a.args:
            at -= part.width
            parts.append(eq(part, const(b.data >> at, part.width)))
        return and_(*parts)
    return _make("=", (a, b), 0)


def _compare(op, python, is_signed):
    def function(a, b):
        assert a.width == b.width, (a, b)
        if is_const(a) and is_const(b):
            x, y = a.data, b.data
            if is_signed:
                x, y = signed(x, a.width), signed(y, a.width)
            return boolean(python(x, y))
        if a is b:
            return boolean(python(0, 0))
        chosen = _over_choice(a, b, function)
        return chosen if chosen is not None else _make(op, (a, b), 0)
    return function


ult = _compare("bvult", lambda x, y: x < y, False)
ule = _compare("bvule", lambda x, y: x <= y, False)
slt = _compare("bvslt", lambda x, y: x < y, True)
sle = _compare("bvsle", lambda x, y: x <= y, True)


def ugt(a, b):
    return ult(b, a)


def uge(a, b):
    return ule(b, a)


# ---- taking apart and putting together


def concat(*args):
    """The first argument is on top."""
    parts = []
    for a in args:
        for part in (a.args if a.op == "concat" else (a,)):
            if part.width == 0:
                continue
            last = parts[-1] if parts else None
            if last is not None and is_const(last) and is_const(part):
                parts[-1] = const(last.data << part.width | part.data, last.width + part.width)
            elif (last is not None and last.op == "extract" and part.op == "extract"
                  and last.args[0] is part.args[0] and last.data[1] == part.data[0] + 1):
                parts[-1] = extract(last.data[0], part.data[1], part.args[0])
            else:
                parts.append(part)
    if len(parts) == 1:
        return parts[0]
    if len(parts) == 2 and is_const(parts[0]) and parts[1].op == "ite":
        c, a, b = parts[1].args
        if is_const(a) and is_const(b):
            return ite(c, concat(parts[0], a), concat(parts[0], b))
    return _make("concat", tuple(parts), sum(p.width for p in parts))


@functools.lru_cache(maxsize=None)
def extract(high, low, a):
    assert a.width > high >= low >= 0, (high, low, a)
    if low == 0 and high == a.width - 1:
        return a
    width = high - low + 1
    if is_const(a):
        return const(a.data >> low, width)
    if a.op == "extract":
        return extract(high + a.data[1], low + a.data[1], a.args[0])
    if a.op == "concat":
        parts, at = [], a.width
        for part in a.args:
            at -= part.width
            if at <= high and at + part.width > low:
                parts.append(extract(min(high - at, part.width - 1), max(low - at, 0), part))
        return concat(*parts)
    if a.op == "sext" and high < a.args[0].width:
        return extract(high, low, a.args[0])
    if a.op == "ite" and (is_const(a.args[1]) or is_const(a.args[2])):
        return ite(a.args[0], extract(high, low, a.args[1]), extract(high, low, a.args[2]))
    if a.op in ("bvand", "bvor", "bvxor"):
        return _BITWISE[a.op](*(extract(high, low, x) for x in a.args))
    if low == 0 and a.op in ("bvadd", "bvsub", "bvmul") and width < a.width:
        return _ARITHMETIC[a.op](*(extract(high, 0, x) for x in a.args))
    return _make("extract", (a,), width, (high, low))


def zext(a, width):
    return concat(const(0, width - a.width), a) if width > a.width else a


def sext(a, width):
    if width == a.width:
        return a
    if is_const(a):
        return const(signed(a.data, a.width), width)
    if a.op == "ite" and is_const(a.args[1]) and is_const(a.args[2]):
        return ite(a.args[0], sext(a.args[1], width), sext(a.args[2], width))
    if a.op == "concat" and is_const(a.args[0]) and not a.args[0].data >> (a.args[0].width - 1):
        return zext(a, width)
    return _make("sext", (a,), width, width - a.width)


def low(a, width):
    """The low bits."""
    return extract(width - 1, 0, a)


def fit(a, width):
    """The low bits, or zeros in front."""
    return zext(a, width) if width > a.width else low(a, width)


# ---- bits


def _pieces(a):
    return a.args if a.op == "concat" else (a,)


def _aligned(a, b):
    """The pieces of both, cut at the same places, from the top."""
    cuts = set()
    for t in (a, b):
        at = 0
        for part in _pieces(t):
            at += part.width
            cuts.add(t.width - at)
    for t in (a, b):  # and around runs of equal bits of a constant
        at = t.width
        for part in _pieces(t):
            at -= part.width
            if is_const(part):
                for i in range(1, part.width):
                    if (part.data >> i ^ part.data >> (i - 1)) & 1:
                        cuts.add(at + i)
    top = a.width
    for cut in sorted(cuts, reverse=True):
        if cut != top:
            yield extract(top - 1, cut, a), extract(top - 1, cut, b)
            top = cut


def _bitwise(op, python, with_constant):
    def piece(a, b):
        if is_const(a) and is_const(b):
            return const(python(a.data, b.data), a.width)
        if is_const(a):
            a, b = b, a
        if is_const(b) and b.data in (0, (1 << b.width) - 1):
            return with_constant(a, b)
        if a is b:
            return with_constant(a, None)
        chosen = _over_choice(a, b, piece)
        if chosen is not None:
            return chosen
        if a.number > b.number and not is_const(b):
            a, b = b, a
        return _make(op, (a, b), a.width)

    def function(a, b):
        assert a.width == b.width, (a, b)
        parts = [_pieces(a), _pieces(b)]
        if any(is_const(p) for ps in parts for p in ps):
            return concat(*(piece(x, y) for x, y in _aligned(a, b)))
        return piece(a, b)
    return function


def bvnot(a):
    if is_const(a):
        return const(~a.data, a.width)
    return _make("bvnot", (a,), a.width)


bvand = _bitwise("bvand", lambda x, y: x & y,
                 lambda a, k: a if k is None or k.data else const(0, a.width))
bvor = _bitwise("bvor", lambda x, y: x | y,
                lambda a, k: a if k is None or not k.data else k)
bvxor = _bitwise("bvxor", lambda x, y: x ^ y,
                 lambda a, k: const(0, a.width) if k is None else bvnot(a) if k.data else a)


def shl(a, b):
    if is_const(b):
        by = min(b.data, a.width)
        return concat(low(a, a.width - by), const(0, by)) if by < a.width else const(0, a.width)
    return _make("bvshl", (a, b), a.width)


def lshr(a, b):
    if is_const(b):
        by = b.data
        return zext(extract(a.width - 1, by, a), a.width) if by < a.width else const(0, a.width)
    return _make("bvlshr", (a, b), a.width)


def ashr(a, b):
    if is_const(b) and b.data < a.width:
        return sext(extract(a.width - 1, b.data, a), a.width)
    return _make("bvashr", (a, b), a.width)


# ---- arithmetic


def _arithmetic(op, python, zero_right=None):
    def function(a, b):
        assert a.width == b.width, (a, b)
        if is_const(a) and is_const(b):
            return const(python(a.data, b.data), a.width)
        if zero_right is not None and is_const(b) and b.data == zero_right:
            return a
        if op in ("bvadd", "bvmul") and is_const(a) and a.data == zero_right:
            return b
        if op == "bvmul" and any(is_const(x) and x.data == 0 for x in (a, b)):
            return const(0, a.width)
        chosen = _over_choice(a, b, function)
        if chosen is not None:
            return chosen
        if op in ("bvadd", "bvmul") and a.number > b.number:
            a, b = b, a
        return _make(op, (a, b), a.width)
    return function


bvadd = _arithmetic("bvadd", lambda x, y: x + y, 0)
_difference = _arithmetic("bvsub", lambda x, y: x - y, 0)


def bvsub(a, b):
    if b.op == "bvmul":  # a - a / c * c is a remainder, also where c is 0
        for x, y in (b.args, b.args[::-1]):
            if x.op == "bvudiv" and x.args[0] is a and x.args[1] is y:
                return urem(a, y)
    return _difference(a, b)


bvmul = _arithmetic("bvmul", lambda x, y: x * y, 1)


def udiv(a, b):
    if is_const(a) and is_const(b) and b.data:
        return const(a.data // b.data, a.width)
    return _make("bvudiv", (a, b), a.width)


def urem(a, b):
    if is_const(a) and is_const(b) and b.data:
        return const(a.data % b.data, a.width)
    return _make("bvurem", (a, b), a.width)


def sdiv(a, b):
    if is_const(a) and is_const(b) and b.data:
        x, y = signed(a.data, a.width), signed(b.data, a.width)
        return const(abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1), a.width)
    return _make("bvsdiv", (a, b), a.width)


def bvneg(a):
    return bvsub(const(0, a.width), a)


_BITWISE = {"bvand": bvand, "bvor": bvor, "bvxor": bvxor}
_ARITHMETIC = {"bvadd": bvadd, "bvsub": bvsub, "bvmul": bvmul}


def raw(op, args, width):
    """An operation of another theory, as text: op is what stands before the arguments."""
    return _make("raw", tuple(args), width, op)


_renamed = {}


def renamed(root, prefix, new):
    """A term whose variables of a prefix have another one."""
    memo = _renamed.setdefault((prefix, new), {})
    for term in in_order([root]):
        if term.op == "var" and term.data.startswith(prefix):
            memo[term.number] = var(new + term.data[len(prefix):], term.width)
    return _rebuilt([root], memo)[0]


def replaced(roots, pairs):
    """The terms with others in place of some."""
    return _rebuilt(roots, {old.number: new for old, new in pairs})


def _rebuilt(roots, memo):
    for term in in_order(roots):
        if term.number not in memo:
            args = [memo[a.number] for a in term.args]
            memo[term.number] = (term if all(a is b for a, b in zip(args, term.args))
                                 else _make(term.op, args, term.width, term.data))
    return [memo[r.number] for r in roots]


def bounded(roots):
    """The terms with an unknown in place of each product, quotient and remainder, and what holds
    for these unknowns: bounds alone. What follows then, follows for the products too."""
    memo, facts = {}, []
    for term in in_order(roots):
        args, width = [memo[a.number] for a in term.args], term.width
        if term.op not in ("bvmul", "bvudiv", "bvurem"):
            memo[term.number] = (term if all(a is b for a, b in zip(args, term.args))
                                 else _make(term.op, args, width, term.data))
            continue
        value, (a, b) = fresh(width, "bounded"), args
        memo[term.number] = value
        small = lambda x, bits: ult(x, const(1 << bits, width)) if bits < width else TRUE
        if term.op == "bvurem":
            facts += [or_(eq(b, const(0, width)), ult(value, b)), ule(value, a)]
        elif term.op == "bvudiv":
            facts += [or_(small(b, k), ule(value, lshr(a, const(k, width)))) for k in range(width)]
        else:
            facts += [implies(and_(small(a, k), small(b, k)), small(value, 2 * k))
                      for k in range(1, width // 2)]
    return [memo[r.number] for r in roots], facts


# ---- output


def in_order(roots):
    """Every term below the roots, arguments first."""
    seen, order, stack = set(), [], [(r, False) for r in roots]
    while stack:
        t, done = stack.pop()
        if done:
            order.append(t)
        elif t.number not in seen:
            seen.add(t.number)
            stack.append((t, True))
            stack.extend((a, False) for a in t.args if a.number not in seen)
    return order


def _name(t):
    if t.op == "var":
        return t.data
    if t.op == "const":
        if t.width == 0:
            return "true" if t.data else "false"
        return f"#b{t.data:0{t.width}b}"
    return f"t{t.number}"


def smt(claim, assumptions=(), logic="QF_BV"):
    """A script, without check-sat, that is unsatisfiable if and only if the claim follows from the assumptions."""
    roots = [*assumptions, not_(claim)]
    lines, variables = [f"(set-logic {logic})", "(set-option :produce-models true)"], []
    for t in in_order(roots):
        sort = f"(_ BitVec {t.width})" if t.width else "Bool"
        arguments = " ".join(_name(a) for a in t.args)
        if t.op == "var":
            variables.append(t)
            lines.append(f"(declare-const {t.data} {sort})")
        elif t.op == "raw":
            head, _, kind = t.data.partition(" : ")
            if head.startswith("CHOOSE"):  # a value of that sort, or the second argument
                arguments = f"{_name(t.args[0])} {head[7:]} {_name(t.args[1])}"
                head = "ite"
            lines.append(f"(define-fun {_name(t)} () {kind or sort} ({head} {arguments}))")
        elif t.op != "const":
            op = t.op
            if op == "extract":
                op = f"(_ extract {t.data[0]} {t.data[1]})"
            elif op == "sext":
                op = f"(_ sign_extend {t.data})"
            lines.append(f"(define-fun {_name(t)} () {sort} ({op} {arguments}))")
    lines += [f"(assert {_name(r)})" for r in roots]
    return "\n".join(lines) + "\n", variables


_PYTHON = {
    "not": lambda t, a: 1 - a, "and": lambda t, *a: int(all(a)), "=": lambda t, a, b: int(a == b),
    "ite": lambda t, c, a, b: a if c else b, "bvnot": lambda t, a: ~a,
    "bvult": lambda t, a, b: int(a < b), "bvule": lambda t, a, b: int(a <= b),
    "bvslt": lambda t, a, b: int(signed(a, t.args[0].width) < signed(b, t.args[0].width)),
    "bvsle": lambda t, a, b: int(signed(a, t.args[0].width) <= signed(b, t.args[0].width)),
    "extract": lambda t, a: a >> t.data[1], "sext": lambda t, a: signed(a, t.args[0].width),
    "bvand": lambda t, a, b: a & b, "bvor": lambda t, a, b: a | b, "bvxor": lambda t, a, b: a ^ b,
    "bvshl": lambda t, a, b: a << b if b < t.width else 0, "bvlshr": lambda t, a, b: a >> b,
    "bvashr": lambda t, a, b: signed(a, t.width) >> b, "bvadd": lambda t, a, b: a + b,
    "bvsub": lambda t, a, b: a - b, "bvmul": lambda t, a, b: a * b,
    "bvudiv": lambda t, a, b: a // b if b else -1, "bvurem": lambda t, a, b: a % b if b else a,
}


def evaluate(roots, values):
    """The values of terms, given those of variables by name; others are 0."""
    known = {}
    for t in in_order(roots):
        if t.op == "const":
            value = t.data
        elif t.op == "var":
            value = values.get(t.data, 0)
        elif t.op == "concat":
            value = 0
            for a in t.args:
                value = value << a.width | known[a.number]
        elif t.op == "bvsdiv":
            value = sdiv(*(const(known[a.number], a.width) for a in t.args)).data
        else:
            value = _PYTHON[t.op](t, *(known[a.number] for a in t.args))
        known[t.number] = value & ((1 << t.width) - 1) if t.width else value
    return [known[r.number] for r in roots]
