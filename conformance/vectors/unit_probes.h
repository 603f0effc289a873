/* SPDX-License-Identifier: MIT */
/* unit_probes.h -- directed rows for matrix units: the result of the model, and those of rival
 * models
 *
 * A probe distinguishes two models of a unit: its row gives one result by the model and another by
 * the rival. The results are literals that were written before any unit was tested. `softfp8 mma
 * --probes` prints them; conformance/vectors/unit_probes.txt has that text.
 */
#ifndef SOFTFP8_UNIT_PROBES_H
#define SOFTFP8_UNIT_PROBES_H

#include "softfp8_mma.h"

enum { PROBE_K = 64, PROBE_RIVALS = 2 };

/* A rival: what else a unit might do. `set` is an argument of sf8_mma_set(), "fraction=25"; or
 * "unit=NAME", another unit; or only a name, if the model has no parameter for it. */
typedef struct mma_rival {
    const char *set;
    uint32_t word;
} mma_rival;

typedef struct mma_probe {
    const char *name;               /* "T3" */
    const char *unit, *a, *b, *out; /* formats */
    size_t k;
    const char *products; /* "0:38*38 2-5:b8*38 *:01*01": a position, a range, or all others; the
                             rest is 0 * 0 */
    uint32_t c, word;
    mma_rival rival[PROBE_RIVALS];
} mma_probe;

/* The i-th probe, or NULL. */
const mma_probe *mma_probe_at(size_t i);

/* A probe's row, with codes as sf8_mma_dot takes them. */
typedef struct mma_probe_row {
    sf8_mma unit;
    unsigned char a[4 * PROBE_K], b[4 * PROBE_K];
} mma_probe_row;

/* Codes of 1, 2 or 4 bytes in a row, the low byte first. */
void mma_code_put(sf8_format f, void *codes, size_t i, uint32_t code);
uint32_t mma_code_get(sf8_format f, const void *codes, size_t i);

/* Returns 0 if the probe's text is wrong. */
int mma_probe_open(const mma_probe *p, mma_probe_row *row);
/* Makes a rival's unit. Returns 0 if the model cannot express it; then only the literal exists. */
int mma_rival_unit(const mma_probe *p, const mma_rival *rival, sf8_mma *unit);

#endif
