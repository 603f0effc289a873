/* SPDX-License-Identifier: MIT */
/* gen.c -- softfp8 gen: writes cases with their results, or a step table */
#include "files/testfloat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct request {
    testfloat t;
    const char *name;
    int type_operands; /* 0: no number given */
    int steps, count, hash, header, forever;
    uint64_t n;
    const char *prefix, *path;
} request;

/* ---- the functions --------------------------------------------------------------------------- */

static void list_functions(void *place, const cli_option *o, const char *value)
{
    (void)place, (void)o, (void)value;
    output *out = output_open(NULL);
    static const char *const ints[] = {"i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64"};
    for (size_t i = 0; format_name_at(i); i++) {
        char name[SF8_NAME_SIZE];
        sf8_function f;
        const char *op;
        for (size_t k = 0; (op = sf8_function_op_at(k)) != NULL; k++) {
            snprintf(name, sizeof name, "%s_%s", format_name_at(i), op);
            if (sf8_function_named(name, &f) == SF8_OK)
                output_print(out, "%s\n", name);
        }
        for (size_t k = 0; format_name_at(k); k++) {
            if (k != i)
                output_print(out, "%s_to_%s\n", format_name_at(i), format_name_at(k));
        }
        for (size_t k = 0; k < sizeof ints / sizeof ints[0]; k++)
            output_print(out, "%s_to_%s\n%s_to_%s\n", format_name_at(i), ints[k], ints[k],
                         format_name_at(i));
    }
    output_close(out);
    exit(STATUS_HELD);
}

/* ---- arguments ------------------------------------------------------------------------------- */

static void take_forever(void *place, const cli_option *o, const char *value)
{
    request *r = place;
    (void)o, (void)value;
    r->forever = 1;
    r->t.level = 2;
}

static const cli_option gen_options[] = {
    HEADING("What to write"),
    {"--steps", NULL,
     "writes a step table: the whole conversion, for every input. One of the two formats must have "
     "20 bits or less. With --round sr, -seed gives the random bits",
     FLAG(request, steps)},
    {"-n", "N", "writes N cases, more than the usual number; the additional ones are random",
     NUMBER(request, n, 1, UINT64_MAX)},
    {"-forever", NULL, "writes random cases of level 2 without end", .kind = OPTION_CALL,
     .take = take_forever},
    {"-prefix", "TEXT", "writes this line first", TEXT(request, prefix)},
    {"-header", NULL, "writes function and policy as comments before the cases",
     FLAG(request, header)},
    {"-count", NULL, "prints only the number of cases (with --steps, of rows)",
     FLAG(request, count)},
    {"-hash", NULL, "prints only the SHA-256 of the output", FLAG(request, hash)},
    {"-list", NULL, "lists the functions", .kind = OPTION_CALL, .take = list_functions},
    GROUP(request, path, output_option),
    GROUP(request, t, testfloat_options),
    {.kind = OPTION_END},
};

static void take_operands(request *r, char **operands, size_t count)
{
    sf8_word word;
    r->name = count > 0 ? operands[0] : NULL;
    if (count < 2)
        return;
    const char *text = operands[1];
    if (sf8_word_named(r->name, &word) != SF8_OK || text[0] < '1' || text[0] > '3' || text[1])
        fail("expected one function, got '%s' and '%s'", r->name, text);
    r->type_operands = text[0] - '0';
}

static request read_arguments(int argc, char **argv)
{
    request r;
    memset(&r, 0, sizeof r);
    r.t = testfloat_defaults();
    take_operands(&r, argv, options_read(&command_gen, argc, argv, &r));
    if (!r.name)
        fail("no function or type given; 'softfp8 gen -list' lists the functions");
    if (r.forever && (r.count || r.hash || r.t.form != FORM_TEXT))
        fail("-forever needs --format text");
    if (r.count && r.hash)
        fail("-count and -hash exclude each other");
    if ((r.count || r.hash) && r.path)
        fail("-count and -hash write no file: leave out -o %s", r.path);
    if (r.steps && (r.t.form != FORM_TEXT || r.t.columns != COLUMNS_ALL || r.n || r.forever ||
                    r.t.critical || r.t.exact || r.t.level != 1))
        fail("a step table holds all cases: leave out the options that choose cases");
    if (r.steps && r.t.seed > UINT32_MAX)
        fail("-seed with --steps is the random number of 32 bits: expected less than 2^32");
    if ((r.prefix || r.header) && (r.t.form != FORM_TEXT || r.steps))
        fail("-prefix and -header need --format text");
    return r;
}

/* A type is a function of that many operands of which only these are written. */
static sf8_function function_of(request *r)
{
    sf8_word word;
    if (sf8_word_named(r->name, &word) != SF8_OK)
        return testfloat_function(r->name);
    sf8_function f;
    memset(&f, 0, sizeof f);
    snprintf(f.name, sizeof f.name, "%s", r->name);
    f.op = SF8_OP_COUNT;
    f.operands = r->type_operands ? r->type_operands : 1;
    for (int i = 0; i < f.operands; i++)
        f.operand[i] = word;
    f.result = word;
    if (r->t.columns != COLUMNS_ALL && r->t.columns != COLUMNS_OPERANDS)
        fail("'%s' is a type: its cases have operands only", r->name);
    r->t.columns = COLUMNS_OPERANDS;
    if (r->steps)
        fail("--steps needs a conversion, but '%s' is a type", r->name);
    return f;
}

/* ---- cases ----------------------------------------------------------------------------------- */

static void write_header(output *out, const sf8_function *f, const char *fields)
{
    output_print(out, "# function: %s\n# policy: %s\n", f->name, fields);
}

static void write_cases(output *out, const request *r, const sf8_function *f, cases *c, uint64_t n)
{
    const char *base;
    char fields[1024];
    sf8_policy policy = testfloat_policy(&r->t, f, &base);
    layout l = layout_of(f, c->options.random, r->t.form, r->t.columns);
    vector_title title = {f, policy_text(base, policy, fields), n, {0, 0, 0}};
    for (int i = 0; c->whole && n == c->least && i < f->operands; i++)
        title.shape_bits[i] = f->operand[i].bits;
    if (r->prefix)
        output_print(out, "%s\n", r->prefix);
    if (r->header)
        write_header(out, f, fields);
    vectors_begin(out, &l, &title);
    for (uint64_t i = 0; r->forever || i < n; i++) {
        row one;
        uint64_t operands[4] = {0, 0, 0, 0};
        cases_next(c, operands);
        memcpy(one.value, operands, sizeof operands);
        if (l.result >= 0 || l.flags >= 0) {
            uint32_t random = (uint32_t)operands[f->operands];
            sf8_result z = sf8_function_call(f, operands, policy, c->options.random ? random : 0,
                                             r->t.exact);
            if (l.result >= 0)
                one.value[l.result] = z.code;
            if (l.flags >= 0)
                one.value[l.flags] = z.flags;
        }
        vectors_row(out, &l, &one);
        if (i % (1 << 20) == 0 && r->path)
            progress(r->path, i, r->forever ? 0 : n);
    }
    vectors_end(out, &l);
    progress_end();
}

/* ---- step tables ----------------------------------------------------------------------------- */

static int32_t put_to_output(void *context, const char *text, size_t size)
{
    output_write(context, text, size);
    return 0;
}

/* "FROM_to_TO": the names of the two formats. */
static void split_name(const sf8_function *f, sf8_steps_head *head)
{
    const char *at = f->name;
    sf8_status status = SF8_UNKNOWN_NAME;
    while (status != SF8_OK && (at = strstr(at, "_to_")) != NULL) {
        snprintf(head->from_name, sizeof head->from_name, "%.*s", (int)(at - f->name), f->name);
        snprintf(head->to_name, sizeof head->to_name, "%s", at + 4);
        sf8_format_named(head->from_name, &status);
        at++;
    }
}

static uint64_t write_steps(output *out, const request *r, const sf8_function *f)
{
    if (f->op != SF8_OP_CONVERT)
        fail("--steps needs a conversion between two formats, but '%s' is not one", f->name);
    const char *base;
    sf8_steps_head head;
    memset(&head, 0, sizeof head);
    head.policy = testfloat_policy(&r->t, f, &base);
    head.from = f->operand[0].format;
    head.to = f->result.format;
    head.random = head.policy.round == SF8_SR ? (uint32_t)r->t.seed : 0;
    split_name(f, &head);
    snprintf(head.policy_name, sizeof head.policy_name, "%s", base);
    sf8_steps walk;
    sf8_step step;
    uint64_t rows = 0;
    if (sf8_steps_begin(&walk, head.from, head.to, head.policy, head.random) != SF8_OK)
        fail("%s has too many steps for a table: one of its formats must have 20 bits or less",
             f->name);
    if (r->count) {
        while (sf8_steps_next(&walk, &step))
            rows++;
        return rows;
    }
    sf8_steps_write(&head, put_to_output, out);
    return 0;
}

/* ---- the command ----------------------------------------------------------------------------- */

static int run(int argc, char **argv)
{
    request r = read_arguments(argc, argv);
    sf8_function f = function_of(&r);
    int stochastic = testfloat_policy(&r.t, &f, NULL).round == SF8_SR;
    cases_options options = {r.t.level, r.t.critical, stochastic && f.op != SF8_OP_COUNT, r.t.seed};
    cases *c = r.steps ? NULL : cases_open(&f, options);
    uint64_t n = c && !r.n ? c->least : r.n;
    if (c && n < c->least)
        fail("too few cases; expected at least %llu", (unsigned long long)c->least);
    output *out = r.hash || r.count ? output_open_digest() : output_open(r.path);
    if (r.steps) {
        uint64_t rows = write_steps(out, &r, &f);
        n = r.count ? rows : n;
    } else if (!r.count) {
        write_cases(out, &r, &f, c, n);
    }
    if (r.count)
        printf("%llu\n", (unsigned long long)n);
    if (r.hash) {
        char text[65];
        output_digest(out, text);
        printf("%s\n", text);
    }
    output_close(out);
    if (c)
        cases_close(c);
    return STATUS_HELD;
}

const command command_gen = {
    .name = "gen",
    .purpose = "Generates test vectors with correct results.",
    .example = "  $ softfp8 gen e4m3_add | ./dut | softfp8 ver e4m3_add\n",
    .usage = "gen [options] FUNCTION\n"
             "gen [options] TYPE [1|2|3]",
    .about = "Each case is one line in the format of testfloat_gen: operands, result and flags in "
             "hexadecimal. Which cases are written depends on the function:\n"
             "  operands of up to 24 bits together  all cases, first operand slowest\n"
             "  conversions to up to 20 bits        the critical set\n"
             "  any other function                  special and random operands\n"
             "The critical set has every value of the target, every midpoint and the limit of "
             "underflow, with their neighbours, and the special codes of the source.\n"
             "A FUNCTION is FORMAT_OP, FORMAT_to_FORMAT, FORMAT_to_INT or INT_to_FORMAT. INT is "
             "one of i8 i16 i32 i64 ui8 ui16 ui32 ui64. OP is one of add sub mul mulAdd (or fma) "
             "div rem sqrt roundToInt (or rint) eq le lt eq_signaling le_quiet lt_quiet minimum "
             "maximum minimum_number maximum_number minimum_magnitude maximum_magnitude "
             "minimum_magnitude_number maximum_magnitude_number total_order copy_sign negate abs "
             "next_up next_down class. Arithmetic needs a precision of 24 bits or less, so f64 has "
             "none. A TYPE is a format or an INT; its cases are operands only, 1 to 3 per line.",
    .more = "  $ softfp8 gen f32_to_e4m3 --steps --policy cuda-nosat -o nosat.steps\n",
    .options = gen_options,
    .operands = "FUNCTION, or TYPE and 1, 2 or 3",
    .operands_most = 2,
    .complete = "function",
    .run = run,
};
