/* SPDX-License-Identifier: MIT */
/* doctor_svg.c -- the magnitudes of a tensor, and the range of the format, drawn
 *
 *     values                        bars: how many, by a logarithmic scale, in each octave
 *     1e6 |      _--_     |         bands behind them: made zero, subnormal, normal
 *         |   _--    --_  |         lines: the largest number, and where rounding ends beyond it
 *         |__________________ 2^k
 *
 * The octaves are those of x / scale where the scale is given, else of x, then without the range. A
 * file without a script; its colours follow the scheme of the reader.
 */
#include "kv/doctor.h"

#include <math.h>
#include <stdio.h>

typedef unsigned long long ull;

enum { WIDTH = 960, HEIGHT = 460, LEFT = 72, RIGHT = 930, TOP = 120, BOTTOM = 400 };

typedef struct drawing {
    int first, last; /* octaves, as bins */
    int decades;     /* of the counts */
    uint64_t most;
    int has_range;
    double zero, normal, largest, limit; /* log2: up to where it is made zero, ... */
} drawing;

static const char style[] =
    ":root{--paper:#fff;--ink:#1b1f24;--soft:#57606a;--line:#d8dde2;--bar:#0a5a8f;--zero:#f6d5d2;"
    "--sub:#fbeccb;--norm:#e3f1e6;--cut:#b3261e}\n"
    "@media(prefers-color-scheme:dark){:root{--paper:#12161a;--ink:#e3e7eb;--soft:#9aa5b0;"
    "--line:#2e353c;--bar:#71b7ea;--zero:#4a2220;--sub:#463a1c;--norm:#1d3524;--cut:#ff8d83}}\n"
    ".paper{fill:var(--paper)}text{font:13px system-ui,-apple-system,\"Segoe UI\",Roboto,"
    "sans-serif;fill:var(--soft)}.title{font-size:18px;font-weight:600;fill:var(--ink)}"
    ".grid{stroke:var(--line);stroke-width:1}.bar{fill:var(--bar)}.zero{fill:var(--zero)}"
    ".sub{fill:var(--sub)}.norm{fill:var(--norm)}.cut{stroke:var(--cut);stroke-width:1.5}"
    ".limit{stroke:var(--cut);stroke-width:1.5;stroke-dasharray:4 3}";

static void escape(output *out, const char *s)
{
    for (; *s; s++)
        if (*s == '<' || *s == '&')
            output_print(out, "&#%d;", *s);
        else
            output_write(out, s, 1);
}

/* ---- where things are ------------------------------------------------------------------------ */

static double log2_of(const kv_way *w, uint32_t code)
{
    return log2((double)sf8_f32_from_bits(sf8_block_element(&w->recipe, code)));
}

/* The format's range, as the cast sees it. */
static void find_range(drawing *d, const kv_way *w)
{
    sf8_format f = w->recipe.element;
    uint32_t max = (uint32_t)sf8_format_max(f);
    d->zero = log2_of(w, 1) - 1; /* half of the least number is a tie that goes to 0 */
    d->normal = log2_of(w, (uint32_t)sf8_format_min_normal(f));
    d->largest = log2_of(w, max);
    d->limit = d->largest + log2(1 + w->half[max]);
}

static void find_bounds(drawing *d, const kv_report *r)
{
    const kv_way *w = &r->ways[0];
    d->first = KV_BINS;
    d->last = -1;
    for (int i = 0; i < KV_BINS; i++) {
        if (r->bins[i] == 0)
            continue;
        d->first = i < d->first ? i : d->first;
        d->last = i;
        d->most = r->bins[i] > d->most ? r->bins[i] : d->most;
    }
    if (d->last < 0)
        d->first = d->last = KV_BIN_0;
    d->has_range = r->is_scaled && !w->recipe.integer;
    if (d->has_range) {
        find_range(d, w);
        int low = (int)floor(d->zero) - 1 + KV_BIN_0, high = (int)floor(d->limit) + 2 + KV_BIN_0;
        d->first = low < d->first ? low : d->first;
        d->last = high > d->last ? high : d->last;
    }
    for (uint64_t n = 1; n <= d->most; n *= 10)
        d->decades++;
    d->decades += d->decades == 0;
}

static double place_x(const drawing *d, double log)
{
    double x = LEFT + (log + KV_BIN_0 - d->first) / (d->last + 1 - d->first) * (RIGHT - LEFT);
    return x < LEFT ? LEFT : x > RIGHT ? RIGHT : x;
}

/* One value is a tenth of a decade high, so that it is seen. */
static double place_y(const drawing *d, uint64_t n)
{
    return BOTTOM - (log10((double)n) + 0.1) / (d->decades + 0.1) * (BOTTOM - TOP);
}

/* ---- the drawing ----------------------------------------------------------------------------- */

static void band(output *out, const drawing *d, const char *class, const char *name, double from,
                 double to)
{
    double x0 = place_x(d, from), x1 = place_x(d, to);
    output_print(out,
                 "<rect class=\"%s\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>"
                 "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
                 class, x0, TOP, x1 - x0, BOTTOM - TOP, (x0 + x1) / 2, TOP - 8, name);
}

static void range(output *out, const drawing *d, const kv_way *w)
{
    sf8_format f = w->recipe.element;
    double end = d->last + 1 - KV_BIN_0;
    band(out, d, "zero", "zero", d->first - KV_BIN_0, d->zero);
    if (d->normal > d->zero + 1)
        band(out, d, "sub", "subnormal", d->zero, d->normal);
    band(out, d, "norm", "normal", d->normal, d->largest);
    band(out, d, "zero", "clipped", d->limit, end);
    uint32_t max = (uint32_t)sf8_format_max(f);
    double largest = (double)sf8_f32_from_bits(sf8_block_element(&w->recipe, max));
    output_print(out,
                 "<path class=\"cut\" d=\"M%.1f %dV%d\"/><path class=\"limit\" d=\"M%.1f %dV%d\"/>"
                 "<text x=\"%.1f\" y=\"%d\" text-anchor=\"end\">largest %.9g; above %.9g clipped, "
                 "or %s without saturation</text>\n",
                 place_x(d, d->largest), TOP - 26, BOTTOM, place_x(d, d->limit), TOP - 26, BOTTOM,
                 place_x(d, d->largest) - 6, TOP - 28, largest,
                 largest + largest * w->half[max], f.has_inf ? "Inf" : "NaN");
}

static void axes(output *out, const drawing *d, const kv_report *r)
{
    int step = (d->last + 1 - d->first) / 24 + 1;
    for (int i = d->first; i <= d->last + 1; i++) {
        double x = place_x(d, i - KV_BIN_0);
        if ((i - KV_BIN_0) % step)
            continue;
        output_print(out,
                     "<path class=\"grid\" d=\"M%.1f %dv6\"/>"
                     "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">2^%d</text>\n",
                     x, BOTTOM, x, BOTTOM + 22, i - KV_BIN_0);
    }
    uint64_t n = 1;
    for (int k = 0; k < d->decades; k++, n *= 10)
        output_print(out,
                     "<path class=\"grid\" d=\"M%d %.1fH%d\"/>"
                     "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">1e%d</text>\n",
                     LEFT, place_y(d, n), RIGHT, LEFT - 8, place_y(d, n) + 4, k);
    output_print(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s, by octaves</text>\n",
                 (LEFT + RIGHT) / 2, BOTTOM + 46, r->is_scaled ? "|x| / scale" : "|x|");
}

static void bars(output *out, const drawing *d, const kv_report *r)
{
    for (int i = d->first; i <= d->last; i++) {
        if (r->bins[i] == 0)
            continue;
        double x0 = place_x(d, i - KV_BIN_0), x1 = place_x(d, i + 1 - KV_BIN_0);
        double y = place_y(d, r->bins[i]);
        output_print(out,
                     "<rect class=\"bar\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\">"
                     "<title>2^%d: %llu</title></rect>\n",
                     x0 + 1, y, x1 - x0 - 2, BOTTOM - y, i - KV_BIN_0, (ull)r->bins[i]);
    }
}

void kv_doctor_svg(output *out, const kv_report *r)
{
    drawing d = {.first = 0};
    const kv_values *v = &r->values;
    find_bounds(&d, r);
    output_print(out,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\">\n"
                 "<title>softfp8: magnitudes of a tensor</title>\n<style>%s</style>\n"
                 "<rect class=\"paper\" width=\"%d\" height=\"%d\"/>\n"
                 "<text class=\"title\" x=\"%d\" y=\"34\">Magnitudes of ",
                 WIDTH, HEIGHT, style, WIDTH, HEIGHT, LEFT - 50);
    escape(out, input_name(r->path));
    output_print(
        out,
        "</text>\n<text x=\"%d\" y=\"56\">%llu values, %llu zero, %llu NaN, %llu Inf; "
        "stored: %s, %llu clipped, %llu made zero</text>\n",
        LEFT - 50, (ull)v->count, (ull)v->zero, (ull)v->nan, (ull)v->infinite, r->ways[0].name,
        (ull)r->tally[0].clipped, (ull)r->tally[0].flushed);
    if (d.has_range)
        range(out, &d, &r->ways[0]);
    axes(out, &d, r);
    bars(out, &d, r);
    output_print(out, "</svg>\n");
}
