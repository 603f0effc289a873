# SPDX-License-Identifier: MIT
# flash_attn2.py -- flash_attn, that is FlashAttention-2
#
# Options: func or kvcache. Its causal mask ends at the lower right; lse is [batch][head][query].
def begin(options):
    torch, name = torch_open("cuda")
    import flash_attn

    def answer(request):
        q, k, v = (torch_tensor(request, n, "cuda") for n in "qkv")
        if options[0] == "func":
            out, lse, _ = flash_attn.flash_attn_func(
                q, k, v, dropout_p=0.0, softmax_scale=request.scale, causal=request.causal,
                return_attn_probs=True)
        else:
            # The cache has more rows than are used: all NaN, which nobody may read.
            room = torch.full((request.batch, 48, request.kv_heads, request.dim), float("nan"),
                              dtype=k.dtype, device="cuda")
            lengths = torch.full((request.batch,), request.keys, dtype=torch.int32, device="cuda")
            out, lse = flash_attn.flash_attn_with_kvcache(
                q, torch.cat((k, room), 1), torch.cat((v, room), 1), cache_seqlens=lengths,
                softmax_scale=request.scale, causal=request.causal, return_softmax_lse=True)
        return torch_answer(request, out, lse.transpose(1, 2))

    return "flash_attn %s, %s" % (flash_attn.__version__, name), answer
