# SPDX-License-Identifier: MIT
"""__main__.py -- python -m softfp8.survey: runs packages, and writes JSON, a table and a page"""
import argparse
import fnmatch
import json
import pathlib
import sys

from . import environments, report
from .environments import Run
from .run import Runner, result

HELP = """\
Runs the conversions, arithmetic and quantizers of other packages, and says which policy or recipe
each one follows on all inputs.

  python -m softfp8.survey                       the packages that this Python can import
  python -m softfp8.survey --install ENVS        every package of the table, in its own environment
  python -m softfp8.survey --adapter my_cast.py  your implementation, and nothing else

A run that was ended goes on where it was, if --keep names the same folder."""
STATUS = """\
Exit status: 0 every conversion follows its policy, or differs as known; 1 one does not, or broke;
2 bad usage; 3 an --adapter could not be run, --only selects nothing, or --budget ended the run."""


def renamed(_):
    raise argparse.ArgumentTypeError("its name is --keep now")


def arguments(argv):
    parser = argparse.ArgumentParser("python -m softfp8.survey", description=HELP, epilog=STATUS,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_argument_group("what is run")
    what.add_argument("--install", metavar="DIR", help="make the environments that DIR lacks, from "
                      "the package index, then use them; says disk and time first")
    what.add_argument("--env", metavar="DIR", help="use the environments that DIR has")
    what.add_argument("--adapter", action="append", default=[], metavar="FILE",
                      help="run this adapter, a Python file, or a program and its arguments")
    what.add_argument("--package", default="*", metavar="GLOB",
                      help="only environments or packages with such a name: 'torch*'")
    what.add_argument("--only", default="*", metavar="GLOB", help="only such cells: "
                      "'torch-2.15.0/f32_to_e4m3/*'")
    how = parser.add_argument_group("how")
    how.add_argument("--keep", default="softfp8-survey", metavar="DIR",
                     help="folder of the results, one file for each cell (default: %(default)s)")
    how.add_argument("--out", type=renamed, help=argparse.SUPPRESS)
    how.add_argument("--full", action="store_true", help="convert all 2^32 inputs of f32 where the "
                     "package converts 50 million values per second")
    how.add_argument("--budget", type=float, metavar="SECONDS",
                     help="begin no cell after this time")
    how.add_argument("--limit", type=float, default=120.0, metavar="SECONDS",
                     help="time after which a request counts as hanging (default: %(default)g)")
    how.add_argument("--codes", metavar="DIR",
                     help="keep the codes of the dense sets as .npz files in DIR")
    results = parser.add_argument_group("results")
    results.add_argument("--also", metavar="FILE", help="add the cells of this earlier JSON that "
                         "this run does not have")
    results.add_argument("--json", metavar="FILE", help="write all cells; - for standard output")
    results.add_argument("--markdown", metavar="FILE", help="write a table")
    results.add_argument("--html", metavar="FILE", help="write a page that needs no other file")
    return parser.parse_args(argv)


def chosen(given):
    """The runs that the arguments ask for."""
    if given.adapter:
        return [Run(adapter, adapter, {}, sys.executable) for adapter in given.adapter]

    def wanted(name):
        return fnmatch.fnmatch(name, given.package)

    if given.install:
        environments.install(given.install, wanted, say)
    return [run for run in environments.runs(given.install or given.env) if wanted(run.name)]


def say(line):
    print(line, file=sys.stderr, flush=True)


def main(argv=None):
    given = arguments(argv)
    try:
        earlier = json.loads(pathlib.Path(given.also).read_text())["packages"] if given.also else []
    except (OSError, ValueError, KeyError, TypeError) as error:
        say(f"{given.also}: expected the JSON of an earlier run; {type(error).__name__}: {error}")
        return 2
    # --keep once meant --codes.
    if not given.codes and any(pathlib.Path(given.keep).glob("*.npz")):
        say(f"--keep {given.keep}: the folder has codes (*.npz), and --keep is for results; to keep "
            "codes is --codes now")
        return 2
    runner = Runner(given.keep, given.only, given.full, given.budget, given.limit, given.codes, say)
    for run in chosen(given):
        runner.run(run)
    found = result(given.keep, earlier)
    for path, write in ((given.json, report.json_text), (given.markdown, report.markdown),
                        (given.html, report.page)):
        if path == "-":
            sys.stdout.write(write(found))
        elif path:
            pathlib.Path(path).write_text(write(found))
    counts = report.counts(found)
    say("; ".join(f"{count} {status}" for status, count in counts.items() if count) or "no cells")
    for package in found["packages"]:
        if package["status"] != "run":
            say(f"{package['status']}: {package['package']}: {package['why']}")
    if runner.left:
        say(f"{runner.left} cells were not begun: the time of --budget was over")
    if not runner.selected:
        say("no cell was run: no package is there, or no cell has such a name")
    if runner.left or (given.only != "*" and not runner.selected) or (
            given.adapter and any(package["status"] != "run" for package in found["packages"])):
        return 3
    return 1 if counts["differs"] or counts["broken"] else 0


if __name__ == "__main__":
    sys.exit(main())
