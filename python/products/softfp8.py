# SPDX-License-Identifier: MIT
"""softfp8 by ctypes: the policy of a product and conversions of arrays.

The environment variable SOFTFP8_LIBRARY has the path of the shared library.
"""
import ctypes
import functools
import os

import numpy as np

import lab

U64 = ctypes.c_uint64


@functools.cache
def library():
    lib = ctypes.CDLL(os.environ["SOFTFP8_LIBRARY"])
    lib.sf8_convert_n.argtypes = [U64, ctypes.c_void_p, U64, ctypes.c_void_p, ctypes.c_size_t, U64]
    lib.sf8_policy_named.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
    lib.sf8_policy_named.restype = U64
    lib.sf8_format_named.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
    lib.sf8_format_named.restype = U64
    lib.sf8_policy_for.argtypes = [ctypes.c_char_p, U64, U64]
    lib.sf8_policy_for.restype = ctypes.c_char_p
    lib.sf8_policy_set.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p]
    return lib


@functools.cache
def format_of(name):
    return library().sf8_format_named(name.encode(), None)


def policy_for(product, to, source):
    """The policy of a product for a conversion, or None if softfp8 has no row for it."""
    found = library().sf8_policy_for(product.encode(), format_of(to), format_of(source))
    return found.decode() if found else None


def environment(policy, fields=()):
    status = ctypes.c_int(0)
    policy = U64(library().sf8_policy_named(policy.encode(), ctypes.byref(status)))
    if status.value:
        raise ValueError(f"no policy {policy}")
    for name, value in dict(fields).items():
        if library().sf8_policy_set(ctypes.byref(policy), name.encode(), value.encode()):
            raise ValueError(f"{policy}: no {name} = {value}")
    return policy.value


def convert(words, source, to, policy, fields=()):
    """The codes of `to` for words of `source`, under a policy with some fields changed."""
    w = np.ascontiguousarray(words, lab.dtype_of(source))
    out = np.empty(w.shape, lab.dtype_of(to))
    status = library().sf8_convert_n(format_of(to), out.ctypes.data, format_of(source),
                                     w.ctypes.data, w.size, environment(policy, fields))
    if status:
        raise ValueError(f"{source} to {to}, {policy}: status {status}")
    return out
