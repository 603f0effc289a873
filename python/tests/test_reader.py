# SPDX-License-Identifier: MIT
"""test_reader.py -- the reader of examples/readers: it accepts JSON vectors, and finds a wrong digit"""
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
READER = ROOT / "examples" / "readers" / "reader.py"
FILES = ["f16_to_e2m1-ocp", "p3109_k3p2sf_mulAdd-ocp"] + [
    pytest.param(name, marks=pytest.mark.long)
    for name in ("e4m3_to_i8-ocp", "e4m3_roundToInt-ocp", "e2m1_div-ocp")]


def read(path):
    done = subprocess.run([sys.executable, READER, path], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("name", FILES)
def test_a_file_and_one_wrong_digit(name, tmp_path):
    text = (ROOT / "vectors" / "json" / f"{name}.json").read_text()
    status, said = read(ROOT / "vectors" / "json" / f"{name}.json")
    assert status == 0 and " cases, 0 wrong" in said, said
    lines = text.split("\n")
    at = lines[40].index('"flags": "') + len('"flags": "') + 1
    lines[40] = lines[40][:at] + ("0" if lines[40][at] == "1" else "1") + lines[40][at + 1:]
    wrong = tmp_path / "wrong.json"
    wrong.write_text("\n".join(lines))
    status, said = read(wrong)
    case = lines[40].split('"')[3]
    assert status == 1 and said.startswith(f"{case}: expected ") and ", 1 wrong" in said, said
