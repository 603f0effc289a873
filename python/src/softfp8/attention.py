# SPDX-License-Identifier: MIT
"""attention.py -- attention over a cache, whose bits do not depend on how it is split"""
import numpy as np

from ._base.arrays import FLOATS, array_of, code_dtype, codes_of, contiguous, dtype_text, words
from ._base.library import check, choice, ffi, level_name, lib, named, number, several, size, text
from .blocks import largest_magnitude, quantize
from .convert import convert, tensor_of
from .formats import format as format_of
from .kv import Cache, f32_words, layout
from .orders import order as order_of
from .recipes import recipe as recipe_of
from .sums import _fuse

WIDE = "f32", "bf16", "f16"  # formats in which a cache may keep numbers
SLOTS = 16  # of a block of the caches that attend() makes
JOINS = {name[9:].lower().replace("_", "-"): getattr(lib, name) for name in dir(lib)
         if name.startswith("SF8_JOIN_") and name not in ("SF8_JOIN_SEGMENTS_MOST",)}


def attend_sums():
    """The ways to sum products: exact, mma-f16, mma-bf16."""
    return [text(lib.sf8_attend_sums_name(i)) for i in range(lib.SF8_ATTEND_SUMS_COUNT)]


def _sums(name):
    return named(lib.sf8_attend_sums_named, "sums", name, attend_sums)


def _has_image(of):
    """Whether tokens can be stored by this recipe in the image of a cache, one by one."""
    raw = of._recipe
    return (raw.offset_at != lib.SF8_OFFSET_WORD and of.bits in (4, 8, 16) and raw.rows <= 1
            and raw.second_of.count == 0 and raw.nibbles == lib.SF8_NIBBLES_NEXT)


def cache_of(x, recipe=None, scale=None, argument="k"):
    """A cache that holds the tensor [tokens][heads][elements] in the slots 0, 1, ...

    The tensor is stored by the recipe, or in the format f32, bf16 or f16; None keeps its numbers. `scale` is the given scale of the
    recipe, or its global scale; None: that of the largest magnitude.
    """
    codes, source = tensor_of(x, argument)
    if codes.ndim != 3:
        raise ValueError(f"{argument}: expected [tokens][heads][elements], got {codes.shape}")
    tokens, heads, dim = codes.shape
    if isinstance(recipe, str) and recipe in WIDE:
        codes = np.asarray(convert(codes, recipe, from_=source, policy="ocp-nosat", dtype="codes"))
        source, recipe = format_of(recipe), None
    of = None if recipe is None else recipe_of(recipe)
    if of is None and scale is not None:
        raise ValueError(f"{argument}_scale: needs a recipe")
    if scale is not None and not (f32_words(scale, f"{argument}_scale").view(np.float32) > 0).all():
        raise ValueError(f"{argument}_scale: expected numbers above 0")
    if of is not None and of.has_global_scale and scale is None:
        scale = of.global_scale(largest_magnitude(codes, source), source)
    if of is not None and not _has_image(of):
        codes, source, of, scale = _read_back(codes, source, of, scale, argument), \
            format_of("f32"), None, None
    bits = source.bits if of is None else of.bits
    place = layout("nhd", blocks=-(-tokens // SLOTS), slots=SLOTS, heads=heads, dim=dim, bits=bits)
    if of is not None and not of.scale_is_given:
        place = place.with_scales(of.block or dim, lib.sf8_format_bits(of._recipe.scale))
    cache = Cache(place, recipe=of, words=source, scale=scale)
    cache.store(codes, np.arange(tokens), from_=source)
    return cache


def _read_back(codes, source, of, scale, argument):
    """The values of a tensor that was stored by a recipe for which caches have no image."""
    tokens, heads, dim = codes.shape
    down = argument == "k" and of.name.startswith("kivi-")
    whole = down or of._recipe.per == lib.SF8_PER_TOKEN or of._recipe.rows > 1
    matrix = codes.reshape(tokens, heads * dim) if whole else codes.reshape(tokens * heads, dim)
    q = quantize(matrix, of, global_scale=scale, from_=source,
                 along="columns" if down else "rows")
    return q.dequantize("f32").reshape(codes.shape).view(np.uint32)


class Request:
    """A request of attention, ready to be computed: what attend() makes of its arguments.

    q           queries [queries][heads][elements], f32, bf16, f16, or codes of 8 bits
    k, v        caches (softfp8.kv.Cache) of the keys and the values
    keys        how many tokens the caches have; None: all slots
    blocks      block i holds the keys from i * slots on; None: in order
    sums        how products are summed: softfp8.attend_sums()
    scale       factor of the scores; None: 1 / sqrt(elements)
    cap, sinks  soft cap of the scores; one score for each head that takes part without a value
    causal, window, first   what a query sees: keys up to its own position, at most `window` before
                it; the position of the first query, None: the queries are the last positions
    q_scale, k_scale, v_scale   one number, or one for each head of the cache
    to, base2   format of the output; whether the logarithm of the sums is to base 2
    """

    def __init__(self, q, k, v, *, keys=None, blocks=None, sums="exact", scale=None, cap=0.0,
                 sinks=None, causal=True, window=None, first=None, q_scale=None, k_scale=None,
                 v_scale=None, q_format=None, to="f32", base2=False):
        for cache, argument in ((k, "k"), (v, "v")):
            if not isinstance(cache, Cache):
                raise TypeError(f"{argument}: expected a cache (softfp8.kv.Cache), got "
                                f"{type(cache).__name__}; softfp8.cache_of makes one of a tensor")
        codes, self.q_format = self._queries(q, q_format)
        self.queries, self.heads, dim = codes.shape
        place = k.layout.fields()
        self.keys = place["blocks"] * place["slots"] if keys is None else size("keys", keys)
        self.to = format_of(to)
        if blocks is None:
            blocks = np.arange(place["blocks"])
        blocks, _ = array_of(blocks, "blocks")
        if blocks.dtype.kind not in "iu" and blocks.size:
            raise TypeError(f"blocks: expected integers, got {blocks.dtype}")
        blocks = contiguous(blocks.astype(np.int64)).reshape(-1)
        out = np.empty((self.queries, self.heads, v.layout.fields()["dim"]), self.to.code_dtype)
        lse = np.empty((self.queries, self.heads), np.uint32)
        sinks, scales = f32_words(sinks, "sinks"), [f32_words(s, name) for s, name in
                                                    ((q_scale, "q_scale"), (k_scale, "k_scale"),
                                                     (v_scale, "v_scale"))]
        if sinks is not None and sinks.shape != (self.heads,):
            raise ValueError(f"sinks: expected {self.heads} numbers, got {sinks.shape}")
        if sinks is not None and np.isnan(sinks.view(np.float32)).any():
            raise ValueError("sinks: expected numbers, got NaN")
        scale = dim ** -0.5 if scale is None else scale
        self._a = ffi.new("sf8_attend *", {
            "sums": _sums(sums), "scale": _finite("scale", scale),
            "cap": _finite("cap", cap, 0),
            "q_scale": words(scales[0], "const uint32_t *"),
            "q_scales": 0 if scales[0] is None else scales[0].size,
            "sinks": words(sinks, "const uint32_t *"),
            "left": -1 if window is None else _window(window),
            "right": 0 if _flag("causal", causal) else -1,
            "first": self.keys - self.queries if first is None else size("first", first),
            "keys": self.keys, "queries": self.queries, "heads": self.heads,
            "blocks": words(blocks, "const int64_t *"), "block_count": blocks.size,
            "q_words": self.q_format._format, "out_words": self.to._format,
            "q": self._place(codes), "out": self._place(out), "lse": words(lse, "uint32_t *"),
            "lse_base2": int(base2)})
        sides = [self._side(side, cache, given) for side, cache, given in
                 ((self._a.k, k, scales[1]), (self._a.v, v, scales[2]))]
        self._out, self._lse = out, lse
        self._keep = codes, sides, blocks, sinks, scales

    @staticmethod
    def _queries(q, q_format):
        array, name = array_of(q, "q")
        if q_format is not None:
            name = format_of(q_format).name
            array = codes_of(q, format_of(q_format), "q")
        if name is None:
            raise TypeError(f"q: an array of {array.dtype} needs q_format")
        if array.ndim != 3 or not array.shape[2]:
            raise ValueError(f"q: expected [queries][heads][elements], got {array.shape}")
        return contiguous(array).view(code_dtype(8 * array.itemsize)), format_of(name)

    @staticmethod
    def _place(array):
        tokens, heads, dim = array.shape
        return [ffi.cast("void *", ffi.from_buffer(array)), tokens, dim, heads * dim, dim]

    def _side(self, side, cache, given):
        """Fills one side of the request. Returns what must stay alive as long as it: the memory of
        the cache, not the cache, which may get another memory."""
        recipe, (side.image, memory) = cache.recipe, cache._image()
        side.recipe = ffi.NULL if recipe is None else recipe._recipe
        side.words = cache.words._format
        factor = given if given is not None else self._factor(cache)
        side.scale, side.scales = words(factor, "const uint32_t *"), \
            0 if factor is None else factor.size
        return memory, recipe, factor

    @staticmethod
    def _factor(cache):
        """The factor that remains for attention."""
        if cache.recipe is None:
            return None
        given = [0x3F800000] if cache.scale is None else cache.scale
        return np.array([lib.sf8_attend_cache_scale(cache.recipe._recipe, int(g)) for g in given],
                        np.uint32)

    def check(self, order=None, cut=None):
        """Raises ValueError with the reason if the request cannot be computed."""
        if order is None:
            wrong = lib.sf8_attend_check(self._a)
            why = ffi.NULL if wrong == lib.SF8_ATTEND_GOOD else lib.sf8_attend_reason(wrong)
        else:
            order = order_of(order)
            why = lib.sf8_attend_order_reason(order._order, self._a, _cut(order, cut))
        if why != ffi.NULL:
            raise ValueError(f"attend: {text(why)}")

    def run(self, order=None, cut=None, level=None):
        """Computes the output [queries][heads][elements] and the logarithms of the sums."""
        self.check(order, cut)
        if order is not None:
            order = order_of(order)
            raw, cut = order._order, _cut(order, cut)
            room = np.empty(lib.sf8_attend_order_room(raw, self._a, cut), np.uint32)
            status = lib.sf8_attend_order_n(raw, self._a, cut, words(room, "uint32_t *"), room.size)
        else:
            room = np.empty(lib.sf8_attend_room(self._a), np.uint32)
            memory = words(room, "uint32_t *"), room.size
            status = lib.sf8_attend_n(self._a, *memory) if level is None else \
                lib.sf8_attend_at(level_name(level), self._a, *memory)
        check(status, "attend")
        return self._results()

    def _results(self):
        out = self._out.copy()
        return (out.view(FLOATS[self.to.name]) if self.to.name in FLOATS else out,
                self._lse.copy().view(np.float32))

    chunks = property(lambda self: lib.sf8_attend_chunks(self._a),
                      doc="The number of chunks of keys.")

    def part(self, first, last):
        """Computes the chunks first to last - 1 into pieces, which join() takes."""
        self.check()
        pieces = np.empty(self._pieces_shape(first, last), np.uint32)
        room = np.empty(lib.sf8_attend_room(self._a), np.uint32)
        check(lib.sf8_attend_part(self._a, first, last, words(pieces, "uint32_t *"),
                                  words(room, "uint32_t *"), room.size), "part")
        return first, last, pieces

    def _pieces_shape(self, first, last):
        """The shape of the pieces of the chunks first to last - 1."""
        if not size("first", first) <= size("last", last) <= self.chunks:
            raise ValueError(f"first, last: expected chunks from 0 to {self.chunks}, got {first} "
                             f"to {last}")
        return lib.sf8_attend_pieces(self._a, first, last), lib.sf8_attend_piece_words(self._a)

    def join(self, parts):
        """Joins parts that follow one another from chunk 0 to the last: output and logarithms.

        The result is bit for bit that of run().
        """
        self.check()
        parts = [self._part(part) for part in several("parts", parts)]
        raw = ffi.new("sf8_attend_parted[]", [[first, last, words(pieces, "const uint32_t *")]
                                              for first, last, pieces in parts])
        room = np.empty(lib.sf8_attend_room(self._a), np.uint32)
        check(lib.sf8_attend_joined(self._a, raw, len(parts), words(room, "uint32_t *"), room.size),
              "join: parts leave a gap or overlap")
        return self._results()

    def _part(self, part):
        """A part as part() returned it."""
        if not isinstance(part, (tuple, list)) or len(part) != 3:
            raise TypeError("parts: expected tuples (first, last, pieces), as part() returns them")
        first, last, pieces = part
        shape, (array, _) = self._pieces_shape(first, last), array_of(pieces, "pieces")
        if array.dtype != np.uint32:
            raise TypeError(f"pieces: expected uint32, got {dtype_text(pieces, array)}")
        if array.shape != shape:
            raise ValueError(f"pieces: expected the shape {shape} for chunks {first} to {last}, "
                             f"got {array.shape}")
        return first, last, contiguous(array)


def _finite(argument, value, least=-np.inf):
    """The word of a finite number of f32."""
    value = number(argument, value)
    word = int(f32_words(value, argument))
    if not (np.isfinite(np.uint32(word).view(np.float32)) and value >= least):
        at_least = "" if np.isinf(least) else f" of at least {least}"
        raise ValueError(f"{argument}: expected a finite number{at_least}, got {value}")
    return word


def _flag(argument, value):
    if not isinstance(value, (bool, np.bool_, int, np.integer)) or value not in (0, 1):
        raise ValueError(f"{argument}: expected True or False, got {value!r}")
    return bool(value)


def _window(value):
    if isinstance(value, (bool, np.bool_)):
        raise ValueError(f"window: expected a number of keys, got {value}")
    return size("window", value)


def parts_of(splits):
    """How many parts there are; 0: that is not known."""
    if splits is None:
        return 0
    if size("splits", splits) == 0:
        raise ValueError("splits: expected at least 1 part, got 0")
    return size("splits", splits)


def _cut(order, cut):
    """Into how many parts an order cuts the keys: one, if that is not given."""
    if cut is not None:
        return size("cut", cut)
    if order.split == "prefix":
        raise ValueError(f"cut: the order {order} needs the number of keys in the first of its two "
                         "parts")
    return 1


def _cast_queries(q, q_scale, kv_heads):
    """Queries as codes of e4m3, and their scales, one for each head of the cache."""
    codes, source = tensor_of(q, "q")
    if codes.ndim != 3 or not codes.shape[2] or codes.shape[1] % kv_heads:
        raise ValueError(f"q: expected [queries][heads][elements] with a multiple of {kv_heads} "
                         f"heads, got {codes.shape}")
    x = convert(codes, "f32", from_=source, policy="ocp-nosat")
    groups = x.reshape(len(x), kv_heads, -1)
    if isinstance(q_scale, str):
        axis = {"tensor": None, "head": (0, 2)}.get(q_scale)
        if q_scale not in ("tensor", "head"):
            raise ValueError(f"q_scale: expected numbers, 'tensor' or 'head', got {q_scale!r}")
        q_scale = np.nanmax(np.abs(groups), axis=axis, initial=0) / np.float32(448)
    scale = f32_words(q_scale, "q_scale").view(np.float32)
    if scale.size not in (1, kv_heads):
        raise ValueError(f"q_scale: expected one number, or one for each of the {kv_heads} heads of "
                         f"the cache, got {scale.size}")
    if not (np.isfinite(scale) & (scale > 0)).all():
        raise ValueError("q_scale: expected finite numbers above 0")
    scale = np.broadcast_to(scale.reshape(-1), (kv_heads,))
    with np.errstate(over="ignore", invalid="ignore"):
        scaled = groups * (np.float32(1) / scale)[:, None]
    return convert(scaled.reshape(codes.shape), "e4m3", policy="cuda-satfinite",
                   dtype="codes"), scale


def request_of(q, k, v, *, recipe=None, k_recipe=None, v_recipe=None, k_scale=None, v_scale=None,
               q_scale=None, keys=None, **options):
    """The Request of attend()'s arguments: tensors become caches."""
    scales = {}
    sides = []
    for x, scale, own, name in ((k, k_scale, k_recipe, "k"), (v, v_scale, v_recipe, "v")):
        own = recipe if own is None else own
        if isinstance(x, Cache):
            if own is not None:
                raise ValueError(f"recipe: {name} is a cache already")
            if scale is not None:
                scales[f"{name}_scale"] = scale
            sides.append(x)
        else:
            shape = array_of(x, name)[0].shape
            if keys is not None and shape[:1] != (keys,):
                raise ValueError(f"{name}: expected {keys} tokens, got {shape[:1]}")
            keys = shape[0] if shape else 0
            sides.append(cache_of(x, own, scale, name))
    if q_scale is not None and options.get("q_format") is None and array_of(q, "q")[1] in WIDE:
        q, q_scale = _cast_queries(q, q_scale, sides[0].layout.fields()["heads"])
        options["q_format"] = "e4m3"
    return Request(q, *sides, keys=keys, q_scale=q_scale, **scales, **options)


def attend(q, k, v, *, recipe=None, k_recipe=None, v_recipe=None, k_scale=None, v_scale=None,
           q_scale=None, order=None, cut=None, level=None, lse=False, **options):
    """Attention over keys and values, with every bit: an array [queries][heads][elements].

    q, k, v  tensors [tokens][heads][elements] of f32, bf16 or f16; or caches (softfp8.kv.Cache)
    recipe   stores keys and values by this recipe first; k_scale and v_scale are its scales
    k_recipe, v_recipe   that of the keys, or of the values, in its place; or f32, bf16 or f16
    q_scale  casts the queries to e4m3 first, as FP8 kernels do, by a number or one for each head of
             the cache; "tensor", "head": their largest magnitude / 448. If q has 8 bits: its scale
    order    computes in the order of another stack (softfp8.attend_orders()), or in one of your
             own ("fa3-fp8 tile=96", or a softfp8.Order); `cut` is the number of parts, None: one;
             or the number of keys in the prefix
    lse      True: returns the logarithms of the sums too
    Request has the other options: sums, scale, cap, sinks, causal, window, first, to, base2, ...

    >>> one = np.ones((4, 1, 8), np.float32)
    >>> attend(one[:1], one, 3 * one).reshape(-1).tolist()
    [3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0]
    """
    request = request_of(q, k, v, recipe=recipe, k_recipe=k_recipe, v_recipe=v_recipe,
                         k_scale=k_scale, v_scale=v_scale, q_scale=q_scale, **options)
    out, logs = request.run(order, cut, level)
    return (out, logs) if lse else out


def join_parts(parts, join, *, fuse="sum"):
    """Joins the parts of one row as a stack does: (output, lse).

    parts  f32 [parts][2 + channels]: the lse of a part (or its largest score), the sum of its
           exponentials, and its channels, as sf8_attend_join_n describes them
    join   softfp8.attention.JOINS has all
    """
    array, name = array_of(parts, "parts")
    if name != "f32" or array.ndim != 2 or array.shape[1] < 2:
        raise TypeError(f"parts: expected f32 [parts][2 + channels], got {name or array.dtype} "
                        f"{array.shape}")
    choice("join", join, JOINS)
    array = contiguous(array).view(np.uint32)
    out, lse = np.empty(array.shape[1] - 2, np.uint32), ffi.new("uint32_t *")
    check(lib.sf8_attend_join_n(JOINS[join], _fuse(fuse), words(out, "uint32_t *"), lse,
                                words(array, "const uint32_t *"), array.shape[0], out.size),
          f"join_parts: {array.shape[0]} parts by {join}")
    return out.view(np.float32), np.uint32(lse[0]).view(np.float32)
