# SPDX-License-Identifier: MIT
"""conftest.py -- what several tests need"""
import os

import numpy as np
import pytest

# The short tier takes fewer inputs; `tools/test all`, which sets SOFTFP8_LONG, has its long tests
# too, but for those of python.testing.
FEWER = os.environ.get("SOFTFP8_TIER") == "short"
SHORT = FEWER and not os.environ.get("SOFTFP8_LONG")
NARROW = "e4m3", "e5m2", "e2m1", "e3m2", "e2m3", "e8m0", "e4m3fnuz", "e5m2fnuz"


@pytest.fixture
def rng():
    return np.random.default_rng(20261123)


def refused(error, words, call):
    """Asserts that a call raises an error whose message has these words."""
    with pytest.raises(error, match=words):
        call()


def failure_of(assertion, *arguments, **options):
    """The message of an assertion that has to fail."""
    with pytest.raises(AssertionError) as caught:
        assertion(*arguments, **options)
    return str(caught.value)


def line(message, title):
    """One line of a message, without its title; "" if it is not there."""
    found = [row.strip() for row in message.splitlines() if row.strip().startswith(title + ":")]
    return found[0].removeprefix(title + ":").strip() if found else ""


def mistakes(message):
    """All likely mistakes of a message, in words."""
    return line(message, "likely mistake").split("; or ")


def unnamed(message):
    """Whether the message names nothing that a kernel does instead."""
    return not line(message, "likely mistake") and not line(message, "matches instead")


def pytest_collection_modifyitems(config, items):
    """The short tier leaves out tests with the marks `long` and `wide`, and pytest says how many."""
    marks = {name for name, is_out in (("long", SHORT), ("wide", FEWER)) if is_out}
    out = [item for item in items if marks & {mark.name for mark in item.iter_markers()}]
    if out:
        config.hook.pytest_deselected(items=out)
        items[:] = [item for item in items if item not in out]
