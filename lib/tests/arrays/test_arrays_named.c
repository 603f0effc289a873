/* SPDX-License-Identifier: MIT */
/* test_arrays_named.c -- array functions by name, each against the one by name for one value
 *
 * These are some hundred inline functions. CMakeLists.txt compiles the file without optimization.
 */
#include "arrays/arrays.h"

#define CHECK_FROM(wide, type, f)                                                                  \
    do {                                                                                           \
        type in[5];                                                                                \
        uint8_t out[5];                                                                            \
        uint32_t random[5] = {1, 77777, 0xffffffff, 0x8000, 5};                                    \
        sf8_policy sr = SF8_OCP;                                                                   \
        sr.round = SF8_SR;                                                                         \
        for (size_t i = 0; i < 5; i++)                                                             \
            in[i] = (type)((int)i * 1.37 + 0.3);                                                   \
        cr_expect(sf8_##wide##_to_##f##_n(out, in, 5, SF8_CUDA_NOSAT) == SF8_OK);                  \
        for (size_t i = 0; i < 5; i++)                                                             \
            EXPECT(out[i] == sf8_##wide##_to_##f(in[i], SF8_CUDA_NOSAT), #wide " to " #f);         \
        cr_expect(sf8_##wide##_to_##f##_sr_n(out, in, 5, sr, random) == SF8_OK);                   \
        for (size_t i = 0; i < 5; i++)                                                             \
            EXPECT(out[i] == sf8_##wide##_to_##f##_sr(in[i], sr, random[i]), #wide " to " #f);     \
    } while (0);
#define CHECK_TO(wide, type, f)                                                                    \
    do {                                                                                           \
        uint8_t in[4] = {0, 1, 0x35, 0xff};                                                        \
        type out[4], want;                                                                         \
        cr_expect(sf8_##f##_to_##wide##_n(out, in, 4) == SF8_OK);                                  \
        for (size_t i = 0; i < 4; i++) {                                                           \
            want = sf8_##f##_to_##wide(in[i]);                                                     \
            EXPECT(memcmp(&out[i], &want, sizeof want) == 0, #f " to " #wide);                     \
        }                                                                                          \
    } while (0);
#define CHECK_NAMED(f, e, m, s, nan, inf, zero, bias)                                              \
    static void check_##f(void)                                                                    \
    {                                                                                              \
        CHECK_FROM(f16, uint16_t, f)                                                               \
        CHECK_FROM(bf16, uint16_t, f)                                                              \
        CHECK_FROM(tf32, uint32_t, f)                                                              \
        CHECK_FROM(f32, float, f)                                                                  \
        CHECK_FROM(f64, double, f)                                                                 \
        CHECK_FROM(f32bits, uint32_t, f)                                                           \
        CHECK_FROM(f64bits, uint64_t, f)                                                           \
        CHECK_TO(f16, uint16_t, f)                                                                 \
        CHECK_TO(bf16, uint16_t, f)                                                                \
        CHECK_TO(tf32, uint32_t, f)                                                                \
        CHECK_TO(f32, float, f)                                                                    \
        CHECK_TO(f64, double, f)                                                                   \
        CHECK_TO(f32bits, uint32_t, f)                                                             \
        CHECK_TO(f64bits, uint64_t, f)                                                             \
    }
SF8_NARROW_FORMATS(CHECK_NAMED)

Test(arrays_named, by_name)
{
#define CALL(f, e, m, s, nan, inf, zero, bias) check_##f();
    SF8_NARROW_FORMATS(CALL)
#undef CALL
}
