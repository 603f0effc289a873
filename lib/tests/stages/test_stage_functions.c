/* SPDX-License-Identifier: MIT */
/* test_stage_functions.c -- e^x, 2^x, tanh, erf and 1 / sqrt against MPFR, in four modes */
#include "check.h"
#include "random.h"
#include "softfp8_stages.h"

#include <math.h>
#include <mpfr.h>

#include "stage_ref.h"

typedef struct function {
    const char *name;
    uint32_t (*ours)(uint32_t, uint32_t);
    ref_op right;
    uint32_t first, last; /* magnitudes of inputs for which a result is neither 0, 1 nor infinity */
} function;

static const function functions[] = {
    {"exp", sf8_f32_exp_rounded, ref_exp_op, 0x31800000, 0x42d80000},
    {"exp2", sf8_f32_exp2_rounded, ref_exp2_op, 0x31800000, 0x43200000},
    {"tanh", sf8_f32_tanh_rounded, ref_tanh_op, 0x38800000, 0x41400000},
    {"erf", sf8_f32_erf_rounded, ref_erf_op, 0x38800000, 0x40a00000},
    {"rsqrt", sf8_f32_rsqrt_rounded, ref_rsqrt_op, 0x00000001, 0x7f7fffff},
};

static const struct {
    uint32_t ours;
    mpfr_rnd_t right;
} modes[] = {{SF8_RNE, MPFR_RNDN}, {SF8_RZ, MPFR_RNDZ}, {SF8_RU, MPFR_RNDU}, {SF8_RD, MPFR_RNDD}};

static void check_one(const function *f, uint32_t x)
{
    for (size_t m = 0; m < COUNT(modes); m++) {
        uint32_t ours = f->ours(x, modes[m].ours);
        float right = ref_round(f->right, ref_of(x), 0, 0, modes[m].right);
        uint32_t expected = isnan(right) ? SF8_F32_NAN : ref_bits(right);
        if (f->right == ref_rsqrt_op && x == 0x80000000u)
            expected = SF8_F32_NEG_INF; /* as IEEE 754 has it; MPFR has +infinity */
        EXPECT(ours == expected, "%s %08x, mode %u: %08x, not %08x", f->name, x, modes[m].ours,
               ours, expected);
    }
}

/* Inputs whose logarithm is spread evenly, of both signs, and any bit patterns. */
Test(stage_functions, random_inputs)
{
    for (size_t k = 0; k < COUNT(functions); k++) {
        const function *f = &functions[k];
        for (int i = 0; i < 6000; i++) {
            uint32_t magnitude = f->first + pseudo_random() % (f->last - f->first);
            check_one(f, magnitude | (i % 2 ? 0x80000000u : 0));
            check_one(f, pseudo_random());
        }
    }
}

/* Where the definition has cases of its own, and the numbers beside them. */
Test(stage_functions, edges)
{
    static const uint32_t edges[] = {
        0x00000000, 0x00000001, 0x007fffff, 0x00800000, 0x32000000, 0x33000000, 0x33800000,
        0x39000000, 0x3f000000, 0x3f800000, 0x40000000, 0x40800000, 0x41000000, 0x41200000,
        0x42800000, 0x42ae0000, 0x42b17218, 0x42b20000, 0x42cff1b5, 0x42d00000, 0x43000000,
        0x43150000, 0x43160000, 0x43170000, 0x7f7fffff, 0x7f800000, 0x7fc00000};
    for (size_t k = 0; k < COUNT(functions); k++)
        for (size_t i = 0; i < COUNT(edges); i++)
            for (uint32_t near = 0; near < 5; near++) {
                check_one(&functions[k], edges[i] + near - 2);
                check_one(&functions[k], (edges[i] + near - 2) ^ 0x80000000u);
            }
}

/* 2^x of every integer, 1 / sqrt of every power of 4: results that are exact. */
Test(stage_functions, exact_results)
{
    for (int32_t i = -149; i < 128; i++) {
        uint32_t power = ref_bits(ldexpf(1, i));
        for (size_t m = 0; m < COUNT(modes); m++) {
            EXPECT(sf8_f32_exp2_rounded(sf8_f32_of(i), modes[m].ours) == power, "2^%d", i);
            if (i % 2 == 0)
                EXPECT(sf8_f32_rsqrt_rounded(power, modes[m].ours) == ref_bits(ldexpf(1, -i / 2)),
                       "1 / sqrt(2^%d)", i);
        }
    }
}
