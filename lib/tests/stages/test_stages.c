/* SPDX-License-Identifier: MIT */
/* test_stages.c -- each kind of step against its definition in MPFR's arithmetic
 *
 * The reference computes one row of floats. It knows nothing of intervals or of the grammar.
 */
#include "check.h"
#include "random.h"
#include "softfp8_stages.h"

#include <math.h>
#include <mpfr.h>

#include "stage_ref.h"

enum { COLUMNS = 48, ROWS = 3, MOST = 4096 };

static float w[COLUMNS], b[COLUMNS], r[ROWS * COLUMNS], cosines[ROWS * COLUMNS],
    sines[ROWS * COLUMNS];

static const float one = 1;

/* ---- sums ------------------------------------------------------------------------------------ */

typedef float (*ref_sum)(const float *x, int n);

static float sum_sequential(const float *x, int n)
{
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum = ref_add(sum, x[i]);
    return sum;
}

/* Level by level, in an array that halves. */
static float sum_tree(const float *x, int n)
{
    static float level[MOST];
    memcpy(level, x, (size_t)n * sizeof *x);
    for (; n > 1; n = (n + 1) / 2) {
        for (int i = 0; i < n / 2; i++)
            level[i] = ref_add(level[2 * i], level[2 * i + 1]);
        if (n % 2)
            level[n / 2] = level[n - 1];
    }
    return n ? level[0] : 0;
}

/* 8 threads of 4 neighbours each, then t and t + 4, t and t + 2, t and t + 1. */
static float sum_8x4_halves(const float *x, int n)
{
    float thread[8] = {0};
    for (int base = 0; base < n; base += 32)
        for (int t = 0; t < 8; t++)
            for (int e = 0; e < 4; e++)
                if (base + 4 * t + e < n)
                    thread[t] = ref_add(thread[t], x[base + 4 * t + e]);
    for (int half = 4; half; half /= 2)
        for (int t = 0; t < half; t++)
            thread[t] = ref_add(thread[t], thread[t + half]);
    return thread[0];
}

static float sum_3x1_chain(const float *x, int n)
{
    float thread[3] = {0};
    for (int i = 0; i < n; i++)
        thread[i % 3] = ref_add(thread[i % 3], x[i]);
    return ref_add(ref_add(thread[0], thread[1]), thread[2]);
}

static float sum_32x1(const float *x, int n)
{
    float thread[32] = {0};
    for (int i = 0; i < n; i++)
        thread[i % 32] = ref_add(thread[i % 32], x[i]);
    return sum_tree(thread, 32);
}

/* Of products, or with y = NULL of x alone. */
static float sum_exactly(const float *x, const float *y, int n)
{
    mpfr_t sum, term;
    mpfr_init2(sum, 1200);
    mpfr_init2(term, 48);
    mpfr_set_zero(sum, 1);
    for (int i = 0; i < n; i++) {
        mpfr_set_flt(term, x[i], MPFR_RNDN);
        if (y)
            mpfr_mul_d(term, term, (double)y[i], MPFR_RNDN);
        mpfr_add(sum, sum, term, MPFR_RNDN);
    }
    mpfr_set_prec(term, 24);
    mpfr_set(term, sum, MPFR_RNDN);
    float result = mpfr_get_flt(term, MPFR_RNDN);
    mpfr_clear(sum);
    mpfr_clear(term);
    return result;
}

/* PyTorch's row of vectors of 8 floats: the four accumulators are vectors, as in ATen. */
static float sum_torch8(const float *x, int n)
{
    float level[4][4][8] = {0}, total = 0;
    int vectors = n / 8, size = vectors / 4, power = 4, i = 0;
    for (int k = 0; 1 << k < size; k++)
        power = (k + 1) / 4 > 4 ? (k + 1) / 4 : power;
    while (i + (1 << power) <= size) {
        for (int j = 0; j < 1 << power; j++, i++)
            for (int v = 0; v < 4; v++)
                for (int lane = 0; lane < 8; lane++)
                    level[0][v][lane] = ref_add(level[0][v][lane], x[(4 * i + v) * 8 + lane]);
        for (int j = 1; j < 4; j++) {
            for (int v = 0; v < 4; v++)
                for (int lane = 0; lane < 8; lane++) {
                    level[j][v][lane] = ref_add(level[j][v][lane], level[j - 1][v][lane]);
                    level[j - 1][v][lane] = 0;
                }
            if ((i & (((1 << power) - 1) << (j * power))) != 0)
                break;
        }
    }
    for (; i < size; i++)
        for (int v = 0; v < 4; v++)
            for (int lane = 0; lane < 8; lane++)
                level[0][v][lane] = ref_add(level[0][v][lane], x[(4 * i + v) * 8 + lane]);
    for (int j = 1; j < 4; j++)
        for (int v = 0; v < 4; v++)
            for (int lane = 0; lane < 8; lane++)
                level[0][v][lane] = ref_add(level[0][v][lane], level[j][v][lane]);
    for (int v = size * 4; v < vectors; v++)
        for (int lane = 0; lane < 8; lane++)
            level[0][0][lane] = ref_add(level[0][0][lane], x[v * 8 + lane]);
    for (int v = 1; v < 4; v++)
        for (int lane = 0; lane < 8; lane++)
            level[0][0][lane] = ref_add(level[0][0][lane], level[0][v][lane]);
    for (int k = vectors * 8; k < n; k++)
        total = ref_add(total, x[k]);
    for (int lane = 0; lane < 8; lane++)
        total = ref_add(total, level[0][0][lane]);
    return total;
}

static const struct {
    const char *order;
    ref_sum right;
} sums[] = {{"sequential", sum_sequential}, {"tree", sum_tree}, {"8x4/halves", sum_8x4_halves},
            {"3x1/chain", sum_3x1_chain},   {"32x1", sum_32x1},

            {"torch8", sum_torch8}};

/* ---- kinds ----------------------------------------------------------------------------------- */

static float sigmoid_of(float z)
{
    return ref_add(1, ref_one(ref_exp_op, -z));
}

static float silu(float x)
{
    return ref_div(x, sigmoid_of(x));
}

static float silu_product_2(float x)
{
    float e = ref_one(ref_exp2_op, ref_mul(-x, 0x1.715476p+0f));
    return ref_mul(x, ref_div(1, ref_add(1, e)));
}

static float gelu(float x)
{
    float f = ref_one(ref_erf_op, ref_mul(x, 0x1.6a09e6p-1f));
    return ref_mul(ref_mul(0.5f, x), ref_add(1, f));
}

static float gelu_tanh(float x)
{
    float cube = ref_mul(ref_mul(x, x), x), inner = ref_add(x, ref_mul(0.044715f, cube));
    float f = ref_one(ref_tanh_op, ref_mul(0x1.988454p-1f, inner));
    return ref_mul(ref_mul(0.5f, x), ref_add(1, f));
}

/* Computes a row in place; returns its new length. */
typedef int (*ref_step)(float *x, int n, int row);

static int do_round_rz(float *x, int n, int row)
{
    (void)row;
    for (int i = 0; i < n; i++)
        x[i] = ref_f16(x[i], MPFR_RNDZ);
    return n;
}

static int do_add(float *x, int n, int row)
{
    for (int i = 0; i < n; i++)
        x[i] = ref_bf16(ref_add(x[i], r[row * n + i]));
    return n;
}

static int do_multiply(float *x, int n, int row)
{
    (void)row;
    for (int i = 0; i < n; i++)
        x[i] = ref_mul(x[i], w[i]);
    return n;
}

static int do_divide(float *x, int n, int row)
{
    (void)row;
    for (int i = 0; i < n; i++)
        x[i] = ref_div(x[i], w[i]);
    return n;
}

static float mean_of_squares(const float *x, int n)
{
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum = ref_add(sum, ref_mul(x[i], x[i]));
    return ref_div(sum, (float)n);
}

/* vLLM's: to bf16 before the weight, and after it. */
static int do_rms_bf16(float *x, int n, int row)
{
    float f = ref_one(ref_rsqrt_op, ref_add(mean_of_squares(x, n), 1e-6f));
    (void)row;
    for (int i = 0; i < n; i++)
        x[i] = ref_bf16(ref_mul(ref_bf16(ref_mul(x[i], f)), w[i]));
    return n;
}

/* w + 1, eps outside of the root, products by an fma. */
static int do_rms_gemma(float *x, int n, int row)
{
    float sum = 0;
    (void)row;
    for (int i = 0; i < n; i++)
        sum = ref_fma(x[i], x[i], sum);
    float root = ref_one(ref_sqrt_op, ref_div(sum, (float)n)), f = ref_div(1, ref_add(root, 1e-3f));
    for (int i = 0; i < n; i++)
        x[i] = ref_mul(ref_mul(x[i], f), ref_add(1, w[i]));
    return n;
}

static int do_rms_twice(float *x, int n, int row)
{
    float f = ref_div(1, ref_one(ref_sqrt_op, ref_add(mean_of_squares(x, n), 1e-6f)));
    (void)row;
    for (int i = 0; i < n; i++)
        x[i] = ref_mul(x[i], f);
    return n;
}

static int do_layer(float *x, int n, int row)
{
    float mean = ref_div(sum_sequential(x, n), (float)n);
    (void)row;
    for (int i = 0; i < n; i++)
        x[i] = ref_add(x[i], -mean);
    float f = ref_one(ref_rsqrt_op, ref_add(mean_of_squares(x, n), 1e-5f));
    for (int i = 0; i < n; i++)
        x[i] = ref_add(ref_mul(ref_mul(x[i], f), w[i]), b[i]);
    return n;
}

static int do_relu(float *x, int n, int row)
{
    (void)row;
    for (int i = 0; i < n; i++)
        x[i] = x[i] < 0 ? 0 : x[i];
    return n;
}

static int do_relu2(float *x, int n, int row)
{
    do_relu(x, n, row);
    for (int i = 0; i < n; i++)
        x[i] = ref_bf16(ref_mul(x[i], x[i]));
    return n;
}

static int do_relu2_mid(float *x, int n, int row)
{
    do_relu(x, n, row);
    for (int i = 0; i < n; i++)
        x[i] = ref_mul(ref_bf16(x[i]), ref_bf16(x[i]));
    return n;
}

#define EACH(name, expression)                                                                     \
    static int name(float *x, int n, int row)                                                      \
    {                                                                                              \
        (void)row;                                                                                 \
        for (int i = 0; i < n; i++)                                                                \
            x[i] = expression(x[i]);                                                               \
        return n;                                                                                  \
    }
EACH(do_silu, silu)
EACH(do_silu_product_2, silu_product_2)
EACH(do_gelu, gelu)
EACH(do_gelu_tanh, gelu_tanh)

static int do_silu_gate(float *x, int n, int row)
{
    (void)row;
    for (int i = 0; i < n / 2; i++)
        x[i] = ref_bf16(ref_mul(ref_bf16(silu(x[i])), x[n / 2 + i]));
    return n / 2;
}

static int do_silu_second(float *x, int n, int row)
{
    (void)row;
    for (int i = 0; i < n / 2; i++)
        x[i] = ref_mul(silu(x[n / 2 + i]), x[i]);
    return n / 2;
}

static int do_gelu_odd(float *x, int n, int row)
{
    (void)row;
    for (int i = 0; i < n / 2; i++)
        x[i] = ref_mul(gelu(x[2 * i + 1]), x[2 * i]);
    return n / 2;
}

static int do_silu_up(float *x, int n, int row)
{
    for (int i = 0; i < n; i++)
        x[i] = ref_mul(silu(x[i]), r[row * n + i]);
    return n;
}

/* Every operation of PyTorch's rounds to bf16. */
static int do_clamp(float *x, int n, int row)
{
    (void)row;
    for (int i = 0; i < n / 2; i++) {
        float gate = fminf(x[2 * i], 1.5f), up = fmaxf(fminf(x[2 * i + 1], 1.5f), -1.5f);
        float z = ref_bf16(ref_mul(gate, 1.702f));
        float s = ref_bf16(ref_div(1, sigmoid_of(z)));
        x[i] = ref_bf16(ref_mul(ref_bf16(ref_add(up, 1)), ref_bf16(ref_mul(gate, s))));
    }
    return n / 2;
}

static int do_rope_neox(float *x, int n, int row)
{
    for (int h = 0; h < n; h += 16)
        for (int i = 0; i < 4; i++) {
            float c = cosines[row * 4 + i], s = sines[row * 4 + i], p = x[h + i], q = x[h + 4 + i];
            x[h + i] = ref_add(ref_bf16(ref_mul(p, c)), -ref_bf16(ref_mul(q, s)));
            x[h + 4 + i] = ref_add(ref_bf16(ref_mul(q, c)), ref_bf16(ref_mul(p, s)));
        }
    return n;
}

static int do_rope_pairs(float *x, int n, int row)
{
    (void)row;
    for (int h = 0; h < n; h += 8)
        for (int i = 0; i < 4; i++) {
            float c = cosines[i], s = sines[i], p = x[h + 2 * i], q = x[h + 2 * i + 1];
            x[h + 2 * i] = ref_fma(p, c, -ref_mul(q, s));
            x[h + 2 * i + 1] = ref_fma(q, c, ref_mul(p, s));
        }
    return n;
}

static int do_softmax(float *x, int n, int row)
{
    float most = -INFINITY;
    (void)row;
    for (int i = 0; i < n; i++)
        most = x[i] > most ? x[i] : most;
    for (int i = 0; i < n; i++)
        x[i] = ref_one(ref_exp_op, ref_add(x[i], -most));
    float sum = sum_tree(x, n);
    for (int i = 0; i < n; i++)
        x[i] = ref_div(x[i], sum);
    return n;
}

/* The fast transform, stage by stage, of blocks of 16: the same sums as a tree of neighbours. */
static int do_hadamard(float *x, int n, int row)
{
    (void)row;
    for (int at = 0; at < n; at += 16) {
        for (int k = 0; k < 16; k++)
            x[at + k] = ref_mul(x[at + k], b[k] < 0 ? -1 : 1);
        for (int half = 1; half < 16; half *= 2)
            for (int k = 0; k < 16; k++)
                if (!(k & half)) {
                    float p = x[at + k], q = x[at + k + half];
                    x[at + k] = ref_add(p, q);
                    x[at + k + half] = ref_add(p, -q);
                }
        for (int k = 0; k < 16; k++)
            x[at + k] = ref_mul(x[at + k], 0.25f);
    }
    return n;
}

static int do_chain(float *x, int n, int row)
{
    do_add(x, n, row);
    do_rms_bf16(x, n, row);
    return do_silu_gate(x, n, row);
}

static const struct {
    const char *text;
    ref_step right;
    int rope_rows; /* of cos and sin, 4 columns each */
} kinds[] = {
    {"round via=f16:rz", do_round_rz, 1},
    {"add r=R via=bf16", do_add, 1},
    {"multiply by=W", do_multiply, 1},
    {"divide by=W", do_divide, 1},
    {"rms-norm w=W eps=1e-6 mid=bf16 via=bf16", do_rms_bf16, 1},
    {"rms-norm w=W eps=1e-3 eps-at=outside weight=w+1 fuse=sum", do_rms_gemma, 1},
    {"rms-norm rstd=twice", do_rms_twice, 1},
    {"layer-norm w=W b=B", do_layer, 1},
    {"relu", do_relu, 1},
    {"relu2 | via=bf16", do_relu2, 1},
    {"relu2 mid=bf16", do_relu2_mid, 1},
    {"silu", do_silu, 1},
    {"silu form=product exp=2", do_silu_product_2, 1},
    {"gelu", do_gelu, 1},
    {"gelu-tanh", do_gelu_tanh, 1},
    {"silu-gate mid=bf16 via=bf16", do_silu_gate, 1},
    {"silu-gate gate=second", do_silu_second, 1},
    {"gelu-gate gate=odd", do_gelu_odd, 1},
    {"silu-gate up=R", do_silu_up, 1},
    {"swiglu-clamp limit=1.5 mid=bf16 via=bf16", do_clamp, 1},
    {"rope cos=C sin=S head=16 dim=8 mid=bf16", do_rope_neox, ROWS},
    {"rope cos=C sin=S head=8 style=interleaved fuse=sum", do_rope_pairs, 1},
    {"softmax order=tree", do_softmax, 1},
    {"hadamard signs=SIGNS order=tree", do_hadamard, 1},
    {"add r=R via=bf16 | rms-norm w=W mid=bf16 via=bf16 | silu-gate mid=bf16 via=bf16", do_chain,
     1},
};

/* Numbers of about 1, a few of them 0, subnormal or large. */
static float some_number(void)
{
    uint32_t kind = pseudo_random() % 64, word = pseudo_random();
    if (kind == 0)
        return word & 1 ? 0.0f : -0.0f;
    if (kind == 1)
        return ref_of(word & 0x80ffffffu);
    return ref_of((word & 0x807fffffu) | (122 + pseudo_random() % 8) << 23);
}

static void fill(float *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = some_number();
}

static void arrays(sf8_stage_input in[6], int rope_rows)
{
    float *const values[6] = {w, b, r, cosines, sines, b};
    static const char *const names[6] = {"W", "B", "R", "C", "S", "SIGNS"};
    static uint32_t words[6][ROWS * COLUMNS];
    for (int i = 0; i < 6; i++) {
        int rows = i == 2 ? ROWS : i == 3 || i == 4 ? rope_rows : 1;
        int columns = i == 3 || i == 4 ? 4 : i == 5 ? 16 : COLUMNS;
        in[i] = (sf8_stage_input){names[i], words[i], (size_t)rows, (size_t)columns};
        for (int k = 0; k < rows * columns; k++)
            words[i][k] = i == 5 ? ref_bits(b[k] < 0 ? -one : one) : ref_bits(values[i][k]);
    }
}

Test(stages, every_kind)
{
    static float x[ROWS * COLUMNS];
    static uint32_t bits[ROWS * COLUMNS], out[ROWS * COLUMNS], lower[ROWS * COLUMNS],
        upper[ROWS * COLUMNS];
    static sf8_span work[3 * COLUMNS];
    for (size_t k = 0; k < COUNT(kinds); k++)
        for (int round = 0; round < 12; round++) {
            sf8_stage stage;
            sf8_stage_input in[6];
            const char *name;
            fill(x, ROWS * COLUMNS), fill(w, COLUMNS), fill(b, COLUMNS), fill(r, ROWS * COLUMNS);
            fill(cosines, ROWS * COLUMNS), fill(sines, ROWS * COLUMNS);
            arrays(in, kinds[k].rope_rows);
            cr_assert(sf8_stage_read(kinds[k].text, &stage, NULL) == SF8_OK, "%s", kinds[k].text);
            cr_assert(!sf8_stage_wrong(&stage, ROWS, COLUMNS, in, 6, &name), "%s", kinds[k].text);
            for (int i = 0; i < ROWS * COLUMNS; i++)
                bits[i] = ref_bits(x[i]);
            cr_assert(sf8_stage_run(&stage, out, bits, ROWS, COLUMNS, in, 6, work) == SF8_OK);
            cr_assert(sf8_stage_bounds(&stage, lower, upper, bits, bits, ROWS, COLUMNS, in, 6,
                                       work) == SF8_OK);
            for (int row = 0; row < ROWS; row++) {
                int n = kinds[k].right(x + row * COLUMNS, COLUMNS, row);
                cr_assert(n == (int)sf8_stage_columns(&stage, COLUMNS));
                for (int i = 0; i < n; i++) {
                    uint32_t right = ref_bits(x[row * COLUMNS + i]), at = (uint32_t)(row * n + i);
                    EXPECT(out[at] == right, "%s: row %d, element %d: %08x, not %08x",
                           kinds[k].text, row, i, out[at], right);
                    EXPECT(lower[at] == right && upper[at] == right, "%s: the bounds of %08x",
                           kinds[k].text, right);
                }
            }
        }
}

Test(stages, every_order)
{
    static const int sizes[] = {1, 2, 7, 31, 32, 33, 64, 100, 500, 513, 1027, 2048, 4096};
    static float x[MOST], terms[MOST];
    static uint32_t bits[MOST], out[MOST];
    static sf8_span work[3 * MOST];
    for (size_t k = 0; k < COUNT(sums); k++)
        for (size_t i = 0; i < 12 * COUNT(sizes); i++) {
            int n = sizes[i % COUNT(sizes)];
            char text[64];
            sf8_stage stage;
            snprintf(text, sizeof text, "rms-norm rstd=twice eps=0 order=%s", sums[k].order);
            cr_assert(sf8_stage_read(text, &stage, NULL) == SF8_OK, "%s", text);
            for (int j = 0; j < n; j++) {
                x[j] = ref_mul(ref_of((pseudo_random() & 0x807fffffu) | 0x3f800000u), 0.7f);
                terms[j] = ref_mul(x[j], x[j]);
                bits[j] = ref_bits(x[j]);
            }
            float mean = ref_div(sums[k].right(terms, n), (float)n);
            float right = ref_mul(x[0], ref_div(1, ref_one(ref_sqrt_op, mean)));
            sf8_stage_run(&stage, out, bits, 1, (size_t)n, NULL, 0, work);
            EXPECT(out[0] == ref_bits(right), "%s of %d: %08x, not %08x", sums[k].order, n, out[0],
                   ref_bits(right));
        }
}

/* The order `any` has the exact sum as its value. The products of rms-norm are exact too. */
Test(stages, exact_sums)
{
    static float x[64];
    static uint32_t bits[64], out[64];
    static sf8_span work[3 * 64];
    for (int round = 0; round < 400; round++) {
        int n = 2 + (int)(pseudo_random() % 60), spread = 1 + round % 100;
        sf8_stage norm, layer;
        float mean, factor;
        for (int i = 0; i < n; i++) {
            uint32_t exponent = 77 + pseudo_random() % (uint32_t)spread;
            x[i] = ref_of((pseudo_random() & 0x807fffffu) | exponent << 23);
            bits[i] = ref_bits(x[i]);
        }
        sf8_stage_read(round % 2 ? "rms-norm eps=0 order=exact" : "rms-norm eps=0 order=any", &norm,
                       NULL);
        sf8_stage_read("layer-norm eps=0 order=exact", &layer, NULL);
        sf8_stage_run(&norm, out, bits, 1, (size_t)n, NULL, 0, work);
        factor = ref_one(ref_rsqrt_op, ref_div(sum_exactly(x, x, n), (float)n));
        EXPECT(out[0] == ref_bits(ref_mul(x[0], factor)), "rms-norm of %d: %08x", n, out[0]);
        sf8_stage_run(&layer, out, bits, 1, (size_t)n, NULL, 0, work);
        mean = ref_div(sum_exactly(x, NULL, n), (float)n);
        for (int i = 0; i < n; i++)
            x[i] = ref_add(x[i], -mean);
        factor = ref_one(ref_rsqrt_op, ref_div(sum_exactly(x, x, n), (float)n));
        EXPECT(out[0] == ref_bits(ref_mul(x[0], factor)), "layer-norm of %d: %08x", n, out[0]);
    }
}

/* The squares are 1, 2^-24, 2^-100 and 0. The first two are a tie, and the third decides it: the
 * sum is 1 + 2^-23, its quarter has the reciprocal root 2 - 2^-23. */
Test(stages, exact_sums_keep_what_is_far_below)
{
    static const uint32_t x[4] = {0x3f800000, 0x39800000, 0x26800000, 0};
    sf8_stage stage;
    sf8_span work[12];
    uint32_t out[4];
    sf8_stage_read("rms-norm eps=0 order=exact", &stage, NULL);
    sf8_stage_run(&stage, out, x, 1, 4, NULL, 0, work);
    cr_expect(out[0] == 0x3fffffff, "%08x", out[0]);
}
