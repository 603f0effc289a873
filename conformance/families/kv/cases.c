/* SPDX-License-Identifier: MIT */
/* cases.c -- rows: the kernels of KV caches, as the device lists them, by each layout they take */
#include "families/kv/kv.h"

static void cases(case_list *list)
{
    size_t kernels;
    const gpu_kv_kernel *k = gpu_kv_kernels(&kernels);
    for (size_t i = 0; i < kernels; i++)
        for (uint32_t place = 0; place < KV_PLACES; place++) {
            const conform_case c = {.subject = k[i].name, .family = &kv_family, .rbits = place};
            if (kv_takes(&k[i], (kv_place)place))
                case_list_add(list, c, "%s/%s", k[i].name, kv_places[place]);
        }
}

const conform_family kv_family = {.name = "kv",
                                  .begins = "kv-store kv-gather",
                                  .inputs = "tokens",
                                  .subjects = "the kernel",
                                  .against = "the library's images",
                                  .timed = 1,
                                  .on_device = 1,
                                  .cases = cases,
                                  .run = kv_run,
                                  .replay = kv_replay};
