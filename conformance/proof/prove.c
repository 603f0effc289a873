/* SPDX-License-Identifier: MIT */
/* prove.c -- softfp8-prove: compares the library with the reference, result by result
 *
 *     softfp8-prove [--tier brief|quick|full] [--jobs N] [--only GLOBS] [--except GLOBS] [--list]
 *                   [--stop]
 *
 * Exit status 0: no mismatch; 1: a mismatch; 2: wrong use, or the reference is at odds with itself;
 * 3: SOFTFP8_SIMD asks for instructions that are not here, and nothing was run.
 */
#define _POSIX_C_SOURCE 200809L
#include "prove.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int usage(void)
{
    fputs("usage: softfp8-prove [--tier brief|quick|full] [--jobs N] [--only GLOBS]\n"
          "                     [--except GLOBS] [--list] [--stop]\n"
          "  --tier  quick (default), full, or brief: a part of quick for a slow build\n"
          "  --jobs  threads; default: one for each processor\n"
          "  --only  only rows (operation/format) whose name matches a pattern: 'mul/* div/*'\n"
          "  --except  none whose name matches one of those\n"
          "  --list  print the names of the rows and stop\n"
          "  --stop  stop at the first mismatch\n",
          stderr);
    return 2;
}

static int set_tier(options *o, const char *text)
{
    static const char *const tiers[] = {"brief", "quick", "full"};
    for (o->tier = BRIEF; o->tier <= FULL; o->tier++)
        if (strcmp(text, tiers[o->tier]) == 0)
            return 1;
    return 0;
}

static int set_jobs(options *o, const char *text)
{
    char *end;
    long n = strtol(text, &end, 10);
    if (*end != '\0' || n < 1 || n > 256)
        return 0;
    o->jobs = (int)n;
    return 1;
}

/* One option; the number of arguments it takes, 0 if it is wrong. */
static int parse(options *o, const char *name, const char *value)
{
    if (strcmp(name, "--list") == 0)
        return o->list = 1;
    if (strcmp(name, "--stop") == 0)
        return o->stop = 1;
    if (!value)
        return 0;
    if (strcmp(name, "--tier") == 0)
        return set_tier(o, value) ? 2 : 0;
    if (strcmp(name, "--jobs") == 0)
        return set_jobs(o, value) ? 2 : 0;
    if (strcmp(name, "--only") == 0) {
        o->only = value;
        return 2;
    }
    if (strcmp(name, "--except") == 0) {
        o->except = value;
        return 2;
    }
    return 0;
}

/* In an order that finds most errors early. */
static void add_all_rows(int tier)
{
    add_self_rows();
    add_order_rows();
    add_unary_rows(tier);
    add_binary_rows(tier);
    add_convert_rows(tier);
    add_step_rows(tier);
    add_policy_rows();
    add_integer_rows();
    add_entry_rows();
    add_entry_convert_rows();
    add_stochastic_rows();
    add_wide_rows();
    add_fma_rows(tier);
    add_exhaustive_rows(tier);
    add_table_rows();
    add_array_rows(tier);
    add_array_arith_rows();
    add_block_rows(tier);
    add_block_g_rows();
    add_block_dot_rows();
    add_layout_rows(tier);
    add_mma_rows();
    add_mma_fast_rows();
}

/* The library must use the selected instructions: otherwise the proof would be about others. */
static int has_level(void)
{
    const char *level = getenv("SOFTFP8_SIMD");
    if (!level || !*level || strcmp(level, sf8_simd()) == 0)
        return 1;
    fprintf(stderr, "softfp8-prove: skipped: no %s here\n", level);
    return 0;
}

static bool has_rows(const options *o)
{
    size_t count;
    select_rows(o, &count);
    return count > 0;
}

static void list_rows(const options *o)
{
    size_t count;
    row *const *list = select_rows(o, &count);
    for (size_t i = 0; i < count; i++)
        printf("%s\n", list[i]->name);
}

int main(int argc, char **argv)
{
    options o = {QUICK, 0, 0, 0, NULL, NULL};
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    o.jobs = cores > 0 ? (int)cores : 1;
    for (int i = 1; i < argc;) {
        int used = parse(&o, argv[i], i + 1 < argc ? argv[i + 1] : NULL);
        if (used == 0)
            return usage();
        i += used;
    }
    if (ref_start() != 0) {
        fputs("softfp8-prove: the reference does not encode what it decodes\n", stderr);
        return 2;
    }
    add_all_rows(o.tier);
    if (!has_rows(&o)) {
        fprintf(stderr, "softfp8-prove: no row matches %s\n", o.only ? o.only : "that");
        return 2;
    }
    if (o.list) {
        list_rows(&o);
        return 0;
    }
    if (!has_level())
        return 3;
    return run_rows(&o) ? 0 : 1;
}
