/* SPDX-License-Identifier: MIT */
/* chain_scan.c -- a variance of 2^k equal numbers, of every f32 in [8, 16)
 *
 * By the tree the mean of 2^k times x is x, and the mean square fl(x^2); less x^2 by fma that is
 * the error of the rounding, which f32 holds: x is m 2^-20 with 24 bits of m, so in units of 2^-40
 * the error is an integer of at most 2^23. A check holds this against the library.
 */
#include "kv/chain_model.h"
#include "softfp8/scalar.h"

/* m^2 rounded to 24 bits, less m^2. */
static int64_t error_of(uint64_t m)
{
    uint64_t square = m * m, half = square >> 47 ? 1u << 23 : 1u << 22;
    uint64_t odd = square / (2 * half) & 1;
    uint64_t rounded = (square + half - 1 + odd) / (2 * half) * (2 * half);
    return (int64_t)(rounded - square);
}

/* The least error below 0 that eps outweighs, in units of 2^-40. */
static int64_t limit_of(uint32_t eps)
{
    sf8_policy down = SF8_OCP_NOSAT;
    down.round = SF8_RZ;
    uint32_t scaled = sf8_f32_mul(eps, 0x53800000u); /* 2^40: exact */
    return -(int64_t)sf8_core_to_integer(SF8_F32, scaled, 64, 1, down, 0, 0).code;
}

chain_scan chain_scan_all(void)
{
    chain_scan s = {.numbers = 1u << 23};
    int64_t least = 0, limit[CHAIN_EPS];
    for (int i = 0; i < CHAIN_EPS; i++)
        limit[i] = limit_of(chain_word(chain_eps_texts[i]));
    for (uint64_t m = 1u << 23; m < 1u << 24; m++) {
        int64_t e = error_of(m);
        s.negative += e < 0;
        least = e < least ? e : least;
        for (int i = 0; i < CHAIN_EPS; i++)
            s.lost[i] += e < limit[i];
    }
    s.least = sf8_f32_mul((uint32_t)sf8_core_from_i64(SF8_F32, least, SF8_OCP_NOSAT, 0).code,
                          0x2b800000u); /* 2^-40 */
    return s;
}
