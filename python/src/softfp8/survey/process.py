# SPDX-License-Identifier: MIT
"""process.py -- an implementation in a process of its own, which may crash or hang

The protocol is in docs/guides/add-your-implementation.md.
"""
import dataclasses
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import threading

import numpy as np

from .adapters.lab import ARITHMETIC, BITS, COLUMNS, WITHIN, Blocks, dtype_of

WORKER = pathlib.Path(__file__).parent / "adapters" / "worker.py"
GREETING = "softfp8-matrix 1 "
START_LIMIT = 300.0  # seconds; packages that are large take long to import


class Broken(Exception):
    """The implementation crashed, hung, or broke the protocol. The next request starts it again."""


class Refused(Exception):
    """The implementation has no such conversion."""


@dataclasses.dataclass(frozen=True)
class Conversion:
    """A conversion; or an operation of two codes, whose source is add:e4m3; or of blocks, from
    quantize:f32 to e2m1-32-e8m0 or from dequantize:e2m1-32-e8m0 to f32; or a merge of two parts of
    attention, from merge:f32 to f32."""

    source: str
    to: str
    mode: str
    claim: str | None  # a product or policy and its changed fields: "onnx round=rna"; or a recipe
    special: bool = False  # of blocks: infinity and NaN, which have cells of their own

    @property
    def operation(self):
        """add, sub, mul, div, merge, quantize or dequantize; empty for a conversion."""
        return self.source.rpartition(":")[0]

    @property
    def format(self):
        """The format of the inputs."""
        return self.source.rpartition(":")[2]

    @property
    def name(self):
        if self.operation in WITHIN:
            return f"{self.operation}_{self.to}/{self.title}"
        return f"{self.source.replace(':', '_')}_to_{self.to}/{self.title}"

    @property
    def title(self):
        """The mode as a cell shows it."""
        if not self.special:
            return self.mode
        return "special" if self.mode == "-" else f"{self.mode},special"

    def with_special(self):
        """This conversion; of blocks, also that of infinity and NaN. A global scale of NaN says
        nothing about blocks."""
        yield self
        if self.operation == "dequantize" or \
                self.operation == "quantize" and not self.to.endswith("-g"):
            yield dataclasses.replace(self, special=True)

    def why_not(self):
        """What is wrong with it; None if nothing is."""
        try:
            if self.operation in ("quantize", "dequantize"):
                Blocks.of(self.to if self.operation == "quantize" else self.format)
                known = (self.format if self.operation == "quantize" else self.to) in BITS
            else:
                known = self.format in BITS and self.to in BITS
        except ValueError:
            known = False
        if not known:
            return "names an unknown format"
        if self.operation in ("", "quantize", "dequantize"):
            return None
        if self.operation in ARITHMETIC and self.format == self.to and BITS[self.to] <= 8:
            return None
        if self.operation == "merge" and self.format == self.to == "f32":
            return None
        return "is no operation: expected, for example, 'add:e4m3 e4m3 -', with a format of up " \
               "to 8 bits"


def command_of(adapter, python=sys.executable):
    """The command that serves an adapter: a name, a Python file, or a program and its arguments."""
    first = adapter.split()[0]
    if first.endswith(".py") or "/" not in adapter:
        return [str(python), str(WORKER), adapter]
    return adapter.split()


class Process:
    """An implementation that is running: its `package`, `version` and `conversions`. `device` is
    the machine that it converts on; None: this processor."""

    def __init__(self, command, environment=None, limit=120.0):
        self._command, self._limit = command, limit
        self._environment = {**os.environ, "OMP_NUM_THREADS": "1", **(environment or {})}
        self._environment.pop("PYTHONPATH", None)
        self._child = None
        self._start()

    def _start(self):
        self._messages = tempfile.TemporaryFile()
        try:
            self._child = subprocess.Popen(self._command, env=self._environment,
                                           stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                           stderr=self._messages)
        except OSError as error:
            raise Broken(f"it cannot be started: {error.strerror}") from None
        with self._watched(START_LIMIT):
            line = self._line()
            words = line.split(maxsplit=4)
            if not line.startswith(GREETING) or len(words) < 4:
                raise self._broken(f"its first line is {line[:60]!r}, not the greeting")
            self.package, self.version = words[2:4]
            self.device = words[4] if len(words) > 4 else None
            self.conversions = []
            while line := self._line():
                self.conversions += self._conversion(line).with_special()

    def _conversion(self, line):
        source, to, mode, *claim = line.split()
        conversion = Conversion(source, to, mode, " ".join(claim) or None)
        if why := conversion.why_not():
            raise self._broken(f"the line {line[:60]!r} {why}")
        return conversion

    def convert(self, conversion, words):
        """The codes of these words, and the seconds that it took, if the implementation says so."""
        (codes,), seconds = self.call(conversion, words.size, [words],
                                      [(dtype_of(conversion.to), words.shape)])
        if int(codes.max()) >> BITS[conversion.to]:
            raise self._broken(f"the code {int(codes.max()):#x} has more than "
                               f"{BITS[conversion.to]} bits")
        return codes, seconds

    def quantize(self, conversion, words):
        """The codes and scales of a matrix, and what the kind of blocks has beside them."""
        kinds = list(Blocks.of(conversion.to).parts(words.size))
        return self.call(conversion, words.size, [words], kinds)

    def dequantize(self, conversion, arrays):
        """The words of the values of codes, scales and what is extra."""
        count = arrays[0].size
        (words,), seconds = self.call(conversion, count, arrays, [
            (dtype_of(conversion.to), (count // COLUMNS, COLUMNS))])
        return words, seconds

    def call(self, conversion, count, arrays, kinds):
        """Sends arrays, and returns those of the answer, which are of these types and shapes."""
        if self._child is None:
            self._start()
        head = f"{conversion.source} {conversion.to} {conversion.mode} {count}\n"
        with self._watched(self._limit):
            try:
                self._child.stdin.write(head.encode() + b"".join(a.tobytes() for a in arrays))
                self._child.stdin.flush()
            except OSError:
                raise self._broken() from None
            answer = self._line()
            if answer.startswith("error "):
                raise Refused(answer.removeprefix("error "))
            status, found, *seconds = answer.split() or [""] * 2
            if status != "ok" or found != str(count):
                raise self._broken(f"it answered {answer[:60]!r} to {count} words")
            results = [self._array(dtype, shape) for dtype, shape in kinds]
        return results, float(seconds[0]) if seconds else None

    def _array(self, dtype, shape):
        size = np.dtype(dtype).itemsize * math.prod(shape)
        data = self._child.stdout.read(size)
        if len(data) != size:
            raise self._broken()
        return np.frombuffer(data, dtype).reshape(shape)

    def _line(self):
        line = self._child.stdout.readline()
        if not line.endswith(b"\n"):
            raise self._broken()
        return line.decode(errors="replace").rstrip("\n")

    def _watched(self, limit):
        return _Watch(self._child, limit)

    def _broken(self, why=None):
        """What happened; ends the process."""
        child, self._child = self._child, None
        if why is None:
            child.stdout.close()
            status = child.wait()
            self._messages.seek(0)
            last = self._messages.read().decode(errors="replace").strip().splitlines()[-1:]
            why = "it ended with " + \
                (f"signal {-status}" if status < 0 else f"status {status}")
            why += "".join(f": {line[:200]}" for line in last)
        _end(child)
        return Broken(why)

    def close(self):
        if self._child is not None:
            _end(self._child)
            self._child = None
        self._messages.close()


def _end(child):
    child.kill()
    child.wait()
    for pipe in (child.stdin, child.stdout):
        try:
            pipe.close()
        except OSError:  # what was not sent
            pass


class _Watch:
    """Ends a process that takes longer than its limit; what is then missing raises Broken."""

    def __init__(self, child, limit):
        self._child, self._limit, self._late = child, limit, False

    def __enter__(self):
        self._timer = threading.Timer(self._limit, self._kill)
        self._timer.daemon = True
        self._timer.start()

    def _kill(self):
        self._late = True
        self._child.kill()

    def __exit__(self, kind, error, trace):
        self._timer.cancel()
        if self._late and kind is Broken:
            raise Broken(f"no answer within {self._limit:g} s") from None
