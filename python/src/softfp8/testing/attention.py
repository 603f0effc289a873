# SPDX-License-Identifier: MIT
"""attention.py -- assert_attention: an output follows a known order, or is inside an error bound"""
import numpy as np

from .._base.arrays import array_of, contiguous, read, words
from .._base.library import check, encoded, ffi, lib, size, text, unknown
from ..attention import parts_of, request_of
from ..kv import Cache
from ..orders import order as order_of
from ..recipes import recipe as recipe_of
from . import report
from .message import Why, codes_from
from .same_attention import WIDE, plain

BOUNDS = "f32", "f16", "bf16", "bf16-parts", "fp8-two", "fp8-one", "any"


def assert_attention(out, q, k, v, *, recipe=None, k_recipe=None, v_recipe=None, k_scale=None,
                     v_scale=None, q_scale=None, lse=None, order=None, bound=None, scale=None,
                     causal=True, window=None, cap=0.0, sinks=None, first=None, splits=None,
                     prefix=None, base2=False, from_=None, out_format=None, keys=None, blocks=None,
                     k_before=None, v_before=None):
    """Fails unless an output of attention is that of a definition or of a known stack's order, in
    every bit, or lies inside an error bound around the true value and no known mistake explains it.

    out      [queries][heads][elements], of f32, bf16 or f16
    q, k, v  the tensors [tokens][heads][elements] of one of these formats; k and v may be caches
             (softfp8.kv.Cache), whose tokens are gathered
    recipe   stores keys and values by this recipe first; k_scale and v_scale are its scales
    k_recipe, v_recipe   that of the keys, or of the values, in its place; or f32, bf16 or f16
    q_scale  casts the queries to e4m3 first: a number, one for each head of the cache, "tensor" or
             "head", as softfp8.attend has it
    lse      the logarithms of the sums, f32 [queries][heads] or [heads][queries], whose shape
             decides; they are checked as well
    order    the order in which it should be computed ("fa3-fp8 tile=96", or a softfp8.Order);
             None: any known one
    bound    the way that the kernel computes: f32, f16 or bf16 (matrix units of 16 bits),
             bf16-parts (partial results in bf16), fp8-two or fp8-one (FP8 units with two levels of
             sums, or one), any; None: the format of `out`, or a narrower one
    scale, causal, window, cap, sinks, first   as in softfp8.Request
    splits   into how many parts the keys were cut
    prefix   the number of keys in the first part, for an order such as cascade-bf16
    from_    the format of q, k and v, and out_format that of out, where they are codes
    keys, blocks   which tokens caches have, as in softfp8.Request
    k_before, v_before   where k or v is a cache: the tensor that was stored in it, so that a store
             with another scale or in another format can be named

    >>> one = np.ones((4, 1, 8), np.float32)
    >>> assert_attention(3 * one[:1], one[:1], one, 3 * one)
    """
    __tracebackhide__ = True
    given = codes_from(out, out_format, "out", "out_format")
    if given.of.name not in WIDE:
        raise TypeError(f"out: expected f32, bf16 or f16, got {given.of.name}")
    if bound is not None and bound not in BOUNDS:
        raise unknown("bound", bound, BOUNDS)
    q, k, v = (_tensor(x, name, from_) for x, name in ((q, "q"), (k, "k"), (v, "v")))
    for x, own, name in ((k, k_scale, "k"), (v, v_scale, "v")):
        if isinstance(x, Cache) and own is not None:
            raise ValueError(f"{name}_scale: {name} is a cache, which has its scale")
        if isinstance(x, Cache) and recipe is not None:
            raise ValueError(f"recipe: {name} is a cache already")
        if isinstance(x, Cache):
            _check_keys(x, name, keys, blocks)
    before = [_before(x, own, name, from_) for x, own, name in ((k, k_before, "k"),
                                                                (v, v_before, "v"))]
    k, v, keys, blocks = _without_many_scales(k, v, keys, blocks)
    one = {name: _one(name, x) for name, x in (("k_scale", k_scale), ("v_scale", v_scale),
                                               ("scale", scale), ("window", window),
                                               ("cap", cap), ("first", first),
                                               ("splits", splits), ("prefix", prefix))}
    splits, prefix = one.pop("splits"), one.pop("prefix")
    parts_of(splits)
    request = request_of(q, k, v, recipe=recipe, k_recipe=k_recipe, v_recipe=v_recipe,
                         q_scale=q_scale, causal=causal, sinks=sinks, keys=keys, blocks=blocks,
                         base2=base2, **one)
    order = None if order is None else order_of(order)
    request.check()
    if order is not None and order.split == "prefix" and prefix is None:
        raise ValueError(f"prefix: the order {order} needs the number of keys in the first of its "
                         "two parts")
    if order is not None:
        request.check(order, prefix if order.split == "prefix" else splits)
    if given.array.shape != request._out.shape:
        raise ValueError(f"out: expected the shape {request._out.shape}, got {given.array.shape}")
    case = report.begin("assert_attention", given.array.size)
    before = [contiguous(x.astype(np.float32)).view(np.uint32) if x is not None else None
              for x in (None if q_scale is None else q, *before)]
    for x, side, name in ((before[1], request._a.k, "k"), (before[2], request._a.v, "v")):
        place = side.image.layout
        if x is not None and x.shape != (request.keys, place.heads, place.dim):
            raise ValueError(f"{name}_before: expected the shape "
                             f"{(request.keys, place.heads, place.dim)}, got {x.shape}")
    good, lines = _judged(request, given, _logarithms(lse, *given.array.shape[:2]), order, bound,
                          (splits, prefix), before)
    if any(x is not None for x in (recipe, k_recipe, v_recipe)):  # also where caches hold numbers
        lines = [line for line in lines if not line.endswith("give its recipe")]
    oracle = f"attention, error bound {bound or given.of.name}" + \
        (f", {recipe_of(recipe).name}" if recipe else "") + (f", order {order}" if order else "")
    if good:
        report.passed(case, oracle)
        return
    mistake = [line.partition(": ")[2] for line in lines
               if line.startswith(("likely mistake: ", "another order: "))]
    report.failed(case, oracle, given.array.size, Why(None, mistake[0] if mistake else None))
    raise AssertionError("\n".join([f"the output is not that of {oracle}",
                                    *(f"  {line}" for line in lines)]))


def _judged(request, given, lse, order, bound, parts, before):
    """Whether an output is as expected, and the lines of the verdict."""
    kept = [ffi.NULL if x is None else ffi.new("char[]", encoded(name, str(x)))
            for name, x in (("order", order), ("bound", bound))]
    results = ffi.new("sf8_attention_results *", {
        "request": request._a,
        **{name: words(x, "const float *")
           for name, x in zip(("queries", "keys", "values"), before)},
        "stored": given.of._format, "out": read(given.array),
        "lse": words(lse, "const uint32_t *"), "order": kept[0], "bound": kept[1],
        "splits": parts_of(parts[0]),
        "prefix": 0 if parts[1] is None else size("prefix", parts[1])})
    found = ffi.new("sf8_attention_diagnosis **")
    check(lib.sf8_diagnose_attention(results, found), "assert_attention")
    try:
        return bool(found[0].is_expected), text(found[0].message).split("\n")
    finally:
        lib.sf8_attention_diagnosis_free(found[0])


def _tensor(x, name, from_):
    x = plain(x, name, from_)
    if not isinstance(x, Cache) and not x.size:
        raise ValueError(f"{name}: expected at least one element, got the shape {x.shape}")
    return x


def _before(x, before, name, from_):
    """What keys or values were before they were stored: the tensor that a recipe stores, or what is
    given for a cache."""
    if isinstance(x, Cache):
        return None if before is None else plain(before, f"{name}_before", from_)
    if before is not None:
        raise ValueError(f"{name}_before: leave it out; {name} is the tensor before it is stored")
    return x


def _one(argument, x):
    """One number, also one of NumPy or an array of one."""
    if x is None:
        return None
    array = array_of(x, argument)[0]
    if array.size != 1:
        raise ValueError(f"{argument}: expected one number, got an array of the shape "
                         f"{array.shape}")
    return array.reshape(-1)[0].item()


def _without_many_scales(k, v, keys, blocks):
    """Caches in which heads have scales of their own become tensors: their mistakes have no names."""
    if not any(isinstance(x, Cache) and x.scale is not None and x.scale.size > 1 for x in (k, v)):
        return k, v, keys, blocks
    return *(_gathered(x, name, keys, blocks) if isinstance(x, Cache) else x
             for x, name in ((k, "k"), (v, "v"))), None, None


def _check_keys(cache, name, keys, blocks):
    place = cache.layout.fields()
    count = place["blocks"] if blocks is None else np.asarray(blocks).size
    if keys is not None and size("keys", keys) > count * place["slots"]:
        raise ValueError(f"keys: {name} has {count} blocks of {place['slots']} tokens, got {keys}")


def _gathered(cache, name, keys, blocks):
    """The values of the tokens that a cache has."""
    place = cache.layout.fields()
    blocks = np.arange(place["blocks"]) if blocks is None else np.asarray(blocks)
    at = np.arange(blocks.size * place["slots"] if keys is None else keys)
    values = cache.gather(blocks[at // place["slots"]] * place["slots"] + at % place["slots"])
    return plain(values, name, None if cache.recipe else cache.words)


def _logarithms(lse, queries, heads):
    """The logarithms of the sums [queries][heads], also of [heads][queries]: the shape decides."""
    if lse is None:
        return None
    array, own = array_of(lse, "lse")
    if own != "f32":
        raise TypeError(f"lse: expected f32, got {own or array.dtype}")
    shape = [n for n in array.shape if n != 1]
    if array.ndim <= 1 and array.size == queries * heads or \
            shape == [n for n in (queries, heads) if n != 1]:
        return contiguous(array).view(np.uint32).reshape(queries, heads)
    if shape != [n for n in (heads, queries) if n != 1]:
        raise ValueError(f"lse: expected the shape {(queries, heads)}: queries, heads; or "
                         f"{(heads, queries)}; got {array.shape}")
    return contiguous(contiguous(array).view(np.uint32).reshape(heads, queries).T)
