# SPDX-License-Identifier: MIT
"""test_boundary.py -- calls with wrong arguments end in TypeError or ValueError, and write nothing

Each function has a valid call here. Hypothesis replaces one or two of its arguments by others:
wrong dtypes, shapes, strides, sizes and names. SOFTFP8_FUZZ is the number of calls; sanitizer.sh
runs more of them, under the address sanitizer.
"""
import inspect
import os
import re

import numpy as np
import pytest

import softfp8 as sf
from conftest import FEWER
from softfp8 import kv, sums, vectors

hypothesis = pytest.importorskip("hypothesis")
st = hypothesis.strategies
EXAMPLES = int(os.environ.get("SOFTFP8_FUZZ", 200 if FEWER else 2000))

X = np.linspace(-500, 500, 64, dtype=np.float32).reshape(4, 16)
C = sf.convert(X, "e4m3")
T = np.linspace(-2, 2, 5 * 2 * 8, dtype=np.float32).reshape(5, 2, 8)
Q = sf.quantize(X, "nvfp4-te")
PLACE = kv.layout("nhd", blocks=2, slots=4, heads=2, dim=8, bits=8)
SCALED = PLACE.with_scales(8)
CACHE = kv.Cache(PLACE, recipe="kv-vllm", scale=0.5)
STATE = np.ones((3, 4), np.float32), np.zeros(3, np.float32)
STEPS = vectors.steps_text("f16", "e2m1")

LATENT = kv.Cache(kv.layout("nhd", blocks=2, slots=4, heads=2, dim=8, bits=32), words="f32")
TAILED = kv.Cache(kv.layout("ds-mla", blocks=1, slots=4, heads=1, dim=512, bits=8),
                  recipe="kv-vllm-ds-mla")
REQUEST = sf.Request(T, sf.cache_of(T), sf.cache_of(T))
TABLE = vectors.steps("f16", "e2m1")


# Methods, and objects whose arrays a caller has replaced.


def copied(memory):
    """Other memory of the same kind, which a call may write to."""
    if isinstance(memory, np.ndarray):
        return np.copy(memory, subok=True) if memory.flags.writeable else memory
    return bytearray(memory) if isinstance(memory, bytearray) else \
        memoryview(np.array(memory)) if isinstance(memory, memoryview) else memory


def stored_in(data, scales, scale, tokens, slots):
    """A cache whose memory was replaced, written and read, and attention over it."""
    cache = kv.Cache(PLACE.with_scales(8, 8), recipe=sf.recipe("mxfp8-e4m3-even", block=8))
    cache.data, cache.scales, cache.scale = copied(data), copied(scales), scale
    cache.store(tokens, slots)
    cache.gather(slots)
    kv.unlike(cache, CACHE)
    return sf.Request(T, cache, cache).run()


def requested(**given):
    return sf.Request(**given).run()


def part(first, last):
    return REQUEST.part(first, last)


def joined(first, last, pieces):
    return REQUEST.join([(first, last, pieces)])


def quantized(codes, scales, offsets, global_scale, along, x):
    """Every method of a tensor with these parts."""
    q = sf.Quantized(sf.recipe("nvfp4-te"), codes, scales, offsets, global_scale, along)
    q.dequantize(), q.packed(), q.layout("128x4"), q.scale_values(), q.requantize("mxfp4-even")
    return q.errors(x), q.matmul(Q), Q.matmul(q)


def imaged(codes, scales):
    return sf.Quantized(sf.recipe("q8_0-gguf"), codes, scales, None, 1.0).image()


def called(a, b, c, **options):
    return vectors.Function("e4m3_mulAdd")(a, b, c, **options)


def multiplied(a, b):
    row = sf.Quantized(Q.recipe, a, Q.scales[:1], None, 1.0), \
        sf.Quantized(Q.recipe, b, Q.scales[:1], None, 1.0)
    return row[0].dot(row[1]), row[0].alpha(row[1])


def table(first, code, flags, x):
    steps = vectors.Steps("f16", "e2m1", "ocp", 0, first, code, flags, TABLE._head)
    return steps.find(x), steps.write()


# What is replaced: the function, and the arguments of a valid call by name.
CALLS = {
    "convert": (sf.convert, dict(x=X, to="e4m3", policy="ocp", round=None, via=None, random=None,
                                 from_=None, out=None, dtype=None, flags=False, level=None)),
    "convert_codes": (sf.convert, dict(x=C, to="f32", from_="e4m3", out=None)),
    "convert_random": (sf.convert, dict(x=X, to="e4m3", round="sr", out=None,
                                        random=np.arange(64, dtype=np.uint32).reshape(4, 16))),
    "random_words": (sf.random_words, dict(shape=(2, 3), seed=1, first=5)),
    "convert_integers": (sf.convert, dict(x=np.arange(9, dtype=np.int32), to="e4m3", from_="i32")),
    "decode": (sf.decode, dict(codes=C, format="e4m3", to="f32", out=None, dtype=None)),
    "to_integer": (sf.to_integer, dict(codes=C, from_="e4m3", to="i32", policy="ocp", round=None,
                                       exact=False, out=None, flags=False)),
    "pack": (sf.pack, dict(codes=C, bits=8)),
    "unpack": (sf.unpack, dict(packed=C, bits=3, n=5)),
    "add": (sf.e4m3.add, dict(a=C, b=C, policy="ocp", round=None, out=None, flags=False)),
    "fma": (sf.e4m3.fma, dict(a=C, b=C, c=C, out=None)),
    "scalb": (sf.e4m3.scalb, dict(a=C, exponents=np.arange(16), out=None, flags=True)),
    "compare": (sf.e4m3.compare, dict(a=C, b=C, flags=True)),
    "text": (sf.e4m3.text, dict(codes=C[0, :3], style="hex")),
    "parse": (sf.e4m3.parse, dict(string="0x1p3", policy="ocp", round=None)),
    "is_nan": (sf.e4m3.is_nan, dict(codes=C)),
    "format": (sf.format, dict(name="e4m3")),
    "format_row": (sf.format_row, dict(exp_bits=4, man_bits=3, nan="ieee", bias=None)),
    "policy": (sf.policy, dict(name="ocp", to="e4m3", from_="f32", overflow="special")),
    "recipe": (sf.recipe, dict(name="nvfp4-te", block=32, element_of="x")),
    "policies": (lambda word: sf.policies(word), dict(word="torch")),
    "recipes": (lambda word: sf.recipes(word), dict(word="vllm")),
    "valid_program": (sf.valid_program, dict(program="amax 448 /")),
    "quantize": (sf.quantize, dict(x=X, recipe="nvfp4-te", global_scale=None, along="rows",
                                   from_=None, level=None)),
    "stage": (sf.stage, dict(name="rms-norm w=W eps=1e-6 | via=bf16")),
    "Stage.run": (sf.stage("rms-norm w=W").run, dict(x=X, from_=None, W=X[0])),
    "Stage.bounds": (sf.stage("add r=R | silu ulps=2").bounds,
                     dict(x=X, upper=X + np.float32(1), from_=None, R=X)),
    "Stage.columns": (sf.stage("silu-gate").columns, dict(columns=8)),
    "dequantize": (sf.dequantize, dict(codes=Q.codes, scales=Q.scales, recipe="nvfp4-te",
                                       offsets=None, global_scale=1.0, to="f32", along="rows",
                                       level=None)),
    "quantize_packed": (sf.quantize_packed, dict(x=X, recipe="nvfp4-te", global_scale=None,
                                                 from_=None, level=None)),
    "dequantize_packed": (sf.dequantize_packed, dict(
        packed=Q.packed(), scales=Q.scales, recipe="nvfp4-te", columns=16,
        global_scale=1.0, to="f32", level=None)),
    "unpack_codes": (sf.unpack_codes, dict(packed=Q.packed(), recipe="nvfp4-te", columns=16)),
    "load_image": (sf.load_image, dict(image=sf.quantize(np.ones((2, 32), np.float32), "q8_0-gguf")
                                       .image(), recipe="q8_0-gguf", rows=2, columns=32)),
    "layout_size": (sf.layout_size, dict(name="128x4", rows=4, columns=4)),
    "layout_store": (sf.layout_store, dict(scales=C, name="128x4")),
    "layout_load": (sf.layout_load, dict(stored=np.zeros(512, np.uint8), name="128x4", rows=4,
                                         columns=4)),
    "kivi_pack": (sf.kivi_pack, dict(codes=np.ones((16, 16), np.uint8), bits=2, side="keys")),
    "kivi_unpack": (sf.kivi_unpack, dict(packed=np.ones((2, 2), np.uint32), bits=2, side="keys")),
    "kivi_tail": (sf.kivi_tail, dict(tokens=9, residual=4, side="keys")),
    "unit": (sf.unit, dict(name="hopper-qgmma", a="e4m3", b=None, out="f32", fraction=25)),
    "unit_takes": (sf.unit_takes, dict(name="hopper-qgmma", a="e4m3", b="e4m3", out="f32")),
    "dot": (sf.unit("hopper-qgmma").dot, dict(a=np.zeros(32, np.uint8), b=np.zeros(32, np.uint8),
                                              c=0.0, scale_a=None, scale_b=None)),
    "mma": (sf.mma, dict(name="hopper-qgmma", a=np.ones((2, 32), np.uint8),
                         b=np.ones((32, 3), np.uint8), c=None, from_="e4m3", from_b=None, to="f32",
                         scale_a=None, scale_b=None, schedule=None, promote=0, splits=1,
                         level=None)),
    "mma_stretches": (sf.mma, dict(name="hopper-qgmma", a=np.ones((2, 96), np.uint8),
                                   b=np.ones((96, 2), np.uint8), from_="e4m3", promote=2, splits=0,
                                   scaling="sum-first", stretch_scales=(X[:2, :2], X[:2, :2]))),
    "mma_scales": (sf.mma, dict(name="sm120-mxf8f6f4", a=np.ones((2, 32), np.uint8),
                                b=np.ones((32, 3), np.uint8), from_="e4m3",
                                scale_a=np.ones((2, 1), np.uint8),
                                scale_b=np.ones((3, 1), np.uint8))),
    "dot_scales": (sf.unit("sm120-mxf8f6f4").dot, dict(
        a=np.zeros(32, np.uint8), b=np.zeros(32, np.uint8), c=0.0,
        scale_a=np.ones(1, np.uint8), scale_b=np.ones(1, np.uint8))),
    "diagnose_cast": (sf.diagnose_cast, dict(inputs=X, codes=sf.convert(X, "e4m3"), from_=None,
                                             to="e4m3", expected="ocp", seconds=0.1)),
    "function": (called, dict(a=C, b=C, c=C, policy="ocp", round="sr", random=C, flags=True)),
    "Request": (requested, dict(q=T, k=CACHE, v=CACHE, keys=8, blocks=[1, 0], sums="exact",
                                scale=0.5, cap=0.0, sinks=np.zeros(2, np.float32), causal=True,
                                window=None, first=None, q_scale=None, k_scale=None, v_scale=None,
                                q_format=None, to="f32")),
    "Request.part": (part, dict(first=0, last=1)),
    "Request.join": (joined, dict(first=0, last=1, pieces=REQUEST.part(0, 1)[2])),
    "Quantized": (quantized, dict(codes=Q.codes, scales=Q.scales, offsets=None, global_scale=1.0,
                                  along="rows", x=X)),
    "Quantized.dequantize": (Q.dequantize, dict(to="f32", out=None, level=None)),
    "Quantized.image": (imaged, dict(codes=np.ones((2, 64), np.int8),
                                     scales=np.ones((2, 2), np.float16))),
    "Quantized.dot": (multiplied, dict(a=Q.codes[:1], b=Q.codes[1:2])),
    "Steps": (table, dict(first=TABLE.first, code=TABLE.code, flags=TABLE.flags, x=[0x3C00])),
    "order": (sf.order, dict(name="fa3-fp8 offset=4", tile=96)),
    "attend": (sf.attend, dict(q=T, k=T, v=T, recipe=None, k_scale=None, v_scale=None, order=None,
                               cut=0, level=None, lse=True, causal=True, window=None)),
    "attend_recipe": (sf.attend, dict(q=T, k=T, v=T, recipe="kv-vllm", k_scale=0.5, v_scale=0.5,
                                      q_scale=0.5)),
    "cache_of": (sf.cache_of, dict(x=T, recipe="kv-vllm", scale=0.5)),
    "join_parts": (sf.join_parts, dict(parts=np.ones((2, 6), np.float32), join="segments",
                                       fuse="sum")),
    "merge_states": (sf.merge_states, dict(a=STATE[0], lse_a=STATE[1], b=STATE[0], lse_b=STATE[1],
                                           rule="vllm", fuse="sum")),
    "sums.sum": (sums.sum, dict(x=X, order="tree")),
    "sums.dot": (sums.dot, dict(a=X, b=X, order="tree", fuse="sum")),
    "sums.moments": (sums.moments, dict(x=X, order="tree", fuse="none")),
    "sums.rstd": (sums.rstd, dict(variance=STATE[1], eps=1e-5)),
    "sums.normalize": (sums.normalize, dict(x=X, mean=np.zeros(4, np.float32),
                                            rstd=np.ones(4, np.float32))),
    "sums.softmax": (sums.softmax, dict(scores=X, order="tree")),
    "sums.weighted": (sums.weighted, dict(weights=X, values=np.ones((16, 2), np.float32),
                                          skip=True)),
    "sums.argmax": (sums.argmax, dict(x=X, greater=True, start=2)),
    **{f"sums.{name}": (getattr(sums, name), dict(x=X))
       for name in ("exp", "exp2", "log", "log2", "tanh")},
    "vectors.steps": (vectors.steps, dict(from_="f16", to="e2m1", policy="ocp", round=None,
                                          random=0)),
    "vectors.read_steps": (vectors.read_steps, dict(string=STEPS)),
    "vectors.find": (vectors.steps("f16", "e2m1").find, dict(x=0x3C00)),
    "kv.layout": (kv.layout, dict(name="nhd", blocks=2, slots=4, heads=2, dim=8, bits=8)),
    "kv.replace": (PLACE.replace, dict(slots=3, dim=4, block_stride=500)),
    "kv.with_scales": (PLACE.with_scales, dict(group=4, bits=32, by_head=False)),
    "kv.in_pages": (PLACE.in_pages, dict(bytes=4096)),
    "kv.element_at": (PLACE.element_at, dict(block=1, slot=3, head=1, d=7)),
    "kv.scale_at": (SCALED.scale_at, dict(block=1, slot=3, head=1, k=0)),
    "kv.Cache": (kv.Cache, dict(layout=PLACE, recipe="kv-vllm", words="f16", scale=0.5,
                                data=np.zeros(128, np.uint8), scales=None)),
    "kv.store": (CACHE.store, dict(tokens=T[:3], slots=[0, 7, -1], second=None, from_=None,
                                   outside="skip", twice="last")),
    "kv.store_second": (LATENT.store, dict(tokens=T[:3, :, :5], slots=[0, 7, -1],
                                           second=T[:3, :, 5:], from_=None)),
    "kv.store_tail": (TAILED.store, dict(tokens=np.ones((2, 512), np.float16), slots=[0, 3],
                                         second=np.ones((2, 64), np.float16), from_=None)),
    "kv.gather_tail": (TAILED.gather, dict(slots=[0, 3], to="bf16", second=64, reader=None)),
    "kv.store_together": (kv.store_together, dict(parts=[(CACHE, T[:2]), (CACHE, T[:2])],
                                                  slots=[0, 7])),
    "kv.unlike": (kv.unlike, dict(a=CACHE, b=LATENT)),
    "kv.replaced": (stored_in, dict(data=np.zeros(128, np.uint8), scales=np.zeros(16, np.uint8),
                                    scale=None, tokens=T[:3], slots=[0, 7, -1])),
    "kv.gather": (CACHE.gather, dict(slots=[0, 7], to="f32", second=0, reader=None,
                                     outside="skip")),
    "kv.read_codes": (kv.read_codes, dict(reader="vllm-half", codes=C, scale=0.5)),
    "kv.folds": (kv.folds, dict(reader="vllm-half")),
    "kv.scales": (kv.scales, dict(x=T, rule="amax-448", per="head")),
    "kv.Life": (kv.Life, dict(calibrating=["request"], life="kept", reads="host", rules=None)),
    "kv.step": (kv.Life(calibrating=["request"]).step, dict(event="request", amax=(1, 2, 3),
                                                            scales=None)),
    "kv.load": (kv.Life().load, dict(keys=0.5, values=0.5, queries=0.5)),
    "kv.load_heads": (kv.Life().load_heads, dict(keys=[0.5], values=[0.5], queries=[0.5])),
    "kv.trace": (kv.Life().trace, dict(side="keys", head=0)),
    "kv.token_bytes": (kv.token_bytes, dict(name="fp8", layers=32, heads=8, size=128)),
    "kv.tokens_in": (kv.tokens_in, dict(name="fp8", bytes=1 << 30, layers=32, heads=8, size=128)),
    "kv.cascades": (kv.cascades, dict(prefix=512, requests=9, query_heads=32, heads=8,
                                      processors=132, ranks=1, decodes=9, special=0)),
    "kv.splits": (kv.splits, dict(blocks=8, query_blocks=1, processors=132, key_blocks=64,
                                  head_bytes=1 << 20, most=128)),
}
# The first three run the command, which has fuzzers of its own. The rest takes what others here take.
LEFT_OUT = {"explain", "identify", "identify_mma", "kv.f32_value", "kv.f32_words", "kv.reason",
            "sums.merge_states", "vectors.steps_text"}


def read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


def test_arrays_at_odd_addresses_are_copied():
    """The library reads words of f32 and of f16 in some calls; sanitizer.sh sees a word at an odd
    address."""
    x = np.linspace(-2, 3, 64, dtype=np.float32)
    odd = np.frombuffer(b"..." + x.tobytes(), np.uint8)[3:].view(np.float32)
    assert not odd.flags.aligned
    for call in (sums.sum, sums.moments, lambda y: sums.dot(y, y),
                 lambda y: sf.merge_states(y, np.float32(0), y, np.float32(1)),
                 lambda y: sf.quantize(y.reshape(2, 32), "nvfp4-te").codes,
                 lambda y: sf.convert(y, "e4m3")):
        assert repr(call(odd)) == repr(call(x))


class Copied:
    """An array of which NumPy gets a copy, as of a data set in a file."""

    def __init__(self, array):
        self.array, self.shape, self.dtype = array, array.shape, array.dtype

    def __array__(self, dtype=None, copy=None):
        return self.array.copy()


ARRAYS = [
    X, C, T, Q.codes, X.astype(np.float16), X.astype(">f4"), X.astype(np.float64),
    C.astype(np.uint16), C.astype(np.int8), X[::-1], X[:, ::3], X.T, X[:0], X[:, :0], X[0], X[0, 0],
    np.float32(3), C[::2], np.asfortranarray(C), read_only(C), np.zeros((2, 3, 4, 5), np.uint8),
    np.array([1j]), np.array(["a"]), np.array([None]), np.zeros(3, [("a", np.uint8)]),
    np.zeros(5, "V3"), np.array([True, False]), np.broadcast_to(C[:, :1], C.shape),
    np.full(4, np.nan, np.float32), np.lib.stride_tricks.as_strided(C, (4, 3), (3, 1)),
    np.array([-1, 1 << 40]), np.zeros(64, "M8[s]"),
    np.frombuffer(bytes(67), np.uint8)[3:].view(np.float32), [1, 2, 3], [[1.0], [1.0, 2.0]], [],
    X[:2, :2], T[..., :5], C.astype(np.uint32), X[:1].astype(np.float16), np.ones((2, 64), np.float16),
    np.ma.masked_array(C, C > 9), bytearray(64), memoryview(X.copy()), Copied(C), Copied(X),
]
OTHERS = [
    None, 0, 1, -1, 7, 255, 256, 65536, (1 << 31) - 1, 1 << 31, 1 << 32, (1 << 63) - 1, 1 << 63,
    1 << 64, -(1 << 63), 10**30, 0.5, -0.0, float("nan"), float("inf"), 1e300, True, "", "e4m3",
    "f32", "f64", "e8m0", "p3109_k3p1se", "nope", "e4m3\0", "ü" * 300, "a b", "sr", "columns", "ocp",
    b"e4m3", "kv-vllm", "q4_0-gguf", "mxfp8-e4m3-even", "fp8-block128-vllm", "avx2", "core",
    object(), {}, (), {"a": 1}, (1, 2), [None], sf.e4m3, sf.policy("ocp"), sf.recipe("kv-vllm"),
    int, lambda: None, (X[:2, :2], C[:2, :2]), (X[:2, :1], X[:2, :1]), [X, X], [(CACHE, T[:2])],
    [(CACHE, T[:2], T[:2])], [(CACHE, C)], [(LATENT, T[:2], T[:2]), (CACHE, T[:1])],
]
VALUES = st.one_of(st.sampled_from(range(len(ARRAYS))).map(ARRAYS.__getitem__),
                   st.sampled_from(range(len(OTHERS))).map(OTHERS.__getitem__),
                   st.integers(-3, 300), st.text(max_size=4))


# What the errors of Python say, which name no argument.
RAW = r"^$|unhashable|has no attribute|object is not|argument must|not supported between|" \
    r"initializer|expected a .*ctype|to unpack|subscriptable|must be real|cdata"


def contents(array):
    return array.tobytes() if isinstance(array, np.ndarray) else \
        bytes(array) if isinstance(array, (bytearray, memoryview)) else repr(array)


BEFORE = [contents(array) for array in ARRAYS]


# Arrays beside a right one: another type, one row or column less or more, other strides.
DTYPES = "u1", "i1", "u2", "u4", "u8", "i8", "f2", "f4", "f8", "?", ">u2", ">f4", "V2", "V4"
NEAR = (
    *(lambda x, dtype=dtype: x.astype(dtype) if x.dtype.kind != "V" else x for dtype in DTYPES),
    *(lambda x, dtype=dtype: x.reshape(-1).view(np.uint8)[:x.size].view(dtype)
      if x.size % np.dtype(dtype).itemsize == 0 and x.flags.c_contiguous else x
      for dtype in DTYPES[2:8]),
    lambda x: x[:-1], lambda x: x[..., :-1], lambda x: x[1:], lambda x: x[..., 1:], lambda x: x[:0],
    lambda x: x[..., :0], lambda x: x[::2], lambda x: x[..., ::2], lambda x: x[::-1],
    lambda x: np.concatenate([x, x]), lambda x: np.concatenate([x, x], -1), lambda x: x[None],
    lambda x: x[0], lambda x: x.reshape(-1), lambda x: x.T, lambda x: np.asfortranarray(x),
    lambda x: np.broadcast_to(x[:1], x.shape), lambda x: np.broadcast_to(x[..., :1], x.shape),
)


def near(x, changes):
    """An array beside x; of a pair of arrays, a pair of such."""
    if isinstance(x, tuple) and x and all(isinstance(part, np.ndarray) for part in x):
        return tuple(near(part, changes[i:]) for i, part in enumerate(x))
    for change in changes[:1] if isinstance(x, np.ndarray) and x.ndim else ():
        with np.errstate(all="ignore"):
            x = NEAR[change](x)
    return x


@st.composite
def calls(draw):
    name = draw(st.sampled_from(sorted(CALLS)))
    given = dict(CALLS[name][1])
    for argument in draw(st.lists(st.sampled_from(sorted(given)), min_size=1, max_size=2,
                                  unique=True)):
        changes = draw(st.none() | st.lists(st.integers(0, len(NEAR) - 1), min_size=2, max_size=2))
        given[argument] = draw(VALUES) if changes is None else near(given[argument], changes)
    return name, given


def call(function, given):
    """Calls with positional arguments where the function has nothing else."""
    kinds = inspect.signature(function).parameters
    first = [given.pop(name) for name, p in kinds.items()
             if p.kind is p.POSITIONAL_ONLY and name in given]
    return function(*first, **given)


@pytest.mark.parametrize("name", CALLS)
def test_the_call_that_is_changed_is_valid(name):
    call(CALLS[name][0], dict(CALLS[name][1]))


@pytest.mark.filterwarnings("ignore")
@hypothesis.settings(max_examples=EXAMPLES, deadline=None,
                     database=None, suppress_health_check=list(hypothesis.HealthCheck))
@hypothesis.given(calls())
def test_wrong_arguments_raise_type_or_value_errors(drawn):
    name, given = drawn
    out = given.get("out")
    if out is not None:
        given["out"] = copied(out)
    try:
        call(CALLS[name][0], dict(given))
    except (TypeError, ValueError) as error:
        assert re.search(RAW, str(error)) is None, f"{name}: {error}"
        if isinstance(out, np.ndarray):
            assert contents(given["out"]) == contents(out), f"{name} wrote to out and failed"
    for i, array in enumerate(ARRAYS):
        assert contents(array) == BEFORE[i], f"{name} wrote to an input"


def test_every_function_is_called():
    known = set(CALLS) | LEFT_OUT
    for prefix, module in (("", sf), ("kv.", kv), ("sums.", sums), ("vectors.", vectors)):
        for name, function in vars(module).items():
            if inspect.isfunction(function) and not name.startswith("_") and \
                    inspect.signature(function).parameters and \
                    (prefix == "" or function.__module__ == module.__name__):
                assert prefix + name in known, prefix + name
