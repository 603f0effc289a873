# SPDX-License-Identifier: MIT
"""test_verdict_fused.py -- bugs of quantizers that projects reported in 2026, named from the outputs

The comments name the threads. softfp8 plays the kernels with inputs of its own.
"""
import re

import numpy as np
import pytest

import softfp8 as sf
from softfp8.testing import assert_bits, assert_fused, assert_quantized, critical, critical_tensor

from conftest import failure_of, line, mistakes

f32 = np.float32


def bf16(x):
    return sf.decode(sf.convert(np.asarray(x, f32), "bf16"), "bf16")


@pytest.fixture
def x(rng):
    return rng.standard_normal((64, 512)).astype(f32)


@pytest.fixture
def gated(rng):
    return bf16(rng.standard_normal((64, 1024)))


@pytest.fixture
def w(rng):
    return bf16(1 + rng.standard_normal(512) / 8)


def amax(x, block):
    return np.abs(x).reshape(len(x), -1, block).max(2)


def codes(x, scales, factor=False):
    """The codes of e4m3 by these scales; by products with their reciprocals if `factor`."""
    s = np.repeat(scales.astype(f32), x.shape[1] // scales.shape[1], 1)
    y = x * (1 / s) if factor else x / s
    return sf.convert(np.clip(y.astype(f32), -448, 448), "e4m3").astype(np.uint8)


def named(*arguments, **options):
    """The likely mistakes of a quantizer."""
    return mistakes(failure_of(assert_quantized, *arguments, **options))


def fused(*arguments):
    """The first line about a fused kernel."""
    return failure_of(assert_fused, *arguments).split("\n")[0]


def power(scales, rounded):
    return np.exp2(rounded(np.log2(scales.astype(np.float64)))).astype(f32)


# ---- scales that are powers of two


def test_a_scale_cut_to_a_power_of_two(x):  # sglang#39193
    scales = power(amax(x, 128) / f32(448), np.floor)
    assert named(codes(x, scales), scales, x, "fp8-group128") == [
        "the scale is amax / 448, rounded down to a power of two"]


def test_a_scale_that_is_cut_where_it_is_stored(x):  # the same, and the codes are those of before
    exact = amax(x, 128) / f32(448)
    assert named(codes(x, exact), power(exact, np.floor), x, "fp8-group128") == [
        "the scales are rounded down to powers of two, but the codes belong to those before"]


def test_codes_by_the_scale_before_it_is_rounded(x):  # transformers#46763, sglang#26766, imp#250
    stored = sf.quantize(x, "mxfp8-te").scales
    assert named(codes(x, amax(x, 32) / f32(448)), stored, x, "mxfp8-te") == [
        "the codes belong to the scale before it was rounded to a power of two"]


def test_bytes_of_e8m0_as_numbers(x):  # sglang#26701, omlx#2159, mlx#3762
    stored = sf.quantize(x, "mxfp8-te").scales
    words, = named(codes(x, stored), stored, x, "mxfp8-te")
    assert words.startswith("the scales are the bytes themselves, as integers from 0 to 255")


def test_a_scale_by_the_nearest_power_in_log2(x):  # mlxcel#1769, mlx#4353
    scales = power(amax(x, 32) / f32(448), np.round)
    stored = (np.log2(scales) + 127).astype(np.uint8)
    assert named(codes(x, scales), stored, x, "mxfp8-te") == [
        "the scale is amax / 448, rounded to the power of two that is nearest in log2"]


def test_another_floor_of_the_scales(x):  # vllm#53346
    tiny = (x * f32(1e-15)).astype(f32)
    kernel = sf.quantize(tiny, "fp8-group128-vllm-triton-ue8m0")
    words = named(kernel.codes, kernel.scales, tiny, "fp8-group128-deepseek-ue8m0")[0]
    assert "max(amax, 1e-10) / 448" in words and "not pow2(log2-ceil(max(amax, 1e-4)" in words


# ---- amax and factors


def test_amax_over_two_blocks(x):  # mlx#3557
    kernel = sf.quantize(x, sf.recipe("nvfp4-te", block=32))
    assert named(kernel.codes, np.repeat(kernel.scales, 2, 1), x, "nvfp4-te") == [
        "amax is taken over 2 blocks of a row"]


def test_a_division_or_a_reciprocal():  # MSLK#224, vllm#46944
    x = critical_tensor("fp8-group128-deepseek")
    kernel = sf.quantize(x, "fp8-group128-sglang")
    words = named(kernel.codes, kernel.scales, x, "fp8-group128-deepseek")[0]
    assert words.startswith("the arithmetic of fp8-group128-sglang") and "/~" in words


def test_a_product_with_the_reciprocal_of_a_scale():  # FlagGems#5941
    x = critical_tensor("fp8-group128-deepseek")
    kernel = sf.quantize(x, sf.recipe("fp8-group128-deepseek", factor_of="1 s /", element_of="x f *"))
    assert "multiplies by 1 / scale instead of dividing by the scale" in named(
        kernel.codes, kernel.scales, x, "fp8-group128-deepseek")


def test_a_global_scale_of_the_batch(x):  # vllm#57016, vllm#57092
    g = sf.recipe("nvfp4-te").global_scale(f32(2) * np.abs(x).max())
    kernel = sf.quantize(x, "nvfp4-te", global_scale=g)
    message = failure_of(assert_quantized, kernel.codes, kernel.scales, x, "nvfp4-te")
    assert "global scale is 0.5 times" in message or "global scale is 2 times" in message


# ---- stages


@pytest.mark.parametrize("stage", [
    "relu2",  # Megatron-LM#6588
    "rms-norm w=W"])  # vllm#51393
def test_a_result_that_is_not_rounded_to_bf16(stage, x, w):
    arrays = {"W": w} if "W" in stage else {}
    kernel = sf.quantize(bf16(x), "mxfp8-te", after=stage, **arrays)
    assert fused(kernel.codes, kernel.scales, {"x": bf16(x), **arrays}, stage + " via=bf16",
                 "mxfp8-te").startswith(f"your kernel keeps f32 after {stage.split()[0]}, "
                                        "where the stage rounds to bf16; with that all ")


def test_an_activation_in_f32_before_integers(gated):  # comfy-kitchen#124
    kernel = sf.quantize(gated, "int8-per-token-sglang", after="silu-gate")
    assert fused(kernel.codes, kernel.scales, gated, "silu-gate via=bf16",
                 "int8-per-token-sglang").startswith("your kernel keeps f32 after silu")


def test_another_order_of_a_sum_is_excused(x, w):  # vllm#46658
    kernel = sf.quantize(bf16(x), "fp8-per-token", after="rms-norm w=W order=32x1 via=bf16", W=w)
    want = sf.quantize(bf16(x), "fp8-per-token", after="rms-norm w=W via=bf16", W=w)
    assert (kernel.codes != want.codes).any()
    assert_fused(kernel.codes, kernel.scales, {"x": bf16(x), "W": w}, "rms-norm w=W via=bf16",
                 "fp8-per-token")


def test_a_reference_of_its_own_is_excused(gated):  # vllm#48847
    kernel = sf.quantize(gated, "fp8-group128", after="silu-gate via=bf16")
    exact = sf.stage("silu-gate").run(gated)
    assert (kernel.codes != sf.quantize(exact, "fp8-group128").codes).any()
    assert_quantized(kernel.codes, kernel.scales, exact, "fp8-group128", uncertain="bf16/2")


def test_within_one_code_is_too_much(x):  # vllm#54890: a truncation is within one code too
    scales = amax(x, 128) / f32(448)
    cut = (x.view(np.uint32) & np.uint32(0xFFFF0000)).view(f32)
    message = failure_of(assert_quantized, codes(cut, scales), scales, x, "fp8-group128",
                         uncertain="bf16/2")
    assert message.startswith("outside: ")
    assert "the values are cut to bf16, not rounded" in message


def test_a_copy_in_bf16_is_quantized(x):  # xtuner#2044
    for recipe in "mxfp8-te", "fp8-group128", "nvfp4-te":
        kernel = sf.quantize(bf16(x), recipe)
        assert named(kernel.codes, kernel.scales, x, recipe) == [
            "the inputs are rounded to bf16 first"]


def test_doubles_by_way_of_f32():  # ml_dtypes#401
    x = critical("f64", "e4m3")
    kernel = sf.convert(sf.convert(x, "f32"), "e4m3", from_="f32")
    assert (kernel != sf.convert(x, "e4m3")).any()
    assert "likely mistake: rounds twice, first to f32" in failure_of(
        assert_bits, kernel, inputs=x, fmt="e4m3")


@pytest.mark.parametrize("recipe, first, words", [
    ("mxfp8-te", "mxfp8-te", "mxfp8-te"),  # Megatron-LM#6666
    ("fp8-group128-deepseek-ue8m0", "fp8-block128-vllm", "fp8-.*block128.*")])  # vllm#58157
def test_values_that_were_quantized_before(x, recipe, first, words):
    x[::2] *= f32(0.7)
    values = np.asarray(sf.quantize(x, first).dequantize(), f32).reshape(x.shape)
    again = sf.quantize(bf16(values), recipe)
    found = named(again.codes, again.scales, x, recipe)[0]
    assert re.fullmatch("the inputs were quantized before, by " + words, found)
    assert_quantized(again.codes, again.scales, bf16(values), recipe)
    codes = again.codes.copy()
    codes[::8, 3] ^= 1  # not of all codes
    assert named(codes, again.scales, x, recipe) == [""]


# ---- rules of formats


def test_a_cast_that_truncates_on_the_way():  # FreeToken#85: Triton on sm_89
    x = critical("f32", "e4m3")
    kernel = sf.convert(sf.convert(x, "f16", round="rz"), "e4m3", from_="f16")
    message = failure_of(assert_bits, kernel, inputs=x, fmt="e4m3")
    assert line(message, "matches instead").startswith("triton-sm89 ")
    assert line(message, "likely mistake").startswith("truncates to f16 first, then rounds")


def test_errors_in_another_domain():  # miles#1261, flashinfer#3448
    x = critical_tensor("nvfp4-te-4over6")
    kernel = sf.quantize(x, "nvfp4-te-4over6-mse")
    words = named(kernel.codes, kernel.scales, x, "nvfp4-te-4over6")[0]
    assert "the choice between two scales compares" in words


def test_a_subnormal_scale_as_a_normal_one(rng):  # flashinfer#3932
    x = (rng.standard_normal((64, 256)) * 0.002).astype(f32)
    stored = sf.quantize(x, "nvfp4-te", global_scale=1.0).scales
    assert ((stored & 0x78 == 0) & (stored & 7 != 0)).any()
    values = sf.decode(stored, "e4m3").astype(f32)
    wrong = np.where((stored & 0x78 == 0) & (stored & 7 != 0),
                     (8 + (stored & 7)) * f32(2.0 ** -10), values).astype(f32)
    by = sf.recipe("nvfp4-te", scale="f32", scale_policy="ocp-nosat", scale_fields="")
    kernel = sf.blocks.codes_by_scales(x, sf.format("f32"), by, wrong.view(np.uint32), global_scale=1.0)
    assert named(kernel, stored, x, "nvfp4-te", global_scale=1.0) == [
        "subnormal scales of e4m3 are read as normal numbers, with the hidden bit"]
