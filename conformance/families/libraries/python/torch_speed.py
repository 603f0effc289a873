# SPDX-License-Identifier: MIT
# torch_speed.py -- how long PyTorch takes for one query of each request: prints seconds
#
# Arguments: requests, keys, heads, heads of keys, elements. Keys and values of bf16 lie one behind
# the other; the median of 21 times, each begun when the device has done something else, after some
# 50 ms of others.
import sys

import torch


def make(heads, n):
    return torch.randn(requests, heads, n, dim, dtype=torch.bfloat16, device="cuda")


requests, keys, heads, kv_heads, dim = map(int, sys.argv[1:])
q, k, v = make(heads, 1), make(kv_heads, keys), make(kv_heads, keys)
times, warm = [], 0
while len(times) < 21:
    torch.cuda._sleep(50000)
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    torch.nn.functional.scaled_dot_product_attention(q, k, v, enable_gqa=heads != kv_heads)
    end.record()
    torch.cuda.synchronize()
    took = begin.elapsed_time(end)
    if warm < 50:
        warm += took + 0.01
    else:
        times.append(took)
print(sorted(times)[10] / 1000)
