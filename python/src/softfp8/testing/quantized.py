# SPDX-License-Identifier: MIT
"""quantized.py -- assert_quantized: codes and scales of a quantizer are those of a recipe"""
import dataclasses

import numpy as np

from .._base.arrays import array_of, code_dtype, contiguous, within
from .._base.library import lib
from .._parts import Element, scale_codes, several_scales
from ..blocks import quantize, unpack_codes
from ..convert import convert, tensor_of
from ..formats import format as format_of
from ..layouts import layout_load, layout_size
from ..recipes import recipe as recipe_of
from . import message, report
from .judge import Uncertainty, judged_blocks
from .message import Codes, counted
from .mistakes import Case, explain


class _Integers:
    """The codes of integers, for a message."""

    def __init__(self, name, bits):
        self.name, self.bits = name, bits

    def decode(self, code, to):
        code = int(code)
        return code - (1 << self.bits) if self.name[0] == "i" and code >> (self.bits - 1) else code


def assert_quantized(got_codes, got_scales, x, recipe, *, global_scale=None, offsets=None,
                     layout="linear", along="rows", from_=None, uncertain=None, between=None):
    """Fails unless a quantizer returned the codes and the scales of a recipe, in every bit, or with
    `uncertain` or `between` those of values that differ from x by no more than is stated.

    got_codes     the codes: one to a byte in the shape of x, or packed as the recipe packs a row
    got_scales    the codes or the values of the scales, row by row or in the layout; one number where
                  the recipe has one scale for the tensor. None: they are not compared
    x             the tensor that was quantized, of f32, bf16 or f16; its last axis is a row
    recipe        softfp8.recipes() has all
    global_scale  the global scale of the tensor; None: as the product computes it. Where it is the
                  scale of a store: one number, or one for each head of [tokens][heads][elements], or
                  one for each row
    offsets       the offsets, if the recipe has them
    layout        of the scales: softfp8.layouts() has all; padding is not compared
    along, from_  as in softfp8.quantize()
    uncertain     how far the values that the kernel quantizes may be from x: "bf16/2", half a unit in
                  the last place of bf16; "f32*4"; "rel=1e-3"; "abs=1e-6"; a sum of these with "+"; or
                  an array of absolute errors. x may then be of f64
    between       two computations (a, b) of the values, which may be anything between these

    With an uncertainty the scales are judged first, then the codes by the scales that came. What it
    excuses is counted in the summary of pytest. Flips that fall on one side fail: a truncation, or a
    scale that is slightly off.

    >>> x = np.linspace(-6, 6, 64, dtype=np.float32).reshape(2, 32)
    >>> q = quantize(x, "nvfp4-te")
    >>> assert_quantized(q.packed(), q.scales, x, "nvfp4-te")
    >>> q = quantize(x * np.float32(1.001), "nvfp4-te", global_scale=448)
    >>> assert_quantized(q.packed(), q.scales, x, "nvfp4-te", global_scale=448, uncertain="bf16/2")
    """
    __tracebackhide__ = True
    of = recipe_of(recipe)
    noise = None if uncertain is None and between is None else _Noise(uncertain, between)
    exact = _exact(x, from_) if noise else None
    tensor, source = tensor_of(x, "x", from_) if exact is None else exact[1]
    codes = elements(got_codes, of, tensor.shape)
    if noise and of.has_global_scale and global_scale is None:
        raise ValueError("global_scale: expected the kernel's: of values that are not exact it cannot "
                         "be computed")
    if noise and got_scales is None and not of.scale_is_given:
        raise ValueError("got_scales: expected the kernel's: codes are judged by them")
    case = report.begin("assert_quantized", codes.size)
    if noise:
        noise.begin(*(exact[0] if exact else (tensor, source)))
    g, several = several_scales(global_scale, of, tensor.shape, along)
    if several:
        if offsets is not None or layout != "linear":
            raise ValueError("global_scale: expected one number where offsets or layout are given")
        found, oracle = _of_parts(codes, got_scales, tensor, source, of, several, along, noise)
    else:
        want = quantize(tensor, of, global_scale=g, along=along, from_=source)
        found, oracle = _compared(codes, _scales(got_scales, of), _offsets(offsets, want), tensor,
                                  source, want, layout, noise)
    excused = noise.excused if noise else 0
    if found is None:
        report.passed(case, oracle, excused)
        return
    text, why, count = found
    report.failed(case, oracle, count, why)
    raise AssertionError(text)


# ---- values that are not known exactly


def _exact(x, from_):
    """Of a tensor of f64 its codes and format, and those of f32, which is what a recipe reads; else
    None."""
    array, own = array_of(x, "x")
    if own != "f64" or from_ not in (None, "f64"):
        return None
    short = convert(array, "f32", policy="ocp-nosat", dtype="codes")
    return (contiguous(array).view(np.uint64), format_of("f64")), (short, format_of("f32"))


class _Noise:
    """How far values may be from the exact ones, and what that excused."""

    def __init__(self, uncertain, between):
        self.uncertain, self.between, self.excused = uncertain, between, 0

    def begin(self, exact, source):
        Uncertainty(self.uncertain, self.between, exact.shape)  # refuses what does not fit
        self.exact, self.source = exact, source

    def judged(self, case, part=...):
        """The judgement of a case, or of a part of the tensor."""
        def turned(array):
            array = array if isinstance(array, str) or array is None else array_of(array, "")[0]
            if not isinstance(array, np.ndarray) or not array.ndim:
                return array
            array = array[part]
            return contiguous(array.T if case.want.along == "columns" else array)

        between = self.between and tuple(turned(path) for path in self.between)
        exact = turned(self.exact)
        g = case.want.global_scale
        found = judged_blocks(exact, self.source, case.of, turned_codes(case.codes, case),
                              turned_codes(case.scales, case), g if g is not None else 1.0,
                              Uncertainty(turned(self.uncertain), between, exact.shape))
        self.excused += found.excused
        return found


def turned_codes(array, case):
    """Codes or scales of blocks along columns, as the library has them: along rows."""
    return array if array is None or case.want.along == "rows" else contiguous(array.T)


def _within(case, noise, part):
    """What the uncertainty does not excuse: the message, its reason, a count; or None."""
    if case.of.has_offsets:
        raise ValueError(f"uncertain: {case.of.name} has offsets, whose scales are not judged")
    if case.of.scale_is_given:
        case = dataclasses.replace(case, scales=None)
    found = noise.judged(case, part)
    if found.holds:
        return None
    why, lines = found.why(), found.message.split("\n")
    if found.verdict == lib.SF8_JUDGED_OUTSIDE and (not found.mistake or
                                                    "unexplained" in found.mistake):
        exactly = explain(case)  # what gives every bit, without noise
        if exactly.mistake:
            why, lines[1:2] = exactly, exactly.lines()
    return "\n".join(lines), why, found.outside or found.differ


# ---- the comparison


def _compared(codes, stored, moved, tensor, source, want, layout, noise=None, part=...):
    """What differs (the message, its reason, a count), or None; and what was expected, in words."""
    of = want.recipe
    oracle = f"recipe {of.name}" + (f", global scale {want.global_scale:.9g}"
                                    if of.has_global_scale else "")
    scales = _matrix(stored, want, layout)
    wrong = [codes != want.codes,
             None if scales is None else scales != want.scales.astype(scales.dtype),
             None if moved is None else moved != want.offsets]
    if (stored is None or scales is not None) and not any(w is not None and w.any() for w in wrong):
        return None, oracle
    case = Case(of, tensor, source, want, codes, stored, scales, moved, layout)
    if noise and (stored is None or scales is not None):
        return _within(case, noise, part), oracle
    return _message(case, wrong, oracle), oracle


def _of_parts(codes, got_scales, tensor, source, of, several, along, noise=None):
    """The same for a tensor whose heads, or rows, have scales of their own."""
    word, parts = several
    stored = _scales(got_scales, of)
    if stored is not None:
        rows = tensor.size // tensor.shape[-1] if tensor.size else 0
        if stored.size not in (1, len(parts), rows):
            raise ValueError(f"got_scales: expected one number, {len(parts)} (one for each {word}) or "
                             f"{rows} (one for each row), got {stored.size}")
    bad = []
    for i, (part, g) in enumerate(parts):
        x = contiguous(tensor[part])
        want = quantize(x, of, global_scale=g, along=along, from_=source)
        scales = None if stored is None else stored if stored.size == 1 else \
            stored[i:i + 1] if stored.size == len(parts) else \
            contiguous(stored.reshape(tensor.shape[:-1])[part[:-1]]).reshape(-1)
        found, oracle = _compared(contiguous(codes[part]), scales, None, x, source, want, "linear",
                                  noise, part)
        if found:
            bad.append((i, found))
    oracle = f"recipe {of.name}, one scale for each {word}"
    if not bad:
        return None, oracle
    (first, (text, why, _)), count = bad[0], sum(found[2] for _, found in bad)
    shown = ", ".join(str(i) for i, _ in bad[:8]) + (", ..." if len(bad) > 8 else "")
    head = f"{len(bad):,} of {len(parts):,} {word}s differ from {of.name}: {shown}"
    return (f"{head}\n{word} {first}: {text}", why, count), oracle


def elements(x, of, shape, argument="got_codes"):
    """The codes that came, one to a byte, in the shape of the tensor."""
    array, own = array_of(x, argument)
    if array.dtype.itemsize != 1 or own not in (None, of.element):
        raise TypeError(f"{argument}: expected codes of {of.element} (uint8), got "
                        f"{own or array.dtype}")
    array = contiguous(array).view(np.uint8)
    if array.shape == shape:
        return within(array, Element(of), argument)
    packed = (*shape[:-1], -(-shape[-1] * of.bits // 8)) if shape else shape
    if array.shape != packed:
        other = f", or {packed} if the codes are packed" if packed != shape else ""
        raise ValueError(f"{argument}: expected the shape {shape}{other}; got {array.shape}")
    return unpack_codes(array, of, shape[-1])


def _scales(x, of):
    """The scales that came, in the order of memory, or None."""
    if x is None:
        return None
    if of.scale_is_given and isinstance(x, (int, float)):
        return np.float32([x]).view(np.uint32)
    return contiguous(scale_codes(x, of.scale, "got_scales")).reshape(-1)


def _matrix(stored, want, layout):
    """The scales as a matrix; None if there are none, or if their number is wrong."""
    if layout != "linear":
        layout_size(layout, *want.scales.shape)  # refuses an unknown name
    if stored is None:
        return None
    if want.recipe.scale_is_given and stored.size == 1:
        return np.full(want.scales.shape, stored[0])
    if layout == "linear":
        return stored.reshape(want.scales.shape) if stored.size == want.scales.size else None
    if stored.itemsize != 1 or stored.size != layout_size(layout, *want.scales.shape):
        return None
    return layout_load(stored, layout, *want.scales.shape)


def _offsets(x, want):
    if (x is not None) != want.recipe.has_offsets:
        raise ValueError(f"offsets: {want.recipe.name} " +
                         ("needs them" if want.recipe.has_offsets else "has none"))
    if x is None:
        return None
    array, _ = array_of(x, "offsets")
    array = contiguous(array).view(code_dtype(8 * array.itemsize))
    if array.size != want.offsets.size:
        raise ValueError(f"offsets: expected the shape {want.offsets.shape}, got {array.shape}")
    return array.reshape(want.offsets.shape).astype(np.uint32)


def _message(case, wrong, oracle):
    """The text of the failure, its reason, and how many codes, scales and offsets differ."""
    parts, lines = [], []
    for name, mask in zip(("code", "scale", "offset"), wrong):
        if mask is not None:
            parts.append(f"{int(mask.sum()):,} of {mask.size:,} {name}s")
    if case.stored is not None and case.scales is None:
        parts.append(f"the number of scales ({case.stored.size:,}, expected {_size(case):,})")
    if wrong[1] is not None and wrong[1].any():
        got = Codes(case.scales, case.of.scale)
        want = Codes(case.want.scales.astype(case.scales.dtype), case.of.scale)
        lines += message.element_lines(wrong[1], [("got", got.both), ("expected", want.both)],
                                       "scales")
    if wrong[0].any() and not case.follows:
        lines += message.element_lines(wrong[0], _columns(case))
    why = explain(case)
    head = f"{' and '.join(parts)} differ from {case.of.name}"
    if case.follows:
        head = f"{parts[1]} differ from {case.of.name}; all {case.codes.size:,} codes are right " \
               "for your scales"
    elif wrong[1] is not None and wrong[1].any() and (left := case.wrong_for_scales) is not None and \
            left < int(wrong[0].sum()):
        lines.append(f"  for your scales, {counted(left, 'code')} of {case.codes.size:,} differ")
    count = sum(int(mask.sum()) for mask in wrong if mask is not None)
    return "\n".join([head, f"  expected: {oracle}, layout {case.layout}", *lines, *why.lines()]), \
        why, count or 1


def _size(case):
    shape = case.want.scales.shape
    return shape[0] * shape[1] if case.layout == "linear" else layout_size(case.layout, *shape)


def _columns(case):
    element = case.of.element
    of = _Integers(element, case.of.bits) if "int" in element else message.named_format(element, "")
    return [("input", Codes(case.x, case.source).both), ("got", Codes(case.codes, of).both),
            ("expected", Codes(case.want.codes, of).both)]
