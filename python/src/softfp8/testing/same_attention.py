# SPDX-License-Identifier: MIT
"""same_attention.py -- assert_same_attention: two outputs of one request are equal in every bit"""
import numpy as np

from .._base.arrays import FLOATS, read
from .._base.library import check, ffi, lib, size, text
from ..attention import parts_of, request_of
from ..convert import decode, tensor_of
from ..kv import Cache
from . import report
from .message import Why, codes_from

WIDE = "f32", "bf16", "f16"


def assert_same_attention(a, b, q=None, k=None, v=None, *, recipe=None, k_recipe=None,
                          v_recipe=None, q_scale=None, k_scale=None, v_scale=None, scale=None,
                          causal=True, window=None, cap=0.0, sinks=None, first=None, splits=None, keys=None,
                          blocks=None, from_=None, out_format=None):
    """Fails unless two outputs of the same request of attention are equal in every bit: of decode
    and prefill, of two batches, two backends or two GPUs.

    a, b     the outputs [queries][heads][elements], both f32, both bf16, or both f16
    q, k, v  the request, if the message shall name the orders of a and b: tensors
             [tokens][heads][elements], or caches (softfp8.kv.Cache) of keys and values. Without
             them only `keys` and out_format can be given
    recipe, k_recipe, v_recipe, k_scale, v_scale   how keys and values are stored, as in attend()
    q_scale  how queries are cast to e4m3, as in attend()
    scale, causal, window, cap, sinks, first, blocks   as in softfp8.Request
    splits   into how many parts the keys were cut; None: that is not known
    keys     without q, k and v: the number of keys, of which the queries are the last positions,
             and each sees those up to its own; with caches: the number of tokens that they have
    from_    the format of q, k and v, and out_format that of a and b, where they are codes

    The message says which row is the first that differs, which pattern the differences have, and
    how large they are. With the request it names a pair of orders that gives a and b, and says
    which of them is nearer to the true value.

    >>> out = np.ones((3, 2, 8), np.float32)
    >>> assert_same_attention(out, out.copy())
    """
    __tracebackhide__ = True
    given = outputs(a, b, out_format)
    options = {"recipe": recipe, "k_recipe": k_recipe, "v_recipe": v_recipe, "q_scale": q_scale,
               "k_scale": k_scale, "v_scale": v_scale, "scale": scale, "window": window,
               "sinks": sinks, "first": first, "blocks": blocks}
    case = report.begin("assert_same_attention", given[0].array.size)
    request = None
    if any(x is not None for x in (q, k, v)):
        if any(x is None for x in (q, k, v)):
            raise TypeError("q, k, v: expected all three, or none of them")
        request = request_of(*(plain(x, name, from_) for x, name in ((q, "q"), (k, "k"), (v, "v"))),
                             keys=keys, causal=causal, cap=cap, **options)
    else:
        alone = {"causal": None if causal else causal, "cap": cap or None, "splits": splits,
                 "from_": from_, **options}
        for name, value in alone.items():
            if value is not None:
                raise ValueError(f"{name}: needs q, k and v")
    found = difference(*given, request, keys, splits)
    if found is None:
        report.passed(case, "the bits of the other output")
        return
    report.failed(case, "the bits of the other output", found[1], Why(None, found[2]))
    raise AssertionError("the two outputs differ (A is a, B is b)\n" + found[0])


def outputs(a, b, out_format=None, names=("a", "b")):
    """Two outputs of attention as Codes, of one format and shape."""
    given = [codes_from(x, out_format, name, "out_format") for x, name in zip((a, b), names)]
    for one, name in zip(given, names):
        if one.of.name not in WIDE:
            raise TypeError(f"{name}: expected f32, bf16 or f16, got {one.of.name}")
        if one.array.ndim != 3 or not one.array.size:
            raise ValueError(f"{name}: expected [queries][heads][elements], got the shape "
                             f"{one.array.shape}")
    if given[0].of.name != given[1].of.name:
        raise TypeError(f"{names[1]}: expected {given[0].of.name}, as {names[0]}; got "
                        f"{given[1].of.name}")
    if given[0].array.shape != given[1].array.shape:
        raise ValueError(f"{names[1]}: expected the shape {given[0].array.shape}, as {names[0]}; "
                         f"got {given[1].array.shape}")
    return given


def plain(x, name, from_=None):
    """A tensor of f32 or f16, or a cache. Numbers of bf16 become the same in f32."""
    if isinstance(x, Cache):
        return x
    codes, source = tensor_of(x, name, from_)
    if codes.ndim != 3:
        raise ValueError(f"{name}: expected [tokens][heads][elements], got {codes.shape}")
    return codes.view(FLOATS[source.name]) if source.name in FLOATS else decode(codes, source)


def difference(a, b, request=None, keys=None, splits=None):
    """The verdict about two outputs, as Codes: the message, how many values differ, and the
    patterns in words. None if they are equal."""
    queries, heads, dim = a.array.shape
    if request is not None and (request.queries, request.heads) != (queries, heads):
        raise ValueError(f"a: expected {request.queries} queries of {request.heads} heads, as q; got "
                         f"the shape {a.array.shape}")
    if request is not None and request._out.shape[2] != dim:
        raise ValueError(f"a: expected the output of a request with {request._out.shape[2]} elements "
                         f"in v, got the shape {a.array.shape}")
    keys = 0 if keys is None or request is not None else size("keys", keys)
    if 0 < keys < queries:
        raise ValueError(f"keys: expected at least {queries}, the number of queries; got {keys}")
    results = ffi.new("sf8_same_attention_results *", {
        "queries": queries, "heads": heads, "dim": dim, "stored": a.of._format,
        "a": read(a.array), "b": read(b.array), "keys": keys,
        "request": ffi.NULL if request is None else request._a,
        "splits": parts_of(splits)})
    found = ffi.new("sf8_same_attention_diagnosis **")
    check(lib.sf8_diagnose_same_attention(results, found), "assert_same_attention")
    d = found[0]
    try:
        if d.is_same:
            return None
        lines = text(d.message).split("\n")
        patterns = ", ".join(text(d.patterns[i]) for i in range(d.pattern_count))
        return "\n".join(f"  {line}" for line in lines), d.values_differ, \
            f"differs {patterns}" if patterns else None
    finally:
        lib.sf8_same_attention_diagnosis_free(d)
