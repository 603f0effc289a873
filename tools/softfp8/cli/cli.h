/* SPDX-License-Identifier: MIT */
/* cli.h -- what the subcommands share: arguments, errors, policies by name, progress
 *
 * Exit status: 0 all held, 1 a mismatch, 2 bad usage or bad input, 3 what was asked for by name
 * could not be run. A failure prints one line, removes what was being written, and exits.
 */
#ifndef SOFTFP8_CLI_H
#define SOFTFP8_CLI_H

#include "search/engine.h" /* allocate() and reallocate() */
#include "softfp8.h"
#include "softfp8_vectors.h"

enum { STATUS_HELD = 0, STATUS_MISMATCH = 1, STATUS_USAGE = 2, STATUS_NOT_RUN = 3 };

#if defined(__GNUC__)
#define CLI_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define CLI_PRINTF(text, first)
#endif

/* ---- commands -------------------------------------------------------------------------------- */

typedef struct command {
    const char *name;
    const char *summary;               /* a line for the list of commands */
    const char *help;                  /* the whole help, with an example; fits a screen */
    int (*run)(int argc, char **argv); /* argv[0] is the name of the command */
} command;

extern const command command_convert, command_explain, command_table, command_formats,
    command_policies, command_gen, command_ver, command_expand, command_identify, command_conform,
    command_record, command_bench, command_mma, command_quantize, command_dequantize,
    command_recipes, command_layout, command_kv, command_attend, command_merge_states;

/* ---- errors ---------------------------------------------------------------------------------- */

/* "softfp8 gen: message" on stderr, exit 2. */
_Noreturn void fail(const char *format, ...) CLI_PRINTF(1, 2);
/* "FILE:LINE: message", without ":LINE" if line is 0. */
_Noreturn void fail_at(const char *file, uint64_t line, const char *format, ...) CLI_PRINTF(3, 4);
/* The command that messages name from now on, those of a lack of memory too. */
void fail_as(const char *name);
/* A remark on stderr. */
void note(const char *format, ...) CLI_PRINTF(1, 2);

/* ---- arguments -------------------------------------------------------------------------------
 *
 *     arguments a = arguments_of(argc, argv);
 *     while (arguments_next(&a)) {
 *         if (argument_is(&a, "to"))
 *             to = argument_format(&a);
 *         else if (policy_argument(&a, &policy) || argument_help(&a, &command_x))
 *             continue;
 *         else if (a.option)
 *             argument_unknown(&a);
 *         else
 *             operand(a.text);
 *     }
 *
 * An option is written -name, --name, --name VALUE or --name=VALUE. After "--" all are operands. A
 * single "-", and what looks like a negative number or -inf or -nan, is an operand.
 */
typedef struct arguments {
    int count;
    char **list;
    int at;
    int only_operands;
    const char *text;   /* the argument itself, as written */
    const char *option; /* the option's name and what follows, or NULL for an operand */
    size_t option_length;
    const char *given; /* what follows "=", or NULL */
} arguments;

arguments arguments_of(int argc, char **argv);
int arguments_next(arguments *a);
int argument_is(const arguments *a, const char *name);
/* The value of the present option. */
const char *argument_value(arguments *a);
/* The value as a format, a number within bounds, one of several words (its index). */
sf8_format argument_format(arguments *a, const char **name);
uint64_t argument_number(arguments *a, uint64_t least, uint64_t most);
int argument_word(arguments *a, const char *const *words);
/* Refuses "=value" for an option that takes none. */
int argument_flag(const arguments *a, const char *name);
/* --help or -h: prints the help and exits with 0. */
int argument_help(const arguments *a, const command *c);
_Noreturn void argument_unknown(const arguments *a);

/* A format by name, or fail with the nearest names. */
sf8_format format_of_name(const char *name);
/* The word nearest in spelling among those that `at` lists, or NULL if none is near. */
const char *nearest_name(const char *name, const char *(*at)(size_t i));
/* The same, but only a name that differs by at most `most` letters. */
const char *nearest_name_within(const char *name, const char *(*at)(size_t i), size_t most);
const char *format_name_at(size_t i);
const char *policy_name_at(size_t i);
int is_policy_name(const char *name);

/* ---- policies --------------------------------------------------------------------------------
 *
 * --policy NAME, --round M, --overflow sat|clip|ieee, --via FORMAT, --set FIELD=VALUE. The policy
 * that NAME has for the conversion is the base, whatever the order, and the others change it in the
 * order given. Without --policy it is `ocp` into a narrow format and `ocp-nosat` into a wide one
 * (f16 bf16 tf32 f32 f64): saturation is a rule of the conversions to the narrow formats, and f32
 * has infinities.
 */
typedef struct policy_choice {
    const char *name; /* NULL: the default of the target */
    struct {
        const char *field, *value;
    } change[64];
    int changes;
} policy_choice;

int policy_argument(arguments *a, policy_choice *p);
/* As policy_argument would for "--<option> value". */
void policy_change(policy_choice *p, const char *field, const char *value);
/* The policy that a name, a product's too, stands for in a conversion. Fails where there is none.
 * */
const char *policy_for(const char *name, sf8_format to, sf8_format from);
/* The policy for a conversion, and the name of its base to *name if that is not NULL. */
sf8_policy policy_resolve(const policy_choice *p, sf8_format to, sf8_format from,
                          const char **name);
/* "NAME" and the fields of policy that differ from it: "ocp round=rz". */
const char *policy_text(const char *name, sf8_policy policy, char text[1024]);
/* True for a format wider than 8 bits. */
int format_is_wide(sf8_format f);
/* "overflow inexact", or "none", into `text`. */
const char *flags_text(uint32_t flags, char text[64]);

/* ---- progress -------------------------------------------------------------------------------- */

/* Shows "what: done of total" on stderr, if that is a terminal and a second has passed. */
void progress(const char *what, uint64_t done, uint64_t total);
/* From now on at once, and also where stderr is no terminal. */
void progress_always(void);
/* Clears the line. */
void progress_end(void);
/* Both, of an engine's search. */
void progress_of_search(const char *what, uint64_t done, uint64_t total);

#endif
