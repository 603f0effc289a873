# SPDX-License-Identifier: MIT
"""test_notebook_html.py -- what a notebook shows of formats, policies, tensors and verdicts"""
import re

import numpy as np
import pytest

import softfp8 as sf


def facts(page):
    return dict(re.findall(r"<th scope='row'[^>]*>([^<]*)</th><td[^>]*>([^<]*)</td>", page))


@pytest.mark.parametrize("name, largest, bars", [("e4m3", "448", 18), ("e5m2", "57344", 32), ("e2m1", "6", 4)])
def test_a_format(name, largest, bars):
    page = sf.format(name)._repr_html_()
    assert facts(page)["largest"] == largest
    # 448 is in the binade of 2^8, and 2^-9 the least number: 18 binades; likewise the others
    assert len(re.findall("<span title='", page)) == bars


def test_a_wide_format_has_no_bars():
    assert "<figure" not in sf.format("f32")._repr_html_()


def test_a_policy():
    page = sf.policy("torch-2.12", nan_sign="signed")._repr_html_()
    assert "PyTorch" in facts(page)["product"] and facts(page)["nan_sign"] == "signed"


def test_a_tensor():
    x = np.array([[6, -6] * 8], np.float32)
    page = sf.quantize(x, "mxfp4-floor")._repr_html_()
    assert facts(page)["shape"] == "1 x 16" and "title='8'" in page


def test_a_verdict():
    x = np.linspace(-500, 500, 1001, dtype=np.float32)
    page = sf.diagnose_cast(x, sf.convert(x, "e4m3", round="rz"), to="e4m3", expected="ocp")._repr_html_()
    assert facts(page)["mistake"] == "rounds toward zero"


def test_names_are_escaped():
    own = sf.format("e=4 m=3 nan=top")
    own.name = "<script>"
    assert "<script" not in own._repr_html_()
