/* SPDX-License-Identifier: MIT */
/* chain_json.c -- the chain as JSON: every number as its word, and as a number where it is one
 */
#include "kv/chain.h"
#include "softfp8/scalar.h"

/* "key": {"word": "41333333", "value": 11.2} */
static void print_word(output *out, const char *before, const char *key, uint32_t word)
{
    char text[48];
    output_print(out, "%s\"%s\": {\"word\": \"%08x\", \"value\": ", before, key, (unsigned)word);
    if (sf8_f32_magnitude(word) >= SF8_F32_INF)
        output_print(out, "null}");
    else
        output_print(out, "%s}", chain_number(word, text));
}

static void print_stored(output *out, const char *key, chain_stored s)
{
    output_print(out, ", \"%s\": {\"code\": \"%02x\"", key, (unsigned)s.code);
    print_word(out, ", ", "quotient", s.quotient);
    print_word(out, ", ", "read", s.value);
    output_print(out, "}");
}

static void print_scale(output *out, const chain *c)
{
    chain_scales s = chain_scales_of(c->amax);
    print_word(out, "", "amax", c->amax);
    print_word(out, ",\n   ", "scale", s.scale);
    print_word(out, ", ", "scale_by_reciprocal", s.product);
    print_word(out, ", ", "v_scale", s.v_scale);
    print_stored(out, "largest", chain_store(c->amax, s.scale, 0));
    print_stored(out, "largest_by_reciprocal", chain_store(c->amax, s.product, 0));
}

static void print_values(output *out, const chain *c)
{
    uint32_t scale = chain_scales_of(c->amax).scale;
    print_word(out, "", "largest", sf8_f32_mul(0x43e00000, scale));
    output_print(out, ",\n   \"values\": [");
    for (size_t i = 0; i < c->n; i++) {
        output_print(out, "%s\n    {", i ? "," : "");
        print_word(out, "", "x", c->value[i]);
        print_stored(out, "satfinite", chain_store(c->value[i], scale, 0));
        print_stored(out, "nosat", chain_store(c->value[i], scale, 1));
        output_print(out, "}");
    }
    output_print(out, "]");
}

static void print_identical(output *out, const chain *c)
{
    uint32_t scale = chain_scales_of(c->amax).scale, most = sf8_f32_mul(0x43e00000, scale);
    size_t same = 0, nan = 0;
    for (size_t i = 0; i < c->n; i++) {
        same += chain_store(c->value[i], scale, 0).value == most;
        nan += sf8_f32_is_nan(chain_store(c->value[i], scale, 1).value);
    }
    output_print(out, "\"values\": %zu, \"satfinite_largest\": %zu, \"nosat_nan\": %zu", c->n, same,
                 nan);
}

static void print_norms(output *out, const chain *c)
{
    const chain_norm *norm = &chain_norms[c->norm];
    uint32_t x = sf8_f32_mul(0x43e00000, chain_scales_of(c->amax).scale);
    uint32_t read[CHAIN_MOST];
    for (size_t i = 0; i < c->n; i++)
        read[i] = chain_store(c->value[i], chain_scales_of(c->amax).scale, 0).value;
    uint32_t here = chain_divisor(norm, chain_variance_of(norm, read, c->n));
    chain_scan s = chain_scan_all();
    int of, numbers, found = chain_told_variance(x, &of, &numbers);
    print_word(out, "", "x", x);
    output_print(out, ", \"order\": \"%s\", \"n\": %zu", norm->name, c->n);
    print_word(out, ",\n   ", "eps", c->eps);
    print_word(out, ", ", "variance", here);
    print_word(out, ", ", "rstd", sf8_f32_rstd(here, c->eps));
    output_print(out, ",\n   \"variances\": [");
    for (int i = 0; i < CHAIN_NORMS; i++) {
        for (int j = 0; j < CHAIN_SIZES; j++) {
            sf8_moments m = chain_variance(&chain_norms[i], x, chain_sizes[j]);
            uint32_t v = chain_divisor(&chain_norms[i], m);
            output_print(out, "%s\n    {\"order\": \"%s\", \"n\": %zu, ", i + j ? "," : "",
                         chain_norms[i].name, chain_sizes[j]);
            print_word(out, "", "variance", v);
            output_print(out, ", \"lost\": %d}", chain_lost(v));
        }
    }
    output_print(out, "],\n   \"told_variance\": {\"found\": %d, \"of\": %d, \"numbers\": %d},\n",
                 found, of, numbers);
    output_print(out, "   \"scan\": {\"numbers\": %llu, \"negative\": %llu, ",
                 (unsigned long long)s.numbers, (unsigned long long)s.negative);
    print_word(out, "", "least", s.least);
    output_print(out, ", \"lost\": [%llu, %llu, %llu]}", (unsigned long long)s.lost[0],
                 (unsigned long long)s.lost[1], (unsigned long long)s.lost[2]);
}

/* What is told of the rows: masks, two parts, a NaN in V. `m` and `clean` are changed. */
static void print_attention_told(output *out, chain_model *m, chain_model *clean)
{
    chain_parts parts = chain_in_parts(m);
    uint32_t masked = chain_masked(m), last = m->out[3][0];
    int same = chain_same_rows(m, clean);
    print_word(out, ",\n   ", "masked_by_addition", masked);
    print_word(out, ", ", "residual", sf8_f32_add(SF8_F32_ONE, last));
    chain_attend(m, 1);
    output_print(out, ",\n   \"earlier_rows_same\": {\"multiplied\": %s, \"skipped\": %s}",
                 same ? "true" : "false", chain_same_rows(m, clean) ? "true" : "false");
    print_word(out, ",\n   \"two_parts\": {", "out_0", parts.out);
    print_word(out, ", ", "lse", parts.lse);
    print_word(out, ", ", "multiplied", parts.merged);
    chain_value_nan v = chain_nan_in_v(clean);
    print_word(out, "},\n   \"nan_in_v\": {", "multiplied", v.multiplied);
    print_word(out, ", ", "skipped", v.skipped);
    output_print(out, ", \"other_channels_nan\": %s}", v.others ? "true" : "false");
}

static void print_attention(output *out, const chain *c)
{
    static chain_model m, clean;
    chain_two_models(c, &m, &clean);
    output_print(out, "\"rows\": [");
    for (size_t i = 0; i < CHAIN_TOKENS; i++) {
        output_print(out, "%s\n    {", i ? "," : "");
        print_word(out, "", "most", m.row[i].most);
        print_word(out, ", ", "lse", m.row[i].lse);
        print_word(out, ", ", "sum", m.row[i].sum);
        for (size_t j = 0; j < CHAIN_TOKENS; j++) {
            char key[16] = "weight_0", score[16] = "score_0";
            key[7] = score[6] = (char)('0' + j);
            print_word(out, ", ", score, m.score[i][j]);
            print_word(out, ", ", key, m.weight[i][j]);
        }
        print_word(out, ", ", "out_0", m.out[i][0]);
        output_print(out, "}");
    }
    output_print(out, "]");
    print_attention_told(out, &m, &clean);
}

static void print_cache(output *out, const chain *c)
{
    static chain_model m, clean;
    chain_stored nan = chain_store(SF8_F32_NAN, chain_scales_of(c->amax).scale, 0);
    uint32_t multiplied, skipped, clamped = chain_clamped_nan();
    chain_two_models(c, &m, &clean);
    output_print(out, "\"code_of_nan\": \"%02x\", \"code_of_nan_clamped\": \"%02x\"",
                 (unsigned)nan.code,
                 (unsigned)sf8_core_convert(SF8_E4M3, SF8_F32, clamped, SF8_OCP, 0).code);
    print_word(out, ", ", "prefix_hit", m.out[3][0]);
    print_word(out, ",\n   ", "prefix_hit_clean", clean.out[3][0]);
    chain_slot_reuse(&m, &clean, &multiplied, &skipped);
    print_word(out, ", ", "slot_multiplied", multiplied);
    print_word(out, ", ", "slot_skipped", skipped);
}

static void print_argmax(output *out, const chain *c)
{
    static const uint32_t middle[3] = {0x40a00000, SF8_F32_NAN, 0x40e00000};
    static const uint32_t all[3] = {SF8_F32_NAN, SF8_F32_NAN, SF8_F32_NAN};
    static chain_model m, clean;
    uint32_t logit[CHAIN_VOCABULARY];
    char text[CHAIN_MOST + 1];
    size_t nan = 0;
    chain_two_models(c, &m, &clean);
    chain_logits(logit, m.out[3][0]);
    for (size_t t = 0; t < CHAIN_VOCABULARY; t++)
        nan += sf8_f32_is_nan(logit[t]);
    output_print(out, "\"all_nan\": {\"torch\": %zu, \"greater\": %zu}, ", sf8_f32_argmax(all, 3),
                 sf8_f32_argmax_greater(all, 3, 0));
    output_print(out, "\"5_nan_7\": {\"torch\": %zu, \"greater\": %zu}", sf8_f32_argmax(middle, 3),
                 sf8_f32_argmax_greater(middle, 3, 0));
    output_print(
        out, ",\n   \"logits\": %d, \"logits_nan\": %zu, \"token\": %zu, \"tokens\": \"%s\"",
        CHAIN_VOCABULARY, nan, sf8_f32_argmax(logit, CHAIN_VOCABULARY), chain_text(&m, 3, text));
}

static void print_ways(output *out, const chain *c)
{
    output_print(out, "\"ways\": [");
    for (int i = 0; i < CHAIN_WAYS; i++) {
        static chain_model m;
        uint32_t read[CHAIN_MOST];
        char text[CHAIN_MOST + 1];
        chain_fill(&m, c, &chain_ways[i], read);
        chain_attend(&m, 0);
        size_t nan;
        const chain_norm *norm = &chain_norms[c->norm];
        double worst = chain_worst(c, read, &nan);
        output_print(out, "%s\n    {\"name\": \"%s\", \"tokens\": \"%s\", \"nan\": %zu, ",
                     i ? "," : "", chain_ways[i].name, chain_text(&m, CHAIN_TOKENS - 1, text), nan);
        if (nan < c->n)
            output_print(out, "\"worst_error_percent\": %.9g, ", worst);
        print_word(out, "", "variance", chain_divisor(norm, chain_variance_of(norm, read, c->n)));
        output_print(out, ",\n     \"read\": [");
        for (size_t j = 0; j < c->n; j++)
            output_print(out, "%s\"%08x\"", j ? ", " : "", (unsigned)read[j]);
        output_print(out, "]}");
    }
    output_print(out, "]");
}

void chain_json(output *out, const chain *c, int link)
{
    static const struct {
        const char *name;
        void (*print)(output *, const chain *);
    } links[CHAIN_LINKS] = {
        {"scale", print_scale},    {"stored", print_values},       {"identical", print_identical},
        {"variance", print_norms}, {"attention", print_attention}, {"cache", print_cache},
        {"argmax", print_argmax},  {"cures", print_ways},
    };
    output_print(out, "{\"policy\": \"%s\"", c->nosat ? "nosat" : "satfinite");
    for (int i = 0; i < CHAIN_LINKS; i++) {
        if (link && link != i + 1)
            continue;
        output_print(out, ",\n \"%s\": {", links[i].name);
        links[i].print(out, c);
        output_print(out, "}");
    }
    output_print(out, "}\n");
}
