/* SPDX-License-Identifier: MIT */
/* find.h -- recipes by a product, an alias or a format */
#ifndef SOFTFP8_RECIPE_FIND_H
#define SOFTFP8_RECIPE_FIND_H

#include "files/io.h"
#include "softfp8_blocks.h"

/* The i-th recipe of those that belong to a word: its product begins with it, or the word is an
 * alias of recipe_aliases.h. NULL after the last. */
const sf8_recipe_row *recipe_found(const char *word, size_t i);
size_t recipe_found_count(const char *word);
/* Whether the recipe is one of them. */
int recipe_belongs(const char *word, const sf8_recipe_row *row);
/* What is said behind "no recipe 'NAME'": a name or an alias that differs by a letter or two, or a
 * part of the name by which recipes are found, or nothing but where they are listed. */
void recipe_unknown(const char *name, const char *(*names)(size_t i), char text[160]);

#endif
