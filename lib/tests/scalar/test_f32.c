/* SPDX-License-Identifier: MIT */
/* test_f32.c -- sums, norms, attention and argmax in f32 */
#include "scalar/f32_ref.h"
#include "softfp8/scalar.h"
#include "random.h"
#include "table.h"

enum { MOST = 8192, X = 0x41333333 }; /* 11.2 */

/* ---- sums ------------------------------------------------------------------------------------ */

/* 2^24 takes up no single 1, and 2 or 4 only whole: by hand. */
Test(f32, orders_by_hand)
{
    uint32_t x[1026] = {0x4b800000, 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000};
    EXPECT(sf8_f32_sum_n(SF8_ORDER_SEQUENTIAL, x, 5) == 0x4b800000, "2^24, four times");
    EXPECT(sf8_f32_sum_n(SF8_ORDER_TREE, x, 5) == 0x4b800002,
           "((2^24) + 2) + 1 is a tie: 2^24 + 4");
    EXPECT(sf8_f32_sum_n(SF8_ORDER_WARP, x, 5) == 0x4b800002, "zeros join the tree");
    EXPECT(sf8_f32_sum_n(SF8_ORDER_WELFORD, x, 5) == 0x4b800000, "as sequential");
    memset(x + 1, 0, sizeof x - sizeof x[0]);
    x[32] = x[33] = 0x3f800000;
    EXPECT(sf8_f32_sum_n(SF8_ORDER_WARP, x, 34) == 0x4b800000, "2^24 and 1 have one thread");
    EXPECT(sf8_f32_sum_n(SF8_ORDER_BLOCK, x, 34) == 0x4b800001, "1 and 1 are neighbours");
    EXPECT(sf8_f32_sum_n(SF8_ORDER_TREE, x, 34) == 0x4b800001, "1 and 1 are neighbours");
    x[32] = x[33] = 0;
    x[1024] = x[1025] = 0x3f800000;
    EXPECT(sf8_f32_sum_n(SF8_ORDER_BLOCK, x, 1026) == 0x4b800000, "2^24 and 1 have one thread");
    EXPECT(sf8_f32_sum_n(SF8_ORDER_TREE, x, 1026) == 0x4b800001, "1 and 1 are neighbours");
    for (int order = 0; order < SF8_ORDER_COUNT; order++) {
        uint32_t minus = 0x80000000u;
        EXPECT(sf8_f32_sum_n((sf8_order)order, x, 0) == 0, "order %d of nothing", order);
        EXPECT(sf8_f32_dot_n((sf8_order)order, 0, x, x, 0) == 0, "order %d of nothing", order);
        EXPECT(sf8_f32_sum_n((sf8_order)order, &minus, 1) == (order == SF8_ORDER_TREE ? minus : 0),
               "order %d of -0", order);
    }
}

Test(f32, names)
{
    static const char *const names[] = {"sequential", "warp", "block", "tree", "welford"};
    sf8_status status;
    for (int i = 0; i < SF8_ORDER_COUNT; i++) {
        EXPECT(strcmp(sf8_order_name((sf8_order)i), names[i]) == 0, "name %d", i);
        EXPECT(sf8_order_named(names[i], &status) == (sf8_order)i && status == SF8_OK, "%s",
               names[i]);
    }
    EXPECT(sf8_order_name((sf8_order)SF8_ORDER_COUNT) == NULL, "one too many");
    sf8_order_named("threads", &status);
    EXPECT(status == SF8_UNKNOWN_NAME, "threads");
}

/* Sizes around every boundary of the orders; values of 16 binades and both signs, and near ones. */
Test(f32, reference)
{
    static const size_t sizes[] = {1,  2,  3,  4,  5,   7,   8,    9,    31,   32,  33,
                                   63, 64, 65, 96, 127, 896, 1023, 1024, 1025, 2100};
    static uint32_t a[MOST], b[MOST];
    for (int near = 0; near < 2; near++) {
        for (size_t s = 0; s < COUNT(sizes); s++) {
            size_t n = sizes[s];
            for (size_t i = 0; i < n; i++) {
                uint32_t r = pseudo_random();
                a[i] = near ? X + r % 64 : (r & 0x807fffffu) | (119 + (r >> 23) % 16) << 23;
                b[i] = near ? X - r / 64 % 64 : pseudo_random() % 0x800000u | 0x3f800000u;
            }
            for (int o = 0; o < SF8_ORDER_COUNT; o++) {
                sf8_order order = (sf8_order)o;
                EXPECT(sf8_f32_sum_n(order, a, n) == ref_bits(ref_sum(order, 0, a, NULL, n)),
                       "sum, order %d, n %zu", o, n);
                for (int32_t fuse = 0; fuse < 4; fuse++) {
                    sf8_moments m = sf8_f32_moments_n(order, fuse, a, n);
                    sf8_moments want = ref_moments(order, fuse, a, n);
                    EXPECT(sf8_f32_dot_n(order, fuse, a, b, n) ==
                               ref_bits(ref_sum(order, fuse, a, b, n)),
                           "dot, order %d, fuse %d, n %zu", o, (int)fuse, n);
                    EXPECT(memcmp(&m, &want, sizeof m) == 0, "moments, order %d, fuse %d, n %zu", o,
                           (int)fuse, n);
                }
            }
        }
    }
}

/* ---- variances ------------------------------------------------------------------------------- */

Test(f32, variance)
{
    static uint32_t x[MOST];
    for (size_t i = 0; i < MOST; i++)
        x[i] = X;
    table known = table_read("scalar/variances.txt");
    for (size_t i = 0; i < known.count; i++) {
        const table_line *line = &known.line[i];
        sf8_order order = sf8_order_named(line->word[0], NULL);
        size_t n = (size_t)strtoul(line->word[1], NULL, 10);
        uint32_t plain = sf8_f32_moments_n(order, 0, x, n).variance;
        uint32_t fused = sf8_f32_moments_n(order, SF8_FUSE_LAST, x, n).variance;
        EXPECT(plain == table_hex(line, 2) && fused == table_hex(line, 3), "%s, n %zu: %08x %08x",
               line->word[0], n, plain, fused);
    }
    cr_expect(known.count == 32, "%zu", known.count);
    table_free(&known);
    for (size_t n = 1; n <= MOST; n = 2 * n + n % 7)
        EXPECT(sf8_f32_moments_n(SF8_ORDER_WELFORD, 0, x, n).variance == 0, "Welford, n %zu", n);
    sf8_moments none = sf8_f32_moments_n(SF8_ORDER_TREE, 0, x, 0);
    EXPECT(none.mean == SF8_F32_NAN && none.variance == SF8_F32_NAN, "of nothing");
}

/* NaN where variance + eps is below 0, and nowhere else. */
Test(f32, rstd)
{
    static const uint32_t eps[3] = {0x2b8cbccc, 0x358637bd, 0x3727c5ac}; /* 1e-12 1e-6 1e-5 */
    static const uint32_t variances[4] = {0xb575c290, 0xb7000000, 0xb8200000, 0};
    static const int lost[4] = {1, 2, 3, 0};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 3; j++)
            EXPECT((sf8_f32_rstd(variances[i], eps[j]) == SF8_F32_NAN) == (j < lost[i]),
                   "%08x with eps %d", variances[i], j);
    EXPECT(sf8_f32_rstd(0x40400000, SF8_F32_ONE) == 0x3f000000, "1 / sqrt(3 + 1)");
    EXPECT(sf8_f32_rstd(0, 0) == SF8_F32_INF, "1 / 0");
    uint32_t x[3] = {0x40000000, 0x40800000, SF8_F32_NAN};
    sf8_f32_normalize_n(x, x, 3, 0x40000000, 0x40400000);
    EXPECT(x[0] == 0 && x[1] == 0x40c00000 && x[2] == SF8_F32_NAN, "(x - 2) 3");
}

/* x^2 of a bf16 is exact in f32: no equal bf16 give a variance below 0 by a tree, a power of two
 * of them exactly 0. All of 7 binades. */
Test(f32, bf16_is_exact)
{
    static const size_t sizes[] = {768, 896, 1024, 5120, 2048, 4096, 8192};
    static uint32_t x[MOST];
    size_t count = getenv("SOFTFP8_TIER") && strcmp(getenv("SOFTFP8_TIER"), "full") == 0 ? 7 : 4;
    for (uint32_t code = 0x3e80; code < 0x3e80 + 896; code += (uint32_t)one_in(16)) {
        for (size_t i = 0; i < MOST; i++)
            x[i] = code << 16;
        for (size_t s = 0; s < count; s++) {
            uint32_t v = sf8_f32_moments_n(SF8_ORDER_BLOCK, SF8_FUSE_LAST, x, sizes[s]).variance;
            EXPECT(v >> 31 == 0, "bf16 %04x, n %zu: %08x", code, sizes[s], v);
            if ((sizes[s] & (sizes[s] - 1)) == 0)
                EXPECT(v == 0, "bf16 %04x, n %zu: %08x", code, sizes[s], v);
        }
    }
}

/* ---- exp2 and log ---------------------------------------------------------------------------- */

/* As the library has them compiled. */
static uint32_t exp2_of(uint32_t x)
{
    sf8_f32_exp2_n(&x, &x, 1);
    return x;
}

static uint32_t log_of(uint32_t x)
{
    sf8_f32_log_n(&x, &x, 1);
    return x;
}

/* The same steps by float and fmaf. */
static uint32_t ref_exp2(float x)
{
    static const uint32_t factor[6] = {0x391d3330, 0x3aaf6b31, 0x3c1d9a72,
                                       0x3d6357dc, 0x3e75fdec, 0x3f317218};
    volatile float shifted = x + 12582912.0f;
    volatile float whole = shifted - 12582912.0f;
    volatile float p = sf8_f32_from_bits(factor[0]);
    float f = x - whole;
    for (int i = 1; i < 6; i++)
        p = fmaf(p, f, sf8_f32_from_bits(factor[i]));
    p = fmaf(p, f, 1.0f);
    int k = (int)whole, half = k / 2;
    volatile float first = p * ldexpf(1.0f, half);
    volatile float second = first * ldexpf(1.0f, k - half);
    return sf8_f32_bits(second);
}

Test(f32, exp2)
{
    static const uint32_t specials[][2] = {
        {SF8_F32_NAN, SF8_F32_NAN},
        {0xffffffff, SF8_F32_NAN},
        {SF8_F32_INF, SF8_F32_INF},
        {SF8_F32_NEG_INF, 0},
        {0x43000000, SF8_F32_INF},
        {0xc3170001, 0},
        {0x80000000, 0x3f800000},
        {0x00000001, 0x3f800000},
        {0xc3150000, 0x00000001}, /* -149 */
        {0xc3158000, 0x00000001}, /* -149.5: 0.7 units */
        {0xc3160000, 0},          /* -150: a tie */
    };
    for (size_t i = 0; i < COUNT(specials); i++)
        EXPECT(exp2_of(specials[i][0]) == specials[i][1], "2^%08x", specials[i][0]);
    for (int k = -126; k < 128; k++)
        EXPECT(exp2_of(sf8_f32_bits((float)k)) == (uint32_t)(k + 127) << 23, "2^%d", k);
    double worst = 0;
    for (uint32_t u = 0; u < 126u << 17; u += 61 * (uint32_t)one_in(16)) {
        float x = -(float)u * 0x1p-17f;
        uint32_t got = exp2_of(sf8_f32_bits(x));
        double right = exp2((double)x), unit = ldexp(1, ilogb(right) - 23);
        double error = fabs((double)sf8_f32_from_bits(got) - right) / unit;
        worst = error > worst ? error : worst;
        EXPECT(got == ref_exp2(x), "2^%a: %08x", (double)x, got);
    }
    EXPECT(worst < 0.834, "an error of %g", worst);
}

/* FNV-1a of the results for x = -u 2^-17: that of a program of plain float and fmaf. */
Test(f32, exp2_hash)
{
    const char *tier = getenv("SOFTFP8_TIER");
    uint64_t hash = UINT64_C(14695981039346656037);
    uint32_t end = tier && strcmp(tier, "full") == 0 ? 1u << 24 : 1u << 17;
    for (uint32_t u = 0; u < end; u++)
        hash = (hash ^ exp2_of(sf8_f32_bits(-(float)u * 0x1p-17f))) * UINT64_C(1099511628211);
    EXPECT(hash == (end == 1u << 24 ? UINT64_C(0x0351cc7b1f4131aa) : UINT64_C(0x3fdd5e969c013b75)),
           "%016llx", (unsigned long long)hash);
}

Test(f32, log)
{
    static const uint32_t specials[][2] = {
        {SF8_F32_NAN, SF8_F32_NAN},
        {0xbf800000, SF8_F32_NAN},
        {SF8_F32_NEG_INF, SF8_F32_NAN},
        {0, SF8_F32_NEG_INF},
        {0x80000000, SF8_F32_NEG_INF},
        {SF8_F32_INF, SF8_F32_INF},
        {0x3f800000, 0},
        {0x40000000, 0x3f317218},
        {0x00000001, 0xc2ce8ed0},
    };
    for (size_t i = 0; i < COUNT(specials); i++)
        EXPECT(log_of(specials[i][0]) == specials[i][1], "log %08x: %08x", specials[i][0],
               log_of(specials[i][0]));
    double worst = 0;
    for (uint32_t w = 0x00800000; w < SF8_F32_INF; w += 4099 * (uint32_t)one_in(16)) {
        double right = log((double)sf8_f32_from_bits(w)), unit = ldexp(1, ilogb(right) - 23);
        double error = fabs((double)sf8_f32_from_bits(log_of(w)) - right) / unit;
        worst = error > worst ? error : worst;
    }
    for (uint32_t w = 0x3f000000; w < 0x40000000; w += 61 * (uint32_t)one_in(16)) {
        double right = log((double)sf8_f32_from_bits(w)), unit = ldexp(1, ilogb(right) - 23);
        double error = fabs((double)sf8_f32_from_bits(log_of(w)) - right) / unit;
        worst = w == SF8_F32_ONE || error < worst ? worst : error;
    }
    EXPECT(worst < 2.5, "an error of %g", worst);
}

/* ---- attention ------------------------------------------------------------------------------- */

static uint32_t tanh_of(uint32_t x)
{
    sf8_f32_tanh_n(&x, &x, 1);
    return x;
}

/* Right at both ends, never falling, odd. */
Test(f32, tanh)
{
    static const uint32_t specials[][2] = {
        {SF8_F32_NAN, SF8_F32_NAN},
        {0xff800001, SF8_F32_NAN},
        {SF8_F32_INF, 0x3f800000},
        {SF8_F32_NEG_INF, 0xbf800000},
        {0, 0},
        {0x80000000, 0x80000000},
        {1, 1},
        {0x807fffff, 0x807fffff},
        {0x41200000, 0x3f800000}, /* 10 */
    };
    double worst = 0;
    uint32_t before = 0;
    for (size_t i = 0; i < COUNT(specials); i++)
        EXPECT(tanh_of(specials[i][0]) == specials[i][1], "tanh %08x: %08x", specials[i][0],
               tanh_of(specials[i][0]));
    for (uint32_t x = 0x30000000; x < 0x41200000; x += 1021 * (uint32_t)one_in(16)) {
        uint32_t got = tanh_of(x);
        double right = tanh((double)sf8_f32_from_bits(x)), unit = ldexp(1, ilogb(right) - 23);
        double error = fabs((double)sf8_f32_from_bits(got) - right) / unit;
        worst = error > worst ? error : worst;
        EXPECT(got >= before && tanh_of(x | 0x80000000) == (got | 0x80000000), "tanh %08x", x);
        before = got;
    }
    EXPECT(worst < 3.6 && worst > 2, "an error of %g", worst);
}

Test(f32, softmax)
{
    uint32_t s[3] = {0x42c80000, 0x42c80000, SF8_F32_NEG_INF}, w[3]; /* 100 100 -inf */
    sf8_softmax row = sf8_f32_softmax_n(SF8_ORDER_TREE, w, s, 3);
    EXPECT(w[0] == 0x3f000000 && w[1] == 0x3f000000 && w[2] == 0, "a half each");
    EXPECT(row.most == 0x42c80000 && row.sum == 0x40000000, "100, 2");
    EXPECT(row.lse == 0x42c962e4, "100 + log 2: %08x", row.lse);
    s[1] = SF8_F32_NAN;
    row = sf8_f32_softmax_n(SF8_ORDER_TREE, w, s, 3);
    EXPECT(row.most == 0x42c80000, "the maximum passes over NaN");
    EXPECT(row.sum == SF8_F32_NAN && row.lse == SF8_F32_NAN, "and the sum does not");
    EXPECT(w[0] == SF8_F32_NAN && w[1] == SF8_F32_NAN && w[2] == SF8_F32_NAN, "nor any weight");
    s[0] = s[1] = s[2] = SF8_F32_NEG_INF;
    row = sf8_f32_softmax_n(SF8_ORDER_TREE, s, s, 3);
    EXPECT(row.sum == 0 && row.lse == SF8_F32_NEG_INF, "nothing");
    EXPECT(s[0] == 0 && s[1] == 0 && s[2] == 0, "no weight");
    s[0] = 0, s[1] = 0xbf800000; /* 0, -1: 1 / (1 + 1/e) = 0.7310586 */
    sf8_f32_softmax_n(SF8_ORDER_SEQUENTIAL, s, s, 2);
    EXPECT(s[0] == 0x3f3b26a8 && s[1] == 0x3e89b2b1, "0.7310586 0.2689414: %08x %08x", s[0], s[1]);
}

/* Two keys with two channels. */
Test(f32, weighted)
{
    uint32_t w[2] = {SF8_F32_ONE, 0}, v[4] = {0x40400000, 0x40800000, SF8_F32_NAN, 0x40a00000};
    uint32_t out[2];
    sf8_f32_weighted_n(out, w, v, 2, 2, 0);
    EXPECT(out[0] == SF8_F32_NAN && out[1] == 0x40800000, "0 NaN is NaN, in its channel");
    sf8_f32_weighted_n(out, w, v, 2, 2, 1);
    EXPECT(out[0] == 0x40400000 && out[1] == 0x40800000, "skipped");
    w[1] = 0x40000000;
    sf8_f32_weighted_n(out, w, v, 2, 2, 1);
    EXPECT(out[0] == SF8_F32_NAN && out[1] == 0x41600000, "4 + 2 5");
    sf8_f32_weighted_n(out, w, v, 0, 2, 0);
    EXPECT(out[0] == 0 && out[1] == 0, "no key");
    /* One rounding: 2^-24 + 2^-48 is above a tie that 2^-24 alone is. */
    uint32_t one[2] = {SF8_F32_ONE, 0x39800800}, same[2] = {SF8_F32_ONE, 0x39800000};
    sf8_f32_weighted_n(out, one, same, 2, 1, 0);
    EXPECT(out[0] == 0x3f800001, "1 + 2^-12 (2^-12 + 2^-24): %08x", out[0]);
}

/* ---- argmax ---------------------------------------------------------------------------------- */

#define N SF8_F32_NAN
#define INF SF8_F32_INF
#define NEG_INF SF8_F32_NEG_INF
#define FIVE UINT32_C(0x40a00000)
#define SEVEN UINT32_C(0x40e00000)

Test(f32, argmax)
{
    static const struct {
        uint32_t x[3];
        size_t torch, greater, from_2;
    } rows[] = {
        {{N, N, N}, 0, 0, 2},
        {{FIVE, N, SEVEN}, 1, 2, 2},
        {{N, FIVE, SEVEN}, 0, 2, 2},
        {{FIVE, SEVEN, N}, 2, 1, 1},
        {{NEG_INF, NEG_INF, NEG_INF}, 0, 0, 2},
        {{FIVE, FIVE, FIVE}, 0, 0, 0},
        {{0x80000000u, 0, 0}, 0, 0, 0},
        {{INF, N, INF}, 1, 0, 0},
        {{0xc0a00000u, 0xc0e00000u, NEG_INF}, 0, 0, 0},
        {{FIVE, INF, SEVEN}, 1, 1, 1},
        {{NEG_INF, 0xffc00000u, FIVE}, 1, 2, 2},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        EXPECT(sf8_f32_argmax(rows[i].x, 3) == rows[i].torch, "row %zu by torch", i);
        EXPECT(sf8_f32_argmax_greater(rows[i].x, 3, 0) == rows[i].greater, "row %zu by >", i);
        EXPECT(sf8_f32_argmax_greater(rows[i].x, 3, 2) == rows[i].from_2, "row %zu from 2", i);
    }
    EXPECT(sf8_f32_argmax(rows[0].x, 0) == 0, "of nothing");
}
