/* SPDX-License-Identifier: MIT */
/* options.h -- the options of a subcommand as a table, from which they are read, checked, explained
 *
 *     typedef struct settings { const char *to, *output; int flags; policy_choice choice; }
 * settings;
 *
 *     static const cli_option options[] = {
 *         {"--to", "FORMAT", "the format of the codes to write", FORMAT(settings, to)},
 *         {"--flags", NULL, "writes the flags behind the code", FLAG(settings, flags)},
 *         GROUP(settings, output, output_option),
 *         GROUP(settings, choice, policy_options),
 *         {.kind = OPTION_END},
 *     };
 *
 *     settings s = {0};
 *     size_t operands = options_read(&command_x, argc, argv, &s);    // operands in argv
 *
 * --help, the completion of bash and the manual page are written from the same tables.
 *
 * An option is written -name, --name, --name VALUE or --name=VALUE. After "--" all are operands. A
 * single "-", and what looks like a negative number or -inf or -nan, is an operand.
 */
#ifndef SOFTFP8_OPTIONS_H
#define SOFTFP8_OPTIONS_H

#include "cli/cli.h"

#include <stddef.h>

typedef enum option_kind {
    OPTION_END,     /* closes a table */
    OPTION_HEADING, /* `help` is the heading of the options that follow */
    OPTION_GROUP,   /* the options of `group` */
    OPTION_FLAG,    /* an int becomes `set` */
    OPTION_TEXT,    /* a const char *: the value as it is */
    OPTION_FILE,    /* the same */
    OPTION_FORMAT,  /* the same, if there is such a format */
    OPTION_NAME,    /* the same, if it is one of the list */
    OPTION_WORD,    /* an int, an enum or a size_t: the index in the list */
    OPTION_NUMBER,  /* an integer of 4 or 8 bytes: decimal, from `least` to `most` */
    OPTION_REAL,    /* a double: the same */
    OPTION_CALL     /* `take` stores it, or fails; the message need not name option and value. With
                       `words` the value is one of them */
} option_kind;

typedef struct cli_option cli_option;
struct cli_option {
    const char *names; /* "--to"; "-o --output": several spellings, the first is shown */
    const char *value; /* its placeholder; NULL: the words of the list, or none for a flag */
    const char *help;
    option_kind kind;
    size_t at, size; /* where it is stored */
    int set;
    uint64_t least, most;
    const char *const *words;         /* the list, closed with NULL; */
    const char *(*name_at)(size_t i); /* or a function that has it */
    /* Another name for a word of the list, such as one of a standard, or the value itself. */
    const char *(*other_name)(const char *value);
    void (*take)(void *place, const cli_option *o, const char *value);
    const char *text; /* for `take` */
    /* For the completion, where the kind does not tell: "file", "field", "columns", or words. */
    const char *complete;
    const cli_option *group;
};

#define OPTION_AT(type, member) .at = offsetof(type, member), .size = sizeof(((type *)0)->member)
#define FLAG(type, member) .kind = OPTION_FLAG, .set = 1, OPTION_AT(type, member)
#define FLAG_AS(type, member, value) .kind = OPTION_FLAG, .set = (value), OPTION_AT(type, member)
#define TEXT(type, member) .kind = OPTION_TEXT, OPTION_AT(type, member)
#define PATH(type, member) .kind = OPTION_FILE, OPTION_AT(type, member)
#define FORMAT(type, member) .kind = OPTION_FORMAT, OPTION_AT(type, member)
#define NAME(type, member, list) .kind = OPTION_NAME, .words = (list), OPTION_AT(type, member)
#define WORD(type, member, list) .kind = OPTION_WORD, .words = (list), OPTION_AT(type, member)
#define NUMBER(type, member, low, high)                                                            \
    .kind = OPTION_NUMBER, .least = (low), .most = (high), OPTION_AT(type, member)
#define REAL(type, member, low, high)                                                              \
    .kind = OPTION_REAL, .least = (low), .most = (high), OPTION_AT(type, member)
#define CALL(type, member, function)                                                               \
    .kind = OPTION_CALL, .take = (function), OPTION_AT(type, member)
#define HEADING(text)                                                                              \
    {                                                                                              \
        .help = (text), .kind = OPTION_HEADING                                                     \
    }
#define GROUP(type, member, table)                                                                 \
    {                                                                                              \
        .kind = OPTION_GROUP, .group = (table), OPTION_AT(type, member)                            \
    }

/* ---- groups of several commands -------------------------------------------------------------- */

/* -o FILE, and --json FILE: a const char *. */
extern const cli_option output_option[], json_option[], html_option[];
/* --policy, --round, --overflow, --via, --set: a policy_choice. */
extern const cli_option policy_options[];

/* ---- reading --------------------------------------------------------------------------------- */

/* Reads argv[1..argc) into *place. Operands are moved to argv[0..): their number, which is at most
 * that of the command. --help prints the help and ends the program. */
size_t options_read(const command *c, int argc, char **argv, void *place);
/* Whether the last options_read met the option; the i-th option that it met, or NULL. */
int option_was_given(const char *name);
/* Fails unless all of `options`, at most 4, were given: names the others, and `what` they are. */
void options_need(const char *const *options, size_t count, const char *what);
/* Fails if an option was given that is not among `names`, without dashes and with blanks between.
 */
void options_only(const char *names, const char *why);
const cli_option *option_given_at(size_t i);
/* Fails if one was given twice. */
void options_once(void);
/* Runs the command, or the one of its subcommands that argv[1] names. */
int command_run(const command *c, int argc, char **argv);

/* ---- the table itself ------------------------------------------------------------------------ */

/* Goes through a table and the groups in it: the next entry, which is a heading or an option, or
 * NULL; its place is *at bytes behind that of the table. */
typedef struct option_walk {
    const cli_option *next[4];
    size_t base[4];
    int depth;
} option_walk;

option_walk option_walk_of(const cli_option *table);
const cli_option *option_next(option_walk *w, size_t *at);
int option_takes_value(const cli_option *o);
/* Its spellings one by one, with dashes: the length of the one at *names, which is moved behind. */
size_t option_spelling(const char **names, const char **spelling);
/* True if `name`, without dashes, is one of its spellings. Those after "/" are not shown. */
int option_is(const cli_option *o, const char *name, size_t length);
/* The i-th value of its list, or NULL. */
const char *option_value_at(const cli_option *o, size_t i);
/* Its list with a character between: "f32|bf16|f16". */
const char *option_words(const cli_option *o, char between, char text[256]);
/* What stands for its value: "FORMAT", or its list. */
const char *option_placeholder(const cli_option *o, char text[256]);

/* ---- what is written from it ----------------------------------------------------------------- */

/* The whole --help. */
void command_help(const command *c);
/* softfp8 manual TEMPLATE, softfp8 completion TEMPLATE: the template with the lists filled in, to
 * standard output. softfp8 completion COMMAND [--OPTION]: the names that such a value, or an
 * operand, can have. The commands are closed with NULL. */
int manual_run(const command *const *commands, int argc, char **argv);
int completion_run(const command *const *commands, int argc, char **argv);

#endif
