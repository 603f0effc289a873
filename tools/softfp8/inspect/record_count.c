/* SPDX-License-Identifier: MIT */
/* record_count.c -- counts what is in the fields of a cache's records, page by page */
#include "inspect/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void tally(record_tally *t, size_t token, size_t element)
{
    if (t->count++ == 0) {
        t->first.token = token;
        t->first.element = element;
    }
}

/* ---- words ----------------------------------------------------------------------------------- */

/* Two codes of 4 bits are in a byte, the first in its low half. */
static uint32_t word_at(const record_field *f, const unsigned char *bytes, size_t i)
{
    size_t width = f->bytes / f->count;
    uint32_t word = 0;
    if (!width)
        return bytes[i / 2] >> (i % 2 ? 4 : 0) & 15;
    for (size_t k = width; k-- > 0;)
        word = word << 8 | bytes[i * width + k];
    return word;
}

static double value_of(const record_field *f, uint32_t word)
{
    return (double)sf8_f32_from_bits(
        (uint32_t)sf8_convert(SF8_F32, f->format, word, SF8_OCP_NOSAT));
}

static code_kind kind_of(const record_field *f, uint32_t word, double value)
{
    return value != value                                                         ? CODE_NAN
           : value - value != 0                                                   ? CODE_INFINITE
           : value == 0                                                           ? CODE_ZERO
           : (word & sf8_format_mag_mask(f->format)) == sf8_format_max(f->format) ? CODE_LARGEST
                                                                                  : CODE_KINDS;
}

/* ---- fields ---------------------------------------------------------------------------------- */

/* The kinds and values of the words of up to 8 bits, which are many. */
typedef struct word_table {
    unsigned char kind[256];
    float value[256];
} word_table;

typedef struct walk {
    record_report *r;
    word_table table[RECORD_FIELDS];
    unsigned char *before[RECORD_FIELDS]; /* scales of the token before, and its codes */
    int has_before;
    size_t token;
} walk;

static void take_words(walk *w, int field, const unsigned char *bytes)
{
    const record_field *f = &w->r->layout.field[field];
    record_counts *c = &w->r->of[field];
    int small = sf8_format_bits(f->format) <= 8;
    c->values += f->count;
    for (size_t i = 0; i < f->count; i++) {
        uint32_t word = word_at(f, bytes, i);
        double value = small ? (double)w->table[field].value[word] : value_of(f, word);
        unsigned kind = small ? w->table[field].kind[word] : (unsigned)kind_of(f, word, value);
        double size = fabs(value);
        if (kind != CODE_KINDS)
            tally(&c->kind[kind], w->token, i);
        if (kind == CODE_NAN || kind == CODE_INFINITE || kind == CODE_ZERO)
            continue;
        c->least = c->least == 0 || size < c->least ? size : c->least;
        c->largest = size > c->largest ? size : c->largest;
    }
}

/* The largest magnitude among the codes of a scale; NaN does not count. */
static double largest_of(const walk *w, const record_field *scale, const unsigned char *codes,
                         size_t i)
{
    const record_field *f = &w->r->layout.field[scale->codes];
    double most = 0;
    for (size_t k = i * scale->of; k < (i + 1) * scale->of; k++) {
        uint32_t word = word_at(f, codes, k);
        double size = fabs((double)w->table[scale->codes].value[word]);
        most = size > most ? size : most;
    }
    return most;
}

/* A tile that its scale does not fit. A scale is computed from the largest element, so that one
 * code is in the upper half, unless the scale is the least that there is. */
static void judge_tile(walk *w, record_counts *c, const record_field *codes, double scale,
                       double most, size_t i, double *least)
{
    double half = value_of(codes, (uint32_t)sf8_format_max(codes->format)) / 2;
    if (most == 0)
        return;
    if (scale == 0) {
        tally(&c->lost, w->token, i);
        return;
    }
    if (*least == 0 || scale < *least) {
        if (c->loose.count == 0)
            c->loose.first = c->loose_least.first;
        c->loose.count += c->loose_least.count;
        c->loose_least.count = 0;
        *least = scale;
    }
    if (most < half)
        tally(scale > *least ? &c->loose : &c->loose_least, w->token, i);
}

/* Whether a row of scales says so much that another token has the same only by a mistake: not
 * powers of two, and at least three different ones of several. */
static int is_telling(const record_field *f, const unsigned char *bytes)
{
    size_t different = 0;
    for (size_t i = 0; i < f->count; i++) {
        size_t k = 0;
        while (k < i && word_at(f, bytes, k) != word_at(f, bytes, i))
            k++;
        different += k == i;
        if (f->bytes == 4 * f->count && (word_at(f, bytes, i) & 0x7fffff))
            return 1;
    }
    return f->format.man_bits > 0 && f->count >= 8 && different >= 3;
}

static void take_scales(walk *w, int field, const unsigned char *bytes, const unsigned char *codes,
                        double *least)
{
    const record_field *f = &w->r->layout.field[field];
    record_counts *c = &w->r->of[field];
    for (size_t i = 0; i < f->count; i++) {
        double scale = value_of(f, word_at(f, bytes, i));
        /* The byte 0 of a format without a zero, which no quantizer writes. */
        if (!f->format.is_signed && word_at(f, bytes, i) == 0)
            scale = 0;
        if (scale < 0)
            tally(&c->negative, w->token, i);
        if (scale - scale == 0 && scale >= 0)
            judge_tile(w, c, &w->r->layout.field[f->codes], scale, largest_of(w, f, codes, i), i,
                       least);
    }
    size_t size = w->r->layout.field[f->codes].bytes;
    if (w->has_before && memcmp(w->before[field], bytes, f->bytes) == 0 &&
        memcmp(w->before[f->codes], codes, size) != 0 && is_telling(f, bytes))
        tally(&c->repeated, w->token, 0);
}

static void take_padding(walk *w, int field, const unsigned char *bytes)
{
    record_counts *c = &w->r->of[field];
    for (size_t i = 0; i < w->r->layout.field[field].count; i++)
        if (bytes[i])
            tally(&c->filled, w->token, i);
}

static int is_zero(const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i])
            return 0;
    return 1;
}

static void take_token(walk *w, const unsigned char *const *part, double *least)
{
    const record_layout *l = &w->r->layout;
    const unsigned char *at[RECORD_FIELDS];
    int empty = 1;
    for (int i = 0; i < l->parts; i++)
        empty = empty && is_zero(part[i], l->part[i]);
    w->r->tokens++;
    if (empty) {
        w->r->empty++;
        w->has_before = 0;
        w->token++;
        return;
    }
    for (int i = 0; i < l->fields; i++)
        at[i] = part[l->field[i].part] + l->field[i].offset;
    for (int i = 0; i < l->fields; i++) {
        if (l->field[i].kind == RECORD_PAD)
            take_padding(w, i, at[i]);
        else
            take_words(w, i, at[i]);
        if (l->field[i].kind == RECORD_SCALES)
            take_scales(w, i, at[i], at[l->field[i].codes], &least[i]);
    }
    for (int i = 0; i < l->fields; i++)
        memcpy(w->before[i], at[i], l->field[i].bytes);
    w->has_before = 1;
    w->token++;
}

/* ---- the file -------------------------------------------------------------------------------- */

/* How many tokens a page has, and its bytes. */
static void take_pages(record_report *r, const size_t *side, int count, size_t slots)
{
    const char *name = input_name(r->path);
    size_t bytes = r->layout.bytes, last = side[count - 1], between = 1;
    for (int i = 1; i + 1 < count; i++)
        between *= side[i];
    int whole = last == bytes;
    if (!slots && r->layout.parts == 1)
        slots = whole ? 1 : last % bytes ? 0 : last / bytes;
    if (!slots && whole && count > 2)
        slots = between;
    if (!slots && r->layout.parts > 1)
        fail("--mla %s: the scales of a page lie behind its codes; --slots N says how many "
             "tokens a page has, or give the shape PAGES,TOKENS,%zu",
             printable(r->layout.name), bytes);
    if (!slots || (!whole && (slots > last / bytes)))
        fail_at(name, 0, "rows of %zu bytes; a token has %zu", last, bytes);
    r->slots = slots;
    r->page = whole ? slots * bytes : last;
}

static void fill(input *in, unsigned char *bytes, size_t size, size_t done)
{
    for (size_t got = 0; got < size;) {
        size_t some = in->end - in->at;
        if (some == 0 && (some = input_fill(in)) == 0)
            fail_at(in->name, 0, "the file ends after %zu bytes, within a page", done + got);
        some = some < size - got ? some : size - got;
        memcpy(bytes + got, in->buffer + in->at, some);
        in->at += some;
        got += some;
    }
}

static void make_tables(walk *w)
{
    for (int i = 0; i < w->r->layout.fields; i++) {
        const record_field *f = &w->r->layout.field[i];
        w->before[i] = allocate(f->bytes, 1);
        for (uint32_t word = 0; f->kind != RECORD_PAD && sf8_format_bits(f->format) <= 8 &&
                                word >> sf8_format_bits(f->format) == 0;
             word++) {
            double value = value_of(f, word);
            w->table[i].kind[word] = (unsigned char)kind_of(f, word, value);
            w->table[i].value[word] = (float)value;
        }
    }
}

void record_count(record_report *r, const char *path, const record_layout *layout, size_t slots,
                  const inspect_options *o)
{
    size_t side[INSPECT_AXES] = {0}, all = 1;
    double least[RECORD_FIELDS] = {0};
    walk w = {.r = r};
    memset(r, 0, sizeof *r);
    r->path = path;
    r->layout = *layout;
    input *in = tensor_input(path);
    input_fill(in);
    int count = inspect_sides(in, path, o, side);
    for (int i = 0; i < count; i++)
        all *= side[i];
    if (count < 1 || count > INSPECT_AXES || all == 0)
        fail_at(in->name, 0, "expected 1 to %d dimensions, none of them 0", (int)INSPECT_AXES);
    take_pages(r, side, count, slots);
    if (all % r->page)
        fail_at(in->name, 0, "%zu bytes, which are no whole number of pages of %zu", all, r->page);
    make_tables(&w);
    unsigned char *page = allocate(r->page, 1);
    for (size_t done = 0; done < all; done += r->page) {
        fill(in, page, r->page, done);
        for (size_t i = 0; i < r->slots; i++) {
            const unsigned char *part[RECORD_PARTS] = {page + i * layout->part[0],
                                                       page + r->slots * layout->part[0] +
                                                           i * layout->part[1]};
            take_token(&w, part, least);
        }
        progress("bytes", done, all);
    }
    progress_end();
    if (in->at < in->end || input_fill(in))
        fail_at(in->name, 0, "more than the expected %zu bytes", all);
    for (int i = 0; i < layout->fields; i++)
        free(w.before[i]);
    free(page);
    input_close(in);
}
