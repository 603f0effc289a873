# SPDX-License-Identifier: MIT
"""from_paddle.py -- PaddlePaddle on the CPU: Tensor.astype"""
import numpy as np
import paddle

import lab

paddle.set_device("cpu")
PACKAGE, VERSION = "paddle", paddle.__version__
NARROW = ["e4m3", "e5m2"]


def tensor(words, name):
    if name in NARROW:
        return paddle.to_tensor(words.view(np.uint8)).view(lab.NUMPY[name])
    if name == "bf16":
        return paddle.to_tensor(words.view(np.int16)).view("bfloat16")
    return paddle.to_tensor(words.view(lab.NUMPY[name]))


def cast(source, to):
    def run(words):
        y = tensor(np.ascontiguousarray(words), source).astype(lab.NUMPY[to])
        return y.numpy().view(lab.dtype_of(to))
    return run


def conversions():
    for source in lab.WIDE + NARROW:
        for to in NARROW if source in lab.WIDE else lab.WIDE:
            yield source, to, "", cast(source, to)
