# SPDX-License-Identifier: MIT
"""kv_scales.py -- scales of KV caches: rules that compute them, and the life of a scale in vLLM"""
import numpy as np

from ._base.arrays import array_of, contiguous, read, words
from ._base.library import (check, choice, encoded, ffi, lib, number, row_dict, rows, several, size,
                            unknown)
from .convert import tensor_of

SIDES = {"keys": lib.SF8_KV_K, "values": lib.SF8_KV_V, "queries": lib.SF8_KV_Q}
PER = {"tensor": lib.SF8_KV_PER_TENSOR, "head": lib.SF8_KV_PER_HEAD, "token": lib.SF8_KV_PER_TOKEN,
       "token-head": lib.SF8_KV_PER_TOKEN_HEAD}


def f32_words(x, argument):
    """Numbers of f32, or Python numbers, as an array of their words."""
    if x is None:
        return None
    array, name = array_of(x, argument)
    if name == "f64" and not isinstance(x, np.ndarray):
        from .convert import convert

        array, name = np.asarray(convert(array, "f32", policy="ocp-nosat")), "f32"
    elif array.dtype.kind == "i" and isinstance(x, (int, list, tuple)):
        return f32_words(np.asarray(x, np.float64).tolist(), argument)
    if name != "f32":
        raise TypeError(f"{argument}: expected numbers of f32, got {name or array.dtype}")
    return contiguous(array).view(np.uint32)


def f32_value(word):
    """The number of an f32 bit pattern."""
    return float(np.uint32(word).view(np.float32))


def rules():
    """The rules, by which a scale is computed from the largest magnitude, as dictionaries."""
    return [row_dict(row) for row in rows(lib.sf8_kv_rule_at)]


def _rule(name):
    raw = ffi.new("sf8_kv_rule *")
    if lib.sf8_kv_rule_named(raw, encoded("rule", name)) != lib.SF8_OK:
        raise unknown("rule", name, [row["name"] for row in rules()])
    return raw


def scales(x, rule, per="tensor"):
    """The scales of a tensor [tokens][heads][elements] by a rule.

    >>> scales(np.full((1, 1, 4), 448, np.float32), "amax-448").tolist()
    [1.0]
    """
    array, source = tensor_of(x, "x")
    if array.ndim != 3:
        raise ValueError(f"x: expected [tokens][heads][elements], got {array.shape}")
    choice("per", per, PER)
    tokens, heads, size = array.shape
    result = np.empty(lib.sf8_kv_scale_count(PER[per], tokens, heads), np.uint32)
    check(lib.sf8_kv_scales_n(_rule(rule), PER[per], words(result, "uint32_t *"), source._format,
                              read(array), tokens, heads, size), f"scales by {rule}")
    return result.view(np.float32)


# ---- the life of a scale

RUNS = {"dummy": lib.SF8_KV_DUMMY, "profile": lib.SF8_KV_PROFILE, "request": lib.SF8_KV_REQUEST}
EVENTS = {**RUNS, "set": lib.SF8_KV_SET, "copy": lib.SF8_KV_COPY, "clear": lib.SF8_KV_CLEAR}
LIVES = {"kept": lib.SF8_KV_KEPT, "request": lib.SF8_KV_OF_REQUEST, "token": lib.SF8_KV_OF_TOKEN}
READS = {"device": lib.SF8_KV_READS_DEVICE, "host": lib.SF8_KV_READS_HOST,
         "first": lib.SF8_KV_READS_FIRST}


class Life:
    """The scales of one layer of vLLM, from event to event.

    calibrating  the runs that may compute the scale: "dummy", "profile", "request"
    life         "kept", "request" or "token": how long a scale lives
    reads        which copy the reader multiplies by: "device", "host" or "first"
    rules        the rules of keys, values and queries

    >>> layer = Life(calibrating=["request"])
    >>> layer.step("request", amax=(200, 100, 200))
    True
    >>> layer.step("request", amax=(2000, 1000, 2000)), layer.trace("keys")["writes"]
    (False, 1.0)
    """

    def __init__(self, *, calibrating=(), life="kept", reads="device", doubled=False, latent=False,
                 rules=None):
        choice("life", life, LIVES)
        choice("reads", reads, READS)
        runs = 0
        for name in several("calibrating", calibrating):
            runs |= 1 << RUNS[choice("calibrating", name, RUNS)]
        begun = lib.sf8_kv_life_calculating(runs) if runs else lib.sf8_kv_life_begin()
        self._life = ffi.new("sf8_kv_life *", begun)
        self._life.life, self._life.reads = LIVES[life], READS[reads]
        self._life.doubled, self._life.latent = int(doubled), int(latent)
        rules = several("rules", () if rules is None else rules)
        if len(rules) > 3:
            raise ValueError(f"rules: expected those of keys, values, queries; got {len(rules)}")
        for side, rule in enumerate(rules):
            self._life.rule[side] = _rule(rule)[0]

    def load(self, keys=-1.0, values=-1.0, queries=-1.0):
        """Loads the scales of a checkpoint; -1 means that the checkpoint has none."""
        given = f32_words([number("keys", keys), number("values", values),
                           number("queries", queries)], "scales")
        check(lib.sf8_kv_load(self._life, words(given, "const uint32_t *")),
              "load: vLLM refuses these scales of keys and values")

    def load_heads(self, keys, values, queries):
        """Loads one scale for each head, as compressed-tensors does."""
        for x, name in ((keys, "keys"), (values, "values"), (queries, "queries")):
            if x is None:
                raise TypeError(f"{name}: expected numbers of f32, got None")
        keys, values, queries = (f32_words(x, name).reshape(-1) for x, name in
                                 ((keys, "keys"), (values, "values"), (queries, "queries")))
        if keys.size != values.size:
            raise ValueError(f"values: expected {keys.size} scales, got {values.size}")
        check(lib.sf8_kv_load_heads(self._life, words(keys, "const uint32_t *"),
                                    words(values, "const uint32_t *"), keys.size,
                                    words(queries, "const uint32_t *"), queries.size),
              "load_heads: expected 1 to 128 heads, and a multiple of them for queries")

    def step(self, event, amax=None, scales=None):
        """Applies an event: "dummy", "profile", "request" with `amax` of keys, values and queries;
        "set" with `scales`; "copy"; "clear". Returns whether the scale of writing changed."""
        choice("event", event, EVENTS)
        needs, given = ("amax", amax) if event in RUNS else ("scales", scales)
        if (given is None) != (event in ("copy", "clear")):
            raise ValueError(f"{event}: needs {needs}, three numbers" if given is None
                             else f"{event}: takes no numbers")
        numbers = [0, 0, 0] if given is None else \
            f32_words([number(needs, x) for x in several(needs, given)], needs).tolist()
        if len(numbers) != 3:
            raise ValueError(f"{event}: expected three numbers: keys, values, queries")
        raw = ffi.new("sf8_kv_event *", [EVENTS[event], numbers])
        return bool(lib.sf8_kv_step(self._life, raw))

    def trace(self, side="keys", head=0):
        """The scales of one head: with which tokens are written, read, and were stored."""
        choice("side", side, SIDES)
        found = lib.sf8_kv_trace_of(self._life, SIDES[side], size("head", head, (1 << 32) - 1))
        return {**{name: f32_value(getattr(found, name)) for name in ("writes", "reads", "stored")},
                "agrees": bool(found.agrees), "new_factor": found.new_factor,
                "old_factor": found.old_factor}
