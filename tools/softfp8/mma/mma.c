/* SPDX-License-Identifier: MIT */
/* mma.c -- softfp8 mma: rows of operands in, what a matrix unit adds them up to out */
#include "mma/line.h"
#include "mma/schedule.h"

#include <stdio.h>
#include <string.h>

static const char help[] =
    "softfp8 mma --unit UNIT --in FORMAT[,FORMAT] --out FORMAT [options] [FILE]\n"
    "softfp8 mma --schedule NAME [options] [FILE]\n"
    "softfp8 mma --list [UNIT]\n"
    "softfp8 mma --probes\n"
    "\n"
    "Reads rows 'a b c': as many codes of a and of b, run together, as an instruction\n"
    "multiplies, or a multiple of that; then the accumulator, a word of the result's\n"
    "format. A code has 2 digits for e4m3, 4 for f16, 5 for tf32, 1 for e2m1. Writes\n"
    "the result, word for word as the unit gives it. Units with scales take\n"
    "'a b sa sb c'. # begins a remark; without FILE standard input is read.\n"
    "\n"
    "  --list [UNIT]      the units, what they rest on and what is open in them\n"
    "  --probes           directed rows: the word that is predicted, those of rivals\n"
    "  --unit UNIT        hopper-qgmma, hopper-mma-fp8, ...\n"
    "  --in FORMAT        of a and b, or FORMAT,FORMAT if they are not the same\n"
    "  --out FORMAT       of accumulator and result: f32, f16\n"
    "  --lowering ORDER   chain or independent: of units that lower products to f16\n"
    "  --set NAME=VALUE   another rule: fraction, zero, length, sum, round, order,\n"
    "                     underflow, cut (zero, down), products (raw, normalised)\n"
    "  --explain          the terms, what is cut off, and the exact sum beside it\n"
    "  --diagnose         rows 'a b c d': does the unit give d; what else would?\n"
    "  --schedule NAME    a long K as a kernel sums it; --set promote, splits, scales\n"
    "  --probe-gemm       rows that tell schedules apart, with the words of each\n"
    "  -o FILE            the output; it appears when it is complete, or not at all\n"
    "\n"
    "  $ printf '%s%052d %s%052d 3f8007ff\\n' 383838 0 383838 0 |\n"
    "      softfp8 mma --unit hopper-qgmma --in e4m3 --out f32\n";

typedef struct options {
    const char *unit, *out, *file, *output, *schedule;
    const char *in[2];
    const char *name[16], *value[16];
    int changes;
    int explain, list, diagnose, probe, probes;
} options;

static const char *unit_at(size_t i)
{
    const sf8_mma_row *row = sf8_mma_at(i);
    return row ? row->unit : NULL;
}

/* "e4m3", "e4m3,e5m2" */
static void read_in(options *o, const char *text)
{
    static char copy[64];
    if (strlen(text) >= sizeof copy)
        fail("--in %s: two formats at the most", text);
    strcpy(copy, text);
    o->in[0] = o->in[1] = copy;
    char *comma = strchr(copy, ',');
    if (comma) {
        *comma = '\0';
        o->in[1] = comma + 1;
        if (strchr(comma + 1, ','))
            fail("--in %s: two formats at the most", text);
    }
}

static void change(options *o, const char *name, const char *value)
{
    if ((size_t)o->changes == sizeof o->name / sizeof o->name[0])
        fail("too many changes: '%s'", name);
    o->name[o->changes] = name;
    o->value[o->changes++] = value;
}

/* "fraction=12" */
static void read_change(options *o, const char *text)
{
    char *name = allocate(strlen(text) + 1, 1);
    strcpy(name, text);
    char *value = strchr(name, '=');
    if (!value)
        fail("--set %s: NAME=VALUE is expected", text);
    *value++ = '\0';
    change(o, name, value);
}

static void read_options(options *o, int argc, char **argv)
{
    arguments a = arguments_of(argc, argv);
    while (arguments_next(&a)) {
        if (argument_is(&a, "unit"))
            o->unit = argument_value(&a);
        else if (argument_is(&a, "in"))
            read_in(o, argument_value(&a));
        else if (argument_is(&a, "out"))
            o->out = argument_value(&a);
        else if (argument_is(&a, "lowering"))
            change(o, "lowering", argument_value(&a));
        else if (argument_is(&a, "set"))
            read_change(o, argument_value(&a));
        else if (argument_is(&a, "o") || argument_is(&a, "output"))
            o->output = argument_value(&a);
        else if (argument_flag(&a, "explain"))
            o->explain = 1;
        else if (argument_flag(&a, "list"))
            o->list = 1;
        else if (argument_is(&a, "schedule"))
            o->schedule = argument_value(&a);
        else if (argument_flag(&a, "probe-gemm"))
            o->probe = 1;
        else if (argument_flag(&a, "diagnose"))
            o->diagnose = 1;
        else if (argument_flag(&a, "probes"))
            o->probes = 1;
        else if (argument_help(&a, &command_mma))
            continue;
        else if (a.option)
            argument_unknown(&a);
        else if (o->file)
            fail("one FILE at most: '%s' after '%s'", a.text, o->file);
        else
            o->file = a.text;
    }
}

static _Noreturn void unknown_unit(const char *name)
{
    const char *near = nearest_name(name, unit_at);
    if (near)
        fail("no unit '%s'; did you mean '%s'?", name, near);
    fail("no unit '%s'; 'softfp8 mma --list' lists them", name);
}

/* The formats that the rows of a unit take, for a message. */
static _Noreturn void wrong_formats(const options *o)
{
    char taken[256] = "";
    const sf8_mma_row *row;
    for (size_t i = 0; (row = sf8_mma_at(i)) != NULL; i++) {
        size_t used = strlen(taken);
        if (strcmp(row->unit, o->unit) == 0 &&
            used + strlen(row->operands) + strlen(row->out) + 8 < sizeof taken) {
            strcat(taken, used ? "; " : "");
            strcat(taken, row->operands);
            strcat(taken, " to ");
            strcat(taken, row->out);
        }
    }
    fail("%s does not take %s and %s to %s; it takes %s", o->unit, o->in[0], o->in[1], o->out,
         taken);
}

/* A schedule has a unit, and a usual kind of operands and results. */
static void resolve_schedule(options *o, mma_row *row)
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
        fail("a schedule with scales has stretches: promote=0 is none");
    if (s->scaling && row->m.scale_block)
        fail("%s has scales of its own, and no schedule's", row->unit);
}

static void resolve(options *o, mma_row *row)
{
    if (o->schedule || o->probe)
        resolve_schedule(o, row);
    if (!o->unit || !o->in[0] || !o->out)
        fail("--%s is missing", !o->unit ? "unit" : !o->in[0] ? "in" : "out");
    row->unit = o->unit;
    row->a_name = o->in[0];
    row->b_name = o->in[1];
    row->out_name = o->out;
    sf8_status status = sf8_mma_named(&row->m, o->unit, format_of_name(o->in[0]),
                                      format_of_name(o->in[1]), format_of_name(o->out));
    if (status == SF8_UNKNOWN_NAME)
        unknown_unit(o->unit);
    if (status != SF8_OK)
        wrong_formats(o);
    for (int i = 0; i < o->changes; i++) {
        if (row->scheduled && mma_schedule_set(row, o->name[i], o->value[i]))
            continue;
        status = sf8_mma_set(&row->m, o->name[i], o->value[i]);
        if (status == SF8_UNKNOWN_NAME)
            fail("--set %s=%s: there is lowering, fraction, zero, length, sum, round, order, "
                 "underflow, cut, products",
                 o->name[i], o->value[i]);
        if (status != SF8_OK)
            fail("%s=%s is nothing for %s", o->name[i], o->value[i], o->unit);
    }
    check_schedule(row);
}

/* ---- rows ------------------------------------------------------------------------------------ */

enum { QUOTED = 40 };

typedef struct reader {
    mma_row row;
    input *in;
    output *out;
    int diagnose;
    mma_list_of_rows results;
} reader;

/* What was written before the bad line stays. */
static _Noreturn void bad_line(reader *r, const mma_error *e)
{
    if (!r->out->final)
        output_flush(r->out);
    fail_at(r->in->name, r->in->line, "%s '%.*s%s': expected %s", e->what,
            (int)(e->length < QUOTED ? e->length : QUOTED), e->text,
            e->length > QUOTED ? "..." : "", e->expected);
}

/* 0 where the line has no row. */
static int one_line(reader *r, char *text, size_t length)
{
    mma_error error;
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
        error = (mma_error){"row", text, length, ""};
        snprintf(error.expected, sizeof error.expected, "%s", expected);
        bad_line(r, &error);
    }
    output_print(r->out, row->m.out.man_bits == 10 ? "%04x\n" : "%08x\n", (unsigned)row->d);
    return 1;
}

static int probe(const options *o, const mma_row *row)
{
    sf8_format e4m3 = SF8_E4M3;
    if (o->file)
        fail("--probe-gemm reads nothing: '%s'", o->file);
    if (row->m.k > 32 || memcmp(&row->m.a, &e4m3, sizeof e4m3) != 0 ||
        memcmp(&row->m.b, &e4m3, sizeof e4m3) != 0 || row->m.out.man_bits != 23)
        fail("--probe-gemm has vectors of e4m3 to f32 alone");
    output *out = output_open(o->output);
    mma_schedule_probe(out, row);
    output_close(out);
    return STATUS_HELD;
}

static int run(int argc, char **argv)
{
    static options o; /* what it names stays to the end */
    static reader r;
    char *text;
    size_t length;
    read_options(&o, argc, argv);
    if (o.list) {
        if (o.unit || o.in[0] || o.out || o.changes || o.explain || o.diagnose || o.probe ||
            o.schedule || o.output)
            fail("--list goes with no other option");
        mma_list(o.file);
        return STATUS_HELD;
    }
    if (o.probes) {
        if (o.unit || o.in[0] || o.out || o.changes || o.explain || o.diagnose || o.probe ||
            o.schedule || o.file)
            fail("--probes goes with no other option but -o");
        mma_probes(o.output);
        return STATUS_HELD;
    }
    if (o.explain + o.diagnose + o.probe > 1 || (o.explain && o.schedule))
        fail("--explain, --diagnose and --probe-gemm: one of them; --explain is for no schedule");
    resolve(&o, &r.row);
    if (o.probe)
        return probe(&o, &r.row);
    r.diagnose = o.diagnose;
    r.row.a = allocate(INPUT_LINE_MOST, 4);
    r.row.b = allocate(INPUT_LINE_MOST, 4);
    r.row.scale_a = allocate(INPUT_LINE_MOST, 1);
    r.row.scale_b = allocate(INPUT_LINE_MOST, 1);
    r.row.words_a = allocate(INPUT_LINE_MOST, sizeof r.row.words_a[0]);
    r.row.words_b = allocate(INPUT_LINE_MOST, sizeof r.row.words_b[0]);
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
        status = (r.row.scheduled ? mma_schedule_identify : mma_identify)(r.out, &r.row,
                                                                          &r.results);
        mma_free_rows(&r.results);
    }
    input_close(r.in);
    output_close(r.out);
    return status;
}

const command command_mma = {
    "mma",
    "what a matrix unit makes of a row of products, bit for bit",
    help,
    run,
};
