# SPDX-License-Identifier: MIT
"""test_matmul.py -- matrix units: every row of the library, and products of matrices"""
import numpy as np
import pytest

import softfp8 as sf


def test_a_product_is_made_of_dot_products(rng):
    a, b = (sf.convert(rng.standard_normal(shape).astype(np.float32), "e4m3")
            for shape in ((3, 64), (64, 5)))
    c = rng.standard_normal((3, 5)).astype(np.float32)
    d = sf.mma("hopper-qgmma", a, b, c, from_="e4m3")
    unit = sf.unit("hopper-qgmma", "e4m3")
    for i in range(3):
        for j in range(5):
            assert unit.dot(a[i], b[:, j], c[i, j]) == d[i, j]
    assert np.allclose(d, sf.decode(a, "e4m3") @ sf.decode(b, "e4m3") + c, atol=0.05)
    for level in [*sf.simd_levels(), "core"]:
        assert (sf.mma("hopper-qgmma", a, b, c, from_="e4m3", level=level) == d).all()
    ml = pytest.importorskip("ml_dtypes")
    typed = [x.view(ml.float8_e4m3fn) for x in (a, b)]
    assert (sf.mma("hopper-qgmma", *typed, c) == d).all()


def operand_names(row):
    """The formats of a row's operands: "e4m3+e5m2" means any two of them, and
    "f16 bf16" either of them."""
    return [name for name in row["operands"].replace("+", " ").split() if name in sf.formats()]


@pytest.mark.parametrize("row", sf.units(), ids=lambda row: f"{row['unit']}-{row['operands']}")
def test_every_unit_adds_ones(row):
    pair = next((a, b) for a in operand_names(row) for b in operand_names(row)
                if sf.unit_takes(row["unit"], a, b, row["out"]))
    unit = sf.unit(row["unit"], *pair, row["out"])
    ones = [np.full((2, unit.k), sf.format(name).parse("1"), sf.format(name).code_dtype)
            for name in pair]
    scales = {}
    if unit.scale_block:
        one = {"e8m0": 127, "ue4m3": 0x38}.get(row["scale"], 0x38)
        codes = np.full((2, unit.k // unit.scale_block), one, np.uint8)
        scales = {"scale_a": codes, "scale_b": codes}
    got = sf.mma(row["unit"], ones[0], ones[1].T, from_=pair[0], from_b=pair[1], to=row["out"],
                 **scales)
    assert (got == unit.k).all()


def test_the_dtype_of_block_scales_counts():
    ml = pytest.importorskip("ml_dtypes")
    ones = np.full((2, 64), 2, np.uint8)
    for unit, right, wrong, block, one in (
            ("sm120-mxf4", "float8_e8m0fnu", "float8_e4m3fn", 32, 127),
            ("sm120-mxf4nvf4", "float8_e4m3fn", "float8_e8m0fnu", 16, 0x38)):
        codes = np.full((2, 64 // block), one, np.uint8)

        def product(scale):
            return sf.mma(unit, ones, ones.T, from_="e2m1", scale_a=codes, scale_b=scale)

        assert (product(codes.view(getattr(ml, right))) == 64).all()
        assert (product(codes.tolist()) == 64).all()
        with pytest.raises(TypeError, match=f"scale_b: expected codes of u?e.m..*got {wrong}$"):
            product(codes.view(getattr(ml, wrong)))
        with pytest.raises(ValueError, match=r"scale_b: element \[0, 0\] is 0x12c"):
            product((codes.astype(int) * 0 + 300).tolist())


def test_properties_and_schedules(rng):
    a, b = (sf.convert(rng.standard_normal(shape).astype(np.float32), "e4m3")
            for shape in ((2, 256), (256, 2)))
    d = sf.mma("hopper-qgmma", a, b, from_="e4m3")
    assert (sf.mma("hopper-qgmma", a, b, from_="e4m3", fraction=25) != d).any()
    assert (sf.mma("hopper-qgmma", a, b, from_="e4m3", promote=4) != d).any()
    ones = np.ones((2, 2), np.float32)
    assert (sf.mma("hopper-qgmma", a, b, from_="e4m3", promote=4, scaling="scales-first",
                   stretch_scales=(ones, ones)) == sf.mma("hopper-qgmma", a, b, from_="e4m3",
                                                          promote=4)).all()
    names = [row["name"] for row in sf.schedules() if row["unit"] == "hopper-qgmma"
             and row["scaling"] == 0]
    for name in names:
        assert sf.mma("hopper-qgmma", a, b, from_="e4m3", schedule=name).shape == (2, 2)
    assert repr(sf.unit("hopper-qgmma", fraction=25)) == \
        "softfp8.unit('hopper-qgmma', 'e4m3', 'e4m3', 'f32', fraction=25)"
    assert sf.unit("hopper-qgmma", fraction=25).fields()["fraction"] == 25
