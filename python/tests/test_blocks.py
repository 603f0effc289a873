# SPDX-License-Identifier: MIT
"""test_blocks.py -- recipes, compared with the command, and what belongs to them"""
import numpy as np
import pytest

import softfp8 as sf
from softfp8.command import run


@pytest.fixture
def w(rng):
    return (rng.standard_normal((6, 256)) * 3).astype(np.float32)


def by_the_command(folder, w, recipe):
    """The files of codes, scales and offsets that `softfp8 quantize` writes."""
    np.save(folder / "w.npy", w)
    paths = [folder / name for name in ("codes", "scales", "offsets")]
    options = ["--global-scale", "auto"] if sf.recipe(recipe).has_global_scale else []
    more = ["--offsets", paths[2]] if sf.recipe(recipe).has_offsets else []
    run("quantize", "--recipe", recipe, *options, "--codes", paths[0], "--scales", paths[1], *more,
        folder / "w.npy")
    return [path.read_bytes() for path in paths if path.exists()]


@pytest.mark.parametrize("recipe", sf.recipes())
def test_every_recipe_and_the_command_agree(recipe, w, tmp_path):
    of = sf.recipe(recipe)
    q = sf.quantize(w, recipe)
    codes, scales, *offsets = by_the_command(tmp_path, w, recipe)
    assert codes == q.packed().tobytes()
    bits = of.scale.bits
    assert q.scales.dtype == np.dtype(f"<u{1 if bits <= 8 else 2 if bits <= 16 else 4}")
    assert scales == q.scales.tobytes()
    assert offsets == ([q.offsets.tobytes()] if of.has_offsets else [])
    assert (q.scale_values() == sf.decode(q.scales, of.scale)).all()
    assert (q.dequantize().view(np.uint32) == sf.dequantize(
        q.codes, q.scales, recipe, offsets=q.offsets,
        global_scale=q.global_scale).view(np.uint32)).all()
    assert (sf.unpack_codes(q.packed(), recipe, 256) == q.codes).all()


@pytest.mark.parametrize("recipe", ["nvfp4-te", "mxfp8-e4m3-even", "fp8-group128"])
def test_levels_packed_and_requantized_agree(recipe, w):
    q = sf.quantize(w, recipe)
    for level in [*sf.simd_levels(), "core"]:
        other = sf.quantize(w, recipe, level=level)
        assert (other.codes == q.codes).all() and (other.scales == q.scales).all()
        assert (other.dequantize(level=level) == q.dequantize()).all()
    if sf.recipe(recipe).scale.bits <= 8:
        for level in [None, *sf.simd_levels()]:
            packed, scales, g = sf.quantize_packed(w, recipe, level=level)
            assert (packed == q.packed()).all() and (scales == q.scales).all()
            assert (sf.dequantize_packed(packed, scales, recipe, 256, global_scale=g, level=level)
                    == q.dequantize()).all()
    for other in "mxfp8-e5m2-even" if "mx" in recipe else "mxfp8-e4m3-even", "nvfp4-vllm":
        again = q.requantize(other)
        direct = sf.quantize(q.dequantize(), other)
        assert (again.codes == direct.codes).all() and (again.scales == direct.scales).all()
        assert again.global_scale == direct.global_scale


def test_tensors_of_16_bits_and_more_axes(w):
    half = sf.convert(w, "f16")
    q = sf.quantize(half.reshape(2, 3, 256), "mxfp8-e4m3-even")
    assert q.shape == (2, 3, 256) and q.dequantize("f16").dtype == np.float16
    codes = sf.convert(w, "bf16")
    assert sf.quantize(codes, "mxfp8-e4m3-even", from_="bf16").dequantize("bf16").dtype == np.uint16
    out = np.zeros_like(w)
    assert sf.quantize(w, "mxfp8-e4m3-even").dequantize(out=out) is out and out.any()


def test_along_columns(w):
    q = sf.quantize(w[:, :32].copy().repeat(32, 0), "mxfp8-e4m3-even", along="columns")
    assert q.scales.shape == (6, 32)
    turned = sf.quantize(np.ascontiguousarray(w[:, :32].repeat(32, 0).T), "mxfp8-e4m3-even")
    assert (q.codes == turned.codes.T).all() and (q.scales == turned.scales.T).all()
    assert (q.dequantize() == turned.dequantize().T).all()


def test_products_are_exact(w):
    a, b = sf.quantize(w, "nvfp4-te"), sf.quantize(w[:4], "nvfp4-te")
    product = a.matmul(b, to="f64")
    x, y = a.dequantize().astype(np.float64), b.dequantize().astype(np.float64)
    assert np.allclose(product, x @ y.T, rtol=1e-5)
    first = [sf.Quantized(q.recipe, q.codes[:1], q.scales[:1], None, q.global_scale)
             for q in (a, b)]
    assert first[0].dot(first[1], to="f64") == product[0, 0]
    assert first[0].dot(first[1], flags=True)[0] == np.float32(product[0, 0])


def test_errors_of_a_tensor(w):
    q = sf.quantize(w, "mxfp8-e4m3-even")
    report = q.errors(w)
    assert report["count"] == w.size
    assert report["most"] == np.abs(w.astype(np.float64) - q.dequantize()).max()


def test_images():
    x = np.linspace(-4, 4, 256, dtype=np.float32).reshape(1, 256)
    names = [name for name in sf.recipes() if sf.recipe(name)._recipe.image]
    assert names
    for name in names:
        q = sf.quantize(x, name)
        again = sf.load_image(q.image(), name, 1, 256, global_scale=q.global_scale)
        assert (again.codes == q.codes).all() and (again.scales == q.scales).all()


@pytest.mark.parametrize("name", sf.layouts())
def test_layouts(name):
    scales = np.arange(132 * 8, dtype=np.uint32).astype(np.uint8).reshape(132, 8)
    stored = sf.layout_store(scales, name)
    assert stored.size == sf.layout_size(name, 132, 8)
    assert (sf.layout_load(stored, name, 132, 8) == scales).all()


def test_128x4_is_what_the_hardware_reads():
    scales = np.arange(128 * 4, dtype=np.uint32).astype(np.uint8).reshape(128, 4)
    stored = sf.layout_store(scales, "128x4")
    assert (stored.reshape(32, 4, 4) == scales.reshape(4, 32, 4).transpose(1, 0, 2)).all()


@pytest.mark.parametrize("bits", [2, 4])
def test_kivi(bits, rng):
    codes = rng.integers(0, 1 << bits, (64, 32), np.uint8)
    for side in ("keys", "values"):
        packed = sf.kivi_pack(codes, bits, side)
        assert (sf.kivi_unpack(packed, bits, side) == codes).all()
    assert sf.kivi_pack(codes, bits, "keys").shape == (32, 64 * bits // 32)
    assert (sf.kivi_tail(100, 32, "keys"), sf.kivi_tail(100, 32, "values")) == (4, 32)


def test_a_recipe_with_other_fields(w):
    one, other = sf.recipe("mxfp8-e4m3-even"), sf.recipe("mxfp8-e4m3-even", block=64)
    assert (one.block, other.block) == (32, 64)
    assert sf.quantize(w, other).scales.shape == (6, 4)
    with pytest.raises(ValueError, match="recipe"):
        sf.recipe("mxfp8-e4m3-even", scale_of="amax /")
    with pytest.raises(ValueError, match="recipe field.*colour"):
        sf.recipe("mxfp8-e4m3-even", colour="red")
