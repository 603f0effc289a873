# SPDX-License-Identifier: MIT
"""test_verdict_bits.py -- assert_bits names what explains every input, and nothing else"""
import functools

import numpy as np
import pytest

import softfp8 as sf
from softfp8.testing import assert_bits, critical
from conftest import failure_of, line, unnamed

failure = functools.partial(failure_of, assert_bits)

X = critical("f32", "e4m3")


def flipped(codes, share, seed=1):
    some = np.random.default_rng(seed).random(codes.shape) < share
    return np.where(some, codes ^ 1, codes).astype(np.uint8)


@pytest.mark.long
def test_a_reference_of_scaled_values_is_no_cast_of_the_inputs():
    y = np.unique(np.random.default_rng(1).standard_normal(10_000).astype(np.float32))
    want, got = (sf.convert(y / np.float32(0.0173), "e4m3", round=name) for name in ("rne", "rz"))
    message = failure(got, want, inputs=y, fmt="e4m3")
    assert unnamed(message) and not line(message, "nearest")
    assert line(message, "unexplained").endswith(
        "no policy gives the codes in want for these inputs. If the kernel casts other values, such as "
        "scaled ones, pass those as inputs")


def test_what_explains_most_is_nearest_and_no_mistake():
    codes = flipped(sf.convert(X, "e4m3", round="rna"), 0.003)
    left = int((codes != sf.convert(X, "e4m3", round="rna")).sum())
    wrong = int((codes != sf.convert(X, "e4m3")).sum())
    message = failure(codes, inputs=X, fmt="e4m3")
    assert 5 < left < wrong // 10 and unnamed(message)
    assert line(message, "nearest") == f"ocp, rna (ties go away from zero) gives all but {left} of " \
                                       f"4,210 inputs; the expected policy all but {wrong}"


@pytest.mark.long
def test_what_explains_little_is_not_even_nearest():
    codes = flipped(sf.convert(X, "e4m3", round="rna"), 0.03)
    message = failure(codes, inputs=X, fmt="e4m3")
    assert unnamed(message) and not line(message, "nearest")


@pytest.mark.parametrize("share", [0.003, 0.01, 0.5])
def test_flips_have_no_name(share):
    some = X[::4]  # fewer inputs leave more room for a wrong name
    right = sf.convert(some, "e4m3")
    for got in (flipped(right, share), flipped(right, share)[::-1].copy()):
        want = right if got is not None and (got != right[::-1]).mean() > share else right[::-1].copy()
        assert unnamed(failure(got, want, fmt="e4m3"))
    assert unnamed(failure(flipped(right, share), inputs=some, fmt="e4m3"))
    noise = np.random.default_rng(2).integers(0, 256, some.size).astype(np.uint8)
    assert unnamed(failure(noise, inputs=some, fmt="e4m3"))


def test_codes_that_lose_one_subnormal_are_not_flushed():
    right = sf.convert(X, "e4m3")
    codes = right.copy()
    codes[np.flatnonzero(right == 1)[0]] = 0
    assert unnamed(failure(codes, right, fmt="e4m3"))
    flushed = np.where((right & 0x7F) < 8, right & 0x80, right).astype(np.uint8)
    assert line(failure(flushed, right, fmt="e4m3"), "likely mistake") == \
        "subnormal results are flushed to zero"


def test_all_policies_pass_and_are_told_apart():
    expected = sf.convert(X, "e4m3")
    for name in sf.policies():
        rules = sf.policy(name, to="e4m3", from_="f32")
        if not rules.holds(sf.e4m3, sf.format("f32")) or rules.round == "sr":
            continue
        codes = sf.convert(X, "e4m3", policy=name)
        assert_bits(codes, inputs=X, fmt="e4m3", policy=name)
        if not np.array_equal(codes, expected):
            assert line(failure(codes, inputs=X, fmt="e4m3"), "matches instead"), name


def test_a_factor_of_two_and_another_format_are_both_named():
    x = X[(np.abs(X) < 200) & (np.abs(X) > 2**-8)]
    mistake = line(failure(sf.convert(x * 2, "e4m3"), inputs=x, fmt="e4m3"), "likely mistake")
    assert mistake.startswith("these are codes of e4m3fnuz (these inputs do not distinguish it ")
    assert "the codes are those of 2 times the inputs, as with a scale of 0.5" in mistake
    with_nan = np.append(x, np.float32(np.nan))
    mistake = line(failure(sf.convert(with_nan, "e4m3fnuz"), inputs=with_nan, fmt="e4m3"),
                   "likely mistake")
    assert mistake.startswith("these are codes of e4m3fnuz")
    assert "times the inputs" not in mistake
