# SPDX-License-Identifier: MIT
"""process.py -- an implementation in a process of its own, which may crash or hang

The protocol is in docs/guides/add-your-implementation.md.
"""
import dataclasses
import os
import pathlib
import subprocess
import sys
import tempfile
import threading

import numpy as np

from .adapters.lab import BITS, dtype_of

WORKER = pathlib.Path(__file__).parent / "adapters" / "worker.py"
GREETING = "softfp8-matrix 1 "
START_LIMIT = 300.0  # seconds; packages that are large take long to import


class Broken(Exception):
    """The implementation crashed, hung, or broke the protocol. The next request starts it again."""


class Refused(Exception):
    """The implementation has no such conversion."""


@dataclasses.dataclass(frozen=True)
class Conversion:
    source: str
    to: str
    mode: str
    claim: str | None  # a product or policy and its changed fields: "onnx round=rna"

    @property
    def name(self):
        return f"{self.source}_to_{self.to}/{self.mode}"


def command_of(adapter, python=sys.executable):
    """The command that serves an adapter: a name, a Python file, or a program and its arguments."""
    first = adapter.split()[0]
    if first.endswith(".py") or "/" not in adapter:
        return [str(python), str(WORKER), adapter]
    return adapter.split()


class Process:
    """An implementation that is running: its `package`, `version` and `conversions`."""

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
            if not line.startswith(GREETING) or len(line.split()) != 4:
                raise self._broken(f"its first line is {line[:60]!r}, not the greeting")
            self.package, self.version = line.split()[2:]
            self.conversions = []
            while line := self._line():
                self.conversions.append(self._conversion(line))

    def _conversion(self, line):
        source, to, mode, *claim = line.split()
        if source not in BITS or to not in BITS:
            raise self._broken(f"the line {line[:60]!r} names an unknown format")
        return Conversion(source, to, mode, " ".join(claim) or None)

    def convert(self, conversion, words):
        """The codes of these words, and the seconds that it took, if the implementation says so."""
        if self._child is None:
            self._start()
        head = f"{conversion.source} {conversion.to} {conversion.mode} {words.size}\n"
        with self._watched(self._limit):
            try:
                self._child.stdin.write(head.encode() + words.tobytes())
                self._child.stdin.flush()
            except OSError:
                raise self._broken() from None
            answer = self._line()
            if answer.startswith("error "):
                raise Refused(answer.removeprefix("error "))
            status, count, *seconds = answer.split() or [""] * 2
            if status != "ok" or count != str(words.size):
                raise self._broken(f"it answered {answer[:60]!r} to {words.size} words")
            dtype = np.dtype(dtype_of(conversion.to))
            data = self._child.stdout.read(words.size * dtype.itemsize)
            if len(data) != words.size * dtype.itemsize:
                raise self._broken()
        codes = np.frombuffer(data, dtype)
        if int(codes.max()) >> BITS[conversion.to]:
            raise self._broken(f"the code {int(codes.max()):#x} has more than "
                               f"{BITS[conversion.to]} bits")
        return codes, float(seconds[0]) if seconds else None

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
