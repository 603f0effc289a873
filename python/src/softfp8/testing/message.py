# SPDX-License-Identifier: MIT
"""message.py -- differences between arrays of codes, as the text of an AssertionError"""
import dataclasses

import numpy as np

from .._base.arrays import array_of, code_dtype, codes_of, contiguous
from .._parts import FLOATS, exact_codes
from ..formats import Format
from .inputs import named_format

ELEMENTS = 4  # shown in a message
SHOWN = 4  # explanations that fit equally well


@dataclasses.dataclass
class Codes:
    """An array of codes and their format."""

    array: np.ndarray
    of: Format

    def both(self, i):
        """The code and the value of an element of the flattened array."""
        code = self.array.reshape(-1)[i]
        return f"{hex_of(code, self.of)} = {value_of(code, self.of)}"


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


def hex_of(code, of):
    return f"{int(code):0{-(-of.bits // 4)}x}"


def value_of(code, of):
    """The value of a code: exact for a narrow format, else the shortest that reads back."""
    return f"{float(of.decode(code, to='f64')):.10g}" if of.bits <= 8 else of.text(code)


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

