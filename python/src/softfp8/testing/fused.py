# SPDX-License-Identifier: MIT
"""fused.py -- assert_fused: codes and scales of a kernel that computes a stage and quantizes"""
import numpy as np

from .._base.arrays import contiguous, words
from .._base.library import check, ffi, lib, number, text
from .._parts import scale_codes
from ..blocks import quantize
from ..recipes import recipe as recipe_of
from ..stages import stage as stage_of
from . import report
from .message import Why
from .quantized import elements


def _arguments(inputs, of):
    """The tensor, and the arrays that the stage names."""
    if not isinstance(inputs, dict):
        return inputs, {}
    if "x" not in inputs:
        raise ValueError(f"inputs: expected x, and {', '.join(of.arrays) or 'no arrays'}; got "
                         f"{', '.join(map(str, inputs)) or 'nothing'}")
    return inputs["x"], {name: value for name, value in inputs.items() if name != "x"}


def diagnose_fused(kernel_codes, kernel_scales, inputs, stages, recipe, *, global_scale=None,
                   from_=None, seconds=60):
    """What a fused kernel computed before it quantized, as a dictionary.

    `verdict` is "equal", "excused", "changed", "nearest" or "none"; `message` says it in words;
    `explanations` has the stage, the words, and how many codes and scales still differ, of each
    explanation. assert_fused() explains the arguments.
    """
    of, recipe = stage_of("round" if stages in ("", None) else stages), recipe_of(recipe)
    if recipe.has_offsets:
        raise ValueError(f"{recipe.name} has offsets, which are not judged; expected another recipe")
    if recipe.has_global_scale and global_scale is None:
        raise ValueError("global_scale: expected the kernel's, which depends on what it computes")
    x, arrays = _arguments(inputs, of)
    bits, shape, (rows, columns, structures, count, _), kept = of._prepared(x, arrays, from_)
    want = quantize(x, recipe, global_scale=global_scale, from_=from_, after=of, **arrays)
    codes = elements(kernel_codes, recipe, shape, "kernel_codes")
    scales = None if kernel_scales is None else \
        contiguous(np.asarray(scale_codes(kernel_scales, recipe.scale, "kernel_scales"))
                   .astype(np.uint32))
    if scales is not None and scales.size != want.scales.size:
        raise ValueError(f"kernel_scales: expected {want.scales.size} of them, got {scales.size}")
    results = ffi.new("sf8_fused_results *", {
        "stage": of._stage, "x": words(bits, "const uint32_t *"), "rows": rows, "columns": columns,
        "inputs": structures, "input_count": count, "recipe": recipe._recipe,
        "g": want.global_scale, "codes": words(codes, "const uint8_t *"),
        "scales": words(scales, "const uint32_t *"), "seconds": number("seconds", seconds)})
    found = ffi.new("sf8_fused_diagnosis **")
    check(lib.sf8_diagnose_fused(results, found), "diagnose_fused")
    try:
        d = found[0]
        return {"verdict": ("equal", "excused", "changed", "nearest", "none", "untested")[d.verdict],
                "message": text(d.message), "codes": d.codes, "scales": d.scales,
                "codes_differ": d.codes_differ, "scales_differ": d.scales_differ,
                "pinned": d.pinned,
                "explanations": [
                    {"stage": text(e.stage), "words": text(e.words),
                     "quantizer": text(e.quantizer), "changes": e.changes,
                     "codes": e.codes, "scales": e.scales}
                    for e in (d.list[i] for i in range(d.count))]}
    finally:
        lib.sf8_fused_diagnosis_free(found[0])


def assert_fused(kernel_codes, kernel_scales, inputs, stages, recipe, *, global_scale=None,
                 from_=None, seconds=60):
    """Fails unless a fused kernel computed a stage and quantized the result by a recipe.

    Codes that differ since their values lie next to a boundary are excused: functions may be 2
    numbers of f32 away, and sums may be formed in any order in which no element passes through more
    than 64 additions. The summary of pytest counts them. If that could excuse most codes of a row
    nothing is tested, and the assertion fails. If other codes differ the message says what the kernel
    did instead, if one or two changes of the stage, or of its scales, explain it.

    kernel_codes   one to a byte in the shape of the result, or packed as the recipe packs a row
    kernel_scales  codes or values of the scales, row by row. None: they are not compared
    inputs         x, a tensor of f32, bf16 or f16; or {"x": x, "W": w} with the arrays of the stage
    stages         the stage, as softfp8.stage() takes it; "": none
    recipe         softfp8.recipes() has all
    global_scale   the global scale that the kernel used, if the recipe has one
    from_          the format of x, if it has codes
    seconds        how long to search for an explanation

    >>> x = np.linspace(-2, 2, 64, dtype=np.float32).reshape(2, 32)
    >>> q = quantize(x, "mxfp8-te", after="relu2 via=bf16")
    >>> assert_fused(q.codes, q.scales, x, "relu2 via=bf16", "mxfp8-te")
    """
    __tracebackhide__ = True
    case = report.begin("assert_fused", int(np.size(kernel_codes)))
    oracle = f"stage {stages}, recipe {recipe_of(recipe).name}"
    found = diagnose_fused(kernel_codes, kernel_scales, inputs, stages, recipe,
                           global_scale=global_scale, from_=from_, seconds=seconds)
    if found["verdict"] not in ("equal", "excused"):
        report.failed(case, oracle, found["codes_differ"] + found["scales_differ"],
                      Why(None, found["message"].splitlines()[0]))
        raise AssertionError(found["message"])
    report.passed(case, oracle, found["codes_differ"] + found["scales_differ"])
