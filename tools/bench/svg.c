/* SPDX-License-Identifier: MIT */
/* svg.c -- GB/s over n, both logarithmic: a line a row, and memcpy
 *
 * The names stand at the right, in the colours of their lines and in the order of the lines' ends.
 * One file without a script; its colours follow the scheme of the reader.
 */
#include "bench.h"

#include <math.h>
#include <string.h>

enum { LINES_MOST = 8, POINTS_MOST = BENCH_SIZES_MOST, LABEL_HEIGHT = 18 };
enum { WIDTH = 960, HEIGHT = 540, LEFT = 72, RIGHT = 660, TOP = 100, BOTTOM = 476 };

typedef struct line {
    const char *name;
    int points;
    double x[POINTS_MOST], y[POINTS_MOST]; /* decades of n and of GB/s, from left to right */
} line;

typedef struct drawing {
    line line[LINES_MOST + 1]; /* the last is memcpy */
    int lines;
    int more;              /* rows without a line */
    double x0, x1, y0, y1; /* decades, whole ones */
} drawing;

static const char style[] =
    ":root{--paper:#fff;--ink:#1b1f24;--soft:#57606a;--line:#d8dde2;--c0:#0a5a8f;--c1:#a14a00;"
    "--c2:#1a6b3c;--c3:#5a3ea6;--c4:#b3261e;--c5:#00696b;--c6:#99175c;--c7:#6f4b00}\n"
    "@media(prefers-color-scheme:dark){:root{--paper:#12161a;--ink:#e3e7eb;--soft:#9aa5b0;"
    "--line:#2e353c;--c0:#71b7ea;--c1:#f2a26e;--c2:#6fc791;--c3:#b9a6f7;--c4:#ff8d83;"
    "--c5:#5cc8c8;--c6:#f58bc4;--c7:#e2b24f}}\n"
    ".paper{fill:var(--paper)}text{font:13px system-ui,-apple-system,\"Segoe UI\",Roboto,"
    "sans-serif;fill:var(--soft)}.title{font-size:18px;font-weight:600;fill:var(--ink)}"
    ".grid{stroke:var(--line);stroke-width:1}"
    ".line{fill:none;stroke:var(--c);stroke-width:2.25;stroke-linejoin:round}"
    ".dot,.name{fill:var(--c)}.l8{--c:var(--ink)}.l8 .line{stroke-dasharray:6 4}\n"
    ".l0{--c:var(--c0)}.l1{--c:var(--c1)}.l2{--c:var(--c2)}.l3{--c:var(--c3)}.l4{--c:var(--c4)}"
    ".l5{--c:var(--c5)}.l6{--c:var(--c6)}.l7{--c:var(--c7)}";

static void text(output *out, const char *s)
{
    for (; *s; s++)
        if (*s == '<' || *s == '&')
            output_print(out, "&#%d;", *s);
        else
            output_write(out, s, 1);
}

/* ---- what is drawn --------------------------------------------------------------------------- */

static void point(line *l, double n, double rate)
{
    int i = l->points;
    if (i == POINTS_MOST)
        return;
    for (; i > 0 && l->x[i - 1] > log10(n); i--) {
        l->x[i] = l->x[i - 1];
        l->y[i] = l->y[i - 1];
    }
    l->x[i] = log10(n);
    l->y[i] = log10(rate);
    l->points++;
}

static void collect(drawing *d, int chosen, const bench_result *results, size_t count)
{
    const bench_row *last = NULL;
    line *copy = &d->line[LINES_MOST];
    copy->name = "memcpy";
    for (size_t i = 0; i < count; i++) {
        const bench_result *r = &results[i];
        if (r->status != BENCH_MEASURED || r->row->yardstick != YARD_MEMORY ||
            !(chosen || r->row->chart))
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
            point(copy, (double)r->n, r->copy_rate);
    }
}

static void bounds(drawing *d)
{
    d->x0 = d->y0 = 1e9;
    d->x1 = d->y1 = -1e9;
    for (int i = 0; i <= LINES_MOST; i++)
        for (int k = 0; k < d->line[i].points; k++) {
            d->x0 = fmin(d->x0, floor(d->line[i].x[k]));
            d->x1 = fmax(d->x1, ceil(d->line[i].x[k]));
            d->y0 = fmin(d->y0, floor(d->line[i].y[k]));
            d->y1 = fmax(d->y1, ceil(d->line[i].y[k]));
        }
    d->x1 += d->x1 == d->x0;
    d->y1 += d->y1 == d->y0;
}

/* ---- the drawing ----------------------------------------------------------------------------- */

static double place_x(const drawing *d, double x)
{
    return LEFT + (x - d->x0) / (d->x1 - d->x0) * (RIGHT - LEFT);
}

static double place_y(const drawing *d, double y)
{
    return BOTTOM - (y - d->y0) / (d->y1 - d->y0) * (BOTTOM - TOP);
}

static void grid(output *out, const drawing *d)
{
    for (double x = d->x0; x <= d->x1; x++)
        output_print(out,
                     "<path class=\"grid\" d=\"M%.1f %dV%d\"/>"
                     "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">1e%g</text>\n",
                     place_x(d, x), TOP, BOTTOM, place_x(d, x), BOTTOM + 22, x);
    for (double y = d->y0; y <= d->y1; y++)
        output_print(out,
                     "<path class=\"grid\" d=\"M%d %.1fH%d\"/>"
                     "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n",
                     LEFT, place_y(d, y), RIGHT, LEFT - 10, place_y(d, y) + 4, pow(10, y));
    output_print(out,
                 "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">values in the array</text>\n"
                 "<text x=\"%d\" y=\"%d\">GB/s read and written</text>\n",
                 (LEFT + RIGHT) / 2, BOTTOM + 46, LEFT - 50, TOP - 16);
}

/* How many lines end above this one. */
static int above(const drawing *d, int i)
{
    int n = 0;
    double end = d->line[i].y[d->line[i].points - 1];
    for (int k = 0; k <= LINES_MOST; k++) {
        const line *l = &d->line[k];
        n += l->points && (l->y[l->points - 1] > end || (l->y[l->points - 1] == end && k < i));
    }
    return n;
}

static void draw_line(output *out, const drawing *d, int i)
{
    const line *l = &d->line[i];
    output_print(out, "<g class=\"l%d\"><path class=\"line\" d=\"", i);
    for (int k = 0; k < l->points; k++)
        output_print(out, "%s%.1f %.1f", k ? "L" : "M", place_x(d, l->x[k]), place_y(d, l->y[k]));
    output_print(out, "\"/>");
    for (int k = 0; k < l->points; k++)
        output_print(out, "<circle class=\"dot\" cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\"/>",
                     place_x(d, l->x[k]), place_y(d, l->y[k]));
    output_print(out, "<text class=\"name\" x=\"%d\" y=\"%d\">", RIGHT + 34,
                 TOP + LABEL_HEIGHT * above(d, i));
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
                 "<text x=\"%d\" y=\"54\">softfp8 %s, ",
                 WIDTH, HEIGHT, style, WIDTH, HEIGHT, LEFT - 50, LEFT - 50, sf8_version());
    text(out, m->processor);
    output_print(out, ", one core, %s, %.10s", m->compiler, m->date);
    if (d.more)
        output_print(out, "; %d more row%s not drawn", d.more, d.more > 1 ? "s are" : " is");
    output_print(out, "</text>\n");
    if (d.lines) {
        bounds(&d);
        grid(out, &d);
        for (int i = 0; i <= LINES_MOST; i++)
            if (d.line[i].points)
                draw_line(out, &d, i);
    } else {
        output_print(out, "<text x=\"%d\" y=\"%d\">No row over arrays was measured.</text>\n",
                     LEFT - 50, TOP + 20);
    }
    output_print(out, "</svg>\n");
}
