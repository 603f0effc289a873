# SPDX-License-Identifier: MIT
"""test_strategies.py -- the strategies of Hypothesis find planted mistakes, and shrink them"""
import sys

import numpy as np
import pytest

import softfp8 as sf
from softfp8 import strategies

hypothesis = pytest.importorskip("hypothesis")
SEEDS = [0, pytest.param(1, marks=pytest.mark.long)]


def smallest_failure(strategy, holds, seed):
    """The example to which Hypothesis shrinks a failure that its default settings find."""
    failed = []

    @hypothesis.seed(seed)
    @hypothesis.settings(database=None, deadline=None,
                         suppress_health_check=list(hypothesis.HealthCheck))
    @hypothesis.given(strategy)
    def test(example):
        if not holds(example):
            failed.append(example)
            raise AssertionError

    assert hypothesis.settings().max_examples == 100
    with pytest.raises(AssertionError):
        test()
    return failed[-1]


def same(mine, right):
    return np.asarray(mine == right).all()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("wide", ["f32", "f16", "bf16"])
def test_a_cast_that_rounds_ties_away_is_found(wide, seed):
    def holds(x):
        return same(sf.convert(x, "e4m3", from_=wide, round="rna"),
                    sf.convert(x, "e4m3", from_=wide))

    found = smallest_failure(strategies.arrays(wide, strategies.inputs(wide, "e4m3")), holds, seed)
    assert found.shape == (1,)
    assert found.view(sf.format(wide).code_dtype)[0] in strategies.tie_codes(wide, "e4m3")


@pytest.mark.parametrize("seed", SEEDS)
def test_a_shape_that_is_given_shrinks_to_one_element(seed):
    x = smallest_failure(
        strategies.arrays("f32", strategies.ties("f32", "e2m1"), (3, 40)),
        lambda x: same(sf.convert(x, "e2m1", round="rna"), sf.convert(x, "e2m1")), seed)
    assert x.shape == (3, 40) and np.count_nonzero(x) == 1


def quotient_codes(v, s):
    return sf.convert(v / s, "e4m3")


def product_codes(v, s):
    return sf.convert(v * (np.float32(1) / s), "e4m3")


@pytest.mark.long
@pytest.mark.parametrize("seed", SEEDS)
def test_a_product_with_the_reciprocal_of_the_scale_is_found(seed):
    v, s = smallest_failure(strategies.divided("e4m3", shape=(1000,)),
                            lambda pair: same(product_codes(*pair), quotient_codes(*pair)), seed)
    assert np.count_nonzero(v) == 1 and s > 0


def test_random_numbers_do_not_find_the_reciprocal_of_the_scale(rng):
    v = rng.standard_normal((504, 1000)).astype(np.float32)
    s = (abs(v).max(1, keepdims=True) / 448).astype(np.float32)
    assert same(product_codes(v, s), quotient_codes(v, s))  # 504,000 values
    ties = sf.f32.decode(strategies.tie_codes("f32", "e4m3"))
    v = (ties[ties < 448].astype(np.float64) * s).astype(np.float32)
    assert (product_codes(v, s) != quotient_codes(v, s)).mean() > 0.04


MISTAKES = {
    "ties away, MXFP8": ("mxfp8-e4m3-even", dict(element_fields="round=rna")),
    "ties away, NVFP4": ("nvfp4-te", dict(element_fields="round=rna")),
    "ties to even, GGUF": ("q8_0-gguf", dict(element_of="x f * 0 finite-or rint")),
    "the reciprocal of the scale": ("kv-vllm-ds-mla", dict(factor_of="1 s /", element_of="x f *")),
}


@pytest.mark.long
@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_of_a_quantizer_is_found(mistake):
    name, changes = MISTAKES[mistake]
    wrong = sf.recipe(name, **changes)

    def holds(x):
        return same(sf.quantize(x, wrong).codes, sf.quantize(x, name).codes)

    x = smallest_failure(strategies.blocks(name), holds, seed=1)
    # The element that gives the scale, and the one that is rounded; they may be the same.
    assert x.shape[0] == 1 and 1 <= np.count_nonzero(x) <= 2


@pytest.mark.long
def test_every_recipe_has_blocks():
    for name in sf.recipes():
        drawn = []

        @hypothesis.settings(database=None, deadline=None, max_examples=3, derandomize=True,
                             suppress_health_check=list(hypothesis.HealthCheck))
        @hypothesis.given(strategies.blocks(name, "bf16"))
        def test(block):
            drawn.append(sf.quantize(block, name, from_="bf16"))

        test()
        assert drawn and drawn[0].codes.shape[1] == (sf.recipe(name).block or 16)


@pytest.mark.parametrize("name", ["e4m3", "e5m2", "e2m1", "e8m0", "ue4m3", "e4m3fnuz", "f16"])
def test_codes_and_specials_are_codes(name):
    of = sf.format(name)

    @hypothesis.settings(database=None, deadline=None)
    @hypothesis.given(strategies.codes(name), strategies.specials(name))
    def test(code, special):
        assert 0 <= code < 1 << of.bits and 0 <= special < 1 << of.bits

    test()


def test_ties_are_half_way():
    for wide, narrow in (("f32", "e4m3"), ("f16", "e5m2"), ("bf16", "e4m3"), ("f64", "bf16")):
        codes = strategies.tie_codes(wide, narrow)
        down, up = (sf.convert(codes, narrow, from_=wide, round=mode, policy="ocp-nosat")
                    for mode in ("rz", "ru"))
        assert ((up - down) == 1).all() and codes.size > 50
    assert sf.f32.decode(strategies.tie_codes("f32", "e4m3")).max() == 464


def test_wrong_arguments_are_named():
    with pytest.raises(ValueError, match="format: unknown name 'e4m4'"):
        strategies.inputs("f32", "e4m4")
    with pytest.raises(ValueError, match="narrow: f32 has 2.32 codes"):
        strategies.ties("f64", "f32")
    with pytest.raises(ValueError, match="wide: e4m3 has no number half way"):
        strategies.ties("e4m3", "f16")


def test_without_hypothesis_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    with pytest.raises(ImportError, match="pip install hypothesis"):
        strategies.codes("e4m3")
