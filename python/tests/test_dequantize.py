# SPDX-License-Identifier: MIT
"""test_dequantize.py -- codes, scales and offsets as callers have them: dtypes, values, shapes"""
import numpy as np
import pytest

import softfp8 as sf
from test_arrays import typed

NV, MX, BLOCK = "nvfp4-te", "mxfp4-even", "fp8-block128-vllm"


@pytest.fixture
def w(rng):
    return (rng.standard_normal((256, 64)) * 3).astype(np.float32)


def read_back(q, codes=None, scales=None, offsets=None):
    """What dequantize() makes of the parts of q, of which some are replaced."""
    g = q.global_scale if q.recipe.has_global_scale else None
    return sf.dequantize(q.codes if codes is None else codes, q.scales if scales is None else scales,
                         q.recipe, offsets=q.offsets if offsets is None else offsets,
                         global_scale=g)


def same(a, b):
    return a.shape == b.shape and (a.view(np.uint32) == b.view(np.uint32)).all()


# ---- scales by their values


@pytest.mark.parametrize("recipe", [NV, MX, "q4_0-gguf", "fp8-group128"])
@pytest.mark.parametrize("dtype", ["f4", "f8", ">f4"])
def test_scales_may_be_floats_that_their_format_holds(recipe, dtype, w):
    q = sf.quantize(w, recipe)
    assert same(read_back(q, scales=q.scale_values().astype(dtype)), q.dequantize())
    own = sf.Quantized(q.recipe, q.codes, q.scale_values().astype(dtype), None, q.global_scale)
    assert same(own.dequantize(), q.dequantize())
    if recipe == NV:
        assert same(sf.dequantize_packed(q.packed(), q.scale_values().astype(dtype), NV, 64,
                                         global_scale=q.global_scale), q.dequantize())


@pytest.mark.parametrize("package", ["ml_dtypes", "torch"])
def test_scales_of_16_bits_and_of_their_own_dtype(package, w):
    q, make = sf.quantize(w, BLOCK), typed(package)
    rounded = sf.convert(q.scale_values(), "bf16")
    values = sf.decode(rounded, "bf16")
    bf16 = make(rounded.view(np.int16), "bfloat16")
    assert same(read_back(q, scales=bf16), read_back(q, scales=values))
    assert abs(read_back(q, scales=bf16) - w).max() < 0.5
    nv = sf.quantize(w, NV)
    assert same(read_back(nv, scales=make(nv.scales, "float8_e4m3fn")), nv.dequantize())
    for wrong in "float8_e5m2", "float8_e8m0fnu":
        with pytest.raises(TypeError, match=r"^scales: expected codes of e4m3 \(uint8 or "
                           rf"float8_e4m3fn\), or floats that e4m3 holds exactly; got {wrong}$"):
            read_back(nv, scales=make(nv.scales, wrong))
    with pytest.raises(TypeError, match=r"^codes: expected codes of e4m3 .*got float8_e4m3fnuz$"):
        read_back(q, codes=make(q.codes, "float8_e4m3fnuz"))
    assert same(read_back(q, codes=make(q.codes, "float8_e4m3fn")), q.dequantize())


def test_a_scale_that_the_format_does_not_hold_is_named(w):
    q = sf.quantize(w, NV)
    values = q.scale_values()
    values[3, 2] = 0.3
    words = r"^scales: element \[3, 2\] is 0.3\d* \(float32\), which e4m3 does not hold exactly; " \
        r"expected codes of e4m3 \(uint8 or float8_e4m3fn\), or numbers that e4m3 holds$"
    calls = (lambda: read_back(q, scales=values),
             lambda: sf.Quantized(q.recipe, q.codes, values, None, 1.0).dequantize(),
             lambda: sf.Quantized(q.recipe, q.codes, values, None, 1.0).layout("128x4"),
             lambda: sf.dequantize_packed(q.packed(), values, NV, 64, global_scale=1))
    for call in calls:
        with pytest.raises(ValueError, match=words):
            call()
    with pytest.raises(ValueError, match="0.0.*e8m0 does not hold"):
        read_back(sf.quantize(w, MX), scales=np.zeros((256, 2)))


def test_codes_of_scales_are_not_cut(w):
    q = sf.quantize(w, NV)
    for code, shown in ((300, "0x12c"), (-1, "-0x1")):
        codes = q.scales.tolist()
        codes[1][2] = code
        with pytest.raises(ValueError, match=rf"^scales: element \[1, 2\] is {shown}; expected "
                           "codes of e4m3"):
            read_back(q, scales=codes)
    for dtype in np.uint32, np.int64, np.uint16, np.bool_:
        with pytest.raises(TypeError, match=f"scales: expected codes of e4m3.*got {dtype.__name__}"):
            read_back(q, scales=q.scales.astype(dtype))


def test_offsets_may_be_floats(w):
    q = sf.quantize(w, "kivi-int4")
    assert q.offsets.dtype == np.uint16 and q.recipe.offset == sf.f16
    assert same(read_back(q, offsets=q.offsets.view(np.float16)), q.dequantize())
    with pytest.raises(ValueError, match=r"offsets: element \[0, 0\] is 0.1 .*f16 does not hold"):
        read_back(q, offsets=np.full(q.offsets.shape, 0.1))
    with pytest.raises(ValueError, match="offsets: mxfp4-even has none"):
        read_back(sf.quantize(w, MX), offsets=q.offsets)


# ---- shapes


def test_the_shape_of_scales_counts(w):
    q = sf.quantize(w, NV)
    for scales in q.scales.T, q.scales.reshape(-1), q.scales.reshape(2, 128, 4):
        shape = str(scales.shape).replace("(", r"\(").replace(")", r"\)")
        words = rf"^scales: expected the shape \(256, 4\) for codes of the shape \(256, 64\), got " \
            f"{shape}"
        with pytest.raises(ValueError, match=words + "; packed codes go to softfp8.dequantize_pa"):
            read_back(q, scales=scales)
        with pytest.raises(ValueError, match=words + "$"):
            sf.dequantize_packed(q.packed(), scales, NV, 64, global_scale=1)
    assert same(read_back(q, q.codes.reshape(4, 64, 64), q.scales.reshape(4, 64, 4)),
                q.dequantize().reshape(4, 64, 64))
    with pytest.raises(ValueError, match=r"scales: expected the shape \(256, 4\)"):
        read_back(q, q.codes.reshape(4, 64, 64), q.scales.reshape(64, 4, 4))
    row = sf.quantize(w[0], NV)
    assert same(read_back(row, scales=row.scales[0]), row.dequantize())
    k = sf.quantize(w, "kivi-int4", along="columns")
    with pytest.raises(ValueError, match=r"scales: expected the shape \(8, 64\)"):
        sf.dequantize(k.codes, k.scales.reshape(64, 8), "kivi-int4", offsets=k.offsets,
                      along="columns")


def test_one_scale_for_a_tensor_whose_recipe_has_one(w):
    q = sf.quantize(w, "kv-vllm", global_scale=0.25)
    assert same(read_back(q, scales=np.float32(0.25)), q.dequantize())
    with pytest.raises(ValueError, match="scales: expected the shape"):
        read_back(sf.quantize(w, "fp8-per-token"), scales=np.float32(0.25))


# ---- packed codes


@pytest.mark.parametrize("recipe", [NV, MX, "q4_0-gguf"])
def test_packed_codes_are_taken_where_the_scales_say_so(recipe, w):
    q = sf.quantize(w, recipe)
    assert same(read_back(q, q.packed()), q.dequantize())


def test_packed_codes_are_explained_where_the_shape_does_not_tell(w):
    q = sf.quantize(w[:, :16], NV)
    with pytest.raises(ValueError, match=r"^codes: element \[\d, \d\] is 0x.*below 0x10; packed "
                       "codes go to softfp8.dequantize_packed$"):
        read_back(q, q.packed())


def test_a_stack_of_matrices_has_blocks_of_its_own():
    codes = np.full((2, 128, 3), 0x38, np.uint8)  # 1
    values = sf.dequantize(codes, np.array([[[2]], [[4]]], np.float32), "fp8-block128-vllm")
    assert (values[0] == 2).all() and (values[1] == 4).all()
    # As one matrix, 200 rows have two blocks, too, and the second begins at its row 128.
    with pytest.raises(ValueError, match="scales: .* rows of two matrices of 100 rows each"):
        sf.dequantize(codes[:, :100], np.array([[[2]], [[4]]], np.float32), "fp8-block128-vllm")
    values = sf.dequantize(codes[:1, :100], np.array([[[2]]], np.float32), "fp8-block128-vllm")
    assert (values == 2).all()
