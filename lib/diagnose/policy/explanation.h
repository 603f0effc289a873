/* SPDX-License-Identifier: MIT */
/* explanation.h -- an explanation for users, put together */
#ifndef SOFTFP8_DIAGNOSE_POLICY_EXPLANATION_H
#define SOFTFP8_DIAGNOSE_POLICY_EXPLANATION_H

#include "diagnose/diagnosis.h"
#include "softfp8_diagnose.h"

void explanation_add(sf8_explanation *e, const char *name, const char *value, const char *words);
/* "ocp with round=rz: rounds toward zero", from the policy and its causes. */
void explanation_say(diagnosis_run *run, sf8_explanation *e);
/* What its causes say. */
const char *explanation_causes(diagnosis_run *run, const sf8_explanation *e, const char *between);

#endif
