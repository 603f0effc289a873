/* SPDX-License-Identifier: MIT */
/* prove.c -- softfp8-compare-mpfr: compares the library with the reference, result by result */
#define _POSIX_C_SOURCE 200809L
#include "prove.h"
#include "base/descriptors.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "Compares every operation of the library with a reference on MPFR, and prints a\n"
    "table of the results.\n"
    "\n"
    "  $ softfp8-compare-mpfr --only 'mul/* div/*'\n"
    "\n"
    "Usage:\n"
    "  softfp8-compare-mpfr [options]\n"
    "  softfp8-compare-mpfr --status DIR\n"
    "  softfp8-compare-mpfr --join DIR...\n"
    "\n"
    "What to prove:\n"
    "  --tier TIER       how many cases: quick (the default) takes a minute or two,\n"
    "                    full takes hours, brief is a part of quick for slow builds\n"
    "  --only GLOBS      only rows (operation/format) whose name matches one of\n"
    "                    these patterns, which are separated by blanks\n"
    "  --except GLOBS    leaves out rows whose name matches one of these patterns\n"
    "  --list            prints the names of the rows and runs nothing\n"
    "\n"
    "How to run:\n"
    "  --jobs N          threads; the default is one for each processor\n"
    "  --stop            stops at the first mismatch\n"
    "  --budget SECONDS  begins nothing new after this time, and ends at most 5\n"
    "                    seconds later\n"
    "\n"
    "Long runs, in which each row is cut into jobs of some seconds:\n"
    "  --keep DIR        keeps each finished job in DIR; the same command again\n"
    "                    does what is missing there\n"
    "  --redo-failed     does the jobs in DIR again that have mismatches\n"
    "  --shard I/N       does only every N-th job, from the I-th on\n"
    "  --status DIR      prints what is done in DIR, what is left, and how long\n"
    "                    that takes by the pace so far\n"
    "  --join DIR...     prints the table of the run whose jobs are in these folders\n"
    "\n"
    "SIGINT and SIGTERM stop a run when the jobs that are running are finished. A\n"
    "second signal stops it at once.\n"
    "\n"
    "Exit status: 0 no mismatch. 1 a mismatch. 2 bad usage, a damaged or foreign\n"
    "folder, or a faulty reference. 3 stopped before the end, or SOFTFP8_SIMD asks\n"
    "for instructions that this processor lacks.\n";

static _Noreturn void bad_usage(const char *name, const char *expected)
{
    fprintf(stderr, "softfp8-compare-mpfr: %s: expected %s; --help lists the options\n", name,
            expected);
    exit(2);
}

/* ---- options --------------------------------------------------------------------------------- */

static bool set_tier(options *o, const char *text)
{
    static const char *const tiers[] = {"brief", "quick", "full"};
    for (o->tier = BRIEF; o->tier <= FULL; o->tier++)
        if (strcmp(text, tiers[o->tier]) == 0)
            return true;
    return false;
}

static bool set_jobs(options *o, const char *text)
{
    char after;
    return *text >= '1' && *text <= '9' && sscanf(text, "%4d%c", &o->threads, &after) == 1 &&
           o->threads <= 256;
}

static bool set_budget(options *o, const char *text)
{
    char *end;
    o->budget = strtod(text, &end);
    return *end == '\0' && o->budget > 0 && o->budget < 1e9;
}

static bool set_text(const char **to, const char *text)
{
    *to = text;
    return *text != '\0' && !strchr(text, '\n');
}

/* What an option with a value expects, or NULL if the value is good. */
static const char *set(options *o, const char *name, const char *value)
{
    if (strcmp(name, "--tier") == 0)
        return set_tier(o, value) ? NULL : "brief, quick or full";
    if (strcmp(name, "--jobs") == 0)
        return set_jobs(o, value) ? NULL : "a number from 1 to 256";
    if (strcmp(name, "--only") == 0)
        return set_text(&o->only, value) ? NULL : "patterns in one line";
    if (strcmp(name, "--except") == 0)
        return set_text(&o->except, value) ? NULL : "patterns in one line";
    if (strcmp(name, "--keep") == 0)
        return set_text(&o->out, value) ? NULL : "a folder";
    if (strcmp(name, "--status") == 0)
        return set_text(&o->status, value) ? NULL : "a folder";
    if (strcmp(name, "--shard") == 0)
        return shard_read(value, &o->shard, &o->shards) ? NULL
                                                        : "I/N with I from 1 to N, for example 2/8";
    if (strcmp(name, "--budget") == 0)
        return set_budget(o, value) ? NULL : "a number of seconds";
    if (strcmp(name, "--out") == 0 || strcmp(name, "--merge") == 0)
        return name[2] == 'o' ? "--keep DIR, its name now" : "--join DIR..., its name now";
    return "an option";
}

/* An option without a value. */
static bool set_flag(options *o, const char *name)
{
    int *flag = strcmp(name, "--list") == 0          ? &o->list
                : strcmp(name, "--stop") == 0        ? &o->stop
                : strcmp(name, "--redo-failed") == 0 ? &o->redo
                                                     : NULL;
    if (flag)
        *flag = 1;
    return flag != NULL;
}

static void read_options(options *o, int argc, char **argv)
{
    for (int i = 1; i < argc && !o->join; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            fputs(help, stdout);
            exit(0);
        }
        if (strcmp(argv[i], "--join") == 0) {
            o->join = argv + i + 1;
            o->join_count = (size_t)(argc - i - 1);
        } else if (!set_flag(o, argv[i])) {
            const char *expected = set(o, argv[i], i + 1 < argc ? argv[i + 1] : "");
            if (expected)
                bad_usage(argv[i], expected);
            i++;
        }
    }
    if (o->join && (o->join_count == 0 || argc != (int)o->join_count + 2))
        bad_usage("--join", "folders, and no other option");
    if (o->status && argc != 3)
        bad_usage("--status", "a folder, and no other option");
    if (o->redo && !o->out)
        bad_usage("--redo-failed", "--keep DIR with it");
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* In an order that finds most errors early. */
static void add_all_rows(int tier)
{
    add_self_rows();
    add_order_rows();
    add_unary_rows(tier);
    add_mixed_rows();
    add_binary_rows(tier);
    add_convert_rows(tier);
    add_hif8_rows();
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
    fprintf(stderr, "softfp8-compare-mpfr: skipped: no %s here\n", level);
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

static int run(int argc, char **argv)
{
    options o = {.tier = QUICK, .shards = 1};
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    o.threads = cores < 1 ? 1 : cores < 256 ? (int)cores : 256;
    read_options(&o, argc, argv);
    if (o.status)
        return print_status(o.status);
    if (o.join)
        return join_folders(o.join, o.join_count);
    if (ref_start() != 0 || ref_hif8_start() != 0)
        give_up("the reference does not encode what it decodes");
    add_all_rows(o.tier);
    if (!has_rows(&o)) {
        fprintf(stderr, "softfp8-compare-mpfr: no row matches %s\n", o.only ? o.only : "that");
        return 2;
    }
    if (o.list) {
        list_rows(&o);
        return 0;
    }
    if (!has_level())
        return 3;
    return run_rows(&o);
}

int main(int argc, char **argv)
{
    descriptors_reserve();
    int status = run(argc, argv);
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fputs("softfp8-compare-mpfr: cannot write to standard output\n", stderr);
    return 2;
}
