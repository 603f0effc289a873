# SPDX-License-Identifier: MIT
"""bits.py -- assert_bits: the result of a cast, or of any operation, is right in every bit"""
import numpy as np

from .._base.arrays import array_of
from ..convert import convert
from ..policies import policies, policy as policy_of
from . import diagnose, message, report
from .message import Codes, Why, codes_from


def assert_bits(got, want=None, *, inputs=None, fmt=None, from_=None, policy=None, round=None,
                via=None, random=None, any_nan=False):
    """Fails unless `got` has the codes that are expected: those of `want`, or else those that the
    inputs convert to under a policy.

    got      what the kernel returned: codes, or an array whose dtype has the format (ml_dtypes,
             PyTorch, JAX), or with fmt floats that are numbers of it
    want     the expected codes; None: softfp8 converts the inputs
    inputs   the inputs of the kernel; with `want` a tuple if it has several operands
    fmt      the format of got and want, if their dtype does not have it
    from_    the format of the inputs, if their dtype does not have it
    policy   the rules of the conversion (None: "ocp"), and round, via, random as in convert()
    any_nan  True: all codes of NaN count as equal

    The message says which inputs differ, which policy `got` follows instead, and the likely
    mistake. With `want` alone it compares the codes.

    >>> x = np.array([1, 500], np.float32)
    >>> assert_bits(np.array([0x38, 0x7e], np.uint8), inputs=x, fmt="e4m3")
    """
    __tracebackhide__ = True
    given = codes_from(got, fmt, "got", "fmt")
    operands = _operands(inputs, want, from_, given)
    rules = _policy(policy, round, via, given, operands)
    if want is not None:
        right = codes_from(want, given.of, "want", "fmt")
    else:
        right = _expected(operands[0], given.of, rules, random)
    if right.array.shape != given.array.shape:
        raise ValueError(f"got: expected the shape {right.array.shape}, got {given.array.shape}")
    case = report.begin("assert_bits", given.array.size)
    if np.array_equal(given.array, right.array):
        report.passed(case, f"codes of {given.of.name}")
        return
    differ = given.array != right.array
    if any_nan:  # as if the expected NaN had come
        nan = given.of.is_nan(given.array) & given.of.is_nan(right.array)
        given, differ = Codes(np.where(nan, right.array, given.array), given.of), differ & ~nan
    if not differ.any():
        report.passed(case, f"codes of {given.of.name}")
        return
    oracle = "the codes in want" if want is not None else \
        f"{operands[0].of.name} to {given.of.name}, policy {diagnose.policy_text(rules)}"
    if want is not None and len(operands) == 1:
        rules = _meant(right, operands[0], rules)
    why = _why(given, right, operands, differ, rules, random, want is None)
    raise AssertionError(_message(case, given, right, operands, differ, why, oracle))


def _operands(inputs, want, from_, given):
    """The inputs as a list of Codes. Codes of several operands have the format of the result."""
    if inputs is None:
        if want is None:
            raise TypeError("want, inputs: expected one of them")
        return []
    several = isinstance(inputs, tuple)
    if several and want is None:
        raise TypeError("inputs: a tuple of operands needs want, the expected codes")
    names = [f"inputs[{i}]" for i in range(len(inputs))] if several else ["inputs"]
    found = []
    for x, name in zip(inputs if several else (inputs,), names):
        of = given.of if several and from_ is None and array_of(x, name)[1] is None else from_
        found.append(codes_from(x, of, name, "from_"))
        if found[-1].array.shape != given.array.shape:
            raise ValueError(f"{name}: expected the shape of got, {given.array.shape}; got "
                             f"{found[-1].array.shape}")
    return found


def _policy(policy, round, via, given, operands):
    changed = {name: value for name, value in (("round", round), ("via", via))
               if value is not None}
    source = operands[0].of if operands else "f32"
    return policy_of("ocp" if policy is None else policy, to=given.of, from_=source, **changed)


def _expected(source, of, rules, random):
    return Codes(np.asarray(convert(source.array, of, from_=source.of, policy=rules, random=random,
                                    dtype="codes")), of)


def _meant(want, inputs, rules):
    """The policy that gives the expected codes: this one, or the first that does, or None."""
    for meant in (rules, *map(policy_of, policies())):
        if meant.round != "sr" and meant.holds(want.of, inputs.of) and \
                np.array_equal(_expected(inputs, want.of, meant, None).array, want.array):
            return meant
    return None


def _why(got, want, operands, differ, rules, random, converted):
    """Why these codes came. `converted`: the inputs were converted to a format that fmt or the dtype
    named, which may not be that of the kernel."""
    if converted and got.of.bits > 8 and (words := diagnose.numbers_of(got)):
        return Why(mistake=words)
    if len(operands) != 1 or random is not None:
        return diagnose.codes(got, want, differ)
    return diagnose.conversion(operands[0], got, want, differ, rules)


def _message(case, got, want, operands, differ, why, oracle):
    """The text of the failure; the report gets the same."""
    wrong, total = int(differ.sum()), differ.size
    lines = [f"{wrong:,} of {total:,} codes of {got.of.name} differ "
             f"({message.share(wrong, total)})"]
    lines.append(f"  expected: {oracle}")
    found = []
    if len(operands) == 1:
        found = message.ranges(operands[0], differ)
        lines += message.range_lines(found, operands[0], got, want)
    titles = ["input"] if len(operands) == 1 else [f"inputs[{i}]" for i in range(len(operands))]
    lines += message.element_lines(differ, [
        *zip(titles, (x.both for x in operands)), ("got", got.both), ("expected", want.both)])
    lines += why.lines()
    report.failed(case, oracle, wrong, why,
                  message.report_ranges(found, operands[0], got, want) if found else (), len(found))
    return "\n".join(lines)
