/* SPDX-License-Identifier: MIT */
/* identify.c -- softfp8 mma --diagnose: which rule gives the words that came? */
#include "mma/line.h"
#include "mma/mma.h"
#include "search/mma/diagnose.h"

#include <stdlib.h>
#include <string.h>

enum { SHOWN = 8 };

static void *copy_of(const void *data, size_t size)
{
    void *copy = allocate(size ? size : 1, 1);
    memcpy(copy, data, size);
    return copy;
}

void mma_collect(mma_list_of_rows *list, const mma_row *row, uint64_t line)
{
    const sf8_mma *m = &row->m;
    size_t scales = m->scale_block ? row->k / (size_t)m->scale_block : 0;
    if (list->count == list->room) {
        list->room = list->room ? 2 * list->room : 1024;
        list->row = reallocate(list->row, list->room, sizeof list->row[0]);
        list->words_a = reallocate(list->words_a, list->room, sizeof list->words_a[0]);
        list->words_b = reallocate(list->words_b, list->room, sizeof list->words_b[0]);
    }
    size_t stretch = mma_stretch(row), words = stretch ? row->k / stretch + 1 : 0;
    list->words_a[list->count] = copy_of(row->words_a, words * sizeof row->words_a[0]);
    list->words_b[list->count] = copy_of(row->words_b, words * sizeof row->words_b[0]);
    mma_result *r = &list->row[list->count++];
    r->x.a = copy_of(row->a, row->k * sf8_mma_code_bytes(m->a));
    r->x.b = copy_of(row->b, row->k * sf8_mma_code_bytes(m->b));
    r->x.scale_a = copy_of(row->scale_a, scales);
    r->x.scale_b = copy_of(row->scale_b, scales);
    r->k = row->k;
    r->c = row->c;
    r->d = row->d;
    r->line = line;
}

void mma_free_rows(mma_list_of_rows *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const void *codes[] = {list->row[i].x.a, list->row[i].x.b, list->row[i].x.scale_a,
                               list->row[i].x.scale_b};
        for (size_t k = 0; k < sizeof codes / sizeof codes[0]; k++)
            free((void *)(uintptr_t)codes[k]);
        free(list->words_a[i]);
        free(list->words_b[i]);
    }
    free(list->words_a);
    free(list->words_b);
    free(list->row);
}

/* The first rows that differ, and the one with the fewest terms. */
static void show_rows(output *out, const mma_row *row, const mma_list_of_rows *list)
{
    int digits = row->m.out.man_bits == 10 ? 4 : 8;
    size_t shown = 0, least = SIZE_MAX;
    const mma_result *smallest = NULL;
    output_print(out, "  %-8s %-8s  %-8s  %s\n", "line", "given", "by unit", "nonzero terms");
    for (size_t i = 0; i < list->count; i++) {
        const mma_result *r = &list->row[i];
        uint32_t right = mma_model(&row->m, r);
        size_t live = mma_live(&row->m, r);
        if (right == r->d)
            continue;
        if (shown++ < SHOWN)
            output_print(out, "  %-8llu %0*x%*s  %0*x%*s  %zu\n", (unsigned long long)r->line,
                         digits, (unsigned)r->d, 8 - digits, "", digits, (unsigned)right,
                         8 - digits, "", live);
        smallest = live < least ? r : smallest;
        least = live < least ? live : least;
    }
    if (shown > SHOWN)
        output_print(out, "  and %zu more\n", shown - SHOWN);
    if (shown > 1)
        output_print(out, "  line %llu has the fewest terms, %zu\n",
                     (unsigned long long)smallest->line, least);
}

int mma_identify(output *out, const mma_row *row, const mma_list_of_rows *list)
{
    mma_diagnosis *d = allocate(1, sizeof *d);
    if (!mma_diagnose(d, row->unit, &row->m, list->row, list->count))
        fail("not enough memory for the search");
    int held = d->explained == d->rows;
    output_print(out, "%s explains %zu of %zu rows\n", row->unit, d->explained, d->rows);
    if (!held)
        show_rows(out, row, list);
    if (!held && !d->found)
        output_print(out, "none of the %zu rules that were tried explains more\n", d->tried);
    if (d->found) {
        output_print(out, "explained by\n");
        for (size_t i = 0; i < d->found && i < MMA_RULES; i++)
            output_print(out, "  %zu of %zu  %s\n", d->rule[i].explained, d->rows, d->rule[i].name);
        if (d->found > MMA_RULES)
            output_print(out, "  and %zu more rules\n", d->found - MMA_RULES);
    }
    free(d);
    return held ? STATUS_HELD : STATUS_MISMATCH;
}
