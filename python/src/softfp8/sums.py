# SPDX-License-Identifier: MIT
"""sums.py -- sums, norms, softmax and merged attention states in f32, in a stated order

Arrays are f32; a row is the last axis. docs/spec/f32/sums.md defines the order of each operation.
"""
import numpy as np

from ._base.arrays import array_of, contiguous, words
from ._base.library import choice, lib, named, size, text

FUSE = {"none": lib.SF8_FUSE_NONE, "sum": lib.SF8_FUSE_SUM, "last": lib.SF8_FUSE_LAST,
        "sum-last": lib.SF8_FUSE_SUM | lib.SF8_FUSE_LAST}


def orders():
    """The names of the orders in which a sum is formed."""
    return [text(lib.sf8_order_name(i)) for i in range(lib.SF8_ORDER_COUNT)]


def merge_rules():
    """The names of the rules by which stacks merge the outputs of two parts."""
    return [text(lib.sf8_merge_name(i)) for i in range(lib.SF8_MERGE_COUNT)]


def _order(name):
    return named(lib.sf8_order_named, "order", name, orders)


def _fuse(name):
    return FUSE[choice("fuse", name, FUSE)]


def _f32(x, argument):
    """An array of f32 as its words; a Python number is rounded to f32 by the library."""
    if isinstance(x, (int, float)):
        from .convert import convert

        x = np.asarray(convert(float(x), "f32", policy="ocp-nosat"))
    array, name = array_of(x, argument)
    if name != "f32":
        raise TypeError(f"{argument}: expected an array of f32, got {name or array.dtype}")
    return contiguous(array).view(np.uint32)


def _rows(x, argument):
    array = _f32(x, argument)
    if array.ndim == 0:
        raise ValueError(f"{argument}: expected an array with at least one axis")
    n = array.shape[-1]
    return array, array.reshape(-1, n) if n else np.empty((int(np.prod(array.shape[:-1])), 0),
                                                          np.uint32), n


def _floats(values, shape):
    result = np.array(values, np.uint32).reshape(shape).view(np.float32)
    return result if result.ndim else result[()]


def _in(array):
    return words(array, "const uint32_t *")


def sum(x, order="sequential"):
    """The sums of the rows.

    >>> sum(np.array([1e8, 1, -1e8], np.float32)), sum(np.array([1e8, -1e8, 1], np.float32))
    (np.float32(0.0), np.float32(1.0))
    """
    array, rows, n = _rows(x, "x")
    which = _order(order)
    return _floats([lib.sf8_f32_sum_n(which, _in(row), n) for row in rows], array.shape[:-1])


def dot(a, b, order="sequential", fuse="sum"):
    """The dot products of the rows of a and b; fuse="none" rounds each product."""
    (array, rows_a, n), (other, rows_b, _) = _rows(a, "a"), _rows(b, "b")
    if array.shape != other.shape:
        raise ValueError(f"b: expected the shape {array.shape}, got {other.shape}")
    which, how = _order(order), _fuse(fuse)
    return _floats([lib.sf8_f32_dot_n(which, how, _in(x), _in(y), n)
                    for x, y in zip(rows_a, rows_b)], array.shape[:-1])


def moments(x, order="sequential", fuse="none"):
    """(mean, mean of squares, variance) of the rows."""
    array, rows, n = _rows(x, "x")
    which, how = _order(order), _fuse(fuse)
    found = [lib.sf8_f32_moments_n(which, how, _in(row), n) for row in rows]
    return tuple(_floats([getattr(m, field) for m in found], array.shape[:-1])
                 for field in ("mean", "mean_square", "variance"))


def rstd(variance, eps):
    """1 / sqrt(variance + eps) of each element."""
    array, eps = _f32(variance, "variance"), _f32(eps, "eps")
    if eps.size != 1:
        raise ValueError(f"eps: expected one number, got the shape {eps.shape}")
    eps = eps.item()
    return _floats([lib.sf8_f32_rstd(v, eps) for v in array.reshape(-1).tolist()], array.shape)


def _each_row(x, shape, argument):
    """One number for each row, as words."""
    array = _f32(x, argument)
    try:
        return np.broadcast_to(array, shape).reshape(-1)
    except ValueError:
        raise ValueError(f"{argument}: expected the shape {shape}, got {array.shape}") from None


def normalize(x, mean, rstd):
    """(x - mean) * rstd; mean and rstd have one number for each row."""
    array, rows, n = _rows(x, "x")
    mean, rstd = (_each_row(v, array.shape[:-1], name)
                  for v, name in ((mean, "mean"), (rstd, "rstd")))
    result = np.empty_like(rows)
    for y, row, m, r in zip(result, rows, mean.tolist(), rstd.tolist()):
        lib.sf8_f32_normalize_n(words(y, "uint32_t *"), _in(row), n, m, r)
    return result.reshape(array.shape).view(np.float32)


def _elementwise(name):
    """The function of this name for each element."""
    function = getattr(lib, f"sf8_f32_{name}_n")

    def apply(x):
        array = _f32(x, "x")
        result = np.empty_like(array)
        function(words(result, "uint32_t *"), _in(array), array.size)
        result = result.view(np.float32)
        return result if result.ndim else result[()]

    apply.__name__ = apply.__qualname__ = name
    apply.__doc__ = f"{name} of each element, as docs/spec/f32/sums.md defines it."
    return apply


exp2, exp, log, log2, tanh = map(_elementwise, ("exp2", "exp", "log", "log2", "tanh"))


def softmax(scores, order="sequential"):
    """(weights, maximum, sum of the exponentials, logarithm of the sum) of rows of scores."""
    array, rows, n = _rows(scores, "scores")
    which, weights = _order(order), np.empty_like(rows)
    found = [lib.sf8_f32_softmax_n(which, words(w, "uint32_t *"), _in(row), n)
             for w, row in zip(weights, rows)]
    return (weights.reshape(array.shape).view(np.float32),
            *(_floats([getattr(s, field) for s in found], array.shape[:-1])
              for field in ("most", "sum", "lse")))


def weighted(weights, values, skip=False):
    """Sums of weights times rows of values; `skip` leaves out weights of 0.

    weights have the shape (..., keys), values (keys, channels).
    """
    array, rows, keys = _rows(weights, "weights")
    values = _f32(values, "values")
    if values.ndim != 2 or values.shape[0] != keys:
        raise ValueError(f"values: expected the shape ({keys}, channels), got {values.shape}")
    result = np.empty((len(rows), values.shape[1]), np.uint32)
    for out, row in zip(result, rows):
        lib.sf8_f32_weighted_n(words(out, "uint32_t *"), _in(row), _in(values), keys,
                               values.shape[1], int(bool(skip)))
    return result.reshape(*array.shape[:-1], values.shape[1]).view(np.float32)


def argmax(x, *, greater=False, start=0):
    """The index of the largest value of each row: NaN is above all numbers, the first wins.

    With `greater` it is what a loop `if (x[i] > best)` finds, which begins with -infinity; then
    `start` is the index if no value is above that.
    """
    array, rows, n = _rows(x, "x")
    size("start", start)
    found = [lib.sf8_f32_argmax_greater(_in(row), n, start) if greater
             else lib.sf8_f32_argmax(_in(row), n) for row in rows]
    result = np.array(found, np.intp).reshape(array.shape[:-1])
    return result if result.ndim else result[()]


def merge_states(a, lse_a, b, lse_b, rule="vllm", *, fuse="sum"):
    """Merges the outputs of two parts of attention, as a stack does: (output, lse).

    a, b          outputs, f32, of the shape (..., channels)
    lse_a, lse_b  logarithms of their sums, of the shape (...), in the base of the rule
    rule          merge_rules() has all
    fuse          "sum": as nvcc builds the kernel; "none": products are rounded

    >>> one = np.ones(4, np.float32)
    >>> merge_states(one, np.float32(0), 3 * one, np.float32(0))[0].tolist()
    [2.0, 2.0, 2.0, 2.0]
    """
    (first, rows_a, n), (second, rows_b, _) = _rows(a, "a"), _rows(b, "b")
    if first.shape != second.shape:
        raise ValueError(f"b: expected the shape {first.shape}, got {second.shape}")
    lse = []
    for value, name in ((lse_a, "lse_a"), (lse_b, "lse_b")):
        array = _f32(value, name)
        if array.shape != first.shape[:-1]:
            raise ValueError(f"{name}: expected the shape {first.shape[:-1]}, got {array.shape}")
        lse.append(array.reshape(-1).tolist())
    which, how = named(lib.sf8_merge_named, "rule", rule, merge_rules), _fuse(fuse)
    result, merged = np.empty_like(rows_a), []
    for out, x, y, lse_x, lse_y in zip(result, rows_a, rows_b, *lse):
        target = words(out, "uint32_t *")
        if how == lib.SF8_FUSE_SUM:
            found = lib.sf8_f32_merge_n(which, target, _in(x), lse_x, _in(y), lse_y, n)
        else:
            found = lib.sf8_f32_merge_fused_n(which, how, target, _in(x), lse_x, _in(y), lse_y, n)
        merged.append(found.lse)
    return (result.reshape(first.shape).view(np.float32), _floats(merged, first.shape[:-1]))
