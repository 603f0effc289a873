# SPDX-License-Identifier: MIT
"""test_verdict_results.py -- a result goes to memory that the caller sees, or is refused"""
import numpy as np
import pytest

import softfp8 as sf
from conftest import refused
from softfp8 import kv

ONE = 0x38  # 1 in e4m3


class DataSet:
    """What h5py and zarr have: an array in a file, of which NumPy gets a copy."""

    def __init__(self, shape, dtype):
        self._memory = np.zeros(shape, dtype)
        self.shape, self.dtype = self._memory.shape, self._memory.dtype

    def __array__(self, dtype=None, copy=None):
        return self._memory.copy()


class Shared(DataSet):
    """What pandas and xarray have: an array in memory, which NumPy shares."""

    def __array__(self, dtype=None, copy=None):
        return self._memory


X = np.array([1, 2], np.float32)
COPY = "expected memory that is used in place.*DataSet, of which NumPy gets only a copy"


@pytest.mark.parametrize("call", [
    lambda out: sf.convert(X, "e4m3", out=out),
    lambda out: sf.to_integer([ONE, ONE], "e4m3", "u8", out=out),
    lambda out: sf.e4m3.add([ONE, ONE], [ONE, ONE], out=out),
    lambda out: sf.e4m3.scalb([ONE, ONE], [1, 2], out=out)])
def test_a_result_is_not_written_to_a_copy(call):
    refused(TypeError, "out: " + COPY, lambda: call(DataSet(2, np.uint8)))
    shared = Shared(2, np.uint8)
    assert call(shared) is shared and shared._memory.all()


def test_a_tensor_is_not_read_back_into_a_copy():
    q = sf.quantize(np.ones((1, 32), np.float32), "mxfp8-e4m3-even")
    refused(TypeError, "out: " + COPY, lambda: q.dequantize(out=DataSet((1, 32), np.float32)))
    shared = Shared((1, 32), np.float32)
    assert q.dequantize(out=shared) is shared and (shared._memory == 1).all()


def test_a_cache_is_not_a_copy():
    place = kv.layout("nhd", blocks=1, slots=4, heads=1, dim=8, bits=8)
    refused(TypeError, "data: " + COPY, lambda: kv.Cache(place, data=DataSet(32, np.uint8)))


def test_a_data_set_of_h5py(tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "x.h5", "w") as file:
        out = file.create_dataset("out", (2,), np.uint8)
        refused(TypeError, "out: expected memory", lambda: sf.convert(X, "e4m3", out=out))


def test_a_negative_view_of_torch():
    torch = pytest.importorskip("torch")
    out = torch._neg_view(torch.zeros(2))
    refused(TypeError, "out: expected memory", lambda: sf.convert(X, "f32", out=out))


def test_a_result_at_an_odd_address_is_refused():
    out = np.zeros(9, np.uint8)[1:].view(np.float32)
    refused(ValueError, "out: expected an aligned array", lambda: sf.decode([ONE, ONE], "e4m3",
                                                                           out=out))


def test_a_result_over_its_own_broadcast_operand():
    """The operand is one code, e5m2 1, and the result is written over it: e4m3 1 is e5m2 0.5."""
    memory = np.full(5000, 0x3C, np.uint8)
    sf.convert(np.broadcast_to(memory[:1], memory.shape), "e4m3", from_="e5m2", out=memory)
    assert (memory == ONE).all()
