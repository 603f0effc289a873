/* SPDX-License-Identifier: MIT */
/* doctor_measure.c -- reads a tensor in pieces: what it is, and what each way makes of it
 *
 * A piece is whole tokens, a multiple of DOCTOR_GROUP but for the last. Whatever is counted or
 * summed over pieces does not depend on their size.
 */
#include "kv/doctor_measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the tensor itself ----------------------------------------------------------------------- */

static void look_at(kv_values *v, uint32_t x, size_t channel, size_t head, size_t at)
{
    uint32_t size = sf8_f32_magnitude(x);
    v->count++;
    v->zero += size == 0;
    if (size >= SF8_F32_INF) {
        v->nan += size > SF8_F32_INF;
        v->infinite += size == SF8_F32_INF;
        v->bad_at = v->bad_at == KV_NOWHERE ? at : v->bad_at;
    } else if (size > v->channel[channel].amax) {
        v->channel[channel].amax = size;
    }
    uint32_t most = sf8_f32_most(v->amax, size);
    if (most != v->amax) {
        v->amax = most;
        v->amax_at = at;
    }
    v->head_amax[head] = sf8_f32_most(v->head_amax[head], size);
}

static void look(kv_work *w)
{
    const kv_shape *s = &w->r->shape;
    size_t i = 0, at = w->first * s->channels;
    for (size_t t = 0; t < w->tokens; t++)
        for (size_t c = 0; c < s->channels; c++, i++)
            look_at(&w->r->values, w->x[i], c, c / s->size, at + i);
}

/* ---- magnitudes ------------------------------------------------------------------------------ */

/* floor(log2) of a magnitude that is neither 0 nor beyond the numbers, as a bin. */
static int bin_of(uint32_t size)
{
    int field = (int)(size >> 23), log = 0;
    if (field)
        return field - 127 + KV_BIN_0;
    while (size >> (log + 1))
        log++;
    return log;
}

static void bin_all(kv_work *w)
{
    kv_report *r = w->r;
    const kv_way *way = &r->ways[0];
    for (size_t i = 0; i < w->count; i++) {
        uint32_t size = sf8_f32_magnitude(w->x[i]);
        uint32_t scale = way->head_g ? way->head_g[i % r->shape.channels / r->shape.size] : way->g;
        if (r->is_scaled && size < SF8_F32_INF)
            size = sf8_f32_div(size, scale);
        if (size > 0 && size < SF8_F32_INF)
            r->bins[bin_of(size)]++;
    }
}

/* ---- the passes ------------------------------------------------------------------------------ */

/* More wrong, or a smaller SQNR. */
static int is_worse(const kv_channel *a, const kv_channel *b)
{
    if (a->wrong != b->wrong)
        return a->wrong > b->wrong;
    return a->squares * b->energy > b->squares * a->energy;
}

/* Keeps the worst, the first of equals. */
static void keep_worst(kv_worst *list, size_t *count, size_t at, const kv_channel *sums)
{
    size_t i = *count;
    if (sums->wrong == 0 && sums->squares == 0)
        return;
    if (i == DOCTOR_WORST && !is_worse(sums, &list[i - 1].sums))
        return;
    i -= i == DOCTOR_WORST;
    *count = i + 1;
    for (; i > 0 && is_worse(sums, &list[i - 1].sums); i--)
        list[i] = list[i - 1];
    list[i].at = at;
    list[i].sums = *sums;
}

static void take_piece(kv_work *w)
{
    kv_report *r = w->r;
    memset(w->token, 0, w->tokens * sizeof w->token[0]);
    for (size_t i = 0; i < r->count; i++)
        kv_take_way(w, i);
    bin_all(w);
    for (size_t t = 0; t < w->tokens; t++)
        keep_worst(r->token, &r->tokens, w->first + t, &w->token[t]);
}

static void tell(const kv_report *r, uint64_t done, uint64_t total)
{
    if (r->source.progress)
        r->source.progress(r->path, done, total);
}

/* The tensor once; `looks` and `takes` say what is done with each piece. */
static void pass(kv_work *w, size_t piece, int looks, int takes, uint64_t done)
{
    kv_report *r = w->r;
    uint64_t total = r->values.channel ? (uint64_t)r->source.words * (looks && takes ? 1 : 2) : 0;
    for (w->first = 0;; w->first += w->tokens) {
        w->count = r->source.read(r->source.context, w->x, piece * r->shape.channels);
        w->tokens = w->count / r->shape.channels;
        if (w->count == 0)
            return;
        if (looks)
            look(w);
        if (takes)
            take_piece(w);
        done += w->count;
        tell(r, done, total);
    }
}

static void work_begin(kv_work *w, kv_report *r, size_t piece)
{
    size_t n = piece * r->shape.channels;
    memset(w, 0, sizeof *w);
    w->r = r;
    w->x = allocate(n, sizeof w->x[0]);
    w->arranged = allocate(n, sizeof w->arranged[0]);
    w->places = allocate(n, sizeof w->places[0]);
    w->codes = allocate(n, 1);
    w->other = allocate(n, 1);
    w->values = allocate(n, sizeof w->values[0]);
    w->inward = allocate(n, sizeof w->inward[0]);
    w->scales = allocate(n, sizeof w->scales[0]);
    w->offsets = allocate(n, sizeof w->offsets[0]);
    w->token = allocate(piece, sizeof w->token[0]);
    w->noise = allocate(2 * r->count * r->shape.channels, sizeof w->noise[0]);
}

static void work_end(kv_work *w)
{
    free(w->x);
    free(w->arranged);
    free(w->places);
    free(w->codes);
    free(w->other);
    free(w->values);
    free(w->inward);
    free(w->scales);
    free(w->offsets);
    free(w->token);
    free(w->noise);
}

/* Tokens of a piece: those asked for, or some 2^18 values. */
static size_t piece_of(const kv_report *r, size_t asked)
{
    size_t piece = asked ? asked : ((size_t)1 << 18) / r->shape.channels;
    size_t most = ((size_t)1 << 28) / r->shape.channels;
    piece = piece < most ? piece : most;
    piece = piece / DOCTOR_GROUP * DOCTOR_GROUP;
    piece = piece ? piece : DOCTOR_GROUP;
    return piece < r->shape.tokens ? piece : r->shape.tokens;
}

static int by_size(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The median of the channels' noise; the lower one of two. */
static kv_noise noise_of(const double *noise, size_t channels)
{
    kv_noise median = {0, 0};
    double *ratio = allocate(channels, sizeof ratio[0]);
    size_t n = 0;
    for (size_t c = 0; c < channels; c++)
        if (noise[2 * c + 1] > 0)
            ratio[n++] = noise[2 * c] / noise[2 * c + 1];
    qsort(ratio, n, sizeof ratio[0], by_value);
    if (n) {
        median.is_there = 1;
        median.ratio = ratio[(n - 1) / 2];
    }
    free(ratio);
    return median;
}

/* Channels by their amax and by their errors. */
static void rank_channels(kv_report *r)
{
    const kv_channel *channel = r->values.channel;
    size_t n = r->shape.channels;
    uint32_t *amax = allocate(n, sizeof amax[0]);
    for (size_t i = 0; i < n; i++)
        amax[i] = channel[i].amax;
    qsort(amax, n, sizeof amax[0], by_size);
    r->median = amax[(n - 1) / 2];
    free(amax);
    double limit = (double)sf8_f32_from_bits(r->median) * DOCTOR_OUTLIER;
    for (size_t i = 0; i < n; i++) {
        keep_worst(r->channel, &r->channels, i, &channel[i]);
        if (r->median == 0 || (double)sf8_f32_from_bits(channel[i].amax) <= limit)
            continue;
        r->outliers++;
        size_t k = r->outliers_named;
        if (k == DOCTOR_WORST && channel[i].amax <= r->outlier[k - 1].sums.amax)
            continue;
        k -= k == DOCTOR_WORST;
        r->outliers_named = k + 1;
        for (; k > 0 && channel[i].amax > r->outlier[k - 1].sums.amax; k--)
            r->outlier[k] = r->outlier[k - 1];
        r->outlier[k].at = i;
        r->outlier[k].sums = channel[i];
    }
}

int kv_doctor_measure(kv_report *r, size_t asked, int one_pass, char why[160])
{
    size_t piece = piece_of(r, asked);
    kv_values *v = &r->values;
    kv_work w;
    int good = 1;
    work_begin(&w, r, piece);
    v->channel = allocate(r->shape.channels, sizeof v->channel[0]);
    v->head_amax = allocate(r->shape.heads, sizeof v->head_amax[0]);
    v->amax = SF8_F32_NAN;
    v->amax_at = v->bad_at = KV_NOWHERE;
    for (size_t h = 0; h < r->shape.heads; h++)
        v->head_amax[h] = SF8_F32_NAN;
    for (size_t i = 0; i < r->count; i++)
        kv_tally_begin(&r->tally[i]);
    if (!one_pass) {
        pass(&w, piece, 1, 0, 0);
        r->source.rewind(r->source.context);
    }
    for (size_t i = 0; i < r->count && good; i++) {
        good = kv_way_settle(&r->ways[i], v, &r->shape);
        if (!good)
            snprintf(why, 160, "%s: a recipe for a whole tensor needs one f32 scale and no offset",
                     r->ways[i].name);
    }
    if (good)
        pass(&w, piece, one_pass, 1, one_pass ? 0 : r->source.words);
    for (size_t i = 0; i < r->count; i++) {
        const kv_way *way = &r->ways[i];
        r->sums[i] = kv_tally_sums(&r->tally[i]);
        r->noise[i] = noise_of(w.noise + 2 * i * r->shape.channels, r->shape.channels);
        if (way->unit == KV_HEADS)
            r->tally[i].bytes += 4 * r->shape.heads;
        else if (way->unit == KV_TENSOR || way->recipe.has_g)
            r->tally[i].bytes += 4;
    }
    rank_channels(r);
    tell(r, r->source.words, r->source.words);
    work_end(&w);
    return good;
}
