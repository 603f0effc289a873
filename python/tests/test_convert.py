# SPDX-License-Identifier: MIT
"""test_convert.py -- conversions of arrays, compared with the library's function for one value"""
import numpy as np
import pytest

import softfp8 as sf
from conftest import NARROW
from softfp8._binding import lib

POLICIES = "ocp", "ocp-nosat", "torch-2.12", "ml_dtypes", "cuda-nosat"


def one_by_one(codes, source, to, policy):
    """The codes and flags that the function for one value gives."""
    rules = sf.policy(policy, to=to, from_=source)._policy
    found = [lib.sf8_convert_flags(sf.format(to)._format, sf.format(source)._format, int(code),
                                   rules) for code in codes]
    return [r.code for r in found], [r.flags for r in found]


@pytest.mark.parametrize("source", ["f16", "bf16"])
@pytest.mark.parametrize("to", NARROW)
def test_all_inputs_of_16_bits(source, to):
    codes = sf.format(source).all_codes()
    for policy in POLICIES[:2] if to != "e4m3" else POLICIES:
        expected, _ = one_by_one(codes, source, to, policy)
        assert sf.convert(codes, to, from_=source, policy=policy).tolist() == expected


@pytest.mark.parametrize("source", NARROW)
@pytest.mark.parametrize("to", ["f32", "f16", "bf16", "e5m2", "f64"])
def test_all_codes(source, to):
    codes = sf.format(source).all_codes()
    expected, raised = one_by_one(codes, source, to, "ocp-nosat")
    assert sf.decode(codes, source, to=to, dtype="codes").tolist() == expected
    got, flags = sf.convert(codes, to, from_=source, policy="ocp-nosat", dtype="codes", flags=True)
    assert got.tolist() == expected and flags.tolist() == raised


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_floats_by_dtype(kind, rng):
    x = (rng.standard_normal(1000) * 300).astype(kind)
    name = {2: "f16", 4: "f32", 8: "f64"}[x.itemsize]
    expected, _ = one_by_one(x.view(f"u{x.itemsize}"), name, "e4m3", "ocp")
    assert sf.convert(x, "e4m3").tolist() == expected
    assert sf.convert(x, "e4m3", from_=name).tolist() == expected


def test_results_of_wide_formats_are_floats():
    x = np.array([0.1, -3.5], np.float32)
    assert sf.convert(x, "f64").dtype == np.float64
    assert sf.convert(x, "f16").dtype == np.float16
    assert sf.convert(x, "bf16").dtype == np.uint16
    assert sf.convert(x, "f16", dtype="codes").dtype == np.uint16


def test_round_and_via_change_the_policy():
    x = np.array([17.0, 19.0], np.float32)  # ties between 16, 18 and 20
    assert sf.decode(sf.convert(x, "e4m3"), "e4m3").tolist() == [16, 20]
    assert sf.decode(sf.convert(x, "e4m3", round="rz"), "e4m3").tolist() == [16, 18]
    assert sf.decode(sf.convert(x, "e4m3", round="rna"), "e4m3").tolist() == [18, 20]
    twice = np.float64(17 + 2**-20)  # in f16 it is 17, a tie
    assert sf.convert(twice, "e4m3") == 0x59
    assert sf.convert(twice, "e4m3", via="f16") == 0x58


def test_a_product_may_have_another_policy_for_another_format():
    assert [sf.policy("onnx", to=to).name for to in ("e4m3", "e8m0")] == \
        ["onnx-saturate", "onnx-saturate-e8m0"]
    with pytest.raises(ValueError, match="no policy of 'torch' is known.*f32 to e2m1"):
        sf.convert(np.float32(1), "e2m1", policy="torch")
    assert sf.convert(500.0, "e4m3", policy="torch-2.12") == 0x7F
    assert sf.convert(500.0, "e4m3", policy=sf.policy("ocp", overflow="special")) == 0x7F


def test_random_words_depend_on_seed_and_place_alone():
    words = sf.random_words((3, 1000), seed=20261126)
    assert words.dtype == np.uint32 and words.shape == (3, 1000)
    assert np.array_equal(words[1], sf.random_words(1000, seed=20261126, first=1000))
    assert not np.array_equal(words[1], sf.random_words(1000, seed=1, first=1000))
    x = np.full(3000, 17, np.float32)
    codes = sf.convert(x, "e4m3", round="sr", random=words.reshape(-1))
    assert abs((codes == codes.max()).mean() - 0.5) < 0.05  # 17 is half way from 16 to 18
    for wrong in dict(shape=-1), dict(seed=1 << 64), dict(first=-1):
        with pytest.raises(ValueError):
            sf.random_words(**{"shape": 4, "seed": 1, **wrong})


def test_stochastic_rounding_uses_the_random_numbers():
    x = np.full(4, 17, np.float32)  # half way: half of the random numbers round up
    random = np.array([0, 0x3FFF, 0x8000, 0xFFFF], np.uint32)
    up = sf.convert(x, "e4m3", round="sr", random=random)
    expected = [lib.sf8_convert_sr(sf.e4m3._format, sf.f32._format, 0x41880000,
                                   sf.policy("ocp", round="sr")._policy, int(r)).code
                for r in random]
    assert up.tolist() == expected and len(set(expected)) == 2
    got, flags = sf.convert(x, "e4m3", round="sr", random=random, flags=True)
    assert got.tolist() == expected and set(flags.tolist()) == {sf.INEXACT}


def test_integers():
    assert sf.convert(np.array([3, -500, 17], np.int32), "e4m3", from_="i32").tolist() == \
        [0x44, 0xFE, 0x58]
    assert sf.convert(3, "e4m3", from_="u8") == 0x44
    codes = np.array([0x44, 0xFE, 0x7F], np.uint8)
    assert sf.to_integer(codes, "e4m3", "i8").tolist() == [3, -128, 0]
    got, flags = sf.to_integer(codes, "e4m3", "i8", flags=True)
    assert flags.tolist() == [0, sf.INVALID, sf.INVALID]
    assert sf.to_integer(np.uint8(0x3C), "e4m3", "i32", exact=True, flags=True)[1] == sf.INEXACT


def test_levels_agree(rng):
    x = rng.integers(0, 1 << 32, 5000, np.uint32).view(np.float32)
    expected = sf.convert(x, "e4m3")
    assert sf.simd() in sf.simd_levels()
    for level in sf.simd_levels():
        assert (sf.convert(x, "e4m3", level=level) == expected).all()


def test_levels_agree_on_stochastic_rounding(rng):
    x = rng.integers(0, 1 << 32, 5000, np.uint32).view(np.float32)
    random = rng.integers(0, 1 << 32, 5000, np.uint32)
    for to in ("e4m3", "e2m1", "bf16"):
        one_by_one, _ = sf.convert(x, to, round="sr", random=random, dtype="codes", flags=True)
        for level in sf.simd_levels():
            got = sf.convert(x, to, round="sr", random=random, dtype="codes", level=level)
            assert (got == one_by_one).all()


@pytest.mark.parametrize("bits", range(1, 9))
def test_pack_and_unpack(bits, rng):
    codes = rng.integers(0, 1 << bits, (3, 16), np.uint8)
    packed = sf.pack(codes, bits)
    assert packed.shape == (3, 2 * bits)
    assert (sf.unpack(packed, bits) == codes).all()
    whole = sum(int(code) << (bits * i) for i, code in enumerate(codes[0]))
    assert int.from_bytes(packed[0].tobytes(), "little") == whole
    assert sf.unpack(packed, bits, 5).tolist() == codes[:, :5].tolist()
