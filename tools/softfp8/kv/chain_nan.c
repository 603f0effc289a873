/* SPDX-License-Identifier: MIT */
/* chain_nan.c -- links 5 to 7 of the chain as text: attention, the cache, argmax */
#include "kv/chain.h"
#include "cli/text_table.h"
#include "softfp8/scalar.h"

#include <string.h>

#define SAY(label, ...) text_paragraph(out, "   " label, CHAIN_INDENT, __VA_ARGS__)

/* Whether the rows before the poisoned one are those of a clean model: where a weight of 0 is
 * multiplied with a value, and where that is skipped. */
static void print_earlier_rows(output *out, int multiplied, int skipped)
{
    static const char *const same[] = {"differ", "are the same"};
    if (multiplied == skipped)
        SAY("earlier rows", "Queries 0 and 1 do not see token 2. Compared with a clean token 2, "
                            "their outputs %s, whether a weight of 0 is multiplied with a value or "
                            "skipped.",
            same[multiplied]);
    else
        SAY("earlier rows", "Queries 0 and 1 do not see token 2. Compared with a clean token 2, "
                            "their outputs %s if a weight of 0 is multiplied with a value, and %s "
                            "if it is skipped.",
            same[multiplied], same[skipped]);
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
    SAY("NaN in V", "Suppose that channel 0 of token 2 is NaN in V and that all keys are clean. "
                    "Query 0 gives token 2 the weight 0. Its output is %s where 0 is multiplied, %s where it is "
                    "skipped; other channels %s.",
        chain_short(r.multiplied, a), chain_short(r.skipped, b),
        r.others ? "are NaN too" : "are clean");
}

static void print_parts(output *out, const chain_model *m)
{
    char a[48], b[48], d[48];
    chain_parts r = chain_in_parts(m);
    SAY("in two parts", "FlashAttention-3 (its source was read) stores lse -inf for a part whose "
                        "sum is NaN, and its combine leaves that part out. Query 3 gets %s from "
                        "keys 0 and 1, with lse %s: finite, and wrong. vLLM's merge_attn_states "
                        "multiplies that part by the weight 0: %s.",
        chain_short(r.out, a), chain_short(r.lse, b), chain_short(r.merged, d));
}

static void print_masks(output *out, const chain_model *m)
{
    char a[48], b[48];
    SAY("the mask", "A mask that is added lets it through: NaN + -inf = %s reaches queries 0 and "
                    "1. A mask that selects gives -inf.",
        chain_short(chain_masked(m), a));
    SAY("the maximum", "fmaxf ignores NaN: the maximum of query 3 is %s, but its sum is %s.",
        chain_short(m->row[3].most, b), sf8_f32_is_nan(m->row[3].sum) ? "NaN" : "finite");
}

static void print_attention_claim(output *out, const chain *c, int poisoned)
{
    output_print(out, "5. Attention spreads the NaN.\n");
    SAY("Claim:", "One NaN key makes the output NaN.");
    if (poisoned)
        SAY("True:", "This holds for every query that sees the key.");
    else
        SAY("In fact:", "Key 2 is finite with this order and eps: the chain ends here.");
    SAY("What happens:", c->nosat ? "Key 2 is NaN, as the cast without saturation stored it. Token "
                                    "2 has no norm here."
                                  : "Key 2 is the output of link 4's norm, as the claim has it.");
}

void chain_print_attention(output *out, const chain *c)
{
    static chain_model m, clean;
    char a[48], b[48];
    chain_two_models(c, &m, &clean);
    int poisoned = chain_has_nan(m.k[CHAIN_POISONED], c->n);
    print_attention_claim(out, c, poisoned);
    print_rows(out, &m);
    int multiplied = chain_same_rows(&m, &clean);
    chain_attend(&m, 1);
    print_earlier_rows(out, multiplied, chain_same_rows(&m, &clean));
    chain_attend(&m, 0);
    if (poisoned) {
        print_masks(out, &m);
        print_parts(out, &m);
    }
    print_value_nan(out, &clean);
    SAY("residual", "1 + %s = %s, and so in every layer above.", chain_short(m.out[3][0], a),
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
    output_print(out, "6. It stays in the cache.\n");
    SAY("Claim:", "All later requests are lost.");
    SAY("In fact:", "Only those are lost that share the prefix, take over a slot that was not "
                    "overwritten, or use a scale that is itself NaN.");
    SAY("What happens:", "The layers above compute their K and V of token 2 from this output, and "
                         "store them.");
    SAY("stored", "x / scale and the cast turn NaN into code %02x, which is read as %s. A clamp "
                  "before the cast gives %02x, which is %s.",
        (unsigned)nan.code, chain_short(nan.value, a),
        (unsigned)sf8_core_convert(SF8_E4M3, SF8_F32, clamped, SF8_OCP, 0).code,
        chain_number(clamped, b));
    SAY("prefix hit", "A later request over the same four tokens gets out[0] %s. With a clean token "
                      "2 it gets %s.",
        chain_short(m.out[3][0], a), chain_short(clean.out[3][0], b));
    uint32_t multiplied, skipped;
    chain_slot_reuse(&m, &clean, &multiplied, &skipped);
    SAY("slot reuse", "A freed block gets a new owner, who overwrites two of its four slots and "
                      "masks the others. out[0] is %s where a weight of 0 is multiplied, %s where "
                      "it is skipped.",
        chain_short(multiplied, a), chain_short(skipped, b));
    SAY("unwritten", "Of 256 codes, %d of e4m3 and %d of e5m2 are NaN or infinite, and none of "
                     "e2m1. Among 128 random bytes there is such a code with a probability of "
                     "%.1f %%, %.1f %% and 0 %%.",
        specials(SF8_E4M3), specials(SF8_E5M2), chance(specials(SF8_E4M3), 128),
        chance(specials(SF8_E5M2), 128));
}

/* ---- 7 --------------------------------------------------------------------------------------- */

static void print_pair(output *out, const char *what, const uint32_t *x, size_t n)
{
    size_t none = sf8_f32_argmax_greater(x, n, SIZE_MAX);
    output_print(out, "   %-13s %-12zu  %-17zu  ", what, sf8_f32_argmax(x, n),
                 sf8_f32_argmax_greater(x, n, 0));
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
    output_print(out, "7. argmax of NaN is token 0.\n");
    SAY("Claim:", "An output of \"!!!!!!\" proves that the logits are NaN.");
    SAY("In fact:", "It proves only that argmax returned 0: the logits are all NaN, or all equal.");
    SAY("What happens:", "For argmax of PyTorch and NumPy, NaN is above every number. A loop with "
                         "if (x > best) skips it.");
    output_print(out, "   logits        torch.argmax  loop from index 0  loop from index -1\n");
    print_pair(out, "[NaN NaN NaN]", all, 3);
    print_pair(out, "[5 NaN 7]", middle, 3);
    print_pair(out, "[5 5 5]", equal, 3);
    SAY("the logits", "%zu of %d are NaN: token %zu. All steps give \"%s\".", nan, CHAIN_VOCABULARY,
        sf8_f32_argmax(logit, CHAIN_VOCABULARY), chain_text(&m, 3, text));
    SAY("token 0", "is \"!\" in the vocabularies of GPT-2, Qwen and Llama 3, and <unk> in Llama 1 "
                   "and 2.");
}
