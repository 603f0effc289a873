/* SPDX-License-Identifier: MIT */
/* text.c -- a text that grows, for what is said of outputs of attention */
#include "diagnose/attend/text.h"

#include <stdarg.h>
#include <stdio.h>

void attend_put(attend_text *w, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    size_t length = (size_t)vsnprintf(NULL, 0, format, list);
    va_end(list);
    if (w->used + length + 1 > w->room) {
        w->room = 2 * w->room + length + 1;
        w->text = search_reallocate(w->context, w->text, w->room, 1);
    }
    va_start(list, format);
    vsnprintf(w->text + w->used, length + 1, format, list);
    va_end(list);
    w->used += length;
}
