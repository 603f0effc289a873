# SPDX-License-Identifier: MIT
"""conftest.py -- what several tests need"""
import numpy as np
import pytest

NARROW = "e4m3", "e5m2", "e2m1", "e3m2", "e2m3", "e8m0", "e4m3fnuz", "e5m2fnuz"


@pytest.fixture
def rng():
    return np.random.default_rng(20261123)
