/* SPDX-License-Identifier: MIT */
/* conform.h -- the suite's frame: cases, their runs, what is said of them
 *
 * A case holds one subject against the oracle on a whole domain of inputs. It is a row; a family
 * of rows is a file in cases/. Each case runs in a process of its own, so that a crash or a hang
 * ends that case alone. What differs is kept as maximal ranges of inputs.
 */
#ifndef SOFTFP8_CONFORM_H
#define SOFTFP8_CONFORM_H

#include <stdio.h>

#include "softfp8.h"
#include "softfp8_vectors.h"

/* ---- cases ----------------------------------------------------------------------------------- */

/* One step of what a subject should do: a function of softfp8_vectors.h under a policy. */
typedef struct conform_step {
    const char *function; /* "f32_to_e4m3", "i32_to_f32"; "not_zero" after a class; NULL: the end */
    const char *policy;   /* "cuda-satfinite" */
    const char *fields;   /* changes to it, "round=rz nan_sign=signed", or NULL */
} conform_step;

enum { CONFORM_STEPS = 3 };

typedef enum conform_domain {
    DOMAIN_ALL, /* every word of the first step's operand; 32 bits at the most */
    DOMAIN_SET  /* the critical set and a seeded campaign: f64 and integers of 32 and 64 bits */
} conform_domain;

typedef enum conform_place { PLACE_HOST, PLACE_DEVICE, PLACE_RECORD } conform_place;

typedef struct conform_case {
    const char *name;    /* "cuda-host/float_to_fp8/e4m3/satfinite" */
    const char *subject; /* its name in the list of the place */
    conform_place place;
    conform_domain domain;
    conform_step oracle[CONFORM_STEPS]; /* done one after the other */
    int nan_class;     /* any NaN is right where NaN is: the vendor leaves it open */
    const char *known; /* why it differs, with a link; such a case fails when it does not differ */
} conform_case;

/* The rows of all families, one after the other. */
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

enum { CONFORM_RANGES = 64, CONFORM_TEXT = 256 };

typedef struct conform_result {
    conform_status status;
    uint64_t inputs, differ;
    uint64_t range_count; /* of which the first CONFORM_RANGES are kept */
    conform_range range[CONFORM_RANGES];
    double seconds;
    char digest[65]; /* SHA-256 of the codes that came, in order of the inputs */
    char why[CONFORM_TEXT];
} conform_result;

typedef enum conform_tier { TIER_QUICK, TIER_FULL, TIER_SOAK } conform_tier;

typedef struct conform_options {
    conform_tier tier;
    const char *only;       /* a glob, or NULL */
    int jobs;               /* 0: as many as there are processors */
    unsigned shard, shards; /* this one of so many; 0 of 1 */
    int strict;             /* what could not be run is an error */
    double limit;           /* seconds a case may take; 0: by its tier */
    /* Told of each result as it comes; may be NULL. */
    void (*done)(void *context, const conform_case *c, const conform_result *r);
    void *context;
} conform_options;

/* Runs one case here, in this process. */
void conform_run_case(const conform_case *c, const conform_options *o, conform_result *r);
/* Runs all that the options choose, each in a process of its own; results in the order of the
 * cases. *count gets how many were chosen. The caller frees the list. */
conform_result *conform_run(const conform_options *o, const conform_case ***chosen, size_t *count);

#endif
