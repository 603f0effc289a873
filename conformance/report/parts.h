/* SPDX-License-Identifier: MIT */
/* parts.h -- what the reports share: output, counts, words as text, what explains a result
 */
#ifndef SOFTFP8_CONFORM_REPORT_PARTS_H
#define SOFTFP8_CONFORM_REPORT_PARTS_H

#include "base/text.h"
#include "report/report.h"
#include "suite/family.h"
#include "suite/oracle.h"

#if defined(__GNUC__)
#define REPORT_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define REPORT_PRINTF(text, first)
#endif

/* ---- output ---------------------------------------------------------------------------------- */

typedef struct report_out {
    report_put put;
    void *context;
} report_out;

void out_text(const report_out *out, const char *text);
/* A piece of at most 2 KB; what is longer goes through the others. */
void out_print(const report_out *out, const char *format, ...) REPORT_PRINTF(2, 3);
/* For XML: & < > " and ' replaced; control characters and bytes that are no UTF-8 are ?. */
void out_xml(const report_out *out, const char *text);
/* Words separated by blanks, in lines of at most `width` columns that begin with `indent` blanks
 * from the second on; `at` is the column where the first begins. */
void out_wrapped(const report_out *out, const char *text, int at, int indent, int width);

/* ---- counts ---------------------------------------------------------------------------------- */

enum { REPORT_STATUSES = CONFORM_BROKEN + 1 };

typedef struct report_count {
    uint64_t of[REPORT_STATUSES];
    uint64_t cases, inputs;
    double seconds;
} report_count;

/* "skipped" */
const char *status_text(conform_status s);
const char *tier_text(conform_tier t);
const char *place_text(const conform_case *c);

/* The part of the name before the first "/". */
size_t family_length(const conform_case *c);
int same_family(const conform_case *a, const conform_case *b);
/* The first case of each family in turn: the index of the next after `i`, from SIZE_MAX on; or
 * r->count. */
size_t family_next(const report *r, size_t i);
/* Of the family of `of`, or with NULL of all. */
report_count count_of(const report *r, const conform_case *of);

/* What the results of a case are: evidence of which kind. */
enum {
    EVIDENCE_HARDWARE, /* published by others, replayed */
    EVIDENCE_MODEL,    /* the same, of a model that is no hardware */
    EVIDENCE_RECORD,   /* recorded by us, replayed */
    EVIDENCE_HERE,     /* computed on this machine in this run */
    EVIDENCE_KINDS
};

int evidence_of(const conform_case *c);
/* "replayed from hardware of others" */
const char *evidence_text(int kind);
/* Of the cases that were not skipped and have this kind. */
report_count evidence_count(const report *r, int kind);

/* ---- one case -------------------------------------------------------------------------------- */

enum { REPORT_POLICIES = 64, REPORT_TEXT = 2048 };

typedef struct report_case {
    const conform_case *c;
    const conform_result *r;
    conform_tier tier;
    oracle oracle;
    int known; /* the oracle is one, and its words have a meaning */
} report_case;

report_case case_of(const report *r, size_t i);
/* How many of its ranges are kept. */
size_t kept_ranges(const conform_result *r);

/* The word in hexadecimal, as many digits as its bits need. */
const char *word_hex(const sf8_word *w, uint64_t word, char text[32]);
/* Its value: exact if that takes at most `most` characters, else "~" and five digits, or where the
 * format has more the shortest that reads back. */
const char *word_value(const sf8_word *w, uint64_t word, size_t most, char text[96]);

/* "f32_to_e4m3, cuda-nosat round=rz, then ...", and the random word of the row, if any; of a family
 * without steps what it compares with what */
const char *oracle_text(const conform_case *c, char text[REPORT_TEXT]);

/* Why the code that came may have come, from the first input of a range. */
typedef struct report_cause {
    const char *policies[REPORT_POLICIES]; /* named ones that give it, with the row's rounding */
    int policy_count;
    const char *rounds[8]; /* roundings under which the case's policy gives it; only if no policy
                              does */
    int round_count;
    int once;     /* as do the last step's rules without the steps before it */
    int both_nan; /* it is a NaN where a NaN is right, another one */
    int sign;     /* only the sign is another */
} report_cause;

report_cause cause_of(const report_case *k, const conform_range *range);
/* "43e80001 gave 7e instead of 7f: like ocp ptx, with round=rne" */
const char *cause_text(const report_case *k, const conform_range *range, char text[REPORT_TEXT]);
/* The next range that is worth a word: its cause is not that of one before it. `at` is 0 at first;
 * returns the index and moves `at` behind it, or kept_ranges. */
size_t cause_next(const report_case *k, size_t *at);

/* The command that runs the case again, with the tier if the inputs depend on it. */
const char *run_command(const report_case *k, char text[REPORT_TEXT]);
/* The command for one step of the oracle at the first input of a range: 0 if there is none. */
int explain_command(const report_case *k, int step, uint64_t word, char text[REPORT_TEXT]);

#endif
