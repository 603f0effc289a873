/* SPDX-License-Identifier: MIT */
/* conform.h -- the suite's frame: cases, their runs, and their results
 *
 * A case compares one subject with the oracle on a whole domain of inputs. It is a row of a family
 * of cases (family.h). Each case runs in a separate process, so that a crash or a hang ends only
 * that case. Differences are kept as maximal ranges of inputs.
 */
#ifndef SOFTFP8_CONFORM_H
#define SOFTFP8_CONFORM_H

#include <stdio.h>

#include "softfp8.h"
#include "softfp8_vectors.h"

/* ---- cases ----------------------------------------------------------------------------------- */

/* One step of the expected computation: a function of softfp8_vectors.h under a policy. */
typedef struct conform_step {
    /* "f32_to_e4m3", "i32_to_f32"; after the class of a number "not_zero"; after a conversion to a
     * format "relu", which replaces values below zero by 0; NULL: the end */
    const char *function;
    const char *policy; /* "cuda-satfinite" */
    const char *fields; /* changes to it, "round=rz nan_sign=signed", or NULL */
} conform_step;

enum { CONFORM_STEPS = 3 };

typedef enum conform_domain {
    DOMAIN_ALL, /* every value of the first step's operand, at most 32 bits */
    DOMAIN_SET  /* the critical set and seeded random values: f64 and integers of 32 and 64 bits */
} conform_domain;

/* Where stochastic rounding finds its random bits in the number that the instruction gets; each
 * lane uses other bits, see gpu_rbits_slice. */
typedef enum conform_slices { SLICES_NONE, SLICES_BYTES, SLICES_NIBBLES } conform_slices;

/* A known difference, and what it is. The case fails if it returns anything else, and also if it no
 * longer differs. */
typedef struct conform_known {
    const char *why;                /* the reason, with a link */
    conform_step as[CONFORM_STEPS]; /* what it returns instead, on every input */
} conform_known;

struct conform_family;
struct record_case;

typedef struct conform_case {
    const char *name;    /* "cuda-host/float_to_fp8/e4m3/satfinite" */
    const char *subject; /* the subject: its name in the family's list */
    const struct conform_family *family;
    conform_domain domain;              /* inputs of the first step; a family without steps has
                                           none */
    conform_step oracle[CONFORM_STEPS]; /* run one after the other; or none */
    int nan_class;              /* 1: any NaN is accepted where NaN is right, since the vendor
                                   leaves it open */
    const conform_known *known; /* NULL: no known difference */
    conform_slices slices;
    uint32_t rbits;      /* the random number; without slices a number of the family, such as a kind
                            of inputs */
    const char *formats; /* "f16 to f32" for a case without steps; or NULL */
    const void *data;    /* private data of the family, or NULL */
    /* What a record has for the case: that is judged, and nothing is run. Otherwise NULL. */
    const struct record_case *record;
} conform_case;

/* What lists cases: the families, one after the other, then the records that were added. */
typedef struct conform_catalog {
    const struct conform_family *const *families; /* the last one is NULL */
    const conform_case *(*more)(size_t i);        /* the i-th case of the records, or NULL */
} conform_catalog;

/* ---- results --------------------------------------------------------------------------------- */

typedef enum conform_status {
    CONFORM_PASSED,
    CONFORM_FAILED,
    CONFORM_KNOWN,   /* differs as the row says */
    CONFORM_NOT_RUN, /* `why` names the missing dependency */
    CONFORM_STALE,   /* a record of a source that has changed */
    CONFORM_BROKEN   /* crashed, hung, or could not be set up */
} conform_status;

/* A range of neighbouring inputs that differ; what was returned and what was right at the first
 * one. */
typedef struct conform_range {
    uint64_t first, last;
    uint64_t got, right;
} conform_range;

enum { CONFORM_RANGES = 64, CONFORM_TEXT = 256, CONFORM_LONG = 1024 };

/* Measured speed of a kernel for a number of tokens: the bytes that it moves, and in nanoseconds
 * its own time, a copy of as many bytes, the elements stored unchanged, and three separate
 * launches; 0: not measured. For attention the last two are its chunks in any order, and each
 * request with a separate prefix, or PyTorch. */
typedef struct conform_speed {
    uint64_t tokens, bytes, took, copy, as_they_are, three;
} conform_speed;

enum { CONFORM_SPEEDS = 3 };

typedef struct conform_result {
    conform_status status;
    uint64_t inputs, differ;
    uint64_t crossed;     /* results that are wrong only beside certain others: `why` has the first
                             one */
    uint64_t range_count; /* the first CONFORM_RANGES of which are kept */
    conform_range range[CONFORM_RANGES];
    int at_begin, at_end; /* the first input differs; the last one does */
    /* Of a case that is divided into `of` parts this many were run, beginning with the first. */
    unsigned first_part, parts, of;
    double seconds;
    double subject_seconds; /* the subject's share of the seconds; the rest is the oracle's */
    conform_speed speed[CONFORM_SPEEDS];
    size_t speeds;
    /* The digest of the returned codes, in the order of the inputs: digest.h. */
    char digest[65];
    /* Of a kernel that passed: its speed. Of a set of rows: which rival models fail on it. */
    char why[CONFORM_LONG];
    /* If it failed: the changes to the row's rules that explain all differences, as text. */
    char diagnosis[CONFORM_LONG];
    /* Of a device case or a record: the conversion instructions executed, or "". */
    char sass[CONFORM_LONG];
    /* Of a record: "NVIDIA H200, driver 580.95.05, CUDA 13.0, 2026-11-21". */
    char origin[CONFORM_TEXT];
} conform_result;

typedef enum conform_tier { TIER_QUICK, TIER_FULL, TIER_SOAK } conform_tier;

/* A long case runs in parts, which are neighbouring stretches of its inputs: part `index` of
 * `count`. */
typedef struct conform_part {
    unsigned index, of;
} conform_part;

/* Where the results of parts are kept, so that a run can be continued. */
typedef struct conform_store {
    /* Returns 1 and the raw result if the part was done before. */
    int (*find)(void *context, const conform_case *c, conform_part part, conform_result *r);
    /* Called with each raw result as it arrives, and the seconds that it took; `text`, for
     * the record, may be NULL. */
    void (*keep)(void *context, const conform_case *c, const conform_result *r, const char *text,
                 size_t size, double took);
    void *context;
} conform_store;

typedef struct conform_options {
    const conform_catalog *catalog;
    conform_tier tier;
    const char *only;           /* a glob, or NULL */
    int processes;              /* at a time; 0: the number of processors */
    unsigned shard, shards;     /* part k of all parts belongs to the shard k modulo `shards` */
    int strict;                 /* 1: a skipped case is an error */
    int device_only;            /* 1: only the GPU cases that leave a record */
    int record;                 /* 1: with the texts for the record, which the store gets */
    double limit;               /* time limit in seconds for a part of a case; 0: by its tier */
    const char *no_gpu;         /* why there is no GPU: its cases are skipped; NULL: there is one */
    const conform_store *store; /* NULL: nothing is kept */
    size_t *left; /* receives the number of parts that were not run, since the run was stopped; may
                     be NULL */
    /* Called with each result as it arrives; may be NULL. */
    void (*done)(void *context, const conform_case *c, const conform_result *r);
    /* Writes the explanation of a failed case, or that there is none, to result->diagnosis. Called
     * in a process of its own; NULL: failures are not explained. */
    void (*explain)(const conform_case *c, const struct conform_options *o, conform_result *result);
    /* Called with the number of parts of all cases that are done; may be NULL. */
    void (*progress)(void *context, const conform_case *c, uint64_t parts, uint64_t of);
    void *context;
} conform_options;

/* ---- runs ------------------------------------------------------------------------------------ */

/* Returns the number of parts of a case. */
unsigned conform_parts(const conform_case *c, conform_tier tier);
/* Reads and tests what the selected cases share, before conform_run. Returns 0 and the reason,
 * "FILE:LINE: ...", if one of their files is damaged. Missing dependencies are reported by the
 * cases. */
int conform_prepare(const conform_options *o, char why[CONFORM_LONG]);

/* A walk over the cases that the options select; all 0 at first. */
typedef struct conform_choice {
    size_t family, next;
    unsigned of; /* the number of parts of the case */
} conform_choice;

/* The next case, or NULL. A family lists its cases when the walk comes to it for the first time,
 * and only if the pattern can match one of them. */
const conform_case *conform_next(const conform_options *o, conform_choice *at);

struct gpu_device;
/* Looks for a GPU, in a separate process. Returns NULL and *device, or why there is none. */
const char *conform_gpu(struct gpu_device *device);

/* Runs a part of a case in this process. The result is raw: only all parts together decide whether
 * a known difference is there. *record, if wanted, receives the text for the record of a device
 * case, from malloc, or NULL. */
void conform_run_part(const conform_case *c, const conform_options *o, conform_part part,
                      conform_result *r, char **record);
/* Combines the results of the parts of a case, in order, and judges them by the row. */
void conform_merge(const conform_case *c, const conform_result *const *parts, size_t count,
                   conform_result *r);
/* Runs all parts of the shard: each in a separate process, except that a process of the device runs
 * several, one after the other. The first part of each family begins, then the second of each, and
 * so on. Results are in the order of the cases. If the run was stopped, see base/stop.h, a case
 * whose parts were not all run is skipped. *count receives the number of cases that have parts in
 * the shard. The caller frees both lists. */
conform_result *conform_run(const conform_options *o, const conform_case ***chosen, size_t *count);

#endif
