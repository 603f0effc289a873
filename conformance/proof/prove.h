/* SPDX-License-Identifier: MIT */
/* prove.h -- softfp8-prove: the library against the reference, a list of rows for several threads
 *
 * The files of rows/ do not include this header: they add their rows to the list and check
 * cases.
 */
#ifndef PROOF_PROVE_H
#define PROOF_PROVE_H

#include "rows/rows.h"

typedef struct options {
    int tier, jobs, stop, list;
    const char *only, *except;
} options;

/* The rows that the options select, in the order in which they were added (list.c). */
row *const *select_rows(const options *o, size_t *count);
/* Runs the rows that the options select and prints the table; true if nothing failed (pool.c). */
bool run_rows(const options *o);

/* ---- the rows of each file ------------------------------------------------------------------- */

void add_self_rows(void);
void add_binary_rows(int tier);
void add_unary_rows(int tier);
void add_fma_rows(int tier);
void add_order_rows(void);
void add_convert_rows(int tier);
void add_step_rows(int tier);
void add_policy_rows(void);
void add_integer_rows(void);
void add_stochastic_rows(void);
void add_wide_rows(void);
void add_entry_rows(void);
void add_entry_convert_rows(void);
void add_exhaustive_rows(int tier);
void add_table_rows(void);
void add_array_rows(int tier);
void add_array_arith_rows(void);
void add_block_rows(int tier);
void add_block_g_rows(void);
void add_block_dot_rows(void);
void add_layout_rows(int tier);
void add_mma_rows(void);
void add_mma_fast_rows(void);

#endif
