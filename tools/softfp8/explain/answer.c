/* SPDX-License-Identifier: MIT */
/* answer.c -- questions about an answer that the search for its rules and its printing both ask */
#include "explain/explain.h"

int answer_took_via(const answer *a)
{
    return a->q->from_name && sf8_core_takes_via(a->q->from, a->q->policy);
}

int answer_is_negative(const answer *a)
{
    return !a->q->to.is_signed && a->sign && a->q->policy.negative != SF8_NEG_ABS;
}

int answer_has_neighbours(const answer *a)
{
    if (a->kind != VALUE_FINITE || a->is_exact)
        return 0;
    return !answer_is_negative(a) || (a->lo.value.sig == 0 && a->lo.exists);
}
