/* SPDX-License-Identifier: MIT */
/* test_policy_steps.c -- conversions in two steps, which round twice
 *
 * The library rounds once. Where an implementation passes through another format, the caller makes
 * the same two steps; these are known wrong results, reproduced.
 */
#include "check.h"

/* Both functions are staircases, so where they agree on the two sides of a gap between windows they
 * agree in it. A window begins at a midpoint of two codes and reaches past the next f16. */
typedef struct staircase {
    uint8_t (*direct)(uint32_t x, sf8_policy policy);
    uint8_t (*from_f16)(uint16_t x, sf8_policy policy);
    float (*value)(uint8_t code);
    uint8_t max;
    uint32_t wrong;
    uint32_t first, first_wrong, first_right;
} staircase;

#define WINDOW UINT32_C(0x10001)

static uint32_t f32_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static uint8_t through_f16(const staircase *s, uint32_t x)
{
    sf8_policy toward_zero = SF8_CUDA_NOSAT;
    toward_zero.round = SF8_RZ;
    uint64_t f16 = sf8_convert(SF8_F16, SF8_F32, x, toward_zero);
    return s->from_f16((uint16_t)f16, SF8_PTX);
}

static uint32_t wrong_in_window(const staircase *s, uint32_t midpoint, uint32_t *first)
{
    uint32_t wrong = 0;
    for (uint32_t x = midpoint; x < midpoint + WINDOW; x++) {
        if (s->direct(x, SF8_PTX) != through_f16(s, x)) {
            *first = *first < x ? *first : x;
            wrong++;
        }
    }
    return wrong;
}

static void check_staircase(const staircase *s)
{
    uint32_t wrong = 0, first = UINT32_MAX;
    for (uint8_t code = 0; code < s->max; code++) {
        uint32_t midpoint = f32_bits((s->value(code) + s->value((uint8_t)(code + 1))) / 2);
        uint32_t edges[] = {midpoint - 1, midpoint + WINDOW};
        for (size_t i = 0; i < COUNT(edges); i++)
            EXPECT(s->direct(edges[i], SF8_PTX) == through_f16(s, edges[i]), "%08x", edges[i]);
        wrong += wrong_in_window(s, midpoint, &first);
    }
    EXPECT(wrong == s->wrong, "%" PRIu32 " wrong, not %" PRIu32, wrong, s->wrong);
    EXPECT(first == s->first, "the first is %08" PRIx32, first);
    EXPECT(through_f16(s, s->first) == s->first_wrong, "%02x", through_f16(s, s->first));
    EXPECT(s->direct(s->first, SF8_PTX) == s->first_right, "%02x", s->direct(s->first, SF8_PTX));
}

/* Triton at 0043a8d8 below compute capability 90: f32 to f16 toward zero, then to FP8; both counts
 * measured over all positive f32. https://github.com/FlashML-org/FreeToken/pull/85 */
Test(policy_steps, triton_e4m3)
{
    staircase s = {sf8_f32bits_to_e4m3,
                   sf8_f16_to_e4m3,
                   sf8_e4m3_to_f32,
                   0x7e,
                   516033,
                   0x3a800001,
                   0x00,
                   0x01};
    check_staircase(&s);
}

Test(policy_steps, triton_e5m2)
{
    staircase s = {sf8_f32bits_to_e5m2,
                   sf8_f16_to_e5m2,
                   sf8_e5m2_to_f32,
                   0x7b,
                   573378,
                   0x37000001,
                   0x00,
                   0x01};
    check_staircase(&s);
}

/* A value in three formats: straight, and by way of another. */
typedef struct detour {
    const char *to, *via, *from;
    const char *via_round;
    uint64_t in, direct, twice;
    const char *source;
} detour;

/* clang-format off */
static const detour detours[] = {
    {"e4m3", "f32", "f64", "rne", 0x3ff1000000001000, 0x39, 0x38, "PyTorch 2.15 CPU, run"},
    {"e4m3fnuz", "f32", "f64", "rne", 0x3ff1000000001000, 0x41, 0x40, "PyTorch 2.15 CPU, run"},
    {"e4m3b11fnuz", "f32", "f64", "rne", 0x3ff1000000001000, 0x59, 0x58, "ml_dtypes 0.6.0, run"},
    {"e4m3ieee", "f32", "f64", "rne", 0x3ff1000000001000, 0x39, 0x38, "ml_dtypes 0.6.0, run"},
    {"e2m3", "f32", "f64", "rne", 0x3ff1000000001000, 0x09, 0x08, "ml_dtypes 0.6.0, run"},
    {"e4m3", "f32", "f64", "rne", 0x3ff1000000400000, 0x39, 0x38, "CUTLASS float8.h, host, run"},
    {"e4m3", "f16", "f32", "rz", 0x3f880001, 0x39, 0x38, "Triton at 0043a8d8, derived"},
    {"e4m3", "f16", "f32", "rz", 0x3a801fff, 0x01, 0x00, "Triton at 0043a8d8, derived"},
    {"e4m3", "f16", "f32", "rne", 0x3f880001, 0x39, 0x38, "oneDNN #2361, derived"},
};
/* clang-format on */

Test(policy_steps, detours)
{
    for (size_t i = 0; i < COUNT(detours); i++) {
        const detour *d = &detours[i];
        sf8_format from = format_of(d->from), via = format_of(d->via), to = format_of(d->to);
        sf8_policy policy = SF8_CUDA_NOSAT, first = policy;
        cr_assert(sf8_policy_set(&first, "round", d->via_round) == SF8_OK);
        uint64_t direct = sf8_convert(to, from, d->in, policy);
        uint64_t twice = sf8_convert(to, via, sf8_convert(via, from, d->in, first), policy);
        EXPECT(direct == d->direct && twice == d->twice && direct != twice,
               "%s by %s: %02" PRIx64 ", %02" PRIx64 " (%s)", d->to, d->via, direct, twice,
               d->source);
    }
}

/* Just past where the f16 detour of Triton is right again. */
Test(policy_steps, triton_window_ends)
{
    sf8_policy toward_zero = SF8_CUDA_NOSAT;
    toward_zero.round = SF8_RZ;
    uint64_t f16 = sf8_convert(SF8_F16, SF8_F32, 0x3a802000, toward_zero);
    cr_expect(sf8_f16_to_e4m3((uint16_t)f16, SF8_PTX) == 0x01);
}
