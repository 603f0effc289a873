/* SPDX-License-Identifier: MIT */
/* test_arrays_strided.c -- array conversions of elements that lie apart
 *
 * The expected results are those of the function for one value, which the proof compares with the
 * reference.
 */
#include "arrays/arrays.h"

/* Places are computed as the header has it, in bytes, and what no element lies in stays. */
static void check_strided(const char *to_name, const char *from_name, ptrdiff_t dst_stride,
                          ptrdiff_t src_stride, size_t n)
{
    enum { ROOM = 1 << 16 };
    static unsigned char src[ROOM], dst[ROOM], want[ROOM];
    sf8_format to = format_of(to_name), from = format_of(from_name);
    size_t in = width_of(from), out = width_of(to);
    for (size_t i = 0; i < ROOM; i++)
        src[i] = (unsigned char)pseudo_random();
    memset(dst, 0xa5, sizeof dst);
    memset(want, 0xa5, sizeof want);
    for (size_t i = 0; i < n; i++) {
        ptrdiff_t read = ROOM / 2 + (ptrdiff_t)i * src_stride * (ptrdiff_t)in;
        ptrdiff_t write = ROOM / 2 + (ptrdiff_t)i * dst_stride * (ptrdiff_t)out;
        uint64_t word = element(src + read, 0, in);
        set_element(want + write, 0, out, sf8_convert(to, from, word, SF8_OCP));
    }
    cr_assert(sf8_convert_strided_n(to, dst + ROOM / 2, dst_stride, from, src + ROOM / 2,
                                    src_stride, n, SF8_OCP) == SF8_OK);
    cr_expect(memcmp(dst, want, ROOM) == 0, "%s to %s, strides %td and %td, %zu", from_name,
              to_name, src_stride, dst_stride, n);
}

Test(arrays_strided, strided)
{
    static const ptrdiff_t strides[] = {1, 2, 3, -1, -2, 7, 0};
    static const size_t counts[] = {0, 1, 2, 511, 512, 513, 1100};
    static const char *const pairs[][2] = {
        {"e4m3", "f32"}, {"f32", "e4m3"}, {"e5m2", "bf16"}, {"f16", "f64"}, {"e2m1", "e4m3"}};
    for (size_t p = 0; p < COUNT(pairs); p++)
        for (size_t d = 0; d < COUNT(strides); d++)
            for (size_t s = 0; s < COUNT(strides); s++)
                for (size_t c = 0; c < COUNT(counts); c++) {
                    ptrdiff_t most = 8 * (strides[d] < 0 ? -strides[d] : strides[d]);
                    ptrdiff_t other = 8 * (strides[s] < 0 ? -strides[s] : strides[s]);
                    size_t room = (size_t)(most > other ? most : other) * counts[c];
                    if ((strides[d] == 0 && counts[c] > 1) || room > (1 << 15) - 8)
                        continue;
                    check_strided(pairs[p][0], pairs[p][1], strides[d], strides[s], counts[c]);
                }
}

/* A column of a matrix in place; and what is refused, with nothing written. */
Test(arrays_strided, strided_in_place_and_refused)
{
    enum { ROWS = 700, COLUMNS = 5 };
    static uint8_t m[ROWS * COLUMNS], want[ROWS * COLUMNS];
    sf8_format e4m3 = format_of("e4m3"), e5m2 = format_of("e5m2"), bad = e4m3;
    sf8_policy random = SF8_OCP;
    uint8_t r[2] = {0xa5, 0xa5};
    for (size_t i = 0; i < sizeof m; i++)
        m[i] = want[i] = (uint8_t)pseudo_random();
    for (size_t i = 0; i < ROWS; i++)
        want[COLUMNS * i + 2] = (uint8_t)sf8_convert(e5m2, e4m3, want[COLUMNS * i + 2], SF8_OCP);
    cr_assert(sf8_convert_strided_n(e5m2, m + 2, COLUMNS, e4m3, m + 2, COLUMNS, ROWS, SF8_OCP) ==
              SF8_OK);
    cr_expect(memcmp(m, want, sizeof m) == 0);
    random.round = SF8_SR;
    bad.exp_bits = 0;
    cr_expect(sf8_convert_strided_n(e5m2, r, 0, e4m3, m, 1, 2, SF8_OCP) == SF8_BAD_CALL);
    cr_expect(sf8_convert_strided_n(e5m2, r, 1, e4m3, m, 1, 2, random) == SF8_BAD_CALL);
    cr_expect(sf8_convert_strided_n(bad, r, 1, e4m3, m, 2, 2, SF8_OCP) == SF8_BAD_FORMAT);
    cr_expect(sf8_convert_strided_n(e5m2, r, 1, e4m3, m, PTRDIFF_MIN, 2, SF8_OCP) == SF8_BAD_CALL);
    cr_expect(sf8_convert_strided_n(e5m2, r, PTRDIFF_MAX, e4m3, m, 1, 2, SF8_OCP) == SF8_BAD_CALL);
    cr_expect(sf8_convert_strided_n(e5m2, NULL, 0, e4m3, NULL, 0, 0, SF8_OCP) == SF8_OK);
    cr_expect(r[0] == 0xa5 && r[1] == 0xa5);
    m[0] = 0x38;
    cr_expect(sf8_convert_strided_n(e5m2, r, 0, e4m3, m, 0, 1, SF8_OCP) == SF8_OK);
    cr_expect(r[0] == 0x3c && r[1] == 0xa5);
}
