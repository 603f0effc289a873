# SPDX-License-Identifier: MIT
"""test_stages.py -- stages in Python against NumPy's f32, and quantize(after=...)"""
import numpy as np
import pytest

import softfp8 as sf
from softfp8.stages import FIELDS, KINDS

F = np.float32
X = np.random.default_rng(59).standard_normal((6, 64)).astype(F)
W = np.linspace(0.5, 1.5, 64).astype(F)


def bf16(x):
    """Rounded to bf16 by the bits of f32."""
    bits = np.asarray(x, F).view(np.uint32)
    return ((bits + (0x7FFF + (bits >> 16 & 1))) & np.uint32(0xFFFF0000)).view(F)


def rms(x, eps=F(1e-6)):
    total = np.zeros(x.shape[0], F)
    for column in (x * x).T:
        total += column
    root = np.sqrt(total / F(x.shape[1]) + eps)
    return x * (F(1) / root)[:, None]


def test_a_norm_is_that_of_numpy():
    assert np.array_equal(sf.stage("rms-norm w=W rstd=twice").run(X, W=W), rms(X) * W)
    assert np.array_equal(sf.stage("rms-norm w=W rstd=twice mid=bf16 via=bf16").run(X, W=W),
                          bf16(bf16(rms(X)) * W))


def test_steps_follow_one_another():
    r = X[::-1] * F(0.25)
    got = sf.stage("add r=R via=bf16 | rms-norm w=W rstd=twice | relu2").run(X, R=r, W=W)
    right = np.maximum(rms(bf16(X + r)) * W, F(0))
    assert np.array_equal(got, right * right)


def test_quantize_takes_a_stage():
    after = sf.quantize(X, "mxfp8-te", after="rms-norm w=W rstd=twice via=bf16", W=W)
    right = sf.quantize(bf16(rms(X) * W), "mxfp8-te")
    assert after == right
    assert after != sf.quantize(rms(X) * W, "mxfp8-te")
    f16 = sf.quantize(X, "mxfp8-te", after="relu via=f16")
    assert f16 == sf.quantize(np.maximum(X, 0).astype(np.float16), "mxfp8-te")


def test_a_gate_halves_the_columns():
    gate, up = X[:, :32], X[:, 32:]
    got = sf.stage("relu2-gate").run(X)
    assert got.shape == (6, 32)
    assert np.array_equal(got, np.maximum(gate, F(0)) ** 2 * up)
    assert np.array_equal(sf.stage("relu2-gate up=U").run(gate, U=up), got)
    assert sf.quantize(X, "mxfp8-te", after="silu-gate").codes.shape == (6, 32)


def test_bf16_inputs_are_widened():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x, w = X.astype(ml_dtypes.bfloat16), W.astype(ml_dtypes.bfloat16)
    assert np.array_equal(sf.stage("rms-norm w=W").run(x, W=w),
                          sf.stage("rms-norm w=W").run(x.astype(F), W=w.astype(F)))


def test_bounds_contain_the_result():
    stage = sf.stage("rms-norm w=W order=any depth=40 ulps=2")
    lower, upper = stage.bounds(X, W=W)
    assert (lower < upper).all()
    for order in ("sequential", "tree", "32x1", "8x4/halves", "torch8"):
        got = sf.stage(f"rms-norm w=W order={order}").run(X, W=W)
        if order != "sequential":  # whose depth is 64
            assert (lower <= got).all() and (got <= upper).all(), order
    lower, upper = sf.stage("relu2").bounds(X, upper=X + F(1))
    assert np.array_equal(lower, np.maximum(X, 0) ** 2)
    assert np.array_equal(upper, np.maximum(X + F(1), 0) ** 2)


@pytest.mark.parametrize("text, message", [
    ("rms-nrom", "did you mean rms-norm"),
    ("rms-norm gain=W", "unknown name 'gain'"),
    ("rms-norm limit=3", "this kind of step has no field limit"),
    ("rms-norm via=e4m3", "via=e4m3: expected via=FORMAT, once"),
    ("silu-gate up=U gate=first", "gate=first: expected gate="),
    ("relu | " * 9 + "relu", "at most 8 steps"),
    ("", "unknown name ''"),
])
def test_what_is_wrong_with_a_text(text, message):
    with pytest.raises(ValueError, match=message.replace("|", "[|]")):
        sf.stage(text)


@pytest.mark.parametrize("arrays, message", [
    ({}, "W: no array of this name is given"),
    ({"W": W[:5]}, r"W: its columns .* got the shape \(5,\)"),
    ({"W": np.ones((2, 64), F)}, r"W: its rows .* got the shape \(2, 64\)"),
])
def test_what_is_wrong_with_an_array(arrays, message):
    with pytest.raises(ValueError, match=message):
        sf.stage("rms-norm w=W").run(X, **arrays)
    with pytest.raises(ValueError, match=message):
        sf.quantize(X, "mxfp8-te", after="rms-norm w=W", **arrays)


def test_arrays_without_a_stage_are_refused():
    with pytest.raises(TypeError, match="unexpected argument 'W'"):
        sf.quantize(X, "mxfp8-te", W=W)
    with pytest.raises(ValueError, match="a gate needs an even number of columns"):
        sf.stage("silu-gate").run(X[:, :3])


def test_rows_have_evidence_and_read():
    for row in sf.stages():
        assert all(row[field] for field in ("name", "text", "product", "versions", "source",
                                            "evidence")), row
        assert str(sf.stage(row["name"])) == row["text"]


def test_names_are_those_of_the_library():
    for kind in KINDS:
        sf.stage(kind)
    assert FIELDS["via"] == "FORMAT" and FIELDS["gate"] == "none first second even odd array"
    assert sf.stage("silu-gate mid=bf16") == sf.stage("silu gate=first mid=bf16")
    assert repr(sf.stage("relu")) == "softfp8.stage('relu')"
