# SPDX-License-Identifier: MIT
"""from_tensorflow.py -- TensorFlow on the CPU: eager tf.cast"""
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"

import tensorflow as tf

import lab

PACKAGE, VERSION = "tensorflow", tf.__version__
NARROW = ["e4m3", "e5m2"]
TYPES = {name: tf.as_dtype(lab.NUMPY[name]) for name in lab.WIDE}
TYPES |= {name: getattr(tf.dtypes.experimental, lab.NUMPY[name]) for name in NARROW}


def cast(source, to):
    def run(words):
        x = tf.constant(words.view(TYPES[source].as_numpy_dtype))
        return tf.cast(x, TYPES[to]).numpy().view(lab.dtype_of(to))
    return run


def conversions():
    for source in lab.WIDE + NARROW:
        for to in NARROW if source in lab.WIDE else lab.WIDE + NARROW:
            if source != to:
                yield source, to, "", cast(source, to)
