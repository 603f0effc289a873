# SPDX-License-Identifier: MIT
"""test_kv.py -- caches, readers, rules of scales, the life of a scale, sizes, decisions"""
import fractions

import numpy as np
import pytest

import softfp8 as sf
from softfp8 import kv


@pytest.fixture
def tokens(rng):
    return rng.standard_normal((5, 2, 64)).astype(np.float32)


@pytest.mark.parametrize("name", ["nhd", "hnd", "x-packed", "columns"])
def test_stored_and_gathered(name, tokens):
    place = kv.layout(name, blocks=4, slots=8, heads=2, dim=64, bits=8)
    cache = kv.Cache(place, recipe="kv-vllm", scale=0.125)
    slots = [3, 31, 8, -1, 17]
    cache.store(tokens, slots)
    back = cache.gather(slots)
    expected = sf.decode(sf.convert(tokens / np.float32(0.125), "e4m3"), "e4m3") * np.float32(0.125)
    assert (back[[0, 1, 2, 4]] == expected[[0, 1, 2, 4]]).all()
    assert (back[3] == 0).all(), "a skipped token stays as it is"
    code = cache.data[place.element_at(31 // 8, 31 % 8, 1, 7)]
    assert code == sf.convert(tokens[1, 1, 7] / np.float32(0.125), "e4m3")
    untouched = kv.Cache(place, recipe="kv-vllm", scale=0.125)
    assert np.count_nonzero(cache.data) <= 4 * 2 * 64 and not untouched.data.any()


def test_two_caches_at_once_or_none(tokens):
    place = kv.layout("nhd", blocks=1, slots=8, heads=2, dim=64, bits=16)
    keys, values = kv.Cache(place), kv.Cache(place)
    half = sf.convert(tokens, "f16")
    kv.store_together([(keys, half), (values, half[::-1])], range(5))
    assert (keys.gather(range(5)) == half).all() and (values.gather([0]) == half[4]).all()
    before = keys.data.copy()
    with pytest.raises(ValueError, match="store: a slot that comes twice.*token 2"):
        kv.store_together([(keys, half), (values, half)], [0, 1, 1, 2, 3])
    with pytest.raises(ValueError, match="store: a slot after the last one"):
        keys.store(half, [0, 1, 2, 3, 8])
    assert (keys.data == before).all()
    keys.store(half, [0, 1, 1, 2, 8], outside="skip", twice="last")
    assert (keys.gather([1]) == half[2]).all()


def test_memory_that_is_read_only_can_be_gathered(tokens):
    place = kv.layout("nhd", blocks=1, slots=8, heads=2, dim=64, bits=8)
    cache = kv.Cache(place, recipe="kv-vllm", scale=0.125)
    cache.store(tokens, range(5))
    data = cache.data.copy()
    data.flags.writeable = False
    copy = kv.Cache(place, recipe="kv-vllm", scale=0.125, data=data)
    assert copy.data.base is not None and (copy.gather(range(5)) == cache.gather(range(5))).all()
    with pytest.raises(ValueError, match="^data: the memory of the cache is read-only"):
        copy.store(tokens, range(5))
    with pytest.raises(ValueError, match="^data: the memory of the cache is read-only"):
        kv.store_together([(cache, tokens), (copy, tokens)], range(5))
    assert (data == cache.data).all()


def test_scales_beside_the_elements(tokens):
    place = kv.layout("nhd", blocks=1, slots=8, heads=2, dim=64, bits=8).with_scales(64, 32)
    apart = kv.Cache(place, recipe="fp8-per-token-head")
    inside = kv.Cache(place.scales_behind(), recipe="fp8-per-token-head")
    for cache in (apart, inside):
        cache.store(tokens, range(5))
    assert apart.scales.size == 8 * 2 * 4 and inside.scales.size == 0
    assert (apart.gather(range(5)) == inside.gather(range(5))).all()
    q = sf.quantize(tokens.reshape(10, 64), "fp8-per-token-head")
    assert (apart.gather(range(5)) == q.dequantize().reshape(tokens.shape)).all()
    assert apart.scales[:40].view(np.uint32).tolist() == q.scales.reshape(-1).tolist()
    assert place.scale_at(0, 1, 1) == 12


def test_kv_c_and_k_pe(rng):
    place = kv.layout("ds-mla", blocks=1, slots=4, heads=1, dim=512, bits=8)
    cache = kv.Cache(place, recipe="kv-vllm-ds-mla")
    latent, rope = (sf.convert(rng.standard_normal((2, n)).astype(np.float32), "bf16")
                    for n in (512, 64))
    cache.store(latent, [1, 2], second=rope, from_="bf16")
    elements, tail = cache.gather([1, 2], to="bf16", second=64)
    assert (tail.reshape(2, 64) == rope).all()
    back = sf.decode(elements, "bf16").reshape(2, 512)
    assert np.abs(back - sf.decode(latent, "bf16")).max() < 0.2


def test_pools():
    place = kv.layout("nhd", blocks=2, slots=8, heads=2, dim=64, bits=8)
    one = kv.Cache(place, recipe="kv-vllm", scale=0.5)
    assert kv.unlike(one, kv.Cache(place, recipe="kv-vllm", scale=0.5)) == set()
    assert kv.unlike(one, kv.Cache(place, recipe="kv-vllm", scale=0.25)) == {"scales"}
    turned = kv.layout("hnd", blocks=2, slots=8, heads=2, dim=64, bits=8)
    assert "order" in kv.unlike(one, kv.Cache(turned, recipe="kv-vllm", scale=0.5))


@pytest.mark.parametrize("reader", [row["name"] for row in kv.readers()])
def test_readers(reader):
    row = next(row for row in kv.readers() if row["name"] == reader)
    one = sf.format(row["element"]).parse("1")
    got = kv.read_codes(reader, np.array([one], np.uint8), 0.5)
    value = sf.decode(got, row["out"], to="f32") if got.dtype.kind == "u" else got
    assert value.tolist() == [1.0 if kv.folds(reader) else 0.5]


def test_rules(tokens):
    amax = np.abs(tokens).max()
    assert kv.scales(tokens, "amax-448").tolist() == [np.float32(amax / np.float32(448))]
    per_head = kv.scales(tokens, "amax-448", "head")
    assert per_head.shape == (2,) and per_head.max() == kv.scales(tokens, "amax-448")[0]
    assert kv.scales(tokens, "amax-448", "token-head").shape == (10,)


def test_the_life_of_a_scale():
    layer = kv.Life(calibrating=["request"])
    assert layer.step("request", amax=(20, 10, 20))
    before = layer.trace("keys")
    assert before["agrees"] and before["writes"] == np.float32(0.1)
    assert layer.step("set", scales=(1, 1, 1))
    after = layer.trace("keys")
    assert after["stored"] == before["writes"] and after["old_factor"] == pytest.approx(10)
    assert not layer.step("clear")
    kept = kv.Life()
    kept.load(keys=0.5)
    assert kept.trace("values")["writes"] == 0.5
    with pytest.raises(ValueError, match="load"):
        kept.load(keys=0.0)
    kept.load_heads([1.0, 2.0], [3.0, 4.0], [1.0, 5.0, 2.0, 3.0])
    assert kept.trace("keys", 1)["writes"] == 2.0 and kept.trace("queries", 0)["writes"] == 5.0


def test_sizes():
    for row in kv.types():
        size = kv.token_bytes(row["name"], layers=2, heads=8, size=128, latent=512, rope=64)
        assert size > 0
        assert kv.tokens_in(row["name"], 10**9, layers=2, heads=8, size=128, latent=512,
                            rope=64) == fractions.Fraction(10**9) // size


def test_decisions():
    batch = dict(prefix=4096, requests=64, query_heads=32, heads=8, processors=132, ranks=1,
                 decodes=1)
    assert kv.cascades(**batch) in (True, False) and not kv.cascades(**{**batch, "prefix": 10})
    tiles = dict(blocks=8, query_blocks=1, processors=132, key_blocks=64, head_bytes=1 << 20,
                 most=128)
    assert kv.splits(**tiles) > 1 == kv.splits(**{**tiles, "blocks": 132})
