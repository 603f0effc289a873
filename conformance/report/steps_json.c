/* SPDX-License-Identifier: MIT */
/* steps_json.c -- the drawings of a staircase as JSON: rows, steps, ranges that differ */
#include "report/steps.h"

enum { LABEL = 48 };

/* A place that lies outside the panel is drawn at its edge. */
static double within(const panel *p, double place)
{
    return place < p->lo ? p->lo : place > p->hi ? p->hi : place;
}

static int row_of(const panel *p, uint64_t code)
{
    int i = 0;
    while (i < p->rows - 1 && p->row[i] != code)
        i++;
    return i;
}

/* The row of what came, or null: the rows are bounded. */
static void put_got(json_writer *j, const panel *p, uint64_t code)
{
    if (panel_has_row(p, code))
        jw_signed(j, "got", row_of(p, code));
    else
        jw_null(j, "got");
}

static void put_rows(json_writer *j, const panel *p)
{
    jw_begin(j, "rows", '[');
    for (int i = 0; i < p->rows; i++) {
        char text[LABEL], hex[32], value[96];
        snprintf(text, sizeof text, "%s %.12s", word_hex(p->a.target, p->row[i], hex),
                 word_value(p->a.target, p->row[i], 9, value));
        jw_text(j, NULL, text);
    }
    jw_end(j);
}

static void put_steps(json_writer *j, const panel *p)
{
    jw_begin(j, "steps", '[');
    for (int i = 0; i < p->count; i++) {
        double place = i ? axis_place(&p->a, p->runs[i].first) : p->lo;
        jw_begin(j, NULL, '[');
        jw_real(j, NULL, within(p, place), 9);
        jw_signed(j, NULL, row_of(p, p->runs[i].code));
        jw_end(j);
    }
    jw_end(j);
}

/* The finite part of a range, if it is in the panel. */
static void put_range(json_writer *j, const panel *p, const conform_range *range)
{
    const axis *a = &p->a;
    uint64_t first, last;
    if (!axis_range(a, range, &first, &last))
        return;
    double from = axis_place(a, first), to = axis_place(a, last);
    if (!panel_shows(p, from, to))
        return;
    int backward = a->negative && a->source->kind == SF8_WORD_SIGNED;
    jw_begin(j, NULL, '{');
    jw_real(j, "from", within(p, from), 9);
    jw_real(j, "to", within(p, to), 9);
    jw_real(j, "at", within(p, backward ? to : from), 9);
    put_got(j, p, range->got);
    jw_end(j);
}

static void put_special(json_writer *j, const panel *p, const conform_result *r, int i)
{
    static const char *const names[] = {"inf", "NaN"};
    const conform_range *begins = NULL;
    uint64_t word = axis_word(&p->a, p->special[i]);
    int differs = 0;
    for (size_t n = 0; n < kept_ranges(r); n++) {
        differs |= word >= r->range[n].first && word <= r->range[n].last;
        if (word == r->range[n].first)
            begins = &r->range[n];
    }
    jw_begin(j, NULL, '{');
    jw_text(j, "input", names[i]);
    jw_signed(j, "row", row_of(p, axis_code(&p->a, p->special[i])));
    jw_bool(j, "differs", differs);
    if (begins)
        put_got(j, p, begins->got);
    else
        jw_null(j, "got");
    jw_end(j);
}

static void put_panel(json_writer *j, const panel *p, const conform_result *r)
{
    jw_begin(j, NULL, '{');
    jw_text(j, "title", p->title);
    jw_bool(j, "negative", p->a.negative);
    jw_real(j, "from", p->lo, 9);
    jw_real(j, "to", p->hi, 9);
    put_rows(j, p);
    put_steps(j, p);
    jw_begin(j, "special", '[');
    for (int i = 0; i < p->specials; i++)
        put_special(j, p, r, i);
    jw_end(j);
    jw_begin(j, "ranges", '[');
    for (size_t i = 0; i < kept_ranges(r); i++)
        put_range(j, p, &r->range[i]);
    jw_end(j);
    jw_end(j);
}

int has_steps(const report_case *k)
{
    if (!k->known)
        return 0;
    const sf8_word *source = oracle_source(&k->oracle);
    /* the steps into a format of 64 bits are too fine to be drawn */
    return source->bits > 8 && oracle_target(&k->oracle)->bits <= 32 &&
           source->kind <= SF8_WORD_UNSIGNED && k->oracle.function[0].operands == 1;
}

void put_panels(json_writer *j, const report_case *k)
{
    static panel panels[STAIRS_PANELS];
    int count = panels_of(panels, k);
    jw_begin(j, "panels", '[');
    for (int i = 0; i < count; i++)
        put_panel(j, &panels[i], k->r);
    jw_end(j);
}
