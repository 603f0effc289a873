# SPDX-License-Identifier: MIT
"""test_scaled.py -- codes that are right for another scale: the interval of scales that give them"""
import re

import numpy as np
import pytest

import softfp8 as sf
from softfp8.testing import assert_bits, scaled
from conftest import failure_of, line
from test_assert_quantized import failure

FACTORS = [1.001, 1.03, 1.2, 1.5, 2, 0.7]


@pytest.fixture(scope="module")
def k():
    return np.random.default_rng(20261128).standard_normal((40, 4, 64)).astype(np.float32)


def interval_of(mistake):
    """The two ends of an interval, in the text of a mistake."""
    low, high = re.search(r"in \[(\S+), (\S+)\]$", mistake).groups()
    return float(low), float(high)


@pytest.mark.parametrize("recipe", ["kv-vllm", "kv-vllm-scaled", "kv-vllm-e5m2"])
@pytest.mark.parametrize("factor", FACTORS)
def test_another_scale_of_a_store(recipe, factor, k):
    meant = 0.02 * factor
    codes = sf.convert(k / np.float32(meant), sf.recipe(recipe).element)
    message = failure(codes, None, k, recipe, global_scale=0.02)
    mistake = line(message, "likely mistake")
    assert mistake.startswith(f"the global scale is {factor:.4g} times yours: all codes are "
                              "consistent with a scale in [")
    low, high = interval_of(mistake)
    assert low * (1 - 1e-3) <= meant <= high * (1 + 1e-3) and high / low < 1.001
    found = float(line(message, "matches instead").removeprefix(f"{recipe}, global scale "))
    assert (sf.quantize(k, recipe, global_scale=found).codes == codes).all()


def test_half_of_the_scale_may_be_another_format_too(k):
    codes = sf.convert(k / np.float32(0.01), "e4m3")
    mistake = line(failure(codes, None, k, "kv-vllm", global_scale=0.02), "likely mistake")
    assert mistake.startswith("the codes are e4m3fnuz, not e4m3; or the global scale is 0.5 times ")


@pytest.mark.parametrize("factor", FACTORS)
def test_the_global_scale_of_blocks(factor, k):
    w = k.reshape(160, 64)
    g = sf.quantize(w, "nvfp4-te").global_scale
    q = sf.quantize(w, "nvfp4-te", global_scale=g * factor)
    mistake = line(failure(q.codes, q.scales, w, "nvfp4-te"), "likely mistake")
    low, high = interval_of(mistake)
    assert f"the global scale is {factor:.4g} times yours" in mistake
    assert low * (1 - 1e-4) <= g * factor <= high * (1 + 1e-4)


@pytest.mark.parametrize("recipe", ["fp8-group128", "mxfp8-e4m3-even", "fp8-block128-vllm"])
@pytest.mark.parametrize("factor", [1.03, 1.5, 0.9])
def test_codes_for_larger_scales_of_blocks(recipe, factor, k):
    w = k.reshape(80, 128)
    q = sf.quantize(w, recipe)
    of = sf.recipe(recipe)
    wrong = sf.recipe(recipe, element_of=f"x {factor} /" + of.info()["element_of"][1:])
    codes = sf.quantize(w, wrong).codes
    for scales in None, q.scales:
        mistake = line(failure(codes, scales, w, recipe), "likely mistake")
        assert mistake.startswith(f"the codes are those for scales {factor:.3g} times as large: ")
        low, high = interval_of(mistake)
        assert low * (1 - 1e-3) <= factor <= high * (1 + 1e-3)
    if of.scale.name == "f32":
        stored = q.scale_values() * np.float32(factor)
        message = failure(codes, stored, w, recipe)
        assert "all 10,240 codes are right for your scales" in message
        if q.scales.size > 1:
            assert line(message, "likely mistake") == f"the scales are {factor:.3g} times those of " \
                                                      "the recipe"
        else:  # some factor always fits one scale
            assert line(message, "unexplained") == f"the scales that differ are {factor:.3g} times " \
                                                   "those of the recipe"
        mixed = stored.copy()  # the mean of the factors stays
        mixed.flat[:2] *= [np.float32(1.5), np.float32(0.5)][:mixed.size]
        assert "the scales are" not in failure(codes, mixed, w, recipe)


def test_scales_of_blocks_that_were_not_given(k):
    w = k.reshape(160, 64)
    g = sf.quantize(w, "nvfp4-te").global_scale
    words = "the codes of each block are right for some scale, but not for the recipe's"
    for factor in FACTORS:
        codes = sf.quantize(w, "nvfp4-te", global_scale=g * factor).codes
        assert line(failure(codes, None, w, "nvfp4-te"), "likely mistake").startswith(words)
    of = sf.recipe("nvfp4-te", element_fields="round=rz")
    codes = sf.quantize(w, of, global_scale=g).codes
    codes[0, 0] ^= 8  # no mistake that is known, and no scale
    assert words not in failure(codes, None, w, "nvfp4-te")
    codes = sf.quantize(w, of, global_scale=g * 1.1).codes
    assert words not in failure(codes, None, w, "nvfp4-te")


def test_the_factor_of_inputs(k):
    x = k.reshape(-1) / np.float32(0.02)
    for factor in 1.03, 1.2, 0.7:
        codes = sf.convert(k.reshape(-1) / np.float32(0.02 * factor), "e4m3")
        mistake = line(failure_of(assert_bits, codes, inputs=x, fmt="e4m3"), "likely mistake")
        assert mistake.startswith("the codes are those of ")
        assert f"as with a scale of {factor:.3g}" in mistake
        low, high = interval_of(mistake)
        assert low * (1 - 1e-3) <= 1 / factor <= high * (1 + 1e-3)


def test_no_scale_is_named_where_one_element_is_against_it(k):
    codes = sf.convert(k / np.float32(0.02 * 1.2), "e4m3")
    codes[3, 2, 1] ^= 1
    assert "times yours" not in failure(codes, None, k, "kv-vllm", global_scale=0.02)
    x = k.reshape(-1)[:1024] / np.float32(0.02)
    assert "as with a scale" not in failure_of(assert_bits, codes.reshape(-1)[:1024], inputs=x,
                                               fmt="e4m3")
    negated = sf.convert(k / np.float32(0.02 * 1.2), "e4m3") ^ 0x80
    assert "times yours" not in failure(negated, None, k, "kv-vllm", global_scale=0.02)
    few = k[:1, :1, :12]  # too few to say it
    codes = sf.convert(few / np.float32(0.02 * 1.2), "e4m3")
    assert "times yours" not in failure(codes, None, few, "kv-vllm", global_scale=0.02)


def test_a_rounding_is_no_scale(k):
    for mode in "rz", "rna", "ru":
        wrong = sf.recipe("kv-vllm", element_fields=f"round={mode}")
        codes = sf.quantize(k, wrong, global_scale=0.02).codes
        if (codes != sf.quantize(k, "kv-vllm", global_scale=0.02).codes).any():
            assert "times yours" not in failure(codes, None, k, "kv-vllm", global_scale=0.02)


def test_words_come_before_the_fields_of_a_recipe():
    x = np.random.default_rng(5).standard_normal((4, 64)).astype(np.float32)
    got = sf.quantize(x, sf.recipe("mxfp8-e4m3-floor", element_of="x s / s /"))
    assert line(failure(got.codes, got.scales, x, "mxfp8-e4m3-floor"), "matches instead") == \
        "mxfp8-e4m3-floor: the scale is applied twice (fields: element_of='x s / s /')"


def test_the_ends_of_an_interval_are_exact(k):
    codes = sf.convert(k / np.float32(0.0214), "e4m3")
    message = failure(codes, None, k, "kv-vllm", global_scale=0.02)
    middle = np.float32(line(message, "matches instead").rpartition(" ")[2])

    def holds(bits):
        scale = float(np.uint32(bits).view(np.float32))
        return (sf.quantize(k, "kv-vllm", global_scale=scale).codes == codes).all()

    got = scaled._keys(codes, "e4m3", 8)
    low, high = scaled.interval(
        lambda g: scaled._keys(sf.quantize(k, "kv-vllm", global_scale=g).codes, "e4m3", 8), got,
        0.02 / 1024, 0.02 * 1024)
    first, last = scaled.bits_of(low), scaled.bits_of(high)
    assert low <= middle <= high and holds(first) and holds(last)
    assert not holds(first - 1) and not holds(last + 1)
