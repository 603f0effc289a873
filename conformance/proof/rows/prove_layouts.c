/* SPDX-License-Identifier: MIT */
/* prove_layouts.c -- layouts of scales: every size up to 300 x 450, written and read
 *
 * A case is a position of a matrix of scales. The reference walks through memory in the order in
 * which the layouts are drawn, tile by tile and line by line, without an index formula. Each place
 * must hold the scale that is drawn there, or 0 if none is. That proves that the index is a
 * bijection. The quick tier has the sizes at which tiles begin and end.
 */
#include "rows/rows.h"
#include "softfp8_blocks.h"

#include <stdlib.h>

enum { MOST_ROWS = 300, MOST_COLUMNS = 450, PLACES = 384 * 452, LAYOUT_PARTS = 16 };

typedef struct page {
    uint8_t linear[MOST_ROWS * MOST_COLUMNS], moved[PLACES + 8], back[MOST_ROWS * MOST_COLUMNS];
    size_t rows, columns, at;
    worker *w;
} page;

static void fault(page *p, const char *what, uint64_t want, uint64_t got)
{
    p->w->what = what;
    inputs(p->w, 3, p->rows, p->columns, p->at);
    mismatch(p->w, -1, 0, (ref_answer){.code = want}, (sf8_result){got, 0});
}

/* The next place of memory has this scale, or is padding. */
static void place(page *p, size_t i, size_t k)
{
    uint8_t want = i < p->rows && k < p->columns ? p->linear[i * p->columns + k] : 0;
    if (p->moved[p->at] != want)
        fault(p, "place", want, p->moved[p->at]);
    p->at++;
}

static void walk(page *p, sf8_layout layout)
{
    size_t high = layout == SF8_LAYOUT_128X4 ? 128 : layout == SF8_LAYOUT_8X4 ? 8 : 1;
    p->at = 0;
    if (layout == SF8_LAYOUT_LINEAR || layout == SF8_LAYOUT_4TOKEN) {
        size_t group = layout == SF8_LAYOUT_4TOKEN ? 4 : 1;
        for (size_t i = 0; i < p->rows; i += group)
            for (size_t k = 0; k < p->columns; k++)
                for (size_t r = 0; r < group; r++)
                    place(p, i + r, k);
        return;
    }
    for (size_t i = 0; i < p->rows; i += high)
        for (size_t k = 0; k < p->columns; k += 4)
            for (size_t line = 0; line < (high == 128 ? 32 : 8); line++)
                for (size_t r = line; r < high; r += high == 128 ? 32 : 8)
                    for (size_t c = 0; c < 4; c++)
                        place(p, i + r, k + c);
}

static void check_size(page *p, sf8_layout layout)
{
    size_t size = 0, n = p->rows * p->columns;
    if (sf8_layout_places(layout, p->rows, p->columns, &size) != SF8_OK || size > PLACES)
        abort();
    for (size_t i = 0; i < n; i++)
        p->linear[i] = (uint8_t)(1 + i % 251);
    memset(p->moved, 0xee, size + 8);
    if (sf8_layout_store_n(layout, p->moved, p->linear, p->rows, p->columns) != SF8_OK)
        abort();
    walk(p, layout);
    p->w->found.cases += size;
    if (p->at != size)
        fault(p, "size", p->at, size);
    for (size_t i = 0; i < 8; i++)
        if (p->moved[size + i] != 0xee)
            fault(p, "behind", 0xee, p->moved[size + i]);
    sf8_layout_load_n(layout, p->back, p->moved, p->rows, p->columns);
    if (memcmp(p->back, p->linear, n) != 0)
        fault(p, "read back", 0, 1);
}

static void run_layouts(worker *w)
{
    static const size_t edges[] = {1, 4, 8, 31, 32, 33, 128, 129, 300};
    size_t most = w->tier == FULL ? MOST_ROWS : sizeof edges / sizeof edges[0];
    sf8_layout layout = (sf8_layout)w->row->work.arg;
    page *p = calloc(1, sizeof *p);
    if (!p)
        abort();
    p->w = w;
    range columns = part_of(w, MOST_COLUMNS);
    for (uint64_t k = columns.begin + 1; k <= columns.end; k++)
        for (size_t i = 0; i < most; i++) {
            p->rows = w->tier == FULL ? i + 1 : edges[i];
            p->columns = (size_t)k;
            if ((w->tier == FULL || k % 16 < 2) && sf8_layout_fits(layout, p->rows, p->columns))
                check_size(p, layout);
        }
    free(p);
}

void add_layout_rows(int tier)
{
    for (sf8_layout layout = 0; layout < SF8_LAYOUT_COUNT; layout++)
        add_row_named("layouts", sf8_layout_name(layout), "e4m3",
                      (work){.modes = "places",
                             .run = run_layouts,
                             .arg = (int)layout,
                             .parts = tier == FULL ? LAYOUT_PARTS : 1});
}
