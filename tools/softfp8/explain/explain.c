/* SPDX-License-Identifier: MIT */
/* explain.c -- softfp8 explain: why a value gives the code it gives */
#include "explain/explain.h"

#include <stdlib.h>
#include <string.h>

static const char help[] =
    "softfp8 explain --to FORMAT [options] VALUE...\n"
    "softfp8 explain --recipe NAME [--g G] [--at I] [--from FORMAT] VALUE...\n"
    "\n"
    "Why a value gives the code it gives: its neighbours, the midpoint, the rules\n"
    "that decide, the flags, and what the policies for these formats give.\n"
    "\n"
    "  VALUE             500, 1e-3, 0x1.8p-3, inf, nan, -nan, -0; with --codes the\n"
    "                    hexadecimal word of a number in the format of --from\n"
    "  --to FORMAT       the target, for example e4m3 ('softfp8 formats')\n"
    "  --from FORMAT     round the text to this format first, to nearest even;\n"
    "                    without it the text is rounded once, straight to the target\n"
    "  --codes           the values are words of --from: 8 digits for f32, 5 for tf32\n"
    "  --policy NAME     a policy or product ('softfp8 policies'); without it ocp,\n"
    "                    for formats above 8 bits ocp-nosat\n"
    "  --round M         " SF8_ROUNDING_NAMES "; the other policies round so too\n"
    "  --overflow O      sat clip ieee; --via F: rounded to F first, as --set via=F\n"
    "  --set FIELD=VALUE any other field ('softfp8 policies --fields')\n"
    "  --random HEX      the random word of --round sr; 0 without it\n"
    "  --json            an object a value, each on a line\n"
    "  --recipe NAME     the values are a row of blocks: scale and codes step by step\n"
    "  --g G             its second scale: a number, 8 hexadecimal digits, or auto\n"
    "  --at I            only element I, from 0 on, and all about it\n"
    "\n"
    "$ softfp8 explain --to e4m3 --policy hip-ocp 449\n"
    "449 -> e4m3 7e = 448  (hip-ocp)\n"
    "  ...\n"
    "  rule      round=rne: the nearer, 448\n"
    "            early=yes: compared with 448 before rounding, the value is too large\n"
    "            overflow=max: a finite overflow gives the largest finite number, 448\n"
    "  ...\n";

/* ---- values ---------------------------------------------------------------------------------- */

/* Says where `text` stops to be what it should be. */
static _Noreturn void fail_text(const char *text, const char *what, size_t at)
{
    if (text[at])
        fail("'%s': not %s, because of '%c' at offset %zu", text, what, text[at], at);
    fail("'%s': not %s, because it ends at offset %zu", text, what, at);
}

static void check_text(const char *text)
{
    sf8_result r;
    size_t at;
    if (sf8_from_text(SF8_F64, text, SF8_OCP, &r, &at) != SF8_OK)
        fail_text(text, "a number", at);
}

/* A hexadecimal word of at most `bits` bits, with or without 0x. */
static uint64_t read_word(const char *text, const char *of, int bits)
{
    size_t first = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 2 : 0, at = first;
    uint64_t word = 0;
    int too_wide = 0;
    for (; hex_values[(unsigned char)text[at]] < 16; at++) {
        too_wide |= word >> 60 != 0;
        word = word << 4 | hex_values[(unsigned char)text[at]];
    }
    if (at == first || text[at])
        fail_text(text, "a hexadecimal word", at);
    if (too_wide || (bits < 64 && word >> bits))
        fail("'%s': %s has only %d bits", text, of, bits);
    return word;
}

/* ---- the command ----------------------------------------------------------------------------- */

typedef struct explain_options {
    question q;
    block_question block;
    int json, random;
    char **values;
    int count;
} explain_options;

static int take_option(explain_options *o, arguments *a)
{
    question *q = &o->q;
    if (argument_is(a, "to"))
        q->to = argument_format(a, &q->to_name);
    else if (argument_is(a, "from"))
        q->from = argument_format(a, &q->from_name);
    else if (argument_flag(a, "codes"))
        q->codes = 1;
    else if (argument_flag(a, "json"))
        o->json = 1;
    else if (argument_is(a, "random"))
        q->random = (uint32_t)read_word(argument_value(a), "the random word", 32), o->random = 1;
    else if (argument_is(a, "recipe"))
        o->block.recipe = argument_value(a);
    else if (argument_is(a, "g"))
        o->block.g = argument_value(a);
    else if (argument_is(a, "at"))
        o->block.at = (int64_t)argument_number(a, 0, INT32_MAX);
    else
        return policy_argument(a, &q->choice) || argument_help(a, &command_explain);
    return 1;
}

static explain_options options_of(int argc, char **argv)
{
    explain_options o;
    memset(&o, 0, sizeof o);
    o.block.at = -1;
    o.values = allocate((size_t)argc, sizeof o.values[0]);
    arguments a = arguments_of(argc, argv);
    while (arguments_next(&a)) {
        if (!a.option)
            o.values[o.count++] = argv[a.at];
        else if (!take_option(&o, &a))
            argument_unknown(&a);
    }
    return o;
}

/* The options of --recipe, and no others; the values are those of the command. */
static void settle_block(explain_options *o)
{
    const question *q = &o->q;
    block_question *b = &o->block;
    if (o->count == 0)
        fail("no VALUE");
    if (q->to_name || q->codes || o->json || o->random || q->choice.name || q->choice.changes)
        fail("--recipe takes --g, --at and --from only: the recipe says the rest");
    if (q->from_name && strcmp(q->from_name, "f32") != 0 && strcmp(q->from_name, "bf16") != 0 &&
        strcmp(q->from_name, "f16") != 0)
        fail("--from %s: a recipe is for f32, bf16 and f16", q->from_name);
    for (int i = 0; i < o->count; i++)
        check_text(o->values[i]);
    b->from = q->from_name;
    b->values = o->values;
    b->count = o->count;
}

static void settle(explain_options *o)
{
    question *q = &o->q;
    if (o->block.g || o->block.at >= 0)
        fail("--g and --at are for --recipe NAME");
    if (!q->to_name)
        fail("--to FORMAT, or --recipe NAME, is missing");
    if (o->count == 0)
        fail("no VALUE");
    if (q->codes && !q->from_name)
        fail("--codes needs --from FORMAT");
    q->policy = policy_resolve(&q->choice, q->to, q->from_name ? q->from : SF8_F32,
                               &q->policy_name);
    for (int i = 0; i < q->choice.changes; i++)
        q->round_given |= strcmp(q->choice.change[i].field, "round") == 0;
    if (q->policy.round == SF8_SR && q->to.man_bits > 40 && q->policy.sr_bits > 6)
        fail("stochastic rounding to %s takes --set sr_bits=6 or less", q->to_name);
}

static int run(int argc, char **argv)
{
    explain_options o = options_of(argc, argv);
    if (o.block.recipe) {
        settle_block(&o);
        explain_blocks(&o.block);
        free(o.values);
        return STATUS_HELD;
    }
    settle(&o);
    uint64_t *words = allocate((size_t)o.count, sizeof words[0]);
    for (int i = 0; i < o.count; i++) {
        if (o.q.codes)
            words[i] = read_word(o.values[i], o.q.from_name, sf8_format_bits(o.q.from));
        else
            check_text(o.values[i]);
    }
    output *out = output_open(NULL);
    for (int i = 0; i < o.count; i++) {
        answer a = answer_of(&o.q, o.values[i], words[i]);
        if (o.json) {
            show_json(out, &a);
        } else {
            if (i)
                output_print(out, "\n");
            show_text(out, &a);
        }
    }
    output_close(out);
    free(words);
    free(o.values);
    return STATUS_HELD;
}

const command command_explain = {"explain", "why a value gives the code it gives", help, run};
