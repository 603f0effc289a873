# SPDX-License-Identifier: MIT
"""changes.py -- where two versions of one package give other results: a changelog of behaviours"""
import re

import numpy as np

from ..convert import convert
from ..formats import format as format_of
from ..policies import policy as policy_of
from ..testing.inputs import _critical
from .adapters.lab import BITS, dtype_of
from .shown import hexadecimal, value_text

SAME = "status", "policy", "recipe", "rule", "claimed", "nearest", "key"  # equal in cells that agree


def changes(packages):
    """An entry for each change from a version to the next one that was run on the same device."""
    found = []
    runs = [(package["package"], device, package | {"cells": cells}) for package in packages
            if package["status"] == "run" for device, cells in by_device(package).items()]
    for name, device in dict.fromkeys(run[:2] for run in runs):
        versions = sorted((package for *key, package in runs if key == [name, device]),
                          key=lambda package: [int(part) for part in
                                               re.findall(r"\d+", package["version"])])
        for old, new in zip(versions, versions[1:]):
            found += _between(name, old, new)
    return found


def by_device(package):
    """The cells of a package by the device that they ran on; that of the processor is None."""
    found = {None: []} if not package["cells"] else {}
    for cell in sorted(package["cells"], key=lambda cell: cell.get("device") or ""):
        found.setdefault(cell.get("device"), []).append(cell)
    return found


def _between(name, old, new):
    head = {"package": name, "from_version": old["version"], "to_version": new["version"]}
    before, after = _results(old), _results(new)
    places = dict.fromkeys(place for place in (*before, *after))
    for kind, there, other in (("added", after, before), ("removed", before, after)):
        formats = sorted({there[place]["to"] for place in places if place not in other} -
                         {cell["to"] for cell in other.values()})
        if formats:
            yield head | {"what": kind, "formats": formats}
    modes = {}
    for place in places:
        if place in before and place in after and not _same(before[place], after[place]):
            key = place[:3], _outcome(before[place]), _outcome(after[place])
            modes.setdefault(key, []).append(place)
    for (_, then, now), some in modes.items():
        place = some[0]
        example = _example(place, before[place], after[place])
        if example is not None:
            yield head | {"what": "changed", "before": then, "after": now,
                          "modes": [place[3] for place in some]} | _place(place) | example


def _results(package):
    """The cells by operation, pair of formats and mode."""
    return {(cell.get("operation"), cell["from"], cell["to"], mode): cell
            for cell in package["cells"] if cell["status"] != "absent" for mode in cell["modes"]}


def _same(a, b):
    if a["status"] == b["status"] == "equal":
        return policy_of_cell(a) == policy_of_cell(b)
    return all(a.get(name) == b.get(name) for name in SAME)


def policy_of_cell(cell):
    """The policy, recipe or rule whose results a cell has."""
    return cell.get("policy") or cell.get("recipe") or cell.get("rule")


def _outcome(cell):
    """What an entry says about a cell."""
    return policy_of_cell(cell) or f"{cell['status']}: {cell.get('reason') or cell.get('nearest')}"


def _place(place):
    operation, source, to, _ = place
    return ({"operation": operation} if operation else {}) | {"from": source, "to": to}


def _example(place, old, new):
    """The field `example`: the least input for which two cells differ, as far as their policies and
    ranges tell. It is missing if they do not tell. None: they have other policies, which do the
    same for this conversion."""
    operation, source, to, _ = place
    if operation:
        return {}
    words = np.unique(np.concatenate(
        [_inputs(source, to),
         *(np.array([int(part["first"], 16)], dtype_of(source))
           for cell in (old, new) for part in cell.get("ranges", ()))]))
    first, second = (codes_of(words, source, to, cell) for cell in (old, new))
    if first is None or second is None:
        return {}
    differ = np.flatnonzero((first != second) & (first >= 0) & (second >= 0))
    if not differ.size:
        return None if (first >= 0).all() and (second >= 0).all() else {}
    at = differ[0]
    return {"example": {
        "input": hexadecimal(words[at], BITS[source]), "before": hexadecimal(first[at], BITS[to]),
        "after": hexadecimal(second[at], BITS[to]), "input_value": value_text(source, words[at]),
        "before_value": value_text(to, first[at]), "after_value": value_text(to, second[at])}}


def _inputs(source, to):
    """All inputs of 16 bits or less, else the critical set."""
    if BITS[source] > 16:
        return _critical(source, to).astype(dtype_of(source))
    return np.arange(1 << BITS[source], dtype=dtype_of(source))


def rules(text, to, source):
    """The policy that a cell names: "onnx round=rz" or "ort-e8m0, round=rz". None: it names none."""
    name, *fields = text.replace(",", "").split() or [""]
    if any("=" not in field for field in fields):
        return None
    try:
        return policy_of(name, to=to, from_=source,
                         **dict(field.split("=", 1) for field in fields))
    except ValueError:
        return None


def codes_of(words, source, to, cell):
    """The codes of a cell; -1 where it has differences and does not say which."""
    policy = rules(cell.get("policy") or "", to, source)
    if policy is not None:
        codes = convert(words, to, from_=format_of(source), policy=policy, dtype="codes")
        return np.asarray(codes).astype(np.int64)
    if not cell.get("ranges"):
        return None
    codes = np.full(words.size, -1, np.int64)
    for part in cell["ranges"]:
        codes[words == int(part["first"], 16)] = int(part["got"], 16)
    return codes
