/* SPDX-License-Identifier: MIT */
/* chain.h -- the steps of "softfp8 kv chain" as cases: this build's results against known ones
 *
 * 1 scale, 2 cast, 3 identical, 4 variance, 5 nan, 6 cache, 7 argmax, 8 cures.
 *
 * A case is a table of calls of the library and their expected results, which were computed by hand
 * or by a program of plain float and fmaf, gcc -ffp-contract=off. So a user's own run finds a build
 * or a processor that gets an order of sums, a cast or a NaN wrong.
 */
#ifndef SOFTFP8_CONFORM_CHAIN_H
#define SOFTFP8_CONFORM_CHAIN_H

#include "families/kernel_run.h"

extern const conform_family chain_family, chain_device_family;

/* Runs the table of the case's subject. */
void chain_run(const conform_job *j);
/* The steps as kernels, each on many items. */
extern const kernel_family chain_kernels;

#endif
