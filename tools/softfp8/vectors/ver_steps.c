/* SPDX-License-Identifier: MIT */
/* ver_steps.c -- softfp8 ver --steps: a step table against the oracle, every input of it */
#include "files/steps_file.h"
#include "vectors/ver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rows of the file and of the oracle are walked together; what they say of the words from `first`
 * to `last` is constant. */
static int compare_range(verification *v, const sf8_step *found, const sf8_step *right,
                         uint64_t first, uint64_t last)
{
    if (found->code == right->code && found->flags == right->flags)
        return 0;
    sf8_result f = sf8_result_of(found->code, found->flags);
    sf8_result r = sf8_result_of(right->code, right->flags);
    char more[64] = "", *at = more;
    uint64_t operands[4] = {first, 0, 0, 0};
    if (last > first) {
        at = (char *)memcpy(at, "  through ", 10) + 10;
        *testfloat_word(at, &v->function.operand[0], last) = '\0';
    }
    int stop = ver_error(v);
    ver_result(v, operands, &f, &r, more);
    return stop;
}

static void take_head(verification *v, const sf8_steps_head *head)
{
    static char name[2 * SF8_NAME_SIZE + 8];
    snprintf(name, sizeof name, "%s_to_%s", head->from_name, head->to_name);
    if (v->name && strcmp(v->name, name) != 0)
        fail_at(input_name(v->t.path), 0, "the table is of %s; expected %s", name, v->name);
    v->function = sf8_function_convert(head->from, head->to);
    snprintf(v->function.name, sizeof v->function.name, "%.*s", SF8_NAME_SIZE - 1, name);
    int chosen = v->t.choice.name || v->t.choice.changes;
    ver_prepare(v);
    if (!chosen) {
        v->policy = head->policy;
        v->base = head->policy_name;
        v->stochastic = head->policy.round == SF8_SR;
        testfloat_title(&v->t, &v->function, v->policy, v->base, v->title, sizeof v->title);
    }
}

void verify_steps(verification *v)
{
    steps_file file = steps_file_read(v->t.path);
    take_head(v, &file.head);
    v->layout = layout_of(&v->function, 0, FORM_TEXT, COLUMNS_ALL);
    v->stochastic = 0; /* one random word for all, not a column */
    sf8_steps walk;
    sf8_step right, next;
    if (sf8_steps_begin(&walk, file.head.from, file.head.to, v->policy, file.head.random) != SF8_OK)
        fail_at(input_name(v->t.path), 0, "too many steps in %s", v->function.name);
    sf8_steps_next(&walk, &right);
    int more = sf8_steps_next(&walk, &next);
    uint64_t mask = sf8_format_code_mask(file.head.from), first = 0;
    for (size_t i = 0;;) {
        uint64_t end = steps_file_last(&file, i);
        uint64_t last = more && next.first - 1 < end ? next.first - 1 : end;
        if (compare_range(v, &file.steps[i], &right, first, last) || last == mask)
            break;
        first = last + 1;
        i += last == end;
        if (more && next.first == first) {
            right = next;
            more = sf8_steps_next(&walk, &next);
        }
    }
    v->tests = mask == UINT64_MAX ? mask : mask + 1;
    free(file.steps);
}
