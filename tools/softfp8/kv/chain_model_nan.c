/* SPDX-License-Identifier: MIT */
/* chain_model_nan.c -- what NaN does in the model of the chain: rows, masks, parts, slots */
#include "kv/chain_model.h"

#include <string.h>

int chain_has_nan(const uint32_t *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (sf8_f32_is_nan(x[i]))
            return 1;
    return 0;
}

void chain_two_models(const chain *c, chain_model *m, chain_model *clean)
{
    chain_fill(m, c, chain_claimed_way(c), NULL);
    chain_attend(m, 0);
    memcpy(clean, m, sizeof *clean);
    for (size_t i = 0; i < c->n; i++) {
        clean->k[CHAIN_POISONED][i] = 0;
        clean->v[CHAIN_POISONED][i] = 0;
    }
    chain_attend(clean, 0);
}

int chain_same_rows(const chain_model *a, const chain_model *b)
{
    size_t size = a->channels * sizeof a->out[0][0];
    for (size_t i = 0; i < CHAIN_POISONED; i++)
        if (memcmp(a->out[i], b->out[i], size) != 0)
            return 0;
    return 1;
}

chain_value_nan chain_nan_in_v(chain_model *m)
{
    chain_value_nan r;
    m->v[CHAIN_POISONED][0] = SF8_F32_NAN;
    chain_attend(m, 0);
    r.multiplied = m->out[0][0];
    r.others = chain_has_nan(m->out[0] + 1, m->channels - 1);
    chain_attend(m, 1);
    r.skipped = m->out[0][0];
    m->v[CHAIN_POISONED][0] = 0;
    return r;
}

uint32_t chain_masked(const chain_model *m)
{
    return sf8_f32_add(m->score[3][CHAIN_POISONED], SF8_F32_NEG_INF);
}

chain_parts chain_in_parts(const chain_model *m)
{
    uint32_t weight[2], values[2] = {m->v[0][0], m->v[1][0]};
    chain_parts r;
    r.lse = sf8_f32_softmax_n(SF8_ORDER_SEQUENTIAL, weight, m->score[3], 2).lse;
    sf8_f32_weighted_n(&r.out, weight, values, 2, 1, 0);
    r.merged = sf8_f32_fma(m->out[3][0], 0, r.out);
    return r;
}

/* A block of four slots: the new owner wrote 0 and 1; in slot 2 lies what was there. */
void chain_slot_reuse(const chain_model *m, chain_model *clean, uint32_t *multiplied,
                      uint32_t *skipped)
{
    for (size_t i = 0; i < clean->channels; i++)
        clean->v[CHAIN_POISONED][i] = sf8_f32_is_nan(m->out[3][0]) ? SF8_F32_NAN : 0;
    chain_attend(clean, 0);
    *multiplied = clean->out[0][0];
    chain_attend(clean, 1);
    *skipped = clean->out[0][0];
}

uint32_t chain_clamped_nan(void)
{
    return sf8_f32_most(sf8_f32_least(SF8_F32_NAN, 0x43e00000u), 0xc3e00000u);
}
