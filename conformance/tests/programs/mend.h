/* SPDX-License-Identifier: MIT */
/* mend.h -- corrects the checks and digests of a record that was changed
 *
 * Written from records/README.md alone, so that it tests whether the suite follows that page. A
 * test can use it to change what a record says, not only to damage it.
 */
#ifndef SOFTFP8_TESTS_MEND_H
#define SOFTFP8_TESTS_MEND_H

#include <stddef.h>

enum { MEND_CASES, MEND_TABLES, MEND_SECONDS, MEND_FILES };

/* Replaces the texts, from malloc and closed by a 0, by corrected ones. Lines that are not lines of
 * a record stay as they are. */
void mend(char *text[MEND_FILES]);

#endif
