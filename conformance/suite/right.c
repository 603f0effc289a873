/* SPDX-License-Identifier: MIT */
/* right.c -- the right codes of a sequence of inputs
 *
 * If the oracle begins with one conversion, its steps are walked: within a row the right code is
 * constant and costs almost nothing.
 */
#include "suite/right.h"

#include <string.h>

void right_open(right_codes *r, const oracle *o, const inputs *in, int lane)
{
    memset(r, 0, sizeof *r);
    r->oracle = o;
    r->inputs = in;
    r->lane = lane;
    if ((o->model && o->model_step == 0) || o->function[0].op != SF8_OP_CONVERT ||
        sf8_steps_begin(&r->walk, o->function[0].operand[0].format, o->function[0].result.format,
                        o->policy[0], o->random[lane]) != SF8_OK)
        return;
    r->walked = 1;
    sf8_steps_next(&r->walk, &r->row);
    r->more = sf8_steps_next(&r->walk, &r->next);
    r->code = oracle_rest(o, r->row.code);
}

uint64_t right_at(right_codes *r, uint64_t index, uint64_t *end)
{
    uint64_t word = inputs_at(r->inputs, index);
    *end = index + 1;
    if (!r->walked)
        return oracle_call_lane(r->oracle, word, r->lane);
    if (r->more && r->next.first <= word) {
        while (r->more && r->next.first <= word) {
            r->row = r->next;
            r->more = sf8_steps_next(&r->walk, &r->next);
        }
        r->code = oracle_rest(r->oracle, r->row.code);
    }
    if (!r->inputs->list) {
        *end = r->more ? r->next.first : r->inputs->count;
    } else {
        while (*end < r->inputs->count && (!r->more || r->inputs->list[*end] < r->next.first))
            ++*end;
    }
    return r->code;
}
