# SPDX-License-Identifier: MIT
"""test_assert_bits.py -- a wrong cast fails with its mistake, a right one passes at once"""
import functools
import time

import numpy as np
import pytest

import softfp8 as sf
from softfp8.testing import all_codes, all_pairs, assert_bits, critical
from conftest import failure_of, line

failure = functools.partial(failure_of, assert_bits)

X = critical("f32", "e4m3")


def flushed_early():
    codes = sf.convert(X, "e4m3", round="rna")
    return np.where(np.abs(X) < 2**-6, codes & 0x80, codes)


def unsigned_zero():
    codes = sf.convert(X, "e4m3")
    return np.where(codes == 0x80, 0, codes).astype(np.uint8)


# More of them are in lib/tests/diagnose: their words come from the library.
PLANTED = {
    "NaN for saturation": (lambda: sf.convert(X, "e4m3", policy="torch-2.12"), "torch-2.13",
                           "torch-2.12 (products: torch before 2.13,",
                           "a finite overflow gives NaN (overflow=special)"),
    "fnuz": (lambda: sf.convert(X, "e4m3fnuz"), "ocp", "ocp, rne, on all inputs, if these are",
             "these are codes of e4m3fnuz"),
    "two mistakes": (flushed_early, "ocp", "ocp, rna with flush_early",
                     "ties go away from zero; values below the smallest normal number are flushed"),
    "another policy": (lambda: sf.convert(X, "e4m3", policy="hip-nosat"), "torch-2.12", "hip-nosat",
                       "overflow is tested before rounding (overflow_test=exact)"),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_mistake_is_named(name):
    make, policy, matches, mistake = PLANTED[name]
    message = failure(make(), inputs=X, fmt="e4m3", policy=policy)
    assert line(message, "matches instead").startswith(matches)
    assert line(message, "likely mistake").startswith(mistake)


def test_the_message_is_whole():
    x = np.array([[1, 17, 18], [-19, 0.3, -17]], np.float32)
    assert failure(sf.convert(x, "e4m3", round="rz"), inputs=x, fmt="e4m3") == """\
2 of 6 codes of e4m3 differ (33.3 %)
  expected: f32 to e4m3, policy ocp, rne
  inputs that differ, 2 ranges of f32:
    3e99999a  (0.3)  got 29 = 0.28125  expected 2a = 0.3125
    c1980000  (-19)  got d9 = -18      expected da = -20
  elements that differ:
    [1, 0]  input c1980000 = -19  got d9 = -18      expected da = -20
    [1, 1]  input 3e99999a = 0.3  got 29 = 0.28125  expected 2a = 0.3125
  matches instead: ocp, rz, on all inputs
  likely mistake: rounds toward zero""".replace(
        "got 29 = 0.28125  expected 2a = 0.3125\n    c1", "got 29  expected 2a\n    c1").replace(
        "got d9 = -18      expected da = -20\n  elements", "got d9  expected da\n  elements")


@pytest.mark.parametrize("source, target", [("f32", "e4m3"), ("f32", "e5m2"), ("f32", "f16"),
                                            ("f16", "e4m3"), ("bf16", "e2m1"), ("f64", "e4m3")])
def test_right_casts_pass(source, target):
    pytest.importorskip("ml_dtypes")
    x = critical(source, target, dtype="ml_dtypes")
    for policy in ("ocp", "ocp-nosat"):
        codes = sf.convert(x, target, policy=policy, dtype="codes")
        assert_bits(codes, inputs=x, fmt=target, policy=policy)
        assert_bits(codes, codes.copy(), fmt=target)
        assert_bits(codes, inputs=x, fmt=target, policy=sf.policy(policy))


def test_arrays_of_ml_dtypes():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = all_codes("bf16", dtype="ml_dtypes")
    got = sf.convert(x, "e4m3", dtype="ml_dtypes")
    assert got.dtype == ml_dtypes.float8_e4m3fn
    assert_bits(got, inputs=x)
    assert "e4m3" in failure(sf.convert(x, "e4m3", round="rz", dtype="ml_dtypes"), inputs=x)


def test_tensors_of_torch():
    torch = pytest.importorskip("torch")
    tensor = torch.from_numpy(X)
    new = tuple(map(int, torch.__version__.split(".")[:2])) >= (2, 13)
    assert_bits(tensor.to(torch.float8_e4m3fn), inputs=tensor,
                policy="torch-2.13" if new else "torch-2.12")
    assert "e4m3" in failure(sf.convert(X, "e4m3", round="rz", dtype="torch"), inputs=tensor)


def test_arrays_of_jax():
    jnp = pytest.importorskip("jax.numpy")
    x = jnp.asarray(X)
    assert_bits(x.astype(jnp.float8_e4m3fn), inputs=x, policy="jax")
    assert "ml_dtypes" in failure(x.astype(jnp.float8_e4m3fn), inputs=x, policy="torch-2.13")


def test_a_million_equal_values_take_milliseconds(rng):
    x = rng.standard_normal((1000, 1000)).astype(np.float32)
    codes = sf.convert(x, "e4m3")
    took = []
    for _ in range(5):
        start = time.perf_counter()
        assert_bits(codes, inputs=x, fmt="e4m3")
        took.append(time.perf_counter() - start)
    assert min(took) < 0.05


def test_a_large_array_is_explained_by_a_sample(rng):
    x = rng.standard_normal(200_000).astype(np.float32)
    message = failure(sf.convert(x, "e4m3", policy="hip-nosat", round="rz"), inputs=x, fmt="e4m3")
    assert "on all inputs" in message and "rounds toward zero" in message


def test_results_that_depend_on_more_than_the_input():
    x = np.array([1, 2, 1], np.float32)
    message = failure(np.array([0x38, 0x40, 0x39], np.uint8), inputs=x, fmt="e4m3")
    assert line(message, "likely mistake") == (
        "the result depends on more than the input: 3f800000 = 1 gave 38 in element 0 and 39 in "
        "element 2")


def test_what_nothing_explains():
    codes = sf.convert(X, "e4m3")
    codes[[5, 700, 1500]] ^= 0x35
    message = failure(codes, inputs=X, fmt="e4m3")
    assert line(message, "unexplained") == "no mistake that is known gives these results"
    assert line(message, "likely mistake") == ""
    assert "3 of 4,210" in message and line(message, "matches instead") == ""


def test_the_nearest_is_named_where_some_inputs_differ():
    codes = flushed_early()
    codes[np.flatnonzero(X == 3.0)] ^= 0x35
    message = failure(codes, inputs=X, fmt="e4m3")
    assert line(message, "nearest").startswith("ocp, rna")
    assert line(message, "nearest").endswith(
        " gives all but 1 of 4,210 inputs; the expected policy all but 245")
    assert line(message, "likely mistake") == line(message, "matches instead") == ""


def right():
    return sf.convert(X, "e4m3")


CODES_ALONE = {
    "fnuz": (lambda: sf.convert(np.arange(241, dtype=np.float32), "e4m3fnuz"),
             lambda: sf.convert(np.arange(241, dtype=np.float32), "e4m3"),
             "these are codes of e4m3fnuz, which have the expected values"),
    "NaN": (lambda: sf.convert(X, "e4m3", policy="ocp-nosat"), right,
            "NaN instead of saturation: what is too large gives NaN"),
    "saturation": (right, lambda: sf.convert(X, "e4m3", policy="ocp-nosat"),
                   "what is too large saturates instead of giving NaN"),
    "zero": (unsigned_zero, right, "the sign of zero is wrong"),
    "flushed": (lambda: np.where((right() & 0x7F) < 8, right() & 0x80, right()), right,
                "subnormal results are flushed to zero"),
    "truncated": (lambda: sf.convert(X, "e4m3", round="rz"), right,
                  "each code that differs is one too small, as with another rounding"),
    "pairs": (lambda: right().reshape(-1, 2)[:, ::-1].reshape(-1), right,
              "the codes of each pair have changed places"),
    "transposed": (lambda: right()[:4200].reshape(60, 70).T.copy().reshape(60, 70),
                   lambda: right()[:4200].reshape(60, 70),
                   "the tensor is transposed"),
    "shuffled": (lambda: np.roll(right(), 3), right, "the expected codes, in another order"),
}


@pytest.mark.parametrize("name", CODES_ALONE)
def test_codes_without_inputs(name):
    got, want, mistake = CODES_ALONE[name]
    message = failure(got(), want(), fmt="e4m3")
    assert line(message, "unexplained").startswith(mistake) if name == "truncated" else \
        line(message, "likely mistake") == mistake


def test_operations_with_several_operands():
    a, b = all_pairs("e4m3")
    want = sf.e4m3.add(a, b)
    assert_bits(want.copy(), want, inputs=(a, b), fmt="e4m3")
    message = failure(sf.e4m3.add(a, b, round="rz"), want, inputs=(a, b), fmt="e4m3")
    assert "inputs[0] 01 = 0.001953125  inputs[1] " in message
    assert "one too small" in line(message, "unexplained")


@pytest.mark.parametrize("policy", ["ocp", "torch-2.13", "hip-nosat"])
def test_inputs_beside_the_expected_codes(policy):
    want, got = (sf.convert(X, "e4m3", policy=policy, round=name) for name in ("rne", "rz"))
    message = failure(got, want, inputs=X, fmt="e4m3")
    assert line(message, "expected") == "the codes in want"
    assert "rz, on all inputs" in line(message, "matches instead")
    assert line(message, "likely mistake") == "rounds toward zero"
    assert "3a800001..3affffff" in message


def test_results_in_another_order_and_none_at_all():
    x = X[:4200].reshape(60, 70)
    codes = sf.convert(x, "e4m3")
    for got, mistake in ((codes.T.copy().reshape(60, 70), "the tensor is transposed"),
                         (np.roll(codes, 1), "the expected codes, in another order"),
                         (np.zeros(x.shape, np.uint8), "every result is 00 = 0: perhaps the kernel "
                          "did not run, or wrote elsewhere")):
        message = failure(got, inputs=x, fmt="e4m3")
        assert line(message, "likely mistake") == mistake


def test_any_nan():
    got = sf.convert(X, "e4m3", policy="torch-2.13")
    assert_bits(got, inputs=X, fmt="e4m3", any_nan=True)
    assert "NaN keeps its sign" in failure(got, inputs=X, fmt="e4m3")
    assert "(any_nan accepts it)" in failure(got, sf.convert(X, "e4m3"), fmt="e4m3")
    truncated = sf.convert(X, "e4m3", policy="torch-2.13", round="rz")
    message = failure(truncated, inputs=X, fmt="e4m3", any_nan=True)
    assert line(message, "likely mistake") == "rounds toward zero"


def test_stochastic_rounding(rng):
    x, random = X[:1000], rng.integers(0, 2**32, 1000, np.uint32)
    codes = sf.convert(x, "e4m3", round="sr", random=random)
    assert_bits(codes, inputs=x, fmt="e4m3", round="sr", random=random)
    assert "differ" in failure(codes, inputs=x, fmt="e4m3", round="sr", random=random[::-1].copy())


def test_scalars_and_empty_arrays():
    assert_bits(np.uint8(0x38), inputs=np.float32(1), fmt="e4m3")
    assert "[]" in failure(np.uint8(0x39), inputs=np.float32(1), fmt="e4m3")
    assert_bits(np.empty(0, np.uint8), inputs=np.empty(0, np.float32), fmt="e4m3")


@pytest.mark.parametrize("to", ["e4m3", "e5m2", "e4m3fnuz", "e3m2"])
@pytest.mark.parametrize("dtype", ["f32", "bf16"])
def test_results_that_were_decoded_again(to, dtype):
    inputs = X[np.abs(X) < 20] if to != "e5m2" else X
    values = sf.convert(sf.decode(sf.convert(inputs, to), to), dtype, dtype="codes")
    given = {} if dtype == "f32" else {"fmt": dtype}
    got = values.view(np.float32) if dtype == "f32" else values
    mistake = line(failure(got, inputs=inputs, **given), "likely mistake")
    assert mistake.startswith(f"every result is a number of {to}")
    assert mistake.endswith(f": pass its codes, or fmt='{to}'")
    if dtype == "f32":
        assert_bits(got, inputs=inputs, fmt=to, any_nan=True)
        truncated = sf.decode(sf.convert(inputs, to, round="rz"), to)
        assert line(failure(truncated, inputs=inputs, fmt=to, any_nan=True),
                    "likely mistake").startswith("rounds toward zero")


ONE = np.ones(2, np.float32)
CODES = np.full(2, 0x38, np.uint8)


@pytest.mark.parametrize("error, match, arguments, options", [
    (TypeError, "want, inputs: expected one", (CODES,), {"fmt": "e4m3"}),
    (TypeError, "got: an array of uint8 needs fmt", (CODES,), {"inputs": ONE}),
    (ValueError, "fmt: unknown name 'e4m4'; did you mean e4m3", (CODES,),
     {"inputs": ONE, "fmt": "e4m4"}),
    (TypeError, "fmt: expected a name", (CODES,), {"inputs": ONE, "fmt": 3}),
    (ValueError, r"got: element \[0\] is 2.7\d* \(float32\), which e4m3 does not hold exactly",
     (ONE * np.float32(2.7),), {"inputs": ONE, "fmt": "e4m3"}),
    (ValueError, r"want: element \[0\] is 2.7\d* \(float32\), which e4m3 does not hold exactly",
     (CODES, ONE * np.float32(2.7)), {"fmt": "e4m3"}),
    (TypeError, "got: expected codes of e4m3", (CODES.astype(np.uint16),),
     {"inputs": ONE, "fmt": "e4m3"}),
    (TypeError, "inputs: an array of uint8 needs from_", (CODES,),
     {"inputs": CODES, "fmt": "e4m3"}),
    (ValueError, r"inputs: expected the shape of got, \(2,\); got \(3,\)", (CODES,),
     {"inputs": np.ones(3, np.float32), "fmt": "e4m3"}),
    (ValueError, r"got: expected the shape \(1,\), got \(2,\)", (CODES, CODES[:1]),
     {"fmt": "e4m3"}),
    (TypeError, "inputs: a tuple of operands needs want", (CODES,),
     {"inputs": (ONE, ONE), "fmt": "e4m3"}),
    (ValueError, "policy: unknown name 'torhc'; did you mean torch", (CODES,),
     {"inputs": ONE, "fmt": "e4m3", "policy": "torhc"}),
    (ValueError, "round: expected rne", (CODES,), {"inputs": ONE, "fmt": "e4m3", "round": "up"}),
    (ValueError, "from_: unknown name", (CODES,),
     {"inputs": ONE, "fmt": "e4m3", "from_": "float33"}),
])
def test_bad_input(error, match, arguments, options):
    with pytest.raises(error, match=match):
        assert_bits(*arguments, **options)


def test_inputs():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    assert all_codes("e4m3").tolist() == list(range(256))
    assert all_codes("f16").dtype == np.float16 and all_codes("f16").size == 65536
    assert all_codes("bf16").dtype == np.uint16
    a, b = all_pairs("e2m1", dtype="ml_dtypes")
    assert a.dtype == ml_dtypes.float4_e2m1fn and len({*zip(a.tolist(), b.tolist())}) > 200
    x = critical("f32", "e4m3", dtype="codes")
    assert np.array_equal(np.unique(x), np.unique(X.view(np.uint32)))
    for value in (448, 464, 2**-10, -2**-10, 17):  # a number, a limit, ties; and their neighbours
        code = int(np.float32(value).view(np.uint32))
        assert {code - 1, code, code + 1} <= set(x.tolist())
    assert np.isnan(X).any() and np.isinf(X).any()
    assert 1000 < critical("f16", "e4m3").size < 10000
    for call, match in ((lambda: all_codes("f32"), "fmt: f32 has 2"),
                        (lambda: all_pairs("f16"), "fmt: f16 has 2"),
                        (lambda: critical("f32", "e4m4"), "to: unknown name"),
                        (lambda: critical("f23", "e4m3"), "from_: unknown name")):
        with pytest.raises(ValueError, match=match):
            call()


def test_operands_of_several_formats_are_refused():
    codes = np.zeros(4, np.uint8)
    with pytest.raises(ValueError, match=r"inputs\[1\]: expected f64, as inputs\[0\]; got e4m3"):
        assert_bits(codes, codes, inputs=(np.zeros(4), codes), fmt="e4m3")
    with pytest.raises(ValueError, match="one to three operands, got 4"):
        assert_bits(codes, codes, inputs=(codes,) * 4, fmt="e4m3")


@pytest.mark.parametrize("name", ["onnx-saturate", "onnxruntime-nosat", "torch-2.13", "xla"])
def test_a_policy_is_what_it_is_for_any_format(name):
    rules, x = sf.policy(name), np.array([3, 5, 1.5, 100, 1e9, -7, np.nan], np.float32)
    for to in ("e8m0", "e4m3", "e5m2fnuz"):
        assert_bits(sf.convert(x, to, policy=rules), inputs=x, fmt=to, policy=rules)


def test_random_rounding_has_a_name():
    x, words = np.linspace(0, 9, 64, dtype=np.float32), np.arange(64, dtype=np.uint32)
    with pytest.raises(AssertionError, match="policy ocp, sr"):
        assert_bits(sf.convert(x, "e4m3") ^ 1, inputs=x, fmt="e4m3", round="sr", random=words)
