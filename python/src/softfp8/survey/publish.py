# SPDX-License-Identifier: MIT
"""publish.py -- python -m softfp8.survey.publish FOLDER [NEW.json...]: the committed result

Adds the cells of new results to FOLDER/matrix.json, and writes what is made from it: the page, the
picture, and the tables in index.md and gpu.md. The page, index.html, is not committed. A new cell
takes the place of the one that has the same version of the package, device, operation, formats and
mode. Without NEW.json the page, the picture and the tables are written again.
"""
import json
import pathlib
import re
import sys

from . import beside, picture, report
from .completed import completed
from .joined import joined

PAGES = {"index.md": {"package": report.markdown, "versions": report.changes_table},
         "gpu.md": {"input": beside.table}}  # their tables by the first word


def _page(result, name, text):
    """A page with its tables written again."""
    for head, table in PAGES[name].items():
        text = re.sub(rf"^\| {head} \|.*?\n(?!\|)", lambda _, new=table(result): new, text, count=1,
                      flags=re.M | re.S)
    return text


def texts(result, folder):
    """The files that are made from a result, by name; the folder has the pages with tables."""
    return {"matrix.json": report.json_text(result), "index.html": report.page(result),
            "picture.svg": picture.svg(result)} | \
        {name: _page(result, name, (folder / name).read_text()) for name in PAGES}


def main(argv=None):
    argv = sys.argv[1:] if argv is None else argv
    if not argv or argv[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    folder = pathlib.Path(argv[0])
    result = json.loads((folder / "matrix.json").read_text())
    for path in argv[1:]:
        result = joined(result, json.loads(pathlib.Path(path).read_text()))
    result = completed(result)
    for name, text in texts(result, folder).items():
        (folder / name).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
