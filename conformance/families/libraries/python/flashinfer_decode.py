# SPDX-License-Identifier: MIT
# flashinfer_decode.py -- flashinfer, one query for each request
#
# Options: single or paged. lse is in base 2. Pages of 16 lie in reverse; what no request has of
# them is NaN.
def begin(options):
    torch, name = torch_open("cuda")
    import flashinfer

    def single(request, q, k, v):
        pairs = [flashinfer.single_decode_with_kv_cache(
            q[i, 0], k[i], v[i], sm_scale=request.scale, return_lse=True)
            for i in range(request.batch)]
        return torch.stack([o for o, _ in pairs]), torch.stack([s for _, s in pairs])

    def pages_of(x):
        page, n = 16, -(-x.shape[1] // 16)
        bits = x.view(torch.uint8 if x.element_size() == 1 else torch.int16)
        pages = torch.full((x.shape[0] * n * page,) + tuple(bits.shape[2:]),
                           0x7F if x.element_size() == 1 else 0x7FC0, dtype=bits.dtype,
                           device="cuda").reshape(x.shape[0], n * page, *bits.shape[2:])
        pages[:, :x.shape[1]] = bits
        pages = pages.reshape(-1, page, *bits.shape[2:]).flip(0).contiguous()
        return pages.view(x.dtype)

    def paged(request, q, k, v):
        n = -(-request.keys // 16)
        total = request.batch * n
        on = {"dtype": torch.int32, "device": "cuda"}
        wrapper = flashinfer.BatchDecodeWithPagedKVCacheWrapper(
            torch.zeros(128 << 20, dtype=torch.uint8, device="cuda"), "NHD")
        wrapper.plan(torch.arange(0, total + 1, n, **on), torch.arange(total - 1, -1, -1, **on),
                     torch.full((request.batch,), (request.keys - 1) % 16 + 1, **on),
                     request.heads, request.kv_heads, request.dim, 16, q_data_type=q.dtype,
                     kv_data_type=k.dtype, sm_scale=request.scale)
        return wrapper.run(q[:, 0].contiguous(), (pages_of(k), pages_of(v)),
                           k_scale=request.k_scale, v_scale=request.v_scale, return_lse=True)

    def answer(request):
        q, k, v = (torch_tensor(request, n, "cuda") for n in "qkv")
        out, lse = (single if options[0] == "single" else paged)(request, q, k, v)
        return torch_answer(request, out.unsqueeze(1), lse.float().unsqueeze(1))

    return "flashinfer %s, %s" % (flashinfer.__version__, name), answer
