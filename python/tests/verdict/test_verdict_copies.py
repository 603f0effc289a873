# SPDX-License-Identifier: MIT
"""test_verdict_copies.py -- objects are pickled, copied and compared by what they are"""
import copy
import pickle

import numpy as np
import pytest

import softfp8 as sf
from conftest import refused
from softfp8 import kv, vectors

X = np.linspace(-500, 500, 64, dtype=np.float32).reshape(2, 32)
PLACE = kv.layout("nhd", blocks=1, slots=4, heads=2, dim=8, bits=8)


def cache():
    made = kv.Cache(PLACE, recipe="kv-vllm", scale=0.5)
    made.store(np.ones((2, 2, 8), np.float32), [0, 3])
    return made


VALUES = {
    "format": lambda: sf.e4m3, "format of fields": lambda: sf.format("e4m3 bias=11"),
    "row": lambda: sf.format_row(5, 4), "policy": lambda: sf.policy("torch-2.12"),
    "policy with fields": lambda: sf.policy("ocp round=rz", overflow="special"),
    "recipe": lambda: sf.recipe("nvfp4-te"), "recipe with fields": lambda: sf.recipe("nvfp4-te",
                                                                                     block=32),
    "unit": lambda: sf.unit("hopper-qgmma"), "unit with properties": lambda: sf.unit(
        "hopper-qgmma", "e5m2", "e4m3", fraction=20),
    "function": lambda: vectors.Function("e4m3_mulAdd"),
    "quantized": lambda: sf.quantize(X, "nvfp4-te"), "offsets": lambda: sf.quantize(X, "q4_1-gguf"),
    "columns": lambda: sf.quantize(X, "mxfp8-e4m3-even", along="columns"),
    "layout": lambda: PLACE, "strides": lambda: PLACE.with_scales(4).replace(block_stride=500),
    "cache": cache, "steps": lambda: vectors.steps("f16", "e2m1", "torch-2.12", round="rz"),
    "steps of fields": lambda: vectors.steps("f16", "e=2 m=1 nan=none"),
    "steps read": lambda: vectors.read_steps(vectors.steps_text("f16", "e2m1")),
}
WAYS = {"pickle": lambda x: pickle.loads(pickle.dumps(x)), "old pickle": lambda x: pickle.loads(
    pickle.dumps(x, 2)), "copy": copy.copy, "deepcopy": copy.deepcopy}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("value", VALUES)
def test_a_copy_is_equal(value, way):
    made = VALUES[value]()
    back = WAYS[way](made)
    assert type(back) is type(made) and (value == "cache" or repr(back) == repr(made))
    assert back == made and not back != made


@pytest.mark.parametrize("value", VALUES)
def test_different_values_are_not_equal(value):
    for other in VALUES:
        assert other == value or VALUES[value]() != VALUES[other]()
    assert VALUES[value]() != value


def test_a_copy_computes_the_same():
    for name in ("format of fields", "row"):
        made, back = VALUES[name](), WAYS["pickle"](VALUES[name]())
        assert (back.encode(X) == made.encode(X)).all() and back.name == made.name
    rules = WAYS["pickle"](VALUES["policy with fields"]())
    assert sf.convert(470.0, "e4m3", policy=rules) == 0x7E and rules.overflow == "special"
    of = WAYS["pickle"](VALUES["recipe with fields"]())
    assert of.block == 32 and sf.quantize(X, of).scales.shape == (2, 1)
    by = WAYS["pickle"](VALUES["unit with properties"]())
    assert by.fields()["fraction"] == 20 and by.dot([0x3C] * 32, [0x38] * 32) == 32
    q = WAYS["pickle"](VALUES["offsets"]())
    assert (q.dequantize() == VALUES["offsets"]().dequantize()).all()
    table = WAYS["pickle"](VALUES["steps"]())
    assert table.write() == VALUES["steps"]().write()
    assert vectors.Function("e4m3_mul")([0x38], [0x40]).tolist() == [0x40]


def test_memory_is_shared_by_a_copy_and_not_by_a_deep_one():
    made = cache()
    shared, own = copy.copy(made), copy.deepcopy(made)
    made.data[...] = 0
    assert shared == made and not shared.data.any() and own != made and own.data.any()
    q = VALUES["quantized"]()
    own = copy.deepcopy(q)
    q.codes[0, 0] ^= 1
    assert own != q and own.codes[0, 0] == q.codes[0, 0] ^ 1


def test_what_has_memory_is_no_key():
    for value in ("quantized", "cache", "steps"):
        with pytest.raises(TypeError, match="unhashable"):
            hash(VALUES[value]())
    assert len({VALUES[value]() for value in ("unit", "layout", "recipe", "function")}) == 4
    assert hash(sf.recipe("nvfp4-te", block=32)) == hash(sf.recipe("nvfp4-te", block=32))


def test_more_values_than_a_command_takes():
    refused(ValueError, "explain: 40.... words are more than the command takes at once",
            lambda: sf.explain(np.linspace(1, 2, 400000, dtype=np.float32), "e4m3"))


@pytest.mark.parametrize("argument, call", [
    ("policy", lambda bad: sf.convert(X, "e4m3", policy=bad)),
    ("round", lambda bad: sf.convert(X, "e4m3", round=bad)),
    ("via", lambda bad: sf.convert(X, "e4m3", via=bad)),
    ("format", lambda bad: sf.convert(np.ones(2, np.uint8), "e4m3", from_=bad)),
    ("recipe", lambda bad: sf.quantize(X, bad)), ("to", lambda bad: sf.convert(X, bad)),
    ("fuse", lambda bad: sf.sums.dot(X, X, fuse=bad))])
@pytest.mark.parametrize("bad", [["e4m3"], {"name": "ocp"}, np.ones(2)],
                         ids=["list", "dict", "array"])
def test_a_name_that_is_none_is_named(argument, call, bad):
    refused(TypeError, f"^{argument}: expected a name, got (list|dict|ndarray)$", lambda: call(bad))


def test_a_name_too_long_for_a_table():
    refused(ValueError, "steps: 'xxx.*' is too long for a name in a table",
            lambda: vectors.steps("f16", sf.format_row(2, 1, name="x" * 128)))
    assert len(vectors.steps("f16", sf.format_row(2, 1, name="x" * 127)))


def test_an_unknown_level_is_named():
    for call in (lambda: sf.quantize(X, "nvfp4-te", level="sse9"),
                 lambda: sf.quantize(X, "nvfp4-te").dequantize(level="sse9"),
                 lambda: sf.convert(X, "e4m3", level="sse9")):
        refused(ValueError, "level: unknown name 'sse9'", call)
    for options in {}, {"round": "sr", "random": np.arange(64, dtype=np.uint32).reshape(2, 32)}:
        assert (sf.convert(X, "e4m3", level="core", **options)
                == sf.convert(X, "e4m3", **options)).all()


def test_a_tensor_of_torch_without_values():
    torch = pytest.importorskip("torch")
    refused(TypeError, "x: expected a tensor with values, got one on meta",
            lambda: sf.convert(torch.empty(3, device="meta"), "e4m3"))
