# SPDX-License-Identifier: MIT
# merge_states.py -- two partial results of attention put together: flashinfer.merge_state, or
# vllm's merge_attn_states
#
# Options: flashinfer, whose lse is in base 2, or vllm, whose lse is [head][token]. q has the output
# of the first part, k that of the second, v the lse of both as f32, [part][token][head].
def begin(options):
    torch, name = torch_open("cuda")
    if options[0] == "flashinfer":
        import flashinfer

        def merge(a, s_a, b, s_b):
            return flashinfer.merge_state(a, s_a, b, s_b)
    else:
        try:
            from vllm.v1.attention.ops.merge_attn_states import merge_attn_states
        except ImportError:
            from vllm.attention.ops.merge_attn_states import merge_attn_states

        def merge(a, s_a, b, s_b):
            out, lse = torch.empty_like(a), torch.empty_like(s_a.T.contiguous())
            merge_attn_states(out, a, s_a.T.contiguous(), b, s_b.T.contiguous(), lse)
            return out, lse.T

    def answer(request):
        shape = request.shape("out")
        a, b = (torch_tensor(request, n, "cuda").reshape(-1, *shape[2:]) for n in "qk")
        s = torch.frombuffer(request.words("v"), dtype=torch.float32).to("cuda")
        s = s.reshape(2, *a.shape[:2])
        out, lse = merge(a, s[0].contiguous(), b, s[1].contiguous())
        return torch_answer(request, out.reshape(shape), lse.reshape(shape[:3]))

    return options[0] + ", " + name, answer
