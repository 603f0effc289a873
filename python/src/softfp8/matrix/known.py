# SPDX-License-Identifier: MIT
"""The outputs that run.py stored: which file belongs to which product, conversion and mode."""
import collections
import glob
import os
import re

import numpy as np

# The package's name, and softfp8's for the product.
PRODUCTS = {"jax": "xla", "gguf": "ggml"}
PACKAGES = ("onnxruntime|onnx|jax|torch|gguf|ml_dtypes|mlx|numkong|openvino|paddle|tensorflow|"
            "tinygrad")
NAME = re.compile(rf"({PACKAGES})-([0-9.]+)-([a-z0-9]+)_to_([a-z0-9]+)(?:-(.*))?$")
# Rounding modes of ONNX's Cast to e8m0, as softfp8 names them. The default is up.
ROUND = {"down": {"round": "rz"}, "nearest": {"round": "rna"}, "up": {}}

Output = collections.namedtuple("Output", "path product package version source to mode fields")


def outputs(folder):
    """All outputs in a folder. Scales and codes of blocks are no conversions and are left out."""
    found = []
    for path in sorted(glob.glob(os.path.join(folder, "*.npz"))):
        match = NAME.match(os.path.basename(path)[:-4])
        if not match:
            continue
        package, version, source, to, mode = match.groups()
        mode = mode or "-"
        if "amax" in mode or mode == "half":
            continue
        product = PRODUCTS.get(package, package)
        if package == "torch":
            product = "torch-" + ".".join(version.split(".")[:2])
        if "saturate=0" in mode:
            product += "-nosat"
        rounding = re.search("round_mode=([a-z]+)", mode)
        fields = ROUND[rounding.group(1)] if rounding else {}
        found.append(Output(path, product, package, version, source, to, mode, fields))
    return found


def load(output):
    """Input words and the codes that the package gave."""
    stored = np.load(output.path)
    return stored["w"], stored["c"]
