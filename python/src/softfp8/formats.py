# SPDX-License-Identifier: MIT
"""formats.py -- formats: their properties, and arithmetic on arrays of their codes"""
import functools
import inspect

import numpy as np

from ._base import arrays as _arrays, html
from ._base.arrays import (apart, broadcast, code_dtype, codes_of, contiguous, presented, read,
                           result_into, words)
from ._base.library import check, choice, encoded, ffi, lib, row_dict, rows, size, text
from ._base.names import formats, raw_format
from ._base.value import Value
from .policies import policy as policy_of

NANS = {lib.SF8_NANS_NONE: "none", lib.SF8_NANS_IEEE: "ieee", lib.SF8_NANS_TOP: "top",
        lib.SF8_NANS_NEG_ZERO: "neg-zero", lib.SF8_NANS_HIF8: "neg-zero"}
CLASSES = ("signaling_nan", "quiet_nan", "neg_infinity", "neg_normal", "neg_subnormal", "neg_zero",
           "pos_zero", "pos_subnormal", "pos_normal", "pos_infinity")
STYLES = {"shortest": lib.SF8_TEXT_SHORTEST, "exact": lib.SF8_TEXT_EXACT, "hex": lib.SF8_TEXT_HEX}
# The names that differ from those of the library's list of functions, which are TestFloat's.
PYTHON_NAMES = {"mulAdd": "fma", "roundToInt": "rint", "class": "class_"}
OPERATIONS = tuple(text(op) for op in rows(lib.sf8_function_op_at))


def randoms_of(random, shape, policy, argument="random"):
    """The random numbers of stochastic rounding, one for each element; None for other roundings."""
    if policy.round != lib.SF8_SR:
        return None
    if random is None:
        raise ValueError(f"{argument}: round='sr' needs an array of uint32, one for each element")
    array, _ = _arrays.array_of(random, argument)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{argument}: expected integers, got {array.dtype}")
    try:
        return contiguous(np.broadcast_to(array.astype(np.uint32), shape))
    except ValueError:
        raise ValueError(f"{argument}: expected the shape {shape}, got {array.shape}") from None


def elements(n, policy, random=None, flags=None, exact=0):
    """The structure that is the same for all elements of a call."""
    return ffi.new("py_elements *", {
        "n": n, "policy": policy, "exact": exact,
        "random": words(random, "const uint32_t *"), "flags": words(flags, "uint8_t *")})[0]


class Format(Value):
    """A format: a row of data, and operations on arrays of its codes.

    Operations take arrays of codes (unsigned integers, or the dtypes of ml_dtypes and PyTorch) of
    shapes that broadcast, and return codes. Keywords: `policy` and `round`; `random` for
    round="sr"; `out`; `flags=True` returns the exception flags of each element too. convert.py adds
    `encode` and `decode`.

    >>> e4m3 = format("e4m3")
    >>> e4m3.max, e4m3.bits, e4m3.has_inf
    (448.0, 8, False)
    >>> hex(e4m3.add(0x7e, 0x7e, policy="ocp"))
    '0x7e'
    """

    def __init__(self, raw, name):
        self._format, self.name = raw, name
        self.bits = lib.sf8_format_bits(raw)
        self.code_dtype = code_dtype(self.bits)

    def _parts(self):
        return row_dict(ffi.new("sf8_format *", self._format)), self.name

    @classmethod
    def _of(cls, fields, name):
        return cls(ffi.new("sf8_format *", fields)[0], name)

    exp_bits = property(lambda self: self._format.exp_bits, doc="Bits of the exponent field.")
    man_bits = property(lambda self: self._format.man_bits, doc="Bits of the mantissa field.")
    bias = property(lambda self: self._format.bias, doc="The bias of the exponent.")
    is_signed = property(lambda self: bool(self._format.is_signed), doc="Whether it has a sign.")
    has_inf = property(lambda self: bool(self._format.has_inf), doc="Whether it has infinity.")
    has_zero = property(lambda self: bool(self._format.has_zero), doc="Whether it has zero.")
    has_neg_zero = property(lambda self: bool(lib.sf8_format_has_neg_zero(self._format)),
                            doc="Whether it has a negative zero.")
    nan = property(lambda self: NANS[self._format.nan], doc="Which codes are NaN.")
    emin = property(lambda self: lib.sf8_format_emin(self._format),
                    doc="The exponent of the smallest normal number.")
    emax = property(lambda self: lib.sf8_format_emax(self._format),
                    doc="The exponent of the largest finite number.")
    max_code = property(lambda self: lib.sf8_format_max(self._format),
                        doc="The code of the largest finite number.")
    max = property(lambda self: self._value(self.max_code), doc="The largest finite number.")
    min_normal = property(lambda self: self._value(lib.sf8_format_min_normal(self._format)),
                          doc="The smallest normal number.")
    least = property(lambda self: self._value(1 if self.has_zero else 0),
                     doc="The smallest number above zero.")

    def _value(self, code):
        return float(self.decode(np.asarray(code, self.code_dtype), to="f64"))

    def aliases(self):
        """The names that other projects use for this format."""
        own, i, found = ffi.new("const char **"), 0, []
        while alias := lib.sf8_format_alias_at(i, own):
            if text(own[0]) == self.name:
                found.append(text(alias))
            i += 1
        return found

    def all_codes(self):
        """Every code of a format of up to 20 bits, in order.

        >>> format("e2m1").all_codes().size
        16
        """
        if self.bits > 20:
            raise ValueError(f"{self.name} has 2^{self.bits} codes; only up to 2^20 are listed")
        return np.arange(1 << self.bits, dtype=self.code_dtype)

    def text(self, codes, style="shortest"):
        """The value of each code as text: style "shortest", "exact" or "hex".

        >>> format("e4m3").text(0x7e), format("e4m3").text([1, 127], "hex").tolist()
        ('450', ['0x1p-9', 'nan'])
        """
        choice("style", style, STYLES)
        array = self._codes(codes, "codes")
        room = ffi.new("char[]", 1600)
        result = np.empty(array.shape, object)
        for i, code in enumerate(array.reshape(-1).tolist()):
            check(lib.sf8_to_text(self._format, code, STYLES[style], room, 1600, ffi.NULL), "text")
            result.flat[i] = text(room)
        return result if result.ndim else result[()]

    def parse(self, string, *, policy="ocp", round=None, flags=False):
        """The code of a number that is given as text, rounded once.

        >>> hex(format("e4m3").parse("0x1.8p-3")), hex(format("e4m3").parse("1e9"))
        ('0x24', '0x7e')
        """
        rules = self._policy(policy, round)
        result, where = ffi.new("sf8_result *"), ffi.new("size_t *")
        status = lib.sf8_from_text(self._format, encoded("string", string), rules, result, where)
        if status == lib.SF8_BAD_TEXT:
            raise ValueError(f"string: expected a number, but {string!r} ends being one at "
                             f"character {where[0]}")
        check(status, "parse")
        return (result.code, result.flags) if flags else result.code

    def is_nan(self, codes):
        """Whether each code is a NaN."""
        return self._special(codes, 0)

    def is_inf(self, codes):
        """Whether each code is an infinity."""
        return self._special(codes, 1)

    def is_finite(self, codes):
        """Whether each code is neither NaN nor an infinity."""
        return self._special(codes, 2)

    def _special(self, codes, what):
        array = contiguous(self._codes(codes, "codes"))
        result = np.empty(array.shape, np.bool_)
        lib.py_special_n(self._format, words(result, "uint8_t *"), read(array), array.size, what)
        return result if result.ndim else bool(result[()])

    def _codes(self, x, argument):
        return codes_of(x, self, argument)

    def _policy(self, policy, round=None, **fields):
        changed = {**fields, "round": round} if round is not None else fields
        return policy_of(policy, to=self, from_=self, **changed)._policy

    def _call(self, op, operands, *, policy="ocp", round=None, random=None, out=None, flags=False,
              exact=False, dtype=None):
        """Calls an operation of the library's list on arrays of codes."""
        rules = self._policy(policy, round)
        arrays = broadcast([self._codes(x, name) for x, name in zip(operands, "abc")])
        function = function_named(f"{self.name}_{op}", self, op)
        kind, shape = function.result.kind, arrays[0].shape
        to_self = kind == lib.SF8_WORD_FLOAT
        result = result_into(out, shape, self.code_dtype if to_self else np.dtype(np.uint8),
                             self.name if to_self else None)
        arrays = [apart(array, result) for array in arrays]
        if op in RANDOM:
            random = randoms_of(random, shape, rules)
        else:
            random = None
        fast = None if flags or exact else getattr(lib, f"sf8_{SYMBOLS.get(op, op)}"
                                                   f"{'_sr' if random is not None else ''}_n", None)
        if fast is not None and to_self:
            more = [] if random is None else [words(random, "const uint32_t *")]
            status = fast(self._format, ffi.from_buffer(result), *map(read, arrays), result.size,
                          rules, *more)
            raised = None
        else:
            raised = np.empty(shape, np.uint8) if flags else None
            pointers = [read(array) for array in arrays] + [ffi.NULL] * (3 - len(arrays))
            status = lib.py_call_n(ffi.addressof(function), ffi.from_buffer(result), *pointers,
                                   elements(result.size, rules, random, raised, int(bool(exact))))
        check(status, f"{self.name}.{PYTHON_NAMES.get(op, op)}")
        if kind == lib.SF8_WORD_BOOL:
            result = result.view(np.bool_)
        shown = presented(result, self.name, dtype) if to_self else result
        shown = shown if out is None else out
        shown = shown if getattr(shown, "ndim", 1) else shown[()]
        return (shown, raised if raised.ndim else raised[()]) if flags else shown

    def scalb(self, a, exponents, *, policy="ocp", round=None, random=None, out=None, flags=False):
        """a * 2^exponents, rounded once."""
        rules = self._policy(policy, round)
        powers, _ = _arrays.array_of(exponents, "exponents")
        if powers.dtype.kind not in "iu":
            raise TypeError(f"exponents: expected integers, got {powers.dtype}")
        powers = np.clip(powers, -(1 << 31), (1 << 31) - 1).astype(np.int32)
        array, powers = broadcast([self._codes(a, "a"), powers])
        result = result_into(out, array.shape, self.code_dtype, self.name)
        array, powers = apart(array, result), apart(powers, result)
        random = randoms_of(random, array.shape, rules)
        raised = np.empty(array.shape, np.uint8) if flags else None
        power = words(powers, "const int32_t *")
        if flags:
            status = lib.py_scalb_n(self._format, ffi.from_buffer(result), read(array), power,
                                    elements(result.size, rules, random, raised))
        elif random is not None:
            status = lib.sf8_scalb_sr_n(self._format, ffi.from_buffer(result), read(array), power,
                                        result.size, rules, words(random, "const uint32_t *"))
        else:
            status = lib.sf8_scalb_n(self._format, ffi.from_buffer(result), read(array), power,
                                     result.size, rules)
        check(status, f"{self.name}.scalb")
        shown = out if out is not None else result if result.ndim else result[()]
        return (shown, raised if raised.ndim else raised[()]) if flags else shown

    def compare(self, a, b, *, signaling=False, policy="ocp", flags=False):
        """-1, 0 or 1 if a is less than, equal to or greater than b; 2 if an operand is NaN.

        >>> format("e4m3").compare([0x00, 0x38, 0x7f], [0x80, 0x40, 0x38]).tolist()
        [0, -1, 2]
        """
        x, y = broadcast([self._codes(a, "a"), self._codes(b, "b")])
        result = np.empty(x.shape, np.int8)
        raised = np.empty(x.shape, np.uint8) if flags else None
        check(lib.py_compare_n(self._format, words(result, "int8_t *"), read(x), read(y),
                               int(signaling),
                               elements(x.size, self._policy(policy), None, raised)),
              f"{self.name}.compare")
        shown = result if result.ndim else result[()]
        return (shown, raised if raised.ndim else raised[()]) if flags else shown

    def class_name(self, a, **options):
        """The IEEE 754 class of each code as text, such as "pos_subnormal"."""
        return np.array(CLASSES, object)[self.class_(a, **options)]

    def __repr__(self):
        return f"softfp8.format({self.name!r})"

    def _repr_html_(self):
        bits = self.exp_bits + self.man_bits + self.is_signed
        fields = f": {int(self.is_signed)} sign, {self.exp_bits} exponent, {self.man_bits} mantissa"
        facts = [("bits", f"{bits}{'' if self.name == 'hif8' else fields}"),
                 ("bias", self.bias), ("largest", float(self.max)), ("least normal", float(self.min_normal)),
                 ("least above zero", float(self.least)), ("NaN", self.nan), ("infinity", "yes" if self.has_inf else "no")]
        if bits > 8:
            return html.card(f"format {self.name}", facts)
        high = [x for x in map(self._value, range(1 << bits)) if 0 < x < np.inf]
        exponents = np.floor(np.log2(high)).astype(int)
        return html.card(f"format {self.name}", facts, html.bars(
            "positive numbers in each binade", np.bincount(exponents - exponents.min()).tolist(),
            (f"2^{exponents.min()}", f"2^{exponents.max()}")))

    def __eq__(self, other):
        return isinstance(other, Format) and self._row() == other._row()

    def _row(self):
        return bytes(ffi.buffer(ffi.new("sf8_format *", self._format)))

    def __hash__(self):
        return hash(self._row())

    def is_named(self, name):
        """Whether this is the format with that name.

        >>> format("e=4 m=3 nan=top").is_named("e4m3")
        True
        """
        return name == self.name or self == format(name)


# Operations that round, and so may take random numbers.
RANDOM = {"add", "sub", "mul", "div", "rem", "sqrt", "mulAdd", "roundToInt", "recip", "rsqrt",
          "hypot", "faa"}
SYMBOLS = {"mulAdd": "fma", "roundToInt": "rint"}


def function_named(name, of, op):
    """A function of the library's list, as its structure."""
    function = ffi.new("sf8_function *")
    status = lib.sf8_function_named(name.encode(), function)
    if status == lib.SF8_UNKNOWN_NAME and of is not None:
        # A format that has no name: the function of e4m3, with the types of this format.
        check(lib.sf8_function_named(f"e4m3_{op}".encode(), function), op)
        for word in [function.result, *(function.operand[i] for i in range(3))]:
            if word.kind == lib.SF8_WORD_FLOAT:
                word.format, word.bits = of._format, of.bits
    elif status == lib.SF8_BAD_FORMAT:
        raise ValueError(f"{name}: the format is too precise for this operation, or is hif8")
    else:
        check(status, name)
    return function[0]


def _operation(op):
    """The method for an operation of the library's list."""
    function = ffi.new("sf8_function *")
    check(lib.sf8_function_named(f"e4m3_{op}".encode(), function), op)
    name, count = PYTHON_NAMES.get(op, op), function.operands

    def method(self, *operands, **options):
        if len(operands) != count:
            raise TypeError(f"{name}() takes {count} arrays, got {len(operands)}")
        return self._call(op, operands, **options)

    results = {lib.SF8_WORD_FLOAT: "codes", lib.SF8_WORD_BOOL: "booleans",
               lib.SF8_WORD_CLASS: "the index of each class in softfp8.CLASSES"}
    result = results[function.result.kind]
    P = inspect.Parameter
    options = [p for p in inspect.signature(Format._call).parameters.values()
               if p.kind is P.KEYWORD_ONLY]
    method.__signature__ = inspect.Signature(
        [P("self", P.POSITIONAL_ONLY), *(P(x, P.POSITIONAL_ONLY) for x in "abc"[:count]), *options])
    method.__name__ = method.__qualname__ = name
    method.__doc__ = (f"The operation {op} of {count} array{'s' * (count > 1)} of codes; "
                      f"returns {result}.")
    return method


for _op in OPERATIONS:
    setattr(Format, PYTHON_NAMES.get(_op, _op), _operation(_op))


def format(name):
    """A format by its name, by the name that another project uses, by a dtype, or by its fields.

    >>> format("float8_e4m3fn"), format(np.dtype("float32"))
    (softfp8.format('e4m3'), softfp8.format('f32'))
    >>> format("e4m3 bias=11").max, format("e=2 m=1 nan=none") == format("e2m1")
    (28.0, True)
    >>> format("e4m4")
    Traceback (most recent call last):
    ValueError: format: unknown name 'e4m4'; did you mean e4m3, e3m4, ue4m3?
    >>> format("fp6")
    Traceback (most recent call last):
    ValueError: format: 'fp6' is the name of several formats: e2m3 and e3m2
    """
    return name if isinstance(name, Format) else _made(*raw_format(name))


@functools.cache
def _made(raw, name):
    return Format(raw, name)


def coded(x, given, argument, option="from_"):
    """The format of an array, and its codes. `option` is the argument that names the format."""
    array, own = _arrays.array_of(x, argument)
    if given is None and own is None:
        raise TypeError(f"{argument}: an array of {array.dtype} needs {option}, the format of its "
                        "codes")
    of = format(own if given is None else given)
    return of, codes_of(x, of, argument)


def format_row(exp_bits, man_bits, *, is_signed=True, nan="ieee", has_inf=True, has_zero=True,
               bias=None, name=None):
    """A format of one's own. Without `bias` it is that of IEEE 754.

    >>> format_row(5, 4).max
    63488.0
    """
    kinds = {text: kind for kind, text in NANS.items()}
    choice("nan", nan, kinds)
    for name_of, bits in (("exp_bits", exp_bits), ("man_bits", man_bits)):
        size(f"format_row: {name_of}", bits, 64)
    bias = (1 << max(exp_bits - 1, 0)) - 1 if bias is None else bias
    try:
        raw = ffi.new("sf8_format *", [exp_bits, man_bits, int(is_signed), kinds[nan],
                                       int(has_inf), int(has_zero), bias])[0]
    except (OverflowError, TypeError) as error:
        raise ValueError(f"format_row: {error}") from None
    if not lib.sf8_format_valid(raw):
        raise ValueError("format_row: the library cannot compute with such a format")
    return Format(raw, name or f"row_e{exp_bits}m{man_bits}")
