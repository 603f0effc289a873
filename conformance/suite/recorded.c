/* SPDX-License-Identifier: MIT */
/* recorded.c -- a record's digest and tables, as a family that judges them needs them */
#include "suite/recorded.h"
#include "base/memory.h"
#include "suite/digest.h"

#include <stdlib.h>
#include <string.h>

int record_agrees(const conform_job *j, const char *what)
{
    const record_case *record = j->c->record;
    conform_result *result = j->result;
    if (result->inputs != record->inputs) {
        result->status = CONFORM_STALE;
        snprintf(result->why, sizeof result->why, "the suite now has other %s", what);
        return 0;
    }
    if (strcmp(result->digest, record->digest) != 0) {
        result->status = CONFORM_FAILED;
        result->differ = 1; /* so much at least */
        snprintf(result->why, sizeof result->why, "the result has the digest %s", record->digest);
        return 0;
    }
    return 1;
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* The list is that of the record: its length and its digest. */
static int same_inputs(const record_case *r, const inputs *in)
{
    char digest[65];
    if (in->count != r->inputs || r->whole != !in->list)
        return 0;
    if (r->whole)
        return 1;
    digest_inputs(in, digest);
    return strcmp(digest, r->list_digest) == 0;
}

/* The rows of a lane by index: both lists ascend. */
static int index_rows(const inputs *in, const gpu_row *from, size_t rows, gpu_row *to)
{
    uint64_t at = 0;
    for (size_t i = 0; i < rows; i++) {
        if (!in->list)
            at = from[i].index;
        while (in->list && at < in->count && in->list[at] < from[i].index)
            at++;
        if (at >= in->count || inputs_at(in, at) != from[i].index || (i == 0 && at != 0))
            return 0;
        to[i] = (gpu_row){at, from[i].code};
    }
    return rows > 0;
}

void *record_index(const record_case *r, const inputs *in, code_tables *tables,
                   char why[CONFORM_TEXT])
{
    if (!same_inputs(r, in)) {
        snprintf(why, CONFORM_TEXT, "the inputs of the case have changed since");
        return NULL;
    }
    size_t rows = 0;
    for (int i = 0; i < r->tables.lanes; i++)
        rows += r->tables.rows[i];
    gpu_row *list = allocate(rows, sizeof list[0]), *at = list;
    memset(tables, 0, sizeof *tables);
    tables->lanes = r->tables.lanes;
    for (int i = 0; i < tables->lanes; i++) {
        if (!index_rows(in, r->tables.row[i], r->tables.rows[i], at)) {
            snprintf(why, CONFORM_TEXT, "a table does not begin a row with an input of the case");
            free(list);
            return NULL;
        }
        tables->row[i] = at;
        tables->rows[i] = r->tables.rows[i];
        at += tables->rows[i];
    }
    return list;
}
