# SPDX-License-Identifier: MIT
"""blocks.py -- quantization in blocks that share a scale: tensors, their products"""
import dataclasses

import numpy as np

from ._base import html
from ._base.arrays import FLOATS, array_of, bytes_of, contiguous, read, result_into, words
from ._base.library import check, choice, ffi, level_name, lib, number, row_dict, size
from ._parts import PACKED, element_codes, matrix_size, narrowed, packed_columns, scale_matrix
from ._base.value import Value
from .convert import TENSORS, convert, decode, tensor_of
from .formats import format as format_of
from .layouts import layout_store
from .policies import policy as policy_of
from .recipes import Recipe, recipe as _recipe
from .stages import after_stage


def largest_magnitude(codes, of):
    """The largest magnitude of a tensor's codes as a float; NaN is ignored unless all are NaN."""
    bits = codes if of.name == "f32" else \
        np.asarray(convert(codes, "f32", from_=of, dtype="codes", policy="ocp-nosat"))
    magnitudes = bits & np.uint32(0x7FFFFFFF)
    numbers = magnitudes[magnitudes <= 0x7F800000]
    return float(numbers.max().view(np.float32)) if numbers.size else float("nan")


@dataclasses.dataclass(eq=False)
class Quantized(Value):
    """A quantized tensor: codes in the shape of the tensor, one to a byte, and their scales.

    codes    uint8
    scales   the codes of the scales, a matrix of the smallest unsigned type that holds them: uint8
             for e4m3 and e8m0, uint16 for f16, uint32 for f32. scale_values() gives their values
    offsets  the codes of the offsets likewise, or None
    """

    recipe: Recipe
    codes: np.ndarray
    scales: np.ndarray
    offsets: np.ndarray | None
    global_scale: float
    along: str = "rows"

    __hash__ = None

    def _parts(self):
        return tuple(getattr(self, field.name) for field in dataclasses.fields(self))

    @property
    def shape(self):
        """The shape of the tensor."""
        return tuple(array_of(self.codes, "codes")[0].shape)

    def _repr_html_(self):
        codes = np.asarray(self.codes).reshape(-1)
        counts = np.bincount(codes, minlength=1 << self.recipe.bits).tolist()
        scales = self.scale_values().reshape(-1)
        facts = [("shape", " x ".join(str(n) for n in self.shape)), ("blocks along", self.along),
                 ("global scale", float(self.global_scale)), ("scales", int(scales.size)),
                 ("least scale", float(scales.min())), ("largest scale", float(scales.max()))]
        return html.card(f"quantized by {self.recipe.name}", facts, html.bars(
            "how often each code occurs", counts, ("0", f"{len(counts) - 1:x}")))

    def _size(self):
        return matrix_size(self.shape, "codes")

    def _scale_codes(self):
        """The codes of the scales as a matrix."""
        return scale_matrix(self.scales, self.recipe, self.shape, self.along,
                            remedy=PACKED if self.recipe.bits < 8 else None)

    def _arguments(self):
        """Codes, scales and offsets as pointers for the library."""
        codes = contiguous(element_codes(self.codes, self.recipe, "codes"))
        scales, offsets = self._scale_codes().astype(np.uint32, copy=False), None
        if self.recipe.has_offsets and self.offsets is None:
            raise ValueError(f"offsets: {self.recipe.name} needs offsets")
        if self.offsets is not None:
            if not self.recipe.has_offsets:
                raise ValueError(f"offsets: {self.recipe.name} has none")
            offsets = scale_matrix(self.offsets, self.recipe, self.shape, self.along,
                                   "offsets").astype(np.uint32, copy=False)
        return (words(codes, "const uint8_t *"), words(scales, "const uint32_t *"),
                words(offsets, "const uint32_t *")), (codes, scales, offsets)

    def _blocks(self):
        """The structure sf8_blocks, and what must stay alive as long as it."""
        if self.along != "rows":
            raise ValueError("along: this operation needs blocks along rows")
        (codes, scales, offsets), _keep = self._arguments()
        raw = ffi.new("sf8_blocks *", {"recipe": self.recipe._recipe, "codes": codes,
                                       "scales": scales, "offsets": offsets,
                                       "g": number("global_scale", self.global_scale)})
        return raw, _keep

    def dequantize(self, to="f32", *, level=None, out=None):
        """The values that a reader of the recipe gets, as f32, bf16 or f16."""
        to = format_of(to)
        if to.name not in TENSORS:
            raise ValueError(f"to: expected {', '.join(TENSORS)}; got {to.name}")
        (rows, columns), (pointers, _keep) = self._size(), self._arguments()
        result = result_into(out, self.shape, to.code_dtype, to.name)
        arguments = (self.recipe._recipe, to._format, ffi.from_buffer(result), *pointers, rows,
                     columns, number("global_scale", self.global_scale))
        if self.along == "columns":
            status = lib.sf8_dequantize_columns_n(*arguments)
        elif level is not None:
            status = lib.sf8_dequantize_n_at(level_name(level), *arguments)
        else:
            status = lib.sf8_dequantize_n(*arguments)
        check(status, f"dequantize {self.recipe.name}")
        if out is not None:
            return out
        return result.view(FLOATS[to.name]) if to.name in FLOATS else result

    def packed(self):
        """The codes packed into bytes, row by row, as the recipe packs them.

        >>> quantize(np.ones((1, 32), np.float32), "nvfp4-te").packed().shape
        (1, 16)
        """
        rows, columns = self._size()
        width = lib.sf8_packed_size(self.recipe.bits, columns)
        result = np.empty((*self.shape[:-1], width), np.uint8)
        codes = contiguous(element_codes(self.codes, self.recipe, "codes"))
        for source, target in zip(codes.reshape(rows, columns), result.reshape(rows, width)):
            check(lib.sf8_recipe_pack_n(self.recipe._recipe, words(target, "uint8_t *"),
                                        words(source, "const uint8_t *"), columns),
                  f"{self.recipe.name}: packing a row of {columns}")
        return result

    def layout(self, name):
        """The scales in a layout, one byte each, padding included: "linear", "128x4", ..."""
        if lib.sf8_format_bits(self.recipe._recipe.scale) > 8:
            raise ValueError(f"layout: the scales of {self.recipe.name} have more than 8 bits")
        return layout_store(self._scale_codes(), name)

    def scale_values(self):
        """The values of the scales, as f32. A global scale is no part of them.

        >>> quantize(np.ones((1, 16), np.float32), "mxfp8-e4m3-even").scale_values().tolist()
        [[0.00390625]]
        """
        return decode(self._scale_codes(), self.recipe.scale)

    def image(self):
        """The tensor as bytes, scales before the codes of their blocks, as in GGUF files."""
        rows, columns = self._size()
        needed = ffi.new("size_t *")
        check(lib.sf8_blocks_image_size(self.recipe._recipe, rows, columns, needed),
              f"{self.recipe.name}: an image of {rows} x {columns}")
        result = np.empty(needed[0], np.uint8)
        pointers, _keep = self._arguments()
        check(lib.sf8_blocks_image_store(self.recipe._recipe, words(result, "uint8_t *"), *pointers,
                                         rows, columns), "image")
        return result

    def requantize(self, recipe, *, global_scale=None):
        """The values of this tensor, quantized again by another recipe.

        global_scale  its global scale; None: as the product computes it from these values
        """
        of, (rows, columns), (source, _keep) = _recipe(recipe), self._size(), self._blocks()
        values = tensor_of(self.dequantize(), "x", None) if of.has_global_scale else (None, None)
        result = _empty(of, self.shape, "rows", _global_scale(of, *values, global_scale))
        check(lib.sf8_requantize_n(result.recipe._recipe, *_targets(result), result.global_scale,
                                   source, rows, columns), f"requantize to {result.recipe.name}")
        return _filled(result)

    def errors(self, x, from_=None):
        """What quantizing the tensor x to this cost: counts, the largest error, sums of squares.

        >>> x = np.linspace(-1, 1, 32, dtype=np.float32)
        >>> quantize(x, "mxfp8-e4m3-even").errors(x)["count"]
        32
        """
        codes, source = tensor_of(x, "x", from_)
        if codes.shape != self.shape:
            raise ValueError(f"x: expected the shape {self.shape}, got {codes.shape}")
        report, (blocks, _keep) = ffi.new("sf8_block_report *"), self._blocks()
        check(lib.sf8_block_errors(report, blocks, source._format, read(codes), *self._size()),
              "errors")
        return row_dict(report)

    def alpha(self, other):
        """The factor that applies the global scales of two tensors to their product."""
        (a, _keep), (b, _more) = self._blocks(), _other(other)._blocks()
        return float(lib.sf8_blocks_alpha(a, b))

    def dot(self, other, *, to="f32", policy="ocp-nosat", alpha=None, flags=False):
        """The exact dot product of two quantized rows, rounded once."""
        (a, _keep), (b, _more), to = self._blocks(), _other(other)._blocks(), format_of(to)
        for side, argument in ((self, "self"), (other, "other")):
            if side._size()[0] != 1:
                raise ValueError(f"{argument}: expected one row, got the shape {side.shape}; "
                                 "matmul multiplies all rows")
        n = self.shape[-1]
        if other.shape[-1] != n:
            raise ValueError(f"other: expected {n} elements, got {other.shape[-1]}")
        alpha = self.alpha(other) if alpha is None else alpha
        result = ffi.new("sf8_result *")
        rules = policy_of(policy, to=to)._policy
        check(lib.sf8_blocks_dot(to._format, rules, result, a, b, n, number("alpha", alpha)), "dot")
        value = np.asarray(result.code, to.code_dtype)
        value = value.view(FLOATS[to.name])[()] if to.name in FLOATS else value[()]
        return (value, result.flags) if flags else value

    def matmul(self, other, *, to="f32", policy="ocp-nosat", alpha=None):
        """The exact products of the rows of this matrix and of another one, each rounded once."""
        (a, _keep), (b, _more), to = self._blocks(), _other(other)._blocks(), format_of(to)
        (m, k), (n, k2) = self._size(), other._size()
        if k != k2:
            raise ValueError(f"other: expected rows of {k} elements, got {k2}")
        alpha = self.alpha(other) if alpha is None else alpha
        result = np.empty((m, n), to.code_dtype)
        check(lib.sf8_blocks_matmul(to._format, policy_of(policy, to=to)._policy,
                                    ffi.from_buffer(result), a, m, b, n, k, number("alpha", alpha)),
              "matmul")
        return result.view(FLOATS[to.name]) if to.name in FLOATS else result


def _other(x):
    if not isinstance(x, Quantized):
        raise TypeError(f"other: expected a quantized tensor, got {type(x).__name__}")
    return x


def _empty(of, shape, along, global_scale):
    """A quantized tensor that is to be filled."""
    rows, columns = matrix_size(shape, "x")
    scales = of.scale_shape(rows, columns, along)
    return Quantized(of, np.empty(shape, np.uint8), np.zeros(scales, np.uint32),
                     np.zeros(scales, np.uint32) if of.has_offsets else None,
                     number("global_scale", global_scale), along)


def _filled(q):
    """The tensor, with scales and offsets of the smallest type that holds them."""
    q.scales, q.offsets = narrowed(q.scales, q.recipe.scale), narrowed(q.offsets, q.recipe.offset)
    return q


def _targets(q):
    """Where the library writes codes, scales and offsets; the latter as words of 32 bits."""
    return (words(q.codes, "uint8_t *"), words(q.scales, "uint32_t *"),
            words(q.offsets, "uint32_t *"))


def _global_scale(of, codes, source, given):
    """The global scale: given, or that of the tensor's largest magnitude; 1 if there is none."""
    if not of.has_global_scale:
        if given is not None:
            raise ValueError(f"global_scale: {of.name} has no global scale")
        return 1.0
    if given is None:
        return of.global_scale(largest_magnitude(codes, source), source)
    return _checked_scale(of, given)


def _checked_scale(of, given):
    """A global scale as f32 has it, above 0; where it is the scale of a store, any number."""
    given = number("global_scale", given)
    with np.errstate(over="ignore"):
        word = np.float32(given)
    if word != word:
        raise ValueError("global_scale: expected a number, got NaN")
    if not of.scale_is_given and not 0 < word < np.inf:
        raise ValueError(f"global_scale: expected a finite number above 0 in f32, got {given}")
    return given


def _stored_scale(of, given):
    """The global scale of what is read back: the one that it was made with."""
    if of.has_global_scale:
        if given is None:
            raise ValueError(f"global_scale: {of.name} has a global scale; give the one that the "
                             "tensor was quantized with")
        return _checked_scale(of, given)
    if given is not None and number("global_scale", given) != 1:
        raise ValueError(f"global_scale: {of.name} has no global scale")
    return 1.0


def quantize(x, recipe, *, global_scale=None, along="rows", from_=None, level=None, after=None,
             **arrays):
    """Quantizes a tensor in blocks that share a scale, as a product does.

    x             a tensor of f32, bf16 or f16; its last axis is a row, and all rows are one matrix
    recipe        softfp8.recipes() has all
    global_scale  the tensor's global scale; None: as the product computes it
    along         "columns": blocks go down the columns of a matrix, as caches store keys
    from_         the format, if x has codes
    level         an instruction set of softfp8.simd(), or "core"; the result is the same
    after         a stage that is computed first, as softfp8.stage() takes it: "rms-norm w=W"; the
                  arrays that it names are further keywords: W=...

    >>> q = quantize(np.linspace(-6, 6, 32, dtype=np.float32).reshape(2, 16), "nvfp4-te")
    >>> q.codes.shape, q.scales.shape, q.global_scale
    ((2, 16), (2, 1), 448.0)
    """
    of = _recipe(recipe)
    choice("along", along, ("rows", "columns"))
    if after is None and arrays:
        raise TypeError(f"quantize: unexpected argument {next(iter(arrays))!r}; arrays belong to "
                        "the stage of after=")
    codes, source = tensor_of(x, "x", from_) if after is None else \
        after_stage(x, after, from_, arrays)
    rows, columns = matrix_size(codes.shape, "x")
    result = _empty(of, codes.shape, along, _global_scale(of, codes, source, global_scale))
    arguments = (of._recipe, *_targets(result), source._format, read(codes), rows, columns,
                 result.global_scale)
    if along == "columns":
        status = lib.sf8_quantize_columns_n(*arguments)
    elif level is not None:
        status = lib.sf8_quantize_n_at(level_name(level), *arguments)
    else:
        status = lib.sf8_quantize_n(*arguments)
    check(status, f"quantize by {of.name}")
    return _filled(result)


def codes_by_scales(x, source, recipe, scales, *, offsets=None, global_scale=1.0, along="rows"):
    """The codes that a recipe gives a tensor of codes of a format whose blocks have these scales
    (the codes of a matrix); None where the scale also has the offset."""
    turned = along == "columns"
    x, scales, offsets = (a if a is None else contiguous(a.T) if turned else a
                          for a in (x, scales, offsets))
    codes = np.empty(x.shape, np.uint8)
    scales, offsets = (a if a is None else contiguous(a.astype(np.uint32))
                       for a in (scales, offsets))
    status = lib.py_codes_n(recipe._recipe, words(codes, "uint8_t *"),
                            words(scales, "const uint32_t *"), words(offsets, "const uint32_t *"),
                            source._format, read(x), *matrix_size(x.shape, "x"), global_scale)
    if status == lib.SF8_BAD_CALL:
        return None
    check(status, f"codes by {recipe.name}")
    return contiguous(codes.T) if turned else codes


def dequantize(codes, scales, recipe, *, offsets=None, global_scale=None, to="f32", along="rows",
               level=None):
    """Reads a quantized tensor back.

    codes         one to a byte; packed ones are taken too if the scales belong to no other shape
    scales        one for each block: a matrix, or a row of scales for each row of the tensor. Codes,
                  or floats that the format of the scale holds exactly
    recipe        softfp8.recipes() has all
    offsets       those of blocks that have one, as codes or floats
    global_scale  the global scale that the tensor was quantized with, if the recipe has one
    to            f32, bf16 or f16
    along         "columns" if blocks go down the columns
    level         an instruction set of softfp8.simd(), or "core"; the result is the same

    >>> q = quantize(np.linspace(-6, 6, 16, dtype=np.float32).reshape(1, 16), "nvfp4-te")
    >>> values = dequantize(q.codes, q.scales, "nvfp4-te", global_scale=q.global_scale)
    >>> values[0, :4].tolist()
    [-6.0, -6.0, -4.0, -4.0]
    """
    of = _recipe(recipe)
    choice("along", along, ("rows", "columns"))
    if columns := packed_columns(codes, scales, of, along):
        codes = unpack_codes(codes, of, columns)
    codes, _ = array_of(element_codes(codes, of, "codes"), "codes")
    g = _stored_scale(of, global_scale)
    return Quantized(of, codes, scales, offsets, g, along).dequantize(to, level=level)


def quantize_packed(x, recipe, *, global_scale=None, from_=None, level=None):
    """Quantizes to packed codes and scales of one byte: (packed, scales, global_scale)."""
    of = _recipe(recipe)
    codes, source = tensor_of(x, "x", from_)
    rows, columns = matrix_size(codes.shape, "x")
    g = _global_scale(of, codes, source, global_scale)
    packed = np.empty((*codes.shape[:-1], lib.sf8_packed_size(of.bits, columns)), np.uint8)
    scales = np.empty(of.scale_shape(rows, columns), np.uint8)
    arguments = (of._recipe, words(packed, "uint8_t *"), words(scales, "uint8_t *"), source._format,
                 read(codes), rows, columns, g)
    status = lib.sf8_quantize_packed_n(*arguments) if level is None else \
        lib.sf8_quantize_packed_n_at(level_name(level), *arguments)
    check(status, f"quantize by {of.name}, packed")
    return packed, scales, g


def dequantize_packed(packed, scales, recipe, columns, *, global_scale=None, to="f32", level=None):
    """Reads packed codes back; a row has `columns` elements. dequantize() explains the scales."""
    of, to, packed = _recipe(recipe), format_of(to), bytes_of(packed, "packed")
    width = lib.sf8_packed_size(of.bits, size("columns", columns))
    if packed.ndim == 0 or packed.shape[-1] != width:
        raise ValueError(f"packed: {columns} elements take {width} bytes, got {packed.shape}")
    if to.name not in TENSORS:
        raise ValueError(f"to: expected {', '.join(TENSORS)}; got {to.name}")
    if of.scale.bits > 8:
        return dequantize(unpack_codes(packed, of, columns), scales, of, global_scale=global_scale,
                          to=to, level=level)
    rows = packed.size // width if width else 0
    scales = scale_matrix(scales, of, (*packed.shape[:-1], columns), "rows")
    result = np.empty((*packed.shape[:-1], columns), to.code_dtype)
    arguments = (of._recipe, to._format, ffi.from_buffer(result), words(packed, "const uint8_t *"),
                 words(scales, "const uint8_t *"), rows, columns, _stored_scale(of, global_scale))
    status = lib.sf8_dequantize_packed_n(*arguments) if level is None else \
        lib.sf8_dequantize_packed_n_at(level_name(level), *arguments)
    check(status, f"dequantize {of.name}, packed")
    return result.view(FLOATS[to.name]) if to.name in FLOATS else result


def unpack_codes(packed, recipe, columns):
    """Unpacks the rows that Quantized.packed() made into codes, one to a byte."""
    of, packed = _recipe(recipe), bytes_of(packed, "packed")
    width = lib.sf8_packed_size(of.bits, size("columns", columns))
    if packed.ndim == 0 or packed.shape[-1] != width:
        raise ValueError(f"packed: {columns} elements take {width} bytes, got {packed.shape}")
    result = np.empty((*packed.shape[:-1], columns), np.uint8)
    rows = packed.size // width if width else 0
    for source, target in zip(packed.reshape(rows, width), result.reshape(rows, columns)):
        check(lib.sf8_recipe_unpack_n(of._recipe, words(target, "uint8_t *"),
                                      words(source, "const uint8_t *"), columns), "unpack_codes")
    return result


def load_image(image, recipe, rows, columns, *, global_scale=None):
    """Reads the bytes that Quantized.image() made."""
    of, image = _recipe(recipe), bytes_of(image, "image")
    expected, rows, columns = ffi.new("size_t *"), size("rows", rows), size("columns", columns)
    check(lib.sf8_blocks_image_size(of._recipe, rows, columns, expected), f"an image of {of.name}")
    if image.size != expected[0]:
        raise ValueError(f"image: expected {expected[0]} bytes, got {image.size}")
    result = _empty(of, (rows, columns), "rows", _stored_scale(of, global_scale))
    check(lib.sf8_blocks_image_load(of._recipe, *_targets(result), words(image, "const uint8_t *"),
                                    rows, columns), "load_image")
    return _filled(result)
