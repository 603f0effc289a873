/* SPDX-License-Identifier: MIT */
/* check.c -- checks of attention for tests in C: NULL, or a message */
#include "softfp8_test.h"

#include <string.h>

static char *copy_of(const char *text)
{
    char *copy = calloc(1, strlen(text) + 1);
    if (!copy)
        abort(); /* NULL would mean that the output is right */
    return strcpy(copy, text);
}

/* Why nothing was compared. */
static char *refused(sf8_status status)
{
    return copy_of(status == SF8_UNKNOWN_NAME ? "there is no such error bound"
                   : status == SF8_BAD_TEXT   ? "there is no such order"
                   : status == SF8_BAD_FORMAT ? "expected outputs of f32, f16 or bf16"
                   : status == SF8_NO_ROOM    ? "there is not enough memory"
                                              : "the request cannot be computed");
}

char *sf8_check_attention(const sf8_attention_results *results)
{
    sf8_attention_diagnosis *d;
    sf8_status status = sf8_diagnose_attention(results, &d);
    char *message = status != SF8_OK  ? refused(status)
                    : !d->is_expected ? copy_of(d->message)
                                      : NULL;
    sf8_attention_diagnosis_free(d);
    return message;
}

char *sf8_check_same_attention(const sf8_same_attention_results *results)
{
    sf8_same_attention_diagnosis *d;
    sf8_status status = sf8_diagnose_same_attention(results, &d);
    char *message = status != SF8_OK ? refused(status) : !d->is_same ? copy_of(d->message) : NULL;
    sf8_same_attention_diagnosis_free(d);
    return message;
}
