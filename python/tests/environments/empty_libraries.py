# SPDX-License-Identifier: MIT
"""empty_libraries.py -- lets PyTorch of PyPI run on a processor without the libraries of a GPU

    python empty_libraries.py FOLDER      the folder torch/lib

The wheel for x86-64 names CUDA libraries of several gigabytes, which computations on the processor
never call. This compiles an empty library for each that is missing, and puts it into FOLDER.
"""
import ctypes
import os
import pathlib
import re
import subprocess
import sys
import tempfile


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def loads(name):
    """Whether the loader finds a library. Its names are then visible to defined()."""
    try:
        ctypes.CDLL(name, ctypes.RTLD_GLOBAL | os.RTLD_LAZY)
        return True
    except OSError:
        return False


def defined(name):
    return hasattr(ctypes.CDLL(None), name)


def undefined(file):
    """The names that a library takes from others, each with its version or ""."""
    for line in output("nm", "-D", "--undefined-only", str(file)).splitlines():
        if line.split()[-2] == "U":
            name, _, version = line.split()[-1].partition("@")
            yield name, version.lstrip("@")


def versions(file):
    """Which versions a library needs of others: pairs of a file's name and a version."""
    name = None
    for line in output("readelf", "-VW", str(file)).splitlines():
        if found := re.search(r"File: (\S+)", line):
            name = found[1]
        elif name and (found := re.search(r"Name: (\S+) +Flags", line)):
            yield name, found[1]


def compile_library(file, functions, nodes):
    """Compiles a library of empty functions: pairs of a name and a version, which is in nodes."""
    with tempfile.TemporaryDirectory() as folder:
        source, script = pathlib.Path(folder, "empty.c"), pathlib.Path(folder, "empty.map")
        source.write_text("".join(f"long {name}(void) {{ return 0; }}\n" for name, _ in functions))
        script.write_text("".join(
            f"{node} {{ {' '.join(f'{name};' for name, own in functions if own == node)} }};\n"
            for node in nodes))
        output(os.environ.get("CC", "gcc"), "-w", "-shared", "-fPIC", f"-Wl,-soname,{file.name}",
               *([f"-Wl,--version-script={script}"] if nodes else []), "-o", str(file), str(source))


def main():
    folder = pathlib.Path(sys.argv[1])
    ours = sorted(folder.glob("lib*.so*"))
    needed = {name for file in ours
              for name in re.findall(r"NEEDED.*\[(.*)\]", output("readelf", "-dW", str(file)))}
    missing = sorted(name for name in needed - {file.name for file in ours} if not loads(name))
    if not missing:
        return
    own = {line.split("@")[0] for file in ours
           for line in output("nm", "-D", "--defined-only", "-j", str(file)).split()}
    wanted = sorted((name, version) for name, version in set().union(*map(undefined, ours))
                    if name not in own and not defined(name))
    nodes = set().union(*map(versions, ours))
    for library in missing:
        mine = sorted(version for file, version in nodes if file == library)
        compile_library(folder / library,
                        [pair for pair in wanted if not pair[1] or pair[1] in mine], mine)
    print(f"empty libraries in place of {', '.join(missing)}")


main()
