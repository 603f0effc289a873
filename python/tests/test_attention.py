# SPDX-License-Identifier: MIT
"""test_attention.py -- attention, compared with the command, and in parts"""
import pickle

import numpy as np
import pytest

import softfp8 as sf
from softfp8.attention import JOINS, _has_image
from softfp8.command import run


@pytest.fixture
def qkv(rng):
    return [rng.standard_normal(shape).astype(np.float32)
            for shape in ((3, 4, 128), (40, 2, 128), (40, 2, 128))]


def by_the_command(folder, qkv, *options):
    """What `softfp8 attend` writes."""
    for name, array in zip("qkv", qkv):
        np.save(folder / f"{name}.npy", array)
    files = [word for name in "qkv" for word in (f"--{name}", folder / f"{name}.npy")]
    run("attend", *files, *options, "-o", folder / "o.npy", "--lse", folder / "l.npy")
    return np.load(folder / "o.npy"), np.load(folder / "l.npy")


def same(a, b):
    return all((np.asarray(x).view(np.uint32) == np.asarray(y).view(np.uint32)).all()
               for x, y in zip(a, b))


@pytest.mark.parametrize("recipe", [None, *sf.recipes()])
def test_every_recipe_and_the_command_agree(recipe, qkv, tmp_path):
    options = [] if recipe is None else ["--recipe", recipe]
    outcome = []
    for compute in (lambda: by_the_command(tmp_path, qkv, *options),
                    lambda: sf.attend(*qkv, recipe=recipe, lse=True)):
        try:
            outcome.append(compute())
        except ValueError as error:
            outcome.append(str(error).rpartition(": ")[2])
    if isinstance(outcome[0], str):
        assert outcome[0] == outcome[1], "both refuse, for the same reason"
    else:
        assert same(*outcome)


@pytest.mark.parametrize("recipe", [name for name in sf.recipes() if _has_image(sf.recipe(name))])
def test_one_key_has_the_value_that_its_recipe_stores(recipe, rng):
    """A weight of 1, so that nothing but the reading of the cache is left."""
    v = rng.standard_normal((1, 1, 128)).astype(np.float32)
    cache = sf.cache_of(v, recipe, argument="v")
    out, _ = sf.Request(np.zeros((1, 1, 128), np.float32), sf.cache_of(v), cache, keys=1).run()
    g = {} if cache.scale is None else {"global_scale": cache.scale.view(np.float32)[0]}
    stored = sf.quantize(v.reshape(1, 128), recipe, **g).dequantize("f32")
    # Values of some recipes are rounded to bf16, which attention does not do.
    np.testing.assert_allclose(out.ravel(), np.ravel(stored), rtol=2 ** -8)


@pytest.mark.parametrize("options, words", [
    (dict(sums="mma-bf16"), ["--sums", "mma-bf16"]), (dict(causal=False), ["--full"]),
    (dict(window=5), ["--window", "5"]), (dict(cap=2.5), ["--cap", "2.5"]),
    (dict(first=7), ["--first", "7"]), (dict(base2=True), ["--base", "2"]),
    (dict(scale=0.25), ["--score-scale", "0.25"]), (dict(k_scale=0.5, recipe="kv-vllm", v_scale=2.0),
     ["--recipe", "kv-vllm", "--k-scale", "0.5", "--v-scale", "2"]),
    (dict(k_recipe="bf16", v_recipe="kv-vllm", v_scale=2.0),
     ["--k-recipe", "bf16", "--v-recipe", "kv-vllm", "--v-scale", "2"]),
    (dict(q_scale=0.007), ["--q-scale", "0.007"]),
    (dict(q_scale=[0.5, 2.0]), ["--q-scale", "0.5,2"]),
    (dict(q_scale="tensor"), ["--q-scale", "tensor"]),
    (dict(q_scale="head"), ["--q-scale", "head"]),
    (dict(recipe="kv-vllm", k_scale=0.5, v_scale=2.0, q_scale=0.0005, order="fa3-fp8"),
     ["--recipe", "kv-vllm", "--k-scale", "0.5", "--v-scale", "2", "--q-scale", "0.0005", "--order",
      "fa3-fp8"]),
    (dict(recipe="kv-vllm", k_scale=0.5, v_recipe="f16"),
     ["--recipe", "kv-vllm", "--k-scale", "0.5", "--v-recipe", "f16"])])
def test_options(options, words, qkv, tmp_path):
    got = sf.attend(*qkv, lse=True, **options)
    assert same(by_the_command(tmp_path, qkv, *words), got)
    if "base2" not in options:
        assert not same(got[:1], [sf.attend(*qkv)])


def test_queries_are_cast(qkv):
    """By hand: times 1 / scale, saturated at 448, to the nearest e4m3."""
    q, k, v = qkv
    scale = np.float32(0.004)  # some are above 448 times it
    codes = sf.convert(q * (1 / scale), "e4m3", policy="cuda-satfinite", dtype="codes")
    assert ((codes & 0x7f) == 0x7e).sum() > 5
    want = sf.attend(codes, k, v, q_format="e4m3", q_scale=scale)
    assert same([sf.attend(q, k, v, q_scale=0.004)], [want])
    values = sf.convert(codes, "f32", from_="e4m3") * scale
    near = sf.attend(values, k, v)
    assert np.allclose(want, near, atol=1e-5) and not np.allclose(want, sf.attend(*qkv), atol=1e-3)
    for other in [np.float32(np.abs(q).max()) / np.float32(448)], [0.5, 2.0]:
        assert not same([sf.attend(q, k, v, q_scale=other)], [want])


@pytest.mark.parametrize("q_scale, words", [
    (0, "q_scale: expected finite numbers above 0"), ("rows", "q_scale: expected numbers, 'tensor'"),
    ([1.0, 1.0, 1.0], "q_scale: expected one number, or one for each of the 2 heads")])
def test_bad_scales_of_queries(q_scale, words, qkv, tmp_path):
    with pytest.raises(ValueError, match=words):
        sf.attend(*qkv, q_scale=q_scale)
    text = ",".join(map(str, q_scale)) if isinstance(q_scale, list) else str(q_scale)
    with pytest.raises(ValueError, match="--q-scale"):
        by_the_command(tmp_path, qkv, "--q-scale", text)


@pytest.mark.parametrize("order", [row["name"] for row in sf.attend_orders()])
def test_every_order_and_the_command_agree(order, qkv, tmp_path):
    options = ["--prefix-keys", "17"] if order.startswith("cascade") else []
    cut = 17 if options else 1
    if sf.order(order).operands == "codes":
        with pytest.raises(ValueError, match="attend: "):
            sf.attend(*qkv, order=order)
        return
    got = sf.attend(*qkv, order=order, cut=cut, lse=True)
    assert same(by_the_command(tmp_path, qkv, "--order", order, *options), got)


@pytest.mark.parametrize("order", ["vllm-triton tile=64", "flashinfer,descending,tile=32",
                                   "tile=32 summed=rounded weights=half"])
def test_typed_orders_and_the_command_agree(order, qkv, tmp_path):
    got = sf.attend(*qkv, order=order, lse=True)
    assert same(by_the_command(tmp_path, qkv, "--order", order), got)
    assert same(sf.attend(*qkv, order=sf.order(order), lse=True), got)
    assert not same(sf.attend(*qkv, order=sf.order(order).replace(products="threads", unit="none",
                                                                  operands="f32", sum="chain",
                                                                  values="chain", scores="scaled",
                                                                  end="quotient", lse="e",
                                                                  v_scale="values", join="vllm",
                                                                  weights="f32"), lse=True), got)


@pytest.mark.parametrize("order, within", [(None, 1e-6), ("sglang-triton", 2e-3),
                                           ("fa3-bf16", 2e-3), ("torch-math", 1e-6)])
def test_latent_attention(order, within, rng):
    """MLA: keys are the latent and the rope part of a token, values the latent alone."""
    q = rng.standard_normal((1, 16, 576)).astype(np.float32) / 8
    k = rng.standard_normal((200, 1, 576)).astype(np.float32)
    v = k[:, :, :512].copy()
    scores = np.einsum("hd,td->ht", q[0].astype(np.float64), k[:, 0].astype(np.float64)) / 192 ** 0.5
    weights = np.exp(scores - scores.max(1, keepdims=True))
    true = weights / weights.sum(1, keepdims=True) @ v[:, 0]
    out = sf.attend(q, k, v, scale=192 ** -0.5, order=order)
    assert out.shape == (1, 16, 512) and np.abs(out[0] - true).max() < within
    other = sf.attend(q[..., :512], k[..., :512].copy(), v, scale=192 ** -0.5, order=order)
    assert np.abs(other[0] - true).max() > 10 * within


@pytest.mark.parametrize("order", ["fa3-fp8-vllm", "fa3-fp8 tile=160/224/96", "fa3-fp8"])
def test_decode_and_prefill_part_at_key_97(order, rng):
    """Tiles of 96 keys in decode and larger ones in prefill give the same bits up to 96 keys."""
    q, k, v = [rng.standard_normal((n, 2, 128)).astype(np.float32) for n in (2, 120, 120)]
    given = dict(recipe="kv-vllm", k_scale=0.01, v_scale=0.01, order=order, q_scale=0.01)
    same_at = [np.array_equal(sf.attend(q, k[:n], v[:n], **given)[1:],
                              sf.attend(q[1:], k[:n], v[:n], **given)) for n in (64, 95, 96, 97, 120)]
    assert same_at == [True, True, True, order == "fa3-fp8", order == "fa3-fp8"]


def test_fields_of_an_order():
    order = sf.order("fa3-fp8", tile=96, rescale_after=8, direction="ascending")
    assert str(order) == "fa3-fp8 tile=96 ascending rescale-after=8"
    assert (order.tile, order.rescale_after, order.weights) == (96, 8, "e4m3")
    assert order == sf.order(str(order)) != sf.order("fa3-fp8")
    assert pickle.loads(pickle.dumps(order)) == order and order.info() == {}
    assert sf.order("fa3-fp8").info()["product"] == "FlashAttention-3"
    for row in sf.attend_orders():
        assert str(sf.order("split-f32", **sf.order(row["name"]).fields())) == row["name"]


@pytest.mark.parametrize("make, words", [
    (lambda: sf.order("fa3"), "order: unknown name 'fa3'"),
    (lambda: sf.order("fa3-fp8 tiles=9"), "order field: unknown name 'tiles'; did you mean tile"),
    (lambda: sf.order("fa3-fp8 tile=9999"), "order: tile=9999: expected 0..4096"),
    (lambda: sf.order("fa3-fp8 unit=mine"), "order: unit=mine: expected a unit"),
    (lambda: sf.order("fa3-fp8", tiles=9), "order field: unknown name 'tiles'"),
    (lambda: sf.order("fa3-fp8", weights="e5m2"), "weights: expected f32 half e4m3, got 'e5m2'"),
    (lambda: sf.attend(Q, K, K, order="fa3-fp8 tile=96"), "attend: operands=codes needs caches of")])
def test_refused_orders(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_parts_join_to_the_whole(rng):
    q = rng.standard_normal((2, 2, 64)).astype(np.float32)
    k, v = (sf.cache_of(rng.standard_normal((2000, 1, 64)).astype(np.float32)) for _ in "kv")
    request = sf.Request(q, k, v, keys=2000)
    whole, logs = request.run()
    for cuts in ([0, 3, request.chunks], [0, 1, 16, 20, request.chunks]):
        parts = [request.part(a, b) for a, b in zip(cuts, cuts[1:])]
        assert same(request.join(parts), (whole, logs))
    with pytest.raises(ValueError, match="join"):
        request.join(parts[1:])
    with pytest.raises(ValueError, match="chunks"):
        request.part(0, request.chunks + 1)
    assert same(request.run(level="core"), (whole, logs))


def test_pages_in_any_order(qkv):
    q, k, v = qkv
    expected = sf.attend(q, k, v)
    caches, blocks = [], np.array([2, 0, 1])
    for x in (k, v):
        cache = sf.kv.Cache(sf.kv.layout("hnd", blocks=3, slots=16, heads=2, dim=128, bits=32),
                            words="f32")
        positions = np.arange(40)
        cache.store(x, blocks[positions // 16] * 16 + positions % 16)
        caches.append(cache)
    assert same([sf.attend(q, *caches, keys=40, blocks=blocks)], [expected])


def test_tensors_of_16_bits(qkv):
    half = [sf.convert(x, "f16") for x in qkv]
    wide = [sf.convert(x, "f32") for x in half]
    assert same([sf.attend(*half)], [sf.attend(*wide)])
    assert sf.attend(*half, to="f16").dtype == np.float16
    assert sf.attend(*half, to="bf16").dtype == np.uint16


def test_sinks_take_weight(qkv):
    plain, sunk = sf.attend(*qkv), sf.attend(*qkv, sinks=np.full(4, 3, np.float32))
    assert (np.abs(sunk) < np.abs(plain)).all()


@pytest.mark.parametrize("join", JOINS)
def test_two_equal_parts_join_to_the_same(join):
    part = np.concatenate([[0.0, 1.0], np.ones(4)]).astype(np.float32)
    out, lse = sf.join_parts(np.stack([part, part]), join)
    assert np.allclose(out, out[0]) and round(float(out[0]), 5) in (1, 2) and np.isfinite(lse)


Q, K = np.zeros((1, 2, 16), np.float32), np.zeros((3, 2, 16), np.float32)
