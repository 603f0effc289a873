# SPDX-License-Identifier: MIT
"""convert.py -- conversions of arrays between formats, and codes packed in bytes"""
import dataclasses
import functools

import numpy as np

from ._base import arrays as _arrays
from ._base.arrays import (apart, array_of, code_dtype, codes_of, contiguous, integer_named,
                           presented, read, result_into, within, words)
from ._base.library import check, choice, ffi, level_name, lib, rows, size as size_of, text
from .formats import Format, elements, format as format_of, randoms_of
from .policies import FIELDS, policy as policy_of

TENSORS = "f32", "bf16", "f16"  # what is quantized and stored in caches
INTEGERS = {f"{kind}{bits}": np.dtype(f"{kind}{bits // 8}") for kind in "iu"
            for bits in (8, 16, 32, 64)}


class _Plan:
    """What a conversion needs besides the arrays, found once for each combination of arguments."""

    __slots__ = "to", "policy", "raw_to", "raw_source", "dtype", "view", "plain"

    def __init__(self, to, source, policy, round, via):
        self.to, source = format_of(to), format_of(source)
        changed = {field: value for field, value in (("round", round), ("via", via))
                   if value is not None}
        self.policy = policy_of(policy, to=self.to, from_=source, **changed)._policy
        self.raw_to, self.raw_source = self.to._format, source._format
        self.dtype = self.to.code_dtype
        self.view = _arrays.FLOATS.get(self.to.name)
        self.plain = self.policy.round != lib.SF8_SR


_kept_plan = functools.lru_cache(1024)(_Plan)


def _plan(to, source, policy, round, via):
    for argument, name in (("to", to), ("policy", policy), ("round", round), ("via", via)):
        try:
            hash(name)
        except (TypeError, ValueError):
            raise TypeError(f"{argument}: expected a name, got {type(name).__name__}") from None
    return _kept_plan(to, source, policy, round, via)


@functools.lru_cache(1024)
def _fast_plan(to, dtype, policy, round, via):
    """The plan for an array of native floats, which needs nothing but a call; else None."""
    source = _arrays.format_name_of(dtype) if dtype.isnative and dtype.kind == "f" else None
    if source not in _arrays.FLOATS:
        return None
    plan = _plan(to, source, policy, round, via)
    return plan if plan.plain else None


def convert(x, to, *, policy="ocp", from_=None, round=None, via=None, random=None, out=None,
            dtype=None, flags=False, level=None):
    """Converts an array to codes of another format, rounding each element once.

    x       an array of floats (NumPy, ml_dtypes, PyTorch, JAX), a number, or with `from_` an array
            of codes or integers
    to      the format of the result: a name, a softfp8.format, or a dtype of ml_dtypes or PyTorch
    policy  a policy, or a product such as "torch-2.12": softfp8.policies() has all
    from_   the format of x: needed if x has unsigned codes. "i8" to "u64": x has integers
    round   another rounding mode than the policy's: rne rna rnz rz ru rd ro sr
    via     rounds to this format first: f32, f16, bf16, f32-f16, f16:rz, bf16:rz
    random  for round="sr": random numbers, uint32, one for each element, as random_words makes them
    out     an array that receives the result
    dtype   None: unsigned codes, and floats for f16, f32 and f64. "codes", "ml_dtypes", "torch"
    flags   True: returns the exception flags of each element too
    level   an instruction set of softfp8.simd_levels(), or "core"; the result is the same

    >>> import numpy as np
    >>> convert(np.array([500, 0.1], np.float32), "e4m3").tolist()
    [126, 29]
    >>> convert(500.0, "e4m3", policy="ocp-nosat", flags=True)
    (np.uint8(127), np.uint8(5))
    """
    if (type(x) is np.ndarray and from_ is None and out is None and dtype is None and not flags
            and level is None and x.flags.c_contiguous):
        try:
            plan = _fast_plan(to, x.dtype, policy, round, via)
        except (TypeError, ValueError):
            plan = None  # the way below says what is wrong
        if plan is not None and x.ndim:
            result = np.empty(x.shape, plan.dtype)
            if lib.sf8_convert_n(plan.raw_to, ffi.from_buffer(result), plan.raw_source,
                                 ffi.from_buffer(x), x.size, plan.policy) == 0:
                return result if plan.view is None else result.view(plan.view)
    if from_ is not None and not isinstance(from_, str):
        from_ = integer_named(from_) or format_of(from_)
    if from_ in INTEGERS:
        return _from_integers(x, to, from_, policy, round, random, out, dtype, flags)
    return _convert(x, to, policy, from_, round, via, random, out, dtype, flags, level)


def _operand(x, from_, argument="x", option="from_"):
    """The codes of an argument, and their format. `option` is the argument that names it."""
    if from_ is not None:
        source = format_of(from_)
        return codes_of(x, source, argument), source.name, source
    array, name = array_of(x, argument)
    if array.dtype.kind == "b":
        raise TypeError(f"{argument}: expected numbers or codes, got bool")
    if name is None:
        raise TypeError(f"{argument}: an array of {array.dtype} needs {option}, since it may be "
                        f"numbers or codes: {option}='i64', 'u8', ... for numbers, the format for "
                        "codes; or convert numbers to float first")
    return array.view(code_dtype(8 * array.itemsize)), name, name


def _via(via):
    if via is not None:
        choice("via", via, FIELDS["via"])


def _convert(x, to, policy, from_, round, via, random, out, dtype, flags, level, *names):
    array, name, source = _operand(x, from_, *names)
    _via(via)
    plan = _plan(to, source, policy, round, via)
    result = result_into(out, array.shape, plan.dtype, plan.to.name)
    array = apart(array, result)
    random = randoms_of(random, array.shape, plan.policy)
    raised = np.empty(array.shape, np.uint8) if flags else None
    n, target = result.size, ffi.from_buffer(result)
    if flags:
        function = lib.sf8_function_convert(plan.raw_source, plan.raw_to)
        status = lib.py_call_n(ffi.addressof(function), target, read(contiguous(array)), ffi.NULL,
                               ffi.NULL, elements(n, plan.policy, random, raised))
    elif level is not None:
        status = _on_level(level, plan, target, read(contiguous(array)), n, random)
    elif random is not None:
        status = lib.sf8_convert_sr_n(plan.raw_to, target, plan.raw_source, read(contiguous(array)),
                                      n, plan.policy, words(random, "const uint32_t *"))
    elif array.ndim == 1 and not array.flags.c_contiguous and \
            array.strides[0] % array.itemsize == 0:
        start = ffi.cast("const void *", array.__array_interface__["data"][0])
        status = lib.sf8_convert_strided_n(plan.raw_to, target, 1, plan.raw_source, start,
                                           array.strides[0] // array.itemsize, n, plan.policy)
    else:
        status = lib.sf8_convert_n(plan.raw_to, target, plan.raw_source, read(contiguous(array)), n,
                                   plan.policy)
    check(status, f"convert {name} to {plan.to.name}")
    return _returned(result, plan.to.name, out, dtype, raised)


def _on_level(level, plan, target, source, n, random):
    """Converts n elements by the loops for one instruction set."""
    arguments = (level_name(level), plan.raw_to, target, plan.raw_source, source, n,
                 plan.policy)
    if random is None:
        return lib.sf8_convert_n_at(*arguments)
    return lib.sf8_convert_sr_n_at(*arguments, words(random, "const uint32_t *"))


def _returned(result, name, out, dtype, raised):
    """A result as the caller asked for it."""
    shown = presented(result, name, dtype) if out is None else out
    if raised is None:
        return shown
    return shown, raised if raised.ndim else raised[()]


def _integer_word(name):
    word = ffi.new("sf8_word *")
    check(lib.sf8_word_named(("ui" + name[1:] if name[0] == "u" else name).encode(), word), name)
    return word[0]


def _from_integers(x, to, name, policy, round, random, out, dtype, flags):
    """Converts integers of the type `name`."""
    array, own = array_of(x, "x")
    kind, to = INTEGERS[name], format_of(to)
    if own is not None or array.dtype.kind not in "iu":
        raise TypeError(f"x: expected integers of {kind}, got {own or array.dtype}")
    if array.dtype != kind:
        if not isinstance(x, (int, list, tuple)) or (array.size and (
                array.min() < np.iinfo(kind).min or array.max() > np.iinfo(kind).max)):
            raise TypeError(f"x: expected integers of {kind}, got {array.dtype}")
        array = array.astype(kind)
    plan = _plan(to, "f32", policy, round, None)
    function = ffi.new("sf8_function *", lib.sf8_function_convert(plan.raw_source, plan.raw_to))
    function.op, function.operand[0] = lib.SF8_OP_FROM_INTEGER, _integer_word(name)
    return _each(function[0], array, plan.to, to.code_dtype, plan.policy, random, out, dtype, flags)


def _each(function, array, to, result_dtype, policy, random, out, dtype, flags, exact=False):
    """Calls a function of one operand for each element."""
    result = result_into(out, array.shape, result_dtype, to.name if to else None)
    array = contiguous(apart(array, result))
    random = randoms_of(random, array.shape, policy)
    raised = np.empty(array.shape, np.uint8) if flags else None
    check(lib.py_call_n(ffi.addressof(function), ffi.from_buffer(result), read(array), ffi.NULL,
                        ffi.NULL, elements(result.size, policy, random, raised, int(bool(exact)))),
          "convert")
    if to is not None:
        return _returned(result, to.name, out, dtype, raised)
    shown = out if out is not None else result if result.ndim else result[()]
    return (shown, raised if raised.ndim else raised[()]) if flags else shown


def to_integer(codes, from_=None, to="i32", *, policy="ocp", round=None, exact=False, out=None,
               flags=False):
    """Converts an array of a format to integers; `to` is "i8" to "u64".

    The policy's field `integer` says what NaN and values out of range become. `exact` raises the
    flag inexact where a value was not an integer.

    >>> to_integer([0x38, 0x7e], "e4m3", "i8").tolist()
    [1, 127]
    """
    to = choice("to", integer_named(to) or to, INTEGERS)
    array, _, source = _operand(codes, from_, "codes")
    plan = _plan("f32", source, policy, round, None)
    function = ffi.new("sf8_function *", lib.sf8_function_convert(plan.raw_source, plan.raw_to))
    function.op, function.result = lib.SF8_OP_TO_INTEGER, _integer_word(to)
    return _each(function[0], array, None, INTEGERS[to], plan.policy, None, out, None, flags, exact)


def decode(codes, format=None, *, to="f32", out=None, dtype=None):
    """The values of codes, as floats: exact wherever the format `to` has the value.

    The format may be left out for arrays whose dtype names it (ml_dtypes, PyTorch).

    >>> import numpy as np
    >>> decode(np.array([0x7e, 0x01, 0x7f], np.uint8), "e4m3").tolist()
    [448.0, 0.001953125, nan]
    """
    if isinstance(format, str) and format in INTEGERS:
        return convert(codes, to, from_=format, policy="ocp-nosat", out=out, dtype=dtype)
    return _convert(codes, to, "ocp-nosat", format, None, None, None, out, dtype, False, None,
                    "codes", "format")


def _encode(self, x, **options):
    """convert() to this format."""
    return convert(x, self, **options)


def _decode(self, codes, **options):
    """decode() from this format."""
    return decode(codes, self, **options)


for _name, _method in (("encode", _encode), ("decode", _decode)):
    _method.__name__, _method.__qualname__ = _name, f"Format.{_name}"
    setattr(Format, _name, _method)


def tensor_of(x, argument, from_=None):
    """A tensor of f32, bf16 or f16 as its contiguous codes, and its format."""
    array, name = array_of(x, argument)
    if from_ is not None:
        source = format_of(from_)
        if name not in (None, source.name) or array.itemsize != source.code_dtype.itemsize:
            raise TypeError(f"{argument}: expected {source.name}, got {name or array.dtype}")
        name = source.name
    if name not in TENSORS:
        kind, bits = array.dtype.kind, 8 * array.itemsize
        remedy = "; softfp8.convert(x, 'f32') makes one" if name else "" if kind == "b" else \
            f"; softfp8.convert(x, 'f32', from_='{kind}{bits}') makes one of numbers, " \
            "softfp8.decode(x, FORMAT) of codes"
        raise TypeError(f"{argument}: expected a tensor of {', '.join(TENSORS)}; got "
                        f"{name or array.dtype}{remedy}")
    return contiguous(array).view(code_dtype(8 * array.itemsize)), format_of(name)


def random_words(shape, seed, first=0):
    """Random numbers for round="sr", uint32, which depend only on the seed and the place.

    Element i, counted in the order of C, is number first + i of the words of the seed. So an array
    may be cut into pieces. The generator is Philox4x32-10: softfp8.h says how it is seeded.

    >>> [hex(word) for word in random_words(4, seed=0)]
    ['0x6627e8d5', '0xe169c58d', '0xbc57ac4c', '0x9b00dbd8']
    """
    most = (1 << 64) - 1
    sizes = shape if isinstance(shape, (tuple, list)) else (shape,)
    result = np.empty(tuple(size_of("shape", n) for n in sizes), np.uint32)
    lib.sf8_random_n(words(result, "uint32_t *"), result.size, size_of("seed", seed, most),
                     size_of("first", first, most))
    return result


def simd():
    """The instruction set that array functions use: "avx2", ...; SOFTFP8_SIMD selects another."""
    return text(lib.sf8_simd())


def simd_levels():
    """The instruction sets that this build and this processor support, the lowest first."""
    return [text(level) for level in rows(lib.sf8_simd_at)]


def pack(codes, bits):
    """Packs codes of `bits` bits into bytes along the last axis, the first in the lowest bits.

    >>> import numpy as np
    >>> pack(np.array([1, 2, 3, 4], np.uint8), 4).tolist()
    [33, 67]
    """
    array = within(_packable(codes, bits, "codes"), _Bits(bits), "codes", "")
    n = array.shape[-1]
    size = lib.sf8_packed_size(bits, n)
    result = np.empty((*array.shape[:-1], size), np.uint8)
    rows = array.size // n if n else 0
    for source, target in zip(array.reshape(rows, n), result.reshape(rows, size)):
        check(lib.sf8_pack_n(bits, words(target, "uint8_t *"), words(source, "const uint8_t *"), n),
              "pack")
    return result


def unpack(packed, bits, n=None):
    """Unpacks codes of `bits` bits from bytes along the last axis; `n` is how many, if not all.

    >>> unpack([33, 67], 4).tolist()
    [1, 2, 3, 4]
    """
    array = _packable(packed, bits, "packed")
    size = array.shape[-1]
    n = size * 8 // bits if n is None else size_of("n", n)
    if lib.sf8_packed_size(bits, n) > size:
        raise ValueError(f"n: {size} bytes have {size * 8 // bits} codes of {bits} bits, not {n}")
    result = np.empty((*array.shape[:-1], n), np.uint8)
    rows = array.size // size if n else 0
    for source, target in zip(array.reshape(rows, size) if rows else (), result.reshape(rows, n)):
        check(lib.sf8_unpack_n(bits, words(target, "uint8_t *"), words(source, "const uint8_t *"),
                               n), "unpack")
    return result


@dataclasses.dataclass
class _Bits:
    """Codes with this number of bits, in any format."""

    bits: int
    name = property(lambda self: f"{self.bits} bits")


def _packable(x, bits, argument):
    if not isinstance(bits, int) or not 1 <= bits <= 8:
        raise ValueError(f"bits: expected 1 to 8, got {bits!r}")
    array, _ = array_of(x, argument)
    if isinstance(x, (list, tuple)) and (not array.size or array.dtype.kind == "i"):
        array = within(array, _Bits(8), argument, "").astype(np.uint8)
    if array.dtype.itemsize != 1:
        raise TypeError(f"{argument}: expected one code to a byte (uint8), got {array.dtype}")
    if array.ndim == 0:
        raise ValueError(f"{argument}: expected an array with at least one axis")
    return contiguous(array).view(np.uint8)
