# SPDX-License-Identifier: MIT
"""test_notebooks.py -- runs the notebooks, and looks at what they show"""
import pathlib

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
HERE = pathlib.Path(__file__).parent
SHOWN = {"cast": "rounds twice, first to f16", "quantizer": "quantized by mxfp4-floor", "cache": "cuda-nosat"}


@pytest.mark.parametrize("name", sorted(path.stem for path in HERE.glob("*.ipynb")))
def test_notebook(name):
    book = nbformat.read(HERE / f"{name}.ipynb", as_version=4)
    assert not any(cell.get("outputs") for cell in book.cells)  # they are committed without
    nbclient.NotebookClient(book, timeout=120).execute()
    pages = [output["data"]["text/html"] for cell in book.cells for output in cell.get("outputs", [])
             if "text/html" in output.get("data", {})]
    assert any(SHOWN[name] in page for page in pages)
