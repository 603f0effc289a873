/* SPDX-License-Identifier: MIT */
/* expand.c -- softfp8 expand: the cases that a step table stands for */
#include "cli/options.h"
#include "files/steps_file.h"
#include "base/words.h"
#include "vectors/vectors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
        text_word words[1];
        size_t count = words_split(line, length, words, 1);
        if (count == 0)
            continue;
        if (count > 1 || !words_hex(words[0], word_digits(bits), &word) ||
            word > sf8_format_code_mask(e->file.head.from))
            fail_at(in->name, in->line, "'%.40s': expected %d hexadecimal digits", line,
                    word_digits(bits));
        expand_word(e, word, &e->file.steps[sf8_steps_find(e->file.steps, e->file.count, word)]);
    }
    input_close(in);
}

typedef struct settings {
    int all, edges, columns;
    vector_form form;
    const char *words, *path;
} settings;

static const cli_option options[] = {
    HEADING("Which inputs"),
    {"--all", NULL, "writes every input; the default for formats of up to 20 bits",
     FLAG(settings, all)},
    {"--edges", NULL, "writes the first and last input of each row; the default for wider formats",
     FLAG(settings, edges)},
    {"--words", "FILE",
     "writes the inputs in FILE, one hexadecimal code per line; not with the formats c and npy",
     PATH(settings, words)},
    HEADING("Output"),
    GROUP(settings, form, form_option),
    GROUP(settings, columns, columns_option),
    GROUP(settings, path, output_option),
    {.kind = OPTION_END},
};

static int how_of(const settings *s)
{
    if (s->all + s->edges + (s->words != NULL) > 1)
        fail("--all, --edges and --words exclude each other");
    return s->all ? EXPAND_ALL : s->edges ? EXPAND_EDGES : s->words ? EXPAND_WORDS : EXPAND_AUTO;
}

static int run(int argc, char **argv)
{
    settings s = {.columns = COLUMNS_ALL};
    if (options_read(&command_expand, argc, argv, &s) == 0)
        fail("no TABLE given; expected a step table, or - for standard input");
    const char *words = s.words, *table = argv[0];
    int how = how_of(&s);
    if (s.form == FORM_JSON)
        fail("--format json: expected one of the other formats; gen writes JSON");
    if (words && strcmp(words, "-") == 0 && strcmp(table, "-") == 0)
        fail("only one of TABLE and --words can come from standard input");
    if (how == EXPAND_WORDS && (s.form == FORM_C || s.form == FORM_NPY))
        fail("--words needs --format text, bin, readmemh or csv; the others begin with a count");
    const char *inputs[] = {table, words ? words : table};
    outputs_check(&s.path, 1, inputs, 2);
    expansion e;
    memset(&e, 0, sizeof e);
    e.file = steps_file_read(table);
    sf8_function f = sf8_function_convert(e.file.head.from, e.file.head.to);
    snprintf(f.name, sizeof f.name, "%.*s_to_%.*s", 21, e.file.head.from_name, 21,
             e.file.head.to_name);
    e.layout = layout_of(&f, 0, s.form, s.columns);
    int bits = sf8_format_bits(e.file.head.from);
    if (how == EXPAND_AUTO)
        how = bits <= 20 ? EXPAND_ALL : EXPAND_EDGES;
    if (how == EXPAND_ALL && bits > 32)
        fail("2^%d cases are too many; choose some by --edges or --words", bits);
    char fields[1024];
    policy_text(e.file.head.policy_name, e.file.head.policy, fields);
    vector_title title = {&f, fields, 0, {how == EXPAND_ALL ? bits : 0, 0, 0}};
    title.rows = how == EXPAND_WORDS ? 0 : count_rows(&e, how == EXPAND_EDGES);
    e.out = output_open(s.path);
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

const command command_expand = {
    .name = "expand",
    .purpose = "Expands a step table into test cases.",
    .example = "  $ softfp8 gen f16_to_e4m3 --steps | softfp8 expand - | softfp8 ver f16_to_e4m3\n",
    .usage = "expand [--all | --edges | --words FILE] [options] TABLE",
    .about = "A step table describes a whole conversion in a few hundred rows. The cases are lines "
             "as gen writes them: input, result, flags. If TABLE is -, standard input is read.",
    .more = "  $ softfp8 gen f32 | softfp8 expand --words - f32_to_e4m3-ocp.steps\n",
    .options = options,
    .operands = "TABLE",
    .operands_most = 1,
    .complete = "file",
    .run = run,
};
