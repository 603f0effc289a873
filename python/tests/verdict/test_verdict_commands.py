# SPDX-License-Identifier: MIT
"""test_verdict_commands.py -- the command in a report repeats the test, whatever its name has"""
import shlex

import pytest

from softfp8.testing import report
from softfp8.testing.message import Why


@pytest.mark.parametrize("test", ["t.py::test_x[<a b>]", "t.py::test_x[it's $(true) `x`]",
                                  "t.py::test_x['; echo 1; ']", 't.py::test_x["\\]'])
def test_a_shell_reads_the_name_of_the_test(test, monkeypatch):
    monkeypatch.setattr(report, "recorder", report.Recorder())
    report.recorder.test = test
    report.failed(report.begin("assert_bits", 1), "", 1, Why())
    (case,) = report.recorder.cases
    assert shlex.split(case["command"]) == ["pytest", test]
