# SPDX-License-Identifier: MIT
"""test_headers.py -- every function of the public headers is reached from Python, or has a reason

The headers are read as text, so that a function that is added there fails here until the package
reaches it.
"""
import pathlib
import re

import pytest

import softfp8
from softfp8._binding import ffi, lib
from softfp8._base.library import rows, text

PACKAGE = pathlib.Path(softfp8.__file__).parent
HEADERS = pathlib.Path(__file__).parents[2] / "lib" / "include"
SOURCE = "\n".join(path.read_text() for path in sorted(PACKAGE.rglob("*.py")))

# Why Python does not call these.
NOT_CALLED = {
    "sf8_convert": "one element of sf8_convert_n",
    "sf8_convert_flags": "py_call_n",
    "sf8_convert_sr": "one element of sf8_convert_sr_n",
    "sf8_convert_seeded_n": "sf8_convert_sr_n with the words of sf8_random_n",
    "sf8_abs_flags": "py_call_n",
    "sf8_copy_sign_flags": "py_call_n",
    "sf8_from_i64": "py_call_n with SF8_OP_FROM_INTEGER",
    "sf8_from_u64": "py_call_n with SF8_OP_FROM_INTEGER",
    "sf8_from_i64_sr": "py_call_n with SF8_OP_FROM_INTEGER",
    "sf8_from_u64_sr": "py_call_n with SF8_OP_FROM_INTEGER",
    "sf8_to_integer": "py_call_n with SF8_OP_TO_INTEGER",
    "sf8_scalb": "one element of sf8_scalb_n",
    "sf8_scalb_sr": "py_scalb_n",
    "sf8_compare": "py_compare_n",
    "sf8_compare_signaling": "py_compare_n",
    "sf8_function_call": "py_call_n",
    "sf8_structure_size": "for bindings that write the structures down; cffi reads the headers",
    "sf8_structure_at": "for bindings that write the structures down; this test uses it",
    "sf8_mma_read": "sf8_mma_named finds the same rows",
    **{f"sf8_steps_write{part}": "py_steps_text" for part in ("", "_head", "_row", "_end")},
    "sf8_evidence_how": "for the command; the evidence is a text that says it",
    **{f"sf8_check_{name}": "softfp8.testing calls sf8_test_results"
       for name in ("cast", "codes", "free")},
    **{f"sf8_check_{name}_within": "softfp8.testing calls sf8_judge_cast and sf8_judge_blocks"
       for name in ("cast", "blocks")},
    **{f"sf8_check_{name}": f"softfp8.testing calls sf8_diagnose_{name}"
       for name in ("attention", "same_attention")},
    **{f"sf8_{name}": "identify_mma and identify ask the command, which calls it"
       for name in ("diagnose_unit", "unit_diagnosis_free", "diagnose_operation", "diagnose_random")},
    "sf8_function_rounds": "for the titles of reports, and for tags of cases",
    "sf8_mixed": "softfp8.vectors.Function calls operations on mixed formats by name",
    **{f"sf8_{name}": "of C alone" for name in ("reduce_add", "reduce_mul", "dot")},
    "sf8_attend_order_named": "sf8_attend_order_read reads names too",
    "sf8_attend_order_check": "sf8_attend_order_reason says it in words",
    "sf8_stage_named": "sf8_stage_read reads names too",
    "sf8_policy_read": "policy() cuts the text into words, since it knows products too",
}
OPERATIONS = [text(op) for op in rows(lib.sf8_function_op_at)]


def declared():
    """The functions that the headers declare, also those that their macros make."""
    found = set()
    for header in HEADERS.glob("*.h"):
        content = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
        found |= set(re.findall(r"SF8_API[^;{]*?\b(sf8_\w+)\(", content))
    return {name for name in found if "##" not in name and name != "sf8_"}


def by_operation():
    """The functions that Format calls by the name of an operation."""
    symbols = {"mulAdd": "fma", "roundToInt": "rint"}
    names = {symbols.get(op, op) for op in OPERATIONS}
    return {f"sf8_{name}{suffix}" for name in names for suffix in ("", "_sr", "_n", "_sr_n")}


@pytest.mark.skipif(not HEADERS.is_dir(), reason="the headers are not beside the tests")
def test_every_function_of_the_headers_is_bound():
    assert len(declared()) > 150
    assert declared() - set(dir(lib)) == set()


def bound():
    return {name for name in dir(lib) if name.startswith("sf8_")}


def test_every_function_is_called_or_has_a_reason():
    called = set(re.findall(r"lib\.(sf8_\w+)", SOURCE)) | by_operation() | \
        {f"sf8_f32_{name}_n" for name in ("exp2", "exp", "log", "log2", "tanh")}
    assert bound() - called - set(NOT_CALLED) == set()
    assert set(NOT_CALLED) - bound() == set(), "a reason for a function that does not exist"
    directly = set(re.findall(r"lib\.(sf8_\w+)", SOURCE))
    assert set(NOT_CALLED) & directly == set(), "a reason for a function that is called"


def test_every_operation_is_a_method():
    names = {"mulAdd": "fma", "roundToInt": "rint", "class": "class_"}
    assert [op for op in OPERATIONS if not hasattr(softfp8.Format, names.get(op, op))] == []


def test_structures_have_the_size_that_the_library_has():
    size = ffi.new("size_t *")
    names = [text(name) for name in rows(lambda i: lib.sf8_structure_at(i, size))]
    assert "sf8_recipe" in names
    for name in names:
        assert ffi.sizeof(name) == lib.sf8_structure_size(name.encode()), name


def test_one_version():
    from importlib.metadata import version

    assert softfp8.__version__ == version("softfp8")
