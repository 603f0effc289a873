# SPDX-License-Identifier: MIT
"""from_onnx.py -- ONNX's reference evaluator: Cast"""
import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator

import lab
from from_ml_dtypes import type_of
from onnx_models import casts, claim_of, model

PACKAGE, VERSION = "onnx", onnx.__version__


def cast(source, to, attributes):
    evaluator = ReferenceEvaluator(model(source, to, attributes))

    def run(words):
        with np.errstate(all="ignore"):
            y = evaluator.run(None, {"x": words.view(type_of(source))})[0]
        return np.asarray(y).view(lab.dtype_of(to))
    return run


def claim(source, to, mode):
    return claim_of(PACKAGE, mode)


def conversions():
    for source, to, mode, attributes in casts(with_e2m1=True):
        yield source, to, mode, cast(source, to, attributes)
