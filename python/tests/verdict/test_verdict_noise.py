# SPDX-License-Identifier: MIT
"""test_verdict_noise.py -- wrong scales and factors beside honest noise: named, and not imagined"""
import numpy as np
import pytest

import softfp8 as sf
from softfp8.testing import assert_bits, assert_quantized

from conftest import failure_of, mistakes

f32 = np.float32


def bf16(x):
    return np.asarray(sf.decode(sf.convert(np.asarray(x, f32), "bf16"), "bf16"), f32)


@pytest.fixture
def y(rng):
    return rng.standard_normal((64, 512)).astype(f32)


def largest(x, block=128):
    return np.abs(x).reshape(len(x), -1, block).max(2)


def codes(x, scales):
    return sf.convert((x / np.repeat(scales, x.shape[1] // scales.shape[1], 1)).astype(f32), "e4m3")


def judged(y, got, scales, recipe="fp8-group128", uncertain="bf16/2"):
    return failure_of(assert_quantized, got, scales, y, recipe, uncertain=uncertain)


# ---- scales; the values that are quantized are those of y in bf16


RULES = {
    "the scale is that of 2 times amax": lambda a: 2 * (a / f32(448)),
    "the scale is that of 0.5 times amax": lambda a: a / f32(448) / 2,
    "the scale is that of 1.004 times amax": lambda a: a * f32(1.004) / f32(448),
    "divides by 1 instead of 448": lambda a: a,
    "divides by 240 instead of 448": lambda a: a / f32(240),
    "the scale is that of amax + 0.01": lambda a: (a + f32(0.01)) / f32(448),
    "multiplies by 1 / 448 instead of dividing by 448": lambda a: a * f32(1 / 448),
    "the scale is amax / 448, rounded down to a power of two":
        lambda a: np.exp2(np.floor(np.log2(a / f32(448)))),
    "the scale is amax / 448, rounded up to a power of two":
        lambda a: np.exp2(np.ceil(np.log2(a / f32(448)))),
    "the scale is amax / 448, rounded to the power of two that is nearest in log2":
        lambda a: np.exp2(np.round(np.log2(a / f32(448)))),
    "amax is taken over 2 blocks of a row":
        lambda a: a.reshape(64, 2, 2).max(2).repeat(2, 1) / f32(448),
    "amax is taken over all blocks of a row":
        lambda a: np.broadcast_to(a.max(1, keepdims=True), a.shape) / f32(448),
    "amax is that of the whole tensor": lambda a: np.full_like(a, a.max() / f32(448)),
    "each row of blocks has the scales of the one before it: they are stale":
        lambda a: np.roll(a, 1, 0) / f32(448),
    "each block has the scale of the one before it: they are stale":
        lambda a: np.roll(a, 1, 1) / f32(448),
}


@pytest.mark.parametrize("words", RULES)
def test_a_wrong_scale_beside_noise(y, words):
    x = bf16(y)
    scales = RULES[words](largest(x)).astype(f32)
    message = judged(y, codes(x, scales), scales)
    assert message.startswith("outside: ") and mistakes(message) == [words]


@pytest.mark.parametrize("part, words", [
    (np.s_[..., :64], "amax is taken over the first half of the elements of a block"),
    (np.s_[..., 64:], "amax is taken over the last half of the elements of a block"),
    (np.s_[..., ::2], "amax is taken over each second element, from the first on")])
def test_amax_of_a_part_beside_noise(y, part, words):
    x = bf16(y)
    scales = np.abs(x.reshape(64, 4, 128)[part]).max(2) / f32(448)
    assert mistakes(judged(y, codes(x, scales), scales)) == [words]


@pytest.mark.parametrize("factor", [2, 1.004, 0.25])
def test_scales_that_the_codes_do_not_have(y, factor):
    x = bf16(y)
    scales = largest(x) / f32(448)
    assert mistakes(judged(y, codes(x, scales), (scales * f32(factor)).astype(f32))) == [
        f"the scale is that of {factor} times amax; codes: they belong to the scales without this factor"]


@pytest.mark.parametrize("rounded, words", [(np.floor, "rounded down to a power of two"),
                                            (np.round, "the power of two that is nearest in log2")])
def test_other_powers_of_two_beside_noise(y, rounded, words):
    x = bf16(y)
    power = rounded(np.log2(largest(x, 32) / f32(448)))
    message = judged(y, codes(x, np.exp2(power).astype(f32)), (power + 127).astype(np.uint8),
                     "mxfp8-te")
    assert words in mistakes(message)[0]


# ---- the innocent: noise that is larger than was stated, and a few scales that are wrong


@pytest.mark.parametrize("recipe", ["fp8-group128", "mxfp8-te", "fp8-per-token"])
@pytest.mark.parametrize("seed", range(3))
def test_more_noise_than_was_stated_is_not_named(recipe, seed):
    rng = np.random.default_rng(seed)
    y = rng.standard_normal((64, 512)).astype(f32)
    for noise, uncertain in ((2 ** -7, "bf16/2"), (2 ** -14, "f32*4"), (2 ** -16, "f32")):
        kernel = sf.quantize((y * (1 + noise * rng.uniform(-1, 1, y.shape))).astype(f32), recipe)
        words = mistakes(judged(y, kernel.codes, kernel.scales, recipe, uncertain))
        assert words in ([], [""]), words


def test_a_few_wrong_scales_are_not_named(y):
    x = bf16(y)
    scales = largest(x) / f32(448)
    scales[::16, 0] *= f32(1.01)
    assert mistakes(judged(y, codes(x, scales), scales)) in ([], [""])


# ---- a factor in the codes of a cast


@pytest.mark.parametrize("factor", [1.0025, 0.9975])
def test_a_small_factor_is_no_rule_of_ties(rng, factor):
    y = rng.standard_normal((512, 512)).astype(f32)
    noisy = (y * (1 + 0.002 * rng.uniform(-1, 1, y.shape))).astype(f32)
    message = failure_of(assert_bits, sf.convert(noisy * f32(factor), "e4m3"), inputs=y, fmt="e4m3",
                         uncertain="rel=0.005")
    assert message.startswith("one-sided: ")
    words = mistakes(message)[0]
    assert words.startswith("the values are about ") and "ties" not in words
    assert abs(float(words.split()[4]) - factor) < 3e-4


def test_a_cut_is_no_factor(rng):
    y = rng.standard_normal((512, 512)).astype(f32)
    cut = (y.view(np.uint32) & np.uint32(0xFFFF0000)).view(f32)
    assert mistakes(failure_of(assert_bits, sf.convert(cut, "e4m3"), inputs=y, fmt="e4m3",
                               uncertain="bf16")) == ["the values are cut to bf16, not rounded"]


def test_the_ends_of_a_factor_can_be_told_apart(rng):
    y = rng.standard_normal((512, 512)).astype(f32)
    message = failure_of(assert_bits, sf.convert(bf16(y) * f32(0.5), "e4m3"), inputs=y, fmt="e4m3",
                         uncertain="bf16/2")
    low, high = mistakes(message)[0].split("the values are ")[1].split(" times")[0].split(" to ")
    assert float(low) <= 0.5 <= float(high) and low != high


# ---- NaN


def test_a_computation_that_is_nan(y):
    path = y.copy()
    path[0, 0] = np.nan
    got = sf.convert(y, "e4m3").copy()
    for code in (int(got[0, 0]), 0x7F):
        got[0, 0] = code
        assert_bits(got, inputs=y, fmt="e4m3", between=(path, y))
        assert_bits(got, inputs=y, fmt="e4m3", between=(y, path))
    got[0, 0] ^= 1
    got[0, 0] &= 0x77
    assert failure_of(assert_bits, got, inputs=y, fmt="e4m3", between=(path, y)).startswith(
        "outside: the uncertainty does not excuse 1 of")
