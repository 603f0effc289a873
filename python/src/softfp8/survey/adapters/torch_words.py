# SPDX-License-Identifier: MIT
"""torch_words.py -- arrays of words as tensors of PyTorch, and back"""
import numpy as np
import torch

import lab

INTEGER = {8: torch.uint8, 16: torch.int16, 32: torch.int32, 64: torch.int64}
SIGNED = {8: np.uint8, 16: np.int16, 32: np.int32, 64: np.int64}


def tensor(words, name):
    """A tensor of a format that has these words."""
    w = np.ascontiguousarray(words).view(SIGNED[lab.BITS[name]])
    return torch.from_numpy(w).view(getattr(torch, lab.NUMPY[name]))


def words_of(x, name):
    """The words of a tensor whose elements are as wide as those of a format."""
    return x.contiguous().view(INTEGER[lab.BITS[name]]).numpy().view(lab.dtype_of(name))
