/* SPDX-License-Identifier: MIT */
/* rules.c -- softfp8 identify --function: which policy does an operation follow? And --stochastic:
 * which rule of stochastic rounding gave these codes?
 */
#include "identify/rules.h"
#include "diagnose/operation/rules.h"
#include "files/testfloat.h"
#include "identify/words.h"

#include <stdlib.h>
#include <string.h>

/* ---- lines ----------------------------------------------------------------------------------- */

typedef struct lines {
    rules_results r;
    rules_row *row;
    size_t room;
    int words; /* in each line */
} lines;

static rules_row *add_row(lines *all, const input *in)
{
    all->row = grow(all->row, all->r.count, &all->room, sizeof all->row[0]);
    rules_row *one = &all->row[all->r.count++];
    memset(one, 0, sizeof *one);
    one->line = in->line;
    return one;
}

static uint64_t word_of(const input *in, text_word text, const sf8_word *word, const char *what)
{
    uint64_t mask = word->bits == 64 ? UINT64_MAX : (UINT64_C(1) << word->bits) - 1;
    return identify_hex(in, text, word_digits(word->bits), mask, what);
}

static void take_operation(void *context, const input *in, const text_word *field, int n)
{
    lines *r = context;
    const sf8_function *f = &r->r.function;
    if ((r->words && n != r->words) || n < f->operands + 1 || n > f->operands + 2)
        fail_at(in->name, in->line,
                "%d word%s; expected %d operand%s, the result, and flags in all lines or in none",
                n, n == 1 ? "" : "s", f->operands, f->operands == 1 ? "" : "s");
    r->words = n;
    r->r.has_flags = n > f->operands + 1;
    rules_row *one = add_row(r, in);
    for (int i = 0; i < f->operands; i++)
        one->operand[i] = word_of(in, field[i], &f->operand[i], "operand");
    one->code = word_of(in, field[f->operands], &f->result, "result");
    if (r->r.has_flags)
        one->flags = (uint32_t)identify_hex(in, field[n - 1], 2, 0x1f, "flags");
}

static void take_random(void *context, const input *in, const text_word *field, int n)
{
    lines *r = context;
    const sf8_function *f = &r->r.function;
    if (n < 3 || n > 4)
        fail_at(in->name, in->line,
                "expected input, random number, code and perhaps flags, found %d words", n);
    const text_word random = words_digits(field[1]);
    int digits = random.length < 100 ? (int)random.length : 100;
    if (digits > 8 || (r->r.width && r->r.width != 4 * digits))
        fail_at(in->name, in->line, "random number '%.*s': expected %s", digits, random.text,
                digits > 8 ? "at most 8 hexadecimal digits"
                           : "as many digits as in the lines before");
    r->r.width = 4 * digits;
    rules_row *one = add_row(r, in);
    one->operand[0] = word_of(in, field[0], &f->operand[0], "input");
    one->random = (uint32_t)identify_hex(in, field[1], digits, UINT32_MAX, "random number");
    one->code = word_of(in, field[2], &f->result, "code");
}

static lines read_lines(const char *path, sf8_function f,
                        void (*take)(void *context, const input *in, const text_word *words, int n),
                        const char *expected)
{
    lines r;
    memset(&r, 0, sizeof r);
    r.r.function = f;
    r.r.context = &cli_search;
    identify_lines(path, &r, take);
    if (r.r.count == 0)
        fail_at(input_name(path), 0, "no lines; expected %s in each", expected);
    r.r.row = r.row;
    return r;
}

/* ---- what differs ---------------------------------------------------------------------------- */

/* The first rows for which a rule gives another code; and how many of these are NaN by both. */
static void print_different(output *out, const rules_results *r, const rules_rule *rule,
                            size_t most)
{
    size_t shown = 0, nan = 0;
    const sf8_word *to = &r->function.result;
    int digits = word_digits(to->bits);
    output_print(out, "what differs from the first of them\n");
    for (size_t i = 0; i < r->count; i++) {
        const rules_row *one = &r->row[i];
        uint64_t right = r->compute(r, rule, one).code;
        nan += right != one->code && to->kind == SF8_WORD_FLOAT && sf8_is_nan(to->format, right) &&
               sf8_is_nan(to->format, one->code);
        if (right != one->code && shown++ < most)
            output_print(out, "  line %llu gives %0*llx, not %0*llx\n",
                         (unsigned long long)one->line, digits, (unsigned long long)one->code,
                         digits, (unsigned long long)right);
    }
    if (shown > most)
        output_print(out, "  and %zu more\n", shown - most);
    if (nan == shown)
        output_print(out,
                     "all of these are NaN, as they should be: only the code of NaN differs\n");
    else if (nan)
        output_print(out, "in %zu of these both codes are NaN\n", nan);
}

/* ---- operations ------------------------------------------------------------------------------ */

enum { SHOWN = 8, SHOWN_RANDOM = 5 };

static void print_rule(output *out, const rules_results *r, const rules_rule *rule)
{
    char round[32] = "", value[32] = "";
    sf8_policy_get(rule->policy, "round", round, sizeof round);
    output_print(out, "  %zu of %zu  %s, %s", rule->codes, r->count, rule->policy_name, round);
    if (rule->cause) {
        sf8_policy_get(rule->policy, rule->cause->name, value, sizeof value);
        output_print(out, ", with %s=%s", rule->cause->name, value);
    }
    if (rule->way != RULES_PLAIN)
        output_print(out, ", %s", rules_ways[rule->way].words);
    const sf8_word *to = &r->function.result;
    if (rule->bias)
        output_print(out, ", with the exponent bias %d",
                     rule->bias + (to->kind == SF8_WORD_FLOAT
                                       ? to->format.bias
                                       : r->function.operand[0].format.bias));
    if (r->has_flags && rule->flags < rule->codes)
        output_print(out, "; the flags differ in %zu", rule->codes - rule->flags);
    output_print(out, "\n");
}

enum { FLAGS = 5 };

/* Cases where one flag differs in one way. */
typedef struct flag_cases {
    size_t count;
    uint64_t line; /* of the first, which raises `got` where the rule raises `expected` */
    uint32_t got, expected;
} flag_cases;

/* Which flags differ from those of a rule, and how, each with its first case. */
static void print_flags(output *out, const rules_results *r, const rules_rule *rule)
{
    flag_cases differ[FLAGS][2];
    char flag[64], got[64], expected[64];
    memset(differ, 0, sizeof differ);
    for (size_t i = 0; i < r->count; i++) {
        const rules_row *one = &r->row[i];
        uint32_t flags = r->compute(r, rule, one).flags;
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
    rules_found found;
    if (f.op == SF8_OP_CONVERT)
        fail("--function %s: a conversion; give its formats by --from and --to", name);
    lines given = read_lines(path, f, take_operation, "operands and result");
    rules_results *r = &given.r;
    operation_search(r, &found);
    size_t all = found.complete;
    output *out = output_open(NULL);
    output_print(out, "input: %s, %s, %zu cases\n", printable(input_name(path)), name, r->count);
    int flags_differ = all && found.rule[0].flags < r->count;
    output_print(out,
                 flags_differ ? "codes explained, but not the flags, by\n"
                 : all        ? "explained by\n"
                              : "no policy of %zu explains all; the best\n",
                 found.tried);
    for (size_t i = 0; i < (all ? all : found.found) && i < SHOWN; i++)
        print_rule(out, r, &found.rule[i]);
    if (all > SHOWN)
        output_print(out, "  and others\n");
    if (flags_differ)
        print_flags(out, r, &found.rule[0]);
    if (!all)
        print_different(out, r, &found.rule[0], SHOWN);
    output_close(out);
    rules_free(r, &found);
    free(given.row);
    return all ? STATUS_HELD : STATUS_MISMATCH;
}

/* ---- stochastic rounding --------------------------------------------------------------------- */

/* A rule, or several that take its number of random bits up to `last`. */
static void print_random(output *out, const rules_results *r, const rules_rule *rule, unsigned last)
{
    static const char *const places[] = {"lowest", "highest", "lowest, inverted",
                                         "highest, inverted"};
    unsigned first = rule->policy.sr_bits;
    char fields[1024];
    output_print(out, "  %zu of %zu  %s%s", rule->codes, r->count,
                 policy_text(rule->policy_name, rule->policy, fields),
                 rule->policy.sr_rule == SF8_SR_A ? " sr_rule=a" : "");
    if ((int)rule->policy.sr_bits < r->width || rule->way == RULES_LOW_INVERTED)
        output_print(out, "; of the random number the %u %s bit%s", first,
                     places[rule->way - RULES_LOW], first == 1 ? "" : "s");
    if (last > first)
        output_print(out, first + 1 == last ? ", or %u" : ", or %u to %u", first + 1, last);
    output_print(out, "\n");
}

static int same_but_bits(const rules_rule *a, const rules_rule *b)
{
    return strcmp(a->policy_name, b->policy_name) == 0 && a->way == b->way &&
           a->policy.sr_rule == b->policy.sr_rule;
}

/* The last number of bits of a run from rule i on, all of which explain all rows. */
static unsigned last_of_run(const rules_found *f, size_t i, int width)
{
    unsigned last = f->rule[i].policy.sr_bits;
    for (size_t k = i + 1; k < f->complete; k++)
        if (same_but_bits(&f->rule[k], &f->rule[i]) && f->rule[k].policy.sr_bits == last + 1 &&
            (int)last + 1 < width)
            last++;
    return last;
}

static int continues_run(const rules_found *f, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (same_but_bits(&f->rule[k], &f->rule[i]) &&
            f->rule[k].policy.sr_bits + 1 == f->rule[i].policy.sr_bits)
            return 1;
    return 0;
}

/* The rules that explain all rows: those that take the whole random number come first; numbers of
 * bits that follow each other are one line. */
static void print_all(output *out, const rules_results *r, const rules_found *f)
{
    for (size_t i = 0; i < f->complete; i++)
        if ((int)f->rule[i].policy.sr_bits == r->width)
            print_random(out, r, &f->rule[i], (unsigned)r->width);
    for (size_t i = 0; i < f->complete; i++)
        if ((int)f->rule[i].policy.sr_bits < r->width && !continues_run(f, i))
            print_random(out, r, &f->rule[i], last_of_run(f, i, r->width));
    if (f->complete > 1)
        output_print(out, "more lines may tell these apart\n");
}

int identify_random(const char *path, const char *to_name, const char *from_name)
{
    sf8_format to = format_of_name(to_name), from = format_of_name(from_name);
    rules_found f;
    char fields[1024];
    lines given = read_lines(path, sf8_function_convert(from, to), take_random,
                             "input, random number and code");
    rules_results *r = &given.r;
    stochastic_search(r, &f);
    output *out = output_open(NULL);
    output_print(out, "input: %s, %s to %s, %zu line%s with random numbers of %d bits\n",
                 printable(input_name(path)), from_name, to_name, r->count,
                 r->count == 1 ? "" : "s", r->width);
    int held = f.complete > 0;
    if (f.is_fixed)
        output_print(out,
                     held ? "these lines show no effect of random numbers: %s gives all codes too\n"
                          : "the random numbers have no effect: %s gives all codes\n",
                     policy_text(f.fixed.policy_name, f.fixed.policy, fields));
    output_print(out, held ? "explained by\n" : "no rule of %zu explains all; the best\n", f.tried);
    for (size_t i = 0; !held && i < f.found && i < SHOWN; i++)
        print_random(out, r, &f.rule[i], f.rule[i].policy.sr_bits);
    if (held)
        print_all(out, r, &f);
    else if (f.found)
        print_different(out, r, &f.rule[0], SHOWN_RANDOM);
    output_close(out);
    rules_free(r, &f);
    free(given.row);
    return held || f.is_fixed ? STATUS_HELD : STATUS_MISMATCH;
}
