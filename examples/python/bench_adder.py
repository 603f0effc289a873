# SPDX-License-Identifier: MIT
"""bench_adder.py -- the bench of cocotb for adder.v: all 65,536 pairs of codes"""
import cocotb
import numpy as np
from cocotb.triggers import Timer

import softfp8 as sf
from softfp8.testing import all_pairs, assert_bits


@cocotb.test()
async def every_pair(dut):
    a, b = all_pairs("e4m3")
    got = np.zeros_like(a)
    for i, pair in enumerate(zip(a.tolist(), b.tolist())):
        dut.a.value, dut.b.value = pair
        await Timer(1, "ns")
        got[i] = int(dut.sum.value)
    assert_bits(got, sf.e4m3.add(a, b), inputs=(a, b), fmt="e4m3")
