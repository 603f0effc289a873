/* SPDX-License-Identifier: MIT */
/* table.c -- softfp8 table: all codes of a format with their values */
#include "cli/options.h"
#include "cli/rows.h"
#include "softfp8/number/hif8.h"

#include <stdio.h>
#include <string.h>

enum {
    CELL_LENGTH = 8,
    GRID_BITS = 8,
    LIST_BITS = 16,
    COLUMNS_BITS = 3,
    ROWS_MOST = 32,
    VALUE_SIZE = 1600,
    CELL_SIZE = VALUE_SIZE + 1
};

typedef struct table {
    const char *name;
    sf8_format f;
    int digits; /* of a code */
    int hex, exact, csv;
    const char *path;
    int shortened; /* a ~ was written */
} table;

/* ---- values ---------------------------------------------------------------------------------- */

static size_t value_text(sf8_format f, uint64_t code, sf8_text_style style, char *text)
{
    size_t length = 0;
    if (sf8_to_text(f, code, style, text, VALUE_SIZE, &length) != SF8_OK)
        fail("internal error: the value of a code is too long");
    return length;
}

/* What the grid shows of a positive code. */
static void cell_text(table *t, uint64_t code, char text[CELL_SIZE])
{
    int finite = !sf8_is_special(t->f, code);
    if (t->hex && finite) {
        value_text(t->f, code, SF8_TEXT_HEX, text);
        return;
    }
    size_t length = value_text(t->f, code, SF8_TEXT_EXACT, text);
    int is_short = length <= CELL_LENGTH, is_zero = strcmp(text, "0") == 0;
    if (finite && !is_zero && t->f.man_bits == 0) {
        short_power(t->f, code, text);
    } else if (finite && t->f.man_bits == 1) {
        short_value(t->f, code, text);
    } else if (!is_short) {
        text[0] = '~';
        value_text(t->f, code, SF8_TEXT_SHORTEST, text + 1);
        t->shortened = 1;
    }
}

static const char *class_text(sf8_format f, uint64_t code)
{
    static const char *const names[] = {"signaling-nan", "nan",  "infinity",  "normal", "subnormal",
                                        "zero",          "zero", "subnormal", "normal", "infinity"};
    if (sf8_is_hif8(f) && (code & 0x7f) >= 1 && (code & 0x7f) < 8)
        return "subnormal";
    if (sf8_is_hif8(f))
        code = sf8_hif8_unpack(code, &f);
    return names[sf8_class(f, code, SF8_OCP)];
}

/* ---- what is said about the format ----------------------------------------------------------- */

static void print_nans(output *out, const table *t)
{
    sf8_format f = t->f;
    uint64_t sign = sf8_format_sign_bit(f), top = sf8_format_mag_mask(f);
    uint64_t first = f.nan == SF8_NANS_IEEE ? sf8_format_inf(f) + 1 : top;
    if (f.nan == SF8_NANS_NONE) {
        output_print(out, ", no NaN");
        return;
    }
    if (f.nan >= SF8_NANS_NEG_ZERO)
        first = top = sign, sign = 0;
    output_print(out, ", NaN");
    for (int side = 0; side <= (sign != 0); side++) {
        uint64_t s = side ? sign : 0;
        output_print(out, " %0*llx", t->digits, (unsigned long long)(first | s));
        if (top > first)
            output_print(out, "-%0*llx", t->digits, (unsigned long long)(top | s));
    }
}

static void print_infinities(output *out, const table *t)
{
    sf8_format f = t->f;
    if (!f.has_inf) {
        output_print(out, ", no infinity");
        return;
    }
    output_print(out, ", infinity %0*llx", t->digits, (unsigned long long)sf8_format_inf(f));
    if (f.is_signed)
        output_print(out, " %0*llx", t->digits,
                     (unsigned long long)(sf8_format_inf(f) | sf8_format_sign_bit(f)));
}

static void print_head(output *out, const table *t)
{
    sf8_format f = t->f;
    char text[SHORT_SIZE];
    uint64_t code;
    if (sf8_is_hif8(f))
        output_print(out, "%s: signed, dot field 2 to 4 bits, exponent 0 to 4, mantissa 1 to 3\n",
                     t->name);
    else
        output_print(out, "%s: %s, exponent %d bit%s, bias %d, mantissa %d bit%s\n", t->name,
                     f.is_signed ? "signed" : "unsigned", f.exp_bits, f.exp_bits == 1 ? "" : "s",
                     f.bias, f.man_bits, f.man_bits == 1 ? "" : "s");
    output_print(out, "max %s", short_value(f, sf8_format_max(f), text));
    if (code_normal(f, &code))
        output_print(out, ", min normal %s", short_power(f, code, text));
    if (code_smallest(f) < sf8_format_min_normal(f))
        output_print(out, ", min subnormal %s", short_power(f, code_smallest(f), text));
    print_nans(out, t);
    print_infinities(out, t);
    output_print(out, "%s\n", f.has_zero ? "" : ", no zero");
}

static void print_tail(output *out, const table *t)
{
    sf8_format f = t->f;
    uint64_t sign = sf8_format_sign_bit(f), max = sf8_format_max(f);
    if (t->shortened)
        output_print(out, "~ the fewest digits that read back as the code; --exact has all\n");
    if (!sign)
        return;
    char text[SHORT_SIZE];
    output_print(out, "The negatives are code + %0*llx: %0*llx is -%s, ", t->digits,
                 (unsigned long long)sign, t->digits, (unsigned long long)(max | sign),
                 short_value(f, max, text));
    output_print(out, "%0*llx is %s\n", t->digits, (unsigned long long)sign,
                 sf8_format_has_neg_zero(f) ? "-0" : "NaN");
}

/* ---- grid ------------------------------------------------------------------------------------ */

/* As many columns as mantissas, if that gives neither too many columns nor too many rows. */
static int column_bits(sf8_format f)
{
    int bits = f.man_bits < COLUMNS_BITS ? f.man_bits : COLUMNS_BITS;
    int all = sf8_format_mag_bits(f);
    if (bits == 0 || all - bits > 5)
        bits = all < COLUMNS_BITS ? all : COLUMNS_BITS;
    return bits;
}

/* The power of two of a row that has only one. */
static const char *row_exponent(sf8_format f, uint64_t code, char text[CELL_SIZE])
{
    uint64_t field = code >> f.man_bits;
    if (code > sf8_format_max(f))
        return "";
    if (field == 0 && f.has_zero)
        return "sub";
    snprintf(text, CELL_SIZE, "2^%d", (int)field - f.bias);
    return text;
}

static int grid_width(table *t)
{
    int most = 3;
    char text[CELL_SIZE];
    for (uint64_t code = 0; code <= sf8_format_mag_mask(t->f); code++) {
        cell_text(t, code, text);
        int length = (int)strlen(text);
        most = length > most ? length : most;
    }
    return most;
}

static void print_grid(output *out, table *t)
{
    sf8_format f = t->f;
    char text[CELL_SIZE];
    int bits = column_bits(f), width = grid_width(t), exponents = bits <= f.man_bits && !sf8_is_hif8(f);
    uint64_t columns = UINT64_C(1) << bits;
    output_print(out, "\n%s%s", "code", exponents ? "  exp  " : "  ");
    for (uint64_t i = 0; i < columns; i++)
        output_print(out, "  %*s+%llx", width - 2, "", (unsigned long long)i);
    for (uint64_t code = 0; code <= sf8_format_mag_mask(f); code++) {
        if (code % columns == 0) {
            output_print(out, "\n%*s%0*llx  ", 4 - t->digits, "", t->digits,
                         (unsigned long long)code);
            if (exponents)
                output_print(out, "%-5s", row_exponent(f, code, text));
        }
        cell_text(t, code, text);
        output_print(out, "  %*s", width, text);
    }
    output_print(out, "\n\n");
}

/* ---- lists ----------------------------------------------------------------------------------- */

/* Where the fields of a code of HiF8 end, as a mask of the places before which there is a blank. */
static unsigned tapered_gaps(uint64_t code)
{
    uint64_t mag = code & 0x7f;
    return mag >= 0x60   ? 1u << 7 | 1u << 5 | 1u << 1 /* 11 eeee m */
           : mag >= 0x40 ? 1u << 7 | 1u << 5 | 1u << 2 /* 10 eee mm */
           : mag >= 0x20 ? 1u << 7 | 1u << 5 | 1u << 3 /* 01 ee mmm */
           : mag >= 0x10 ? 1u << 7 | 1u << 4 | 1u << 3 /* 001 e mmm */
                         : 1u << 7 | 1u << 3;          /* 0001 mmm, 0000 mmm */
}

static void print_bits(output *out, sf8_format f, uint64_t code)
{
    uint64_t gaps = UINT64_C(1) << sf8_format_mag_bits(f) | UINT64_C(1) << f.man_bits;
    if (sf8_is_hif8(f))
        gaps = tapered_gaps(code);
    for (int i = sf8_format_bits(f) - 1; i >= 0; i--) {
        output_print(out, "%d", (int)(code >> i & 1));
        if (i > 0 && (gaps >> i & 1))
            output_print(out, " ");
    }
}

static void print_list(output *out, const table *t)
{
    char text[VALUE_SIZE];
    int width = 0;
    for (uint64_t code = 0; code <= sf8_format_code_mask(t->f); code++) {
        int length = (int)value_text(t->f, code, SF8_TEXT_EXACT, text);
        width = length > width ? length : width;
    }
    output_print(out, "\n");
    for (uint64_t code = 0; code <= sf8_format_code_mask(t->f); code++) {
        value_text(t->f, code, SF8_TEXT_EXACT, text);
        output_print(out, "%0*llx  ", t->digits, (unsigned long long)code);
        print_bits(out, t->f, code);
        output_print(out, "  %-*s  %s\n", width, text, class_text(t->f, code));
    }
}

static void print_csv(output *out, const table *t)
{
    char text[VALUE_SIZE];
    output_print(out, "code,value,class\n");
    for (uint64_t code = 0; code <= sf8_format_code_mask(t->f); code++) {
        value_text(t->f, code, t->hex ? SF8_TEXT_HEX : SF8_TEXT_EXACT, text);
        output_print(out, "0x%0*llx,%s,%s\n", t->digits, (unsigned long long)code, text,
                     class_text(t->f, code));
    }
}

/* ---- the command ----------------------------------------------------------------------------- */

static const cli_option options[] = {
    {"--hex", NULL, "shows values in hexadecimal: 0x1.8p-3", FLAG(table, hex)},
    {"--exact", NULL,
     "lists one code per line: sign, exponent and mantissa in binary, the exact value, its class",
     FLAG(table, exact)},
    {"--csv", NULL, "writes lines of code,value,class with exact values", FLAG(table, csv)},
    GROUP(table, path, output_option),
    {.kind = OPTION_END},
};

static int run(int argc, char **argv)
{
    table t = {0};
    if (options_read(&command_table, argc, argv, &t))
        t.name = in_one_word(argv[0]);
    else
        fail("no FORMAT given; 'softfp8 formats' lists all");
    if (t.exact && (t.csv || t.hex))
        fail("--exact excludes --csv and --hex");
    t.f = format_to_convert(t.name);
    int bits = sf8_format_bits(t.f);
    if (bits > LIST_BITS)
        fail("%s has %d bits; expected at most %d; 'softfp8 convert --from %s --to %s --show FILE' "
             "shows the values of codes in a file",
             t.name, bits, LIST_BITS, t.name, t.name);
    if (bits > GRID_BITS && !t.csv && !t.exact)
        fail("%s has %d bits, too many codes for a grid; --csv and --exact list up to %d bits",
             t.name, bits, LIST_BITS);
    t.digits = word_digits(bits);
    output *out = output_open(t.path);
    if (!t.csv)
        print_head(out, &t);
    if (t.csv)
        print_csv(out, &t);
    else if (t.exact)
        print_list(out, &t);
    else
        print_grid(out, &t);
    if (!t.csv && !t.exact)
        print_tail(out, &t);
    output_close(out);
    return STATUS_HELD;
}

const command command_table = {
    .name = "table",
    .purpose = "Shows all codes of a small format with their values.",
    .example = "  $ softfp8 table e2m1\n",
    .usage = "table FORMAT [--hex | --exact | --csv] [-o FILE]",
    .about = "FORMAT has up to 8 bits, with --csv or --exact up to 16. The grid has one row for each exponent; the code of a cell "
             "is the code of its row plus the number of its column. Values are exact. A value of "
             "more than 8 characters is shown by the fewest digits that read back as the code, "
             "after ~. Formats with a precision of one or two bits show powers of two. The column "
             "`exp` is the power of two of the row, or sub for subnormal numbers and zero.",
    .more = "  $ softfp8 table p3109_k5p3se --exact\n",
    .options = options,
    .operands = "FORMAT",
    .operands_most = 1,
    .operand_at = format_name_at,
    .run = run,
};
