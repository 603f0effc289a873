/* SPDX-License-Identifier: MIT */
/* tags.c -- the names of the tags, and their sentences */
#include "vectors/tags.h"

#include <string.h>

static const struct {
    const char *name, *text;
} tags[] = {
#define VECTOR_TAG(id, name, text) {name, text},
    VECTOR_TAGS(VECTOR_TAG)
#undef VECTOR_TAG
};

const char *tag_name(vector_tag tag)
{
    return tags[tag].name;
}

const char *tag_text(vector_tag tag)
{
    return tags[tag].text;
}

vector_tag tag_named(const char *name)
{
    int i = 0;
    while (i < TAG_COUNT && strcmp(tags[i].name, name) != 0)
        i++;
    return (vector_tag)i;
}
