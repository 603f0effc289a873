# SPDX-License-Identifier: MIT
"""test_readme.py -- the Python examples of the pages print what is shown there"""
import doctest
import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
GUIDE, MESSAGES = "docs/guides/python-tests.md", "docs/guides/python-test-messages.md"


def text_of(page):
    if not (ROOT / page).is_file():
        pytest.skip(f"{page} is not in a source archive")
    return (ROOT / page).read_text()


@pytest.mark.parametrize("page, least, flags", [
    ("python/README.md", 20, doctest.ELLIPSIS), ("README.md", 5, doctest.ELLIPSIS), (GUIDE, 13, 0),
    ("docs/guides/decode-and-prefill.md", 8, 0),
    ("docs/guides/batch-changes-answer.md", 4, 0), ("docs/guides/flips.md", 7, 0),
    ("docs/guides/scales-differ.md", 11, 0),
    (MESSAGES, 20, 0)])
def test_the_examples_of_a_page(page, least, flags):
    text = text_of(page).replace("\n```\n", "\n\n```\n")  # an end for the output
    examples = doctest.DocTestParser().get_doctest(text, {}, page, page, 0)
    results = doctest.DocTestRunner(optionflags=flags).run(examples)
    assert results.attempted >= least and results.failed == 0


@pytest.mark.parametrize("page", [GUIDE, "README.md"])
def test_the_first_test_of_a_page(page, tmp_path):
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", text_of(page), re.S | re.M)
    code = next(text for kind, text in blocks if kind == "python" and "def test_" in text)
    shown = next(text for kind, text in blocks if kind == "text")
    (tmp_path / "test_cast.py").write_text(code)
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith("PYTEST")}
    done = subprocess.run([sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--rootdir",
                           str(tmp_path), "test_cast.py"], cwd=tmp_path, env=environment,
                          capture_output=True, text=True)
    assert done.returncode == 1
    printed = "".join(line for line in done.stdout.splitlines(True) if line.startswith("E "))
    pieces = [re.escape(piece) for piece in shown.split("...\n")]  # lines that are left out
    assert re.fullmatch("(?:E .*\n)+".join(pieces), printed)


def test_there_are_ten_mistakes():
    text = text_of(MESSAGES)
    mistakes = re.findall(r"^## (\d+)\. .*?^  likely mistake: (.*?)$", text, re.S | re.M)
    assert [int(number) for number, _ in mistakes] == list(range(1, 11))
    assert not any(words.startswith("none") for _, words in mistakes)
