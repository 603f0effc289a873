/* SPDX-License-Identifier: MIT */
/* explain.h -- what `softfp8 explain` finds out about a value, and how it is shown
 *
 * exact.c    a number as text, exactly
 * operation.c  the exact result of an operation on codes, and the reason for each flag
 * find.c     the neighbours, the midpoint, the result
 * answer.c   questions about an answer
 * rules.c    the rules of docs/spec that led from the value to the result
 * number.c   numbers and codes as text
 * text.c     the answer for people
 * json.c     the answer for programs
 * block.c    a block and its scale: explain --recipe
 */
#ifndef SOFTFP8_EXPLAIN_H
#define SOFTFP8_EXPLAIN_H

#include "cli/cli.h"
#include "files/io.h"
#include "softfp8/number/convert.h"
#include "softfp8_vectors.h"

/* ---- the question ---------------------------------------------------------------------------- */

/* With `function` the values are its operands, codes of `to`. */
typedef struct question {
    const sf8_function *function; /* an operation; NULL: a conversion */
    sf8_format to, from;
    const char *to_name;
    const char *from_name; /* NULL: text goes to the target directly */
    int codes;             /* the values are words of `from` */
    policy_choice choice;
    const char *policy_name;
    sf8_policy policy;
    int round_given; /* every policy is asked with this rounding */
    uint32_t random;
} question;

/* Adds to a text of `size` bytes; what does not fit is left out. */
CLI_PRINTF(3, 4)
void add_text(char *text, size_t size, const char *format, ...);

/* ---- an exact number -------------------------------------------------------------------------
 *
 * The magnitude is sig * 2^(exponent - SF8_POINT), bit SF8_POINT of sig set, or 0 if sig is. If
 * `cut` the number has more bits than sig: then bit 0 is set, and the number lies strictly between
 * sig - 1 and sig + 1. No boundary of a rounding is that fine, so every comparison with one is
 * decided by sig. If `far` the number is beyond every format's range, or nearer to zero than any
 * boundary, and sig stands in for it.
 */
typedef struct exact_number {
    uint32_t sign;
    int cut;
    int endless; /* a decimal fraction that no number of bits holds */
    int far;
    int32_t exponent;
    uint64_t sig;
} exact_number;

/* Of a text that sf8_from_text takes for a finite number. */
exact_number exact_of_text(const char *text);
exact_number exact_of_number(sf8_number x);
/* sig * 2^exponent, sig > 0; if `cut` the number goes on below, and bit 0 of sig is set. */
exact_number exact_of_bits(uint32_t sign, int32_t exponent, uint64_t sig, int cut);

/* ---- the answer ------------------------------------------------------------------------------ */

enum { VALUE_FINITE, VALUE_ZERO, VALUE_INFINITE, VALUE_NAN };

typedef struct neighbour {
    int exists;
    uint64_t code;    /* if it exists */
    sf8_number value; /* as if the range had no end */
} neighbour;

enum { RULES_MOST = 14, RULE_TEXT = 256, EXACT_TEXT = 320, FLAG_BITS = 5 };

/* "field=value: text", or text alone if field is NULL. */
typedef struct rule {
    const char *field;
    char value[24];
    char text[RULE_TEXT];
} rule;

typedef struct answer {
    const question *q;
    const char *given;
    uint64_t word; /* of q->from */
    uint32_t first_flags;
    /* What the last step takes: `word` itself, or what the policy's `via` makes of it. */
    sf8_format operand_format;
    uint64_t operand;
    int kind;
    uint32_t sign;       /* of the value itself */
    uint32_t round_sign; /* of what is rounded: negative=abs drops it */
    exact_number x;
    int flushed; /* a subnormal operand that counts as zero */

    /* Of finite values other than zero. lo <= |x| <= hi are consecutive multiples of the quantum;
     * beyond the largest finite number lo is that and hi the next, though |x| may be larger. */
    neighbour lo, hi;
    int is_exact; /* |x| = lo */
    int above_max;
    int beyond;        /* |x| >= hi > the largest finite number */
    sf8_number middle; /* of lo and hi */
    int side;          /* |x| below (-1), at (0), above (1) the middle */
    int up;            /* rounded to hi */
    int shift;         /* the low bits of rest_sig below the quantum */
    uint64_t rest;     /* nu = rest / 2^shift */
    int64_t kept;      /* the magnitude code of lo, as if the range had no end */
    int64_t rounded;   /* and that of the result; -1: a missing zero */
    int forced;        /* above_least or below_normal has taken the other of lo and hi */
    int overflows;

    /* Of an operation: */
    uint64_t operands[3];
    unsigned flushed_operands;     /* bit i: operand i is subnormal and counts as zero */
    const char *invalid;           /* why it has no value; NULL: it has one, or NaN comes in */
    const char *note_field, *note; /* why it has this value, if that is not plain; or NULL */
    char exact[EXACT_TEXT];        /* "1 / 1.5 = 2/3", "" where no number comes out */

    sf8_result result;
    rule rules[RULES_MOST];
    int rule_count;
} answer;

/* Finds everything. `given` must be good text. words[0] is used with q->codes; of an operation
 * there is a word for each operand. */
answer answer_of(const question *q, const char *given, const uint64_t *words);
/* Sets what is known of the exact result of an operation: kind, sign and x. */
void take_operation(answer *a);
/* True for the operations that can be explained. */
int is_explained(sf8_function_op op);
/* Why bit i of the flags of an operation is raised; NULL if it is not. */
const char *flag_reason(const answer *a, int bit, char text[RULE_TEXT]);
/* The result under another policy. */
sf8_result answer_under(const answer *a, sf8_policy policy);
/* True if the neighbours say something: a finite value, not exact, among those of the target. */
int answer_has_neighbours(const answer *a);
/* The operand went by way of another format. */
int answer_took_via(const answer *a);
/* An unsigned target and a negative value that keeps its sign. */
int answer_is_negative(const answer *a);
void find_rules(answer *a);

enum { POLICIES_MOST = 64 };

/* The named policies that give one code. */
typedef struct policy_group {
    uint64_t code;
    int count;
    const char *names[POLICIES_MOST];
} policy_group;

/* The groups in the order of the policies; returns how many. */
int policy_groups(const answer *a, policy_group groups[POLICIES_MOST]);

/* ---- showing it ------------------------------------------------------------------------------ */

enum { NUMBER_TEXT = 64, FIELDS_TEXT = 80 };

/* Short exact text if there is one (448, 2^-127), else hexadecimal and about how much that is. */
const char *number_text(sf8_number x, char text[NUMBER_TEXT]);
const char *number_hex(sf8_number x, char text[NUMBER_TEXT]);
/* "0x1.0624dd2f..." for a number that is cut. */
const char *exact_hex(exact_number x, char text[NUMBER_TEXT]);
/* The value of a code: a number, NaN, -NaN, sNaN, inf, -inf, 0, -0. */
const char *code_text(sf8_format f, uint64_t code, char text[NUMBER_TEXT]);
/* The same without what stands in parentheses. */
const char *code_short(sf8_format f, uint64_t code, char text[NUMBER_TEXT]);
sf8_number number_of(sf8_format f, uint64_t code);
/* "0 1110 100" */
const char *fields_text(sf8_format f, uint64_t code, char text[FIELDS_TEXT]);
/* The decimal digits of x, if they are at most `most` characters; else "". */
const char *short_decimal(sf8_number x, size_t most, char text[NUMBER_TEXT]);

void show_text(output *out, const answer *a);
void show_json(output *out, const answer *a);
/* Of show_text only the neighbours, the midpoint and the rules. */
void show_rounding(output *out, const answer *a);

enum { LABEL_WIDTH = 12 };

/* A label and a text behind it; words from column `first` on, lines that follow having an indent.
 */
void put_label(output *out, const char *label);
void put_line(output *out, const char *label, const char *text);
void put_wrapped(output *out, const char *text, int first, int indent);

/* ---- blocks ---------------------------------------------------------------------------------- */

typedef struct block_question {
    const char *recipe, *g, *from; /* NULL: not said */
    int64_t at;                    /* one element only; -1: all */
    char **values;
    int count;
} block_question;

/* Explains the values as a row of elements, block by block. */
void explain_blocks(const block_question *q);

#endif
