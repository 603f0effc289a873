/* SPDX-License-Identifier: MIT */
/* test_attend_bound.c -- attention is within an error bound of its true value, by MPFR, and the
 * bound is tight
 *
 * The bound is that of a running error analysis: the steps of docs/spec/attend/attention.md, in
 * float, each with the possible error of its result,
 *
 *     a + b       wrong(a) + wrong(b)                                     + half of the last place
 *     a b         |a| wrong(b) + |b| wrong(a) + wrong(a) wrong(b)         + half
 *     a / b       (wrong(a) + |a / b| wrong(b)) / (|b| - wrong(b))        + half
 *     2^a         2^a (2^wrong(a) - 1)                                    + 0.84 of the last place
 *     tanh a      wrong(a)                                                + 3.6
 *     a to f16, bf16   wrong(a)                                           + half, of that format
 *     16 products of a unit and the accumulator
 *                 17 terms truncated below 2^-25 of the largest exponent  + 1, toward zero
 *
 * of each result, where the values of cache and queries are exact. The largest error of a request
 * must be within the bound, and not below a hundredth of it.
 */
#include "attend/attend.h"

#include <gmp.h>
#include <mpfr.h>

enum { BITS = 160, KEYS_MOST = 4200 };

static request r;

typedef struct truth {
    mpfr_t sum, most, scratch, product, p[KEYS_MOST], channel;
    int part[KEYS_MOST];
} truth;

static truth t;

static void truth_begin(void)
{
    mpfr_inits2(BITS, t.sum, t.most, t.scratch, t.product, t.channel, (mpfr_ptr)0);
    for (size_t j = 0; j < KEYS_MOST; j++)
        mpfr_init2(t.p[j], BITS);
}

static void truth_end(void)
{
    mpfr_clears(t.sum, t.most, t.scratch, t.product, t.channel, (mpfr_ptr)0);
    for (size_t j = 0; j < KEYS_MOST; j++)
        mpfr_clear(t.p[j]);
    mpfr_free_cache();
}

/* Whether a key takes part. */
static int takes_part(size_t query, size_t j)
{
    int64_t position = r.a.first + (int64_t)query, p = (int64_t)j;
    return (r.a.left < 0 || p >= position - r.a.left) &&
           (r.a.right < 0 || p <= position + r.a.right);
}

static void times(mpfr_t x, float by)
{
    mpfr_mul_d(x, x, (double)by, MPFR_RNDN);
}

/* The score of a key in base e, into t.p[j]. */
static void true_score(size_t query, size_t head, size_t kv, size_t j)
{
    const sf8_attend *a = &r.a;
    size_t block = (size_t)a->blocks[j / r.k.s.slots], slot = j % r.k.s.slots;
    float offset;
    mpfr_set_zero(t.p[j], 1);
    for (size_t d = 0; d < r.k.s.dim; d++) {
        mpfr_set_d(t.product, (double)ref_query(&r, query, head, d), MPFR_RNDN);
        times(t.product, ref_element(&r.k, block, slot, kv, d));
        mpfr_add(t.p[j], t.p[j], t.product, MPFR_RNDN);
    }
    if (r.k.kind.group == 1)
        times(t.p[j], ref_row_scale(&r.k, ref_row(&r.k, block, slot, kv), &offset));
    times(t.p[j], sf8_f32_from_bits(a->scale));
    times(t.p[j], ref_scale(a->q_scale, a->q_scales, kv));
    times(t.p[j], ref_scale(a->k.scale, a->k.scales, kv));
    if (a->cap) {
        mpfr_div_d(t.p[j], t.p[j], (double)sf8_f32_from_bits(a->cap), MPFR_RNDN);
        mpfr_tanh(t.p[j], t.p[j], MPFR_RNDN);
        times(t.p[j], sf8_f32_from_bits(a->cap));
    }
}

/* Weights, the largest being 1, and their sum. */
static void true_weights(size_t query, size_t head)
{
    const sf8_attend *a = &r.a;
    size_t kv = head / (a->heads / r.k.s.heads);
    int any = 0;
    for (size_t j = 0; j < a->keys; j++) {
        t.part[j] = takes_part(query, j);
        if (!t.part[j])
            continue;
        true_score(query, head, kv, j);
        if (!any || mpfr_greater_p(t.p[j], t.most))
            mpfr_set(t.most, t.p[j], MPFR_RNDN);
        any = 1;
    }
    mpfr_set_zero(t.sum, 1);
    if (a->sinks) {
        mpfr_set_d(t.sum, (double)sf8_f32_from_bits(a->sinks[head]), MPFR_RNDN);
        mpfr_sub(t.sum, t.sum, t.most, MPFR_RNDN);
        mpfr_exp(t.sum, t.sum, MPFR_RNDN);
    }
    for (size_t j = 0; j < a->keys; j++) {
        if (!t.part[j])
            continue;
        mpfr_sub(t.p[j], t.p[j], t.most, MPFR_RNDN);
        mpfr_exp(t.p[j], t.p[j], MPFR_RNDN);
        mpfr_add(t.sum, t.sum, t.p[j], MPFR_RNDN);
    }
}

static void true_channel(size_t head, size_t c)
{
    const sf8_attend *a = &r.a;
    size_t kv = head / (a->heads / r.k.s.heads);
    mpfr_set_zero(t.channel, 1);
    for (size_t j = 0; j < a->keys; j++) {
        size_t block = (size_t)a->blocks[j / r.v.s.slots], slot = j % r.v.s.slots;
        float offset;
        if (!t.part[j])
            continue;
        mpfr_set(t.scratch, t.p[j], MPFR_RNDN);
        times(t.scratch, ref_element(&r.v, block, slot, kv, c));
        if (r.v.kind.group == 1)
            times(t.scratch, ref_row_scale(&r.v, ref_row(&r.v, block, slot, kv), &offset));
        mpfr_add(t.channel, t.channel, t.scratch, MPFR_RNDN);
    }
    mpfr_div(t.channel, t.channel, t.sum, MPFR_RNDN);
    times(t.channel, ref_scale(a->v.scale, a->v.scales, kv));
}

/* ---- the bound ------------------------------------------------------------------------------- */

typedef struct num {
    float v;
    double wrong;
} num;

/* The last place of a float. */
static double place(float x)
{
    return x == 0 || fabsf(x) < 0x1p-126f ? 0x1p-149 : ldexp(1, ilogbf(x) - 23);
}

static num exactly(float v)
{
    return (num){v, 0};
}

static num plus(num a, num b)
{
    float v = add(a.v, b.v);
    return (num){v, a.wrong + b.wrong + place(v) / 2};
}

static num minus(num a, num b)
{
    b.v = -b.v;
    return plus(a, b);
}

static double of_product(num a, num b)
{
    return fabs((double)a.v) * b.wrong + fabs((double)b.v) * a.wrong + a.wrong * b.wrong;
}

static num product(num a, num b)
{
    float v = mul(a.v, b.v);
    return (num){v, of_product(a, b) + place(v) / 2};
}

static num fused(num a, num b, num c)
{
    float v = fmaf(a.v, b.v, c.v);
    return (num){v, of_product(a, b) + c.wrong + place(v) / 2};
}

static num over(num a, num b)
{
    float v = quotient(a.v, b.v);
    double ratio = fabs((double)v) + place(v);
    return (num){v, (a.wrong + ratio * b.wrong) / (fabs((double)b.v) - b.wrong) + place(v) / 2};
}

static num pow2(num a)
{
    float v = ref_pow2(a.v);
    return (num){v, ((double)v + place(v)) * expm1(a.wrong * log(2)) + 0.84 * place(v)};
}

static num narrowed(num a)
{
    float v = ref_operand(&r, a.v);
    int f16 = r.a.sums == SF8_ATTEND_MMA_F16;
    double least = f16 ? 0x1p-14 : 0x1p-126, last = f16 ? 0x1p-10 : 0x1p-7;
    double size = fabs((double)v) < least ? least : ldexp(1, ilogbf(v));
    return (num){v, a.wrong + (v == a.v ? 0 : size * last / 2)};
}

/* The error of the unit with this many products. */
static num by_unit(const num *a, const num *b, size_t n)
{
    num sum = {0, 0};
    for (size_t i = 0; i < n; i += 16) {
        float x[16], y[16], largest = fabsf(sum.v);
        for (size_t j = 0; j < 16; j++) {
            float both = fabsf(a[i + j].v * b[i + j].v);
            x[j] = a[i + j].v;
            y[j] = b[i + j].v;
            largest = both > largest ? both : largest;
            sum.wrong += of_product(a[i + j], b[i + j]);
        }
        sum.wrong += 17 * ldexp((double)largest, -25);
        sum.v = ref_unit_more(&r, x, y, 16, sum.v);
        sum.wrong += place(sum.v);
    }
    return sum;
}

typedef struct near {
    num most, sum, channel[32];
    int any;
} near;

static num near_score(const num *q, const num *k, float own, size_t kv)
{
    const sf8_attend *a = &r.a;
    size_t dim = r.k.s.dim, each = dim / 8;
    num lane[8], x, cap = exactly(sf8_f32_from_bits(a->cap)), log2e = {LOG2E, 0x1p-26};
    num factor = product(exactly(sf8_f32_from_bits(a->scale)),
                         product(exactly(ref_scale(a->q_scale, a->q_scales, kv)),
                                 exactly(ref_scale(a->k.scale, a->k.scales, kv))));
    for (size_t l = 0; l < 8; l++) {
        lane[l] = exactly(0);
        for (size_t d = 0; d < each; d++)
            lane[l] = fused(q[l * each + d], k[l * each + d], lane[l]);
    }
    x = plus(plus(plus(lane[0], lane[1]), plus(lane[2], lane[3])),
             plus(plus(lane[4], lane[5]), plus(lane[6], lane[7])));
    if (a->sums != SF8_ATTEND_EXACT)
        x = by_unit(q, k, dim);
    x = product(x, exactly(own));
    if (cap.v == 0)
        return product(x, product(factor, log2e));
    x = product(product(x, factor), over(exactly(1), cap));
    x.v = ref_tanh(x.v);
    x.wrong += 3.6 * place(x.v);
    return product(x, product(cap, log2e));
}

static void near_chunk(size_t query, size_t head, size_t chunk, near *s)
{
    const sf8_attend *a = &r.a;
    size_t kv = head / (a->heads / r.k.s.heads), dim = r.k.s.dim;
    static num q[256], k[256], weight[64], sums[64], column[64];
    s->any = 0;
    for (size_t d = 0; d < dim; d++)
        q[d] = exactly(ref_query(&r, query, head, d));
    for (size_t j = 0; j < 64; j++) {
        size_t p = chunk * 64 + j;
        float offset, own = 1;
        weight[j] = exactly(0);
        if (p >= a->keys || !t.part[p])
            continue;
        size_t block = (size_t)a->blocks[p / r.k.s.slots], slot = p % r.k.s.slots;
        for (size_t d = 0; d < dim; d++)
            k[d] = exactly(ref_element(&r.k, block, slot, kv, d));
        if (r.k.kind.group == 1)
            own = ref_row_scale(&r.k, ref_row(&r.k, block, slot, kv), &offset);
        weight[j] = near_score(q, k, own, kv);
        if (!s->any || weight[j].v > s->most.v)
            s->most = exactly(weight[j].v); /* whatever it is, it is the same for all */
        s->any = 1;
    }
    for (size_t j = 0; j < 64; j++) {
        size_t p = chunk * 64 + j;
        if (p < a->keys && t.part[p])
            weight[j] = pow2(minus(weight[j], s->most));
        sums[j] = weight[j];
    }
    for (size_t n = 32; n > 0; n /= 2)
        for (size_t j = 0; j < n; j++)
            sums[j] = plus(sums[j], sums[j + n]);
    s->sum = sums[0];
    for (size_t c = 0; c < 32; c++) {
        s->channel[c] = exactly(0);
        for (size_t j = 0; j < 64; j++) {
            size_t p = chunk * 64 + j, block, slot;
            num w = weight[j];
            float offset;
            column[j] = exactly(0);
            if (p >= a->keys || !t.part[p])
                continue;
            block = (size_t)a->blocks[p / r.v.s.slots];
            slot = p % r.v.s.slots;
            column[j] = exactly(ref_element(&r.v, block, slot, kv, c * (r.v.s.dim / 32)));
            if (r.v.kind.group == 1)
                w = product(w,
                            exactly(ref_row_scale(&r.v, ref_row(&r.v, block, slot, kv), &offset)));
            if (a->sums == SF8_ATTEND_EXACT)
                s->channel[c] = fused(w, column[j], s->channel[c]);
            sums[j] = narrowed(w);
        }
        for (size_t j = 0; j < 64; j++)
            if (chunk * 64 + j >= a->keys || !t.part[chunk * 64 + j])
                sums[j] = exactly(0);
        if (a->sums != SF8_ATTEND_EXACT)
            s->channel[c] = by_unit(sums, column, 64);
    }
}

static void near_join(near *before, const near *after)
{
    num most, b, a;
    if (!after->any)
        return;
    if (!before->any) {
        *before = *after;
        return;
    }
    most = before->most.v > after->most.v ? before->most : after->most;
    b = pow2(minus(before->most, most));
    a = pow2(minus(after->most, most));
    before->most = most;
    before->sum = fused(before->sum, b, product(after->sum, a));
    for (size_t c = 0; c < 32; c++)
        before->channel[c] = fused(before->channel[c], b, product(after->channel[c], a));
}

static void near_row(size_t query, size_t head, num out[32])
{
    static near total, span, chunk;
    const sf8_attend *a = &r.a;
    size_t chunks = (a->keys + 63) / 64, kv = head / (a->heads / r.k.s.heads);
    total.any = span.any = 0;
    for (size_t i = 0; i < chunks; i++) {
        near_chunk(query, head, i, &chunk);
        near_join(&span, &chunk);
        if (i % 16 == 15 || i + 1 == chunks) {
            near_join(&total, &span);
            span.any = 0;
        }
    }
    if (a->sinks) {
        memset(&chunk, 0, sizeof chunk);
        chunk.any = 1;
        chunk.sum = exactly(1);
        chunk.most = product(exactly(sf8_f32_from_bits(a->sinks[head])), (num){LOG2E, 0x1p-26});
        near_join(&total, &chunk);
    }
    for (size_t c = 0; c < 32; c++)
        out[c] = product(over(total.channel[c], total.sum),
                         exactly(ref_scale(a->v.scale, a->v.scales, kv)));
}

/* ---- both ------------------------------------------------------------------------------------ */

typedef struct seen {
    double most; /* of error / bound */
    size_t beyond, unlike;
} seen;

static void look(seen *s, size_t query, size_t head)
{
    num out[32];
    true_weights(query, head);
    near_row(query, head, out);
    for (size_t c = 0; c < 32; c++) {
        size_t column = c * (r.v.s.dim / 32);
        size_t at = (query * r.a.heads + head) * r.v.s.dim + column;
        true_channel(head, column);
        mpfr_sub_d(t.channel, t.channel, (double)sf8_f32_from_bits(r.out[at]), MPFR_RNDN);
        double ratio = fabs(mpfr_get_d(t.channel, MPFR_RNDN)) / out[c].wrong;
        s->beyond += !(ratio <= 1);
        s->unlike += sf8_f32_bits(out[c].v) != r.out[at];
        s->most = ratio > s->most ? ratio : s->most;
    }
}

/* Every cache and way to sum, short and long, with cap, sink, window. */
Test(attend_bound, bound)
{
    static const size_t lengths[] = {17, 64, 200, 1100};
    const char *tier = getenv("SOFTFP8_TIER");
    size_t step = tier && strcmp(tier, "full") == 0 ? 1 : 7 * one_in(4), tried = 0;
    truth_begin();
    for (size_t i = 0; i < 3 * CACHES * 4 * 2; i += step) {
        int kind = (int)(i % CACHES);
        sf8_attend_sums sums = (sf8_attend_sums)(i / CACHES % 3);
        sizes z = {lengths[i / 2 % 4], 3, 2, 1, i % 8 < 4 ? 64 : 128, 64, 16};
        seen s = {0, 0, 0};
        int rounds = (sums != SF8_ATTEND_EXACT && kind == F32_CACHE) ||
                     (sums == SF8_ATTEND_MMA_F16 && kind == BF16_CACHE) ||
                     (sums == SF8_ATTEND_MMA_BF16 && kind == F16_CACHE);
        if (rounds) /* its elements: that is another true value */
            continue;
        request_begin(&r, z, kind, NHD, sums, sums == SF8_ATTEND_MMA_F16 ? SF8_F16 : SF8_BF16);
        r.a.right = 0;
        r.a.left = i % 5 == 2 ? 50 : -1;
        r.a.cap = i % 6 == 1 ? sf8_f32_bits(30) : 0;
        r.a.sinks = i % 3 == 1 ? r.sinks : NULL;
        run_whole(&r, NULL);
        for (size_t query = 0; query < z.queries; query++)
            for (size_t head = 0; head < z.heads; head++)
                look(&s, query, head);
        EXPECT(s.beyond == 0, "%s, %s, %zu keys: %zu results beyond the bound: %g of it",
               r.k.kind.name, sf8_attend_sums_name(sums), z.keys, s.beyond, s.most);
        EXPECT(s.most >= 0.01, "%s, %s, %zu keys: no result beyond %g of the bound", r.k.kind.name,
               sf8_attend_sums_name(sums), z.keys, s.most);
        EXPECT(s.unlike == 0, "%s, %s, %zu keys: %zu results of the analysis are others",
               r.k.kind.name, sf8_attend_sums_name(sums), z.keys, s.unlike);
        tried++;
    }
    truth_end();
    cr_assert(tried * step > 100);
}
