/* SPDX-License-Identifier: MIT */
/* fuzz_torch.c -- files of torch.save: any bytes give tensors inside of them, or are refused */
#include "files/torch_file.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    torch_file file = {.count = 0};
    input_error error;
    int good = torch_read((const char *)data, size, &file, &error);
    if (good ? file.count == 0 : !error.text[0])
        abort();
    for (size_t i = 0; i < file.count; i++)
        if (file.tensor[i].begin > size || file.tensor[i].bytes > size - file.tensor[i].begin)
            abort();
    free(file.tensor);
    return 0;
}
