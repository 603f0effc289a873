# SPDX-License-Identifier: MIT
# jax_nn.py -- jax.nn.dot_product_attention
#
# Options: cpu or gpu; xla or cudnn. Its causal mask begins at the upper left.
def begin(options):
    place, implementation = options
    os.environ["JAX_PLATFORMS"] = "cpu" if place == "cpu" else ""
    import jax
    import jax.numpy as jnp
    import numpy
    if place == "gpu" and jax.default_backend() != "gpu":
        raise Absent("jax " + jax.__version__ + " has no GPU")
    formats = {"f32": jnp.float32, "bf16": jnp.bfloat16, "f16": jnp.float16}

    def answer(request):
        q, k, v = (jnp.asarray(numpy.frombuffer(
            request.words(n), dtype=formats[request.format(n)]).reshape(request.shape(n)))
            for n in "qkv")
        out = jax.nn.dot_product_attention(q, k, v, scale=request.scale,
                                           is_causal=request.causal,
                                           implementation=implementation)
        if out.dtype != formats[request.out_words] or out.shape != request.shape("out"):
            raise TypeError("%s of %s came" % (out.dtype, out.shape))
        return numpy.asarray(out).tobytes(), None

    device = jax.devices()[0].device_kind
    return "jax %s, %s, %s" % (jax.__version__, device, implementation), answer
