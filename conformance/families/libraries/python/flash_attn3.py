# SPDX-License-Identifier: MIT
# flash_attn3.py -- flash_attn_interface, that is FlashAttention-3
#
# No options. Of e4m3 the scales are one for each request and head of keys; lse is
# [batch][head][query].
def begin(options):
    torch, name = torch_open("cuda")
    import flash_attn_interface
    import inspect
    more = {}
    if "return_attn_probs" in inspect.signature(flash_attn_interface.flash_attn_func).parameters:
        more["return_attn_probs"] = True

    def answer(request):
        q, k, v = (torch_tensor(request, n, "cuda") for n in "qkv")

        def descale(by):
            return torch.full((request.batch, request.kv_heads), by, dtype=torch.float32,
                              device="cuda")

        scales = {}
        if request.kv_words == "e4m3":
            scales = {"q_descale": descale(request.q_scale), "k_descale": descale(request.k_scale),
                      "v_descale": descale(request.v_scale)}
        out, lse = flash_attn_interface.flash_attn_func(
            q, k, v, softmax_scale=request.scale, causal=request.causal, **scales, **more)[:2]
        return torch_answer(request, out, lse.transpose(1, 2))

    return "flash_attn_interface, " + name, answer
