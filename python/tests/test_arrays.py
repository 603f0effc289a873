# SPDX-License-Identifier: MIT
"""test_arrays.py -- arrays of every shape and origin, and the errors for those that do not fit"""
import threading
import time

import numpy as np
import pytest

import softfp8 as sf


@pytest.fixture
def x(rng):
    return (rng.standard_normal((4, 6, 5)) * 100).astype(np.float32)


def flat(x):
    """The codes of each element, converted as one contiguous row."""
    return sf.convert(np.ascontiguousarray(x).reshape(-1), "e4m3").reshape(x.shape)


@pytest.mark.parametrize("view", [
    lambda x: x, lambda x: x.T, lambda x: x[::-1], lambda x: x[:, ::2], lambda x: x[1:, 1, ::-3],
    lambda x: x[0, 0, ::2], lambda x: x[0, 0, ::-1], lambda x: np.asfortranarray(x),
    lambda x: np.broadcast_to(x[:, :1, :1], x.shape), lambda x: x[:0], lambda x: x[:, :0],
    lambda x: x[..., None], lambda x: np.broadcast_to(x[0, 0, :1], (7,))])
def test_any_shape_and_strides(x, view):
    expected = flat(view(x))
    got = sf.convert(view(x), "e4m3")
    assert got.shape == expected.shape and (got == expected).all()
    codes = view(sf.convert(x, "e4m3"))
    assert (sf.decode(codes, "e4m3").view(np.uint32)
            == view(sf.decode(sf.convert(x, "e4m3"), "e4m3")).view(np.uint32)).all()


def test_zero_dimensions():
    got = sf.convert(np.array(500, np.float32), "e4m3")
    assert got == 0x7E and got.dtype == np.uint8 and got.ndim == 0
    assert sf.e4m3.add(np.uint8(0x38), np.array([0x38, 0x40], np.uint8)).tolist() == [0x40, 0x44]


@pytest.mark.parametrize("dtype", [">f2", ">f4", ">f8", "<f4"])
def test_byte_order(x, dtype):
    other = x.astype(dtype)
    native = x.astype(np.dtype(dtype).newbyteorder("="))
    assert (sf.convert(other, "e4m3") == sf.convert(native, "e4m3")).all()
    assert (sf.convert(other[::-1, 1], "e4m3") == sf.convert(native[::-1, 1], "e4m3")).all()


def test_signaling_nan_is_not_changed_on_the_way():
    signaling = np.array([0x7F800001], np.uint32)
    swapped = signaling.byteswap().view(">f4")
    for array in (signaling.view(np.float32), swapped):
        assert sf.convert(array, "f32", flags=True)[1].tolist() == [sf.INVALID]


def test_read_only_input_and_lists(x):
    x.flags.writeable = False
    assert (sf.convert(x, "e4m3") == flat(x)).all()
    assert sf.convert([1.0, 2.0], "e4m3").tolist() == [0x38, 0x40]
    assert sf.e4m3.add([0x38], [0x38]).tolist() == [0x40]


def test_out(x):
    out = np.zeros(x.shape, np.uint8)
    assert sf.convert(x, "e4m3", out=out) is out and (out == flat(x)).all()
    codes = flat(x)
    same = codes.copy()
    sf.e4m3.add(same, codes, out=same)
    assert (same == sf.e4m3.add(codes, codes)).all()
    memory = np.zeros(64, np.uint8)  # the result begins inside the operand
    memory[:32] = np.arange(8, dtype=np.float32).view(np.uint8)
    expected = sf.convert(memory[:32].view(np.float32), "e4m3")
    sf.convert(memory[:32].view(np.float32), "e4m3", out=memory[3:11])
    assert (memory[3:11] == expected).all()


def read_only(shape):
    array = np.zeros(shape, np.uint8)
    array.flags.writeable = False
    return array


F = np.zeros(3, np.float32)
C = np.zeros(3, np.uint8)


@pytest.mark.parametrize("call, error, words", [
    (lambda: sf.convert(C, "e4m3"), TypeError, "x:.*from_"),
    (lambda: sf.convert(F, "e4m4"), ValueError, "format:.*e4m4.*did you mean.*e4m3"),
    (lambda: sf.convert(F, 7), TypeError, "format: expected a name"),
    (lambda: sf.convert(F, "e4m3", policy="torhc"), ValueError, "policy:.*did you mean.*torch"),
    (lambda: sf.convert(F, "e4m3", round="up"), ValueError, "round: expected rne"),
    (lambda: sf.convert(F, "e4m3", via="e5m2"), ValueError, "via:.*e5m2"),
    (lambda: sf.convert(F, "e4m3", round="sr"), ValueError, "random:"),
    (lambda: sf.convert(F, "e4m3", round="sr", random=C[:2]), ValueError, "random:.*shape"),
    (lambda: sf.convert(F, "e4m3", from_="f16"), TypeError, "x: expected codes of f16"),
    (lambda: sf.convert(F, "e4m3", out=np.zeros(4, np.uint8)), ValueError, "out:.*shape"),
    (lambda: sf.convert(F, "e4m3", out=F), TypeError, "out: expected an array of uint8"),
    (lambda: sf.convert(F, "e4m3", out=read_only(3)), ValueError, "out:.*read-only"),
    (lambda: sf.convert(F, "e4m3", out=np.zeros(6, np.uint8)[::2]), ValueError, "out:.*contiguous"),
    (lambda: sf.convert(F, "e4m3", dtype="int"), ValueError, "dtype:"),
    (lambda: sf.convert("500", "e4m3"), TypeError, "x: expected an array of numbers"),
    (lambda: sf.convert(np.array([1j]), "e4m3"), TypeError, "x:.*complex128"),
    (lambda: sf.convert(np.array([True]), "e4m3"), TypeError, "x:.*got bool$"),
    (lambda: sf.convert([[1.0], [1.0, 2.0]], "e4m3"), TypeError, "x: expected an array"),
    (lambda: sf.convert(300, "e4m3", from_="u8"), TypeError, "x: expected integers of uint8"),
    (lambda: sf.convert(F, "e4m3", level="sse9"), ValueError, "level:.*sse9"),
    (lambda: sf.e4m3.add(C, np.zeros(4, np.uint8)), ValueError, "shapes that do not match"),
    (lambda: sf.e4m3.add(C, C.astype(np.int64)), TypeError, "b: expected codes of e4m3"),
    (lambda: sf.e4m3.add(C), TypeError, "add.. takes 2 arrays, got 1"),
    (lambda: sf.e4m3.add(0x100, 0), ValueError, "a:.*below 0x100"),
    (lambda: sf.f64.add(0, 0), ValueError, "too precise"),
    (lambda: sf.f32.all_codes(), ValueError, "2.32 codes"),
    (lambda: sf.e4m3.parse("1.x"), ValueError, "string:.*character 2"),
    (lambda: sf.e4m3.text(C, "octal"), ValueError, "style:"),
    (lambda: sf.format_row(3, 2, nan="some"), ValueError, "nan:"),
    (lambda: sf.format_row(99, 2), ValueError, "format_row"),
    (lambda: sf.policy("ocp", colour="red"), ValueError, "colour"),
    (lambda: sf.pack(C, 9), ValueError, "bits:"),
    (lambda: sf.unit("hopper-qgmma").dot(C, C, F), ValueError, "c: expected one number"),
    (lambda: sf.sums.rstd(F, F), ValueError, "eps: expected one number"),
    (lambda: sf.vectors.steps("f16", "e2m1").find(F), TypeError, "x: expected codes of f16"),
    (lambda: sf.vectors.read_steps(7), TypeError, "string: expected text"),
    (lambda: sf.unpack(C, 4, 7), ValueError, "n: 3 bytes"),
    (lambda: sf.to_integer(C, "e4m3", "i7"), ValueError, "to:"),
    (lambda: sf.decode(np.array([[1, 2], [0x2F, 3]], np.uint8), "e2m1"), ValueError,
     r"codes: element \[1, 0\] is 0x2f; expected codes of e2m1, which are below 0x10; if a byte has "
     r"two codes, pass softfp8.unpack\(codes, 4\)"),
    (lambda: sf.convert(np.array([0x22], np.uint8), "f32", from_="e2m1"), ValueError,
     r"x: element \[0\] is 0x22.*softfp8.unpack\(x, 4\)"),
    (lambda: sf.decode(np.array([0x40], np.uint8), "e2m3"), ValueError, "0x40.*below 0x40$"),
    (lambda: sf.decode([-1], "e4m3"), ValueError, r"codes: element \[0\] is -0x1"),
    (lambda: sf.e2m1.add(0x22, 1), ValueError, "a: the number is 0x22"),
    (lambda: sf.mma("sm120-mxf4", np.full((2, 64), 0x22, np.uint8), C, from_="e2m1"),
     ValueError, r"a: element \[0, 0\] is 0x22.*softfp8.unpack\(a, 4\)"),
    (lambda: sf.pack([200, 3], 4), ValueError,
     r"codes: element \[0\] is 0xc8; expected codes of 4 bits, which are below 0x10$"),
    (lambda: sf.pack([300, 3], 8), ValueError, r"codes: element \[0\] is 0x12c"),
    (lambda: sf.unpack([33, -1], 4), ValueError, r"packed: element \[1\] is -0x1"),
])
def test_bad_input_names_the_argument(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_a_refused_call_writes_nothing():
    out = np.full(3, 0xAA, np.uint8)
    for bad in (dict(round="sr"), dict(policy="none such"), dict(level="sse9")):
        with pytest.raises(ValueError):
            sf.convert(F, "e4m3", out=out, **bad)
    assert out.tolist() == [0xAA] * 3


# ---- other packages


def test_ml_dtypes(x):
    ml = pytest.importorskip("ml_dtypes")
    kinds = {"e4m3": ml.float8_e4m3fn, "e5m2": ml.float8_e5m2, "e4m3fnuz": ml.float8_e4m3fnuz,
             "e5m2fnuz": ml.float8_e5m2fnuz, "e4m3b11fnuz": ml.float8_e4m3b11fnuz,
             "e2m1": ml.float4_e2m1fn, "e8m0": ml.float8_e8m0fnu, "e3m4": ml.float8_e3m4,
             "e4m3ieee": ml.float8_e4m3, "e3m2": ml.float6_e3m2fn, "bf16": ml.bfloat16}
    for name, kind in kinds.items():
        codes = sf.convert(x, name)
        typed = sf.convert(x, name, dtype="ml_dtypes")
        assert typed.dtype == kind and (typed.view(codes.dtype) == codes).all()
        assert (sf.decode(typed).view(np.uint32) == sf.decode(codes, name).view(np.uint32)).all()
        if name != "e8m0" and name != "bf16":
            assert (sf.format(name).add(typed, typed) == sf.format(name).add(codes, codes)).all()
        out = np.zeros(x.shape, kind)
        assert sf.convert(x, name, out=out) is out and (out.view(codes.dtype) == codes).all()
    with pytest.raises(TypeError, match="out"):
        sf.convert(x, "e4m3", out=np.zeros(x.shape, ml.float8_e5m2))
    with pytest.raises(TypeError, match=r"codes: expected codes of e5m2 \(uint8 or float8_e5m2\), "
                                        "got float8_e4m3fn"):
        sf.decode(np.zeros(3, ml.float8_e4m3fn), "e5m2")


def typed(torch_or_ml):
    """A function that makes codes of a format: tensors of PyTorch or arrays of ml_dtypes."""
    package = pytest.importorskip(torch_or_ml)
    if torch_or_ml == "torch":
        return lambda codes, name: package.from_numpy(codes.copy()).view(getattr(package, name))
    return lambda codes, name: codes.view(getattr(package, name, name))


@pytest.mark.parametrize("package", ["ml_dtypes", "torch"])
def test_a_dtype_that_contradicts_the_format_is_refused(package):
    make = typed(package)
    codes = np.arange(64, dtype=np.uint8).reshape(2, 32)
    wrong, right = make(codes, "float8_e5m2"), make(codes, "float8_e4m3fn")
    words = r": expected codes of e4m3 \(uint8 or float8_e4m3fn\), got float8_e5m2$"
    unit = "hopper-qgmma"
    for argument, call in (
            ("codes", lambda: sf.decode(wrong, "e4m3")), ("a", lambda: sf.e4m3.add(wrong, right)),
            ("b", lambda: sf.e4m3.add(right, wrong)), ("codes", lambda: sf.e4m3.is_nan(wrong)),
            ("x", lambda: sf.convert(wrong, "f32", from_="e4m3")),
            ("codes", lambda: sf.to_integer(wrong, "e4m3")),
            ("a", lambda: sf.mma(unit, wrong, right.T, from_="e4m3")),
            ("b", lambda: sf.mma(unit, right, wrong.T, from_="e4m3")),
            ("b", lambda: sf.unit(unit).dot(codes[0], wrong[0])),
            ("a", lambda: sf.vectors.Function("e4m3_add")(wrong, right)),
            ("codes", lambda: sf.kv.read_codes("vllm-half", wrong)),
            ("q", lambda: sf.attend(wrong[:, None], np.zeros((4, 1, 32), np.float32),
                                    np.zeros((4, 1, 32), np.float32), q_format="e4m3"))):
        with pytest.raises(TypeError, match="^" + argument + words):
            call()
    own = sf.format("e=4 m=3 nan=top")  # the same format, by its fields
    assert (sf.decode(right, own).view("u4") == sf.decode(codes, "e4m3").view("u4")).all()


def test_torch():
    torch = pytest.importorskip("torch")
    x = torch.linspace(-600, 600, 60).reshape(5, 12)
    expected = sf.convert(x.numpy(), "e4m3")
    assert (sf.convert(x, "e4m3") == expected).all()
    assert (sf.convert(x.t(), "e4m3") == expected.T).all()
    assert (sf.convert(x.clone().requires_grad_(), "e4m3") == expected).all()
    half = x.to(torch.bfloat16)
    codes = half.view(torch.int16).numpy().view(np.uint16)
    assert (sf.convert(half, "e4m3") == sf.convert(codes, "e4m3", from_="bf16")).all()
    for name, kind in (("e4m3", torch.float8_e4m3fn), ("e5m2", torch.float8_e5m2),
                       ("e4m3fnuz", torch.float8_e4m3fnuz), ("e5m2fnuz", torch.float8_e5m2fnuz)):
        typed = sf.convert(x, name, dtype="torch")
        assert typed.dtype == kind and typed.shape == x.shape
        assert (typed.view(torch.uint8).numpy() == sf.convert(x, name)).all()
        assert (sf.decode(typed) == sf.decode(sf.convert(x, name), name)).all()
    shared = torch.zeros(5, 12, dtype=torch.uint8)
    assert sf.convert(x, "e4m3", out=shared) is shared and (shared.numpy() == expected).all()
    assert sf.convert(x, "bf16", dtype="torch").dtype == torch.bfloat16
    with pytest.raises(TypeError, match="x: expected a tensor with values, got one on meta.*none$"):
        sf.convert(torch.zeros(3, device="meta"), "e4m3")
    with pytest.raises(TypeError, match=r"x: expected a dense tensor.*pass x.to_dense\(\)"):
        sf.convert(x.to_sparse(), "e4m3")
    for call in (lambda x: sf.convert(x, "e4m3"), lambda x: sf.quantize(x, "nvfp4-te")):
        with pytest.raises(TypeError, match="x: expected a tensor of numbers.*got torch.complex64$"):
            call(torch.ones(2, 16, dtype=torch.complex64))
        with pytest.raises(TypeError, match="x: expected .*got bool$"):
            call(torch.ones(2, 16, dtype=torch.bool))


@pytest.mark.filterwarnings("ignore")
def test_a_quantized_tensor_of_torch_is_refused_with_the_remedy():
    torch = pytest.importorskip("torch")
    with pytest.raises(TypeError, match=r"x: .*quantized one of torch.qint8; pass x.dequantize\(\)"):
        sf.convert(torch.quantize_per_tensor(torch.ones(4), 0.1, 0, torch.qint8), "e4m3")


def test_the_advice_for_integers_works():
    x = np.arange(-16, 16, dtype=np.int32).reshape(2, 16)
    with pytest.raises(TypeError) as error:
        sf.quantize(x, "nvfp4-te")
    advice = "softfp8.convert(x, 'f32', from_='i32')"
    assert str(error.value).endswith(f"; {advice} makes one of numbers, softfp8.decode(x, FORMAT) of "
                                     "codes")
    assert (eval(advice, {"softfp8": sf, "x": x}) == x).all()


def test_jax():
    jnp = pytest.importorskip("jax.numpy")
    x = jnp.linspace(-600, 600, 60, dtype=jnp.float32).reshape(5, 12)
    expected = sf.convert(np.asarray(x), "e4m3")
    assert (sf.convert(x, "e4m3") == expected).all()
    assert (sf.convert(x.T, "e4m3") == expected.T).all()
    codes = jnp.asarray(sf.convert(x, "e4m3", dtype="ml_dtypes"))
    assert codes.dtype == jnp.float8_e4m3fn
    assert (sf.decode(codes) == sf.decode(expected, "e4m3")).all()
    assert (sf.convert(x.astype(jnp.bfloat16), "e5m2").shape) == (5, 12)


class OnDevice:
    """An array in the memory of a GPU, as DLPack announces it."""

    def __dlpack_device__(self):
        return 2, 0

    def __dlpack__(self, **options):
        raise AssertionError("not to be called")


def test_an_array_of_a_gpu_is_refused_with_the_remedy():
    with pytest.raises(TypeError, match=r"x:.*\.cpu\(\)"):
        sf.convert(OnDevice(), "e4m3")


class Exported:
    """An array that has nothing but DLPack."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_dlpack_shares_memory(x):
    assert (sf.convert(Exported(x), "e4m3") == flat(x)).all()


def test_other_threads_run_while_the_library_computes():
    codes, done, longest = np.zeros(1 << 23, np.uint8), threading.Event(), [0.0]

    def watch():
        last = time.perf_counter()
        while not done.is_set():
            now = time.perf_counter()
            longest[0] = max(longest[0], now - last)
            last = now

    watcher = threading.Thread(target=watch)
    watcher.start()
    start = time.perf_counter()
    sf.e4m3.add(codes, codes, flags=True)
    duration = time.perf_counter() - start
    done.set()
    watcher.join()
    assert longest[0] < duration / 2
