# SPDX-License-Identifier: MIT
"""test_command.py -- the command, and the answers that it gives to Python"""
import re
import subprocess
import sys

import numpy as np
import pytest

import softfp8 as sf
from softfp8._base.command import PATH
from softfp8._base.names import _NO_SINGLE_FORMAT
from test_arrays import typed


def test_the_command_comes_with_the_package():
    for start in ([sys.executable, "-m", "softfp8"], [PATH]):
        done = subprocess.run([*start, "--version"], capture_output=True, text=True)
        assert done.returncode == 0 and sf.__version__ in done.stdout
    bad = subprocess.run([sys.executable, "-m", "softfp8", "none-such"], capture_output=True)
    assert bad.returncode == 2


def test_explain():
    why = sf.explain(500.0, to="e4m3")
    assert str(why).startswith("500 -> e4m3 7e = 448  (policy ocp)")
    assert why.data["result"] == {"code": "7e", "fields": "0 1111 110", "value": "0x1.cp+8",
                                  "flags": {"bits": "05", "names": ["overflow", "inexact"]}}
    assert sf.explain(500, "e4m3", policy="ocp-nosat").data["result"]["code"] == "7f"
    assert sf.explain(17, "e4m3", round="rz").data["result"]["code"] == "58"
    changed = sf.policy("ocp", overflow="special")
    assert sf.explain(500, "e4m3", policy=changed).data["result"]["code"] == "7f"
    assert len(sf.explain(np.array([0.1, -np.inf, np.nan], np.float32), "e4m3").data) == 3
    code = sf.explain(np.array([0x5C40], np.uint16), "e4m3", from_="f16")
    assert code.data["from"]["format"] == "f16"
    row = np.linspace(-1, 1, 16, dtype=np.float32)
    block = sf.explain(row, recipe="nvfp4-te", global_scale=448)
    assert "nvfp4-te" in str(block)
    with pytest.raises(ValueError, match="to, recipe"):
        sf.explain(1.0)
    with pytest.raises(sf.CommandError, match="explain"):
        sf.explain(1.0, "e4m3", policy="none")


@pytest.mark.parametrize("package", ["ml_dtypes", "torch"])
def test_explain_takes_the_values_of_typed_arrays(package):
    make = typed(package)
    for name, dtype in (("bf16", "bfloat16"), ("f16", "float16"), ("e5m2", "float8_e5m2")):
        codes = sf.convert(np.array([1.5, -448], np.float32), name, dtype="codes")
        x = make(codes if codes.itemsize == 1 else codes.view(np.int16), dtype)
        assert [int(a["result"]["code"], 16) for a in sf.explain(x, "e4m3").data] == [0x3C, 0xFE]
        assert [a["from"]["format"] for a in sf.explain(x, "e4m3", from_=name).data] == [name] * 2
    row = make(sf.convert(np.arange(16, dtype=np.float32), "bf16").view(np.int16), "bfloat16")
    assert str(sf.explain(row, recipe="nvfp4-te", global_scale=448)) == \
        str(sf.explain(np.arange(16, dtype=np.float32), recipe="nvfp4-te", global_scale=448))
    with pytest.raises(TypeError, match="value: expected codes of e4m3 .*got float8_e5m2"):
        sf.explain(make(np.zeros(2, np.uint8), "float8_e5m2"), "f32", from_="e4m3")


def test_explain_agrees_with_convert(rng):
    x = (rng.standard_normal(200) * 10.0 ** rng.integers(-4, 4, 200)).astype(np.float32)
    answers = sf.explain(x, "e4m3").data
    assert [int(a["result"]["code"], 16) for a in answers] == sf.convert(x, "e4m3").tolist()


@pytest.mark.parametrize("name", sorted(_NO_SINGLE_FORMAT))
def test_a_name_of_several_formats_is_refused_as_by_the_command(name):
    with pytest.raises(ValueError) as error:
        sf.format(name)
    said = re.sub(r"softfp8\.recipes\(\)", "'softfp8 recipes'", str(error.value))
    done = subprocess.run([PATH, "formats", name], capture_output=True, text=True)
    assert done.returncode == 2
    command = re.sub("'softfp8 recipes [^']*'", "'softfp8 recipes'", done.stderr)
    assert command == f"softfp8 {said.replace('format:', 'formats:')}\n"


def test_identify():
    x = sf.f16.all_codes()
    codes = sf.convert(x, "e4m3", from_="f16", policy="torch-2.12")
    who = sf.identify(x, codes, "f16", "e4m3")
    assert who.data["explained"] and "torch-2.12" in str(who)
    assert sf.identify(None, codes, "f16", "e4m3").data["explained"]
    assert sf.identify(x.view(np.float16), codes, "f16", "e4m3").data["explained"]
    flushed = np.where((codes & 0x7F) < 8, codes & 0x80, codes)
    answer = sf.identify(x, flushed, "f16", "e4m3").data
    assert not answer["explained"]
    assert answer["diagnosis"]["changes"][0]["field"] == "flush"
    assert sf.identify(x, codes, "f16", "e4m3", product="ocp").data["explained"]
    with pytest.raises(ValueError, match="codes: expected 65536"):
        sf.identify(x, codes[1:], "f16", "e4m3")
    with pytest.raises(TypeError, match="inputs: expected codes of f16"):
        sf.identify(codes, codes, "f16", "e4m3")


@pytest.mark.parametrize("package", ["ml_dtypes", "torch"])
def test_identify_takes_the_formats_of_the_dtypes(package):
    make, x = typed(package), sf.bf16.all_codes()
    codes = sf.convert(x, "e5m2", from_="bf16", policy="cuda-satfinite")
    who = sf.identify(make(x.view(np.int16), "bfloat16"), make(codes, "float8_e5m2"))
    assert str(who) == str(sf.identify(x, codes, "bf16", "e5m2")) and who.data["explained"]
    with pytest.raises(TypeError, match="codes: an array of uint8 needs to"):
        sf.identify(make(x.view(np.int16), "bfloat16"), codes)
    with pytest.raises(TypeError, match="inputs: an array of uint16 needs from_"):
        sf.identify(x, make(codes, "float8_e5m2"))
    with pytest.raises(TypeError, match="from_: needed where inputs is None"):
        sf.identify(None, make(codes, "float8_e5m2"))
    with pytest.raises(TypeError, match="codes: expected codes of e4m3 .*got float8_e5m2"):
        sf.identify(x, make(codes, "float8_e5m2"), "bf16", "e4m3")


def test_two_codes_of_one_input_are_named_by_their_elements():
    x = np.array([[1, 2, 3], [4, 2, 5]], np.float16)
    codes = sf.convert(x, "e4m3")
    codes[1, 1] += 1
    with pytest.raises(ValueError, match=r"^codes: element \[1, 1\] is 41, but element \[0, 1\] is 40, "
                       "and both have the input 4000; expected one code for an input$"):
        sf.identify(x, codes, to="e4m3")


@pytest.mark.parametrize("words", [["vllm"], ["vllm", "nvfp4"], ["DeepSeek"], ["nvfp4-te"]])
def test_recipes_are_found_as_by_the_command(words):
    assert sf.recipes(*words) == sf.command.run("recipes", "--names", *words).split()
    assert set(sf.recipes(*words)) <= set(sf.recipes())


def test_policies_are_found_by_products():
    shown = sf.command.run("policies", "torch")
    assert sf.policies("torch") == list(dict.fromkeys(
        line.rpartition(": ")[2] for line in shown.splitlines() if line.startswith("  ")))
    assert sf.policies("pytorch") == sf.policies("torch")
    assert sf.policies("ocp", "ocp-nosat") == ["ocp", "ocp-nosat"]
