/* SPDX-License-Identifier: MIT */
/* rows.c -- softfp8 formats: the rows of the formats, with what follows from them */
#include "cli/rows.h"
#include "cli/options.h"
#include "softfp8/number/hif8.h"
#include "cli/text_table.h"

#include <stdio.h>
#include <string.h>

/* ---- values ---------------------------------------------------------------------------------- */

enum { PLAIN_LENGTH = 8 };

uint64_t value_parts(sf8_format f, uint64_t code, int *exponent)
{
    if (sf8_is_hif8(f))
        code = sf8_hif8_unpack(code, &f);
    uint64_t field = code >> f.man_bits, sig = code & ((UINT64_C(1) << f.man_bits) - 1);
    int normal = field > 0 || !f.has_zero;
    *exponent = (int)field + !normal - f.bias - f.man_bits;
    return normal ? sig | UINT64_C(1) << f.man_bits : sig;
}

const char *short_power(sf8_format f, uint64_t code, char text[SHORT_SIZE])
{
    int exponent;
    uint64_t sig = value_parts(f, code, &exponent);
    if (sig == 0 || (sig & (sig - 1)) != 0)
        return short_value(f, code, text);
    for (; sig > 1; sig >>= 1)
        exponent++;
    snprintf(text, SHORT_SIZE, "2^%d", exponent);
    return text;
}

const char *short_value(sf8_format f, uint64_t code, char text[SHORT_SIZE])
{
    char exact[1600];
    size_t length;
    int exponent;
    uint64_t sig = value_parts(f, code, &exponent);
    if (sf8_to_text(f, code, SF8_TEXT_EXACT, exact, sizeof exact, &length) == SF8_OK &&
        length <= PLAIN_LENGTH)
        return memcpy(text, exact, length + 1);
    if (sig != 0 && (sig & (sig - 1)) == 0)
        return short_power(f, code, text);
    int all_ones = sig == (UINT64_C(2) << f.man_bits) - 1, top = exponent + f.man_bits + 1;
    for (; sig > 0 && sig % 2 == 0; sig /= 2)
        exponent++;
    if (sig < 100)
        snprintf(text, SHORT_SIZE, "%d*2^%d", (int)sig, exponent);
    else if (all_ones)
        snprintf(text, SHORT_SIZE, "2^%d-2^%d", top, exponent);
    else if (sf8_to_text(f, code, SF8_TEXT_HEX, text, SHORT_SIZE, NULL) != SF8_OK)
        fail("internal error: the value of a code is too long");
    return text;
}

uint64_t code_smallest(sf8_format f)
{
    return f.has_zero;
}

int code_normal(sf8_format f, uint64_t *code)
{
    *code = sf8_format_min_normal(f);
    return *code <= sf8_format_max(f) || sf8_is_hif8(f);
}

const char *nan_kind(sf8_format f)
{
    static const char *const names[] = {"none", "ieee", "top", "neg-zero", "neg-zero"};
    return names[f.nan];
}

/* ---- evidence -------------------------------------------------------------------------------- */

/* An item a line, each behind the same label's column. */
static void print_items(output *out, const char *label, const char *list)
{
    output_print(out, "  %-10s  ", label);
    for (const char *end; (end = strstr(list, "; ")) != NULL; list = end + 2)
        output_print(out, "%.*s\n%14s", (int)(end - list), list, "");
    output_print(out, "%s\n", list);
}

const char *evidence_words(const char *evidence)
{
    static char text[EVIDENCE_WORDS];
    const char *how = sf8_evidence_how(evidence);
    int32_t rank = sf8_evidence_rank(evidence);
    int ran = *how && strcmp(how, "read") != 0 && strcmp(sf8_evidence_name(rank), "hardware") != 0;
    snprintf(text, sizeof text, "%s%s%s", sf8_evidence_name(rank), ran ? " " : "", ran ? how : "");
    return text;
}

void evidence_print(output *out, const char *product, const char *versions, const char *source,
                    const char *evidence, const char *open)
{
    output_print(out, "  product     %s\n", product);
    output_print(out, "  versions    %s\n", versions);
    output_print(out, "  rule        %s\n", source);
    print_items(out, "evidence", evidence);
    print_items(out, "open", *open ? open : "nothing");
}

void evidence_put(json_writer *j, const char *product, const char *versions, const char *source,
                  const char *evidence, const char *open)
{
    jw_text(j, "product", product);
    jw_text(j, "versions", versions);
    jw_text(j, "source", source);
    jw_text(j, "evidence", evidence);
    jw_text(j, "established", sf8_evidence_name(sf8_evidence_rank(evidence)));
    jw_text(j, "how", sf8_evidence_how(evidence));
    jw_text(j, "open", open);
}

/* ---- formats --------------------------------------------------------------------------------- */

enum { AS_TABLE, AS_NAMES, AS_JSON };

static text_table *new_table(void)
{
    text_table *c = text_table_new("%-14s %4s %2s %2s %5s  %-4s %-8s %-3s %-4s  %-13s %-7s %s");
    text_table_row(c, "name\tbits\tE\tM\tbias\tsign\tNaN\tinf\tzero\tmax\tnormal\tleast");
    return c;
}

static const char *yes_no(int yes)
{
    return yes ? "yes" : "no";
}

static void add_row(text_table *table, const char *name, sf8_format f)
{
    char max[SHORT_SIZE], normal[SHORT_SIZE] = "-", least[SHORT_SIZE], fields[32];
    uint64_t code;
    if (code_normal(f, &code))
        short_power(f, code, normal);
    snprintf(fields, sizeof fields, "%d\t%d\t%d", f.exp_bits, f.man_bits, f.bias);
    text_table_row(table, "%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s", name,
                   sf8_format_bits(f), sf8_is_hif8(f) ? "0-4\t1-3\t-" : fields,
                   yes_no(f.is_signed), nan_kind(f), yes_no(f.has_inf), yes_no(f.has_zero),
                   short_value(f, sf8_format_max(f), max), normal,
                   short_power(f, code_smallest(f), least));
}

static void put_value(json_writer *j, const char *key, sf8_format f, uint64_t code)
{
    char text[SHORT_SIZE];
    if (sf8_to_text(f, code, SF8_TEXT_HEX, text, sizeof text, NULL) != SF8_OK)
        fail("internal error: the value of a code is too long");
    jw_begin(j, key, '{');
    jw_hex(j, "code", code, word_digits(sf8_format_bits(f)));
    jw_text(j, "value", text);
    jw_end(j);
}

static void put_format(json_writer *j, const char *name, sf8_format f)
{
    uint64_t code;
    jw_begin(j, NULL, '{');
    jw_text(j, "name", name);
    jw_signed(j, "bits", sf8_format_bits(f));
    if (!sf8_is_hif8(f)) {
        jw_signed(j, "exp_bits", f.exp_bits);
        jw_signed(j, "man_bits", f.man_bits);
        jw_signed(j, "bias", f.bias);
    }
    jw_bool(j, "signed", f.is_signed);
    jw_text(j, "nan", nan_kind(f));
    jw_bool(j, "inf", f.has_inf);
    jw_bool(j, "zero", f.has_zero);
    put_value(j, "max", f, sf8_format_max(f));
    if (code_normal(f, &code))
        put_value(j, "min_normal", f, code);
    put_value(j, "min_positive", f, code_smallest(f));
    jw_end(j);
}

/* The i-th of the formats that were asked for, or NULL. */
static const char *asked(char **names, int count, size_t i, sf8_format *f)
{
    if (count == 0)
        return sf8_format_at(i, f);
    if (i >= (size_t)count)
        return NULL;
    *f = format_to_convert(names[i]);
    return in_one_word(names[i]);
}

static void print_formats(output *out, char **names, int count, int style)
{
    const char *name;
    sf8_format f;
    text_table *table = style == AS_TABLE ? new_table() : NULL;
    for (size_t i = 0; (name = asked(names, count, i, &f)) != NULL; i++) {
        if (table)
            add_row(table, name, f);
        else
            output_print(out, "%s\n", name);
    }
    if (table)
        text_table_write(table, out);
    if (table && count == 0)
        output_print(out, "also p3109_k<K>p<P>{s,u}{e,f}: K = 3 to 16 bits, precision P, signed or "
                          "unsigned,\nextended or finite; hif8, which can only be converted; and "
                          "your own, such as\n\"e=4 m=3 bias=11 nan=top\": see --help\n");
}

static void put_formats(output *out, char **names, int count)
{
    const char *name;
    sf8_format f;
    json_writer j = {.put = output_put, .context = out};
    jw_begin(&j, NULL, '[');
    for (size_t i = 0; (name = asked(names, count, i, &f)) != NULL; i++) {
        if (i)
            jw_space(&j, "\n ");
        put_format(&j, name, f);
    }
    jw_end(&j);
}

typedef struct settings {
    int style;
    const char *path;
} settings;

static const cli_option options[] = {
    {"--names", NULL, "lists only the names", FLAG_AS(settings, style, AS_NAMES)},
    {"--json", NULL, "writes JSON: a list of objects with hexadecimal numbers (0x1.cp+8)",
     FLAG_AS(settings, style, AS_JSON)},
    GROUP(settings, path, output_option),
    {.kind = OPTION_END},
};

static int run(int argc, char **argv)
{
    settings s = {AS_TABLE, NULL};
    sf8_format f;
    int count = (int)options_read(&command_formats, argc, argv, &s);
    for (size_t i = 0; count && asked(argv, count, i, &f); i++)
        continue; /* an unknown one is refused before anything is written */
    output *out = output_open(s.path);
    if (s.style == AS_JSON)
        put_formats(out, argv, count);
    else
        print_formats(out, argv, count, s.style);
    output_close(out);
    return STATUS_HELD;
}

const command command_formats = {
    .name = "formats",
    .purpose = "Lists the formats: widths, ranges and special values.",
    .example = "  $ softfp8 formats e4m3 p3109_k6p2uf \"e=4 m=3 bias=11 nan=top\"\n",
    .usage = "formats [NAME...] [options]",
    .about = "Without NAME all formats are listed, one per row:\n"
             "  bits E M bias  width, bits of exponent and mantissa, bias of the exponent\n"
             "  sign           whether there is a sign bit\n"
             "  NaN            none; ieee: exponent all ones, mantissa not 0; top: the\n"
             "                 last magnitude; neg-zero: the code that -0 would have\n"
             "  inf zero       whether there is an infinity, a zero\n"
             "  max            the largest finite number\n"
             "  normal least   the smallest normal, the smallest positive number\n"
             "The formats of IEEE P3109 that are not in the list have names too: "
             "p3109_k<K>p<P>{s,u}{e,f}, with K bits from 3 to 16, P bits of precision, signed or "
             "unsigned, extended (with infinities) or finite; the exponent has at most 11 bits.\n"
             "The names that other projects use are accepted, in capital letters or small ones: "
             "float8_e4m3fn, fp8_e4m3fnuz, f8E4M3FN, F8_E4M3, CUDA_R_8F_E4M3, FLOAT4E2M1 and "
             "their like. float8_e4m3 and f8E4M3 are the IEEE format e4m3ieee, as in ml_dtypes "
             "and MLIR.\n"
             "HiF8 (hif8, HiFloat8) is no row: its precision depends on the exponent. convert, "
             "gen, ver, formats and table take it.\n"
             "A format of your own is written by its fields wherever a format is named: "
             "\"e=4 m=3 bias=11 nan=top\", or as a change of another one: \"e4m3 bias=11\". Blanks "
             "or commas separate them. The fields: e, m, bias, signed (0 or 1), nan (none, ieee, "
             "top, neg-zero), inf and zero (0 or 1). Without a name, e and m are needed, and the "
             "others are as in IEEE 754: bias 2^(e-1) - 1, signed, with zero; nan=ieee, and inf=1 "
             "with it.",
    .options = options,
    .operands = "NAME",
    .operands_most = OPERANDS_ANY,
    .operand_at = format_name_at,
    .run = run,
};
