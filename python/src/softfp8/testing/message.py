# SPDX-License-Identifier: MIT
"""message.py -- differences between arrays of codes, as the text of an AssertionError"""
import dataclasses

import numpy as np

from .._base.arrays import array_of, code_dtype, codes_of, contiguous
from .._parts import FLOATS, exact_codes
from ..formats import Format
from .inputs import named_format

RANGES = ELEMENTS = 4  # shown in a message
KEPT = 64  # ranges that a report has
SHOWN = 4  # explanations that fit equally well


@dataclasses.dataclass
class Codes:
    """An array of codes and their format."""

    array: np.ndarray
    of: Format

    def hex(self, i):
        """The code of an element of the flattened array."""
        return f"{int(self.array.reshape(-1)[i]):0{-(-self.of.bits // 4)}x}"

    def value(self, i):
        """Its value as text: exact for a narrow format, else the shortest that reads back."""
        code = self.array.reshape(-1)[i]
        return f"{float(self.of.decode(code, to='f64')):.10g}" if self.of.bits <= 8 else \
            self.of.text(code)

    def both(self, i):
        return f"{self.hex(i)} = {self.value(i)}"


@dataclasses.dataclass
class Fit:
    """An explanation that gives every result: what it is, if it has a name, and in words what is
    otherwise. `named` is a recipe that gives them."""

    matches: str | None
    words: str
    named: str | None = None


@dataclasses.dataclass
class Why:
    """What an implementation did instead, and the likely mistake; each a text or None. Where nothing
    gives every result, `nearest` says what gives most of them, and `seen` what can be seen."""

    matches: str | None = None
    mistake: str | None = None
    nearest: str | None = None
    seen: str | None = None

    @property
    def words(self):
        """The mistake, or else what can be seen."""
        return self.mistake or self.seen

    def lines(self):
        unexplained = None if self.matches or self.mistake else \
            self.seen or "no mistake that is known gives these results"
        rows = (("matches instead", self.matches), ("likely mistake", self.mistake),
                ("unexplained", unexplained), ("nearest", self.nearest))
        return [f"  {title}: {text}" for title, text in rows if text]


def fitting(fits):
    """Why, given all that gives every result. Named recipes come first, and all that fit are listed."""
    named = [fit for fit in fits if fit.named]
    also = f" (also {listed([fit.named for fit in named[1:]])})" if named[1:] else ""
    words = [fit.words for fit in named[:1]]
    for fit in fits:
        if not fit.named and not any(fit.words in other for other in words):
            words.append(fit.words)
    matches = named[0].matches + also if named else \
        next((fit.matches for fit in fits if fit.matches), None)
    more = f"; or {len(words) - SHOWN} others" if len(words) > SHOWN else ""
    return Why(matches, "; or ".join(words[:SHOWN]) + more)


def codes_from(x, name, argument, option):
    """The codes of an array; `name` is their format, or None if the dtype has it. `option` is the
    argument that names the format. With fmt, results may also be floats that are numbers of it."""
    if name is not None:
        of = named_format(name, option)
        own = array_of(x, argument)[1]
        if option == "fmt" and own in FLOATS and not of.is_named(own):
            return Codes(exact_codes(x, of, argument), of)
        return Codes(contiguous(codes_of(x, of, argument)), of)
    array, own = array_of(x, argument)
    if own is None:
        raise TypeError(f"{argument}: an array of {array.dtype} needs {option}, the format of its "
                        "codes")
    return Codes(contiguous(array).view(code_dtype(8 * array.itemsize)),
                 named_format(own, option))


def counted(n, noun):
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def listed(names):
    """The first names, and how many more there are."""
    more = f", and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


def aligned(rows, indent="    "):
    """Rows of cells as lines with columns; the last column is not padded."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]) - 1)]
    return [indent + "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths)),
                                row[-1]]) for row in rows]


# ---- ranges


def ranges(inputs, differ):
    """The inputs that differ, as runs of those that were given, by code. A range is a pair: the
    indices of elements that have its first and its last input."""
    x, wrong = inputs.array.reshape(-1), differ.reshape(-1)
    order = np.lexsort((~wrong, x))  # of equal inputs first one that is wrong
    first = order[np.concatenate(([True], x[order][1:] != x[order][:-1]))]
    codes, wrong = x[first], wrong[first]
    negative = codes >> (inputs.of.bits - 1)  # a range has one sign
    starts = wrong & np.concatenate(([True], ~wrong[:-1] | (negative[1:] != negative[:-1])))
    ends = wrong & np.concatenate((~wrong[1:] | (negative[1:] != negative[:-1]), [True]))
    return [(int(first[a]), int(first[b]))
            for a, b in zip(np.flatnonzero(starts), np.flatnonzero(ends))]


def _span(codes, first, last):
    return codes.hex(first) if codes.hex(first) == codes.hex(last) else \
        f"{codes.hex(first)}..{codes.hex(last)}"


def range_lines(found, inputs, got, want):
    rows = [[_span(inputs, a, b), f"({inputs.value(a)}" + (f" .. {inputs.value(b)})" if a != b
                                                             else ")"),
             f"got {_span(got, a, b)}", f"expected {_span(want, a, b)}"]
            for a, b in found[:RANGES]]
    more = len(found) - RANGES
    return [f"  inputs that differ, {counted(len(found), 'range')} of {inputs.of.name}:",
            *aligned(rows), *([f"    and {counted(more, 'more range')}"] if more > 0 else [])]


def report_ranges(found, inputs, got, want):
    """The ranges as the report's JSON has them."""
    return [{"first": inputs.hex(a), "last": inputs.hex(b), "got": got.hex(a),
             "expected": want.hex(a), "value": inputs.value(a), "got_value": got.value(a),
             "expected_value": want.value(a), "policies": [], "last_value": inputs.value(b)}
            for a, b in found[:KEPT]]


# ---- elements


def place(i, shape):
    """The index of an element in the tensor, given that in the flattened array."""
    return str([int(k) for k in np.unravel_index(i, shape)]) if shape else "[]"


def element_lines(differ, columns, name="elements"):
    """The first elements that differ. `columns` are pairs: a title, and a function that gives the
    text for an index of the flattened array."""
    wrong = np.flatnonzero(differ)
    rows = [[place(i, differ.shape), *(f"{title} {text(i)}" for title, text in columns)]
            for i in wrong[:ELEMENTS]]
    head = f"  the first {len(rows)} of {counted(wrong.size, name[:-1])} that differ:" \
        if wrong.size > ELEMENTS else f"  {name} that differ:"
    return [head, *aligned(rows)]


def share(wrong, of):
    return f"{100 * wrong / of:.3g} %"
