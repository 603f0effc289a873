/* SPDX-License-Identifier: MIT */
/* mma.c -- softfp8 mma: rows of operands in, what a matrix unit adds them up to out */
#include "cli/options.h"
#include "mma/line.h"
#include "mma/schedule.h"

#include <stdio.h>
#include <string.h>

typedef struct settings {
    const char *unit, *out, *file, *output, *schedule, *apart;
    const char *in[2];
    const char *name[16], *value[16];
    int changes;
    int explain, list, diagnose, probe, probes, stored;
} settings;

static const char *const stored_names[] = {"f32", "bf16", "f16", NULL}; /* of mma_stored */

static const char *schedule_at(size_t i)
{
    const sf8_mma_schedule_row *row = sf8_mma_schedule_at(i);
    return row ? row->name : NULL;
}

/* "e4m3", "e4m3,e5m2" */
static void take_in(void *place, const cli_option *option, const char *text)
{
    settings *o = place;
    static char copy[64];
    (void)option;
    if (strlen(text) >= sizeof copy)
        fail("expected one or two formats, separated by a comma");
    strcpy(copy, text);
    o->in[0] = o->in[1] = copy;
    char *comma = strchr(copy, ',');
    if (comma) {
        *comma = '\0';
        o->in[1] = comma + 1;
        if (strchr(comma + 1, ','))
            fail("expected one or two formats, separated by a comma");
    }
}

static void change(settings *o, const char *name, const char *value)
{
    if ((size_t)o->changes == sizeof o->name / sizeof o->name[0])
        fail("too many --set options: '%s'", name);
    o->name[o->changes] = name;
    o->value[o->changes++] = value;
}

static void take_lowering(void *place, const cli_option *option, const char *text)
{
    (void)option;
    change(place, "lowering", text);
}

/* "fraction=12" */
static void take_change(void *place, const cli_option *option, const char *text)
{
    char *name = allocate(strlen(text) + 1, 1);
    (void)option;
    strcpy(name, text);
    char *value = strchr(name, '=');
    if (!value)
        fail("expected NAME=VALUE, for example fraction=13");
    *value++ = '\0';
    change(place, name, value);
}

static const cli_option options[] = {
    HEADING("Which unit computes"),
    {"--list", NULL,
     "lists the units, one per line: products per instruction (k) and per sum (sum; in --set: "
     "length), bits that a term keeps (bits; in --set: fraction), the exponent of a zero, the "
     "format "
     "that a sum is rounded to (result; in --set: sum), how it is rounded (rnd; in --set: round), "
     "the zero that a negative sum rounds to (tiny; in --set: underflow), the order of the terms, "
     "and the evidence: "
     "hardware (published results of real units are reproduced bit for bit) or ran (compared with "
     "a published model). With UNIT it shows the source and what is open; without it also the "
     "schedules",
     FLAG(settings, list)},
    {"--unit", "UNIT", "the matrix unit, for example hopper-qgmma", TEXT(settings, unit),
     .name_at = mma_unit_at},
    {"--in", "FORMAT[,FORMAT]", "the format of a and b, or one for each", .kind = OPTION_CALL,
     .take = take_in, .name_at = format_name_at},
    {"--result", "FORMAT", "the format of the accumulator and the result: f32 or f16",
     TEXT(settings, out), .complete = "f32 f16"},
    {"--lowering", "ORDER",
     "for units that compute in two halves as f16: chain adds the second half to the sum of the "
     "first; independent starts both from 0",
     .kind = OPTION_CALL, .take = take_lowering, .complete = "chain independent"},
    {"--set", "NAME=VALUE",
     "replaces a rule of the unit: fraction (1 to 40), zero (-300 to 0), length (1 to 64), sum "
     "(f32, f16, e8m1 to e8m22), round (rne, rna, rz, ru, rd, ro, rnz), order (fused, chain, "
     "independent, two-stage, interleaved), underflow (signed, positive), cut (zero, down), "
     "products (raw, normalised)",
     .kind = OPTION_CALL, .take = take_change,
     .complete = "fraction= zero= length= sum= round= order= underflow=signed underflow=positive "
                 "cut=zero cut=down products=raw products=normalised lowering=chain "
                 "lowering=independent"},
    {"--schedule", "NAME",
     "sums a long K as a kernel does. A chain of `promote` instructions starts from 0, and its sum "
     "is added to a second accumulator that starts with c; promote=0 means one chain. `splits` "
     "parts of K are summed separately and then added in order. With scales a row is 'a b sa sb "
     "c', with one scale per chain: product-first computes fma(sa * sb, sum, total), sum-first "
     "fma(sa * sum, sb, total). --set changes promote, splits and scales. The schedule names the "
     "unit; the default formats are e4m3 and f32",
     TEXT(settings, schedule), .name_at = schedule_at},
    HEADING("What to write"),
    {"--explain", NULL,
     "shows after each result its terms (value, exponent, what is kept and what is lost), the sum "
     "and its rounding, and the exact sum",
     FLAG(settings, explain)},
    {"--diagnose", NULL,
     "compares rows 'a b c d', where d is what some unit returned. It reports how many rows the "
     "unit explains, the first one it does not, and what explains more, best first: another unit, "
     "one or two other parameters of --set, or c=by-itself (the accumulator is added separately). "
     "With --schedule it tries other schedules and units. The exit status is 1 if a row differs",
     FLAG(settings, diagnose)},
    {"--rounded-to", "FORMAT",
     "with --diagnose: the kernel rounded its sums in f32 to bf16 or f16 (to nearest) when it "
     "stored "
     "them, and d is a code of that format. Scales after the sum must be 1",
     WORD(settings, stored, stored_names)},
    {"--tell-apart", "FILE",
     "with --diagnose: writes rows to FILE on which the rules differ that explain all of yours. "
     "Run "
     "these rows, append each result, and pass all rows to --diagnose",
     PATH(settings, apart)},
    {"--probes", NULL,
     "writes rows that distinguish units, each with the result that its unit's model predicts and "
     "those of rival models",
     FLAG(settings, probes)},
    {"--probe-gemm", NULL,
     "writes rows that distinguish schedules, with comments that show what each schedule gives. "
     "Add a library's results and pass them to --schedule NAME --diagnose",
     FLAG(settings, probe)},
    GROUP(settings, output, output_option),
    {.kind = OPTION_END},
};

/* A schedule has a unit, and a usual kind of operands and results. */
static void resolve_schedule(settings *o, mma_row *row)
{
    const sf8_mma_schedule_row *s = mma_schedule_named(o->schedule ? o->schedule : "cutlass-fast");
    o->unit = o->unit ? o->unit : s->unit;
    o->in[0] = o->in[0] ? o->in[0] : "e4m3";
    o->in[1] = o->in[1] ? o->in[1] : "e4m3";
    o->out = o->out ? o->out : "f32";
    mma_schedule_begin(row, s);
}

static void check_schedule(const mma_row *row)
{
    const sf8_mma_schedule *s = &row->schedule;
    if (s->scaling && s->promote == 0)
        fail("a schedule with scales needs promote above 0");
    if (s->scaling && row->m.scale_block)
        fail("%s has its own block scales, which exclude those of a schedule", row->unit);
}

static void resolve(settings *o, mma_row *row)
{
    if (o->schedule || o->probe)
        resolve_schedule(o, row);
    if (!o->unit || !o->in[0] || !o->out)
        fail("%s is missing", !o->unit    ? "--unit UNIT or --schedule NAME"
                              : !o->in[0] ? "--in"
                                          : "--result");
    row->unit = o->unit;
    row->a_name = o->in[0];
    row->b_name = o->in[1];
    row->out_name = o->out;
    row->m = mma_unit_of(o->unit, o->in[0], o->in[1], o->out);
    for (int i = 0; i < o->changes; i++) {
        if (!row->scheduled || !mma_schedule_set(row, o->name[i], o->value[i]))
            mma_change_unit(&row->m, o->unit, o->name[i], o->value[i]);
    }
    check_schedule(row);
}

/* ---- rows ------------------------------------------------------------------------------------ */

typedef struct reader {
    mma_row row;
    input *in;
    output *out;
    int diagnose;
    mma_list_of_rows results;
} reader;

/* What was written before the bad line stays. */
static _Noreturn void bad_line(reader *r, input_error *e)
{
    if (!r->out->final)
        output_flush(r->out);
    e->line = r->in->line;
    fail_input(r->in->name, e);
}

/* 0 where the line has no row. */
static int one_line(reader *r, char *text, size_t length)
{
    input_error error;
    const char *expected;
    mma_row *row = &r->row;
    mma_kind kind = mma_line_read(row, r->diagnose, text, length, &error);
    if (kind == MMA_BAD)
        bad_line(r, &error);
    if (kind == MMA_EMPTY)
        return 0;
    if (r->diagnose) {
        mma_collect(&r->results, row, r->in->line);
        return 1;
    }
    if (!row->scheduled) {
        row->d = sf8_mma_dot(&row->m, row->a, row->b, row->scale_a, row->scale_b, row->k, row->c);
    } else if (!mma_schedule_sum(row, &expected)) {
        input_expected(&error, "row", text, length, "%s", expected);
        bad_line(r, &error);
    }
    output_print(r->out, row->m.out.man_bits == 10 ? "%04x\n" : "%08x\n", (unsigned)row->d);
    return 1;
}

static int probe(const settings *o, const mma_row *row)
{
    sf8_format e4m3 = SF8_E4M3;
    if (o->file)
        fail("--probe-gemm reads no file: '%s'", o->file);
    if (row->m.k > 32 || memcmp(&row->m.a, &e4m3, sizeof e4m3) != 0 ||
        memcmp(&row->m.b, &e4m3, sizeof e4m3) != 0 || row->m.out.man_bits != 23)
        fail("--probe-gemm exists only for e4m3 to f32");
    output *out = output_open(o->output);
    mma_schedule_probe(out, row);
    output_close(out);
    return STATUS_HELD;
}

static int run(int argc, char **argv)
{
    static settings o; /* what it names stays to the end */
    static reader r;
    char *text;
    size_t length;
    o.file = options_read(&command_mma, argc, argv, &o) ? argv[0] : NULL;
    if (o.list) {
        if (o.unit || o.in[0] || o.out || o.changes || o.explain || o.diagnose || o.probe ||
            o.schedule || o.output)
            fail("--list cannot be combined with other options");
        mma_list(o.file);
        return STATUS_HELD;
    }
    if (o.probes) {
        if (o.unit || o.in[0] || o.out || o.changes || o.explain || o.diagnose || o.probe ||
            o.schedule || o.file)
            fail("--probes can be combined only with -o");
        mma_probes(o.output);
        return STATUS_HELD;
    }
    if (o.explain + o.diagnose + o.probe > 1 || (o.explain && o.schedule))
        fail("give only one of --explain, --diagnose and --probe-gemm; --explain excludes "
             "--schedule");
    if (o.apart && (!o.diagnose || o.schedule))
        fail("--tell-apart needs --diagnose, and excludes --schedule");
    if (o.apart && output_is_standard(o.apart))
        fail("--tell-apart: expected a file, not standard output");
    if (o.stored && !o.diagnose)
        fail("--rounded-to needs --diagnose");
    resolve(&o, &r.row);
    if (o.stored && r.row.m.out.man_bits != 23)
        fail("--rounded-to needs sums in f32: --result f32");
    r.row.stored = (mma_stored)o.stored;
    if (o.probe)
        return probe(&o, &r.row);
    r.diagnose = o.diagnose;
    r.row.a = allocate(INPUT_LINE_MOST, 4);
    r.row.b = allocate(INPUT_LINE_MOST, 4);
    r.row.scale_a = allocate(INPUT_LINE_MOST, 1);
    r.row.scale_b = allocate(INPUT_LINE_MOST, 1);
    r.row.words_a = allocate(INPUT_LINE_MOST, sizeof r.row.words_a[0]);
    r.row.words_b = allocate(INPUT_LINE_MOST, sizeof r.row.words_b[0]);
    const char *const outputs[] = {o.output, o.apart}, *const inputs[] = {o.file};
    outputs_check(outputs, 2, inputs, 1);
    r.in = input_open(o.file);
    r.out = output_open(o.output);
    while ((text = input_line(r.in, &length)) != NULL) {
        if (one_line(&r, text, length) && o.explain)
            mma_explain(r.out, &r.row);
        if (!memchr(r.in->buffer + r.in->at, '\n', r.in->end - r.in->at))
            output_flush(r.out);
    }
    int status = STATUS_HELD;
    if (o.diagnose) {
        if (r.results.count == 0)
            fail_at(input_name(o.file), 0, "no rows; expected at least one, with the result given");
        status = r.row.scheduled ? mma_schedule_identify(r.out, &r.row, &r.results)
                                 : mma_identify(r.out, &r.row, &r.results, o.apart);
        mma_free_rows(&r.results);
    }
    input_close(r.in);
    output_close(r.out);
    return status;
}

const command command_mma = {
    .name = "mma",
    .purpose = "Computes dot products as a GPU's matrix unit does, bit for bit.",
    .example = "  $ printf '%s%058d %s%058d 3f8007ff\\n' 383838 0 383838 0 |\n"
               "      softfp8 mma --unit hopper-qgmma --in e4m3 --result f32\n",
    .usage = "mma --unit UNIT --in FORMAT[,FORMAT] --result FORMAT [options] [FILE]\n"
             "mma --schedule NAME [options] [FILE]\n"
             "mma --list [UNIT]\n"
             "mma --probes",
    .about = "A matrix unit adds a few products and the accumulator at once: it aligns them to the "
             "largest exponent, cuts off the low bits, adds the rest exactly, and rounds once.\n"
             "The input has rows 'a b c': the codes of a without blanks between them, those of b, "
             "and the accumulator c in the format of the result. There are as many codes as one "
             "instruction multiplies, or a multiple, for one instruction after another. A code has "
             "2 digits for e4m3, 4 for f16, 5 for tf32 and 1 for e2m1. Units with block scales "
             "take 'a b sa sb c'. The output is one result per line. Words may begin with 0x; "
             "commas separate them as blanks do; # and // begin a comment. Without FILE standard "
             "input is read.",
    .options = options,
    .operands = "FILE",
    .operands_most = 1,
    .complete = "file",
    .run = run,
};
