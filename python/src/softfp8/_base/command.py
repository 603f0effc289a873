# SPDX-License-Identifier: MIT
"""command.py -- runs the command softfp8, which comes with the package"""
import errno
import os
import pathlib
import re
import subprocess
import sys

PATH = pathlib.Path(__file__).parent.parent / "bin" / "softfp8"


class CommandError(ValueError):
    """The command refused its arguments; the text is its message."""


def main():
    """Runs the command in place of this process: the script `softfp8`, and `python -m softfp8`."""
    os.execv(PATH, ["softfp8", *sys.argv[1:]])


def run(*arguments, input=None):
    """Runs the command, and returns what it prints. Status 1, a mismatch, is no error here."""
    try:
        done = subprocess.run([str(PATH), *map(str, arguments)], input=input, capture_output=True)
    except OSError as error:
        if error.errno != errno.E2BIG:
            raise
        raise CommandError(f"{arguments[0]}: {len(arguments)} words are more than the command "
                           "takes at once; expected fewer values, or shorter names") from None
    if done.returncode not in (0, 1):
        raise CommandError(done.stderr.decode().strip().removeprefix("softfp8 "))
    return done.stdout.decode()


def advice(message):
    """What the command advises, as advice for Python."""
    message = re.sub("did you mean '([^']*)'", r"did you mean \1", message)
    message = re.sub("'softfp8 formats ([^' ]+)'", r"softfp8.format('\1')", message)
    return re.sub("'softfp8 (recipes|policies|formats)(?: ([^' -][^' ]*))?'", lambda found:
                  f"softfp8.{found[1]}({repr(found[2]) if found[2] else ''})", message)


def found_by(kind, words):
    """The names of recipes, or of policies, that the command finds by words.

    kind  "recipes" or "policies"
    """
    for word in words:
        if not isinstance(word, str):
            raise TypeError(f"{kind}: expected words, got {type(word).__name__}")
        if not word.strip() or "\0" in word:
            raise ValueError(f"{kind}: expected words, got {word!r}")
    try:
        return run(kind, "--names", "--", *words).split()
    except CommandError as error:
        message = str(error).removeprefix(f"{kind}: ")
        raise ValueError(f"{kind}: {advice(message)}") from None


def not_found(argument, kind, name):
    """The error for a name of which there is no recipe, or no policy: what else it is a name of, or
    what is near to it."""
    try:
        several = found_by(kind, [name])
        return ValueError(f"{argument}: {name!r} is the name of {len(several)} {kind}; "
                          f"softfp8.{kind}({name!r}) lists them")
    except ValueError as error:
        message = str(error).removeprefix(f"{kind}: ")
        return ValueError(f"{argument}: " + re.sub("^no (recipe|policy) ", "unknown name ", message))
