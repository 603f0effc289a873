# SPDX-License-Identifier: MIT
"""diagnose.py -- what made these codes: the policy that a conversion follows, the likely mistake

`softfp8 identify` names the policy and the mistake. Before that, each single change of the policy
that was expected is tried: what explains all inputs by one change is what an author looks for.
"""
import collections
import dataclasses
import json

import numpy as np

from .. import command
from ..convert import convert
from ..formats import format as format_of, formats
from ..policies import FIELDS, policies, policy as policy_of
from . import scaled
from .message import Codes, Why, counted, listed

MOST = 1 << 16  # inputs that the engine gets; of more than these a sample
SAMPLE = 1 << 13
MANY = 16  # codes, whose order can be wrong
ROUNDS = {"rne": "rounds to nearest, ties to even", "rna": "ties go away from zero",
          "rnz": "ties go toward zero", "rz": "truncated: rounds toward zero",
          "ru": "rounds up, toward +infinity", "rd": "rounds down, toward -infinity",
          "ro": "rounds to odd"}
FLUSHES = {"inputs": "subnormal operands are flushed to zero",
           "outputs": "subnormal results are flushed to zero",
           "both": "subnormal operands and results are flushed to zero"}
# Fields that change no code of a conversion, or need random numbers.
OTHER_FIELDS = {"sr_rule", "sr_bits", "tininess", "quiet", "inf_flags", "nan_flags", "integer",
                "dialect"}
SUBSTANTIAL = 0.1  # what the nearest policy may leave of the inputs that differ
REFERENCE = "no policy gives the codes in want for these inputs. If the kernel casts other values, such " \
            "as scaled ones, pass those as inputs"
FIRST_FIELDS = ["round", "overflow", "inf", "flush", "via", "overflow_test", "nan_sign"]


def policy_text(rules):
    """A policy as people read it: its name, its rounding, and what is changed."""
    changed = [f"{field}={value}" for field, value in rules._changed.items() if field != "round"]
    return ", ".join([rules.name, rules.round, *changed])


# ---- conversions


@dataclasses.dataclass
class _Conversion:
    """Inputs of a conversion, each once, with the code that came; and the policy that was meant."""

    source: object
    target: object
    inputs: np.ndarray  # those that are wrong come first
    got: np.ndarray
    wrong: np.ndarray
    rules: object

    def asked(self):
        """How many of the inputs the engine gets."""
        return self.inputs.size if self.inputs.size <= MOST else SAMPLE

    def tested(self, fit=None):
        """The inputs that the engine gets, in words; all of them if that policy explains all."""
        all_of_them = self.inputs.size == self.asked() or (
            fit and self.gives(policy_of(fit["policy"]).replace(round=fit["round"])))
        return "all inputs" if all_of_them else f"a sample of {SAMPLE:,} inputs"

    def tested_count(self):
        """How many inputs the engine gets, in words."""
        n = self.asked()
        return counted(n, "input") if n == self.inputs.size else f"a sample of {counted(n, 'input')}"

    def converted(self, rules, count=None):
        """The codes that a policy gives."""
        return convert(self.inputs[:count], self.target, from_=self.source, policy=rules,
                       dtype="codes")

    def gives(self, rules, count=None):
        """Whether a policy gives the codes that came."""
        try:
            return np.array_equal(self.converted(rules, count), self.got[:count])
        except ValueError:  # a policy that cannot be used between these formats
            return False

    def explained_by(self, rules):
        return self.gives(rules, 64) and self.gives(rules)


def conversion(inputs, got, want, differ, rules):
    """Why a conversion gave these codes instead of others."""
    if words := _constant(got, want, differ) or _order(got, want, differ):
        return Why(mistake=words)
    x, y = inputs.array.reshape(-1), got.array.reshape(-1)
    order = np.lexsort((y, x))
    xs, ys = x[order], y[order]
    again = np.concatenate(([False], xs[1:] == xs[:-1]))
    twice = np.flatnonzero(again[1:] & (ys[1:] != ys[:-1]))
    if twice.size:
        i, j = sorted(int(k) for k in order[twice[0]:twice[0] + 2])
        return Why(mistake=f"the result depends on more than the input: {inputs.both(i)} gave "
                           f"{got.hex(i)} in element {i} and {got.hex(j)} in element {j}")
    wrong = differ.reshape(-1)[order][~again]
    case = _Conversion(inputs.of, got.of, *_wrong_first(xs[~again], ys[~again], wrong), rules)
    known = rules is not None and rules.round != "sr"
    single = _single(case) if known else None
    named = any(case.explained_by(meant) for meant in map(policy_of, policies())
                if meant.holds(case.target, case.source))
    if single and not named:
        return Why(f"{policy_text(single[0])}, on all inputs", single[1])
    if not named and known and (other := _read_as(case)):
        return Why(f"{policy_text(rules)}, on all inputs, if {other}", other)
    answer = _asked(case)
    if answer["explained"]:
        return Why(f"{_named(answer)}, on {case.tested(answer['fits'][0])}",
                   single[1] if single else _against(case, answer))
    if why := _found(case, answer):
        return why
    if known and (why := scaled.conversion(case)):
        return why
    why = codes(got, want, differ)
    if not why.mistake:
        why.nearest = _nearest(case, answer)
        if rules is None:
            why.seen = "; ".join(filter(None, (why.seen, REFERENCE)))
    return why


def _wrong_first(x, y, wrong):
    """The inputs, the codes and what is wrong, in an order in which wrong ones come first. The first
    SAMPLE have both kinds."""
    bad, good = np.flatnonzero(wrong), np.flatnonzero(~wrong)
    half = min(bad.size, max(SAMPLE // 2, SAMPLE - good.size))
    spread = np.linspace(0, bad.size - 1, half, dtype=np.intp)
    rest = np.delete(bad, spread)
    some = np.linspace(0, max(good.size - 1, 0), min(good.size, SAMPLE - half), dtype=np.intp)
    at = np.concatenate((bad[spread], good[some], rest, np.delete(good, some)))
    return x[at], y[at], wrong[at]


def _changes(rules, source):
    """The policies that differ from this one in one field, and the field."""
    same = () if source.bits > 32 else ("f32", "f32-f16")  # of `via`: f32 rounds no such source
    for field in sorted(FIELDS, key=lambda name: FIRST_FIELDS.index(name)
                        if name in FIRST_FIELDS else len(FIRST_FIELDS)):
        for value in FIELDS[field] if field not in OTHER_FIELDS else ():
            if value not in ("sr", getattr(rules, field), *same):
                yield rules.replace(**{field: value}), field, value


def _single(case):
    """The policy that explains everything by one change of the expected one, and the change in
    words; None if there is none."""
    found = [(rules, field, value) for rules, field, value in _changes(case.rules, case.source)
             if case.explained_by(rules)]
    if not found:
        return None
    rules, field, value = found[0]
    others = [f"{other}={setting}" for _, other, setting in found[1:]
              if (other, setting) != ("flush", "both")]
    return rules, _words(case, rules, field) + (
        f" (these inputs do not distinguish it from {listed(others)})" if others else "")


def _words(case, rules, field):
    """What a field of a policy does otherwise than in the expected one, in words."""
    value, meant = getattr(rules, field), getattr(case.rules, field)
    if field == "round":
        return ROUNDS[value]
    if field == "flush" and value in FLUSHES:
        return FLUSHES[value]
    if field == "via":
        return "rounds once" if value == "none" else \
            f"double rounding: rounds to {value.replace('-', ', then to ')} first"
    shows = np.flatnonzero(case.converted(rules) != case.converted(rules.replace(**{field: meant})))
    steps = command.explain(case.inputs[shows[:1]], case.target, from_=case.source,
                            policy=rules).data["rules"] if shows.size else []
    return next((f"{row['text']} ({field}={value})" for row in steps if row["field"] == field),
                f"{field}={value} instead of {meant}")


def _read_as(case):
    """Another format of which these are codes, in words."""
    for name in formats():
        of = format_of(name)
        if of.bits == case.target.bits and of != case.target:
            other = dataclasses.replace(case, target=of)
            if other.explained_by(case.rules):
                return f"these are codes of {name}"
    return None


def _asked(case):
    """What the engine of the command says about the inputs, or about the first of them."""
    n = case.asked()
    arguments, text = command.identify_call(case.inputs[:n], case.got[:n], case.source, case.target)
    return json.loads(command.run("identify", "--json", *arguments, input=text))


def _rounded(row):
    """A policy and its rounding, which is named where it is not the policy's own."""
    own = policy_of(row["policy"]).round if row["policy"] in policies() else None
    return row["policy"] + (f", {row['round']}" if row["round"] != own else "")


def _named(answer):
    """The policies that explain all, and the products that follow them."""
    names = list(dict.fromkeys(_rounded(row) for row in answer["fits"]))
    products = [row["name"] + (f" before {row['before']}" if "before" in row else "")
                for row in answer["products"]]
    extra = [name for name in names[1:] if "," not in name]
    return names[0] + (f" (products: {listed(products)})" if products else
                       f" (also {listed(extra)})" if extra else "")


def _against(case, answer):
    """How the policy that was found differs from the expected one, in words."""
    if case.rules is None:
        return f"the policy {_rounded(answer['fits'][0])}"
    fit = answer["fits"][0]
    other = policy_of(fit["policy"]).replace(round=fit["round"])
    fields = [field for field in FIELDS
              if field not in OTHER_FIELDS and getattr(other, field) != getattr(case.rules, field)]
    rules = case.rules.replace(**{field: getattr(other, field) for field in fields})
    for field in list(fields):  # what is not needed is left out
        less = rules.replace(**{field: getattr(case.rules, field)})
        if case.explained_by(less):
            rules = less
            fields.remove(field)
    return "; ".join(_words(case, rules, field) for field in fields) \
        or f"the policy {_rounded(fit)}"


def _found(case, answer):
    """What the engine found besides policies, if it explains all; or None."""
    reading, model = answer["reading"], answer["diagnosis"]
    if model and model["complete"]:
        changes = [row.get("value") and f"{row['field']}={row['value']}" or row["defect"]
                   for row in model["changes"]]
        words = [row["words"] for row in model["changes"]]
        if case.rules is None or model["round"] != case.rules.round:
            words.insert(0, ROUNDS[model["round"]])
        start = f"{reading['words']}, " if reading else ""
        return Why(f"{start}{_rounded(model)} with {', '.join(changes)}, on {case.tested()}",
                   "; ".join(([reading["words"]] if reading else []) + words))
    if reading and reading["differ"] == "0":
        return Why(f"{_rounded(reading)}, on {case.tested()}, if {reading['words']}",
                   reading["words"])
    return None


def _nearest(case, answer):
    """What explains most inputs, in a sentence; or None."""
    near = answer["diagnosis"] or answer["reading"] or answer["closest"]
    left, wrong = int(near["differ"]), int(case.wrong[:case.asked()].sum())
    if left > wrong * SUBSTANTIAL:
        return None
    words = [near["words"]] if near is answer["reading"] else \
        [row["words"] for row in near.get("changes", ())]
    if case.rules is None or near["round"] != case.rules.round:
        words.insert(0, ROUNDS[near["round"]])
    what = f" ({'; '.join(words)})" if words else ""
    return f"{_rounded(near)}{what} gives all but {left:,} of {case.tested_count()}; the expected " \
           f"policy all but {wrong:,}"


# ---- codes alone


FIRST_FORMATS = ["e4m3", "e5m2", "e4m3fnuz", "e5m2fnuz"]


def numbers_of(codes):
    """Of which narrow format every result is a number, in words; None if there is none. So it is
    with a kernel whose codes were decoded again."""
    values = np.unique(_bits_of_values(codes.array, codes.of)).view(np.float64)
    values = values[values == values]
    narrow, found = [], []
    for name in [*FIRST_FORMATS, *(name for name in formats() if name not in FIRST_FORMATS)]:
        if (of := format_of(name)).bits <= 8 and values.size > 1:
            numbers = np.unique(convert(of.all_codes(), "f64", from_=of, policy="ocp-nosat"))
            if np.isin(values, numbers).all():  # of less than 8 bits only if most of them came
                (narrow if of.bits < 8 and 2 * values.size > numbers.size else found).append(name)
    found = narrow + found
    if not found:
        return None
    more = f" (also of {', '.join(found[1:3])})" if found[1:] else ""
    return f"every result is a number of {found[0]}{more}: pass its codes, or fmt={found[0]!r}"


def codes(got, want, differ):
    """Why these codes came instead of others, if no inputs are known."""
    for guess in (_constant, _other_format, _order, _kinds):
        if words := guess(got, want, differ):
            return Why(mistake=words)
    return Why(seen=_steps(got, want, differ))


def _bits_of_values(array, of):
    values = convert(array, "f64", from_=of, policy="ocp-nosat", dtype="codes")
    return np.where(format_of("f64").is_nan(values), np.uint64(0x7FF8 << 48), values)


def _other_format(got, want, differ):
    wanted = _bits_of_values(want.array, want.of)
    for name in formats():
        of = format_of(name)
        if of.bits == want.of.bits and of != want.of and \
                np.array_equal(_bits_of_values(got.array, of), wanted):
            return f"these are codes of {name}, which have the expected values"
    return None


def _constant(got, want, differ):
    """One code everywhere, as in memory that no kernel has written."""
    first = got.array.reshape(-1)[0]
    if (got.array != first).any() or (want.array == want.array.reshape(-1)[0]).all():
        return None
    return f"every result is {got.both(0)}: perhaps the kernel did not run, or wrote elsewhere"


def _order(got, want, differ):
    """The same codes in another order."""
    a, b = got.array, want.array
    if a.ndim and a.shape[-1] % 2 == 0 and np.array_equal(
            a.reshape(-1, 2)[:, ::-1], b.reshape(-1, 2)):
        return "nibbles swapped: the codes of each pair have changed places" if got.of.bits == 4 \
            else "the codes of each pair have changed places"
    if a.itemsize == 2 and np.array_equal(a.byteswap(), b):
        return "the bytes of each code are swapped"
    if a.ndim >= 2 and np.array_equal(a.reshape(a.shape[::-1]).T, b):
        return "the tensor is transposed"
    if a.size >= MANY and np.array_equal(np.sort(a, None), np.sort(b, None)):
        return "the expected codes, in another order"
    return None


KINDS = {("subnormal", "zero"): "subnormal results are flushed to zero",
         ("zero", "zero"): "the sign of zero is wrong",
         ("nan", "nan"): "NaN has another sign or payload (any_nan=True accepts it)",
         ("largest", "nan"): "NaN instead of saturation: what is too large gives NaN",
         ("largest", "infinity"): "infinity instead of saturation: what is too large gives "
                                  "infinity",
         ("nan", "largest"): "what is too large saturates instead of giving NaN",
         ("infinity", "largest"): "what is too large saturates instead of giving infinity"}
# A number of the largest magnitude need not be a saturated one, so that some may be right.
MOST_OF = {"largest": 0.5, "nan": 0.1, "infinity": 0.5, "zero": 0.25}


def _kind(codes):
    """What each code is: zero, subnormal, number, largest, infinity or nan."""
    names = np.array([name.split("_")[-1] for name in
                      codes.of.class_name(codes.array.reshape(-1))], object)
    values = np.asarray(convert(codes.array.reshape(-1), "f64", from_=codes.of,
                                policy="ocp-nosat"))
    names[np.abs(values) == codes.of.max] = "largest"
    return names


def _kinds(got, want, differ):
    """What became of which kind of code, if it became of most of them."""
    wrong = np.flatnonzero(differ)[:SAMPLE]
    a, b = (Codes(codes.array.reshape(-1)[wrong], codes.of) for codes in (got, want))
    pairs = collections.Counter(zip(_kind(b), _kind(a)))
    if not all(pair in KINDS for pair in pairs):
        return None
    some = np.linspace(0, differ.size - 1, min(SAMPLE, differ.size), dtype=np.intp)
    right = collections.Counter(_kind(Codes(want.array.reshape(-1)[some], want.of))[
        ~differ.reshape(-1)[some]])
    share = differ.sum() / wrong.size * some.size / differ.size  # of what is wrong, in `some`
    for (kind, _), count in pairs.items():
        least = MOST_OF.get(kind, 1)
        if count * share < least * (count * share + right[kind]):
            return None
    return "; ".join(KINDS[pair] for pair, _ in pairs.most_common())


def _steps(got, want, differ):
    """By how much the codes differ, if by one."""
    step = got.array[differ].astype(np.int64) - want.array[differ].astype(np.int64)
    if abs(step).max() > 1:
        return None
    if step.min() != step.max():
        return "each code that differs is one too large or too small, as with another rounding, or " \
               "with slightly other values"
    return f"each code that differs is one too {'large' if step[0] > 0 else 'small'}, as with " \
           "another rounding, or with slightly other values"
