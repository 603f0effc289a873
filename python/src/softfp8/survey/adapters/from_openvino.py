# SPDX-License-Identifier: MIT
"""from_openvino.py -- OpenVINO: Convert, compiled by the CPU plugin and by the model's evaluate"""
import numpy as np
import openvino as ov
from openvino import opset13

import lab

PACKAGE, VERSION = "openvino", ov.__version__.split("-")[0]
NARROW = ["e4m3", "e5m2", "e8m0", "e2m1"]
TYPES = {
    "f32": ov.Type.f32, "f64": ov.Type.f64, "f16": ov.Type.f16, "bf16": ov.Type.bf16,
    "e4m3": ov.Type.f8e4m3, "e5m2": ov.Type.f8e5m2, "e8m0": ov.Type.f8e8m0,
    "e2m1": ov.Type.f4e2m1,
}
HOST = {16: np.uint16, 32: np.float32, 64: np.float64}
OPTIONS = {"INFERENCE_NUM_THREADS": 1, "INFERENCE_PRECISION_HINT": "f32"}
core = ov.Core()


def packed(words, source):
    """FP4 comes two to a byte, the first in the low half."""
    w = np.ascontiguousarray(words)
    if source == "e2m1":
        return w[0::2] | w[1::2] << 4
    return w if lab.BITS[source] == 8 else w.view(HOST[lab.BITS[source]])


def unpacked(data, to, n):
    codes = np.ascontiguousarray(data).view(lab.dtype_of(to)).reshape(-1).copy()
    if to == "e2m1":
        codes = np.stack([codes & 15, codes >> 4], 1).reshape(-1)
    return codes[:n]


def cast(source, to, how):
    made = {}

    def prepared(n):
        if n not in made:
            made.clear()
            x = opset13.parameter([n], TYPES[source])
            y = opset13.convert(x, TYPES[to].to_string())
            m = ov.Model([opset13.result(y)], [x], "cast")
            made[n] = core.compile_model(m, "CPU", OPTIONS) if how == "cpu" else m
        return made[n]

    def run(words):
        n = len(words)
        model = prepared(n)
        x = ov.Tensor(packed(words, source), ov.Shape([n]), TYPES[source])
        if how == "cpu":
            return unpacked(model([x])[0], to, n)
        out = ov.Tensor(TYPES[to], ov.Shape([n]))
        if not model.evaluate([out], [x]):
            raise ValueError("no evaluate for these types")
        return unpacked(out.data, to, n)
    return run


def conversions():
    for source in lab.WIDE + NARROW:
        for to in NARROW if source in lab.WIDE else lab.WIDE:
            for how in ("cpu", "evaluate"):
                yield source, to, how, cast(source, to, how)
