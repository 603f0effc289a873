/* SPDX-License-Identifier: MIT */
/* sha256.h -- SHA-256 of FIPS 180-4, over any number of pieces
 *
 * Step tables, vectors and records end with a digest. No public header includes this one.
 */
#ifndef SOFTFP8_SHA256_H
#define SOFTFP8_SHA256_H

#include <stdint.h>
#include <string.h>

typedef struct sf8_sha256 {
    uint32_t hash[8];
    uint64_t hashed;
    unsigned char block[64];
} sf8_sha256;

enum { SF8_SHA256_BLOCK = 64, SF8_SHA256_LENGTH_AT = 56 };

static inline uint32_t sf8_rotate_right(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

/* The message schedule: the block's 16 words and 48 made from them. */
static inline void sf8_sha256_schedule(uint32_t w[64], const unsigned char *block)
{
    for (int i = 0; i < 16; i++, block += 4)
        w[i] = (uint32_t)block[0] << 24 | (uint32_t)block[1] << 16 | (uint32_t)block[2] << 8 |
               block[3];
    for (int i = 16; i < 64; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + w[i - 7] + (sf8_rotate_right(a, 7) ^ sf8_rotate_right(a, 18) ^ a >> 3) +
               (sf8_rotate_right(b, 17) ^ sf8_rotate_right(b, 19) ^ b >> 10);
    }
}

/* One round, in which the word a is s[first], and b to h follow it; indices are modulo 8. */
static inline void sf8_sha256_round(uint32_t s[8], unsigned first, uint32_t word)
{
    uint32_t a = s[first], b = s[(first + 1) & 7], c = s[(first + 2) & 7];
    uint32_t e = s[(first + 4) & 7], f = s[(first + 5) & 7], g = s[(first + 6) & 7];
    uint32_t t1 = s[(first + 7) & 7] + word + ((e & f) ^ (~e & g)) +
                  (sf8_rotate_right(e, 6) ^ sf8_rotate_right(e, 11) ^ sf8_rotate_right(e, 25));
    uint32_t t2 = ((a & b) ^ (a & c) ^ (b & c)) +
                  (sf8_rotate_right(a, 2) ^ sf8_rotate_right(a, 13) ^ sf8_rotate_right(a, 22));
    s[(first + 3) & 7] += t1;
    s[(first + 7) & 7] = t1 + t2;
}

static inline void sf8_sha256_block(uint32_t hash[8], const unsigned char *block)
{
    /* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
    static const uint32_t constants[64] = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
        0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
        0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
        0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
        0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
        0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
        0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
        0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
        0xc67178f2,
    };
    uint32_t w[64], s[8];
    sf8_sha256_schedule(w, block);
    memcpy(s, hash, sizeof s);
    /* The eight names move by one place a round: after eight rounds each is where it was. */
    for (int i = 0; i < 64; i += 8) {
        sf8_sha256_round(s, 0, constants[i] + w[i]);
        sf8_sha256_round(s, 7, constants[i + 1] + w[i + 1]);
        sf8_sha256_round(s, 6, constants[i + 2] + w[i + 2]);
        sf8_sha256_round(s, 5, constants[i + 3] + w[i + 3]);
        sf8_sha256_round(s, 4, constants[i + 4] + w[i + 4]);
        sf8_sha256_round(s, 3, constants[i + 5] + w[i + 5]);
        sf8_sha256_round(s, 2, constants[i + 6] + w[i + 6]);
        sf8_sha256_round(s, 1, constants[i + 7] + w[i + 7]);
    }
    for (int i = 0; i < 8; i++)
        hash[i] += s[i];
}

static inline void sf8_sha256_begin(sf8_sha256 *state)
{
    /* The first 32 bits of the fractional parts of the square roots of the first 8 primes. */
    static const uint32_t first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(state->hash, first, sizeof first);
    memset(state->block, 0, sizeof state->block);
    state->hashed = 0;
}

static inline void sf8_sha256_add(sf8_sha256 *state, const void *data, size_t size)
{
    const unsigned char *bytes = (const unsigned char *)data;
    size_t held = (size_t)(state->hashed % SF8_SHA256_BLOCK);
    state->hashed += size;
    while (size > 0) {
        size_t room = SF8_SHA256_BLOCK - held, piece = size < room ? size : room;
        if (piece == SF8_SHA256_BLOCK) {
            sf8_sha256_block(state->hash, bytes);
        } else {
            memcpy(state->block + held, bytes, piece);
            held = (held + piece) % SF8_SHA256_BLOCK;
            if (held == 0)
                sf8_sha256_block(state->hash, state->block);
        }
        bytes += piece;
        size -= piece;
    }
}

/* The 64 hexadecimal digits and a closing 0. */
static inline void sf8_sha256_end(sf8_sha256 *state, char text[65])
{
    static const char digits[] = "0123456789abcdef";
    unsigned char end[SF8_SHA256_BLOCK + 8] = {0x80};
    uint64_t bits = 8 * state->hashed;
    size_t held = (size_t)(state->hashed % SF8_SHA256_BLOCK);
    size_t zeros = (SF8_SHA256_LENGTH_AT - held - 1 + SF8_SHA256_BLOCK) % SF8_SHA256_BLOCK;
    for (int i = 0; i < 8; i++)
        end[1 + zeros + (size_t)i] = (unsigned char)(bits >> (56 - 8 * i));
    sf8_sha256_add(state, end, 1 + zeros + 8);
    for (int i = 0; i < 64; i++)
        text[i] = digits[state->hash[i / 8] >> (28 - 4 * (i % 8)) & 15];
    text[64] = '\0';
}

#endif
