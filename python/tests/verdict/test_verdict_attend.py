# SPDX-License-Identifier: MIT
"""test_verdict_attend.py -- attend() in every order by default, as the command computes it"""
import os
import re
import subprocess
import time

import numpy as np
import pytest

import softfp8 as sf
from softfp8._base.command import PATH, run
from softfp8.testing import assert_attention

# The tests of the library and of the command have short ones of the same mistakes.
pytestmark = pytest.mark.long
ORDERS = {row["name"]: row for row in sf.attend_orders()}


@pytest.fixture
def qkv(rng):
    return [rng.standard_normal((n, heads, 64)).astype(np.float32)
            for n, heads in ((3, 4), (300, 2), (300, 2))]


def test_there_are_orders():
    assert {"fa3-fp8", "fa3-bf16", "flashinfer", "cascade-bf16", "split-f32"} <= set(ORDERS)


@pytest.mark.parametrize("order", ORDERS)
def test_an_order_needs_no_cut(order, qkv, tmp_path):
    recipe = "kv-vllm-rocm" if sf.order(order).unit == "cdna3-fp8" else "kv-vllm"
    given = {"recipe": recipe, "k_scale": 0.5, "v_scale": 0.25}
    if order == "cascade-bf16":  # as the command needs --prefix-keys
        with pytest.raises(ValueError, match="^cut: the order cascade-bf16 needs the number of keys"):
            sf.attend(*qkv, **given, order=order)
        given["cut"], options = 100, ["--prefix-keys", "100"]
    else:
        options = []
    out, lse = sf.attend(*qkv, **given, order=order, lse=True)
    for name, x in zip("qkv", qkv):
        np.save(tmp_path / f"{name}.npy", x)
        options += [f"--{name}", str(tmp_path / f"{name}.npy")]
    run("attend", *options, "--recipe", recipe, "--k-scale", "0.5", "--v-scale", "0.25",
        "--order", order, "-o", str(tmp_path / "out.npy"), "--lse", str(tmp_path / "lse.npy"))
    assert np.array_equal(out.view(np.uint32), np.load(tmp_path / "out.npy").view(np.uint32))
    assert np.array_equal(lse.view(np.uint32), np.load(tmp_path / "lse.npy").view(np.uint32))
    if order != "cascade-bf16":
        assert np.array_equal(out, sf.attend(*qkv, **given, order=order, cut=1))
        assert_attention(out, *qkv, **given)
    else:
        del given["cut"]
        assert_attention(out, *qkv, **given, order=order, prefix=100)
        with pytest.raises(AssertionError):
            assert_attention(np.float32(1.02) * out, *qkv, **given, order=order, prefix=100)
        with pytest.raises(ValueError, match="^prefix: the order cascade-bf16 needs the number of keys"):
            assert_attention(out, *qkv, **given, order=order)


def test_a_cache_in_another_format(qkv):
    """K in 16 bits and V in 8 where both should be in 8; known of tensors, and of caches that have
    the tensors beside them."""
    q, k, v = qkv
    given = {"recipe": "kv-vllm", "k_scale": 0.06, "v_scale": 0.06}
    wrong = sf.attend(*qkv, k_recipe="bf16", v_recipe="kv-vllm", v_scale=0.06)
    with pytest.raises(AssertionError, match="likely mistake: keys are kept in bf16\n"):
        assert_attention(wrong, *qkv, **given)
    caches = [sf.cache_of(x, "kv-vllm", 0.06, which) for x, which in ((k, "k"), (v, "v"))]
    with pytest.raises(AssertionError, match="likely mistake: keys are kept in bf16\n"):
        assert_attention(wrong, q, *caches, keys=300, k_before=k)
    with pytest.raises(AssertionError, match="unexplained"):
        assert_attention(wrong, q, *caches, keys=300, v_before=v)
    assert_attention(sf.attend(*qkv, **given), q, *caches, keys=300, k_before=k, v_before=v)


def test_a_cache_that_was_stored_with_another_scale(qkv):
    """A test knows the tensors from before the store, and gives them beside the caches."""
    q, k, v = qkv
    wrong = sf.attend(*qkv, recipe="kv-vllm", k_scale=1.0, v_scale=1.0)
    name = "likely mistake: keys and values are stored with scale 1\n"
    with pytest.raises(AssertionError, match=name):
        assert_attention(wrong, *qkv, recipe="kv-vllm", k_scale=0.06, v_scale=0.06)
    caches = [sf.cache_of(x, "kv-vllm", 0.06, which) for x, which in ((k, "k"), (v, "v"))]
    with pytest.raises(AssertionError, match="unexplained"):
        assert_attention(wrong, q, *caches, keys=300)
    with pytest.raises(AssertionError, match=name):
        assert_attention(wrong, q, *caches, keys=300, k_before=k, v_before=v)
    with pytest.raises(ValueError, match=r"^v_before: expected the shape \(300, 2, 64\), got \(299, "):
        assert_attention(wrong, q, *caches, keys=300, k_before=k, v_before=v[1:])
    with pytest.raises(ValueError, match="^k_before: leave it out; k is the tensor before"):
        assert_attention(wrong, *qkv, recipe="kv-vllm", k_before=k)


def test_queries_cast_without_their_scale(qkv):
    """Queries are so small that e4m3 has few of them without a scale."""
    given = {"recipe": "kv-vllm", "k_scale": 0.5, "v_scale": 0.25, "scale": 4.0}
    q, k, v = qkv[0] / np.float32(500), *qkv[1:]
    for q_scale in "tensor", "head", 0.00001, [0.00001, 0.00002]:
        right = sf.attend(q, k, v, **given, q_scale=q_scale, order="fa3-fp8")
        assert_attention(right, q, k, v, **given, q_scale=q_scale, order="fa3-fp8")
        assert_attention(right, q, k, v, **given, q_scale=q_scale)
        wrong = sf.attend(q, k, v, **given, order="fa3-fp8")
        with pytest.raises(AssertionError, match="likely mistake: queries cast to e4m3 with scale 1, "
                                                 "not with theirs"):
            assert_attention(wrong, q, k, v, **given, q_scale=q_scale, order="fa3-fp8")


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs terminals")
def test_progress_on_a_terminal(rng, tmp_path):
    """A verdict that takes longer than two seconds shows what it does, and clears that at its end."""
    for keys in (200, 400, 800, 1600, 3200, 6400):
        for name, n in (("q", 4), ("k", keys), ("v", keys), ("out", 4)):
            np.save(tmp_path / f"{name}.npy", rng.standard_normal((n, 4, 64)).astype(np.float32))
        ours, terminal = os.openpty()
        began = time.monotonic()
        files = [word for name in "qkv" for word in (f"--{name}", tmp_path / f"{name}.npy")]
        done = subprocess.run([PATH, "attend", *files, "--compare", tmp_path / "out.npy"],
                              stdout=subprocess.PIPE, stderr=terminal)
        seconds = time.monotonic() - began
        os.write(terminal, b".")  # so that there is something to read
        shown = os.read(ours, 1 << 16)
        os.close(ours)
        os.close(terminal)
        assert done.returncode == 1 and done.stdout.startswith(b"unexplained: ")
        if seconds > 2:
            assert re.search(rb"\r[a-z ]+: \d+ of \d+, \d+ %\x1b\[K", shown)
            assert shown.rstrip(b".").endswith(b"\r\x1b[K")
            return
    pytest.fail("no request took two seconds")


def test_numbers_of_numpy(qkv):
    """They are the same as those of Python, also as arrays of one element."""
    q, k, v = qkv
    s = np.float32(0.0213)
    given = {"recipe": "kv-vllm", "k_scale": s, "v_scale": np.array([s]), "scale": np.float32(0.3),
             "cap": np.float64(3), "window": np.int64(200), "first": np.int32(297)}
    out = sf.attend(*qkv, **given)
    assert_attention(out, *qkv, **given, splits=np.int64(2))
    assert np.array_equal(out, sf.attend(*qkv, **{n: np.asarray(x).item() for n, x in given.items()
                                                  if n != "recipe"}, recipe="kv-vllm"))
    for name, value in (("k_scale", np.array([s, s])), ("window", np.array([3, 4]))):
        with pytest.raises(ValueError, match=f"^{name}: expected one number, got an array of the "
                                             r"shape \(2,\)"):
            assert_attention(out, *qkv, **(given | {name: value}))
    with pytest.raises(TypeError, match="^scale: expected an array"):
        assert_attention(out, *qkv, scale=[1, [2]])


def test_logarithms_of_heads_first(qkv):
    """FlashAttention has them as [heads][queries], with a batch before."""
    out, lse = sf.attend(*qkv, lse=True)
    for given in (lse, lse.T, lse.T[None], lse[..., None], lse.reshape(-1)):
        assert_attention(out, *qkv, lse=np.ascontiguousarray(given))
        with pytest.raises(AssertionError, match="likely mistake: lse: base 2, expected base e"):
            assert_attention(out, *qkv, lse=np.ascontiguousarray(given * np.log2(np.float32(np.e))))
    for shape in (2, 6), (12, 2), (3, 1, 2, 2), (1,):
        with pytest.raises(ValueError, match=r"^lse: expected the shape \(3, 4\): queries, heads; "
                                             r"or \(4, 3\); got "):
            assert_attention(out, *qkv, lse=np.resize(lse, shape))
    out, lse = sf.attend(qkv[0][:1], *qkv[1:], lse=True)
    assert_attention(out, qkv[0][:1], *qkv[1:], lse=np.ascontiguousarray(lse.T))


def test_an_infinity_is_no_nan(qkv):
    q, k, v = qkv
    v[5, 0, 3] = np.inf
    for finite, text in ((0.5, "channel 3 is 0.5, the true value is inf; the error is inf times"),
                         (np.nan, "channels are NaN, but no key that takes part gives NaN")):
        out = sf.attend(q, k, v)
        assert_attention(out, q, k, v)
        assert np.isinf(out).sum() == 6  # of two heads of four, three queries
        out[1, 1, 3] = finite
        with pytest.raises(AssertionError) as caught:
            assert_attention(out, q, k, v)
        assert text in str(caught.value) and "hides a NaN" not in str(caught.value)
    v[5, 0, 3] = np.nan
    out = np.nan_to_num(sf.attend(q, k, v))
    with pytest.raises(AssertionError, match="the output hides a NaN"):
        assert_attention(out, q, k, v)


@pytest.mark.parametrize("scales", [[0.25, 0.5], [0.01, 0.04], [2, 4], [0.5, 0.5]])
def test_a_scale_of_queries_for_each_head(scales, qkv):
    """A kernel that forgets them, or applies them twice; caches hold k and v exactly."""
    q, k, v = (np.asarray(sf.decode(sf.convert(x, "e4m3", dtype="codes"), "e4m3", to="f32")) * scale
               for x, scale in zip(qkv, np.array([1, 0.0625, 0.75], np.float32)))
    of_head = np.repeat(np.array(scales, np.float32), 2)[:, None]
    given = {"recipe": "kv-vllm", "k_scale": 0.0625, "v_scale": 0.75, "q_scale": scales}
    for power, name in ((0, None), (-1, "the scale of queries forgotten"),
                        (1, "the scale of queries applied twice")):
        scores = np.einsum("qhd,khd->qhk", (q * of_head ** (1 + power)).astype(float),
                           np.repeat(k, 2, axis=1).astype(float)) * 3
        scores += np.where(np.arange(3)[:, None, None] + 297 < np.arange(300), -np.inf, 0)
        weights = np.exp(scores - scores.max(axis=2, keepdims=True))
        out = np.einsum("qhk,khd->qhd", weights / weights.sum(axis=2, keepdims=True),
                        np.repeat(v, 2, axis=1).astype(float)).astype(np.float32)
        if name is None:
            assert_attention(out, q * of_head, k, v, scale=3.0, **given)
            continue
        with pytest.raises(AssertionError, match=f"likely mistake: {name}\n"):
            assert_attention(out, q * of_head, k, v, scale=3.0, **given)


def test_keys_without_a_scale_give_values_none(qkv):
    """Values whose scale is forgotten are not called read with the scale of keys of 16 bits."""
    q, k, v = qkv
    out = sf.attend(q, k, v, k_recipe="bf16", v_recipe="kv-vllm", v_scale=0.25) * np.float32(4)
    with pytest.raises(AssertionError, match="likely mistake: the scale of values forgotten\n"):
        assert_attention(out, q, k, v, k_recipe="bf16", v_recipe="kv-vllm", v_scale=0.25)


def fp8_kernel(seed, v_factor=1.0, cut=False):
    """An output of a kernel of 8 bits in doubles, whose weights are numbers of e4m3 times 2^-8,
    rounded or cut; and its request. Its keys and values are numbers of e4m3 times scales."""
    rng = np.random.default_rng(seed)
    keys, queries, heads, kv_heads, dim = ((100, 3, 4, 4, 64), (60, 1, 8, 2, 64),
                                           (33, 2, 4, 2, 32), (17, 1, 2, 1, 64))[seed % 4]
    q = rng.standard_normal((queries, heads, dim)).astype(np.float16)
    k, v = (np.asarray(sf.decode(sf.convert(rng.standard_normal((keys, kv_heads, dim)) / scale, "e4m3",
                                            policy="cuda-satfinite", dtype="codes"), "e4m3",
                                 to="f32")) * np.float32(scale) for scale in (0.021, 0.05))
    scores = np.einsum("qhd,khd->qhk", q.astype(float),
                       np.repeat(k, heads // kv_heads, axis=1).astype(float)) / dim ** 0.5
    scores += np.where(np.arange(queries)[:, None, None] + keys - queries < np.arange(keys), -np.inf, 0)
    weights = np.exp(scores - scores.max(axis=2, keepdims=True))
    place = 2.0 ** (np.maximum(np.floor(np.log2(256 * weights + 1e-30)), -6) - 3)
    rounded = (np.floor if cut else np.rint)(256 * weights / place) * place / 256
    out = np.einsum("qhk,khd->qhd", rounded / weights.sum(axis=2, keepdims=True),
                    np.repeat(v, heads // kv_heads, axis=1) * v_factor).astype(np.float16)
    return (out, q, k.astype(np.float16), v.astype(np.float16)), \
        {"recipe": "kv-vllm", "k_scale": 0.021, "v_scale": 0.05, "bound": "fp8-two"}


@pytest.mark.parametrize("seed", range(4))
def test_a_mistake_that_changes_nothing_goes_with_no_factor(seed):
    """Nothing is clipped at 448, and the query of a decode is at the last key."""
    given, options = fp8_kernel(seed, 1.13)
    with pytest.raises(AssertionError) as caught:
        assert_attention(*given, **options)
    assert re.search(r"^  likely mistake: the output is 1\.1[1-5]\d* times the true value$",
                     str(caught.value), re.MULTILINE)


@pytest.mark.parametrize("seed", range(6))
def test_a_factor_inside_the_bound_is_no_mistake(seed):
    """Weights that are cut are too small; and values may be too large by little."""
    for factor, cut in (1.06, False), (1.0, True):
        given, options = fp8_kernel(seed, factor, cut)
        assert_attention(*given, **options)


def exact(q, k, v):
    """Attention without a mask in doubles, rounded to f16."""
    scores = np.einsum("qhd,khd->qhk", q.astype(float), np.repeat(k, 2, axis=1).astype(float)) / 8
    weights = np.exp(scores - scores.max(axis=2, keepdims=True))
    return np.einsum("qhk,khd->qhd", weights / weights.sum(axis=2, keepdims=True),
                     np.repeat(v, 2, axis=1).astype(float)).astype(np.float16)


@pytest.mark.parametrize("first, end", [(100, 300), (0, 37), (50, 131), (96, 300), (48, 112)])
def test_keys_that_are_missing_are_named_by_their_places(first, end, rng):
    q, k, v = (rng.standard_normal((n, heads, 64)).astype(np.float16)
               for n, heads in ((1, 4), (300, 2), (300, 2)))
    q *= np.float16(2)
    out = exact(q, *(np.concatenate([x[:first], x[end:]]) for x in (k, v)))
    # Without the first keys the last query, which is the only one here, may have a window.
    window = "" if first else "; or: a window of 262 keys, which the request does not have"
    with pytest.raises(AssertionError,
                       match=f"likely mistake: keys {first} to {end - 1} missing{window}\n"):
        assert_attention(out, q, k, v)


def test_a_stale_page_is_not_called_missing(rng):
    """The page has much weight, and what lies in its place has little."""
    for _ in range(4):
        q, k, v, stale = (rng.standard_normal((n, heads, 64)).astype(np.float16)
                          for n, heads in ((1, 4), (300, 2), (300, 2), (32, 2)))
        k[16:32] += q.reshape(2, 2, 64).sum(axis=1) / np.float16(4)
        stale *= np.float16(0.1)
        old = [np.concatenate([x[:16], part, x[32:]]) for x, part in ((k, stale[:16]), (v, stale[16:]))]
        with pytest.raises(AssertionError, match="unexplained: "):
            assert_attention(exact(q * np.float16(2), *old), q * np.float16(2), k, v)


def test_noise_is_no_known_mistake(qkv, rng):
    for size in (0.25, 4, 16):
        noise = (size * rng.standard_normal(qkv[0].shape)).astype(np.float32)
        with pytest.raises(AssertionError, match="unexplained: outside the error bound") as caught:
            assert_attention(noise, *qkv, recipe="kv-vllm", k_scale=0.01, v_scale=0.02)
        assert "mistake:" not in str(caught.value)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("backend", ["MATH", "FLASH_ATTENTION"])
@pytest.mark.parametrize("name", ["float32", "bfloat16", "float16"])
def test_no_mistake_is_named_for_outputs_of_torch(name, backend, causal):
    """On a CPU. What is computed in f32 lies inside the bound as well."""
    torch = pytest.importorskip("torch")
    from torch.nn.attention import SDPBackend, sdpa_kernel

    torch.manual_seed(5)
    for queries, keys in ((40, 40), (1, 200), (7, 90)):
        if causal and queries != keys:
            continue  # another alignment than here
        q, k, v = (torch.randn(1, 4, n, 64).to(getattr(torch, name)) for n in (queries, keys, keys))
        try:
            with sdpa_kernel(getattr(SDPBackend, backend)):
                out = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
        except RuntimeError as error:
            pytest.skip(f"PyTorch has no such kernel: {error}")
        rows = [x[0].transpose(0, 1).contiguous() for x in (out, q, k, v)]
        try:
            assert_attention(*rows, causal=causal)
        except AssertionError as error:
            assert name != "float32"
            assert "likely mistake" not in str(error)


def test_both_scales_of_a_cache_dropped(qkv):
    given = {"recipe": "kv-vllm", "k_scale": 0.5, "v_scale": 0.25}
    out = sf.attend(*qkv, **given, scale=0.125 / 0.5) / np.float32(0.25)
    with pytest.raises(AssertionError, match="likely mistake: the scales of keys and values forgotten"):
        assert_attention(out, *qkv, **given)


@pytest.mark.parametrize("order", ["fa3-fp8 tile=96", "fa3-fp8 summed=rounded", "fa3-fp8 out=e4m3",
                                   "vllm-triton tile=16"])
def test_an_order_with_another_field(order, qkv):
    given = {"recipe": "kv-vllm", "k_scale": 0.5, "v_scale": 0.25}
    out = sf.attend(*qkv, **given, order=order)
    assert_attention(out, *qkv, **given, order=order)
    assert_attention(out, *qkv, **given, order=sf.order(order))
    for expected in (None, sf.order(order.split()[0])):
        with pytest.raises(AssertionError, match=f"another order: every bit equals .*order {order}"):
            assert_attention(out, *qkv, **given, order=expected)
    with pytest.raises(ValueError, match="no multiple of the products"):
        assert_attention(out, *qkv, **given, order="fa3-fp8 tile=100")


def test_keys_of_16_bits_beside_values_of_8(qkv):
    given = {"k_recipe": "bf16", "v_recipe": "kv-vllm", "v_scale": 0.25}
    out = sf.attend(*qkv, **given, order="flashinfer")
    assert_attention(out, *qkv, **given)
    with pytest.raises(AssertionError):
        assert_attention(out, *qkv, recipe="kv-vllm", k_scale=0.25, v_scale=0.25)
    with pytest.raises(ValueError, match="operands=codes needs caches of e4m3"):
        sf.attend(*qkv, **given, order="fa3-fp8")
