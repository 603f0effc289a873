# SPDX-License-Identifier: MIT
"""names.py -- which format a name, a dtype or a list of fields means"""
import functools

from . import arrays as _arrays
from .library import encoded, ffi, lib, named, rows, text


def formats():
    """The names of the formats; IEEE P3109 of 3 to 16 bits has names too (p3109_k6p3se)."""
    return [text(name) for name in rows(lambda i: lib.sf8_format_at(i, ffi.NULL))]


def _all_aliases():
    return [text(alias) for alias in rows(lambda i: lib.sf8_format_alias_at(i, ffi.NULL))]


def _by_fields(name):
    """A format that is written by its fields."""
    raw, at = ffi.new("sf8_format *"), ffi.new("size_t *")
    status = lib.sf8_format_read(encoded("format", name), raw, at)
    if status == lib.SF8_OK:
        return raw[0]
    if status == lib.SF8_BAD_FORMAT:
        raise ValueError(f"format: the fields {name!r} make no format; softfp8.h, "
                         "sf8_format_read, says which do")
    fields = [f"{text(field)} ({text(lib.sf8_format_field_values(i)) or 'a number'})"
              for i, field in enumerate(rows(lib.sf8_format_field_at))]
    word = (name[at[0]:].replace(",", " ").split() or [""])[0]
    raise ValueError(f"format: {word!r} in {name!r}: expected a name, then each once of "
                     f"{', '.join(fields)}")


# What a name is that people give to several formats, or to what is no format. The command has the
# same table.
_FP8 = "the name of several formats: e4m3 and e5m2 (OCP), e4m3fnuz and e5m2fnuz (MI300)"
_FP6 = "the name of several formats: e2m3 and e3m2"
_FP4 = "e2m1, or blocks of it by a recipe: softfp8.recipes()"
_INTEGER = "an integer, not a format; softfp8.recipes() has blocks of it"
_NO_SINGLE_FORMAT = {
    "fp8": _FP8, "float8": _FP8, "f8": _FP8, "fp6": _FP6, "float6": _FP6, "fp4": _FP4, "float4": _FP4,
    "nvfp4": "the name of recipes with blocks of e2m1: softfp8.recipes()",
    "mxfp4": "the name of recipes with blocks of e2m1: softfp8.recipes()",
    "mxfp8": "the name of recipes with blocks of e4m3 or e5m2: softfp8.recipes()",
    "int8": _INTEGER, "int4": _INTEGER,
}


@functools.cache
def _named(name):
    if isinstance(name, str) and "=" in name:
        return _by_fields(name), name
    if isinstance(name, str) and name.lower() in _NO_SINGLE_FORMAT:
        raise ValueError(f"format: {name!r} is {_NO_SINGLE_FORMAT[name.lower()]}")
    if isinstance(name, str) and name.endswith("_x2"):
        raise ValueError(f"format: {name!r} has two codes in a byte; unpack them by "
                         "softfp8.unpack(x, 4), where x are the bytes (uint8), and name the format "
                         f"of one, {name.removesuffix('_x2')!r}")
    raw = named(lib.sf8_format_named, "format", name, lambda: [*formats(), *_all_aliases()])
    return raw, _arrays.canonical(name)


def raw_format(name):
    """The structure of a format, and its name. The name may be a Format too."""
    if hasattr(name, "_format"):
        return name._format, name.name
    if not isinstance(name, str):
        dtype = _arrays.dtype_named(name)
        if dtype is not None and not dtype.endswith("_x2") and \
                _arrays.canonical(dtype) not in formats():
            raise TypeError(f"format: the dtype {dtype} is no format of floats that is known here; "
                            "expected such a dtype, or a name")
        if dtype is None:
            raise TypeError(f"format: expected a name, got {type(name).__name__}")
        name = dtype
    return _named(name)
