# SPDX-License-Identifier: MIT
# vllm_paged.py -- vllm, attention over pages of 16
#
# Options: v1, v2 (vllm._custom_ops.paged_attention_*, while it had them) or triton
# (triton_unified_attention). Pages lie in reverse; what no request has of them is NaN.
def begin(options):
    torch, name = torch_open("cuda")
    import vllm
    if options[0] == "triton":
        try:
            from vllm.v1.attention.ops.triton_unified_attention import unified_attention
        except ImportError:
            from vllm.attention.ops.triton_unified_attention import unified_attention
    else:
        from vllm import _custom_ops as ops
        if not hasattr(ops, "paged_attention_" + options[0]):
            raise Absent("vllm " + vllm.__version__ + " has no paged_attention_" + options[0])

    def pages_of(x):
        """[pages][16][heads][dim]"""
        n = -(-x.shape[1] // 16)
        bits = x.view(torch.uint8 if x.element_size() == 1 else torch.int16)
        pages = torch.full((x.shape[0], n * 16) + tuple(bits.shape[2:]),
                           0x7F if x.element_size() == 1 else 0x7FC0, dtype=bits.dtype,
                           device="cuda")
        pages[:, :x.shape[1]] = bits
        return pages.reshape(-1, 16, *bits.shape[2:]).flip(0).contiguous()

    def tables(request):
        n = -(-request.keys // 16)
        on = {"dtype": torch.int32, "device": "cuda"}
        total = request.batch * n
        return (torch.arange(total - 1, -1, -1, **on).reshape(request.batch, n),
                torch.full((request.batch,), request.keys, **on))

    def paged(request, q, k, v, out):
        table, lengths = tables(request)
        pages = pages_of(k)
        one = 16 // pages.element_size()
        keys = pages.reshape(-1, 16, request.kv_heads, request.dim // one, one)
        keys = keys.permute(0, 2, 3, 1, 4).contiguous()
        values = pages_of(v).permute(0, 2, 3, 1).contiguous()
        eight = request.kv_words == "e4m3"
        if not eight:
            keys, values = keys.view(k.dtype), values.view(v.dtype)
        scales = [torch.tensor(s, dtype=torch.float32, device="cuda")
                  for s in (request.k_scale, request.v_scale)]
        common = [q[:, 0].contiguous(), keys, values, request.kv_heads, request.scale, table,
                  lengths, 16, request.keys, None, "fp8" if eight else "auto", *scales]
        if options[0] == "v1":
            ops.paged_attention_v1(out, *common)
            return
        parts = -(-request.keys // 512)
        sums = torch.empty((request.batch, request.heads, parts), dtype=torch.float32,
                           device="cuda")
        room = torch.empty((request.batch, request.heads, parts, request.dim), dtype=out.dtype,
                           device="cuda")
        ops.paged_attention_v2(out, sums, torch.empty_like(sums), room, *common)

    def unified(request, q, k, v, out):
        table, lengths = tables(request)
        starts = torch.arange(0, (request.batch + 1) * request.queries, request.queries,
                              dtype=torch.int32, device="cuda")
        unified_attention(
            q=q.reshape(-1, request.heads, request.dim), k=pages_of(k).view(k.dtype),
            v=pages_of(v).view(v.dtype), out=out, cu_seqlens_q=starts,
            max_seqlen_q=request.queries, seqused_k=lengths, max_seqlen_k=request.keys,
            softmax_scale=request.scale, causal=True, window_size=(-1, -1), block_table=table,
            softcap=0, q_descale=None, k_descale=None, v_descale=None)

    def answer(request):
        q, k, v = (torch_tensor(request, n, "cuda") for n in "qkv")
        out = torch.empty((request.batch * request.queries, request.heads, request.dim),
                          dtype=q.dtype, device="cuda")
        (unified if options[0] == "triton" else paged)(request, q, k, v, out)
        torch.cuda.synchronize()
        return torch_answer(request, out.reshape(request.shape("out")))

    return "vllm %s, %s" % (vllm.__version__, name), answer
