# SPDX-License-Identifier: MIT
"""arithmetic.py -- the verdict on an operation of two codes: all pairs, compared with all policies

Packages compute in two ways. Some round the exact result once. Others convert both operands to f32
or f16, compute there, and convert the result back.
"""
import dataclasses
import functools
import hashlib
import operator
import warnings

import numpy as np

from ..convert import convert
from ..formats import format as format_of
from ..policies import Policy, policies, policy as policy_of
from .adapters.lab import bits_of, dtype_of, pair
from .shown import hexadecimal, value_text

KEPT = 32  # ranges
WAYS = None, "f32", "f16"
OPERATORS = {"add": operator.add, "sub": operator.sub, "mul": operator.mul,
             "div": operator.truediv}


@dataclasses.dataclass(frozen=True)
class Rules:
    """A policy, and the format in which a package computes; None: the result is rounded once."""

    policy: Policy
    way: str | None

    @property
    def text(self):
        return self.policy.name + (f", through {self.way}" if self.way else "")

    def expected(self, conversion, words):
        """The codes of the results for pairs."""
        of, operands = format_of(conversion.to), pair(words, conversion.source)
        if self.way is None:
            return getattr(of, conversion.operation)(*operands, policy=self.policy)
        a, b = (convert(x, self.way, from_=of, policy="ocp-nosat") for x in operands)
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            wide = OPERATORS[conversion.operation](a, b)
        return np.asarray(convert(wide, of, policy=self.policy, dtype="codes"))


def judge(process, conversion):
    """The fields of the cell that need the results."""
    words = np.arange(1 << bits_of(conversion.source), dtype=dtype_of(conversion.source))
    process.convert(conversion, words)  # what is compiled is compiled now
    codes, seconds = process.convert(conversion, words)
    cell = {"inputs": words.size, "all": True,
            "speed": round(words.size / max(seconds, 1e-9)) if seconds else None}
    rules = _claimed(conversion)
    if rules:
        cell["claimed"] = rules.text
        if np.array_equal(rules.expected(conversion, words), codes):
            return cell | {"status": "equal", "policy": rules.text}
    found = {given: np.count_nonzero(given.expected(conversion, words) != codes)
             for given in _candidates(conversion)}
    nearest = min(found, key=found.get)
    cell["policy"] = None if found[nearest] else nearest.text
    cell["status"] = "differs" if rules else "unclaimed"
    if rules is None and not found[nearest]:
        return cell
    if rules is None:
        cell["nearest"] = nearest.text
    wanted = (rules or nearest).expected(conversion, words)
    return cell | _differences(conversion, words, codes, wanted)


def _claimed(conversion):
    """The policy that softfp8 names for the package, with one rounding. A claim such as
    "xla from=f16" says from which format the package converts its results."""
    if conversion.claim is None:
        return None
    name, *fields = conversion.claim.split()
    changed = {"from": "f32"} | dict(field.split("=", 1) for field in fields)
    source = changed.pop("from")
    try:
        return Rules(policy_of(name, to=conversion.to, from_=source, **changed), None)
    except ValueError:
        return None


def _candidates(conversion):
    """All policies for the format; those that the claim names come first."""
    claimed = _claimed(conversion)
    named = [claimed.policy] if claimed else []
    for rules in named + [policy_of(name) for name in policies()]:
        if rules.holds(conversion.to, "f32") and rules.round != "sr":
            for way in WAYS:
                yield Rules(rules, way)


def _differences(conversion, words, codes, wanted):
    """The pairs that differ: ranges, a key that stands for all of them, and what they share."""
    of, differ = format_of(conversion.to), codes != wanted
    at = np.flatnonzero(differ)
    firsts = at[np.concatenate([[True], np.diff(at) > 1])]
    lasts = at[np.concatenate([np.diff(at) > 1, [True]])]
    rows = np.stack([words[at], codes[at]], 1, dtype="<u8", casting="unsafe")
    both_nan = np.asarray(of.is_nan(codes[at])) & np.asarray(of.is_nan(wanted[at]))
    show = functools.partial(_shown, conversion)
    return {
        "differ": int(at.size), "key": hashlib.sha256(rows.tobytes()).hexdigest()[:8],
        "diagnosis": "only the codes of NaN differ" if both_nan.all() else None,
        "range_count": int(firsts.size),
        "ranges": [{"first": hexadecimal(words[a], bits_of(conversion.source)),
                    "last": hexadecimal(words[b], bits_of(conversion.source)), "value": show(words[a]),
                    "got": hexadecimal(codes[a], of.bits), "got_value": value_text(of, codes[a]),
                    "expected": hexadecimal(wanted[a], of.bits),
                    "expected_value": value_text(of, wanted[a])}
                   for a, b in zip(firsts[:KEPT], lasts)]}


def _shown(conversion, word):
    """The operation on the values of a pair."""
    a, b = (value_text(conversion.to, x) for x in pair(np.array([word]), conversion.source))
    return f"{a} {dict(add='+', sub='-', mul='*', div='/')[conversion.operation]} {b}"
