/* SPDX-License-Identifier: MIT */
/* bad_format.c -- fields and names that make no format: which rule they break, what to write
 * instead
 *
 * The library only says that the fields make no format. The rules are those of sf8_format_valid,
 * and the defaults those of sf8_format_read.
 */
#include "cli/cli.h"
#include "softfp8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { E, M, BIAS, SIGNED, NANS, INF, ZERO, FIELDS };

typedef struct draft {
    long value[FIELDS];
    int given[FIELDS];
    int has_base;
} draft;

static void take_base(draft *d, const char *name)
{
    sf8_format f = sf8_format_named(name, NULL);
    const long values[FIELDS] = {f.exp_bits, f.man_bits, f.bias,    f.is_signed,
                                 f.nan,      f.has_inf,  f.has_zero};
    memcpy(d->value, values, sizeof values);
    d->has_base = 1;
}

/* The place of a word in a list with blanks between. */
static long place_in(const char *list, const char *word)
{
    for (long place = 0; *list; place++) {
        size_t n = strcspn(list, " ");
        if (strlen(word) == n && memcmp(list, word, n) == 0)
            return place;
        list += n + (list[n] == ' ');
    }
    return 0;
}

static void take_field(draft *d, const char *word)
{
    size_t length = strcspn(word, "=");
    for (size_t i = 0; i < FIELDS; i++) {
        const char *name = sf8_format_field_at(i), *values = sf8_format_field_values(i);
        if (strlen(name) != length || memcmp(name, word, length) != 0)
            continue;
        d->given[i] = 1;
        d->value[i] = *values ? place_in(values, word + length + 1) : atol(word + length + 1);
    }
}

/* The words of a text that sf8_format_read could read. */
static draft draft_of(const char *text)
{
    static const char separators[] = " ,";
    draft d = {{0}, {0}, 0};
    for (text += strspn(text, separators); *text; text += strspn(text, separators)) {
        char word[64];
        size_t length = strcspn(text, separators);
        snprintf(word, sizeof word, "%.*s", (int)(length < 63 ? length : 63), text);
        if (strchr(word, '='))
            take_field(&d, word);
        else
            take_base(&d, word);
        text += length;
    }
    return d;
}

static void set_defaults(draft *d)
{
    if (d->has_base)
        return;
    if (!d->given[SIGNED])
        d->value[SIGNED] = 1;
    if (!d->given[ZERO])
        d->value[ZERO] = 1;
    if (!d->given[NANS])
        d->value[NANS] = d->value[M] ? SF8_NANS_IEEE : SF8_NANS_NONE;
    if (!d->given[INF])
        d->value[INF] = d->value[NANS] == SF8_NANS_IEEE;
}

/* A number out of its range. */
static int range_wrong(const draft *d, char why[BAD_FORMAT_SIZE])
{
    static const struct {
        const char *name;
        long least, most;
        int field;
    } ranges[] = {{"e", 1, 11, E}, {"m", 0, 52, M}, {"bias", -2048, 2048, BIAS}};
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        long value = d->value[ranges[i].field];
        int has = d->has_base || d->given[ranges[i].field];
        if (!has && ranges[i].field != BIAS)
            return snprintf(why, BAD_FORMAT_SIZE,
                            "%s is missing; without the name of a format, e and m are needed",
                            ranges[i].name);
        if (has && (value < ranges[i].least || value > ranges[i].most))
            return snprintf(why, BAD_FORMAT_SIZE, "%s=%ld: expected %ld to %ld", ranges[i].name,
                            value, ranges[i].least, ranges[i].most);
    }
    return 0;
}

/* How a kind of NaN came about that was not asked for. */
static const char *origin(const draft *d)
{
    return d->given[NANS] ? "" : d->has_base ? ", that of the named format," : ", the default,";
}

static int zero_wrong(const draft *d, char why[BAD_FORMAT_SIZE])
{
    const long *v = d->value;
    if (v[ZERO] || (!v[SIGNED] && v[M] == 0))
        return 0;
    return snprintf(why, BAD_FORMAT_SIZE, "zero=0 needs signed=0 and m=0; write %s%s%s, or zero=1",
                    v[SIGNED] ? "signed=0" : "", v[SIGNED] && v[M] ? " and " : "",
                    v[M] ? "m=0" : "");
}

static int nan_wrong(const draft *d, char why[BAD_FORMAT_SIZE])
{
    const long *v = d->value;
    if (v[NANS] == SF8_NANS_IEEE && v[M] == 0)
        return snprintf(why, BAD_FORMAT_SIZE,
                        "nan=ieee%s needs m above 0: the mantissa distinguishes NaN from infinity; "
                        "write nan=none or nan=top",
                        origin(d));
    if (v[NANS] == SF8_NANS_IEEE && !v[INF])
        return snprintf(why, BAD_FORMAT_SIZE,
                        "nan=ieee%s needs inf=1; write nan=none or nan=top for a format without "
                        "infinity",
                        origin(d));
    if (v[NANS] == SF8_NANS_NEG_ZERO && (!v[SIGNED] || !v[ZERO]))
        return snprintf(why, BAD_FORMAT_SIZE,
                        "nan=neg-zero%s needs signed=1 and zero=1: NaN has the code of -0; write "
                        "nan=top or nan=none",
                        origin(d));
    if (v[NANS] != SF8_NANS_IEEE && v[E] + v[M] > 62)
        return snprintf(why, BAD_FORMAT_SIZE,
                        "e=%ld m=%ld: expected at most 62 bits of exponent and mantissa, unless "
                        "nan=ieee",
                        v[E], v[M]);
    return 0;
}

/* The last rule: a NaN at the top and an infinity take the magnitudes of e=1. */
static void no_normal_number(const draft *d, char why[BAD_FORMAT_SIZE])
{
    int top = d->value[NANS] == SF8_NANS_TOP, inf = d->value[INF] != 0;
    snprintf(why, BAD_FORMAT_SIZE, "e=1 m=%ld leaves no normal number beside %s; write e=2, or %s",
             d->value[M],
             top && inf ? "nan=top and inf=1"
             : top      ? "nan=top"
                        : "inf=1",
             top && inf && d->value[M] ? "leave out one of them"
             : top && inf              ? "leave out both"
             : top                     ? "nan=none"
                                       : "inf=0");
}

void bad_format_reason(const char *text, char why[BAD_FORMAT_SIZE])
{
    draft d = draft_of(text);
    set_defaults(&d);
    const char *base = text + strspn(text, " ,");
    if (strncmp(base, "hif8", 4) == 0 || strncmp(base, "hifloat8", 8) == 0)
        snprintf(why, BAD_FORMAT_SIZE, "hif8 has no fields: its precision depends on the exponent");
    else if (!range_wrong(&d, why) && !zero_wrong(&d, why) && !nan_wrong(&d, why))
        no_normal_number(&d, why);
}

/* ---- names that people give to formats and that are none: what to write instead -------------- */

/* What a name is that people give to several formats, or to what is no format. The Python package
 * has the same table, without the lines from bf8 on. */
const char *no_single_format(const char *name)
{
    static const char fp8[] =
        "the name of several formats: e4m3 and e5m2 (OCP), e4m3fnuz and e5m2fnuz (MI300)";
    static const char fp6[] = "the name of several formats: e2m3 and e3m2";
    static const char fp4[] = "e2m1, or blocks of it by a recipe: 'softfp8 recipes nvfp4'";
    static const char integer[] = "an integer, not a format; 'softfp8 recipes' has blocks of it";
    static const char bfp[] = "block floating point, a recipe: 'softfp8 recipes bfp'";
    static const char posit[] = "a posit; softfp8 has no posits";
    static const char *const rows[][2] = {
        {"fp8", fp8},
        {"float8", fp8},
        {"f8", fp8},
        {"fp6", fp6},
        {"float6", fp6},
        {"fp4", fp4},
        {"float4", fp4},
        {"nvfp4", "the name of recipes with blocks of e2m1: 'softfp8 recipes nvfp4'"},
        {"mxfp4", "the name of recipes with blocks of e2m1: 'softfp8 recipes mxfp4'"},
        {"mxfp8", "the name of recipes with blocks of e4m3 or e5m2: 'softfp8 recipes mxfp8'"},
        {"int8", integer},
        {"int4", integer},
        {"bf8", "e5m2 (OCP, Intel), or e5m2fnuz (MI300)"},
        {"f4", "f32 (NumPy's <f4), or e2m1 (safetensors)"},
        {"cuda_r_8f_ue4m3", "ue4m3 of scales; CUDA gives this name the value of CUDA_R_8F_E4M3"},
        {"hf8", "e4m3 (OCP, Intel)"},
        {"mxfp6", "the name of recipes with blocks of e2m3 or e3m2: 'softfp8 recipes mxfp6'"},
        {"mxint8", "the name of recipes with blocks of int8: 'softfp8 recipes mxint8'"},
        {"mxint4", "not in softfp8; 'softfp8 recipes mxint8' and 'softfp8 recipes int4' are near"},
        {"bfp", bfp},
        {"bfp2", bfp},
        {"bfp4", bfp},
        {"bfp8", bfp},
        {"bfp16", bfp},
        {"msfp", bfp},
        {"nf4", "a lookup table, not a format; softfp8 does not have it"},
        {"posit", posit},
        {"posit8", posit},
        {"posit16", posit},
        {"posit32", posit},
        {"posit64", posit},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcasecmp(rows[i][0], name) == 0)
            return rows[i][1];
    return NULL;
}

/* i8, u8, ui8, int8 and uint8, of 4 to 64 bits. */
static int is_integer(const char *name)
{
    static const char *const sizes[] = {"4", "8", "16", "32", "64"};
    int is_signed = (*name | 0x20) == 'i';
    const char *s = name + !is_signed;
    if (!is_signed && (*name | 0x20) != 'u')
        return 0;
    if (strncasecmp(s, "int", 3) == 0)
        s += 3;
    else
        s += (*s | 0x20) == 'i';
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (strcmp(s, sizes[i]) == 0)
            return 1;
    return 0;
}

const char *integer_hint(const char *name)
{
    return is_integer(name) ? "an integer, not a format: functions such as e4m3_to_i8 convert to "
                              "integers ('softfp8 gen e4m3_to_i8'); 'softfp8 recipes int8' has "
                              "blocks of them"
                            : NULL;
}

/* A number of one or two digits at *text, which is moved behind it; -1 if there is none. */
static int digits_of(const char **text)
{
    int n = -1;
    for (int i = 0; i < 2 && **text >= '0' && **text <= '9'; i++)
        n = (n < 0 ? 0 : 10 * n) + (*(*text)++ - '0');
    return n;
}

const char *own_format_of(const char *name, char text[OWN_FORMAT_SIZE])
{
    int unsigned_too = (*name | 0x20) == 'u';
    const char *s = name + unsigned_too;
    if ((*s++ | 0x20) != 'e')
        return NULL;
    int e = digits_of(&s);
    if (e < 1 || e > 11 || (*s++ | 0x20) != 'm')
        return NULL;
    int m = digits_of(&s);
    if (m < 0 || m > 52 || *s)
        return NULL;
    snprintf(text, OWN_FORMAT_SIZE, "e=%d m=%d%s", e, m, unsigned_too ? " signed=0" : "");
    return text;
}
