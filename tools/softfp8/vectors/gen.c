/* SPDX-License-Identifier: MIT */
/* gen.c -- softfp8 gen: writes cases with their results, or a step table */
#include "files/testfloat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "softfp8 gen [option...] FUNCTION | TYPE [1|2|3]\n"
    "\n"
    "Writes cases, as testfloat_gen does: operands, result, flags in hexadecimal, a\n"
    "word of f32 with 8 digits, of tf32 with 5.\n"
    "Where the operands have 24 bits or less together these are all cases; a\n"
    "conversion from f32 or f64 gets its critical set. A TYPE (a format, ui32 and so\n"
    "on) gives operands alone. Functions: FORMAT_OP, FORMAT_to_FORMAT, FORMAT_to_INT,\n"
    "INT_to_FORMAT. Results in a narrow format follow the policy ocp, in a wide one\n"
    "ocp-nosat, if none is named.\n"
    "\n"
    "  --steps         the whole conversion, every input, as a step table\n"
    "  --critical      the critical set also of f16 and bf16\n"
    "  --format F      text, bin, readmemh, c, npy, csv\n"
    "  --columns C     of operands,result,flags\n"
    "  -n N, -forever  go on at random       -seed N    -level 1|2\n"
    "  -prefix TEXT    a first line         -header    function and policy as remarks\n"
    "  -count, -hash   only the number of cases, the SHA-256 of what would be written\n"
    "  -list           the functions\n"
    "  -o FILE         complete or absent\n"
    "\n"
    "  -rnear_even -rnear_maxMag -rminMag -rmin -rmax -rodd -roddinf -rstoch BITS\n"
    "  -tininessbefore -tininessafter -exact -notexact\n"
    "  -sat none|finite|all  -nansign keep|pos|canonical\n"
    "  --policy NAME  --round M  --overflow sat|clip|ieee  --via F  --set FIELD=VALUE\n"
    "\n"
    "  softfp8 gen e4m3_add | ./dut | softfp8 ver e4m3_add\n"
    "  softfp8 gen f32_to_e4m3 --steps --policy cuda-nosat -o nosat.steps\n";

typedef struct request {
    testfloat t;
    const char *name;
    int type_operands; /* 0: no number given */
    int steps, count, hash, header, forever;
    uint64_t n;
    const char *prefix, *path;
} request;

/* ---- the functions --------------------------------------------------------------------------- */

static int list_functions(void)
{
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
    return STATUS_HELD;
}

/* ---- arguments ------------------------------------------------------------------------------- */

static int option(arguments *a, request *r)
{
    if (argument_help(a, &command_gen) || testfloat_argument(a, &r->t))
        return 1;
    if (argument_flag(a, "steps"))
        r->steps = 1;
    else if (argument_is(a, "n"))
        r->n = argument_number(a, 1, UINT64_MAX);
    else if (argument_flag(a, "forever"))
        r->forever = 1, r->t.level = 2;
    else if (argument_flag(a, "count"))
        r->count = 1;
    else if (argument_flag(a, "hash"))
        r->hash = 1;
    else if (argument_flag(a, "header"))
        r->header = 1;
    else if (argument_is(a, "prefix"))
        r->prefix = argument_value(a);
    else if (argument_is(a, "o") || argument_is(a, "output"))
        r->path = argument_value(a);
    else if (argument_flag(a, "list"))
        exit(list_functions());
    else
        return 0;
    return 1;
}

static void operand(const arguments *a, request *r)
{
    sf8_word word;
    if (!r->name)
        r->name = a->text;
    else if (!r->type_operands && sf8_word_named(r->name, &word) == SF8_OK && a->text[0] >= '1' &&
             a->text[0] <= '3' && !a->text[1])
        r->type_operands = a->text[0] - '0';
    else
        fail("one function only: '%s' and then '%s'", r->name, a->text);
}

static request read_arguments(int argc, char **argv)
{
    request r;
    memset(&r, 0, sizeof r);
    r.t = testfloat_defaults();
    arguments a = arguments_of(argc, argv);
    while (arguments_next(&a)) {
        if (a.option && !option(&a, &r))
            argument_unknown(&a);
        else if (!a.option)
            operand(&a, &r);
    }
    if (!r.name)
        fail("a function or a type is needed; 'softfp8 gen -list' lists the functions");
    if (r.forever && (r.count || r.hash || r.t.form != FORM_TEXT))
        fail("-forever is for --format text alone");
    if (r.count && r.hash)
        fail("-count and -hash: one of them");
    if ((r.count || r.hash) && r.path)
        fail("-count and -hash write no file: -o %s", r.path);
    if (r.steps && (r.t.form != FORM_TEXT || r.t.columns != COLUMNS_ALL || r.n || r.forever ||
                    r.t.critical || r.t.exact || r.t.level != 1))
        fail("--steps takes no option about cases: it holds them all");
    if (r.steps && r.t.seed > UINT32_MAX)
        fail("-seed with --steps is the random word, of 32 bits");
    if ((r.prefix || r.header) && (r.t.form != FORM_TEXT || r.steps))
        fail("-prefix and -header are for --format text alone");
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
        fail("'%s' is a type: it has operands alone", r->name);
    r->t.columns = COLUMNS_OPERANDS;
    if (r->steps)
        fail("--steps is for a conversion: '%s' is a type", r->name);
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
        fail("--steps is for conversions between formats: '%s' is none", f->name);
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
        fail("too few cases; minimum is %llu", (unsigned long long)c->least);
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

const command command_gen = {"gen", "golden vectors: cases with results, or a step table", help,
                             run};
