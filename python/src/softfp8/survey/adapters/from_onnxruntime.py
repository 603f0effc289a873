# SPDX-License-Identifier: MIT
"""from_onnxruntime.py -- ONNX Runtime on the CPU: Cast"""
import numpy as np
import onnxruntime as ort

import lab
from onnx_models import KIND, casts, claim_of, model

PACKAGE, VERSION = "onnxruntime", ort.__version__


def value(words, name):
    return ort.OrtValue.ortvalue_from_numpy_with_onnx_type(np.ascontiguousarray(words), KIND[name])


def cast(source, to, attributes):
    def session():
        options = ort.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 4
        return ort.InferenceSession(model(source, to, attributes).SerializeToString(), options,
                                    providers=["CPUExecutionProvider"])
    made = []

    def run(words):
        if not made:  # only when it is used: a node may not exist for these types
            made.append(session())
        out = np.empty(len(words), lab.dtype_of(to))
        binding = made[0].io_binding()
        binding.bind_ortvalue_input("x", value(words, source))
        binding.bind_ortvalue_output("y", value(out, to))
        made[0].run_with_iobinding(binding)
        return out
    return run


def claim(source, to, mode):
    return claim_of(PACKAGE, mode)


def conversions():
    for source, to, mode, attributes in casts(with_e2m1=False):
        yield source, to, mode, cast(source, to, attributes)
