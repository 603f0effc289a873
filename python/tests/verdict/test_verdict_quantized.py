# SPDX-License-Identifier: MIT
"""test_verdict_quantized.py -- assert_quantized names the mistake that was made, and no other"""
import functools
import re
import time

import numpy as np
import pytest

import softfp8 as sf
from softfp8.testing import assert_quantized
from conftest import failure_of, line, mistakes, unnamed

failure = functools.partial(failure_of, assert_quantized)

ml_dtypes = pytest.importorskip("ml_dtypes")
F = np.float32


# ---- scales


def rounded(x, dtype):
    return x.astype(dtype).astype(F)


def blocks(x, size):
    return x.reshape(len(x), -1, size)


def codes_of(x, scales, size):
    """The codes of e4m3 for these scales, by ml_dtypes."""
    scaled = (blocks(x, size) / scales[:, :, None]).clip(-448, 448).reshape(x.shape)
    return scaled.astype(ml_dtypes.float8_e4m3fn).view(np.uint8)


BF16 = ml_dtypes.bfloat16
# What a kernel takes as the scale, given the magnitudes of the blocks, and the only mistakes that may
# be named.
SCALES = {
    "amax in bf16": (lambda b: rounded(b.max(2), BF16) / F(448), ["amax is rounded to bf16"]),
    "amax in f16": (lambda b: rounded(b.max(2), np.float16) / F(448), ["amax is rounded to f16"]),
    "scale in bf16": (lambda b: rounded(b.max(2) / F(448), BF16), ["the scale is rounded to bf16"]),
    "scale in f16": (lambda b: rounded(b.max(2) / F(448), np.float16),
                     ["the scale is rounded to f16"]),
    "amax + eps": (lambda b: (b.max(2) + F(1e-6)) / F(448), ["the scale is that of amax + 1e-06"]),
    "scale + eps": (lambda b: b.max(2) / F(448) + F(1e-8), ["1e-08 is added to the scale"]),
    "reciprocal": (lambda b: b.max(2) * (F(1) / F(448)),
                   ["multiplies by 1 / 448 instead of dividing by 448"]),
    "448 / amax": (lambda b: F(1) / (F(448) / b.max(2)),
                   ["takes the reciprocal of 448 / amax instead of dividing by 448"]),
    "reciprocal of bf16": (lambda b: rounded(b.max(2), BF16) * (F(1) / F(448)),
                           ["amax is rounded to bf16; multiplies by 1 / 448 instead of dividing by "
                            "448"]),
    "half": (lambda b: b[:, :, :b.shape[2] // 2].max(2) / F(448),
             ["amax is taken over the first {half} of the {all} elements of a block"]),
    "other half": (lambda b: b[:, :, b.shape[2] // 2:].max(2) / F(448),
                   ["amax is taken over the last {half} of the {all} elements of a block"]),
    "each second": (lambda b: b[:, :, ::2].max(2) / F(448),
                    ["amax is taken over each second element, from the first on"]),
    "pairs of rows": (lambda b: b.max(2).reshape(-1, 2, b.shape[1]).max(1).repeat(2, 0) / F(448),
                      ["amax is taken over 2 rows of blocks"]),
    "240": (lambda b: b.max(2) / F(240), ["divides by 240 instead of 448"]),
    "factor": (lambda b: b.max(2) / F(448) * F(1.07),
               ["the scales are 1.07 times those of the recipe"]),
    "floor": (lambda b: np.maximum(b.max(2) / F(448), F(0.007)), ["no scale is below 0.00700000022"]),
    "power of two below": (lambda b: np.exp2(np.floor(np.log2(b.max(2) / F(448)))),
                           ["the scale is amax / 448, rounded down to a power of two"]),
    "nearest power of two": (lambda b: np.exp2(np.rint(np.log2(b.max(2) / F(448)))),
                             ["the scale is amax / 448, rounded to the power of two that is nearest in "
                              "log2"]),
}


@pytest.fixture(scope="module")
def x():
    return np.random.default_rng(1).standard_normal((64, 256)).astype(F)


@pytest.mark.parametrize("recipe, size", [("fp8-compressed-channel", 256), ("fp8-group128", 128)])
@pytest.mark.parametrize("name", SCALES)
def test_scales_have_their_own_mistake(name, recipe, size, x):
    make, named = SCALES[name]
    scales = make(np.abs(blocks(x, size))).astype(F)
    message = failure(codes_of(x, scales, size), scales, x, recipe)
    assert message.splitlines()[0].endswith(f" scales differ from {recipe}; all 16,384 codes are right "
                                            "for your scales")
    found = [re.sub(r"^the arithmetic of \S+: ", "", words) for words in mistakes(message)]
    if name == "448 / amax" and "-te" in line(message, "matches instead"):
        assert found.pop(0) == "the scale is rcp(448 / max(amax, 1e-3)), not max(amax, 1e-10) / 448"
    if name == "448 / amax" and "-torchao-training" in line(message, "matches instead"):
        assert found.pop(0).startswith("the scale is rcp(448 / nmax(amax, 1e-12)), not ")
    if name == "reciprocal" and "per-token-head" in line(message, "matches instead"):
        assert found.pop(0).startswith("the scale is max(amax * (1 / 448), 1e-6), not ")
    assert found == [words.format(half=size // 2, all=size) for words in named]
    assert "rounding" not in line(message, "likely mistake")


def test_scales_of_nothing_that_is_known(x):
    rng = np.random.default_rng(2)
    right = np.abs(blocks(x, 128)).max(2) / F(448)
    near = np.abs(blocks(x, 128)).max(2) * (F(1) / F(448))
    near[3:6] = np.nextafter(near[3:6], F(1))  # all but a few are explained
    for scales, words in (
            (near, "the scales are at most 2 steps of f32 from those of the recipe"),
            (right * rng.uniform(0.5, 1.5, right.shape).astype(F), "the scales that differ are 0.50"),
            (np.nextafter(right, rng.choice([0, 1], right.shape).astype(F)),
             "the scales are at most 1 step of f32 from those of the recipe"),
            (rng.permutation(right.reshape(-1)).reshape(right.shape), "the scales that differ are ")):
        scales = scales.astype(F)
        message = failure(codes_of(x, scales, 128), scales, x, "fp8-group128")
        assert "all 16,384 codes are right for your scales" in message
        assert unnamed(message) and line(message, "unexplained").startswith(words)


def test_one_scale_fits_every_number():
    x = np.random.default_rng(3).standard_normal((1, 128)).astype(F)
    for factor in (1.07, 1.2345):
        scales = np.abs(x).max(keepdims=True) / F(448) * F(factor)
        message = failure(codes_of(x, scales, 128), scales, x, "fp8-group128")
        assert unnamed(message) and f"are {factor} times those of" in line(message, "unexplained")


def test_a_block_of_zeros_has_another_scale(x):
    y = x.copy()
    y[5] = 0
    right = sf.quantize(y, "fp8-group128")
    scales = right.scales.view(F).copy()
    scales[5] = 1
    message = failure(right.codes, scales, y, "fp8-group128")
    assert mistakes(message) == ["the scale of a block of zeros is 1, not 2.23214283e-13"]


def test_codes_and_scales_are_wrong_each_for_itself(x):
    scales = rounded(np.abs(blocks(x, 128)).max(2), BF16) / F(448)
    codes = sf.convert(x / np.repeat(scales, 128, 1), "e4m3", round="rz", dtype="codes")
    assert line(failure(codes, scales, x, "fp8-group128"), "likely mistake") == \
        "codes: rounds toward zero; scales: amax is rounded to bf16"
    codes = codes_of(x, scales, 128)
    codes[7, 7] ^= 1
    message = failure(codes, scales, x, "fp8-group128")
    assert "for your scales, 1 code of 16,384 differ" in message and unnamed(message)


def test_a_scale_that_another_rule_rounds_to_a_power_of_two(x):
    amax = np.abs(x.reshape(64, 8, 32)).max(2)
    even = np.exp2(np.rint(np.log2(amax / F(448))))
    scales = (np.log2(even) + 127).astype(np.uint8)
    codes = codes_of(x, even.astype(F), 32)
    assert mistakes(failure(codes, scales, x, "mxfp8-e4m3-floor")) == \
        ["the scale is amax / 448, rounded to the power of two that is nearest in log2"]


# ---- the difference from a recipe, in words


def test_the_arithmetic_of_a_recipe_comes_with_the_difference(x):
    q = sf.quantize(x, "mxfp8-e4m3-ceil")
    words = mistakes(failure(q.codes, q.scales, x, "mxfp8-e4m3-floor"))
    assert words[0] == ("the arithmetic of mxfp8-e4m3-ceil: the scale is pow2(exponent-up(amax) - 8), "
                        "not pow2(exponent(amax) - 8)")


ONE = "nvfp4-te"


@pytest.fixture(scope="module")
def flip():
    """A row and a global scale for which one scale of nvfp4-modelopt is not that of nvfp4-te."""
    x = np.random.default_rng(3).standard_normal((2048, 2048)).astype(F)
    return x[270:271], sf.quantize(x, ONE).global_scale


def test_a_named_recipe_comes_before_a_change(flip):
    x, g = flip
    q = sf.quantize(x, "nvfp4-modelopt", global_scale=1 / g)
    message = failure(q.codes, q.scales, x, ONE, global_scale=g)
    assert message.startswith("1 of 128 scales differ from nvfp4-te; all 2,048 codes are right for")
    assert line(message, "matches instead").startswith("nvfp4-")
    assert mistakes(message)[0].startswith("the arithmetic of nvfp4-")
    assert "only one result differs" in line(message, "likely mistake")
    assert "ties go away" not in message


@pytest.mark.long
def test_one_flip_in_four_million_is_soon_unexplained():
    x = np.random.default_rng(3).standard_normal((2048, 2048)).astype(F)
    q = sf.quantize(x, ONE)
    codes = q.codes.copy()
    codes[5, 7] ^= 1
    start = time.process_time()
    message = failure(codes, q.scales, x, ONE)
    assert time.process_time() - start < 3
    assert unnamed(message) and "one too small, as with" in line(message, "unexplained")


# ---- no one is accused


def tensor(seed):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((128, 128)) * np.exp2(rng.integers(-3, 4, (128, 1)))
    return x.astype(F), rng


def quantized(x, recipe):
    of = sf.recipe(recipe)
    for g in (None, 0.05):
        try:
            q = sf.quantize(x, of, global_scale=g)
            break
        except ValueError:  # the recipe does not say how to compute its global scale
            continue
    return q, {"offsets": q.offsets, "global_scale": q.global_scale if of.has_global_scale else None}


def test_right_quantizers_of_all_recipes_pass():
    x, _ = tensor(4)
    for name in sf.recipes():
        q, options = quantized(x, name)
        assert_quantized(q.codes, q.scales, x, name, **options)


def relatives():
    """Pairs of recipes that one may take for another: every seventh of them."""
    rows = [sf.recipe(name).info() for name in sf.recipes()]
    key = [(r["element"], r["scale"], "offset=" in r["properties"]) for r in rows]
    pairs = [(a["name"], b["name"]) for i, a in enumerate(rows) for j, b in enumerate(rows)
             if i != j and key[i] == key[j] and not key[i][2]]
    return pairs[::151]


@pytest.mark.long
def test_what_another_recipe_gives_is_right_or_its_own():
    x, _ = tensor(5)
    for name, other in relatives():
        expected, options = quantized(x, name)
        q, _ = quantized(x, other)
        if q.scales.shape != expected.scales.shape:
            continue
        if np.array_equal(q.codes, expected.codes) and np.array_equal(q.scales, expected.scales):
            assert_quantized(q.codes, q.scales, x, name, **options)
        else:
            message = failure(q.codes, q.scales, x, name, **options)
            assert line(message, "matches instead") and "the arithmetic of " in message or \
                "layout" in line(message, "likely mistake"), (name, other, message)


@pytest.mark.long
def test_noise_has_no_name():
    x, rng = tensor(6)
    for name in sf.recipes()[::25]:
        q, options = quantized(x, name)
        top, some = 1 << q.recipe.bits, rng.random(q.codes.shape) < 0.01
        noise = rng.integers(0, top, q.codes.shape).astype(np.uint8)
        found = [(np.where(some, q.codes ^ 1, q.codes), q.scales),
                 (np.where(some, noise, q.codes), q.scales), (noise, q.scales)]
        if not q.recipe.scale_is_given and np.unique(q.scales).size > 10:
            few = rng.random(q.scales.shape) < 0.1
            found.append((q.codes, np.where(few, q.scales ^ 1, q.scales).astype(q.scales.dtype)))
            found.append((q.codes, rng.permutation(q.scales.reshape(-1)).reshape(q.scales.shape)))
        for codes, scales in found:
            assert unnamed(failure(codes, scales, x, name, **options)), name


# ---- scales that no code can belong to


@pytest.mark.parametrize("recipe", ["fp8-group128-te", "fp8-block128-sglang", "int8-group128-sglang",
                                    "q8_0-gguf"])
@pytest.mark.parametrize("factor", [2, -1, 0, np.nan])
def test_codes_of_a_factor_from_the_elements(recipe, factor, rng):
    """The factor of these recipes is that of amax, whatever the scale: for another scale the codes
    are wrong."""
    x = rng.standard_normal((4, 256)).astype(F)
    q = sf.quantize(x, recipe)
    scales = np.asarray(sf.convert(q.scales, "f32", from_=sf.recipe(recipe).scale)) * F(factor)
    bits = sf.recipe(recipe).scale.bits
    stored = scales if bits == 32 else scales.astype(np.float16)
    assert "right for your scales" not in failure(q.codes, stored, x, recipe)


@pytest.mark.parametrize("recipe", ["nvfp4-te", "mxfp8-te", "fp8-group128"])
@pytest.mark.parametrize("part", ["codes", "scales", "both"])
def test_memory_that_was_not_written(recipe, part, rng):
    x = rng.standard_normal((4, 256)).astype(F)
    q = sf.quantize(x, recipe)
    codes = q.codes * np.uint8(part == "scales")
    scales = q.scales * q.scales.dtype.type(part == "codes")
    text = failure(codes, scales, x, recipe)
    assert not re.search("inverse|times amax|were read|divides by", text), text
