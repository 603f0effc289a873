/* SPDX-License-Identifier: MIT */
/* expand.c -- softfp8 expand: the cases that a step table stands for */
#include "files/steps_file.h"
#include "vectors/vectors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "softfp8 expand [--all | --edges | --words FILE] [-o FILE] TABLE\n"
    "\n"
    "Writes the cases that a step table stands for as TestFloat's lines: input,\n"
    "result, flags. TABLE - is standard input.\n"
    "\n"
    "  --all          every input; the default up to 2^20 of them\n"
    "  --edges        the first and the last input of each row; the default beyond\n"
    "  --words FILE   the inputs in FILE, one a line in hexadecimal: 8 digits for\n"
    "                 f32, 5 for tf32\n"
    "  --format F     text, bin, readmemh, c, npy, csv\n"
    "  --columns C    of operands,result,flags\n"
    "  -o FILE        complete or absent\n"
    "\n"
    "  softfp8 gen f16_to_e4m3 --steps | softfp8 expand - | softfp8 ver f16_to_e4m3\n"
    "  softfp8 gen f32 | softfp8 expand --words - vectors/steps/f32_to_e4m3-ocp.steps\n";

enum { EXPAND_AUTO, EXPAND_ALL, EXPAND_EDGES, EXPAND_WORDS };

typedef struct expansion {
    steps_file file;
    layout layout;
    output *out;
    uint64_t done;
} expansion;

static void expand_word(expansion *e, uint64_t word, const sf8_step *step)
{
    row r;
    const layout *l = &e->layout;
    r.value[0] = word;
    if (l->result >= 0)
        r.value[l->result] = step->code;
    if (l->flags >= 0)
        r.value[l->flags] = step->flags;
    vectors_row(e->out, l, &r);
    if (++e->done % (1 << 20) == 0)
        progress("words", e->done, 0);
}

static void expand_rows(expansion *e, int edges)
{
    for (size_t i = 0; i < e->file.count; i++) {
        const sf8_step *step = &e->file.steps[i];
        uint64_t last = steps_file_last(&e->file, i);
        expand_word(e, step->first, step);
        for (uint64_t word = step->first; !edges && word < last;)
            expand_word(e, ++word, step);
        if (edges && last > step->first)
            expand_word(e, last, step);
    }
}

static uint64_t count_rows(const expansion *e, int edges)
{
    uint64_t count = 0;
    for (size_t i = 0; i < e->file.count; i++)
        count += edges ? 1 + (steps_file_last(&e->file, i) > e->file.steps[i].first)
                       : steps_file_last(&e->file, i) - e->file.steps[i].first + 1;
    return count;
}

static void expand_words(expansion *e, const char *path)
{
    input *in = input_open(path);
    int bits = sf8_format_bits(e->file.head.from);
    size_t length;
    const char *line;
    while ((line = input_line(in, &length)) != NULL) {
        uint64_t word;
        if (length == 0 || line[0] == '#')
            continue;
        if (length != (size_t)word_digits(bits) || !hex_read(line, word_digits(bits), &word) ||
            word > sf8_format_code_mask(e->file.head.from))
            fail_at(in->name, in->line, "'%.40s': expected %d hexadecimal digits", line,
                    word_digits(bits));
        expand_word(e, word, &e->file.steps[sf8_steps_find(e->file.steps, e->file.count, word)]);
    }
    input_close(in);
}

static int choose(int before, int now)
{
    if (before != EXPAND_AUTO && before != now)
        fail("--all, --edges, --words: one of them");
    return now;
}

static int run(int argc, char **argv)
{
    int how = EXPAND_AUTO, columns = COLUMNS_ALL;
    vector_form form = FORM_TEXT;
    const char *words = NULL, *path = NULL, *table = NULL;
    arguments a = arguments_of(argc, argv);
    while (arguments_next(&a)) {
        if (argument_help(&a, &command_expand))
            continue;
        if (argument_flag(&a, "all"))
            how = choose(how, EXPAND_ALL);
        else if (argument_flag(&a, "edges"))
            how = choose(how, EXPAND_EDGES);
        else if (argument_is(&a, "words"))
            how = choose(how, EXPAND_WORDS), words = argument_value(&a);
        else if (argument_is(&a, "format"))
            form = (vector_form)argument_word(&a, vector_forms);
        else if (argument_is(&a, "columns"))
            columns = columns_of_text(argument_value(&a));
        else if (argument_is(&a, "o") || argument_is(&a, "output"))
            path = argument_value(&a);
        else if (a.option)
            argument_unknown(&a);
        else if (table)
            fail("one table only: '%s' and then '%s'", table, a.text);
        else
            table = a.text;
    }
    if (!table)
        fail("a step table is needed, or - for standard input");
    if (words && strcmp(words, "-") == 0 && strcmp(table, "-") == 0)
        fail("the table and the words cannot both come from standard input");
    if (how == EXPAND_WORDS && (form == FORM_C || form == FORM_NPY))
        fail("--words is for the forms without a count at their head: text bin readmemh csv");
    expansion e;
    memset(&e, 0, sizeof e);
    e.file = steps_file_read(table);
    sf8_function f = sf8_function_convert(e.file.head.from, e.file.head.to);
    snprintf(f.name, sizeof f.name, "%.*s_to_%.*s", 21, e.file.head.from_name, 21,
             e.file.head.to_name);
    e.layout = layout_of(&f, 0, form, columns);
    int bits = sf8_format_bits(e.file.head.from);
    if (how == EXPAND_AUTO)
        how = bits <= 20 ? EXPAND_ALL : EXPAND_EDGES;
    if (how == EXPAND_ALL && bits > 32)
        fail("2^%d cases are too many; --edges or --words chooses", bits);
    vector_title title = {&f, e.file.head.policy_name, 0, {how == EXPAND_ALL ? bits : 0, 0, 0}};
    title.rows = how == EXPAND_WORDS ? 0 : count_rows(&e, how == EXPAND_EDGES);
    e.out = output_open(path);
    vectors_begin(e.out, &e.layout, &title);
    if (how == EXPAND_WORDS)
        expand_words(&e, words);
    else
        expand_rows(&e, how == EXPAND_EDGES);
    vectors_end(e.out, &e.layout);
    progress_end();
    output_close(e.out);
    free(e.file.steps);
    return STATUS_HELD;
}

const command command_expand = {"expand", "the cases that a step table stands for", help, run};
