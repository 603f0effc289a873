/* SPDX-License-Identifier: MIT */
/* chain_nan.c -- links 5 to 7 of the chain as text: attention, the cache, argmax */
#include "kv/chain.h"
#include "softfp8/scalar.h"

#include <string.h>

static const char *same_rows(const chain_model *a, const chain_model *b)
{
    return chain_same_rows(a, b) ? "are the same" : "differ";
}

static void print_rows(output *out, const chain_model *m)
{
    output_print(out,
                 "   query  scores of keys 0 to 3                    max (fmaxf)  weight of 2  "
                 "lse        out[0]\n");
    for (size_t i = 0; i < CHAIN_TOKENS; i++) {
        char a[48], b[48], d[48], e[48];
        output_print(out, "   %-5zu ", i);
        for (size_t j = 0; j < CHAIN_TOKENS; j++)
            output_print(out, " %-9s", chain_short(m->score[i][j], a));
        output_print(out, " %-11s  %-11s  %-9s  %s\n", chain_short(m->row[i].most, a),
                     chain_short(m->weight[i][CHAIN_POISONED], b), chain_short(m->row[i].lse, d),
                     chain_short(m->out[i][0], e));
    }
}

static void print_value_nan(output *out, chain_model *clean)
{
    char a[48], b[48];
    chain_value_nan r = chain_nan_in_v(clean);
    output_print(
        out,
        "   a NaN in V    channel 0 of token 2, keys clean: query 0 gives it the weight 0, "
        "and gets %s\n"
        "                 where 0 is multiplied, %s where it is skipped; other channels "
        "%s\n",
        chain_short(r.multiplied, a), chain_short(r.skipped, b),
        r.others ? "NaN too" : "are clean");
}

static void print_parts(output *out, const chain_model *m)
{
    char a[48], b[48], d[48];
    chain_parts r = chain_in_parts(m);
    output_print(
        out,
        "   in two parts  FlashAttention-3, as its source reads, stores lse -inf where the sum "
        "is NaN,\n"
        "                 and its combine leaves such a part out: query 3 gets %s from "
        "keys 0 and 1,\n"
        "                 lse %s: finite, and wrong. vLLM's merge_attn_states multiplies it "
        "by the\n"
        "                 weight 0: %s\n",
        chain_short(r.out, a), chain_short(r.lse, b), chain_short(r.merged, d));
}

void chain_print_attention(output *out, const chain *c)
{
    static chain_model m, clean;
    char a[48], b[48];
    chain_two_models(c, &m, &clean);
    int poisoned = chain_has_nan(m.k[CHAIN_POISONED], c->n);
    output_print(out, "5  NaN through attention, where key 2 is %s\n",
                 c->nosat ? "as the cast without saturation stored it"
                          : "what the norm of link 4 gives, as told");
    if (!poisoned)
        output_print(out, "   it is finite: with this order and eps the chain ends here\n");
    print_rows(out, &m);
    const char *multiplied = same_rows(&m, &clean);
    chain_attend(&m, 1);
    output_print(
        out,
        "   earlier rows  queries 0 and 1 do not see token 2. Their bits, beside those with "
        "a clean one,\n"
        "                 %s where a weight of 0 is multiplied, %s where it is skipped\n",
        multiplied, same_rows(&m, &clean));
    chain_attend(&m, 0);
    if (poisoned) {
        uint32_t masked = chain_masked(&m);
        output_print(
            out,
            "   the mask      added, NaN + -inf = %s reaches queries 0 and 1; selected, it "
            "is -inf\n"
            "   the maximum   fmaxf passes over NaN: %s of query 3 is finite, its sum is "
            "%s\n",
            chain_short(masked, a), chain_short(m.row[3].most, b),
            sf8_f32_is_nan(m.row[3].sum) ? "NaN" : "finite");
        print_parts(out, &m);
    }
    print_value_nan(out, &clean);
    output_print(out, "   residual      1 + %s = %s, and so in every layer above\n",
                 chain_short(m.out[3][0], a),
                 chain_short(sf8_f32_add(SF8_F32_ONE, m.out[3][0]), b));
}

/* ---- 6 --------------------------------------------------------------------------------------- */

/* 1 - (1 - codes / 256)^n, in percent. */
static double chance(double codes, int n)
{
    double clean = 1;
    for (int i = 0; i < n; i++)
        clean *= 1 - codes / 256;
    return 100 * (1 - clean);
}

/* How many codes of a format are no finite numbers. */
static int specials(sf8_format f)
{
    int count = 0;
    for (uint64_t code = 0; code < 256; code++)
        count += sf8_is_special(f, code) != 0;
    return count;
}

void chain_print_cache(output *out, const chain *c)
{
    static chain_model m, clean;
    uint32_t scale = chain_scales_of(c->amax).scale;
    chain_stored nan = chain_store(SF8_F32_NAN, scale, 0);
    uint32_t clamped = chain_clamped_nan();
    char a[48], b[48];
    chain_two_models(c, &m, &clean);
    output_print(out, "6  it stays in the cache\n"
                      "   above         the layers above compute K and V of token 2 from what is "
                      "left of it\n");
    output_print(
        out,
        "   stored        NaN by division and cast %02x, which is read as %s; where a clamp "
        "comes first\n"
        "                 %02x, which is %s\n",
        (unsigned)nan.code, chain_short(nan.value, a),
        (unsigned)sf8_core_convert(SF8_E4M3, SF8_F32, clamped, SF8_OCP, 0).code,
        chain_number(clamped, b));
    output_print(out,
                 "   prefix hit    a later request over the same four tokens: out[0] %s; with a "
                 "clean token 2 %s\n",
                 chain_short(m.out[3][0], a), chain_short(clean.out[3][0], b));
    uint32_t multiplied, skipped;
    chain_slot_reuse(&m, &clean, &multiplied, &skipped);
    output_print(out,
                 "   slot reuse    a freed block, two of its four slots written anew, the others "
                 "masked: out[0] %s\n"
                 "                 where a weight of 0 is multiplied, %s where it is skipped\n",
                 chain_short(multiplied, a), chain_short(skipped, b));
    output_print(out,
                 "   unwritten     of 256 codes %d of e4m3, %d of e5m2 and %d of e2m1 are no "
                 "numbers: 128 random bytes\n"
                 "                 have one with %.1f %%, %.1f %%, 0 %%\n",
                 specials(SF8_E4M3), specials(SF8_E5M2), 0, chance(specials(SF8_E4M3), 128),
                 chance(specials(SF8_E5M2), 128));
    output_print(out, "   told          all later requests are lost. Only those that share the "
                      "prefix, take over an\n"
                      "                 unwritten slot, or use a scale that is itself NaN\n");
}

/* ---- 7 --------------------------------------------------------------------------------------- */

static void print_pair(output *out, const char *what, const uint32_t *x, size_t n)
{
    size_t none = sf8_f32_argmax_greater(x, n, SIZE_MAX);
    output_print(out, "   %-13s by torch %zu; by if (x > best) from index 0 %zu, from -1 ", what,
                 sf8_f32_argmax(x, n), sf8_f32_argmax_greater(x, n, 0));
    output_print(out, none == SIZE_MAX ? "-1\n" : "%zu\n", none);
}

void chain_print_argmax(output *out, const chain *c)
{
    static const uint32_t middle[3] = {0x40a00000, SF8_F32_NAN, 0x40e00000};
    static const uint32_t all[3] = {SF8_F32_NAN, SF8_F32_NAN, SF8_F32_NAN};
    static const uint32_t equal[3] = {0x40a00000, 0x40a00000, 0x40a00000};
    static chain_model m, clean;
    uint32_t logit[CHAIN_VOCABULARY];
    char text[CHAIN_MOST + 1];
    size_t nan = 0;
    chain_two_models(c, &m, &clean);
    chain_logits(logit, m.out[3][0]);
    for (size_t t = 0; t < CHAIN_VOCABULARY; t++)
        nan += sf8_f32_is_nan(logit[t]);
    output_print(out, "7  argmax; NaN is above every number in PyTorch and NumPy\n");
    print_pair(out, "[NaN NaN NaN]", all, 3);
    print_pair(out, "[5 NaN 7]", middle, 3);
    print_pair(out, "[5 5 5]", equal, 3);
    output_print(out, "   the logits    %zu of %d are NaN: token %zu; all steps \"%s\"\n", nan,
                 CHAIN_VOCABULARY, sf8_f32_argmax(logit, CHAIN_VOCABULARY),
                 chain_text(&m, 3, text));
    output_print(
        out, "   token 0       is \"!\" in the vocabularies of GPT-2, Qwen and Llama 3, <unk> in "
             "Llama 1 and 2\n"
             "   \"!!!!!!\"      so proves that argmax gave 0: logits all NaN, or all equal, and "
             "no more\n");
}
