/* SPDX-License-Identifier: MIT */
/* gen_json.h -- what `gen --format json` writes: cases of a function, or of a kind of operation */
#ifndef SOFTFP8_GEN_JSON_H
#define SOFTFP8_GEN_JSON_H

#include "files/testfloat.h"
#include "vectors/kinds.h"

/* --recipe, --unit, --in, --result, --rule, --order, --cache-layout: of the kinds that are no
 * functions. */
typedef struct json_options {
    const char *recipe, *unit, *in, *out, *rule, *order, *layout;
} json_options;

extern const cli_option json_kind_options[];

/* True if the operand of gen is such a kind, and not a function. */
int gen_json_is_kind(const char *name);
/* True if one of them is given. */
int gen_json_given(const json_options *options);
/* The group of quantize or dequantize that the options mean. */
void gen_quantize_group(vector_group *g, const json_options *options);
/* The group of such a kind that the options mean, ready for its cases. */
void gen_kind_group(vector_group *g, const char *name, const json_options *options);
/* Writes the cases of a kind: how many. */
uint64_t gen_json_kind(output *out, const char *name, const json_options *options);
/* Gives the operands of the next case; returns 0 behind the last. */
typedef int (*operands_giver)(void *context, uint64_t operands[4]);
/* Writes cases of a function. `once`: no operands come again, so that they name the case. */
void gen_json_function(output *out, const testfloat *t, const sf8_function *f, operands_giver next,
                       void *context, int once);

#endif
