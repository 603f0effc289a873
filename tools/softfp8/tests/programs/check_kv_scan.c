/* SPDX-License-Identifier: MIT */
/* check_kv_scan.c -- the scan of kv chain against the library, over all numbers in [8, 16)
 *
 * The counts are literals too: of a program of plain float and fmaf, gcc -ffp-contract=off.
 */
#include "kv/chain.h"
#include "softfp8/scalar.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static void same(const char *what, uint64_t want, uint64_t got)
{
    if (want == got)
        return;
    printf("FAILED: %s: %llu instead of %llu\n", what, (unsigned long long)got,
           (unsigned long long)want);
    failures++;
}

/* fma(-x, x, x x), and whether eps leaves it below 0: operation by operation. */
static chain_scan by_operations(void)
{
    chain_scan s = {.numbers = 0};
    uint32_t eps[CHAIN_EPS];
    for (int i = 0; i < CHAIN_EPS; i++)
        eps[i] = chain_word(chain_eps_texts[i]);
    for (uint32_t x = 0x41000000; x < 0x41800000; x++) {
        uint32_t e = sf8_f32_fma(x ^ 0x80000000u, x, sf8_f32_mul(x, x));
        s.numbers++;
        if (sf8_f32_order(e) >= 0)
            continue;
        s.negative++;
        s.least = sf8_f32_order(e) < sf8_f32_order(s.least) ? e : s.least;
        for (int i = 0; i < CHAIN_EPS; i++)
            s.lost[i] += sf8_f32_order(sf8_f32_add(e, eps[i])) < 0;
    }
    return s;
}

/* Of the library's own norm, where there is less time. */
static void check_norm(void)
{
    for (uint32_t x = 0x41000000; x < 0x41800000; x += 4099) {
        uint32_t n[4] = {x, x, x, x}, e = sf8_f32_fma(x ^ 0x80000000u, x, sf8_f32_mul(x, x));
        sf8_moments m = sf8_f32_moments_n(SF8_ORDER_TREE, SF8_FUSE_LAST, n, 4);
        same("the variance of four", e, m.variance);
    }
}

int main(void)
{
    const char *tier = getenv("SOFTFP8_TIER");
    chain_scan s = chain_scan_all();
    same("numbers", 8388608, s.numbers);
    same("below 0", 4194492, s.negative);
    same("the least, -7.629381e-06", 0xb6fffff2, s.least);
    same("NaN with 1e-12", 4194490, s.lost[0]);
    same("NaN with 1e-6", 3414192, s.lost[1]);
    same("NaN with 1e-5", 0, s.lost[2]);
    check_norm();
    if (!tier || strcmp(tier, "short") != 0) {
        chain_scan all = by_operations();
        same("all, by operations", 1, memcmp(&all, &s, sizeof s) == 0);
    }
    printf("%d failed\n", failures);
    return failures != 0;
}
