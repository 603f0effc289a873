/* SPDX-License-Identifier: MIT */
/* miss.c -- the report about a wrong result of an instruction */
#include "families/mma/mma.h"

#include <stdio.h>
#include <string.h>

/* A row with a wrong result; its codes are at a and b as the unit takes them. */
static mma_result row_of(const mma_run_state *r, const gpu_mma_miss *miss, unsigned char *a,
                         unsigned char *b)
{
    mma_result row = {{a, b, NULL, NULL}, (size_t)r->mma->k, miss->c, miss->got, MMA_STORED, 0};
    memcpy(a, miss->a, MMA_ROW);
    memcpy(b, miss->b, MMA_ROW);
    mma_sign_codes(r, a, b);
    return row;
}

static void tell_smallest(const mma_run_state *r, const mma_result *row, mma_evaluate evaluate,
                          void *context, char *text, size_t size)
{
    unsigned char a[MMA_ROW], b[MMA_ROW];
    char text_a[MMA_ROW_TEXT], text_b[MMA_ROW_TEXT];
    mma_result small;
    int digits = r->unit.out.man_bits < 23 ? 4 : 8;
    size_t terms = mma_minimise(&r->unit, row, evaluate, context, a, b, &small);
    if (terms == 0) {
        snprintf(text, size, "; when its first row was repeated it was right");
        return;
    }
    unsigned right = (unsigned)mma_model(&r->unit, &small);
    mma_row_text(text_a, a, r->mma);
    mma_row_text(text_b, b, r->mma);
    snprintf(text, size, "; with %zu term%s: %s %s %0*x gives %0*x, not %0*x", terms,
             terms == 1 ? "" : "s", text_a, text_b, digits, (unsigned)small.c, digits,
             (unsigned)small.d, digits, right);
}

void mma_tell_misses(const mma_run_state *r, mma_evaluate evaluate, void *context, char *text,
                     size_t size)
{
    unsigned char a[GPU_MMA_MISSES][MMA_ROW], b[GPU_MMA_MISSES][MMA_ROW];
    mma_result rows[GPU_MMA_MISSES];
    mma_diagnosis d;
    for (size_t i = 0; i < r->misses; i++)
        rows[i] = row_of(r, &r->miss[i], a[i], b[i]);
    mma_diagnose(&d, NULL, r->mma->unit, &r->unit, rows, r->misses);
    mma_diagnosis_text(&d, text, size);
    size_t used = strlen(text);
    tell_smallest(r, &rows[0], evaluate, context, text + used, size - used);
}
