# SPDX-License-Identifier: MIT
"""test_jax_cast.py -- a cast in a compiled function of JAX, on every input of 16 bits"""
import numpy as np
import pytest

import softfp8 as sf
from softfp8.testing import all_codes, assert_bits

jax = pytest.importorskip("jax")


@jax.jit
def cast(x):
    return x.astype(jax.numpy.float8_e4m3fn)


@pytest.mark.parametrize("name", ["f16", "bf16"])
def test_every_input_of_16_bits(name):
    x = jax.numpy.asarray(all_codes(name, dtype="ml_dtypes"))
    assert_bits(cast(x), inputs=x, fmt="e4m3", policy="xla")


def test_codes_without_a_copy():
    codes = sf.convert(np.linspace(-500, 500, 1000, dtype=np.float32), "e4m3")
    typed = jax.lax.bitcast_convert_type(jax.numpy.from_dlpack(codes), jax.numpy.float8_e4m3fn)
    assert_bits(typed.astype(jax.numpy.float32), sf.decode(codes, "e4m3"), fmt="f32")
