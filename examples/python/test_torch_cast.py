# SPDX-License-Identifier: MIT
"""test_torch_cast.py -- a cast of PyTorch, on every input of 16 bits and on ties of f32"""
import pytest
from hypothesis import given

from softfp8 import strategies
from softfp8.testing import all_codes, assert_bits

torch = pytest.importorskip("torch")


@pytest.mark.parametrize("name", ["f16", "bf16"])
def test_every_input_of_16_bits(name):
    x = all_codes(name, dtype="torch")
    assert_bits(x.to(torch.float8_e4m3fn), inputs=x, fmt="e4m3", policy="torch-2.13")


@given(strategies.arrays("f32", strategies.inputs("f32", "e4m3"), dtype="torch"))
def test_ties_of_f32(x):
    assert_bits(x.to(torch.float8_e4m3fn), inputs=x, fmt="e4m3", policy="torch-2.13")


def test_every_code_back():
    codes = all_codes("e4m3", dtype="torch")
    assert_bits(codes.to(torch.float32), inputs=codes, fmt="f32", policy="torch-decode")
