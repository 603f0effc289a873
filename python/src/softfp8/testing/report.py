# SPDX-License-Identifier: MIT
"""report.py -- the assertions of a run of pytest as a report of the suite: JSON, or its HTML page

The JSON is that of `softfp8 conform --json`. A case is an assertion. Its name is the id of the test
with "/" for "::", since the page groups names by their parts; `command` has the id itself. `place`
and `tier` are "pytest"; `oracle` and `drawings` are empty.
"""
import collections
import datetime
import json
import pathlib
import shlex
import time

from .message import counted

STATUSES = "passed", "failed", "known", "not_run", "stale", "broken"
recorder = None  # the Recorder of this run, while there is one
flips = []  # how many results were excused, by each assertion that excused some


class Recorder:
    """The cases of a run."""

    def __init__(self):
        self.test, self.cases, self._names = "", [], collections.Counter()

    def add(self, case):
        name = self.test.replace("::", "/") or "assertions"
        self._names[name] += 1
        case["name"] = name if self._names[name] == 1 else f"{name} #{self._names[name]}"
        self.cases.append(case)

    def expected_to_fail(self, reason):
        """The last failure was of a test that is marked so."""
        for case in self.cases[-1:]:
            if case["status"] == "failed":
                case.update(status="known", known=reason or "the test is expected to fail")

    def write(self, path):
        """Writes the report: a page for the extension .html, else JSON."""
        text = self.json()
        pathlib.Path(path).write_text(self._page(text) if str(path).endswith(".html") else text)

    def _totals(self):
        counts = collections.Counter(case["status"] for case in self.cases)
        return {"cases": len(self.cases), **{status: counts[status] for status in STATUSES},
                "inputs": sum(case["inputs"] for case in self.cases),
                "seconds": round(sum(case["seconds"] for case in self.cases), 3)}

    def json(self):
        from .. import __version__

        date = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        head = {"schema": 1, "softfp8": __version__, "date": date, "gpu": None, "driver": None,
                "toolkit": None, "missing": None, "strict": False, "tier": "pytest", "only": None,
                "shard": 1, "shards": 1, "totals": self._totals()}
        lines = ",\n  ".join(json.dumps(case) for case in self.cases)
        return json.dumps(head)[:-1] + f',\n "cases": [\n  {lines}],\n "drawings": []}}\n'

    def _page(self, text):
        totals = self._totals()
        words = f"{totals['failed']} failed" if totals["failed"] else \
            "All cases that were run passed" if self.cases else "No case was run"
        if totals["known"]:
            words += f"; {counted(totals['known'], 'known difference')}"
        page, style = ((pathlib.Path(__file__).parent / name).read_text()
                       for name in ("report.html", "style.css"))
        text = text.replace("<", "\\u003c")
        for mark, filled in (("@STYLE@", style), ("@SUMMARY@", words + "."), ("@JSON@", text)):
            page = page.replace(mark, filled, 1)
        return page


def begin(assertion, inputs):
    """A case that begins now; `inputs` is how many results it compares."""
    return {"name": "", "status": "passed", "subject": assertion, "place": "pytest",
            "domain": "set", "oracle": [], "random": None, "nan_class": False, "known": None,
            "inputs": inputs, "differ": 0, "crossed": 0, "seconds": time.perf_counter(),
            "subject_seconds": 0.0, "first_part": 0, "parts": 1, "of": 1, "at_begin": False,
            "at_end": False, "digest": None, "why": None, "diagnosis": None, "sass": None,
            "origin": None, "command": None, "range_count": 0, "ranges": [], "oracle_text": "",
            "operand_bits": None, "causes": [], "explain": [], "drawing": None}


def _end(case, oracle):
    case["seconds"] = round(time.perf_counter() - case["seconds"], 6)
    case["oracle_text"] = f"{case['subject']}: {oracle}"
    if recorder is not None:
        recorder.add(case)


def passed(case, oracle, excused=0):
    """The case held; `excused` is how many results an uncertainty excused."""
    if excused:
        flips.append(excused)
        oracle += f"; {counted(excused, 'result')} excused"
    _end(case, oracle)


def failed(case, oracle, differ, why, ranges=(), count=0):
    """The case failed. `ranges` are the first of the `count` ranges, in the form of the JSON."""
    test = recorder.test if recorder else ""
    case.update(status="failed", differ=differ, diagnosis=why.words,
                why=f"follows {why.matches}" if why.matches else None,
                command=f"pytest {shlex.quote(test)}" if test else None, range_count=count,
                ranges=list(ranges))
    _end(case, oracle)
