# SPDX-License-Identifier: MIT
"""bits.py -- assert_bits: the result of a cast, or of any operation, is right in every bit"""
from .._base.arrays import array_of
from ..formats import randoms_of
from ..policies import policy as policy_of
from . import report
from .compare import compared, numbers_of
from .judge import Uncertainty, judged_cast, path_of, two
from .message import Codes, codes_from


def assert_bits(got, want=None, *, inputs=None, fmt=None, from_=None, policy=None, round=None,
                via=None, random=None, any_nan=False, uncertain=None, between=None):
    """Fails unless `got` has the codes that are expected: those of `want`, or else those that the
    inputs convert to under a policy; with `uncertain` or `between` those of values that differ from
    the inputs by no more than is stated.

    got      what the kernel returned: codes, or an array whose dtype has the format (ml_dtypes,
             PyTorch, JAX), or with fmt floats that are numbers of it
    want     the expected codes; None: softfp8 converts the inputs
    inputs   the inputs of the kernel; with `want` a tuple if it has several operands
    fmt      the format of got and want, if their dtype does not have it
    from_    the format of the inputs, if their dtype does not have it
    policy   the rules of the conversion (None: "ocp"), and round, via, random as in convert()
    any_nan  True: all codes of NaN count as equal
    uncertain  how far the values that the kernel casts may be from the inputs: "bf16/2", "f32*4",
             "rel=1e-3", "abs=1e-6", a sum of these with "+", or an array of absolute errors
    between  two computations (a, b) of the values, or their codes: the values may be anything
             between these. Without inputs they are those of a

    The message says which inputs differ, which policy `got` follows instead, and the likely
    mistake. With `want` alone it compares the codes.

    >>> import numpy as np
    >>> x = np.array([1, 500], np.float32)
    >>> assert_bits(np.array([0x38, 0x7e], np.uint8), inputs=x, fmt="e4m3")
    """
    __tracebackhide__ = True
    given = codes_from(got, fmt, "got", "fmt")
    if uncertain is not None or between is not None:
        _assert_within(given, want, inputs, from_, (policy, round, via), random, any_nan, uncertain,
                       between)
        return
    operands = _operands(inputs, want, from_, given)
    rules = _policy(policy, round, via, given, operands)
    right = None if want is None else codes_from(want, given.of, "want", "fmt")
    shape = operands[0].array.shape if right is None else right.array.shape
    if shape != given.array.shape:
        raise ValueError(f"got: expected the shape {shape}, got {given.array.shape}")
    randoms = randoms_of(random, shape, rules._policy) if right is None else None
    case = report.begin("assert_bits", given.array.size)
    source = operands[0].of if operands else given.of
    options = {"policy": rules._text(given.of, source), "random": randoms, "any_nan": any_nan}
    decoded = right is None and given.of.bits > 8  # the kernel may have decoded its codes again
    failure = compared(given, right, operands, mistake="" if decoded else None, **options)
    if failure is None:
        report.passed(case, f"codes of {given.of.name}")
        return
    if decoded:
        failure = compared(given, right, operands, mistake=numbers_of(given), **options)
    report.failed(case, failure.expected, failure.differ, failure.why, failure.ranges,
                  failure.range_count)
    raise AssertionError(failure.message)


def _assert_within(given, want, inputs, from_, rules, random, any_nan, uncertain, between):
    __tracebackhide__ = True
    if want is not None or random is not None:
        raise TypeError("uncertain: expected inputs, without want or random")
    if inputs is None:
        if between is None:
            raise TypeError("inputs: uncertain needs them")
        path, source = path_of(two(between)[0], "between[0]", given.of)
        operands = [Codes(path, source)]
    elif isinstance(inputs, tuple):
        raise TypeError("inputs: expected one array with uncertain, got a tuple")
    else:
        operands = _operands(inputs, want, from_, given)
    source = operands[0].of
    if operands[0].array.shape != given.array.shape:
        raise ValueError(f"got: expected the shape {operands[0].array.shape}, got "
                         f"{given.array.shape}")
    text = _policy(*rules, given, operands)._text(given.of, source)
    noise = Uncertainty(uncertain, between, given.array.shape, given.of)
    case = report.begin("assert_bits", given.array.size)
    found = judged_cast(given, operands[0], text, noise, any_nan)
    if found.holds:
        report.passed(case, f"codes of {given.of.name}", found.excused)
        return
    report.failed(case, f"codes of {given.of.name}", found.outside or found.differ, found.why())
    raise AssertionError(found.message)


def _operands(inputs, want, from_, given):
    """The inputs as a list of Codes. Codes of several operands have the format of the result."""
    if inputs is None:
        if want is None:
            raise TypeError("want, inputs: expected one of them")
        return []
    several = isinstance(inputs, tuple)
    if several and want is None:
        raise TypeError("inputs: a tuple of operands needs want, the expected codes")
    if several and not 1 <= len(inputs) <= 3:
        raise ValueError(f"inputs: expected one to three operands, got {len(inputs)}")
    names = [f"inputs[{i}]" for i in range(len(inputs))] if several else ["inputs"]
    found = []
    for x, name in zip(inputs if several else (inputs,), names):
        of = given.of if several and from_ is None and array_of(x, name)[1] is None else from_
        found.append(codes_from(x, of, name, "from_"))
        if found[-1].array.shape != given.array.shape:
            raise ValueError(f"{name}: expected the shape of got, {given.array.shape}; got "
                             f"{found[-1].array.shape}")
        if found[-1].of != found[0].of:
            raise ValueError(f"{name}: expected {found[0].of.name}, as inputs[0]; got "
                             f"{found[-1].of.name}")
    return found


def _policy(policy, round, via, given, operands):
    changed = {name: value for name, value in (("round", round), ("via", via))
               if value is not None}
    source = operands[0].of if operands else "f32"
    return policy_of("ocp" if policy is None else policy, to=given.of, from_=source, **changed)
