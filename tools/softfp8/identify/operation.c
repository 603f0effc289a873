/* SPDX-License-Identifier: MIT */
/* operation.c -- softfp8 identify --function: which policy does an operation follow? */
#include "diagnose/policy/operation.h"
#include "files/testfloat.h"
#include "identify/operation.h"
#include "identify/words.h"

#include <stdlib.h>
#include <string.h>

enum { SHOWN = 8 };

/* ---- lines ----------------------------------------------------------------------------------- */

typedef struct rows {
    operation_row *row;
    size_t count, room;
    int words; /* in each line */
    const sf8_function *function;
} rows;

static uint64_t word_of(const input *in, text_word text, const sf8_word *word, const char *what)
{
    uint64_t mask = word->bits == 64 ? UINT64_MAX : (UINT64_C(1) << word->bits) - 1;
    return identify_hex(in, text, word_digits(word->bits), mask, what);
}

static void take_line(void *context, const input *in, const text_word *field, int n)
{
    rows *r = context;
    const sf8_function *f = r->function;
    if ((r->words && n != r->words) || n < f->operands + 1 || n > f->operands + 2)
        fail_at(in->name, in->line,
                "%d word%s; expected %d operand%s, the result, and flags in all lines or in none",
                n, n == 1 ? "" : "s", f->operands, f->operands == 1 ? "" : "s");
    r->words = n;
    r->row = grow(r->row, r->count, &r->room, sizeof r->row[0]);
    operation_row *one = &r->row[r->count++];
    memset(one, 0, sizeof *one);
    one->line = in->line;
    for (int i = 0; i < f->operands; i++)
        one->operand[i] = word_of(in, field[i], &f->operand[i], "operand");
    one->code = word_of(in, field[f->operands], &f->result, "result");
    if (n > f->operands + 1)
        one->flags = (uint32_t)identify_hex(in, field[n - 1], 2, 0x1f, "flags");
}

static rows read_rows(const char *path, const sf8_function *f)
{
    rows r = {NULL, 0, 0, 0, f};
    identify_lines(path, &r, take_line);
    if (r.count == 0)
        fail_at(input_name(path), 0, "no lines; expected operands and result in each");
    return r;
}

/* ---- the report ------------------------------------------------------------------------------ */

static void print_rule(output *out, const operation_findings *f, const operation_rule *rule,
                       int has_flags)
{
    char round[32] = "", value[32] = "";
    sf8_policy_get(rule->policy, "round", round, sizeof round);
    output_print(out, "  %zu of %zu  %s, %s", rule->codes, f->rows, rule->policy_name, round);
    if (rule->field) {
        sf8_policy_get(rule->policy, rule->field, value, sizeof value);
        output_print(out, ", with %s=%s", rule->field, value);
    }
    if (rule->through)
        output_print(out, ", computed in %s and rounded again", rule->through);
    if (has_flags && rule->flags < rule->codes)
        output_print(out, "; the flags differ in %zu", rule->codes - rule->flags);
    output_print(out, "\n");
}

static void print_different(output *out, const operation_rule *rule, const rows *r,
                            const sf8_function *f)
{
    size_t shown = 0, nan = 0;
    int digits = word_digits(f->result.bits);
    output_print(out, "what differs from the first of them\n");
    for (size_t i = 0; i < r->count; i++) {
        const operation_row *one = &r->row[i];
        uint64_t right = operation_result(f, rule, one->operand, 0).code;
        nan += right != one->code && f->result.kind == SF8_WORD_FLOAT &&
               sf8_is_nan(f->result.format, right) && sf8_is_nan(f->result.format, one->code);
        if (right != one->code && shown++ < SHOWN)
            output_print(out, "  line %llu gives %0*llx, not %0*llx\n",
                         (unsigned long long)one->line, digits, (unsigned long long)one->code,
                         digits, (unsigned long long)right);
    }
    if (shown > SHOWN)
        output_print(out, "  and %zu more\n", shown - SHOWN);
    if (nan == shown)
        output_print(out,
                     "all of these are NaN, as they should be: only the code of NaN differs\n");
    else if (nan)
        output_print(out, "in %zu of these both codes are NaN\n", nan);
}

enum { FLAGS = 5 };

/* Cases where one flag differs in one way. */
typedef struct flag_cases {
    size_t count;
    uint64_t line; /* of the first, which raises `got` where the rule raises `expected` */
    uint32_t got, expected;
} flag_cases;

/* Which flags differ from those of a rule, and how, each with its first case. */
static void print_flags(output *out, const operation_rule *rule, const rows *r,
                        const sf8_function *f)
{
    flag_cases differ[FLAGS][2];
    char flag[64], got[64], expected[64];
    memset(differ, 0, sizeof differ);
    for (size_t i = 0; i < r->count; i++) {
        const operation_row *one = &r->row[i];
        uint32_t flags = operation_result(f, rule, one->operand, 0).flags;
        for (int bit = 0; bit < FLAGS; bit++) {
            flag_cases *c = &differ[bit][one->flags >> bit & 1];
            if (((one->flags ^ flags) >> bit & 1) && c->count++ == 0) {
                c->line = one->line;
                c->got = one->flags;
                c->expected = flags;
            }
        }
    }
    output_print(out, "which flags differ from the first of them\n");
    for (int i = 0; i < 2 * FLAGS; i++) {
        const flag_cases *c = &differ[i / 2][i % 2];
        if (c->count == 0)
            continue;
        output_print(out, "  %s: %s in %zu case%s; line %llu raises %02x (%s), not %02x (%s)\n",
                     flags_text(1u << i / 2, flag), i % 2 ? "raised wrongly" : "missing", c->count,
                     c->count == 1 ? "" : "s", (unsigned long long)c->line, (unsigned)c->got,
                     flags_text(c->got, got), (unsigned)c->expected,
                     flags_text(c->expected, expected));
    }
}

int identify_operation(const char *path, const char *name)
{
    sf8_function f = testfloat_function(name);
    operation_findings found;
    if (f.op == SF8_OP_CONVERT)
        fail("--function %s: a conversion; give its formats by --from and --to", name);
    rows r = read_rows(path, &f);
    int has_flags = r.words > f.operands + 1;
    operation_search(&found, &f, 0, r.row, r.count, has_flags);
    size_t all = 0;
    while (all < found.found && found.rule[all].codes == found.rows)
        all++;
    output *out = output_open(NULL);
    output_print(out, "input: %s, %s, %zu cases\n", printable(input_name(path)), name, r.count);
    int flags_differ = all && found.rule[0].flags < found.rows;
    output_print(out,
                 flags_differ ? "codes explained, but not the flags, by\n"
                 : all        ? "explained by\n"
                              : "no policy of %zu explains all; the best\n",
                 found.tried);
    for (size_t i = 0; i < (all ? all : found.found) && i < SHOWN; i++)
        print_rule(out, &found, &found.rule[i], has_flags);
    if (all > SHOWN)
        output_print(out, "  and others\n");
    if (flags_differ)
        print_flags(out, &found.rule[0], &r, &f);
    if (!all)
        print_different(out, &found.rule[0], &r, &f);
    output_close(out);
    free(r.row);
    return all ? STATUS_HELD : STATUS_MISMATCH;
}
