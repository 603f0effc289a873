# SPDX-License-Identifier: MIT
"""library.py -- the C library: its handle, its names and its status codes"""
import difflib
import operator

from .._binding import ffi, lib


def text(pointer):
    """A C string as str; None for NULL."""
    return ffi.string(pointer).decode() if pointer else None


def rows(at):
    """What an enumerating function of the library returns: at(0), at(1), ... up to NULL."""
    i = 0
    while row := at(i):
        yield row
        i += 1


def row_dict(row):
    """A row of the library, which is a structure of strings and numbers, as a dictionary."""
    fields = {}
    for name, field in ffi.typeof(row).item.fields:
        value = getattr(row, name)
        fields[name] = text(value) if field.type.kind == "pointer" else value
    return fields


def unknown(argument, name, known):
    """The error for a name that the library does not have, with the nearest that it has."""
    known = list(known)
    if not isinstance(name, str):
        return TypeError(f"{argument}: expected a name, got {type(name).__name__}")
    near = difflib.get_close_matches(name, known, 3, 0.5)
    hint = f"; did you mean {', '.join(near)}?" if near else f"; known: {', '.join(known[:40])}"
    return ValueError(f"{argument}: unknown name {name!r}{hint}")


def choice(argument, value, known):
    """One of the names that an argument may have."""
    if not isinstance(value, str) or value not in known:
        raise unknown(argument, value, known)
    return value


def number(argument, value):
    """A number as a float."""
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{argument}: expected a number, got {type(value).__name__}") from None


def several(argument, values):
    """A list of an argument that has to be one."""
    try:
        return list(values)
    except (TypeError, NotImplementedError):
        raise TypeError(f"{argument}: expected a list, got {type(values).__name__}") from None


def encoded(argument, name):
    """A name as the bytes of a C string."""
    if not isinstance(name, str):
        raise TypeError(f"{argument}: expected a name, got {type(name).__name__}")
    if "\0" in name:
        raise ValueError(f"{argument}: a name cannot contain a null character")
    return name.encode()


def level_name(level):
    """The name of an instruction set, or "core" for the definition, as a C string."""
    return choice("level", level, [*map(text, rows(lib.sf8_simd_at)), "core"]).encode()


def named(function, argument, name, known):
    """Calls function(name, status), which finds something by its name."""
    status = ffi.new("sf8_status *")
    found = function(encoded(argument, name), status)
    if status[0] != lib.SF8_OK:
        raise unknown(argument, name, known())
    return found


def size(argument, value, most=(1 << 63) - 1):
    """A size or an index that the library takes: an integer from 0 to `most`."""
    try:
        value = operator.index(value)
    except TypeError:
        raise TypeError(f"{argument}: expected an integer, got {type(value).__name__}") from None
    if not 0 <= value <= most:
        raise ValueError(f"{argument}: expected an integer from 0 to {most}, got {value}")
    return value


REASONS = {
    lib.SF8_UNKNOWN_NAME: "unknown name",
    lib.SF8_BAD_TEXT: "invalid text or value",
    lib.SF8_NO_ROOM: "a buffer is too small",
    lib.SF8_BAD_FORMAT: "this format is not supported here",
    lib.SF8_BAD_CALL: "these arguments do not go together",
}


def check(status, what):
    """Raises ValueError for a status other than SF8_OK. `what` says what was called, and what it
    expects."""
    if status != lib.SF8_OK:
        raise ValueError(f"{what}: {REASONS.get(status, f'status {status}')}")
