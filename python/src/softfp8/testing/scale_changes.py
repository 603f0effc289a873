# SPDX-License-Identifier: MIT
"""scale_changes.py -- the scales of a quantizer, apart from its codes: what was computed instead

A recipe computes the scale of a block from amax, the largest magnitude. So the scales of another
program, or of another amax, are those of blocks that have this one element. An explanation has to
give every scale, bit for bit. One with a number that is found, such as eps, needs MANY scales that
differ: one scale alone would fit some number always.
"""
import re

import numpy as np

from ..blocks import quantize
from ..convert import convert
from ..formats import format as format_of
from ..recipes import recipe as recipe_of
from ..stages import stage as stage_of
from .message import Fit, counted
from . import programs

MANY = 3
SOME = 256  # scales that are tried first where a number is sought
MOST = 1 << 18  # elements of a tensor whose scales did not come, for which codes are computed again
ERROR = 3e-7
STEPS = 16  # scales that are so near are said to be


def largest(of):
    """The largest number of an element, or None for integers."""
    return None if "int" in (of.element or "int") else format_of(of.element).max


class Blocks:
    """The blocks of a tensor: a row for each scale, with zeros where a block is short."""

    def __init__(self, case):
        self.case, self.shape = case, case.want.scales.shape
        x = np.asarray(convert(case.x, "f32", from_=case.source, policy="ocp-nosat"))
        x = x.reshape(-1, x.shape[-1])
        if case.want.along == "columns":
            x, self.shape = x.T, self.shape[::-1]
        self.x = self._cut(x)
        self.row = case.of.info()
        nan = "amax=nan" in self.row["properties"]
        self.amax = (np.maximum if nan else np.fmax).reduce(np.abs(self.x), axis=1)
        self.program = self.row["scale_of"]
        if case.source.bits == 16:
            self.program = re.sub(r"\bown\b", case.source.name, self.program)
        self.right = self._are_right(self.program)
        for program in programs.plain(largest(case.of)):
            if self.right and case.of.scale.name == "f32" and self._are_right(program):
                self.program = program  # what else the recipe's has makes no difference here

    def _are_right(self, program):
        """Whether a program gives the expected scales."""
        return np.array_equal(self.matrix(self.scales(program=program)), self.case.want.scales)

    def _cut(self, x):
        down, across = self.shape
        high, wide = self.case.of._recipe.rows or 1, min(self.case.of.block or x.shape[1], x.shape[1])
        room = np.zeros((down * high, across * wide), np.float32)
        room[:x.shape[0], :x.shape[1]] = x
        return room.reshape(down, high, across, wide).swapaxes(1, 2).reshape(down * across, -1)

    def matrix(self, scales):
        """One scale for each block as the matrix that the recipe has."""
        scales = scales.reshape(self.shape)
        return scales.T if self.case.want.along == "columns" else scales

    def flat(self, scales):
        """The converse of matrix()."""
        scales = scales.T if self.case.want.along == "columns" else scales
        return np.ascontiguousarray(scales).reshape(-1)

    def scales(self, amax=None, program=None):
        """The scales of blocks with these largest magnitudes."""
        amax = self.amax if amax is None else amax
        other = recipe_of(self.case.of, **{
            "block": 1, "scale_of": program or self.program, "second_of": None, "error_of": None,
            "properties": " ".join(re.findall(r"\b(?:amax|zero|g)=\w+", self.row["properties"]))})
        return quantize(amax.astype(np.float32).reshape(-1, 1), other, global_scale=self.case.want.
                        global_scale if other.has_global_scale else None).scales.reshape(-1)


def blocks_of(case):
    """The blocks of a case; None if amax alone does not give the scales of its recipe."""
    row = case.of.info()
    if not row or "amax" not in row["scale_of"].split() or row["second_of"] or not case.x.size:
        return None
    blocks = Blocks(case)
    return blocks if blocks.right else None


# ---- what gives scales: rows of a change in words, the largest magnitudes, and the program


def _other_amax(blocks):
    """The largest magnitude of other elements than those of the block, or rounded."""
    amax, (down, across) = blocks.amax, blocks.shape
    n = blocks.x.shape[1]
    for name in ("bf16", "f16"):
        with np.errstate(over="ignore"):
            short = convert(amax, name, policy="ocp-nosat", dtype="codes")
        yield f"amax is rounded to {name}", np.asarray(convert(short, "f32", from_=name,
                                                               policy="ocp-nosat"))
    yield "amax is the largest element, not the largest magnitude", np.fmax(blocks.x.max(1), 0)
    magnitudes = np.abs(blocks.x)
    if n > 1:
        for first, words in ((0, "first"), (1, "second")):
            yield f"amax is taken over each second element, from the {words} on", \
                magnitudes[:, first::2].max(1)
    table = amax.reshape(down, across)
    for axis, size, unit in ((1, across, "blocks of a row"), (0, down, "rows of blocks")):
        for k in (2 ** i for i in range(1, size.bit_length()) if size > 1):
            if k < size:
                pad = np.zeros((-size % k, table.shape[1 - axis]), np.float32)
                grown = np.concatenate([np.moveaxis(table, axis, 0), pad])
                most = grown.reshape(-1, k, grown.shape[1]).max(1).repeat(k, 0)[:size]
                yield f"amax is taken over {k} {unit}", np.moveaxis(most, 0, axis).reshape(-1)
        if size > 1:
            most = np.broadcast_to(table.max(axis, keepdims=True), table.shape).reshape(-1)
            yield f"amax is taken over all {unit}", most
    yield "amax is that of the whole tensor", np.full_like(amax, amax.max())


def _rows(blocks):
    """Known changes: in words, with amax and the program."""
    of, row = blocks.case.of, blocks.row
    changed = programs.changes(blocks.program, largest(of), of.scale.name)
    for program, words in changed:
        yield words, None, program
    other = []
    for words, amax in _other_amax(blocks):
        if not any(np.array_equal(amax, earlier) for _, earlier in other):
            other.append((words, amax))
            yield words, amax, None
    for words, amax in other[:2]:
        for program, more in changed:
            yield f"{words}; {more}", amax, program


# ---- changes with a number that is found


def _numbers(low, high):
    """Numbers of an interval, the shortest first, in the precision of f32."""
    for digits in range(9):
        number = float(f"{(low + high) / 2:.{digits}e}")
        if low <= np.float32(number) <= high:
            yield number


class Numbers:
    """What is found by looking at the scales that came. `got` has them; each scale that differs was
    given by some amax, from `low` to `high`."""

    def __init__(self, blocks, got):
        self.blocks, self.got, self.want = blocks, got, blocks.flat(blocks.case.want.scales)
        self.differs = np.flatnonzero(got != self.want)
        of = blocks.case.of.scale
        self.values, self.right = (np.asarray(convert(codes, "f64", from_=of, policy="ocp-nosat"))
                                   for codes in (got, self.want))

    def enough(self):
        at = self.differs
        return len(set(zip(self.blocks.amax[at].tolist(), self.got[at].tolist()))) >= MANY

    def part_of_block(self):
        """Over how many elements from the first, or to the last, amax was taken."""
        n = self.blocks.x.shape[1]
        some = self.differs[np.linspace(0, self.differs.size - 1, min(SOME, self.differs.size),
                                        dtype=np.intp)]
        for words, step in (("first", 1), ("last", -1)):
            most = np.maximum.accumulate(np.abs(self.blocks.x[some][:, ::step]), 1)[:, :-1]
            if not most.size:
                return
            holds = (self.blocks.scales(most).reshape(most.shape) ==
                     self.got[some][:, None]).all(0)
            for k in sorted(np.flatnonzero(holds) + 1, key=lambda k: (2 * k != n, -(k & -k)))[:4]:
                part = self.blocks.x[:, ::step][:, :k]
                if np.array_equal(self.blocks.scales(np.abs(part).max(1)), self.got):
                    yield f"amax is taken over the {words} {k} of the {n} elements of a block"
                    break

    def _inverse(self, at):
        """For these blocks the least and the greatest amax that give the scales which came."""
        want, ends = self.got[at].astype(np.int64), []
        for above in (0, 1):
            low = np.zeros(at.size, np.int64)
            high = np.full(at.size, 0x7F800000, np.int64)
            while (low < high).any():
                middle = (low + high) // 2
                scales = self.blocks.scales(middle.astype(np.uint32).view(np.float32))
                reached = scales.astype(np.int64) >= want + above
                low, high = np.where(reached, low, middle + 1), np.where(reached, middle, high)
            ends.append((low - above).clip(0).astype(np.uint32).view(np.float32).astype(float))
        return ends

    def of_amax(self):
        """One number that is added to amax, or by which it is multiplied."""
        at = self.differs[np.linspace(0, self.differs.size - 1, min(4096, self.differs.size),
                                      dtype=np.intp)]
        amax = self.blocks.amax[at].astype(float)
        low, high = np.sort(self._inverse(at), 0)  # no amax may give a scale, but neighbours do
        if not (np.isfinite(amax) & (amax > 0)).all():
            return
        room = 2 * np.spacing(self.blocks.amax[at]).astype(float)
        ends = (low - amax - room).max(), (high - amax + room).min()
        for eps in _numbers(*ends):
            if eps > 0 and self._holds(self.blocks.amax + np.float32(eps)):
                yield f"the scale is that of amax + {eps:.9g}"
                break
        ends = (low / amax).max() * (1 - ERROR), (high / amax).min() * (1 + ERROR)
        yield from self._factor(ends)

    def of_statistic(self):
        """The mean magnitude, the root mean square or a quantile. Sums of f32 have errors."""
        x = np.abs(self.blocks.x.astype(float))
        if x.size != self.blocks.case.x.size or not np.isfinite(x).all():
            return  # a short block has zeros at its end
        low, high = np.sort(self._inverse(np.arange(self.got.size)), 0)
        slack = np.sqrt(x.shape[1]) * 2.0 ** -22
        for words, value in (("mean magnitude, not of the largest", x.mean(1)),
                             ("root mean square, not of the largest magnitude",
                              np.sqrt(np.square(x).mean(1))),
                             ("99.9 % quantile of magnitudes, not of the largest",
                              np.quantile(x, 0.999, axis=1)),
                             ("99 % quantile of magnitudes, not of the largest",
                              np.quantile(x, 0.99, axis=1))):
            if ((low <= value * (1 + slack)) & (value * (1 - slack) <= high)).all():
                yield f"the scale is that of the {words}"

    def _holds(self, amax=None, program=None):
        return np.array_equal(self.blocks.scales(amax, program), self.got)

    def _factor(self, ends):
        last = programs.divisor(self.blocks.program)
        for number in _numbers(last[0] / ends[1], last[0] / ends[0]) if last else ():
            if self._holds(program=f"{last[1]} {number:.9g} /"):
                yield f"divides by {number:.9g} instead of {last[0]:.9g}"
                return
        for factor in _numbers(*ends):
            if self._holds(self.blocks.amax * np.float32(factor)):
                yield f"the scale is that of {factor:.9g} times amax"
                return

    def of_scale(self):
        """One number by which scales of f32 are multiplied, or that is added to them."""
        if self.blocks.case.of.scale.name != "f32":
            return
        at = self.differs
        got, want = self.values[at], self.right[at]
        if not (np.isfinite(got) & np.isfinite(want) & (want > 0)).all():
            return
        half = np.spacing(got.astype(np.float32)).astype(float) / 2
        right, came = self.right.astype(np.float32), self.values.astype(np.float32)
        low, high = ((got - half) / want).max(), ((got + half) / want).min()
        for factor in _numbers(low, high):
            if np.array_equal(right * np.float32(factor), came):
                yield f"the scales are {factor:.9g} times those of the recipe"
                break
        low, high = (got - half - want).max(), (got + half - want).min()
        for eps in _numbers(low, high):
            if eps > 0 and np.array_equal(right + np.float32(eps), came):
                yield f"{eps:.9g} is added to the scale"
                break

    def constant(self):
        """One scale for all blocks that differ: those of zeros, or the least that there is."""
        at, values = self.differs, self.values
        if len(set(self.got[at].tolist())) > 1:
            return
        value = values[at[0]]
        if not self.blocks.amax[at].any():
            yield f"the scale of a block of zeros is {value:.9g}, not {self.right[at[0]]:.9g}"
        elif self.enough() and (self.right[at] < value).all() and \
                not (np.delete(self.right, at) < value).any():
            yield f"no scale is below {value:.9g}"
        elif self.enough() and (self.right[at] > value).all() and \
                not (np.delete(self.right, at) > value).any():
            number = next(_numbers(*(end[0] for end in self._inverse(at[:1]))), None)
            yield "amax is that of values that were clipped" + (f" to {number:.9g}" if number else
                                                                f": no scale is above {value:.9g}")
        elif self.enough() and (self.got == self.got[0]).all():
            yield f"every scale is {value:.9g}, whatever its block has: it is static, or stale"

    def shifted(self):
        """The scales of the neighbours: those of the step before, for example."""
        got, want = (x.reshape(self.blocks.shape) for x in (self.got, self.want))
        for axis, unit in ((0, "row of blocks"), (1, "block")):
            n = got.shape[axis]
            for by, words in ((1, "before"), (-1, "behind")):
                kept = np.arange(n)[1:] if by > 0 else np.arange(n)[:-1]
                if n > 2 and np.array_equal(got.take(kept, axis), want.take(kept - by, axis)):
                    yield f"each {unit} has the scale{'' if axis else 's'} of the one {words} it: " \
                          "they are stale"

    def before_activation(self):
        """amax of what an activation got, where x is what it gave. A positive amax shows in the
        largest element, a negative one in some other. That there are MANY of the first makes it no
        chance: of a scale of 16 bits or more few numbers are possible for amax."""
        case, at = self.blocks.case, self.differs[:SOME]
        if case.of.scale.bits < 16:
            return
        x, ends = self.blocks.x[at], np.float32(self._inverse(at))
        slack = {"bf16": 2.0 ** -8, "f16": 2.0 ** -11}.get(case.source.name, 0) + 2.0 ** -21
        for name in ("relu2", "silu", "gelu", "gelu-tanh"):
            up, down = (np.sort(stage_of(name).run(sign * ends).astype(float), 0) for sign in (1, -1))
            up, down = (y + np.abs(y) * slack * [[-1], [1]] for y in (up, down))
            most = x.max(1)
            is_up = (up[0] <= most) & (most <= up[1])
            is_down = (most <= up[1]) & ((down[0][:, None] <= x) & (x <= down[1][:, None])).any(1)
            if (is_up | is_down).all() and is_up.sum() > MANY and 8 * is_up.sum() > at.size:
                yield f"amax is taken before {name}, of what it gets, not of its results"
                return

    def fits(self):
        found = list(self.constant())
        if self.enough():
            for sought in (self.shifted, self.part_of_block, self.of_amax, self.of_statistic,
                           self.of_scale, self.before_activation):
                found += [words for words in sought() if words not in found]
        return found

    def distance(self):
        """How far the scales are from those of the recipe, in words."""
        with np.errstate(all="ignore"):
            ratio = (self.values / self.right)[self.differs]
        ratio = ratio[np.isfinite(ratio)]
        if not ratio.size:
            return None
        step = np.abs(self.got[self.differs].astype(np.int64) - self.want[self.differs])
        if step.max() <= STEPS:
            return f"the scales are at most {counted(int(step.max()), 'step')} of " \
                   f"{self.blocks.case.of.scale.name} from those of the recipe"
        low, high = (f"{x:.6g}" for x in (ratio.min(), ratio.max()))
        return f"the scales that differ are {low} times those of the recipe" if low == high else \
            f"the scales that differ are {low} to {high} times those of the recipe"


def fits(case, blocks):
    """What gives the scales that came, if blocks is not None; where none came, the codes."""
    if blocks is None or case.scales is None and case.x.size > MOST:
        return []
    with np.errstate(all="ignore"):  # of infinity, NaN and the largest numbers
        return _fits(case, blocks)


def _fits(case, blocks):
    got = None if case.scales is None else blocks.flat(case.scales)
    if got is not None and not got.any() and case.want.scales.any():
        return [Fit(None, "all scales are 0: perhaps they were not written")]
    found = []
    for words, amax, program in _rows(blocks):
        if found and ";" in words:  # two changes where one is enough
            break
        scales = blocks.scales(amax, program)
        if (np.array_equal(scales, got) if got is not None else
                np.array_equal(case.codes_by(blocks.matrix(scales)), case.codes)):
            matches = f"{case.of.name} with scale_of={program!r}" if program and amax is None else None
            found.append(Fit(matches, words))
    if got is not None and not found:
        found = [Fit(None, words) for words in Numbers(blocks, got).fits()]
    return found


def distance(case, blocks):
    """How far the scales are from those of the recipe, in words; or None."""
    return None if blocks is None or case.scales is None else \
        Numbers(blocks, blocks.flat(case.scales)).distance()
