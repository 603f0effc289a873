/* SPDX-License-Identifier: MIT */
/* compare.h -- one case against the oracle, with the subject at hand */
#ifndef SOFTFP8_CONFORM_COMPARE_H
#define SOFTFP8_CONFORM_COMPARE_H

#include "../gpu/device.h"
#include "oracle.h"

/* `subject` NULL: the one that the case names. */
void compare_case(const conform_case *c, const gpu_subject *subject, conform_tier tier,
                  conform_result *result);

#endif
