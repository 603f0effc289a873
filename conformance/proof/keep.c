/* SPDX-License-Identifier: MIT */
/* keep.c -- the units of a proof: its plan, and what is read from the folders that keep them */
#define _POSIX_C_SOURCE 200809L
#include "base/memory.h"
#include "prove.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Written by gpu/source_hash.c: the second is the hash of the sources of library and proof. */
extern const char *const proof_source[];

void give_up(const char *why)
{
    fprintf(stderr, "softfp8-compare-mpfr: %s\n", why);
    exit(2);
}

/* ---- the plan -------------------------------------------------------------------------------- */

/* A unit should take seconds, since keeping it takes some hundredths of one. The formats of a
 * family take less than others. */
unsigned units_of(const row *r, int tier)
{
    unsigned slices = (unsigned)r->formats * r->work.parts, most = tier == FULL ? 4 : 1;
    if (r->work.units)
        most = tier != FULL ? 4 : r->formats > 1 ? 8 * r->work.units : r->work.units;
    return slices < most ? slices : most;
}

/* Rows of one name are told apart by "=2", "=3". */
static void add_unit(unit_plan *plan, const row *r, int tier)
{
    char name[UNIT_NAME + 1];
    snprintf(name, sizeof name, "%s", r->name);
    for (int again = 2; plan_index(plan, name, 0) != (size_t)-1; again++)
        snprintf(name, sizeof name, "%s=%d", r->name, again);
    plan_add(plan, name, units_of(r, tier));
}

void row_name(const char *unit_name, char name[UNIT_NAME + 1])
{
    snprintf(name, UNIT_NAME + 1, "%.*s", (int)strcspn(unit_name, "="), unit_name);
}

unit_plan *plan_of(const options *o, row *const *rows, size_t count)
{
    static const char *const tiers[] = {"brief", "quick", "full"};
    unit_plan *plan = plan_begin();
    plan_term(plan, "program", "prove");
    plan_term(plan, "version", sf8_version());
    plan_term(plan, "source", proof_source[1]);
    plan_term(plan, "mpfr", mpfr_get_version());
    plan_term(plan, "level", sf8_simd());
    plan_term(plan, "tier", tiers[o->tier]);
    plan_term(plan, "only", o->only ? o->only : "");
    plan_term(plan, "except", o->except ? o->except : "");
    for (size_t i = 0; i < count; i++)
        add_unit(plan, rows[i], o->tier);
    return plan;
}

/* ---- what is kept ---------------------------------------------------------------------------- */

void read_unit(const unit *u, outcome *found, char modes[MODES_SIZE])
{
    char why[UNITS_WHY];
    if (outcome_read(found, modes, u->body)) {
        found->seconds = u->seconds;
        return;
    }
    snprintf(why, sizeof why, "%.700s: expected the result of a unit of a proof", u->path);
    give_up(why);
}

/* The number of units in a folder that have mismatches. */
static size_t count_failed(const unit_folder *folder)
{
    size_t failed = 0;
    for (size_t i = 0; i < plan_units(units_plan(folder)); i++) {
        char modes[MODES_SIZE];
        outcome found;
        if (!units_at(folder, i))
            continue;
        read_unit(units_at(folder, i), &found, modes);
        failed += found.mismatches != 0;
        free(found.report);
    }
    return failed;
}

/* Opens the folder of a proof; every unit in it is one that can be read. */
static unit_folder *open_folder(const char *name, size_t *failed)
{
    char why[UNITS_WHY];
    unit_folder *folder = units_read(name, why);
    if (!folder)
        give_up(why);
    const char *program = plan_value(units_plan(folder), "program");
    if (!program || strcmp(program, "prove") != 0) {
        snprintf(why, sizeof why, "%.600s is not the folder of a proof, but of '%.100s'", name,
                 program ? program : "");
        give_up(why);
    }
    *failed = count_failed(folder);
    return folder;
}

int print_status(const char *name)
{
    size_t failed;
    unit_folder *folder = open_folder(name, &failed);
    unit_progress p = units_progress(folder);
    printf("%zu of %zu units are done, in %.0f core-seconds\n", p.done, p.all, p.seconds);
    if (p.done < p.all && p.done > 0)
        printf("%zu are left, about %.0f core-seconds by the pace so far\n", p.all - p.done,
               p.left);
    if (failed)
        printf("%zu have mismatches; --redo-failed does them again\n", failed);
    units_close(folder);
    return 0;
}

/* ---- merging --------------------------------------------------------------------------------- */

static int print_merged(const unit_plan *plan, const unit *const *whole)
{
    totals all = {0, 0, 0, 0, 0};
    const char *entry;
    unsigned of;
    print_head();
    for (size_t i = 0; (entry = plan_name(plan, i, &of)) != NULL; i++) {
        char modes[MODES_SIZE] = "", name[UNIT_NAME + 1];
        outcome sum = {0, 0, 0, NULL};
        for (unsigned part = 0; part < of; part++) {
            outcome found;
            read_unit(*whole++, &found, modes);
            outcome_add(&sum, &found);
            free(found.report);
        }
        row_name(entry, name);
        print_row(name, modes, &sum);
        add_total(&all, &sum, sum.cases != 0);
        free(sum.report);
    }
    print_totals(&all);
    return all.passed == all.rows ? 0 : 1;
}

int merge_folders(char *const *names, size_t count)
{
    unit_folder **folders = allocate(count, sizeof *folders);
    const unit **whole;
    char why[UNITS_WHY], digest[65];
    size_t failed;
    for (size_t i = 0; i < count; i++)
        folders[i] = open_folder(names[i], &failed);
    if (!units_merge(folders, count, &whole, why))
        give_up(why);
    const unit_plan *plan = units_plan(folders[0]);
    int status = print_merged(plan, whole);
    units_digest(plan, whole, digest);
    printf("digest: %s\n", digest);
    free(whole);
    for (size_t i = 0; i < count; i++)
        units_close(folders[i]);
    free(folders);
    return status;
}
