# SPDX-License-Identifier: MIT
# own.py -- a module of the user's own, which SOFTFP8_ATTEND names
#
# Its function attend(request) gets a request with q, k, v, bytes of words, and batch, queries,
# keys, heads, kv_heads, dim, causal, scale, q_scale, k_scale, v_scale, q_words, kv_words,
# out_words. It returns the bytes of the output and those of lse (f32, base e), or None. Where it has
# merge(request) two parts are put together: q and k are their outputs, v is their lse, f32
# [part][token][head].
def begin(options):
    name = os.environ["SOFTFP8_ATTEND"]
    need_module(name)
    module = importlib.import_module(name)
    if options and not hasattr(module, "merge"):
        raise Absent("the module " + name + " has no merge")

    def answer(request):
        request.q, request.k, request.v = (bytes(request.words(n)) for n in "qkv")
        if options:
            return module.merge(request)
        return module.attend(request)

    return name, answer
