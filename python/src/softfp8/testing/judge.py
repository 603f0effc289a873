# SPDX-License-Identifier: MIT
"""judge.py -- codes that differ in a few places: whether a stated uncertainty excuses them

The judge itself is the library's; softfp8_judge.h says what it does.
"""
import dataclasses

import numpy as np

from .._base.arrays import array_of, code_dtype, contiguous, read, words
from .._base.library import check, encoded, ffi, lib, text
from ..formats import format as format_of
from .message import Why

GRAMMAR = "for example 'bf16/2', 'f32*4', 'rel=1e-3', 'abs=1e-6', or a sum of these with '+'"


@dataclasses.dataclass
class Judgement:
    """What the library says. `differ` counts codes and scales."""

    verdict: int
    differ: int
    excused: int
    outside: int
    mistake: str
    message: str

    @property
    def holds(self):
        return self.verdict <= lib.SF8_JUDGED_EXCUSED

    def why(self):
        """For a report."""
        return Why(mistake=self.mistake or None, seen=self.message.split("\n")[0])


class Uncertainty:
    """How far what a kernel rounds may be from the exact values: a text, errors, two computations."""

    def __init__(self, uncertain, between, shape, of=None):
        """`of` is the format of the codes, in which `between` may be given too."""
        self._kept, fields = [], {}
        if isinstance(uncertain, str):
            given = encoded("uncertain", uncertain)
            if not lib.sf8_uncertainty_is_good(given):
                raise ValueError(f"uncertain: {uncertain!r}: expected {GRAMMAR}")
            self._kept.append(ffi.new("char[]", given))
            fields["text"] = self._kept[0]
        elif isinstance(uncertain, (bool, np.bool_)):
            raise ValueError(f"uncertain: {uncertain!r}: expected {GRAMMAR}, or an error")
        elif uncertain is not None:
            errors = np.asarray(array_of(uncertain, "uncertain")[0], np.float64)
            if errors.shape not in ((), shape):
                raise ValueError(f"uncertain: expected the shape {shape}, got {errors.shape}")
            errors = contiguous(np.broadcast_to(errors, shape))
            if not (errors >= 0).all():
                raise ValueError("uncertain: expected errors that are not negative")
            self._kept.append(errors)
            fields["absolute"] = words(errors, "const double *")
        if between is not None:
            paths = [path_of(x, f"between[{i}]", of) for i, x in enumerate(two(between))]
            for i, (array, source) in enumerate(paths):
                if array.shape != shape:
                    raise ValueError(f"between[{i}]: expected the shape {shape}, got {array.shape}")
                if source.name != paths[0][1].name:
                    raise TypeError(f"between[1]: expected {paths[0][1].name}, as between[0]; got "
                                    f"{source.name}")
            self._kept += [array for array, _ in paths]
            fields["between"] = [read(array) for array, _ in paths]
            fields["between_format"] = paths[0][1]._format
        self._pointer = ffi.new("sf8_uncertainty *", fields)


def two(between):
    """Two computations, as they are given."""
    if not isinstance(between, (tuple, list)) or len(between) != 2:
        raise TypeError("between: expected two computations, (a, b)")
    return between


def path_of(x, argument, of):
    """A computation: values, or codes of the result."""
    array, own = array_of(x, argument)
    source = format_of(own) if own is not None else of
    if source is None or (own is None and array.dtype.itemsize != source.code_dtype.itemsize):
        raise TypeError(f"{argument}: expected values of f32, bf16, f16 or f64"
                        + (f", or codes of {of.name}" if of is not None else "")
                        + f"; got {array.dtype}")
    return contiguous(array).view(code_dtype(8 * array.itemsize)), source


def _read(found):
    j = found[0]
    try:
        parts = j.codes, j.scales
        return Judgement(j.verdict, *(sum(getattr(part, name) for part in parts)
                                      for name in ("differ", "excused", "outside")),
                         text(j.mistake), text(j.message))
    finally:
        lib.sf8_judgement_free(j)


def judged_cast(got, inputs, policy, uncertainty, any_nan=False):
    """The codes of a cast. got, inputs: Codes; policy: in the grammar of the library."""
    policy = ffi.new("char[]", policy.encode())
    flips = ffi.new("sf8_cast_flips *", {
        "from": inputs.of._format, "to": got.of._format, "inputs": read(inputs.array),
        "codes": read(got.array), "count": got.array.size, "policy": policy,
        "uncertainty": uncertainty._pointer, "any_nan": any_nan})
    found = ffi.new("sf8_judgement **")
    check(lib.sf8_judge_cast(flips, found),
          f"{inputs.of.name} to {got.of.name}: the policy, or a code, cannot be judged")
    return _read(found)


def judged_blocks(x, source, recipe, codes, scales, g, uncertainty):
    """A matrix that was quantized: its codes and the matrix of its scales, or None."""
    rows, columns = x.size // x.shape[-1] if x.size else 0, x.shape[-1]
    if scales is not None:
        scales = contiguous(scales.astype(np.uint32))
    name = ffi.new("char[]", recipe.name.encode())
    flips = ffi.new("sf8_block_flips *", {
        "recipe": recipe._recipe, "recipe_name": name, "from": source._format, "inputs": read(x),
        "rows": rows, "columns": columns, "codes": words(codes, "const uint8_t *"),
        "scales": words(scales, "const uint32_t *"), "g": g, "uncertainty": uncertainty._pointer})
    found = ffi.new("sf8_judgement **")
    check(lib.sf8_judge_blocks(flips, found),
          f"{recipe.name}: scales that depend on more than the largest magnitude are not judged")
    return _read(found)
