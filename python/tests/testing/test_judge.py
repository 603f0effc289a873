# SPDX-License-Identifier: MIT
"""test_judge.py -- assertions with an uncertainty: what it excuses passes, and nothing else does

lib.judge proves the judge itself; here is how the assertions call it.
"""
import numpy as np
import pytest

import softfp8 as sf
from softfp8.testing import assert_bits, assert_quantized, report

RECIPE = "fp8-group128-deepseek"


def bf16(x):
    """Rounded to bf16, to nearest even, and back."""
    bits = np.asarray(x, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)


def cut(x):
    return (x.view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)


@pytest.fixture(scope="module")
def y():
    return np.random.default_rng(59).standard_normal((128, 1024)).astype(np.float32)


def message(function, *args, **options):
    with pytest.raises(AssertionError) as error:
        function(*args, **options)
    return str(error.value)


def quantized(x, recipe=RECIPE, **options):
    q = sf.quantize(x, recipe, **options)
    return q.codes, q.scale_values()


# ---- casts


def test_what_the_uncertainty_excuses_passes(y):
    codes = sf.convert(bf16(y), "e4m3")
    message(assert_bits, codes, inputs=y, fmt="e4m3")
    before = len(report.flips)
    assert_bits(codes, inputs=y, fmt="e4m3", uncertain="bf16/2")
    assert len(report.flips) == before + 1
    assert report.flips[-1] == (codes != sf.convert(y, "e4m3")).sum() > 1000
    assert_bits(codes, inputs=y, fmt="e4m3", uncertain=np.abs(y) / 256)
    assert_bits(codes, inputs=y, fmt="e4m3", between=(y, bf16(y)))
    assert_bits(codes, fmt="e4m3", between=(y, bf16(y)))
    assert_bits(codes, fmt="e4m3", between=(sf.convert(y, "e4m3"), codes))
    assert_bits(codes, inputs=y.astype(np.float64), fmt="e4m3", uncertain="bf16/2")


def test_nothing_else_does(y):
    text = message(assert_bits, sf.convert(cut(y), "e4m3"), inputs=y, fmt="e4m3",
                   uncertain="bf16/2")
    assert text.startswith("outside: the uncertainty does not excuse ")
    assert text.splitlines()[1] == "  likely mistake: the values are cut to bf16, not rounded"
    text = message(assert_bits, sf.convert(y * np.float32(1.004), "e4m3"), inputs=y, fmt="e4m3",
                   uncertain="bf16/2")
    assert "the values are 1.004 times the exact ones" in text
    text = message(assert_bits, sf.convert(bf16(y), "e4m3"), inputs=y, fmt="e4m3",
                   uncertain="f32*4")
    assert "likely mistake: the values are rounded to bf16 first" in text
    wrong = sf.convert(y, "e4m3")
    wrong[3, 5] ^= 0x40
    text = message(assert_bits, wrong, inputs=y, fmt="e4m3", uncertain="bf16/2")
    assert "1 of 131,072 codes" in text and "element 3077: " in text and "mistake" not in \
        text.replace("no known mistake", "")


def test_one_sided_flips_fail(y):
    u = y * np.float32(1 + 2 ** -11)
    text = message(assert_bits, sf.convert(u, "e4m3"), inputs=y, fmt="e4m3", uncertain="bf16/2")
    assert text.startswith("one-sided: the uncertainty excuses all ")
    assert text.splitlines()[1] == ("  likely mistake: the values are 1.000488 times the exact ones, "
                                    "as with a scale 0.9995 times as large")


def test_nan_and_policies():
    x = np.float32([np.nan, 500, 1])
    assert_bits(np.uint8([0x7F, 0x7F, 0x38]), inputs=x, fmt="e4m3", policy="ocp-nosat",
                uncertain="f32")
    text = message(assert_bits, np.uint8([0xFF, 0x7E, 0x38]), inputs=x, fmt="e4m3",
                   uncertain="f32")
    assert "1 of 3 codes" in text
    assert_bits(np.uint8([0xFF, 0x7E, 0x38]), inputs=x, fmt="e4m3", uncertain="f32", any_nan=True)
    assert_bits(np.uint8([0x58]), inputs=np.float32([17.9]), fmt="e4m3", round="rz",
                uncertain="abs=0.1")
    assert_bits(np.uint8([0x59]), inputs=np.float32([17.9]), fmt="e4m3", round="rz",
                uncertain="abs=0.1")


@pytest.mark.parametrize("error, text, options", [
    (ValueError, "uncertain: 'bf17/2': expected for example 'bf16/2'", {"uncertain": "bf17/2"}),
    (ValueError, r"uncertain: expected the shape \(2,\), got \(3,\)", {"uncertain": [1, 2, 3]}),
    (ValueError, "uncertain: expected errors that are not negative", {"uncertain": [1, -2]}),
    (ValueError, "uncertain: expected errors that are not negative", {"uncertain": [1, np.nan]}),
    (TypeError, r"between: expected two computations, \(a, b\)", {"between": [np.float32([1, 2])]}),
    (ValueError, r"between\[1\]: expected the shape \(2,\), got \(1,\)",
     {"between": (np.float32([1, 2]), np.float32([1]))}),
    (TypeError, r"between\[1\]: expected f32, as between\[0\]; got f64",
     {"between": (np.float32([1, 2]), np.float64([1, 2]))}),
    (TypeError, r"between\[0\]: expected values of f32, .*; got int64",
     {"between": (np.int64([1, 2]), np.int64([1, 2]))}),
    (TypeError, "uncertain: expected inputs, without want or random",
     {"uncertain": "f32", "want": np.uint8([1, 2])}),
    (ValueError, "f32 to e4m3: the policy, or a code, cannot be judged",
     {"uncertain": "f32", "policy": sf.policy("ocp", overflow="zero")})])
def test_bad_calls(error, text, options):
    with pytest.raises(error, match=text):
        assert_bits(np.uint8([0, 0]), inputs=np.float32([1, 2]), fmt="e4m3", **options)


def test_inputs_are_needed():
    with pytest.raises(TypeError, match="inputs: uncertain needs them"):
        assert_bits(np.uint8([0]), fmt="e4m3", uncertain="f32")
    with pytest.raises(TypeError, match=r"between: expected two computations, \(a, b\)"):
        assert_bits(np.uint8([0]), fmt="e4m3", between=())


# ---- quantizers


def test_quantizers(y):
    codes, scales = quantized(bf16(y))
    message(assert_quantized, codes, scales, y, RECIPE)
    assert_quantized(codes, scales, y, RECIPE, uncertain="bf16/2")
    assert report.flips[-1] > 1000
    assert_quantized(codes, scales, y, RECIPE, between=(y, bf16(y)))
    assert_quantized(codes, scales, y.astype(np.float64), RECIPE, uncertain="bf16/2")
    assert_quantized(codes, scales, y, RECIPE, uncertain=np.abs(y) / 256)
    assert_quantized(*quantized(y), y, RECIPE, uncertain="f32")
    codes, scales = quantized(bf16(y), along="columns")
    assert_quantized(codes, scales, y, RECIPE, along="columns", uncertain="bf16/2")
    q = sf.quantize(bf16(y), "mxfp8-te")
    assert_quantized(q.packed(), q.layout("128x4"), y, "mxfp8-te", layout="128x4",
                     uncertain="bf16/2")


def test_scales_and_codes_apart(y):
    codes, scales = quantized(y)
    text = message(assert_quantized, codes, scales * np.float32(1.004), y, RECIPE,
                   uncertain="bf16/2")
    assert "likely mistake: the scale is that of 1.004 times amax; codes: they belong to the scales without "\
        "this factor" in text
    blocks = y.reshape(128, 8, 128)
    own = bf16(np.abs(blocks).max(-1)) / np.float32(448)
    codes = sf.convert((blocks / own[..., None]).reshape(y.shape), "e4m3")
    text = message(assert_quantized, codes, own, y, RECIPE, uncertain="f32*4")
    assert "likely mistake: amax is rounded to bf16\n" in text
    assert_quantized(codes, own, y, RECIPE, uncertain="bf16/2")


@pytest.mark.parametrize("change, words", [
    (lambda g: 2 * g, "2 times the one that is given\n"),
    (lambda g: 1.0, "times the one that is given, as if it were not applied\n"),
    (lambda g: 1 / g, "times the one that is given, as if it were inverted\n"),
    (lambda g: g, None)])
def test_a_global_scale(y, change, words):
    x = y[:16]
    g = np.float32(2000 / np.abs(x).max())
    q = sf.quantize(bf16(x), "nvfp4-te", global_scale=np.float32(change(g)))
    args = (q.packed(), q.scales, x, "nvfp4-te")
    if words is None:
        assert_quantized(*args, global_scale=g, uncertain="bf16/2")
    else:
        text = message(assert_quantized, *args, global_scale=g, uncertain="bf16/2")
        mistake = text.splitlines()[1] + "\n"
        assert mistake.startswith("  likely mistake: the global scale is ") and words in mistake


def test_a_kernel_without_noise_is_explained_as_before(y):
    codes, scales = quantized(y)
    swapped = codes.reshape(-1, 2)[:, ::-1].reshape(codes.shape)
    text = message(assert_quantized, swapped, scales, y, RECIPE, uncertain="f32")
    assert text.startswith("outside: ")
    text = message(assert_quantized, codes, np.float32(1) / scales, y, RECIPE, uncertain="f32")
    assert "the scale is inverted: its reciprocal is stored" in text


def test_scales_of_heads(y):
    x = y.reshape(128, 4, 256)
    scales = [0.01, 0.02, 0.03, 0.04]
    codes = np.stack([sf.quantize(np.ascontiguousarray(bf16(x)[:, h]), "kv-vllm",
                                  global_scale=scales[h]).codes for h in range(4)], 1)
    g = np.float32(scales)
    message(assert_quantized, codes, None, x, "kv-vllm", global_scale=g)
    assert_quantized(codes, None, x, "kv-vllm", global_scale=g, uncertain="bf16/2")
    assert_quantized(codes, g, x, "kv-vllm", global_scale=g, uncertain=np.abs(x) / 256)
    text = message(assert_quantized, np.roll(codes, 1, 1), None, x, "kv-vllm", global_scale=g,
                   uncertain="bf16/2")
    assert text.startswith("4 of 4 heads differ from kv-vllm: 0, 1, 2, 3\nhead 0: outside: ")


def test_recipes_that_are_not_judged(y):
    with_offsets = next(name for name in sf.recipes() if sf.recipe(name).has_offsets)
    q = sf.quantize(y, with_offsets)
    with pytest.raises(ValueError, match="has offsets, whose scales are not judged"):
        assert_quantized(q.codes, q.scales, y + 1, with_offsets, offsets=q.offsets,
                         uncertain="bf16/2")
