/* SPDX-License-Identifier: MIT */
/* explain.c -- softfp8 explain: why a value gives the code it gives */
#include "cli/options.h"
#include "explain/explain.h"
#include "recipes/recipes.h"

#include <stdlib.h>
#include <string.h>

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

static void take_random(void *place, const cli_option *o, const char *value)
{
    explain_options *e = place;
    (void)o;
    e->q.random = (uint32_t)read_word(value, "the random word", 32);
    e->random = 1;
}

static const cli_option options[] = {
    {"--to", "FORMAT", "the target, for example e4m3 ('softfp8 formats' lists them)",
     FORMAT(explain_options, q.to_name)},
    {"--from", "FORMAT",
     "rounds the number to this format first, to nearest even; without it the number is rounded "
     "once, straight to the target. With --recipe f32, bf16 or f16; f32 if not given",
     FORMAT(explain_options, q.from_name)},
    {"--codes", NULL, "the values are codes of --from in hexadecimal: 8 digits for f32, 5 for tf32",
     FLAG(explain_options, q.codes)},
    {"--random", "HEX", "the random word of --round sr; 0 without it", .kind = OPTION_CALL,
     .take = take_random},
    {"--json", NULL, "an object for each value, on a line", FLAG(explain_options, json)},
    GROUP(explain_options, q.choice, policy_options),
    HEADING("Blocks"),
    {"--recipe", "NAME",
     "the values are a row of blocks, quantized by this recipe ('softfp8 recipes' lists them): "
     "scale and codes step by step",
     TEXT(explain_options, block.recipe), .name_at = recipe_name_at},
    {"--g", "G", "its second scale: a number, 8 hexadecimal digits of f32, or auto",
     TEXT(explain_options, block.g)},
    {"--at", "I", "only element I, from 0 on, and each of its steps",
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
    return STATUS_HELD;
}

const command command_explain = {
    .name = "explain",
    .purpose = "Explains why a value gives the code it gives, rule by rule.",
    .example = "  $ softfp8 explain --to e4m3 464\n"
               "  464 -> e4m3 7e = 448  (ocp)\n"
               "    ...\n"
               "    midpoint  464: the value is exactly there\n"
               "    rule      round=rne: a tie goes to the even code: 7e = 448\n"
               "    ...\n",
    .usage = "explain --to FORMAT [options] VALUE...\n"
             "explain --recipe NAME [--g G] [--at I] [--from FORMAT] VALUE...",
    .about =
        "A VALUE is a number: 500, 1e-3, 0x1.8p-3, inf, nan, -nan, -0. It shows the neighbours in "
        "the target and the midpoint, the rules that decide, the flags, and what the policies for "
        "these formats give. A policy for one source format is listed only if --from names that "
        "format. If an option names a rounding, the other policies are shown with that rounding "
        "too.\n"
        "With --recipe the values are a row of elements. It shows how the recipe quantizes it, "
        "block by block: the largest magnitude and which element has it, each step of the "
        "programs with its word of f32, why the scale was rounded as it was; for each element the "
        "word that was converted, its code, the value that is read back, and the error; ties, what "
        "was saturated, and NaN. Then it lists the other recipes with such elements and as long a "
        "block, and where they give another code or scale. A recipe whose second scale is meant "
        "the other way gets the inverse.",
    .options = options,
    .operands = "VALUE",
    .operands_most = OPERANDS_ANY,
    .run = run,
};
