/* SPDX-License-Identifier: MIT */
/* svg.c -- GB/s over n, both logarithmic: a line a row, and memcpy
 *
 *     y                                name of a line at its right end, in its colour; where ends
 *     |  .--.__                        are close the names are moved apart, and thin leaders show
 *     |_________ x  decades of n       where each belongs
 *
 * One file without a script; its colours follow the scheme of the reader.
 */
#include "bench.h"

#include <stdio.h>
#include <string.h>

enum { LINES_MOST = 8, POINTS_MOST = BENCH_SIZES_MOST, LABEL_HEIGHT = 18 };
enum { WIDTH = 960, HEIGHT = 540, LEFT = 72, RIGHT = 660, TOP = 100, BOTTOM = 476 };

typedef struct line {
    const char *name;
    int points;
    double x[POINTS_MOST], y[POINTS_MOST]; /* n and GB/s, then their places */
    double label;
} line;

typedef struct drawing {
    line line[LINES_MOST + 1]; /* the last is memcpy */
    int lines;
    int more;   /* rows without a line */
    int x0, x1; /* decades */
    int y0, y1; /* steps, three a decade */
} drawing;

static const char style[] =
    ":root{--paper:#fff;--ink:#1b1f24;--soft:#57606a;--line:#d8dde2;--c0:#0a5a8f;--c1:#a14a00;"
    "--c2:#1a6b3c;--c3:#5a3ea6;--c4:#b3261e;--c5:#00696b;--c6:#99175c;--c7:#6f4b00}\n"
    "@media(prefers-color-scheme:dark){:root{--paper:#12161a;--ink:#e3e7eb;--soft:#9aa5b0;"
    "--line:#2e353c;--c0:#71b7ea;--c1:#f2a26e;--c2:#6fc791;--c3:#b9a6f7;--c4:#ff8d83;"
    "--c5:#5cc8c8;--c6:#f58bc4;--c7:#e2b24f}}\n"
    ".paper{fill:var(--paper)}text{font:13px system-ui,-apple-system,\"Segoe UI\",Roboto,"
    "sans-serif;fill:var(--soft)}.title{font-size:18px;font-weight:600;fill:var(--ink)}"
    ".grid{stroke:var(--line);stroke-width:1}.name{font-size:13px}"
    ".line{fill:none;stroke:var(--c);stroke-width:2.25;stroke-linejoin:round}"
    ".leader{fill:none;stroke:var(--c);stroke-width:1;opacity:.55}.dot{fill:var(--c)}"
    ".name{fill:var(--c)}.copy{--c:var(--ink)}.copy .line{stroke-dasharray:6 4}\n"
    ".l0{--c:var(--c0)}.l1{--c:var(--c1)}.l2{--c:var(--c2)}.l3{--c:var(--c3)}.l4{--c:var(--c4)}"
    ".l5{--c:var(--c5)}.l6{--c:var(--c6)}.l7{--c:var(--c7)}";

/* log10 without libm: decades, and the mantissa by halves of the interval. */
static double log_10(double x)
{
    double sum = 0, step = 1, root = 10;
    while (x >= 10) {
        x /= 10;
        sum++;
    }
    while (x < 1) {
        x *= 10;
        sum--;
    }
    for (int i = 0; i < 24; i++) {
        /* the square root of `root`, by Newton */
        double r = root;
        for (int k = 0; k < 8; k++)
            r = (r + root / r) / 2;
        root = r;
        step /= 2;
        if (x >= root) {
            x /= root;
            sum += step;
        }
    }
    return sum;
}

static void text(output *out, const char *s)
{
    for (; *s; s++)
        if (*s == '<' || *s == '&')
            output_print(out, "&#%d;", *s);
        else
            output_write(out, s, 1);
}

/* ---- what is drawn --------------------------------------------------------------------------- */

static int is_drawn(const bench_result *r, int chosen)
{
    return r->status == BENCH_MEASURED && r->row->yardstick == YARD_MEMORY &&
           (chosen || r->row->chart);
}

static void point(line *l, double n, double rate)
{
    if (l->points == POINTS_MOST)
        return;
    l->x[l->points] = log_10(n);
    l->y[l->points++] = log_10(rate);
}

/* Points from left to right. */
static void order(line *l)
{
    for (int i = 1; i < l->points; i++)
        for (int k = i; k > 0 && l->x[k] < l->x[k - 1]; k--) {
            double x = l->x[k], y = l->y[k];
            l->x[k] = l->x[k - 1];
            l->y[k] = l->y[k - 1];
            l->x[k - 1] = x;
            l->y[k - 1] = y;
        }
}

static void collect(drawing *d, int chosen, const bench_result *results, size_t count)
{
    const bench_row *last = NULL;
    line copy = {.name = "memcpy"};
    for (size_t i = 0; i < count; i++) {
        const bench_result *r = &results[i];
        if (!is_drawn(r, chosen))
            continue;
        int fresh = r->row != last;
        last = r->row;
        if (d->more || (fresh && d->lines == LINES_MOST)) {
            d->more += fresh;
            continue;
        }
        if (fresh)
            d->line[d->lines++].name = r->row->name;
        point(&d->line[d->lines - 1], (double)r->n, r->rate);
        if (d->lines == 1)
            point(&copy, (double)r->n, r->copy_rate);
    }
    if (d->lines)
        d->line[d->lines++] = copy;
    for (int i = 0; i < d->lines; i++)
        order(&d->line[i]);
}

static int floor_of(double x)
{
    int i = (int)x;
    return i > x ? i - 1 : i;
}

/* 1, 2, 5, 10, ...: the logarithm of a step. */
static double step_log(int step)
{
    static const double logs[] = {0, 0.30103, 0.69897};
    int decade = floor_of(step / 3.0);
    return decade + logs[step - 3 * decade];
}

static void bounds(drawing *d)
{
    double x0 = 1e9, x1 = -1e9, y0 = 1e9, y1 = -1e9;
    for (int i = 0; i < d->lines; i++)
        for (int k = 0; k < d->line[i].points; k++) {
            const line *l = &d->line[i];
            x0 = l->x[k] < x0 ? l->x[k] : x0;
            x1 = l->x[k] > x1 ? l->x[k] : x1;
            y0 = l->y[k] < y0 ? l->y[k] : y0;
            y1 = l->y[k] > y1 ? l->y[k] : y1;
        }
    d->x0 = floor_of(x0);
    d->x1 = -floor_of(-x1);
    d->y0 = 3 * floor_of(y0);
    while (step_log(d->y0 + 1) <= y0)
        d->y0++;
    d->y1 = d->y0 + 1;
    while (step_log(d->y1) < y1)
        d->y1++;
    d->x1 += d->x1 == d->x0;
}

static double place_x(const drawing *d, double x)
{
    return LEFT + (x - d->x0) / (d->x1 - d->x0) * (RIGHT - LEFT);
}

static double place_y(const drawing *d, double y)
{
    double y0 = step_log(d->y0), y1 = step_log(d->y1);
    return BOTTOM - (y - y0) / (y1 - y0) * (BOTTOM - TOP);
}

/* Names in the order of the ends of their lines, at least a line of text apart, none below the
 * drawing. */
static void labels(drawing *d)
{
    int by[LINES_MOST + 1];
    for (int i = 0; i < d->lines; i++) {
        line *l = &d->line[i];
        int k = i;
        l->label = place_y(d, l->y[l->points - 1]);
        for (; k > 0 && d->line[by[k - 1]].label > l->label; k--)
            by[k] = by[k - 1];
        by[k] = i;
    }
    for (int i = 1; i < d->lines; i++)
        if (d->line[by[i]].label < d->line[by[i - 1]].label + LABEL_HEIGHT)
            d->line[by[i]].label = d->line[by[i - 1]].label + LABEL_HEIGHT;
    double limit = BOTTOM;
    for (int i = d->lines - 1; i >= 0; i--, limit -= LABEL_HEIGHT)
        if (d->line[by[i]].label > limit)
            d->line[by[i]].label = limit;
}

/* ---- the drawing ----------------------------------------------------------------------------- */

static void grid(output *out, const drawing *d)
{
    for (int x = d->x0; x <= d->x1; x++)
        output_print(out,
                     "<path class=\"grid\" d=\"M%.1f %dV%d\"/>"
                     "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">1e%d</text>\n",
                     place_x(d, x), TOP, BOTTOM, place_x(d, x), BOTTOM + 22, x);
    for (int step = d->y0; step <= d->y1; step++) {
        static const int first[] = {1, 2, 5};
        int decade = floor_of(step / 3.0);
        double y = step_log(step), value = first[step - 3 * decade];
        char label[24];
        for (int i = 0; i < (decade < 0 ? -decade : decade); i++)
            value = decade < 0 ? value / 10 : value * 10;
        snprintf(label, sizeof label, "%g", value);
        output_print(out,
                     "<path class=\"grid\" d=\"M%d %.1fH%d\"/>"
                     "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
                     LEFT, place_y(d, y), RIGHT, LEFT - 10, place_y(d, y) + 4, label);
    }
    output_print(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">values in the array</text>\n",
                 (LEFT + RIGHT) / 2, BOTTOM + 46);
    output_print(out, "<text x=\"%d\" y=\"%d\">GB/s read and written</text>\n", LEFT - 50,
                 TOP - 16);
}

static void draw_line(output *out, const drawing *d, int i)
{
    const line *l = &d->line[i];
    if (i == d->lines - 1)
        output_print(out, "<g class=\"copy\">");
    else
        output_print(out, "<g class=\"l%d\">", i);
    output_print(out, "<path class=\"line\" d=\"");
    for (int k = 0; k < l->points; k++)
        output_print(out, "%s%.1f %.1f", k ? "L" : "M", place_x(d, l->x[k]), place_y(d, l->y[k]));
    output_print(out, "\"/>");
    for (int k = 0; k < l->points; k++)
        output_print(out, "<circle class=\"dot\" cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\"/>",
                     place_x(d, l->x[k]), place_y(d, l->y[k]));
    double x = place_x(d, l->x[l->points - 1]), y = place_y(d, l->y[l->points - 1]);
    output_print(out, "<path class=\"leader\" d=\"M%.1f %.1fL%d %.1f\"/>", x + 5, y, RIGHT + 28,
                 l->label);
    output_print(out, "<text class=\"name\" x=\"%d\" y=\"%.1f\">", RIGHT + 34, l->label + 4);
    text(out, l->name);
    output_print(out, "</text></g>\n");
}

void bench_svg(output *out, const bench_machine *m, int chosen, const bench_result *results,
               size_t count)
{
    drawing d;
    memset(&d, 0, sizeof d);
    collect(&d, chosen, results, count);
    output_print(out,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\">\n"
                 "<title>softfp8: speed of array operations</title>\n<style>%s</style>\n"
                 "<rect class=\"paper\" width=\"%d\" height=\"%d\"/>\n"
                 "<text class=\"title\" x=\"%d\" y=\"34\">Speed of array operations</text>\n"
                 "<text x=\"%d\" y=\"54\">",
                 WIDTH, HEIGHT, style, WIDTH, HEIGHT, LEFT - 50, LEFT - 50);
    output_print(out, "softfp8 %s, ", sf8_version());
    text(out, m->processor);
    output_print(out, ", one core, %s, %.10s", m->compiler, m->date);
    if (d.more)
        output_print(out, "; %d more row%s not drawn", d.more, d.more > 1 ? "s are" : " is");
    output_print(out, "</text>\n");
    if (d.lines) {
        bounds(&d);
        labels(&d);
        grid(out, &d);
        for (int i = 0; i < d.lines; i++)
            draw_line(out, &d, i);
    } else {
        output_print(out, "<text x=\"%d\" y=\"%d\">No row over arrays was measured.</text>\n",
                     LEFT - 50, TOP + 20);
    }
    output_print(out, "</svg>\n");
}
