/* SPDX-License-Identifier: MIT */
/* bytes.c -- how many bytes a token takes in a cache, scales and offsets included */
#include "softfp8_kv.h"
#include "text/names.h"

const sf8_kv_type *sf8_kv_type_at(size_t i)
{
    static const sf8_kv_type types[] = {
        {"f32", SF8_KV_KEYS_VALUES, 32, 0, 0, 0, 0, "as the model"},
        {"bf16", SF8_KV_KEYS_VALUES, 16, 0, 0, 0, 0, "as the model"},
        {"f16", SF8_KV_KEYS_VALUES, 16, 0, 0, 0, 0, "as the model"},
        {"fp8", SF8_KV_KEYS_VALUES, 8, 0, 0, 0, 0, "vLLM fp8, SGLang, TensorRT-LLM"},
        {"int8", SF8_KV_KEYS_VALUES, 8, 0, 0, 0, 0, "TensorRT-LLM"},
        {"fp8-per-token-head", SF8_KV_KEYS_VALUES, 8, 0, 4, 0, 0, "vLLM"},
        {"int8-per-token-head", SF8_KV_KEYS_VALUES, 8, 0, 4, 0, 0, "vLLM"},
        {"int4-per-token-head", SF8_KV_KEYS_VALUES, 4, 0, 4, 0, 0, "vLLM"},
        {"kivi-int4", SF8_KV_KEYS_VALUES, 4, 32, 4, 1, 0, "KIVI, without its tail"},
        {"kivi-int2", SF8_KV_KEYS_VALUES, 2, 32, 4, 1, 0, "KIVI, without its tail"},
        {"nvfp4", SF8_KV_KEYS_VALUES, 4, 16, 1, 0, 0, "vLLM, TensorRT-LLM, FlashInfer"},
        {"sglang-kvfp4", SF8_KV_KEYS_VALUES, 4, 16, 1, 0, 0, "SGLang"},
        {"mxfp4", SF8_KV_KEYS_VALUES, 4, 32, 1, 0, 0, "OCP MX 1.0"},
        {"mxfp8", SF8_KV_KEYS_VALUES, 8, 32, 1, 0, 0, "OCP MX 1.0"},
        {"mla-bf16", SF8_KV_LATENT, 16, 0, 0, 0, 16, "vLLM concat_and_cache_mla"},
        {"mla-fp8", SF8_KV_LATENT, 8, 0, 0, 0, 8, "vLLM concat_and_cache_mla"},
        {"mla-fp8-ds", SF8_KV_LATENT, 8, 128, 4, 0, 16, "vLLM concat_and_cache_ds_mla"},
        {"indexer", SF8_KV_ONE_VECTOR, 8, 128, 4, 0, 0, "vLLM indexer_k_quant_and_cache"},
    };
    return i < sizeof types / sizeof types[0] ? &types[i] : NULL;
}

sf8_status sf8_kv_type_named(sf8_kv_type *type, const char *name)
{
    const sf8_kv_type *t;
    for (size_t i = 0; (t = sf8_kv_type_at(i)) != NULL; i++) {
        if (sf8_is_named(t->name, name)) {
            *type = *t;
            return SF8_OK;
        }
    }
    return SF8_UNKNOWN_NAME;
}

static uint64_t sf8_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static int32_t sf8_kv_count(uint32_t n)
{
    return n >= 1 && n <= 65535;
}

/* With this limit, products of three counts and a group stay below 2^64. */
static int32_t sf8_kv_sane(const sf8_kv_type *t)
{
    return t->bits >= 1 && t->bits <= 64 && t->group <= 1024 && t->more <= 64 && t->rope_bits <= 64;
}

static int32_t sf8_kv_whole(uint32_t n, uint32_t bits)
{
    return (uint64_t)n * bits % 8 == 0;
}

/* The bytes of one vector, in units of 1 / `group` byte. Along tokens, a channel has its share of a
 * group's bytes; otherwise an incomplete group takes as many bytes as a full one. */
static uint64_t sf8_kv_vector(const sf8_kv_type *t, uint64_t size, uint64_t group, uint32_t along)
{
    uint64_t more = along ? size * t->more : (size + group - 1) / group * t->more * group;
    return size * t->bits / 8 * group + more;
}

sf8_status sf8_kv_token_bytes(const sf8_kv_type *type, const sf8_kv_shape *shape, uint64_t *num,
                              uint64_t *den)
{
    int32_t latent = type->of == SF8_KV_LATENT, both = type->of == SF8_KV_KEYS_VALUES;
    uint32_t size = latent ? shape->latent : shape->size, heads = both ? shape->heads : 1;
    if (!sf8_kv_sane(type) || !sf8_kv_count(shape->layers) || !sf8_kv_count(size) ||
        !sf8_kv_count(heads) || (latent && shape->rope > 65535) ||
        !sf8_kv_whole(size, type->bits) || (latent && !sf8_kv_whole(shape->rope, type->rope_bits)))
        return SF8_BAD_CALL;
    uint64_t group = type->group ? type->group : size;
    uint64_t sum = sf8_kv_vector(type, size, group, type->keys_along);
    if (both)
        sum += sf8_kv_vector(type, size, group, 0);
    if (latent)
        sum += (uint64_t)shape->rope * type->rope_bits / 8 * group;
    uint64_t divisor = sf8_divisor(sum, group);
    sum = sum / divisor * heads * shape->layers;
    group /= divisor;
    divisor = sf8_divisor(sum, group);
    *num = sum / divisor;
    *den = group / divisor;
    return SF8_OK;
}

/* a b / c, rounded down, for a below c and c below 2^64 / 3; computed bit by bit of b. */
static uint64_t sf8_kv_scaled(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t quotient = 0, rest = 0;
    for (int32_t i = 63; i >= 0; i--) {
        rest = 2 * rest + (b >> i & 1 ? a : 0);
        quotient = 2 * quotient + rest / c;
        rest %= c;
    }
    return quotient;
}

/* A token has at least one byte, so that there are no more tokens than bytes. */
sf8_status sf8_kv_tokens(const sf8_kv_type *type, const sf8_kv_shape *shape, uint64_t bytes,
                         uint64_t *tokens)
{
    uint64_t num, den;
    sf8_status status = sf8_kv_token_bytes(type, shape, &num, &den);
    if (status == SF8_OK)
        *tokens = bytes / num * den + sf8_kv_scaled(bytes % num, den, num);
    return status;
}
