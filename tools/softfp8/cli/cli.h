/* SPDX-License-Identifier: MIT */
/* cli.h -- what the subcommands share: errors, formats and policies by name, progress
 *
 * Exit status: 0 all held, 1 a mismatch, 2 bad usage or bad input, 3 what was asked for by name
 * was skipped. A failure prints one line, removes what was being written, and exits.
 */
#ifndef SOFTFP8_CLI_H
#define SOFTFP8_CLI_H

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "diagnose/search.h"
#include "softfp8.h"
#include "softfp8_vectors.h"

enum { STATUS_HELD = 0, STATUS_MISMATCH = 1, STATUS_USAGE = 2, STATUS_NOT_RUN = 3 };

#if defined(__GNUC__)
#define CLI_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define CLI_PRINTF(text, first)
#endif

/* ---- commands -------------------------------------------------------------------------------- */

typedef struct command command;
struct command {
    const char *name;
    const char *purpose; /* a sentence: the list of commands, the first line of the help */
    const char *example; /* the common case; lines that begin with blanks */
    const char *usage;   /* lines, each without "softfp8 "; NULL: those of the subcommands */
    const char *about; /* paragraphs, a line each; lines that begin with blanks stay as they are */
    const char *more;  /* behind the options: the same */
    const struct cli_option *options; /* see options.h; NULL: only --help */
    const char *operands;             /* their placeholder; where none is allowed a hint, or NULL */
    size_t operands_most;
    const char *complete;                /* of operands: "file", words, or NULL; */
    const char *(*operand_at)(size_t i); /* or the names that there are */
    int (*run)(int argc, char **argv);   /* argv[0] is the name of the command */
    const command *const *verbs;         /* its own subcommands, "kv chain", closed with NULL */
};

enum { OPERANDS_ANY = 1 << 30 };

extern const command command_convert, command_explain, command_table, command_formats,
    command_policies, command_gen, command_ver, command_expand, command_identify, command_conform,
    command_record, command_mma, command_quantize, command_dequantize, command_recipes,
    command_layout, command_checkpoint, command_kv, command_attend, command_export, command_judge;

/* First in main: a signal removes what is being written. */
void program_begin(void);
/* Last in main: the status, once all is written. */
int program_end(int status);

/* ---- errors ---------------------------------------------------------------------------------- */

/* "softfp8 gen: message" on stderr, exit 2. */
_Noreturn void fail(const char *format, ...) CLI_PRINTF(1, 2);
/* "FILE:LINE: message", without ":LINE" if line is 0. */
_Noreturn void fail_at(const char *file, uint64_t line, const char *format, ...) CLI_PRINTF(3, 4);
/* The same for what a reader found. */
_Noreturn void fail_input(const char *file, const input_error *error);
/* Makes '?' of what is not printable in a text from an input, so that it stays in its line: control
 * characters, marks that turn the direction of writing, bytes that are no UTF-8. */
void make_printable(char *text);
/* The same of a copy, which lasts as long as the program. Names of files are printed in this way,
 * wherever they are: messages do it themselves. */
const char *printable(const char *text);
/* The command that messages name from now on, those of a lack of memory too. */
void fail_as(const char *name);
/* The command is a program of its own: messages and help call it "softfp8-bench". */
void command_is_program(void);
/* What stands between "softfp8" and the name of the command: ' ', or '-'. */
char command_separator(void);
/* From now on messages of fail begin with the option, up to "=", and its value; NULL: no longer. */
void fail_within(const char *option, const char *value);
/* A remark on stderr. */
void note(const char *format, ...) CLI_PRINTF(1, 2);

/* ---- names ----------------------------------------------------------------------------------- */

/* A format by name or by its fields (sf8_format_read), or fail with the nearest names. */
sf8_format format_of_name(const char *name);
/* The same, but HiF8 too, which is no row and can only be converted. */
sf8_format format_to_convert(const char *name);
/* A text in which formats may be written by their fields, as one word: "e=4 m=3" becomes "e=4,m=3",
 * which names of functions and heads of files can contain. It lasts as long as the program. */
const char *in_one_word(const char *text);
/* What a name is that people give to several formats, or to what is no format; NULL for others. */
const char *no_single_format(const char *name);
/* The same for a name of integers where a format is an option, as in convert --to int8. */
const char *integer_hint(const char *name);
enum { OWN_FORMAT_SIZE = 32, BAD_FORMAT_SIZE = 192 };
/* "e=3 m=3" for e3m3, "e=3 m=3 signed=0" for ue3m3; NULL for a name of another kind. */
const char *own_format_of(const char *name, char text[OWN_FORMAT_SIZE]);
/* Which rule the fields of a format break, and what to write. The text is one that sf8_format_read
 * refuses with SF8_BAD_FORMAT. */
void bad_format_reason(const char *text, char why[BAD_FORMAT_SIZE]);
/* How many characters have to be changed, put in or left out to come from one to the other. Capital
 * letters are equal to small ones. */
size_t name_distance(const char *a, const char *b);
/* The word nearest in spelling among those that `at` lists, or NULL if none is near. */
const char *nearest_name(const char *name, const char *(*at)(size_t i));
/* The same, but only a name that differs by at most `most` letters. */
const char *nearest_name_within(const char *name, const char *(*at)(size_t i), size_t most);
/* The names that begin with `name`, with commas between, each once if equal ones stand together:
 * "" if there is none. */
void names_beginning(const char *name, const char *(*at)(size_t i), char text[256]);
const char *format_name_at(size_t i);
const char *policy_name_at(size_t i);
/* The policies alone, without products and aliases. */
const char *policy_row_name_at(size_t i);
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

/* A change after the others. */
void policy_change(policy_choice *p, const char *field, const char *value);
/* That of a text: a name, or a name with fields, "ocp round=rz". */
policy_choice policy_choice_of(const char *text);
/* The policy that a name, a product's too, stands for in a conversion. Fails where there is none.
 * */
const char *policy_for(const char *name, sf8_format to, sf8_format from);
/* The policy for a conversion, and the name of its base to *name if that is not NULL. */
sf8_policy policy_resolve(const policy_choice *p, sf8_format to, sf8_format from,
                          const char **name);
/* The format to which the policy first rounds numbers of any source, as `via` says; NULL: none. */
const char *policy_source(sf8_policy policy);
/* The same of a number in text, as a code of that format: to nearest, with the signs of NaNs. */
sf8_result policy_first_step(sf8_format first, const char *text);
/* The rounding mode that IEEE P3109 or IEEE 754 calls like this, or the value itself. */
const char *rounding_name(const char *value);
enum { VERSION_REMARK = 128 };
/* What a reader may not expect of the version in a name, such as torch-9 or torch-2; or "". */
const char *policy_version_remark(const char *name, char text[VERSION_REMARK]);
/* Remarks, once, that without --policy a format of P3109 does not get P3109's rules. `name` is that
 * of the format, or of a function of it, as the user gave it. */
void policy_remark(const policy_choice *p, const char *name, const char *policy_name);
/* "NAME" and the fields of policy that differ from it: "ocp round=rz". With stochastic rounding
 * also how many random bits count: "ocp round=sr sr_bits=16". */
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
/* For searches that the command starts: it shows how far they are, and fails where there is no
 * memory. */
extern search_context cli_search;

#endif
