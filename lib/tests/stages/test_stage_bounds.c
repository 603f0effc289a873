/* SPDX-License-Identifier: MIT */
/* test_stage_bounds.c -- the intervals of a stage contain every result within the stated errors
 *
 * Kernels are imitated that sum in a random order, and whose functions are off by a random number
 * of last places, with and without a fused multiply-add.
 */
#include "check.h"
#include "random.h"
#include "softfp8_stages.h"

#include <math.h>
#include <mpfr.h>

#include "stage_ref.h"

enum { N = 96 };

static float x[N], y[N];
static uint32_t bits[N], lower[N], upper[N];
static sf8_span work[3 * N];

static void fill(void)
{
    for (int i = 0; i < N; i++) {
        x[i] = ref_of((pseudo_random() & 0x807fffffu) | (123 + pseudo_random() % 6) << 23);
        bits[i] = ref_bits(x[i]);
    }
}

/* Off by up to `ulps` f32 numbers; results are above 0. */
static float off(float a, uint32_t ulps)
{
    return ref_of(ref_bits(a) + pseudo_random() % (2 * ulps + 1) - ulps);
}

/* Shuffles what is left and adds groups of two or three, until one is left: after at most 7 rounds,
 * so that no element passes through more than 14 additions. */
static float random_sum(const float *terms, int n)
{
    static float left[N];
    memcpy(left, terms, (size_t)n * sizeof *terms);
    while (n > 1) {
        int groups = 0;
        for (int i = n - 1; i > 0; i--) {
            int k = (int)(pseudo_random() % (uint32_t)(i + 1));
            float other = left[k];
            left[k] = left[i];
            left[i] = other;
        }
        for (int i = 0; i < n; groups++) {
            int size = 2 + (int)(pseudo_random() % 2);
            float sum = left[i++];
            for (int k = 1; k < size && i < n; k++)
                sum = ref_add(sum, left[i++]);
            left[groups] = sum;
        }
        n = groups;
    }
    return left[0];
}

static void check(const char *text, int kernel)
{
    int inside = 1;
    for (int i = 0; i < N; i++) {
        float lo = ref_of(lower[i]), hi = ref_of(upper[i]);
        inside &= lo <= y[i] && y[i] <= hi;
    }
    EXPECT(inside, "%s: kernel %d", text, kernel);
}

static void bounds(const char *text)
{
    sf8_stage stage;
    cr_assert(sf8_stage_read(text, &stage, NULL) == SF8_OK, "%s", text);
    cr_assert(sf8_stage_bounds(&stage, lower, upper, bits, bits, 1, N, NULL, 0, work) == SF8_OK);
}

/* The widest interval, in last places. */
static uint32_t widest(void)
{
    uint32_t most = 0;
    for (int i = 0; i < N; i++) {
        uint32_t width = lower[i] > upper[i] ? lower[i] - upper[i] : upper[i] - lower[i];
        most = width > most ? width : most;
    }
    return most;
}

Test(stage_bounds, norms_in_any_order)
{
    static const char *const texts[] = {"rms-norm order=any depth=14",
                                        "rms-norm order=any depth=14 ulps=2"};
    float terms[N];
    for (int round = 0; round < 60; round++) {
        uint32_t ulps = round % 2 ? 2 : 0;
        fill();
        bounds(texts[round % 2]);
        cr_expect(widest() > ulps + 2 && widest() < 64, "%u", widest());
        for (int kernel = 0; kernel < 10; kernel++) {
            for (int i = 0; i < N; i++)
                terms[i] = ref_mul(x[i], x[i]);
            float mean = ref_div(random_sum(terms, N), N);
            float factor = off(ref_one(ref_rsqrt_op, ref_add(mean, 1e-6f)), ulps);
            for (int i = 0; i < N; i++)
                y[i] = ref_mul(x[i], factor);
            check(texts[round % 2], kernel);
        }
    }
}

/* The same with eps forgotten where it is 1e-3: not every result is inside any more. */
Test(stage_bounds, mistakes_are_outside)
{
    fill();
    bounds("rms-norm order=any depth=14 ulps=2 eps=1e-3");
    float terms[N];
    int outside = 0;
    for (int i = 0; i < N; i++)
        terms[i] = ref_mul(x[i], x[i]);
    float factor = ref_one(ref_rsqrt_op, ref_div(random_sum(terms, N), N));
    for (int i = 0; i < N; i++) {
        y[i] = ref_mul(x[i], factor);
        outside += y[i] < ref_of(lower[i]) || y[i] > ref_of(upper[i]);
    }
    cr_expect(outside == N, "%d of %d", outside, N);
}

Test(stage_bounds, activations)
{
    static const char *const texts[] = {"silu ulps=2 via=bf16", "silu form=product ulps=2",
                                        "gelu ulps=2", "gelu-tanh ulps=8192"};
    for (int round = 0; round < 120; round++)
        for (size_t k = 0; k < COUNT(texts); k++) {
            fill();
            bounds(texts[k]);
            for (int i = 0; i < N; i++) {
                float cube = ref_mul(ref_mul(x[i], x[i]), x[i]);
                float inner = ref_add(x[i], ref_mul(0.044715f, cube));
                float below = ref_add(1, off(ref_one(ref_exp_op, -x[i]), 2));
                float erf = off(ref_one(ref_erf_op, ref_mul(x[i], 0x1.6a09e6p-1f)), 2);
                float tanh = off(ref_one(ref_tanh_op, ref_mul(0x1.988454p-1f, inner)), 8192);
                y[i] = k == 0   ? ref_bf16(ref_div(x[i], below))
                       : k == 1 ? ref_mul(x[i], ref_div(1, below))
                                : ref_mul(ref_mul(0.5f, x[i]), ref_add(1, k == 2 ? erf : tanh));
            }
            check(texts[k], round);
        }
}

/* A softmax whose sum is known to 2 last places only: the interval of each weight. */
Test(stage_bounds, softmax)
{
    static const char text[] = "softmax order=any depth=14 ulps=1";
    float terms[N], most;
    for (int round = 0; round < 60; round++) {
        fill();
        bounds(text);
        most = x[0];
        for (int i = 0; i < N; i++)
            most = x[i] > most ? x[i] : most;
        for (int i = 0; i < N; i++)
            terms[i] = off(ref_one(ref_exp_op, ref_add(x[i], -most)), 1);
        float sum = random_sum(terms, N);
        for (int i = 0; i < N; i++)
            y[i] = ref_div(terms[i], sum);
        check(text, round);
    }
}

/* Two values whose order is not known in a rotation, and inputs that are intervals themselves. */
Test(stage_bounds, uncertain_inputs)
{
    sf8_stage stage;
    static uint32_t above[N], out[N];
    sf8_stage_read("silu-gate form=product | relu2 via=bf16", &stage, NULL);
    for (int round = 0; round < 60; round++) {
        fill();
        for (int i = 0; i < N; i++)
            above[i] = sf8_f32_step_by(bits[i], pseudo_random() % 2000);
        sf8_stage_bounds(&stage, lower, upper, bits, above, 1, N, NULL, 0, work);
        for (int kernel = 0; kernel < 10; kernel++) {
            uint32_t in[N];
            for (int i = 0; i < N; i++) {
                int64_t span = sf8_f32_order(above[i]) - sf8_f32_order(bits[i]);
                in[i] = sf8_f32_step_by(bits[i], (int64_t)pseudo_random() % (span + 1));
            }
            sf8_stage_run(&stage, out, in, 1, N, NULL, 0, work);
            for (int i = 0; i < N / 2; i++)
                EXPECT(ref_of(lower[i]) <= ref_of(out[i]) && ref_of(out[i]) <= ref_of(upper[i]),
                       "%08x, not from %08x to %08x", out[i], lower[i], upper[i]);
        }
    }
}

/* A number of either sign, and one that is not below it. */
static sf8_span some_span(void)
{
    uint32_t low = (pseudo_random() & 0x807fffffu) | (120 + pseudo_random() % 10) << 23;
    uint32_t far = pseudo_random() % 4 ? pseudo_random() % 0x2000000 : 0;
    uint32_t high = sf8_f32_step_by(low, low >> 31 && pseudo_random() % 2 ? 0x7c000000 : far);
    return sf8_span_from(low, high);
}

static float inside(sf8_span s)
{
    int64_t width = sf8_f32_order(s.hi) - sf8_f32_order(s.lo);
    uint32_t kind = pseudo_random() % 4;
    int64_t step = kind == 0 ? 0 : kind == 1 ? width : (int64_t)pseudo_random() % (width + 1);
    return ref_of(sf8_f32_step_by(s.lo, step));
}

static int holds(sf8_span s, float result)
{
    return ref_of(s.lo) <= result && result <= ref_of(s.hi);
}

/* Each operation of intervals contains the results of numbers within, and is no larger. */
Test(stage_bounds, operations)
{
    for (int i = 0; i < 20000; i++) {
        sf8_span a = some_span(), b = some_span(), c = some_span();
        float p = inside(a), q = inside(b), t = inside(c);
        sf8_span sum = sf8_span_add(a, b), less = sf8_span_sub(a, b), product = sf8_span_mul(a, b);
        sf8_span quotient = sf8_span_div(a, b), fma = sf8_span_fma(a, b, c);
        EXPECT(holds(sum, ref_add(p, q)) && holds(less, ref_add(p, -q)) &&
                   holds(product, ref_mul(p, q)) && holds(fma, ref_fma(p, q, t)),
               "%a and %a and %a", (double)p, (double)q, (double)t);
        float ends[4] = {ref_mul(ref_of(a.lo), ref_of(b.lo)), ref_mul(ref_of(a.lo), ref_of(b.hi)),
                         ref_mul(ref_of(a.hi), ref_of(b.lo)), ref_mul(ref_of(a.hi), ref_of(b.hi))};
        float least = fminf(fminf(ends[0], ends[1]), fminf(ends[2], ends[3]));
        float most = fmaxf(fmaxf(ends[0], ends[1]), fmaxf(ends[2], ends[3]));
        EXPECT(ref_of(product.lo) == least && ref_of(product.hi) == most, "%a to %a", (double)least,
               (double)most);
        if (ref_of(b.lo) <= 0 && ref_of(b.hi) >= 0)
            EXPECT(quotient.lo == SF8_F32_NAN && quotient.hi == SF8_F32_NAN, "by what may be 0");
        else
            EXPECT(holds(quotient, ref_div(p, q)), "%a / %a", (double)p, (double)q);
    }
}

/* The product of two intervals of other signs: silu(1 to 3), which is 0.73 to 2.86, by -2 to -1. */
Test(stage_bounds, corners)
{
    sf8_stage stage;
    static const uint32_t lo[2] = {0x3f800000, 0xc0000000}, hi[2] = {0x40400000, 0xbf800000};
    sf8_stage_read("silu-gate", &stage, NULL);
    sf8_stage_bounds(&stage, lower, upper, lo, hi, 1, 2, NULL, 0, work);
    float least = ref_of(lower[0]), most = ref_of(upper[0]);
    cr_expect(least < -5.715f && least > -5.716f, "%a", (double)least);
    cr_expect(most > -0.7311f && most < -0.731f, "%a", (double)most);
}

/* Nothing is known of a quotient by an interval with 0, or of anything with NaN. */
Test(stage_bounds, unknown)
{
    sf8_stage stage;
    static const uint32_t lo[2] = {0xbf800000, 0x3f800000}, hi[2] = {0x3f800000, 0x3f800000},
                          nan[2] = {SF8_F32_NAN, 0x3f800000};
    sf8_stage_read("rms-norm eps=0", &stage, NULL);
    sf8_stage_bounds(&stage, lower, upper, nan, nan, 1, 2, NULL, 0, work);
    cr_expect(lower[1] == SF8_F32_NAN && upper[1] == SF8_F32_NAN);
    sf8_stage_bounds(&stage, lower, upper, lo, hi, 1, 2, NULL, 0, work);
    cr_expect(ref_of(lower[0]) <= -1 && ref_of(upper[0]) >= 1, "%08x %08x", lower[0], upper[0]);
    sf8_stage_read("rms-norm eps=0 rstd=twice", &stage, NULL); /* a root that may be 0 */
    sf8_stage_bounds(&stage, lower, upper, lo, hi, 1, 1, NULL, 0, work);
    cr_expect(lower[0] == SF8_F32_NAN && upper[0] == SF8_F32_NAN, "%08x %08x", lower[0], upper[0]);
    sf8_stage_read("softmax form=product", &stage, NULL);
    sf8_stage_bounds(&stage, lower, upper, lo, hi, 1, 2, NULL, 0, work);
    cr_expect(ref_of(lower[0]) < 0.2f && ref_of(upper[0]) >= 0.5f, "%08x %08x", lower[0], upper[0]);
}
