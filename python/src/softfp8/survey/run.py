# SPDX-License-Identifier: MIT
"""run.py -- runs the cells of implementations; each cell is a file, so that a run resumes

A cell is written when it is complete. A run that is killed loses the cell that it was at, and the
next run does what is missing.
"""
import datetime
import fnmatch
import json
import os
import pathlib
import re
import time

import numpy as np

from .completed import completed
from .joined import joined, merged_cells
from .judge import judge
from .known import labelled
from .process import Broken, Process, command_of


class Runner:
    """Runs cells into a folder."""

    def __init__(self, out, only="*", full=False, budget=None, limit=120.0, keep=None, say=print):
        self._out, self._only, self._full, self._limit = pathlib.Path(out), only, full, limit
        self._keep, self._say = keep, say
        self._until = time.monotonic() + budget if budget is not None else None
        self.selected = 0  # cells that were asked for, and can be run or are there
        self.left = 0  # of these, what the budget did not reach
        self._out.mkdir(parents=True, exist_ok=True)

    def run(self, run):
        """Runs the cells of an implementation that are missing."""
        title = " ".join([run.name, *(f"{name}={value}" for name, value in run.variables.items())])
        head = {"title": title, "adapter": run.adapter, "variables": run.variables}
        if run.python is None:
            self._write_package(title, head | {"status": "absent", "why": "no such environment"})
            return
        try:
            process = Process(command_of(run.adapter, run.python), run.variables, self._limit)
        except Broken as error:
            absent = "ModuleNotFoundError" in str(error)
            self._write_package(title, head | {"status": "absent" if absent else "broken",
                                               "why": str(error)})
            self._say(f"{title}: {error}")
            return
        try:
            self._write_package(title, head | {"status": "run", "package": process.package,
                                               "version": process.version})
            for conversion in process.conversions:
                self._cell(process, conversion, title)
        finally:
            process.close()

    def _late(self):
        return self._until is not None and time.monotonic() >= self._until

    def _cell(self, process, conversion, title):
        name = f"{process.package}-{process.version}/{conversion.name}"
        path = self._out / "cells" / f"{_file_name(name)}.json"
        if not fnmatch.fnmatch(name, self._only):
            return
        self.selected += 1
        if path.exists() and self._done(path):
            return
        if self._late():
            self.left += 1
            return
        kept = [] if self._keep else None
        cell = judge(process, conversion, self._full,
                     (lambda *pair: kept.append(pair)) if self._keep else None)
        if kept:
            self._keep_codes(name, kept)
        cell |= {"run": title, "full": self._full, "device": process.device}
        _write(path, json.dumps(cell))
        cell = labelled(cell)
        text = next((cell[name] for name in ("reason", "policy", "recipe", "rule", "why", "diagnosis")
                     if cell.get(name)), "no policy")
        self._say(f"{cell['status']:9} {name}: {text}")

    def _done(self, path):
        """Whether a cell was run as it is asked for now."""
        return not self._full or json.loads(path.read_text())["full"]

    def _keep_codes(self, name, kept):
        folder = pathlib.Path(self._keep)
        folder.mkdir(parents=True, exist_ok=True)
        words, codes = (np.concatenate(arrays) for arrays in zip(*kept))
        np.savez(folder / f"{_file_name(name)}.npz", w=words, c=codes)

    def _write_package(self, title, package):
        _write(self._out / "packages" / f"{_file_name(title)}.json", json.dumps(package))


def _file_name(name):
    return re.sub(r"[^A-Za-z0-9._=,-]", "~", name)


def _write(path, text):
    """Writes a file that is complete or absent."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(f".{os.getpid()}.part")
    part.write_text(text)
    os.replace(part, path)


# ---- the result

SHOWN = 3  # ranges of a cell


def _short(cell):
    """A cell without what its package has, or what another field has."""
    left_out = {"package", "version", "run", "full", "claim", "digest", "seconds", "mode", "speed"}
    if cell.get("claimed") in (cell.get("policy"), cell.get("recipe")):
        left_out.add("claimed")
    return {name: value[:SHOWN] if name == "ranges" else value for name, value in cell.items()
            if name not in left_out and value not in (None, [])}


def cpu():
    """The name of the processor."""
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return "unknown"
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")),
                "unknown")


def _package(entry):
    entry |= {"cells": merged_cells(entry["cells"])}
    return {name: value for name, value in entry.items() if value is not None}


def result(out, earlier=()):
    """The result of a run: all packages and cells of a folder, and those of earlier packages that
    the folder does not have."""
    from .. import __version__

    packages, cells = ([json.loads(path.read_text())
                        for path in sorted(pathlib.Path(out, kind).glob("*.json"))]
                       for kind in ("packages", "cells"))
    found = {}
    for package in packages:
        key = (package.get("package", package["title"]), package.get("version"))
        entry = found.setdefault(key, {"package": key[0], "version": key[1],
                                       "status": package["status"], "why": package.get("why"),
                                       "cells": []})
        if package["status"] == "run":
            entry |= {"status": "run", "why": None}
    for cell in map(labelled, cells):
        entry = found.get((cell["package"], cell["version"]))
        if entry is not None:
            entry["cells"].append(_short(cell) | {"modes": {cell["mode"]: cell.get("speed")}})
    made = {"schema": 1, "softfp8": __version__, "cpu": cpu(),
            "date": datetime.date.today().isoformat(),
            "packages": [_package(entry) for _, entry in
                         sorted(found.items(), key=lambda item: str(item[0]))]}
    return completed(joined(made | {"packages": list(earlier)}, made) if earlier else made)
