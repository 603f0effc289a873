/* SPDX-License-Identifier: MIT */
/* fuzz_f32_calls.c -- libFuzzer: the functions of softfp8_f32.h with any bits, orders and sizes
 *
 * Sums, norms, softmax and weighted sums are computed again by the processor's own f32, in the
 * order that the header states. Arrays have their size and not a byte more; an array of no element
 * is NULL. An order or a rule without a name is computed too, and has no expected result.
 */
#include "fuzz_input.h"
#include "scalar/f32_ref.h"

enum { LONGEST = 2300 };

/* ---- input ----------------------------------------------------------------------------------- */

static uint32_t any_value(input *in, uint64_t *state)
{
    static const uint32_t special[] = {0,          0x80000000, 0x7f800000, 0xff800000,
                                       0x7fc00000, 0xffffffff, 1,          0x3f800000};
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint32_t x = in->left >= 4 ? (uint32_t)word(in) : (uint32_t)(*state >> 32);
    switch (x & 7) {
    case 0: /* special */
        return special[x >> 3 & 7];
    case 1: /* any bits */
        return x;
    default: /* between 2^-8 and 2^8 */
        return (x & 0x807fffff) | (119 + (x >> 23) % 16) << 23;
    }
}

static uint32_t *values_of(input *in, size_t n)
{
    uint64_t state = word(in);
    uint32_t *x = n ? malloc(n * sizeof *x) : NULL;
    CHECK(x || !n);
    for (size_t i = 0; i < n; i++)
        x[i] = any_value(in, &state);
    return x;
}

static uint32_t *room_for(size_t n)
{
    uint32_t *x = n ? malloc(n * sizeof *x) : NULL;
    CHECK(x || !n);
    return x;
}

static int same(const uint32_t *a, const uint32_t *b, size_t n)
{
    return n == 0 || memcmp(a, b, n * sizeof *a) == 0;
}

static size_t any_length(input *in)
{
    return small(in, 7) ? small(in, 70) : (size_t)(word(in) % (LONGEST + 1));
}

/* ---- sums and norms -------------------------------------------------------------------------- */

static void check_sums(input *in)
{
    sf8_order order = (sf8_order)(small(in, 7) ? small(in, SF8_ORDER_COUNT - 1) : word(in));
    int32_t fuse = (int32_t)(small(in, 7) ? small(in, 3) : word(in));
    size_t n = any_length(in);
    uint32_t *a = values_of(in, n), *b = values_of(in, n), *y = room_for(n);
    uint32_t sum = sf8_f32_sum_n(order, a, n), dot = sf8_f32_dot_n(order, fuse, a, b, n);
    sf8_moments m = sf8_f32_moments_n(order, fuse, a, n);
    if (sf8_order_name(order)) {
        sf8_moments want = ref_moments(order, fuse, a, n);
        /* A tree of one element adds nothing, so that a NaN keeps its bits. */
        int moved = order == SF8_ORDER_TREE && n == 1;
        CHECK(sum == (moved ? a[0] : ref_bits(ref_sum(order, 0, a, NULL, n))));
        CHECK(dot == ref_bits(ref_sum(order, fuse, a, b, n)));
        CHECK(m.mean == want.mean && m.mean_square == want.mean_square);
        CHECK(m.variance == want.variance);
    }
    uint32_t eps = (uint32_t)word(in), rstd = sf8_f32_rstd(m.variance, eps);
    CHECK(rstd == ref_bits(1 / sqrtf(ref_number(m.variance) + ref_number(eps))));
    sf8_f32_normalize_n(y, a, n, m.mean, rstd);
    for (size_t i = 0; i < n; i++) {
        float less = ref_number(a[i]) - ref_number(m.mean);
        CHECK(y[i] == ref_bits(less * ref_number(rstd)));
    }
    sf8_f32_normalize_n(a, a, n, m.mean, rstd);
    CHECK(same(a, y, n));
    free(a);
    free(b);
    free(y);
}

/* ---- rows of attention ----------------------------------------------------------------------- */

typedef void elementary(uint32_t *y, const uint32_t *x, size_t n);

/* A function in place gives the same, and is what the processor's libm has, to 16 units. */
static void check_elementary(input *in)
{
    static elementary *const functions[] = {sf8_f32_exp2_n, sf8_f32_exp_n, sf8_f32_log_n,
                                            sf8_f32_log2_n, sf8_f32_tanh_n};
    static float (*const near[])(float) = {exp2f, expf, logf, log2f, tanhf};
    uint32_t which = small(in, 4);
    size_t n = any_length(in);
    uint32_t *x = values_of(in, n), *y = room_for(n);
    functions[which](y, x, n);
    for (size_t i = 0; i < n; i++) {
        float want = near[which](ref_number(x[i])), got = ref_number(y[i]);
        CHECK((got != got) == (want != want));
        CHECK(got != got || got == want || fabsf(got - want) <= fabsf(want) * 0x1p-19f + 0x1p-126f);
    }
    functions[which](x, x, n);
    CHECK(same(x, y, n));
    free(x);
    free(y);
}

static void check_softmax(input *in)
{
    sf8_order order = (sf8_order)(small(in, 7) ? small(in, SF8_ORDER_COUNT - 1) : word(in));
    size_t n = any_length(in);
    uint32_t *scores = values_of(in, n), *weights = room_for(n), *want = room_for(n);
    float most = -INFINITY;
    int any = 0;
    sf8_softmax row = sf8_f32_softmax_n(order, weights, scores, n);
    for (size_t i = 0; i < n; i++) {
        most = fmaxf(most, ref_number(scores[i]));
        any |= scores[i] != 0xff800000;
    }
    CHECK(ref_number(row.most) == most);
    for (size_t i = 0; i < n; i++) {
        float less = ref_number(scores[i]) - ref_number(row.most);
        want[i] = ref_bits(less * 0x1.715476p0f);
    }
    sf8_f32_exp2_n(want, want, n);
    for (size_t i = 0; i < n; i++)
        want[i] = scores[i] == 0xff800000 ? 0 : want[i];
    CHECK(any || (row.sum == 0 && row.lse == 0xff800000));
    if (any && sf8_order_name(order)) {
        uint32_t log = row.sum;
        sf8_f32_log_n(&log, &log, 1);
        CHECK(row.sum == ref_bits(ref_sum(order, 0, want, NULL, n)));
        CHECK(row.lse == ref_bits(ref_number(row.most) + ref_number(log)));
        for (size_t i = 0; i < n; i++)
            CHECK(weights[i] == ref_bits(ref_number(want[i]) / ref_number(row.sum)));
    }
    sf8_softmax again = sf8_f32_softmax_n(order, scores, scores, n);
    CHECK(same(scores, weights, n) && again.sum == row.sum && again.lse == row.lse);
    free(scores);
    free(weights);
    free(want);
}

static void check_weighted(input *in)
{
    size_t keys = small(in, 40), channels = small(in, 20);
    int32_t skip = (int32_t)small(in, 1);
    uint32_t *weights = values_of(in, keys), *values = values_of(in, keys * channels);
    uint32_t *out = room_for(channels);
    sf8_f32_weighted_n(out, weights, values, keys, channels, skip);
    for (size_t c = 0; c < channels; c++) {
        float sum = 0;
        for (size_t j = 0; j < keys; j++)
            if (!skip || weights[j] << 1)
                sum = fmaf(ref_number(weights[j]), ref_number(values[j * channels + c]), sum);
        CHECK(out[c] == ref_bits(sum));
    }
    free(weights);
    free(values);
    free(out);
}

/* ---- merging, argmax, names ------------------------------------------------------------------ */

/* In either array gives the same. A part without keys leaves the other one as it is. */
static void check_merge(input *in)
{
    sf8_merge rule = (sf8_merge)(small(in, 7) ? small(in, SF8_MERGE_COUNT - 1) : word(in));
    int32_t fuse = (int32_t)(small(in, 3) ? SF8_FUSE_SUM : word(in));
    size_t n = small(in, 40);
    uint64_t state = word(in);
    uint32_t *a = values_of(in, n), *b = values_of(in, n), *out = room_for(n), *copy = room_for(n);
    uint32_t lse_a = any_value(in, &state), lse_b = any_value(in, &state);
    sf8_merged m = sf8_f32_merge_fused_n(rule, fuse, out, a, lse_a, b, lse_b, n);
    if (n)
        memcpy(copy, a, n * sizeof *a);
    sf8_merged second = sf8_f32_merge_fused_n(rule, fuse, copy, copy, lse_a, b, lse_b, n);
    CHECK(same(copy, out, n) && memcmp(&m, &second, sizeof m) == 0);
    if (fuse == SF8_FUSE_SUM) {
        second = sf8_f32_merge_n(rule, b, a, lse_a, b, lse_b, n);
        CHECK(same(b, out, n) && memcmp(&m, &second, sizeof m) == 0);
    }
    float lse = ref_number(lse_a);
    if (lse_b == 0xff800000 && lse - lse == 0) {
        CHECK(m.weight[0] == 0x3f800000 && m.weight[1] == 0 && ref_number(m.lse) == lse);
    }
    free(a);
    free(b);
    free(out);
    free(copy);
}

static void check_argmax(input *in)
{
    size_t n = any_length(in), start = (size_t)word(in), best = 0, greater = start;
    uint32_t *x = values_of(in, n);
    float most = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        float value = ref_number(x[i]), now = ref_number(x[best]);
        if (now == now && (value != value || value > now))
            best = i;
        if (value > most) {
            most = value;
            greater = i;
        }
    }
    CHECK(sf8_f32_argmax(x, n) == best);
    CHECK(sf8_f32_argmax_greater(x, n, start) == greater);
    free(x);
}

static void check_names(input *in)
{
    char text[16];
    sf8_status status;
    uint32_t any = (uint32_t)word(in);
    const char *order = sf8_order_name((sf8_order)any), *rule = sf8_merge_name((sf8_merge)any);
    CHECK((order != NULL) == (any < SF8_ORDER_COUNT) && (rule != NULL) == (any < SF8_MERGE_COUNT));
    CHECK(!order || (sf8_order_named(order, &status) == any && status == SF8_OK));
    CHECK(!rule || (sf8_merge_named(rule, &status) == any && status == SF8_OK));
    take(in, text, sizeof text);
    text[sizeof text - 1] = 0;
    sf8_order found = sf8_order_named(text, &status);
    CHECK(status == SF8_OK ? strcmp(sf8_order_name(found), text) == 0 : status == SF8_UNKNOWN_NAME);
    sf8_merge named = sf8_merge_named(text, &status);
    CHECK(status == SF8_OK ? strcmp(sf8_merge_name(named), text) == 0 : status == SF8_UNKNOWN_NAME);
    CHECK(sf8_order_named(text, NULL) == found && sf8_merge_named(text, NULL) == named);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = {data, size};
    static void (*const checks[])(input *) = {check_sums,     check_elementary, check_softmax,
                                              check_weighted, check_merge,      check_argmax,
                                              check_names};
    checks[small(&in, sizeof checks / sizeof checks[0] - 1)](&in);
    return 0;
}
