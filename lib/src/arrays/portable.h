/* SPDX-License-Identifier: MIT */
/* portable.h -- loops over arrays in plain C, for any processor: bytes looked up, random words */
/* ---- decode ---------------------------------------------------------------------------------- */

/* Four at a time: compilers that do not unroll loops by themselves lose half of the speed. */
static void sf8_portable_decode(const uint16_t *table, int32_t widen, unsigned char *dst,
                                const uint8_t *src, size_t n)
{
    size_t i = 0;
    for (; n - i >= 4; i += 4) {
        uint16_t half[4] = {table[src[i]], table[src[i + 1]], table[src[i + 2]], table[src[i + 3]]};
        uint32_t word[4] = {(uint32_t)half[0] << 16, (uint32_t)half[1] << 16,
                            (uint32_t)half[2] << 16, (uint32_t)half[3] << 16};
        if (widen)
            memcpy(dst + 4 * i, word, sizeof word);
        else
            memcpy(dst + 2 * i, half, sizeof half);
    }
    for (; i < n; i++) {
        uint32_t word = (uint32_t)table[src[i]] << 16;
        memcpy(dst + (widen ? 4 : 2) * i, widen ? (const void *)&word : &table[src[i]],
               widen ? 4 : 2);
    }
}

/* ---- random words ---------------------------------------------------------------------------- */

/* Philox4x32-10: sixteen counters at a time, whose words follow each other. */
static void sf8_portable_random(uint32_t *words, size_t n, uint64_t seed, uint64_t counter)
{
    enum { LANES = SF8_GROUP / 4, ROUNDS = 10 };
    for (size_t group = 0; group < n; group += SF8_GROUP, counter += LANES) {
        uint32_t x[4][LANES];
        uint32_t low_key = (uint32_t)seed, high_key = (uint32_t)(seed >> 32);
        for (uint32_t i = 0; i < LANES; i++) {
            x[0][i] = (uint32_t)counter + i;
            x[1][i] = (uint32_t)(counter >> 32) + (x[0][i] < i);
            x[2][i] = x[3][i] = 0;
        }
        for (int32_t round = 0; round < ROUNDS; round++) {
            for (uint32_t i = 0; i < LANES; i++) {
                uint64_t a = (uint64_t)x[0][i] * 0xd2511f53u, b = (uint64_t)x[2][i] * 0xcd9e8d57u;
                x[0][i] = (uint32_t)(b >> 32) ^ x[1][i] ^ low_key;
                x[2][i] = (uint32_t)(a >> 32) ^ x[3][i] ^ high_key;
                x[1][i] = (uint32_t)b;
                x[3][i] = (uint32_t)a;
            }
            low_key += 0x9e3779b9u;
            high_key += 0xbb67ae85u;
        }
        for (uint32_t i = 0; i < LANES; i++)
            for (uint32_t j = 0; j < 4; j++)
                words[group + 4 * i + j] = x[j][i];
    }
}

static void sf8_portable_byte_table(const uint8_t *table, uint8_t *dst, const uint8_t *src, size_t n)
{
    for (size_t i = 0; i < n; i++)
        dst[i] = table[src[i]];
}
