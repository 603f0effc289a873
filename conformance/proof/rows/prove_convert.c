/* SPDX-License-Identifier: MIT */
/* prove_convert.c -- conversions from all codes of the narrow formats, f16 and bf16
 */
#include "rows/rows.h"

void check_convert(worker *w, const ref_format *source, sf8_format library_source,
                   const ref_operand *a)
{
    inputs(w, 1, a->code, 0, 0);
    ref_convert(&w->ref, source, a);
    ref_round(&w->ref);
    for (int mode = 0; mode < REF_MODES; mode++)
        for (int saturate = 0; saturate < 2; saturate++)
            check(w, mode, saturate, ref_finish(&w->ref, mode, saturate),
                  sf8_convert_flags(w->sf, library_source, a->code, w->policy[mode][saturate]));
}

/* From every code of every narrow format, those of the P3109 family and our own among them. */
static void run_from_narrow(worker *w)
{
    for (int i = 0; i < REF_FORMATS; i++) {
        const ref_format *source = &ref_formats[i];
        if (!source->table)
            continue;
        sf8_format from = library_format(source);
        w->from = source->name;
        for (uint64_t a = 0; a < codes_of(source); a++)
            check_convert(w, source, from, &source->table[a]);
    }
}

/* From every code of a format of 16 bits; in the quick tier one in 13 to the P3109 family and our
 * own rows. */
static void run_from_16_bits(worker *w)
{
    const ref_format *source = &ref_formats[w->row->work.arg];
    sf8_format from = library_format(source);
    uint64_t step = w->tier == FULL || !in_family(w) ? 1 : 13;
    ref_operand a;
    ref_operand_init(&a);
    w->from = source->name;
    for (uint64_t code = 0; code < codes_of(source); code += step) {
        ref_decode(source, code, &a);
        check_convert(w, source, from, &a);
    }
    ref_operand_clear(&a);
}

static int index_of(const char *name)
{
    return (int)(ref_format_of(name) - ref_formats);
}

void add_convert_rows(int tier)
{
    work narrow = {.modes = "7x2", .run = run_from_narrow};
    work wide = {.modes = "7x2", .run = run_from_16_bits};
    add_rows("convert", narrow);
    for (int i = REF_FIRST_WIDE; i < REF_FIRST_OWN; i++)
        add_row("convert", ref_formats[i].name, narrow);
    add_rows_before("convert-before", narrow, tier);
    wide.arg = index_of("f16");
    add_rows("from-f16", wide);
    wide.arg = index_of("bf16");
    add_rows("from-bf16", wide);
}
