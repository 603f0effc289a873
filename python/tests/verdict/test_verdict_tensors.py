# SPDX-License-Identifier: MIT
"""test_verdict_tensors.py -- quantized tensors whose parts were replaced, and masked arrays"""
import numpy as np

import softfp8 as sf
from conftest import refused

ONE = 0x38  # 1 in e4m3


def test_a_dot_product_is_of_two_rows():
    """A block of 128 x 128 has one scale; as one long row the matrix would need 256."""
    q = sf.quantize(np.ones((256, 128), np.float32), "fp8-block128-vllm")
    refused(ValueError, r"self: expected one row, got the shape \(256, 128\)", lambda: q.dot(q))


def test_codes_that_were_replaced_are_checked_before_they_are_packed():
    q = sf.quantize(np.ones((1, 32), np.float32), "nvfp4-te")
    q.codes = q.codes.astype(np.float32)
    refused(TypeError, "codes: expected codes of e2m1", q.packed)


def test_the_mask_of_an_array_is_not_ignored():
    x = np.ma.masked_array(np.array([1, 2], np.float32), [False, True])
    refused(TypeError, r"x: expected an array without masked elements; pass x.filled",
            lambda: sf.convert(x, "e4m3"))
    assert sf.convert(x[:1], "e4m3").tolist() == [ONE]
