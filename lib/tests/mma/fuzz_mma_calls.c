/* SPDX-License-Identifier: MIT */
/* fuzz_mma_calls.c -- libFuzzer: matrix units with any properties, sizes, schedules and operands
 *
 * A property that sf8_mma_set accepts leaves a unit that can be computed. Every level gives what
 * the core gives. Sizes that no memory has are refused before a pointer is used.
 */
#include "fuzz_input.h"
#include "softfp8_mma.h"

enum { LONGEST = 1 << 10 };

static sf8_format any_operand(input *in)
{
    static const char *const names[] = {"e4m3", "e5m2", "e2m1", "e3m2", "e2m3",     "f16",
                                        "bf16", "tf32", "f32",  "e8m0", "e4m3fnuz", "f64"};
    return sf8_format_named(names[small(in, sizeof names / sizeof names[0] - 1)], NULL);
}

static void any_property(input *in, sf8_mma *m)
{
    static const char *const names[] = {"lowering", "underflow", "zero",  "fraction", "length",
                                        "sum",      "round",     "order", "cut",      "products"};
    static const char *const values[] = {"chain",      "independent", "signed", "positive", "fused",
                                         "two-stage",  "interleaved", "zero",   "down",     "raw",
                                         "normalised", "rz",          "rne",    "rd",       "ro",
                                         "e8m13",      "f32",         "f16",    "sr",       ""};
    char text[8];
    const char *value = values[small(in, sizeof values / sizeof values[0] - 1)];
    sf8_mma before = *m;
    if (small(in, 2) == 0) {
        snprintf(text, sizeof text, "%d", (int)small(in, 80) - 10);
        value = text;
    } else if (small(in, 7) == 0) {
        take(in, text, sizeof text);
        text[sizeof text - 1] = 0;
        value = text;
    }
    if (sf8_mma_set(m, names[small(in, 9)], value) != SF8_OK)
        CHECK(memcmp(&before, m, sizeof before) == 0);
}

static size_t width_of(sf8_format f)
{
    return sf8_format_bits(f) <= 8 ? 1 : sf8_format_bits(f) <= 16 ? 2 : 4;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = {data, size};
    sf8_mma m;
    size_t units = 0, i = (size_t)word(&in);
    while (sf8_mma_at(units))
        units++;
    const sf8_mma_row *row = sf8_mma_at(i % units);
    sf8_format a = any_operand(&in), b = small(&in, 3) ? any_operand(&in) : a;
    sf8_format to = small(&in, 7) < 4 ? SF8_F32 : small(&in, 7) < 7 ? SF8_F16 : any_operand(&in);
    int32_t takes = sf8_mma_takes(row, a, b, to);
    CHECK((sf8_mma_read(&m, row, a, b, to) == SF8_OK) == (takes != 0));
    if (!takes)
        return 0;
    for (uint32_t n = small(&in, 3); n > 0; n--)
        any_property(&in, &m);
    size_t step = (size_t)m.k, k = step * small(&in, 4) + (small(&in, 15) == 0);
    size_t rows = small(&in, 9), columns = small(&in, 9);
    if (k > LONGEST)
        return 0;
    size_t scales = m.scale_block ? k / (size_t)m.scale_block + 1 : 0;
    array x = array_of(&in, rows * k, width_of(a)), y = array_of(&in, columns * k, width_of(b));
    array scale_x = array_of(&in, rows * scales, 1), scale_y = array_of(&in, columns * scales, 1);
    uint32_t *d = words_of(&in, rows * columns), *core = words_of(&in, rows * columns);
    uint32_t *c = words_of(&in, rows * columns), *f = words_of(&in, (rows + columns) * 8);
    sf8_mma_schedule schedule = {.promote = small(&in, 3),
                                 .splits = small(&in, 3),
                                 .scaling = small(&in, 3),
                                 .scale_a = f,
                                 .scale_b = f + rows * 8};
    sf8_mma_operands operands = {
        .a = x.at, .b = y.at, .scale_a = scale_x.at, .scale_b = scale_y.at};
    const sf8_mma_schedule *how = small(&in, 1) ? &schedule : NULL;
    const uint32_t *from = small(&in, 1) ? c : NULL;
    sf8_status status = sf8_mma_matmul_at("core", &m, how, core, from, operands, rows, columns, k);
    CHECK(status == SF8_OK || status == SF8_BAD_CALL);
    CHECK(status != SF8_OK || k % step == 0);
    for (i = 0; sf8_simd_at(i); i++) {
        CHECK(sf8_mma_matmul_at(sf8_simd_at(i), &m, how, d, from, operands, rows, columns, k) ==
              status);
        CHECK(status != SF8_OK || rows * columns == 0 ||
              memcmp(d, core, rows * columns * sizeof *d) == 0);
    }
    if (status == SF8_OK && !how && rows && columns)
        CHECK(sf8_mma_dot(&m, x.at, y.at, scale_x.at, scale_y.at, k, from ? c[0] : 0) == core[0]);
    size_t large = (size_t)word(&in) | (size_t)PTRDIFF_MAX + 1;
    CHECK(sf8_mma_matmul(&m, NULL, d, NULL, operands, large, columns + 1, step) != SF8_OK);
    CHECK(sf8_mma_matmul(&m, NULL, d, NULL, operands, rows + 1, large, step) != SF8_OK);
    free(x.whole);
    free(y.whole);
    free(scale_x.whole);
    free(scale_y.whole);
    free(d);
    free(core);
    free(c);
    free(f);
    return 0;
}
