# SPDX-License-Identifier: MIT
"""conftest.py -- what several tests need"""
import os

import numpy as np
import pytest

SHORT = os.environ.get("SOFTFP8_TIER") == "short"
NARROW = "e4m3", "e5m2", "e2m1", "e3m2", "e2m3", "e8m0", "e4m3fnuz", "e5m2fnuz"


@pytest.fixture
def rng():
    return np.random.default_rng(20261123)


def refused(error, words, call):
    """Asserts that a call raises an error whose message has these words."""
    with pytest.raises(error, match=words):
        call()


def pytest_collection_modifyitems(config, items):
    """In the short tier the tests with the mark `long` are left out, and pytest says how many."""
    long = [item for item in items if SHORT and item.get_closest_marker("long")]
    if long:
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if item not in long]
