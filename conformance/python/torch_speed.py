# SPDX-License-Identifier: MIT
# torch_speed.py -- how long PyTorch takes for one query of each request: prints seconds
#
# Arguments: requests, keys, heads, heads of keys, elements. Keys and values of bf16 lie one behind
# the other; the median of 21 times.
import sys

import torch


def make(heads, n):
    return torch.randn(requests, heads, n, dim, dtype=torch.bfloat16, device="cuda")


requests, keys, heads, kv_heads, dim = map(int, sys.argv[1:])
q, k, v = make(heads, 1), make(kv_heads, keys), make(kv_heads, keys)
times = []
for _ in range(22):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    torch.nn.functional.scaled_dot_product_attention(q, k, v, enable_gqa=heads != kv_heads)
    end.record()
    torch.cuda.synchronize()
    times.append(begin.elapsed_time(end))
print(sorted(times[1:])[10] / 1000)
