# SPDX-License-Identifier: MIT
"""stubs.py -- writes the type stubs of the package from the package itself

    python stubs.py FOLDER

An argument has its type by its name, which means the same everywhere in the package. The test
test_stubs.py fails if the stubs differ from what this writes.
"""
import inspect
import pathlib
import sys


import softfp8
import softfp8.testing

HEAD = '''# SPDX-License-Identifier: MIT
# {name} -- types for type checkers; written by binding/stubs.py
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any, Literal, TypeAlias

import numpy as np
{imports}
# An array of NumPy, ml_dtypes, PyTorch or JAX, a number, or a list of numbers.
Array: TypeAlias = Any
# A format: its name, softfp8.format(...), or a dtype of NumPy, ml_dtypes, PyTorch or JAX.
FormatName: TypeAlias = Any
Rounding: TypeAlias = Literal["rne", "rna", "rnz", "rz", "ru", "rd", "ro", "sr"]
'''
NAME = "FormatName"
RESULTS = softfp8.Cause, softfp8.Diagnosis, softfp8.Explanation  # made by the package alone
TUPLES = {"causes": "tuple[Cause, ...]", "explanations": "tuple[Explanation, ...]",
          "followers": "tuple[tuple[str, str], ...]"}
TYPES = {
    "policy": "str | Policy", "round": "Rounding | None", "to": NAME, "from_": f"{NAME} | None",
    "from_b": f"{NAME} | None", "q_format": f"{NAME} | None", "format": f"{NAME} | None",
    **dict.fromkeys(("recipe", "k_recipe", "v_recipe"), "str | Recipe | None"),
    "reader": "str | Recipe | None", "via": "str | None", "q_scale": "Array | str",
    "level": "str | None", "order": "str | None", "schedule": "str | None", "product": "str | None",
    "dtype": 'Literal["codes", "ml_dtypes", "torch"] | None', "style": "str", "name": "str",
    "global_scale": "float | None", "scale": "Array | None", "cap": "float", "policy_name": "str",
    "layout": "Any", "self": "", "cls": "", "string": "str", "program": "str", "text": "str",
    "along": 'Literal["rows", "columns"]', "side": 'Literal["keys", "values", "queries"]',
    "fuse": "str", "rule": "str", "join": "str", "outside": 'Literal["refuse", "skip"]',
    "twice": 'Literal["refuse", "last"]', "per": "str", "event": "str",
    "calibrating": "Iterable[str]",
    "life": "str", "reads": "str", "rules": "Sequence[str] | None", "sums": "str", "unit": "str",
    "fmt": f"{NAME} | None", "out_format": f"{NAME} | None", "bound": "str | None",
    "scaling": "str", "nan": "str", "expected": "str | Policy | None", "seconds": "float",
    "amax": "Sequence[float] | float | None", "words": NAME,
    "after": "str | Stage | None", "upper": "Array | None",
    "kernel": "Callable[[Any], Sequence[Array]]", "uncertain": "str | Array",
    "between": "tuple[Array, Array] | None",
}
NUMBERS = {"bits", "n", "rows", "columns", "tokens", "residual", "word", "promote", "splits", "cut",
           "first", "last", "block", "slot", "head", "d", "k", "start", "blocks", "slots", "heads",
           "dim", "layers", "size", "latent", "rope", "bytes", "exp_bits", "man_bits", "number",
           "group", "second", "keys", "at", "window", "bias", "seed", "kv_heads",
           "longest", "largest", "batches"}
RETURNS = {"policies": "list[str]", "formats": "list[str]", "recipes": "list[str]",
           "layouts": "list[str]", "orders": "list[str]", "merge_rules": "list[str]",
           "simd_levels": "list[str]", "attend_sums": "list[str]", "aliases": "list[str]",
           "policy": "Policy", "order": "Order", "format": "Format", "format_row": "Format",
           "recipe": "Recipe",
           "unit": "Unit", "quantize": "Quantized", "requantize": "Quantized", "simd": "str",
           "load_image": "Quantized", "explain": "Answer", "identify": "Answer", "main": "None",
           "word": "int", "layout_size": "int", "kivi_tail": "int", "of_word": "Policy",
           "units": "list[dict[str, Any]]", "schedules": "list[dict[str, Any]]",
           "products": "list[dict[str, Any]]", "attend_orders": "list[dict[str, Any]]",
           "stages": "list[dict[str, Any]]", "stage": "Stage", "bounds": "tuple[Any, Any]",
           "arrays": "list[str]", "result_format": "Format",
           "fields": "dict[str, Any]", "info": "dict[str, Any]", "errors": "dict[str, Any]",
           "token_bytes": "Fraction", "tokens_in": "int", "cascades": "bool", "splits": "int",
           "folds": "bool", "unlike": "set[str]", "layout": "Any", "holds": "bool",
           "valid_program": "bool", "unit_takes": "bool", "steps_text": "str", "write": "str",
           "steps": "Steps", "read_steps": "Steps", "with_scales": "Layout", "store": "None",
           "scales_behind": "Layout", "in_pages": "Layout", "store_together": "None",
           "step": "bool", "load": "None", "load_heads": "None", "reason": "str", "check": "None",
           "assert_bits": "None", "assert_quantized": "None", "assert_attention": "None",
           "assert_same_attention": "None", "assert_batch_invariant": "None",
           "causes": "list[Cause]", "diagnose_cast": "Diagnosis",
           "readers": "list[dict[str, Any]]", "types": "list[dict[str, Any]]"}
MODULES = {
    "__init__": (softfp8, ["from . import kv as kv, sums as sums, vectors as vectors"]),
    "kv": (softfp8.kv, ["from . import Format, Recipe"]),
    "sums": (softfp8.sums, []),
    "vectors": (softfp8.vectors, ["from . import Format, Policy"]),
    "testing/__init__": (softfp8.testing, ["from .. import Format, Order, Policy, Recipe, Stage"]),
}


def default(value):
    return " = ..." if value is not inspect.Parameter.empty else ""


def type_of(parameter):
    """The type of an argument: by its name, by its default if that is a flag, else an array."""
    name, value = parameter.name, parameter.default
    if name in ("self", "cls"):
        return ""
    if name == "words" and parameter.kind is parameter.VAR_POSITIONAL:
        return ": str"
    if isinstance(value, bool):
        return ": bool"
    if name == "blocks" and value is None:
        return ": Array"  # which ones; elsewhere it is their number
    if name in TYPES:
        kind = TYPES[name]
        return f": {kind}" + (" | None" if value is None and "None" not in kind else "")
    if name in NUMBERS:
        return ": int | None" if value is None else ": int"
    return ": Any" if parameter.kind is parameter.VAR_KEYWORD else ": Array"


def signature(function):
    parts, star, before = [], False, None
    parameters = inspect.signature(function).parameters
    for p in parameters.values():
        if before is p.POSITIONAL_ONLY and p.kind is not before:
            parts.append("/")
        before = p.kind
        if p.kind is p.VAR_POSITIONAL:
            star = True
        if p.kind is p.KEYWORD_ONLY and not star:
            parts.append("*")
            star = True
        mark = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        # beside v, k has keys; elsewhere it is a size
        kind = ": Array" if p.name == "k" and "v" in parameters else type_of(p)
        if p.name == "order" and {"cut", "k_scale"} & set(parameters):  # of attention; else of a sum
            kind = ": str | Order | None"
        if p.name == "queries" and "kernel" in parameters:  # their number; elsewhere they are given
            kind = ": int | None"
        parts.append(f"{mark}{p.name}{kind}{default(p.default)}")
    return ", ".join(parts)


def function_stub(function, indent="", name=None):
    name = name or function.__name__
    returns = "None" if name == "__init__" else RETURNS.get(name, "Any")
    return f"{indent}def {name}({signature(function)}) -> {returns}: ..."


def class_stub(cls):
    lines = [f"class {cls.__name__}{'(ValueError)' if issubclass(cls, ValueError) else ''}:"]
    for name, member in vars(cls).items():
        if name.startswith("_") and (name != "__init__" or cls in RESULTS):
            continue
        if isinstance(member, classmethod):
            lines += ["    @classmethod", function_stub(member.__func__, "    ", name)]
        elif isinstance(member, property):
            lines += ["    @property", f"    def {name}(self) -> Any: ..."]
        elif inspect.isfunction(member):
            lines.append(function_stub(member, "    ", name))
    for name, kind in getattr(cls, "__annotations__", {}).items():
        if not name.startswith("_"):
            own = TUPLES.get(name, kind.__name__) if cls in RESULTS else "Any"
            lines.append(f"    {name}: {own}")
    if cls is softfp8.Policy:
        fields = softfp8.policy("ocp").fields()
        lines += ["    name: str", *(f"    {field}: Any" for field in fields)]
    if cls is softfp8.Format:
        lines += ["    name: str", "    bits: int", "    code_dtype: np.dtype[Any]"]
    return "\n".join(lines if len(lines) > 1 else [lines[0], "    ..."])


def stub(name):
    """The text of one stub file."""
    module, imports = MODULES[name]
    lines = [HEAD.format(name=f"{name}.pyi", imports="\n".join(["", *imports, ""])
                         if imports else "")]
    for key, value in sorted(vars(module).items()):
        ours = getattr(value, "__module__", "").startswith("softfp8")
        local = name.endswith("__init__") or getattr(value, "__module__", "").startswith(
            module.__name__)  # kv.py has its scales from kv_scales.py
        if key.startswith("_") and key != "__version__":
            continue
        if inspect.isclass(value) and ours and local:
            lines.append(class_stub(value))
        elif inspect.isfunction(value) and ours and local:
            lines.append(function_stub(value, name=key))
        elif isinstance(value, (softfp8.Format, int, str)):
            lines.append(f"{key}: {type(value).__name__}")
    if name == "__init__":
        lines.append("CLASSES: tuple[str, ...]")
        lines.append(class_stub(softfp8.command.Answer))
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for file in MODULES:
        pathlib.Path(sys.argv[1], f"{file}.pyi").write_text(stub(file))
