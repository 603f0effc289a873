/* SPDX-License-Identifier: MIT */
/* arrays.c -- the library's own conversions of arrays on one level, with every input compared */
#include "families/arrays/arrays.h"

#include <string.h>

/* The conversion of the current case. It is a variable since a subject gets only its inputs and
 * outputs. */
static struct {
    const char *level;
    sf8_format to, from;
    sf8_policy policy;
} array;

static void convert_array(const void *in, void *out, size_t n)
{
    sf8_convert_n_at(array.level, array.to, out, array.from, in, n, array.policy);
}

static int word_bytes(sf8_format f)
{
    int bits = sf8_format_bits(f);
    return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
}

static int has_level(const char *name)
{
    const char *level;
    for (size_t i = 0; (level = sf8_simd_at(i)) != NULL; i++) {
        if (strcmp(level, name) == 0)
            return 1;
    }
    return 0;
}

void arrays_run(const conform_job *j)
{
    inputs in;
    oracle row;
    comparison k;
    char why[CONFORM_TEXT];
    const char *level = j->c->subject;
    if (!has_level(level)) {
        snprintf(why, sizeof why, "no %s here", level);
        set_not_run(j->result, why);
    } else if (!oracle_open(&row, j->c, why) || !oracle_is_conversion(&row)) {
        set_broken(j->result, "the row: no conversion:", j->c->name);
    } else if (convert_open(&k, &in, j, j->o->tier)) {
        array.level = level;
        array.to = oracle_target(&row)->format;
        array.from = oracle_source(&row)->format;
        array.policy = row.policy[0];
        const gpu_subject subject = {
            level, NULL, word_bytes(array.from), word_bytes(array.to), 1, convert_array};
        compare_subject(&k, &subject, j->result);
        inputs_close(&in);
    }
}
