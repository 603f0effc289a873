# SPDX-License-Identifier: MIT
"""test_verdict_judge.py -- what the judge of flips must see, and whom it must not accuse"""
import numpy as np
import pytest

import softfp8 as sf
from softfp8.testing import assert_bits, assert_fused, assert_quantized

from conftest import failure_of, mistakes, refused

f32 = np.float32


def bf16(x):
    return sf.decode(sf.convert(np.asarray(x, f32), "bf16"), "bf16")


@pytest.fixture
def y(rng):
    return rng.standard_normal((256, 1024)).astype(f32)


def by_scales(y, scales):
    return sf.convert((y / np.repeat(scales, 128, 1)).astype(f32), "e4m3"), scales


@pytest.mark.parametrize("uncertain", ["f32*1", "bf16/2"])
def test_ties_away_from_zero_are_one_sided(y, uncertain):
    message = failure_of(assert_bits, sf.convert(bf16(y), "e4m3", round="rna"), inputs=bf16(y),
                         fmt="e4m3", uncertain=uncertain)
    assert message.startswith("one-sided: ") and "ties go away from zero" in mistakes(message)


@pytest.mark.parametrize("seed", range(4))
def test_noise_at_ties_falls_on_both_sides(seed):
    rng = np.random.default_rng(seed)
    x = bf16(rng.standard_normal(1 << 16))
    noisy = (x * (1 + rng.choice([-1, 0, 1], x.size) * 2.0 ** -23)).astype(f32)
    assert (sf.convert(noisy, "e4m3") != sf.convert(x, "e4m3")).any()
    assert_bits(sf.convert(noisy, "e4m3"), inputs=x, fmt="e4m3", uncertain="f32*2")


@pytest.mark.parametrize("factor", [1.001, 1.0019, 0.999])
def test_a_small_factor_of_all_scales_is_one_sided(y, factor):
    scales = (np.abs(y).reshape(256, 8, 128).max(2) * f32(factor)).astype(f32) / f32(448)
    message = failure_of(assert_quantized, *by_scales(y, scales), y, "fp8-group128-deepseek",
                         uncertain="bf16/2")
    first, said = message.split("\n")[0].split("but all are ")
    assert first == "one-sided: the uncertainty excuses all 2,048 scales, "
    assert abs(float(said.split()[0]) - factor) < 1e-6


def test_equal_amax_is_no_factor():
    row = np.linspace(-3.003, 3.003, 128, dtype=f32)
    y = np.tile(row, (64, 8)) * (2.0 ** (np.arange(64) % 5))[:, None].astype(f32)
    kernel = sf.quantize(bf16(y), "fp8-group128-deepseek")
    assert (kernel.scales != sf.quantize(y, "fp8-group128-deepseek").scales).all()
    assert_quantized(kernel.codes, kernel.scales, y, "fp8-group128-deepseek", uncertain="bf16/2")


@pytest.mark.parametrize("seed", range(3))
def test_the_largest_elements_of_blocks_are_not_counted(seed):
    a = np.random.default_rng(seed).standard_normal((256, 1024))
    y = np.square(np.maximum(bf16(a), 0))
    kernel = sf.quantize(bf16(y), "int8-group128-sglang")
    assert_quantized(kernel.codes, kernel.scales, y, "int8-group128-sglang", uncertain="bf16/2")


@pytest.mark.long
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_scale_that_is_no_number_is_no_factor(y, value):
    codes, scales = by_scales(y, np.abs(y).reshape(256, 8, 128).max(2) / f32(448))
    message = failure_of(assert_quantized, codes, np.full_like(scales, value), y,
                         "fp8-group128-deepseek", uncertain="bf16/2")
    assert message.startswith("outside: ") and "times the exact" not in message


def test_what_the_kernel_used_is_asked_for(y):
    q = sf.quantize(bf16(y), "nvfp4-te")
    refused(ValueError, "global_scale: expected the kernel's",
            lambda: assert_quantized(q.codes, q.scales, y, "nvfp4-te", uncertain="bf16/2"))
    refused(ValueError, "global_scale: expected the kernel's",
            lambda: assert_fused(q.codes, q.scales, y, "via=bf16", "nvfp4-te"))
    q = sf.quantize(bf16(y), "mxfp8-te")
    refused(ValueError, "got_scales: expected the kernel's",
            lambda: assert_quantized(q.codes, None, y, "mxfp8-te", uncertain="bf16/2"))
    refused(ValueError, "uncertain: True: expected",
            lambda: assert_quantized(q.codes, q.scales, y, "mxfp8-te", uncertain=True))


def test_a_factor_that_comes_of_amax_is_uncertain_too(y):
    of = sf.recipe("mxfp8-te", factor_of="448 amax /", element_of="x f *")
    kernel = sf.quantize(bf16(y), of)
    assert_quantized(kernel.codes, kernel.scales, y, of, uncertain="bf16/2")
