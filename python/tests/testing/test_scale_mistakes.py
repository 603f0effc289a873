# SPDX-License-Identifier: MIT
"""test_scale_mistakes.py -- planted mistakes of scales and codes are named, and nothing else is

The kernels are written with NumPy alone, apart from the last cast. Of each mistake a part of the
words is expected. What has another name is wrong; what has none is only missed.
"""
import numpy as np
import pytest

import softfp8 as sf
from conftest import FEWER
from softfp8.testing import assert_quantized

SEEDS = 2 if FEWER else 10
F32 = np.float32
GROUP, MX, NV = "fp8-group128-deepseek", "mxfp8-te", "nvfp4-te"


def bf16(x):
    return sf.decode(sf.convert(np.asarray(x, F32), "bf16", policy="ocp-nosat", dtype="codes"),
                     "bf16")


def values(rng, rows=32, columns=1024):
    return (rng.standard_normal((rows, columns)) * np.exp(rng.uniform(-3, 3, (rows, 1)))).astype(F32)


def blocks_of(x, block):
    return x.reshape(x.shape[0], -1, block)


def cast(x, scales, block, to="e4m3", **options):
    with np.errstate(all="ignore"):
        return sf.convert((blocks_of(x, block) / scales[..., None]).reshape(x.shape).astype(F32), to,
                          **options)


# ---- groups of 128 with scales of f32: a kernel is what it takes for the scale


def amax(b):
    return np.abs(b).max(-1).astype(F32)


def shifted(b):
    s = amax(b) / F32(448)
    return np.concatenate([s[:1] * F32(1.7), s[:-1]])


GROUPS = {
    "amax is rounded to bf16": lambda b: bf16(amax(b)) / F32(448),
    "amax is rounded to f16": lambda b: amax(b).astype(np.float16).astype(F32) / F32(448),
    "the scale is that of amax + 0.001": lambda b: (amax(b) + F32(1e-3)) / F32(448),
    "multiplies by 1 / 448 instead of dividing by 448": lambda b: amax(b) * (F32(1) / F32(448)),
    "amax is taken over the first 64 of the 128 elements":
        lambda b: amax(b[..., :64]) / F32(448),
    "rounded down to a power of two": lambda b: np.exp2(np.floor(np.log2(amax(b) / F32(448)))),
    "rounded up to a power of two": lambda b: np.exp2(np.ceil(np.log2(amax(b) / F32(448)))),
    "nearest in log2": lambda b: np.exp2(np.round(np.log2(amax(b).astype(float) / 448))),
    "clipped to 0.75": lambda b: np.minimum(amax(b), F32(0.75)) / F32(448),
    "each row of blocks has the scales of the one before it": shifted,
    "it is static, or stale": lambda b: np.full(b.shape[:2], 0.0213, F32),
    "divides by 240 instead of 448": lambda b: amax(b) / F32(240),
    "largest element, not the largest magnitude":
        lambda b: np.maximum(np.maximum(b.max(-1), 0), F32(1e-4)) / F32(448),
    "amax is that of the whole tensor": lambda b: np.full_like(amax(b), amax(b).max()) / F32(448),
    "the scale is that of the mean magnitude": lambda b: np.abs(b).mean(-1) / F32(448),
    "the scale is that of the root mean square":
        lambda b: np.sqrt(np.square(b).mean(-1)) / F32(448),
    "the scale is that of the 99.9 % quantile":
        lambda b: np.quantile(np.abs(b), 0.999, axis=-1).astype(F32) / F32(448),
    "the scale is that of the 99 % quantile":
        lambda b: np.quantile(np.abs(b), 0.99, axis=-1).astype(F32) / F32(448),
    "the scale is rounded to bf16": lambda b: bf16(amax(b) / F32(448)),
}


def group(words, rng):
    x = values(rng)
    s = np.asarray(GROUPS[words](blocks_of(x, 128)), F32)
    return cast(x, s, 128), s, x, GROUP, {}


# ---- blocks of 32 with powers of two


def up(a):
    return 127 + np.ceil(np.log2(a.astype(float) / 448))


def down(a):
    return 127 + np.floor(np.log2(a.astype(float))) - 8


def power(e):
    return np.exp2(e - 127).astype(F32)


def leaked(a):
    w = (a / F32(448)).astype(F32).view(np.uint32).reshape(-1, 4)
    packed = w[:, 0] >> 23 | w[:, 1] >> 15 | w[:, 2] >> 7 | w[:, 3] << np.uint32(1)
    return packed.astype("<u4").view(np.uint8).reshape(a.shape)


MXS = {  # the byte that is stored, and the number that elements are divided by
    "the codes belong to the scale before it was rounded to a power of two":
        lambda a: (up(a), a / F32(448)),
    "they belong to the scale before it was rounded to a power of two":
        lambda a: (down(a), a / F32(448)),
    "divided by 2^8": lambda a: (down(a), power(down(a))),
    "nearest in log2": lambda a: ((e := 127 + np.round(np.log2(a.astype(float) / 448))), power(e)),
    "the bytes themselves, as integers": lambda a: (up(a), up(a).astype(F32)),
    "mantissa bits leak": lambda a: (leaked(a), power(up(a))),
    "each scale is one too large": lambda a: (up(a) + 1, power(up(a))),
    "the scales are truncated": lambda a: ((e := 127 + np.floor(np.log2(a.astype(float) / 448))),
                                           power(e)),
}


def mx(words, rng):
    x = values(rng)
    stored, used = MXS[words](amax(blocks_of(x, 32)))
    return cast(x, np.asarray(used, F32), 32), np.asarray(stored).astype(np.uint8), x, MX, {}


# ---- NVFP4: the second scale, subnormal scales, and the choice of 4 over 6


def second(factor):
    def kernel(rng):
        x = values(rng, 32, 256)
        q = sf.quantize(x, NV, global_scale=100 * factor)
        return q.packed(), q.scales, x, NV, {"global_scale": 100.0}
    return kernel


def subnormal(rng):
    x = (rng.standard_normal((32, 256)) * np.exp(rng.uniform(-14, -8, (32, 1)))).astype(F32)
    s = np.asarray(sf.quantize(x, NV, global_scale=448.0).scales)
    read = np.where((s < 8) & (s > 0), (8 + (s & 7)) * 2.0 ** -10, sf.decode(s, "e4m3")).astype(F32)
    with np.errstate(divide="ignore"):
        f = np.minimum(F32(1) / (read * (F32(1) / F32(448))), np.finfo(F32).max)
    codes = sf.convert((blocks_of(x, 16) * f[..., None]).reshape(x.shape).astype(F32), "e2m1")
    return codes, s, x, NV, {"global_scale": 448.0}


def choice(error):
    def kernel(rng):
        x = bf16(rng.standard_normal((128, 512)))
        right = sf.quantize(x, "nvfp4-vllm-4over6")
        q = sf.quantize(x, sf.recipe("nvfp4-vllm-4over6", error_of=error),
                        global_scale=right.global_scale)
        return q.packed(), q.scales, x, "nvfp4-vllm-4over6", {}
    return kernel


NVS = {
    "the global scale is 2 times": second(2), "the global scale is 3 times": second(3),
    "the global scale is 10 times": second(10), "the global scale is 6 times too large": second(6),
    "the global scale is 0.0625 times": second(1 / 16),
    "subnormal scales of e4m3 are read as normal numbers": subnormal,
    "errors of scaled elements, by their magnitudes": choice("e x f * - e x f * - neg max"),
    "errors of scaled elements, by their squares": choice("e x f * - e x f * - *"),
}

KERNELS = {**{words: (lambda rng, w=words: group(w, rng)) for words in GROUPS},
           **{f"e8m0: {words}": (lambda rng, w=words: mx(w, rng)) for words in MXS}, **NVS}


def mistake(codes, scales, x, recipe, options):
    """What the message names, or "" if it names nothing; None if the assertion holds."""
    try:
        assert_quantized(codes, scales, x, recipe, **options)
    except AssertionError as error:
        return next((line[18:] for line in str(error).split("\n")
                     if line.startswith("  likely mistake: ")), "")
    return None


@pytest.mark.parametrize("words", KERNELS)
def test_a_planted_mistake_is_named(words):
    named = []
    for seed in range(SEEDS):
        found = mistake(*KERNELS[words](np.random.default_rng(59 + seed)))
        assert found is None or not found or words.removeprefix("e8m0: ") in found, found
        named.append(found)
    assert all(named), named


def of_activation(name, via, change):
    """The mistake of a kernel that takes amax before an activation, times a number for each block."""
    rng = np.random.default_rng(59)
    a = rng.standard_normal((32, 512)).astype(F32)
    x = sf.stage(name + via).run(a)
    s = (amax(blocks_of(a, 128)) * change(rng, (32, 4)) / F32(448)).astype(F32)
    return mistake(cast(x, s, 128), s, sf.convert(x, "bf16", dtype="ml_dtypes") if via else x,
                   GROUP, {})


@pytest.mark.parametrize("via", ["", " via=bf16"])
@pytest.mark.parametrize("name", ["relu2", "silu", "gelu", "gelu-tanh"])
def test_amax_before_an_activation(name, via):
    pytest.importorskip("ml_dtypes")
    found = of_activation(name, via, lambda rng, shape: F32(1))
    assert found.startswith(f"amax is taken before {name.removesuffix('-tanh') if via else name}")
    for change in (lambda rng, shape: F32(1.1), lambda rng, shape: rng.uniform(1, 1.5, shape)):
        assert not of_activation(name, via, change)


def test_what_is_right_is_not_accused():
    rng = np.random.default_rng(1)
    for recipe in (GROUP, MX, NV, "nvfp4-vllm-4over6"):
        x = values(rng)
        q = sf.quantize(x, recipe)
        assert mistake(q.packed(), q.scales, x, recipe, {}) is None


@pytest.mark.parametrize("of", [
    lambda b: np.abs(b).mean(-1) * F32(1.5), lambda b: np.sort(np.abs(b))[..., -2],
    lambda b: np.nextafter(amax(b), F32(0))])
def test_what_is_near_a_statistic_is_none(of):
    x = values(np.random.default_rng(3))
    s = of(blocks_of(x, 128)) / F32(448)
    found = mistake(cast(x, s, 128), s, x, GROUP, {})
    assert "mean" not in found and "quantile" not in found


@pytest.mark.parametrize("recipe", [GROUP, MX, NV])
def test_noise_has_no_name(recipe):
    """Codes and scales that are wrong at random."""
    for seed in range(2 * SEEDS):
        rng = np.random.default_rng(seed)
        x = values(rng)
        q = sf.quantize(x, recipe)
        codes, scales = q.codes.copy(), q.scales.copy()
        some = rng.random(codes.shape) < 0.01
        codes[some] ^= 1
        if seed % 2:
            wrong = rng.random(scales.shape) < 0.2
            scales[wrong] ^= np.asarray(rng.integers(1, 4, scales.shape), scales.dtype)[wrong]
        assert not mistake(codes, scales, x, recipe, {"global_scale": q.global_scale} if
                           recipe == NV else {})
