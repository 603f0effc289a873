# SPDX-License-Identifier: MIT
"""test_benchmarks.py -- python -m softfp8.benchmarks: its rows; times are not tested"""
import re

from softfp8 import benchmarks


def test_each_conversion_and_each_package(capsys, monkeypatch):
    monkeypatch.setattr(benchmarks, "PEERS", ("numpy", "no_such_package"))
    benchmarks.main(["--sizes", "16", "100", "--rounds", "1"])
    lines = capsys.readouterr().out.splitlines()
    assert re.match(r"numpy +\d+\.", lines[0])
    assert lines[1] == ("no_such_package absent: ModuleNotFoundError: "
                        "No module named 'no_such_package'")
    rows = [line for line in lines if " to " in line]
    number = r"\d+\.\d{3}"
    assert [row[:12].split() for row in rows] == [
        case.replace(" ", " to ").split() for case in benchmarks.CASES for _ in "12"]
    for row in rows:  # only from f32 to f16 has NumPy both types
        peer = rf"{number} \(\d+\.\d\)" if "f16  " in row and "bf16" not in row else "-"
        assert re.fullmatch(rf".{{12}} +(16|100) +{number} +{number} \(\d+\.\d\) +{peer}", row), row
