/* SPDX-License-Identifier: MIT */
/* families.c -- the rows of all families of cases, one after the other */
#include "suite/cases.h"

#include "families/attend/device.h"
#include "families/kv/kv.h"
#include "families/merge/device.h"
#include "families/mma/mma.h"

const conform_case *families_at(size_t i)
{
    const struct {
        const conform_case *rows;
        size_t count;
    } families[] = {
        {cuda_host_cases, cuda_host_count},
        {cuda_device_cases, cuda_device_count},
        {ptx_cases, ptx_count},
        {array_cases, array_count},
        {block_cases, block_count},
        {silicon_cases, silicon_count},
        {chain_cases, chain_count},
        {caches_cases, caches_count},
        {libs_cases, libs_count},
    };
    for (size_t k = 0; k < sizeof families / sizeof families[0]; k++) {
        if (i < families[k].count)
            return &families[k].rows[i];
        i -= families[k].count;
    }
    size_t kv = kv_case_count(), attends = attend_case_count();
    if (i < kv + attends)
        return i < kv ? kv_case_at(i) : attend_case_at(i - kv);
    i -= kv + attends;
    return i < merge_case_count() ? merge_case_at(i) : mma_case_at(i - merge_case_count());
}
