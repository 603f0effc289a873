# SPDX-License-Identifier: MIT
"""prove.py -- runs goals: prove.py [--list] [--only PATTERN] [--quick] [--mutants] ...

A result is kept with the digest of its query, so that a run which was stopped goes on where it was,
and a change of the core that does not change a query costs nothing. Exit status: 0 if every goal
was proved (and every mutant refuted), 1 if one was refuted, 3 if one ran out of time, 2 for bad
usage.
"""
import argparse
import fnmatch
import hashlib
import json
import resource
import signal
import pathlib
import subprocess
import sys

import core
import goals
import solve
import terms as t

HERE = pathlib.Path(__file__).resolve().parent


def ask(query, solver, limit, folder, name):
    """The answer of a solver, its seconds of CPU time, and a model by name."""
    file = folder / f"{name}.smt2"
    file.write_text(query)
    start = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([sys.executable, HERE / "solve.py", solver, file], capture_output=True,
                          text=True, preexec_fn=lambda: resource.setrlimit(
                              resource.RLIMIT_CPU, (limit, limit + 5)))
    end = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime
    file.unlink()
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return "timed out", seconds, {}
    lines = done.stdout.split("\n")
    answer = lines[0] if lines[0] in ("sat", "unsat") else "unknown"
    if answer == "unknown":
        print(done.stdout[-200:], done.stderr[-600:], file=sys.stderr)
    model = {}
    for line in lines[1:]:
        if len(line.split()) == 2:
            name, value = line.split()
            model[name.strip("|")] = int(value, 2)
    return answer, seconds, model


def shown(claim, model):
    """An input as text, and what core and specification give for it."""
    text = " ".join(f"{k}={v:x}" for k, v in sorted(model.items()) if not k.startswith(("any", "other")))
    for run in claim.runs:
        code, flags = t.evaluate([run.code, run.flags], model)
        text += f"; {run.name}: {code:x} flags {flags:x}"
    if claim.expected:
        text += "; expected: {:x} flags {:x}".format(*t.evaluate(claim.expected, model))
    return text


def prove(goal, module, options):
    """Runs a goal, or takes its kept result."""
    claim = goal.build(module)
    query, _ = t.smt(claim.claim, claim.assumed, claim.logic)
    solver = options.solver or goal.solver
    digest = hashlib.sha256((query + solve.version(solver)).encode()).hexdigest()
    kept = options.keep / f"{goal.name}.{solver}.json"
    if kept.exists():
        result = json.loads(kept.read_text())
        if result["digest"] == digest and (result["answer"] == "proved"
                                           or (result["answer"] == "timed out"
                                               and result["limit"] >= options.limit)):
            return result
    answer, seconds, model = ask(query, solver, options.limit, options.keep, goal.name)
    if answer == "sat" and not claim.is_whole:
        answer = "unknown"
    result = {"goal": goal.name, "symbolic": goal.symbolic, "seconds": round(seconds, 1),
              "limit": options.limit,
              "answer": {"unsat": "proved", "sat": "refuted"}.get(answer, answer),
              "solver": solve.version(solver), "digest": digest}
    if answer == "sat":
        result["input"] = shown(claim, model)
    kept.write_text(json.dumps(result, indent=1) + "\n")
    return result


def refute(goal, description, options):
    """Whether a mutant is refuted, and a run of both cores on that input confirms it."""
    folder = options.keep / "mutant"
    folder.mkdir(exist_ok=True)
    copy = core.mutated(folder, description)
    claim = goal.build(core.compile_core(folder, copy))
    query, _ = t.smt(claim.claim, claim.assumed, claim.logic)
    answer, seconds, model = ask(query, options.solver or goal.solver, options.limit, folder, "mutant")
    if answer != "sat":
        return f"NOT REFUTED ({answer})", seconds
    differ = False
    for run in claim.runs:
        broken = run.natively(folder, copy, model)
        whole = run.natively(folder, core.CORE, model)
        if whole is None:
            return "NOT CONFIRMED: the core itself stops", seconds
        if claim.expected and whole != tuple(t.evaluate(claim.expected, model)):
            return "NOT CONFIRMED: the core itself differs from the specification", seconds
        differ = differ or broken != whole
    return ("refuted, confirmed: " if differ else "NOT CONFIRMED: ") + shown(claim, model), seconds


def main():
    parser = argparse.ArgumentParser(prog="prove formal", description="Proves goals about the core.")
    parser.add_argument("--list", action="store_true", help="print the names of the goals")
    parser.add_argument("--only", metavar="PATTERN", default=["*"], nargs="+",
                        help="run goals of these names")
    parser.add_argument("--quick", action="store_true", help="run goals of at most about 30 s")
    parser.add_argument("--mutants", action="store_true", help="run goals on their mutants instead")
    parser.add_argument("--limit", type=int, default=600, metavar="S", help="seconds of CPU time for a goal")
    parser.add_argument("--solver", choices=solve.PACKAGES, help="another solver than the goal's")
    parser.add_argument("--keep", type=pathlib.Path, default=core.ROOT / "build" / "formal" / "results",
                        help="the folder of the results")
    options = parser.parse_args()
    chosen = [g for g in goals.goals() if any(fnmatch.fnmatch(g.name, p) for p in options.only)
              and (g.quick or not options.quick)]
    if options.list:
        print("\n".join(f"{g.name:36} {g.symbolic}" for g in chosen))
        return 0
    if not chosen:
        parser.error(f"no goal is called {' '.join(options.only)}")
    options.keep.mkdir(parents=True, exist_ok=True)
    counts = {}
    if options.mutants:
        for goal in chosen:
            for description in goal.mutants:
                text, seconds = refute(goal, description, options)
                counts[text.split()[0].strip(",")] = counts.get(text.split()[0].strip(","), 0) + 1
                what = description if isinstance(description, str) else description[0]
                print(f"{goal.name}: {what}: {text} ({seconds:.1f} s)", flush=True)
        print(counts)
        return 0 if set(counts) <= {"refuted"} else 1
    module = core.compile_core(options.keep)
    for goal in chosen:
        t.only_these()
        result = prove(goal, module, options)
        counts[result["answer"]] = counts.get(result["answer"], 0) + 1
        print(f"{result['answer']:10} {result['seconds']:7.1f} s  {goal.name:36} {result['solver']}",
              flush=True)
        if "input" in result:
            print(f"    {result['input']}", flush=True)
    print(", ".join(f"{n} {answer}" for answer, n in sorted(counts.items())))
    return 1 if "refuted" in counts else 0 if set(counts) == {"proved"} else 3


if __name__ == "__main__":
    sys.exit(main())
