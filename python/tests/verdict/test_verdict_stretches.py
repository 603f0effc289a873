# SPDX-License-Identifier: MIT
"""test_verdict_stretches.py -- scales of stretches, whose last one may be shorter"""
import numpy as np
import pytest

import softfp8 as sf
from conftest import refused

ONE = 0x38  # 1 in e4m3


def stretched(k, promote, scales, scaling="sum-first"):
    one = np.full((2, k), ONE, np.uint8)
    return sf.mma("hopper-qgmma", one, one.T, from_="e4m3", promote=promote, scaling=scaling,
                  stretch_scales=scales)


def ones(stretches):
    return (np.ones((2, stretches), np.float32),) * 2


@pytest.mark.parametrize("k, promote, stretches", [(96, 2, 2), (32, 4, 1), (128, 2, 2), (160, 4, 2),
                                                   (96, 1, 3)])
def test_the_last_stretch_may_be_shorter(k, promote, stretches):
    """A stretch is `promote` instructions of 32 products."""
    assert stretched(k, promote, ones(stretches)).tolist() == [[k, k], [k, k]]
    for wrong in (stretches - 1, stretches + 1):
        refused(ValueError, rf"stretch_scales\[0\]: expected the shape \(2, {stretches}\) for a, "
                rf"got \(2, {wrong}\)", lambda: stretched(k, promote, ones(wrong)))


def test_each_stretch_has_its_scale():
    """64 products of the first stretch times 2 * 1, and 32 of the second times 4 * 1."""
    scales = np.array([[2, 4], [2, 4]], np.float32), np.ones((2, 2), np.float32)
    for scaling in "sum-first", "scales-first":
        assert stretched(96, 2, scales, scaling).tolist() == [[256, 256], [256, 256]]


def test_scales_without_a_scaling_are_not_ignored():
    refused(ValueError, "stretch_scales: .*got 'unscaled'", lambda: stretched(64, 2, ones(1),
                                                                             "unscaled"))
    refused(ValueError, "stretch_scales: .*needs two arrays", lambda: stretched(64, 0, None))
    refused(ValueError, "promote: expected an integer",
            lambda: stretched(64, (1 << 63) - 1, ones(1)))
