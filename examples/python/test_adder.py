# SPDX-License-Identifier: MIT
"""test_adder.py -- runs the bench of an FP8 adder in Icarus Verilog, and again with a mistake"""
import os
import pathlib
import sys

import pytest

HERE = pathlib.Path(__file__).parent


def run_bench(folder, **parameters):
    """Simulates adder.v. Returns whether the bench passed; it prints why not."""
    runner = pytest.importorskip("cocotb_tools.runner").get_runner("icarus")
    runner.build(sources=[HERE / "adder.v"], hdl_toplevel="adder", build_dir=folder,
                 parameters=parameters)
    results = folder / "results.xml"
    try:
        runner.test(test_module="bench_adder", hdl_toplevel="adder", build_dir=folder,
                    test_dir=folder, results_xml=results,
                    extra_env={"PYTHONPATH": os.pathsep.join([str(HERE), *sys.path])})
    except SystemExit:  # a test of the bench failed
        pass
    return "<failure" not in results.read_text()


def test_the_adder(tmp_path):
    assert run_bench(tmp_path)


def test_a_mistake_is_noticed(tmp_path, capfd):
    assert not run_bench(tmp_path, TIES_AWAY=1)
    assert "3,160 of 65,536 codes" in capfd.readouterr().out
