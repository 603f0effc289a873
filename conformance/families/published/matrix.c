/* SPDX-License-Identifier: MIT */
/* matrix.c -- by=mma: rows of a matrix unit, of a set that families/published/cases.c lists
 *
 *     case e4m3-fp32 by=mma of=2500 digest=HEX rows=60
 *     a b c d
 *
 * The set is NAME-CASE, "h100-e4m3-fp32". The rows are a part of the set, which tell its rivals
 * apart. `of` is the number of all its rows, and `digest` the SHA-256 of their results:
 * conformance.published_rows compares both with the whole set.
 */
#include "families/published/published.h"
#include "families/published/silicon.h"

#include <stdlib.h>
#include <string.h>

typedef struct matrix {
    const silicon_set *set;
    silicon_rows rows;
} matrix;

static int open_rows(published_item *item, char why[CONFORM_LONG])
{
    matrix *m = calloc(1, sizeof *m);
    char set[2 * PUBLISHED_NAME];
    const silicon_text text = {item->file->path, item->rows, item->size, item->line};
    const char *digest = published_need(item, "digest", why);
    item->data = m;
    if (!m || !digest || !published_number(item, "of", 1000000, why))
        return 0;
    snprintf(set, sizeof set, "%s-%s", item->file->name, item->name);
    m->set = silicon_set_named(set);
    if (!m->set)
        return published_wrong(item, 0, why, "no set %s", set);
    return silicon_read(&m->rows, m->set, &text, why) &&
           (m->rows.count == item->row_count ||
            published_wrong(item, 1, why, "expected %zu rows 'a b c d'", item->row_count));
}

static void run_rows(const published_item *item, conform_result *result)
{
    const matrix *m = item->data;
    silicon_judge(m->set, &m->rows, result);
    if (result->status == CONFORM_PASSED)
        result->why[0] = '\0'; /* which rivals fail is said of whole sets */
}

static void close_rows(void *data)
{
    matrix *m = data;
    if (m)
        silicon_free(&m->rows);
    free(m);
}

const published_kind published_mma = {"mma", NULL, 1, open_rows, run_rows, close_rows};
