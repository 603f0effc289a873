# SPDX-License-Identifier: MIT
"""test_gemm.py -- which schedule or unit gave a product: products of known schedules, and errors"""
import numpy as np
import pytest

import softfp8 as sf

RNG = np.random.default_rng(5)
A, B = (RNG.integers(0, 120, shape, np.uint8) for shape in ((6, 512), (512, 5)))
C = RNG.normal(size=(6, 5)).astype(np.float32) * 1e4


def product(schedule, c=None, unit="hopper-qgmma"):
    return sf.mma(unit, A, B, c, from_="e4m3", schedule=schedule)


@pytest.mark.parametrize("schedule", ["cutlass-fast", "cutlass-promote4"])
@pytest.mark.parametrize("c", [None, C])
def test_a_schedule_is_named(schedule, c):
    found = sf.identify_mma(product(schedule, c), A, B, c, from_="e4m3", schedule=schedule)
    assert found.agrees and found.names == [schedule]
    other = "cutlass-promote4" if schedule == "cutlass-fast" else "cutlass-fast"
    found = sf.identify_mma(product(schedule, c), A, B, c, from_="e4m3", schedule=other)
    assert not found.agrees and schedule in found.names[0].split(": ")[1].split(", ")
    assert str(found).startswith("the schedule explains ")


@pytest.mark.parametrize("dtype", ["f16", "bf16"])
def test_results_in_16_bits(dtype):
    small = A % 60, B % 60  # f16 has them all
    d = sf.mma("hopper-qgmma", *small, from_="e4m3", schedule="cutlass-promote4")
    stored = sf.convert(d, dtype, policy="ocp-nosat")
    stored = stored.view(np.float16) if dtype == "f16" else \
        stored.view(pytest.importorskip("ml_dtypes").bfloat16)
    found = sf.identify_mma(stored, *small, from_="e4m3")
    assert not found.agrees and "cutlass-promote4" in found.names[0]


def test_one_instruction():
    a, b = A[:, :32], B[:32]
    d = sf.mma("hopper-mma-fp8", a, b, from_="e4m3")
    assert sf.identify_mma(d, a, b, from_="e4m3", unit="hopper-mma-fp8").names == \
        ["unit=hopper-mma-fp8"]
    assert "unit=hopper-mma-fp8" in sf.identify_mma(d, a, b, from_="e4m3",
                                                    unit="hopper-qgmma").names


def test_what_no_schedule_gives():
    d = product("cutlass-fast") * np.float32(1.5)
    found = sf.identify_mma(d, A, B, from_="e4m3")
    assert not found.agrees and not found.names


def test_how_many_are_compared():
    d = product("cutlass-fast")
    d[5, 4] += 1
    text = str(sf.identify_mma(d, A, B, from_="e4m3", results=3))
    assert text.startswith("the schedule explains 2 of 3 rows")
