/* SPDX-License-Identifier: MIT */
/* format_hint.c -- names that people give to formats and that are none: what to write instead */
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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
