# SPDX-License-Identifier: MIT
"""test_refused.py -- calls with wrong arguments: refused/ has them, and the errors that name them"""
import doctest
import pathlib

import pytest

TEXTS = pathlib.Path(__file__).parent / "refused"


@pytest.mark.parametrize("text", sorted(path.name for path in TEXTS.glob("*.txt")))
def test_bad_input_names_the_argument(text):
    failed, tried = doctest.testfile(str(TEXTS / text), module_relative=False, encoding="utf-8",
                                     optionflags=doctest.ELLIPSIS)
    assert tried > 5 and not failed
