# SPDX-License-Identifier: MIT
"""bare.py -- packages of which none of their own files was run, so that one file can be imported

To import vLLM, SGLang or FlashInfer needs a GPU, and many other packages. The files of their
kernels and quantizers need little.
"""
import importlib.metadata
import sys
import types


def version(distribution):
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError as error:
        raise ModuleNotFoundError(str(error)) from None


def packages(distribution, module):
    """Makes the packages above a module importable without running them."""
    parts = module.split(".")[:-1]
    for i in range(1, len(parts) + 1):
        name = ".".join(parts[:i])
        if name not in sys.modules:
            made(name).__path__ = [str(importlib.metadata.distribution(distribution).locate_file(
                "/".join(parts[:i])))]


def made(name, **names):
    """Makes a module with these names."""
    sys.modules[name] = module = types.ModuleType(name)
    module.__dict__.update(names)
    return module
