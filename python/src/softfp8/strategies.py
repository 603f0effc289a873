# SPDX-License-Identifier: MIT
"""strategies.py -- strategies of Hypothesis for the inputs that find mistakes in kernels

Random numbers hardly ever lie on a tie, half way between two codes. These strategies draw ties and
their neighbours, special values, and blocks whose elements are ties after the division by their
scale. Hypothesis shrinks a failure to one element. The package hypothesis has to be installed.

    from hypothesis import given
    from softfp8 import strategies

    @given(strategies.arrays("f32", strategies.inputs("f32", "e4m3")))
    def test_my_cast(x):
        assert (my_cast(x) == softfp8.convert(x, "e4m3")).all()
"""
import functools
import math

import numpy as np

from . import blocks as _blocks
from ._base.arrays import presented
from .convert import convert
from .formats import format as format_of
from .recipes import recipe as _recipe_of


def _st():
    """The module hypothesis.strategies, or an error that says how to get it."""
    try:
        from hypothesis import strategies
    except ImportError:
        raise ImportError("softfp8.strategies needs the package hypothesis: "
                          "pip install hypothesis") from None
    return strategies


def _encode(values, to):
    """The codes of numbers of f64 in a format, and which of them it has exactly."""
    codes, flags = convert(np.asarray(values, np.float64), to, policy="ocp-nosat", dtype="codes",
                           flags=True)
    return codes, flags == 0


def _sign(of):
    """The bit of a format's sign; 0 if it has none."""
    return 1 << (of.bits - 1) if of.is_signed else 0


@functools.cache
def tie_codes(wide, narrow):
    """The positive codes of `wide` that lie half way between two codes of `narrow`.

    The one nearest to 1 is first, and the one above which numbers overflow is among them.

    >>> format_of("f32").decode(tie_codes("f32", "e2m1")).tolist()
    [1.25, 0.75, 1.75, 2.5, 3.5, 0.25, 5.0, 7.0]
    """
    of = format_of(narrow)
    if of.bits > 20:
        raise ValueError(f"narrow: {narrow} has 2^{of.bits} codes; formats of up to 20 bits have "
                         "strategies")
    values = of.decode(np.arange(of.max_code + 1, dtype=of.code_dtype), to="f64")
    step = values[-1] - values[-2]
    return _nearest_one_first((values + np.append(values[1:], values[-1] + step)) / 2, wide)


def _nearest_one_first(values, to):
    """The codes of those positive numbers that a format has."""
    codes, exact = _encode(sorted(values, key=lambda x: abs(math.log2(x))), to)
    return codes[exact]


def _near(code, of):
    """Strategy: a positive code, or one of its neighbours, of either sign."""
    st = _st()
    sign = _sign(of)
    return st.tuples(code, st.sampled_from([0, 1, -1]), st.sampled_from([0, sign])).map(
        lambda drawn: max(drawn[0] + drawn[1], 0) | drawn[2])


def ties(wide, narrow):
    """Strategy: codes of `wide` that are ties of a conversion to `narrow`, +-1 ulp."""
    codes = tie_codes(_name(wide), _name(narrow)).tolist()
    if not codes:
        raise ValueError(f"wide: {wide} has no number half way between two codes of {narrow}")
    return _near(_st().sampled_from(codes), format_of(wide))


def specials(format):
    """Strategy: zeros, NaN, infinities, one, and the ends of normal and subnormal numbers."""
    of = format_of(format)
    found, _ = _encode([1, 0, of.least, of.min_normal, of.max, np.inf, np.nan], of)
    positive = sorted({int(code) for code in found} | {int(found[3]) - 1, 1}, key=found[0].__ne__)
    top, sign = (1 << of.bits) - 1, _sign(of)
    codes = [*positive, *(code | sign for code in positive), top, top ^ sign]
    return _st().sampled_from([code for code in dict.fromkeys(codes) if 0 <= code <= top])


def codes(format):
    """Strategy: any code of a format, special ones often; it shrinks to 0.

    Results of several of these go to operations, such as fma of three codes.
    """
    return _st().integers(0, (1 << format_of(format).bits) - 1) | specials(format)


def inputs(wide, narrow):
    """Strategy: codes of `wide` for a conversion to `narrow`.

    They are ties +-1 ulp, numbers that `narrow` has, special values, or any code.
    """
    of = format_of(narrow)
    values = of.decode(np.arange(of.max_code + 1, dtype=of.code_dtype), to="f64")
    exact = _nearest_one_first(values[values > 0], _name(wide)).tolist()
    return _st().one_of(ties(wide, narrow), _near(_st().sampled_from(exact), format_of(wide)),
                        specials(wide), codes(wide))


def arrays(format, elements=None, shape=None, *, dtype=None):
    """Strategy: arrays of a format, of floats for f16, f32 and f64, else of codes.

    elements  a strategy of codes; None: codes(format)
    shape     a number, a tuple, or a strategy of tuples; None: up to two axes of up to 20
    dtype     as of softfp8.convert: "codes", "ml_dtypes", "torch"

    A failure shrinks to an array with as few elements, other than 0, as fail.
    """
    from hypothesis.extra import numpy as extra

    st, of = _st(), format_of(format)
    shape = extra.array_shapes(max_dims=2, max_side=20) if shape is None else shape
    return extra.arrays(of.code_dtype, shape, elements=codes(of) if elements is None else elements,
                        fill=st.just(0)).map(lambda array: presented(array, of.name, dtype))


def scales(format="f32", exponents=(-8, 8)):
    """Strategy: positive scales in a range of exponents, which shrink to 1."""
    of = format_of(format)

    def scale(drawn):
        whole, exponent = drawn
        return int(_encode([whole * 2.0 ** (exponent - whole.bit_length() + 1)], of)[0][0])

    st = _st()
    return st.tuples(st.integers(1, (2 << of.man_bits) - 1),
                     st.integers(*exponents)).map(scale)


def divided(narrow, wide="f32", *, shape=None, scale=None):
    """Strategy: pairs of an array and a scale, whose quotients are ties of `narrow` +-1 ulp.

    They find kernels that multiply by 1 / scale instead of dividing by it.

    scale   a strategy of codes of `wide`; None: scales(wide)
    """
    st, of = _st(), format_of(wide)
    points = of.decode(tie_codes(of.name, _name(narrow)), to="f64").tolist()

    def pair(code):
        factor = float(of.decode(np.asarray(code, of.code_dtype), to="f64"))
        near = _near(st.sampled_from(points).map(
            lambda point: int(_encode([point * factor], of)[0][0])), of)
        return st.tuples(arrays(of, near, shape),
                         st.just(presented(np.asarray(code, of.code_dtype), of.name, None)))

    return (scales(wide) if scale is None else scale).flatmap(pair)


def blocks(recipe, tensor="f32", *, columns=None, global_scale=None, amax=None):
    """Strategy: one block for a quantizer, of the shape (1, columns), tie-aligned.

    The scale follows from the largest magnitude. Up to 8 other elements are, +-1 ulp, the least
    that get their codes under that scale, which are ties or lie beside one. The rest is 0.

    recipe        softfp8.recipes() has all
    tensor        f32, bf16 or f16; an array of bf16 has codes
    columns       None: the size of the recipe's block, or 16 if that is a whole row
    global_scale  as of softfp8.quantize
    amax          a strategy of codes for the largest magnitude; None: scales(tensor)
    """
    st, of, recipe = _st(), format_of(tensor), _recipe_of(recipe)
    columns = columns or recipe.block or 16

    def block(drawn):
        row = np.zeros((1, columns), of.code_dtype)
        row[0, drawn[1]] = drawn[0]
        steps = _Steps(recipe, of, row, drawn[1], global_scale)
        if columns == 1 or steps.count == 0:
            return st.just(presented(row, of.name, None))
        element = _near(st.integers(1, steps.count).map(steps.least), of)
        others = st.lists(st.tuples(st.integers(1, columns - 1), element),
                          max_size=min(columns - 1, 8), unique_by=lambda pair: pair[0])
        return others.map(lambda pairs: presented(steps.row_with(pairs), of.name, None))

    return st.tuples(scales(of) if amax is None else amax,
                     st.integers(0, columns - 1)).flatmap(block)


class _Steps:
    """How the codes of an element grow from that of 0 to that of the largest magnitude of a row."""

    def __init__(self, recipe, of, row, at, global_scale):
        self.recipe, self.of, self.row, self.at = recipe, of, row, at
        self.global_scale, self.zero = global_scale, 0
        if row.size > 1:
            self.zero, *_ = self.steps([0])
            self.count, *_ = self.steps([int(row[0, at])])

    def row_with(self, pairs):
        """The row with more elements: pairs of a distance from the largest one, and a code."""
        row = self.row.copy()
        for distance, code in pairs:
            row[0, (self.at + distance) % row.size] = code
        return row

    def steps(self, elements):
        """By how much the codes of elements are above that of 0, at most a row of them."""
        q = _blocks.quantize(self.row_with(enumerate(elements, 1)), self.recipe, from_=self.of,
                             global_scale=self.global_scale)
        found = np.roll(q.codes[0], -self.at)[1:len(elements) + 1].astype(int)
        return ((found - self.zero) % (1 << self.recipe.bits)).tolist()

    def least(self, step):
        """The least element at that step, by a search that tries as many as a row has room for."""
        low, high = 0, int(self.row[0, self.at])
        while low < high:
            tried = sorted({low + (high - low) * i // self.row.size
                            for i in range(1, self.row.size)})
            below = sum(found < step for found in self.steps(tried))
            low, high = (tried[below - 1] + 1 if below else low,
                         tried[below] if below < len(tried) else high)
        return low


def _name(format):
    return format_of(format).name


