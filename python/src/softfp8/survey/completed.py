# SPDX-License-Identifier: MIT
"""completed.py -- what follows from the cells of a result: changes between versions, documents

Each cell that converts gets the field `documents`, and the result the list `changes`. Both are
computed again whenever a result is written.
"""
from .changes import changes
from .documents import DOCUMENTS, documents


def completed(result):
    """The result with its derived fields."""
    packages = [package | {"cells": [_cell(package["package"], cell) for cell in package["cells"]]}
                for package in result["packages"]]
    head = {name: value for name, value in result.items() if name not in ("packages", "changes")}
    return head | {"documents": DOCUMENTS, "changes": changes(packages), "packages": packages}


def _cell(package, cell):
    plain = {name: value for name, value in cell.items() if name != "documents"}
    found = documents(package, plain)
    return plain | ({"documents": found} if found else {})
