/* SPDX-License-Identifier: MIT */
/* chain.c -- softfp8 kv chain: from one locked scale to "!!!!!!", link by link */
#include "kv/chain.h"
#include "kv/kv.h"
#include "softfp8/scalar.h"

#include <string.h>

static const char help[] =
    "softfp8 kv chain [--values A,V,V,...] [--policy P] [--order O] [options]\n"
    "\n"
    "How one scale that an early request fixed may end in an answer of \"!!!!!!\":\n"
    "every link computed bit for bit, what is told of it and is not so, the cures.\n"
    "\n"
    "  1 the scale   2 later values are clipped   3 all are the same   4 a variance\n"
    "  below 0   5 NaN through attention   6 in the cache   7 argmax   8 the cures\n"
    "\n"
    "  --values A,V,V,...  amax of the first request, then 2 to 64 values of a later\n"
    "                      one, each from 0.001 to 100;\n"
    "                      5,15.3,18.7,12.1,19.5,16.8,20,14.2,17.9\n"
    "  --policy P          the cast to the cache: satfinite, or nosat: NaN\n"
    "  --order O           of the variance: sequential, warp, block, tree, each\n"
    "                      also with -fma for the last step, welford, rms; tree-fma\n"
    "  --eps E             of the norm, from 0 to 1; 1e-12\n"
    "  --link N            one link alone, 1 to 8\n"
    "  --json              the same as JSON\n"
    "  -o FILE             the output; it appears when it is complete, or not at all\n"
    "\n"
    "  softfp8 kv chain --link 8\n"
    "  softfp8 kv chain --policy nosat --values 5,12,13,14 --link 5\n";

static const char usual[] = "5,15.3,18.7,12.1,19.5,16.8,20,14.2,17.9";

/* The word of a number of text[0 .. length) between both, or fail. */
static uint32_t number_of(const char *option, const char *text, size_t length, uint32_t least,
                          uint32_t most, const char *expected)
{
    char copy[64];
    sf8_result r = {0, 0};
    int bad = length == 0 || length >= sizeof copy;
    if (!bad) {
        memcpy(copy, text, length);
        copy[length] = '\0';
        bad = sf8_from_text(SF8_F32, copy, SF8_OCP_NOSAT, &r, NULL) != SF8_OK ||
              sf8_f32_is_nan((uint32_t)r.code) ||
              sf8_f32_order((uint32_t)r.code) < sf8_f32_order(least) ||
              sf8_f32_order((uint32_t)r.code) > sf8_f32_order(most);
    }
    if (bad)
        fail("%s '%.*s': expected %s", option, (int)(length < 40 ? length : 40), text, expected);
    return (uint32_t)r.code;
}

static void read_values(chain *c, const char *text)
{
    size_t count = 0;
    for (;; count++) {
        size_t length = strcspn(text, ",");
        if (count > CHAIN_MOST)
            fail("--values: more than %d later values", CHAIN_MOST);
        uint32_t word = number_of("--values", text, length, chain_word("0.001"), chain_word("100"),
                                  "a number from 0.001 to 100");
        if (count == 0)
            c->amax = word;
        else
            c->value[count - 1] = word;
        if (!text[length])
            break;
        text += length + 1;
    }
    if (count < 2)
        fail("--values: expected amax of the first request and 2 later values or more");
    c->n = count;
}

static int run(int argc, char **argv)
{
    static const char *const policies[] = {"satfinite", "nosat", NULL};
    const char *orders[CHAIN_NORMS + 1] = {NULL}, *path = NULL;
    chain c = {.eps_text = "1e-12"};
    int link = 0, json = 0;
    for (int i = 0; i < CHAIN_NORMS; i++)
        orders[i] = chain_norms[i].name;
    c.norm = CHAIN_TREE_FMA;
    read_values(&c, usual);
    arguments a = arguments_of(argc, argv);
    while (arguments_next(&a)) {
        if (argument_is(&a, "values"))
            read_values(&c, argument_value(&a));
        else if (argument_is(&a, "policy"))
            c.nosat = argument_word(&a, policies);
        else if (argument_is(&a, "order"))
            c.norm = argument_word(&a, orders);
        else if (argument_is(&a, "eps"))
            c.eps_text = argument_value(&a);
        else if (argument_is(&a, "link"))
            link = (int)argument_number(&a, 1, CHAIN_LINKS);
        else if (argument_flag(&a, "json"))
            json = 1;
        else if (argument_is(&a, "o") || argument_is(&a, "output"))
            path = argument_value(&a);
        else if (argument_help(&a, &kv_chain))
            continue;
        else if (a.option)
            argument_unknown(&a);
        else
            fail("too much: '%s'", a.text);
    }
    c.eps = number_of("--eps", c.eps_text, strlen(c.eps_text), 0, SF8_F32_ONE,
                      "a number from 0 to 1");
    output *out = output_open(path);
    if (json)
        chain_json(out, &c, link);
    else
        chain_print(out, &c, link);
    output_close(out);
    return STATUS_HELD;
}

const command kv_chain = {"kv chain", "from one locked scale to \"!!!!!!\"", help, run};
