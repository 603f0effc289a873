/* SPDX-License-Identifier: MIT */
/* explain.c -- softfp8 explain: why a value gives the code it gives */
#include "cli/options.h"
#include "explain/explain.h"
#include "files/testfloat.h"
#include "recipes/recipes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- values ---------------------------------------------------------------------------------- */

/* Says where `text` stops to be what it should be. */
static _Noreturn void fail_text(const char *text, const char *what, size_t at)
{
    if (text[at])
        fail("'%s': expected %s, found '%c' at offset %zu", text, what, text[at], at);
    fail("'%s': expected %s, but it ends at offset %zu", text, what, at);
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
        fail_text(text, "hexadecimal digits", at);
    if (too_wide || (bits < 64 && word >> bits))
        fail("'%s': too wide; %s has %d bits", text, of, bits);
    return word;
}

/* ---- the command ----------------------------------------------------------------------------- */

enum { GIVEN = 512 };

typedef struct explain_options {
    question q;
    block_question block;
    int json, random;
    char **values;
    int count;
    const char *function_name; /* as it was given; or NULL */
    sf8_function function;
    char to_name[SF8_NAME_SIZE], from_name[SF8_NAME_SIZE]; /* of its formats */
} explain_options;

static void take_random(void *place, const cli_option *o, const char *value)
{
    explain_options *e = place;
    (void)o;
    e->q.random = (uint32_t)read_word(value, "the random word", 32);
    e->random = 1;
}

static const cli_option options[] = {
    HEADING("The conversion"),
    {"--to", "FORMAT", "the target format, for example e4m3 ('softfp8 formats' lists all)",
     FORMAT(explain_options, q.to_name)},
    {"--from", "FORMAT",
     "first rounds the number to this format, to nearest even. Without it the number is rounded "
     "once, directly to the target. With --recipe: f32 (the default), bf16 or f16",
     FORMAT(explain_options, q.from_name)},
    {"--as-codes", NULL, "the values are hexadecimal codes of the --from format",
     FLAG(explain_options, q.codes)},
    {"--random", "HEX",
     "the random number for --round sr, of which the low sr_bits bits count: 16, unless --set "
     "sr_bits=N changes that. Default: 0",
     .kind = OPTION_CALL, .take = take_random},
    {"--json", NULL, "writes JSON, one object per line and value", FLAG(explain_options, json)},
    GROUP(explain_options, q.choice, policy_options),
    HEADING("A block that shares a scale"),
    {"--recipe", "NAME",
     "quantizes the values as a row of blocks by this recipe ('softfp8 recipes' lists all)",
     TEXT(explain_options, block.recipe), .name_at = recipe_name_at},
    {"--global-scale", "G",
     "the recipe's global scale: a number, the 8 hexadecimal digits of its f32 bits, or auto",
     TEXT(explain_options, block.g)},
    {"--at", "I", "only element I, counted from 0, with each step of its arithmetic",
     NUMBER(explain_options, block.at, 0, INT32_MAX)},
    {.kind = OPTION_END},
};

static explain_options options_of(int argc, char **argv)
{
    explain_options o;
    memset(&o, 0, sizeof o);
    o.block.at = -1;
    o.values = argv;
    o.count = (int)options_read(&command_explain, argc, argv, &o);
    if (o.q.to_name)
        o.q.to = format_of_name(o.q.to_name);
    if (o.q.from_name)
        o.q.from = format_of_name(o.q.from_name);
    return o;
}

/* The options of --recipe, and no others; the values are those of the command. */
static void settle_block(explain_options *o)
{
    const question *q = &o->q;
    block_question *b = &o->block;
    if (o->count == 0)
        fail("no VALUE given; expected numbers such as 500, 1e-3, nan");
    if (q->to_name || q->codes || o->json || o->random || q->choice.name || q->choice.changes)
        fail("--recipe can be combined only with --global-scale, --at and --from");
    if (q->from_name && strcmp(q->from_name, "f32") != 0 && strcmp(q->from_name, "bf16") != 0 &&
        strcmp(q->from_name, "f16") != 0)
        fail("--from %s: with --recipe expected f32, bf16 or f16", q->from_name);
    for (int i = 0; i < o->count; i++)
        check_text(o->values[i]);
    b->from = q->from_name;
    b->values = o->values;
    b->count = o->count;
}

/* The first value is a function, which names the formats; the others are its operands. */
static void take_function(explain_options *o)
{
    question *q = &o->q;
    sf8_function *f = &o->function;
    *f = testfloat_function(o->values[0]);
    if (q->from_name || q->codes)
        fail("--from and --as-codes cannot be combined with a FUNCTION: '%s'", o->values[0]);
    if (f->op != SF8_OP_CONVERT && (!is_explained(f->op) || strstr(f->name, "_to_")))
        fail("%s: expected a conversion between formats, or add, sub, mul, div, sqrt or fma "
             "without _to_FORMAT",
             o->values[0]);
    o->function_name = o->values[0];
    o->values++;
    o->count--;
    q->to = f->result.format;
    q->to_name = o->to_name;
    if (f->op == SF8_OP_CONVERT) {
        const char *to = strstr(f->name, "_to_");
        snprintf(o->from_name, sizeof o->from_name, "%.*s", (int)(to - f->name), f->name);
        snprintf(o->to_name, sizeof o->to_name, "%s", to + 4);
        q->from = f->operand[0].format;
        q->from_name = o->from_name;
        q->codes = 1;
    } else {
        const char *op = strrchr(f->name, '_');
        snprintf(o->to_name, sizeof o->to_name, "%.*s", (int)(op - f->name), f->name);
        q->from = q->to;
        q->function = f;
    }
    if (o->count == 0 || o->count % f->operands != 0)
        fail("%s: expected %d hexadecimal code%s for each result, found %d", o->function_name,
             f->operands, f->operands > 1 ? "s" : "", o->count);
}

static void settle(explain_options *o)
{
    question *q = &o->q;
    if (o->block.g || o->block.at >= 0)
        fail("--global-scale and --at need --recipe NAME");
    if (!q->to_name && o->count > 0 && strchr(o->values[0], '_'))
        take_function(o);
    if (!q->to_name)
        fail("--to FORMAT, --recipe NAME or a FUNCTION such as e4m3_mul is missing");
    if (o->count == 0)
        fail("no VALUE given; expected numbers such as 500, 1e-3, nan");
    if (q->codes && !q->from_name)
        fail("--as-codes needs --from FORMAT, the format of the codes");
    q->policy = policy_resolve(&q->choice, q->to, q->from_name || q->function ? q->from : SF8_F32,
                               &q->policy_name);
    if (q->function)
        testfloat_check_via(q->function, q->policy, q->policy_name);
    if (!q->from_name && !q->function && policy_source(q->policy)) {
        q->from_name = policy_source(q->policy);
        q->from = format_of_name(q->from_name);
    }
    if (o->random && q->policy.round != SF8_SR)
        fail("--random has an effect only with stochastic rounding: --round sr");
    for (int i = 0; i < q->choice.changes; i++)
        q->round_given |= strcmp(q->choice.change[i].field, "round") == 0;
    if (q->policy.round == SF8_SR && q->to.man_bits > 40 && q->policy.sr_bits > 6)
        fail("stochastic rounding to %s needs --set sr_bits=6 or less", q->to_name);
}

/* The words of the values, and whether they are good text. */
static uint64_t *read_values(const explain_options *o)
{
    const question *q = &o->q;
    uint64_t *words = allocate((size_t)o->count, sizeof words[0]);
    for (int i = 0; i < o->count; i++) {
        if (q->function)
            words[i] = read_word(o->values[i], q->to_name, sf8_format_bits(q->to));
        else if (q->codes)
            words[i] = read_word(o->values[i], q->from_name, sf8_format_bits(q->from));
        else
            check_text(o->values[i]);
    }
    return words;
}

/* "e4m3_mul 38 3c", or the value alone. */
static const char *given_of(const explain_options *o, int i, char text[GIVEN])
{
    if (!o->q.function)
        return o->values[i];
    size_t used = (size_t)snprintf(text, GIVEN, "%s", o->function_name);
    for (int k = 0; k < o->function.operands && used < GIVEN; k++)
        used += (size_t)snprintf(text + used, GIVEN - used, " %s", o->values[i + k]);
    return text;
}

static int run(int argc, char **argv)
{
    static explain_options o;
    o = options_of(argc, argv);
    if (o.block.recipe) {
        settle_block(&o);
        explain_blocks(&o.block);
        return STATUS_HELD;
    }
    settle(&o);
    uint64_t *words = read_values(&o);
    output *out = output_open(NULL);
    int step = o.q.function ? o.function.operands : 1;
    for (int i = 0; i < o.count; i += step) {
        char given[GIVEN];
        answer a = answer_of(&o.q, given_of(&o, i, given), &words[i]);
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
    return STATUS_HELD;
}

const command command_explain = {
    .name = "explain",
    .purpose = "Explains, rule by rule, why a value or an operation gives a code.",
    .example = "  $ softfp8 explain --to e4m3 464\n"
               "  464 -> e4m3 7e = 448  (policy ocp)\n"
               "    ...\n"
               "    midpoint  464: the value is exactly there\n"
               "    rule      round=rne: a tie goes to the even code: 7e = 448\n"
               "    ...\n",
    .usage = "explain --to FORMAT [options] VALUE...\n"
             "explain [options] FUNCTION OPERAND...\n"
             "explain --recipe NAME [--global-scale G] [options] VALUE...",
    .about =
        "A VALUE is a number: 500, 1e-3, 0x1.8p-3, inf, nan, -nan, -0. The answer shows the "
        "neighbouring values of the target and their midpoint, the rules that decide, the flags, "
        "and what the other policies for these formats give. A policy that is meant for one source "
        "format is listed only if --from names that format. If an option sets the rounding, the "
        "other policies are shown with that rounding too.\n"
        "A FUNCTION is named as for 'softfp8 gen': FORMAT_add, FORMAT_sub, FORMAT_mul, FORMAT_div, "
        "FORMAT_sqrt, FORMAT_fma, or a conversion such as f32_to_e4m3. Its operands are "
        "hexadecimal codes. The answer then begins with the operands and the exact result, and "
        "gives the reason for each flag. More operands give more answers.\n"
        "With --recipe the values are a row of elements, and the answer shows how the recipe "
        "quantizes them, block by block: the largest magnitude, each step of the arithmetic with "
        "its f32 bits, and why the scale was rounded as it was. For each element it shows the "
        "code, the value that is read back, the error, and whether it was a tie or saturated. Then "
        "it lists where other recipes with such elements and blocks differ. A recipe that "
        "multiplies by its global scale where this one divides gets the inverse.",
    .more = "  $ softfp8 explain e4m3_mul 38 3c\n"
            "  $ softfp8 explain e5m2_fma 3c 01 80 --round rz\n",
    .options = options,
    .operands = "VALUE",
    .operands_most = OPERANDS_ANY,
    .run = run,
};
