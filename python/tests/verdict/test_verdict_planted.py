# SPDX-License-Identifier: MIT
"""test_verdict_planted.py -- planted mistakes of fused kernels: of the stage, of the scales, and both

A kernel computes a stage with a mistake and quantizes by NumPy with another one. assert_fused has to
name both, and nothing else.
"""
import numpy as np
import pytest

import softfp8 as sf
from softfp8.testing import assert_fused
from softfp8.testing.fused import diagnose_fused

from conftest import failure_of

f32 = np.float32
ROWS, COLUMNS = 16, 256


def bf16(x):
    return np.asarray(sf.decode(sf.convert(np.asarray(x, f32), "bf16"), "bf16"), f32)


def some(seed, *shape):
    return bf16(np.random.default_rng(seed).standard_normal(shape))


X = some(1, ROWS, COLUMNS)
ARRAYS = {"W": bf16(1 + some(2, COLUMNS) / 4), "B": some(3, COLUMNS), "R": some(4, ROWS, COLUMNS),
          "C": bf16(np.cos(np.arange(32))), "S": bf16(np.sin(np.arange(32))),
          "F": bf16(np.exp2(some(5, COLUMNS))),
          "E": np.exp2(np.arange(COLUMNS) % 16 - 12).astype(f32)}


def kernel(stage, arrays=None):
    """The result of a stage: the arrays that it names are those of ARRAYS, or others."""
    arrays = {**ARRAYS, **(arrays or {})}
    of = sf.stage(stage)
    return np.asarray(of.run(X, **{name: arrays[name] for name in of.arrays}), f32)


def shifted(x, by):
    head = x.reshape(ROWS, -1, 64)
    return np.roll(head, by, -1).reshape(x.shape)


# ---- mistakes of stages: what is stated, what the kernel computes, and the words


STAGES = [
    ("rms-norm w=W via=bf16", lambda: kernel("rms-norm w=W"), "keeps f32 after rms-norm"),
    ("rms-norm w=W", lambda: kernel("rms-norm w=W via=bf16"), "rounds to bf16 after rms-norm"),
    ("rms-norm w=W", lambda: kernel("rms-norm w=W weight=w+1"), "multiplies by w + 1 in rms-norm"),
    ("rms-norm w=W weight=w+1", lambda: kernel("rms-norm w=W"), "multiplies by w in rms-norm"),
    ("rms-norm w=W", lambda: kernel("rms-norm"), "leaves out the weight of rms-norm"),
    ("rms-norm w=W eps=0.1", lambda: kernel("rms-norm w=W eps=1e-3"), "has an eps of 1e-3 in"),
    ("rms-norm w=W eps=0.1", lambda: kernel("rms-norm w=W eps=1e-5"), "has an eps of 1e-5 in"),
    ("rms-norm w=W eps=0.1", lambda: kernel("rms-norm w=W eps=0"), "leaves out eps of rms-norm"),
    ("rms-norm w=W eps=0.1", lambda: kernel("rms-norm w=W eps=0.1 eps-at=outside"),
     "adds eps of rms-norm outside the root"),
    ("layer-norm w=W b=B", lambda: kernel("layer-norm w=W"), "leaves out the bias of layer-norm"),
    ("rms-norm w=W", lambda: kernel("layer-norm w=W eps=1e-6"),
     "computes layer-norm, where the stage has rms-norm"),
    ("add r=R | rms-norm w=W", lambda: kernel("rms-norm w=W"), "leaves out add"),
    ("add r=R | rms-norm w=W", lambda: kernel("rms-norm w=W | add r=R"),
     "computes rms-norm before add"),
    ("add r=R via=bf16 | rms-norm w=W", lambda: kernel("add r=R | rms-norm w=W"),
     "keeps f32 after add"),
    ("silu-gate", lambda: kernel("gelu-gate"), "computes gelu, where the stage has silu"),
    ("silu-gate", lambda: kernel("gelu-tanh-gate"), "computes gelu-tanh, where the stage has silu"),
    ("gelu-gate", lambda: kernel("silu-gate"), "computes silu, where the stage has gelu"),
    ("relu2", lambda: kernel("relu"), "computes relu, where the stage has relu2"),
    ("silu-gate via=bf16", lambda: kernel("relu2-gate via=bf16"),
     "computes relu2, where the stage has silu"),
    ("silu-gate", lambda: kernel("silu-gate gate=second"), "takes the other half for the gate"),
    ("silu-gate", lambda: kernel("silu-gate gate=even"), "takes even elements for the gate"),
    ("swiglu-clamp limit=1", lambda: kernel("swiglu-clamp limit=9"), "does not clamp"),
    ("rope cos=C sin=S head=64", lambda: kernel("rope cos=C sin=S head=64 style=interleaved"),
     "turns neighbours in rope"),
    ("rope cos=C sin=S head=64",
     lambda: kernel("rope cos=C sin=S head=64", {"S": -ARRAYS["S"]}), "turns the other way in rope"),
    ("rope cos=C sin=S head=64", lambda: kernel("rope cos=S sin=C head=64"),
     "exchanges cos and sin in rope"),
    ("rope cos=C sin=S head=64", lambda: shifted(kernel("rope cos=C sin=S head=64"), 32),
     "exchanges the halves of what rope gives"),
    ("divide by=F", lambda: kernel("multiply by=F"), "computes multiply, where the stage has divide"),
    ("multiply by=F", lambda: kernel("divide by=F"), "computes divide, where the stage has multiply"),
    ("rms-norm w=W | divide by=F", lambda: kernel("rms-norm w=W"), "leaves out divide"),
    ("hadamard size=32 via=bf16", lambda: kernel("hadamard size=32"), "keeps f32 after hadamard"),
]


# ---- mistakes of scales: how a result is quantized to e4m3, and the words


def blocks(y):
    return y.reshape(ROWS, -1, 128)


def largest(y):
    return np.abs(blocks(y)).max(2)


def codes(y, scales):
    values = blocks(y) / scales[..., None].astype(f32)
    return sf.convert(np.clip(values, -448, 448).astype(f32).reshape(y.shape), "e4m3")


def quantized(scales, stored=lambda s: s):
    """A quantizer by scales that come of the result, and what it stores."""
    def run(y):
        s = np.asarray(scales(y), f32)
        return codes(y, s), np.asarray(stored(s), f32)
    return run


RIGHT = quantized(lambda y: largest(y) / f32(448))
SCALES = [
    (quantized(lambda y: largest(y) / f32(448) * f32(2)), "the scale is that of 2 times amax"),
    (quantized(lambda y: largest(y)), "divides by 1 instead of 448"),
    (quantized(lambda y: largest(y) / f32(240)), "divides by 240 instead of 448"),
    (quantized(lambda y: largest(y) / f32(448) * f32(127 / 128)),
     "the scale is that of 127/128 times amax"),
    (quantized(lambda y: (largest(y) * f32(1.004)) / f32(448)),
     "the scale is that of 1.004 times amax"),
    (quantized(lambda y: (largest(y) + f32(0.01)) / f32(448)), "the scale is that of amax + 0.01"),
    (quantized(lambda y: bf16(largest(y)) / f32(448)), "amax is rounded to bf16"),
    (quantized(lambda y: np.exp2(np.ceil(np.log2(largest(y) / f32(448))))),
     "rounded up to a power of two"),
    (quantized(lambda y: np.abs(blocks(y)[..., :64]).max(2) / f32(448)),
     "amax is taken over the first half of the elements of a block"),
    (quantized(lambda y: np.repeat(largest(y).max(1), blocks(y).shape[1]).reshape(ROWS, -1)
               / f32(448)), "amax is taken over all blocks of a row"),
    (quantized(lambda y: np.roll(largest(y), 1, 0) / f32(448)), "they are stale"),
    (quantized(lambda y: largest(y) / f32(448), lambda s: s * f32(2)),
     "the scale is that of 2 times amax, and its codes belong to the scales of the recipe"),
    (lambda y: (codes(y, largest(y) / f32(448) * f32(0.5)), largest(y) / f32(448)),
     "its codes are those by 1/2 times the scales that it stores"),
    (lambda y: (sf.convert(y, "e4m3"), largest(y) / f32(448)), "its codes are those without a scale"),
]

# ---- mistakes of codes, by the right scales


def cast(**options):
    """A quantizer whose last cast is another one."""
    def run(y):
        s = largest(y) / f32(448)
        values = np.clip(blocks(y) / s[..., None], -448, 448).astype(f32)
        return sf.convert(values.reshape(y.shape), "e4m3", dtype="codes", **options), s
    return run


CASTS = [(cast(round="rz"), "its cast: rounds toward zero"),
         (cast(round="rna"), "its cast: ties go away from zero"),
         (cast(via="f16"), "its cast: rounds twice, first to f16"),
         (cast(via="bf16"), "its cast: rounds twice, first to bf16"),
         (cast(policy="ocp flush=outputs"), "its cast: subnormal results are flushed to zero"),
         (cast(round="rnz"), "its cast: ties go toward zero")]


RECIPE = "fp8-group128"


def diagnosed(stated, y, quantizer):
    """What is said of a kernel, and in words each mistake that is named."""
    got, scales = quantizer(y)
    inputs = {"x": X, **{name: ARRAYS[name] for name in sf.stage(stated).arrays}}
    found = diagnose_fused(got, scales, inputs, stated, RECIPE, seconds=120)
    return found, [f"{e['words']}, and {e['quantizer']}" for e in found["explanations"]]


def named(stated, y, quantizer, *words):
    """Whether exactly these are named."""
    found, said = diagnosed(stated, y, quantizer)
    assert found["verdict"] == "changed", found["message"]
    assert any(all(word in one for word in words) for one in said), found["message"]
    assert all(e["changes"] == len(words) for e in found["explanations"]), found["message"]


def shows(quantizer, y):
    """Whether its mistake changes anything for these values."""
    return any((a != b).any() for a, b in zip(quantizer(y), RIGHT(y)))


@pytest.mark.parametrize("stated, y, words", STAGES)
def test_a_stage(stated, y, words):
    named(stated, y(), RIGHT, words)


@pytest.mark.parametrize("quantizer, words", SCALES)
def test_scales(quantizer, words):
    stated = "rms-norm w=W"
    y = kernel(stated)
    named(stated, y, quantizer, words)


@pytest.mark.parametrize("k", range(30))
def test_a_stage_and_scales(k):
    stated, y, words = STAGES[k]
    quantizer, more = SCALES[k % len(SCALES)]
    if "amax + " in more and np.abs(y()).max() > 20:
        quantizer, more = SCALES[0]
    named(stated, y(), quantizer, words, more)


@pytest.mark.parametrize("quantizer, words", CASTS[:-1])
def test_a_cast(quantizer, words):
    stated = "rms-norm via=bf16 | multiply by=E"
    assert shows(quantizer, kernel(stated))
    named(stated, kernel(stated), quantizer, words)


@pytest.mark.wide
def test_of_three_hundred_mistakes_95_percent_are_named_and_none_wrongly():
    """Each mistake of a stage, of scales and of codes alone, and each second pair of them. Where it
    names the stage alone, rounding excuses what the cast changed."""
    planted, right, wrong = 0, 0, []
    stages = [("rms-norm w=W", lambda: kernel("rms-norm w=W"), ""), *STAGES]
    for k, (stated, kernel_of, words) in enumerate(stages):
        y = kernel_of()
        for i, (quantizer, more) in enumerate([(RIGHT, ""), *SCALES, *CASTS]):
            alone = not words or not more
            if not alone and ((k + i) % 2 or not shows(quantizer, y)) or not words and not more:
                continue
            found, said = diagnosed(stated, y, quantizer)
            planted += 1
            right += any(words in one and more in one for one in said) and \
                found["verdict"] == "changed"
            if found["verdict"] == "changed" and not any(words in one for one in said):
                wrong.append((words, more, found["message"]))
    assert planted >= 300 and right >= 0.95 * planted and not wrong, (planted, right, wrong)


# ---- what scales are taken from


@pytest.mark.parametrize("take, words", [
    (lambda x: x[:, :128], "it takes the scales from the gate, before silu"),
    (lambda x: x[:, 128:], "it takes the scales from the factor of the gate, before silu"),
    (lambda x: np.maximum(np.abs(x[:, :128]), np.abs(x[:, 128:])),
     "it takes the scales from the gate and its factor, before silu")])
def test_amax_before_a_gate(take, words):
    scales = np.abs(take(X)).max(1, keepdims=True) / f32(448)
    named("silu-gate", kernel("silu-gate"), lambda y: (codes(y, scales), scales), words)


@pytest.mark.parametrize("stated, early, words", [
    ("relu2 via=bf16", "round", "it takes the scales from what it has before relu2"),
    ("add r=R | rms-norm w=W", "add r=R", "it takes the scales from what it has before rms-norm"),
    ("rms-norm w=W via=bf16", "rms-norm w=W",
     "it takes the scales from the result of rms-norm before it is rounded")])
def test_amax_before_a_step(stated, early, words):
    scales = largest(kernel(early)) / f32(448)
    named(stated, kernel(stated), lambda y: (codes(y, scales), scales), words)


# ---- global scales


@pytest.mark.parametrize("change, words", [
    (lambda g: g * 2, "the global scale is 2 times the one that is given"),
    (lambda g: g / 448, "the global scale is 1/448 times the one that is given"),
    (lambda g: 1 / g, "the global scale is inverted"),
    (lambda g: 1.0, "the global scale is not applied")])
@pytest.mark.parametrize("stage", ["rms-norm w=W via=bf16", "rms-norm w=W"])
def test_a_global_scale(change, words, stage):
    stated = "rms-norm w=W via=bf16"
    q = sf.quantize(kernel(stage), "nvfp4-te", global_scale=float(f32(change(f32(3.5)))))
    found = diagnose_fused(q.codes, q.scales, {"x": X, "W": ARRAYS["W"]}, stated, "nvfp4-te",
                           global_scale=3.5)
    assert found["verdict"] == "changed" and words in found["message"].split("\n")[0]


# ---- the innocent, and what cannot be known


@pytest.mark.parametrize("seed", range(4))
def test_noise_is_not_named(seed):
    noise = np.random.default_rng(seed).standard_normal(X.shape).astype(f32)
    y = kernel("rms-norm w=W via=bf16") * (1 + noise / 8)
    found = diagnose_fused(*RIGHT(y), {"x": X, "W": ARRAYS["W"]}, "rms-norm w=W via=bf16", RECIPE,
                           seconds=20)
    assert found["verdict"] in ("nearest", "none") and "your kernel" not in found["message"]


def test_scales_that_nothing_explains():
    y = kernel("rms-norm w=W")
    scales = RIGHT(y)[1] * (1 + np.random.default_rng(1).random(RIGHT(y)[1].shape).astype(f32))
    message = failure_of(assert_fused, codes(y, scales), scales, {"x": X, "W": ARRAYS["W"]},
                         "rms-norm w=W via=bf16", RECIPE)
    assert "all codes are right for your scales if the kernel keeps f32 after rms-norm" in message
    assert "nothing explains the scales" in message


WIDE = " | ".join(["rms-norm w=W order=any depth=65535 ulps=65535"] + 3 * ["rms-norm ulps=65535"])


def test_wide_intervals_test_nothing():
    y = kernel(WIDE)
    got = RIGHT(y * f32(1.001))
    inputs = {"x": X, "W": ARRAYS["W"]}
    message = failure_of(assert_fused, *got, inputs, WIDE, RECIPE)
    assert "less than half of the codes can be one code only: nothing is tested there" in message
    assert "% of the codes can be one code only" in message


def test_what_is_excused_is_counted():
    y = kernel("rms-norm w=W order=32x1")
    found = diagnose_fused(*RIGHT(y), {"x": X, "W": ARRAYS["W"]}, "rms-norm w=W", RECIPE)
    assert found["verdict"] == "excused"
    assert "of them only because sums may be formed in any order" in found["message"]
    assert found["pinned"] > 0.99 * y.size and "% of the codes can be" in found["message"]


def test_no_stage():
    for none in ("", None):
        assert_fused(*RIGHT(X), X, none, RECIPE)
        assert "rounds its input" not in failure_of(assert_fused, *RIGHT(X + 1), X, none, RECIPE)
