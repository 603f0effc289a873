/* SPDX-License-Identifier: MIT */
/* check_nibbles.cpp -- values of 4 bits as attention converts them (gpu/kernels/attend), compared
 * with a product of f32 that is rounded
 *
 * Each code in each of the 16 places of a piece, beside other codes: with each scale of NVFP4 and
 * MXFP4, and with each offset of INT4. The same for codes that stay packed, of two keys with
 * different scales. Also the pieces that a lane converts, for rows of any length.
 */
#include "kernels/attend/stage.h"

#include <stdio.h>

using namespace kernels;
using namespace kernels::attention;

static uint64_t checks, failures;

/* Code k of a piece in which `code` is at `place`. */
static uint32_t code_at(uint32_t k, uint32_t place, uint32_t code)
{
    return k == place ? code : (7 * k + 5 * code) & 15;
}

static bool is_nan_word(uint32_t word, uint32_t infinity)
{
    return (word & 0x7fffu) > infinity;
}

template <class Cache, class Half, class Value>
static void check_piece(const char *what, uint32_t scale, uint32_t row_scale, Value value)
{
    const uint32_t infinity = Half::nan == of_f16::nan ? 0x7c00 : 0x7f80;
    for (uint32_t n = 0; n < 16 * 16; n++) {
        uint32_t codes[2] = {0, 0};
        packet p[2];
        for (uint32_t k = 0; k < 16; k++)
            codes[k / 8] |= code_at(k, n / 16, n % 16) << 4 * (k % 8);
        Cache::template words<Half>(p, codes, scale, row_scale);
        for (uint32_t k = 0; k < 16; k++) {
            const uint32_t got = p[k / 8].word[k % 8 / 2] >> 16 * (k % 2) & 0xffff;
            const uint32_t want = Half::narrow(value(code_at(k, n / 16, n % 16)), 0.0f) & 0xffff;
            checks++;
            if (got == want || (is_nan_word(got, infinity) && is_nan_word(want, infinity)))
                continue;
            if (failures++ < 20)
                printf("%s, scale %x, offset %x, code %x at %u: %04x, not %04x\n", what, scale,
                       row_scale & 15, code_at(k, n / 16, n % 16), k, got, want);
        }
    }
}

template <class Half> static void check(const char *nvfp4, const char *mxfp4, const char *int4)
{
    for (uint32_t scale = 0; scale < 256; scale++) {
        const float a = of_e4m3::wide(scale);
        check_piece<nvfp4_cache, Half>(nvfp4, scale, 0,
                                       [=](uint32_t code) { return mul(e2m1_wide(code), a); });
        const float b = scale == 255 ? not_a_number() : float_of(scale ? scale << 23 : 0x00400000u);
        check_piece<mxfp4_cache, Half>(mxfp4, scale, 0,
                                       [=](uint32_t code) { return mul(e2m1_wide(code), b); });
    }
    for (uint32_t offset = 0; offset < 16; offset++)
        check_piece<int4_cache, Half>(int4, 0, 0x3f800000u | offset, [=](uint32_t code) {
            return static_cast<float>(static_cast<int>(code) - static_cast<int>(offset));
        });
}

/* ---- packed codes ---------------------------------------------------------------------------- */

static float nvfp4_value(uint32_t code, uint32_t scale)
{
    return mul(e2m1_wide(code), of_e4m3::wide(scale));
}

static float mxfp4_value(uint32_t code, uint32_t scale)
{
    const float s = scale == 255 ? not_a_number() : float_of(scale ? scale << 23 : 0x00400000u);
    return mul(e2m1_wide(code), s);
}

static float int4_value(uint32_t code, uint32_t offset)
{
    return static_cast<float>(static_cast<int>(code) - static_cast<int>(offset));
}

typedef float value_of(uint32_t code, uint32_t scale);

/* Of a word the halves of codes a and b, which have these scales. */
static void check_word(const char *what, uint32_t word, value_of *value, uint32_t a,
                       uint32_t a_scale, uint32_t b, uint32_t b_scale)
{
    for (uint32_t k = 0; k < 2; k++) {
        const uint32_t code = k ? b : a, scale = k ? b_scale : a_scale;
        const uint32_t got = word >> 16 * k & 0xffff;
        const uint32_t want = of_f16::narrow(value(code, scale), 0.0f) & 0xffff;
        checks++;
        if (got == want || (is_nan_word(got, 0x7c00) && is_nan_word(want, 0x7c00)))
            continue;
        if (failures++ < 20)
            printf("packed %s, scale %x, code %x: %04x, not %04x\n", what, scale, code, got, want);
    }
}

/* Two keys, or values, whose scales are these. */
template <class Cache, bool large>
static void check_two(const char *what, const uint32_t *factor, value_of *value, uint32_t one_scale,
                      uint32_t other_scale)
{
    for (uint32_t n = 0; n < 4 * 16; n++) {
        uint32_t one[4], other[4], a[4], channel[4], codes[2] = {0, 0};
        for (uint32_t k = 0; k < 4; k++) {
            one[k] = code_at(k, n / 16, n % 16);
            other[k] = 15 - code_at(k, 3 - n / 16, n % 16);
            codes[0] |= one[k] << 4 * k;
            codes[1] |= other[k] << 4 * k;
        }
        Cache::template keys<large>(a, codes[0], codes[1], factor);
        for (uint32_t k = 0; k < 2; k++) {
            check_word(what, a[2 * k], value, one[k], one_scale, one[k + 2], one_scale);
            check_word(what, a[2 * k + 1], value, other[k], other_scale, other[k + 2], other_scale);
        }
        Cache::template values<large>(channel, codes[0] | codes[1] << 16, factor);
        for (uint32_t k = 0; k < 4; k++)
            check_word(what, channel[k], value, one[k], one_scale, other[k], other_scale);
    }
}

/* The scales of four pieces of each of two keys, the first one in the lowest byte. */
template <class Cache>
static void check_groups(const char *what, value_of *value, uint32_t first, uint32_t second)
{
    uint32_t factor[4];
    bool large = false;
    Cache::factors(factor, first, second);
    if (!Cache::are_usual(first, second))
        large = Cache::rare_factors(factor, first, second);
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t at = 8 * (i * Cache::scale_bytes / 4);
        const uint32_t one = first >> at & 255, other = second >> at & 255;
        if (large)
            check_two<Cache, Cache::may_be_large>(what, factor + i, value, one, other);
        else
            check_two<Cache, false>(what, factor + i, value, one, other);
    }
}

/* Each scale beside others of any size, and as the only one that is not 1. */
template <class Cache> static void check_scales(const char *what, value_of *value, uint32_t one)
{
    const uint32_t mask = Cache::scale_bytes == 4 ? ~0u : 0xffffu;
    for (uint32_t scale = 0; scale < 256; scale++) {
        const uint32_t more = (scale + 61) % 256, least = (scale + 101) % 256;
        check_groups<Cache>(what, value,
                            (scale | more << 8 | least << 16 | (255 - scale) << 24) & mask,
                            (more | scale << 8 | (255 - more) << 16 | least << 24) & mask);
        for (uint32_t i = 0; i < Cache::scale_bytes; i++) {
            const uint32_t only = one ^ (one >> 24 ^ scale) << 8 * i;
            check_groups<Cache>(what, value, only & mask, one & mask);
            check_groups<Cache>(what, value, one & mask, only & mask);
        }
    }
}

static void check_packed()
{
    check_scales<nvfp4_cache>("nvfp4", nvfp4_value, 0x38383838u);
    check_scales<mxfp4_cache>("mxfp4", mxfp4_value, 0x7f7f7f7fu);
    for (uint32_t n = 0; n < 256; n++) {
        const uint32_t one = 0x3f800000u | n % 16, other = 0x40400000u | n / 16;
        const uint32_t factor[2] = {
            int4_cache::even_factor(one) | int4_cache::even_factor(other) << 16,
            int4_cache::odd_factor(one) | int4_cache::odd_factor(other) << 16};
        check_two<int4_cache, false>("int4", factor, int4_value, n % 16, n / 16);
    }
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static void check_cursor()
{
    for (uint32_t parts = 1; parts <= 300; parts++) {
        work w = {};
        w.by_parts = divider_of(parts);
        for (uint32_t number = 0; number < THREADS; number++) {
            cursor at(w, number);
            for (uint32_t i = number; i < CHUNK * parts; i += THREADS, at.move(w)) {
                checks++;
                if ((at.j != i / parts || at.part != i % parts) && failures++ < 20)
                    printf("piece %u of rows of %u: %u of row %u\n", i, parts, at.part, at.j);
            }
        }
    }
}

int main()
{
    check_cursor();
    check_packed();
    check<of_f16>("nvfp4 to f16", "mxfp4 to f16", "int4 to f16");
    check<of_bf16>("nvfp4 to bf16", "mxfp4 to bf16", "int4 to bf16");
    printf("%llu checks, %llu failed\n", static_cast<unsigned long long>(checks),
           static_cast<unsigned long long>(failures));
    return failures ? 1 : 0;
}
