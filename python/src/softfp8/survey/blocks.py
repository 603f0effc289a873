# SPDX-License-Identifier: MIT
"""blocks.py -- the verdict on a quantizer or dequantizer: the recipe that it follows, or where not
"""
import functools
import hashlib
import warnings

import numpy as np

from ..blocks import Quantized, largest_magnitude, quantize
from ..convert import convert
from ..formats import format as format_of
from ..recipes import recipe as recipe_of, recipes
from .adapters.lab import BITS, Blocks
from .shown import hexadecimal, value_text
from .tensors import blocks_of, infinity, to_dequantize, to_quantize

WIDTHS = {"int8": 8, "uint4": 4}
SPECIAL = "only blocks with "  # how a mistake begins that finite blocks do not have


def judge(process, conversion):
    """The fields of the cell that need the results."""
    case = (_Quantizer if conversion.operation == "quantize" else _Dequantizer)(process, conversion)
    claimed = conversion.claim if conversion.claim in recipes() else None
    cell = {"inputs": case.values, "blocks": case.blocks, "all": case.whole,
            "speed": round(case.values / max(case.seconds, 1e-9)), "claimed": claimed}
    differ = case.differ(recipe_of(claimed)) if claimed else None
    if claimed and not differ:
        return cell | {"status": "equal", "recipe": claimed}
    nearest, least = _nearest(case)
    cell["status"] = "differs" if claimed else "unclaimed"
    if nearest and not least:
        cell["recipe"] = nearest
        if not claimed:
            return cell
    elif not claimed and nearest:
        cell["nearest"] = nearest
    of = claimed or nearest
    return cell | (case.differences(recipe_of(of), cell.get("recipe")) if of else {})


def _nearest(case):
    """The recipe that differs in the fewest blocks, and how many they are."""
    nearest, least = None, case.blocks + 1
    for name in recipes():
        if least and of_kind(recipe_of(name), case.kind):
            differ = case.differ(recipe_of(name), least)
            if differ < least:
                nearest, least = name, differ
    return nearest, least


@functools.cache
def of_kind(rule, kind):
    """Whether a recipe has blocks of this kind."""
    row = rule.info()
    rows = dict(pair.split("=") for pair in row["properties"].split()).get("rows", 1)
    extra = "offset" if rule.has_offsets else "g" if rule.has_global_scale else ""
    return (row["element"], int(rows), row["block"], row["scale"], extra) == \
        (kind.element, kind.rows, kind.columns, kind.scale, kind.extra)


def _value(of, code):
    """The value of a code as text; an integer's is the code."""
    if of in WIDTHS:
        return str(int(np.int8(code)) if of == "int8" else int(code))
    return value_text(of, code)


class _Case:
    """What came for all tensors; `name` of the kind of blocks, and the wide format."""

    def __init__(self, process, conversion, name, wide, inputs):
        self.kind, self.wide, self.special = Blocks.of(name), wide, conversion.special
        self.seconds, self.given, self.got = 0.0, list(inputs), []
        for given in self.given:
            results, seconds = self.ask(process, conversion, given)
            self.got.append(results)
            self.seconds += seconds or 0.0
        self.values = sum(self.size(given) for given in self.given)
        self.blocks = sum(self.kind.scales(self.size(given)) for given in self.given)

    def differ(self, rule, enough=None):
        """How many blocks differ from those of a recipe; counts no further than `enough`."""
        count = 0
        for i in range(len(self.given)):
            count += int(np.count_nonzero(self.wrong(rule, i)))
            if enough is not None and count >= enough:
                break
        return count

    def differences(self, rule, matched):
        """A key that stands for all blocks that differ, the first one, and what they share."""
        key, first, count, mistakes, spans = hashlib.sha256(), None, 0, set(), []
        for i in range(len(self.given)):
            wrong = np.flatnonzero(self.wrong(rule, i))
            count += wrong.size
            key.update(self.rows_of(i, wrong))
            if wrong.size:
                mistakes.add(self.mistake(rule, i, wrong))
                first = first or self.example(rule, i, int(wrong[0]))
                spans.append(self.span(rule, i, wrong))
        finite = {text for text in mistakes if not (text or "").startswith(SPECIAL)}
        mistakes = finite or mistakes  # what finite blocks have is told first
        text = mistakes.pop() if len(mistakes) == 1 else None
        span = np.concatenate(spans)
        shown = {"blocks": int(span.size), "least": self.shown(span.min()),
                 "greatest": self.shown(span.max())} if span.size else None
        return {"differ": count, "key": key.hexdigest()[:8], "example": first, "span": shown,
                "diagnosis": f"it follows {matched}" if matched else text}


@functools.lru_cache(4)
def _tensors(source, name, special):
    """The tensors of to_quantize, made once for all modes of a quantizer."""
    return tuple(to_quantize(source, name, special))


class _Quantizer(_Case):
    """A quantizer: words in, codes and scales out."""

    whole = False

    def __init__(self, process, conversion):
        super().__init__(process, conversion, conversion.to, conversion.format,
                         _tensors(conversion.format, conversion.to, conversion.special))

    def ask(self, process, conversion, given):
        return process.quantize(conversion, given)

    def size(self, given):
        return given.size

    @functools.lru_cache(4)
    def expected(self, rule, i):
        """Codes and scales, and what is extra: that of the recipe. Scales and codes are those for
        the global scale that came, so that a difference there hides no other."""
        words, of = self.given[i], format_of(self.wide)
        second = None
        if self.kind.extra == "g":
            try:
                second = rule.global_scale(largest_magnitude(words, of), self.wide)
            except ValueError:
                second = float(self.got[i][2].view(np.float32)[0])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            came = float(self.got[i][2].view(np.float32)[0]) if second is not None else None
            found = quantize(words, rule, from_=self.wide,
                             global_scale=None if came is None or came != came else came)
        extra = [] if not self.kind.extra else [found.offsets] if second is None else \
            [np.array([second], np.float32).view(np.uint32)]
        return [found.codes, found.scales, *extra]

    def parts(self, rule, i):
        """Which blocks have other codes, scales or extras."""
        got, want = self.got[i], self.expected(rule, i)
        codes = (blocks_of(got[0], self.kind) != blocks_of(want[0], self.kind)).any(1)
        scales = got[1].reshape(-1) != want[1].reshape(-1)
        extra = np.zeros_like(scales)
        if self.kind.extra:
            extra |= got[2].reshape(-1) != want[2].reshape(-1)
        return codes, scales, extra

    def wrong(self, rule, i):
        return np.logical_or.reduce(self.parts(rule, i))

    def rows_of(self, i, at):
        """What stands for blocks in the key."""
        codes, scales, *extra = self.got[i]
        found = [at.astype("<u4"), blocks_of(codes, self.kind)[at],
                 scales.reshape(-1)[at].astype("<u4"), *(e.astype("<u4") for e in extra if e.size == 1)]
        return b"".join(array.tobytes() for array in found)

    def mistake(self, rule, i, wrong):
        """The likely mistake in the blocks that differ."""
        sizes = blocks_of(self.given[i], self.kind)[wrong] & ((1 << BITS[self.wide] - 1) - 1)
        finite = sizes.max(1) < infinity(self.wide)
        if not finite.any():
            nan = (sizes.max(1) > infinity(self.wide)).all()
            return f"{SPECIAL}{'' if nan else 'infinity or '}NaN differ"
        wrong = wrong[finite]
        codes, scales, extra = (part[wrong] for part in self.parts(rule, i))
        got, want = self.got[i], self.expected(rule, i)
        a, b = (blocks_of(x[0], self.kind)[wrong] for x in (got, want))
        if extra.all():
            return "the global scale differs" if self.kind.extra == "g" else None
        if scales.any():
            if self.kind.scale == "e8m0":
                step = got[1].reshape(-1)[wrong].astype(int) - want[1].reshape(-1)[wrong]
                if scales.all() and np.unique(step).size == 1:
                    return f"scales are 2^{step[0]} times as large"
            return None if codes.any() else "only scales differ"
        apart = a != b
        sign = 1 << (WIDTHS.get(self.kind.element) or BITS[self.kind.element]) - 1
        if not ((a ^ b) & (sign - 1))[apart].any():
            zeros = not (a & sign - 1)[apart].any()
            return "only the sign of zeros differs" if zeros else "only signs differ"
        swapped = a.reshape(len(a), -1, 2)[..., ::-1].reshape(a.shape)
        if np.array_equal(swapped, b):
            return "the two codes of a byte are swapped"
        return self._ties(rule, i, wrong, a, b, apart)

    def _ties(self, rule, i, wrong, a, b, apart):
        """Whether all codes that differ are neighbours, and which one the recipe does not take."""
        if self.kind.element in WIDTHS:
            return None
        sign = (1 << BITS[self.kind.element] - 1) - 1
        step = ((a & sign).astype(int) - (b & sign))[apart]
        words = blocks_of(self.given[i], self.kind)[wrong]
        x = np.abs(convert(words, "f64", from_=self.wide, policy="ocp-nosat"))
        scale = convert(self.expected(rule, i)[1].reshape(-1)[wrong].astype(
            format_of(self.kind.scale).code_dtype), "f64", from_=self.kind.scale,
            policy="ocp-nosat")
        low, high = (np.abs(convert(codes, "f64", from_=self.kind.element, policy="ocp-nosat"))
                     for codes in (a, b))
        tie = self.kind.extra == "" and ((x == (low + high) / 2 * scale[:, None]) | ~apart).all()
        if tie and (step == 1).all():
            return "ties go away from zero"
        if tie and (step == -1).all():
            return "ties go toward zero"
        return None

    def span(self, rule, i, wrong):
        """The largest magnitudes of the blocks that differ and are finite, as words."""
        sizes = blocks_of(self.given[i], self.kind)[wrong] & ((1 << BITS[self.wide] - 1) - 1)
        peaks = sizes.max(1)
        return peaks[peaks < infinity(self.wide)]

    def shown(self, word):
        return _value(self.wide, word)

    def example(self, rule, i, at):
        """The first block that differs."""
        got, want, bits = self.got[i], self.expected(rule, i), BITS[self.wide]
        words = blocks_of(self.given[i], self.kind)[at]
        size = words & words.dtype.type((1 << bits - 1) - 1)
        peak = words[np.argmax(size)]
        wide = BITS[self.kind.scale]
        found = {"tensor": i, "block": at, "amax": hexadecimal(peak, bits),
                 "amax_value": _value(self.wide, peak),
                 "scale": hexadecimal(got[1].reshape(-1)[at], wide),
                 "expected_scale": hexadecimal(want[1].reshape(-1)[at], wide)}
        if self.kind.extra == "g":
            found |= {"g": hexadecimal(got[2][0], 32), "expected_g": hexadecimal(want[2][0], 32)}
        a, b = (blocks_of(x[0], self.kind)[at] for x in (got, want))
        if (a != b).any():
            j, width = int(np.argmax(a != b)), WIDTHS.get(self.kind.element) or BITS[self.kind.element]
            found |= {"element": j, "input": hexadecimal(words[j], bits),
                      "input_value": _value(self.wide, words[j]),
                      "got": hexadecimal(a[j], width), "expected": hexadecimal(b[j], width)}
        return found


class _Dequantizer(_Case):
    """A dequantizer: codes and scales in, words out."""

    def __init__(self, process, conversion):
        super().__init__(process, conversion, conversion.format, conversion.to,
                         to_dequantize(conversion.format))
        self.whole = self.kind.scale in ("e8m0", "e4m3") and not self.kind.extra

    def ask(self, process, conversion, given):
        return process.dequantize(conversion, given)

    def size(self, given):
        return given[0].size

    @functools.lru_cache(4)
    def expected(self, rule, i):
        """The words of the values that the recipe's reader gets."""
        codes, scales, *extra = self.given[i]
        second = float(extra[0].view(np.float32)[0]) if self.kind.extra == "g" else 1.0
        offsets = extra[0] if self.kind.extra == "offset" else None
        found = Quantized(rule, codes, scales, offsets, second)
        return found.dequantize(to=self.wide).view(self.got[i].dtype)

    def wrong(self, rule, i):
        """Which blocks have other words. The codes of NaN, and blocks whose scale is NaN, count in
        the cell of special values only."""
        got, want = (blocks_of(x, self.kind) for x in (self.got[i], self.expected(rule, i)))
        if self.special:
            return (got != want).any(1)
        most = infinity(self.wide)
        sign = got.dtype.type((1 << BITS[self.wide] - 1) - 1)
        both_nan = ((got & sign) > most) & ((want & sign) > most)
        return ((got != want) & ~both_nan).any(1) & ~self.nan_scales(i)

    def nan_scales(self, i):
        """Which blocks have a scale that is NaN."""
        scales = self.given[i][1].reshape(-1)
        return np.isnan(convert(scales, "f64", from_=self.kind.scale, policy="ocp-nosat"))

    def rows_of(self, i, at):
        """What stands for blocks in the key."""
        return at.astype("<u4").tobytes() + blocks_of(self.got[i], self.kind)[at].tobytes()

    def mistake(self, rule, i, wrong):
        """The likely mistake in the blocks that differ."""
        a, b, same = self.values_of(rule, i, wrong)
        if not same.all():
            return "only blocks with a NaN scale have other values" \
                if self.nan_scales(i)[wrong][~same].all() else None
        number = ~np.isnan(a)
        zeros = (np.signbit(a) != np.signbit(b))[number].any()
        return "only the sign of zeros differs" if zeros else "only the codes of NaN differ"

    def values_of(self, rule, i, wrong):
        """The values that came and those of the recipe, and which blocks have the same ones."""
        a, b = (convert(blocks_of(x, self.kind)[wrong], "f64", from_=self.wide, policy="ocp-nosat")
                for x in (self.got[i], self.expected(rule, i)))
        return a, b, ((a == b) | (np.isnan(a) & np.isnan(b))).all(1)

    def span(self, rule, i, wrong):
        """The scales of the blocks that have other values."""
        return self.given[i][1].reshape(-1)[wrong][~self.values_of(rule, i, wrong)[2]]

    def shown(self, scale):
        return _value(self.kind.scale, scale)

    def example(self, rule, i, at):
        """The first block that differs."""
        codes, scales, *extra = self.given[i]
        a, b = (blocks_of(x, self.kind)[at] for x in (self.got[i], self.expected(rule, i)))
        j = int(np.argmax(a != b))
        bits, width = BITS[self.wide], WIDTHS.get(self.kind.element) or BITS[self.kind.element]
        found = {"tensor": i, "block": at,
                 "scale": hexadecimal(scales.reshape(-1)[at], BITS[self.kind.scale])}
        if self.kind.extra == "g":
            found["g"] = hexadecimal(extra[0][0], 32)
        return found | {"element": j,
                        "input": hexadecimal(blocks_of(codes, self.kind)[at][j], width),
                        "got": hexadecimal(a[j], bits), "got_value": _value(self.wide, a[j]),
                        "expected": hexadecimal(b[j], bits), "expected_value": _value(self.wide, b[j])}
