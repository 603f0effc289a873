/* SPDX-License-Identifier: MIT */
/* digest.c -- the digest of the returned codes, 64 hexadecimal digits */
#include "suite/digest.h"

#include <string.h>

void digest_row(sf8_sha256 *digest, uint64_t word, uint64_t code)
{
    unsigned char row[16];
    for (int k = 0; k < 8; k++) {
        row[k] = (unsigned char)(word >> 8 * k);
        row[8 + k] = (unsigned char)(code >> 8 * k);
    }
    sf8_sha256_add(digest, row, sizeof row);
}

void digest_inputs(const inputs *in, char digest[65])
{
    sf8_sha256 state;
    sf8_sha256_begin(&state);
    for (uint64_t i = 0; i < in->count; i++) {
        unsigned char word[8];
        for (int k = 0; k < 8; k++)
            word[k] = (unsigned char)(in->list[i] >> 8 * k);
        sf8_sha256_add(&state, word, sizeof word);
    }
    sf8_sha256_end(&state, digest);
}

static unsigned digit(char c)
{
    return c >= 'a' ? (unsigned)(c - 'a') + 10 : (unsigned)(c - '0');
}

void digest_sum(char sum[65], const char other[65])
{
    if (!sum[0]) {
        memcpy(sum, other, 65);
        return;
    }
    unsigned carry = 0;
    for (int i = 63; i >= 0 && other[0]; i--) {
        carry += digit(sum[i]) + digit(other[i]);
        sum[i] = "0123456789abcdef"[carry & 15];
        carry >>= 4;
    }
}
