/* SPDX-License-Identifier: MIT */
/* merge.h -- softfp8 attend --merge: parts read from files or lines, and the rules */
#ifndef SOFTFP8_MERGE_CLI_H
#define SOFTFP8_MERGE_CLI_H

#include "cli/options.h"
#include "files/tensor_file.h"

/* ---- rules ----------------------------------------------------------------------------------- */

typedef struct merge_rule {
    const char *name;
    int pairs;          /* two at a time, by sf8_f32_merge_fused_n; else all at once, by `join` */
    uint32_t join;      /* SF8_JOIN_... */
    int sums;           /* parts have their largest score and the sum, not the lse */
    int base2;          /* of the lse */
    const char *source; /* where the rule comes from */
} merge_rule;

void merge_list_rules(void);
/* The i-th rule, or NULL. One by name, or fails. */
const merge_rule *merge_rule_at(size_t i);
const merge_rule *merge_rule_of_name(const char *name);
/* Whether the rule can join this number of parts. */
int merge_rule_takes(const merge_rule *rule, size_t parts);
/* Joins the parts of a row, each 2 + channels words of f32: lse or largest score, sum, channels.
 * The lse of all of them. `fma`: as nvcc compiles it by default. */
uint32_t merge_row(const merge_rule *rule, int fma, uint32_t *out, const uint32_t *parts, size_t n,
                   size_t channels);

/* ---- parts ----------------------------------------------------------------------------------- */

typedef struct merge_states {
    size_t rows, parts, channels;
    uint32_t *words; /* [rows][parts][2 + channels], of f32 */
    tensor out;      /* the format and the axes of the outputs; no words */
    tensor lse;      /* the axes of the lse */
    int heads_first; /* the lse is [heads][tokens] */
    int lines;       /* read from lines of text */
} merge_states;

/* From .npy files: of each part its output, its lse, and if `sums` a third one. Fails. */
void merge_read_files(merge_states *m, char **paths, size_t count, int sums, const char *from,
                      int heads_first);
/* From lines: parts with "|" between them, each lse, sum if `sums`, channels, in hexadecimal. */
void merge_read_lines(merge_states *m, const char *path, int sums, const char *from);
/* A joined output of the same shape as words of its format, and its lse or NULL, by rows. Lines
 * have both in one file: lse, channels. Of files `lse_path` may be NULL. */
void merge_read_joined(const merge_states *m, const char *path, const char *lse_path,
                       const char *from, tensor *out, uint32_t **lse);
/* The place of a row's lse in its file. */
size_t merge_lse_place(const merge_states *m, size_t row);
void merge_free(merge_states *m);

/* ---- a request ------------------------------------------------------------------------------- */

enum { BASE_OF_RULE = -1, BASE_E, BASE_2 };

typedef struct merge_choice {
    const merge_rule *rule;
    int merge, no_fma, heads_first, with_sums, list;
} merge_choice;

/* --merge and what goes with it alone: a merge_choice. */
extern const cli_option merge_options[];

typedef struct merge_request {
    merge_choice by;
    const char *from, *to, *out, *lse, *compare, *compare_lse;
    int base; /* BASE_... */
    char **files;
    size_t count;
} merge_request;

/* Joins the parts, or finds the rule of an output; the exit status. */
int merge_run(merge_request *o);

#endif
