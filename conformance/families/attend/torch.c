/* SPDX-License-Identifier: MIT */
/* torch.c -- how long PyTorch takes for the attention that a case times, if it is installed */
#include "families/attend/device.h"
#include "suite/python.h"

#include <stdlib.h>
#include <string.h>

enum { LIMIT = 100, LINE_MOST = 4096, NUMBERS = 5 };

static const char *ask(const size_t number[NUMBERS], double *seconds)
{
    static const char *const pieces[PYTHON_PIECES] = {"torch_speed"};
    char text[NUMBERS][24], folder[PYTHON_PATH], why[CONFORM_TEXT], *end = NULL;
    const char *arguments[PYTHON_ARGUMENTS] = {NULL};
    size_t size;
    for (size_t i = 0; i < NUMBERS; i++) {
        snprintf(text[i], sizeof text[i], "%zu", number[i]);
        arguments[i] = text[i];
    }
    if (!python_folder(folder))
        return "no folder for python3";
    const char *failed = python_run(folder, pieces, arguments, LIMIT, why, sizeof why);
    char *line = failed ? NULL : python_read(folder, "stdout", LINE_MOST, &size);
    double value = line ? strtod(line, &end) : 0;
    int good = line && end != line && value > 0 && value < 3600;
    free(line);
    python_folder_remove(folder);
    if (failed == python_missing)
        return failed;
    if (!good)
        return "no PyTorch that has this GPU";
    *seconds = value;
    return NULL;
}

/* Starting PyTorch takes several seconds, and the kernels ask the same question one after the
 * other. */
const char *attend_torch_seconds(const attend_set *set, double *seconds)
{
    static size_t asked[NUMBERS];
    static double answer;
    static const char *missing;
    const size_t number[NUMBERS] = {set->count, set->keys, set->heads, set->kv_heads, set->dim};
    if (memcmp(asked, number, sizeof asked) != 0) {
        memcpy(asked, number, sizeof asked);
        answer = 0;
        missing = ask(number, &answer);
    }
    *seconds = answer;
    return missing;
}
