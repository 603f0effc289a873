# SPDX-License-Identifier: MIT
"""test_package_merges.py -- the matrix of packages: merges of two parts of attention"""
import numpy as np
import pytest

from softfp8.survey import merges
from test_package_matrix import all_ranges, only_cell, planted, run, valid

pytest.importorskip("jsonschema")
pytestmark = pytest.mark.long

# The rule vllm-triton of docs/spec/attend/merging.md, computed in f64. What is below the range of
# f32 is rounded to it.
MERGE = """
def claim(source, to, mode):
    return "vllm-triton"
def merge(*words):
    a, lse_a, b, lse_b = (x.view(np.float32).astype(np.float64) for x in words)
    with np.errstate(all="ignore"):
        lse_a, lse_b = (np.where(x == np.inf, -np.inf, x) for x in (lse_a, lse_b))
        top = np.fmax(lse_a, lse_b)
        u, v = np.exp(lse_a - top), np.exp(lse_b - top)
        u, v = (x.astype(np.float32).astype(np.float64) for x in (u, v))
        out = a * (u / (u + v))[:, None] + b * (v / (u + v))[:, None]
        lse = (np.log((u + v).astype(np.float32).astype(np.float64)) + top)
        empty = top == -np.inf
        out, lse = np.where(empty[:, None], 0, out), np.where(empty, -np.inf, lse)
        return tuple(x.astype(np.float32).view(np.uint32) for x in (out, lse))
def conversions():
    yield "merge:f32", "f32", "", merge
"""


def cell_of(tmp_path, text):
    status, found = run(tmp_path, "--adapter", planted(tmp_path, text))
    valid(found)
    return status, only_cell(found)


def test_only_last_bits(tmp_path):
    _, cell = cell_of(tmp_path, MERGE)
    assert cell["claimed"] == "vllm-triton" and cell["operation"] == "merge"
    assert cell["key"] == merges.LAST_BITS and cell["diagnosis"].startswith("only the last bits")


def test_the_wrong_base(tmp_path):
    status, cell = cell_of(tmp_path, MERGE.replace("np.exp(", "np.exp2("))
    assert status == 1 and cell["status"] == "differs" and cell["key"] != merges.LAST_BITS
    assert cell["differ"] > 10000


def test_another_rule(tmp_path):
    wrong = "out, lse = np.where((empty | (lse != lse))[:, None], 0, out), lse"
    text = MERGE.replace("lse_a, lse_b = (np.where(x == np.inf", "_ = (np.where(x == np.inf") \
        .replace("out, lse = np.where(empty[:, None], 0, out), np.where(empty, -np.inf, lse)", wrong)
    status, cell = cell_of(tmp_path, text)
    assert status == 1 and cell["status"] == "differs" and cell["key"] != merges.LAST_BITS


def test_a_part_without_keys(tmp_path):
    """Its lse is -infinity. A kernel without this case returns NaN."""
    text = MERGE.replace("empty = top == -np.inf", "empty = top == -1e300")
    status, cell = cell_of(tmp_path, text)
    assert status == 1
    shown = next(part for part in all_ranges(tmp_path) if part["value"] ==
                 "lse inf and inf: outputs 1 and 1")
    assert shown["got"][1:] == "fc00000" and shown["expected"] == "00000000"


def test_without_a_claim(tmp_path):
    status, cell = cell_of(tmp_path, MERGE.replace("vllm-triton", "")
                           .replace("return \"\"", "return None"))
    assert status == 0 and cell["status"] == "unclaimed" and cell["nearest"] == "vllm-triton"


def test_distances():
    f32 = np.float32
    got = np.array([1, -1, 0, np.nan, np.inf, 1, -0.0], f32)
    want = np.array([np.nextafter(f32(1), f32(2)), -1, 1e-45, np.nan, np.inf, np.inf, 0], f32)
    assert merges.distances(got, want).tolist() == [1, 0, 1, 0, 0, 1 << 40, 1]
