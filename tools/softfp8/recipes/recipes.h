/* SPDX-License-Identifier: MIT */
/* recipes.h -- recipes as the command line names them, and their global scale */
#ifndef SOFTFP8_RECIPES_CLI_H
#define SOFTFP8_RECIPES_CLI_H

#include "files/io.h"
#include "softfp8_blocks.h"

/* The names in order, for nearest_name. */
const char *recipe_name_at(size_t i);
/* The row and the recipe, or fail with the nearest name. */
const sf8_recipe_row *recipe_of_name(const char *name, sf8_recipe *recipe);

/* Whether g is what the largest magnitude is multiplied with, else the inverse of that. */
int recipe_encodes(const sf8_recipe_row *row);
/* Whether it is given, and belongs to programs alone. */
int recipe_given(const sf8_recipe_row *row);

/* The global scale from the largest magnitude of a tensor of a format, or of f32, by the recipe's
 * own program. 0 if it gives none: it is infinite, NaN, or so small that its quotient is 0. */
uint32_t recipe_g_auto_of(const sf8_recipe_row *row, sf8_format from, uint32_t amax);
uint32_t recipe_g_auto(const sf8_recipe_row *row, uint32_t amax);

/* A scale as a number, or as a word of f32: 8 hexadecimal digits behind 0x, or without where they
 * are no number. Returns NULL, or what is wrong; 10000000 and 12345e10 may be both, and are
 * refused.
 */
const char *recipe_g_wrong(const char *text, uint32_t *g);

/* The word of a global scale from --global-scale: 8 hexadecimal digits, a number, or "auto". Text
 * NULL: nothing was said. Fails where the recipe has a global scale and none was said, or the other
 * way, and where that is not above 0; 0 for a recipe without. A store's own scale may be any
 * number. */
uint32_t recipe_g(const sf8_recipe_row *row, const char *text, sf8_format from, uint32_t amax);

#endif
