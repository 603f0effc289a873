/* SPDX-License-Identifier: MIT */
/* prove.h -- softfp8-compare-mpfr: a list of rows for several threads, the table, jobs
 *
 * The files of rows/ do not include this header: they add their rows to the list and check
 * cases.
 */
#ifndef PROOF_PROVE_H
#define PROOF_PROVE_H

#include "rows/rows.h"
#include "jobs/jobs.h"

typedef struct options {
    int tier, threads, stop, list, redo;
    const char *only, *except;
    const char *out, *status; /* folders, or NULL */
    char *const *join;        /* folders, or NULL */
    size_t join_count;        /* the number of them */
    unsigned shard, shards;   /* shard counts from 0 */
    double budget;            /* seconds; 0: no limit */
} options;

/* The rows that the options select, in the order in which they were added (list.c). */
row *const *select_rows(const options *o, size_t *count);

/* Runs the rows that the options select and prints the table; the exit status (pool.c). */
int run_rows(const options *o);

/* ---- the table, table.c ---------------------------------------------------------------------- */

typedef struct totals {
    size_t rows, passed, failed;
    uint64_t cases, mismatches;
} totals;

void print_head(void);
/* `name` is operation/formats. */
void print_row(const char *name, const char *modes, const outcome *o);
/* Adds a row to the totals. A row without mismatches that did not pass was not finished. */
void add_total(totals *t, const outcome *o, bool passed);
void print_totals(const totals *t);

/* ---- what a job found, report.c ------------------------------------------------------------- */

/* Adds what more slices of the row found. Slices in order give the same report on every run. */
void outcome_add(outcome *to, const outcome *more);

/* The text that is kept of a job, from malloc; and reading it, which may fail. */
enum { MODES_SIZE = 24 };
char *outcome_text(const outcome *o, const char *modes);
bool outcome_read(outcome *o, char modes[MODES_SIZE], const char *text);

/* ---- jobs, keep.c --------------------------------------------------------------------------- */

/* How many jobs a row has: neighbouring slices are put together to one. */
unsigned jobs_of(const row *r, int tier);
/* The plan of a run, with the jobs of the rows in order. */
job_plan *plan_of(const options *o, row *const *rows, size_t count);
/* The name of a row in the plan without what tells it from a row of the same name. */
void row_name(const char *job_name, char name[JOB_NAME + 1]);
/* Prints why, and ends the program with status 2. */
_Noreturn void give_up(const char *why);

/* The result of a kept job; gives up if its text is not one. */
void read_job(const kept_job *job, outcome *found, char modes[MODES_SIZE]);
/* Prints what is done and what is left of the run in a folder; the exit status. */
int print_status(const char *folder);
/* Prints the table of a run whose jobs are in several folders; the exit status. */
int join_folders(char *const *folders, size_t count);

/* ---- the rows of each file ------------------------------------------------------------------- */

void add_self_rows(void);
void add_binary_rows(int tier);
void add_unary_rows(int tier);
void add_mixed_rows(void);
void add_fma_rows(int tier);
void add_order_rows(void);
void add_convert_rows(int tier);
void add_hif8_rows(void);
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
