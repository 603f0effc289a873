/* SPDX-License-Identifier: MIT */
/* rows.h -- a row of the proof: an operation on a set of formats, and what its check needs
 *
 * A row is divided into slices: a number of parts of each of its formats. run(worker) does one of
 * them: for each case it passes the reference's result and the library's to check(). Which cases a
 * row has does not depend on the number of parts.
 */
#ifndef PROOF_ROWS_H
#define PROOF_ROWS_H

#include <stdbool.h>

#include "base/random.h"
#include "mpfr/ref.h"
#include "softfp8.h"
#include "softfp8_vectors.h"

enum { BRIEF, QUICK, FULL };

struct worker;

/* What a row does. */
typedef struct work {
    const char *modes; /* modes x policies, for the table */
    void (*run)(struct worker *w);
    int arg; /* the operation or source, for a run function that does several */
    int tiny_before;
    unsigned parts; /* slices of a format; 0 means 1 */
    unsigned jobs; /* of a format, if one takes long in the full tier; see jobs_of() */
} work;

typedef struct row {
    char name[48]; /* operation/formats */
    work work;
    int first, formats; /* in ref_formats */
} row;

/* What a slice found, or several together. */
typedef struct outcome {
    uint64_t cases, mismatches;
    double seconds; /* of the processor */
    char *report;   /* the first mismatches as text, from malloc; NULL if there are none */
} outcome;

/* Text of the inputs of a case, for a report. */
enum { MAX_INPUTS = 4 };

typedef struct worker {
    const row *row;
    int tier;
    unsigned part; /* of the format */
    const ref_format *f;
    sf8_format sf; /* the same in the library */
    ref_work ref;
    sf8_policy policy[REF_MODES][2]; /* [mode][0 = ocp-nosat, 1 = ocp] */
    outcome found;
    unsigned turn; /* alternates over the cases of a slice */
    /* the current case, for a report */
    const char *what;
    const char *from; /* format of the input, NULL if that of the row */
    const char *to;   /* format of the result, NULL if that of the row */
    int inputs;
    uint64_t input[MAX_INPUTS];
} worker;

/* How many cases, or how far apart, by the tier. */
static inline unsigned by_tier(const worker *w, unsigned full, unsigned quick, unsigned brief)
{
    return w->tier == FULL ? full : w->tier == QUICK ? quick : brief;
}

/* ---- the list of rows, list.c ---------------------------------------------------------------- */

/* A row for one format; one for the 18 named narrow formats, one for the P3109 family and one for
 * rows of our own; the same with a row for each of the named ones. */
void add_row(const char *operation, const char *format, work does);
/* The same under another name than the format's. */
void add_row_named(const char *operation, const char *name, const char *format, work does);
void add_rows(const char *operation, work does);
void add_rows_each(const char *operation, work does);
/* The same with tininess before rounding; in the quick tier for the named formats only. */
void add_rows_before(const char *operation, work does, int tier);

/* ---- a case, report.c ------------------------------------------------------------------------ */

/* Counts a mismatch of the current case, and reports the first ones of a slice. */
void mismatch(worker *w, int mode, int saturate, ref_answer want, sf8_result got);

static inline void check(worker *w, int mode, int saturate, ref_answer want, sf8_result got)
{
    w->found.cases++;
    if (want.code != got.code || want.flags != got.flags)
        mismatch(w, mode, saturate, want, got);
}

static inline void inputs(worker *w, int n, uint64_t a, uint64_t b, uint64_t c)
{
    w->inputs = n;
    w->input[0] = a;
    w->input[1] = b;
    w->input[2] = c;
}

/* ---- what several rows share, prove_common.c ------------------------------------------------- */

sf8_format library_format(const ref_format *f);
/* The environments of the modes and two policies. */
void fill_policy(sf8_policy policy[REF_MODES][2], int tiny_before);
int32_t library_mode(int mode);

typedef sf8_result (*unary_fn)(sf8_format, uint64_t, sf8_policy);
typedef sf8_result (*binary_fn)(sf8_format, uint64_t, uint64_t, sf8_policy);

/* The number of codes of the format that a worker has open; the codes of its part [begin, end). */
static inline uint64_t codes_of(const ref_format *f)
{
    return (uint64_t)1 << f->width;
}

typedef struct range {
    uint64_t begin, end;
} range;

range part_of(const worker *w, uint64_t size);

/* Returns 1 if the worker is at a group of many formats. Some rows try fewer cases for each of
 * those. */
static inline int in_family(const worker *w)
{
    return w->row->formats > REF_NARROW;
}

/* Calls visit(data, b) for every boundary of a format, from 0 to beyond the largest finite number:
 * its values and the midpoints between them. A rounding to the format can only change there. */
void each_boundary(const ref_format *f, void (*visit)(void *data, mpfr_srcptr b), void *data);

/* The magnitude of the greatest number at or below `b` in the format that `cut` has open: past its
 * infinity if `b` is. */
int64_t magnitude_below(ref_work *cut, mpfr_srcptr b);

/* Compares one conversion of a code of another format in all modes and policies. */
void check_convert(worker *w, const ref_format *source, sf8_format library_source,
                   const ref_operand *a);

#endif
