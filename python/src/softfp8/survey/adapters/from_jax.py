# SPDX-License-Identifier: MIT
"""from_jax.py -- XLA by way of JAX: lax.convert_element_type, jitted and eager; and arithmetic

It runs on the CPU, or with JAX_DEVICE=cuda on a GPU.
"""
import os

DEVICE = os.environ.get("JAX_DEVICE", "cpu")
os.environ["JAX_PLATFORMS"] = DEVICE
os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"

import jax
import numpy as np
from jax import lax

import lab
from from_ml_dtypes import NARROW, type_of

if DEVICE != "cpu":
    try:
        jax.devices()
    except (RuntimeError, AssertionError) as error:
        raise ModuleNotFoundError("JAX finds no GPU") from error
jax.config.update("jax_enable_x64", True)
PACKAGE, VERSION = "jax", jax.__version__
MACHINE = jax.devices()[0].device_kind if DEVICE != "cpu" else None
ON = "" if DEVICE == "cpu" else f",{DEVICE}"  # in the names of modes


def cast(source, to, how):
    def convert(x):
        return lax.convert_element_type(x, type_of(to))
    function = jax.jit(convert) if how == "jit" else convert

    def run(words):
        x = words.view(type_of(source))
        if how == "eager":  # from 0.11 on, JAX has NumPy convert an array of NumPy
            x = jax.device_put(x)
        return np.asarray(function(x)).view(lab.dtype_of(to))
    return run


def computed(operation, name):
    function = jax.jit({"add": lax.add, "sub": lax.sub, "mul": lax.mul, "div": lax.div}[operation])

    def run(a, b):
        return np.asarray(function(a.view(type_of(name)), b.view(type_of(name)))).view(np.uint8)
    return run


# Conversions of NaN to and from the first two narrow formats drop its sign on a GPU.
DIRECT = ("f32", "f16", "bf16"), ("e4m3", "e5m2", "e4m3ieee", "e3m4")


def claim(source, to, mode):
    wide, narrow = DIRECT
    if DEVICE != "cpu" and (to in narrow[:2] and source in wide + narrow or
                            source in narrow[:2] and to in wide):
        return "cuda-nosat"
    return "xla from=f16" if ":" in source else "xla"  # XLA computes with narrow formats in f16


def conversions():
    for source in lab.WIDE + NARROW:
        for to in NARROW if source in lab.WIDE else lab.WIDE + NARROW:
            if source == to:
                continue
            yield source, to, "jit" + ON, cast(source, to, "jit")
            if source in lab.WIDE and to in ("e4m3", "e5m2", "e8m0", "e2m1"):
                yield source, to, "eager" + ON, cast(source, to, "eager")
    for operation in lab.ARITHMETIC:
        for name in NARROW:
            yield f"{operation}:{name}", name, "jit" + ON, computed(operation, name)
