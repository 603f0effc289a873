/* SPDX-License-Identifier: MIT */
/* ver.h -- one run of `ver`: what is checked, and what was found */
#ifndef SOFTFP8_VER_H
#define SOFTFP8_VER_H

#include "files/testfloat.h"
#include "vectors/present.h"

typedef struct verification {
    testfloat t;
    const char *name; /* of the function as given, or NULL */
    int steps, json, in_order, partial, values;
    int check_nans, check_integers; /* -1: as the function asks */
    uint64_t most_errors;           /* 0: no limit */
    sf8_function function;
    sf8_policy policy;
    const char *base; /* the named policy under it */
    int stochastic;
    char title[1536];
    layout layout;
    cases *cases;
    vector_reader reader;
    output *out;
    uint64_t tests, errors;
    int stopped; /* by most_errors */
    int in_row;  /* what is reported is about the row that was just read */
    present present;
    uint64_t surplus; /* -inorder: rows that gen does not write */
    uint64_t first_surplus[4];
    /* To be said at the end if `of` is not 0: `had` of the `of` cases `cases_name` were present. */
    uint64_t had, of;
    int lacks; /* cases of a whole table are missing */
    const char *cases_name;
} verification;

/* Policy, strictness and title, once the function is known. */
void ver_prepare(verification *v);
/* Counts an error, with the headline before the first: 1 if it is the last to be shown. */
int ver_error(verification *v);
/* Counts errors that one line reports, with the headline before the first. */
void ver_errors(verification *v, uint64_t count);
/* The line of an error; `more` is put at its end. What a simulator does not know is shown as the
 * reader found it. */
void ver_result(verification *v, const uint64_t *operands, const sf8_result *found,
                const sf8_result *right, const char *more);
char *ver_operands(char *at, const verification *v, const uint64_t *operands);
/* With --as-numbers, the line that follows an error. What was found and what is right are NULL
 * where the operands are all there is. */
void ver_values(verification *v, const uint64_t *operands, const sf8_result *found,
                const sf8_result *right);
/* Checks the cases of v->function in the file v->t.path. */
void verify_cases(verification *v);
/* Checks the step table v->t.path at every input. */
void verify_steps(verification *v);
/* Whether a path is that of a JSON file. */
int ver_is_json(const char *path);
/* Checks the JSON file v->t.path. */
void verify_json(verification *v);

#endif
