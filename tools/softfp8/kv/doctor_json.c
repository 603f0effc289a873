/* SPDX-License-Identifier: MIT */
/* doctor_json.c -- the report of kv doctor as JSON: a list with an object for each tensor */
#include "kv/doctor.h"
#include "base/json_writer.h"

#include <math.h>

#define NEXT_LINE " \n  " /* the blank at the end of a line is part of the document as it is */

/* A word of f32: a number, or null for NaN and infinity. */
static void put_f32(json_writer *j, const char *key, uint32_t w)
{
    jw_real(j, key, (double)sf8_f32_from_bits(w), 9);
}

static void put_place(json_writer *j, const kv_report *r, const char *key, size_t at)
{
    if (at == KV_NOWHERE) {
        jw_null(j, key);
        return;
    }
    jw_begin(j, key, '{');
    jw_unsigned(j, "token", at / r->shape.channels);
    jw_unsigned(j, "head", at % r->shape.channels / r->shape.size);
    jw_unsigned(j, "channel", at % r->shape.size);
    jw_end(j);
}

static void put_decibels(json_writer *j, const char *key, double squares, double energy)
{
    char db[32];
    jw_number(j, key, squares > 0 && energy > 0 ? kv_decibels(squares, energy, db) : NULL);
}

static void put_worst(json_writer *j, const kv_report *r, const kv_worst *worst, int tokens)
{
    const kv_channel *s = &worst->sums;
    jw_begin(jw_space(j, "\n   "), NULL, '{');
    if (tokens) {
        jw_unsigned(j, "token", worst->at);
    } else {
        jw_unsigned(j, "head", worst->at / r->shape.size);
        jw_unsigned(j, "channel", worst->at % r->shape.size);
    }
    put_decibels(j, "sqnr_db", s->squares, s->energy);
    put_f32(j, "amax", s->amax);
    jw_unsigned(j, "clipped", s->clipped);
    jw_unsigned(j, "made_zero", s->flushed);
    jw_unsigned(j, "wrong", s->wrong);
    jw_end(j);
}

static void put_worst_list(json_writer *j, const kv_report *r, const char *key,
                           const kv_worst *list, size_t count, int tokens)
{
    jw_begin(j, key, '[');
    for (size_t i = 0; i < count; i++)
        put_worst(j, r, &list[i], tokens);
    jw_end(j);
    jw_space(j, "\n  ");
}

static void put_tensor(json_writer *j, const kv_report *r)
{
    const kv_values *v = &r->values;
    jw_text(j, "tensor", input_name(r->path));
    jw_text(j, "format", r->format_name);
    jw_unsigned(j, "tokens", r->shape.tokens);
    jw_unsigned(j, "heads", r->shape.heads);
    jw_unsigned(j, "size", r->shape.size);
    jw_unsigned(jw_space(j, NEXT_LINE), "count", v->count);
    jw_unsigned(j, "nan", v->nan);
    jw_unsigned(j, "infinite", v->infinite);
    jw_unsigned(j, "zero", v->zero);
    put_place(j, r, "first_not_finite", v->bad_at);
    put_f32(j, "amax", v->amax);
    put_place(j, r, "amax_at", v->amax_at);
    put_f32(j, "median_channel_amax", r->median);
    jw_unsigned(j, "outlier_channels", r->outliers);
    put_worst_list(jw_space(j, NEXT_LINE), r, "outliers", r->outlier, r->outliers_named, 0);
}

uint64_t kv_doctor_problems(const kv_report *r)
{
    return r->values.nan + r->values.infinite + r->tally[0].clipped + r->tally[0].made_wrong;
}

static void put_stored(json_writer *j, const kv_report *r)
{
    const kv_tally *t = &r->tally[0];
    kv_used u = kv_tally_used(t, &r->ways[0]);
    jw_unsigned(j, "above_largest", t->above);
    jw_unsigned(j, "cast_to_nan", t->cast_nan);
    jw_unsigned(j, "cast_to_infinity", t->cast_infinite);
    jw_unsigned(j, "nan_lost", t->lost_nan);
    jw_unsigned(j, "subnormal", t->subnormal);
    jw_unsigned(jw_space(j, NEXT_LINE), "clipped", t->clipped);
    jw_unsigned(j, "made_nan", t->made_wrong);
    jw_unsigned(j, "problems", kv_doctor_problems(r));
    jw_unsigned(jw_space(j, NEXT_LINE), "numbers_used", (uint64_t)u.numbers);
    jw_unsigned(j, "numbers", (uint64_t)u.numbers_of);
    jw_unsigned(j, "magnitudes_used", (uint64_t)u.magnitudes);
    jw_unsigned(j, "magnitudes", (uint64_t)u.magnitudes_of);
    jw_real(jw_space(j, NEXT_LINE), "max_abs_error", t->compared ? t->most_absolute : NAN, 9);
    put_place(j, r, "max_abs_error_at", t->most_absolute > 0 ? t->absolute_at : KV_NOWHERE);
    jw_real(j, "max_rel_error", t->most_relative, 4);
    jw_real(j, "mean_error", t->compared ? r->sums[0].error / (double)t->compared : NAN, 9);
    jw_begin(jw_space(j, NEXT_LINE), "codes", '[');
    for (uint32_t i = 0; i < 1u << sf8_recipe_bits(&r->ways[0].recipe); i++)
        jw_unsigned(j, NULL, t->codes[i]);
    jw_end(j);
    put_worst_list(jw_space(j, "\n  "), r, "worst_channels", r->channel, r->channels, 0);
    put_worst_list(j, r, "worst_tokens", r->token, r->tokens, 1);
}

static void put_way(json_writer *j, const kv_report *r, size_t i)
{
    const kv_tally *t = &r->tally[i];
    const kv_way *w = &r->ways[i];
    jw_begin(jw_space(j, "\n   "), NULL, '{');
    jw_text(j, "name", w->name);
    if (w->unit != KV_HEADS &&
        (w->scale == KV_GIVEN || w->scale == KV_BY_AMAX || w->scale == KV_OF_TENSOR))
        jw_hex(j, "scale", w->g, 8);
    else if (w->recipe.has_g && w->unit != KV_HEADS)
        jw_hex(j, "g", w->g, 8);
    put_decibels(j, "sqnr_db", r->sums[i].squares, r->sums[i].energy);
    put_decibels(j, "median_channel_sqnr_db", r->noise[i].ratio, r->noise[i].is_there);
    jw_unsigned(j, "clipped", t->clipped);
    jw_unsigned(j, "made_zero", t->flushed);
    jw_unsigned(j, "made_nan", t->made_wrong);
    jw_unsigned(j, "bytes", t->bytes);
    jw_end(j);
}

/* Magnitudes by floor(log2), from the least bin with any on. */
static void put_bins(json_writer *j, const kv_report *r)
{
    int first = 0, last = KV_BINS - 1;
    while (first < last && r->bins[first] == 0)
        first++;
    while (last > first && r->bins[last] == 0)
        last--;
    jw_begin(j, "histogram", '{');
    jw_text(j, "of", r->is_scaled ? "x / scale" : "x");
    jw_signed(j, "first_log2", first - KV_BIN_0);
    jw_begin(j, "counts", '[');
    for (int i = first; i <= last; i++)
        jw_unsigned(j, NULL, r->bins[i]);
    jw_end(j);
    jw_end(j);
}

void kv_doctor_json(output *out, const kv_report *list, size_t count)
{
    json_writer j = {.put = output_put, .context = out};
    jw_begin(&j, NULL, '[');
    for (size_t i = 0; i < count; i++) {
        if (i)
            jw_space(&j, "\n ");
        jw_begin(&j, NULL, '{');
        put_tensor(&j, &list[i]);
        put_stored(&j, &list[i]);
        jw_begin(&j, "ways", '[');
        for (size_t way = 0; way < list[i].count; way++)
            put_way(&j, &list[i], way);
        jw_end(&j);
        put_bins(jw_space(&j, "\n  "), &list[i]);
        jw_text(jw_space(&j, "\n  "), "advice", list[i].advice);
        jw_end(&j);
    }
    jw_end(&j);
}
