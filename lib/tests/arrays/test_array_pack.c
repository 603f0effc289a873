/* SPDX-License-Identifier: MIT */
/* test_array_pack.c -- codes of few bits, packed and unpacked
 *
 * The packed bytes are defined here a second time, bit by bit: bit j of code i is bit i * bits + j
 * of the string, and bit k of the string is bit k % 8 of byte k / 8.
 */
#define _POSIX_C_SOURCE 200809L
#include "arrays/level.h"

#include <stdlib.h>

enum { MOST = 600 };

static void pack_by_bit(int bits, uint8_t *dst, const uint8_t *src, size_t n)
{
    memset(dst, 0, (n * (size_t)bits + 7) / 8);
    for (size_t k = 0; k < n * (size_t)bits; k++)
        dst[k / 8] |= (uint8_t)((src[k / (size_t)bits] >> k % (size_t)bits & 1) << k % 8);
}

static uint8_t noise(size_t i)
{
    return (uint8_t)((i * 2654435761u + 12345) >> 11);
}

/* Both ways, from unlike addresses, with bytes around that must stay. */
static void check_pack(int bits, size_t n, size_t place)
{
    uint8_t src[MOST], packed[MOST], want[MOST], back[MOST];
    size_t size = (n * (size_t)bits + 7) / 8;
    for (size_t i = 0; i < MOST; i++)
        src[i] = noise(i + n);
    memset(packed, 0xa5, sizeof packed);
    memset(want, 0xa5, sizeof want);
    pack_by_bit(bits, want + place, src + 63 - place, n);
    cr_assert(sf8_pack_n(bits, packed + place, src + 63 - place, n) == SF8_OK);
    EXPECT(memcmp(packed, want, sizeof packed) == 0, "pack %d bits, %zu at %zu", bits, n, place);
    cr_expect(sf8_packed_size(bits, n) == size);

    memset(back, 0xa5, sizeof back);
    memset(want, 0xa5, sizeof want);
    for (size_t i = 0; i < n; i++)
        want[place + i] = (uint8_t)(src[63 - place + i] & ((1u << bits) - 1));
    /* bits behind the last code are ignored */
    if (n * (size_t)bits % 8)
        packed[place + size - 1] |= (uint8_t)(0xff << n * (size_t)bits % 8);
    cr_assert(sf8_unpack_n(bits, back + place, packed + place, n) == SF8_OK);
    EXPECT(memcmp(back, want, sizeof back) == 0, "unpack %d bits, %zu at %zu", bits, n, place);
}

static void check_all(void)
{
    for (int bits = 1; bits <= 8; bits++) {
        for (size_t n = 0; n <= 300; n++)
            check_pack(bits, n, n % 64);
        for (size_t place = 0; place < 64; place++)
            check_pack(bits, 203, place);
    }
}

Test(array_pack, lengths_and_places)
{
    check_all();
}

Test(array_pack, lengths_and_places_portable)
{
    use_level("portable");
    check_all();
}

/* The order that the hardware's and the MX formats' packed tensors have. */
Test(array_pack, order)
{
    static const uint8_t fp4[4] = {0x01, 0x0f, 0xf2, 0x03}, fp6[4] = {0x01, 0x3f, 0xc2, 0x24};
    uint8_t r[3];
    cr_assert(sf8_pack_n(4, r, fp4, 4) == SF8_OK);
    cr_expect(r[0] == 0xf1 && r[1] == 0x32);
    cr_assert(sf8_pack_n(4, r, fp4, 3) == SF8_OK);
    cr_expect(r[0] == 0xf1 && r[1] == 0x02);
    /* 100100 000010 111111 000001 */
    cr_assert(sf8_pack_n(6, r, fp6, 4) == SF8_OK);
    cr_expect(r[0] == 0xc1 && r[1] == 0x2f && r[2] == 0x90);
}

/* Every byte, packed, comes back. */
Test(array_pack, every_byte)
{
    uint8_t all[768], codes[1536], again[768];
    for (size_t i = 0; i < sizeof all; i++)
        all[i] = (uint8_t)(i < 256 ? i : noise(i));
    for (int bits = 1; bits <= 8; bits++) {
        size_t n = (bits < 4 ? sizeof codes : sizeof all * 8 / (size_t)bits) / 8 * 8;
        size_t size = sf8_packed_size(bits, n);
        cr_assert(sf8_unpack_n(bits, codes, all, n) == SF8_OK);
        cr_assert(sf8_pack_n(bits, again, codes, n) == SF8_OK);
        cr_expect(memcmp(all, again, size) == 0, "%d bits", bits);
        cr_assert(sf8_pack_n(bits, codes, codes, n) == SF8_OK);
        cr_expect(memcmp(all, codes, size) == 0, "%d bits in place", bits);
    }
}

Test(array_pack, refused)
{
    uint8_t r = 0xa5, x = 1;
    cr_expect(sf8_pack_n(0, &r, &x, 1) == SF8_BAD_FORMAT);
    cr_expect(sf8_pack_n(9, &r, &x, 1) == SF8_BAD_FORMAT);
    cr_expect(sf8_unpack_n(-4, &r, &x, 1) == SF8_BAD_FORMAT);
    cr_expect(sf8_pack_n(4, NULL, NULL, SIZE_MAX) == SF8_BAD_CALL);
    cr_expect(sf8_unpack_n(6, NULL, NULL, SIZE_MAX) == SF8_BAD_CALL);
    cr_expect(sf8_pack_n(4, NULL, NULL, 0) == SF8_OK);
    cr_expect(sf8_unpack_n(6, NULL, NULL, 0) == SF8_OK);
    cr_expect(sf8_packed_size(9, 8) == 0);
    cr_expect(r == 0xa5);
}
