# SPDX-License-Identifier: MIT
"""diagnose.py -- which rule, and which mistake, gave the codes of a cast"""
import dataclasses

import numpy as np

from ._base import html
from ._base.arrays import words
from ._base.library import check, encoded, ffi, lib, number, text, unknown
from .command import conversion
from .policies import Policy, policies

VERDICTS = {lib.SF8_VERDICT_POLICY: "policy", lib.SF8_VERDICT_CHANGED: "changed",
            lib.SF8_VERDICT_NEAREST: "nearest", lib.SF8_VERDICT_NONE: "none"}


@dataclasses.dataclass(frozen=True)
class Cause:
    """One thing that can be wrong: a field of a policy with a value, or a mistake (value "")."""

    name: str
    value: str
    words: str


@dataclasses.dataclass(frozen=True)
class Explanation:
    """A policy with changes: `differ` inputs have another code. `words` says all of it, `rule` the
    policy and the names of its changes."""

    policy: str
    round: str
    differ: int
    causes: tuple
    words: str
    rule: str


@dataclasses.dataclass(frozen=True)
class Diagnosis:
    """What explains the results of a cast: verdict "policy" (a named policy gives every code),
    "changed" (one with changes does), "nearest" or "none".

    `wrong` inputs have another code by the expected policy, or without one by the closest.
    `explanations` are equally good; the first says in `mistake` what is otherwise than expected.
    `followers` are the products that follow it, each with the version up to which it did, or "".
    """

    verdict: str
    is_expected: bool
    wrong: int
    is_cut_short: bool
    explanations: tuple
    mistake: str
    followers: tuple

    def __str__(self):
        return self.explanations[0].words if self.explanations else "nothing that is known is near"

    def _repr_html_(self):
        facts = [("verdict", self.verdict), ("inputs with another code", self.wrong),
                 ("mistake", self.mistake or None),
                 ("products", ", ".join(" ".join(f).strip() if isinstance(f, tuple) else str(f) for f in self.followers) or None)]
        return html.card(str(self), facts, html.table(
            ["explanation", "rounding", "differ"], [(e.words, e.round, e.differ) for e in self.explanations]))


def _cause(c):
    return Cause(text(c.name), text(c.value), text(c.words))


def causes():
    """All that the search can name. Fields with a number for a value have the value ""."""
    row, found = ffi.new("sf8_cause *"), []
    while lib.sf8_cause_at(len(found), row):
        found.append(_cause(row))
    return found


def _explanation(e):
    return Explanation(text(e.policy), text(e.round), e.differ,
                       tuple(_cause(e.cause[i]) for i in range(e.count)), text(e.words), text(e.rule))


def diagnose_cast(inputs, codes, from_=None, to=None, *, expected=None, seconds=0.0):
    """Which rule gave these codes of a conversion: a policy, or one with changes.

    inputs     the inputs, as floats or codes of the format from_; None: all of them, in order
    codes      the codes that an implementation returned for them
    from_, to  the formats of inputs and codes, where their dtypes do not have them
    expected   the policy or product that it should follow, with changed fields or without
    seconds    the time to search for, about; 0: as long as it takes

    >>> from softfp8 import convert
    >>> x = np.linspace(-500, 500, 1001, dtype=np.float32)
    >>> found = diagnose_cast(x, convert(x, "e4m3", round="rz"), to="e4m3", expected="ocp")
    >>> found.verdict, found.mistake
    ('changed', 'rounds toward zero')
    """
    source, x, target, got = conversion(inputs, codes, from_, to)
    wide = [np.ascontiguousarray(array.reshape(-1), np.uint64) for array in (x, got)]
    rule = expected._text(target, source) if isinstance(expected, Policy) else expected
    kept = ffi.NULL if rule is None else ffi.new("char[]", encoded("expected", rule))
    results = ffi.new("sf8_cast_results *", {
        "from": source._format, "to": target._format, "inputs": words(wide[0], "uint64_t *"),
        "codes": words(wide[1], "uint64_t *"), "count": x.size, "expected": kept,
        "seconds": number("seconds", seconds)})
    found = ffi.new("sf8_diagnosis **")
    status = lib.sf8_diagnose_cast(results, found)
    if status == lib.SF8_UNKNOWN_NAME:
        raise unknown("expected", rule, policies())
    check(status, f"{source.name} to {target.name}: expected one code for each input, and a policy "
                  "that does not round at random")
    d = found[0]
    try:
        return Diagnosis(
            VERDICTS[d.verdict], bool(d.is_expected), d.wrong, bool(d.is_cut_short),
            tuple(_explanation(d.list[i]) for i in range(d.count)), text(d.mistake),
            tuple((text(d.followers[i].name), text(d.followers[i].before))
                  for i in range(d.follower_count)))
    finally:
        lib.sf8_diagnosis_free(d)
