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

static const char *others(diagnosis_run *run, const sf8_fused_diagnosis *d, size_t first)
{
    const char *text = "";
    for (size_t i = first; i < d->count; i++)
        text = diagnosis_text(run, "%s\n  equally good: it %s", text, d->list[i].words);
    return text;
}

const char *fused_message(diagnosis_run *run, const sf8_fused_results *f,
                          const sf8_fused_diagnosis *d)
{
    char stated[SF8_STAGE_TEXT_SIZE];
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
            "  allowed: functions 2 f32 numbers away, sums in any order of a depth of 64%s%s%s",
            differ, stated, d->count ? "\n  every code comes out if the kernel " : "",
            d->count ? d->list[0].words : "", d->count ? others(run, d, 1) : "");
    case SF8_FUSED_CHANGED:
        return diagnosis_text(run,
                              "your kernel %s; %s\n"
                              "  as stated %s differ: %s\n"
                              "  the kernel computes: %s%s",
                              d->list[0].words, agreement(run, d), differ, stated, d->list[0].stage,
                              others(run, d, 1));
    case SF8_FUSED_NEAREST:
        return diagnosis_text(
            run,
            "%s differ from the stage as stated, and no change of it explains all\n"
            "  the stage: %s\n"
            "  nearest: a kernel that %s; %s still differ",
            differ, stated, d->list[0].words,
            differences(run, d->list[0].codes, d->list[0].scales, d));
    default:
        return diagnosis_text(run,
                              "%s differ from the stage as stated, and nothing explains them\n"
                              "  the stage: %s",
                              differ, stated);
    }
}
