/* SPDX-License-Identifier: MIT */
/* record_report.c -- what was counted in the records of a cache, in sentences, a table and JSON */
#include "inspect/record.h"
#include "base/json_writer.h"
#include "cli/text_table.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- sentences ------------------------------------------------------------------------------- */

static void say(record_report *r, const char *format, ...) CLI_PRINTF(2, 3);

static void say(record_report *r, const char *format, ...)
{
    va_list list;
    if (r->findings == sizeof r->finding / sizeof r->finding[0])
        return;
    va_start(list, format);
    vsnprintf(r->finding[r->findings++], sizeof r->finding[0], format, list);
    va_end(list);
}

/* "latent: 3 of 512 are NaN, the first in token 1, number 17" */
static int say_tally(record_report *r, const record_field *f, const record_tally *t, uint64_t of,
                     const char *what)
{
    if (t->count)
        say(r, "%s: %llu of %llu %s, the first in token %zu, number %zu.", f->name,
            (unsigned long long)t->count, (unsigned long long)of, what, t->first.token,
            t->first.element);
    return t->count != 0;
}

static void judge_scales(record_report *r, const record_field *f, const record_counts *c)
{
    r->problems |= say_tally(r, f, &c->negative, c->values, "are negative");
    r->problems |= say_tally(r, f, &c->lost, c->values, "are 0, though their codes are not");
    say_tally(r, f, &c->loose, c->values,
              "do not fit their codes, none of which reaches half of the largest one");
    if (c->repeated.count)
        say(r,
            "%s: %llu token%s the scales of the token before, bit by bit, but other codes; the "
            "first is token %zu.",
            f->name, (unsigned long long)c->repeated.count,
            c->repeated.count == 1 ? " has" : "s have", c->repeated.first.token);
    r->problems |= c->repeated.count != 0;
}

/* Whether a field is such as only other bytes can be: values as large as no cache has, padding that
 * is not 0, a quarter of all scales wrong. */
static int is_strange(const record_report *r, const record_field *f, const record_counts *c)
{
    uint64_t odd = c->kind[CODE_NAN].count + c->kind[CODE_INFINITE].count + c->negative.count +
                   c->lost.count + c->loose.count;
    return f->kind == RECORD_SCALES   ? odd > c->values / 4
           : f->kind == RECORD_VALUES ? c->largest > 1e9
                                      : c->filled.count > f->count * (r->tokens - r->empty) / 2;
}

void record_judge(record_report *r)
{
    int strange = 0;
    for (int i = 0; i < r->layout.fields; i++) {
        const record_field *f = &r->layout.field[i];
        const record_counts *c = &r->of[i];
        r->problems |= say_tally(r, f, &c->kind[CODE_NAN], c->values, "are NaN");
        r->problems |= say_tally(r, f, &c->kind[CODE_INFINITE], c->values, "are infinite");
        if (f->kind == RECORD_SCALES)
            judge_scales(r, f, c);
        if (f->kind == RECORD_CODES && c->kind[CODE_LARGEST].count > c->values / 4)
            r->problems |= say_tally(r, f, &c->kind[CODE_LARGEST], c->values,
                                     "are the largest code, as if clipped");
        if (f->kind == RECORD_VALUES && c->values && c->kind[CODE_ZERO].count == c->values)
            say(r, "%s: all are 0.", f->name);
        say_tally(r, f, &c->filled, f->count * (r->tokens - r->empty), "bytes are not 0");
        strange |= is_strange(r, f, c);
    }
    if (strange)
        say(r, "The file may have another record, or pages of another length.");
    if (r->empty == r->tokens)
        say(r, "All tokens are empty: each byte is 0.");
}

/* ---- text ------------------------------------------------------------------------------------ */

static void show_field(text_table *table, const record_field *f, const record_counts *c)
{
    char range[64] = "-";
    if (c->largest > 0)
        snprintf(range, sizeof range, "%.6g to %.6g", c->least, c->largest);
    if (f->kind == RECORD_PAD)
        text_table_row(table, "%s\t%d\t%zu\t%zu bytes\t-\t-\t-\t-\t-", f->name, f->part + 1,
                       f->offset, f->count);
    else
        text_table_row(table, "%s\t%d\t%zu\t%zu %s\t%llu\t%llu\t%llu\t%llu\t%s", f->name,
                       f->part + 1, f->offset, f->count, f->format_name,
                       (unsigned long long)c->kind[CODE_NAN].count,
                       (unsigned long long)c->kind[CODE_INFINITE].count,
                       (unsigned long long)c->kind[CODE_LARGEST].count,
                       (unsigned long long)c->kind[CODE_ZERO].count, range);
}

void record_text(output *out, const record_report *r)
{
    const record_layout *l = &r->layout;
    for (int i = 0; i < r->findings; i++)
        output_print(out, "%s\n", r->finding[i]);
    if (!r->findings)
        output_print(out, "No NaN, no infinity, no scale of 0 or that does not fit, nothing that "
                          "looks clipped.\n");
    output_print(out, "\n%-12s%s\n%-12s%s, %zu bytes\n%-12s%zu", "file",
                 printable(input_name(r->path)), "record", printable(l->name), l->bytes, "tokens",
                 r->tokens);
    if (r->slots > 1)
        output_print(out, ", %zu in each page of %zu bytes", r->slots, r->page);
    output_print(out, "%s\n%-12s%zu\n\n",
                 l->parts > 1 ? "; the first parts of a page lie before the second ones" : "",
                 "empty", r->empty);
    text_table *table = text_table_new("%-5s  %4s  %4s  %12s  %5s  %5s  %7s  %6s  %s");
    text_table_row(table, "field\tpart\tat\tformat\tNaN\tInf\tlargest\tzero\tmagnitudes");
    for (int i = 0; i < l->fields; i++)
        show_field(table, &l->field[i], &r->of[i]);
    text_table_write(table, out);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void put_tally(json_writer *j, const char *key, const record_tally *t)
{
    jw_begin(j, key, '{');
    jw_unsigned(j, "count", t->count);
    if (t->count) {
        jw_unsigned(j, "token", t->first.token);
        jw_unsigned(j, "number", t->first.element);
    }
    jw_end(j);
}

static void put_field(json_writer *j, const record_field *f, const record_counts *c)
{
    static const char *const kinds[] = {"nan", "infinite", "largest", "zero"};
    static const char *const what[] = {"codes", "scales", "values", "padding"};
    jw_begin(jw_space(j, "\n   "), NULL, '{');
    jw_text(j, "name", f->name);
    jw_text(j, "kind", what[f->kind]);
    jw_unsigned(j, "part", (uint64_t)f->part + 1);
    jw_unsigned(j, "offset", f->offset);
    jw_unsigned(j, "count", f->count);
    if (f->kind == RECORD_PAD) {
        put_tally(j, "not_zero", &c->filled);
        jw_end(j);
        return;
    }
    jw_text(j, "format", f->format_name);
    for (int k = 0; k < CODE_KINDS; k++)
        put_tally(j, kinds[k], &c->kind[k]);
    jw_real(j, "least", c->largest > 0 ? c->least : NAN, 9);
    jw_real(j, "largest_value", c->largest > 0 ? c->largest : NAN, 9);
    if (f->kind == RECORD_SCALES) {
        jw_unsigned(j, "elements", f->of);
        put_tally(j, "negative", &c->negative);
        put_tally(j, "zero_of_other_codes", &c->lost);
        put_tally(j, "not_fitting", &c->loose);
        put_tally(j, "repeated", &c->repeated);
    }
    jw_end(j);
}

void record_json(output *out, const record_report *list, size_t count)
{
    json_writer j = {.put = output_put, .context = out};
    jw_begin(&j, NULL, '[');
    for (size_t i = 0; i < count; i++) {
        const record_report *r = &list[i];
        jw_begin(jw_space(&j, "\n "), NULL, '{');
        jw_text(jw_space(&j, "\n  "), "file", input_name(r->path));
        jw_text(&j, "record", r->layout.name);
        jw_begin(&j, "findings", '[');
        for (int k = 0; k < r->findings; k++)
            jw_text(&j, NULL, r->finding[k]);
        jw_end(&j);
        jw_unsigned(&j, "bytes", r->layout.bytes);
        jw_unsigned(&j, "tokens", r->tokens);
        jw_unsigned(&j, "empty", r->empty);
        jw_unsigned(&j, "tokens_of_page", r->slots);
        jw_begin(&j, "fields", '[');
        for (int k = 0; k < r->layout.fields; k++)
            put_field(&j, &r->layout.field[k], &r->of[k]);
        jw_end(jw_space(&j, "\n  "));
        jw_end(jw_space(&j, "\n "));
    }
    jw_end(jw_space(&j, "\n"));
}
