# SPDX-License-Identifier: MIT
"""command.py -- answers of the command: why a value has a code, and which rules gave codes"""
import json
import re

import numpy as np

from ._base.arrays import array_of, code_dtype, codes_of, place_text
from ._base.command import CommandError, run
from .convert import convert
from .formats import coded, format as format_of
from .policies import Policy

NUMBERS = "f16", "bf16", "f32", "f64"  # which from_ rounds first; others are codes of it


class Answer:
    """An answer of the command: `print(answer)` shows it; `answer.data` is the same from JSON."""

    def __init__(self, arguments, input=None):
        self._arguments, self._input = arguments, input
        self.text = run(*arguments, input=input)
        self._data = None

    @property
    def data(self):
        """The answer as dictionaries and lists."""
        if self._data is None:
            # `explain` writes one object for each value
            name, *options = self._arguments
            found, decoder = [], json.JSONDecoder()
            rest = run(name, "--json", *options, input=self._input)
            while rest := rest.lstrip():
                value, end = decoder.raw_decode(rest)
                found.append(value)
                rest = rest[end:]
            self._data = found[0] if len(found) == 1 else found
        return self._data

    def __str__(self):
        return self.text

    def __repr__(self):
        return self.text


def _rules(policy, round, via):
    """The options of the command for a policy."""
    options = []
    if isinstance(policy, Policy):
        options += ["--policy", policy.name]
        options += [word for field, value in policy._changed.items()
                    for word in ("--set", f"{field}={value}")]
    elif policy is not None:
        options += ["--policy", policy]
    return options + [word for name, value in (("--round", round), ("--via", via))
                      if value is not None for word in (name, value)]


def explain(value, to=None, *, from_=None, policy=None, round=None, via=None, recipe=None,
            global_scale=None, at=None):
    """Why a value becomes this code, rule by rule; or, with `recipe`, how a row is quantized.

    value  a number, an array of numbers (the dtype says which), or with `from_` an array of codes

    >>> why = explain(464, to="e4m3")
    >>> why.data["result"]["code"]
    '7e'
    >>> print(why)  # doctest: +ELLIPSIS
    464 -> e4m3 7e = 448  (policy ocp)
    ...
    """
    if (to is None) == (recipe is None):
        raise ValueError("to, recipe: expected one of them")
    options = [word for name, given in (("--from", from_ and format_of(from_).name),
                                        ("--to", to and format_of(to).name), ("--recipe", recipe),
                                        ("--global-scale", global_scale), ("--at", at))
               if given is not None for word in (name, given)]
    array, own = array_of(value, "value")
    if from_ is not None and own not in NUMBERS and not isinstance(value, int):
        codes = codes_of(value, format_of(from_), "value")
        values = [f"{code:x}" for code in codes.reshape(-1).tolist()]
        options.append("--as-codes")
    else:
        values = [_number(x) for x in _exact(array, own)]
    return Answer(["explain", *options, *_rules(policy, round, via), "--", *values])


def _exact(array, own):
    """The elements of an array of the format `own` as Python numbers of the same value."""
    if own is None:
        return array.reshape(-1).tolist()
    codes = array.view(code_dtype(8 * array.itemsize))
    return np.asarray(convert(codes, "f64", from_=own, policy="ocp-nosat")).reshape(-1).tolist()


def _number(x):
    """A number in the command's grammar."""
    if x != x:
        return "nan"
    if isinstance(x, float) and abs(x) == float("inf"):
        return "inf" if x > 0 else "-inf"
    whole = isinstance(x, int) or (x.is_integer() and 0 < abs(x) < 2**53)
    return str(int(x)) if whole else x.hex()


def identify(inputs, codes, from_=None, to=None, *, product=None):
    """Which policies explain these codes of a conversion; else the nearest, and what differs.

    inputs     the inputs, as floats or codes of the format from_; None: all of them, in order
    codes      the codes that an implementation returned for them
    from_, to  the formats of inputs and codes, where their dtypes do not have them
    product    first compares with this product or policy

    >>> from softfp8 import e4m3, f16
    >>> x = f16.all_codes()
    >>> who = identify(x, e4m3.encode(x, from_="f16", policy="torch-2.12"), "f16", "e4m3")
    >>> who.data["explained"]
    True
    """
    source, x, target, got = conversion(inputs, codes, from_, to)
    arguments, text = _identify_call(x.reshape(-1), got.reshape(-1), source, target)
    try:
        return Answer(["identify", *([] if product is None else ["--product", product]),
                       *arguments], text)
    except CommandError as error:
        raise CommandError(_elements(str(error), got.shape)) from None


def conversion(inputs, codes, from_, to):
    """The format and the codes of the inputs of a conversion, and of its results."""
    target, got = coded(codes, to, "codes", "to")
    if inputs is None:
        if from_ is None:
            raise TypeError("from_: needed where inputs is None, which means all inputs of it")
        source, x = format_of(from_), format_of(from_).all_codes()
    else:
        source, x = coded(inputs, from_, "inputs", "from_")
    if x.size != got.size:
        raise ValueError(f"codes: expected {x.size} of them, as many as inputs; got {got.size}")
    return source, x, target, got


def _elements(message, shape):
    """A message of the command about lines of the input, as one about elements of the arrays."""
    def place(line):
        return place_text(int(line) - 1, shape)

    twice = re.search(r"standard input:(\d+): input (\w+) gives (\w+) here, but (\w+) in line (\d+)",
                      message)
    if twice:
        here, x, code, before, line = twice.groups()
        return f"codes: {place(here)} is {code}, but {place(line)} is {before}, and both have the " \
            f"input {x}; expected one code for an input"
    return re.sub(r"standard input:(\d+)", lambda found: f"inputs, codes: {place(found[1])}", message)


def _identify_call(inputs, codes, source, target):
    """The arguments with which the command identifies a conversion, and its input."""
    digits = -(-source.bits // 4), -(-target.bits // 4)
    pairs = "".join(f"{x:0{digits[0]}x} {code:0{digits[1]}x}\n"
                    for x, code in zip(inputs.tolist(), codes.tolist()))
    return ["--from", source.name, "--to", target.name, "--input", "pairs", "-"], pairs.encode()
