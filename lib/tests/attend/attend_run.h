/* SPDX-License-Identifier: MIT */
/* attend_run.h -- a request as the tests of attention run it: whole, in parts, compared with saved
 * results and with the reference */
#ifndef SF8_TEST_ATTEND_RUN_H
#define SF8_TEST_ATTEND_RUN_H

#include "attend/attend.h"

static request r;

static inline void against_reference(size_t i, const char *what)
{
    static float row[1024];
    size_t columns = r.v.s.dim, heads = r.a.heads, step = r.a.queries > 2 ? r.a.queries - 1 : 1;
    for (size_t query = 0; query < r.a.queries; query += step)
        for (size_t head = 0; head < heads; head++) {
            float lse = ref_attend(&r, query, head, row);
            size_t at = query * heads + head;
            EXPECT(r.lse[at] == ref_word(lse), "%s %zu: row %zu: lse %08x, not %08x", what, i, at,
                   r.lse[at], ref_word(lse));
            for (size_t c = 0; c < columns; c++)
                EXPECT(r.out[at * columns + c] == ref_word(row[c]),
                       "%s %zu: row %zu: channel %zu: %08x, not %08x", what, i, at, c,
                       r.out[at * columns + c], ref_word(row[c]));
        }
}

/* ---- kept ------------------------------------------------------------------------------------ */

static uint32_t kept_out[WORDS_MOST], kept_lse[ROWS_MOST];

static inline void keep(void)
{
    memcpy(kept_out, r.out, sizeof kept_out);
    memcpy(kept_lse, r.lse, sizeof kept_lse);
}

static inline int kept(void)
{
    return memcmp(kept_out, r.out, sizeof kept_out) == 0 &&
           memcmp(kept_lse, r.lse, sizeof kept_lse) == 0;
}

/* ---- parts ----------------------------------------------------------------------------------- */

enum { PARTS_MOST = 64 };

/* In `n` parts, the last first; the bounds at chunk edges that depend on i. */
static inline void run_parts(size_t i, size_t n)
{
    sf8_attend_parted parts[PARTS_MOST];
    uint32_t *pieces[PARTS_MOST];
    size_t chunks = sf8_attend_chunks(&r.a), words = sf8_attend_piece_words(&r.a);
    room_for(&r.a);
    for (size_t p = n; p-- > 0;) {
        size_t first = p * chunks / n, last = (p + 1) * chunks / n;
        if (i % 2 && first > 0 && first + 1 < last)
            first++;
        if (i % 2 && p + 1 < n && last + 1 < (p + 2) * chunks / n)
            last++;
        pieces[p] = malloc((sf8_attend_pieces(&r.a, first, last) * words + 1) * sizeof **pieces);
        parts[p] = (sf8_attend_parted){first, last, pieces[p]};
        sf8_status status = sf8_attend_part(&r.a, first, last, pieces[p], attend_room,
                                            attend_room_words);
        cr_assert(status == SF8_OK);
    }
    memset(r.out, CANARY, sizeof r.out);
    memset(r.lse, CANARY, sizeof r.lse);
    sf8_status status = sf8_attend_joined(&r.a, parts, n, attend_room, attend_room_words);
    cr_assert(status == SF8_OK, "%zu parts", n);
    for (size_t p = 0; p < n; p++)
        free(pieces[p]);
}

static inline size_t element_at(const side *s, size_t position, size_t head, size_t d)
{
    return (size_t)formula(s->order, &s->s, (uint64_t)r.blocks[position / s->s.slots],
                           position % s->s.slots, head, d);
}

#endif
