/* SPDX-License-Identifier: MIT */
/* chain_text.c -- links 1 to 4 of the chain as text, and the cures */
#include "kv/chain.h"
#include "cli/text_table.h"
#include "softfp8/scalar.h"

#include <stdio.h>
#include <string.h>

/* A paragraph behind a label: "Claim:", "In fact:", or the name of a number. */
#define SAY(label, ...) text_paragraph(out, "   " label, CHAIN_INDENT, __VA_ARGS__)

/* ---- 1 --------------------------------------------------------------------------------------- */

static void print_amax(output *out, const char *label, uint32_t amax, uint32_t scale)
{
    chain_stored s = chain_store(amax, scale, 0);
    char a[48], b[48], d[48];
    text_paragraph(out, label, CHAIN_INDENT,
                   "%08x / %08x = %s: code %02x = %s, read back as %s, error %+.2f %%",
                   (unsigned)amax, (unsigned)scale, chain_number(s.quotient, a), (unsigned)s.code,
                   chain_number(s.element, b), chain_number(s.value, d), chain_error(amax, s.value));
}

static void print_scale(output *out, const chain *c)
{
    chain_scales s = chain_scales_of(c->amax);
    int count[2][2];
    char a[48];
    chain_largest(count);
    output_print(out, "1. The first request fixes the scale.\n");
    SAY("Claim:", "The largest value of the first request, amax = %s, is stored exactly, as 200.",
        chain_number(c->amax, a));
    SAY("In fact:", "e4m3 has no 200. It is a tie between 192 (code 74) and 208 (code 75), and "
                    "rounds to 192, the even code: 4 %% off.");
    SAY("What happens:", "vLLM's calc_kv_scales (attention.py, v0.27.1) computes one amax over all "
                         "tokens and heads of one call, and never again. That call may be a "
                         "profile run.");
    SAY("scale of K", "%08x = %s, amax / 200: PyTorch divides if 200 is a tensor", (unsigned)s.scale,
        chain_number(s.scale, a));
    SAY("", "%08x = %s, amax * (1/200): PyTorch multiplies if 200 is a number",
        (unsigned)s.product, chain_number(s.product, a));
    SAY("scale of V", "%08x = %s, amax / 100; this example uses the scale of K for both",
        (unsigned)s.v_scale, chain_number(s.v_scale, a));
    print_amax(out, "   amax stored", c->amax, s.scale);
    print_amax(out, "", c->amax, s.product);
    SAY("other amax", "Of the 128 mantissas of a bf16 amax, %d are stored as code 74 and %d as 75. "
                      "With amax * (1/200) it is %d and %d. V's 100 is a tie too, between 96 and "
                      "104.",
        count[0][0], count[0][1], count[1][0], count[1][1]);
    SAY("amax = 0", "Nothing prevents it: the scale is then 0, 0/0 is stored as %02x (NaN) and 1/0 "
                    "as %02x (448).",
        (unsigned)chain_store(0, 0, 0).code, (unsigned)chain_store(SF8_F32_ONE, 0, 0).code);
}

/* ---- 2 --------------------------------------------------------------------------------------- */

static void print_row(output *out, uint32_t x, uint32_t scale)
{
    chain_stored sat = chain_store(x, scale, 0), nosat = chain_store(x, scale, 1);
    char a[48], b[48], d[48], e[48], f[48];
    output_print(out, "   %-10s %-10s %02x = %-5s -> %-10s %+7.2f %%   %02x -> %s\n",
                 chain_number(x, a), chain_number(sat.quotient, b), (unsigned)sat.code,
                 chain_number(sat.element, d), chain_number(sat.value, e),
                 chain_error(x, sat.value), (unsigned)nosat.code, chain_number(nosat.value, f));
}

static void print_clipping(output *out, const chain *c)
{
    /* 432, 440, 448, 464, what is next to it, 8 */
    static const uint32_t limits[] = {0x43d80000, 0x43dc0000, 0x43e00000, 0x43e80000, 0x43e80001};
    uint32_t scale = chain_scales_of(c->amax).scale;
    uint32_t largest = sf8_f32_mul(0x43e00000, scale);
    chain_stored eight = chain_store(0x41000000, SF8_F32_ONE, 0);
    char a[48];
    output_print(out, "2. Later values meet the fixed scale.\n");
    SAY("Claim:", "The cache holds at most 448 * scale = %s; larger values become that, or NaN.",
        chain_number(largest, a));
    SAY("In fact:", "Values from 432 * scale on round up to it as well (432 is the tie between 416 "
                    "and 448). Without saturation only values above 464 * scale become NaN.");
    SAY("Claim:", "A scale that is too large wastes codes: 2.0 / 0.25 = 8 uses 8 of 448 levels.");
    SAY("In fact:", "FP8 codes are not evenly spaced. 8 is code %02x, the %uth of 126 above 0.",
        (unsigned)eight.code, (unsigned)eight.code);
    SAY("What happens:", "x / scale is cast to e4m3, and the code times the scale is read back. The "
                         "cast satfinite clips to 448; nosat gives NaN.");
    SAY("largest", "448 * %08x = %08x", (unsigned)scale, (unsigned)largest);
    output_print(out, "   x          x / scale  satfinite, read back    error       nosat\n");
    for (size_t i = 0; i < c->n; i++)
        print_row(out, c->value[i], scale);
    output_print(out, "   432, 440, 448, 464 and the next f32, each times the scale:\n");
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++)
        print_row(out, sf8_f32_mul(limits[i], scale), scale);
}

/* ---- 3 --------------------------------------------------------------------------------------- */

static void print_identical(output *out, const chain *c)
{
    uint32_t scale = chain_scales_of(c->amax).scale, most = sf8_f32_mul(0x43e00000, scale);
    size_t same[2] = {0, 0}, nan[2] = {0, 0};
    char a[48];
    for (int nosat = 0; nosat < 2; nosat++) {
        for (size_t i = 0; i < c->n; i++) {
            uint32_t value = chain_store(c->value[i], scale, nosat).value;
            same[nosat] += value == most;
            nan[nosat] += sf8_f32_is_nan(value);
        }
    }
    chain_number(most, a);
    output_print(out, "3. Different values become one value.\n");
    SAY("Claim:", "All later values are read back as %s.", a);
    if (same[0] == c->n)
        SAY("True:", "This holds for all %zu of them if the cast saturates.", c->n);
    else
        SAY("In fact:", "only %zu of these %zu values are.", same[0], c->n);
    SAY("What happens:", "Only the cast without saturation puts NaN into the cache.");
    for (int nosat = 0; nosat < 2; nosat++)
        text_paragraph(out, nosat ? "   nosat" : "   satfinite", CHAIN_INDENT,
                       "%zu of %zu become %08x = %s, %zu become NaN", same[nosat], c->n,
                       (unsigned)most, a, nan[nosat]);
}

/* ---- 4 --------------------------------------------------------------------------------------- */

static void print_variances(output *out, uint32_t x)
{
    static const char *const marks[] = {"", "!", "!!", "!!!"};
    output_print(out, "       n");
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
    SAY("!, !!, !!!", "variance + eps is below 0 and its root is NaN: for eps 1e-12; also for "
                      "1e-6; also for 1e-5");
}

static void print_scan(output *out)
{
    chain_scan s = chain_scan_all();
    SAY("every x", "tree-fma computes fl(x^2) - x^2. Of all %llu x in [8, 16) it is below 0 "
                   "for %llu (%.1f %%), and %.3g at the least. The root is NaN for %llu x with eps "
                   "%s, %llu with %s, %llu with %s.",
        (unsigned long long)s.numbers, (unsigned long long)s.negative,
        100 * (double)s.negative / (double)s.numbers, (double)sf8_f32_from_bits(s.least),
        (unsigned long long)s.lost[0], chain_eps_texts[0], (unsigned long long)s.lost[1],
        chain_eps_texts[1], (unsigned long long)s.lost[2], chain_eps_texts[2]);
}

/* The claims, of which the second holds nowhere. */
static void print_norm_claims(output *out, uint32_t x)
{
    int of, numbers, found = chain_claimed_variance(x, &of, &numbers);
    SAY("Claim:", "The layer norm's variance of such equal values is -0.000000317835426.");
    SAY("In fact:", "It can be below 0, but %s the %d ways to sum it that were tried give that "
                    "number. They give %d different ones.",
        found ? "only some of" : "none of", of, numbers);
    SAY("Claim:", "The keys go through a layer norm after they were read from the cache.");
    SAY("In fact:", "K and V from a cache never do. Links 5 to 7 keep this step to show what would "
                    "follow. Link 8 has the result with it and without it.");
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
    output_print(out, "4. A layer norm can compute a variance below 0.\n");
    print_norm_claims(out, x);
    SAY("What happens:", "A variance computed as E[x^2] - E[x]^2 subtracts two rounded numbers. The "
                         "table has it for n values of %s, in units of 10^-6, by the order of the "
                         "sums. With +fma the subtraction is an fma.",
        chain_number(x, a));
    print_variances(out, x);
    SAY("this request", "%s of the %zu values of link 3: %s %08x = %s, plus eps %s = %s, "
                        "1/sqrt = %s",
        norm->name, c->n, norm == &chain_norms[CHAIN_RMS] ? "mean square" : "variance",
        (unsigned)v, chain_short(v, a), c->eps_text, chain_short(sum, b),
        chain_short(sf8_f32_rstd(v, c->eps), d));
    print_scan(out);
    uint32_t bf16 = sf8_f32_via_bf16(x);
    sf8_moments near = chain_variance(&chain_norms[CHAIN_TREE_FMA], bf16, 1024);
    SAY("bf16", "The square of a bf16 is exact in f32: 1024 values of %s by tree-fma give %s.",
        chain_number(bf16, a), chain_short(near.variance, b));
    SAY("not affected", "Welford's algorithm (PyTorch's layer norm), RMS norm (it subtracts "
                        "nothing), a variance clamped at 0");
    SAY("affected", "TensorRT-LLM's generalLayerNorm with USE_DIFF_OF_SQUARES, which clamps "
                    "nothing");
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
    output_print(out, "8. What cures it.\n");
    SAY("Claim:", "A cache whose scale fits the values gives the right tokens again.");
    SAY("What happens:", "The same later values go through other caches, and the last query reads "
                         "them. The claim is true of each cure that gives the tokens of the exact "
                         "cache.");
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
        output_print(out, "How one stale KV scale ends in \"!!!!!!\", step by step. The claims are "
                          "those of a popular\naccount of this failure. Where one is wrong, \"In "
                          "fact\" says what is right.\n\n");
    for (int i = 0; i < CHAIN_LINKS; i++) {
        if (link && link != i + 1)
            continue;
        output_print(out, i && !link ? "\n" : "");
        print[i](out, c);
    }
}
