/* SPDX-License-Identifier: MIT */
/* attend_order_run.h -- a request in the order of another stack, as the tests run it */
#ifndef SF8_TEST_ATTEND_ORDER_RUN_H
#define SF8_TEST_ATTEND_ORDER_RUN_H

#include "attend/attend_run.h"

/* A cache that the order takes: of the codes of its unit, or of this kind. */
static inline int cache_for(const sf8_attend_order *o, int kind)
{
    return o->operands != SF8_OPERANDS_CODES   ? kind
           : strcmp(o->unit, "cdna3-fp8") == 0 ? FNUZ_CACHE
                                               : E4M3_CACHE;
}

static inline void run_order(const sf8_attend_order *o, size_t cut)
{
    uint32_t why = sf8_attend_order_check(o, &r.a, cut);
    cr_assert(why == SF8_ATTEND_GOOD, "%s: %s", o->name, sf8_attend_reason(why));
    size_t words = sf8_attend_order_room(o, &r.a, cut);
    uint32_t *room = malloc(words * sizeof *room);
    cr_assert(room);
    memset(room, 0xa5, words * sizeof *room);
    memset(r.out, CANARY, sizeof r.out);
    memset(r.lse, CANARY, sizeof r.lse);
    sf8_status status = sf8_attend_order_n(o, &r.a, cut, room, words);
    cr_assert(status == SF8_OK, "%s: %d", o->name, (int)status);
    free(room);
}

#endif
