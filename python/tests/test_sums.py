# SPDX-License-Identifier: MIT
"""test_sums.py -- sums in a stated order, and merged attention states"""
import numpy as np
import pytest

import softfp8 as sf
from softfp8 import sums
from softfp8.command import run


@pytest.fixture
def x(rng):
    return rng.standard_normal((3, 100)).astype(np.float32)


def test_orders_of_a_sum(x):
    one = np.float32(0)
    for value in x[0]:
        one = np.float32(one + value)
    assert sums.sum(x)[0] == one
    for order in sums.orders():
        assert np.allclose(sums.sum(x, order), x.sum(-1), atol=1e-4)
    long = np.tile(x, 20) * np.arange(1, 2001, dtype=np.float32)
    assert len({sums.sum(long, order).tobytes() for order in sums.orders()}) > 2
    tree = x[0]
    while tree.size > 1:
        pairs = tree[:tree.size // 2 * 2].reshape(-1, 2)
        tree = np.concatenate([pairs[:, 0] + pairs[:, 1], tree[pairs.size:]])
    assert sums.sum(x[0], "tree") == tree[0]


def test_dot_and_weighted(x):
    assert np.allclose(sums.dot(x, x), (x * x).sum(-1), rtol=1e-5)
    products = np.float32(0)
    for value in x[0]:
        products = np.float32(products + np.float32(value * value))
    assert sums.dot(x[0], x[0], fuse="none") == products
    values = x[:, :4].repeat(34, 0)[:100]
    assert np.allclose(sums.weighted(x, values), x @ values, atol=1e-4)
    weights, bad = np.array([0, 1], np.float32), np.array([[np.nan], [2]], np.float32)
    assert np.isnan(sums.weighted(weights, bad)) and sums.weighted(weights, bad, skip=True) == 2


def test_norms(x):
    for order in sums.orders():
        mean, square, variance = sums.moments(x, order)
        assert np.allclose(mean, x.mean(-1), atol=1e-6)
        assert np.allclose(variance, x.var(-1), rtol=1e-4)
    r = sums.rstd(variance, 1e-5)
    assert np.allclose(r, 1 / np.sqrt(x.var(-1) + 1e-5), rtol=1e-5)
    y = sums.normalize(x, mean, r)
    assert y.shape == x.shape and np.allclose(y.std(-1), 1, atol=1e-3)


@pytest.mark.parametrize("name", ["exp2", "exp", "log", "log2", "tanh"])
def test_functions(name, x):
    positive = np.abs(x)
    ours, theirs = getattr(sums, name), getattr(np, name)
    assert np.allclose(ours(positive), theirs(positive), rtol=1e-6, atol=1e-6)
    assert ours(np.float32(1)) == pytest.approx(theirs(np.float32(1)))


def test_softmax_and_argmax(x):
    weights, most, total, lse = sums.softmax(x)
    assert np.allclose(weights.sum(-1), 1, atol=1e-5) and (most == x.max(-1)).all()
    assert np.allclose(lse, np.log(np.exp(x.astype(np.float64)).sum(-1)), atol=1e-5)
    assert (sums.argmax(x) == x.argmax(-1)).all()
    nan = np.full(3, np.nan, np.float32)
    assert sums.argmax(nan) == 0 and sums.argmax(nan, greater=True, start=7) == 7


@pytest.mark.parametrize("rule", sf.merge_rules())
def test_merged_states_and_the_command_agree(rule, x, rng, tmp_path):
    a, b = x.reshape(3, 1, 100), rng.standard_normal((3, 1, 100)).astype(np.float32)
    lse = [rng.standard_normal((3, 1)).astype(np.float32) for _ in "ab"]
    for name, array in (("a", a), ("la", lse[0]), ("b", b), ("lb", lse[1])):
        np.save(tmp_path / f"{name}.npy", array)
    files = [tmp_path / f"{name}.npy" for name in ("a", "la", "b", "lb")]
    run("attend", "--merge", "--rule", rule, *files, "-o", tmp_path / "o.npy")
    out, merged = sf.merge_states(a, lse[0], b, lse[1], rule)
    assert (np.load(tmp_path / "o.npy") == out).all()
    other, _ = sf.merge_states(a, lse[0], b, lse[1], rule, fuse="none")
    assert np.allclose(out, other, atol=1e-5)
