# SPDX-License-Identifier: MIT
"""summary.py -- python -m softfp8.testing.summary REPORT.json [--html PAGE]: a report as Markdown

For the summary of a run of continuous integration. The page is the one of --softfp8-report.
"""
import json
import pathlib
import sys

from .report import Recorder

SHOWN = 20  # cases that failed
MARKS = str.maketrans({mark: f"\\{mark}" for mark in "\\`*_{}[]<>|#"})


def _cell(text):
    return " ".join(str(text or "").split()).translate(MARKS)


def summary(report):
    """The text: how many cases there are, and what is wrong in those that failed."""
    totals, failed = report["totals"], [c for c in report["cases"] if c["status"] == "failed"]
    lines = [f"### softfp8: {totals['failed']} of {totals['cases']} assertions failed"
             if failed else f"### softfp8: {totals['cases']} assertions, none failed", ""]
    if failed:
        lines += ["| assertion | results that differ | likely mistake |", "|---|---|---|"]
        lines += [f"| {_cell(c['name'])} | {c['differ']:,} of {c['inputs']:,} | "
                  f"{_cell(c['diagnosis'] or c['why'])} |" for c in failed[:SHOWN]]
        if len(failed) > SHOWN:
            lines += ["", f"And {len(failed) - SHOWN} more."]
    return "\n".join(lines) + "\n"


def main(argv=None):
    argv = sys.argv[1:] if argv is None else argv
    if len(argv) not in (1, 3) or (len(argv) == 3 and argv[1] != "--html"):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        report = json.loads(pathlib.Path(argv[0]).read_text())
        print(summary(report), end="")
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"softfp8.testing.summary: {argv[0]}: {error!r}; expected a report of "
              "--softfp8-report", file=sys.stderr)
        return 2
    if len(argv) == 3:
        page = Recorder()
        page.cases = report["cases"]
        page.write(argv[2])
    return 0


if __name__ == "__main__":
    sys.exit(main())
