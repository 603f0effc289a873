# SPDX-License-Identifier: MIT
"""backend.py -- builds the package with scikit-build-core; a source archive has the C sources

They lie beside this folder, not in it, and a source archive has only what is in the folder.
Therefore the archive is made from a copy of the folder, with the C sources in `sources/`.
"""
import contextlib
import os
import pathlib
import shutil
import tempfile

from scikit_build_core import build as scikit
from scikit_build_core.build import *  # noqa: F403 -- the other hooks are used as they are

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = "CMakeLists.txt", "LICENSE", "cmake", "lib", "gpu", "conformance", "tools", "python"
# The tests and the proof of C, the records of GPUs and the scripts that measure products: a build
# does not need them.
LEFT_OUT = ("tests", "bench", "records", "proof", "mutation", "products", "src", "sources",
            "__pycache__")


def copy_tree(folder):
    """Copies this folder to `folder`, and the C sources into its `sources`."""
    shutil.copytree(HERE, folder,
                    ignore=shutil.ignore_patterns("products", "__pycache__", "dist"))
    for name in SOURCES:
        path = HERE.parent / name
        if path.is_dir():
            # lib/src is C; python/src is the package, which is copied already
            out = LEFT_OUT if name == "python" else [part for part in LEFT_OUT if part != "src"]
            ignore = shutil.ignore_patterns(*out)
            shutil.copytree(path, folder / "sources" / name, ignore=ignore)
        else:
            (folder / "sources").mkdir(exist_ok=True)
            shutil.copy(path, folder / "sources" / name)


def build_sdist(sdist_directory, config_settings=None):
    """Makes the source archive. In an unpacked archive the sources are in place already."""
    target = os.path.abspath(sdist_directory)
    if (HERE / "sources").is_dir():
        return scikit.build_sdist(target, config_settings)
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary) / "softfp8"
        copy_tree(folder)
        with contextlib.chdir(folder) if hasattr(contextlib, "chdir") else _chdir(folder):
            return scikit.build_sdist(target, config_settings)


@contextlib.contextmanager
def _chdir(folder):
    """contextlib.chdir, which Python 3.10 does not have."""
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
