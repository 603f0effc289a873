/* SPDX-License-Identifier: MIT */
/* level.h -- a test on one level of the array functions
 *
 * The file that includes it defines _POSIX_C_SOURCE or _DEFAULT_SOURCE, for setenv().
 */
#ifndef SF8_TEST_ARRAYS_LEVEL_H
#define SF8_TEST_ARRAYS_LEVEL_H

#include "check.h"

/* The level for the rest of this test, which is a separate process: the first call of an array
 * function chooses it. The test is skipped where there is no such level. */
static inline void use_level(const char *level)
{
    cr_assert(setenv("SOFTFP8_SIMD", level, 1) == 0);
    if (strcmp(sf8_simd(), level) != 0)
        cr_skip_test("this processor or build does not have it");
}

#endif
