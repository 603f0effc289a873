/* SPDX-License-Identifier: MIT */
/* doctor_text.c -- the report of kv doctor as text */
#include "kv/doctor.h"
#include "cli/text_table.h"

#include <stdio.h>

typedef unsigned long long ull;

static double number(uint32_t word)
{
    return (double)sf8_f32_from_bits(word);
}

/* "head 3, channel 77", or without heads "channel 77". */
static const char *channel_text(const kv_report *r, size_t channel, char text[64])
{
    if (r->shape.heads > 1)
        snprintf(text, 64, "head %zu, channel %zu", channel / r->shape.size,
                 channel % r->shape.size);
    else
        snprintf(text, 64, "channel %zu", channel);
    return text;
}

static void at(output *out, const kv_report *r, size_t place)
{
    char text[64];
    if (place != KV_NOWHERE)
        output_print(out, " at token %zu, %s", place / r->shape.channels,
                     channel_text(r, place % r->shape.channels, text));
    output_print(out, "\n");
}

static void label(output *out, const char *text)
{
    output_print(out, "%-15s", text);
}

static void count_line(output *out, const char *what, uint64_t n, const char *remark)
{
    label(out, what);
    output_print(out, "%llu%s%s\n", (ull)n, *remark ? "  " : "", remark);
}

/* ---- the tensor ------------------------------------------------------------------------------ */

static void outliers(output *out, const kv_report *r)
{
    char text[64];
    label(out, "channels");
    output_print(out, "%zu, median amax %.6g; %zu outlier%s (amax above %d x median)\n",
                 r->shape.channels, number(r->median), r->outliers, r->outliers == 1 ? "" : "s",
                 (int)DOCTOR_OUTLIER);
    for (size_t i = 0; i < r->outliers_named; i++) {
        const kv_worst *w = &r->outlier[i];
        label(out, i ? "" : "outliers");
        output_print(out, "%s: amax %.6g, %.4g x median\n", channel_text(r, w->at, text),
                     number(w->sums.amax), number(w->sums.amax) / number(r->median));
    }
}

static void about_tensor(output *out, const kv_report *r)
{
    const kv_shape *s = &r->shape;
    const kv_values *v = &r->values;
    label(out, "tensor");
    output_print(out, "%s\n", printable(input_name(r->path)));
    label(out, "values");
    output_print(out, "%llu of %s: %zu token%s, ", (ull)v->count, r->format_name, s->tokens,
                 s->tokens == 1 ? "" : "s");
    if (s->heads > 1)
        output_print(out, "%zu heads of %zu\n", s->heads, s->size);
    else
        output_print(out, "%zu channel%s\n", s->channels, s->channels == 1 ? "" : "s");
    label(out, "NaN, Inf");
    output_print(out, "%llu, %llu", (ull)v->nan, (ull)v->infinite);
    if (v->bad_at != KV_NOWHERE)
        output_print(out, "; first");
    at(out, r, v->bad_at);
    count_line(out, "zero", v->zero, "");
    label(out, "amax");
    if (v->amax > SF8_F32_INF)
        output_print(out, "none: all values are NaN");
    else
        output_print(out, "%.9g = %08x", number(v->amax), (unsigned)v->amax);
    at(out, r, v->amax_at);
    outliers(out, r);
}

/* ---- as it is stored ------------------------------------------------------------------------- */

static void store_line(output *out, const kv_report *r, const kv_doctor_options *o)
{
    const kv_way *w = &r->ways[0];
    label(out, "stored");
    if (w->row)
        output_print(out, "by the recipe %s", w->row->name);
    else
        output_print(out, "x / scale as %s, policy %s", o->format ? o->format : "e4m3",
                     o->policy ? o->policy : "cuda-satfinite");
    if (w->unit == KV_HEADS)
        output_print(out, ", one scale per head\n");
    else if (w->scale == KV_GIVEN)
        output_print(out, ", scale %.9g = %08x%s\n", number(w->g), (unsigned)w->g,
                     o->scale ? "" : " (default)");
    else if (w->scale == KV_OF_TENSOR)
        output_print(out, ", scale %.9g = %08x from amax\n", number(w->g), (unsigned)w->g);
    else if (w->recipe.has_g)
        output_print(out, ", g %.9g = %08x\n", number(w->g), (unsigned)w->g);
    else
        output_print(out, "\n");
}

/* The largest value of a code, "448", and the end of what rounds to it, "464"; "" for integers. */
static void limits(const kv_way *w, char largest[32], char limit[32])
{
    const sf8_recipe *r = &w->recipe;
    largest[0] = limit[0] = '\0';
    if (r->integer)
        return;
    uint32_t max = (uint32_t)sf8_format_max(r->element);
    double e = number(sf8_block_element(r, max));
    snprintf(largest, 32, "%.9g", e);
    snprintf(limit, 32, "%.9g", e + e * w->half[max]);
}

/* Does the cast make the largest number, and not NaN or infinity, of what is too large? */
static int saturates(const kv_way *w)
{
    const sf8_recipe *r = &w->recipe;
    uint64_t code = sf8_convert(r->element, SF8_F32, 0x7f7fffff, r->element_policy);
    return sf8_f32_magnitude(sf8_block_element(r, (uint32_t)code)) < SF8_F32_INF;
}

static void counts(output *out, const kv_report *r)
{
    const kv_tally *t = &r->tally[0];
    const kv_way *w = &r->ways[0];
    char largest[32], limit[32], text[128] = "";
    limits(w, largest, limit);
    kv_used u = kv_tally_used(t, w);
    if (*largest)
        snprintf(text, sizeof text, "above %s x scale", largest);
    count_line(out, "above largest", t->above, text);
    if (*limit && !saturates(w))
        snprintf(text, sizeof text, "above %s x scale: NaN or Inf, not clipped", limit);
    else if (*limit)
        snprintf(text, sizeof text, "above %s x scale: clipped to %s", limit, largest);
    count_line(out, "clipped", t->clipped, text);
    label(out, "cast to NaN");
    output_print(out, "without saturation: %llu NaN, %llu Inf; as configured: %llu\n",
                 (ull)t->cast_nan, (ull)t->cast_infinite, (ull)t->made_wrong);
    if (t->lost_nan)
        count_line(out, "NaN lost", t->lost_nan, "NaN read back as a number");
    count_line(out, "made zero", t->flushed, "");
    if (!w->recipe.integer)
        count_line(out, "subnormal", t->subnormal, "");
    label(out, "codes used");
    output_print(out, "%d of %d numbers, %d of %d magnitudes above 0\n", u.numbers, u.numbers_of,
                 u.magnitudes, u.magnitudes_of);
}

static void errors(output *out, const kv_report *r)
{
    const kv_tally *t = &r->tally[0];
    const kv_sums *s = &r->sums[0];
    char text[32];
    if (t->compared == 0) {
        label(out, "errors");
        output_print(out, "none: no value is a number both before and after\n");
        return;
    }
    label(out, "max abs error");
    output_print(out, "%.6g", t->most_absolute);
    at(out, r, t->most_absolute > 0 ? t->absolute_at : KV_NOWHERE);
    label(out, "max rel error");
    output_print(out, "%.4g\n", t->most_relative);
    label(out, "mean error");
    output_print(out, "%.6g\n", s->error / (double)t->compared);
    label(out, "SQNR");
    output_print(out, "%s dB%s\n", kv_decibels(s->squares, s->energy, text),
                 t->made_wrong ? ", without what becomes NaN or infinite" : "");
}

static void worst_list(output *out, const kv_report *r, const char *what, const kv_worst *list,
                       size_t count, int tokens)
{
    char text[64], decibels[32];
    if (count == 0)
        return;
    text_table *table = text_table_new("%-24s %8s %12s %9s %9s %9s");
    text_table_row(table, "%s\tSQNR dB\tamax\tclipped\tzeros\tNaN, Inf", what);
    for (size_t i = 0; i < count; i++) {
        const kv_channel *s = &list[i].sums;
        if (tokens)
            snprintf(text, sizeof text, "token %zu", list[i].at);
        else
            channel_text(r, list[i].at, text);
        text_table_row(table, "%s\t%s\t%.6g\t%llu\t%llu\t%llu", text,
                       kv_decibels(s->squares, s->energy, decibels), number(s->amax),
                       (ull)s->clipped, (ull)s->flushed, (ull)s->wrong);
    }
    output_print(out, "\n");
    text_table_write(table, out);
}

/* ---- other storage ------------------------------------------------------------------------------
 */

static void table(output *out, const kv_report *r)
{
    char all[32], median[32];
    text_table *lines = text_table_new("%-24s %8s %8s %9s %9s %9s %9s");
    text_table_row(lines, "storage\tSQNR dB\tmedian\tclipped\tzeros\tmade NaN\tbytes/x");
    for (size_t i = 0; i < r->count; i++) {
        const kv_tally *t = &r->tally[i];
        text_table_row(
            lines, "%s\t%s\t%s\t%llu\t%llu\t%llu\t%.6f", i ? r->ways[i].name : "as configured",
            kv_decibels(r->sums[i].squares, r->sums[i].energy, all),
            kv_decibels(r->noise[i].ratio, r->noise[i].is_there, median), (ull)t->clipped,
            (ull)t->flushed, (ull)t->made_wrong, (double)t->bytes / (double)t->count);
    }
    output_print(out, "\n");
    text_table_write(lines, out);
}

void kv_doctor_text(output *out, const kv_report *r, const kv_doctor_options *o)
{
    about_tensor(out, r);
    store_line(out, r, o);
    counts(out, r);
    errors(out, r);
    worst_list(out, r, "worst channels", r->channel, r->channels, 0);
    worst_list(out, r, "worst tokens", r->token, r->tokens, 1);
    table(out, r);
    output_print(out, "\n%s\n", r->advice);
}
