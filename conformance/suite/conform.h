/* SPDX-License-Identifier: MIT */
/* conform.h -- the suite's frame: cases, their runs, what is said of them
 *
 * A case compares one subject with the oracle on a whole domain of inputs. It is a row of a family
 * of cases (family.h). Each case runs in a process of its own, so that a crash or a hang ends that
 * case alone. What differs is kept as maximal ranges of inputs.
 */
#ifndef SOFTFP8_CONFORM_H
#define SOFTFP8_CONFORM_H

#include <stdio.h>

#include "softfp8.h"
#include "softfp8_vectors.h"

/* ---- cases ----------------------------------------------------------------------------------- */

/* One step of what a subject should do: a function of softfp8_vectors.h under a policy. */
typedef struct conform_step {
    /* "f32_to_e4m3", "i32_to_f32"; after the class of a number "not_zero"; after a conversion to a
     * format "relu": what is below zero becomes 0; NULL: the end */
    const char *function;
    const char *policy; /* "cuda-satfinite" */
    const char *fields; /* changes to it, "round=rz nan_sign=signed", or NULL */
} conform_step;

enum { CONFORM_STEPS = 3 };

typedef enum conform_domain {
    DOMAIN_ALL, /* every word of the first step's operand; 32 bits at the most */
    DOMAIN_SET  /* the critical set and a seeded campaign: f64 and integers of 32 and 64 bits */
} conform_domain;

/* Where stochastic rounding finds its random word in the one that the instruction is given; each
 * lane looks elsewhere, see gpu_rbits_slice. */
typedef enum conform_slices { SLICES_NONE, SLICES_BYTES, SLICES_NIBBLES } conform_slices;

/* A case that is known to differ, and how. It fails where it gives anything else, and when it no
 * longer differs. */
typedef struct conform_known {
    const char *why;                /* with a link */
    conform_step as[CONFORM_STEPS]; /* what it gives instead, on every input */
} conform_known;

struct conform_family;
struct record_case;

typedef struct conform_case {
    const char *name;    /* "cuda-host/float_to_fp8/e4m3/satfinite" */
    const char *subject; /* what is compared: its name in the family's list */
    const struct conform_family *family;
    conform_domain domain;              /* of the first step; a family without steps has none */
    conform_step oracle[CONFORM_STEPS]; /* done one after the other; or none */
    int nan_class;              /* any NaN is right where NaN is: the vendor leaves it open */
    const conform_known *known; /* NULL: it is not known to differ */
    conform_slices slices;
    uint32_t rbits;      /* that word; without slices the family's own number, as a kind of inputs */
    const char *formats; /* "f16 to f32", where there are no steps to show them; or NULL */
    const void *data;    /* the family's own, or NULL */
    /* What a record has of the case: that is judged, and nothing is run. Else NULL. */
    const struct record_case *record;
} conform_case;

/* The rows of all families, one after the other; behind them those of the records that were
 * added. */
const conform_case *conform_case_at(size_t i);

/* ---- results --------------------------------------------------------------------------------- */

typedef enum conform_status {
    CONFORM_PASSED,
    CONFORM_FAILED,
    CONFORM_KNOWN,   /* differs as the row says */
    CONFORM_NOT_RUN, /* `why` says for want of what */
    CONFORM_STALE,   /* a record of another source */
    CONFORM_BROKEN   /* crashed, hung, or could not be set up */
} conform_status;

/* Neighbouring inputs that differ, all of them; what came and what was right at the first. */
typedef struct conform_range {
    uint64_t first, last;
    uint64_t got, right;
} conform_range;

enum { CONFORM_RANGES = 64, CONFORM_TEXT = 256, CONFORM_LONG = 1024 };

/* What was measured of a kernel at so many tokens: the bytes that it moves, and in nanoseconds what
 * it took, a copy of as many bytes, the words stored as they are, three launches; 0: it was not. Of
 * attention these last are its chunks in any order, and each request with a prefix of its own, or
 * PyTorch. */
typedef struct conform_speed {
    uint64_t tokens, bytes, took, copy, as_they_are, three;
} conform_speed;

enum { CONFORM_SPEEDS = 3 };

typedef struct conform_result {
    conform_status status;
    uint64_t inputs, differ;
    uint64_t crossed;     /* results that are wrong beside certain others: `why` has the first */
    uint64_t range_count; /* of which the first CONFORM_RANGES are kept */
    conform_range range[CONFORM_RANGES];
    int at_begin, at_end; /* the first input differs, the last one does */
    /* Of a case cut into `of` parts these many were run, from the first of them on. */
    unsigned first_part, parts, of;
    double seconds;
    double subject_seconds; /* of these, what the subject took; the rest is the oracle's */
    conform_speed speed[CONFORM_SPEEDS];
    size_t speeds;
    /* The codes that came, in order of the inputs: digest.h. */
    char digest[65];
    /* Of a kernel that passed: how fast it was; of a set of rows: which rivals fail on it. */
    char why[CONFORM_LONG];
    /* If it failed: the changes to the row's rules that explain all of it, in words. */
    char diagnosis[CONFORM_LONG];
    /* Of a device case or a record: the conversion instructions executed, or "". */
    char sass[CONFORM_LONG];
    /* Of a record: "NVIDIA H200, driver 580.95.05, CUDA 13.0, 2026-11-21". */
    char origin[CONFORM_TEXT];
} conform_result;

typedef enum conform_tier { TIER_QUICK, TIER_FULL, TIER_SOAK } conform_tier;

typedef struct conform_options {
    conform_tier tier;
    const char *only;       /* a glob, or NULL */
    int jobs;               /* 0: as many as there are processors */
    unsigned shard, shards; /* this one of so many; 0 of 1 */
    int strict;             /* what could not be run is an error */
    int device_only;        /* the cases of the GPU that leave a record, no others */
    double limit;           /* seconds a part of a case may take; 0: by its tier */
    /* Told of each result as it comes; may be NULL. */
    void (*done)(void *context, const conform_case *c, const conform_result *r);
    /* Told how many of the parts of all cases are done; may be NULL. */
    void (*progress)(void *context, const conform_case *c, uint64_t parts, uint64_t of);
    /* Given what a device case leaves for its record: a text, see record.h; may be NULL. */
    void (*record)(void *context, const conform_case *c, const char *text, size_t size);
    void *context;
} conform_options;

/* ---- runs ------------------------------------------------------------------------------------ */

/* A long case is run in parts, neighbouring stretches of its inputs: this one of so many. */
typedef struct conform_part {
    unsigned index, of;
} conform_part;

/* How many parts a case has. */
unsigned conform_parts(const conform_case *c, conform_tier tier);
/* Reads and asks what the chosen cases share, before conform_run. 0 and why, "FILE:LINE: ...", if a
 * file of theirs cannot be read; that something is missing is for the cases to say. */
int conform_prepare(const conform_options *o, char why[CONFORM_LONG]);

/* A walk over what the options choose; all 0 at first. The parts of the case that belong to the
 * shard are those from `first` to before `end`, of so many. */
typedef struct conform_choice {
    size_t next, seen;
    unsigned first, end, of;
} conform_choice;

/* The next case, or NULL. */
const conform_case *conform_next(const conform_options *o, conform_choice *at);

struct gpu_device;
/* Asks for the GPU, in a process of its own: NULL and *device, or why there is none. */
const char *conform_gpu(struct gpu_device *device);

/* Runs a part of a case here, in this process. The result is raw: that a known case should differ
 * somewhere is for all its parts. *record, if asked for, gets the text for the record of a
 * device case, from malloc, or NULL. */
void conform_run_part(const conform_case *c, const conform_options *o, conform_part part,
                      conform_result *r, char **record);
/* The result of what was run of a case, from those of its parts in order, judged by the row. */
void conform_merge(const conform_case *c, const conform_result *const *parts, size_t count,
                   conform_result *r);
/* Runs all that the options choose, each part in a process of its own, those of the device in one
 * after the other in the same; results in the order of the cases. *count gets how many cases were
 * chosen. The caller frees both lists. */
conform_result *conform_run(const conform_options *o, const conform_case ***chosen, size_t *count);

#endif
