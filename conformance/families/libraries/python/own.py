# SPDX-License-Identifier: MIT
# own.py -- a module of the user's own, which SOFTFP8_ATTEND names
#
# Its function attend(request) gets a request with q, k, v, bytes of words, and batch, queries,
# keys, heads, kv_heads, dim, causal, scale, q_scale, k_scale, v_scale, q_words, kv_words,
# out_words. It returns the bytes of the output and those of lse (f32, base e), or None. Where it has
# merge(request) two parts are put together: q and k are their outputs, v is their lse, f32
# [part][token][head]. NotImplementedError says that it cannot
# do so here; whatever else it raises is a fault of it.
def begin(options):
    name = os.environ["SOFTFP8_ATTEND"]
    need_module(name)
    try:
        module = importlib.import_module(name)
    except Exception as x:
        raise Broken(one_line(x))
    if options and not hasattr(module, "merge"):
        raise Absent("the module " + name + " has no merge")

    def answer(request):
        request.q, request.k, request.v = (bytes(request.words(n)) for n in "qkv")
        try:
            return module.merge(request) if options else module.attend(request)
        except NotImplementedError:
            raise
        except Exception as x:
            raise Broken(one_line(x))

    return name, answer
