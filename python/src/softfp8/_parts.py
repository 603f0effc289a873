# SPDX-License-Identifier: MIT
"""_parts.py -- the parts of a quantized tensor as callers pass them: codes, scales and offsets"""
import math

import numpy as np

from ._base.arrays import (array_of, code_dtype, codes_of, contiguous, dtype_text, expected_codes,
                           place_text)
from ._base.library import lib, number
from .convert import convert
from .formats import Format

FLOATS = "f32", "f16", "bf16", "f64"  # of which a scale may be given by its value
PACKED = "packed codes go to softfp8.dequantize_packed"


def matrix_size(shape, argument):
    """Rows and columns of an array of this shape, whose last axis is a row."""
    if not shape:
        raise ValueError(f"{argument}: expected an array with at least one axis")
    return math.prod(shape[:-1]) if shape[-1] else 0, shape[-1]


# ---- codes of elements


class Element:
    """What an element of a recipe is: a code of a format, or an integer."""

    def __init__(self, recipe):
        self.name, self.bits = recipe.element or "the element", recipe.bits
        self._format = None if recipe._recipe.integer else Format(recipe._recipe.element, self.name)

    def is_named(self, name):
        return self._format is not None and self._format.is_named(name)


def element_codes(x, recipe, argument):
    """The codes of elements, one to a byte."""
    of = Element(recipe)
    return codes_of(x, of, argument, PACKED if of.bits < 8 else None)


# ---- scales and offsets


def exact_codes(x, of, argument):
    """The codes of an array of floats in a format that has to hold each of them exactly."""
    array, own = array_of(x, argument)
    values = np.asarray(convert(array.view(code_dtype(8 * array.itemsize)), "f64", from_=own,
                                policy="ocp-nosat"))
    codes = np.asarray(convert(values, of, policy="ocp-nosat", dtype="codes"))
    back = np.asarray(convert(codes, "f64", from_=of, policy="ocp-nosat"))
    wrong = (back != values) & ~(np.isnan(back) & np.isnan(values))
    if wrong.any():
        at = int(np.argmax(wrong.reshape(-1)))
        raise ValueError(f"{argument}: {place_text(at, array.shape)} is "
                         f"{float(values.reshape(-1)[at])!r} ({dtype_text(x, array)}), which "
                         f"{of.name} does not hold exactly; expected {expected_codes(of)}, or "
                         f"numbers that {of.name} holds")
    return codes


def scale_codes(x, of, argument):
    """The codes of scales or of offsets, whose format is `of`: they may be given by their values."""
    array, own = array_of(x, argument)
    if own in FLOATS and not of.is_named(own):
        return exact_codes(x, of, argument)
    if own is not None and not of.is_named(own):
        raise TypeError(f"{argument}: expected {expected_codes(of)}, or floats that {of.name} "
                        f"holds exactly; got {dtype_text(x, array)}")
    return codes_of(x, of, argument)


def fits(shape, codes, expected, along):
    """Whether scales of a shape belong to codes of a shape: as a matrix, or in the shape of the
    tensor, a row of scales for each row of codes."""
    if shape == expected:
        return True
    return along == "rows" and len(shape) == len(codes) and shape[-1:] == expected[1:] and \
        shape[:-2] == codes[:-2] and math.prod(shape) == expected[0] * expected[1]


def spans(recipe, codes, along):
    """Whether a block of several rows would have rows of two matrices of a stack."""
    if along != "rows" or len(codes) < 3 or math.prod(codes[:-2]) < 2:
        return False
    return recipe.scale_shape(codes[-2] + 1, 1)[0] == recipe.scale_shape(codes[-2], 1)[0]


def scale_matrix(x, recipe, codes, along, argument="scales", remedy=None):
    """The codes of the scales (or of the offsets) of codes of a shape, as a contiguous matrix."""
    of = recipe.scale if argument == "scales" else recipe.offset
    array = scale_codes(x, of, argument)
    rows, columns = matrix_size(codes, "codes")
    expected = recipe.scale_shape(rows, columns, along)
    if argument == "scales" and array.size == 1 and recipe.scale_is_given:
        return np.full(expected, array.reshape(-1)[0])  # the scale of the whole tensor
    if array.ndim > 2 and spans(recipe, codes, along):
        raise ValueError(f"{argument}: blocks of {recipe.name} would have rows of two matrices of "
                         f"{codes[-2]} rows each; give each matrix and its {argument} separately")
    if not fits(array.shape, codes, expected, along):
        raise ValueError(f"{argument}: expected the shape {expected} for codes of the shape "
                         f"{tuple(codes)}, got {array.shape}"
                         + (f"; {remedy}" if remedy else ""))
    return contiguous(array).reshape(expected)


def several_scales(x, recipe, shape, along):
    """The global scale as a number, and None; or None, and where a store has several: of what they
    are, "head" or "row", and for each the index of its part of the tensor and its scale."""
    if x is None or isinstance(x, (int, float)):
        return x, None
    array, own = array_of(x, "global_scale")
    if array.size == 1:
        return number("global_scale", x if array.ndim == 0 else array.reshape(-1)[0]), None
    if own not in FLOATS:
        raise TypeError(f"global_scale: expected a number, or floats; got {dtype_text(x, array)}")
    values = np.asarray(convert(array, "f64", policy="ocp-nosat") if own != "bf16" else
                        convert(array.view(np.uint16), "f64", from_=own)).reshape(-1).tolist()
    if not recipe.scale_is_given or along != "rows":
        raise ValueError(f"global_scale: {recipe.name} has one global scale for a tensor; got "
                         f"{len(values)} numbers")
    if len(shape) == 3 and len(values) == shape[1]:
        everything = slice(None)
        return None, ("head", [((everything, i, everything), g) for i, g in enumerate(values)])
    if len(shape) > 1 and len(values) == math.prod(shape[:-1]):
        places = np.ndindex(*shape[:-1])
        return None, ("row", [((*at, slice(None)), g) for at, g in zip(places, values)])
    heads = f"{shape[1]} (one for each head), or " if len(shape) == 3 else ""
    raise ValueError(f"global_scale: expected one number, {heads}{math.prod(shape[:-1])} (one for "
                     f"each row of x, whose shape is {tuple(shape)}); got the shape {array.shape}")


def packed_columns(x, scales, recipe, along):
    """The columns of the tensor, if x has packed codes: its shape fits the scales in no other way.
    Else None."""
    array, own = array_of(x, "codes")
    shape = array_of(scales, "scales")[0].shape
    if own is not None or recipe.bits >= 8 or along != "rows" or not array.ndim or \
            array.itemsize != 1:
        return None
    width = array.shape[-1]
    columns = width * 8 // recipe.bits

    def belongs(columns):
        codes = *array.shape[:-1], columns
        return fits(shape, codes, recipe.scale_shape(*matrix_size(codes, "codes")), along)

    if belongs(width) or lib.sf8_packed_size(recipe.bits, columns) != width:
        return None
    return columns if belongs(columns) else None


def narrowed(array, of):
    """Codes in the smallest type that holds those of the format."""
    return array if array is None else array.astype(of.code_dtype, copy=False)
