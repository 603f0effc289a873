/* SPDX-License-Identifier: MIT */
/* steps_file.c -- reading a step table from a file */
#include "files/steps_file.h"

#include <stdlib.h>

enum { STEPS_FILE_MOST = 1 << 30 };

steps_file steps_file_read(const char *path)
{
    steps_file file;
    sf8_text_error error;
    size_t size;
    char *text = input_whole(path, &size, STEPS_FILE_MOST);
    sf8_status status = sf8_steps_read(text, size, &file.head, NULL, 0, &file.count, &error);
    file.steps = allocate(file.count, sizeof file.steps[0]);
    if (status == SF8_NO_ROOM)
        status = sf8_steps_read(text, size, &file.head, file.steps, file.count, &file.count,
                                &error);
    if (status != SF8_OK)
        fail_at(input_name(path), error.line, "expected %s", error.expected);
    free(text);
    return file;
}

uint64_t steps_file_last(const steps_file *file, size_t i)
{
    if (i + 1 < file->count)
        return file->steps[i + 1].first - 1;
    return sf8_format_code_mask(file->head.from);
}
