# SPDX-License-Identifier: MIT
"""core.py -- the core as terms: compiles conformance/proof/solver/core.c and executes its entries

A mutant is a line of tools/mutation/list.txt, applied to a copy of the core.
"""
import pathlib
import shutil
import subprocess

import llvm
import terms as t

ROOT = pathlib.Path(__file__).resolve().parents[3]
CORE, ENTRIES = ROOT / "lib" / "core", pathlib.Path(__file__).with_name("core.c")
SANITIZER = "shift,signed-integer-overflow,integer-divide-by-zero,bounds,bool,enum,builtin,unreachable"


class Failed(Exception):
    pass


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode:
        raise Failed(f"{' '.join(map(str, command))}: {done.stderr}")
    return done.stdout


def compile_core(folder, core=CORE):
    """The module of the entries. The only passes move local variables into registers."""
    folder.mkdir(parents=True, exist_ok=True)
    raw, ir = folder / "core.raw.ll", folder / "core.ll"
    run("clang", "-std=c11", "-O1", "-Xclang", "-disable-llvm-passes", "-DSF8_CORE_CALLS",
        f"-fsanitize={SANITIZER}", "-fsanitize-trap=all", "-fno-discard-value-names", "-S",
        "-emit-llvm", f"-I{core}", ENTRIES, "-o", raw)
    opt = shutil.which("opt") or next(iter(sorted(pathlib.Path("/usr/bin").glob("opt-*"))), "opt")
    run(opt, "-S", "-passes=function(sroa,lcssa)", raw, "-o", ir)
    return llvm.Module(ir.read_text())


def from_list(description):
    """A line of tools/mutation/list.txt: what is broken, the file, the old text and the new one."""
    for line in (ROOT / "tools" / "mutation" / "list.txt").read_text().splitlines():
        cells = [c.strip() for c in line.replace(r"\|", "\0").split(" | ")]
        if cells[0] == description and len(cells) == 4:
            return tuple(c.replace("\0", "|").replace(r"\n", "\n") for c in cells)
    raise Failed(f"no mutant '{description}' in tools/mutation/list.txt")


def mutated(folder, mutant):
    """A copy of the core with one rule broken: a description, or what from_list returns."""
    description, name, old, new = from_list(mutant) if isinstance(mutant, str) else mutant
    copy = folder / "core"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(CORE, copy)
    file = copy / "softfp8" / name
    text = file.read_text()
    if text.count(old) != 1:
        raise Failed(f"'{description}' does not apply")
    file.write_text(text.replace(old, new))
    return copy


class Run:
    """One execution of an entry."""

    def __init__(self, module, name, *arguments, replaced=None):
        execution = llvm.Execution(module, replaced)
        result = execution.call(name, arguments)
        execution.undefined()
        self.name, self.arguments, self.faults = name, arguments, execution.faults
        self.calls = execution.calls
        self.code, self.flags = result if isinstance(result, tuple) else (result, None)

    def is_safe(self):
        return t.not_(t.or_(*(c for c, _ in self.faults)))

    def equals(self, code, flags):
        return t.and_(t.eq(self.code, t.zext(code, self.code.width)),
                      t.eq(self.flags, t.zext(flags, self.flags.width)))

    def natively(self, folder, core, values):
        """Compiles and runs the entry on an input, with the sanitizer: code and flags, or None if
        the sanitizer stops it."""
        words = ", ".join(f"UINT64_C({v})" for v in t.evaluate(self.arguments, values))
        program, source = folder / "one", folder / "one.c"
        source.write_text(f'#include <stdio.h>\n#include "{ENTRIES}"\nint main(void)\n{{\n'
                          f"    sf8_result r = {self.name}({words});\n"
                          '    printf("%llu %u", (unsigned long long)r.code, r.flags);\n}\n')
        run("clang", "-std=c11", "-O0", "-w", "-DSF8_CORE_CALLS", f"-fsanitize={SANITIZER}", "-fsanitize-trap=all",
            f"-I{core}", source, "-o", program)
        done = subprocess.run([program], capture_output=True, text=True)
        return None if done.returncode else tuple(int(w) for w in done.stdout.split())
