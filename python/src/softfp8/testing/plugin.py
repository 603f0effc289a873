# SPDX-License-Identifier: MIT
"""plugin.py -- the plugin of pytest: inputs as fixtures, and the report of a run

Fixtures: all_codes, all_pairs and critical are the functions of softfp8.testing.
"""
import pathlib

import pytest

from . import inputs, report
from .message import counted

ENDS = ".html", ".json"


def pytest_addoption(parser):
    parser.getgroup("softfp8").addoption(
        "--softfp8-report", metavar="FILE",
        help="writes the assertions of softfp8.testing to FILE, which ends in .html or .json")


def pytest_configure(config):
    path = config.getoption("softfp8_report")
    if path is None:
        return
    if not path.endswith(ENDS):
        raise pytest.UsageError(f"--softfp8-report: {path}: expected a name that ends in "
                                f"{' or '.join(ENDS)}")
    if not pathlib.Path(path).absolute().parent.is_dir():
        raise pytest.UsageError(f"--softfp8-report: {path}: there is no such folder")
    if config.getoption("numprocesses", None):
        raise pytest.UsageError("--softfp8-report: one process writes the report; run pytest "
                                "without -n")
    report.recorder = report.Recorder()


def pytest_unconfigure(config):
    report.recorder = None


def pytest_runtest_logstart(nodeid):
    if report.recorder:
        report.recorder.test = nodeid


@pytest.hookimpl(hookwrapper=True)  # the form that every release of pytest knows
def pytest_runtest_makereport(item, call):
    result = (yield).get_result()
    if report.recorder and call.when == "call" and result.skipped and hasattr(result, "wasxfail"):
        report.recorder.expected_to_fail(result.wasxfail)


def pytest_terminal_summary(terminalreporter, config):
    if report.flips:
        terminalreporter.write_line("softfp8: an uncertainty excused "
                                    f"{counted(sum(report.flips), 'result')} in "
                                    f"{counted(len(report.flips), 'assertion')}")
    if report.recorder is None:
        return
    path = config.getoption("softfp8_report")
    report.recorder.write(path)
    failed = sum(case["status"] == "failed" for case in report.recorder.cases)
    terminalreporter.write_line(f"softfp8: {len(report.recorder.cases)} assertions, {failed} "
                                f"failed: {path}")


@pytest.fixture(scope="session")
def all_codes():
    """all_codes(fmt): every code of a format of up to 20 bits."""
    return inputs.all_codes


@pytest.fixture(scope="session")
def all_pairs():
    """all_pairs(fmt): every pair of codes of a format of up to 8 bits."""
    return inputs.all_pairs


@pytest.fixture(scope="session")
def critical():
    """critical(from_, to): the inputs where the result of a conversion changes."""
    return inputs.critical


@pytest.fixture(scope="session")
def critical_tensor():
    """critical_tensor(recipe, from_): a tensor that shows what is wrong in a quantizer."""
    return inputs.critical_tensor
