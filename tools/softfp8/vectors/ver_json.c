/* SPDX-License-Identifier: MIT */
/* ver_json.c -- softfp8 ver: a file of JSON vectors, which says itself what it is about */
#include "vectors/json.h"
#include "vectors/ver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int ver_is_json(const char *path)
{
    size_t length = path ? strlen(path) : 0;
    return length > 5 && strcmp(path + length - 5, ".json") == 0;
}

static int say_difference(void *context, const char *id, const char *text)
{
    verification *v = context;
    int stop = ver_error(v);
    output_print(v->out, "%s: %s\n", id, text);
    output_flush(v->out);
    return stop;
}

void verify_json(verification *v)
{
    const size_t most = (size_t)1 << 31;
    size_t size;
    const cli_option *o;
    for (size_t i = 0; (o = option_given_at(i)) != NULL; i++) {
        if (!option_is(o, "format", 6) && !option_is(o, "errors", 6) &&
            !option_is(o, "nocheckNaNs", 11) && !option_is(o, "columns", 7))
            fail("a JSON file says itself what it checks: leave out all options but -errors, "
                 "-nocheckNaNs and --columns");
    }
    if (v->t.columns != COLUMNS_ALL && v->t.columns != (COLUMNS_OPERANDS | COLUMNS_RESULT))
        fail("--columns: for JSON expected operands,result, which leaves out the flags");
    char *text = input_whole(v->t.path, &size, most);
    vectors_check check = {.differs = say_difference,
                           .context = v,
                           .any_nan = v->check_nans == 0,
                           .no_flags = v->t.columns != COLUMNS_ALL};
    snprintf(v->title, sizeof v->title, "%.1000s", printable(input_name(v->t.path)));
    if (!vectors_check_text(&check, text, size))
        fail_at(input_name(v->t.path), check.line, "%s", check.expected);
    if (check.tests == 0)
        fail_at(input_name(v->t.path), 0, "the file has no cases");
    v->tests = check.tests;
    free(text);
}
