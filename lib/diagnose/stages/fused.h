/* SPDX-License-Identifier: MIT */
/* fused.h -- the search for what a fused kernel computes before it quantizes
 *
 *     changes.c  the things that can be otherwise in a stage, each as a change with words
 *     fused.c    tries the stage as stated, with one change, and with two
 *     words.c    the result in lines
 */
#ifndef SOFTFP8_DIAGNOSE_FUSED_H
#define SOFTFP8_DIAGNOSE_FUSED_H

#include "diagnose/diagnosis.h"
#include "softfp8_fused.h"

enum { FUSED_WORDS = 160, FUSED_CHANGES = 160 };

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
    FUSED_MISSING, /* the step is left out */
    FUSED_AMAX     /* scales come from the result before its last rounding */
};

/* Lists the changes of a stage; returns how many. */
size_t fused_changes(const sf8_stage *stage, fused_change list[FUSED_CHANGES]);
/* The stage with a change. Of changes that are applied one after the other the one with the last
 * step comes first. Returns 0 if there is no room. */
int fused_apply(sf8_stage *stage, const fused_change *change);
/* The stage with the rounding errors that it does not state. */
sf8_stage fused_uncertain(const sf8_stage *stage);

const char *fused_message(diagnosis_run *run, const sf8_fused_results *f,
                          const sf8_fused_diagnosis *d);

#endif
