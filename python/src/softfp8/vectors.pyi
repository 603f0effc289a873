# SPDX-License-Identifier: MIT
# vectors.pyi -- types for type checkers; written by binding/stubs.py
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any, Literal, TypeAlias

import numpy as np

from . import Format, Policy

# An array of NumPy, ml_dtypes, PyTorch or JAX, a number, or a list of numbers.
Array: TypeAlias = Any
# A format: its name, softfp8.format(...), or a dtype of NumPy, ml_dtypes, PyTorch or JAX.
FormatName: TypeAlias = Any
Rounding: TypeAlias = Literal["rne", "rna", "rnz", "rz", "ru", "rd", "ro", "sr"]

class Function:
    def __init__(self, name: str) -> None: ...
class Steps:
    def find(self, x: Array) -> Any: ...
    def expand(self, x: Array) -> Any: ...
    def write(self) -> str: ...
    def __init__(self, from_: FormatName | None, to: FormatName, policy: str | Policy, random: Array, first: int, code: Array, flags: Array, _head: Array = ...) -> None: ...
    from_: Any
    to: Any
    policy: Any
    random: Any
    first: Any
    code: Any
    flags: Any
def read_steps(string: str) -> Steps: ...
def steps(from_: FormatName | None, to: FormatName, policy: str | Policy = ..., *, round: Rounding | None = ..., random: Array = ...) -> Steps: ...
def steps_text(from_: FormatName | None, to: FormatName, policy: str | Policy = ..., *, round: Rounding | None = ..., random: Array = ...) -> str: ...
