# SPDX-License-Identifier: MIT
"""softfp8 -- FP8, FP6, FP4 and block formats, bit for bit

    >>> import numpy as np, softfp8 as sf
    >>> codes = sf.convert(np.array([500, 0.1, np.nan], np.float32), to="e4m3", policy="ocp")
    >>> codes.tolist()
    [126, 29, 127]
    >>> sf.decode(codes, "e4m3").tolist()
    [448.0, 0.1015625, nan]
    >>> hex(sf.e4m3.fma(0x38, 0x40, 0x38))      # 1 * 2 + 1 = 3
    '0x44'
"""
from ._base.command import CommandError
from ._base.library import lib as _lib, text as _text
from .attention import (Request, attend, attend_sums, cache_of, join_parts)
from .blocks import (Quantized, dequantize, dequantize_packed, load_image, quantize,
                     quantize_packed, unpack_codes)
from .command import explain, identify
from .convert import (convert, decode, pack, random_words, simd, simd_levels, to_integer, unpack)
from .diagnose import Cause, Diagnosis, Explanation, causes, diagnose_cast
from .formats import CLASSES, Format, format, format_row, formats
from .gemm import identify_mma
from .layouts import (kivi_pack, kivi_tail, kivi_unpack, layout_load, layout_size, layout_store,
                      layouts)
from .matmul import Unit, mma, schedules, unit, unit_takes, units
from .orders import Order, attend_orders, order
from .policies import Policy, policies, policy, products
from .recipes import Recipe, recipe, recipes, valid_program
from .stages import Stage, stage, stages
from .sums import merge_rules, merge_states
from . import kv, sums, vectors

__version__ = _text(_lib.sf8_version())

# Each format of the library is an attribute: softfp8.e4m3.
globals().update({name: format(name) for name in formats()})

INEXACT, UNDERFLOW, OVERFLOW, DIVBYZERO, INVALID = 1, 2, 4, 8, 16
