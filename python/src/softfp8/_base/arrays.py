# SPDX-License-Identifier: MIT
"""arrays.py -- arrays of NumPy, ml_dtypes, PyTorch and JAX as memory that the library reads

Nothing here converts a value: arrays are only viewed, copied, or have their bytes swapped.
"""
import functools
import re
import sys

import numpy as np

from .library import ffi, lib, text

CPU = 1, 3  # the devices of DLPack whose memory the processor reads: kDLCPU, kDLCUDAHost
FLOATS = {"f16": np.float16, "f32": np.float32, "f64": np.float64}


def code_dtype(bits):
    """The unsigned type that holds a code of this many bits."""
    return np.dtype(np.uint8 if bits <= 8 else np.uint16 if bits <= 16 else
                    np.uint32 if bits <= 32 else np.uint64)


@functools.cache
def format_name_of(dtype):
    """The format that the elements of a dtype have, by the name of the dtype; None for integers."""
    if dtype.kind in "biu":
        return None
    status = ffi.new("sf8_status *")
    name = dtype.name.encode()
    lib.sf8_format_named(name, status)
    return canonical(name.decode()) if status[0] == lib.SF8_OK else None


@functools.cache
def canonical(name):
    """The library's own name of a format, given that name or an alias."""
    own, i = ffi.new("const char **"), 0
    while alias := lib.sf8_format_alias_at(i, own):
        if text(alias) == name:
            return text(own[0])
        i += 1
    return name


@functools.cache
def ml_dtype_of(name):
    """The dtype that ml_dtypes has for a format of the library."""
    try:
        import ml_dtypes
    except ImportError:
        raise ValueError("dtype: 'ml_dtypes' needs the package ml_dtypes") from None
    own, i = ffi.new("const char **"), 0
    while alias := lib.sf8_format_alias_at(i, own):
        if text(own[0]) == name and hasattr(ml_dtypes, text(alias)):
            return np.dtype(getattr(ml_dtypes, text(alias)))
        i += 1
    if name in FLOATS:
        return np.dtype(FLOATS[name])
    raise ValueError(f"dtype: ml_dtypes has no type for the format {name}")


def torch_dtype_of(name):
    """The dtype that PyTorch has for a format of the library."""
    torch = sys.modules.get("torch")
    if torch is None:
        raise ValueError("dtype: 'torch' needs the package torch, imported by the caller")
    own, i = ffi.new("const char **"), 0
    while alias := lib.sf8_format_alias_at(i, own):
        if text(own[0]) == name and hasattr(torch, text(alias)):
            return getattr(torch, text(alias))
        i += 1
    raise ValueError(f"dtype: torch has no type for the format {name}")


def of_torch(tensor, argument):
    """A tensor's memory as an array, and the name of its format."""
    import torch

    if tensor.device.type == "meta":
        raise TypeError(f"{argument}: expected a tensor with values, got one on meta, which has "
                        "none")
    if tensor.device.type != "cpu":
        raise TypeError(f"{argument}: the tensor is on {tensor.device}; pass {argument}.cpu()")
    if tensor.is_quantized:
        raise TypeError(f"{argument}: expected a tensor of numbers or codes, got a quantized one of "
                        f"{tensor.dtype}; pass {argument}.dequantize(), or the codes "
                        f"{argument}.int_repr()")
    if tensor.layout != torch.strided:
        raise TypeError(f"{argument}: expected a dense tensor, got {tensor.layout}; pass "
                        f"{argument}.to_dense()")
    if tensor.is_complex():
        raise TypeError(f"{argument}: expected a tensor of numbers or codes, got {tensor.dtype}")
    tensor = tensor.detach().resolve_conj().resolve_neg()
    name = str(tensor.dtype).removeprefix("torch.")
    if name.endswith("_x2"):
        raise TypeError(f"{argument}: {name} has two codes in a byte; pass "
                        f"softfp8.unpack({argument}.view(torch.uint8), 4)")
    format_name = canonical(name)
    if format_name == name and tensor.is_floating_point():
        raise TypeError(f"{argument}: unsupported dtype {tensor.dtype}")
    if tensor.is_floating_point() and format_name not in FLOATS:
        whole = torch.uint8 if tensor.element_size() == 1 else torch.int16
        return tensor.view(whole).numpy().view(code_dtype(8 * tensor.element_size())), format_name
    return tensor.numpy(), format_name if tensor.is_floating_point() else None


def array_of(x, argument):
    """Any array as a NumPy array of native byte order, and the name of its format, or None.

    Memory is shared wherever that is possible. Python numbers are f64, which is what they are.
    """
    if type(x) is not np.ndarray:
        torch = sys.modules.get("torch")
        if torch is not None and isinstance(x, torch.Tensor):
            return of_torch(x, argument)
        device = getattr(x, "__dlpack_device__", None)
        if device is not None and not isinstance(x, (np.ndarray, np.generic)):
            place = device()[0]
            if int(place) not in CPU:
                raise TypeError(f"{argument}: the array is not in the memory of the processor "
                                f"(DLPack device {int(place)}); copy it there first: .cpu() in "
                                "PyTorch, jax.device_get() in JAX")
        if hasattr(x, "__dlpack__") and not hasattr(x, "__array__"):
            x = np.from_dlpack(x)
        else:
            masked = np.ma.is_masked(x)
            try:
                x = np.asarray(x)
            except (TypeError, ValueError) as error:
                raise TypeError(f"{argument}: expected an array: {error}") from None
            if masked:
                raise TypeError(f"{argument}: expected an array without masked elements; pass "
                                f"{argument}.filled(VALUE), or {argument}.data for what lies under "
                                "the mask")
    dtype = x.dtype
    if dtype.kind not in "fiub" and not (dtype.kind == "V" and dtype.names is None):
        raise TypeError(f"{argument}: expected an array of numbers or codes, got dtype {dtype}")
    if not dtype.isnative:
        x = x.byteswap().view(dtype.newbyteorder())
        dtype = x.dtype
    return x, format_name_of(dtype)


@functools.cache
def dtype_name_of(name):
    """The name that dtypes of ml_dtypes and PyTorch have for a format; None if there is none."""
    own, i = ffi.new("const char **"), 0
    while alias := lib.sf8_format_alias_at(i, own):
        if text(own[0]) == name and re.fullmatch(r"b?float\d+(_[a-z0-9]+)?", text(alias)):
            return text(alias)
        i += 1
    return None


# No types of elements; older versions of NumPy take some of them for one.
ABSTRACT = {np.generic, np.number, np.integer, np.signedinteger, np.unsignedinteger, np.inexact,
            np.floating, np.complexfloating, np.flexible, np.character}


def dtype_named(x):
    """The name of a dtype of NumPy, ml_dtypes, JAX or PyTorch; None for everything else."""
    if isinstance(x, type):
        own = getattr(x, "dtype", None)  # jax.numpy.float32 has one
        if isinstance(own, np.dtype):
            x = own
        elif issubclass(x, np.generic):
            if x in ABSTRACT:
                return None
            x = np.dtype(x)
    if isinstance(x, np.dtype):
        return x.name
    return str(x).removeprefix("torch.") if type(x).__module__ == "torch" and \
        type(x).__name__ == "dtype" else None


def integer_named(x):
    """The type of integers that a dtype has, as convert() names it: "i8" to "u64"; else None."""
    found = re.fullmatch(r"(u?)int(8|16|32|64)", dtype_named(x) or "")
    return found and (found[1] or "i") + found[2]


def dtype_text(x, array):
    """The dtype of an argument as its owner calls it."""
    dtype = getattr(x, "dtype", array.dtype)
    return getattr(dtype, "name", None) or str(dtype).removeprefix("torch.")


def place_text(at, shape):
    """An element, given its index in the flattened array, as text: "element [1, 3]"."""
    return f"element {[int(k) for k in np.unravel_index(at, shape)]}" if shape else "the number"


def expected_codes(of):
    """What an array of codes of a format may be, as text."""
    named = dtype_name_of(of.name)
    return f"codes of {of.name} ({code_dtype(of.bits)}{f' or {named}' if named else ''})"


def codes_of(x, of, argument, remedy=None):
    """The codes of an array: its dtype is that of the format `of`, or it has codes of it.

    Arrays of codes have the unsigned type of the format's width, or the signed one. A Python
    integer, and a list of them, may have any value that the width allows. `remedy` is added where
    codes have more bits than the format.
    """
    array, own = array_of(x, argument)
    dtype = code_dtype(of.bits)
    if own is not None:
        fits = own == of.name or of.is_named(own)
    else:
        fits = array.dtype.kind in "iu" and array.dtype.itemsize == dtype.itemsize
    if fits:
        codes = array.view(dtype) if array.dtype != dtype else array
        return codes if of.bits == 8 * dtype.itemsize else within(codes, of, argument, remedy)
    if array.dtype.kind == "i" and isinstance(x, (int, list, tuple)):
        return within(array, of, argument, remedy).astype(dtype)
    if array.size == 0 and isinstance(x, (list, tuple)):
        return array.astype(dtype)
    raise TypeError(f"{argument}: expected {expected_codes(of)}, got {dtype_text(x, array)}")


def within(codes, of, argument, remedy=None):
    """Codes that have no more bits than the format; else an error that names the first."""
    if codes.size and (codes.min() < 0 or int(codes.max()) >> of.bits):
        wrong = int(np.argmax(((codes < 0) | (codes > (1 << of.bits) - 1)).reshape(-1)))
        code = int(codes.reshape(-1)[wrong])
        if remedy is None and of.bits == 4 and 0 <= code < 256:
            remedy = f"if a byte has two codes, pass softfp8.unpack({argument}, 4)"
        raise ValueError(f"{argument}: {place_text(wrong, codes.shape)} is {code:#x}; expected "
                         f"codes of {of.name}, which are below {1 << of.bits:#x}"
                         + (f"; {remedy}" if remedy else ""))
    return codes


def contiguous(array):
    """The same elements in the order of their indices, without gaps and aligned."""
    if array.flags.c_contiguous:
        return array if array.flags.aligned else array.copy()
    return np.ascontiguousarray(array).reshape(array.shape)


def bytes_of(x, argument):
    """An array of bytes, contiguous."""
    array, _ = array_of(x, argument)
    if array.dtype.itemsize != 1:
        raise TypeError(f"{argument}: expected bytes (uint8), got {array.dtype}")
    return contiguous(array).view(np.uint8)


def read(array):
    """A pointer to a contiguous array, for a function that reads it; NULL for None."""
    return ffi.NULL if array is None else ffi.from_buffer(array)


def words(array, ctype):
    """A typed pointer to a contiguous array; NULL for None."""
    return ffi.NULL if array is None else ffi.cast(ctype, ffi.from_buffer(array))


def memory_of(x, argument):
    """The memory of an argument that is more than read: as array_of, but never a copy.

    A data set of a file, a list, and a lazy view of PyTorch give a new copy each time.
    """
    array, own = array_of(x, argument)
    if array.size and not np.may_share_memory(array, array_of(x, argument)[0]):
        raise TypeError(f"{argument}: expected memory that is used in place, such as an array of "
                        f"NumPy of native byte order; got {type(x).__name__}, of which NumPy gets "
                        "only a copy")
    return array, own


def result_into(out, shape, dtype, name=None, argument="out"):
    """The array that receives a result: `out` if the caller gave it, which must fit; or a new one.

    `dtype` is that of the codes; `out` may also have the dtype of the format `name`.
    """
    if out is None:
        return np.empty(shape, dtype)
    array, own = array_of(out, argument)
    if array.dtype != dtype and (name is None or own != name):
        got = getattr(out, "dtype", type(out).__name__)
        raise TypeError(f"{argument}: expected an array of {dtype}, got {got}")
    if array.shape != tuple(shape):
        raise ValueError(f"{argument}: expected the shape {tuple(shape)}, got {array.shape}")
    array, _ = memory_of(out, argument)
    if not array.flags.c_contiguous:
        raise ValueError(f"{argument}: expected a contiguous array")
    if not array.flags.aligned:
        raise ValueError(f"{argument}: expected an aligned array of {array.dtype}; its elements "
                         f"begin at addresses that are no multiple of {array.itemsize}")
    if not array.flags.writeable:
        raise ValueError(f"{argument}: the array is read-only")
    return array.view(dtype) if array.dtype != dtype else array


def apart(array, out):
    """The operand, copied if it overlaps the result in a way that the library does not allow."""
    if not np.may_share_memory(array, out):
        return array
    same = array.ctypes.data == out.ctypes.data and array.itemsize >= out.itemsize and \
        array.flags.c_contiguous
    return array if same else array.copy()


def broadcast(arrays):
    """The arrays in their common shape, each contiguous."""
    if len({array.shape for array in arrays}) > 1:
        try:
            arrays = np.broadcast_arrays(*arrays)
        except ValueError:
            shapes = ", ".join(str(array.shape) for array in arrays)
            raise ValueError(f"shapes that do not match: {shapes}") from None
    return [contiguous(array) for array in arrays]


def presented(codes, name, dtype):
    """Codes as the caller wants them: None (floats of f16, f32 and f64, else codes), "codes",
    "ml_dtypes" or "torch"."""
    if dtype is not None and not isinstance(dtype, str):
        raise TypeError("dtype: expected None, 'codes', 'ml_dtypes' or 'torch', got "
                        f"{type(dtype).__name__}")
    if dtype is None:
        result = codes.view(FLOATS[name]) if name in FLOATS else codes
    elif dtype == "codes":
        result = codes
    elif dtype == "ml_dtypes":
        result = codes.view(ml_dtype_of(name))
    elif dtype == "torch":
        import torch

        kind = torch_dtype_of(name)
        signed = codes.view(codes.dtype.str.replace("u", "i")) if codes.itemsize > 1 else codes
        return torch.from_numpy(np.ascontiguousarray(signed)).view(kind)
    else:
        raise ValueError(f"dtype: expected None, 'codes', 'ml_dtypes' or 'torch', got {dtype!r}")
    return result if result.ndim else result[()]
