# SPDX-License-Identifier: MIT
"""test_verdict_requests.py -- what requests of attention keep and join"""
import weakref

import numpy as np
import pytest

import softfp8 as sf
from conftest import refused


def request():
    x = np.linspace(-2, 2, 20 * 2 * 8, dtype=np.float32).reshape(20, 2, 8)
    cache = sf.cache_of(x)
    return sf.Request(x[:3], cache, cache), cache


def test_a_request_keeps_the_memory_that_it_was_made_with():
    expected = request()[0].run()[0]
    asked, cache = request()
    alive = weakref.ref(cache)
    memory = cache.data
    cache.data, cache.recipe = np.zeros(memory.size, np.uint8), sf.recipe("kv-vllm")
    del cache
    assert alive() is None  # the request needs the memory alone
    size = memory.size
    del memory
    noise = [np.full(size, 0xFF, np.uint8) for _ in range(20)]
    assert (asked.run()[0] == expected).all() and len(noise) == 20


def test_a_request_needs_caches():
    x = np.ones((4, 1, 8), np.float32)
    refused(TypeError, "k: expected a cache .*got ndarray", lambda: sf.Request(x, x, x))


@pytest.mark.parametrize("change, error, words", [
    (lambda p: p.astype(np.uint8), TypeError, "pieces: expected uint32, got uint8"),
    (lambda p: p.view(np.float32), TypeError, "pieces: expected uint32, got float32"),
    (lambda p: p[:, :-1], ValueError, "pieces: expected the shape"),
    (lambda p: p.ravel(), ValueError, "pieces: expected the shape"),
    (lambda p: None, TypeError, "pieces: ")])
def test_pieces_of_another_type_or_shape_are_refused(change, error, words):
    asked, _ = request()
    first, last, pieces = asked.part(0, asked.chunks)
    refused(error, words, lambda: asked.join([(first, last, change(pieces))]))


def test_pieces_are_joined():
    asked, _ = request()
    part = asked.part(0, asked.chunks)
    expected = asked.run()[0]
    assert (asked.join(iter([part]))[0] == expected).all()
    assert (asked.join([(0, part[1], np.asfortranarray(part[2]))])[0] == expected).all()
    refused(TypeError, "parts: expected tuples", lambda: asked.join([part[:2]]))
    refused(ValueError, "last", lambda: asked.join([(0, 99, part[2])]))


def test_queries_without_elements_are_refused():
    x = np.ones((4, 1, 8), np.float32)
    refused(ValueError, r"q: expected \[queries\]\[heads\]\[elements\], got \(4, 1, 0\)",
            lambda: sf.attend(x[..., :0], x, x))
