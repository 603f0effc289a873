# SPDX-License-Identifier: MIT
# torch_sdpa.py -- torch.nn.functional.scaled_dot_product_attention, by one of its back ends
#
# Options: cpu or cuda; flash, efficient, cudnn or math. Its causal mask begins at the upper left.
def begin(options):
    place, back_end = options
    torch, name = torch_open(place)
    from torch.nn.attention import SDPBackend, sdpa_kernel
    chosen = {"flash": SDPBackend.FLASH_ATTENTION, "efficient": SDPBackend.EFFICIENT_ATTENTION,
              "cudnn": SDPBackend.CUDNN_ATTENTION, "math": SDPBackend.MATH}[back_end]

    def answer(request):
        q, k, v = (torch_tensor(request, n, place).transpose(1, 2) for n in "qkv")
        group = request.heads // request.kv_heads
        if group > 1:  # not all back ends take fewer heads of keys
            k, v = (x.repeat_interleave(group, dim=1) for x in (k, v))
        with sdpa_kernel(chosen):
            out = torch.nn.functional.scaled_dot_product_attention(
                q, k, v, is_causal=request.causal, scale=request.scale)
        return torch_answer(request, out.transpose(1, 2))

    return name + ", back end " + back_end, answer
