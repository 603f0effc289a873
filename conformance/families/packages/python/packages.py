# SPDX-License-Identifier: MIT
# packages.py -- a package's conversions, by the Python package softfp8
#
# Runs as: python3 run.py list, or: python3 run.py PACKAGE GLOB, where GLOB chooses cells of
# `python -m softfp8.survey`. The file "report" receives one of
#
#     there                      softfp8 can be imported
#     absent WHY                 softfp8, or the package, cannot
#     ran VERSION CELLS INPUTS DIFFER
#     wrong TEXT                 the first cell that is not as claimed, behind `ran`
import importlib.util
import json
import sys


def answer():
    if importlib.util.find_spec("softfp8") is None:
        return ["absent python3 has no module named softfp8 (pip install ./python)"]
    if sys.argv[1] == "list":
        return ["there"]
    from softfp8.survey.__main__ import main
    package, cells = sys.argv[1:]
    right = main(["--package", package, "--only", cells, "--keep", "cells", "--limit", "60",
                  "--json", "matrix.json"]) == 0
    with open("matrix.json") as file:
        found = json.load(file)["packages"]
    ran = [p for p in found if p["status"] == "run"]
    if not ran:
        why = next((p["why"] for p in found if p.get("why")), "softfp8 has no adapter for it")
        return ["absent " + ("python3 has no such package" if "ModuleNotFoundError" in why else why)]
    done = [c for p in ran for c in p["cells"] if c["status"] not in ("absent", "unclaimed")]
    if not done:
        return ["absent softfp8 names no policy for its conversions"]
    lines = ["ran %s %d %d %d" % (ran[0]["version"], len(done), sum(c.get("inputs", 0) for c in done),
                                  sum(c.get("differ", 1) for c in done if is_wrong(c)))]
    return lines if right else lines + ["wrong " + text_of(next(filter(is_wrong, done)))]


def is_wrong(cell):
    return cell["status"] in ("differs", "broken")


def text_of(cell):
    name = "%s%s to %s" % (cell["operation"] + " " if cell.get("operation") else "", cell["from"],
                           cell["to"])
    why = cell.get("diagnosis") or cell.get("why") or "no rule gives all of its codes"
    for r in cell.get("ranges", ())[:1]:
        why += "; %s gives %s, expected %s" % (r["first"], r["got"], r["expected"])
    return "%s is not %s: %s" % (name, cell.get("claimed", "as before"), why)


try:
    text = answer()
except Exception as x:
    text = ["broken " + type(x).__name__ + ": " + str(x)]
with open("report", "w") as report:
    for line in text:
        report.write(" ".join(line.split()) + "\n")
