# SPDX-License-Identifier: MIT
"""test_clients.py -- arrays of PyTorch, ml_dtypes and JAX, in and out, compared with the command

The expected codes come from the command `softfp8 convert`, which shares no code with the binding.
"""
import functools
import sys

import numpy as np
import pytest

import softfp8 as sf
from softfp8 import command
from softfp8._base.arrays import code_dtype

NARROW = "e4m3", "e5m2", "e4m3fnuz", "e5m2fnuz"
MORE = "e3m4", "e4m3ieee", "e4m3b11fnuz", "e8m0", "e2m1"


@functools.cache
def expected(source, to):
    """What the command converts all codes of a format to."""
    bits = sf.format(source).bits
    codes = "\n".join(f"{code:0{(bits + 3) // 4}x}" for code in range(1 << bits)).encode()
    text = command.run("convert", "--from", source, "--to", to, input=codes)
    return np.array([int(word, 16) for word in text.split()], code_dtype(sf.format(to).bits))


def bits_of(array):
    """The codes of a client's array, by the client's own means."""
    if "torch" in sys.modules and isinstance(array, sys.modules["torch"].Tensor):
        torch = sys.modules["torch"]
        whole = {1: torch.uint8, 2: torch.int16, 4: torch.int32}[array.element_size()]
        array = array.view(whole).numpy()
    array = np.asarray(array)
    return array.view(f"u{array.itemsize}")


def from_torch(name):
    torch = pytest.importorskip("torch")
    own = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32,
           "e4m3": torch.float8_e4m3fn, "e5m2": torch.float8_e5m2,
           "e4m3fnuz": torch.float8_e4m3fnuz, "e5m2fnuz": torch.float8_e5m2fnuz}[name]
    codes = np.arange(1 << sf.format(name).bits).astype(code_dtype(sf.format(name).bits))
    return torch.from_numpy(codes).view(own)


def from_ml_dtypes(name):
    ml = pytest.importorskip("ml_dtypes")
    own = {"f16": np.float16, "bf16": ml.bfloat16, "e4m3": ml.float8_e4m3fn,
           "e5m2": ml.float8_e5m2, "e4m3fnuz": ml.float8_e4m3fnuz, "e5m2fnuz": ml.float8_e5m2fnuz,
           "e3m4": ml.float8_e3m4, "e4m3ieee": ml.float8_e4m3, "e8m0": ml.float8_e8m0fnu,
           "e4m3b11fnuz": ml.float8_e4m3b11fnuz, "e2m1": ml.float4_e2m1fn,
           "e2m3": ml.float6_e2m3fn, "e3m2": ml.float6_e3m2fn}[name]
    of = sf.format(name)
    return np.arange(1 << of.bits, dtype=of.code_dtype).view(own)


def from_jax(name):
    jax = pytest.importorskip("jax")
    return jax.numpy.asarray(from_ml_dtypes(name))


def dlpack_of_jax(name):
    """An array of JAX that shows only DLPack, by which NumPy takes neither bf16 nor FP8."""
    jax = pytest.importorskip("jax")
    array = from_jax(name)
    whole = {1: jax.numpy.uint8, 2: jax.numpy.uint16}[array.dtype.itemsize]

    class Exported:
        data = jax.lax.bitcast_convert_type(array, whole)

        def __dlpack__(self, **options):
            return self.data.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.data.__dlpack_device__()

    return Exported()


CLIENTS = {"torch": (from_torch, NARROW, "torch"),
           "ml_dtypes": (from_ml_dtypes, (*NARROW, *MORE, "e2m3", "e3m2"), "ml_dtypes"),
           "jax": (from_jax, NARROW + MORE, "ml_dtypes")}
PAIRS = [(client, name) for client, (_, names, _) in CLIENTS.items() for name in names]


@pytest.mark.parametrize("source", ["f16", "bf16"])
@pytest.mark.parametrize("client, to", PAIRS)
def test_all_inputs_of_16_bits(client, to, source):
    make, _, dtype = CLIENTS[client]
    x = make(source)
    assert (sf.convert(x, to) == expected(source, to)).all()
    out = sf.convert(x, to, dtype=dtype)
    assert (bits_of(out) == expected(source, to)).all()
    assert type(out).__module__.startswith("torch" if client == "torch" else "numpy")


@pytest.mark.parametrize("client, name", PAIRS)
def test_all_codes(client, name):
    make, _, dtype = CLIENTS[client]
    assert (sf.decode(make(name)).view(np.uint32) == expected(name, "f32")).all()
    for to in "f16", "bf16":
        right = expected(name, to)
        out = sf.decode(make(name), to=to, dtype=dtype)
        assert (bits_of(out) == right).all(), to


@pytest.mark.parametrize("source, to", [("f16", "e4m3"), ("bf16", "e5m2"), ("e4m3", "f16")])
def test_jax_by_dlpack_in_and_out(source, to):
    jax = pytest.importorskip("jax")
    right = expected(source, to)
    codes = sf.convert(dlpack_of_jax(source), to, from_=source, dtype="codes")
    assert (codes == right).all()
    own = {"e4m3": jax.numpy.float8_e4m3fn, "e5m2": jax.numpy.float8_e5m2,
           "f16": jax.numpy.float16}[to]
    typed = jax.lax.bitcast_convert_type(jax.dlpack.from_dlpack(codes), own)
    assert typed.dtype == own and (bits_of(typed) == right).all()


def test_torch_and_jax_share_memory_by_dlpack():
    jax, torch = pytest.importorskip("jax"), pytest.importorskip("torch")
    codes = sf.convert(jax.numpy.linspace(-9, 9, 64), "e4m3")
    tensor = torch.from_dlpack(codes)
    codes[0] = 0x7E
    assert tensor[0] == 0x7E and sf.decode(tensor, "e4m3")[0] == 448
