/* SPDX-License-Identifier: MIT */
/* failing.h -- a case that failed: the smallest change to the row's rules that explains all of it
 *
 * Explanations are sought in this order: one field of the row's policy is another, or its rounding;
 * another named policy; the result is rounded once where the row has two steps, or twice through a
 * narrower format; a field of a step before the last is another; two fields of the last are; a
 * named policy with one field changed; of a row that is one conversion whatever identify finds
 * (policy/identify.h): three changes, defects that are no field, codes of another format. Policies
 * that are not meant for the row's formats are left out. An explanation has to give what came at
 * the first input of each range. Then it is compared on all inputs, and told only if none differs.
 */
#ifndef SOFTFP8_CONFORM_FAILING_H
#define SOFTFP8_CONFORM_FAILING_H

#include "suite/compare.h"

/* Writes the explanation, or that there is none, to result->diagnosis. That takes some ten seconds at
 * most, and half of a limit that is short. To be called where the case may run: in a process of its
 * own. */
void diagnose(const conform_case *c, const conform_options *o, conform_result *result);

#endif
