# SPDX-License-Identifier: MIT
"""softfp8.testing -- assertions for tests of kernels: a failure says what the kernel did instead

    >>> import numpy as np
    >>> import softfp8 as sf
    >>> from softfp8.testing import assert_bits
    >>> x = np.linspace(-500, 500, 1001, dtype=np.float32)
    >>> assert_bits(sf.convert(x, "e4m3"), inputs=x, fmt="e4m3")
    >>> truncated = sf.convert(x, "e4m3", round="rz")
    >>> assert_bits(truncated, inputs=x, fmt="e4m3")        # doctest: +ELLIPSIS
    Traceback (most recent call last):
    AssertionError: 394 of 1,001 codes of e4m3 differ (39.4 %)
    ...
      likely mistake: rounds toward zero
"""
from .attention import assert_attention
from .batches import assert_batch_invariant
from .bits import assert_bits
from .fused import assert_fused, diagnose_fused
from .inputs import all_codes, all_pairs, critical, critical_tensor
from .quantized import assert_quantized
from .same_attention import assert_same_attention

__all__ = ["all_codes", "all_pairs", "assert_attention", "assert_batch_invariant", "assert_bits",
           "assert_fused", "assert_quantized", "assert_same_attention", "critical",
           "critical_tensor", "diagnose_fused"]
