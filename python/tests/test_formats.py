# SPDX-License-Identifier: MIT
"""test_formats.py -- arithmetic of formats, compared with the library's function for one value"""
import sys

import numpy as np
import pytest

import softfp8 as sf
from softfp8._binding import ffi, lib

BINARY = ("add", "sub", "mul", "div", "rem", "minimum", "maximum", "minimum_number",
          "maximum_magnitude_number")


def pairs(name):
    codes = sf.format(name).all_codes()
    return np.repeat(codes, codes.size), np.tile(codes, codes.size)


@pytest.mark.parametrize("op", BINARY)
@pytest.mark.parametrize("name", ["e2m1", "e3m2", "e4m3"])
def test_all_pairs(name, op):
    a, b = pairs(name)
    if name == "e4m3":
        a, b = a[::7], b[::7]
    f, rules = sf.format(name), sf.policy("ocp-nosat")._policy
    found = [getattr(lib, f"sf8_{op}")(f._format, int(x), int(y), rules) for x, y in zip(a, b)]
    method = getattr(f, op)
    assert method(a, b, policy="ocp-nosat").tolist() == [r.code for r in found]
    got, flags = method(a, b, policy="ocp-nosat", flags=True)
    assert got.tolist() == [r.code for r in found]
    assert flags.tolist() == [r.flags for r in found]


def test_fma_and_rounding(rng):
    a, b, c = rng.integers(0, 256, (3, 2000), np.uint8)
    for mode in ("rne", "rz", "ru", "rd", "ro", "rna", "rnz"):
        rules = sf.policy("ocp", round=mode)._policy
        found = [lib.sf8_fma(sf.e5m2._format, *map(int, row), rules) for row in zip(a, b, c)]
        assert sf.e5m2.fma(a, b, c, round=mode).tolist() == [r.code for r in found]


@pytest.mark.parametrize("op", ["sqrt", "next_up", "next_down", "negate"])
def test_one_operand(op):
    codes, rules = sf.e4m3.all_codes(), sf.policy("ocp")._policy
    found = [getattr(lib, f"sf8_{op}")(sf.e4m3._format, int(x), rules) for x in codes]
    assert getattr(sf.e4m3, op)(codes).tolist() == [r.code for r in found]
    assert sf.e4m3.abs(codes).tolist() == [lib.sf8_abs(sf.e4m3._format, int(x)) for x in codes]


def test_rint_scalb_and_exact():
    codes, rules = sf.e4m3.all_codes(), sf.policy("ocp")._policy
    assert sf.e4m3.rint(codes).tolist() == \
        [lib.sf8_rint(sf.e4m3._format, int(x), rules, 0).code for x in codes]
    assert sf.e4m3.rint(0x3C, exact=True, flags=True) == (0x40, sf.INEXACT)
    for n in (-7, 0, 3, 1 << 40):
        power = max(-(1 << 31), min(n, (1 << 31) - 1))
        found = [lib.sf8_scalb(sf.e4m3._format, int(x), power, rules) for x in codes]
        assert sf.e4m3.scalb(codes, n).tolist() == [r.code for r in found]
        assert sf.e4m3.scalb(codes, n, flags=True)[1].tolist() == [r.flags for r in found]


def test_order_and_classes():
    a, b = pairs("e3m2")
    flags = ffi.new("uint32_t *")
    f, rules = sf.e3m2, sf.policy("ocp")._policy
    expected = [lib.sf8_compare(f._format, int(x), int(y), rules, flags) for x, y in zip(a, b)]
    assert f.compare(a, b).tolist() == expected
    assert (f.lt(a, b) == (np.array(expected) == -1)).all()
    assert f.total_order(a, b).dtype == np.bool_
    codes = sf.e5m2.all_codes()
    assert sf.e5m2.class_(codes).tolist() == \
        [lib.sf8_class(sf.e5m2._format, int(x), rules) for x in codes]
    assert sf.e5m2.class_name(0x7C) == "pos_infinity"
    assert sf.e5m2.is_nan(codes).sum() == 6 and sf.e5m2.is_inf(codes).sum() == 2
    assert sf.e5m2.is_finite(codes).sum() == 248
    assert sf.e5m2.compare(0x7D, 0, signaling=True, flags=True) == (2, sf.INVALID)


def test_text():
    codes = sf.e4m3.all_codes()
    for style in ("shortest", "exact", "hex"):
        for code, string in zip(codes.tolist(), sf.e4m3.text(codes, style).tolist()):
            if not sf.e4m3.is_nan(code):
                assert sf.e4m3.parse(string) == code
    assert sf.e4m3.parse("1000", policy="ocp-nosat", flags=True) == \
        (0x7F, sf.OVERFLOW | sf.INEXACT)


def test_properties():
    assert (sf.e4m3.max, sf.e4m3.min_normal, sf.e4m3.least) == (448, 2**-6, 2**-9)
    assert (sf.e5m2.emax, sf.e5m2.emin, sf.e5m2.bias) == (15, -14, 15)
    assert sf.e8m0.least == 2**-127 and not sf.e8m0.has_zero and not sf.e8m0.is_signed
    assert "float8_e4m3fn" in sf.e4m3.aliases() and sf.format("float8_e4m3fn") == sf.e4m3
    for name in sf.formats():
        assert getattr(sf, name) == sf.format(name)
    assert sf.format("p3109_k6p3se").bits == 6


def test_a_row_of_ones_own():
    mine = sf.format_row(4, 3, nan="top", has_inf=False)
    assert mine == sf.e4m3
    small = sf.format_row(3, 0, is_signed=False, nan="none", has_inf=False)
    assert sf.decode(small.all_codes(), small).tolist() == [0, .25, .5, 1, 2, 4, 8, 16]
    assert small.eq([1], [1]).tolist() == [True]
    a, b = pairs("e3m2")
    other = sf.format_row(3, 2, nan="none", has_inf=False)
    assert other.add(a, b, flags=True)[1].tolist() == sf.e3m2.add(a, b, flags=True)[1].tolist()


def test_policies():
    for name in sf.policies():
        found = sf.policy(name)
        assert sf.Policy.of_word(found.word()) == found
        assert found.info()["name"] == name
    changed = sf.policy("ocp", overflow="inf", sr_bits=8)
    assert (changed.overflow, changed.sr_bits) == ("inf", 8)
    assert repr(changed) == "softfp8.policy('ocp', overflow='inf', sr_bits=8)"
    assert sf.policy("torch-2.12").holds("e4m3", "f32")
    assert sf.products()[0].keys() == {"product", "first", "last", "to", "from", "policy_name"}
    assert sf.Policy.of_word(0x200).name == "ocp"
    with pytest.raises(ValueError):
        sf.Policy.of_word(1 << 63)
    with pytest.raises(AttributeError, match="colour"):
        sf.policy("ocp").colour


def test_formats_and_policies_by_their_fields():
    own = sf.format("e=4 m=3 bias=11 nan=top")
    row = sf.format_row(4, 3, nan="top", has_inf=False, bias=11)
    assert own == row and own == sf.format("e4m3,bias=11")
    # 1.55 is 1.1000|11... * 2^0, field 11; 28 is the largest number
    codes = sf.convert(np.array([1.55, 300], np.float32), "e4m3 bias=11")
    assert codes.tolist() == [0x5c, 0x7e]
    assert own.add(np.array([0x58], np.uint8), np.array([0x58], np.uint8)).tolist() == [0x60]
    assert sf.policy("ocp round=rz") == sf.policy("ocp", round="rz")
    assert sf.policy("round=rz,nan=as-missing") == sf.policy(
        "ocp", round="rz", nan="as-missing")
    assert sf.policy("ocp round=rz", round="ru") == sf.policy("ocp", round="ru")
    for bad, what in {"e=4": "make no format", "e=4 m=three": "'m=three' in", "e=4 x=1": "'x=1'",
                      "e4m4 bias=1": "'e4m4'", "=": "'=' in '='"}.items():
        with pytest.raises(ValueError, match=what):
            sf.format(bad)
    for bad in ("ocp rund=rz", "ocp round=rx", "round=rz ocp", "ocq round=rz", "ocp ="):
        with pytest.raises(ValueError):
            sf.policy(bad)


def test_hif8():
    hif8 = sf.format("hifloat8")
    assert (hif8.name, hif8.bits, hif8.max, hif8.max_code) == ("hif8", 8, 32768.0, 0x6e)
    values = np.array([1.0625, 40960, np.nan, -3e-7, 15.5], np.float32)
    codes = sf.convert(values, "hif8", policy="en-dtypes")
    assert codes.tolist() == [0x09, 0x6f, 0x80, 0x81, 0x40]
    assert sf.decode(codes[:2], "hif8").tolist() == [1.125, np.inf]
    assert hif8.is_nan(codes).tolist() == [False, False, True, False, False]
    with pytest.raises(ValueError, match="format"):
        hif8.add(codes, codes)


@pytest.mark.parametrize("package, own", [("ml_dtypes", "float8_e4m3fn"), ("torch", "float8_e4m3fn"),
                                          ("jax.numpy", "float8_e4m3fn")])
def test_a_dtype_names_its_format(package, own):
    dtype = getattr(pytest.importorskip(package), own)
    x = np.linspace(-9, 9, 7, dtype=np.float32)
    codes = sf.convert(x, "e4m3")
    assert sf.format(dtype) == sf.e4m3 and (sf.convert(x, dtype) == codes).all()
    assert (sf.decode(codes, dtype) == sf.decode(codes, "e4m3")).all()
    assert (sf.convert(codes, np.float16, from_=dtype) == sf.decode(codes, "e4m3")).all()
    assert sf.explain(464, to=dtype).data["result"]["code"] == "7e"
    assert sf.unit("hopper-qgmma", dtype, out=np.dtype(np.float32)).k == 32


@pytest.mark.parametrize("package", ["torch", "numpy"])
def test_a_dtype_of_integers_where_integers_are_meant(package):
    int8 = getattr(pytest.importorskip(package), "int8")
    x = np.arange(-3, 4, dtype=np.int8)
    codes = sf.convert(x, "e4m3", from_=int8)
    assert (sf.to_integer(codes, "e4m3", int8) == x).all()
    with pytest.raises(TypeError, match="format: the dtype int8 is no format of floats"):
        sf.convert(np.float32(1), int8)


def test_names_that_are_no_format():
    with pytest.raises(ValueError, match=r"'float4_e2m1fn_x2' has two codes in a byte; unpack.*"
                       r"softfp8.unpack\(x, 4\).*'float4_e2m1fn'"):
        sf.convert(np.float32(1), "float4_e2m1fn_x2")
    if "torch" in sys.modules:
        with pytest.raises(ValueError, match="has two codes in a byte"):
            sf.format(sys.modules["torch"].float4_e2m1fn_x2)
    for wrong in int, np.floating, None, 7, np.zeros(3).dtype.type(0):
        with pytest.raises(TypeError, match="format: expected a name"):
            sf.format(wrong)
