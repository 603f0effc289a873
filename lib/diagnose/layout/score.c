/* SPDX-License-Identifier: MIT */
/* score.c -- readings scored against the values, and ranked
 *
 * All readings at once, over a stretch of elements: what they share, the codes in order and the
 * scales in order, is found once for all that have it.
 */
#include "diagnose/layout/score.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 14, SAMPLE = 1 << 18, TABLE = 1 << 12 };

/* What a code with a scale stands for: y, and the magnitudes that would have been rounded to it. */
typedef struct window {
    float y, least, most;
} window;

/* What codes and scales are, for readings that have the same of it; of each scale's byte with each
 * code of 4 bits a window, if there are more elements than these. */
typedef struct meaning {
    layout_reading part;
    layout_meaning m;
    window *table; /* or NULL */
} meaning;

/* ---- what readings share --------------------------------------------------------------------- */

typedef struct shared {
    layout_reading part;
    uint32_t *scales; /* all of them in order, or NULL */
    size_t across;    /* of these */
    uint32_t *words;  /* codes or scales of the elements of the chunk */
    float *amax;      /* of the blocks, if this was the first to need them */
} shared;

typedef struct scorer {
    const layout_data *d;
    shared *codes, *scales;
    meaning *meanings;
    size_t code_count, scale_count, meaning_count;
    size_t *code_of, *scale_of, *meaning_of; /* for each reading */
    size_t row[CHUNK], column[CHUNK];        /* the elements of the chunk */
    float x[CHUNK];
    size_t count;
} scorer;

static size_t share(const layout_data *d, shared *list, size_t *count, layout_reading part)
{
    for (size_t i = 0; i < *count; i++) {
        if (layout_same(&list[i].part, &part))
            return i;
    }
    shared *s = &list[(*count)++];
    s->part = part;
    s->words = search_allocate(d->context, CHUNK, sizeof *s->words);
    return *count - 1;
}

static window window_of(const layout_meaning *m, uint32_t code, uint32_t scale);

static size_t share_meaning(scorer *s, const layout_reading *h, int has_table)
{
    const layout_data *d = s->d;
    layout_reading part = layout_meaning_part(h);
    for (size_t i = 0; i < s->meaning_count; i++)
        if (layout_same(&s->meanings[i].part, &part) && s->meanings[i].part.factor == part.factor)
            return i;
    meaning *m = &s->meanings[s->meaning_count++];
    m->part = part;
    layout_meaning_of(d, h, &m->m);
    if (!has_table || m->m.scale_kind >= SCALE_FLOAT)
        return s->meaning_count - 1;
    m->table = search_allocate(d->context, TABLE, sizeof *m->table);
    for (uint32_t i = 0; i < TABLE; i++)
        m->table[i] = window_of(&m->m, i & 15, i >> 4);
    return s->meaning_count - 1;
}

/* The largest magnitudes of the blocks of scales i, or those of others with such blocks. */
static const float *share_amax(scorer *s, size_t i)
{
    const layout_reading *h = &s->scales[i].part;
    for (size_t k = 0; k < i; k++) {
        const layout_reading *other = &s->scales[k].part;
        if (s->scales[k].amax && other->at[AXIS_BLOCK] == h->at[AXIS_BLOCK] &&
            other->at[AXIS_ALONG] == h->at[AXIS_ALONG])
            return s->scales[k].amax;
    }
    return s->scales[i].amax = layout_amax(s->d, h);
}

/* For the first `elements` elements of each reading. */
static scorer *begin(const layout_data *d, const layout_found *list, size_t count, size_t elements)
{
    scorer *s = search_allocate(d->context, 1, sizeof *s);
    s->d = d;
    s->codes = search_allocate(d->context, count, sizeof *s->codes);
    s->scales = search_allocate(d->context, count, sizeof *s->scales);
    s->meanings = search_allocate(d->context, count, sizeof *s->meanings);
    s->code_of = search_allocate(d->context, count, sizeof *s->code_of);
    s->scale_of = search_allocate(d->context, count, sizeof *s->scale_of);
    s->meaning_of = search_allocate(d->context, count, sizeof *s->meaning_of);
    for (size_t i = 0; i < count; i++) {
        const layout_reading *h = &list[i].reading;
        s->code_of[i] = share(d, s->codes, &s->code_count, layout_code_part(h));
        s->scale_of[i] = share(d, s->scales, &s->scale_count, layout_scale_part(h));
        s->meaning_of[i] = share_meaning(s, h, d->bits == 4 && elements > TABLE);
    }
    for (size_t i = 0; i < s->scale_count; i++) {
        size_t grid[2];
        layout_grid(d, &s->scales[i].part, grid);
        s->scales[i].across = grid[1];
        s->scales[i].scales = layout_scales(d, &s->scales[i].part);
        if (layout_is_rounded(s->scales[i].part.at[AXIS_SCALE]))
            layout_unround(d, &s->scales[i].part, share_amax(s, i), s->scales[i].scales);
    }
    return s;
}

static void end(const layout_data *d, scorer *s)
{
    for (size_t i = 0; i < s->code_count; i++)
        search_free(d->context, s->codes[i].words);
    for (size_t i = 0; i < s->scale_count; i++) {
        search_free(d->context, s->scales[i].words);
        search_free(d->context, s->scales[i].scales);
        search_free(d->context, s->scales[i].amax);
    }
    for (size_t i = 0; i < s->meaning_count; i++)
        search_free(d->context, s->meanings[i].table);
    search_free(d->context, s->codes);
    search_free(d->context, s->scales);
    search_free(d->context, s->meanings);
    search_free(d->context, s->code_of);
    search_free(d->context, s->scale_of);
    search_free(d->context, s->meaning_of);
    search_free(d->context, s);
}

/* The codes and the scales of the chunk's elements, for all readings. */
static void gather(scorer *s)
{
    const layout_data *d = s->d;
    for (size_t k = 0; k < s->code_count; k++) {
        const layout_reading *h = &s->codes[k].part;
        for (size_t i = 0; i < s->count; i++)
            s->codes[k].words[i] = layout_code(d, layout_code_index(d, h, s->row[i], s->column[i]));
    }
    for (size_t k = 0; k < s->scale_count; k++) {
        const shared *list = &s->scales[k];
        size_t sides[2];
        layout_sides(d, &list->part, sides);
        for (size_t i = 0; i < s->count; i++)
            list->words[i] =
                list->scales[s->row[i] / sides[0] * list->across + s->column[i] / sides[1]];
    }
}

/* ---- one element ----------------------------------------------------------------------------- */

static float value_of(const layout_meaning *m, uint32_t code, uint32_t scale)
{
    if (m->scale_kind >= SCALE_FLOAT)
        return m->value[code] * layout_float_scale(m, scale);
    return m->value[code] * m->scale[scale];
}

/* What the scale may have been: from least to most. */
typedef struct span {
    float least, most;
} span;

static span scale_of(const layout_meaning *m, uint32_t code, uint32_t scale)
{
    if (m->scale_kind >= SCALE_FLOAT) {
        float s = layout_float_scale(m, scale);
        s = s != 0 ? (s < 0 ? -s : s) : -1;
        return (span){s, s};
    }
    return (span){m->least[scale], m->is_top[code] ? m->top[scale] : m->most[scale]};
}

static window window_of(const layout_meaning *m, uint32_t code, uint32_t scale)
{
    span s = scale_of(m, code, scale);
    if (m->scale_kind < SCALE_FLOAT && m->scale[scale] == 0 && s.most >= 0 && !m->lost[code])
        return (window){
            0, 0, m->most[scale]}; /* of a scale that was rounded to 0: of all codes the same */
    return (window){value_of(m, code, scale), m->low[code] * s.least, m->high[code] * s.most};
}

static window find_window(const meaning *m, uint32_t code, uint32_t scale)
{
    return m->table ? m->table[scale << 4 | code] : window_of(&m->m, code, scale);
}

static int is_explained(window w, float x)
{
    float size = x < 0 ? -x : x;
    return ((w.y == 0) | ((x < 0) == (w.y < 0))) & (size >= w.least) & (size <= w.most);
}

/* Whether the value is beyond the largest code, and the code is what the reading says of such
 * values. */
static int is_beyond(const layout_meaning *m, float x, uint32_t code, uint32_t scale)
{
    float size = x < 0 ? -x : x, v = m->value[code];
    span s = scale_of(m, code, scale);
    if (m->overflow == OVERFLOW_NONE || s.least <= 0)
        return 0;
    if (m->overflow == OVERFLOW_CLIPPED)
        return m->is_top[code] && (x < 0) == (v < 0) && size > m->high[code] * s.most;
    int sign = m->lost[code] == LOST_NAN || (x < 0) == (m->lost[code] == LOST_MINUS);
    return m->lost[code] && sign && size >= m->over * (1 - LAYOUT_SLACK) * s.least;
}

/* Whether the largest code would explain it. */
static int fits_largest(const layout_meaning *m, float x, uint32_t scale)
{
    float size = x < 0 ? -x : x;
    uint32_t top = 0;
    while (!m->is_top[top])
        top++;
    return size <= m->largest * (1 + LAYOUT_SLACK) * scale_of(m, top, scale).most;
}

static void score_chunk(const scorer *s, size_t reading, layout_score *score)
{
    const uint32_t *codes = s->codes[s->code_of[reading]].words;
    const uint32_t *scales = s->scales[s->scale_of[reading]].words;
    const meaning *m = &s->meanings[s->meaning_of[reading]];
    uint64_t counted = 0, explained = 0, beyond = 0, fits = 0;
    double xx = 0, xy = 0, yy = 0;
    for (size_t i = 0; i < s->count; i++) {
        float x = s->x[i];
        window w = find_window(m, codes[i], scales[i]);
        unsigned counts = (x != 0) | (w.y != 0);
        counted += counts;
        explained += counts & (unsigned)is_explained(w, x);
        if (m->m.overflow && is_beyond(&m->m, x, codes[i], scales[i])) {
            beyond++;
            fits += (uint64_t)fits_largest(&m->m, x, scales[i]);
        }
        xx += (double)x * (double)x;
        xy += (double)x * (double)w.y;
        yy += (double)w.y * (double)w.y;
    }
    score->counted += counted;
    score->explained += explained + beyond;
    score->beyond += beyond;
    score->fits += fits;
    score->xx += xx;
    score->xy += xy;
    score->yy += yy;
}

static window window_at(const scorer *s, size_t reading, size_t i)
{
    return find_window(&s->meanings[s->meaning_of[reading]], s->codes[s->code_of[reading]].words[i],
                       s->scales[s->scale_of[reading]].words[i]);
}

/* The reading against the first of the list. */
static void compare_chunk(const scorer *s, size_t reading, layout_found *f)
{
    for (size_t i = 0; i < s->count; i++) {
        window w = window_at(s, reading, i), first = window_at(s, 0, i);
        if (w.y == first.y)
            continue;
        f->differ++;
        f->by_first += (uint64_t)is_explained(first, s->x[i]);
        f->by_this += (uint64_t)is_explained(w, s->x[i]);
    }
}

/* ---- stretches ------------------------------------------------------------------------------- */

static int is_number(float x)
{
    return x - x == 0;
}

/* The next elements, of all or of a sample that is spread evenly with some chance; 0 at the end. */
static size_t next_chunk(scorer *s, size_t *at, size_t wanted)
{
    size_t all = s->d->rows * s->d->columns;
    s->count = 0;
    for (; *at < wanted && s->count < CHUNK; ++*at) {
        size_t element = *at;
        if (wanted < all) {
            uint64_t random = (*at + 1) * UINT64_C(0x9e3779b97f4a7c15) >> 11;
            size_t from = (size_t)((double)*at * ((double)all / (double)wanted));
            element = (from + (size_t)(random % (all / wanted))) % all;
        }
        if (!is_number(s->d->x[element]))
            continue;
        s->x[s->count] = s->d->x[element];
        s->row[s->count] = element / s->d->columns;
        s->column[s->count++] = element % s->d->columns;
    }
    return s->count;
}

int layout_has_sample(const layout_data *d)
{
    return d->rows * d->columns > SAMPLE;
}

/* What reads nothing but 0 from values of another size explains none of them: of a buffer that was
 * not written, a large scale would explain every code. */
int layout_score_all(const layout_data *d, layout_found *list, size_t count, int sample)
{
    size_t wanted = sample && layout_has_sample(d) ? SAMPLE : d->rows * d->columns, at = 0;
    scorer *s = begin(d, list, count, wanted);
    for (size_t i = 0; i < count; i++)
        memset(&list[i].score, 0, sizeof list[i].score);
    while (!search_is_over(d->context) && next_chunk(s, &at, wanted) > 0) {
        gather(s);
        for (size_t i = 0; i < count; i++)
            score_chunk(s, i, &list[i].score);
        search_tell(d->context, "elements", at, wanted);
    }
    search_tell(d->context, "elements", wanted, wanted);
    end(d, s);
    for (size_t i = 0; i < count; i++) {
        layout_score *score = &list[i].score;
        if (score->yy == 0 && score->xx > 0)
            score->explained = score->beyond = score->fits = 0;
    }
    return at == wanted;
}

void layout_compare_all(const layout_data *d, layout_found *list, size_t count)
{
    size_t at = 0;
    scorer *s = begin(d, list, count, d->rows * d->columns);
    for (size_t i = 0; i < count; i++)
        list[i].differ = list[i].by_first = list[i].by_this = 0;
    while (next_chunk(s, &at, d->rows * d->columns) > 0) {
        gather(s);
        for (size_t i = 1; i < count; i++)
            compare_chunk(s, i, &list[i]);
    }
    end(d, s);
}

/* ---- a free factor ----------------------------------------------------------------------------
 */

/* A positive float, by its upper bits: 2^10 to a power of two. */
enum { BIN_SHIFT = 13, BINS = 1 << (31 - BIN_SHIFT) };

static size_t bin_of(float x)
{
    return sf8_f32_bits(x) >> BIN_SHIFT;
}

static float start_of(size_t bin)
{
    return sf8_f32_from_bits((uint32_t)bin << BIN_SHIFT);
}

/* Which bins are not 0: from `first` to `last`, if there is one. */
typedef struct histogram {
    int32_t bins[BINS + 1];
    size_t first, last;
} histogram;

static void count_from(histogram *h, size_t bin, int32_t by)
{
    h->bins[bin] += by;
    h->first = bin < h->first ? bin : h->first;
    h->last = bin > h->last ? bin : h->last;
}

/* The factors that explain an element are a span: it begins in one bin and ends in another. */
static void add_span(const layout_meaning *m, float x, uint32_t code, uint32_t scale, histogram *h)
{
    float size = x < 0 ? -x : x, v = m->value[code], y = value_of(m, code, scale);
    float low = m->low[code] / (1 - LAYOUT_SLACK), high = m->high[code] / (1 + LAYOUT_SLACK);
    span s = scale_of(m, code, scale);
    if (m->overflow == OVERFLOW_LOST && m->lost[code])
        low = m->over;
    if (m->lost[code] || (m->overflow == OVERFLOW_CLIPPED && m->is_top[code]))
        high = INFINITY;
    if (s.least <= 0 || size == 0 || (m->lost[code] && m->overflow != OVERFLOW_LOST) ||
        (v != 0 && y != 0 && (x < 0) != (y < 0)))
        return;
    count_from(h, bin_of(size / (high * s.most)), 1);
    count_from(h, bin_of(low > 0 ? size / (low * s.least) : INFINITY) + 1, -1);
}

/* The simplest number from least to most. */
static float simplest(float least, float most)
{
    if (least <= 1 && most >= 1)
        return 1;
    float two = sf8_f32_from_bits(sf8_f32_bits(most) & SF8_F32_INF);
    if (two >= least)
        return two;
    for (int n = 3; n < 1000; n++) {
        float whole = (float)n, part = 1 / whole;
        if (least <= whole && most >= whole)
            return whole;
        if (least <= part && most >= part)
            return part;
    }
    return least + (most - least) / 2;
}

/* Where the most spans overlap, or nearly so. 1 if nothing limits it. */
static float factor_of(const histogram *h)
{
    const int32_t *bins = h->bins;
    int32_t count = 0, most = 0;
    size_t at = 0, first, last;
    for (size_t i = h->first; i <= h->last; i++) {
        count += bins[i];
        if (count > most) {
            most = count;
            at = i;
        }
    }
    count = most;
    for (first = at; first > 0 && count - bins[first] >= most - most / 1000; first--)
        count -= bins[first];
    count = most;
    for (last = at; last + 1 < BINS && count + bins[last + 1] >= most - most / 1000; last++)
        count += bins[last + 1];
    if (most == 0 || first == 0 || last >= bin_of(INFINITY) - 1)
        return 1;
    return simplest(start_of(first), start_of(last + 1));
}

void layout_fit_all(const layout_data *d, layout_found *list, size_t count)
{
    size_t at = 0, all = d->rows * d->columns;
    scorer *s = begin(d, list, count, 0);
    histogram *h = search_allocate(d->context, 1, sizeof *h);
    next_chunk(s, &at, all < CHUNK ? all : CHUNK);
    gather(s);
    for (size_t k = 0; k < count; k++) {
        if (list[k].reading.at[AXIS_G] != G_FREE)
            continue;
        const layout_meaning *m = &s->meanings[s->meaning_of[k]].m;
        h->first = BINS;
        h->last = 0;
        for (size_t i = 0; i < s->count; i++)
            add_span(m, s->x[i], s->codes[s->code_of[k]].words[i],
                     s->scales[s->scale_of[k]].words[i], h);
        list[k].reading.factor = factor_of(h);
        if (h->first <= h->last)
            memset(h->bins + h->first, 0, (h->last - h->first + 1) * sizeof h->bins[0]);
    }
    search_free(d->context, h);
    end(d, s);
}

/* ---- figures --------------------------------------------------------------------------------- */

double layout_share(const layout_score *s)
{
    return s->counted ? (double)s->explained / (double)s->counted : 1;
}

double layout_cosine(const layout_score *s)
{
    return s->xx > 0 && s->yy > 0 ? s->xy / sqrt(s->xx) / sqrt(s->yy) : 0;
}

double layout_l2(const layout_score *s)
{
    double square = s->xx - 2 * s->xy + s->yy;
    return s->xx > 0 ? sqrt((square < 0 ? 0 : square) / s->xx) : 0;
}
