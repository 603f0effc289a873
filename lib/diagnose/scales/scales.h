/* SPDX-License-Identifier: MIT */
/* scales.h -- what a kernel computes for the scales of blocks instead of what its recipe says
 *
 *     rules.c    other programs: the table of what is often changed
 *     amax.c     other largest magnitudes: of a part of the block, of more blocks, of another one
 *     explain.c  what gives every scale that came, in words
 *
 * A scale is a function of amax, the largest magnitude, which grows or falls with it. So a rule
 * explains a scale if some amax that the block may have gives it, and it explains the kernel if it
 * explains each scale.
 */
#ifndef SOFTFP8_DIAGNOSE_SCALES_H
#define SOFTFP8_DIAGNOSE_SCALES_H

#include "diagnose/diagnosis.h"
#include "softfp8_blocks.h"

enum { SCALES_WORDS = 128, SCALES_RULES = 48 };

/* ---- programs -------------------------------------------------------------------------------- */

typedef struct scales_rule {
    sf8_program by;
    char words[SCALES_WORDS];
} scales_rule;

/* Lists what a kernel may compute instead of the program of a recipe; returns how many. */
size_t scales_rules(const sf8_recipe *recipe, scales_rule list[SCALES_RULES]);
/* The program with the operations of `more` behind each amax, or behind its end. 0 if it does not
 * fit. */
int scales_behind_amax(sf8_program *by, const sf8_term *more, int32_t count);
int scales_behind(sf8_program *by, const sf8_term *more, int32_t count);
/* The number by which a program divides last; NULL if it does not. */
uint32_t *scales_divisor(sf8_program *by);

/* ---- largest magnitudes ---------------------------------------------------------------------- */

typedef struct scales_grid {
    const sf8_recipe *recipe; /* for the format of the tensor */
    uint32_t g;
    size_t rows, columns;
    size_t high, wide, across; /* rows and columns of a block; blocks in a row */
    const uint32_t *got;       /* the scale of each block */
    /* The least and the greatest value of an element; NaN if it is not known. */
    void (*value)(void *user, size_t index, double ends[2]);
    void *user;
} scales_grid;

/* What amax of each block may be: numbers of f32. If the least is above the most it is not known.
 */
typedef struct scales_amax {
    uint32_t *least, *most;
} scales_amax;

size_t scales_blocks(const scales_grid *g);
/* The i-th other amax, from that of the blocks: into `other`. In words; "" if this tensor has no
 * such; NULL behind the last. */
const char *scales_amax_at(diagnosis_run *run, const scales_grid *g, size_t i,
                           const scales_amax *of, scales_amax *other);
/* The i-th statistic of magnitudes that a kernel may take for amax; as scales_amax_at. */
const char *scales_statistic_at(diagnosis_run *run, const scales_grid *g, size_t i,
                                const scales_amax *other);
scales_amax scales_amax_room(diagnosis_run *run, const scales_grid *g);
/* That of the blocks themselves. */
void scales_amax_of(const scales_grid *g, const scales_amax *of);

/* ---- the explanation ------------------------------------------------------------------------- */

/* Whether some amax gives each scale. */
int scales_hold(const scales_grid *g, const sf8_program *by, const scales_amax *amax);
/* What gives all scales, in words; or "". `numbers`: also numbers that are found by looking at the
 * scales. *factor receives what amax is multiplied by, if it is that, else 0. */
const char *scales_explained(diagnosis_run *run, const scales_grid *g, int numbers, double *factor);

/* By what amax of every block is multiplied to give the scales, from ends[0] to ends[1]; 0 to
 * infinity if that is not known. */
void scales_factors(diagnosis_run *run, const scales_grid *g, double ends[2]);

/* Other global scales that a kernel may use instead of g: the i-th, and how it is called. NULL
 * behind the last. */
const char *scales_global_at(size_t i, uint32_t g, uint32_t *other);

#endif
