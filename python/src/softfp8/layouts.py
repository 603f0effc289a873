# SPDX-License-Identifier: MIT
"""layouts.py -- where scales and codes lie: the layouts of scales, and the words of KIVI"""
import numpy as np

from ._base.arrays import array_of, bytes_of, contiguous, words
from ._base.library import check, choice, ffi, lib, named, size, text


def layouts():
    """The names of the layouts of scales."""
    return [text(lib.sf8_layout_name(i)) for i in range(lib.SF8_LAYOUT_COUNT)]


def _layout(name):
    return named(lib.sf8_layout_named, "layout", name, layouts)


def layout_size(name, rows, columns):
    """The bytes that the scales of a matrix take in a layout, padding included."""
    found = ffi.new("size_t *")
    check(lib.sf8_layout_places(_layout(name), size("rows", rows), size("columns", columns), found),
          f"layout {name} of {rows} x {columns} scales")
    return found[0]


def layout_store(scales, name):
    """Moves a matrix of scales of one byte into a layout; padding becomes 0.

    >>> layout_store(np.arange(8, dtype=np.uint8).reshape(2, 4), "8x4")[:8].tolist()
    [0, 1, 2, 3, 4, 5, 6, 7]
    """
    scales = bytes_of(scales, "scales")
    if scales.ndim != 2:
        raise ValueError(f"scales: expected a matrix, got the shape {scales.shape}")
    result = np.empty(layout_size(name, *scales.shape), np.uint8)
    check(lib.sf8_layout_store_n(_layout(name), words(result, "uint8_t *"),
                                 words(scales, "const uint8_t *"), *scales.shape), "layout_store")
    return result


def layout_load(stored, name, rows, columns):
    """Moves scales from a layout back into a matrix."""
    stored, expected = bytes_of(stored, "stored"), layout_size(name, rows, columns)
    if stored.size != expected:
        raise ValueError(f"stored: expected {expected} bytes, got {stored.size}")
    result = np.empty((size("rows", rows), size("columns", columns)), np.uint8)
    check(lib.sf8_layout_load_n(_layout(name), words(result, "uint8_t *"),
                                words(stored, "const uint8_t *"), rows, columns), "layout_load")
    return result


# ---- KIVI


def kivi_pack(codes, bits, side):
    """Packs a matrix of codes, tokens x channels, into words as KIVI does; side "keys" or "values".

    >>> kivi_pack(np.ones((1, 16), np.uint8), 2, "values").tolist()
    [[1431655765]]
    """
    codes = bytes_of(codes, "codes")
    if codes.ndim != 2:
        raise ValueError(f"codes: expected tokens x channels, got the shape {codes.shape}")
    tokens, channels = codes.shape
    per = _kivi_per(bits)
    shape = {"keys": (channels, tokens // per), "values": (tokens, channels // per)}
    function = {"keys": lib.sf8_kivi_pack_keys, "values": lib.sf8_kivi_pack_values}
    choice("side", side, shape)
    result = np.empty(shape[side], np.uint32)
    check(function[side](words(result, "uint32_t *"), words(codes, "const uint8_t *"), tokens,
                         channels, bits), f"kivi_pack: {tokens} x {channels} codes of {bits} bits")
    return result


def kivi_unpack(packed, bits, side):
    """Unpacks what kivi_pack() made: tokens x channels codes, one to a byte."""
    packed, _ = array_of(packed, "packed")
    if packed.ndim != 2 or packed.dtype.itemsize != 4 or packed.dtype.kind not in "iu":
        raise TypeError("packed: expected a matrix of words of 32 bits, got "
                        f"{packed.dtype} {packed.shape}")
    packed, per = contiguous(packed), _kivi_per(bits)
    first, second = packed.shape
    shapes = {"keys": (second * per, first), "values": (first, second * per)}
    function = {"keys": lib.sf8_kivi_unpack_keys, "values": lib.sf8_kivi_unpack_values}
    choice("side", side, shapes)
    result = np.empty(shapes[side], np.uint8)
    check(function[side](words(result, "uint8_t *"), words(packed, "const uint32_t *"),
                         *result.shape, bits), "kivi_unpack")
    return result


def _kivi_per(bits):
    if not isinstance(bits, int) or bits not in (2, 4):
        raise ValueError(f"bits: expected 2 or 4, got {bits!r}")
    return 32 // bits


def kivi_tail(tokens, residual, side):
    """How many of the newest tokens KIVI has not quantized yet."""
    function = {"keys": lib.sf8_kivi_tail_keys, "values": lib.sf8_kivi_tail_values}
    choice("side", side, function)
    if size("residual", residual) == 0:
        raise ValueError("residual: expected a number above 0")
    return function[side](size("tokens", tokens), residual)
