/* SPDX-License-Identifier: MIT */
/* prove_common.c -- what several rows share: formats and environments of the library, boundaries
 */
#include "rows/rows.h"

#include <stdio.h>
#include <stdlib.h>

static sf8_format own_format(const ref_format *f)
{
    static const int32_t nans[] = {
        [REF_NANS_NONE] = SF8_NANS_NONE,
        [REF_NANS_IEEE] = SF8_NANS_IEEE,
        [REF_NANS_TOP] = SF8_NANS_TOP,
        [REF_NANS_NEG_ZERO] = SF8_NANS_NEG_ZERO,
    };
    sf8_format sf = sf8_format_row(f->exp_bits, f->man_bits, f->is_signed, nans[f->nans],
                                   f->has_inf, f->has_zero, f->bias);
    if (!sf8_format_valid(sf)) {
        fprintf(stderr, "softfp8-compare-mpfr: the library refuses the row %s\n", f->name);
        exit(2);
    }
    return sf;
}

sf8_format library_format(const ref_format *f)
{
    if (f >= &ref_formats[REF_FIRST_OWN])
        return own_format(f);
    sf8_status status;
    sf8_format sf = sf8_format_named(f->name, &status);
    if (status != SF8_OK) {
        fprintf(stderr, "softfp8-compare-mpfr: the library has no format %s\n", f->name);
        exit(2);
    }
    return sf;
}

int32_t library_mode(int mode)
{
#define MODE(a, b, mode) [REF_##mode] = SF8_##mode,
    static const int32_t modes[REF_MODES] = {REF_ROUNDINGS(MODE, , )};
#undef MODE
    return modes[mode];
}

void fill_policy(sf8_policy policy[REF_MODES][2], int tiny_before)
{
    for (int mode = 0; mode < REF_MODES; mode++)
        for (int saturate = 0; saturate < 2; saturate++) {
            sf8_policy e = saturate ? SF8_OCP : SF8_OCP_NOSAT;
            e.round = (unsigned)library_mode(mode) & SF8_ROUND_MASK;
            e.tininess = tiny_before ? SF8_TINY_BEFORE : SF8_TINY_AFTER;
            policy[mode][saturate] = e;
        }
}

range part_of(const worker *w, uint64_t size)
{
    range r;
    r.begin = size * w->part / w->row->work.parts;
    r.end = size * (w->part + 1) / w->row->work.parts;
    return r;
}

int64_t magnitude_below(ref_work *cut, mpfr_srcptr b)
{
    if (mpfr_zero_p(b))
        return 0;
    mpfr_set(cut->x, b, MPFR_RNDZ);
    cut->kind = REF_IS_NUMBER;
    ref_round_in(cut, REF_RZ);
    return cut->rounded[REF_RZ].magnitude;
}
