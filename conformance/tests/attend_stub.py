# SPDX-License-Identifier: MIT
# attend_stub.py -- a module that SOFTFP8_ATTEND may name: attend_stub.c in the way that STUB says
import ctypes
import math
import os
import struct
import sys
import time

how = os.environ["STUB"]
if how == "import":
    raise RuntimeError("not today")
library = ctypes.CDLL(os.environ["STUB_LIBRARY"])


def attend(r):
    if how == "raises" and r.number == "9":
        raise NotImplementedError("no such head\nsize")
    if how == "wrong":
        raise ValueError("a fault")
    if how == "refuses":
        raise NotImplementedError("not on this device")
    if how == "crash" and r.number == "3":
        os.abort()
    if how == "exit" and r.number == "3":
        sys.stderr.write("all is lost\n")
        os._exit(4)
    if how == "hang" and r.number == "3":
        time.sleep(1000)
    if how == "rubbish":
        return "rubbish", None
    width = {"f32": 4, "bf16": 2, "e4m3": 1, "e5m2": -1}
    widths = [width[r.q_words], width[r.kv_words], width[r.out_words]]
    rows = r.batch * r.queries * r.heads
    out, lse = ctypes.create_string_buffer(rows * r.dim * widths[2]), (ctypes.c_float * rows)()
    library.attend_stub(
        how.encode(), (ctypes.c_int64 * 7)(r.batch, r.queries, r.keys, r.heads, r.kv_heads, r.dim,
                                           r.causal),
        (ctypes.c_int64 * 3)(*widths), (ctypes.c_float * 3)(r.scale, r.k_scale, r.v_scale),
        r.q, r.k, r.v, out, lse)
    if how == "short":
        return out.raw[:-1], bytes(lse)
    if how == "no-lse":
        return out.raw, None
    if how == "loud":
        print("status 0\nabsent nothing")
    return out.raw, bytes(lse)


def bf16(words):
    return [struct.unpack("f", struct.pack("I", x << 16))[0]
            for x in struct.unpack("%dH" % (len(words) // 2), words)]


def to_bf16(x):
    bits = struct.unpack("I", struct.pack("f", x))[0]
    return bits + 0x7FFF + (bits >> 16 & 1) >> 16


def merge(r):
    """Two parts by their lse; a part of no key, whose lse is -infinity, has no weight."""
    a, b, n = bf16(r.q), bf16(r.k), len(r.v) // 8
    s = struct.unpack("%df" % (2 * n), r.v)
    out, lse = [], []
    for i in range(n):
        most = max(s[i], s[n + i])
        exp = math.exp if how != "exp2" else lambda x: 2 ** x
        u, v = exp(s[i] - most), exp(s[n + i] - most)
        if how == "swapped":
            u, v = v, u
        rows = range(i * r.dim, (i + 1) * r.dim)
        out += [to_bf16((u * a[k] + v * b[k]) / (u + v)) for k in rows]
        lse.append(most + (math.log(u + v) if how != "max" else 0))
    return struct.pack("%dH" % len(out), *out), struct.pack("%df" % n, *lse)
