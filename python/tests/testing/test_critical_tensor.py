# SPDX-License-Identifier: MIT
"""test_critical_tensor.py -- tensors that show what is wrong in a quantizer"""
import numpy as np
import pytest

import softfp8 as sf
from softfp8.testing import assert_fused, assert_quantized, critical_tensor

RELATIVES = [("mxfp4-floor", "mxfp4-even", "mxfp4-ceil", "mxfp4-rceil"),
             ("nvfp4-te", "nvfp4-trtllm", "nvfp4-modelopt", "nvfp4-compressed"),
             ("fp8-group128-deepseek", "fp8-group128-te", "fp8-group128-sglang"),
             ("nvfp4-te-4over6", "nvfp4-te-4over6-fast", "nvfp4-te-4over6-mse",
              "nvfp4-te-4over6-mse-fast"),
             ("q8_0-gguf",)]


def parts(q, recipe):
    """The codes and the scales of a recipe, as a kernel returns them."""
    return q.codes, q.scales.astype(sf.recipe(recipe).scale.code_dtype)


@pytest.mark.long
@pytest.mark.parametrize("recipes", RELATIVES, ids=lambda recipes: recipes[0])
def test_it_tells_a_recipe_from_its_relatives(recipes, critical_tensor):
    for recipe in recipes:
        x = critical_tensor(recipe)
        assert_quantized(*parts(sf.quantize(x, recipe), recipe), x, recipe)
        for other in {*recipes} - {recipe}:
            with pytest.raises(AssertionError, match="differ"):
                assert_quantized(*parts(sf.quantize(x, other), recipe), x, recipe)


def test_formats_and_finite_numbers():
    assert critical_tensor("nvfp4-te").dtype == np.float32
    assert critical_tensor("nvfp4-te", "f16").dtype == np.float16
    assert critical_tensor("nvfp4-te", "bf16").dtype == np.uint16
    typed = critical_tensor("nvfp4-te", "bf16", dtype="ml_dtypes")
    assert typed.dtype.name == "bfloat16" and np.isfinite(typed.astype(np.float32)).all()
    # Without a global scale, which would be computed from them, NaN is there too.
    assert np.isnan(critical_tensor("mxfp4-floor")).any()


def test_a_block_of_rows_lies_below_the_other():
    assert critical_tensor("fp8-block128-te").shape[0] % 128 == 0


W = np.float32([0.75, 1, 1.375, 0.625] * 16)


@pytest.mark.parametrize("stage, kept, arrays", [
    ("rms-norm w=W via=bf16", "rms-norm w=W", {"W": W}),
    pytest.param("silu-gate via=bf16", "silu-gate", {}, marks=pytest.mark.long)])
def test_inputs_of_a_stage_show_a_kernel_that_keeps_f32(stage, kept, arrays):
    x = critical_tensor("mxfp4-floor", "bf16", "ml_dtypes", after=stage, **arrays)
    want = sf.quantize(x, "mxfp4-floor", after=stage, **arrays)
    assert_fused(want.codes, want.scales, {"x": x, **arrays}, stage, "mxfp4-floor")
    other = sf.quantize(x, "mxfp4-floor", after=kept, **arrays)
    assert (want.codes != other.codes).any(1).mean() > 0.4


def test_a_stage_and_its_arrays_need_each_other():
    with pytest.raises(ValueError, match="^W: needs after=STAGE$"):
        critical_tensor("mxfp4-floor", W=W)
    with pytest.raises(ValueError, match="W"):
        critical_tensor("mxfp4-floor", after="rms-norm w=W")


@pytest.mark.parametrize("arguments, text", [
    (("nvfp5",), "nvfp5"), (("nvfp4-te", "f64"), "f32, bf16 or f16"), (("nvfp4-te", "e9"), "e9")])
def test_bad_input(arguments, text):
    with pytest.raises(ValueError, match=text):
        critical_tensor(*arguments)
