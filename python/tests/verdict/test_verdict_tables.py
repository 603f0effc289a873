# SPDX-License-Identifier: MIT
"""test_verdict_tables.py -- step tables: columns that do not fit, and interrupts"""
import pathlib
import signal

import numpy as np
import pytest

import softfp8 as sf
from conftest import refused
from softfp8 import vectors


@pytest.mark.parametrize("field, change, error, words", [
    ("code", lambda x: x[:3], ValueError, "code: expected 53 rows"),
    ("flags", lambda x: np.append(x, 0), ValueError, "flags: expected 53 rows"),
    ("first", lambda x: x.astype(float), TypeError, "first: expected an integer"),
    ("code", lambda x: x.astype(int) - 99, ValueError, "code: expected an integer")])
def test_a_table_whose_columns_do_not_fit_is_refused(field, change, error, words):
    table = vectors.steps("f16", "e2m1")
    assert len(table) == 53 and table.write() == vectors.steps_text("f16", "e2m1")
    setattr(table, field, change(getattr(table, field)))
    refused(error, words, table.write)
    refused(error, words, lambda: table.find([0x3C00]))


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers on this system")
@pytest.mark.parametrize("write", [lambda: vectors.steps_text("f16", "f32"),
                                   vectors.steps("f16", "e5m2").write])
def test_an_interrupt_is_never_swallowed(write):
    """An interrupted call raises KeyboardInterrupt; no part of the text gets lost."""
    right = write()

    def interrupt(signum, frame):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        for i in range(40):
            done = False
            try:
                signal.setitimer(signal.ITIMER_REAL, 2e-5 * 1.2 ** i)
                text = write()
                done = True
                signal.setitimer(signal.ITIMER_REAL, 0)
                assert text == right
            except KeyboardInterrupt:
                signal.setitimer(signal.ITIMER_REAL, 0)
                assert not done or text == right
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_the_library_calls_no_function_of_python():
    """An exception in such a function cannot reach the caller."""
    package = pathlib.Path(sf.__file__).parent
    sources = [*package.glob("*.py"), *package.glob("*/*.py")]
    assert any(path.name == "library.py" for path in sources)
    assert [path.name for path in sources if "ffi.callback" in path.read_text()] == []
