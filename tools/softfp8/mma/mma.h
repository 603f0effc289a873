/* SPDX-License-Identifier: MIT */
/* mma.h -- what softfp8 mma and its explanations share */
#ifndef SOFTFP8_CLI_MMA_H
#define SOFTFP8_CLI_MMA_H

#include "files/io.h"
#include "diagnose/mma/rows.h"

/* A row of codes, and its sum. */
typedef struct mma_row {
    const char *unit;
    const char *a_name, *b_name, *out_name; /* formats */
    sf8_mma m;
    size_t k;
    void *a, *b; /* as sf8_mma_dot takes them */
    uint8_t *scale_a, *scale_b;
    uint32_t c, d;
    mma_stored stored; /* what became of d */
    int scheduled;     /* the sum is that of a schedule; with its scales, a word for each stretch */
    sf8_mma_schedule schedule;
    uint32_t *words_a, *words_b;
} mma_row;

/* The terms of each sum, what was cut off of them, and the exact sum beside it. */
void mma_explain(output *out, const mma_row *row);

/* Rows with the words that came. */
typedef struct mma_list_of_rows {
    struct mma_result *row;
    uint32_t **words_a, **words_b; /* the scales of a schedule */
    size_t count, room;
} mma_list_of_rows;

void mma_collect(mma_list_of_rows *list, const mma_row *row, uint64_t line);
void mma_free_rows(mma_list_of_rows *list);
/* Says how many the unit of `row` explains, and what explains more; the exit status. Rows that tell
 * apart the rules that explain all go to the file `apart`, unless it is NULL. */
int mma_identify(output *out, const mma_row *row, const mma_list_of_rows *list, const char *apart);

/* The format of d as it is stored. */
sf8_format mma_stored_format(const mma_row *row);
/* A row's codes, and a blank. */
void mma_print_codes(output *out, sf8_format f, const void *codes, size_t k);

/* The name of the i-th unit, or NULL. */
const char *mma_unit_at(size_t i);
/* Ends the program with a message about a name that no unit has. */
_Noreturn void mma_unknown_unit(const char *name);
/* A unit for these formats. Ends the program with a message if there is none. */
sf8_mma mma_unit_of(const char *unit, const char *a, const char *b, const char *out);
/* Changes a parameter of the unit, or ends the program with a message. */
void mma_change_unit(sf8_mma *m, const char *unit, const char *name, const char *value);
/* The units, or all about one: --list. */
void mma_list(const char *unit);

/* The directed rows of conformance/vectors/unit_probes.h, into a file or standard output: --probes.
 */
void mma_probes(const char *path);

#endif
