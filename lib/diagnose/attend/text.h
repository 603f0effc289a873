/* SPDX-License-Identifier: MIT */
/* text.h -- a text that grows, for what is said of outputs of attention */
#ifndef SOFTFP8_DIAGNOSE_ATTEND_TEXT_H
#define SOFTFP8_DIAGNOSE_ATTEND_TEXT_H

#include "diagnose/search.h"

/* All 0 but the context: an empty one. `text` is NULL until something is put. */
typedef struct attend_text {
    search_context *context;
    char *text;
    size_t used, room;
} attend_text;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void attend_put(attend_text *w, const char *format, ...);

#endif
