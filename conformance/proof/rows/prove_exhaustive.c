/* SPDX-License-Identifier: MIT */
/* prove_exhaustive.c -- all 2^32 inputs of f32 to e4m3, e5m2 and e2m1, to nearest even
 *
 * Each input is rounded by MPFR once, and serves both policies. The subjects are the functions
 * compiled for the format: with flags under both policies, without under one, in turn.
 */
#include "rows/rows.h"

typedef struct subject {
    const char *name;
    sf8_result (*flags)(uint32_t, sf8_policy);
    uint8_t (*code)(uint32_t, sf8_policy);
} subject;

static const subject subjects[] = {
    {"e4m3", sf8_f32bits_to_e4m3_flags, sf8_f32bits_to_e4m3},
    {"e5m2", sf8_f32bits_to_e5m2_flags, sf8_f32bits_to_e5m2},
    {"e2m1", sf8_f32bits_to_e2m1_flags, sf8_f32bits_to_e2m1},
};

enum { PARTS = 2048 };

/* The exact value of an f32, as ref_convert() would leave it. It is computed here in a simpler way,
 * since it is needed so often. */
static void set_f32(ref_work *r, uint32_t bits)
{
    uint32_t e = bits >> 23 & 255, m = bits & 0x7fffff;
    r->negative = r->negative_rd = bits >> 31 != 0;
    r->flags = 0;
    if (e == 255) {
        r->kind = m ? REF_IS_NAN : REF_IS_INFINITE;
        if (m && m < 0x400000)
            r->flags = REF_INVALID;
        return;
    }
    r->kind = e || m ? REF_IS_NUMBER : REF_IS_ZERO;
    if (e)
        mpfr_set_ui_2exp(r->x, m + 0x800000, (long)e - 150, MPFR_RNDZ);
    else
        mpfr_set_ui_2exp(r->x, m, -149, MPFR_RNDZ);
    mpfr_setsign(r->x, r->x, r->negative, MPFR_RNDZ);
}

static void run_f32(worker *w)
{
    const subject *s = &subjects[w->row->work.arg];
    range part = part_of(w, (uint64_t)1 << 32);
    uint64_t step = by_tier(w, 1, 4099, 16411);
    w->from = "f32";
    for (uint64_t i = part.begin + part.begin % step; i < part.end; i += step) {
        uint32_t bits = (uint32_t)i;
        inputs(w, 1, i, 0, 0);
        set_f32(&w->ref, bits);
        ref_round_in(&w->ref, REF_RNE);
        for (int saturate = 0; saturate < 2; saturate++) {
            ref_answer want = ref_finish(&w->ref, REF_RNE, saturate);
            sf8_result got = s->flags(bits, w->policy[REF_RNE][saturate]);
            check(w, REF_RNE, saturate, want, got);
            if ((int)(bits & 1) == saturate) {
                got.code = s->code(bits, w->policy[REF_RNE][saturate]);
                check(w, REF_RNE, saturate, want, got);
            }
        }
    }
}

void add_exhaustive_rows(int tier)
{
    for (int i = 0; i < 3; i++)
        add_row("f32-all", subjects[i].name,
                (work){.modes = "1x2",
                       .run = run_f32,
                       .arg = i,
                       .parts = tier == FULL ? PARTS : 16,
                       .jobs = 256});
}
