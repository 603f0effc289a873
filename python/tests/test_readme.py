# SPDX-License-Identifier: MIT
"""test_readme.py -- the Python examples of the pages print what is shown there"""
import doctest
import pathlib

import pytest

ROOT = pathlib.Path(__file__).parents[2]


@pytest.mark.parametrize("page, least", [("python/README.md", 20), ("README.md", 2)])
def test_the_examples_of_a_page(page, least):
    if not (ROOT / page).is_file():
        pytest.skip(f"{page} is not in a source archive")
    text = (ROOT / page).read_text().replace("\n```\n", "\n\n```\n")  # an end for the output
    examples = doctest.DocTestParser().get_doctest(text, {}, page, page, 0)
    results = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(examples)
    assert results.attempted >= least and results.failed == 0
