/* SPDX-License-Identifier: MIT */
/* text.c -- the report of kv inspect: sentences, counts, axes, and a picture of magnitudes
 */
#include "inspect/inspect.h"
#include "base/json_writer.h"
#include "cli/text_table.h"

#include <stdio.h>
#include <string.h>

typedef unsigned long long ull;

static const char *const kind_names[CODE_KINDS] = {"NaN", "infinite", "largest", "zero"};

/* In digits enough to tell all numbers of 8 bits. */
static const char *value_text(const inspect_report *r, uint64_t code, char text[32])
{
    snprintf(text, 32, "%.6g", inspect_value(r, code));
    return text;
}

/* ---- the codes ------------------------------------------------------------------------------- */

/* "12 blocks, keys and values, 16 tokens, 2 heads, 48 channels". */
static void shape_line(output *out, const inspect_report *r)
{
    output_print(out, "%-12s%llu of %s:", "codes", (ull)r->codes, r->format_name);
    for (int a = 0; a < r->axes; a++) {
        const inspect_axis *x = &r->axis[a];
        if (strcmp(x->name, "kv") == 0)
            output_print(out, "%s keys and values", a ? "," : "");
        else if (strcmp(x->name, "batch") == 0)
            output_print(out, "%s batch of %zu", a ? "," : "", x->length);
        else
            output_print(out, "%s %zu %s%s", a ? "," : "", x->length, x->name,
                         x->length == 1 ? "" : "s");
    }
    output_print(out, "\n");
}

static double share(uint64_t n, uint64_t of)
{
    return of ? 100.0 * (double)n / (double)of : 0;
}

static void kind_lines(output *out, const inspect_report *r)
{
    char place[INSPECT_PLACE], value[32];
    for (int k = 0; k < CODE_KINDS; k++) {
        output_print(out, "%-12s%llu", kind_names[k], (ull)r->count[k]);
        if (r->count[k])
            output_print(out, ", %.3g %%, first at %s", share(r->count[k], r->codes),
                         inspect_place(r, r->first[k], place));
        output_print(out, "\n");
    }
    uint64_t top = 0, sign = sf8_format_mag_mask(r->format) + 1, max = sf8_format_max(r->format);
    for (uint64_t code = 1; code <= max; code++)
        if (r->each[code] || r->each[code | sign])
            top = code;
    output_print(out, "%-12s%s", "amax", value_text(r, top, value));
    output_print(out, " of %s\n", value_text(r, max, value));
}

/* ---- the axes -------------------------------------------------------------------------------- */

/* The index with the largest share of a kind: "block 7: 12.5 %", "block 7 and 3 others: 100 %". */
static const char *worst_of(const inspect_axis *a, code_kind kind, char text[INSPECT_PLACE])
{
    size_t at = SIZE_MAX, others = 0;
    double most = 0;
    char one[INSPECT_PLACE];
    for (size_t i = 0; i < a->length; i++) {
        double part = share(a->count[kind][i], a->codes[i]);
        others = part > most ? 0 : others + (part == most && part > 0);
        if (part > most) {
            most = part;
            at = i;
        }
    }
    if (at == SIZE_MAX)
        return "-";
    inspect_index(a, at, one);
    if (others)
        snprintf(text, INSPECT_PLACE, "%.60s and %zu more: %.3g %%", one, others, most);
    else
        snprintf(text, INSPECT_PLACE, "%.60s: %.3g %%", one, most);
    return text;
}

static size_t with_bad(const inspect_axis *a)
{
    size_t n = 0;
    for (size_t i = 0; i < a->length; i++)
        n += a->count[CODE_NAN][i] + a->count[CODE_INFINITE][i] > 0;
    return n;
}

static void axis_table(output *out, const inspect_report *r)
{
    char largest[INSPECT_PLACE], zero[INSPECT_PLACE];
    text_table *table = text_table_new("%-10s  %-18s  %-26s  %s");
    text_table_row(table, "axis\tNaN, Inf in\tmost of the largest\tmost zeros");
    for (int a = 0; a < r->axes; a++) {
        const inspect_axis *x = &r->axis[a];
        if (x->length > 1)
            text_table_row(table, "%s\t%zu of %zu\t%s\t%s", x->name, with_bad(x), x->length,
                           worst_of(x, CODE_LARGEST, largest), worst_of(x, CODE_ZERO, zero));
    }
    output_print(out, "\n");
    text_table_write(table, out);
}

/* ---- the picture ----------------------------------------------------------------------------- */

/* A line for each power of two between the smallest and the largest magnitude that is there. */
static void picture(output *out, const inspect_report *r)
{
    enum { WIDTH = 50 };
    uint64_t sign = sf8_format_mag_mask(r->format) + 1, max = sf8_format_max(r->format);
    uint64_t step = (uint64_t)1 << r->format.man_bits, count[256] = {0}, most = 0;
    uint64_t first = UINT64_MAX, last = 0;
    char low[32], high[32];
    for (uint64_t code = 1; code <= max; code++) {
        uint64_t *n = &count[code / step];
        *n += r->each[code] + r->each[code | sign];
        most = *n > most ? *n : most;
    }
    for (uint64_t row = 0; row <= max / step; row++)
        if (count[row]) {
            first = first == UINT64_MAX ? row : first;
            last = row;
        }
    if (first == UINT64_MAX)
        return;
    text_table *table = text_table_new("%12s  %-12s %10s  %s");
    text_table_row(table, "magnitudes\tto\tcodes\t");
    for (uint64_t row = last + 1; row-- > first;) {
        uint64_t begin = row ? row * step : 1, end = (row + 1) * step - 1;
        char bar[WIDTH + 1] = "";
        memset(bar, '#', (size_t)((count[row] * WIDTH + most - 1) / most));
        text_table_row(table, "%s\t%s\t%llu\t%s", value_text(r, begin, low),
                       value_text(r, end < max ? end : max, high), (ull)count[row], bar);
    }
    output_print(out, "\n");
    text_table_write(table, out);
}

void inspect_text(output *out, const inspect_report *r)
{
    for (int i = 0; i < r->findings; i++)
        output_print(out, "%s\n", r->finding[i]);
    output_print(out, "\n%-12s%s\n", "file", printable(input_name(r->path)));
    shape_line(out, r);
    kind_lines(out, r);
    axis_table(out, r);
    picture(out, r);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* What is there of a kind, by index; an index without any is left out. */
static void put_counts(json_writer *j, const inspect_axis *a, code_kind kind)
{
    char text[24];
    jw_begin(j, kind_names[kind], '{');
    for (size_t i = 0; i < a->length; i++)
        if (a->count[kind][i]) {
            snprintf(text, sizeof text, "%zu", i);
            jw_unsigned(j, text, a->count[kind][i]);
        }
    jw_end(j);
}

static void put_axis(json_writer *j, const inspect_axis *a)
{
    jw_begin(jw_space(j, "\n   "), NULL, '{');
    jw_text(j, "name", a->name);
    jw_unsigned(j, "length", a->length);
    for (int k = 0; k < CODE_KINDS; k++)
        put_counts(j, a, (code_kind)k);
    jw_end(j);
}

static void put_report(json_writer *j, const inspect_report *r)
{
    char place[INSPECT_PLACE];
    jw_begin(jw_space(j, "\n "), NULL, '{');
    jw_text(jw_space(j, "\n  "), "file", input_name(r->path));
    jw_text(j, "format", r->format_name);
    jw_begin(j, "findings", '[');
    for (int i = 0; i < r->findings; i++)
        jw_text(j, NULL, r->finding[i]);
    jw_end(j);
    jw_unsigned(j, "codes", r->codes);
    for (int k = 0; k < CODE_KINDS; k++) {
        jw_begin(j, kind_names[k], '{');
        jw_unsigned(j, "count", r->count[k]);
        jw_text(j, "first", r->count[k] ? inspect_place(r, r->first[k], place) : NULL);
        jw_end(j);
    }
    jw_begin(j, "each_code", '[');
    for (int code = 0; code < 256; code++)
        jw_unsigned(j, NULL, r->each[code]);
    jw_end(j);
    jw_begin(j, "axes", '[');
    for (int a = 0; a < r->axes; a++)
        put_axis(j, &r->axis[a]);
    jw_end(jw_space(j, "\n  "));
    jw_end(jw_space(j, "\n "));
}

void inspect_json(output *out, const inspect_report *list, size_t count)
{
    json_writer j = {.put = output_put, .context = out};
    jw_begin(&j, NULL, '[');
    for (size_t i = 0; i < count; i++)
        put_report(&j, &list[i]);
    jw_end(jw_space(&j, "\n"));
}
