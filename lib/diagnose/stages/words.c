/* SPDX-License-Identifier: MIT */
/* words.c -- what a fused kernel computes, in lines; the first one is the verdict */
#include "diagnose/failure/failure.h"
#include "diagnose/stages/fused.h"

#include <string.h>

/* "2 of 2,103,296 codes"; with scales "2 of 2,103,296 codes and 0 of 2,048 scales". */
static const char *differences(diagnosis_run *run, size_t codes, size_t scales,
                               const sf8_fused_diagnosis *d)
{
    char a[32], b[32], c[32], e[32];
    failure_number(codes, a);
    failure_number(d->codes, b);
    if (d->scales == 0)
        return diagnosis_text(run, "%s of %s codes", a, b);
    return diagnosis_text(run, "%s of %s codes and %s of %s scales", a, b,
                          failure_number(scales, c), failure_number(d->scales, e));
}

static const char *all(diagnosis_run *run, const sf8_fused_diagnosis *d)
{
    char codes[32], scales[32];
    failure_number(d->codes, codes);
    if (d->scales == 0)
        return diagnosis_text(run, "all %s codes", codes);
    return diagnosis_text(run, "all %s codes and all %s scales", codes,
                          failure_number(d->scales, scales));
}

/* What agrees with the first explanation. */
static const char *agreement(diagnosis_run *run, const sf8_fused_diagnosis *d)
{
    const sf8_fused_explanation *e = d->list;
    char codes[32], scales[32], count[32];
    if (e->codes + e->scales == 0)
        return diagnosis_text(run, "with that %s agree", all(run, d));
    if (e->quantizer[0]) /* of noise: what still differs is not counted */
        return "with that rounding excuses what still differs";
    failure_number(d->codes, count);
    failure_number(e->codes, codes);
    failure_number(e->scales, scales);
    if (e->scales == 0)
        return diagnosis_text(run, "with that all %s codes agree but %s, which rounding excuses",
                              count, codes);
    if (e->codes == 0)
        return diagnosis_text(
            run, "with that all %s codes agree, and all scales but %s, which rounding excuses",
            count, scales);
    return diagnosis_text(run,
                          "with that all %s codes agree but %s, and all scales but %s; rounding "
                          "excuses these",
                          count, codes, scales);
}

/* "keeps f32 after rms-norm, and the scale is that of 2 times amax" */
static const char *what(diagnosis_run *run, const sf8_fused_explanation *e)
{
    if (!e->words[0])
        return e->quantizer[0]
                   ? diagnosis_text(run, "computes the stage as stated, but %s", e->quantizer)
                   : "computes the stage as stated";
    return e->quantizer[0] ? diagnosis_text(run, "%s, and %s", e->words, e->quantizer) : e->words;
}

static const char *others(diagnosis_run *run, const sf8_fused_diagnosis *d, size_t first)
{
    const char *text = "";
    for (size_t i = first; i < d->count; i++)
        text = diagnosis_text(run, "%s\n  equally good: it %s", text, what(run, &d->list[i]));
    return text;
}

/* How much is excused, by what, and how much is tested at all. */
static const char *excuses(diagnosis_run *run, const sf8_fused_diagnosis *d)
{
    char functions[32], sums[32];
    const char *text = "";
    failure_number(d->by_functions, functions);
    failure_number(d->by_sums, sums);
    if (d->by_functions)
        text = diagnosis_text(
            run, "\n  %s of them only because functions may be 2 f32 numbers away", functions);
    if (d->by_sums)
        text = diagnosis_text(run, "%s\n  %s of them only because sums may be formed in any order",
                              text, sums);
    return diagnosis_text(run, "%s\n  tested: %.4g %% of the codes can be one code only", text,
                          d->codes ? 100.0 * (double)d->pinned / (double)d->codes : 100.0);
}

const char *fused_message(diagnosis_run *run, const sf8_fused_results *f,
                          const sf8_fused_diagnosis *d)
{
    char stated[SF8_STAGE_TEXT_SIZE], rows[32], all_rows[32];
    const char *differ = differences(run, d->codes_differ, d->scales_differ, d);
    if (sf8_stage_write(f->stage, stated, sizeof stated) != SF8_OK)
        stated[0] = '\0';
    switch (d->verdict) {
    case SF8_FUSED_EQUAL:
        return diagnosis_text(run, "%s are those of the stage as stated: %s", all(run, d), stated);
    case SF8_FUSED_EXCUSED:
        return diagnosis_text(
            run,
            "%s differ from the stage as stated; rounding excuses all of them\n"
            "  the stage: %s\n"
            "  allowed: functions 2 f32 numbers away, sums in any order of a depth of 64%s%s%s%s",
            differ, stated, excuses(run, d),
            d->count ? "\n  every code comes out if the kernel " : "",
            d->count ? what(run, d->list) : "", d->count ? others(run, d, 1) : "");
    case SF8_FUSED_UNTESTED:
        return diagnosis_text(
            run,
            "%s differ from the stage as stated; rounding could excuse all, but it could excuse "
            "almost anything\n"
            "  in %s of %s rows less than half of the codes can be one code only: nothing is "
            "tested there\n"
            "  the stage: %s%s\n"
            "  to do: state the order of the sums, and smaller ulps",
            differ, failure_number(d->untested, rows), failure_number(f->rows, all_rows), stated,
            excuses(run, d));
    case SF8_FUSED_CHANGED:
        return diagnosis_text(run,
                              "your kernel %s; %s\n"
                              "  as stated %s differ: %s\n"
                              "  the kernel computes: %s%s",
                              what(run, d->list), agreement(run, d), differ, stated,
                              d->list[0].stage, others(run, d, 1));
    case SF8_FUSED_NEAREST:
        if (d->list[0].codes == 0)
            return diagnosis_text(
                run,
                "%s differ from the stage as stated; all codes are right for your scales%s%s, but "
                "nothing explains the scales\n"
                "  the stage: %s",
                differ, d->list[0].words[0] ? " if the kernel " : "", d->list[0].words, stated);
        return diagnosis_text(
            run,
            "%s differ from the stage as stated, and no change of it explains all\n"
            "  the stage: %s\n"
            "  nearest: a kernel that %s; %s still differ",
            differ, stated, what(run, d->list),
            differences(run, d->list[0].codes, d->list[0].scales, d));
    default:
        return diagnosis_text(run,
                              "%s differ from the stage as stated, and nothing explains them\n"
                              "  the stage: %s",
                              differ, stated);
    }
}
