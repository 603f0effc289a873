/* SPDX-License-Identifier: MIT */
/* order_read.c -- attention in another stack's order: keys and values, read and rounded */
#include "attend/order_job.h"
#include "softfp8_kv.h"

/* Returns the end of the slots that are read. Some orders read behind the last key, up to the end
 * of its block. */
static size_t sf8_order_readable(const sf8_order_job *job)
{
    size_t keys = job->a.keys, slots = (size_t)job->a.k.image.layout.slots;
    return job->o->others == SF8_OTHERS_AS_THEY_ARE ? (keys + slots - 1) / slots * slots : keys;
}

/* Rows without NaN and infinity stay as they were read; others are read again, as numbers. */
static void sf8_order_read_keys(sf8_order_job *job, sf8_attend_side *s, size_t first,
                                const uint32_t *words)
{
    sf8_format element = s->reader.element;
    size_t n = SF8_ATTEND_CHUNK * s->dim, i = 0;
    sf8_attend_read_keys(&job->read, s, first, sf8_order_readable(job));
    while (job->all_numbers && i < n && sf8_f32_magnitude(words[i]) < SF8_F32_INF)
        i++;
    if (!job->all_numbers || i == n)
        return;
    s->reader.element = sf8_kv_all_numbers(element);
    sf8_attend_read_keys(&job->read, s, first, sf8_order_readable(job));
    s->reader.element = element;
}

/* A number times 1 is itself. */
static uint32_t sf8_order_scaled(uint32_t word, uint32_t scale)
{
    return scale == SF8_F32_ONE && !sf8_f32_is_nan(word) ? word : sf8_f32_mul(word, scale);
}

SF8_PRIVATE uint32_t *sf8_order_read(sf8_order_job *job, sf8_attend_side *s, size_t first,
                                     size_t rows)
{
    uint32_t *words = s->words + job->kv * SF8_ATTEND_CHUNK * s->dim;
    uint32_t scale = sf8_attend_scale_of(s->cache->scale, s->cache->scales, job->kv);
    uint32_t operands = job->o->operands;
    int32_t keys = s == &job->read.k, both = keys && job->o->scale_on == SF8_SCALE_ON_BOTH;
    size_t *read = keys ? &job->read_k : &job->read_v;
    if (first >= *read && first - *read + rows <= SF8_ATTEND_CHUNK)
        return words + (first - *read) * s->dim;
    *read = first;
    sf8_order_read_keys(job, s, first, words);
    for (size_t i = 0; i < SF8_ATTEND_CHUNK * s->dim; i++) {
        if (operands == SF8_OPERANDS_F32 || operands == SF8_OPERANDS_SCALED)
            words[i] = sf8_order_scaled(words[i], scale);
        if (both)
            words[i] = sf8_f32_mul(words[i], job->root);
        if (operands == SF8_OPERANDS_SCALED || operands == SF8_OPERANDS_PLAIN)
            words[i] = sf8_order_half(job, words[i]);
    }
    return words;
}

SF8_PRIVATE void sf8_order_put(const sf8_order_job *job, void *to, size_t i, uint32_t word)
{
    int32_t byte = sf8_format_bits(job->operand) == 8;
    if (sf8_order_is_bf16(job->operand, word)) {
        ((uint16_t *)to)[i] = (uint16_t)(word >> 16);
        return;
    }
    uint64_t code = sf8_core_convert(job->operand, SF8_F32, word,
                                     byte ? SF8_CUDA_SATFINITE : SF8_OCP_NOSAT, 0)
                        .code;
    if (byte)
        ((uint8_t *)to)[i] = (uint8_t)code;
    else
        ((uint16_t *)to)[i] = (uint16_t)code;
}
