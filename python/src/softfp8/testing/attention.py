# SPDX-License-Identifier: MIT
"""attention.py -- assert_attention: an output follows a known order, or is inside an error bound"""
import json
import pathlib
import re
import tempfile

import numpy as np

from .._base.arrays import FLOATS, array_of, contiguous
from .._base.command import CommandError, advice, run
from .._base.library import number, size, unknown
from ..convert import decode, tensor_of
from ..kv import Cache, f32_words
from ..orders import order as order_of
from ..recipes import recipe as recipe_of
from . import report
from .message import Why, codes_from

BOUNDS = "f32", "f16", "bf16", "bf16-parts", "fp8-two", "fp8-one", "any"


def assert_attention(out, q, k, v, *, recipe=None, k_recipe=None, v_recipe=None, k_scale=None,
                     v_scale=None, q_scale=None, lse=None, order=None, bound=None, scale=None,
                     causal=True, window=None, cap=0.0, sinks=None, first=None, splits=None,
                     base2=False, from_=None, out_format=None, keys=None, blocks=None):
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
    from_    the format of q, k and v, and out_format that of out, where they are codes
    keys, blocks   which tokens caches have, as in softfp8.Request

    >>> one = np.ones((4, 1, 8), np.float32)
    >>> assert_attention(3 * one[:1], one[:1], one, 3 * one)
    """
    __tracebackhide__ = True
    cached = {"k": (k, k_scale), "v": (v, v_scale)}
    if any(isinstance(x, Cache) for x in (k, v)):
        recipe, k_scale, v_scale = _stored_by(cached, recipe)
    tensors = {name: _gathered(x, name, keys, blocks) if isinstance(x, Cache) else
               _tensor(x, name, from_) for name, x in (("q", q), ("k", k), ("v", v))}
    if len({array.dtype == np.uint16 for array in tensors.values()}) > 1:  # some of bf16
        tensors = {name: decode(array, "bf16") if array.dtype == np.uint16 else array
                   for name, array in tensors.items()}
    given = codes_from(out, out_format, "out", "out_format")
    if given.of.name not in ("f32", "bf16", "f16"):
        raise TypeError(f"out: expected f32, bf16 or f16, got {given.of.name}")
    expected = (*tensors["q"].shape[:2], tensors["v"].shape[2])
    if given.array.shape != expected:
        raise ValueError(f"out: expected the shape {expected}, got {given.array.shape}")
    if bound is not None and bound not in BOUNDS:
        raise unknown("bound", bound, BOUNDS)
    case = report.begin("assert_attention", given.array.size)
    options = _options({"recipe": None if recipe is None else recipe_of(recipe),
                        "k-recipe": k_recipe, "v-recipe": v_recipe, "k-scale": k_scale, "v-scale": v_scale,
                        "q-scale": _numbers(q_scale, "q_scale"), "score-scale": scale,
                        "order": None if order is None else str(order_of(order)),
                        "window": window, "cap": cap, "first": first, "splits": splits})
    if any(array.dtype == np.uint16 for array in tensors.values()):
        options += ["--from", "bf16"]
    options += ["--to", given.of.name]
    options += ["--full"] * (not causal) + ["--base", "2"] * bool(base2)
    options += ["--by", bound] if bound else []
    text, good = _judged(tensors | {"compare": _saved(given.array, given.of)},
                         {"compare-lse": lse, "sinks": sinks}, options)
    oracle = f"attention, error bound {bound or given.of.name}" + \
        (f", {recipe_of(recipe).name}" if recipe else "") + \
        (f", order {order_of(order)}" if order else "")
    if good:
        report.passed(case, oracle)
        return
    text = re.sub(r"add --by (\S+)", r'pass bound="\1"', text)
    lines = text.replace("add --recipe", "pass recipe=").splitlines()
    mistake = [line.partition(": ")[2] for line in lines
               if line.startswith(("likely mistake: ", "another order: "))]
    report.failed(case, oracle, given.array.size, Why(None, mistake[0] if mistake else None))
    raise AssertionError("\n".join([f"the output is not that of {oracle}",
                                    *(f"  {line}" for line in lines)]))


def _numbers(x, argument):
    """Numbers of f32 as the command takes them: their bits, with commas between them."""
    if x is None or isinstance(x, str):
        return x
    return ",".join(f"0x{word:08x}" for word in f32_words(x, argument).reshape(-1))


def _stored_by(cached, recipe):
    """The recipe and the scales with which the command stores the tokens of caches again, to the
    same codes: those of a recipe with one given scale. None where their values have to do."""
    for name, (x, scale) in cached.items():
        if isinstance(x, Cache) and recipe is not None:
            raise ValueError(f"recipe: {name} is a cache already")
        if isinstance(x, Cache) and scale is not None:
            raise ValueError(f"{name}_scale: {name} is a cache, which has its scale")
        if not isinstance(x, Cache) and scale is not None:
            raise ValueError(f"{name}_scale: needs recipe, and the other tensor is a cache")
    caches = [x for x, _ in cached.values()]
    if not all(isinstance(x, Cache) and x.recipe is caches[0].recipe and x.recipe is not None and
               x.scale is not None and x.scale.size == 1 and
               x.recipe.scale_is_given for x in caches):
        return None, None, None
    return caches[0].recipe, *(float(x.scale.view(np.float32)[0]) for x in caches)


def _gathered(cache, name, keys, blocks):
    """The values of the tokens that a cache has."""
    place = cache.layout.fields()
    blocks = np.arange(place["blocks"]) if blocks is None else np.asarray(blocks)
    at = np.arange(blocks.size * place["slots"] if keys is None else size("keys", keys))
    if at.size > blocks.size * place["slots"]:
        raise ValueError(f"keys: {name} has {blocks.size} blocks of {place['slots']} tokens, got "
                         f"{at.size}")
    values = cache.gather(blocks[at // place["slots"]] * place["slots"] + at % place["slots"])
    return _tensor(values, name, None if cache.recipe else cache.words)


def _tensor(x, name, from_):
    codes, source = tensor_of(x, name, from_)
    if codes.ndim != 3:
        raise ValueError(f"{name}: expected [tokens][heads][elements], got {codes.shape}")
    if not codes.size:
        raise ValueError(f"{name}: expected at least one element, got the shape {codes.shape}")
    return _saved(codes, source)


def _saved(codes, of):
    """An array as the command reads it: floats, and codes of bf16."""
    return codes.view(FLOATS[of.name]) if of.name in FLOATS else codes


def _f32(x, name):
    array, own = array_of(x, name)
    if own != "f32":
        raise TypeError(f"{name}: expected f32, got {own or array.dtype}")
    return contiguous(array)


# Those with another name than the option.
ARGUMENTS = {"compare": "out", "compare-lse": "lse", "score-scale": "scale"}


def _options(given):
    return [word for name, value in given.items() if value is not None
            for word in (f"--{name}", _word(ARGUMENTS.get(name, name.replace("-", "_")), value))]


def _word(argument, value):
    """The value of an option as the command takes it: a name, or one number, also one of NumPy."""
    if isinstance(value, str) or hasattr(value, "name"):
        return getattr(value, "name", value)
    array = array_of(value, argument)[0]
    if array.size != 1:
        raise ValueError(f"{argument}: expected one number, got an array of the shape "
                         f"{array.shape}")
    one = array.reshape(-1)[0]
    return str(int(one)) if array.dtype.kind in "iu" else repr(number(argument, one))


def _in_python(message, folder):
    """A message of the command, with the arguments of assert_attention for files and options."""
    message = message.removeprefix("attend: ")
    message = re.sub(re.escape(folder) + r"/([a-z-]+)\.npy",
                     lambda found: ARGUMENTS.get(found[1], found[1]), message)
    message = re.sub(r"^--(\S+) (\S+): (.*)$", r"--\1: \3; got \2", message)
    return advice(re.sub(r"--([a-z][a-z-]*)", lambda found:
                         ARGUMENTS.get(found[1], found[1].replace("-", "_")), message))


def _judged(tensors, logs, options):
    """What the command says of the output, and whether it is good."""
    tensors |= {name: _f32(x, name.split("-")[-1]) for name, x in logs.items() if x is not None}
    with tempfile.TemporaryDirectory() as folder:
        verdict = pathlib.Path(folder, "verdict.json")
        for name, array in tensors.items():
            path = pathlib.Path(folder, f"{name}.npy")
            np.save(path, array)
            options = [f"--{name}", str(path), *options]
        try:
            text = run("attend", *options, "--json", str(verdict))
        except CommandError as error:
            raise ValueError(_in_python(str(error), folder)) from None
        return text, json.loads(verdict.read_text())["good"]
