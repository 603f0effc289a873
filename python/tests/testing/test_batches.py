# SPDX-License-Identifier: MIT
"""test_batches.py -- assert_batch_invariant: kernels whose bits depend on the batch, made small"""
import itertools

import numpy as np
import pytest

import softfp8 as sf
from softfp8.testing import assert_batch_invariant

SMALL = {"heads": 2, "kv_heads": 1, "dim": 16, "batches": 6, "queries": 1}


def computed(batch, order=None, cut=None):
    return [sf.attend(one.q, one.k, one.v, order=order, cut=cut) for one in batch]


def message(kernel, **options):
    with pytest.raises(AssertionError) as caught:
        assert_batch_invariant(kernel, **{**SMALL, **options})
    return str(caught.value).split("\n")


def test_a_kernel_that_depends_on_nothing_passes():
    for queries in (1, 3, None):
        assert_batch_invariant(computed, **{**SMALL, "queries": queries}, longest=200)


def test_the_arrays_of_a_batch_are_its_requests():
    """A kernel that reads the pages gives what one gives that reads the requests."""
    def paged(batch):
        out = []
        starts, table = batch.query_starts, batch.block_table
        assert len(table) == len(batch.keys) == len(starts) - 1 == len(batch)
        pages = [page for one in batch for page in one.pages]
        assert len(set(pages)) == len(pages)
        for i, one in enumerate(batch):
            k, v = (cache[table[i]].reshape(-1, 1, 16)[:batch.keys[i]]
                    for cache in (batch.k_pages, batch.v_pages))
            assert np.array_equal(k, one.k) and np.array_equal(v, one.v)
            out.append(sf.attend(batch.q[starts[i]:starts[i + 1]], k, v))
        return batch.split(np.concatenate(out))

    assert_batch_invariant(paged, **{**SMALL, "queries": None}, longest=200)


def test_numbers_are_those_of_e4m3():
    def kernel(batch):
        for one in batch:
            for x in (one.q, one.k, one.v):
                again = sf.decode(sf.convert(x, "e4m3", dtype="codes"), "e4m3", to="f32")
                assert np.array_equal(x, again) and x.std() > 0.5
        return computed(batch)

    assert_batch_invariant(kernel, **SMALL)


def test_parts_that_depend_on_the_batch():
    """The failure is made as small as it can be: one neighbour of one key, pages in order, and the
    fewest keys for which four parts of 128 differ from one: 129."""
    lines = message(lambda batch: computed(batch, "fa3-bf16", 4 if len(batch) == 1 else 1))
    assert lines[:3] == [
        "the batch changes the answer to a request of 129 keys and 1 query", "  A: alone",
        "  B: beside 1 request: 1 key and 1 query"]
    assert lines[3].startswith("  the smallest batch that was found, from batch ")
    assert any("A is the order fa3-bf16 (4 parts), B is the order fa3-bf16 (1 part)" in text or
               "A is the order fa3-bf16 (2 parts), B is the order fa3-bf16 (1 part)" in text
               for text in lines)


def test_a_tile_that_a_neighbour_decides():
    """vllm#51902: tiles of 192, or of 128 because of a neighbour."""
    def kernel(batch):
        tile = 128 if batch.keys.max() > 300 else 192
        return computed(batch, f"fa3-bf16 tile={tile}")

    lines = message(kernel, batches=20)
    assert lines[0] == "the batch changes the answer to a request of 129 keys and 1 query"
    assert lines[2] == "  B: beside 1 request: 301 keys and 1 query"
    # 129 keys lie in one tile of 144 keys or more, so that the tile of A is not known more closely.
    assert any("A is the order fa3-bf16 tile=" in text and
               "(all keys are in one tile), B is the order fa3-bf16 tile=128" in text for text in lines)


def test_pages_that_change_the_answer():
    def kernel(batch):
        out = computed(batch)
        return [x + np.float32(not (np.diff(one.pages) >= 0).all()) for x, one in zip(out, batch)]

    lines = message(kernel, batches=20)
    assert lines[0].startswith("the pages change the answer to a request of ")
    assert lines[2] == "  B: by itself (its pages permuted)"


def test_a_place_in_the_batch():
    lines = message(lambda batch: [x + np.float32(i > 0) for i, x in enumerate(computed(batch))])
    assert lines[0] == "the batch changes the answer to a request of 1 key and 1 query"


RANDOM = "two calls with the same input gave different outputs: the kernel is not deterministic, so " \
    "batches cannot be compared"


def test_a_kernel_that_is_not_deterministic():
    numbers = itertools.count()
    lines = message(lambda batch: [x + np.float32(next(numbers)) for x in computed(batch)])
    assert lines[0] == RANDOM
    assert lines[1].startswith("  A and B: a request of ") and lines[1].endswith(", alone")
    assert lines[3].startswith("  the first row that differs: query 0, head 0")


@pytest.mark.parametrize("wrong", [{3}, {6}, *(set(np.flatnonzero(
    np.random.default_rng(seed).random(1000) < 0.3).tolist()) for seed in range(12))])
def test_a_kernel_that_is_not_deterministic_now_and_then(wrong):
    """Some calls give other bits: the smallest batch would be one where both inputs are the same."""
    calls = itertools.count()

    def kernel(batch):
        out = computed(batch)
        return [x + np.float32(1) for x in out] if next(calls) in wrong else out

    assert message(kernel, batches=20)[0] == RANDOM


def test_a_kernel_that_fails_in_a_smaller_batch():
    """What was found is kept: one neighbour of 5 keys, since one of 4 raises."""
    def kernel(batch):
        if len(batch) > 1 and batch.keys.min() < 5:
            raise RuntimeError("too short")
        return computed(batch, "fa3-bf16", 4 if len(batch) == 1 else 1)

    lines = message(kernel, batches=20)
    assert lines[0] == "the batch changes the answer to a request of 129 keys and 1 query"
    assert lines[2] == "  B: beside 1 request: 5 keys and 1 query"
    assert lines[-1].startswith("  a smaller batch raised RuntimeError: too short (a request of ")


def test_memory_that_a_kernel_uses_again():
    room = np.zeros((1, 2, 16), np.float32)

    def kernel(batch):
        room[...] = computed(batch)[0] + np.float32(len(batch) > 1)
        return [room] * len(batch)

    assert message(kernel)[0].startswith("the batch changes the answer")


def test_a_request_that_the_library_cannot_compute():
    lines = message(lambda batch: [np.full(one.q.shape, len(batch) > 1, np.float32) for one in batch],
                    dim=20)
    assert lines[0] == "the batch changes the answer to a request of 1 key and 1 query"


def test_the_seed_decides():
    def drawn(seed):
        seen = []

        def kernel(batch):
            seen.append(([one.k.tobytes() for one in batch], [tuple(one.pages) for one in batch]))
            return computed(batch)

        assert_batch_invariant(kernel, **SMALL, seed=seed)
        return seen

    assert drawn(5) == drawn(5)
    assert drawn(5) != drawn(6)


def test_lengths_lie_around_tiles():
    lengths = set()

    def kernel(batch):
        lengths.update(batch.keys.tolist())
        return [np.zeros((1, 2, 16), np.float32) for _ in batch]

    assert_batch_invariant(kernel, **{**SMALL, "batches": 60, "largest": 16})
    for tile in (16, 64, 96, 128, 160, 224):
        assert {tile - 1, tile, tile + 1} & lengths, tile
    assert {length % 32 for length in lengths} >= {31, 0, 1} and max(lengths) <= 512


@pytest.mark.parametrize("error, match, options", [
    (TypeError, "kernel: expected a function", {"kernel": 3}),
    (ValueError, "heads: expected a multiple of kv_heads, 3", {"kv_heads": 3}),
    (ValueError, "queries: expected 1 to 512", {"queries": 0}),
    (ValueError, "batches: expected at least 1", {"batches": 0}),
    (ValueError, "kernel: expected 1 output, one for each request; got 0|kernel: expected . outputs",
     {"kernel": lambda batch: []}),
    (ValueError, r"kernel: expected an output of the shape \(1, 2, 16\)",
     {"kernel": lambda batch: [np.zeros((2, 2, 16), np.float32)] * len(batch)}),
    (TypeError, "request: unknown name 'windw'; did you mean window?", {"kernel": None, "windw": 5}),
    (TypeError, "request: unknown name 'keys'", {"kernel": None, "keys": 5}),
    (ValueError, "k_scale: expected numbers above 0",
     {"kernel": None, "recipe": "kv-vllm", "k_scale": -1}),
    (ValueError, "window: expected an integer", {"kernel": None, "window": -2}),
    (TypeError, "kernel: expected outputs of f32, bf16 or f16, got f64",
     {"kernel": lambda batch: [np.zeros((1, 2, 16)) for _ in batch]}),
    (TypeError, "kernel: expected outputs of one format; the first has f16, another f32",
     {"kernel": lambda batch: [np.zeros((1, 2, 16), np.float16 if len(batch) > 1 else np.float32)
                               for _ in batch]}),
    (TypeError, "kernel: an array of uint16 needs out_format",
     {"kernel": lambda batch: [np.zeros((1, 2, 16), np.uint16)] * len(batch)})])
def test_bad_input(error, match, options):
    given = {"kernel": computed, **SMALL, **options}
    if given["kernel"] is None:  # it must not be called
        given["kernel"] = lambda batch: pytest.fail("the kernel was called")
    with pytest.raises(error, match=match):
        assert_batch_invariant(**given)
