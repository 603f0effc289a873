/* SPDX-License-Identifier: MIT */
/* html_map.c -- a cell for each code of an operand of 8 bits or less: right or wrong */
#include "report/html.h"

enum { CELL = 15, EDGE = 18, COLUMNS = 16 };

typedef enum cell { CELL_RIGHT, CELL_WRONG, CELL_UNKNOWN } cell;

int html_has_map(const report_case *k)
{
    return k->known && oracle_source(&k->oracle)->bits <= 8;
}

/* Behind the last range that was kept nothing is known. */
static cell cell_of(const conform_result *r, uint64_t code)
{
    size_t kept = kept_ranges(r);
    for (size_t i = 0; i < kept; i++) {
        if (code >= r->range[i].first && code <= r->range[i].last)
            return CELL_WRONG;
    }
    return r->range_count > kept && code > r->range[kept - 1].last ? CELL_UNKNOWN : CELL_RIGHT;
}

static void show_rulers(const report_out *out, int rows)
{
    static const char digits[] = "0123456789abcdef";
    for (int i = 0; i < COLUMNS; i++)
        out_print(out, "<text x=\"%d\" y=\"12\">%c</text>", EDGE + CELL * i + CELL / 2, digits[i]);
    for (int i = 0; i < rows; i++)
        out_print(out, "<text x=\"8\" y=\"%d\">%c</text>", EDGE + CELL * i + 11, digits[i]);
}

static void show_cells(const report_out *out, const report_case *k, uint64_t codes, cell which)
{
    int any = 0;
    for (uint64_t code = 0; code < codes; code++) {
        int x = EDGE + CELL * (int)(code % COLUMNS), y = EDGE + CELL * (int)(code / COLUMNS);
        if (cell_of(k->r, code) != which)
            continue;
        if (!any++)
            out_print(out, "<path class=\"%s\" d=\"", which == CELL_WRONG ? "bad" : "unknown");
        out_print(out, "M%d %dh%dv%dh-%dz", x, y, CELL - 1, CELL - 1, CELL - 1);
    }
    out_text(out, any ? "\"/>" : "");
    any = 0;
    for (uint64_t code = 0; code < codes; code++) {
        int x = EDGE + CELL * (int)(code % COLUMNS), y = EDGE + CELL * (int)(code / COLUMNS);
        if (cell_of(k->r, code) != which)
            continue;
        if (!any++)
            out_print(out, "<path class=\"%s\" d=\"",
                      which == CELL_WRONG ? "bad-mark" : "unknown-mark");
        if (which == CELL_WRONG)
            out_print(out, "M%d %dl6 6m0-6l-6 6", x + 4, y + 4);
        else
            out_print(out, "M%d %dh6", x + 4, y + 7);
    }
    out_text(out, any ? "\"/>" : "");
}

void html_map(const report_out *out, const report_case *k)
{
    uint64_t codes = UINT64_C(1) << oracle_source(&k->oracle)->bits, count[3] = {0, 0, 0};
    int rows = (int)((codes + COLUMNS - 1) / COLUMNS);
    int columns = codes < COLUMNS ? (int)codes : COLUMNS;
    for (uint64_t code = 0; code < codes; code++)
        count[cell_of(k->r, code)]++;
    out_print(out,
              "<figure class=\"map\"><svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Of %llu "
              "codes %llu are right, %llu are wrong\">",
              EDGE + CELL * COLUMNS, EDGE + CELL * rows, (unsigned long long)codes,
              (unsigned long long)count[CELL_RIGHT], (unsigned long long)count[CELL_WRONG]);
    show_rulers(out, rows);
    out_print(out, "<path class=\"good\" d=\"M%d %dh%dv%dh-%dz\"/><path class=\"rule\" d=\"", EDGE,
              EDGE, CELL * columns - 1, CELL * rows - 1, CELL * columns - 1);
    for (int i = 1; i < columns; i++)
        out_print(out, "M%d.5 %dv%d", EDGE + CELL * i - 1, EDGE, CELL * rows - 1);
    for (int i = 1; i < rows; i++)
        out_print(out, "M%d %d.5h%d", EDGE, EDGE + CELL * i - 1, CELL * columns - 1);
    out_text(out, "\"/>");
    show_cells(out, k, codes, CELL_WRONG);
    show_cells(out, k, codes, CELL_UNKNOWN);
    out_print(out, "</svg><figcaption>%llu of %llu codes differ (\xc3\x97)",
              (unsigned long long)k->r->differ, (unsigned long long)codes);
    if (count[CELL_UNKNOWN])
        out_text(out, "; \xe2\x80\x93 marks codes behind the last range that was kept");
    out_text(out, ".</figcaption></figure>");
}

void html_small_map(const report_out *out, const report_case *k)
{
    int bits = oracle_source(&k->oracle)->bits;
    out_print(
        out,
        "<svg class=\"small-map\" viewBox=\"0 0 32 32\" role=\"img\" aria-label=\"all %d codes "
        "right\"><use href=\"#all-right\"/></svg> all %d",
        1 << bits, 1 << bits);
}

#define PATTERN(id, tone)                                                                          \
    "<pattern id=\"" id "\" class=\"" tone                                                         \
    "\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "                                 \
    "patternTransform=\"rotate(45)\"><path class=\"hatch\" d=\"M0 0v6\"/></pattern>"

void html_definitions(const report_out *out)
{
    out_text(
        out,
        "<svg class=\"definitions\" width=\"0\" height=\"0\" aria-hidden=\"true\"><defs>" PATTERN(
            "hatch", "failed")
            PATTERN("hatch-known",
                    "known") "<g id=\"all-right\"><path class=\"good\" d=\"M0 0h32v32h-32z\"/>"
                             "<path class=\"rule\" d=\"");
    for (int i = 2; i < 32; i += 2)
        out_print(out, "M%d 0v32M0 %dh32", i, i);
    out_text(out, "\"/></g></defs></svg>\n");
}
