# SPDX-License-Identifier: MIT
# testing/__init__.pyi -- types for type checkers; written by binding/stubs.py
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, Literal, TypeAlias

import numpy as np

from .. import Format, Policy, Recipe

# An array of NumPy, ml_dtypes, PyTorch or JAX, a number, or a list of numbers.
Array: TypeAlias = Any
Rounding: TypeAlias = Literal["rne", "rna", "rnz", "rz", "ru", "rd", "ro", "sr"]

def all_codes(fmt: str | Format | None, dtype: Literal["codes", "ml_dtypes", "torch"] | None = ...) -> Any: ...
def all_pairs(fmt: str | Format | None, dtype: Literal["codes", "ml_dtypes", "torch"] | None = ...) -> Any: ...
def assert_attention(out: Array, q: Array, k: Array, v: Array, *, recipe: str | Recipe | None = ..., k_scale: Array = ..., v_scale: Array = ..., lse: Array = ..., bound: str | None = ..., scale: Array | None = ..., causal: bool = ..., window: int | None = ..., cap: float = ..., sinks: Array = ..., first: int | None = ..., splits: int | None = ..., base2: bool = ..., from_: str | Format | None = ..., out_format: str | Format | None = ...) -> None: ...
def assert_bits(got: Array, want: Array = ..., *, inputs: Array = ..., fmt: str | Format | None = ..., from_: str | Format | None = ..., policy: str | Policy | None = ..., round: Rounding | None = ..., via: str | None = ..., random: Array = ..., any_nan: bool = ...) -> None: ...
def assert_quantized(got_codes: Array, got_scales: Array, x: Array, recipe: str | Recipe | None, *, global_scale: float | None = ..., offsets: Array = ..., layout: Any = ..., along: Literal["rows", "columns"] = ..., from_: str | Format | None = ...) -> None: ...
def critical(from_: str | Format | None, to: str | Format, dtype: Literal["codes", "ml_dtypes", "torch"] | None = ...) -> Any: ...
