# SPDX-License-Identifier: MIT
"""kv.py -- KV caches: storing and gathering tokens, readers, sizes; kv_scales.py has the scales"""
import fractions
import functools

import numpy as np

from ._base.arrays import (FLOATS, array_of, code_dtype, codes_of, contiguous, dtype_text,
                           memory_of, words)
from ._base.library import (check, choice, encoded, ffi, lib, number, row_dict, rows, several, size,
                            text, unknown)
from ._base.value import Value
from .convert import tensor_of
from .formats import format as format_of
from .kv_scales import (EVENTS, LIVES, PER, READS, RUNS, SIDES, Life, f32_value, f32_words, rules,
                        scales)
from .recipes import recipe as recipe_of

LAYOUTS = "nhd", "hnd", "x-packed", "columns", "ds-mla", "indexer"
ONE = 0x3F800000


def reason(number):
    """The text of a reason for which a layout or a call is refused."""
    return text(lib.sf8_kv_reason(number))


# ---- layouts


class Layout(Value):
    """Where the elements and the scales of a cache lie in memory.

    >>> layout("nhd", blocks=4, slots=16, heads=2, dim=64, bits=8).size
    8192
    """

    def __init__(self, raw):
        self._layout = raw
        wrong = lib.sf8_kv_check(raw)
        if wrong != lib.SF8_KV_GOOD:
            raise ValueError(f"layout: {reason(wrong)}")

    def _parts(self):
        return (self.fields(),)

    @classmethod
    def _of(cls, fields):
        return cls(ffi.new("sf8_kv_layout *", fields))

    size = property(lambda self: lib.sf8_kv_size(self._layout), doc="The bytes of an image.")
    scales_size = property(lambda self: lib.sf8_kv_scales_size(self._layout),
                           doc="The bytes of the array of scales; 0 if there is none.")

    def fields(self):
        """All fields of the structure sf8_kv_layout, as a dictionary."""
        return row_dict(self._layout)

    def replace(self, **fields):
        """A layout with other fields, such as strides with padding."""
        for name, value in fields.items():
            if name not in self.fields():
                raise unknown("field", name, self.fields())
            bits = 8 * ffi.sizeof(dict(ffi.typeof("sf8_kv_layout").fields)[name].type)
            size(name, value, (1 << bits) - 1)
        return Layout(ffi.new("sf8_kv_layout *", {**self.fields(), **fields}))

    def with_scales(self, group, bits=32, *, by_head=False):
        """Adds one scale for each `group` elements of a row, in an array of their own."""
        raw = lib.sf8_kv_with_scales(self._layout[0], size("group", group), size("bits", bits, 64),
                                     int(bool(by_head)))
        return Layout(ffi.new("sf8_kv_layout *", raw))

    def scales_behind(self):
        """Moves the scales into the image, behind the rows of each block."""
        if self._layout.scales != lib.SF8_KV_SCALES_APART:
            raise ValueError("layout: it has no array of scales")
        return Layout(ffi.new("sf8_kv_layout *", lib.sf8_kv_behind(self._layout[0])))

    def in_pages(self, bytes):
        """Makes it part of pages of that many bytes, for example with K and V alternating."""
        size("bytes", bytes)
        return Layout(ffi.new("sf8_kv_layout *", lib.sf8_kv_in_pages(self._layout[0], bytes)))

    def element_at(self, block, slot, head, d):
        """The offset of an element in bytes."""
        self._inside(block, slot, head)
        return lib.sf8_kv_element_at(self._layout, block, slot, head, self._below("dim", d, "d"))

    def scale_at(self, block, slot, head, k=0):
        """The offset of a scale in bytes."""
        self._inside(block, slot, head)
        if self._layout.scales == lib.SF8_KV_SCALES_GIVEN:
            raise ValueError("layout: it has no scales")
        return lib.sf8_kv_scale_at(self._layout, block, slot, head, self._below("dim", k, "k"))

    def _below(self, field, index, argument):
        return size(argument, index, getattr(self._layout, field) - 1)

    def _inside(self, block, slot, head):
        for field, index in (("blocks", block), ("slots", slot), ("heads", head)):
            self._below(field, index, field[:-1])

    def __repr__(self):
        shown = ", ".join(f"{name}={value}" for name, value in self.fields().items() if value)
        return f"softfp8.kv.Layout({shown})"


def layout(name, *, blocks, slots, heads, dim, bits):
    """A dense layout: "nhd", "hnd", "x-packed", "columns", "ds-mla" or "indexer"."""
    raw = ffi.new("sf8_kv_layout *")
    sizes = [size(*pair) for pair in (("blocks", blocks), ("slots", slots), ("heads", heads),
                                      ("dim", dim), ("bits", bits, 64))]
    status = lib.sf8_kv_layout_named(raw, encoded("layout", name), *sizes)
    if status == lib.SF8_UNKNOWN_NAME:
        raise unknown("layout", name, LAYOUTS)
    if status != lib.SF8_OK:
        raise ValueError(f"layout {name}: no cache has blocks={blocks}, slots={slots}, "
                         f"heads={heads}, dim={dim}, bits={bits} in this layout")
    return Layout(raw)


# ---- caches


class Cache(Value):
    """The memory of a cache: its bytes, its scales, and how tokens are stored in it.

    layout  softfp8.kv.layout(...)
    recipe  how elements are stored; None: they are numbers of `words`, copied bit for bit
    scale   the given scale or the global scale: one number, or one for each head
    data, scales  existing memory, as arrays of bytes; None: new memory of zeros. Tokens can be
            gathered from memory that is read-only

    >>> place = layout("nhd", blocks=1, slots=16, heads=1, dim=8, bits=8)
    >>> cache = Cache(place, recipe="kv-vllm", scale=0.5)
    >>> cache.store(np.full((1, 1, 8), 3, np.float32), [5])
    >>> cache.gather([5])[0, 0, 0]
    np.float32(3.0)
    """

    def __init__(self, layout, *, recipe=None, words="f16", scale=None, data=None, scales=None):
        if not isinstance(layout, Layout):
            raise TypeError(f"layout: expected softfp8.kv.layout(...), got {type(layout).__name__}")
        self.layout = layout
        self.recipe = None if recipe is None else recipe_of(recipe)
        self.words = format_of(words)
        self.scale = scale
        self.data = np.zeros(layout.size, np.uint8) if data is None else data
        self.scales = np.zeros(layout.scales_size, np.uint8) if scales is None else scales

    __hash__ = None

    def _parts(self):
        return self.layout, self.recipe, self.words, self.scale, self.data, self.scales

    @classmethod
    def _of(cls, layout, recipe, words, scale, data, scales):
        return cls(layout, recipe=recipe, words=words, scale=scale, data=data, scales=scales)

    # What the library reads and writes is checked whenever it is replaced.

    @property
    def data(self):
        """The bytes of the image."""
        return self._data.view()

    @data.setter
    def data(self, given):
        self._data = self._memory(given, self.layout.size, "data")

    @property
    def scales(self):
        """The bytes of the array of scales."""
        return self._scales.view()

    @scales.setter
    def scales(self, given):
        self._scales = self._memory(given, self.layout.scales_size, "scales")

    @property
    def scale(self):
        """The given scale or the global scale, as the words of f32; None if there is none."""
        return None if self._scale is None else self._scale.view()

    @scale.setter
    def scale(self, given):
        if isinstance(given, np.ndarray) and given.dtype == np.uint32:
            given = given.view(np.float32)
        found = f32_words(given, "scale")
        if found is not None and np.isnan(found.view(np.float32)).any():
            raise ValueError("scale: expected numbers, got NaN")
        self._scale = None if found is None else found.reshape(-1)

    @staticmethod
    def _memory(given, size, argument):
        array, _ = memory_of(given, argument)
        if array.itemsize != 1:
            raise TypeError(f"{argument}: expected the bytes of a cache (uint8), got "
                            f"{dtype_text(given, array)}; view(np.uint8) gives the bytes of an "
                            "array, and store() stores numbers")
        if not array.flags.c_contiguous:
            raise ValueError(f"{argument}: expected contiguous bytes")
        array = array.reshape(-1).view(np.uint8)
        if array.size < size:
            raise ValueError(f"{argument}: expected {size} bytes, got {array.size}")
        return array

    def _image(self):
        """The structure sf8_kv_image, and what must stay alive as long as it."""
        data, scales = self._data, self._scales
        return [self.layout._layout[0], words(data, "uint8_t *"), data.size,
                words(scales, "uint8_t *"), scales.size], (data, scales)

    def _slots(self, slots, outside, twice):
        array, _ = array_of(slots, "slots")
        if array.dtype.kind not in "iu" and array.size:
            raise TypeError(f"slots: expected integers, got {array.dtype}")
        if array.dtype == np.uint64:  # a slot that no cache has must not become a negative one
            array = np.minimum(array, np.uint64(np.iinfo(np.int64).max))
        slot = contiguous(array.astype(np.int64)).reshape(-1)
        seen = np.empty(lib.sf8_kv_seen_size(self.layout._layout), np.uint8)
        what = {"refuse": 0, "skip": lib.SF8_KV_OUTSIDE_SKIP, "last": lib.SF8_KV_TWICE_LAST}
        choice("outside", outside, ("refuse", "skip"))
        choice("twice", twice, ("refuse", "last"))
        raw = ffi.new("sf8_kv_slots *", [words(slot, "const int64_t *"), slot.size,
                                         what[outside], what[twice],
                                         words(seen, "uint8_t *"), seen.size])
        return raw, (slot, seen)

    def _tokens(self, x, argument, from_):
        """Tokens as their contiguous codes [tokens][heads][dim], and their format."""
        if self.recipe is not None:
            array, source = tensor_of(x, argument, from_)
        else:
            source = format_of(from_ or array_of(x, argument)[1] or self.words)
            array = contiguous(codes_of(x, source, argument))
        return self._by_heads(array, argument), source

    def _second_tokens(self, x, source):
        """The second part of each token: more elements of the format of the first part, or what the
        layout's tail keeps, of any format with as many bits."""
        bits = self.layout.fields()["tail_bits"] if self.layout.fields()["tail"] else 0
        if not bits:
            return self._by_heads(contiguous(codes_of(x, source, "second")), "second")
        array, _ = array_of(x, "second")
        if 8 * array.itemsize != bits:
            raise TypeError(f"second: expected the layout's tail, elements of {bits} bits; got "
                            f"{dtype_text(x, array)}")
        return self._by_heads(contiguous(array).view(code_dtype(bits)), "second")

    def _by_heads(self, array, argument):
        """The array as [tokens][heads][elements]: one with two axes has one head."""
        if array.ndim == 2:
            array = array[:, None, :]
        if array.ndim != 3:
            raise ValueError(f"{argument}: expected [tokens][heads][elements], got {array.shape}")
        heads = self.layout.fields()["heads"]
        if array.shape[1] != heads:
            raise ValueError(f"{argument}: expected {heads} heads, got {array.shape[1]}")
        return array

    def _scale_arguments(self):
        """The given scale for the library, and what must stay alive as long as it."""
        scale = None if self._scale is None else self._scale.view(np.float32)
        return [words(scale, "const float *"), 0 if scale is None else scale.size], scale

    def store(self, tokens, slots, second=None, *, from_=None, outside="refuse", twice="refuse"):
        """Stores tokens [tokens][heads][elements], token i in slot slots[i]; negative: skipped.

        from_    the format of the tokens, if they are codes
        second   kv_c and k_pe: more elements of each row, or the tail of the layout
        outside  a slot after the last one: "refuse" or "skip"
        twice    a slot that comes twice: "refuse", or "last": the last of its tokens counts
        """
        store_together([(self, tokens, second)], slots, from_=from_, outside=outside, twice=twice)

    def gather(self, slots, *, to=None, second=0, reader=None, outside="refuse"):
        """The tokens of the given slots: an array [tokens][heads][elements] of the format `to`.

        second  how many elements of each row go to a second array; with a layout with a tail, the
                size of the tail, whose width `to` must have. The result is then a pair.
        reader  another recipe than the one that stored
        """
        to = self.words if self.recipe is None else format_of("f32" if to is None else to)
        second = size("second", second)
        raw_slots, keep = self._slots(slots, outside, "last")
        fields, n = self.layout.fields(), keep[0].size
        tail = fields["tail"] if second and fields["tail"] else 0
        dims = fields["dim"] - (0 if tail else size("second", second, fields["dim"])), second
        result = np.zeros((n, fields["heads"], dims[0]), to.code_dtype)
        other = np.zeros((n, fields["heads"], dims[1]),
                         code_dtype(fields["tail_bits"]) if tail else to.code_dtype)
        recipe = self.recipe if reader is None else recipe_of(reader)
        (image, _keep), (scale, _more) = self._image(), self._scale_arguments()
        raw = ffi.new("sf8_kv_gather *", [
            image, ffi.NULL if recipe is None else recipe._recipe, to._format, _room(result),
            _room(other) if second else _nothing(), *scale])
        error = ffi.new("sf8_kv_error *")
        _refused(lib.sf8_kv_gather_n(raw, 1, raw_slots, error), error, "gather")
        result = result.view(FLOATS[to.name]) if to.name in FLOATS else result
        if not second:
            return result
        return result, other.view(FLOATS[to.name]) if to.name in FLOATS and not tail else other

    def _pool(self):
        """What `unlike` compares, and what must stay alive as long as it."""
        scale, recipe = self._scale, self.recipe
        return ffi.new("sf8_kv_pool *", [
            self.layout._layout[0], ffi.NULL if recipe is None else recipe._recipe,
            self.words._format, words(scale, "const uint32_t *"),
            0 if scale is None else scale.size]), (scale, recipe)


def _room(array):
    """The structure sf8_kv_words or sf8_kv_room of an array [tokens][heads][elements]."""
    tokens, heads, dim = array.shape
    return [ffi.cast("void *", ffi.from_buffer(array)), tokens, dim, heads * dim, dim]


def _nothing():
    return [ffi.NULL, 0, 0, 0, 0]


def _refused(status, error, what):
    if status != lib.SF8_OK:
        place = f" (cache {error.item}, token {error.token})" if error.token or error.item else ""
        raise ValueError(f"{what}: {reason(error.reason)}{place}")


def _part(part):
    """What is stored in one cache: the cache, the tokens, and their second part or None."""
    if not isinstance(part, (tuple, list)) or len(part) not in (2, 3) or \
            not isinstance(part[0], Cache):
        raise TypeError("parts: expected tuples (cache, tokens) or (cache, tokens, second)")
    return (*part, None)[:3]


def store_together(parts, slots, *, from_=None, outside="refuse", twice="refuse"):
    """Stores tokens in several caches, such as those of K and V, in the same slots.

    `parts` is a list of (cache, tokens) or (cache, tokens, second). Nothing is written if any part
    is refused.
    """
    parts = [_part(part) for part in several("parts", parts)]
    if not parts:
        raise ValueError("parts: expected at least one pair of a cache and its tokens")
    stores, keep = ffi.new("sf8_kv_store[]", len(parts)), []
    for raw, (cache, tokens, second) in zip(stores, parts):
        first, source = cache._tokens(tokens, "tokens", from_)
        second = None if second is None else cache._second_tokens(second, source)
        recipe, (raw.image, memory) = cache.recipe, cache._image()
        for array, argument in zip(memory, ("data", "scales")):
            if not array.flags.writeable:
                raise ValueError(f"{argument}: the memory of the cache is read-only, so no token "
                                 "can be stored; only gather() reads it")
        raw.recipe = ffi.NULL if recipe is None else recipe._recipe
        setattr(raw, "from", source._format)  # a keyword of Python
        raw.first = _room(first)
        raw.second = _nothing() if second is None else _room(second)
        (raw.g, raw.g_count), scale = cache._scale_arguments()
        keep.append((first, second, memory, recipe, scale))
    raw_slots, _more = parts[0][0]._slots(slots, outside, twice)
    error = ffi.new("sf8_kv_error *")
    _refused(lib.sf8_kv_store_n(stores, len(parts), raw_slots, error), error, "store")


def unlike(a, b):
    """What differs between two caches, so that blocks of one cannot be used in the other.

    Returns a set of: codes, scales, order, page, shape; an empty one if nothing differs.
    """
    for cache, argument in ((a, "a"), (b, "b")):
        if not isinstance(cache, Cache):
            raise TypeError(f"{argument}: expected a cache, got {type(cache).__name__}")
    (first, _keep), (second, _more) = a._pool(), b._pool()
    bits = lib.sf8_kv_unlike(first, second)
    return {name for name in ("codes", "scales", "order", "page", "shape")
            if bits & getattr(lib, f"SF8_KV_UNLIKE_{name.upper()}")}


# ---- readers


def readers():
    """How kernels turn a stored code and a scale into a number: the readers, as dictionaries."""
    return [row_dict(row) for row in rows(lib.sf8_kv_reader_at)]


def read_codes(reader, codes, scale=1.0):
    """Reads codes with one scale, as a reader does.

    >>> read_codes("vllm-half", np.array([0x38, 0x40], np.uint8), 0.5).tolist()
    [0.5, 1.0]
    """
    raw = ffi.new("sf8_kv_reader *")
    if lib.sf8_kv_reader_named(raw, encoded("reader", reader)) != lib.SF8_OK:
        raise unknown("reader", reader, [row["name"] for row in readers()])
    row = next(row for row in readers() if row["name"] == reader)
    codes, out = contiguous(codes_of(codes, format_of(row["element"]), "codes")), row["out"]
    result = np.empty(codes.shape, format_of(out).code_dtype)
    lib.sf8_kv_read_n(raw, ffi.from_buffer(result), words(codes, "const uint8_t *"), codes.size,
                      number("scale", scale))
    return result.view(FLOATS[out]) if out in FLOATS else result


def folds(reader):
    """Whether a reader leaves the scale to the products of attention."""
    raw = ffi.new("sf8_kv_reader *")
    if lib.sf8_kv_reader_named(raw, encoded("reader", reader)) != lib.SF8_OK:
        raise unknown("reader", reader, [row["name"] for row in readers()])
    return bool(lib.sf8_kv_folds(raw))


# ---- bytes of a token


@functools.cache
def types():
    """How caches store the vectors of a token, as dictionaries."""
    return [row_dict(row) for row in rows(lib.sf8_kv_type_at)]


def _type_and_shape(name, *shape):
    raw = ffi.new("sf8_kv_type *")
    if lib.sf8_kv_type_named(raw, encoded("type", name)) != lib.SF8_OK:
        raise unknown("type", name, [row["name"] for row in types()])
    names = "layers", "heads", "size", "latent", "rope"
    return raw, ffi.new("sf8_kv_shape *", [size(argument, value, (1 << 32) - 1)
                                           for argument, value in zip(names, shape)])


def token_bytes(name, *, layers, heads=0, size=0, latent=0, rope=0):
    """The bytes of a token in all layers, as a fraction.

    >>> token_bytes("fp8", layers=32, heads=8, size=128)
    Fraction(65536, 1)
    """
    num, den = ffi.new("uint64_t *"), ffi.new("uint64_t *")
    check(lib.sf8_kv_token_bytes(*_type_and_shape(name, layers, heads, size, latent, rope), num,
                                 den), f"token_bytes of {name}: a size is 0 or above 65535, or "
                                       "codes do not fill whole bytes")
    return fractions.Fraction(num[0], den[0])


def _bytes(number):
    return size("bytes", number)


def tokens_in(name, bytes, *, layers, heads=0, size=0, latent=0, rope=0):
    """How many tokens fit into that many bytes."""
    tokens = ffi.new("uint64_t *")
    check(lib.sf8_kv_tokens(*_type_and_shape(name, layers, heads, size, latent, rope),
                            _bytes(bytes), tokens), f"tokens_in of {name}")
    return tokens[0]


# ---- what schedulers decide


def _numbers(ctype, given, what):
    fields = [name for name, _ in ffi.typeof(ctype).fields]
    for name in given:
        if name not in fields:
            raise unknown(what, name, fields)
    try:
        return ffi.new(f"{ctype} *", {name: size(name, value) for name, value in given.items()})
    except OverflowError:
        raise ValueError(f"{what}: a number is too large") from None


def cascades(**batch):
    """Whether vLLM computes a shared prefix once for all requests; the keywords are the fields of
    sf8_kv_batch: prefix, requests, query_heads, heads, processors, ranks, decodes, special."""
    found = ffi.new("int32_t *")
    check(lib.sf8_kv_cascades(_numbers("sf8_kv_batch", batch, "cascades"), found), "cascades")
    return bool(found[0])


def splits(**tiles):
    """Into how many parts FlashAttention-3 splits the keys; the keywords are the fields of
    sf8_kv_tiles: blocks, query_blocks, processors, key_blocks, head_bytes, most, causal."""
    found = ffi.new("uint32_t *")
    check(lib.sf8_kv_splits(_numbers("sf8_kv_tiles", tiles, "splits"), found), "splits")
    return found[0]
