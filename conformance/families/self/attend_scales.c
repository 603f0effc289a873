/* SPDX-License-Identifier: MIT */
/* attend_scales.c -- attention over a cache whose queries, keys and values have scales:
 * known results, and this build compared with itself */
#include "families/attend/small_request.h"

#include <string.h>

static attend_small small;
static uint32_t kept[SMALL_OUT], kept_lse[SMALL_OUT / 8];

static void keep(void)
{
    memcpy(kept, small.out, sizeof kept);
    memcpy(kept_lse, small.lse, sizeof kept_lse);
}

/* ---- powers of 2 ----------------------------------------------------------------------------- */

static void multiply(uint8_t *side, float by)
{
    for (size_t i = 0; i < small.a.k.image.size; i += 4) {
        float x;
        memcpy(&x, side + i, sizeof x);
        x *= by;
        memcpy(side + i, &x, sizeof x);
    }
}

/* Scales of keys 4 and of values 1/2 give, bit for bit, what scaled elements give; exchanged scales
 * give other results. A NaN is in the scale of a head that no query uses. */
static void run_powers(self_checks *c)
{
    for (size_t i = 0; i <= 4; i++) {
        const sf8_attend_order *o = i < 4 ? sf8_attend_order_at(6 + i) : NULL;
        attend_small_begin(&small, SMALL_F32, (attend_sizes){300, 1, 1, 1, 64, 16});
        if (i < 4 && o->operands != SF8_OPERANDS_F32)
            o = sf8_attend_order_named("split-f32");
        small.k_scale[0] = word_of(4);
        small.v_scale[0] = word_of(0.5f);
        o ? attend_small_order(&small, o, 2) : attend_small_run(&small, SF8_ATTEND_EXACT, 0);
        keep();
        small.k_scale[0] = word_of(0.5f);
        small.v_scale[0] = word_of(4);
        o ? attend_small_order(&small, o, 2) : attend_small_run(&small, SF8_ATTEND_EXACT, 0);
        self_check(c, "exchanged", memcmp(small.out, kept, 64 * 4) != 0, 1);
        small.k_scale[0] = small.v_scale[0] = word_of(1);
        multiply(small.k, 4);
        multiply(small.v, 0.5f);
        o ? attend_small_order(&small, o, 2) : attend_small_run(&small, SF8_ATTEND_EXACT, 0);
        attend_small_same(c, "powers of 2", small.out, kept, 64);
    }
    attend_small_begin(&small, SMALL_E4M3, (attend_sizes){100, 1, 2, 2, 64, 16});
    small.k_scale[0] = word_of(0.3f);
    attend_small_run(&small, SF8_ATTEND_EXACT, 0);
    keep();
    small.k_scale[1] = small.v_scale[1] = 0x7fc00000;
    attend_small_run(&small, SF8_ATTEND_EXACT, 0);
    attend_small_same(c, "NaN in another head's scale", small.out, kept, 64);
    self_check(c, "and in its own", small.out[64], 0x7fc00000);
}

/* ---- others ---------------------------------------------------------------------------------- */

/* Element d of key j is code (j 37 + d 11) mod 48 + 8, of a value (j 53 + d 29) mod 61 + 8, the
 * sign (j + d) / 3 mod 2; query d (d 5 mod 13 - 6) / 16. Scales of queries, keys, values 0.3,
 * 0.7, 1.3. */
static void begin_odd(void)
{
    static const uint32_t q_scale = 0x3e99999a;
    attend_small_begin(&small, SMALL_E4M3, (attend_sizes){130, 1, 1, 1, 64, 16});
    for (size_t j = 0; j < 130; j++)
        for (size_t d = 0; d < 64; d++) {
            uint8_t sign = (uint8_t)(128 * ((j + d) / 3 % 2));
            *attend_small_at(&small, small.k, j, 0,
                             d) = (uint8_t)((j * 37 + d * 11) % 48 + 8 + sign);
            *attend_small_at(&small, small.v, j, 0,
                             d) = (uint8_t)((j * 53 + d * 29) % 61 + 8 + sign);
        }
    for (size_t d = 0; d < 64; d++)
        small.q[d] = (uint16_t)(word_of((float)((int)(d * 5 % 13) - 6) / 16) >> 16);
    small.a.q_scale = &q_scale;
    small.a.q_scales = 1;
    small.k_scale[0] = 0x3f333333;
    small.v_scale[0] = 0x3fa66666;
}

/* Channels 0 to 2 and lse, by the second implementation in float, which has nothing of the library
 * (lib/tests/attend/attend_order_ref.h; of exact docs/spec/attend/attention.md, by its operations).
 */
typedef struct odd_row {
    const char *name;
    uint32_t word[3], lse;
} odd_row;

static const odd_row odd[] = {
    {"exact", {0xbca08d06, 0x3d91ffe4, 0xbd8ad28a}, 0x409bc90a},
    {"fa3-fp8", {0xbc86fa23, 0x3d9d75df, 0xbd8f1780}, 0x409bdcb7},
    {"fa3-bf16", {0xbca4c6ae, 0x3d925a8d, 0xbd8af83a}, 0x409bc910},
    {"flashinfer", {0xbca20000, 0x3d920000, 0xbd8a0000}, 0x40e0c0f5},
    {"vllm-triton", {0xbca4c782, 0x3d9261c9, 0xbd8af7c8}, 0x409bc910},
    {"vllm-triton-3d", {0xbca325ca, 0x3d92436a, 0xbd8b263f}, 0x409bc910},
    {"paged-v1", {0xbca40000, 0x3d930000, 0xbd8b0000}, 0x409bc910},
    {"split-f32", {0xbca08d02, 0x3d91ffe6, 0xbd8ad289}, 0x409bc90a},
    {"split-bf16", {0xbca0581e, 0x3d91f37e, 0xbd8b08da}, 0x409bc90a},
};

static void run_odd_row(const odd_row *row)
{
    const sf8_attend_order *o = sf8_attend_order_named(row->name);
    o ? attend_small_order(&small, o, 2) : attend_small_run(&small, SF8_ATTEND_EXACT, 0);
}

/* The known results, and different ones if the scales of keys and values are exchanged. With powers
 * of 2 besides odd scales, a key scale 4 times as large, a score scale of a quarter and a value
 * scale of 2 give twice the output, and no other change. */
static void run_odd(self_checks *c)
{
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        begin_odd();
        run_odd_row(&odd[i]);
        keep();
        for (size_t k = 0; k < 3; k++)
            self_check(c, odd[i].name, small.out[k], odd[i].word[k]);
        self_check(c, odd[i].name, small.lse[0], odd[i].lse);
        small.k_scale[0] = word_of(value_of(0x3f333333) * 4);
        small.v_scale[0] = word_of(value_of(0x3fa66666) * 2);
        small.a.scale = word_of(value_of(small.a.scale) / 4);
        run_odd_row(&odd[i]);
        for (size_t k = 0; k < 64; k++)
            small.out[k] = word_of(value_of(small.out[k]) / 2);
        attend_small_same(c, "powers of 2 beside odd scales", small.out, kept, 64);
        self_check(c, "their lse", small.lse[0], kept_lse[0]);
        begin_odd();
        small.k_scale[0] = 0x3fa66666;
        small.v_scale[0] = 0x3f333333;
        run_odd_row(&odd[i]);
        self_check(c, "exchanged", memcmp(small.out, kept, 64 * 4) != 0, 1);
    }
}

static void run_kneqv(self_checks *c)
{
    run_powers(c);
    run_odd(c);
}

/* ---- of heads -------------------------------------------------------------------------------- */

/* Heads of the cache with scales of their own: like each head by itself. */
static void run_per_head(self_checks *c)
{
    const sf8_attend_order *fa3 = sf8_attend_order_named("fa3-fp8");
    static const float scale[4] = {0.7f, 3, 0.013f, 1.25f};
    static uint32_t q_scale[4];
    attend_small_begin(&small, SMALL_E4M3, (attend_sizes){200, 1, 4, 4, 64, 16});
    for (size_t h = 0; h < 4; h++) {
        small.k_scale[h] = word_of(scale[h]);
        small.v_scale[h] = word_of(scale[3 - h]);
        q_scale[h] = word_of(scale[(h + 1) % 4]);
    }
    small.a.q_scale = q_scale;
    small.a.q_scales = 4;
    for (int order = 0; order < 2; order++) {
        order ? attend_small_order(&small, fa3, 1) : attend_small_run(&small, SF8_ATTEND_EXACT, 0);
        keep();
        for (size_t h = 0; h < 4; h++) {
            sf8_attend all = small.a;
            uint32_t k = small.k_scale[h], v = small.v_scale[h];
            small.a.k.scale = &k;
            small.a.v.scale = &v;
            small.a.q_scale = &q_scale[h];
            small.a.k.scales = small.a.v.scales = small.a.q_scales = 1;
            order ? attend_small_order(&small, fa3, 1)
                  : attend_small_run(&small, SF8_ATTEND_EXACT, 0);
            small.a = all;
            attend_small_same(c, "a head", small.out + h * 64, kept + h * 64, 64);
        }
    }
}

const self_table self_attend_scales[] = {
    {"attend/scales_of_k_and_v_differ", run_kneqv},
    {"attend/descale_per_head", run_per_head},
    {NULL, NULL},
};
