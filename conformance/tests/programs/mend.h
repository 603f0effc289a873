/* SPDX-License-Identifier: MIT */
/* mend.h -- the checks and digests of a record that was changed, made anew
 *
 * Written from records/README.md alone, so that it tells whether the suite keeps to that. With it a
 * test can change what a record says, and not only damage it.
 */
#ifndef SOFTFP8_TESTS_MEND_H
#define SOFTFP8_TESTS_MEND_H

#include <stddef.h>

enum { MEND_CASES, MEND_TABLES, MEND_SECONDS, MEND_FILES };

/* The texts, from malloc and closed by a 0, are replaced by mended ones. What is no line of a
 * record stays as it is. */
void mend(char *text[MEND_FILES]);

#endif
