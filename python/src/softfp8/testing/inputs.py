# SPDX-License-Identifier: MIT
"""inputs.py -- inputs that show every difference: all codes, all pairs, critical ones"""
import functools
import pathlib
import tempfile

import numpy as np

from .._base.arrays import presented
from .._base.command import run
from ..formats import format as format_of
from ..recipes import recipe as recipe_of
from ..stages import _bits, stage as stage_of


def named_format(name, argument):
    """A format by its name; an error names this argument."""
    try:
        return format_of(name)
    except (TypeError, ValueError) as error:
        raise type(error)(str(error).replace("format:", f"{argument}:", 1)) from None


def all_codes(fmt, dtype=None):
    """Every code of a format of up to 20 bits, in order.

    dtype  as in convert(): None gives floats for f16, and codes for other formats

    >>> all_codes("e4m3").size, all_codes("f16").dtype, all_codes("bf16", "ml_dtypes").dtype
    (256, dtype('float16'), dtype(bfloat16))
    """
    of = named_format(fmt, "fmt")
    if of.bits > 20:
        raise ValueError(f"fmt: {of.name} has 2^{of.bits} codes, too many to list; "
                         f"critical({of.name!r}, to) has those where a conversion changes")
    return presented(of.all_codes(), of.name, dtype)


def all_pairs(fmt, dtype=None):
    """Every pair of codes of a format of up to 8 bits, as two arrays.

    >>> a, b = all_pairs("e2m1")
    >>> a.size, (a[17], b[17])
    (256, (np.uint8(1), np.uint8(1)))
    """
    of = named_format(fmt, "fmt")
    if of.bits > 8:
        raise ValueError(f"fmt: {of.name} has 2^{2 * of.bits} pairs; expected a format of up to 8 "
                         "bits")
    codes = of.all_codes()
    return (presented(np.repeat(codes, codes.size), of.name, dtype),
            presented(np.tile(codes, codes.size), of.name, dtype))


@functools.cache
def _critical(source, target):
    text = run("gen", "--critical", "--columns", "operands", f"{source}_to_{target}")
    return np.array([int(word, 16) for word in text.split()],
                    format_of(source).code_dtype)


def critical(from_, to, dtype=None):
    """The inputs of a conversion where its result changes: a cast that is right for them, and that
    is monotone, is right for all.

    They are every number of the target, every tie and every limit, the two neighbours of each, and
    the special values of the source.

    >>> critical("f32", "e4m3").size, critical("f32", "e4m3").dtype
    (4210, dtype('float32'))
    """
    source, target = named_format(from_, "from_"), named_format(to, "to")
    return presented(_critical(source.name, target.name).copy(), source.name, dtype)


def critical_tensor(recipe, from_="f32", dtype=None, *, after=None, **arrays):
    """A tensor that shows what is wrong in a quantizer: elements where the code changes, blocks
    where the scale changes, largest magnitudes beside powers of two, zeros.

    A row of it, or a block of rows, is a block. docs/guides/quantizer.md says more.

    after    the stage that a fused kernel computes first, as softfp8.quantize() takes it: the tensor
             is an input of the stage, and the results are such blocks. A kernel that keeps f32 where
             the stage rounds gives other codes
    arrays   those that the stage names, each of one row

    >>> critical_tensor("nvfp4-te").shape, critical_tensor("nvfp4-te").dtype
    ((1137, 16), dtype('float32'))
    """
    source = named_format(from_, "from_")
    if arrays and after is None:
        raise ValueError(f"{next(iter(arrays))}: needs after=STAGE")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "tensor.npy"
        options = [] if after is None else ["--after", str(stage_of(after))]
        for name, value in arrays.items():
            words, _ = _bits(value, name)
            np.save(path.with_name(f"{name}.npy"), words.view(np.float32).reshape(1, -1))
            options += ["--with", f"{name}={path.with_name(name)}.npy"]
        run("gen", "quantize", "--recipe", recipe_of(recipe).name, "--in", source.name,
                    "--format", "npy", *options, "-o", path)
        tensor = np.load(path)
    return presented(tensor.view(source.code_dtype), source.name, dtype)
