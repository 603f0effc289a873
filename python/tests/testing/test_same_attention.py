# SPDX-License-Identifier: MIT
"""test_same_attention.py -- two outputs of one request: equal, or their orders have names"""
import numpy as np
import pytest

import softfp8 as sf
from softfp8.testing import assert_same_attention
from conftest import failure_of

CACHE = {"recipe": "kv-vllm", "k_scale": 0.02, "v_scale": 0.02}


@pytest.fixture
def qkv(rng):
    return [rng.standard_normal((200, heads, 64)).astype(np.float32) for heads in (2, 1, 1)]


def message(*arguments, **options):
    with pytest.raises(AssertionError) as caught:
        assert_same_attention(*arguments, **options)
    lines = str(caught.value).split("\n")
    assert lines[0] == "the two outputs differ (A is a, B is b)"
    assert all(text.startswith("  ") for text in lines[1:])
    return [text[2:] for text in lines[1:]]


def test_equal_outputs_pass(qkv):
    out = sf.attend(*qkv)
    assert_same_attention(out, out.copy())
    assert_same_attention(out, out.copy(), *qkv)
    half = sf.convert(out, "bf16", dtype="codes")
    assert_same_attention(half, half.copy(), out_format="bf16")


def test_a_tile_of_decode_and_one_of_prefill(qkv):
    """sglang#25790: FlashAttention-3 in FP8 with tiles of 96 keys, and of 160."""
    q, k, v = qkv
    decode = np.concatenate([
        sf.attend(q[i:i + 1], k[:i + 1], v[:i + 1], order="fa3-fp8 tile=96", **CACHE)
        for i in range(200)])
    prefill = sf.attend(q, k, v, order="fa3-fp8", **CACHE)
    lines = message(decode, prefill, q, k, v, **CACHE)
    assert lines[0] == \
        "different from 97 keys on: they are equal for rows that see at most 96 keys"
    assert lines[1].startswith("the first row that differs: query 96, head 0, which sees 97 keys; ")
    assert "A is the order fa3-fp8 tile=96, B is the order fa3-fp8 tile=160, in every bit" in lines
    assert not any(text.startswith("or ") for text in lines)
    assert message(decode, prefill, keys=200)[0] == lines[0]
    assert message(decode, prefill)[0] == \
        "different from query 96 on: they are equal in the 96 queries before it"
    assert_same_attention(decode[:96], prefill[:96])


@pytest.mark.long
def test_an_order_that_has_a_tile_for_decode(qkv):
    q, k, v = qkv
    of = {"order": "fa3-fp8-vllm", **CACHE}
    prefill = sf.attend(q, k, v, **of)
    decode = np.concatenate([sf.attend(q[i:i + 1], k[:i + 1], v[:i + 1], **of) for i in range(200)])
    row = sf.order("fa3-fp8-vllm")
    assert f"A is the order fa3-fp8-vllm (tile={row.tile}), B is the order fa3-fp8-vllm, each " \
        f"query by itself (tile={row.decode_tile}), in every bit" in \
        message(prefill, decode, q, k, v, **CACHE)


@pytest.mark.long
@pytest.mark.parametrize("orders", [
    ("fa3-fp8 offset=4", "fa3-fp8"), ("fa3-bf16", "fa3-bf16 tile=176"),
    ("vllm-triton", "vllm-triton tile=16"), ("fa3-fp8", "fa3-fp8-two-level"),
    ("fa3-fp8 summed=rounded", "fa3-fp8")])
def test_two_orders_with_one_field_between_them(orders, qkv):
    a, b = (sf.attend(*qkv, order=order, **CACHE) for order in orders)
    pair = next(text for text in message(a, b, *qkv, **CACHE) if text.startswith("A is the order"))
    for name, order in zip("AB", orders):
        assert f"{name} is the order {order}" in pair


@pytest.mark.long
def test_an_order_with_two_fields_changed_beside_a_known_one(qkv):
    """It is found from the other output, whose order has one of the two fields."""
    a, b = (sf.attend(*qkv, order=order, **CACHE)
            for order in ("fa3-fp8 tile=96", "fa3-fp8 tile=96 summed=rounded"))
    assert "A is the order fa3-fp8 tile=96 summed=exact, B is the order fa3-fp8 tile=96 " \
        "summed=rounded, in every bit" in message(a, b, *qkv, **CACHE)


@pytest.mark.long
@pytest.mark.parametrize("q_scale", [0.01, [0.01, 0.03]])
def test_queries_that_are_cast(q_scale, rng):
    q, k, v = (rng.standard_normal((120, heads, 64)).astype(np.float32) for heads in (4, 2, 2))
    of = {**CACHE, "q_scale": q_scale}
    a, b = (sf.attend(q, k, v, order=f"fa3-fp8 tile={tile}", **of) for tile in (96, 128))
    lines = message(a, b, q, k, v, **of)
    assert "A is the order fa3-fp8 tile=96, B is the order fa3-fp8 tile=160 (all keys are in one " \
        "tile), in every bit" in lines
    assert "no known order, and none with one field changed, gives A or B" in \
        message(a, b, q, k, v, **CACHE)


@pytest.mark.long
def test_caches_with_a_scale_for_each_head(rng):
    q, k, v = (rng.standard_normal((120, heads, 64)).astype(np.float32) for heads in (4, 2, 2))
    caches = [sf.cache_of(x, "kv-vllm", [0.02, 0.05]) for x in (k, v)]
    a, b = (sf.attend(q, *caches, keys=120, order=f"fa3-fp8 tile={tile}") for tile in (96, 128))
    lines = message(a, b, q, *caches, keys=120)
    assert "A is the order fa3-fp8 tile=96, B is the order fa3-fp8 tile=160 (all keys are in one " \
        "tile), in every bit" in lines
    error = next(text for text in lines if "the root mean square error is" in text)
    assert float(error.split()[-3]) < 0.02  # of values of about 1


@pytest.mark.long
def test_parts(qkv):
    a, b = (sf.attend(*qkv, order="fa3-bf16 tile=64", cut=cut) for cut in (1, 3))
    assert "A is the order fa3-bf16 tile=64 (1 part), B is the order fa3-bf16 tile=64 (3 parts), " \
        "in every bit" in message(a, b, *qkv)


def test_all_pairs_that_fit_are_counted(qkv):
    """Ten tiles in 5, 6, 7, 8 or 9 parts are two tiles a part."""
    q, k, v = qkv[0][:1], qkv[1][:160], qkv[2][:160]
    a, b = (sf.attend(q, k, v, order="split-f32 tile=16", cut=cut) for cut in (1, 7))
    lines = message(a, b, q, k, v)
    for cut in (5, 6, 7, 8):
        assert ("or " * (cut > 5)) + "A is the order split-f32 tile=16 (1 part), B is the order " \
            f"split-f32 tile=16 ({cut} parts), in every bit" in lines
    assert "or 1 other pair of orders" in lines


def test_one_tile_is_said(qkv):
    q, k, v = (x[:40] for x in qkv)
    a, b = (sf.attend(q, k, v, order=f"split-f32 tile={tile}") for tile in (16, 64))
    assert "A is the order split-f32 tile=16, B is the order split-f32 tile=128 (all keys are in " \
        "one tile), in every bit" in message(a, b, q, k, v)


@pytest.mark.long
def test_noise_has_no_order_and_no_pattern(qkv, rng):
    out = sf.attend(*qkv, order="fa3-fp8", **CACHE)
    noise = rng.standard_normal(out.shape).astype(np.float32)
    lines = message(out, noise, *qkv, **CACHE)
    assert lines[0] == "different in every row"
    assert "A is the order fa3-fp8, in every bit; no order that was tried gives B" in lines
    assert any(text.startswith("A is nearer to the true value: in 400 of 400 rows") for text in lines)
    lines = message(noise, noise[::-1], *qkv, **CACHE)
    assert "no known order, and none with one field changed, gives A or B" in lines
    assert any(text.startswith("neither is clearly nearer to the true value") for text in lines)


def test_one_of_two_orders_is_not_called_nearer_without_evidence(qkv, rng):
    a = sf.attend(*qkv)
    b = a.copy()
    at = rng.choice(b.size, 26, replace=False)
    b.reshape(-1)[at] = np.nextafter(b.reshape(-1)[at], np.float32(9))
    lines = message(a, b, *qkv)
    assert lines[0] == f"different in {np.unique(at // 64).size} of 400 rows, in no known pattern"
    assert any(text.startswith("neither is clearly nearer to the true value") for text in lines)


def test_one_head(qkv):
    out = sf.attend(*qkv)
    other = out.copy()
    other[:, 1] += 1
    assert message(out, other)[0] == "different in head 1 only"


@pytest.mark.long
def test_keys_of_a_window(qkv):
    """A query sees 50 keys before its own: from query 50 on all see 51."""
    out = sf.attend(*qkv, window=50)
    early, late = out.copy(), out.copy()
    early[30:] += 1
    late[100:] += 1
    assert message(out, early, *qkv, window=50)[0] == \
        "different from 31 keys on: they are equal for rows that see at most 30 keys"
    lines = message(out, late, *qkv, window=50)
    assert lines[0] == "different from query 100 on: they are equal in the 100 queries before it"
    assert lines[1].startswith("the first row that differs: query 100, head 0, which sees 51 keys;")
    assert message(out, late, *qkv, causal=False)[1].startswith(
        "the first row that differs: query 100, head 0, which sees 200 keys;")


@pytest.mark.parametrize("error, match, change", [
    (ValueError, r"b: expected the shape \(200, 2, 64\), as a; got \(199, 2, 64\)",
     lambda given: given.update(b=given["b"][1:])),
    (TypeError, "b: expected f32, as a; got f16",
     lambda given: given.update(b=given["b"].astype(np.float16))),
    (TypeError, "q, k, v: expected all three, or none", lambda given: given.update(q=None)),
    (ValueError, "keys: expected at least 200", lambda given: given.update(
        q=None, k=None, v=None, keys=199)),
    (ValueError, "a: expected 199 queries of 2 heads, as q",
     lambda given: given.update(q=given["q"][1:])),
    (ValueError, "a: expected the output of a request with 32 elements",
     lambda given: given.update(v=given["v"][..., :32])),
    *((ValueError, f"{name}: needs q, k and v",
       lambda given, name=name, value=value: given.update(q=None, k=None, v=None, **{name: value}))
      for name, value in (("causal", False), ("window", 1), ("first", 0), ("cap", 3.0), ("splits", 2),
                          ("k_scale", 0.5), ("scale", 1.0), ("from_", "bf16"))),
    (TypeError, "a: an array of uint8 needs out_format",
     lambda given: given.update(a=np.zeros((200, 2, 64), np.uint8))),
    (ValueError, r"a: expected \[queries\]\[heads\]\[elements\]",
     lambda given: given.update(a=given["a"][0], b=given["b"][0]))])
def test_bad_input(error, match, change, qkv):
    out = sf.attend(*qkv)
    given = {"a": out, "b": -out, **dict(zip("qkv", qkv))}
    change(given)
    with pytest.raises(error, match=match):
        assert_same_attention(**given)
