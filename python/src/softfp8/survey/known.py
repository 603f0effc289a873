# SPDX-License-Identifier: MIT
"""known.py -- differences between a product and its policy that are explained

`python -m softfp8.survey.known OUT` prints the lines of known.txt for the cells of a run that
differ and have a reason. It names the others on standard error.

A difference is known if a pattern of REASONS describes it, and if `known.txt` has the key of the
cell. The key stands for all inputs that differ and their codes, so that a new difference of the
same conversion is not taken for a known one. docs/products.md explains them. The word `broken`
stands for the key of a cell that is broken: it stays broken, and gets the reason.
"""
import functools
import json
import pathlib
import re
import sys

from .adapters.lab import WITHIN

RED = "differs", "broken"
# A pattern for "package conversion mode", and the reason.
REASONS = [
    ("^onnx .*_to_e8m0 saturate=0", "the reference gives 00 for zero and values below 2^-127 (01 "
     "with round_mode=up); the policy follows Operators.md, which has NaN"),
    ("^onnx .*_to_e8m0 saturate=1", "the reference gives ff for infinity and, with round_mode=up, "
     "01 for 2^-127 and below; the policy follows Operators.md, which saturates"),
    ("^onnxruntime .*_to_e8m0 saturate=0,round_mode=down", "NaN for every value above 2^127; the "
     "policy rounds down first where the mode is rz"),
    ("^ml_dtypes f64_to_e8m0 items", "a defect: values from 1.5 x 2^128 to below 2^129 wrap around "
     "to 00; astype gives ff"),
    ("^numkong .* serial", "the scalar code of this build; the policy is that of its SIMD code"),
    ("^numkong e5m2_to_(bf16|f16) genoa", "a defect of the AVX-512 code: infinity and NaN become "
     "finite in bf16, a signaling NaN stays signaling in f16"),
    ("^numkong e4m3_to_(bf16|f16) genoa", "the AVX-512 code keeps the sign of NaN"),
    ("^numkong e4m3_to_(e2m3|e3m2|e5m2)", "the NaN of e4m3 loses its sign on the way"),
    ("^openvino .*_to_e8m0", "a negative NaN counts as a negative value and gives 00"),
    ("^openvino e5m2_to_f16 evaluate", "a signaling NaN stays signaling"),
    ("^openvino e5m2_to_f64 cpu", "infinity becomes the largest float"),
    ("^openvino f16_to_e5m2 cpu", "the CPU plugin makes NaN quiet; evaluate does not"),
    ("^openvino f32_to_e5m2", "a defect: float to half doubles a subnormal result that rounds up "
     "to a power of two"),
    ("^openvino f64_to_e5m2", "the same defect; and double to float makes NaN quiet, which the "
     "policy does not"),
    ("^tinygrad .*_to_e5m2fnuz cpu", "a defect: zero and small values give 04 or are rounded "
     "towards it"),
    ("^tinygrad .* cpu", "the compiled code: float goes through half, values below the "
     "smallest normal number become zero, infinity the largest; the policy is that of the Python "
     "functions"),
    ("^torch e[45]m[32]_to_f16 .*,default", "without SIMD the NaN is 7e00 or fe00"),
    ("^torch e4m3_to_f32 compiled,avx512", "the AVX-512 code that torch.compile makes "
     "gives the NaN 7fc00000 or ffc00000"),
    ("^gfloat ", "every NaN becomes ff; the policy keeps one code of NaN for each sign"),
    ("^ml_dtypes (mul|div)_e8m0", "computed in f32, where small results are zero"),
    ("^jax (add|sub|mul|div)_e8m0", "XLA flushes subnormal numbers of f32 to zero: 2^-127 counts as "
     "zero, and so do smaller results"),
    ("^ml_dtypes div_(e2m1|e2m3|e3m2)", "computed in f32, where 0 / 0 is a NaN with a sign"),
    ("^(ml_dtypes|jax|apytypes) (add|sub|mul|div)_", "only the codes of NaN differ; the package has "
     "those of the processor, or its own"),
    ("^gguf f32_to_ue4m3", "half is added in float, where the sum rounds up to 1"),
    ("^jaxlib f(64|16)_to_e8m0", "a negative value gives a code as if e8m0 had a sign: -2 gives 80; "
     "the policy gives 00"),
    ("^jaxlib e8m0_to_f64", "a defect: the NaN ff gives infinity"),
    ("^qtorch f32_to_e5m2", "numbers from 61440 on give 65536 to 114688, which e5m2 does not have; a "
     "NaN with a large payload gives zero; what rounds to zero loses its sign; subnormal results are "
     "rounded twice"),
    ("^qtorch ", "a defect: a NaN with a large payload gives zero; what rounds to zero loses its "
     "sign; subnormal results are rounded twice"),
    ("^amd-quark bf16_to_", "torch.clamp of bf16 gives every NaN a sign"),
    ("^pychop f(32|64)_to_.* odd", "a defect: numbers that the format has are changed to the next odd "
     "code"),
    ("^pychop f(32|64)_to_(e4m3ieee|e5m2|e3m4)", "overflow up to twice the range gives zero, not "
     "infinity, or a number that the format does not have; results beside ties or powers of two are "
     "wrong, because log2 and the subtraction of 1 round; -0 becomes 0"),
    # On a GPU: docs/matrix/gpu.md.
    ("^jax f(32|64)_to_(e2m3|e3m2) jit,cuda", "a defect of XLA's GPU code: it returns bytes that "
     "have more than 6 bits"),
    ("^jax .*_to_(e2m3|e3m2) jit,cuda", "a defect of XLA's GPU code: numbers that are too large, "
     "infinity and NaN become zero with their sign"),
    ("^jax f64_to_(e4m3|e5m2) jit,cuda", "XLA's GPU code rounds double to float first, and drops "
     "the sign of NaN"),
    ("^jax (e4m3|e5m2)_to_f64 jit,cuda", "on a GPU every NaN becomes 7ffffc0000000000, which is "
     "the NaN 7fff of half"),
    ("^jax (e4m3|e5m2)_to_(e3m4|e4m3ieee) jit,cuda", "XLA's GPU code drops the sign of NaN"),
    ("^torch e5m2_to_f(32|64) (contiguous|strided),cuda", "on a GPU all mantissa bits of a NaN of "
     "float are set; the CPU keeps its payload"),
    ("^triton e5m2_to_bf16 cuda", "a defect: infinity becomes 65536, and NaN another finite number "
     "(triton-lang/triton#11784)"),
    ("^vllm merge_f32 interpreter", "only the last bits: e^x and log of NumPy, which Triton's "
     "interpreter calls"),
    # Blocks: docs/products.md has the ranges.
    ("^torchao quantize_.*special", "the codes of a block with NaN depend on its payload"),
    ("^modelopt quantize_.*_e4m3-.*special", "a NaN has another sign"),
    ("^modelopt quantize_.*_e4m3-128x128-", "the codes of a block whose scale is zero are NaN: its "
     "sign differs"),
    ("^gguf quantize_.*-f16.* special", "the scale of a block with NaN has its payload; of several "
     "NaNs, NumPy's instructions choose one: SSE, AVX2 and AVX-512 give three results"),
    ("^amd-quark quantize_.* even$", "FP4 and FP6 lose the sign of zero; an amax that rounds to 2^128 "
     "has the scale fe"),
    ("^amd-quark quantize_.* (floor|ceil)$", "zero blocks have the scale 2^-23, and small scales have "
     "no code; log2 rounds; FP4 and FP6 lose the sign of zero"),
    ("^neural-compressor quantize_.* even$", "log2 of an amax just below a power of two rounds up; "
     "just below half of the smallest element rounds up; -0 becomes 0; a zero block of int8 has the "
     "scale 01"),
    ("^pychop quantize_.*-e8m0 -", "log2 of an amax just below a power of two rounds up; the sign of "
     "zero is lost"),
    ("^gguf quantize_.*-offset", "the sign of a smallest value that is zero"),
    ("^gguf quantize_.*-e8m0 -", "below 2^-125 the byte of the scale wraps around"),
    ("^auto-round quantize_f16_.*(even|rceil)$", "f16 does not have the scale; with rceil, the "
     "largest numbers overflow"),
    ("^auto-round quantize_.*rceil$", "the largest numbers overflow; of f32, also amax divided by "
     "the largest element is zero"),
    ("^compressed-tensors quantize_.*-e8m0 -", "from 1.75 x 2^127 on, of f16 from 57344 on, the "
     "scale is infinite"),
    ("^mlx quantize_.*-e8m0 -", "tiny blocks, whose scale wraps around or is zero"),
    ("^mlx quantize_.*-e4m3 -", "above 2688 distances to different codes are equal"),
    ("^[a-z-]+ quantize_.* (special|.*,special)", "infinity and NaN: the package does not treat them "
     "as the recipe does"),
    ("^gguf dequantize_.*-e8m0", "-0 reads as 0, and the scale ff as 2^128"),
    ("^[a-z-]+ dequantize_.* special", "a NaN keeps its sign and payload; a scale of NaN may read as "
     "infinity"),
]


def explained(package, conversion, mode):
    """The reason why this conversion differs; None if no difference of it is explained."""
    title = f"{package} {conversion} {mode}"
    return next((text for pattern, text in REASONS if re.search(pattern, title)), None)


@functools.cache
def _keys():
    lines = (pathlib.Path(__file__).parent / "known.txt").read_text().splitlines()
    return {line for line in lines if line and not line.startswith("#")}


def conversion_of(cell):
    """What a cell converts or computes: f32_to_e4m3, add_e4m3, quantize_f32_to_e2m1-32-e8m0."""
    operation = cell.get("operation")
    if operation in WITHIN:
        return f"{operation}_{cell['to']}"
    return (f"{operation}_" if operation else "") + f"{cell['from']}_to_{cell['to']}"


def line(cell):
    """The line of known.txt for a cell."""
    key = "broken" if cell.get("status") == "broken" else cell["key"]
    return f"{cell['package']} {conversion_of(cell)} {cell['mode']} {key}"


def labelled(cell):
    """A cell that differs, as known where it is. A cell that is broken gets the reason only."""
    if cell["status"] not in RED:
        return cell
    text = explained(cell["package"], conversion_of(cell), cell["mode"])
    if not text or line(cell) not in _keys():
        return cell
    return cell | {"reason": text, "status": "known" if cell["status"] == "differs" else "broken"}


def main(out):
    cells = (json.loads(path.read_text()) for path in pathlib.Path(out, "cells").glob("*.json"))
    for cell in sorted((cell for cell in cells if cell["status"] in RED), key=line):
        known = explained(cell["package"], conversion_of(cell), cell["mode"])
        print(line(cell) if known else f"no reason: {line(cell)}",
              file=sys.stdout if known else sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
