/* SPDX-License-Identifier: MIT */
/* check_nibbles.cpp -- values of 4 bits as attention converts them (gpu/kernels/attend), compared
 * with a product of f32 that is rounded
 *
 * Each code in each of the 16 places of a piece, beside other codes: with each scale of NVFP4 and
 * MXFP4, and with each offset of INT4. Also the pieces that a lane converts, for rows of any
 * length.
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
    check<of_f16>("nvfp4 to f16", "mxfp4 to f16", "int4 to f16");
    check<of_bf16>("nvfp4 to bf16", "mxfp4 to bf16", "int4 to bf16");
    printf("%llu checks, %llu failed\n", static_cast<unsigned long long>(checks),
           static_cast<unsigned long long>(failures));
    return failures ? 1 : 0;
}
