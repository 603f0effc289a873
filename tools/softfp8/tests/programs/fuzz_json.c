/* SPDX-License-Identifier: MIT */
/* fuzz_json.c -- files of JSON vectors: any bytes are checked, or refused with a line and a reason
 */
#include "vectors/json.h"

#include <stdlib.h>
#include <string.h>

static int count_difference(void *context, const char *id, const char *text)
{
    unsigned *differences = context;
    if (!*id || !*text)
        abort();
    return ++*differences > 100;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    unsigned differences = 0;
    size_t lines = 1;
    vectors_check check = {.differs = count_difference, .context = &differences};
    for (size_t i = 0; i < size; i++)
        lines += data[i] == '\n';
    int good = vectors_check_text(&check, (const char *)data, size);
    if (good == (check.expected[0] != '\0') || (!good && (!check.line || check.line > lines)))
        abort();
    return 0;
}
