/* SPDX-License-Identifier: MIT */
/* test_array_edges.c -- arrays of codes at the end of accessible memory
 *
 * Arithmetic and packing may read and write n elements and not a byte more. The arrays are at one
 * end, then at the other, of memory that is surrounded by inaccessible pages. The expected results
 * are those of the functions of one element. Each test is a separate process, which chooses the
 * vector instructions before its first call.
 */
#define _DEFAULT_SOURCE
#include "arrays/arithmetic.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { ROOM = 131072, MOST = 200 };

/* ROOM bytes between pages that nobody may touch. */
static uint8_t *island(void)
{
    uint8_t *p = mmap(NULL, 3 * ROOM, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert(p != MAP_FAILED && mprotect(p + ROOM, ROOM, PROT_READ | PROT_WRITE) == 0);
    return p + ROOM;
}

static uint8_t *islands[4];

/* n bytes of noise at the end of an island, or at its beginning. */
static uint8_t *bytes_at(size_t which, size_t n, int at_end)
{
    uint8_t *p = islands[which] + (at_end ? ROOM - n : 0);
    for (size_t i = 0; i < n; i++)
        p[i] = (uint8_t)((i * 2654435761u + which * 977 + n) >> 9);
    return p;
}

static void check_binary(const operation *op, const char *name, size_t n, int at_end)
{
    sf8_format f = format_of(name);
    uint8_t *a = bytes_at(0, n, at_end), *b = bytes_at(1, n, at_end), *r = bytes_at(2, n, at_end);
    cr_assert(op->array(f, r, a, b, n, SF8_OCP_NOSAT) == SF8_OK);
    for (size_t i = 0; i < n; i++)
        EXPECT(r[i] == op->scalar(f, a[i], b[i], SF8_OCP_NOSAT).code, "%s %s, %zu of %zu", name,
               op->name, i, n);
}

static void check_fma(const char *name, size_t n, int at_end)
{
    sf8_format f = format_of(name);
    uint8_t *a = bytes_at(0, n, at_end), *b = bytes_at(1, n, at_end), *c = bytes_at(2, n, at_end);
    uint8_t *r = bytes_at(3, n, at_end);
    cr_assert(sf8_fma_n(f, r, a, b, c, n, SF8_OCP_NOSAT) == SF8_OK);
    for (size_t i = 0; i < n; i++)
        EXPECT(r[i] == sf8_fma(f, a[i], b[i], c[i], SF8_OCP_NOSAT).code, "%s fma, %zu of %zu", name,
               i, n);
}

static void check_arithmetic(void)
{
    static const char *const formats[] = {"e4m3", "e5m2", "e2m1", "e4m3fnuz", "e8m0"};
    for (size_t i = 0; i < COUNT(islands); i++)
        islands[i] = island();
    for (size_t i = 0; i < COUNT(formats); i++)
        for (size_t n = 0; n <= MOST; n++)
            for (int at_end = 0; at_end < 2; at_end++) {
                for (size_t op = 0; op < COUNT(operations); op++)
                    check_binary(&operations[op], formats[i], n, at_end);
                check_fma(formats[i], n, at_end);
            }
}

Test(array_edges, arithmetic)
{
    check_arithmetic();
}

Test(array_edges, arithmetic_portable)
{
    use_level("portable");
    check_arithmetic();
}

Test(array_edges, arithmetic_avx2)
{
    use_level("avx2");
    check_arithmetic();
}

/* Elements of 2, 4 and 8 bytes: all results are 1. */
Test(array_edges, wide_elements)
{
    static const char *const formats[] = {"f16", "f32", "f64"};
    static const uint64_t ones[] = {0x3c00, 0x3f800000, UINT64_C(0x3ff0000000000000)};
    for (size_t i = 0; i < COUNT(islands); i++)
        islands[i] = island();
    for (size_t i = 0; i < COUNT(formats); i++)
        for (size_t n = 0; n < 9; n++) {
            size_t size = (size_t)2 << i;
            uint8_t *a = bytes_at(0, n * size, 1), *r = bytes_at(1, n * size, 1);
            for (size_t k = 0; k < n * size; k++)
                a[k] = (uint8_t)(ones[i] >> 8 * (k % size));
            cr_assert(sf8_maximum_n(format_of(formats[i]), r, a, a, n, SF8_OCP) == SF8_OK);
            EXPECT(memcmp(r, a, n * size) == 0, "%s, %zu", formats[i], n);
        }
}

/* From 3/2 of the number of pairs of codes on, a table of the pairs is made first; fma has none. */
static void check_long(void)
{
    static const char *const formats[] = {"e2m1", "e3m2", "e5m2", "e8m0"};
    for (size_t i = 0; i < COUNT(islands); i++)
        islands[i] = island();
    for (size_t i = 0; i < COUNT(formats); i++)
        for (size_t more = 0; more < 3; more++) {
            size_t n = ((size_t)3 << (2 * sf8_format_bits(format_of(formats[i])) - 1)) + more - 1;
            for (size_t op = 0; op < COUNT(operations); op++)
                check_binary(&operations[op], formats[i], n, 1);
            check_fma(formats[i], n, 1);
        }
}

Test(array_edges, long_arrays)
{
    check_long();
}

Test(array_edges, long_arrays_portable)
{
    use_level("portable");
    check_long();
}

static void check_packing(void)
{
    for (size_t i = 0; i < COUNT(islands); i++)
        islands[i] = island();
    for (int32_t bits = 1; bits <= 8; bits++)
        for (size_t n = 0; n <= MOST; n++)
            for (int at_end = 0; at_end < 2; at_end++) {
                size_t size = (n * (size_t)bits + 7) / 8;
                uint8_t *codes = bytes_at(0, n, at_end), *packed = bytes_at(1, size, at_end);
                uint8_t *again = bytes_at(2, n, at_end);
                cr_assert(sf8_pack_n(bits, packed, codes, n) == SF8_OK);
                cr_assert(sf8_unpack_n(bits, again, packed, n) == SF8_OK);
                for (size_t i = 0; i < n; i++)
                    EXPECT(again[i] == (codes[i] & ((1u << bits) - 1)), "%d bits, %zu of %zu", bits,
                           i, n);
            }
}

Test(array_edges, packing)
{
    check_packing();
}

Test(array_edges, packing_portable)
{
    use_level("portable");
    check_packing();
}

/* Here the random numbers are the larger elements. */
Test(array_edges, too_many_random_words)
{
    void *nowhere = (void *)(uintptr_t)16;
    const uint32_t *words = nowhere;
    size_t n = (size_t)PTRDIFF_MAX / 4 + 1;
    sf8_policy policy = SF8_OCP;
    policy.round = SF8_SR;
    cr_expect(sf8_add_sr_n(SF8_E4M3, nowhere, nowhere, nowhere, n, policy, words) == SF8_BAD_CALL);
    cr_expect(sf8_fma_sr_n(SF8_E4M3, nowhere, nowhere, nowhere, nowhere, n, policy, words) ==
              SF8_BAD_CALL);
    cr_expect(sf8_mul_n(SF8_F16, nowhere, nowhere, nowhere, 2 * n, SF8_OCP) == SF8_BAD_CALL);
    cr_expect(sf8_packed_size(8, SIZE_MAX) == SIZE_MAX);
}
