# SPDX-License-Identifier: MIT
"""mistakes.py -- what a quantizer did instead of its recipe

Each known mistake is a change of the recipe, of the global scale, of amax, or of how the results are
stored. The library computes what it gives, and that is compared in every bit. Codes are also judged
by the scales that came: a wrong scale makes no code wrong. Of what nothing explains the library tries
other readings of codes and scales.
"""
import dataclasses
import functools

import numpy as np

from .._base.arrays import read, words as pointer
from .._base.library import ffi, lib, text as string
from ..diagnose import causes
from ..blocks import Quantized, codes_by_scales, largest_magnitude, quantize
from ..convert import convert
from ..formats import format as format_of
from ..layouts import layout_load, layout_size, layouts
from ..recipes import recipe as recipe_of, recipes, valid_program
from . import programs, scale_changes, scaled
from .compare import compared
from .message import Codes, Fit, Why, counted, fitting

LARGE = 1 << 13  # elements; of a larger tensor some rows are tried first
READ = 1 << 17  # elements that the engine of the command gets, where rows can be left out
FEW = 0.05  # a wrong reading changes more
COMPARED = 8  # recipes whose difference from the expected one is computed
SUBSTANTIAL = 0.1  # what the nearest recipe may leave of the codes that differ
PHRASES = {(cause.name, cause.value): cause.words for cause in causes()}


@dataclasses.dataclass(eq=False)
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

    @functools.cached_property
    def follows(self):
        """Whether scales differ, and every code is right for the scales that came."""
        return self.scales is not None and not _same(self.scales, self.want.scales) and \
            self.wrong_for_scales == 0

    @functools.cached_property
    def wrong_for_scales(self):
        """How many codes are wrong for the scales that came; None if that cannot be said."""
        codes = self.codes_by(self.scales)
        return None if codes is None else int((codes != self.codes).sum())

    @functools.cached_property
    def amax(self):
        """The largest magnitude of the tensor."""
        return largest_magnitude(self.x, self.source)

    def codes_by(self, scales, recipe=None):
        """The codes that the recipe, or another one, gives with these scales; or None."""
        rows, want = self._own_rows(), self.want.codes
        if recipe or rows is None:
            return codes_by_scales(self.x, self.source, recipe or self.of, scales,
                                   offsets=self.offsets, global_scale=self.want.global_scale,
                                   along=self.want.along)
        changed = np.flatnonzero((scales != self.want.scales).any(1))  # the others are as expected
        codes = want.reshape(rows, -1).copy()
        some = codes_by_scales(self.x.reshape(codes.shape)[changed], self.source, self.of,
                               scales[changed], global_scale=self.want.global_scale)
        if some is None:
            return None
        codes[changed] = some
        return codes.reshape(want.shape)

    def _own_rows(self):
        """How many rows the tensor has, if each has scales of its own; else None."""
        rows = self.x.size // self.x.shape[-1] if self.x.ndim and self.x.size else 0
        alone = self.want.along == "rows" and self.of._recipe.rows <= 1 and \
            self.offsets is None and self.want.scales.shape[0] == rows
        return rows if alone else None

    def made_by(self, recipe, g):
        """What a recipe with this global scale gives; None if it cannot quantize the tensor."""
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
    if why := _stored(case) or _subnormal_scales(case):
        return why
    products, nearest = _products(case)
    blocks = scale_changes.blocks_of(case)
    fits = products + _changes(case)
    if case.follows or case.stored is None:
        fits += scale_changes.fits(case, blocks)
    fits = fits or _quantized_before(case)
    if fits:
        return _with_caution(case, fitting(fits))
    if case.follows:
        return Why(seen=scale_changes.distance(case, blocks))
    why = _apart(case, blocks) or scaled.quantizer(case) or _reading(case) or _codes(case)
    if not why.mistake:
        why.nearest = nearest
    return why


def _with_caution(case, why):
    """What else may be the reason."""
    if why.mistake.startswith("the codes are ") and (other := scaled.quantizer(case)):
        why.mistake += f"; or {other.mistake}"
    right = case.scales is None or _same(case.scales, case.want.scales)
    wrong = case.codes != case.want.codes if right else case.scales != case.want.scales
    if wrong.sum() == 1 and (right or not case.wrong_for_scales):
        why.mistake += " (only one result differs, so that there may be other reasons)"
    return why


def _apart(case, blocks):
    """Where codes are wrong for the scales that came, and these are wrong too: why, each for itself."""
    if case.scales is None or _same(case.scales, case.want.scales) or \
            case.wrong_for_scales is None or np.array_equal(case.codes, case.want.codes):
        return None
    found = []
    for words, fields in _element_changes(case.of.info()):
        try:
            codes = case.codes_by(case.scales, recipe_of(case.of, **fields))
        except ValueError:
            continue
        if np.array_equal(codes, case.codes):
            found.append(words)
    for words, fields in _unrounded(case.of.info()):
        q = case.made_by(recipe_of(case.of, **fields), case.want.global_scale)
        if q is not None and words not in found and np.array_equal(q.codes, case.codes):
            found.append(words)
    if not found:
        return None
    other = scale_changes.fits(case, blocks)
    words = "; or ".join(fit.words for fit in other[:4]) or \
        f"unexplained: {scale_changes.distance(case, blocks) or 'no mistake that is known gives them'}"
    codes = "; or ".join(found[:4]).replace("the codes belong", "they belong")
    return Why(None, f"codes: {codes}; scales: {words}")


def _some_rows(case):
    """Some rows of a large tensor, of those that are wrong and of the others; None if it cannot be
    cut."""
    if case.x.size <= LARGE or case._own_rows() is None:
        return None
    columns = case.x.shape[-1]
    x, got, want = (a.reshape(-1, columns) for a in (case.x, case.codes, case.want.codes))
    wrong = (got != want).any(1)
    if case.scales is not None:
        wrong |= (case.scales != case.want.scales).any(1)
    part = np.sort(np.concatenate([_spread(np.flatnonzero(rows), LARGE // columns // 2 or 1)
                                   for rows in (wrong, ~wrong)]))
    some = None if case.scales is None else case.scales[part]
    return dataclasses.replace(
        case, x=x[part], codes=got[part], scales=some, offsets=None,
        stored=None if some is None else some.reshape(-1),
        want=dataclasses.replace(case.want, codes=want[part], scales=case.want.scales[part]))


def _spread(indices, count):
    return indices[np.linspace(0, indices.size - 1, min(count, indices.size), dtype=np.intp)]


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
    if case.of.scale.name == "e8m0" and (why := _leaked(case)):
        return why
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
        down = scales & np.uint32(0x7F800000)
        for stored, how in ((down, "down"), ((scales + np.uint32(0x7FFFFF)) & np.uint32(0x7F800000), "up")):
            if _same(case.scales, stored):
                return Why(f"{case.of.name}, with scales rounded {how} to powers of two",
                           f"the scales are rounded {how} to powers of two, but the codes belong to "
                           "those before")
        for name in ("bf16", "f16"):
            short = convert(scales.astype(np.uint32), name, policy="ocp-nosat", from_="f32",
                            dtype="codes")
            if _same(case.scales, convert(short, "f32", policy="ocp-nosat", from_=name,
                                          dtype="codes")):
                return Why(f"{case.of.name}, with scales rounded to {name}",
                           f"the scales are rounded to {name}, but the codes belong to the scales of f32")
    return None


def _leaked(case):
    """Scales of f32 that were packed by four as if they were powers of two: the exponents are
    shifted to their places, and bits of the mantissas come along."""
    blocks = scale_changes.Blocks(case)
    if case.want.along != "rows" or blocks.shape[1] % 4:
        return None
    for program in programs.plain(scale_changes.largest(case.of)):
        other = recipe_of(case.of, block=1, scale="f32", scale_of=program, scale_policy="ocp-nosat",
                          scale_fields="", second_of=None, error_of=None, properties="")
        exact = quantize(blocks.amax.reshape(-1, 1), other).scales.astype(np.uint32).reshape(-1, 4)
        up = exact + np.uint32(0x7FFFFF)  # rounded up by its bits, but not masked
        for words in (exact, up):
            places = [(words[:, k] >> np.uint32(23 - 8 * k)) if k < 3 else words[:, k] << np.uint32(1)
                      for k in range(4)]
            for joined in (np.bitwise_or, np.add):
                packed = functools.reduce(joined, places).astype("<u4")
                if np.array_equal(packed.view(np.uint8).reshape(case.scales.shape), case.scales):
                    return Why(None, "mantissa bits leak into the packed e8m0 scales: four scales of "
                                     "f32 are shifted and joined, and were not cut to powers of two")
    return None


def _subnormal_scales(case):
    """Codes by subnormal scales of e4m3 that are read as if the hidden bit were set."""
    if case.of.scale.name != "e4m3" or case.scales is None:
        return None
    codes = case.scales.astype(np.uint32)
    low = codes & 0x78 == 0
    other = recipe_of(case.of, scale="f32", scale_policy="ocp-nosat", scale_fields="")
    for tiny in (low & (codes & 7 != 0), low):
        if not tiny.any():
            return None
        values = np.asarray(convert(codes.astype(np.uint8), "f32", from_="e4m3",
                                    policy="ocp-nosat"))
        wrong = ((8 + (codes & 7)) * np.float32(2.0 ** -10)).astype(np.float32)
        read_as = np.where(tiny, wrong, values).astype(np.float32).view(np.uint32)
        if np.array_equal(case.codes_by(read_as, other), case.codes):
            return Why(None, "subnormal scales of e4m3 are read as normal numbers, with the hidden bit")
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
    for change, words in (*((("round", name), PHRASES["round", name]) for name in modes),
                          (("flush", "outputs"), PHRASES["flush", "outputs"]),
                          (("via", "f16"), "double rounding: elements are rounded to f16 first"),
                          (("via", "bf16"), "double rounding: elements are rounded to bf16 first")):
        yield words, {"element_fields": _with(fields, **dict([change]))}
    yield "NaN instead of saturation: a value that is too large gives NaN", \
        {"element_policy": "ocp-nosat"}
    for near in {"e4m3": ("e4m3fnuz", "e5m2"), "e5m2": ("e5m2fnuz", "e4m3"),
                 "e4m3fnuz": ("e4m3",), "e5m2fnuz": ("e5m2",)}.get(row["element"], ()):
        yield f"the codes are {near}, not {row['element']}", {"element": near}


def _unrounded(row):
    """The scale before it was rounded to its format, for the elements."""
    if row["scale"] == "f32" and not row["scale_of"].endswith("pow2"):
        return
    field = "factor_of" if "s" in row["factor_of"].split() else "element_of"
    exact = [row["scale_of"]] if not row["scale_of"].endswith("pow2") else []
    for program in dict.fromkeys(exact + programs.plain(scale_changes.largest(recipe_of(row["name"])))):
        text = " ".join(program if term == "s" else term for term in row[field].split())
        if text != row[field] and valid_program(text):
            yield f"the codes belong to the scale before it was rounded to {_rounded(row)}", \
                {field: text}


def _rounded(row):
    return "a power of two" if row["scale"] in ("f32", "e8m0") else row["scale"]


def _choices(row):
    """The choice between two scales: none, or by errors of another kind."""
    if not row["second_of"]:
        return
    value, scaled = row["value_of"], row["element_of"]
    yield "there is no choice: always the first scale", {"second_of": None, "error_of": None}
    yield "there is no choice: always the second scale", \
        {"scale_of": row["second_of"], "second_of": None, "error_of": None}
    for text, domain in ((f"{value} x -", "values"), (f"e {scaled} -", "scaled elements")):
        for error, kind in ((f"{text} {text} *", "squares"),
                            (f"{text} {text} neg max", "magnitudes")):
            if error != row["error_of"] and valid_program(error):
                yield f"the choice between two scales compares errors of {domain}, by their {kind}", \
                    {"error_of": error}


def _scale_changes(row):
    """Another use of the scale, or another rounding of it."""
    yield from _unrounded(row)
    yield from _choices(row)
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


def _changes(case):
    """Each single change of the recipe, or of its global scale, that gives what came."""
    row, g, found = case.of.info(), case.want.global_scale, []
    if not row:
        return found
    if case.of.has_global_scale and g:
        for words, other in (("is inverted", 1 / g), ("is applied twice", g * g),
                             ("is not applied", 1.0), ("is 6 times too large", 6 * g),
                             ("is 6 times too small", g / 6)):
            if case.is_made_by(case.of, other):
                found.append(Fit(f"{case.of.name}, global scale {other:.9g}",
                                 f"the global scale {words}"))
    for words, fields in (*_element_changes(row), *_scale_changes(row)):
        try:
            other = recipe_of(case.of, **fields)
        except ValueError:  # this change is none of this recipe
            continue
        same = any(fit.words == words.replace("the scale", "the global scale") for fit in found)
        if not same and case.is_made_by(other, g):
            text = ", ".join(f"{name}={_shown(value)}" for name, value in fields.items())
            found.append(Fit(f"{case.of.name}: {words} (fields: {text})", words))
    return found + _narrow_inputs(case)


def _narrow_inputs(case):
    """Inputs of f32 that are rounded to 16 bits before amax is taken and elements are quantized."""
    found = []
    for name in ("bf16", "f16") if case.source.name == "f32" else ():
        other = _narrow(case, name)
        for g in dict.fromkeys((case.want.global_scale, _own_scale(other, case.of))):
            if all(_narrow(some, name).is_made_by(case.of, g) for some in (case.part, other) if some):
                found.append(Fit(f"{case.of.name}, with inputs rounded to {name}",
                                 f"the inputs are rounded to {name} first"))
                break
    return found


def _narrow(case, name):
    """The case with inputs that are rounded to a format."""
    short = convert(case.x, name, policy="ocp-nosat", from_="f32", dtype="codes")
    x = convert(short, "f32", policy="ocp-nosat", from_=name, dtype="codes")
    return dataclasses.replace(case, x=x, part=None)


def _quantized_before(case):
    """Inputs that were quantized before: by the recipe itself, or by others of the same element."""
    found = []
    for name in dict.fromkeys((case.of.name, *recipes())):
        first = recipe_of(case.of if name == case.of.name else name)
        alone = first._recipe.rows <= 1  # so that some rows can be tried first
        if first.element != case.of.element or first.has_offsets or \
                not alone and case.x.size > scaled.MOST:
            continue
        cases = [some for some in (case.part if alone else None, case) if some]
        for g in _global_scales(case, first):
            to = next((to for to in ("f32", "bf16") if all(_again(some, first, g, to)
                                                           for some in cases)), None)
            if to:
                found.append(Fit(f"{case.of.name} of values that {name} quantized", "the inputs were "
                                 f"quantized before, by {name}" + " and rounded to bf16" *
                                 (to == "bf16")))
                break
        if found and name == case.of.name:
            break
    return found


def _again(case, first, g, to):
    """Whether the case is made of what a recipe gives, in f32 or bf16."""
    q = case.made_by(first, g)
    if q is None:
        return False
    x = np.asarray(q.dequantize(), np.float32).reshape(case.x.shape)
    x = convert(x, to, policy="ocp-nosat", dtype="codes") if to != "f32" else x.view(np.uint32)
    return dataclasses.replace(case, x=x, source=format_of(to), part=None).is_made_by(
        case.of, case.want.global_scale)


def _shown(value):
    """The value of a field, in quotes where its end would not be seen."""
    return repr(value) if isinstance(value, str) and (not value or " " in value) else value


def _own_scale(case, recipe):
    """The global scale that a recipe computes for the whole tensor, or None."""
    try:
        return recipe.global_scale(case.amax, case.source)
    except ValueError:
        return None


def _products(case):
    """The other recipes of the same element that give what came; and in words the one that gives
    most of it."""
    part = case.part or case
    wrong = int((part.codes != part.want.codes).sum())
    found, near = [], (wrong * SUBSTANTIAL, None, None)
    for name in recipes():
        other = recipe_of(name)
        if other.element != case.of.element or other.scale.name != case.of.scale.name or \
                other.has_offsets:
            continue
        for g in _global_scales(case, other):
            q = part.made_by(other, g)
            if q is not None and part.equals(q.codes, q.scales) and case.is_made_by(other, g):
                found.append((other, g))
                break
            if q is not None:
                left = int((part.codes != q.codes).sum())
                near = min(near, (left, name, (other, g)), key=lambda row: row[0])
    words = {other.name: _difference(case, other, g) for other, g in found[:COMPARED]}
    names = sorted(words, key=lambda name: len(words[name])) + \
        [other.name for other, _ in found[COMPARED:]]  # the plainest first
    return [Fit(name, f"the arithmetic of {name}: {words.get(name)}", name) for name in names], \
        None if found else _nearest(case, wrong, near)


def _global_scales(case, other):
    """The global scales with which another recipe may have been used: the one that was given, in its
    own form, and the one that it computes."""
    g, forms = case.want.global_scale, (case.of._recipe.has_g, other._recipe.has_g)
    given = (g,) if forms[0] == forms[1] else \
        (1 / g,) if set(forms) == {lib.SF8_G_ENCODE, lib.SF8_G_DECODE} and g else ()
    return dict.fromkeys((*given, _own_scale(case, other)))


def _nearest(case, wrong, near):
    """The recipe that gives most codes, in a sentence."""
    _, name, made = near
    q = name and case.made_by(*made)
    if not q:
        return None
    left, wrong = (int((case.codes != codes).sum()) for codes in (q.codes, case.want.codes))
    return f"{name} gives all but {counted(left, 'code')} of {case.codes.size:,}; " \
           f"{case.of.name} all but {wrong:,}" if left <= wrong * SUBSTANTIAL else None


FIELDS = (("element_policy", "element_fields"), ("block",), ("properties",), ("scale",),
          ("scale_policy", "scale_fields"), ("scale_of",), ("second_of", "error_of"),
          ("factor_of", "element_of"))  # of recipes; those of a group change together


def _difference(case, other, g):
    """In which fields another recipe has to differ from the expected one to give what came, in
    words."""
    row, theirs = case.of.info(), other.info()
    groups = [group for group in FIELDS if any(row[field] != theirs[field] for field in group)]

    def gives(groups, g, case=case.part or case):
        try:
            return case.is_made_by(recipe_of(case.of, **{
                field: theirs[field] for group in groups for field in group}), g)
        except ValueError:
            return False

    if other.scale_is_given and not case.of.scale_is_given:
        return f"one scale for the whole tensor, {g:.9g}"
    needed = list(groups)
    for group in groups:  # what is not needed is left out
        if gives([other for other in needed if other != group], g):
            needed.remove(group)
    groups = needed if gives(needed, g, case) else groups
    words = [_group_words(case, group, row, theirs) for group in groups]
    if g != case.want.global_scale and not gives(groups, case.want.global_scale):
        words.append(f"the global scale is {g:.9g}, not {case.want.global_scale:.9g}")
    return "; ".join(words)


def _group_words(case, group, row, theirs):
    """How a group of fields differs, in words."""
    name = group[0]
    if name == "scale_of":
        known = dict(programs.changes(row[name], scale_changes.largest(case.of), row["scale"]))
        return known.get(theirs[name]) or f"the scale is {programs.formula(theirs[name])}, not " \
                                          f"{programs.formula(row[name])}"
    if name == "factor_of":
        ours, others = (programs.formula(r["element_of"], **(
            {"f": programs.formula(r["factor_of"])} if r["factor_of"] else {}))
            for r in (row, theirs))
        return f"an element is {others}, not {ours}"
    if name == "second_of":
        if row[name] and theirs[name]:
            return "the choice between two scales compares other errors"
        return f"a block {'has a choice of' if theirs[name] else 'does not choose between'} two scales"
    if name == "block":
        return f"blocks of {theirs[name] or 'a row'}, not of {row[name] or 'a row'}"
    ours, others = (" ".join(str(r[field]) for field in group if r[field]) or "none"
                    for r in (row, theirs))
    return f"{name.replace('_', ' ')}: {others}, not {ours}"


# ---- readings of codes and scales


def _reading(case):
    """How codes and scales must be read to give the tensor."""
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
    values = convert(x, "f32", from_=case.source, policy="ocp-nosat", dtype="codes")
    stored, name = np.ascontiguousarray(stored), ffi.new("char[]", case.of.name.encode())
    results = ffi.new("sf8_layout_results *", {
        "rows": x.shape[0], "columns": columns, "values": pointer(values, "float *"),
        "from": case.source._format, "codes": read(packed), "scales": read(stored.view(np.uint8)),
        "codes_size": packed.nbytes, "scales_size": stored.nbytes, "recipe": name,
        "layout": lib.sf8_layout_named(case.layout.encode(), ffi.NULL), "is_quick": 1,
        "global_scale": case.want.global_scale if case.of.has_global_scale else 0})
    found = ffi.new("sf8_layout_diagnosis **")
    if lib.sf8_diagnose_layout(results, found) != lib.SF8_OK:
        return None
    try:
        return _read(found[0])
    finally:
        lib.sf8_layout_diagnosis_free(found[0])


def _read(d):
    if d.verdict != lib.SF8_VERDICT_CHANGED:
        return None
    changes = [d.list[0].change[i] for i in range(d.list[0].count)]
    todo = [advice for c in changes if (advice := string(c.advice))]
    advice = "; ".join(todo).replace("--global-scale ", "global_scale=")
    return Why(None, "; ".join(string(c.words) for c in changes)
               + (f" (to do: {advice})" if todo else ""))


def _codes(case):
    """What can be said of the codes alone."""
    wrong = case.codes != case.want.codes
    if "int" in case.of.element or not wrong.any():
        return Why()
    of = format_of(case.of.element)
    return compared(Codes(case.codes, of), Codes(case.want.codes, of)).why
