/* SPDX-License-Identifier: MIT */
/* judge.c -- what the counts of a cache mean, in sentences */
#include "inspect/record.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef unsigned long long ull;

double inspect_value(const inspect_report *r, uint64_t code)
{
    return (double)sf8_f32_from_bits((uint32_t)sf8_convert(SF8_F32, r->format, code, SF8_OCP));
}

const char *inspect_index(const inspect_axis *a, size_t index, char text[INSPECT_PLACE])
{
    if (strcmp(a->name, "kv") == 0)
        snprintf(text, INSPECT_PLACE, "%s", index ? "values" : "keys");
    else
        snprintf(text, INSPECT_PLACE, "%s %zu", a->name, index);
    return text;
}

const char *inspect_place(const inspect_report *r, const size_t *index, char text[INSPECT_PLACE])
{
    char one[INSPECT_PLACE];
    size_t used = 0;
    text[0] = '\0';
    for (int a = 0; a < r->axes; a++)
        if (r->axis[a].length > 1 || r->axes == 1)
            used += (size_t)snprintf(text + used, INSPECT_PLACE - used, "%s%s", used ? ", " : "",
                                     inspect_index(&r->axis[a], index[a], one));
    return text;
}

void inspect_say(inspect_report *r, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(r->finding[r->findings++], sizeof r->finding[0], format, list);
    va_end(list);
}

/* The only index that has codes of these kinds, or SIZE_MAX. */
static size_t only_index(const inspect_axis *a, const code_kind *kinds, int count)
{
    size_t only = SIZE_MAX;
    for (size_t i = 0; i < a->length; i++) {
        uint64_t n = 0;
        for (int k = 0; k < count; k++)
            n += a->count[kinds[k]][i];
        if (n && only != SIZE_MAX)
            return SIZE_MAX;
        only = n ? i : only;
    }
    return only;
}

/* NaN and infinities: how many, and what is common to them. */
static void judge_bad(inspect_report *r)
{
    static const code_kind bad[] = {CODE_NAN, CODE_INFINITE};
    char place[INSPECT_PLACE], common[INSPECT_PLACE] = "", one[INSPECT_PLACE];
    uint64_t nan = r->count[CODE_NAN], inf = r->count[CODE_INFINITE];
    if (nan + inf == 0)
        return;
    r->problems = 1;
    for (int a = 0; nan + inf > 1 && a < r->axes; a++) {
        size_t only = r->axis[a].length > 1 ? only_index(&r->axis[a], bad, 2) : SIZE_MAX;
        size_t used = strlen(common);
        if (only != SIZE_MAX)
            snprintf(common + used, sizeof common - used, "%s%s", used ? ", " : "",
                     inspect_index(&r->axis[a], only, one));
    }
    const char *what = !inf ? "NaN" : !nan ? "infinite" : "NaN or infinite";
    inspect_place(r, r->first[nan ? CODE_NAN : CODE_INFINITE], place);
    if (nan + inf == 1)
        inspect_say(r, "1 code is %s: %s.", what, place);
    else
        inspect_say(r, "%llu codes are %s, the first one in %s%s%s.", (ull)(nan + inf), what, place,
                    *common ? "; all in " : "", common);
}

/* Numbers that were too large pile up at the largest code: the code before it is rarer. A scale for
 * each row puts one number of each row there, which is right. */
static void judge_clipped(inspect_report *r)
{
    enum { FEW = 16, TIMES = 4 };
    uint64_t max = sf8_format_max(r->format), sign = sf8_format_mag_mask(r->format) + 1;
    uint64_t n = r->count[CODE_LARGEST], next = r->each[max - 1] + r->each[(max - 1) | sign];
    if (n < FEW || n <= TIMES * next || 2 * r->rows_of_largest > r->rows)
        return;
    inspect_say(r,
                "%llu codes are the largest number, %.6g, and %llu the one before it: values were "
                "clipped, unless each block or token has a scale of its own.",
                (ull)n, inspect_value(r, max), (ull)next);
    r->problems = 1;
}

static uint64_t empty(const inspect_axis *a, size_t *first)
{
    uint64_t n = 0;
    for (size_t i = a->length; i-- > 0;)
        if (a->codes[i] && a->count[CODE_ZERO][i] == a->codes[i]) {
            *first = i;
            n++;
        }
    return n;
}

/* Blocks, tokens, heads, channels of which nothing was ever written. Only the first axis that has
 * some is said: where a head is all zero, its channels are not. */
static void judge_zero(inspect_report *r)
{
    char one[INSPECT_PLACE];
    size_t first = 0;
    if (r->count[CODE_ZERO] == r->codes) {
        inspect_say(r, "All %llu codes are zero.", (ull)r->codes);
        return;
    }
    for (int a = 0; a < r->axes; a++) {
        uint64_t n = empty(&r->axis[a], &first);
        if (n == 0)
            continue;
        inspect_index(&r->axis[a], first, one);
        if (n == 1)
            inspect_say(r, "All codes of %s are zero: not written, or read in another layout.",
                        one);
        else
            inspect_say(r,
                        "All codes of %llu %ss are zero, the first one %s: not written, or read in "
                        "another layout.",
                        (ull)n, r->axis[a].name, one);
        return;
    }
}

/* Bytes that are no codes, most likely. A record of a multiple of 64 bytes may as well be a row of
 * channels. */
static void judge_record(inspect_report *r)
{
    size_t last = r->axis[r->axes - 1].length;
    const char *name = last % 64 ? record_of_bytes(last) : NULL;
    if (name)
        inspect_say(r,
                    "Rows of %zu bytes may be records of scales and other fields, too: --mla %s "
                    "takes them apart.",
                    last, name);
}

void inspect_judge(inspect_report *r)
{
    judge_record(r);
    judge_bad(r);
    judge_clipped(r);
    judge_zero(r);
    if (!r->findings)
        inspect_say(r,
                    "No NaN, no infinity, nothing that looks clipped, nothing that is all zero.");
}
