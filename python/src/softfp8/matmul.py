# SPDX-License-Identifier: MIT
"""matmul.py -- products of matrices as the matrix units of GPUs compute them"""
import numpy as np

from ._base.arrays import (FLOATS, array_of, codes_of, contiguous, dtype_text, expected_codes,
                           read, within, words)
from ._base.library import (check, choice, encoded, ffi, level_name, lib, row_dict, rows, size,
                            text, unknown)
from ._base.value import Value
from .formats import Format, coded, format as format_of

MOST = (1 << 63) - 1
SCALINGS = {"unscaled": lib.SF8_MMA_UNSCALED, "scales-first": lib.SF8_MMA_SCALES_FIRST,
            "sum-first": lib.SF8_MMA_SUM_FIRST}


class Byte:
    """What the code of a scale is, as far as a list of integers shows it."""

    name, bits = "8 bits", 8


def units():
    """The rows of all matrix units, as dictionaries: unit, operands, out, k, evidence, ..."""
    return [row_dict(row) for row in rows(lib.sf8_mma_at)]


def schedules():
    """The schedules that kernels are known to use, as dictionaries."""
    return [row_dict(row) for row in rows(lib.sf8_mma_schedule_at)]


class Unit(Value):
    """A matrix unit for given formats. `fields()` shows how it adds; `replace` changes that.

    >>> unit("hopper-qgmma", "e4m3", "e4m3", "f32").k
    32
    """

    def __init__(self, raw, name, formats, changed=()):
        self._mma, self.name, self._formats, self._changed = raw, name, formats, dict(changed)

    def _parts(self):
        return self.name, self._formats, self._changed

    @classmethod
    def _of(cls, name, formats, changed):
        return unit(name, *formats, **changed)

    k = property(lambda self: self._mma.k, doc="The number of products of one instruction.")
    scale_block = property(lambda self: self._mma.scale_block,
                           doc="Elements with one block scale; 0: the unit has none.")

    def fields(self):
        """The numbers by which the unit adds."""
        return {name: getattr(self._mma, name) for name in
                ("k", "length", "fraction", "zero", "scale_block", "group", "round", "order",
                 "underflow", "cut", "products")}

    def replace(self, **properties):
        """A unit with other properties: lowering, underflow, zero, fraction, length, sum, round,
        order, cut, products. docs/spec/mma/units.md explains them."""
        raw = ffi.new("sf8_mma *", self._mma[0])
        for name, value in properties.items():
            status = lib.sf8_mma_set(raw, encoded("property", name), str(value).encode())
            if status == lib.SF8_UNKNOWN_NAME:
                raise ValueError(f"{name}: a matrix unit has no such property")
            if status != lib.SF8_OK:
                raise ValueError(f"{name}: {value!r} is not possible for the unit {self.name}")
        return Unit(raw, self.name, self._formats, {**self._changed, **properties})

    def dot(self, a, b, c=0.0, *, scale_a=None, scale_b=None):
        """The dot product of two rows of codes plus the accumulator c.

        >>> unit("hopper-qgmma", "e4m3", "e4m3", "f32").dot([0x38] * 32, [0x38] * 32)
        np.float32(32.0)
        """
        a_format, b_format, out = self._formats
        a = contiguous(codes_of(a, a_format, "a")).reshape(-1)
        b = contiguous(codes_of(b, b_format, "b")).reshape(-1)
        if a.size != b.size:
            raise ValueError(f"b: expected {a.size} codes, got {b.size}")
        self._whole(a.size)
        scales = [self._scales(s, (), a.size, name) for s, name in
                  ((scale_a, "scale_a"), (scale_b, "scale_b"))]
        word = lib.sf8_mma_dot(self._mma, read(a), read(b),
                               *(words(s, "const uint8_t *") for s in scales), a.size,
                               self._one(c))
        return np.asarray(word, out.code_dtype).view(FLOATS[out.name])[()]

    def _one(self, c):
        words = _accumulator(c, self._formats[2])
        if words.size != 1:
            raise ValueError(f"c: expected one number, got the shape {words.shape}")
        return words.item()

    def _whole(self, k):
        step = self._mma.group or 1
        if k > self._mma.k and k % self._mma.k:
            raise ValueError(f"a: {k} products are no multiple of the {self._mma.k} of "
                             f"{self.name}")
        if k % step:
            raise ValueError(f"a: {k} products are no multiple of {step}, a group of {self.name}")

    def _scales(self, scales, lead, k, argument):
        """The block scales of an operand, one byte for each block of each of its rows."""
        block = self._mma.scale_block
        if not block:
            if scales is not None:
                raise ValueError(f"{argument}: the unit {self.name} has no block scales")
            return None
        if scales is None:
            raise ValueError(f"{argument}: the unit {self.name} needs block scales")
        array, own = array_of(scales, argument)
        of = Format(self._mma.scale, next(
            text(row.scale) for row in rows(lib.sf8_mma_at) if text(row.unit) == self.name and bool(
                lib.sf8_mma_takes(row, *(f._format for f in self._formats)))))
        if own is not None and not of.is_named(own) and (of.name, own) != ("ue4m3", "e4m3"):
            raise TypeError(f"{argument}: expected {expected_codes(of)}, got "
                            f"{dtype_text(scales, array)}")
        if isinstance(scales, (list, tuple)) and array.dtype.kind == "i":
            array = within(array, Byte, argument).astype(np.uint8)
        if array.itemsize != 1:
            raise TypeError(f"{argument}: expected one byte for each scale, got {array.dtype}")
        expected = (*lead, -(-k // block))
        if array.shape != expected:
            raise ValueError(f"{argument}: expected the shape {expected}, got {array.shape}")
        return contiguous(array).view(np.uint8)

    def __repr__(self):
        changed = "".join(f", {name}={value!r}" for name, value in self._changed.items())
        names = ", ".join(repr(f.name) for f in self._formats)
        return f"softfp8.unit({self.name!r}, {names}{changed})"


def unit(name, a="e4m3", b=None, out="f32", **properties):
    """A matrix unit by its name, for operands of formats a and b and results of format out."""
    if isinstance(name, Unit):
        return name.replace(**properties) if properties else name
    formats = format_of(a), format_of(a if b is None else b), format_of(out)
    raw = ffi.new("sf8_mma *")
    status = lib.sf8_mma_named(raw, encoded("unit", name), *(f._format for f in formats))
    names = sorted({text(row.unit) for row in rows(lib.sf8_mma_at)})
    if status == lib.SF8_UNKNOWN_NAME:
        raise unknown("unit", name, names)
    if status != lib.SF8_OK:
        takes = "; ".join(sorted({f"{text(row.operands)} to {text(row.out)}"
                                  for row in rows(lib.sf8_mma_at) if text(row.unit) == name}))
        raise ValueError(f"unit: {name} does not take {formats[0].name} and {formats[1].name} with "
                         f"results of {formats[2].name}; it takes {takes}")
    found = Unit(raw, name, formats)
    return found.replace(**properties) if properties else found


def unit_takes(name, a, b, out):
    """Whether a unit has a row for these formats."""
    formats, name = [format_of(f)._format for f in (a, b, out)], encoded("name", name).decode()
    return any(bool(lib.sf8_mma_takes(row, *formats)) for row in rows(lib.sf8_mma_at)
               if text(row.unit) == name)


def _accumulator(c, out, argument="c"):
    """Accumulators as bit patterns of the unit's result, one to a word of 32 bits."""
    array, name = array_of(c, argument)
    if isinstance(c, (int, float)):
        from .convert import convert

        array, name = np.asarray(convert(float(c), out)), out.name
    if name != out.name:
        raise TypeError(f"{argument}: expected {out.name}, got {name or array.dtype}")
    return contiguous(array).view(out.code_dtype).astype(np.uint32)


def factors(a, b, from_, from_b):
    """The codes of two matrices that can be multiplied, and their formats."""
    a_format, a = coded(a, from_, "a")
    b_format, b = coded(b, from_ if from_b is None else from_b, "b")
    for argument, codes in ("a", a), ("b", b):
        if codes.ndim != 2:
            raise ValueError(f"{argument}: expected a matrix, got the shape {codes.shape}")
    k = a.shape[1]
    if b.shape[0] != k:
        raise ValueError(f"b: expected {k} rows, as many as a has columns; got {b.shape[0]}")
    return a, b, a_format, b_format


def mma(name, a, b, c=None, *, from_=None, from_b=None, to="f32", scale_a=None, scale_b=None,
        schedule=None, promote=0, splits=0, scaling="unscaled", stretch_scales=None, level=None,
        **properties):
    """d = a @ b + c as a matrix unit computes it, with every bit.

    name      the unit: softfp8.units() has all
    a, b      matrices of m x k and k x n codes
    c         the accumulators, m x n of the format `to`; None: 0
    from_     the format of the codes, if the dtype does not say; from_b: that of b, if another
    scale_a   for a unit with block scales: m x blocks bytes; scale_b: n x blocks bytes
    schedule  how a kernel combines instructions, by name (softfp8.schedules()); or promote,
              splits, scaling and stretch_scales=(of a, of b) as in sf8_mma_schedule
    level     an instruction set of softfp8.simd(), or "core"; the result is the same
    Other keywords change properties of the unit: see Unit.replace.

    >>> import softfp8 as sf
    >>> one = np.full((2, 32), 0x38, np.uint8)
    >>> mma("hopper-qgmma", one, one.T, from_="e4m3").tolist()
    [[32.0, 32.0], [32.0, 32.0]]
    """
    a, b, a_format, b_format = factors(a, b, from_, from_b)
    (m, k), n = a.shape, b.shape[1]
    found = unit(name, a_format, b_format, to, **properties)
    out = found._formats[2]
    a, b = contiguous(a), contiguous(b.T)
    scales = [found._scales(s, (lead,), k, argument) for s, lead, argument in
              ((scale_a, m, "scale_a"), (scale_b, n, "scale_b"))]
    if c is not None:
        c = _accumulator(c, out)
        if c.shape not in ((), (m, n)):
            raise ValueError(f"c: expected the shape {(m, n)}, got {c.shape}")
        c = contiguous(np.broadcast_to(c, (m, n)))
    operands = ffi.new("sf8_mma_operands *",
                       [read(a), read(b), *(words(s, "const uint8_t *") for s in scales)])
    plan, keep = _schedule(schedule, promote, splits, scaling, stretch_scales, out, found, m, n, k)
    result = np.empty((m, n), np.uint32)
    arguments = (found._mma, plan, words(result, "uint32_t *"), words(c, "const uint32_t *"),
                 operands[0], m, n, k)
    status = lib.sf8_mma_matmul(*arguments) if level is None else \
        lib.sf8_mma_matmul_at(level_name(level), *arguments)
    check(status, f"mma: {k} products are no multiple of the {found.k} of {found.name}, of the "
                  "splits, or of the stretches")
    return result.astype(out.code_dtype).view(FLOATS[out.name])


def _schedule(name, promote, splits, scaling, scales, out, found, m, n, k):
    """The structure sf8_mma_schedule, and what must stay alive as long as it."""
    if name is not None:
        encoded("schedule", name)
        row = next((row for row in schedules() if row["name"] == name), None)
        if row is None:
            raise unknown("schedule", name, [row["name"] for row in schedules()])
        promote, splits = row["promote"], row["splits"]
        scaling = next(text for text, value in SCALINGS.items() if value == row["scaling"])
    choice("scaling", scaling, SCALINGS)
    promote, splits = size("promote", promote), size("splits", splits)
    keep = [None, None]
    if scaling == "unscaled":
        if scales is not None:
            raise ValueError("stretch_scales: expected scaling='scales-first' or 'sum-first' with "
                             "them, got 'unscaled'")
        if not promote and not splits:
            return ffi.NULL, None
    else:
        if scales is None or not promote:
            raise ValueError(f"stretch_scales: scaling={scaling!r} needs two arrays, and promote")
        stretches = lib.sf8_mma_stretches(found._mma, size("promote", promote, MOST // found.k), k)
        if not isinstance(scales, (tuple, list)) or len(scales) != 2:
            raise TypeError("stretch_scales: expected a pair of arrays, that of a and that of b")
        names = [f"stretch_scales[{i}]" for i in range(2)]
        keep = [_accumulator(s, out, name) for s, name in zip(scales, names)]
        for array, lead, argument, side in zip(keep, (m, n), names, "ab"):
            if array.shape != (lead, stretches):
                raise ValueError(f"{argument}: expected the shape {(lead, stretches)} for "
                                 f"{side}, got {array.shape}")
    return ffi.new("sf8_mma_schedule *",
                   [promote, splits, SCALINGS[scaling],
                    *(words(s, "const uint32_t *") for s in keep)]), keep
