/* SPDX-License-Identifier: MIT */
/* check_evidence.c -- a row that says `verified` has a record in this repository
 *
 *     check_evidence ROOT
 *
 * A policy is verified by cells of docs/matrix/matrix.json. Its item of evidence is the one that
 * matrix_item writes, for every version of the package that the matrix has. A run on a GPU has an
 * item of its own, which names the GPU: results of the CPU and of a GPU do not count together.
 *
 * A recipe is verified by a file of vectors/products, which lib.products replays, or by cells of
 * the matrix. The file has the lines `# package NAME VERSION` and `# recipe NAME`. An item `ran` of
 * a policy may describe a larger run of a package that the matrix has, beside the item `verified`;
 * one of a recipe has no record. If the check fails, it prints what the row has to say.
 *
 * An item of any row that names one of our records of a GPU needs that record (recorded.h).
 */
#include "matrix.h"
#include "recorded.h"

#include "softfp8_attend.h"
#include "softfp8_blocks.h"
#include "softfp8_mma.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 512, PATH = 4096, RECORDS = 512, PACKAGE = 64 };

typedef struct record {
    char package[PACKAGE], recipe[PACKAGE];
    int named; /* 1: its row has an item for it */
} record;

static matrix the_matrix;
static record records[RECORDS];
static size_t record_count;
static unsigned failures, items, verified, recorded;
static const char *root;

static void fail(const char *table, const char *name, const char *what, const char *text)
{
    printf("%s %s: %s: %s\n", table, name, what, text);
    failures++;
}

/* ---- records --------------------------------------------------------------------------------- */

/* Puts what follows `head` in a line into `text`. */
static int line_is(const char *line, const char *head, char text[PACKAGE])
{
    size_t n = strlen(head);
    if (strncmp(line, head, n) != 0)
        return 0;
    snprintf(text, PACKAGE, "%.*s", (int)strcspn(line + n, "\r\n"), line + n);
    return 1;
}

/* A line `# package` holds for the recipes below it. */
static void read_record(const char *path)
{
    char line[TEXT], package[PACKAGE] = "", recipe[PACKAGE];
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        line_is(line, "# package ", package);
        if (!line_is(line, "# recipe ", recipe) || record_count == RECORDS)
            continue;
        record *r = &records[record_count++];
        memcpy(r->package, package, sizeof r->package);
        memcpy(r->recipe, recipe, sizeof r->recipe);
        if (!*package)
            fail("file", path, "no line `# package NAME VERSION` above", line);
    }
    if (file)
        fclose(file);
}

static int read_records(const char *folder)
{
    char path[PATH];
    const struct dirent *entry;
    DIR *all = opendir(folder);
    while (all && (entry = readdir(all)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%.3000s/%.255s", folder, entry->d_name);
        read_record(path);
    }
    if (all)
        closedir(all);
    return all != NULL;
}

/* Whether an item names a package and its version. */
static int names(const char *item, const char *package)
{
    size_t n = strlen(package);
    return strncmp(item, package, n) == 0 && (item[n] == ',' || item[n] == ' ');
}

/* The records of a recipe that an item describes. An item `verified` claims them; one `ran` asks
 * whether some are left that none has claimed. */
static unsigned records_of(const char *recipe, const char *item, int is_verified)
{
    unsigned found = 0;
    for (record *r = records; r < records + record_count; r++)
        if (strcmp(r->recipe, recipe) == 0 && names(item, r->package)) {
            found += is_verified || !r->named;
            r->named |= is_verified;
        }
    return found;
}

/* ---- items ----------------------------------------------------------------------------------- */

/* The item at *list, without its kind; moves *list to the next one. Returns 0 at the end. */
static int next_item(const char **list, int *is_verified, int *is_ran, char text[TEXT])
{
    const char *end = strstr(*list, "; "), *colon = strstr(*list, ": ");
    size_t length = end ? (size_t)(end - *list) : strlen(*list);
    if (length == 0 || !colon)
        return 0;
    *is_verified = strncmp(*list, "verified ", 9) == 0;
    *is_ran = strncmp(*list, "ran ", 4) == 0;
    snprintf(text, TEXT, "%.*s", (int)(length - (size_t)(colon + 2 - *list)), colon + 2);
    *list += length + (end ? 2 : 0);
    return 1;
}

/* ---- policies -------------------------------------------------------------------------------- */

static int has_item(const char *evidence, const char *item)
{
    const char *at = strstr(evidence, item);
    size_t n = strlen(item);
    return at && (at == evidence || at[-1] == ' ') && (at[n] == 0 || at[n] == ';');
}

/* Whether an earlier cell is of the same version and device. */
static int came_before(size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (matrix_same_run(&the_matrix.cell[i], &the_matrix.cell[at]))
            return 1;
    return 0;
}

/* The versions of a package that the matrix has: each must be in the row, as the matrix has it. */
static void expect_versions(const sf8_policy_row *row, const char *package, size_t length)
{
    unsigned found = 0;
    for (size_t i = 0; i < the_matrix.count; i++) {
        const matrix_cell *c = &the_matrix.cell[i];
        char want[TEXT];
        if (strlen(c->package) != length || memcmp(c->package, package, length) != 0 ||
            came_before(i))
            continue;
        if (!matrix_item(&the_matrix, row->name, c, want, sizeof want))
            continue;
        found++;
        if (!has_item(row->evidence, want))
            fail("policy", row->name, "the matrix has another result; the row needs", want);
    }
    if (!found)
        fail("policy", row->name, "the matrix has no such conversion of", package);
}

static void check_policy(const sf8_policy_row *row)
{
    const char *list = row->evidence;
    char text[TEXT];
    int is_verified, is_ran;
    while (next_item(&list, &is_verified, &is_ran, text)) {
        size_t length = strcspn(text, " ");
        items++;
        verified += (unsigned)is_verified;
        if (is_verified || (is_ran && matrix_has(&the_matrix, text, length)))
            expect_versions(row, text, length);
        if (is_verified) { /* it is one of those, not an older one beside them */
            char want[TEXT];
            matrix_cell run = {.inputs = 0};
            if (sscanf(text, "%31s %31[^ ,] on %95[^,]", run.package, run.version, run.device) <
                    2 ||
                !matrix_item(&the_matrix, row->name, &run, want, sizeof want) ||
                strcmp(strstr(want, ": ") + 2, text) != 0 || !has_item(row->evidence, want))
                fail("policy", row->name, "the matrix does not show", text);
        }
    }
}

/* ---- recipes, and what has no record --------------------------------------------------------- */

/* Whether some cell of the matrix shows this recipe for the package and version of an item. */
static int in_matrix(const char *recipe, const char *item)
{
    for (size_t i = 0; i < the_matrix.count; i++) {
        const matrix_cell *c = &the_matrix.cell[i];
        char package[2 * MATRIX_NAME];
        snprintf(package, sizeof package, "%s %s", c->package, c->version);
        if (*c->operation && names(item, package) && matrix_cell_follows(c, recipe))
            return 1;
    }
    return 0;
}

static void check_recipe(const sf8_recipe_row *row)
{
    const char *list = row->evidence;
    char text[TEXT];
    int is_verified, is_ran;
    while (next_item(&list, &is_verified, &is_ran, text)) {
        unsigned found = records_of(row->name, text, is_verified);
        items++;
        verified += (unsigned)is_verified;
        if (is_verified && !found && !in_matrix(row->name, text))
            fail("recipe", row->name, "neither vectors/products nor the matrix has", text);
        if (is_ran && found)
            fail("recipe", row->name, "vectors/products has this: write `verified`, not `ran`",
                 text);
    }
}

static void check_none(const char *table, const char *name, const char *evidence)
{
    if (strncmp(evidence, "verified ", 9) == 0 || strstr(evidence, "; verified "))
        fail(table, name, "only policies and recipes can be verified", evidence);
}

/* An item may name one of our records, of any row. */
static void check_recorded(const char *table, const char *name, const char *evidence)
{
    unsigned count;
    const char *missing = recorded_missing(root, evidence, &count);
    recorded += count;
    if (missing)
        fail(table, name, "no record in conformance/records supports", missing);
}

static void check_rows(void)
{
    const sf8_policy_row *policy;
    const sf8_recipe_row *recipe;
    const sf8_mma_row *unit;
    const sf8_attend_order *order;
    for (size_t i = 0; (policy = sf8_policy_at(i)) != NULL; i++) {
        check_policy(policy);
        check_recorded("policy", policy->name, policy->evidence);
    }
    for (size_t i = 0; (recipe = sf8_recipe_at(i)) != NULL; i++) {
        check_recipe(recipe);
        check_recorded("recipe", recipe->name, recipe->evidence);
    }
    for (size_t i = 0; (unit = sf8_mma_at(i)) != NULL; i++) {
        check_none("unit", unit->unit, unit->evidence);
        check_recorded("unit", unit->unit, unit->evidence);
    }
    for (size_t i = 0; (order = sf8_attend_order_at(i)) != NULL; i++) {
        check_none("order", order->name, order->evidence);
        check_recorded("order", order->name, order->evidence);
    }
    for (const record *r = records; r < records + record_count; r++)
        if (!r->named)
            fail("recipe", r->recipe, "its row has no item `verified` for", r->package);
}

int main(int argc, char **argv)
{
    char path[PATH];
    if (argc != 2) {
        fprintf(stderr, "usage: check_evidence ROOT\n");
        return 2;
    }
    root = argv[1];
    snprintf(path, sizeof path, "%.3000s/docs/matrix/matrix.json", root);
    const char *why = matrix_read(&the_matrix, path);
    if (why) {
        fprintf(stderr, "%s\n", why);
        return 2;
    }
    snprintf(path, sizeof path, "%.3000s/vectors/products", root);
    if (!read_records(path)) {
        fprintf(stderr, "%s: no such folder\n", path);
        return 2;
    }
    check_rows();
    printf("%u items of evidence, %u verified, %u of our GPU records, %zu cells, %zu records, %u "
           "failures\n",
           items, verified, recorded, the_matrix.count, record_count, failures);
    return failures != 0;
}
