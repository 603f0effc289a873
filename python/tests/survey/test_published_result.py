# SPDX-License-Identifier: MIT
"""test_published_result.py -- what is made from a result: changes, documents, the page, tables"""
import json
import pathlib
import re
import xml.etree.ElementTree as xml

import pytest

from softfp8.survey import beside, publish, report
from softfp8.survey.changes import changes
from softfp8.survey.completed import completed
from softfp8.survey.documents import documents
from softfp8.survey.picture import svg

FOLDER = pathlib.Path(__file__).parents[3] / "docs" / "matrix"
FILES = "matrix.json", "index.md", "picture.svg", "gpu.md"


def cell(source="f16", to="e4m3", status="equal", modes=("-",), **more):
    return {"from": source, "to": to, "inputs": 65536, "all": True, "status": status,
            "modes": dict.fromkeys(modes, 1), **more}


def package(version, *cells, name="toy", status="run"):
    return {"package": name, "version": version, "status": status, "cells": list(cells)}


def result(*packages, date="2026-11-25"):
    return {"schema": 1, "softfp8": "0.2.0", "cpu": "", "date": date, "documents": {},
            "changes": [], "packages": list(packages)}


# ---- the committed files ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def made():
    found = json.loads((FOLDER / "matrix.json").read_text())
    return publish.texts(completed(found), FOLDER)


@pytest.mark.parametrize("name", FILES)
def test_each_committed_file_is_made_from_the_result(made, name):
    assert made[name] == (FOLDER / name).read_text(), \
        f"docs/matrix/{name} is old: python -m softfp8.survey.publish docs/matrix"


def test_publish_writes_them(tmp_path, made):
    for name in FILES:
        kept = name == "matrix.json" or name.endswith(".md")
        (tmp_path / name).write_text((FOLDER / name).read_text() if kept else "")
    assert publish.main([str(tmp_path)]) == 0
    assert all((tmp_path / name).read_text() == text for name, text in made.items())
    assert publish.main([]) == 2


def test_the_page_has_every_cell(made):
    page = re.search(r'<script type="application/json" id="result">(.*?)</script>',
                     made["index.html"], re.S)
    assert json.loads(page[1]) == json.loads((FOLDER / "matrix.json").read_text())


# ---- adding cells -------------------------------------------------------------------------------


def test_a_new_cell_replaces_that_of_its_version_and_mode():
    old = result(package("1.0", cell(policy="ocp", modes=("a", "b")),
                         cell(to="e5m2", policy="ocp")),
                 package("2.0", cell(policy="ocp")), date="2026-10-01")
    new = result(package("1.0", cell(policy="torch-2.13", modes=("b",))), date="2026-09-01")
    joined = publish.joined(old, new)
    first, second = joined["packages"]
    policies = sorted((c["to"], mode, c["policy"]) for c in first["cells"] for mode in c["modes"])
    assert policies == [("e4m3", "a", "ocp"), ("e4m3", "b", "torch-2.13"), ("e5m2", "-", "ocp")]
    assert second == old["packages"][1] and joined["date"] == "2026-10-01"


def test_a_package_that_was_not_run_replaces_and_adds_nothing():
    old = result(package("1.0", cell(policy="ocp")))
    new = result(package("1.0", status="absent"), package("3.0", status="absent"))
    assert publish.joined(old, new)["packages"] == old["packages"]


def test_a_gpu_neither_replaces_nor_joins_results_of_the_cpu():
    old = result(package("1.0", cell(policy="ocp")))
    new = result(package("1.0", cell(policy="ocp", device="GPU 1"), cell("f32", device="GPU 1")))
    (joined,) = publish.joined(old, new)["packages"]
    assert [(c["from"], c.get("device")) for c in joined["cells"]] == \
        [("f16", None), ("f16", "GPU 1"), ("f32", "GPU 1")]
    rows = report.markdown(result(joined)).splitlines()[2:]
    assert [row.split(" | ")[:2] for row in rows] == \
        [["| toy 1.0", "1"], ["| toy 1.0 on GPU 1", "2"]]


def test_each_committed_cell_of_a_gpu_names_it():
    packages = json.loads((FOLDER / "matrix.json").read_text())["packages"]
    found = [("cuda" in mode, "device" in c) for p in packages for c in p["cells"]
             for mode in c["modes"]]
    assert {True, False} == {gpu for gpu, _ in found} and all(a == b for a, b in found)


# ---- changes between versions -------------------------------------------------------------------


def test_a_change_has_the_least_input_that_shows_it():
    (entry,) = changes([package("0.10", cell(policy="ocp")),
                        package("0.9", cell(policy="ocp-nosat"))])
    # From 0.9 to 0.10. 464 and less round to 448; the next f16 overflows.
    assert (entry["from_version"], entry["to_version"], entry["what"]) == ("0.9", "0.10", "changed")
    assert (entry["before"], entry["after"]) == ("ocp-nosat", "ocp")
    assert entry["example"] == {
        "input": "5f41", "before": "7f", "after": "7e", "input_value": "464.25",
        "before_value": "nan", "after_value": "448"}


def test_rules_that_do_the_same_are_no_change():
    # They differ in rounding, which e4m3 to bf16 does not need.
    same = "ocp-nosat", "ocp-nosat round=rz"
    assert changes([package("1", cell("e4m3", "bf16", policy=same[0])),
                    package("2", cell("e4m3", "bf16", policy=same[1]))]) == []
    assert changes([package("1", cell(policy=same[0])), package("2", cell(policy=same[1]))]) != []


def test_the_cpu_and_a_gpu_are_not_compared():
    cpu, gpu = cell(policy="ocp"), cell(policy="ocp-nosat", device="GPU 1")
    assert changes([package("1", cpu), package("2", gpu)]) == []
    (entry,) = changes([package("1", cpu, gpu), package("2", cpu | {"policy": "ocp-nosat"}, gpu)])
    assert (entry["before"], entry["after"]) == ("ocp", "ocp-nosat")


def test_formats_that_come_and_go():
    found = changes([package("1", cell(policy="ocp"), cell(to="e5m2", policy="ocp")),
                     package("2", cell(policy="ocp"), cell(to="e2m1", policy="ocp"))])
    assert [(entry["what"], entry["formats"]) for entry in found] == \
        [("added", ["e2m1"]), ("removed", ["e5m2"])]


def test_absent_versions_and_other_packages_are_not_compared():
    assert changes([package("1", cell(policy="ocp")), package("2", status="absent"),
                    package("2", cell(policy="ocp-nosat"), name="other")]) == []


# ---- documents ----------------------------------------------------------------------------------


@pytest.mark.parametrize("policy, answer", [
    ("ocp", "saturating"), ("ocp-nosat", "non-saturating"), ("ocp round=rz", "differs"),
    ("torch-2.13", "saturating"), ("torch-2.12", "non-saturating"), ("hip-fnuz", "differs")])
def test_which_conversion_of_ocp_it_is(policy, answer):
    assert documents("toy", cell(policy=policy)) == {"ocp": answer}


def test_a_known_difference_decides():
    # The code of NaN is open; a number that becomes another one is not.
    nan = {"first": "7e00", "last": "7e00", "got": "ff", "expected": "7f"}
    one = {"first": "3c00", "last": "3c00", "got": "39", "expected": "38"}
    known = dict(status="known", claimed="ocp")
    assert documents("toy", cell(ranges=[nan], range_count=1, **known)) == {"ocp": "saturating"}
    assert documents("toy", cell(ranges=[one], range_count=1, **known)) == {"ocp": "differs"}


def test_the_table_of_onnx_is_for_onnx():
    right = cell(policy="onnx-saturate", modes=("saturate=1",))
    assert documents("onnx", right)["onnx"] == "equals"
    assert "onnx" not in documents("toy", right)
    assert documents("onnx", cell(policy="onnx-nosat", modes=("saturate=1",)))["onnx"] == "differs"


def test_what_no_document_defines():
    assert documents("toy", cell(to="e4m3fnuz", policy="hip-fnuz")) == {}
    assert documents("toy", cell(status="absent")) == {}
    assert documents("toy", cell("e4m3", "f16", policy="ocp-nosat")) == {}


# ---- the CPU beside a GPU -----------------------------------------------------------------------


def test_the_table_says_what_the_cells_have():
    torch = [package("2.11.0", cell("f32", policy="cuda-satfinite", modes=("compiled,cuda",)),
                     cell("f32", policy="torch-2.12", modes=("contiguous,cuda",)),
                     cell("f64", status="absent", modes=("contiguous,cuda",)), name="torch")]
    rows = [[entry.strip() for entry in row.strip("|").split("|")]
            for row in beside.table(result(*torch)).splitlines()]
    eager, compiled = (rows[0].index(head) for head in
                       ("torch 2.11.0, GPU", "torch 2.11.0, GPU, `torch.compile`"))
    entries = {row[0]: (row[eager], row[compiled]) for row in rows[2:]}
    assert entries["f32 to e4m3: 500"] == ("`7f` NaN", "`7e` 448")
    assert entries["f64 to e4m3: just above 2^-10"] == ("absent", "not run")


# ---- the picture --------------------------------------------------------------------------------


def test_the_picture_has_a_row_for_each_package_and_a_colour_for_each_policy():
    shown = result(package("1.0", cell("f32", policy="ocp"), cell("f32", "e5m2", policy="ocp")),
                   package("2.0", cell("f32", policy="<&>")),
                   package("1.0", cell("f32", status="differs", differ=12345), name="wrong"))
    tree = xml.fromstring(svg(shown))
    text = ["".join(node.itertext()).strip() for node in tree.iter() if node.tag.endswith("text")]
    assert {"toy 1.0", "toy 2.0", "wrong 1.0", "<&>", "\u2717 12,345 inputs"} <= set(text)
    fills = [node.get("fill") for node in tree.iter() if "policy" in (node.get("class") or "")]
    assert len(fills) == 3 and len(set(fills)) == 2
    assert sum("red" in (node.get("class") or "") for node in tree.iter()) == 1
