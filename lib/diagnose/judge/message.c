/* SPDX-License-Identifier: MIT */
/* message.c -- what was judged, in words */
#include "diagnose/judge/judge.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void judge_decide(sf8_judgement *j)
{
    j->verdict = j->codes.outside + j->scales.outside > 0 ? SF8_JUDGED_OUTSIDE
                 : j->sides.is_one_sided                  ? SF8_JUDGED_ONE_SIDED
                 : j->codes.differ + j->scales.differ > 0 ? SF8_JUDGED_EXCUSED
                                                          : SF8_JUDGED_EQUAL;
}

/* ---- words ----------------------------------------------------------------------------------- */

typedef struct saying {
    char *text;
    size_t size;
} saying;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
say(saying *s, const char *format, ...)
{
    size_t used = strlen(s->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(s->text + used, s->size - used, format, arguments);
    va_end(arguments);
}

typedef struct number {
    char text[32];
} number;

static number grouped(size_t n)
{
    char digits[32];
    number made;
    int count = snprintf(digits, sizeof digits, "%zu", n), at = 0;
    for (int i = 0; i < count; i++) {
        if (i > 0 && (count - i) % 3 == 0)
            made.text[at++] = ',';
        made.text[at++] = digits[i];
    }
    made.text[at] = '\0';
    return made;
}

const char *judge_format_name(sf8_format f)
{
    sf8_format known;
    for (size_t i = 0; sf8_format_at(i, &known); i++)
        if (memcmp(&known, &f, sizeof f) == 0)
            return sf8_format_at(i, NULL);
    return "another format";
}

static void say_uncertainty(saying *s, const sf8_uncertainty *u)
{
    say(s, "%s", u->text ? u->text : "");
    if (u->absolute)
        say(s, "%sthe errors that were given", u->text ? " + " : "");
    if (u->between[0])
        say(s, "%sbetween two computations", u->text || u->absolute ? " + " : "");
}

static void say_value(saying *s, double x)
{
    if (isnan(x))
        say(s, "nan");
    else if (isinf(x))
        say(s, x > 0 ? "inf" : "-inf");
    else
        say(s, "%.9g", x);
}

static void say_code(saying *s, const judge_said *said, int is_scale, uint64_t code)
{
    const judge_rounding *r = said->rounding;
    if (!is_scale && r->is_integer) {
        uint64_t sign = r->is_integer == 2 ? UINT64_C(1) << (r->bits - 1) : 0;
        say(s, "%lld", (long long)(code ^ sign) - (long long)sign);
        return;
    }
    sf8_format f = is_scale ? said->scale : r->to;
    say(s, "%0*llx = ", (sf8_format_bits(f) + 3) / 4, (unsigned long long)code);
    say_value(s, judge_value(f, code));
}

static void say_one(saying *s, const judge_said *said, int is_scale, const sf8_judged_one *one)
{
    const char *input = is_scale ? "amax" : "input";
    if (is_scale && said->scale_columns)
        say(s, "scale [%zu, %zu]", one->index / said->scale_columns,
            one->index % said->scale_columns);
    else if (!is_scale && said->shape)
        say(s, "[%zu, %zu]", one->index / said->shape[1], one->index % said->shape[1]);
    else
        say(s, "element %zu", one->index);
    say(s, ": %s ", input);
    say_value(s, one->input);
    say(s, ", got ");
    say_code(s, said, is_scale, one->got);
    say(s, ", exact ");
    say_code(s, said, is_scale, one->right);
    if (one->least != one->most) {
        say(s, ", possible from ");
        say_code(s, said, is_scale, one->least);
        say(s, " to ");
        say_code(s, said, is_scale, one->most);
    } else {
        say(s, ", which alone is possible");
    }
    if (isinf(one->of_allowed))
        say(s, "; no value gives it");
    else
        say(s, "; %.4g of what is allowed", one->of_allowed);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void say_part(saying *s, const judge_said *said, const char *name, int is_scale,
                     const sf8_judged_part *p)
{
    if (p->differ == 0)
        return;
    say(s, "\n  %ss: %s of %s differ", name, grouped(p->differ).text, grouped(p->count).text);
    if (p->outside == 0)
        say(s, ", all excused");
    else
        say(s, ", %s excused, %s outside", grouped(p->excused).text, grouped(p->outside).text);
    say(s, "\n  %s ", p->outside ? "the worst is" : "the farthest is");
    say_one(s, said, is_scale, &p->worst);
}

static const char *side_of(const sf8_judged_sides *sides)
{
    if (sides->is_of_magnitude)
        return sides->mean < 0 ? "toward zero" : "away from zero";
    return sides->mean < 0 ? "downward" : "upward";
}

/* "2 of 4 codes and 1 of 3 scales" */
static void say_counts(saying *s, size_t codes, size_t scales, const sf8_judgement *j)
{
    if (codes > 0)
        say(s, "%s of %s codes", grouped(codes).text, grouped(j->codes.count).text);
    if (scales > 0)
        say(s, "%s%s of %s scales", codes ? " and " : "", grouped(scales).text,
            grouped(j->scales.count).text);
}

static void say_verdict(saying *s, const sf8_judgement *j)
{
    switch (j->verdict) {
    case SF8_JUDGED_EQUAL:
        say(s, "equal: all %s codes%s are those of the exact values", grouped(j->codes.count).text,
            j->scales.count ? " and all scales" : "");
        break;
    case SF8_JUDGED_EXCUSED:
        say(s, "excused: ");
        say_counts(s, j->codes.differ, j->scales.differ, j);
        say(s, " differ, and the uncertainty excuses all; the farthest is at %.4g of it",
            fmax(j->codes.worst.of_allowed, j->scales.worst.of_allowed));
        break;
    case SF8_JUDGED_ONE_SIDED:
        if (j->sides.scales > 0)
            say(s,
                "one-sided: the uncertainty excuses all %s scales, but all are %.7g times the "
                "exact ones",
                grouped(j->scales.differ).text, j->sides.scales);
        else
            say(s, "one-sided: the uncertainty excuses all %s codes that differ, but they lie %s",
                grouped(j->codes.differ).text, side_of(&j->sides));
        break;
    default:
        say(s, "outside: the uncertainty does not excuse ");
        say_counts(s, j->codes.outside, j->scales.outside, j);
    }
}

static void say_advice(saying *s, const sf8_judgement *j)
{
    const sf8_judged_sides *sides = &j->sides;
    switch (j->verdict) {
    case SF8_JUDGED_EQUAL:
        break;
    case SF8_JUDGED_EXCUSED:
        say(s, "\n  to do: nothing, if the kernel is as uncertain as was stated");
        break;
    case SF8_JUDGED_ONE_SIDED:
        if (j->mistake[0]) {
            say(s, "\n  likely mistake: %s", j->mistake);
            break;
        }
        say(s, "\n  to do: look for %s",
            sides->scales > 0         ? "a factor of the scale"
            : !sides->is_of_magnitude ? "a constant that is added, or a directed rounding"
            : sides->mean < 0         ? "a truncation, or a scale that is slightly too large"
                                      : "a scale that is slightly too small");
        break;
    default:
        if (j->mistake[0])
            say(s, "\n  likely mistake: %s", j->mistake);
        else
            say(s, "\n  to do: look at the element below; no known mistake explains all");
    }
}

static void say_sides(saying *s, const sf8_judgement *j)
{
    const sf8_judged_sides *sides = &j->sides;
    if (sides->up + sides->down == 0)
        return;
    say(s, "\n  flips: %s up, %s down; %s to larger magnitudes, %s to smaller ones",
        grouped(sides->up).text, grouped(sides->down).text, grouped(sides->larger).text,
        grouped(sides->smaller).text);
    if (sides->is_one_sided && !(sides->scales > 0) && (j->codes.outside == 0 || j->mistake[0]))
        say(s,
            "\n  honest noise falls on both sides; this is on the average %+.2g of what is allowed",
            sides->mean);
}

void judge_say(diagnosis_run *run, const judge_said *said, sf8_judgement *j)
{
    char text[1 << 13] = "", uncertainty[256] = "";
    saying s = {text, sizeof text}, u = {uncertainty, sizeof uncertainty};
    say_uncertainty(&u, said->uncertainty);
    say_verdict(&s, j);
    say_advice(&s, j);
    say(&s, "\n  expected: %s; uncertain: %s", said->expected, uncertainty);
    say_part(&s, said, "scale", 1, &j->scales);
    say_part(&s, said, "code", 0, &j->codes);
    say_sides(&s, j);
    j->message = diagnosis_text(run, "%s", text);
}
