# SPDX-License-Identifier: MIT
"""judge.py -- the verdict on a cell: which policy a conversion follows on all inputs, or where not

The status of a cell is one of these:

    equal      the policy that softfp8 names for the product gives the same codes
    differs    it does not; run.py makes this "known" if known.py has the reason
    unclaimed  softfp8 names no policy for this conversion; `policy` is the one that was found
    absent     the package refuses the conversion
    broken     the process crashed, hung, or returned something else than codes
"""
import functools
import hashlib
import time

import numpy as np

from ..convert import convert
from ..diagnose import diagnose_cast
from ..formats import format as format_of
from ..policies import policies, policy as policy_of
from ..testing.compare import compared
from ..testing.inputs import _critical
from ..testing.message import Codes, Why
from . import arithmetic, blocks, merges
from .adapters.lab import BITS
from .inputs import BLOCK, PARTS, Inputs, dense, fixed_set
from .process import Broken, Refused
from .shown import hexadecimal, value_text

RANDOM = 1 << 24  # random words of a fast conversion
RANDOM_SECONDS = 20.0  # a slow conversion gets as many as it converts in this time
BLOCK_SECONDS = 10.0  # and requests that take no longer
FAST = 50e6  # values per second; from here on --full converts all 2^32 inputs
PROBE = 1 << 16
KEPT = 32  # ranges
SAMPLE = 1 << 13  # inputs that are searched


def judge(process, conversion, full=False, keep=None):
    """The cell of a conversion, as a dictionary. keep(words, codes) gets the dense set's codes."""
    cell = {"package": process.package, "version": process.version, "from": conversion.format,
            "to": conversion.to, "mode": conversion.title, "claim": conversion.claim}
    if conversion.operation:
        cell["operation"] = conversion.operation
    start = time.perf_counter()
    try:
        if conversion.operation in ("quantize", "dequantize"):
            cell |= blocks.judge(process, conversion)
        elif conversion.operation == "merge":
            cell |= merges.judge(process, conversion)
        elif conversion.operation:
            cell |= arithmetic.judge(process, conversion)
        else:
            cell |= _Case(process, conversion, full).verdict(keep)
    except Refused as error:
        cell |= {"status": "absent", "why": str(error)}
    except Broken as error:
        cell |= {"status": "broken", "why": str(error)}
    return cell | {"seconds": round(time.perf_counter() - start, 3)}


def claimed_policy(conversion):
    """The policy that softfp8 names for the claim; None if it names none."""
    if conversion.claim is None:
        return None
    name, *fields = conversion.claim.split()
    try:
        return policy_of(name, to=conversion.to, from_=conversion.source,
                         **dict(field.split("=", 1) for field in fields))
    except ValueError:
        return None


def rules_text(rules):
    """A policy and what is changed of it."""
    changed = [f"{field}={value}" for field, value in rules._changed.items()
               if value != getattr(_named(rules.name), field)]
    return ", ".join([rules.name, *changed])


@functools.cache
def _named(name):
    return policy_of(name)


class _Case:
    """A conversion of a running process, and the inputs that it gets."""

    def __init__(self, process, conversion, full):
        self.process, self.conversion = process, conversion
        self.source, self.to = format_of(conversion.source), format_of(conversion.to)
        self.inputs = self._inputs(full)

    def _inputs(self, full):
        """The inputs: how many they are depends on the speed."""
        names = self.conversion.source, self.conversion.to
        if BITS[names[0]] <= 16:
            return Inputs(*names, None)
        words = fixed_set(self.conversion.source, self.conversion.to)[:PROBE]
        self._converted(words)  # what is compiled is compiled now
        _, seconds = self._converted(words)
        speed = words.size / max(seconds, 1e-9)
        if full and names[0] == "f32" and speed >= FAST:
            return Inputs(*names, None)
        return Inputs(*names, min(RANDOM, _power(speed * RANDOM_SECONDS)),
                      min(BLOCK, _power(speed * BLOCK_SECONDS)))

    def _converted(self, words):
        start = time.perf_counter()
        codes, seconds = self.process.convert(self.conversion, words)
        return codes, time.perf_counter() - start if seconds is None else seconds

    def expected(self, words, rules):
        return np.asarray(convert(words, self.to, from_=self.source, policy=rules, dtype="codes"))

    def verdict(self, keep):
        """The fields of the cell that need the results."""
        rules = claimed_policy(self.conversion)
        tally = self._compared(rules, keep)
        found = {"inputs": tally.inputs, "all": self.inputs.whole,
                 "claimed": rules_text(rules) if rules else None, "digest": tally.digest(),
                 "speed": round(tally.inputs / max(tally.seconds, 1e-9))}
        if rules and not tally.differ:
            return found | {"status": "equal", "policy": rules_text(rules)}
        matched = self._matched(tally)
        if matched and not rules:
            return found | {"status": "unclaimed", "policy": rules_text(matched)}
        if not rules:
            rules = self._nearest(tally)
            found["nearest"] = rules_text(rules)
            tally = self._compared(rules)
        why = tally.why()
        return found | {
            "status": "differs" if found["claimed"] else "unclaimed",
            "policy": rules_text(matched) if matched else None,
            "diagnosis": why.words, "differ": tally.differ, "key": tally.key(),
            "range_count": tally.range_count, "ranges": tally.ranges}

    def _compared(self, rules, keep=None):
        tally = _Tally(self, rules)
        for words in self.inputs.blocks():
            codes, seconds = self._converted(words)
            tally.add(words, codes, seconds)
            if keep:
                at = _among(words, dense(self.conversion.source))
                keep(words[at], codes[at])
        return tally

    def _matched(self, tally):
        """The policy that gives all codes, or None."""
        words, codes = tally.sample()
        left = [rules for rules in self._candidates(words, codes)
                if np.array_equal(self.expected(words, rules), codes)]
        for words in self.inputs.blocks() if left else ():
            codes, _ = self._converted(words)
            left = [rules for rules in left if np.array_equal(self.expected(words, rules), codes)]
            if not left:
                break
        return left[0] if left else None

    def _candidates(self, words, codes):
        """The policies that give all codes of a sample."""
        found = diagnose_cast(words, codes, self.source, self.to)
        for fit in found.explanations if found.verdict == "policy" else ():
            yield policy_of(fit.policy).replace(round=fit.round)

    def _nearest(self, tally):
        """Of all policies for these formats, that which differs for the fewest inputs."""
        words, codes = tally.sample()
        return min((rules for rules in map(policy_of, policies())
                    if rules.holds(self.to, self.source) and rules.round != "sr"),
                   key=lambda rules: np.count_nonzero(self.expected(words, rules) != codes))


def _power(x):
    """The largest power of two that is not above x; at least PARTS."""
    return max(PARTS, 1 << max(int(x), 1).bit_length() - 1)


def _among(words, those):
    """Where the words that are among those have their places; both are sorted."""
    low, high = np.searchsorted(those, words[[0, -1]])
    at = np.minimum(np.searchsorted(words, those[low:high + 1]), words.size - 1)
    return at[words[at] == those[low:high + 1]]


class _Tally:
    """What came for all inputs, beside what a policy gives; `rules` None: beside nothing."""

    def __init__(self, case, rules):
        self.case, self.rules = case, rules
        self.inputs = self.differ = self.range_count = 0
        self.seconds = 0.0
        self.ranges = []
        self._open = False  # the last input differed, so that a range goes on
        self._samples = []
        self._key = hashlib.sha256()
        self._steps, self._last = hashlib.sha256(), None

    def add(self, words, codes, seconds):
        expected = codes if self.rules is None else self.case.expected(words, self.rules)
        differ = codes != expected
        self.inputs += words.size
        self.seconds += seconds
        bad = np.flatnonzero(differ)
        self.differ += bad.size
        self._add_sample(words, codes, bad)
        self._add_steps(words, codes)
        if bad.size:
            self._add_ranges(words, codes, expected, differ)
            self._add_key(words[bad], codes[bad])
        else:
            self._open = False

    def _add_sample(self, words, codes, bad):
        conversion = self.case.conversion
        if words.size <= SAMPLE:
            at = np.arange(words.size)
        else:
            telling = _among(words, _critical(conversion.source, conversion.to))
            at = np.union1d(np.union1d(telling, _spread(bad, SAMPLE // 8)),
                            _spread(np.arange(words.size), SAMPLE // 32))
        self._samples.append((words[at], codes[at]))

    def _add_steps(self, words, codes):
        """Adds the rows (first word, code) at which the code changes, if these are all words."""
        if not self.case.inputs.whole:
            return
        new = np.concatenate([[self._last is None or codes[0] != self._last],
                              codes[1:] != codes[:-1]])
        rows = np.stack([words[new], codes[new]], 1, dtype="<u8", casting="unsafe")
        self._steps.update(rows.tobytes())
        self._last = codes[-1]

    def _add_key(self, words, codes):
        at = _among(words, dense(self.case.conversion.source))
        rows = np.stack([words[at], codes[at]], 1, dtype="<u8", casting="unsafe")
        self._key.update(rows.tobytes())

    def _add_ranges(self, words, codes, expected, differ):
        """A range is a run of neighbouring inputs of one sign that differ."""
        sign = words >> words.dtype.type(BITS[self.case.conversion.source] - 1)
        begins = differ & np.concatenate([[True], ~differ[:-1] | (sign[1:] != sign[:-1])])
        ends = differ & np.concatenate([~differ[1:] | (sign[1:] != sign[:-1]), [True]])
        firsts, lasts = np.flatnonzero(begins), np.flatnonzero(ends)
        if self._open and firsts[0] == 0 and self._sign == int(sign[0]):
            if self.range_count <= KEPT:
                self.ranges[-1]["last"] = hexadecimal(words[lasts[0]], self.case.source.bits)
            firsts, lasts = firsts[1:], lasts[1:]
        self.range_count += firsts.size
        for a, b in zip(firsts[:KEPT - len(self.ranges)], lasts):
            self.ranges.append({
                "first": hexadecimal(words[a], self.case.source.bits),
                "last": hexadecimal(words[b], self.case.source.bits),
                "got": hexadecimal(codes[a], self.case.to.bits),
                "expected": hexadecimal(expected[a], self.case.to.bits),
                "value": value_text(self.case.source, words[a]),
                "got_value": value_text(self.case.to, codes[a]),
                "expected_value": value_text(self.case.to, expected[a])})
        self._open, self._sign = bool(differ[-1]), int(sign[-1])

    def sample(self):
        """Inputs that distinguish policies, sorted, and their codes. Some of those that differ are
        among them."""
        words = np.concatenate([words for words, _ in self._samples])
        codes = np.concatenate([codes for _, codes in self._samples])
        if words.size <= 2 * SAMPLE:
            return words, codes
        bad = np.flatnonzero(codes != self.case.expected(words, self.rules)) \
            if self.rules else np.arange(0)
        at = np.union1d(_spread(bad, SAMPLE), _spread(np.arange(words.size), SAMPLE))
        return words[at], codes[at]

    def why(self):
        """The likely mistake."""
        words, codes = self.sample()
        found = compared(Codes(codes, self.case.to), None, [Codes(words, self.case.source)],
                         self.rules._text(self.case.to, self.case.source))
        return found.why if found else Why()

    def key(self):
        """Eight digits that stand for all inputs of the dense set that differ, and their codes."""
        return self._key.hexdigest()[:8] if self.differ else None

    def digest(self):
        """The digest of the steps over all words, as in vectors/products/policies.txt."""
        return self._steps.hexdigest() if self.case.inputs.whole else None


def _spread(at, most):
    """Up to `most` of these indices, evenly spread."""
    return at if at.size <= most else at[np.linspace(0, at.size - 1, most, dtype=np.intp)]
