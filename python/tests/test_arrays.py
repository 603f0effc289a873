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


F = np.zeros(3, np.float32)


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
