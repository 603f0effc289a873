# SPDX-License-Identifier: MIT
"""test_fused.py -- assert_fused: what a fused kernel computed instead of its stage"""
import numpy as np
import pytest

import softfp8 as sf
from softfp8.testing import assert_fused, diagnose_fused

F = np.float32
RNG = np.random.default_rng(59)


def bf16(x):
    return sf.stage("via=bf16").run(np.asarray(x, F))


X, R = (bf16(RNG.standard_normal((48, 96))) for _ in range(2))
W = bf16(1 + 0.1 * RNG.standard_normal(96))
INPUTS = {"x": X, "W": W, "R": R}
STATED = "add r=R | rms-norm w=W mid=bf16 via=bf16"


def kernel(stage, recipe="fp8-per-token"):
    q = sf.quantize(X, recipe, after=stage, **{name: INPUTS[name] for name in sf.stage(stage).arrays})
    return q.codes, q.scales


def test_what_is_stated_passes():
    assert_fused(*kernel(STATED), INPUTS, STATED, "fp8-per-token")
    codes, scales = kernel(STATED, "mxfp8-te")
    assert_fused(codes, None, INPUTS, STATED, "mxfp8-te")
    assert diagnose_fused(codes, scales, INPUTS, STATED, "mxfp8-te")["verdict"] == "equal"


def test_packed_codes_are_unpacked():
    q = sf.quantize(X, "mxfp4-even", after="relu2")
    assert_fused(q.packed(), q.scales, X, "relu2", "mxfp4-even")


def test_an_intermediate_in_f32_is_named():
    with pytest.raises(AssertionError) as failure:
        assert_fused(*kernel("add r=R | rms-norm w=W via=bf16"), INPUTS, STATED, "fp8-per-token")
    first, *rest = str(failure.value).splitlines()
    assert first == ("your kernel keeps f32 within rms-norm, where the stage rounds to bf16; with "
                     "that all 4,608 codes and all 48 scales agree")
    assert rest[-1] == "  the kernel computes: add r=R | rms-norm w=W via=bf16"


def test_with_another_order_of_the_sum_a_few_codes_are_left():
    found = diagnose_fused(*kernel("add r=R | rms-norm w=W order=7x3/chain"), INPUTS,
                           "add r=R | rms-norm w=W via=bf16", "fp8-per-token")
    assert found["verdict"] == "changed"
    assert "keeps f32 after rms-norm" in found["message"]
    assert found["explanations"][0]["scales"] > 0 and "rounding excuses" in found["message"]


def test_wrong_codes_are_not_explained():
    codes, scales = kernel(STATED)
    codes = codes.copy()
    codes[::7, 5] ^= 8
    found = diagnose_fused(codes, scales, INPUTS, STATED, "fp8-per-token")
    assert found["verdict"] in ("nearest", "none") and found["codes_differ"] == 7
    with pytest.raises(AssertionError, match="7 of 4,608 codes and 0 of 48 scales differ"):
        assert_fused(codes, scales, INPUTS, STATED, "fp8-per-token")


@pytest.mark.parametrize("arguments, message", [
    (dict(inputs={"W": W}), "inputs: expected x, and R, W; got W"),
    (dict(kernel_codes=np.zeros((3, 96), np.uint8)), r"expected the shape \(48, 96\)"),
    (dict(kernel_scales=np.zeros(5, np.uint32)), "expected 48 of them, got 5"),
    (dict(inputs={"x": X, "W": W}), "R: no array of this name is given"),
])
def test_what_is_wrong_with_a_call(arguments, message):
    codes, scales = kernel(STATED)
    call = dict(kernel_codes=codes, kernel_scales=scales, inputs=INPUTS, stages=STATED,
                recipe="fp8-per-token")
    with pytest.raises(ValueError, match=message):
        assert_fused(**{**call, **arguments})


@pytest.mark.long
def test_two_of_two_million_codes():
    """vllm#51393: in the test of a fused RMS norm with residual, 2048 x 1027, bf16, one scale for
    each token, 2 of 2,103,296 codes differ and no scale. The thread says that the kernel keeps f32
    up to the quantizer. Then all scales would differ; another order of the sum gives these numbers.
    """
    rng = np.random.default_rng(1)
    x, r = (bf16(rng.standard_normal((2048, 1027))) for _ in range(2))
    w = bf16(1 + 0.1 * rng.standard_normal(1027))
    inputs, stated = {"x": x, "W": w, "R": r}, "add r=R | rms-norm w=W order=torch8 via=bf16"
    of = "fp8-per-token"
    q = sf.quantize(x, of, after="add r=R | rms-norm w=W order=1024x4 via=bf16", W=w, R=r)
    found = diagnose_fused(q.codes, q.scales, inputs, stated, of)
    assert found["verdict"] == "excused", found["message"]
    assert (found["codes"], found["codes_differ"], found["scales_differ"]) == (2103296, 2, 0)
    # The first 64 rows of a kernel that keeps f32: all of their scales differ.
    few = {"x": x[:64], "W": w, "R": r[:64]}
    kept = sf.quantize(x[:64], of, after="add r=R | rms-norm w=W order=1024x4", W=w, R=r[:64])
    found = diagnose_fused(kept.codes, kept.scales, few, stated, of)
    assert found["verdict"] == "changed" and found["scales_differ"] == 64
    assert found["message"].startswith(
        "your kernel keeps f32 after rms-norm, where the stage rounds to bf16; with that all ")
