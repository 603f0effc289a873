/* SPDX-License-Identifier: MIT */
/* blocks.h -- judging blocks: what the files of it share
 *
 *     block.c           a block: its scale, and how its elements are rounded
 *     blocks_judge.c    all of them
 *     blocks_explain.c  what explains codes and scales outside
 *     blocks.c          sf8_judge_blocks
 *
 * The largest magnitude of a block, amax, lies between the largest of the least magnitudes of its
 * elements and the largest of the greatest. A scale grows with amax, or falls. So the values of
 * amax that give a scale are an interval, which bisection finds, and the scale is right if it meets
 * the other one. Where a recipe chooses between two scales either is right.
 *
 * The codes are judged by the scale that the kernel stored, whether it is right or not. Some
 * recipes do not divide by the stored scale, but by a number that they compute from amax as well.
 * It may be that of each amax that gives the stored scale. The code of an element then lies between
 * those of the two ends, since it grows with the factor, or falls.
 */
#ifndef SOFTFP8_DIAGNOSE_JUDGE_BLOCKS_H
#define SOFTFP8_DIAGNOSE_JUDGE_BLOCKS_H

#include "diagnose/judge/judge.h"

enum { BLOCKS_OUTSIDE = 1 << 8 };

typedef struct blocking {
    diagnosis_run *run;
    const sf8_block_flips *f;
    judge_uncertain u;
    judge_rounding r;
    judge_key narrow[256];
    sf8_recipe room;
    const sf8_recipe *recipe; /* for the format of the tensor */
    sf8_format tensor;
    uint32_t g;
    size_t high, wide, across; /* rows and columns of a block; blocks in a row */
    int has_factor;            /* that comes of amax */
    int by_right;              /* elements of a sample are judged by the recipe's own scales */
    judge_sides *sides;
    size_t outside[BLOCKS_OUTSIDE], outsides; /* blocks with codes outside, the first of them */
    double least_ratio, most_ratio;           /* of scales outside to the exact ones */
    double least_of_all, most_of_all;         /* of all scales that differ */
    double significand; /* of the exact scale before; so often it was another one: */
    size_t significands;
} blocking;

/* A block that is judged. */
typedef struct judged_block {
    size_t row, column, rows, columns; /* where it lies, and how large it is */
    sf8_block taken;                   /* with all its elements */
    uint32_t scale, right;             /* as it came, and that of the exact values */
    judge_interval amax;
    sf8_block at[2]; /* ready for elements: at the ends of what amax may be */
    sf8_block exact; /* for the exact amax, if that gives the scale */
    int is_known;    /* at[] is filled in */
} judged_block;

/* The code of a number, as judge_rounding has it. */
uint64_t blocks_code(const judge_rounding *r, uint64_t bits, int end);
/* An element as it was given; as the recipe reads it. */
double blocks_value(const blocking *c, size_t i);
uint32_t blocks_word(const blocking *c, size_t i);
/* Where the k-th element of a block lies. */
size_t blocks_index(const blocking *c, const judged_block *b, size_t k);
/* The scale that a program makes of amax. */
uint32_t blocks_scale(const blocking *c, const judged_block *b, const sf8_program *by,
                      judge_key amax, sf8_block *made);
const sf8_program *blocks_program(const blocking *c, int k);
/* Fills in how elements of the block are rounded. 1 if its scale is excused, and how far amax has
 * to be from the exact one. */
int blocks_know(const blocking *c, judged_block *b, double *of);
void blocks_take(const blocking *c, judged_block *b);
/* The next elements are of this block; with the exact amax, or at the ends of what it may be. */
void blocks_use(blocking *c, const judged_block *b, int exact);
/* Places the block that has the scale `at`. */
judged_block blocks_at(const blocking *c, size_t at);
size_t blocks_scales(const blocking *c);

/* Judges all blocks: `run` and `f` are filled in. `sees`: the sides of flips too. */
sf8_status blocks_judge(blocking *c, sf8_judgement *j, int sees);
/* What explains what is outside, in words; or "". */
const char *blocks_explained(blocking *c, const sf8_judgement *j);
/* The factor of all scales, if each is as many times the exact one. Honest noise moves scales with
 * other significands by other amounts. */
double blocks_factor_of_scales(const blocking *c, const sf8_judgement *j);

#endif
