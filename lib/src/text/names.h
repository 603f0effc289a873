/* SPDX-License-Identifier: MIT */
/* names.h -- formats and policies by their bare names, and words in lists */
#ifndef SOFTFP8_NAMES_H
#define SOFTFP8_NAMES_H

#include "arrays/array.h"
#include "softfp8.h"

#include <string.h>

/* Whether a name that a caller gives is that of a row. NULL is no name. */
static inline int sf8_is_named(const char *row, const char *name)
{
    return name != NULL && strcmp(row, name) == 0;
}

/* The format or policy whose name is exactly this; returns SF8_UNKNOWN_NAME and leaves the result
 * alone if there is none. */
SF8_PRIVATE sf8_status sf8_format_by_name(const char *name, sf8_format *format);
SF8_PRIVATE sf8_status sf8_policy_by_name(const char *name, sf8_policy *policy);

/* The index of a policy's field; one past the last if there is no such field. */
SF8_PRIVATE size_t sf8_policy_field_index(const char *field);

/* The place of a word in a list that is separated by blanks, or -1. */
SF8_PRIVATE int32_t sf8_place_in(const char *list, const char *word);
/* The i-th word of such a list, and its length; NULL past the end. */
static inline const char *sf8_word_at(const char *list, uint32_t i, size_t *length)
{
    for (;; i--) {
        *length = strcspn(list, " ");
        if (*length == 0)
            return NULL;
        if (i == 0)
            return list;
        list += *length;
        list += *list == ' ';
    }
}

#endif
