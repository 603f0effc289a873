/* SPDX-License-Identifier: MIT */
/* chain_text.c -- links 1 to 4 of the chain as text, and the cures */
#include "kv/chain.h"
#include "cli/text_table.h"
#include "softfp8/scalar.h"

#include <stdio.h>
#include <string.h>

/* "7e = 448 -> 11.2, error -26.80 %" */
static void print_stored(output *out, uint32_t x, chain_stored s)
{
    char element[48], value[48];
    output_print(out, "%02x = %s -> %s", (unsigned)s.code, chain_number(s.element, element),
                 chain_number(s.value, value));
    if (!sf8_f32_is_nan(s.value))
        output_print(out, ", error %+.2f %%", chain_error(x, s.value));
}

/* ---- 1 --------------------------------------------------------------------------------------- */

static void print_scale(output *out, const chain *c)
{
    chain_scales s = chain_scales_of(c->amax);
    chain_stored by[2] = {chain_store(c->amax, s.scale, 0), chain_store(c->amax, s.product, 0)};
    int count[2][2];
    chain_stored none[2] = {chain_store(0, 0, 0), chain_store(SF8_F32_ONE, 0, 0)};
    char a[48], b[48];
    chain_largest(count);
    output_print(out, "1  the first request locks the scale; amax is %s = %08x\n",
                 chain_number(c->amax, a), (unsigned)c->amax);
    output_print(
        out, "   source        vLLM calc_kv_scales, attention.py, in v0.27.1: one amax over all "
             "tokens and\n"
             "                 heads of a call, once; a profile run may be that call\n");
    output_print(out, "   scale of K    %08x  %-12s amax / 200, both tensors\n", (unsigned)s.scale,
                 chain_number(s.scale, a));
    output_print(out, "                 %08x  %-12s amax * (1/200), where 200 is a number\n",
                 (unsigned)s.product, chain_number(s.product, a));
    output_print(out, "   scale of V    %08x  %-12s amax / 100; here K's serves both\n",
                 (unsigned)s.v_scale, chain_number(s.v_scale, a));
    for (int i = 0; i < 2; i++) {
        output_print(out, "   the largest   %08x / %08x = %s: ", (unsigned)c->amax,
                     (unsigned)(i ? s.product : s.scale), chain_number(by[i].quotient, b));
        print_stored(out, c->amax, by[i]);
        output_print(out, "\n");
    }
    output_print(out, "   told          200 stays 200 and 5 stays 5. But 200 lies half way between "
                      "192 (74)\n"
                      "                 and 208 (75); the even code wins, 4 %% off\n");
    output_print(
        out,
        "   every amax    of the 128 mantissas of bf16 %d become 74 and %d 75; by the product "
        "%d and %d.\n"
        "                 V's 100 is a midpoint too, of 96 and 104\n",
        count[0][0], count[0][1], count[1][0], count[1][1]);
    output_print(out,
                 "   amax 0        there is no guard: the scale is 0, 0/0 gives %02x, 1/0 %02x\n",
                 (unsigned)none[0].code, (unsigned)none[1].code);
}

/* ---- 2 --------------------------------------------------------------------------------------- */

static void print_row(output *out, uint32_t x, uint32_t scale)
{
    chain_stored sat = chain_store(x, scale, 0), nosat = chain_store(x, scale, 1);
    char a[48], b[48], d[48], e[48], f[48];
    output_print(out, "   %-10s %-10s %02x %-5s %-10s %+7.2f %%   %02x %s\n", chain_number(x, a),
                 chain_number(sat.quotient, b), (unsigned)sat.code, chain_number(sat.element, d),
                 chain_number(sat.value, e), chain_error(x, sat.value), (unsigned)nosat.code,
                 chain_number(nosat.value, f));
}

static void print_clipping(output *out, const chain *c)
{
    /* 432, 440, 448, 464, what is next to it, 8 */
    static const uint32_t limits[] = {0x43d80000, 0x43dc0000, 0x43e00000, 0x43e80000, 0x43e80001};
    uint32_t scale = chain_scales_of(c->amax).scale;
    chain_stored eight = chain_store(0x41000000, SF8_F32_ONE, 0);
    char a[48];
    output_print(out,
                 "2  later values meet that scale; 448 * %08x = %08x = %s is the largest\n"
                 "   value      / scale    satfinite                     nosat\n",
                 (unsigned)scale, (unsigned)sf8_f32_mul(0x43e00000, scale),
                 chain_number(sf8_f32_mul(0x43e00000, scale), a));
    for (size_t i = 0; i < c->n; i++)
        print_row(out, c->value[i], scale);
    output_print(out, "   the limits, 432 440 448 464 and beyond, times the scale:\n");
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++)
        print_row(out, sf8_f32_mul(limits[i], scale), scale);
    output_print(
        out,
        "   told          all above the largest become it. So does what is below: from "
        "432 on, a tie\n"
        "                 of 416 and 448. And NaN is only what is above 464\n"
        "   told          2.0 / 0.25 = 8 uses 8 of 448 levels. 8 is code %02x, the %uth of "
        "126 above 0\n",
        (unsigned)eight.code, (unsigned)eight.code);
}

/* ---- 3 --------------------------------------------------------------------------------------- */

static void print_identical(output *out, const chain *c)
{
    uint32_t scale = chain_scales_of(c->amax).scale;
    output_print(out, "3  what was different is the same\n");
    for (int nosat = 0; nosat < 2; nosat++) {
        size_t same = 0, nan = 0;
        uint32_t most = sf8_f32_mul(0x43e00000, scale);
        char a[48];
        for (size_t i = 0; i < c->n; i++) {
            uint32_t value = chain_store(c->value[i], scale, nosat).value;
            same += value == most;
            nan += sf8_f32_is_nan(value);
        }
        output_print(out, "   %-12s  %zu of %zu are %08x = %s, %zu NaN\n",
                     nosat ? "nosat" : "satfinite", same, c->n, (unsigned)most,
                     chain_number(most, a), nan);
    }
    output_print(out, "   so it is the cast without saturation that puts NaN into the cache, not "
                      "the other\n");
}

/* ---- 4 --------------------------------------------------------------------------------------- */

static void print_variances(output *out, uint32_t x)
{
    static const char *const marks[] = {"", "!", "!!", "!!!"};
    output_print(out, "   10^-6");
    for (int i = 0; i < CHAIN_RMS; i++)
        output_print(out, i ? "%10s" : " %10s", chain_norms[i].head);
    output_print(out, "\n");
    for (int j = 0; j < CHAIN_SIZES; j++) {
        output_print(out, "   %5zu", chain_sizes[j]);
        for (int i = 0; i < CHAIN_RMS; i++) {
            uint32_t v = chain_variance(&chain_norms[i], x, chain_sizes[j]).variance;
            double millionths = 1e6 * (double)sf8_f32_from_bits(v);
            int small = sf8_f32_magnitude(v) < chain_word("0.001");
            char text[48];
            snprintf(text, sizeof text, small ? "%.4g%s" : "%.0f%s", millionths,
                     marks[chain_lost(v)]);
            output_print(out, i ? "%10s" : " %10s", text);
        }
        output_print(out, "\n");
    }
    output_print(out, "   !, !!, !!!    variance + eps is below 0 and its root NaN with eps 1e-12; "
                      "1e-6; 1e-5\n");
}

static void print_scan(output *out)
{
    chain_scan s = chain_scan_all();
    output_print(out,
                 "   every x       tree and fma give fl(x^2) - x^2: of all %llu x in [8, 16) it is "
                 "below 0 for\n"
                 "                 %llu, %.1f %%, %.3g at the least\n"
                 "                 NaN",
                 (unsigned long long)s.numbers, (unsigned long long)s.negative,
                 100 * (double)s.negative / (double)s.numbers, (double)sf8_f32_from_bits(s.least));
    for (int i = 0; i < CHAIN_EPS; i++)
        output_print(out, "%s with eps %s: %llu", i ? "," : "", chain_eps_texts[i],
                     (unsigned long long)s.lost[i]);
    output_print(out, "\n");
}

static void print_norm(output *out, const chain *c)
{
    const chain_norm *norm = &chain_norms[c->norm];
    uint32_t x = sf8_f32_mul(0x43e00000, chain_scales_of(c->amax).scale);
    uint32_t read[CHAIN_MOST];
    for (size_t i = 0; i < c->n; i++)
        read[i] = chain_store(c->value[i], chain_scales_of(c->amax).scale, 0).value;
    sf8_moments m = chain_variance_of(norm, read, c->n);
    uint32_t v = chain_divisor(norm, m), sum = sf8_f32_add(v, c->eps);
    char a[48], b[48], d[48];
    output_print(out, "4  a layer norm whose variance is E[x^2] - E[x]^2, of n times %s\n",
                 chain_number(x, a));
    print_variances(out, x);
    output_print(out, "   of link 3     %s, n = %zu, eps %s: %08x = %s, + eps %s, 1/sqrt %s\n",
                 norm->name, c->n, c->eps_text, (unsigned)v, chain_short(v, a), chain_short(sum, b),
                 chain_short(sf8_f32_rstd(v, c->eps), d));
    int of, numbers, found = chain_told_variance(x, &of, &numbers);
    output_print(
        out,
        "   told          it is -0.000000317835426. These, and those with fma in the sums, "
        "are %d ways\n"
        "                 to compute one, each by other operations; of the %d numbers that "
        "they give\n"
        "                 %d are that\n",
        of, numbers, found ? 1 : 0);
    print_scan(out);
    uint32_t bf16 = sf8_f32_via(SF8_BF16, x);
    sf8_moments near = chain_variance(&chain_norms[CHAIN_TREE_FMA], bf16, 1024);
    output_print(out,
                 "   bf16          x^2 of a bf16 is exact in f32: 1024 times %s, tree and fma: "
                 "%s\n",
                 chain_number(bf16, a), chain_short(near.variance, b));
    output_print(
        out, "   cannot        Welford's (PyTorch's layer norm), RMS norm (no difference), a "
             "variance clamped at 0\n"
             "   can           TensorRT-LLM generalLayerNorm with USE_DIFF_OF_SQUARES, which "
             "clamps nothing\n"
             "   told          the keys go through a layer norm. K and V from a cache never do; "
             "that step is kept\n"
             "                 below, as told, and left out beside it\n");
}

/* ---- 8 --------------------------------------------------------------------------------------- */

double chain_worst(const chain *c, const uint32_t *read, size_t *nan)
{
    double worst = 0;
    *nan = 0;
    for (size_t j = 0; j < c->n; j++) {
        double error = 0;
        if (sf8_f32_is_nan(read[j]))
            ++*nan;
        else
            error = chain_error(c->value[j], read[j]);
        error = error < 0 ? -error : error;
        worst = error > worst ? error : worst;
    }
    return worst;
}

static void print_cures(output *out, const chain *c)
{
    const chain_norm *norm = &chain_norms[c->norm];
    text_table *table = text_table_new("   %-44s  %11s  %3s  %-11s  %s");
    output_print(out, "8  the same later values, other caches\n");
    text_table_row(table, "\tworst error\tNaN\t%s\ttokens",
                   norm == &chain_norms[CHAIN_RMS] ? "mean square" : "variance");
    for (int i = 0; i < CHAIN_WAYS; i++) {
        static chain_model m;
        uint32_t read[CHAIN_MOST];
        char text[CHAIN_MOST + 1], variance[48], error[32];
        size_t nan;
        chain_fill(&m, c, &chain_ways[i], read);
        chain_attend(&m, 0);
        double worst = chain_worst(c, read, &nan);
        uint32_t v = chain_divisor(norm, chain_variance_of(norm, read, c->n));
        snprintf(error, sizeof error, nan == c->n ? "NaN" : "%.2f %%", worst);
        text_table_row(table, "%s\t%s\t%zu\t%s\t%s", chain_ways[i].name, error, nan,
                       chain_short(v, variance), chain_text(&m, CHAIN_TOKENS - 1, text));
    }
    text_table_write(table, out);
}

void chain_print(output *out, const chain *c, int link)
{
    static void (*const print[CHAIN_LINKS])(output *, const chain *) = {
        print_scale,           print_clipping,    print_identical,    print_norm,
        chain_print_attention, chain_print_cache, chain_print_argmax, print_cures,
    };
    if (!link)
        output_print(out, "From one locked scale to \"!!!!!!\". What is told of it, and is not so, "
                          "is marked told.\n\n");
    for (int i = 0; i < CHAIN_LINKS; i++) {
        if (link && link != i + 1)
            continue;
        output_print(out, i && !link ? "\n" : "");
        print[i](out, c);
    }
}
