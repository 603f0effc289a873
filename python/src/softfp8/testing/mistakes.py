# SPDX-License-Identifier: MIT
"""mistakes.py -- what a quantizer did instead of its recipe

Each known mistake is a change of the recipe, of the second scale, or of how the results are stored.
The library computes what it gives, and that is compared in every bit. What none of them explains
goes to `softfp8 layout identify`, which tries readings of codes and scales.
"""
import dataclasses
import pathlib
import tempfile

import numpy as np

from .._base.arrays import FLOATS
from .._base.command import CommandError, run
from ..blocks import Quantized, largest_magnitude, quantize
from ..convert import convert
from ..formats import format as format_of
from ..layouts import layout_load, layout_size, layouts
from ..recipes import recipe as recipe_of, recipes
from . import diagnose, scaled
from .diagnose import FLUSHES, ROUNDS
from .message import Codes, Why

LARGE = 1 << 13  # elements; of a larger tensor some rows are tried first
READ = 1 << 17  # elements that the engine of the command gets, where rows can be left out
FEW = 0.05  # a wrong reading changes more
VALUES = {"f32": "<f4", "f16": "<f2", "bf16": "<u2"}


@dataclasses.dataclass
class Case:
    """A tensor that was quantized: what came, and what should have come."""

    of: object  # the recipe
    x: np.ndarray
    source: object
    want: Quantized
    codes: np.ndarray
    stored: np.ndarray | None  # the scales as they lay in memory
    scales: np.ndarray | None  # as a matrix; None: there are none, or too few or too many
    offsets: np.ndarray | None
    layout: str
    part: object = None  # a case of some of its rows
    nearest: str | None = None  # the recipe that explains most

    def made_by(self, recipe, g):
        """What a recipe with this second scale gives; None if it cannot quantize the tensor."""
        try:
            return quantize(self.x, recipe, global_scale=g if recipe.has_global_scale else None,
                            along=self.want.along, from_=self.source)
        except ValueError:
            return None

    def is_made_by(self, recipe, g):
        """Whether that is what came."""
        if self.part is not None and not self.part.is_made_by(recipe, g):
            return False
        q = self.made_by(recipe, g)
        return q is not None and self.equals(q.codes, q.scales)

    def equals(self, codes, scales):
        """Whether these codes came, and these scales."""
        return np.array_equal(codes, self.codes) and \
            (self.stored is None or _same(self.scales, scales) or
             _same(self.stored, scales.reshape(-1)))


def _same(a, b):
    return a is not None and a.shape == b.shape and np.array_equal(a, b.astype(a.dtype))


def explain(case):
    """What the quantizer did instead, and the likely mistake."""
    case.part = _some_rows(case)
    for guess in (_stored, _changed, _product):
        if why := guess(case):
            return why
    if why := scaled.quantizer(case):
        return why
    why = _reading(case) or _codes(case)
    why.nearest = case.nearest
    return why


def _some_rows(case):
    """Some rows of a large tensor, from the first that is wrong; None if it cannot be cut."""
    columns = case.x.shape[-1] if case.x.ndim else 1
    if case.x.size <= LARGE or case.want.along != "rows" or case.of._recipe.rows > 1 or \
            case.want.scales.shape[0] != case.x.size // columns:
        return None
    x, got, want = (a.reshape(-1, columns) for a in (case.x, case.codes, case.want.codes))
    wrong = (got != want).any(1)
    if case.scales is not None:
        wrong |= (case.scales != case.want.scales).any(1)
    first = int(np.argmax(wrong))
    part = slice(first, first + max(1, LARGE // columns))
    scales = None if case.scales is None else case.scales[part]
    return dataclasses.replace(
        case, x=x[part], codes=got[part], scales=scales, offsets=None,
        stored=None if scales is None else scales.reshape(-1),
        want=dataclasses.replace(case.want, codes=want[part], scales=case.want.scales[part]))


# ---- the right values, stored otherwise


def _stored(case):
    """The right codes and scales, stored in another way; or scales that are one step off."""
    codes, scales = case.want.codes, case.want.scales
    if case.of.bits == 4 and codes.shape[-1] % 2 == 0 and case.equals(
            codes.reshape(-1, 2)[:, ::-1].reshape(codes.shape), scales):
        return Why(f"{case.of.name}, with the high nibble of each byte first",
                   "nibbles swapped: the first code of a pair belongs in the low nibble")
    if case.stored is None or not np.array_equal(codes, case.codes):
        return None
    for name in layouts():
        if name != case.layout and _load(case, name) is not None and \
                _same(_load(case, name), scales):
            return Why(f"{case.of.name}, with scales in the layout {name}",
                       f"the scales have the layout {name}, and are read as {case.layout}")
    if case.scales is None:
        return None
    if _same(case.scales.T.reshape(scales.shape), scales) or \
            _same(case.scales.reshape(scales.shape[::-1]).T, scales):
        return Why(f"{case.of.name}, with transposed scales",
                   "the scales are stored column by column, and are read row by row")
    if case.of.scale.name == "e8m0":
        for step, word in ((1, "large"), (-1, "small")):
            if _same(case.scales, scales + np.uint32(step & 0xFFFFFFFF)):
                return Why(None, f"e8m0 scale off by one: each scale is one too {word}, as with a "
                                 f"bias of {127 + step}")
    if case.of.scale.name == "f32":
        one = np.full(scales.shape, 0x3F800000, np.uint32)
        if _same(case.scales, np.asarray(case.of.scale.div(one, scales.astype(np.uint32),
                                                           policy="ocp-nosat", dtype="codes"))):
            return Why(f"{case.of.name}, with 1 / scale in place of the scale",
                       "the scale is inverted: its reciprocal is stored")
        for name in ("bf16", "f16"):
            short = convert(scales.astype(np.uint32), name, policy="ocp-nosat", from_="f32",
                            dtype="codes")
            if _same(case.scales, convert(short, "f32", policy="ocp-nosat", from_=name,
                                          dtype="codes")):
                return Why(f"{case.of.name}, with scales rounded to {name}",
                           f"the scales are rounded to {name}, but the codes belong to the scales of f32")
    return None


def _load(case, name):
    """The scales read in a layout, or None if it does not fit."""
    shape = case.want.scales.shape
    try:
        fits = case.stored.itemsize == 1 and case.stored.size == layout_size(name, *shape)
    except ValueError:
        return None
    return layout_load(case.stored, name, *shape) if fits else None


# ---- a change of the recipe


def _with(fields, **changes):
    """The fields of a policy as a recipe has them, with some changed."""
    values = dict(word.split("=") for word in fields.split())
    return " ".join(f"{field}={value}" for field, value in {**values, **changes}.items())


def _element_changes(row):
    """Other rounding of the elements: the mistake, and fields of the recipe."""
    fields, modes = row["element_fields"] or "", ("rna", "rz", "rne", "rnz")
    for change, words in (*((("round", name), ROUNDS[name]) for name in modes),
                          (("flush", "outputs"), FLUSHES["outputs"]),
                          (("via", "f16"), "double rounding: elements are rounded to f16 first"),
                          (("via", "bf16"), "double rounding: elements are rounded to bf16 first")):
        yield words, {"element_fields": _with(fields, **dict([change]))}
    yield "NaN instead of saturation: a value that is too large gives NaN", \
        {"element_policy": "ocp-nosat"}
    for near in {"e4m3": ("e4m3fnuz", "e5m2"), "e5m2": ("e5m2fnuz", "e4m3"),
                 "e4m3fnuz": ("e4m3",), "e5m2fnuz": ("e5m2",)}.get(row["element"], ()):
        yield f"the codes are {near}, not {row['element']}", {"element": near}


def _scale_changes(row):
    """Another use of the scale, or another rounding of it."""
    program, rest = row["element_of"][:5].strip(), row["element_of"][5:]
    use = {"x f *": ("f *", "x f /"), "x s /": ("s /", "x s *")}.get(program)
    if use:
        yield "the scale is applied twice", {"element_of": f"{program} {use[0]}{rest}"}
        yield "the scale is inverted", {"element_of": use[1] + rest}
        yield "the scale is not applied", {"element_of": "x" + (rest or " 1 *")}
    if program == "x s /":
        yield "multiplies by 1 / scale instead of dividing by the scale", \
            {"factor_of": "1 s /", "element_of": "x f *" + rest}
    elif row["factor_of"] == "1 s /":
        yield "divides by the scale instead of multiplying by 1 / scale", \
            {"factor_of": "", "element_of": "x s /" + rest}
    for name, words in (("ru", "rounded up"), ("rz", "truncated"), ("rna", "rounded with ties away "
                        "from zero"), ("rne", "rounded to nearest")):
        yield f"the scales are {words}", \
            {"scale_fields": _with(row["scale_fields"] or "", round=name)}
    for block in (16, 32, 64, 128):
        if row["block"] and block != row["block"]:
            yield f"wrong block size: blocks of {block} elements, not of {row['block']}", \
                {"block": block}


def _changed(case):
    """One change of the recipe, or of its second scale."""
    row, g = case.of.info(), case.want.global_scale
    if not row:
        return None
    if case.of.has_global_scale and g:
        for words, other in (("is inverted", 1 / g), ("is applied twice", g * g),
                             ("is not applied", 1.0), ("is 6 times too large", 6 * g),
                             ("is 6 times too small", g / 6)):
            if case.is_made_by(case.of, other):
                return Why(f"{case.of.name}, global scale {other:.9g}", f"the global scale {words}")
    for words, fields in (*_element_changes(row), *_scale_changes(row)):
        try:
            other = recipe_of(case.of, **fields)
        except ValueError:  # this change is none of this recipe
            continue
        if case.is_made_by(other, g):
            text = ", ".join(f"{name}={_shown(value)}" for name, value in fields.items())
            other = scaled.quantizer(case) if "element" in fields else None
            return Why(f"{case.of.name}: {words} (fields: {text})",
                       f"{words}; or {other.mistake}" if other else words)
    return None


def _shown(value):
    """The value of a field, in quotes where its end would not be seen."""
    return repr(value) if isinstance(value, str) and (not value or " " in value) else value


def _own_scale(case, recipe):
    """The second scale that a recipe computes for the whole tensor, or None."""
    try:
        return recipe.global_scale(largest_magnitude(case.x, case.source), case.source)
    except ValueError:
        return None


def _product(case):
    """Another recipe, of the same element, that gives what came; else the nearest."""
    part = case.part or case
    wrong = int((part.codes != part.want.codes).sum())
    found, near = [], (wrong // 2, None)
    for name in recipes():
        other = recipe_of(name)
        if other.element != case.of.element or other.scale.name != case.of.scale.name or \
                other.has_offsets:
            continue
        for g in dict.fromkeys((case.want.global_scale, _own_scale(case, other))):
            q = part.made_by(other, g)
            if q is not None and part.equals(q.codes, q.scales) and case.is_made_by(other, g):
                found.append(name)
                break
            if q is not None:
                left = int((part.codes != q.codes).sum())
                near = min(near, (left, name), key=lambda row: row[0])
    if found:
        return Why(found[0] + (f" (also {', '.join(found[1:4])})" if found[1:] else ""),
                   f"the arithmetic of {found[0]}")
    if near[1]:
        case.nearest = f"{near[1]}; {near[0]:,} instead of {wrong:,} of {part.codes.size:,} " \
                       "codes differ"
    return None


# ---- the engine of the command


def _reading(case):
    """How codes and scales must be read to give the tensor, by `softfp8 layout identify`."""
    if case.stored is None or case.stored.itemsize not in (1, 4) or case.want.along != "rows" or \
            case.of.bits not in (4, 8):
        return None
    few = case.scales is not None and max((case.codes != case.want.codes).mean(),
                                          (case.scales != case.want.scales).mean()) < FEW
    if few:
        return None
    columns = case.x.shape[-1]
    x, codes, stored = (*(a.reshape(-1, columns) for a in (case.x, case.codes)), case.stored)
    rows = max(128, READ // columns)
    if case.scales is not None and case.layout == "linear" and len(case.scales) == len(x) > rows:
        x, codes, stored = x[:rows], codes[:rows], case.scales[:rows]
    packed = dataclasses.replace(case.want, codes=codes).packed()
    with tempfile.TemporaryDirectory() as folder:
        paths = [str(pathlib.Path(folder, name)) for name in ("codes", "scales", "x.npy")]
        packed.tofile(paths[0])
        stored.tofile(paths[1])
        values = x.view(FLOATS[case.source.name]) if case.source.name in FLOATS else x
        np.save(paths[2], values)
        second = ["--g", repr(case.want.global_scale)] if case.of.has_global_scale else []
        try:
            text = run("layout", "identify", "--codes", paths[0], "--scales", paths[1],
                               "--values", paths[2], "--recipe", case.of.name, "--layout",
                               case.layout, *second, "--quick")
        except CommandError:
            return None
    found = [line.removeprefix("mismatch: ") for line in text.splitlines()
             if line.startswith("mismatch: ")]
    todo = [line.removeprefix("  to do: ") for line in text.splitlines()
            if line.startswith("  to do: ")]
    if not found:
        return None
    return Why(None, "; ".join(found) + (f" (to do: {'; '.join(todo)})" if todo else ""))


def _codes(case):
    """What can be said of the codes alone."""
    wrong = case.codes != case.want.codes
    if "int" in case.of.element or not wrong.any():
        return Why()
    of = format_of(case.of.element)
    return diagnose.codes(Codes(case.codes, of), Codes(case.want.codes, of), wrong)
