# SPDX-License-Identifier: MIT
"""test_summary.py -- a report as Markdown"""
import json

import pytest

from softfp8.testing import summary


def case(name, status="passed", **more):
    return {"name": name, "status": status, "inputs": 1000, "differ": 0, "diagnosis": None, "why": None,
            "seconds": 0.5, **more}


def report(*cases):
    failed = sum(c["status"] == "failed" for c in cases)
    return {"totals": {"cases": len(cases), "failed": failed}, "cases": list(cases)}


def test_nothing_failed():
    assert summary.summary(report(case("a"), case("b"))) == "### softfp8: 2 assertions, none failed\n\n"


def test_what_failed_has_its_mistake_and_no_markup():
    text = summary.summary(report(case("a"), case(
        "t/test_x[<b>|*]", "failed", differ=12, diagnosis="rounds twice,\nfirst to f16")))
    assert "### softfp8: 1 of 2 assertions failed" in text
    assert r"| t/test\_x\[\<b\>\|\*\] | 12 of 1,000 | rounds twice, first to f16 |" in text


def test_only_some_are_shown():
    text = summary.summary(report(*[case(f"t{i}", "failed") for i in range(23)]))
    assert "t19 |" in text and "t20 |" not in text and text.endswith("And 3 more.\n")


def test_a_page(tmp_path, capsys):
    (tmp_path / "r.json").write_text(json.dumps(report(case("a"))))
    assert summary.main([str(tmp_path / "r.json"), "--html", str(tmp_path / "r.html")]) == 0
    page = (tmp_path / "r.html").read_text()
    assert "@STYLE@" not in page and "--paper" in page and "none failed" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"totals": 1, "cases": []}'])
def test_no_report(tmp_path, capsys, text):
    (tmp_path / "r.json").write_text(text)
    assert summary.main([str(tmp_path / "r.json")]) == 2
    assert "r.json" in capsys.readouterr().err
    assert summary.main([]) == 2
