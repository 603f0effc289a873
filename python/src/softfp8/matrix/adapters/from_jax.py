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
    except RuntimeError as error:
        raise ModuleNotFoundError("JAX finds no GPU") from error
jax.config.update("jax_enable_x64", True)
PACKAGE, VERSION = "jax", jax.__version__
ON = "" if DEVICE == "cpu" else f",{DEVICE}"  # in the names of modes


def cast(source, to, how):
    def convert(x):
        return lax.convert_element_type(x, type_of(to))
    function = jax.jit(convert) if how == "jit" else convert

    def run(words):
        return np.asarray(function(words.view(type_of(source)))).view(lab.dtype_of(to))
    return run


def computed(operation, name):
    function = jax.jit({"add": lax.add, "sub": lax.sub, "mul": lax.mul, "div": lax.div}[operation])

    def run(a, b):
        return np.asarray(function(a.view(type_of(name)), b.view(type_of(name)))).view(np.uint8)
    return run


def claim(source, to, mode):
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
