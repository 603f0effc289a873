/* SPDX-License-Identifier: MIT */
/* fused.h -- the search for what a fused kernel computes before it quantizes
 *
 *     changes.c    the things that can be otherwise in a stage, each as a change with words
 *     trial.c      computes a stage, quantizes its result, and judges what differs
 *     quantizer.c  other scales, and other codes, of a stage that is right
 *     fused.c      tries the stage as stated, with one change, and with two
 *     words.c      the result in lines
 */
#ifndef SOFTFP8_DIAGNOSE_FUSED_H
#define SOFTFP8_DIAGNOSE_FUSED_H

#include "diagnose/diagnosis.h"
#include "softfp8_fused.h"

enum { FUSED_WORDS = 160, FUSED_CHANGES = 256 };

/* A stage with one thing changed. Changes of the same field are never tried together. */
typedef struct fused_change {
    int32_t step;  /* of the stage as stated; -1: before all */
    int32_t field; /* FUSED_... */
    uint32_t value[4];
    char words[FUSED_WORDS];
} fused_change;

enum {
    FUSED_INPUT, /* the input is rounded: value[0] */
    FUSED_VIA,
    FUSED_MID,
    FUSED_ORDER,
    FUSED_WEIGHT,
    FUSED_EPS_AT,
    FUSED_EPS,
    FUSED_RSTD,
    FUSED_FORM,
    FUSED_EXP,
    FUSED_FUSE,
    FUSED_GATE,
    FUSED_STYLE,
    FUSED_LIMIT,
    FUSED_MISSING,   /* the step is left out */
    FUSED_KIND,      /* another kind: value[0] */
    FUSED_NO_ARRAY,  /* array value[0] is left out */
    FUSED_NEGATED,   /* array value[0] has the other sign */
    FUSED_EXCHANGED, /* the two arrays are exchanged */
    FUSED_SWAP,      /* the step behind it comes first */
    FUSED_PLACES     /* the elements of the result are written elsewhere: FUSED_HALVES ... */
};

enum { FUSED_IN_PLACE, FUSED_HALVES, FUSED_WOVEN, FUSED_UNWOVEN };

/* Lists the changes of a stage; returns how many. */
size_t fused_changes(const sf8_stage *stage, fused_change list[FUSED_CHANGES]);
/* The stage with a change. Of changes that are applied one after the other the one with the last
 * step comes first. Returns 0 if there is no room. */
int fused_apply(sf8_stage *stage, const fused_change *change);
/* Whether two changes can be made together. */
int fused_go_together(const fused_change *a, const fused_change *b);
/* The stage with the errors that it does not state: of functions, and of the order of sums. */
sf8_stage fused_uncertain(const sf8_stage *stage, int functions, int sums);

/* ---- a search -------------------------------------------------------------------------------- */

/* Rows of a tensor, and the arrays of the stage for them. */
typedef struct fused_part {
    const uint32_t *x;
    const sf8_stage_input *inputs;
    const uint8_t *codes;
    const uint32_t *scales; /* or NULL */
    size_t rows;
} fused_part;

/* Up to two changes of the stage as stated, and what differs then. */
typedef struct fused_try {
    const fused_change *change[2];
    sf8_stage stage;
    uint32_t places;       /* FUSED_IN_PLACE ... */
    const char *quantizer; /* what scales and codes are instead, in words; or NULL */
    size_t codes, scales, outside;
} fused_try;

typedef struct fused_search {
    diagnosis_run *run;
    const sf8_fused_results *f;
    size_t width, across, high, wide; /* columns of the result; blocks in a row; rows and columns of
                                         a block */
    sf8_stage_input *inputs;          /* those that were given, and each with the other sign */
    size_t input_count;
    fused_part all, some;
    fused_change *change;
    size_t changes;
    int casts; /* another rounding of codes is tried beside other scales too */
    /* memory for one trial */
    sf8_span *work;
    uint32_t *y, *before, *lower, *upper, *scales;
    uint16_t *half;
    uint8_t *codes;
} fused_search;

/* How much rounding errors excuse, and what they say. */
typedef struct fused_excuse {
    size_t outside;      /* what they do not excuse */
    size_t functions;    /* what they excuse only since functions are approximate */
    size_t sums;         /* only since sums may be formed in any order */
    size_t pinned;       /* codes that can be one only */
    size_t untested;     /* rows with excused codes, of which less than half are pinned */
    const char *mistake; /* what explains the rest, in words; or "" */
} fused_excuse;

/* The format in which the quantizer gets the result of a stage. */
sf8_format fused_format(const sf8_stage *stage);
/* Memory for a search, and its lists. */
void fused_prepare(fused_search *s);
/* Takes rows with codes that differ from those of the last trial, and others between. */
void fused_choose_rows(fused_search *s);
/* Computes a stage for these rows, quantizes it, and counts what differs. */
sf8_status fused_try_on(fused_search *s, fused_try *t, const fused_part *p);
/* Judges all rows. */
sf8_status fused_judge(fused_search *s, fused_try *t, fused_excuse *excuse);
/* The same with all numbers. */
sf8_status fused_judge_apart(fused_search *s, fused_try *t, fused_excuse *excuse);
/* After fused_try_on: what scales and codes are instead, if that explains all of them, in words.
 * NULL if nothing does. *follows: all codes are right for the scales that came. */
const char *fused_quantizer(fused_search *s, const fused_try *t, const fused_part *p, int *follows);

const char *fused_message(diagnosis_run *run, const sf8_fused_results *f,
                          const sf8_fused_diagnosis *d);

#endif
