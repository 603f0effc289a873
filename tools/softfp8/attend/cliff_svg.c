/* SPDX-License-Identifier: MIT */
/* cliff_svg.c -- a heat map for each cache: lengths from left to right, depths downward */
#include "attend/cliff.h"

#include <stdio.h>

enum { CELL = 34, ROW = 22, LEFT = 60, TOP = 84, GAP = 40, ACROSS = 4 };

static const char style[] =
    ":root{--paper:#fff;--ink:#1b1f24;--soft:#57606a;--line:#d8dde2}\n"
    "@media(prefers-color-scheme:dark){:root{--paper:#12161a;--ink:#e3e7eb;--soft:#9aa5b0;"
    "--line:#2e353c}}\n"
    ".paper{fill:var(--paper)}text{font:12px system-ui,-apple-system,\"Segoe UI\",Roboto,"
    "sans-serif;fill:var(--soft)}.title{font-size:18px;font-weight:600;fill:var(--ink)}"
    ".name{font-size:14px;font-weight:600;fill:var(--ink)}.cell{stroke:var(--line)}";

/* From dark red, nothing found, over yellow to green. */
static void colour(char text[8], double share)
{
    int red = share < 0.5 ? 179 + (int)(104 * share) : (int)(231 * 2 * (1 - share) + 40);
    int green = share < 0.5 ? 38 + (int)(300 * share) : 188 - (int)(100 * (share - 0.5));
    int blue = share < 0.5 ? 30 + (int)(60 * share) : 60 + (int)(60 * (share - 0.5));
    snprintf(text, 8, "#%02x%02x%02x", red > 255 ? 255 : red, green, blue);
}

static void draw_cells(output *out, const cliff_options *o, const cliff_result *r, size_t cache,
                       int left, int top)
{
    for (size_t i = 0; i < o->count; i++)
        for (size_t d = 0; d < o->depths; d++) {
            size_t found = r->found[cache][i][d];
            char fill[8];
            colour(fill, (double)found / (double)o->trials);
            output_print(out,
                         "<rect class=\"cell\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" "
                         "fill=\"%s\"><title>%s, %zu keys: %zu of %zu</title></rect>\n",
                         left + CELL * (int)i, top + ROW * (int)d, CELL, ROW, fill,
                         cliff_caches[cache], o->lengths[i], found, o->trials);
        }
}

static void draw_cache(output *out, const cliff_options *o, const cliff_result *r, size_t cache,
                       int left, int top)
{
    output_print(out, "<text class=\"name\" x=\"%d\" y=\"%d\">%s</text>\n", left, top - 10,
                 cliff_caches[cache]);
    draw_cells(out, o, r, cache, left, top);
    for (size_t i = 0; i < o->count; i++)
        output_print(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%zu%s</text>\n",
                     left + CELL * (int)i + CELL / 2, top + ROW * (int)o->depths + 16,
                     o->lengths[i] < 1024 ? o->lengths[i] : o->lengths[i] / 1024,
                     o->lengths[i] < 1024 ? "" : "k");
}

void cliff_draw(output *out, const cliff_options *o, const cliff_result *r)
{
    int panel = CELL * (int)o->count + GAP, height = ROW * (int)o->depths + 24 + GAP;
    int width = LEFT + ACROSS * panel, rows = (CLIFF_CACHES + ACROSS - 1) / ACROSS;
    output_print(out,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\">\n"
                 "<style>%s</style>\n<rect class=\"paper\" width=\"100%%\" height=\"100%%\"/>\n",
                 width, TOP + rows * height, style);
    output_print(out,
                 "<text class=\"title\" x=\"%d\" y=\"30\">One key among many, by cache</text>\n"
                 "<text x=\"%d\" y=\"50\">keys from left to right, from the first to the last "
                 "position downward; %zu heads a cell, channels that stand out by %g</text>\n",
                 LEFT, LEFT, o->trials, o->outlier);
    for (size_t c = 0; c < CLIFF_CACHES; c++)
        draw_cache(out, o, r, c, LEFT + (int)(c % ACROSS) * panel,
                   TOP + (int)(c / ACROSS) * height);
    output_print(out, "</svg>\n");
}
