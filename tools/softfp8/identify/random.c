/* SPDX-License-Identifier: MIT */
/* random.c -- softfp8 identify --stochastic: which rule of stochastic rounding gave these codes? */
#include "identify/random.h"
#include "identify/words.h"
#include "diagnose/policy/stochastic.h"

#include <stdlib.h>
#include <string.h>

enum { FIELDS = 4, SHOWN = 5 };

/* ---- lines ----------------------------------------------------------------------------------- */

typedef struct rows {
    stochastic_row *row;
    size_t count, room;
    int width; /* bits of the random numbers, as they are written */
    sf8_format to, from;
} rows;

static void take_line(void *context, const input *in, const text_word *field, int n)
{
    rows *r = context;
    if (n < 3 || n > FIELDS)
        fail_at(in->name, in->line,
                "expected input, random number, code and perhaps flags, found %d words", n);
    const text_word random = words_digits(field[1]);
    int digits = random.length < 100 ? (int)random.length : 100;
    if (digits > 8 || (r->width && r->width != 4 * digits))
        fail_at(in->name, in->line, "random number '%.*s': expected %s", digits, random.text,
                digits > 8 ? "at most 8 hexadecimal digits"
                           : "as many digits as in the lines before");
    r->width = 4 * digits;
    r->row = grow(r->row, r->count, &r->room, sizeof r->row[0]);
    stochastic_row *row = &r->row[r->count++];
    row->line = in->line;
    row->input = identify_hex(in, field[0], word_digits(sf8_format_bits(r->from)),
                              sf8_format_code_mask(r->from), "input");
    row->random = (uint32_t)identify_hex(in, field[1], digits, UINT32_MAX, "random number");
    row->code = identify_hex(in, field[2], word_digits(sf8_format_bits(r->to)),
                             sf8_format_code_mask(r->to), "code");
}

static rows read_rows(const char *path, sf8_format to, sf8_format from)
{
    rows r = {NULL, 0, 0, 0, to, from};
    identify_lines(path, &r, take_line);
    if (r.count == 0)
        fail_at(input_name(path), 0, "no lines; expected input, random number and code in each");
    return r;
}

/* ---- the report ------------------------------------------------------------------------------ */

/* A rule, or several that take its number of random bits up to `last`. */
static void print_rule(output *out, const stochastic_findings *f, const stochastic_rule *rule,
                       int width, unsigned last)
{
    unsigned first = rule->policy.sr_bits;
    static const char *const places[] = {"lowest", "highest", "lowest, inverted",
                                         "highest, inverted"};
    char fields[1024];
    output_print(out, "  %zu of %zu  %s%s", rule->explained, f->rows,
                 policy_text(rule->policy_name, rule->policy, fields),
                 rule->policy.sr_rule == SF8_SR_A ? " sr_rule=a" : "");
    if ((int)rule->policy.sr_bits < width || rule->bits == SR_LOW_INVERTED)
        output_print(out, "; of the random number the %u %s bit%s", first, places[rule->bits],
                     first == 1 ? "" : "s");
    if (last > first)
        output_print(out, first + 1 == last ? ", or %u" : ", or %u to %u", first + 1, last);
    output_print(out, "\n");
}

static int same_but_bits(const stochastic_rule *a, const stochastic_rule *b)
{
    return strcmp(a->policy_name, b->policy_name) == 0 && a->bits == b->bits &&
           a->policy.sr_rule == b->policy.sr_rule;
}

/* The last number of bits of a run from rule i on, all of which explain all rows. */
static unsigned last_of_run(const stochastic_findings *f, size_t i, int width)
{
    unsigned last = f->rule[i].policy.sr_bits;
    for (size_t k = i + 1; k < f->found; k++)
        if (same_but_bits(&f->rule[k], &f->rule[i]) && f->rule[k].policy.sr_bits == last + 1 &&
            (int)last + 1 < width)
            last++;
    return last;
}

static int continues_run(const stochastic_findings *f, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (same_but_bits(&f->rule[k], &f->rule[i]) &&
            f->rule[k].policy.sr_bits + 1 == f->rule[i].policy.sr_bits)
            return 1;
    return 0;
}

/* The rules that explain all rows: those that take the whole random number come first; numbers of
 * bits that follow each other are one line. */
static void print_all(output *out, const stochastic_findings *f, int width)
{
    for (size_t i = 0; i < f->found; i++)
        if ((int)f->rule[i].policy.sr_bits == width)
            print_rule(out, f, &f->rule[i], width, (unsigned)width);
    for (size_t i = 0; i < f->found; i++)
        if ((int)f->rule[i].policy.sr_bits < width && !continues_run(f, i))
            print_rule(out, f, &f->rule[i], width, last_of_run(f, i, width));
    if (f->found > 1)
        output_print(out, "more lines may tell these apart\n");
}

static void print_different(output *out, const stochastic_rule *rule, const rows *r, sf8_format to,
                            sf8_format from)
{
    size_t shown = 0;
    int digits = word_digits(sf8_format_bits(to));
    output_print(out, "what differs from the first of them\n");
    for (size_t i = 0; i < r->count; i++) {
        uint64_t right = stochastic_code(to, from, rule, r->width, &r->row[i]);
        if (right != r->row[i].code && shown++ < SHOWN)
            output_print(out, "  line %llu gives %0*llx, not %0*llx\n",
                         (unsigned long long)r->row[i].line, digits,
                         (unsigned long long)r->row[i].code, digits, (unsigned long long)right);
    }
    if (shown > SHOWN)
        output_print(out, "  and %zu more\n", shown - SHOWN);
}

int identify_random(const char *path, const char *to_name, const char *from_name)
{
    sf8_format to = format_of_name(to_name), from = format_of_name(from_name);
    stochastic_findings f;
    char fields[1024];
    rows r = read_rows(path, to, from);
    stochastic_search(&f, to, from, r.width, r.row, r.count);
    output *out = output_open(NULL);
    output_print(out, "input: %s, %s to %s, %zu lines with random numbers of %d bits\n",
                 printable(input_name(path)), from_name, to_name, r.count, r.width);
    int held = f.found > 0 && f.rule[0].explained == f.rows;
    if (f.is_fixed)
        output_print(out, "the random numbers have no effect: %s gives all codes\n",
                     policy_text(f.fixed.policy_name, f.fixed.policy, fields));
    output_print(out, held ? "explained by\n" : "no rule of %zu explains all; the best\n", f.tried);
    size_t all = 0;
    while (all < f.found && f.rule[all].explained == f.rows)
        all++;
    for (size_t i = 0; !held && i < f.found && i < STOCHASTIC_BEST; i++)
        print_rule(out, &f, &f.rule[i], r.width, f.rule[i].policy.sr_bits);
    f.found = held ? all : f.found;
    if (held)
        print_all(out, &f, r.width);
    if (!held && f.found)
        print_different(out, &f.rule[0], &r, to, from);
    output_close(out);
    free(r.row);
    return held || f.is_fixed ? STATUS_HELD : STATUS_MISMATCH;
}
