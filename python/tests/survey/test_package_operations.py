# SPDX-License-Identifier: MIT
"""test_package_operations.py -- the matrix of packages: arithmetic on two codes, and blocks"""
import numpy as np
import pytest

from softfp8.survey import known, tensors
from softfp8.survey.__main__ import main
from softfp8.survey.adapters import lab
from test_package_matrix import all_ranges, only_cell, planted, run, valid

pytest.importorskip("jsonschema")
pytestmark = pytest.mark.long

# Sums of e4m3 by tables of values: exact, then one rounding to the nearest, ties to even.
SUM = """
import itertools
def values():
    codes = np.arange(127)
    exponents, mantissas = codes >> 3, codes & 7
    return np.where(exponents, (8 + mantissas) * 2.0 ** (exponents - 10), mantissas * 2.0 ** -9)
def add(a, b):
    table = values()
    x, y = (np.where(c & 128, -1, 1) * np.append(table, np.nan)[c & 127] for c in (a, b))
    total = x + y
    size = np.abs(total)
    above = np.searchsorted(table, size).clip(0, 126)
    below = (above - 1).clip(0)
    far, near = table[above] - size, size - table[below]
    codes = np.where((near < far) | ((near == far) & (below % 2 == 0)), below, above)
    codes = np.where(np.isnan(total) | (size > 464), 127, codes)
    negative = (total < 0) | ((total == 0) & (a & b & 128 != 0))
    negative |= np.isnan(total) & (np.where(np.isnan(x), a, b) & 128 != 0)
    return (codes + 128 * negative).astype(np.uint8)
def conversions():
    yield "add:e4m3", "e4m3", "", add
"""


def test_a_right_sum_equals_the_policy(tmp_path):
    status, found = run(tmp_path, "--adapter", planted(tmp_path, SUM))
    cell = only_cell(found)
    assert status == 0 and cell["status"] == "equal" and cell["policy"] == "ml_dtypes"
    assert cell["operation"] == "add" and cell["inputs"] == 65536 and cell["all"]
    valid(found)


def test_a_wrong_sum_is_red_and_shows_the_pair(tmp_path):
    text = SUM.replace("below % 2 == 0", "below % 2 == 1")
    status, found = run(tmp_path, "--adapter", planted(tmp_path, text))
    cell = only_cell(found)
    assert status == 1 and cell["status"] == "differs" and "policy" not in cell
    # 1 + 0.0625 lies half way between 1 and 1.125
    assert {"first": "1838", "last": "1838", "value": "0.0625 + 1", "got": "39", "expected": "38",
            "got_value": "1.125", "expected_value": "1"} in all_ranges(tmp_path) or \
        cell["range_count"] > len(all_ranges(tmp_path))
    valid(found)


def test_only_the_codes_of_nan(tmp_path):
    text = SUM.replace("negative |=", "positive =")
    _, found = run(tmp_path, "--adapter", planted(tmp_path, text))
    cell = only_cell(found)
    assert cell["status"] == "differs" and cell["diagnosis"] == "only the codes of NaN differ"


def test_a_sum_through_f32_is_named(tmp_path):
    text = """
def mul(a, b):
    import ml_dtypes
    x, y = (c.view(ml_dtypes.float8_e8m0fnu).astype(np.float32) for c in (a, b))
    with np.errstate(all="ignore"):
        return (x * y).astype(ml_dtypes.float8_e8m0fnu).view(np.uint8)
def conversions():
    yield "mul:e8m0", "e8m0", "", mul
"""
    _, found = run(tmp_path, "--adapter", planted(tmp_path, text))
    cell = only_cell(found)
    assert cell["status"] == "differs" and cell["policy"] == "ml_dtypes, through f32"
    # 2^-127 * 2^-24 is below half of the smallest f32
    assert any(part["first"] <= "0067" <= part["last"] for part in all_ranges(tmp_path))


@pytest.mark.parametrize("line", ["add:e4m3 e5m2", "pow:e4m3 e4m3", "add:f16 f16", "add:e9m9 e9m9"])
def test_an_operation_that_is_none(tmp_path, line):
    source, to = line.split()
    text = f"""
def conversions():
    yield {source!r}, {to!r}, "", None
"""
    status, found = run(tmp_path, "--adapter", planted(tmp_path, text))
    assert status == 3 and found["packages"][0]["status"] == "broken"
    assert line in found["packages"][0]["why"]


def test_ml_dtypes_computes_as_known(tmp_path):
    status, found = run(tmp_path, "--package", "ml_dtypes", "--only", "*/???_e*/-")
    cells = [cell for cell in found["packages"][0]["cells"] if "operation" in cell]
    assert status == 0 and {cell["operation"] for cell in cells} == set(lab.ARITHMETIC)
    assert {cell["status"] for cell in cells} == {"equal", "known"}
    valid(found)


def test_pairs_of_codes():
    words = np.arange(1 << 12, dtype=lab.dtype_of("mul:e3m2"))
    first, second = lab.pair(words, "mul:e3m2")
    assert words.dtype == np.uint16 and first.dtype == second.dtype == np.uint8
    assert (first[65], second[65]) == (1, 1) and lab.dtype_of("add:e2m1") is np.uint8


def test_names_of_operations():
    cell = {"package": "x", "operation": "add", "from": "e4m3", "to": "e4m3", "mode": "-",
            "key": "12345678"}
    assert known.line(cell) == "x add_e4m3 - 12345678"


# ---- blocks

# MXFP4 as OCP MX 1.0 has it, of f16: the scale is 2^(floor(log2 amax) - 2).
MXFP4 = """
import ml_dtypes
def claim(source, to, mode): return "mxfp4-floor"
def rounded(x):
    return x.astype(ml_dtypes.float4_e2m1fn).view(np.uint8)
def quantize(words):
    x = words.view(np.float16).astype(np.float64).reshape(len(words), -1, 32)
    amax = np.abs(x).max(-1, keepdims=True)
    with np.errstate(all="ignore"):
        exponent = np.where(amax > 0, np.floor(np.log2(amax)) - 2, -127)
        codes = rounded(np.where(amax > 0, x / np.exp2(exponent), x)).reshape(words.shape)
    return codes, (exponent + 127).astype(np.uint8).reshape(len(words), -1)
def dequantize(codes, scales):
    values = codes.view(ml_dtypes.float4_e2m1fn).astype(np.float32).reshape(len(codes), -1, 32)
    factors = scales.view(ml_dtypes.float8_e8m0fnu).astype(np.float32)[..., None]
    with np.errstate(all="ignore"):
        return (values * factors).view(np.uint32).reshape(codes.shape)
def conversions():
    yield "quantize:f16", "e2m1-32-e8m0", "", quantize
    yield "dequantize:e2m1-32-e8m0", "f32", "", dequantize
"""
AWAY = """
    table = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
    codes = np.searchsorted((table[1:] + table[:-1]) / 2, np.abs(x), side="right")
    return codes.astype(np.uint8) | np.signbit(x) * np.uint8(8)"""
OPERATION = "quantize", "dequantize"


def block_cells(tmp_path, text, mode="-"):
    """The status, and the cells of finite numbers of a quantizer and a dequantizer."""
    status, found = run(tmp_path, "--adapter", planted(tmp_path, text))
    valid(found)
    cells = [cell for cell in found["packages"][0]["cells"] if mode in cell["modes"]]
    assert all(cell["operation"] in OPERATION for cell in cells)
    return status, *sorted(cells, key=lambda cell: OPERATION.index(cell["operation"]))


def test_right_blocks_equal_their_recipe(tmp_path):
    _, narrow, wide = block_cells(tmp_path, MXFP4)
    assert narrow["status"] == wide["status"] == "equal" and narrow["recipe"] == "mxfp4-floor"
    assert narrow["blocks"] == 8 * 1024 and narrow["inputs"] == 32 * 8 * 1024
    assert wide["all"] and wide["blocks"] == 1024  # each of 256 scales with 128 codes


@pytest.mark.parametrize("right, wrong, diagnosis", [
    ("\n    return x.astype(ml_dtypes.float4_e2m1fn).view(np.uint8)", AWAY,
     "ties go away from zero"),
    ("(exponent + 127)", "(exponent + 128)", "scales are 2^1 times as large"),
    ("return codes, (", "codes = codes.reshape(-1, 2)[:, ::-1].reshape(codes.shape)\n"
     "    return codes, (", "the two codes of a byte are swapped"),
    ("rounded(np.where", "7 & rounded(np.where", "only signs differ"),
    ("return codes, (", "codes = np.where(codes == 8, 0, codes)\n    return codes, (",
     "only the sign of zeros differs")])
def test_wrong_blocks_are_red_with_the_mistake(tmp_path, right, wrong, diagnosis):
    assert right in MXFP4
    status, narrow, _ = block_cells(tmp_path, MXFP4.replace(right, wrong, 1))
    assert status == 1 and narrow["status"] == "differs" and narrow["diagnosis"] == diagnosis
    assert narrow["example"]["scale"] and 0 < narrow["differ"] <= narrow["blocks"]


def test_blocks_that_follow_another_recipe(tmp_path):
    text = MXFP4.replace("np.floor(np.log2(amax)) - 2", "np.ceil(np.log2(amax / 6))")
    _, narrow, _ = block_cells(tmp_path, text)
    assert narrow["status"] == "differs" and narrow["recipe"].endswith("-rceil")
    assert narrow["diagnosis"] == f"it follows {narrow['recipe']}"


def test_blocks_without_a_claim(tmp_path):
    _, narrow, wide = block_cells(tmp_path, MXFP4.replace('return "mxfp4-floor"', "return None"))
    assert narrow["status"] == wide["status"] == "unclaimed"
    assert narrow["recipe"] == "mxfp4-torchao-floor"  # the first of the recipes that agree for f16


def test_the_range_of_amax_of_wrong_blocks(tmp_path):
    text = MXFP4.replace("np.where(amax > 0, np", "np.where(amax > 2.0 ** -20, np", 1)
    _, narrow, _ = block_cells(tmp_path, text)
    assert narrow["status"] == "differs"
    assert narrow["span"]["least"] == "5.96046448e-08"  # 2^-24, the least of f16
    assert narrow["span"]["greatest"] == "9.53674316e-07"  # 2^-20


def test_a_dequantizer_that_reads_one_scale_wrongly(tmp_path):
    text = MXFP4.replace("    factors =", "    scales = np.where(scales == 3, 4, scales)"
                         ".astype(np.uint8)\n    factors =")
    _, _, wide = block_cells(tmp_path, text)
    assert wide["differ"] == 4 and wide["span"] == {"blocks": 4, "least": "4.7019774e-38",
                                                    "greatest": "4.7019774e-38"}  # 2^-124
    assert wide["example"]["scale"] == "03" and wide["example"]["input"] == "1"


def test_infinity_and_nan_have_a_cell_of_their_own(tmp_path):
    text = MXFP4.replace("amax = np.abs(x)", "x = np.where(np.isfinite(x), x, 0)\n"
                         "    amax = np.abs(x)")
    _, narrow, _ = block_cells(tmp_path, text)
    assert narrow["status"] == "equal"
    _, narrow, _ = block_cells(tmp_path, text, "special")
    assert narrow["diagnosis"] == "only blocks with infinity or NaN differ"
    assert "span" not in narrow and narrow["differ"] == 1024  # every second block


@pytest.mark.parametrize("line", ["quantize:f32 e2m1-32", "quantize:f32 e2m1-32-e8m0-h",
                                  "quantize:f31 e2m1-32-e8m0", "dequantize:f32 e2m1-32-e8m0"])
def test_blocks_of_an_unknown_kind(tmp_path, line):
    test_an_operation_that_is_none(tmp_path, line)


@pytest.mark.parametrize("name", ["e2m1-32-e8m0", "e4m3-128x128-f32", "e2m1-16-e4m3-g"])
@pytest.mark.parametrize("source", tensors.MANTISSA)
def test_tensors_are_telling(source, name):
    kind, most = lab.Blocks.of(name), tensors.infinity(source)
    mask = (1 << lab.BITS[source] - 1) - 1
    blocks = np.concatenate([tensors.blocks_of(words, kind) & mask
                             for words in tensors.to_quantize(source, name, False)])
    amax = blocks.max(1)
    assert (blocks < most).all()
    low = (1 << tensors.MANTISSA[source]) - 1
    if kind.rows == 1:
        for beside in (0, 1, 2, low, low - 1):  # of a power of two
            assert ((amax & low) == beside).any()
    assert (amax == 0).any() and (amax[amax > 0] <= low).any()  # zero, and subnormal
    assert (amax >> tensors.MANTISSA[source]).max() == most - 1 >> tensors.MANTISSA[source]
    special = [tensors.blocks_of(words, kind) & mask
               for words in tensors.to_quantize(source, name, True)]
    peaks = np.concatenate(special).max(1)
    assert (peaks == most).any() and (peaks > most).any() and (peaks < most).any()


def test_all_scales_with_all_codes():
    (codes, scales), = tensors.to_dequantize("e4m3-32-e8m0")
    kind = lab.Blocks.of("e4m3-32-e8m0")
    pairs = np.repeat(scales.reshape(-1).astype(int), 32) << 8 | \
        tensors.blocks_of(codes, kind).reshape(-1)
    assert np.array_equal(np.unique(pairs), np.arange(1 << 16))


def test_cells_of_an_earlier_run_are_added(tmp_path):
    adapter = planted(tmp_path, SUM)
    _, earlier = run(tmp_path, "--adapter", adapter)
    text = tmp_path / "matrix.json"
    text.rename(tmp_path / "earlier.json")
    planted(tmp_path, SUM.replace('"add:e4m3", "e4m3", ""', '"sub:e4m3", "e4m3", "x"'))
    _, found = run(tmp_path, "--adapter", adapter, "--also", tmp_path / "earlier.json", out="new")
    cells = found["packages"][0]["cells"]
    assert [cell["operation"] for cell in cells] == ["add", "sub"]
    assert cells[0] == earlier["packages"][0]["cells"][0]
    valid(found)
    assert main(["--keep", str(tmp_path / "out"), "--also", str(adapter)]) == 2


def test_a_folder_of_codes(tmp_path, capsys):
    (tmp_path / "e4m3.npz").touch()
    assert main(["--keep", str(tmp_path)]) == 2
    assert "to keep codes is --codes now" in capsys.readouterr().err
