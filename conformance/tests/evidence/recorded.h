/* SPDX-License-Identifier: MIT */
/* recorded.h -- whether a record of a GPU in this repository supports an item of evidence */
#ifndef SOFTFP8_TESTS_RECORDED_H
#define SOFTFP8_TESTS_RECORDED_H

/* Checks the items of a row that name one of our records: "hardware: H100, driver 580.159.04, our
 * record of 2026-11-26: 0 differ". A record under `root` must be of that GPU, driver and date, and
 * no result in it may differ. Returns the first item that no record supports, or NULL; *items
 * receives how many there were. */
const char *recorded_missing(const char *root, const char *evidence, unsigned *items);

#endif
