/* SPDX-License-Identifier: MIT */
/* html_draw.c -- the drawing of a staircase: the codes by their inputs, and what differs */
#include "report/html_stairs.h"

#include <string.h>

/* ---- drawing --------------------------------------------------------------------------------- */

enum { LABEL = 40, WIDTH = 328, ROW = 17, HEAD = 10, FOOT = 24, COLUMN = 34, GLYPH = 7 };

typedef struct drawing {
    const report_out *out;
    const panel *p;
    const report_case *k;
    double left, right; /* of the plot */
    int bottom;
} drawing;

static double x_of(const drawing *d, double place)
{
    double x = d->left + (place - d->p->lo) / (d->p->hi - d->p->lo) * (d->right - d->left);
    return x < d->left ? d->left : x > d->right ? d->right : x;
}

static int y_of(const drawing *d, uint64_t code)
{
    int i = 0;
    while (i < d->p->rows - 1 && d->p->row[i] != code)
        i++;
    return d->bottom - ROW * i - ROW / 2;
}

static const char *label_of(const panel *p, uint64_t code, char text[LABEL])
{
    char hex[32], value[96];
    snprintf(text, LABEL, "%s %.12s", word_hex(p->a.target, code, hex),
             word_value(p->a.target, code, 9, value));
    return text;
}

static void show_rows(const drawing *d)
{
    char text[LABEL];
    for (int i = 0; i < d->p->rows; i++) {
        int y = y_of(d, d->p->row[i]);
        out_print(d->out, "<path class=\"rule\" d=\"M%.0f %d.5H%d\"/>", d->left, y, WIDTH);
        out_print(d->out, "<text x=\"0\" y=\"%d\">%s</text>", y + 4,
                  label_of(d->p, d->p->row[i], text));
    }
}

/* 2^exponent * (1 + part/8): decimal where that is short; else powers of two alone have a text. */
static void tick_text(int exponent, int part, char text[LABEL])
{
    static const char *const digits[] = {
        "\xe2\x81\xb0", "\xc2\xb9",     "\xc2\xb2",     "\xc2\xb3",     "\xe2\x81\xb4",
        "\xe2\x81\xb5", "\xe2\x81\xb6", "\xe2\x81\xb7", "\xe2\x81\xb8", "\xe2\x81\xb9"};
    char number[16];
    if (exponent >= -2 && exponent <= 15) {
        snprintf(text, LABEL, "%.5g",
                 (exponent < 0 ? 1.0 / (1 << -exponent) : 1 << exponent) * (1 + part / 8.0));
        return;
    }
    text[0] = '\0';
    if (part)
        return;
    size_t used = (size_t)snprintf(text, LABEL, "2%s", exponent < 0 ? "\xe2\x81\xbb" : "");
    snprintf(number, sizeof number, "%d", exponent < 0 ? -exponent : exponent);
    for (const char *c = number; *c && used < LABEL; c++)
        used += (size_t)snprintf(text + used, LABEL - used, "%s", digits[*c - '0']);
}

static int floor_of(double x)
{
    int n = (int)x;
    return n - (x < n);
}

/* Ticks at powers of two or of several, or at so many parts of one, where there is room. */
static void show_ticks(const drawing *d)
{
    const panel *p = d->p;
    int most = (int)((d->right - d->left) / 48) + 1, step = 1; /* in eighths */
    while ((p->hi - p->lo) * 8 / step > most && step < 1 << 24)
        step *= 2;
    for (int i = floor_of(p->lo * 8 / step) + 1; i * step <= p->hi * 8; i++) {
        int at = i * step, exponent = floor_of(at / 8.0);
        double x = x_of(d, at / 8.0);
        char text[LABEL];
        tick_text(exponent, at - 8 * exponent, text);
        out_print(d->out, "<path class=\"tick\" d=\"M%.1f %dv4\"/>", x, d->bottom);
        if (text[0] && x > d->left + 8 && x < d->right - 8)
            out_print(d->out, "<text class=\"mid\" x=\"%.1f\" y=\"%d\">%s%s</text>", x,
                      d->bottom + 16, p->a.negative ? "\xe2\x88\x92" : "", text);
    }
}

static void show_runs(const drawing *d)
{
    const panel *p = d->p;
    out_text(d->out, "<path class=\"stair\" d=\"");
    for (int i = 0; i < p->count; i++) {
        double x = x_of(d, axis_place(&p->a, p->runs[i].first));
        int y = y_of(d, p->runs[i].code);
        if (i == 0)
            out_print(d->out, "M%.1f %d", d->left, y);
        else
            out_print(d->out, "H%.1fV%d", x, y);
    }
    out_print(d->out, "H%.1f\"/>", x_of(d, p->hi));
}

static void show_cross(const drawing *d, double x, uint64_t code)
{
    out_print(d->out, "<path class=\"cross\" d=\"M%.1f %dl8 8m0-8l-8 8\"/>", x - 4,
              y_of(d, code) - 4);
}

static void show_band(const drawing *d, double from, double to)
{
    double width = to - from < 3 ? 3 : to - from;
    out_print(d->out, "<rect class=\"band\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>",
              from, HEAD / 2, width, d->bottom - HEAD / 2);
}

/* The part of a range that lies in the plot: its band, or the cross where it begins. */
static void show_range(const drawing *d, const conform_range *range, int cross)
{
    const axis *a = &d->p->a;
    uint64_t first, last;
    if (!axis_range(a, range, &first, &last))
        return;
    double from = axis_place(a, first), to = axis_place(a, last);
    if (!panel_shows(d->p, from, to))
        return;
    if (!cross) {
        show_band(d, x_of(d, from), x_of(d, to));
        return;
    }
    int backward = a->negative && a->source->kind == SF8_WORD_SIGNED;
    if (panel_has_row(d->p, range->got))
        show_cross(d, x_of(d, backward ? to : from), range->got);
}

static void show_ranges(const drawing *d)
{
    size_t kept = kept_ranges(d->k->r);
    for (size_t i = 0; i < kept; i++)
        show_range(d, &d->k->r->range[i], 0);
    show_runs(d);
    for (size_t i = 0; i < kept; i++)
        show_range(d, &d->k->r->range[i], 1);
}

static void show_specials(const drawing *d)
{
    const panel *p = d->p;
    static const char *const names[] = {"inf", "NaN"};
    for (int i = 0; i < p->specials; i++) {
        double x = d->right + 6 + COLUMN * i;
        uint64_t word = axis_word(&p->a, p->special[i]), code = axis_code(&p->a, p->special[i]);
        for (size_t n = 0; n < kept_ranges(d->k->r); n++) {
            const conform_range *range = &d->k->r->range[n];
            if (word < range->first || word > range->last)
                continue;
            show_band(d, x, x + COLUMN - 6);
            if (word == range->first && panel_has_row(p, range->got))
                show_cross(d, x + COLUMN / 2 - 3, range->got);
        }
        out_print(d->out, "<path class=\"stair\" d=\"M%.1f %dh%d\"/>", x, y_of(d, code),
                  COLUMN - 6);
        out_print(d->out, "<text class=\"mid\" x=\"%.1f\" y=\"%d\">%s%s</text>", x + COLUMN / 2 - 3,
                  d->bottom + 16, p->a.negative ? "\xe2\x88\x92" : "", names[i]);
    }
}

static void show_panel(const report_out *out, const panel *p, const report_case *k)
{
    char text[LABEL];
    size_t label = 0;
    for (int i = 0; i < p->rows; i++) {
        size_t n = strlen(label_of(p, p->row[i], text));
        label = n > label ? n : label;
    }
    drawing d = {out,
                 p,
                 k,
                 (double)(GLYPH * label) + 10,
                 WIDTH - COLUMN * p->specials - 1,
                 HEAD + ROW * p->rows};
    out_print(out, "<figure class=\"stairs\"><figcaption>%s</figcaption>", p->title);
    out_print(out, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s: code by input\">",
              WIDTH, d.bottom + FOOT, p->title);
    show_rows(&d);
    out_print(out, "<path class=\"tick\" d=\"M%.0f %d.5H%.0f\"/>", d.left, d.bottom, d.right);
    show_ticks(&d);
    show_ranges(&d);
    show_specials(&d);
    out_text(out, "</svg></figure>");
}

int html_has_stairs(const report_case *k)
{
    if (!k->known)
        return 0;
    const sf8_word *source = oracle_source(&k->oracle);
    /* the steps into a format of 64 bits are too fine to be drawn */
    return source->bits > 8 && oracle_target(&k->oracle)->bits <= 32 &&
           source->kind <= SF8_WORD_UNSIGNED && k->oracle.function[0].operands == 1;
}

void html_stairs(const report_out *out, const report_case *k)
{
    static panel panels[STAIRS_PANELS];
    int count = panels_of(panels, k);
    out_text(out, "<div class=\"panels\">");
    for (int i = 0; i < count; i++)
        show_panel(out, &panels[i], k);
    out_text(out, "</div>");
}
