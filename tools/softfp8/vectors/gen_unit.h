/* SPDX-License-Identifier: MIT */
/* gen_unit.h -- what `gen mma --format text` and readmemh write: cases of a matrix unit, one a line
 */
#ifndef SOFTFP8_GEN_UNIT_H
#define SOFTFP8_GEN_UNIT_H

#include "vectors/gen_json.h"
#include "vectors/vectors.h"

/* Writes a line for each case of one instruction: how many. */
uint64_t gen_unit_rows(output *out, const json_options *options, vector_form form);

#endif
