# SPDX-License-Identifier: MIT
"""onnx_models.py -- ONNX models of one Cast node, and the attributes that they are run with"""
from onnx import TensorProto, helper

import lab

FP8 = ["e4m3", "e5m2", "e4m3fnuz", "e5m2fnuz"]
KIND = {
    "f32": TensorProto.FLOAT, "f64": TensorProto.DOUBLE, "f16": TensorProto.FLOAT16,
    "bf16": TensorProto.BFLOAT16, "e4m3": TensorProto.FLOAT8E4M3FN,
    "e5m2": TensorProto.FLOAT8E5M2, "e4m3fnuz": TensorProto.FLOAT8E4M3FNUZ,
    "e5m2fnuz": TensorProto.FLOAT8E5M2FNUZ, "e2m1": TensorProto.FLOAT4E2M1,
    "e8m0": TensorProto.FLOAT8E8M0,
}


def model(source, to, attributes):
    node = helper.make_node("Cast", ["x"], ["y"], to=KIND[to], **attributes)
    x = helper.make_tensor_value_info("x", KIND[source], ["n"])
    y = helper.make_tensor_value_info("y", KIND[to], ["n"])
    return helper.make_model(helper.make_graph([node], "cast", [x], [y]), ir_version=12,
                             opset_imports=[helper.make_opsetid("", 25)])


# Rounding modes of Cast to e8m0, as softfp8 names them. The default is up.
ROUND = {"down": " round=rz", "nearest": " round=rna"}


def claim_of(product, mode):
    """The policy that a product claims for a mode."""
    return product + ("-nosat" if "saturate=0" in mode else "") + \
        ROUND.get(mode.rpartition("round_mode=")[2], "")


def casts(with_e2m1):
    """(source, to, mode, attributes) of all Cast nodes."""
    for source in lab.WIDE:
        for saturate in (1, 0):
            for to in FP8 + (["e2m1"] if with_e2m1 else []):
                yield source, to, f"saturate={saturate}", {"saturate": saturate}
            for mode in ("up", "down", "nearest"):
                yield source, "e8m0", f"saturate={saturate},round_mode={mode}", \
                    {"saturate": saturate, "round_mode": mode}
    for source in FP8 + ["e8m0"] + (["e2m1"] if with_e2m1 else []):
        for to in lab.WIDE:
            yield source, to, "", {}
