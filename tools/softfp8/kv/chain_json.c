/* SPDX-License-Identifier: MIT */
/* chain_json.c -- the chain as JSON: every number as its word, and as a number where it is one
 */
#include "kv/chain.h"
#include "base/json_writer.h"
#include "softfp8/scalar.h"

/* "key": {"word": "41333333", "value": 11.2} */
static void put_word(json_writer *j, const char *key, uint32_t word)
{
    char text[48];
    jw_begin(j, key, '{');
    jw_hex(j, "word", word, 8);
    jw_number(j, "value", sf8_f32_magnitude(word) >= SF8_F32_INF ? NULL : chain_number(word, text));
    jw_end(j);
}

static void put_word_below(json_writer *j, const char *key, uint32_t word)
{
    put_word(jw_space(j, "\n   "), key, word);
}

static void put_stored(json_writer *j, const char *key, chain_stored s)
{
    jw_begin(j, key, '{');
    jw_hex(j, "code", s.code, 2);
    put_word(j, "quotient", s.quotient);
    put_word(j, "read", s.value);
    jw_end(j);
}

static void put_scale(json_writer *j, const chain *c)
{
    chain_scales s = chain_scales_of(c->amax);
    put_word(j, "amax", c->amax);
    put_word_below(j, "scale", s.scale);
    put_word(j, "scale_by_reciprocal", s.product);
    put_word(j, "v_scale", s.v_scale);
    put_stored(j, "largest", chain_store(c->amax, s.scale, 0));
    put_stored(j, "largest_by_reciprocal", chain_store(c->amax, s.product, 0));
}

static void put_values(json_writer *j, const chain *c)
{
    uint32_t scale = chain_scales_of(c->amax).scale;
    put_word(j, "largest", sf8_f32_mul(0x43e00000, scale));
    jw_begin(jw_space(j, "\n   "), "values", '[');
    for (size_t i = 0; i < c->n; i++) {
        jw_begin(jw_space(j, "\n    "), NULL, '{');
        put_word(j, "x", c->value[i]);
        put_stored(j, "satfinite", chain_store(c->value[i], scale, 0));
        put_stored(j, "nosat", chain_store(c->value[i], scale, 1));
        jw_end(j);
    }
    jw_end(j);
}

static void put_identical(json_writer *j, const chain *c)
{
    uint32_t scale = chain_scales_of(c->amax).scale, most = sf8_f32_mul(0x43e00000, scale);
    size_t same = 0, nan = 0;
    for (size_t i = 0; i < c->n; i++) {
        same += chain_store(c->value[i], scale, 0).value == most;
        nan += sf8_f32_is_nan(chain_store(c->value[i], scale, 1).value);
    }
    jw_unsigned(j, "values", c->n);
    jw_unsigned(j, "satfinite_largest", same);
    jw_unsigned(j, "nosat_nan", nan);
}

/* The variance of equal values by every order, for several counts of them. */
static void put_variances(json_writer *j, uint32_t x)
{
    jw_begin(jw_space(j, "\n   "), "variances", '[');
    for (int i = 0; i < CHAIN_NORMS; i++) {
        for (int k = 0; k < CHAIN_SIZES; k++) {
            sf8_moments m = chain_variance(&chain_norms[i], x, chain_sizes[k]);
            uint32_t v = chain_divisor(&chain_norms[i], m);
            jw_begin(jw_space(j, "\n    "), NULL, '{');
            jw_text(j, "order", chain_norms[i].name);
            jw_unsigned(j, "n", chain_sizes[k]);
            put_word(j, "variance", v);
            jw_signed(j, "lost", chain_lost(v));
            jw_end(j);
        }
    }
    jw_end(j);
}

static void put_scan(json_writer *j)
{
    chain_scan s = chain_scan_all();
    jw_begin(jw_space(j, "\n   "), "scan", '{');
    jw_unsigned(j, "numbers", s.numbers);
    jw_unsigned(j, "negative", s.negative);
    put_word(j, "least", s.least);
    jw_begin(j, "lost", '[');
    for (int i = 0; i < 3; i++)
        jw_unsigned(j, NULL, s.lost[i]);
    jw_end(j);
    jw_end(j);
}

static void put_norms(json_writer *j, const chain *c)
{
    const chain_norm *norm = &chain_norms[c->norm];
    uint32_t x = sf8_f32_mul(0x43e00000, chain_scales_of(c->amax).scale);
    uint32_t read[CHAIN_MOST];
    for (size_t i = 0; i < c->n; i++)
        read[i] = chain_store(c->value[i], chain_scales_of(c->amax).scale, 0).value;
    uint32_t here = chain_divisor(norm, chain_variance_of(norm, read, c->n));
    int of, numbers, found = chain_claimed_variance(x, &of, &numbers);
    put_word(j, "x", x);
    jw_text(j, "order", norm->name);
    jw_unsigned(j, "n", c->n);
    put_word_below(j, "eps", c->eps);
    put_word(j, "variance", here);
    put_word(j, "rstd", sf8_f32_rstd(here, c->eps));
    put_variances(j, x);
    jw_begin(jw_space(j, "\n   "), "claimed_variance", '{');
    jw_signed(j, "found", found);
    jw_signed(j, "of", of);
    jw_signed(j, "numbers", numbers);
    jw_end(j);
    put_scan(j);
}

/* More about the rows: masks, two parts, a NaN in V. `m` and `clean` are changed. */
static void put_attention_details(json_writer *j, chain_model *m, chain_model *clean)
{
    chain_parts parts = chain_in_parts(m);
    uint32_t masked = chain_masked(m), last = m->out[3][0];
    int same = chain_same_rows(m, clean);
    put_word_below(j, "masked_by_addition", masked);
    put_word(j, "residual", sf8_f32_add(SF8_F32_ONE, last));
    chain_attend(m, 1);
    jw_begin(jw_space(j, "\n   "), "earlier_rows_same", '{');
    jw_bool(j, "multiplied", same);
    jw_bool(j, "skipped", chain_same_rows(m, clean));
    jw_end(j);
    jw_begin(jw_space(j, "\n   "), "two_parts", '{');
    put_word(j, "out_0", parts.out);
    put_word(j, "lse", parts.lse);
    put_word(j, "multiplied", parts.merged);
    jw_end(j);
    chain_value_nan v = chain_nan_in_v(clean);
    jw_begin(jw_space(j, "\n   "), "nan_in_v", '{');
    put_word(j, "multiplied", v.multiplied);
    put_word(j, "skipped", v.skipped);
    jw_bool(j, "other_channels_nan", v.others);
    jw_end(j);
}

static void put_row(json_writer *j, const chain_model *m, size_t i)
{
    jw_begin(jw_space(j, "\n    "), NULL, '{');
    put_word(j, "most", m->row[i].most);
    put_word(j, "lse", m->row[i].lse);
    put_word(j, "sum", m->row[i].sum);
    for (size_t k = 0; k < CHAIN_TOKENS; k++) {
        char weight[16] = "weight_0", score[16] = "score_0";
        weight[7] = score[6] = (char)('0' + k);
        put_word(j, score, m->score[i][k]);
        put_word(j, weight, m->weight[i][k]);
    }
    put_word(j, "out_0", m->out[i][0]);
    jw_end(j);
}

static void put_attention(json_writer *j, const chain *c)
{
    static chain_model m, clean;
    chain_two_models(c, &m, &clean);
    jw_begin(j, "rows", '[');
    for (size_t i = 0; i < CHAIN_TOKENS; i++)
        put_row(j, &m, i);
    jw_end(j);
    put_attention_details(j, &m, &clean);
}

static void put_cache(json_writer *j, const chain *c)
{
    static chain_model m, clean;
    chain_stored nan = chain_store(SF8_F32_NAN, chain_scales_of(c->amax).scale, 0);
    uint32_t multiplied, skipped, clamped = chain_clamped_nan();
    chain_two_models(c, &m, &clean);
    jw_hex(j, "code_of_nan", nan.code, 2);
    jw_hex(j, "code_of_nan_clamped", sf8_core_convert(SF8_E4M3, SF8_F32, clamped, SF8_OCP, 0).code,
           2);
    put_word(j, "prefix_hit", m.out[3][0]);
    put_word_below(j, "prefix_hit_clean", clean.out[3][0]);
    chain_slot_reuse(&m, &clean, &multiplied, &skipped);
    put_word(j, "slot_multiplied", multiplied);
    put_word(j, "slot_skipped", skipped);
}

static void put_argmax_of(json_writer *j, const char *key, const uint32_t list[3])
{
    jw_begin(j, key, '{');
    jw_unsigned(j, "torch", sf8_f32_argmax(list, 3));
    jw_unsigned(j, "greater", sf8_f32_argmax_greater(list, 3, 0));
    jw_end(j);
}

static void put_argmax(json_writer *j, const chain *c)
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
    put_argmax_of(j, "all_nan", all);
    put_argmax_of(j, "5_nan_7", middle);
    jw_unsigned(jw_space(j, "\n   "), "logits", CHAIN_VOCABULARY);
    jw_unsigned(j, "logits_nan", nan);
    jw_unsigned(j, "token", sf8_f32_argmax(logit, CHAIN_VOCABULARY));
    jw_text(j, "tokens", chain_text(&m, 3, text));
}

static void put_way(json_writer *j, const chain *c, const chain_way *way)
{
    static chain_model m;
    const chain_norm *norm = &chain_norms[c->norm];
    uint32_t read[CHAIN_MOST];
    char text[CHAIN_MOST + 1];
    size_t nan;
    chain_fill(&m, c, way, read);
    chain_attend(&m, 0);
    double worst = chain_worst(c, read, &nan);
    jw_begin(jw_space(j, "\n    "), NULL, '{');
    jw_text(j, "name", way->name);
    jw_text(j, "tokens", chain_text(&m, CHAIN_TOKENS - 1, text));
    jw_unsigned(j, "nan", nan);
    if (nan < c->n)
        jw_real(j, "worst_error_percent", worst, 9);
    put_word(j, "variance", chain_divisor(norm, chain_variance_of(norm, read, c->n)));
    jw_begin(jw_space(j, "\n     "), "read", '[');
    for (size_t i = 0; i < c->n; i++)
        jw_hex(j, NULL, read[i], 8);
    jw_end(j);
    jw_end(j);
}

static void put_ways(json_writer *j, const chain *c)
{
    jw_begin(j, "ways", '[');
    for (int i = 0; i < CHAIN_WAYS; i++)
        put_way(j, c, &chain_ways[i]);
    jw_end(j);
}

void chain_json(output *out, const chain *c, int link)
{
    static const struct {
        const char *name;
        void (*put)(json_writer *, const chain *);
    } links[CHAIN_LINKS] = {
        {"scale", put_scale},    {"stored", put_values},       {"identical", put_identical},
        {"variance", put_norms}, {"attention", put_attention}, {"cache", put_cache},
        {"argmax", put_argmax},  {"cures", put_ways},
    };
    json_writer j = {.put = output_put, .context = out};
    jw_begin(&j, NULL, '{');
    jw_text(&j, "policy", c->nosat ? "nosat" : "satfinite");
    for (int i = 0; i < CHAIN_LINKS; i++) {
        if (link && link != i + 1)
            continue;
        jw_begin(jw_space(&j, "\n "), links[i].name, '{');
        links[i].put(&j, c);
        jw_end(&j);
    }
    jw_end(&j);
}
