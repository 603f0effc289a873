/* SPDX-License-Identifier: MIT */
/* doctor_json.c -- the report of kv doctor as JSON: a list, an object a tensor */
#include "kv/doctor.h"
#include "cli/rows.h"

typedef unsigned long long ull;

static void text(output *out, const char *key, const char *value)
{
    output_print(out, "\"%s\": ", key);
    json_string(out, value);
    output_print(out, ", ");
}

static void integer(output *out, const char *key, uint64_t n)
{
    output_print(out, "\"%s\": %llu, ", key, (ull)n);
}

static void real(output *out, const char *key, double x)
{
    output_print(out, "\"%s\": %.9g, ", key, x);
}

/* A word of f32: a number, or null for NaN and infinity. */
static void word(output *out, const char *key, uint32_t w)
{
    if (sf8_f32_magnitude(w) < SF8_F32_INF)
        real(out, key, (double)sf8_f32_from_bits(w));
    else
        output_print(out, "\"%s\": null, ", key);
}

/* A number that may not be there. */
static void real_or_null(output *out, const char *key, int is_there, double x)
{
    if (is_there)
        real(out, key, x);
    else
        output_print(out, "\"%s\": null, ", key);
}

static void place(output *out, const kv_report *r, const char *key, size_t at)
{
    if (at == KV_NOWHERE)
        output_print(out, "\"%s\": null, ", key);
    else
        output_print(out, "\"%s\": {\"token\": %zu, \"head\": %zu, \"channel\": %zu}, ", key,
                     at / r->shape.channels, at % r->shape.channels / r->shape.size,
                     at % r->shape.size);
}

static void decibels(output *out, const char *key, double squares, double energy)
{
    char db[32];
    int is_there = squares > 0 && energy > 0;
    output_print(out, "\"%s\": %s, ", key, is_there ? kv_decibels(squares, energy, db) : "null");
}

static void worst_list(output *out, const kv_report *r, const char *key, const kv_worst *list,
                       size_t count, int tokens)
{
    output_print(out, "\"%s\": [", key);
    for (size_t i = 0; i < count; i++) {
        const kv_channel *s = &list[i].sums;
        output_print(out, i ? ",\n   {" : "\n   {");
        if (tokens)
            output_print(out, "\"token\": %zu, ", list[i].at);
        else
            output_print(out, "\"head\": %zu, \"channel\": %zu, ", list[i].at / r->shape.size,
                         list[i].at % r->shape.size);
        decibels(out, "sqnr_db", s->squares, s->energy);
        word(out, "amax", s->amax);
        integer(out, "clipped", s->clipped);
        integer(out, "made_zero", s->flushed);
        output_print(out, "\"wrong\": %llu}", (ull)s->wrong);
    }
    output_print(out, "],\n  ");
}

static void about_tensor(output *out, const kv_report *r)
{
    const kv_values *v = &r->values;
    text(out, "tensor", input_name(r->path));
    text(out, "format", r->stream.format_name);
    integer(out, "tokens", r->shape.tokens);
    integer(out, "heads", r->shape.heads);
    integer(out, "size", r->shape.size);
    output_print(out, "\n  ");
    integer(out, "count", v->count);
    integer(out, "nan", v->nan);
    integer(out, "infinite", v->infinite);
    integer(out, "zero", v->zero);
    place(out, r, "first_not_finite", v->bad_at);
    word(out, "amax", v->amax);
    place(out, r, "amax_at", v->amax_at);
    word(out, "median_channel_amax", r->median);
    integer(out, "outlier_channels", r->outliers);
    output_print(out, "\n  ");
    worst_list(out, r, "outliers", r->outlier, r->outliers_named, 0);
}

static void stored(output *out, const kv_report *r)
{
    const kv_tally *t = &r->tally[0];
    kv_used u = kv_tally_used(t, &r->ways[0]);
    integer(out, "above_largest", t->above);
    integer(out, "cast_to_nan", t->cast_nan);
    integer(out, "cast_to_infinity", t->cast_infinite);
    integer(out, "nan_lost", t->lost_nan);
    integer(out, "subnormal", t->subnormal);
    output_print(out, "\n  ");
    integer(out, "numbers_used", (uint64_t)u.numbers);
    integer(out, "numbers", (uint64_t)u.numbers_of);
    integer(out, "magnitudes_used", (uint64_t)u.magnitudes);
    integer(out, "magnitudes", (uint64_t)u.magnitudes_of);
    output_print(out, "\n  ");
    real_or_null(out, "max_abs_error", t->compared > 0, t->most_absolute);
    place(out, r, "max_abs_error_at", t->most_absolute > 0 ? t->absolute_at : KV_NOWHERE);
    output_print(out, "\"max_rel_error\": %.4g, ", t->most_relative);
    real_or_null(out, "mean_error", t->compared > 0,
                 t->compared ? r->sums[0].error / (double)t->compared : 0);
    output_print(out, "\n  \"codes\": [");
    for (uint32_t i = 0; i < 1u << sf8_recipe_bits(&r->ways[0].recipe); i++)
        output_print(out, "%s%llu", i ? ", " : "", (ull)t->codes[i]);
    output_print(out, "],\n  ");
    worst_list(out, r, "worst_channels", r->channel, r->channels, 0);
    worst_list(out, r, "worst_tokens", r->token, r->tokens, 1);
}

static void ways(output *out, const kv_report *r)
{
    output_print(out, "\"ways\": [");
    for (size_t i = 0; i < r->count; i++) {
        const kv_tally *t = &r->tally[i];
        const kv_way *w = &r->ways[i];
        output_print(out, i ? ",\n   {" : "\n   {");
        text(out, "name", w->name);
        if (w->unit != KV_HEADS &&
            (w->scale == KV_GIVEN || w->scale == KV_BY_AMAX || w->scale == KV_OF_TENSOR))
            output_print(out, "\"scale\": \"%08x\", ", (unsigned)w->g);
        else if (w->recipe.has_g && w->unit != KV_HEADS)
            output_print(out, "\"g\": \"%08x\", ", (unsigned)w->g);
        decibels(out, "sqnr_db", r->sums[i].squares, r->sums[i].energy);
        decibels(out, "median_channel_sqnr_db", r->noise[i].ratio, r->noise[i].is_there);
        integer(out, "clipped", t->clipped);
        integer(out, "made_zero", t->flushed);
        integer(out, "made_nan", t->made_wrong);
        output_print(out, "\"bytes\": %llu}", (ull)t->bytes);
    }
    output_print(out, "],\n  ");
}

/* Magnitudes by floor(log2), from the least bin with any on. */
static void bins(output *out, const kv_report *r)
{
    int first = 0, last = KV_BINS - 1;
    while (first < last && r->bins[first] == 0)
        first++;
    while (last > first && r->bins[last] == 0)
        last--;
    output_print(out, "\"histogram\": {\"of\": \"%s\", \"first_log2\": %d, \"counts\": [",
                 r->is_scaled ? "x / scale" : "x", first - KV_BIN_0);
    for (int i = first; i <= last; i++)
        output_print(out, "%s%llu", i > first ? ", " : "", (ull)r->bins[i]);
    output_print(out, "]},\n  ");
}

void kv_doctor_json(output *out, const kv_report *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        output_print(out, i ? ",\n {" : "[{");
        about_tensor(out, &list[i]);
        stored(out, &list[i]);
        ways(out, &list[i]);
        bins(out, &list[i]);
        output_print(out, "\"advice\": ");
        json_string(out, list[i].advice);
        output_print(out, "}");
    }
    output_print(out, "]\n");
}
