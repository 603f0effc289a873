# SPDX-License-Identifier: MIT
"""report.py -- the result as JSON, as a table of Markdown, and as one HTML page"""
import collections
import json
import pathlib

from .changes import by_device, policy_of_cell

SHOWN = 3  # policies in the table
STATUSES = "equal", "known", "unclaimed", "differs", "absent", "broken"


def counts(result):
    """How many cells have each status; each mode counts."""
    found = collections.Counter(cell["status"] for package in result["packages"]
                                for cell in package["cells"] for _ in cell["modes"])
    return {status: found[status] for status in STATUSES}


def json_text(result):
    """One line for each cell."""
    head = {name: value for name, value in result.items() if name != "packages"}
    packages = []
    for package in result["packages"]:
        start = json.dumps({name: value for name, value in package.items() if name != "cells"})
        cells = ",\n   ".join(json.dumps(cell, separators=(",", ":")) for cell in package["cells"])
        packages.append(f'{start[:-1]}, "cells": [\n   {cells}]}}')
    return json.dumps(head)[:-1] + ', "packages": [\n  ' + ",\n  ".join(packages) + "]}\n"


def _policies(cells):
    """The policies, recipes and rules of cells, each once, the most frequent first."""
    names = collections.Counter(rule for cell in cells if (rule := policy_of_cell(cell)))
    shown = [f"`{name}`" for name, _ in names.most_common(SHOWN)]
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def markdown(result):
    """A row for each package and device."""
    lines = ["| package | " + " | ".join(STATUSES) + " | inputs | policies |",
             "|---|" + "---|" * (len(STATUSES) + 2)]
    for package in result["packages"]:
        title = f"{package['package']} {package.get('version', '')}".strip()
        if package["status"] != "run":
            lines.append(f"| {title} | " + "| " * len(STATUSES) +
                         f"| {package['status']}: {package['why']} |")
            continue
        for device, cells in by_device(package).items():
            found = counts({"packages": [{"cells": cells}]})
            inputs = sum(cell.get("inputs", 0) * len(cell["modes"]) for cell in cells)
            lines.append(f"| {title}{f' on {device}' if device else ''} | " +
                         " | ".join(str(found[s] or "") for s in STATUSES) +
                         f" | {inputs:,} | {_policies(cells)} |")
    return "\n".join(lines) + "\n"


def changes_table(result):
    """A row for each change between two versions."""
    lines = ["| versions | what changed | example |", "|---|---|---|"]
    for change in result["changes"]:
        title = f"{change['package']} {change['from_version']} to {change['to_version']}"
        lines.append(f"| {title} | {_what(change)} | {_example(change.get('example'))} |")
    return "\n".join(lines) + "\n"


def _what(change):
    if change["what"] != "changed":
        return f"{change['what']}: {', '.join(change['formats'])}"
    before, after = (f"`{text}`" if ":" not in text else text
                     for text in (change["before"], change["after"]))
    return f"{change['from']} to {change['to']}: {before}, then {after}"


def _example(example):
    if not example:
        return ""
    return f"{example['input_value']} gave {example['before_value']}, then {example['after_value']}"


def page(result):
    """The page, with the JSON in it."""
    text = (pathlib.Path(__file__).parent / "page.html").read_text()
    return text.replace("@JSON@", json_text(result).replace("<", "\\u003c"), 1)
