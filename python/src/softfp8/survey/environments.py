# SPDX-License-Identifier: MIT
"""environments.py -- which packages there are, and in which environments of Python they run"""
import configparser
import dataclasses
import pathlib
import shutil
import subprocess
import sys

TABLE = pathlib.Path(__file__).parent / "environments.ini"


@dataclasses.dataclass(frozen=True)
class Run:
    """An adapter in an environment. `python` is None if the environment does not exist."""

    name: str  # of the environment, and of the adapter if it has several; or what the user gave
    adapter: str
    variables: dict
    python: str | None


def table():
    """The sections of environments.ini by name."""
    parser = configparser.ConfigParser()
    parser.read(TABLE)
    return {name: parser[name] for name in parser.sections()}


def runs(folder=None):
    """All runs of the table: in the environments of a folder, or in this Python."""
    found, here = [], pathlib.Path(sys.executable)
    for name, section in table().items():
        python = pathlib.Path(folder, name, "bin", "python") if folder else here
        lines = section["runs"].strip().splitlines()
        several = len({line.split()[0] for line in lines}) > 1
        for line in lines:
            adapter, *pairs = line.split()
            variables = dict(pair.split("=", 1) for pair in pairs)
            title = f"{name} {adapter}" if several else name
            run = Run(title if folder else adapter, adapter, variables,
                      str(python) if python.exists() else None)
            if run not in found:  # versions of a package are one in this Python
                found.append(run)
    return found


def interpreter(section):
    """A Python that is new enough for the packages of a section; None if there is none."""
    oldest = section.get("python", "3.10")
    if sys.version_info >= tuple(map(int, oldest.split("."))):
        return sys.executable
    return shutil.which(f"python{oldest}")


def install(folder, wanted, say):
    """Makes the environments that a folder does not have; `wanted` selects them by name."""
    missing = {name: section for name, section in table().items()
               if wanted(name) and not pathlib.Path(folder, name, "complete").exists()}
    for name in [name for name, section in missing.items() if not interpreter(section)]:
        say(f"leaves out {name}: there is no python{missing.pop(name)['python']}")
    disk = sum(section.getint("disk") for section in missing.values())
    seconds = sum(section.getint("seconds") for section in missing.values())
    if missing:
        say(f"installs {', '.join(missing)} in {folder}: about {disk:,} MiB, "
            f"{-(-seconds // 60)} minutes")
    for name, section in missing.items():
        target = pathlib.Path(folder, name)
        built = ["--no-binary", section["source"]] if "source" in section else []
        subprocess.run([interpreter(section), "-m", "venv", "--clear", str(target)], check=True)
        subprocess.run([str(target / "bin" / "python"), "-m", "pip", "install", "--quiet",
                        "--no-deps", "--disable-pip-version-check", "--only-binary", ":all:",
                        *built, *section["requires"].split()], check=True)
        (target / "complete").touch()
