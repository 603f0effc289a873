# SPDX-License-Identifier: MIT
"""test_vectors.py -- functions by name, and step tables"""
import numpy as np
import pytest

import softfp8 as sf
from softfp8.command import run
from softfp8.vectors import Function, read_steps, steps, steps_text


def test_functions_by_name():
    a = sf.e4m3.all_codes()
    assert (Function("e4m3_add")(a, a) == sf.e4m3.add(a, a)).all()
    assert (Function("e4m3_lt")(a, np.uint8(0x38)) == sf.e4m3.lt(a, 0x38)).all()
    assert Function("f32_to_e4m3")(np.array([0x43FA0000], np.uint32)).tolist() == [0x7E]
    assert Function("ui8_to_e4m3")(np.array([3], np.uint8)).tolist() == [0x44]
    assert Function("e4m3_to_i8")(np.array([0x44], np.uint8)).tolist() == [3]
    result, flags = Function("e4m3_div")([0x38], [0x00], flags=True)
    assert flags.tolist() == [sf.DIVBYZERO]


@pytest.mark.parametrize("to, policy", [("e4m3", "ocp"), ("e5m2", "torch-2.12"), ("e2m1", "ocp")])
def test_a_table_is_the_whole_conversion(to, policy):
    table = steps("f16", to, policy)
    codes = sf.f16.all_codes()
    assert (table.expand(codes) == sf.convert(codes, to, from_="f16", policy=policy)).all()


def test_the_text_is_that_of_the_command():
    text = steps_text("f32", "e4m3", "ocp")
    assert text == run("gen", "--steps", "--policy", "ocp", "f32_to_e4m3")
    table = read_steps(text)
    assert (table.from_, table.to, table.policy) == ("f32", "e4m3", "ocp")
    assert table.write() == text
    with pytest.raises(ValueError, match="line 1: expected"):
        read_steps("nonsense\n")


@pytest.mark.parametrize("call, error, words", [
    (lambda: Function("e4m3_plus"), ValueError, "function:.*e4m3_plus"),
    (lambda: Function("e4m3_add")([1]), TypeError, "takes 2 operands, got 1"),
    (lambda: steps("f32", "f64"), ValueError, "steps of f32 to f64"),
])
def test_bad_input_names_the_argument(call, error, words):
    with pytest.raises(error, match=words):
        call()
