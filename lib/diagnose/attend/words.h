/* SPDX-License-Identifier: MIT */
/* words.h -- the verdict about an output of attention, as text */
#ifndef SOFTFP8_DIAGNOSE_ATTEND_WORDS_H
#define SOFTFP8_DIAGNOSE_ATTEND_WORDS_H

#include "diagnose/attend/attend.h"
#include "diagnose/attend/text.h"

/* Factors in words. */
void attend_factors_text(const attend_verdict *v, char *text, size_t size);
/* All lines of a verdict: what the output is, what to do, and what that rests on. */
void attend_put_all(attend_text *w, const attend_problem *r, const attend_verdict *v,
                    const attend_question *asked);

#endif
