/* SPDX-License-Identifier: MIT */
/* prove_hif8.c -- conversions to HiF8 and from it
 *
 * to-hif8: every code of the formats of up to 16 bits; from f32 and f64 the values of HiF8, the
 * midpoints and the limit of underflow with three neighbours each, and from f32 also inputs at a
 * distance; in the full tier all 2^32. from-hif8: all codes, to each format.
 */
#include "rows/rows.h"

#include <stdlib.h>

#include "softfp8/number/hif8.h"

enum { PARTS = 256 };

typedef struct target {
    worker *w;
    ref_work exact; /* holds the value of the source */
    ref_work cut;   /* finds the source's word at a boundary */
    ref_operand a;
} target;

static void check_operand(target *t, const ref_operand *a)
{
    worker *w = t->w;
    ref_hif8_place place;
    inputs(w, 1, a->code, 0, 0);
    ref_convert(&t->exact, w->f, a);
    ref_hif8_find(&t->exact, &place);
    for (int mode = 0; mode < REF_MODES; mode++)
        for (int saturate = 0; saturate < 2; saturate++)
            check(w, mode, saturate, ref_hif8_finish(&t->exact, &place, mode, saturate),
                  sf8_convert_flags(sf8_hif8_format(), w->sf, a->code, w->policy[mode][saturate]));
}

static void check_word(target *t, uint64_t word)
{
    ref_decode(t->w->f, word, &t->a);
    check_operand(t, &t->a);
}

static void check_boundary(void *data, mpfr_srcptr b)
{
    target *t = data;
    const ref_format *f = t->w->f;
    int64_t near = magnitude_below(&t->cut, b);
    for (int64_t magnitude = near - 1; magnitude <= near + 2; magnitude++) {
        if (magnitude < 0 || magnitude > (int64_t)f->top)
            continue;
        check_word(t, (uint64_t)magnitude);
        check_word(t, (uint64_t)magnitude | ref_sign_bit(f));
    }
}

static void run_to_hif8(worker *w)
{
    target *t = calloc(1, sizeof *t);
    if (!t)
        abort();
    t->w = w;
    w->from = w->f->name;
    ref_open(&t->exact, w->f);
    ref_open(&t->cut, w->f);
    ref_operand_init(&t->a);
    if (w->f->width > 16 && w->part == 0)
        ref_hif8_each_boundary(check_boundary, t);
    if (w->f->width <= 32) {
        uint64_t step = w->f->width <= 16 ? 1 : by_tier(w, 1, 65537, 262147);
        range part = part_of(w, codes_of(w->f));
        for (uint64_t word = part.begin; word < part.end; word += step)
            check_word(t, word);
    }
    ref_operand_clear(&t->a);
    ref_close(&t->cut);
    ref_close(&t->exact);
    free(t);
}

static void run_from_hif8(worker *w)
{
    const ref_format *source = ref_hif8();
    w->from = source->name;
    for (uint64_t code = 0; code < 256; code++)
        check_convert(w, source, sf8_hif8_format(), &source->table[code]);
}

void add_hif8_rows(void)
{
    work to = {.modes = "7x2", .run = run_to_hif8}, from = {.modes = "7x2", .run = run_from_hif8};
    work all = {.modes = "7x2", .run = run_to_hif8, .parts = PARTS, .jobs = PARTS};
    add_rows("to-hif8", to);
    add_rows("from-hif8", from);
    for (int i = REF_FIRST_WIDE; i < REF_FIRST_OWN; i++) {
        const ref_format *f = &ref_formats[i];
        add_row("to-hif8", f->name, f->width == 32 ? all : to);
        add_row("from-hif8", f->name, from);
    }
}
