/* SPDX-License-Identifier: MIT */
/* convert.c -- softfp8 convert: words in, codes out, a line each
 *
 * Lines that are a plain word are read and written in bulk, straight between the buffers; every
 * other line, and every line of the modes that need more than the word, goes one by one.
 */
#include "cli/options.h"
#include "convert/line.h"
#include "convert/map.h"
#include "files/io.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Room for a line: a value as text, of which EXACT has the longest, and what stands before it. */
enum { SHOWN_MOST = 1600, PLAIN_MOST = 32 };

typedef struct conversion {
    sf8_format from, to;
    sf8_policy policy;
    int has_from;
    int flags, show;
    convert_form form;
    int to_digits;
    int mapped;
    convert_map map;
    int whole; /* `text` holds the line of each code of the target */
    char text[256][4];
    input *in;
    output *out;
} conversion;

/* ---- output ---------------------------------------------------------------------------------- */

/* The line of a word, at `text`, without the random word and the value; its end. */
static inline char *put_plain(const conversion *c, char *text, uint64_t word)
{
    if (c->flags) {
        sf8_result r = sf8_convert_flags(c->to, c->from, word, c->policy);
        text = hex_write(text, r.code, c->to_digits, hex_lower);
        *text++ = ' ';
        text = hex_write(text, r.flags, 2, hex_lower);
    } else {
        uint64_t code = c->mapped ? convert_map_code(&c->map, word)
                                  : sf8_convert(c->to, c->from, word, c->policy);
        if (c->whole) {
            memcpy(text, c->text[code], 4);
            return text + c->to_digits + 1;
        }
        text = hex_write(text, code, c->to_digits, hex_lower);
    }
    *text++ = '\n';
    return text;
}

static void put_result(conversion *c, sf8_result r)
{
    char *begin = output_room(c->out, PLAIN_MOST + SHOWN_MOST);
    char *text = hex_write(begin, r.code, c->to_digits, hex_lower);
    if (c->flags) {
        *text++ = ' ';
        text = hex_write(text, r.flags, 2, hex_lower);
    }
    if (c->show) {
        size_t length = 0;
        *text++ = ' ';
        if (sf8_to_text(c->to, r.code, SF8_TEXT_EXACT, text, SHOWN_MOST, &length) != SF8_OK)
            fail("internal error: the value of a code is too long");
        text += length;
    }
    *text++ = '\n';
    output_used(c->out, (size_t)(text - begin));
}

/* The line of each code, to be copied. */
static void make_lines(conversion *c)
{
    c->whole = sf8_format_bits(c->to) <= 8;
    for (uint64_t code = 0; c->whole && code <= sf8_format_code_mask(c->to); code++)
        *hex_write(c->text[code], code, c->to_digits, hex_lower) = '\n';
}

/* ---- lines in bulk --------------------------------------------------------------------------- */

/* How many more plain lines fit into the output; a whole line is copied as 4 bytes. */
static size_t lines_of_room(const conversion *c)
{
    size_t most = (size_t)(c->to_digits + 3 * c->flags + 1);
    size_t room = OUTPUT_BUFFER - c->out->used;
    return room < 4 ? 0 : (room - 4) / most;
}

/* Lines at the head of the input that are `digits` digits and "\n", as many as the output takes. */
static inline size_t plain_lines(conversion *c, int digits)
{
    input *in = c->in;
    const char *from = in->buffer + in->at;
    char *begin = c->out->buffer + c->out->used, *to = begin;
    size_t lines = (in->end - in->at) / (size_t)(digits + 1), room = lines_of_room(c), line;
    uint64_t word, mask = c->form.mask;
    lines = lines < room ? lines : room;
    for (line = 0; line < lines; line++, from += digits + 1) {
        if (!hex_read(from, digits, &word) || from[digits] != '\n' || word & ~mask)
            break;
        to = put_plain(c, to, word);
    }
    in->at += line * (size_t)(digits + 1);
    in->line += line;
    output_used(c->out, (size_t)(to - begin));
    return line;
}

/* The same for all lines of this form; compiled for the usual numbers of digits. */
static void plain_part(conversion *c)
{
    size_t lines;
    do {
        if (lines_of_room(c) == 0)
            output_flush(c->out);
        if (c->form.digits == 8)
            lines = plain_lines(c, 8);
        else if (c->form.digits == 16)
            lines = plain_lines(c, 16);
        else if (c->form.digits == 4)
            lines = plain_lines(c, 4);
        else
            lines = plain_lines(c, c->form.digits);
    } while (lines > 0);
}

/* ---- lines one by one ------------------------------------------------------------------------ */

/* What was written before the bad line stays; that does not depend on the size of buffers. */
static _Noreturn void bad_line(conversion *c, input_error *error)
{
    if (!c->out->final)
        output_flush(c->out);
    error->line = c->in->line;
    fail_input(c->in->name, error);
}

/* The number of a line, rounded to `f`. */
static sf8_result number(conversion *c, const convert_line *line, sf8_format f, sf8_policy policy)
{
    sf8_result r;
    size_t error = 0;
    if (sf8_from_text(f, line->value, policy, &r, &error) == SF8_OK)
        return r;
    input_error bad;
    size_t length = strlen(line->value);
    if (line->value[error])
        input_expected(&bad, NULL, line->value, length,
                       "a number, inf or nan (character %zu is in the way)", error + 1);
    else
        input_expected(&bad, NULL, line->value, length, "a number, inf or nan (it breaks off)");
    bad_line(c, &bad);
}

static void one_line(conversion *c, char *text, size_t length)
{
    convert_line line;
    input_error error;
    convert_kind kind = convert_line_read(c->form, text, length, &line, &error);
    if (kind == LINE_EMPTY)
        return;
    if (kind == LINE_BAD)
        bad_line(c, &error);
    if (c->form.values && !c->has_from) {
        put_result(c, number(c, &line, c->to, c->policy));
        return;
    }
    if (c->form.values) {
        policy_choice plain = {0};
        line.word = number(c, &line, c->from, policy_resolve(&plain, c->from, c->from, NULL)).code;
    }
    put_result(c, sf8_convert_sr(c->to, c->from, line.word, c->policy, line.random));
}

static void convert_all(conversion *c)
{
    int in_bulk = !c->form.values && !c->form.random && !c->show;
    char *text;
    size_t length;
    do {
        if (in_bulk)
            plain_part(c);
        /* Who waits for the answer before writing more gets it. */
        if (!memchr(c->in->buffer + c->in->at, '\n', c->in->end - c->in->at))
            output_flush(c->out);
        text = input_line(c->in, &length);
        if (text)
            one_line(c, text, length);
    } while (text);
}

/* ---- the command ----------------------------------------------------------------------------- */

typedef struct settings {
    policy_choice choice;
    const char *from, *to, *output;
    int values, flags, show;
} settings;

static const cli_option options[] = {
    HEADING("Input"),
    {"--from", "FORMAT", "the format of the codes to read", FORMAT(settings, from)},
    {"--as-numbers", NULL,
     "reads numbers (0.1, -1e5, 0x1.8p3, inf, nan) instead of codes. They are rounded once, "
     "directly to the target. With --from they are first rounded to nearest in that format, and "
     "with a policy that goes `via` one in that; --round sr needs --from",
     FLAG(settings, values)},
    HEADING("Output"),
    {"--to", "FORMAT", "the format of the codes to write", FORMAT(settings, to)},
    {"--flags", NULL,
     "writes the flags after each code, as a sum: 01 inexact, 02 underflow, 04 overflow, 10 "
     "invalid",
     FLAG(settings, flags)},
    {"--show", NULL, "writes the exact value after each code", FLAG(settings, show)},
    GROUP(settings, output, output_option),
    GROUP(settings, choice, policy_options),
    {.kind = OPTION_END},
};

static void check_options(const conversion *c, const settings *o)
{
    if (!o->to)
        fail("--to FORMAT is missing: the format of the codes to write");
    if (!o->from && !c->form.values)
        fail(
            "--from FORMAT is missing: the format of the codes to read; numbers need --as-numbers");
    if (c->policy.round != SF8_SR)
        return;
    if (!o->from)
        fail("--round sr with --as-numbers needs --from FORMAT, in which the random rounding "
             "starts");
    if (c->to.man_bits == 52 && c->policy.sr_bits > 6)
        fail("--round sr to %s can use at most 6 random bits; add --set sr_bits=6", o->to);
}

/* The file of up to two operands. Numbers as operands are what many try first. */
static const char *file_of(size_t operands, char **operand)
{
    if (operands == 0)
        return NULL;
    if (strcmp(operand[0], "-") != 0 && access(operand[0], F_OK) != 0)
        fail("cannot read %s: %s (numbers and codes are read from FILE or standard input, one in a "
             "line; 'softfp8 explain' takes them as arguments)",
             operand[0], strerror(errno));
    if (operands > 1)
        fail("expected one FILE, got '%s' and '%s'", operand[0], operand[1]);
    return operand[0];
}

static int run(int argc, char **argv)
{
    static conversion c;
    settings o = {{0}, NULL, NULL, NULL, 0, 0, 0};
    const char *file = file_of(options_read(&command_convert, argc, argv, &o), argv);
    if (o.from)
        c.from = format_to_convert(o.from);
    c.form.values = o.values;
    c.flags = o.flags;
    c.show = o.show;
    if (o.to) {
        c.to = format_to_convert(o.to);
        c.policy = policy_resolve(&o.choice, c.to, o.from ? c.from : SF8_F32, NULL);
    }
    check_options(&c, &o);
    c.has_from = o.from != NULL;
    if (!c.has_from && policy_source(c.policy)) {
        c.from = format_to_convert(policy_source(c.policy));
        c.has_from = 1;
    }
    c.form.random = c.policy.round == SF8_SR;
    c.form.digits = c.has_from ? word_digits(sf8_format_bits(c.from)) : 0;
    c.form.mask = c.has_from ? sf8_format_code_mask(c.from) : 0;
    c.to_digits = word_digits(sf8_format_bits(c.to));
    output_check_input(o.output, file);
    c.in = input_open(file);
    c.out = output_open(o.output);
    make_lines(&c);
    if (c.has_from && !c.form.values && !c.flags && !c.show)
        c.mapped = convert_map_make(&c.map, c.from, c.to, c.policy);
    convert_all(&c);
    convert_map_free(&c.map);
    input_close(c.in);
    output_close(c.out);
    return STATUS_HELD;
}

const command command_convert = {
    .name = "convert",
    .purpose = "Converts numbers or codes to another format, line by line.",
    .example = "  $ echo 500 | softfp8 convert --as-numbers --to e4m3 --overflow ieee --show\n"
               "  7f nan\n",
    .usage = "convert --from FORMAT --to FORMAT [options] [FILE]\n"
             "convert --as-numbers [--from FORMAT] --to FORMAT [options] [FILE]",
    .about = "The input has one code per line, with all its hexadecimal digits: 8 for f32, 2 for "
             "e4m3, and 5 for tf32, which has 19 bits (1 is 1fc00). Upper and lower case are read, "
             "with 0x or without. # and // begin a comment. Without FILE, or if it is -, standard "
             "input is read.\n"
             "With --round sr each line has a second column: the random bits, as 8 digits. A line "
             "that cannot be read ends the command. The codes of the lines before it are still "
             "written, unless -o is given.",
    .options = options,
    .operands = "FILE",
    .operands_most = 2,
    .complete = "file",
    .run = run,
};
