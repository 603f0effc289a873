# SPDX-License-Identifier: MIT
"""test_assert_quantized.py -- wrong quantizers and attention fail with their mistake"""
import functools
import time

import numpy as np
import pytest

import softfp8 as sf
from softfp8.testing import assert_attention, assert_quantized
from conftest import failure_of, line, mistakes

failure = functools.partial(failure_of, assert_quantized)

NV, MX, KV = "nvfp4-te", "mxfp8-e4m3-floor", "kv-vllm"


@pytest.fixture(scope="module")
def x():
    """Values with many ties in blocks of nvfp4-te, and rows of different sizes."""
    rng = np.random.default_rng(20261123)
    return (rng.integers(-48, 49, (128, 64)) / 8 *
            2.0 ** rng.integers(-3, 4, (128, 1))).astype(np.float32)


def parts(q):
    """Packed codes and scales of one byte."""
    return q.packed(), q.scales


def swapped(codes):
    return codes << 4 | codes >> 4


def changed(x, recipe, **fields):
    return parts(sf.quantize(x, sf.recipe(recipe, **fields)))


def in_awq_order(codes):
    """The eight codes of each four bytes in the order 0 2 4 6 1 3 5 7."""
    nibbles = np.stack([codes & 15, codes >> 4], -1).reshape(-1, 8)[:, [0, 2, 4, 6, 1, 3, 5, 7]]
    return (nibbles[:, ::2] | nibbles[:, 1::2] << 4).reshape(codes.shape)


PLANTED = {
    "nibbles": (NV, lambda x: (swapped(sf.quantize(x, NV).packed()),
                               sf.quantize(x, NV).scales), "nibbles swapped"),
    "AWQ": (NV, lambda x: (in_awq_order(sf.quantize(x, NV).packed()),
                           sf.quantize(x, NV).scales),
            "the eight codes of each 4-byte word are in the order 0 2 4 6 1 3 5 7"),
    "128x4": (NV, lambda x: (sf.quantize(x, NV).packed(), sf.quantize(x, NV).layout("128x4")),
              "the scales have the layout 128x4, and are read as linear"),
    "transposed": (NV, lambda x: (sf.quantize(x, NV).packed(),
                                  sf.quantize(x, NV).scales.T),
                   "the scales are stored column by column"),
    "block": (NV, lambda x: changed(x, NV, block=32), "wrong block size: blocks of 32 elements"),
    "g inverted": (NV, lambda x: parts(sf.quantize(
        x, NV, global_scale=1 / sf.quantize(x, NV).global_scale)), "the global scale is inverted"),
    "g twice": (NV, lambda x: parts(sf.quantize(
        x, NV, global_scale=sf.quantize(x, NV).global_scale**2)),
                "the global scale is applied twice"),
    "g unused": (NV, lambda x: parts(sf.quantize(x, NV, global_scale=1)),
                 "the global scale is not applied"),
    "scale twice": (MX, lambda x: changed(x, MX, element_of="x s / s /"),
                    "the scale is applied twice"),
    "scale inverted": (MX, lambda x: changed(x, MX, element_of="x s *"), "the scale is inverted"),
    "e8m0 + 1": (MX, lambda x: (sf.quantize(x, MX).codes,
                                sf.quantize(x, MX).scales + np.uint8(1)),
                 "e8m0 scale off by one: each scale is one too large, as with a bias of 128"),
    "e8m0 - 1": (MX, lambda x: (sf.quantize(x, MX).codes,
                                sf.quantize(x, MX).scales - np.uint8(1)),
                 "e8m0 scale off by one: each scale is one too small, as with a bias of 126"),
    "ties away": (MX, lambda x: changed(x, MX, element_fields="round=rna"),
                  "ties go away from zero"),
    "truncated": (NV, lambda x: changed(x, NV, element_fields="round=rz"),
                  "rounds toward zero"),
    "scale rounding": (NV, lambda x: changed(x, NV, scale_fields="round=ru"),
                       "the scales are rounded up"),
    "e5m2": (MX, lambda x: changed(x, MX, element="e5m2"), "the codes are e5m2, not e4m3"),
    "recipe": (MX, lambda x: parts(sf.quantize(x, "mxfp8-e4m3-ceil")), "the arithmetic of mxfp8-"),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_mistake_is_named(name, x):
    recipe, make, mistake = PLANTED[name]
    message = failure(*make(x), x, recipe)
    assert any(words.startswith(mistake) for words in mistakes(message))
    assert "differ from " + recipe in message


def test_scales_of_f32_that_were_stored_in_16_bits(x):
    q = sf.quantize(x, "fp8-group128")
    scales = q.scales.view(np.uint32)
    bf16 = (scales + 0x7FFF + (scales >> 16 & 1) & np.uint32(0xFFFF0000)).view(np.float32)
    message = failure(q.codes, bf16, x, "fp8-group128")
    assert line(message, "likely mistake").startswith("the scales are rounded to bf16")
    f16 = scales.view(np.float32).astype(np.float16).astype(np.float32)
    message = failure(q.codes, f16, x, "fp8-group128")
    assert line(message, "likely mistake").startswith("the scales are rounded to f16")


def test_readings_of_blocks_with_scales_of_f32(rng):
    x = rng.standard_normal((256, 384)).astype(np.float32)
    q = sf.quantize(x, "fp8-block128-vllm")
    message = failure(q.codes, q.scales, x, "fp8-group128")
    assert line(message, "likely mistake").startswith("the blocks are squares")
    turned = np.ascontiguousarray(q.codes.T).reshape(x.shape)
    message = failure(turned, q.scales, x, "fp8-block128-vllm")
    assert line(message, "likely mistake").startswith("the codes are those of the transposed matrix")


@pytest.mark.parametrize("fields, scale, mistake", [
    ({"element_of": "x s / s /"}, 0.5, "the global scale is applied twice"),
    ({"element_of": "x s *"}, 0.5, "the global scale is inverted"),
    ({"element_of": "x 1 *"}, 0.5, "the global scale is not applied"),
    ({"element": "e4m3fnuz"}, 0.3, "the codes are e4m3fnuz, not e4m3"),
    ({"element_policy": "ocp-nosat"}, 0.05, "NaN instead of saturation"),
    ({"element_fields": "flush=outputs"}, 100.0, "subnormal results are flushed"),
])
def test_a_store_with_a_given_scale(fields, scale, mistake, x):
    got = sf.quantize(x, sf.recipe(KV, **fields), global_scale=scale)
    message = failure(got.codes, None, x, KV, global_scale=scale)
    assert any(words.startswith(mistake) for words in mistakes(message))


def test_a_product_with_the_reciprocal_of_the_scale():
    x = np.float32(0.3) * np.arange(17, 32, 2, np.float32)[None]  # ties, once divided by the scale
    got = sf.quantize(x, sf.recipe(KV, factor_of="1 s /", element_of="x f *"), global_scale=0.3)
    message = failure(got.codes, None, x, KV, global_scale=0.3)
    assert mistakes(message)[0].startswith("the arithmetic of kv-vllm-scaled: an element is ")
    assert mistakes(message)[1].startswith("multiplies by 1 / scale instead of dividing")


@pytest.mark.parametrize("recipe", [NV, MX, KV, "fp8-group128", "fp8-block128-vllm", "q4_0-gguf",
                                    "mxfp6-e3m2-floor", "nvfp4-te-16x16"])
@pytest.mark.parametrize("shape", [(128, 128), (2, 3, 256)])
def test_right_quantizers_pass(recipe, shape, rng):
    x = rng.standard_normal(shape).astype(np.float32)
    q = sf.quantize(x, recipe)
    scales = q.scales
    for codes in (q.codes, q.packed()):
        assert_quantized(codes, scales, x, recipe)
        assert_quantized(codes, None, x, recipe)
        if scales.itemsize == 4:
            assert_quantized(codes, scales.view(np.float32), x, recipe)
    wrong = q.codes.copy()
    wrong.flat[7] ^= 1
    message = failure(wrong, scales, x, recipe)
    assert f"1 of {x.size:,} codes and 0 of {scales.size:,} scales differ" in message
    assert f"{[0] * (x.ndim - 1) + [7]}  input " in message


def test_layouts_offsets_and_columns(x, rng):
    q = sf.quantize(x, NV)
    for layout in sf.layouts():
        if layout != "4-token" or q.scales.shape[0] % 4 == 0:
            assert_quantized(q.packed(), q.layout(layout), x, NV, layout=layout)
    message = failure(q.packed(), q.scales, x, NV, layout="128x4")
    assert line(message, "likely mistake").startswith("the scales have the layout linear")
    k = sf.quantize(x, "kivi-int4", along="columns")
    scales, offsets = k.scales, k.offsets.copy()
    assert_quantized(k.codes, scales, x, "kivi-int4", offsets=offsets, along="columns")
    offsets[1, 3] ^= 1
    assert "1 of 256 offsets differ" in failure(k.codes, scales, x, "kivi-int4", offsets=offsets,
                                                along="columns")


HEADS = np.float32([0.02, 0.05, 0.03, 0.08])


def stored(x, scales):
    """The codes of a store with one scale for each head, by a cache."""
    place = sf.kv.layout("nhd", blocks=1, slots=len(x), heads=x.shape[1], dim=x.shape[2], bits=8)
    cache = sf.kv.Cache(place, recipe=KV, scale=scales)
    cache.store(x, range(len(x)))
    return cache.data.reshape(x.shape).copy()


def test_one_scale_for_each_head(rng):
    x = rng.standard_normal((9, 4, 16)).astype(np.float32)
    codes = stored(x, HEADS)
    for scales in None, HEADS, np.tile(HEADS, 9), HEADS.astype(np.float64):
        assert_quantized(codes, scales, x, KV, global_scale=HEADS)
    assert_quantized(codes, None, x, KV, global_scale=HEADS.tolist())
    assert_quantized(codes.reshape(36, 16), None, x.reshape(36, 16), KV,
                     global_scale=np.tile(HEADS, 9))
    swapped_heads = HEADS[[0, 2, 1, 3]]
    message = failure(stored(x, swapped_heads), None, x, KV, global_scale=HEADS)
    assert message.startswith("2 of 4 heads differ from kv-vllm: 1, 2\nhead 1: ")
    assert line(message, "likely mistake").startswith("the global scale is 0.6 times yours")
    message = failure(codes, swapped_heads, x, KV, global_scale=HEADS)
    assert message.startswith("2 of 4 heads differ from kv-vllm: 1, 2\nhead 1: 0 of 144 codes and 9 "
                              "of 9 scales differ")
    codes[3, 2, 5] ^= 1
    message = failure(codes.reshape(36, 16), None, x.reshape(36, 16), KV,
                      global_scale=np.tile(HEADS, 9))
    assert message.startswith("1 of 36 rows differ from kv-vllm: 14\nrow 14: 1 of 16 codes")
    with pytest.raises(ValueError, match=r"^global_scale: expected one number, 4 \(one for each "
                       r"head\), or 36 \(one for each row of x, whose shape is \(9, 4, 16\)\); got "
                       r"the shape \(3,\)$"):
        assert_quantized(codes, None, x, KV, global_scale=HEADS[:3])
    with pytest.raises(ValueError, match=r"got_scales: expected one number, 4 \(one for each head\)"):
        assert_quantized(codes, HEADS[:3], x, KV, global_scale=HEADS)


@pytest.mark.parametrize("recipe", ["kv-vllm", "kv-vllm-scaled"])
@pytest.mark.parametrize("scale", [0.25, np.float32(0.02), np.float32([0.02]), np.array(0.5)])
def test_one_scale_as_a_checkpoint_has_it(recipe, scale, x):
    q = sf.quantize(x, recipe, global_scale=float(np.float32(scale).reshape(-1)[0]))
    assert_quantized(q.codes, scale, x, recipe, global_scale=scale)
    message = failure(q.codes, 2 * scale, x, recipe, global_scale=scale)
    assert message.startswith("0 of 8,192 codes and 128 of 128 scales differ")


@pytest.mark.long
def test_a_large_tensor_is_explained_soon(rng):
    x = rng.standard_normal((1024, 1024)).astype(np.float32)
    q = sf.quantize(x, NV)
    start = time.perf_counter()
    assert_quantized(*parts(q), x, NV)
    assert time.perf_counter() - start < 1
    message = failure(*parts(sf.quantize(x, "nvfp4-te-4over6")), x, NV)
    assert "nvfp4-te-4over6" in line(message, "matches instead")


def test_the_nearest_recipe_is_named(x):
    codes, scales = parts(sf.quantize(x, "mxfp8-e4m3-ceil"))
    codes[3, 4] ^= 0x15
    message = failure(codes, scales, x, MX)
    assert line(message, "nearest").startswith("mxfp8-e4m3-")
    assert line(message, "nearest").endswith(" gives all but 1 code of 8,192; mxfp8-e4m3-floor all "
                                             "but 8,106")


@pytest.mark.parametrize("error, match, change", [
    (TypeError, "got_codes: expected codes of e2m1", {"got_codes": np.ones((128, 64), np.float32)}),
    (ValueError, r"got_codes: expected the shape \(128, 64\), or \(128, 32\) if the codes are "
     r"packed; got \(64, 128\)", {"got_codes": np.zeros((64, 128), np.uint8)}),
    (ValueError, r"got_codes: element \[0, 0\] is 0x10; expected codes of e2m1, which are below 0x10",
     {"got_codes": np.full((128, 64), 16, np.uint8)}),
    (ValueError, r"got_scales: element \[0\] is 0.3\d* \(float32\), which e4m3 does not hold",
     {"got_scales": np.full(512, 0.3, np.float32)}),
    (TypeError, "got_scales: expected codes of e4m3", {"got_scales": np.ones(512, np.int32)}),
    (ValueError, "global_scale: nvfp4-te has one global scale for a tensor; got 3 numbers",
     {"global_scale": [1.0, 2.0, 3.0]}),
    (TypeError, "global_scale: expected a number, or floats; got uint8",
     {"global_scale": np.ones(3, np.uint8)}),
    (ValueError, "recipe: unknown name 'nvfp4-t'; did you mean nvfp4-te", {"recipe": "nvfp4-t"}),
    (TypeError, "x: expected a tensor of f32", {"x": np.ones((128, 64))}),
    (ValueError, "layout: unknown name '128x8'", {"layout": "128x8"}),
    (ValueError, "offsets: nvfp4-te has none", {"offsets": np.zeros(512, np.uint16)}),
    (ValueError, "offsets: kivi-int4 needs them", {"recipe": "kivi-int4", "got_scales": None,
                                                   "got_codes": np.zeros((128, 64), np.uint8)}),
    (ValueError, "global_scale: expected a number, got NaN", {"global_scale": float("nan")}),
    (ValueError, "along: unknown name 'diagonals'; known: rows, columns",
         {"along": "diagonals"}),
])
def test_bad_input(error, match, change, x):
    codes, scales = parts(sf.quantize(x, NV))
    given = {"got_codes": codes, "got_scales": scales, "x": x, "recipe": NV, **change}
    with pytest.raises(error, match=match):
        assert_quantized(**given)


# ---- attention


@pytest.fixture(scope="module")
def qkv():
    rng = np.random.default_rng(7)
    return [rng.standard_normal(shape).astype(np.float32)
            for shape in ((3, 4, 32), (65, 2, 32), (65, 2, 32))]


def wrong_attention(*arguments, **options):
    with pytest.raises(AssertionError) as caught:
        assert_attention(*arguments, **options)
    return str(caught.value)


def test_right_attention_passes(qkv):
    out, lse = sf.attend(*qkv, lse=True)
    assert_attention(out, *qkv, lse=lse)
    cached = {"recipe": KV, "k_scale": 0.1, "v_scale": 0.2}
    assert_attention(sf.attend(*qkv, **cached), *qkv, **cached)
    for options in ({"causal": False}, {"window": 7}, {"cap": 3.0}, {"scale": 0.5}, {"first": 40},
                    {"sinks": np.ones(4, np.float32)}):
        assert_attention(sf.attend(*qkv, **options), *qkv, **options)
    half = [sf.convert(x, "bf16") for x in qkv]
    out = sf.convert(sf.attend(*(sf.decode(x, "bf16") for x in half)), "bf16")
    assert_attention(out, *half, from_="bf16", out_format="bf16")


@pytest.mark.parametrize("planted, mistake", [
    ({"causal": False}, "no causal mask"),
    ({"scale": 1.0}, "the scale of scores forgotten"),
    ({"first": 63}, "a query sees the key after its own"),
    ({"scale": 32 ** -0.5 * 0.6931471805599453}, "scores in base 2"),
])
def test_a_planted_mistake_of_attention_is_named(planted, mistake, qkv):
    message = wrong_attention(sf.attend(*qkv, **planted), *qkv)
    assert line(message, "likely mistake").startswith(mistake)
    assert line(message, "outside the error bound of").startswith("f32")


def test_a_bound_is_asked(qkv):
    rough = sf.attend(*qkv) * np.float32(1.001)
    wrong_attention(rough, *qkv)
    assert_attention(rough, *qkv, bound="fp8-one")
    lse = sf.attend(*qkv, lse=True)[1] * np.float32(1.4426950408889634)
    assert "lse: base 2, expected base e" in wrong_attention(sf.attend(*qkv), *qkv, lse=lse)


def test_tensors_of_different_formats(qkv):
    pytest.importorskip("ml_dtypes")
    q, k, v = qkv
    half = sf.convert(k, "bf16", dtype="ml_dtypes")
    assert_attention(sf.attend(q, sf.decode(half), v), q, half, v)


@pytest.mark.parametrize("recipe, scale, words", [
    (KV, 0.1, "f32"), (KV, [0.1, 0.2], "f32"), ("fp8-per-token-head", None, "f32"),
    (None, None, "bf16"), (None, None, "f16")])
def test_caches_as_keys_and_values(recipe, scale, words, qkv):
    bits = 8 if recipe else 16
    place = sf.kv.layout("hnd", blocks=6, slots=16, heads=2, dim=32, bits=bits)
    place = place.with_scales(32) if recipe and scale is None else place
    blocks, at = np.array([5, 0, 2, 4, 3]), np.arange(65)
    slots = blocks[at // 16] * 16 + at % 16
    caches = [sf.kv.Cache(place, recipe=recipe, words=words, scale=scale) for _ in "kv"]
    for cache, x in zip(caches, qkv[1:]):
        cache.store(x if recipe else sf.convert(x, words), slots,
                    from_=None if recipe else words)
    out = sf.attend(qkv[0], *caches, keys=65, blocks=blocks)
    assert_attention(out, qkv[0], *caches, keys=65, blocks=blocks)
    assert line(wrong_attention(sf.attend(qkv[0], *caches, keys=65, blocks=blocks, causal=False),
                                qkv[0], *caches, keys=65, blocks=blocks),
                "likely mistake").startswith("no causal mask")
    wrong_attention(out, qkv[0], *caches, keys=65, blocks=[0, 1, 2, 3, 4])
    for error, match, change in (
            (ValueError, "recipe: k is a cache already", {"recipe": KV}),
            (ValueError, "k_scale: k is a cache, which has its scale", {"k_scale": 0.5}),
            (ValueError, "keys: k has 5 blocks of 16 tokens, got 81", {"keys": 81})):
        with pytest.raises(error, match=match):
            assert_attention(out, qkv[0], *caches, **{"keys": 65, "blocks": blocks, **change})


@pytest.mark.parametrize("error, match, change", [
    (ValueError, r"out: expected the shape \(3, 4, 32\), got \(4, 3, 32\)",
     {"out": np.zeros((4, 3, 32), np.float32)}),
    (TypeError, "out: expected f32, bf16 or f16, got f64", {"out": np.zeros((3, 4, 32))}),
    (ValueError, r"k: expected \[tokens\]\[heads\]\[elements\]",
     {"k": np.zeros((65, 64), np.float32)}),
    (TypeError, "v: expected a tensor of f32", {"v": np.zeros((65, 2, 32))}),
    (ValueError, "bound: unknown name 'fp8'", {"bound": "fp8"}),
    (TypeError, "lse: expected f32, got f64", {"lse": np.zeros((3, 4))}),
    (ValueError, "^recipe: unknown name 'kv-vlm'; did you mean kv-vllm", {"recipe": "kv-vlm"}),
    (ValueError, r"^q: expected at least one element, got the shape \(0, 4, 32\)",
     {"q": np.zeros((0, 4, 32), np.float32), "out": np.zeros((0, 4, 32), np.float32)}),
    (ValueError, r"^v: expected 65 tokens, got \(64,\)$",
     {"v": np.zeros((64, 2, 32), np.float32)}),
    (ValueError, "^attend: the number of query heads must be a multiple, above 0, of that of key heads$",
     {"k": np.zeros((65, 3, 32), np.float32), "v": np.zeros((65, 3, 32), np.float32)}),
    (ValueError, "^k_scale: expected numbers above 0$", {"recipe": KV, "k_scale": -1}),
    (ValueError, "^k_scale: needs a recipe$", {"k_scale": 0.5}),
    (ValueError, r"^lse: expected the shape \(3, 4\): queries, heads; or \(4, 3\); got \(3, 3\)$",
     {"lse": np.zeros((3, 3), np.float32)}),
    (ValueError, "^window: expected an integer from 0 to .*, got -1$", {"window": -1}),
])
def test_bad_input_of_attention(error, match, change, qkv):
    q, k, v = qkv
    given = {"out": np.zeros((3, 4, 32), np.float32), "q": q, "k": k, "v": v, **change}
    with pytest.raises(error, match=match):
        assert_attention(**given)


def test_no_packed_shape_where_codes_are_not_packed(x):
    with pytest.raises(ValueError, match=r"^got_codes: expected the shape \(128, 64\); got "
                       r"\(127, 64\)$"):
        assert_quantized(np.zeros((127, 64), np.uint8), None, x, KV, global_scale=0.1)
