# SPDX-License-Identifier: MIT
"""joined.py -- results, and the cells of their packages, put together"""
import json

IDENTITY = "operation", "from", "to", "device"


def merged_cells(cells):
    """Cells that differ only in the modes and their speeds are one, which has them all."""
    merged = {}
    for cell in cells:
        same = {name: value for name, value in cell.items() if name != "modes"}
        entry = merged.setdefault(json.dumps(same, sort_keys=True), same | {"modes": {}})
        entry["modes"] |= cell["modes"]
    return list(merged.values())


def _place(cell):
    return tuple(cell.get(name) for name in IDENTITY)


def _without(cells, new):
    """The cells, without the modes that are in new ones."""
    replaced = {(_place(cell), mode) for cell in new for mode in cell["modes"]}
    for cell in cells:
        modes = {mode: speed for mode, speed in cell["modes"].items()
                 if (_place(cell), mode) not in replaced}
        if modes:
            yield cell | {"modes": modes}


def _package(old, new):
    cells = [*_without(old["cells"], new["cells"]), *new["cells"]]
    return new | {"cells": merged_cells(cells)} if new["status"] == "run" else old


def joined(old, new):
    """A result with the cells of another one added."""
    packages = {(p["package"], p.get("version")): p for p in old["packages"]}
    for package in new["packages"]:
        key = package["package"], package.get("version")
        if key in packages:
            packages[key] = _package(packages[key], package)
        elif package["status"] == "run":
            packages[key] = package
    head = {name: value for name, value in old.items() if name != "packages"}
    return head | {"date": max(old["date"], new["date"]),
                   "packages": [packages[key] for key in sorted(packages, key=str)]}
