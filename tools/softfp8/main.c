/* SPDX-License-Identifier: MIT */
/* main.c -- the command softfp8: finds the subcommand and calls it */
#include "cli/options.h"
#include "cli/text_table.h"

#include <stdio.h>
#include <string.h>

/* In the order of the groups. */
static const command *const commands[] = {
    &command_convert,  &command_explain,    &command_table,    &command_formats,
    &command_policies, &command_recipes,    &command_gen,      &command_ver,
    &command_expand,   &command_export,     &command_quantize, &command_dequantize,
    &command_layout,   &command_checkpoint, &command_identify, &command_judge,
    &command_conform,  &command_record,     &command_mma,      &command_kv,
    &command_attend,   NULL,
};

/* What a user wants to do, and how many commands do it. */
static const struct {
    const char *heading;
    size_t count;
} groups[] = {
    {"Convert values, and see why", 3}, {"Look up formats and rules", 3},
    {"Make and check test vectors", 4}, {"Quantize tensors in blocks", 4},
    {"Check other implementations", 4}, {"Matrix units, KV caches and attention", 3},
};

static const char *command_name_at(size_t i)
{
    return commands[i] ? commands[i]->name : NULL;
}

static const command *find(const char *name)
{
    for (size_t i = 0; commands[i]; i++) {
        if (strcmp(name, commands[i]->name) == 0)
            return commands[i];
    }
    return NULL;
}

static _Noreturn void unknown(const char *name)
{
    static const char *const others[][2] = {
        {"units", "'softfp8 mma --list' lists them"},
        {"orders", "'softfp8 attend --orders' lists them"},
        {"merge", "it is 'softfp8 conform --join' now"},
        {"merge-states", "it is 'softfp8 attend --merge' now"},
        {"bench", "the program softfp8-bench, in the same build, measures speed"},
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcmp(others[i][0], name) == 0)
            fail("no command '%s'; %s", name, others[i][1]);
    const char *near = nearest_name(name, command_name_at);
    if (near)
        fail("no command '%s'; did you mean '%s'?", name, near);
    fail("no command '%s'; 'softfp8 --help' lists them", name);
}

static void usage(FILE *stream)
{
    fputs("softfp8 shows what GPUs and libraries compute with FP8, FP6 and FP4 values,\n"
          "their blocks and KV caches, bit for bit, and tests implementations against that.\n\n"
          "  $ softfp8 explain --to e4m3 464     why 464 becomes 448\n",
          stream);
    for (size_t i = 0, next = 0; i < sizeof groups / sizeof groups[0]; i++) {
        text_table *table = text_table_new("  %-12s %s");
        fprintf(stream, "\n%s:\n", groups[i].heading);
        for (size_t end = next + groups[i].count; next < end; next++)
            text_table_row(table, "%s\t%s", commands[next]->name, commands[next]->purpose);
        text_table_print(table, stream);
    }
    fputs("\n'softfp8 COMMAND --help' shows the options and an example; 'man softfp8' is the\n"
          "manual. Exit status: 0 all passed, 1 a mismatch, 2 bad usage or input,\n"
          "3 something that was asked for could not run.\n",
          stream);
}

int main(int argc, char **argv)
{
    program_begin();
    if (argc < 2) {
        usage(stderr);
        return STATUS_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--version") == 0) {
        printf("softfp8 %s\n", sf8_version());
        return program_end(STATUS_HELD);
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        if (argc == 2) {
            usage(stdout);
            return program_end(STATUS_HELD);
        }
        if (!find(argv[2]))
            unknown(argv[2]);
        command_help(find(argv[2]));
    }
    if (strcmp(name, "manual") == 0)
        return manual_run(commands, argc - 1, argv + 1);
    if (strcmp(name, "completion") == 0)
        return completion_run(commands, argc - 1, argv + 1);
    const command *c = find(name);
    if (!c)
        unknown(name);
    return program_end(command_run(c, argc - 1, argv + 1));
}
