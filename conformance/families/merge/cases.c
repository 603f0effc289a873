/* SPDX-License-Identifier: MIT */
/* cases.c -- rows: the kernels that join parts of attention, as the device lists them */
#include "families/merge/device.h"

static void cases(case_list *list)
{
    size_t kernels;
    const gpu_merge_kernel *k = gpu_merges(&kernels);
    for (; kernels > 0; kernels--, k++)
        case_list_add(list, (conform_case){.subject = k->name, .family = &merge_family},
                      "merge-device%s", k->name + sizeof "merge" - 1);
}

const conform_family merge_family = {.name = "merge",
                                     .begins = "merge-device",
                                     .inputs = "parts",
                                     .subjects = "the kernel",
                                     .against = "the library's results",
                                     .on_device = 1,
                                     .cases = cases,
                                     .run = merge_case_run,
                                     .replay = merge_replay};
