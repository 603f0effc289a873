# SPDX-License-Identifier: MIT
"""test_pytest_plugin.py -- the fixtures, the messages and the report of the plugin of pytest"""
import json
import os
import re
import subprocess
import sys

import pytest

TESTS = '''
import numpy as np
import pytest
import softfp8 as sf
from softfp8.testing import assert_bits, assert_quantized

def test_right(critical, all_codes):
    x = critical("f32", "e4m3")
    assert_bits(sf.convert(x, "e4m3"), inputs=x, fmt="e4m3")
    assert_bits(sf.convert(all_codes("f16"), "e5m2"), inputs=all_codes("f16"), fmt="e5m2")

@pytest.mark.parametrize("name", ["</script>"])
def test_wrong(critical, name):
    x = critical("f32", "e4m3")
    assert_bits(sf.convert(x, "e4m3", round="rz"), inputs=x, fmt="e4m3")

@pytest.mark.xfail(reason="flushes")
def test_known():
    x = np.full((1, 16), 6, np.float32)
    assert_quantized(np.zeros((1, 16), np.uint8), None, x, "nvfp4-te")

def test_pairs(all_pairs):
    a, b = all_pairs("e2m1")
    assert a.size == 256
'''


UNCERTAIN = '''
import numpy as np
from softfp8.testing import assert_bits

def test_excused():
    x = np.float32([17.0625, 1])
    assert_bits(np.uint8([0x58, 0x38]), inputs=x, fmt="e4m3", uncertain="bf16/2")
    assert_bits(np.uint8([0x59, 0x38]), inputs=x, fmt="e4m3", uncertain="bf16/2")
'''


def run(folder, *options, tests=TESTS):
    """A session of pytest in a folder, without the options of this one."""
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith("PYTEST")}
    (folder / "test_kernel.py").write_text(tests)
    return subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider",
                           "--rootdir", str(folder), *options, "test_kernel.py"], cwd=folder,
                          env=environment, capture_output=True, text=True)


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """A session that wrote both reports: its folder, its output and the JSON."""
    folder = tmp_path_factory.mktemp("report")
    done = run(folder, "--softfp8-report", "report.html")
    assert run(folder, "--softfp8-report", "report.json").returncode == 1
    return folder, done, json.loads((folder / "report.json").read_text())


def test_the_output(report):
    _, done, _ = report
    assert done.returncode == 1 and "1 failed, 2 passed, 1 xfailed" in done.stdout
    assert "softfp8: 4 assertions, 1 failed: report.html" in done.stdout
    assert re.search("^E +likely mistake: rounds toward zero$", done.stdout, re.M)
    assert "bits.py" not in done.stdout  # the trace ends in the test


@pytest.mark.long
def test_excused_results_are_counted(tmp_path):
    done = run(tmp_path, "--softfp8-report", "report.json", tests=UNCERTAIN)
    assert done.returncode == 0, done.stdout
    assert "softfp8: an uncertainty excused 1 result in 1 assertion\n" in done.stdout
    cases = json.loads((tmp_path / "report.json").read_text())["cases"]
    assert [case["oracle_text"] for case in cases] == [
        "assert_bits: codes of e4m3; 1 result excused", "assert_bits: codes of e4m3"]


def test_the_json(report):
    _, _, found = report
    totals = {name: n for name, n in found["totals"].items() if n}
    del totals["seconds"]
    assert totals == {"cases": 4, "passed": 2, "failed": 1, "known": 1,
                      "inputs": 2 * 4210 + 65536 + 16}
    names = [case["name"] for case in found["cases"]]
    assert names == ["test_kernel.py/test_right", "test_kernel.py/test_right #2",
                     "test_kernel.py/test_wrong[</script>]", "test_kernel.py/test_known"]
    wrong, known = found["cases"][2:]
    assert wrong["status"] == "failed" and wrong["differ"] == 890 and wrong["range_count"] == 252
    assert wrong["diagnosis"] == "rounds toward zero" and len(wrong["ranges"]) == 64
    assert wrong["ranges"][0] == {
        "first": "3a800001", "last": "3affffff", "got": "00", "expected": "01",
        "value": "0.0009765626", "got_value": "0", "expected_value": "0.001953125",
        "policies": [], "last_value": "0.0019531249"}
    assert wrong["command"] == "pytest 'test_kernel.py::test_wrong[</script>]'"
    assert wrong["oracle_text"] == "assert_bits: f32 to e4m3, policy ocp, rne"
    assert known["status"] == "known" and known["known"] == "flushes"


def test_the_json_has_the_keys_of_the_suite(report):
    """Those that the comment of conformance/report/json.c lists, as the page reads them."""
    folder, _, found = report
    page = (folder / "report.html").read_text()
    script = page[page.index('"use strict"'):]
    used = set(re.findall(r"\bc\.([a-z_]+)\b", script)) - {"index", "text"}
    assert used and all(used <= set(case) for case in found["cases"])
    used = set(re.findall(r"\breport\.([a-z_]+)\b", script))
    assert used and used <= set(found)


def test_the_page(report):
    folder, _, found = report
    page = (folder / "report.html").read_text()
    assert page.count("</script>") == 2 and not re.search("@[A-Z]+@", page)
    assert "--paper" in page  # the style
    assert '<p class="verdict">1 failed; 1 known difference.</p>' in page
    start = page.index('id="report">') + len('id="report">')
    embedded = json.loads(page[start:page.index("</script>", start)])
    for data in (embedded, found):
        del data["date"], data["totals"]["seconds"]
        for case in data["cases"]:
            del case["seconds"]
    assert embedded == found


@pytest.mark.long
@pytest.mark.parametrize("path, message", [
    ("report.txt", "report.txt: expected a name that ends in .html or .json"),
    ("none/report.html", "none/report.html: there is no such folder")])
def test_a_report_that_cannot_be_written(path, message, tmp_path):
    done = run(tmp_path, "--softfp8-report", path)
    assert done.returncode == 4 and f"--softfp8-report: {message}" in done.stderr
