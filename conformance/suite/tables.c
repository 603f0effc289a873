/* SPDX-License-Identifier: MIT */
/* tables.c -- results in the form of tables, compared with the oracle: a walk along the steps of
 * both
 *
 * Between two steps, of any lane or of the oracle, nothing changes: one comparison is valid for all
 * inputs there. So 2^32 inputs take as long as their few hundred rows.
 */
#include "suite/compare.h"

#include "suite/digest.h"
#include "suite/right.h"

#include <string.h>

/* A walk along the rows of each lane, and the right codes of each. */
typedef struct walk {
    const comparison *k;
    const code_tables *tables;
    size_t at[GPU_LANES]; /* the row of the index */
    right_codes right[GPU_LANES];
} walk;

/* Where the code of the lane may change next. */
static uint64_t row_end(const walk *w, int lane)
{
    size_t next = w->at[lane] + 1;
    return next < w->tables->rows[lane] ? w->tables->row[lane][next].index : UINT64_MAX;
}

static uint64_t code_at(walk *w, int lane, uint64_t index)
{
    while (row_end(w, lane) <= index)
        w->at[lane]++;
    return w->tables->row[lane][w->at[lane]].code;
}

/* The inputs from `index` on, before `end`, for which nothing changes: what was returned, by the
 * first lane that differs if there is one, and what is right there. */
static uint64_t next_stretch(walk *w, uint64_t index, uint64_t *got, uint64_t *right)
{
    uint64_t end = w->k->end, wanted = 0, stop;
    int good = 1;
    for (int lane = 0; lane < w->tables->lanes; lane++) {
        uint64_t code = code_at(w, lane, index);
        if (lane == 0 || !w->k->oracle->alike) {
            wanted = right_at(&w->right[lane], index, &stop);
            end = stop < end ? stop : end;
        }
        stop = row_end(w, lane);
        end = stop < end ? stop : end;
        if (lane == 0 || (good && !is_good(w->k, code, wanted))) {
            *got = code;
            *right = wanted;
            good = is_good(w->k, code, wanted);
        }
    }
    return end;
}

/* The rows of the results, with those that begin a chunk. */
static void digest_stretch(sf8_sha256 *digest, const inputs *in, uint64_t index, uint64_t end,
                           uint64_t got, uint64_t *last, int *any)
{
    if (!*any || *last != got || index % DIGEST_CHUNK == 0)
        digest_row(digest, inputs_at(in, index), got);
    for (uint64_t at = (index / DIGEST_CHUNK + 1) * DIGEST_CHUNK; at < end; at += DIGEST_CHUNK)
        digest_row(digest, inputs_at(in, at), got);
    *last = got;
    *any = 1;
}

void compare_tables(const comparison *k, const code_tables *tables, conform_result *result)
{
    walk w;
    memset(&w, 0, sizeof w);
    double began = seconds_now();
    w.k = k;
    w.tables = tables;
    for (int lane = 0; lane < tables->lanes; lane++)
        right_open(&w.right[lane], k->oracle, k->inputs, lane);
    differences d = {k, result, 0, 0};
    sf8_sha256 digest;
    uint64_t last = 0;
    int any = 0;
    sf8_sha256_begin(&digest);
    for (uint64_t index = k->begin, end; index < k->end; index = end) {
        uint64_t got = 0, right = 0;
        end = next_stretch(&w, index, &got, &right);
        if (!is_good(k, got, right))
            differences_add(&d, index, end, got, right);
        digest_stretch(&digest, k->inputs, index, end, got, &last, &any);
    }
    sf8_sha256_end(&digest, result->digest);
    result->inputs = k->end - k->begin;
    result->status = result->differ ? CONFORM_FAILED : CONFORM_PASSED;
    result->seconds += seconds_now() - began;
}
