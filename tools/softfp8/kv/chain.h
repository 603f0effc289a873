/* SPDX-License-Identifier: MIT */
/* chain.h -- what the files of softfp8 kv chain share: who prints what
 *
 *     chain_text.c   links 1 to 4 as text, and the cures
 *     chain_nan.c    links 5 to 7 as text
 *     chain_json.c   the same as JSON
 */
#ifndef SOFTFP8_KV_CHAIN_H
#define SOFTFP8_KV_CHAIN_H

#include "files/io.h"
#include "kv/chain_model.h"

enum { CHAIN_INDENT = 17 }; /* of text behind a label */

/* The shortest text of a word, "NaN", "-inf". */
const char *chain_number(uint32_t word, char text[48]);
/* With four significant digits. */
const char *chain_short(uint32_t word, char text[48]);

void chain_print(output *out, const chain *c, int link);
void chain_print_attention(output *out, const chain *c);
void chain_print_cache(output *out, const chain *c);
void chain_print_argmax(output *out, const chain *c);
void chain_json(output *out, const chain *c, int link);

#endif
