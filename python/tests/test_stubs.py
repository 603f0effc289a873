# SPDX-License-Identifier: MIT
"""test_stubs.py -- the type stubs are those of the package: binding/stubs.py writes them"""
import ast
import importlib.util
import pathlib

import pytest

import softfp8

WRITER = pathlib.Path(__file__).parents[1] / "binding" / "stubs.py"


@pytest.fixture(scope="module")
def writer():
    spec = importlib.util.spec_from_file_location("stubs", WRITER)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["__init__", "kv", "sums", "vectors", "testing/__init__"])
def test_a_stub_is_up_to_date(name, writer):
    text = (pathlib.Path(softfp8.__file__).parent / f"{name}.pyi").read_text()
    assert text == writer.stub(name), "run binding/stubs.py"
    ast.parse(text)


def test_the_operations_of_a_format_are_in_the_stub(writer):
    tree = ast.parse(writer.stub("__init__"))
    methods = {item.name for node in tree.body if getattr(node, "name", "") == "Format"
               for item in node.body if isinstance(item, ast.FunctionDef)}
    assert {"add", "fma", "rint", "class_", "compare", "encode", "minimum_number"} <= methods
