# SPDX-License-Identifier: MIT
"""test_verdict_caches.py -- the types and the memory of what a cache stores"""
import numpy as np
import pytest

from conftest import refused
from softfp8 import kv

ONE = 0x38  # 1 in e4m3


def latent_cache(dtype):
    """A cache of rows of 6 elements, 4 of the first part and 2 of the second."""
    place = kv.layout("nhd", blocks=1, slots=4, heads=1, dim=6, bits=8 * np.dtype(dtype).itemsize)
    return kv.Cache(place, words={"f2": "f16", "f4": "f32"}[dtype])


@pytest.mark.parametrize("second", ["f2", "f8", "u1", "i8"])
def test_a_second_part_of_another_type_is_refused(second):
    cache, first = latent_cache("f4"), np.ones((2, 4), np.float32)
    refused(TypeError, "second: expected codes of f32 .*, got ",
            lambda: cache.store(first, [0, 1], np.ones((2, 2), second)))
    assert not cache.data.any()


def test_a_second_part_of_the_right_type_is_stored():
    for dtype in "f2", "f4":
        cache, x = latent_cache(dtype), np.arange(12).reshape(2, 6).astype(dtype)
        cache.store(x[:, :4], [0, 3], x[:, 4:])
        assert (cache.gather([0, 3])[:, 0] == x).all()


def test_a_second_part_that_is_quantized_has_the_type_of_the_first():
    place = kv.layout("nhd", blocks=1, slots=4, heads=1, dim=6, bits=8)
    cache, x = kv.Cache(place, recipe="kv-vllm", scale=1.0), np.ones((2, 6), np.float32)
    for wrong in (x[:, 4:].astype(np.float16), x[:, 4:].astype(np.float64), x[:, 4:] > 0):
        refused(TypeError, "second: expected codes of f32", lambda: cache.store(x[:, :4], [0, 1],
                                                                                wrong))
    cache.store(x[:, :4], [0, 1], x[:, 4:])
    assert (cache.data[:12] == ONE).all() and not cache.data[12:].any()


@pytest.mark.parametrize("tail, words", [("u1", "uint8"), ("f4", "float32"), ("f8", "float64")])
def test_a_tail_has_the_width_of_the_layout(tail, words):
    place = kv.layout("ds-mla", blocks=1, slots=4, heads=1, dim=512, bits=8)
    cache = kv.Cache(place, recipe="kv-vllm-ds-mla")
    first = np.ones((2, 512), np.float16)
    refused(TypeError, f"second: expected the layout's tail, elements of 16 bits; got {words}",
            lambda: cache.store(first, [0, 1], np.ones((2, 64), tail)))
    for right in "u2", "i2", "f2":
        cache.store(first, [0, 1], np.full((2, 64), 3, right))
        assert cache.gather([1], to="f16", second=64)[1].tolist() == [[np.full(64, 3, right).view(
            np.uint16).tolist()]]


def test_the_memory_of_a_cache_is_checked_when_it_is_replaced():
    cache = kv.Cache(kv.layout("nhd", blocks=1, slots=4, heads=1, dim=8, bits=8), words="e4m3")
    refused(ValueError, "data: expected 32 bytes, got 16",
            lambda: setattr(cache, "data", np.zeros(16, np.uint8)))
    refused(TypeError, "data: expected the bytes",
            lambda: setattr(cache, "data", np.zeros(32, np.float32)))
    refused(TypeError, "scale: expected numbers of f32",
            lambda: setattr(cache, "scale", np.zeros(3, np.uint8)))
    cache.scale = 0.5
    assert cache.scale.view(np.float32).tolist() == [0.5]


def test_a_slot_beyond_all_others_is_outside():
    """2^63 is no negative number, which would skip the token."""
    cache = kv.Cache(kv.layout("nhd", blocks=1, slots=4, heads=1, dim=8, bits=8), words="e4m3")
    refused(ValueError, "store: ", lambda: cache.store(np.full((1, 8), ONE, np.uint8),
                                                       np.array([1 << 63], np.uint64)))


def test_parts_of_a_store_are_named():
    refused(ValueError, "parts: expected at least one", lambda: kv.store_together([], [0]))
    refused(TypeError, "parts: expected tuples", lambda: kv.store_together([1], [0]))
    refused(TypeError, "b: expected a cache, got int", lambda: kv.unlike(latent_cache("f4"), 1))
