/* SPDX-License-Identifier: MIT */
/* ver_cases.c -- softfp8 ver: cases of a function, one a row */
#include "vectors/kinds.h"
#include "vectors/ver.h"

#include <stdio.h>
#include <string.h>

/* ---- one case -------------------------------------------------------------------------------- */

static int is_nan(const sf8_word *word, uint64_t value)
{
    return word->kind == SF8_WORD_FLOAT && sf8_is_nan(word->format, value);
}

/* An integer that TestFloat takes for an invalid one: the ends of its range, for NaN zero too. */
static int is_invalid_integer(const sf8_word *word, uint64_t found, int of_nan)
{
    uint64_t all = word->bits == 64 ? UINT64_MAX : (UINT64_C(1) << word->bits) - 1;
    if (word->kind == SF8_WORD_UNSIGNED)
        return found == all;
    return found == all >> 1 || found == (all >> 1) + 1 || (of_nan && found == 0);
}

/* Whether the result may differ from the right one. The flags agree. */
static int is_forgiven(const verification *v, const uint64_t *operands, sf8_result right,
                       uint64_t found)
{
    const sf8_word *word = &v->function.result;
    if (is_nan(word, right.code))
        return !v->check_nans && word_is_any_nan(word, found, right.code);
    return v->function.op == SF8_OP_TO_INTEGER && !v->check_integers &&
           (right.flags & SF8_INVALID) &&
           is_invalid_integer(word, found, is_nan(&v->function.operand[0], operands[0]));
}

/* Whether the row is right; one in which a simulator wrote x or z never is. */
static int is_right(const verification *v, const uint64_t *operands, sf8_result found,
                    sf8_result right)
{
    if (v->reader.unknown_result[0] || v->reader.unknown_flags[0] || found.flags != right.flags)
        return 0;
    return found.code == right.code || is_forgiven(v, operands, right, found.code);
}

/* -inorder: 1 if the row is gen's next case. Behind the last one gen -n goes on at random; rows
 * that do not are counted, and reported at the end of the file. */
static int is_next(verification *v, const uint64_t *operands, const uint64_t *expected)
{
    size_t size = sizeof(uint64_t) * (size_t)v->layout.operands;
    char found[128], want[128];
    if (!v->surplus && memcmp(operands, expected, size) == 0)
        return 1;
    if (v->tests > v->cases->least) {
        if (v->surplus++ == 0)
            memcpy(v->first_surplus, operands, sizeof v->first_surplus);
        return 0;
    }
    *ver_operands(found, v, operands) = '\0';
    *ver_operands(want, v, expected) = '\0';
    ver_error(v);
    output_print(v->out, "%s  is not the next case, expected %s\n", found, want);
    ver_values(v, operands, NULL, NULL);
    return 0;
}

static void check_row(verification *v, const row *r)
{
    const layout *l = &v->layout;
    uint64_t expected[4], operands[4];
    int sequence = v->in_order || !l->operands;
    if (sequence)
        cases_next(v->cases, expected);
    memcpy(operands, l->operands ? r->value : expected, sizeof operands);
    if (!sequence)
        present_row(&v->present, operands);
    else if (l->operands && !is_next(v, operands, expected))
        return;
    uint32_t random = v->stochastic ? (uint32_t)operands[v->function.operands] : 0;
    sf8_result right = sf8_function_call(&v->function, operands, v->policy, random, v->t.exact);
    sf8_result found = right;
    if (l->result >= 0)
        found.code = r->value[l->result];
    if (l->flags >= 0)
        found.flags = (uint32_t)r->value[l->flags];
    if (is_right(v, operands, found, right))
        return;
    ver_error(v);
    ver_result(v, operands, &found, &right, "");
}

/* ---- the file -------------------------------------------------------------------------------- */

static int same_function(const sf8_function *a, const sf8_function *b)
{
    int same = a->op == b->op && a->operands == b->operands &&
               memcmp(&a->result, &b->result, sizeof a->result) == 0;
    for (int i = 0; same && i < a->operands; i++)
        same = memcmp(&a->operand[i], &b->operand[i], sizeof a->operand[i]) == 0;
    return same;
}

/* A file that says itself that it is about something else would give a list of false errors. */
static void check_title(const verification *v)
{
    const vector_reader *r = &v->reader;
    char fields[1024];
    sf8_function f;
    sf8_policy p;
    if (r->function[0] &&
        (sf8_function_named(r->function, &f) != SF8_OK || !same_function(&f, &v->function)))
        fail_at(r->in->name, r->function_line, "the file has cases of %s; expected %s", r->function,
                v->function.name);
    if (r->policy[0] && (sf8_policy_read(r->policy, &p, NULL) != SF8_OK ||
                         sf8_policy_pack(p) != sf8_policy_pack(v->policy)))
        fail_at(r->in->name, r->policy_line,
                "the file has the policy '%s'; expected '%s', as the options say", r->policy,
                policy_text(v->base, v->policy, fields));
}

/* Cases of a whole table that are missing are errors, unless -partial allows it, or the function is
 * one of TestFloat's, which has samples of it. */
static void report_missing(verification *v, uint64_t missing)
{
    uint64_t operands[4];
    char text[128];
    v->lacks = 1;
    present_first_missing(&v->present, operands);
    *ver_operands(text, v, operands) = '\0';
    ver_errors(v, missing);
    if (missing == 1)
        output_print(v->out, "1 case is missing: %s\n", text);
    else
        output_print(v->out, "%llu cases are missing; the first is %s\n",
                     (unsigned long long)missing, text);
    ver_values(v, operands, NULL, NULL);
    output_flush(v->out);
}

static void report_surplus(verification *v)
{
    char text[128];
    *ver_operands(text, v, v->first_surplus) = '\0';
    ver_errors(v, v->surplus);
    output_print(v->out, "%llu case%s too many, behind the %llu of gen; the first is %s\n",
                 (unsigned long long)v->surplus, v->surplus == 1 ? "" : "s",
                 (unsigned long long)v->cases->least, text);
    output_flush(v->out);
}

/* Whether the cases are all those of gen. */
static void check_complete(verification *v)
{
    uint64_t least = v->cases->least;
    if (v->surplus)
        report_surplus(v);
    if (v->in_order || !v->layout.operands)
        return;
    v->had = present_count(&v->present);
    if (v->had == least || v->had == 0)
        return;
    if (v->cases->whole && !(v->partial && v->tests < least)) {
        report_missing(v, least - v->had);
        return;
    }
    v->of = least;
    v->cases_name = v->cases->whole ? "of the whole table" : "that gen writes";
}

/* The option for a file whose first row is of another form than the text; "" if none looks so. */
static const char *other_form(const verification *v, const input_error *e)
{
    if (v->t.form != FORM_TEXT || v->reader.rows)
        return "";
    if (e->found[0] == '{')
        return "; JSON needs --format json and no function";
    if (strncmp(e->found, "/*", 2) == 0)
        return "; an array in C needs --format c";
    if (memcmp(e->found, "\x93NUMPY", 6) == 0)
        return "; NumPy's files need --format npy";
    return strchr(e->found, ',')   ? "; CSV needs --format csv"
           : strchr(e->found, '_') ? "; a file for $readmemh needs --format readmemh"
                                   : "";
}

static void say_bad_row(const verification *v, const input_error *e)
{
    char text[ERROR_WHOLE];
    fail_at(v->reader.in->name, e->line, "%s%s", input_error_text(e, text),
            e->line ? other_form(v, e) : "");
}

static void check_rows(verification *v)
{
    row r;
    input_error error;
    int got = 0;
    memset(&r, 0, sizeof r);
    while (!v->stopped && (got = vectors_read(&v->reader, &r, &error)) == 1) {
        if (v->tests++ == 0)
            check_title(v);
        v->in_row = 1;
        check_row(v, &r);
        v->in_row = 0;
        if (v->tests % (1 << 16) == 0)
            progress("cases", v->tests, v->cases->whole ? v->cases->least : 0);
    }
    progress_end();
    if (got < 0)
        say_bad_row(v, &error);
    if (v->tests == 0)
        fail_at(v->reader.in->name, 0, "the file has no cases");
}

void verify_cases(verification *v)
{
    cases_options options = {v->t.level, v->t.critical, v->stochastic, v->t.seed};
    v->cases = cases_open(&v->function, options);
    v->layout = layout_of(&v->function, v->stochastic, v->t.form, v->t.columns);
    if (v->layout.result < 0 && v->layout.flags < 0)
        fail("--columns: nothing to check; expected result, flags or both");
    if (v->in_order && !v->layout.operands)
        fail("-inorder needs operands in --columns");
    v->present = present_open(v->cases);
    input *in = input_open(v->t.path);
    vectors_open(&v->reader, in, &v->layout);
    check_rows(v);
    if ((v->in_order || !v->layout.operands) && !v->stopped && v->tests < v->cases->least)
        fail_at(in->name, 0, "%llu cases, expected %llu", (unsigned long long)v->tests,
                (unsigned long long)v->cases->least);
    if (!v->stopped)
        check_complete(v);
    present_close(&v->present);
    input_close(in);
    cases_close(v->cases);
}
