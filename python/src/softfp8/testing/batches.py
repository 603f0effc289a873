# SPDX-License-Identifier: MIT
"""batches.py -- assert_batch_invariant: a request has the same bits alone and in every batch"""
import dataclasses

import numpy as np

from .._base.library import several, size, unknown
from ..attention import request_of
from ..convert import convert, decode
from . import report
from .message import Codes, Why, codes_from, counted
from .same_attention import WIDE, difference, outputs

TILES = 16, 64, 96, 128, 160, 224  # lengths are drawn around multiples of these
CALLS = 400  # of the kernel, while a failure is made smaller
AGAIN = 4  # calls with the same input, which have to give the same bits
REQUEST = ("recipe", "k_recipe", "v_recipe", "q_scale", "k_scale", "v_scale", "scale", "causal",
           "window", "cap", "sinks", "first")


@dataclasses.dataclass(frozen=True, eq=False)
class Sequence:
    """One request of a batch. `pages` are the numbers of the pages that its keys and values have in
    the cache."""

    q: np.ndarray  # [queries][heads][elements], f32, all numbers of e4m3
    k: np.ndarray  # [keys][kv heads][elements]
    v: np.ndarray
    pages: np.ndarray


class Batch(list):
    """A list of Sequence, with the arrays that kernels of paged attention take.

    q               the queries of all sequences, one behind the other
    query_starts    where those of each sequence begin in it, and its length (cu_seqlens_q)
    keys            how many keys each sequence has (cache_seqlens)
    k_pages, v_pages   the cache [pages][slots][kv heads][elements]; other slots have other numbers
    block_table     [sequences][pages], the pages of each sequence; then 0
    """

    def __init__(self, sequences, slots, seed):
        super().__init__(sequences)
        self.slots, self._seed = slots, seed

    q = property(lambda self: np.concatenate([one.q for one in self]))
    keys = property(lambda self: np.array([len(one.k) for one in self], np.int32))
    k_pages = property(lambda self: self._cache("k"))
    v_pages = property(lambda self: self._cache("v"))

    @property
    def query_starts(self):
        return np.cumsum([0, *(len(one.q) for one in self)], dtype=np.int32)

    @property
    def block_table(self):
        table = np.zeros((len(self), max(len(one.pages) for one in self)), np.int32)
        for row, one in zip(table, self):
            row[:len(one.pages)] = one.pages
        return table

    def _cache(self, name):
        pages = 1 + max(one.pages.max() for one in self)
        cache = _numbers([self._seed, *name.encode()], (pages, self.slots, *getattr(self[0], name).shape[1:]))
        for one in self:
            at = np.arange(len(one.k))
            cache[one.pages[at // self.slots], at % self.slots] = getattr(one, name)
        return cache

    def split(self, out):
        """The rows of an output that has the shape of `q`, as a list with those of each sequence."""
        starts = self.query_starts
        return [out[int(a):int(b)] for a, b in zip(starts, starts[1:])]


def _numbers(seed, shape):
    """Normal random numbers, rounded to e4m3."""
    x = np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
    return np.asarray(decode(convert(x, "e4m3", dtype="codes"), "e4m3", to="f32"))


@dataclasses.dataclass(frozen=True)
class _Length:
    """A sequence: the seed of its numbers, and its lengths."""

    seed: int
    keys: int
    queries: int

    def __str__(self):
        return f"{counted(self.keys, 'key')} and " \
            f"{'1 query' if self.queries == 1 else f'{self.queries:,} queries'}"


@dataclasses.dataclass(frozen=True)
class _Trial:
    """A batch, the place of the sequence that is looked at, and whether its pages are permuted."""

    lengths: tuple
    at: int
    is_permuted: bool

    one = property(lambda self: self.lengths[self.at])
    is_alone = property(lambda self: len(self.lengths) == 1 and not self.is_permuted,
                        doc="Whether both calls of the kernel have the same input.")

    @property
    def beside(self):
        """The other requests of the batch, in words."""
        others = [str(length) for i, length in enumerate(self.lengths) if i != self.at]
        return f"beside {counted(len(others), 'request')}: {'; '.join(others)}" if others else \
            "by itself"

    def smaller(self):
        """Trials that are one step smaller, the largest steps first."""
        others = [i for i in range(len(self.lengths)) if i != self.at]
        for count in dict.fromkeys((len(others), len(others) // 2, 1)):
            for first in range(0, len(others), count) if count else ():
                yield self._without(set(others[first:first + count]))
        if self.is_permuted:
            yield dataclasses.replace(self, is_permuted=False)
        for i in (self.at, *others):
            for length in _shorter(self.lengths[i]):
                yield dataclasses.replace(self, lengths=(*self.lengths[:i], length,
                                                         *self.lengths[i + 1:]))

    def _without(self, left_out):
        kept = [i for i in range(len(self.lengths)) if i not in left_out]
        return dataclasses.replace(self, at=kept.index(self.at),
                                   lengths=tuple(self.lengths[i] for i in kept))


def _shorter(length):
    for queries in _below(length.queries):
        yield dataclasses.replace(length, queries=queries)
    for keys in _below(length.keys):
        yield dataclasses.replace(length, keys=keys, queries=min(length.queries, keys))


def _below(n):
    """Smaller numbers from 1 on: 1, then steps that become smaller."""
    found, step = [1], n // 2
    while step:
        found.append(n - step)
        step //= 2
    return [x for x in dict.fromkeys(found) if 1 <= x < n]


class _Runner:
    """Calls the kernel for trials."""

    def __init__(self, kernel, shape, slots, seed, out_format):
        self.kernel, self.slots, self.seed, self.out_format = kernel, slots, seed, out_format
        self.heads, self.kv_heads, self.dim = shape
        self.calls, self.of = 0, None

    def tensors(self, length):
        """q, k and v. A shorter sequence is the beginning of a longer one; of the queries it has
        those of its last positions."""
        q, k, v = (_numbers([self.seed, length.seed, part], (length.keys, heads, self.dim))
                   for part, heads in ((0, self.heads), (1, self.kv_heads), (2, self.kv_heads)))
        return q[length.keys - length.queries:], k, v

    def batch(self, lengths, is_permuted):
        counts = [-(-length.keys // self.slots) for length in lengths]
        pages = np.arange(sum(counts))
        if is_permuted:
            pages = np.random.default_rng([self.seed, 1]).permutation(2 * pages.size)[:pages.size]
        parts = np.split(pages, np.cumsum(counts)[:-1])
        return Batch([Sequence(*self.tensors(length), part) for length, part in zip(lengths, parts)],
                     self.slots, self.seed)

    def run(self, lengths, is_permuted=False):
        """The outputs of a batch, as Codes."""
        self.calls += 1
        batch = self.batch(lengths, is_permuted)
        outs = several("kernel", self.kernel(batch))
        if len(outs) != len(batch):
            raise ValueError(f"kernel: expected {counted(len(batch), 'output')}, one for each "
                             f"request; got {len(outs)}")
        codes = [codes_from(out, self.out_format, "kernel", "out_format") for out in outs]
        for one, out in zip(batch, codes):
            if out.of.name not in WIDE:
                raise TypeError("kernel: expected outputs of f32, bf16 or f16, got "
                                f"{out.of.name}")
            self.of = self.of or out.of
            if out.of.name != self.of.name:
                raise TypeError(f"kernel: expected outputs of one format; the first has "
                                f"{self.of.name}, another {out.of.name}")
            if out.array.shape != (*one.q.shape[:2], one.v.shape[2]):
                raise ValueError(f"kernel: expected an output of the shape "
                                 f"{(*one.q.shape[:2], one.v.shape[2])}, got {out.array.shape}")
        return [Codes(out.array.copy(), out.of) for out in codes]  # a kernel may use its memory again

    def both(self, trial):
        """The output of a request alone, and in its batch."""
        return self.run((trial.one,))[0], self.run(trial.lengths, trial.is_permuted)[trial.at]


def _same(a, b):
    """Whether two outputs are equal, as the library has it."""
    return np.array_equal(a.array, b.array) or difference(*outputs(a.array, b.array, a.of)) is None


def assert_batch_invariant(kernel, *, heads=4, kv_heads=2, dim=64, queries=None, longest=512,
                           largest=8, batches=20, seed=0, slots=16, out_format=None, **request):
    """Fails unless a request of attention has the same bits alone and in every batch.

    kernel   a function that takes a Batch, which is a list of requests, and returns a list with the
             output [queries][heads][elements] of each
    heads, kv_heads, dim   of all requests
    queries  of each request; 1: decode. None: one, a few, or as many as keys
    longest  the most keys of a request; lengths are drawn around multiples of 16, 64, 96, 128, 160
             and 224
    largest  the most requests in a batch
    batches  how many batches are tried. Each of their requests also runs alone
    seed     of all random numbers: the same seed gives the same batches
    slots    the tokens of a page. In a batch the pages are permuted
    out_format   the format of the outputs, where they are codes
    request  recipe, k_scale, v_scale, scale, causal, window, ... as in assert_same_attention, if the
             kernel stores keys and values so. They are checked first; only the message uses them

    A failure is made smaller: fewer neighbours in the batch, shorter requests. The message has the
    smallest batch that still fails, and the first row that differs. If two calls with the same input
    differ, it says that instead.

    >>> from softfp8 import attend
    >>> def kernel(batch):
    ...     return [attend(one.q, one.k, one.v) for one in batch]
    >>> assert_batch_invariant(kernel, heads=2, kv_heads=1, dim=16, longest=40, batches=2)
    """
    __tracebackhide__ = True
    for name, value in (("heads", heads), ("kv_heads", kv_heads), ("dim", dim), ("slots", slots),
                        ("longest", longest), ("largest", largest), ("batches", batches)):
        if size(name, value) == 0:
            raise ValueError(f"{name}: expected at least 1, got 0")
    if heads % kv_heads:
        raise ValueError(f"heads: expected a multiple of kv_heads, {kv_heads}; got {heads}")
    if queries is not None and not 1 <= size("queries", queries) <= longest:
        raise ValueError(f"queries: expected 1 to {longest}, the longest request; got {queries}")
    if not callable(kernel):
        raise TypeError(f"kernel: expected a function, got {type(kernel).__name__}")
    runner = _Runner(kernel, (heads, kv_heads, dim), slots, size("seed", seed), out_format)
    for name in request:
        if name not in REQUEST:
            raise TypeError(str(unknown("request", name, REQUEST)))
    request_of(*runner.tensors(_Length(0, longest, queries or 1)), **request)
    rng, compared = np.random.default_rng([seed, 2]), 0
    case = report.begin("assert_batch_invariant", 0)
    oracle = f"{counted(batches, 'batch')[:-1]}es" if batches > 1 else "one batch"
    for number in range(batches):
        lengths = tuple(_drawn(rng, queries, longest) for _ in range(rng.integers(1, largest + 1)))
        together = runner.run(lengths, True)
        for at, out in enumerate(together):
            compared += out.array.size
            alone = runner.run((lengths[at],))[0]
            if _same(alone, out):
                continue
            words = _failure(runner, _Trial(lengths, at, True), (alone, out), number, batches,
                             request)
            case["inputs"] = compared
            report.failed(case, oracle, 1, Why(None, words.partition("\n")[0]))
            raise AssertionError(words)
    case["inputs"] = compared
    report.passed(case, oracle)


def _drawn(rng, queries, longest):
    """The lengths of a request."""
    tile = int(rng.choice(TILES))
    keys = tile * int(rng.integers(1, longest // tile + 2)) + int(rng.integers(-1, 2))
    if rng.integers(4) == 0:
        keys = int(rng.integers(1, longest + 1))
    keys = max(1, min(keys, longest))
    if queries is None:
        queries = int(rng.choice([1, int(rng.integers(1, 17)), keys]))
    return _Length(int(rng.integers(1 << 31)), keys, min(queries, keys))


def _failure(runner, trial, given, number, batches, request):
    """What is said of a trial that failed with these two outputs."""
    before, raised, is_smaller = runner.calls, None, True
    words = _not_deterministic(runner, trial, given)
    while is_smaller and not words:
        is_smaller = False
        for smaller in trial.smaller():
            if runner.calls - before >= CALLS:
                break
            try:
                now = runner.both(smaller)
            except Exception as error:  # of the kernel, which is not the failure that was found
                raised = raised or (smaller, error)
                continue
            if not _same(*now):
                trial, given, is_smaller = smaller, now, True
                break
        if trial.is_alone:
            break
    words = words or _not_deterministic(runner, trial, given)
    if words:
        return words
    found = difference(*given, _request(runner, trial, request))
    changes = "batch changes" if len(trial.lengths) > 1 else "pages change"
    pages = " (its pages permuted)" if trial.is_permuted else ""
    lines = [f"the {changes} the answer to a request of {trial.one}", "  A: alone",
             f"  B: {trial.beside}{pages}",
             f"  the smallest batch that was found, from batch {number + 1} of {batches}, seed "
             f"{runner.seed}", found[0]]
    if raised:
        smaller, error = raised
        lines.append(f"  a smaller batch raised {type(error).__name__}: {error} (a request of "
                     f"{smaller.one} {smaller.beside})")
    return "\n".join(lines)


def _request(runner, trial, options):
    """The request of a trial, for the names of orders; None if the library cannot compute it."""
    request = request_of(*runner.tensors(trial.one), **options)
    try:
        request.check()
    except ValueError:
        return None
    return request


def _not_deterministic(runner, trial, given):
    """What is said if two calls with the input of this trial give different bits; or None."""
    def of(where, a, b):
        return "two calls with the same input gave different outputs: the kernel is not " \
            "deterministic, so batches cannot be compared\n" \
            f"  A and B: a request of {trial.one}, {where}\n{difference(a, b)[0]}"

    if trial.is_alone:
        return of("alone", *given)
    for _ in range(AGAIN):
        try:
            alone, together = runner.both(trial)
        except Exception as error:  # of the kernel, which has computed the same before
            return f"two calls with the same input, of which the second raised " \
                f"{type(error).__name__}: {error}: a request of {trial.one} {trial.beside}"
        if not _same(alone, given[0]):
            return of("alone", given[0], alone)
        if not _same(together, given[1]):
            return of(trial.beside, given[1], together)
    return None
