/* SPDX-License-Identifier: MIT */
/* core.c -- the operations of attention on a chunk, by the definition */
#include "attend/job.h"

static void sf8_attend_core_dots(uint32_t dot[SF8_ATTEND_CHUNK], const uint32_t *q,
                                 const uint32_t *keys, size_t dim)
{
    for (size_t j = 0; j < SF8_ATTEND_CHUNK; j++)
        dot[j] = sf8_attend_dot(q, keys + j * dim, dim);
}

static void sf8_attend_core_scores(uint32_t score[SF8_ATTEND_CHUNK], sf8_attend_factor f,
                                   const uint32_t *k_scale)
{
    for (size_t j = 0; j < SF8_ATTEND_CHUNK; j++)
        score[j] = sf8_attend_score(f, score[j], k_scale ? k_scale[j] : SF8_F32_ONE);
}

static sf8_attend_head sf8_attend_core_weights(uint32_t weight[SF8_ATTEND_CHUNK],
                                               const uint32_t score[SF8_ATTEND_CHUNK],
                                               uint64_t mask)
{
    return sf8_attend_weights(weight, score, mask);
}

static void sf8_attend_core_scale(uint32_t weight[SF8_ATTEND_CHUNK], const uint32_t *v_scale)
{
    for (size_t j = 0; j < SF8_ATTEND_CHUNK; j++)
        weight[j] = sf8_attend_weighted(weight[j], v_scale[j]);
}

static void sf8_attend_core_values(uint32_t *sum, const uint32_t weight[SF8_ATTEND_CHUNK],
                                   const uint32_t *values, size_t dim, uint64_t mask)
{
    for (size_t c = 0; c < dim; c++)
        sum[c] = sf8_attend_channel(weight, values + c, dim, mask);
}

static void sf8_attend_core_join(uint32_t *before, const uint32_t *after, sf8_attend_joint j,
                                 size_t n)
{
    for (size_t c = 0; c < n; c++)
        before[c] = sf8_attend_join(j, before[c], after[c]);
}

SF8_PRIVATE const sf8_attend_ops *sf8_attend_core_ops(void)
{
    static const sf8_attend_ops ops = {NULL,
                                       sf8_attend_core_dots,
                                       sf8_attend_core_scores,
                                       sf8_attend_core_weights,
                                       sf8_attend_core_scale,
                                       sf8_attend_core_values,
                                       sf8_attend_core_join,
                                       NULL};
    return &ops;
}
