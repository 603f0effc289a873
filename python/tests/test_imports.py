# SPDX-License-Identifier: MIT
"""test_imports.py -- no module of the package imports one that imports it, inside functions or not;
the former name of a module names the new one

A package's own name, as in `from . import kv`, means the modules that are taken from it.
"""
import ast
import importlib
import pathlib
import subprocess
import sys

import softfp8
from conftest import refused

SOURCE = pathlib.Path(softfp8.__file__).parent


def imports_of(path, root):
    """The files that a file imports of the tree `root`."""
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.ImportFrom) or node.level == 0:
            continue
        base = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
        for found in (base.with_suffix(".py"), *(base / f"{name.name}.py" for name in node.names)):
            if found.exists() and root in found.parents:
                yield found


def circles(root):
    """The modules of `root` from which a way of imports leads back to them."""
    graph = {path: set(imports_of(path, root)) for path in root.rglob("*.py")}

    def reached(path):
        seen, left = set(), [path]
        while left:
            for there in graph[left.pop()] - seen:
                seen.add(there)
                left.append(there)
        return seen

    return sorted(str(path.relative_to(root)) for path in graph if path in reached(path))


def test_no_module_imports_one_that_imports_it():
    assert circles(SOURCE) == []


def test_a_circle_is_found(tmp_path):
    (tmp_path / "part").mkdir()
    (tmp_path / "a.py").write_text("from .part.b import x\n")
    (tmp_path / "part" / "b.py").write_text("def f():\n    from .. import c\n")
    (tmp_path / "c.py").write_text("from .a import y\n")
    (tmp_path / "d.py").write_text("from .a import y\nfrom . import __version__\nimport a\n")
    assert circles(tmp_path) == ["a.py", "c.py", "part/b.py"]


def test_the_former_name_of_survey_names_it():
    words = "softfp8.matrix is now softfp8.survey"
    refused(ImportError, words, lambda: importlib.import_module("softfp8.matrix"))
    done = subprocess.run([sys.executable, "-m", "softfp8.matrix"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (2, words + "\n")
