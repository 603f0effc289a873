# SPDX-License-Identifier: MIT
"""test_kv_store.py -- a KV store such as vLLM's: tokens divided by a scale, in slots of a cache"""
import ml_dtypes
import numpy as np
from hypothesis import given, settings

import softfp8 as sf
from softfp8 import strategies
from softfp8.testing import assert_bits

BLOCKS, SLOTS, HEADS, DIM = 4, 16, 2, 8
PLACE = sf.kv.layout("nhd", blocks=BLOCKS, slots=SLOTS, heads=HEADS, dim=DIM, bits=8)


def store(cache, keys, slots, scale):
    """The code under test: stores the keys of a token in its slot; a negative slot is skipped."""
    codes = np.clip(keys / scale, -448, 448).astype(ml_dtypes.float8_e4m3fn).view(np.uint8)
    for token, slot in enumerate(slots):
        if slot >= 0:
            cache[slot // SLOTS, slot % SLOTS] = codes[token]


@settings(deadline=None)
@given(strategies.divided("e4m3", shape=(3, HEADS, DIM)))
def test_the_bytes_of_the_cache(drawn):
    keys, scale = drawn
    slots = [17, -1, 63]
    mine = np.zeros((BLOCKS, SLOTS, HEADS, DIM), np.uint8)
    store(mine, keys, slots, scale)
    right = sf.kv.Cache(PLACE, recipe="kv-vllm", scale=scale)
    right.store(keys, slots)
    assert_bits(mine.reshape(-1), right.data, fmt="e4m3")
