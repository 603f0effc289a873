/* SPDX-License-Identifier: MIT */
/* gen.c -- softfp8 gen: writes cases with their results, or a step table */
#include "files/testfloat.h"
#include "vectors/gen_given.h"
#include "vectors/gen_tensor.h"
#include "vectors/gen_unit.h"
#include "vectors/gen_jobs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct request {
    testfloat t;
    const char *name;
    int type_operands; /* 0: no number given */
    int steps, count, hash, header, forever, merge, all;
    uint64_t n;
    const char *prefix, *path, *given; /* given: the file with operands */
    gen_jobs jobs;
    json_options json;
    tensor_options tensor;
    char *const *folders; /* of --join */
    size_t folder_count;
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
    {"--operands", "FILE",
     "computes the results for the operands in FILE, in hexadecimal, one case a line; - is "
     "standard "
     "input",
     PATH(request, given)},
    {"-n", "N", "writes N cases, more than the usual number; the additional ones are random",
     NUMBER(request, n, 1, UINT64_MAX)},
    {"--all", NULL, "writes all cases, even if that is more than 100 MB", FLAG(request, all)},
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
    GROUP(request, jobs, gen_job_options),
    {"--join", NULL, "writes the table whose jobs are in the folders DIR... together",
     FLAG(request, merge)},
    GROUP(request, t, testfloat_options),
    GROUP(request, json, json_kind_options),
    GROUP(request, tensor, tensor_own_options),
    {.kind = OPTION_END},
};

static void take_operands(request *r, char **operands, size_t count)
{
    sf8_word word;
    if (r->merge) {
        if (count == 0 || option_given_at(r->path ? 2 : 1))
            fail("--join: expected the folders of --keep, without any option but -o");
        r->folders = operands;
        r->folder_count = count;
        return;
    }
    if (count > 2)
        fail("unexpected '%s'; expected only %s", operands[2], command_gen.operands);
    r->name = count > 0 ? in_one_word(operands[0]) : NULL;
    if (count < 2)
        return;
    const char *text = operands[1];
    if (sf8_word_named(r->name, &word) != SF8_OK || text[0] < '1' || text[0] > '3' || text[1])
        fail("expected one function, got '%s' and '%s'", r->name, text);
    r->type_operands = text[0] - '0';
}

/* The kinds that are no functions, and the options that only these have. */
static void check_kind(const request *r)
{
    if (!gen_json_is_kind(r->name)) {
        if (gen_json_given(&r->json) || gen_tensor_given(&r->tensor))
            fail("--recipe, --unit, --in, --result, --rule, --order, --cache-layout, "
                 "--global-scale, --blocks, "
                 "--reasons, --after and --with need quantize, dequantize, mma, merge, attend or "
                 "kv-store");
        return;
    }
    int is_tensor = r->t.form == FORM_NPY && strcmp(r->name, "quantize") == 0;
    int is_unit = strcmp(r->name, "mma") == 0 &&
                  (r->t.form == FORM_TEXT || r->t.form == FORM_READMEMH);
    if (r->t.form != FORM_JSON && !is_tensor && !is_unit)
        fail("the cases of %s have %s", r->name,
             strcmp(r->name, "quantize") == 0
                 ? "two formats: --format json, and --format npy for a tensor"
             : strcmp(r->name, "mma") == 0 ? "three formats: --format text, readmemh and json"
                                           : "one format: --format json");
    if (is_tensor ? r->count || r->hash : gen_tensor_given(&r->tensor))
        fail(is_tensor ? "a tensor is no list of cases: leave out -count and -hash"
                       : "--global-scale, --blocks, --reasons, --after and --with need gen "
                         "quantize --format npy");
    if (r->t.choice.name || r->t.choice.changes || r->n || r->t.critical || r->t.exact ||
        r->t.level != 1)
        fail("the recipe or unit says how %s rounds, and the cases are fixed: leave out --policy, "
             "--round, -n, -level and the like",
             r->name);
}

static request read_arguments(int argc, char **argv)
{
    request r;
    memset(&r, 0, sizeof r);
    r.t = testfloat_defaults();
    r.jobs.shards = 1;
    take_operands(&r, argv, options_read(&command_gen, argc, argv, &r));
    if (r.merge)
        return r;
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
    if (r.given && (r.n || r.forever || r.t.critical || r.t.level != 1 || r.steps || r.count ||
                    r.jobs.folder || gen_json_is_kind(r.name)))
        fail("--operands FILE says which cases: leave out -n, -forever, --critical, -level, "
             "--steps, "
             "-count and --keep");
    if (r.given && r.t.form != FORM_TEXT && r.t.form != FORM_CSV && r.t.form != FORM_BIN &&
        r.t.form != FORM_JSON)
        fail("--operands needs --format text, csv, bin or json");
    if (r.jobs.folder && (r.steps || r.forever || r.count || r.hash || r.path))
        fail("--keep keeps jobs of cases: leave out --steps, -forever, -count, -hash and -o");
    if (r.t.form == FORM_JSON && (r.jobs.folder || r.t.columns != COLUMNS_ALL))
        fail("--format json has all columns, in one file: leave out --columns and --keep");
    check_kind(&r);
    if (!r.jobs.folder && (r.jobs.shards > 1 || r.jobs.budget > 0))
        fail("--shard and --budget need --keep DIR");
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

/* A table of cases that is being written. */
typedef struct table {
    const request *r;
    const sf8_function *f;
    cases *c;
    uint64_t n;
    const char *base; /* the name of the policy's base */
    sf8_policy policy;
    layout l;
} table;

static void begin_table(const table *t, output *out)
{
    char fields[1024];
    vector_title title = {t->f, policy_text(t->base, t->policy, fields), t->n, {0, 0, 0}};
    for (int i = 0; t->c->whole && t->n == t->c->least && i < t->f->operands; i++)
        title.shape_bits[i] = t->f->operand[i].bits;
    if (t->r->prefix)
        output_print(out, "%s\n", t->r->prefix);
    if (t->r->header)
        write_header(out, t->f, fields);
    vectors_begin(out, &t->l, &title);
}

static void write_case(const table *t, output *out)
{
    row one;
    uint64_t operands[4] = {0, 0, 0, 0};
    cases_next(t->c, operands);
    memcpy(one.value, operands, sizeof operands);
    if (t->l.result >= 0 || t->l.flags >= 0) {
        uint32_t random = (uint32_t)operands[t->f->operands];
        sf8_result z = sf8_function_call(t->f, operands, t->policy,
                                         t->c->options.random ? random : 0, t->r->t.exact);
        if (t->l.result >= 0)
            one.value[t->l.result] = z.code;
        if (t->l.flags >= 0)
            one.value[t->l.flags] = z.flags;
    }
    vectors_row(out, &t->l, &one);
}

/* The cases [first, end), with what stands before the first case and after the last. */
static void write_cases(void *context, output *out, uint64_t first, uint64_t end)
{
    const table *t = context;
    cases_seek(t->c, first);
    if (first == 0)
        begin_table(t, out);
    for (uint64_t i = first; t->r->forever || i < end; i++) {
        write_case(t, out);
        if (i % (1 << 20) == 0 && (t->r->path || t->r->jobs.folder))
            progress(t->r->path ? t->r->path : t->r->jobs.folder, i, t->r->forever ? 0 : t->n);
    }
    if (end == t->n)
        vectors_end(out, &t->l);
    progress_end();
}

static void number_term(job_plan *plan, const char *key, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    plan_term(plan, key, text);
}

/* Written by gpu/source_hash.c: the second is the hash of the sources of library and gen. */
extern const char *const gen_source[];

/* What the text of the cases depends on. */
static int write_jobs(table *t)
{
    char fields[1024];
    const request *r = t->r;
    job_plan *plan = plan_begin();
    plan_term(plan, "program", "gen");
    plan_term(plan, "version", sf8_version());
    plan_term(plan, "source", gen_source[1]);
    plan_term(plan, "policy", policy_text(t->base, t->policy, fields));
    number_term(plan, "operands", (uint64_t)t->f->operands);
    number_term(plan, "cases", t->n);
    plan_term(plan, "format", vector_forms[r->t.form]);
    number_term(plan, "columns", (uint64_t)r->t.columns);
    number_term(plan, "level", (uint64_t)t->c->options.level);
    number_term(plan, "critical", (uint64_t)r->t.critical);
    number_term(plan, "exact", (uint64_t)r->t.exact);
    number_term(plan, "seed", r->t.seed);
    plan_term(plan, "prefix", r->prefix ? r->prefix : "");
    number_term(plan, "header", (uint64_t)r->header);
    int status = gen_jobs_run(&r->jobs, plan, t->f->name, t->n, write_cases, t);
    plan_free(plan);
    return status;
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
    if (!sf8_format_valid(head.from) || !sf8_format_valid(head.to))
        fail("%s: hif8 has no step tables; without --steps gen writes test cases", f->name);
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

enum { JSON_BYTES = 120, BYTES_MOST = 100000000 }; /* of a case, roughly; of a file */

/* Refuses a large file, unless the user asked for it. */
static void check_size(const table *t)
{
    const request *r = t->r;
    int digits = 0;
    for (int i = 0; i < t->l.count; i++)
        digits += (t->l.column[i].bits + 3) / 4 + 1;
    int is_binary = r->t.form == FORM_BIN || r->t.form == FORM_NPY;
    int size = r->t.form == FORM_JSON ? JSON_BYTES : is_binary ? t->l.bytes : digits;
    double bytes = (double)t->n * size;
    if (r->n || r->all || r->hash || r->count || r->given || r->forever || r->steps ||
        bytes <= BYTES_MOST)
        return;
    fail("%s has %llu cases, about %.1f GB: add --all for all%s", t->f->name,
         (unsigned long long)t->n, bytes / 1e9,
         !r->t.critical && critical_exists(t->f) ? ", or --critical for a few of each kind"
                                                 : ", or list operands in a file: --operands FILE");
}

/* The first `left` cases. */
typedef struct counted_cases {
    cases *c;
    uint64_t left;
} counted_cases;

static int next_case(void *context, uint64_t operands[4])
{
    counted_cases *all = context;
    if (all->left == 0)
        return 0;
    all->left--;
    memset(operands, 0, 4 * sizeof operands[0]);
    cases_next(all->c, operands);
    return 1;
}

static void print_digest(output *out)
{
    char text[65];
    output_digest(out, text);
    printf("%s\n", text);
}

static int write_kind(const request *r)
{
    if (r->t.form == FORM_NPY) {
        gen_tensor(r->path, &r->json, &r->tensor);
        return STATUS_HELD;
    }
    output *out = r->hash || r->count ? output_open_digest() : output_open(r->path);
    uint64_t n = r->t.form == FORM_JSON ? gen_json_kind(out, r->name, &r->json)
                                        : gen_unit_rows(out, &r->json, r->t.form);
    if (r->count)
        printf("%llu\n", (unsigned long long)n);
    if (r->hash)
        print_digest(out);
    output_close(out);
    return STATUS_HELD;
}

static int run(int argc, char **argv)
{
    request r = read_arguments(argc, argv);
    if (r.merge) {
        gen_jobs_join(r.folders, r.folder_count, r.path);
        return STATUS_HELD;
    }
    if (gen_json_is_kind(r.name))
        return write_kind(&r);
    sf8_function f = function_of(&r);
    if (r.t.form == FORM_JSON && r.t.level == 1 && f.operand[0].bits > 8 && critical_exists(&f))
        r.t.critical = 1;
    int stochastic = testfloat_policy(&r.t, &f, NULL).round == SF8_SR;
    cases_options options = {r.t.level, r.t.critical, stochastic && f.op != SF8_OP_COUNT, r.t.seed};
    cases *c = r.steps ? NULL : cases_open(&f, options);
    uint64_t n = c && !r.n ? c->least : r.n;
    if (c && n < c->least)
        fail("-n %llu: too few cases; expected at least %llu", (unsigned long long)n,
             (unsigned long long)c->least);
    table t = {.r = &r, .f = &f, .c = c, .n = n};
    t.policy = testfloat_policy(&r.t, &f, &t.base);
    t.l = layout_of(&f, options.random, r.t.form, r.t.columns);
    if (r.jobs.folder) {
        int status = write_jobs(&t);
        cases_close(c);
        return status;
    }
    if (r.given && f.op == SF8_OP_COUNT)
        fail("--operands needs a function, but '%s' is a type", r.name);
    check_size(&t);
    if (r.given)
        output_check_input(r.path, r.given);
    output *out = r.hash || r.count ? output_open_digest() : output_open(r.path);
    if (r.given) {
        if (r.prefix)
            output_print(out, "%s\n", r.prefix);
        if (r.header)
            write_header(out, &f, policy_text(t.base, t.policy, (char[1024]){0}));
        if (r.t.form == FORM_JSON)
            gen_given_json(out, r.given, &f, &r.t, options.random);
        else
            gen_given(out, r.given, &f, t.policy, options.random, r.t.exact, &t.l);
    } else if (r.steps) {
        uint64_t rows = write_steps(out, &r, &f);
        n = r.count ? rows : n;
    } else if (r.t.form == FORM_JSON && !r.count) {
        counted_cases all = {c, n};
        int once = n == c->least && (c->whole || c->options.critical) && !stochastic;
        gen_json_function(out, &r.t, &f, next_case, &all, once);
    } else if (!r.count) {
        write_cases(&t, out, 0, n);
    }
    if (r.count)
        printf("%llu\n", (unsigned long long)n);
    if (r.hash)
        print_digest(out);
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
             "gen --operands FILE [options] FUNCTION\n"
             "gen [options] TYPE [1|2|3]\n"
             "gen --format json quantize|dequantize --recipe NAME\n"
             "gen --format npy quantize --recipe NAME\n"
             "gen [--format text|readmemh|json] mma --unit UNIT\n"
             "gen --format json merge --rule NAME\n"
             "gen --format json attend|kv-store\n"
             "gen --join [-o FILE] DIR...",
    .about =
        "Each case is one line in the format of testfloat_gen: operands, result and flags in "
        "hexadecimal. Which cases are written depends on the function:\n"
        "  operands of up to 24 bits together  all cases, first operand slowest\n"
        "  conversions to up to 20 bits        the critical set\n"
        "  any other function                  special and random operands\n"
        "The critical set of a conversion has every value of the target, every midpoint and the "
        "limit of underflow, with their neighbours, and the special codes of the source. "
        "--critical also has one for operations on two or three numbers: a few cases of each "
        "kind, such as ties, cancellations, overflow and signs of zero.\n"
        "A FUNCTION is FORMAT_OP, FORMAT_to_FORMAT, FORMAT_to_INT or INT_to_FORMAT. INT is "
        "one of i8 i16 i32 i64 ui8 ui16 ui32 ui64. OP is one of add sub mul mulAdd (or fma) "
        "div rem sqrt roundToInt (or rint) eq le lt eq_signaling le_quiet lt_quiet minimum "
        "maximum minimum_number maximum_number minimum_magnitude maximum_magnitude "
        "minimum_magnitude_number maximum_magnitude_number total_order copy_sign negate abs "
        "next_up next_down class is_one recip rsqrt hypot faa clamp minimum_finite "
        "maximum_finite. Arithmetic needs a precision of 24 bits or less, so f64 has none. "
        "Arithmetic, extrema and signs may also be FORMAT_OP_to_FORMAT, where the second FORMAT is "
        "that of the result, and have one format for each operand: f32_add_to_f16, "
        "e4m3_e5m2_mul_to_f32. A TYPE is a format or an INT; its cases are operands only, 1 to 3 "
        "per line.\n"
        "With --format json each case also has an id and tags that say why it is worth "
        "testing, such as tie or double-rounding-f16. A conversion from more than 8 bits gets "
        "the critical set; -level 2 writes what the other formats do. This format also has "
        "cases of quantize, dequantize, mma, merge, attend and kv-store. The cases of mma also "
        "come "
        "as lines, with --format text or readmemh.\n"
        "With --format npy quantize writes a tensor, to test a quantizer that takes whole "
        "tensors. Each row or block of rows has elements where the code changes, or a largest "
        "magnitude where the scale changes or at a power of two, or zeros, or errors that are "
        "almost equal where a recipe chooses between two scales. --blocks FILE writes the "
        "codes and scales to expect. With --after STAGE the tensor goes through a norm, a gate "
        "or factors first.",
    .more = "  $ softfp8 gen f32_to_e4m3 --steps --policy cuda-nosat -o nosat.steps\n"
            "  $ softfp8 gen f32_mul -n 100000000 --keep mul\n"
            "  $ softfp8 gen --join mul -o mul.txt\n"
            "  $ softfp8 gen f32_to_e4m3 --format json -o f32_to_e4m3.json\n"
            "  $ softfp8 gen quantize --recipe nvfp4-te --format json\n"
            "  $ softfp8 gen quantize --recipe nvfp4-te --format npy --blocks wb -o w.npy\n",
    .options = gen_options,
    .operands = "FUNCTION, or TYPE and 1, 2 or 3, or a kind of operation",
    .operands_most = OPERANDS_ANY,
    .complete = "function",
    .run = run,
};
