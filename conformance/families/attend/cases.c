/* SPDX-License-Identifier: MIT */
/* cases.c -- rows: the kernels of attention, as the device lists them */
#include "families/attend/device.h"

static void cases(case_list *list)
{
    size_t kernels;
    const gpu_attend_kernel *k = gpu_attends(&kernels);
    for (; kernels > 0; kernels--, k++)
        case_list_add(list, (conform_case){.subject = k->name, .family = &attend_family},
                      "attend-device%s", k->name + sizeof "attend" - 1);
}

const conform_family attend_family = {.name = "attend",
                                      .begins = "attend-device",
                                      .inputs = "queries",
                                      .subjects = "the kernel",
                                      .against = "the library's results",
                                      .timed = 1,
                                      .on_device = 1,
                                      .cases = cases,
                                      .run = attend_case_run,
                                      .replay = attend_replay};
