/* SPDX-License-Identifier: MIT */
/* chain.c -- softfp8 kv chain: how a stale scale ends in "!!!!!!", step by step */
#include "cli/options.h"
#include "kv/chain.h"
#include "kv/kv.h"
#include "softfp8/scalar.h"

#include <string.h>

static const char usual[] = "5,15.3,18.7,12.1,19.5,16.8,20,14.2,17.9";

/* The word of a number of text[0 .. length), if it lies between both: 1 if it does. */
static int number_of(const char *text, size_t length, uint32_t least, uint32_t most, uint32_t *word)
{
    char copy[64];
    sf8_result r = {0, 0};
    if (length == 0 || length >= sizeof copy)
        return 0;
    memcpy(copy, text, length);
    copy[length] = '\0';
    if (sf8_from_text(SF8_F32, copy, SF8_OCP_NOSAT, &r, NULL) != SF8_OK)
        return 0;
    *word = (uint32_t)r.code;
    return !sf8_f32_is_nan(*word) && sf8_f32_order(*word) >= sf8_f32_order(least) &&
           sf8_f32_order(*word) <= sf8_f32_order(most);
}

static void take_values(void *place, const cli_option *o, const char *text)
{
    chain *c = place;
    size_t count = 0;
    (void)o;
    for (;; count++) {
        size_t length = strcspn(text, ",");
        if (count > CHAIN_MOST)
            fail("more than %d later values; expected 2 to %d", CHAIN_MOST, CHAIN_MOST);
        uint32_t word;
        if (!number_of(text, length, chain_word("0.001"), chain_word("100"), &word))
            fail("'%.*s': expected a number from 0.001 to 100", (int)(length < 40 ? length : 40),
                 text);
        if (count == 0)
            c->amax = word;
        else
            c->value[count - 1] = word;
        if (!text[length])
            break;
        text += length + 1;
    }
    if (count < 2)
        fail("expected amax of the first request, then 2 later values or more");
    c->n = count;
}

static void take_eps(void *place, const cli_option *o, const char *text)
{
    chain *c = place;
    (void)o;
    c->eps_text = text;
    if (!number_of(text, strlen(text), 0, SF8_F32_ONE, &c->eps))
        fail("expected a number from 0 to 1");
}

static const char *order_at(size_t i)
{
    return i < CHAIN_NORMS ? chain_norms[i].name : NULL;
}

typedef struct settings {
    chain c;
    int link, json;
    const char *path;
} settings;

static const char *const policies[] = {"satfinite", "nosat", NULL};

static const cli_option options[] = {
    HEADING("The example"),
    {"--requests", "A,V,V,...",
     "A is the largest magnitude (amax) of the first request, which fixes the scale. The others "
     "are 2 to 64 values of a later request. All are from 0.001 to 100. Default: "
     "5,15.3,18.7,12.1,19.5,16.8,20,14.2,17.9",
     CALL(settings, c, take_values)},
    {"--policy", NULL,
     "the cast to the cache. satfinite, the default, clips values that are too large; nosat "
     "stores NaN if |x / scale| is above 464",
     WORD(settings, c.nosat, policies)},
    {"--norm-order", "ORDER",
     "how the layer norm of link 4 sums its variance E[x^2] - E[x]^2: sequential, warp (32 "
     "threads), block (1024 threads) or tree. Each also exists with -fma, as in tree-fma, the "
     "default: then an fma does the subtraction. welford and rms do not subtract",
     .kind = OPTION_WORD, .name_at = order_at, OPTION_AT(settings, c.norm)},
    {"--eps", "E", "the epsilon that the norm adds to the variance, from 0 to 1. Default: 1e-12",
     CALL(settings, c, take_eps)},
    HEADING("The output"),
    {"--link", "N", "shows only link N, from 1 to 8", NUMBER(settings, link, 1, CHAIN_LINKS)},
    {"--json", NULL, "writes JSON; each number also has its f32 bit pattern", FLAG(settings, json)},
    GROUP(settings, path, output_option),
    {.kind = OPTION_END},
};

static int run(int argc, char **argv)
{
    settings s = {.c = {.norm = CHAIN_TREE_FMA}};
    take_values(&s.c, NULL, usual);
    take_eps(&s.c, NULL, "1e-12");
    options_read(&kv_chain, argc, argv, &s);
    output *out = output_open(s.path);
    if (s.json)
        chain_json(out, &s.c, s.link);
    else
        chain_print(out, &s.c, s.link);
    output_close(out);
    return STATUS_HELD;
}

const command kv_chain = {
    .name = "kv chain",
    .purpose = "Shows how a stale scale ends in garbage tokens (\"!!!!!!\"), step by step.",
    .example = "  $ softfp8 kv chain\n",
    .usage = "kv chain [options]",
    .about =
        "An FP8 KV cache whose scale an early request fixed can end in an answer of \"!!!!!!\". "
        "Every link of that chain is computed bit for bit on a small example. For each link the "
        "output states the claim of a popular account of this failure, says what is right where "
        "the claim is wrong, says what happens, and shows the numbers. The links are:\n"
        "  1  The first request fixes the scale.     5  Attention spreads the NaN.\n"
        "  2  Later values meet the fixed scale.     6  It stays in the cache.\n"
        "  3  Different values become one value.     7  argmax of NaN is token 0.\n"
        "  4  A variance below 0 gives NaN.          8  What cures it.\n",
    .more = "  $ softfp8 kv chain --policy nosat --requests 5,12,13,14 --link 5\n",
    .options = options,
    .run = run,
};
