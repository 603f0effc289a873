/* SPDX-License-Identifier: MIT */
/* failing.h -- a case that failed: the smallest change to its row that explains all that differs
 *
 * The engine is that of the command identify (policy/identify.h). It is given what came, and the
 * row that says what should have come. Explanations are preferred in this order: one field of the
 * row's policy is another, or its rounding; another named policy; the result is rounded once where
 * the row has two steps, or twice through a narrower format; a field of a step before the last is
 * another; a mistake that is no field; the codes are of another format; up to three of these, or
 * another policy with up to three. Policies that are not meant for the row's formats are left out.
 * An explanation is reported only if no input differs from it.
 */
#ifndef SOFTFP8_CONFORM_FAILING_H
#define SOFTFP8_CONFORM_FAILING_H

#include "suite/compare.h"

/* Writes the explanation, or that there is none, to result->diagnosis. That takes some ten seconds
 * at most, and half of a limit that is short. To be called where the case may run: in a process of
 * its own. */
void explain_failure(const conform_case *c, const conform_options *o, conform_result *result);

#endif
