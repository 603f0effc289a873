/* SPDX-License-Identifier: MIT */
/* list.c -- the table of kinds */
#include "vectors/kinds.h"

#include <string.h>

static const vector_kind *const kinds[] = {
    &kind_convert,    &kind_unary, &kind_binary, &kind_fma,    &kind_quantize,
    &kind_dequantize, &kind_mma,   &kind_merge,  &kind_attend, &kind_kv_store};

const vector_kind *kind_at(size_t i)
{
    return i < sizeof kinds / sizeof kinds[0] ? kinds[i] : NULL;
}

const vector_kind *kind_named(const char *name)
{
    size_t i = 0;
    while (kind_at(i) && strcmp(kind_at(i)->name, name) != 0)
        i++;
    return kind_at(i);
}
