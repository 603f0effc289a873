/* SPDX-License-Identifier: MIT */
/* torch.c -- how long PyTorch takes for the attention that a case times, if it is installed */
#include "families/attend/device.h"
#include "suite/python.h"

#include <stdlib.h>
#include <string.h>

enum { LIMIT = 100, LINE_MOST = 4096 };

const char *attend_torch_seconds(const attend_set *set, double *seconds)
{
    static const char *const pieces[PYTHON_PIECES] = {"torch_speed"};
    const size_t number[5] = {set->count, set->keys, set->heads, set->kv_heads, set->dim};
    char text[5][24], folder[PYTHON_PATH], why[CONFORM_TEXT], *end = NULL;
    const char *arguments[PYTHON_ARGUMENTS] = {NULL};
    size_t size;
    *seconds = 0;
    for (size_t i = 0; i < 5; i++) {
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
