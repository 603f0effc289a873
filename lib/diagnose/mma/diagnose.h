/* SPDX-License-Identifier: MIT */
/* diagnose.h -- words that a matrix unit should not have given: the rule that gives them
 *
 * Rules are sought among: the other units for such operands and results; a unit with one or two of
 * the changes in rules.h; the unit itself with three. Two are tried only where one does not explain
 * all rows, three where two explain some; they are reported only if they explain more.
 */
#ifndef SOFTFP8_DIAGNOSE_MMA_DIAGNOSE_H
#define SOFTFP8_DIAGNOSE_MMA_DIAGNOSE_H

#include "diagnose/mma/rules.h"
#include "diagnose/search.h"

enum { MMA_RULES = 8 };

typedef struct mma_diagnosis {
    size_t rows, explained; /* by the unit itself */
    size_t tried, found;    /* rules; those that explain more, of which some are kept, best first */
    mma_rule rule[MMA_RULES];
} mma_diagnosis;

/* What explains more than the unit: a quarter of the rows that it does not, and as many more in
 * all; no rule if the results are noise. context: or NULL. */
void mma_diagnose(mma_diagnosis *d, search_context *context, const char *unit, const sf8_mma *m,
                  const mma_result *rows, size_t count);

/* The other rules that explain all rows, which the unit itself does: other units, and the unit with
 * one change, the nearest first. Returns how many; the first `most` go to `rule`. */
size_t mma_other_fits(mma_rule *rule, size_t most, search_context *context, const char *unit,
                      const sf8_mma *m, const mma_result *rows, size_t count);

/* In words: "fraction=12 explains all 2500 rows, the unit 537". */
void mma_diagnosis_text(const mma_diagnosis *d, char *text, size_t size);

/* ---- the smallest row ------------------------------------------------------------------------ */

/* What a device makes of a row. */
typedef uint32_t (*mma_evaluate)(void *context, const mma_result *row);

/* The row with as few terms that are not zero, c among them, as still give another word there than
 * by the model: the fewest where one or two will do, else such that none of them can be left out.
 * Its codes go to a and b, which are large enough, its result to small->d. How many terms; 0 where
 * the device gives the row as the model does. */
size_t mma_minimise(const sf8_mma *m, const mma_result *row, mma_evaluate evaluate, void *context,
                    void *a, void *b, mma_result *small);
/* How many terms of a row are not zero, c among them. */
size_t mma_live(const sf8_mma *m, const mma_result *row);

#endif
