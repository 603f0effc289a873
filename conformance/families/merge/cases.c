/* SPDX-License-Identifier: MIT */
/* cases.c -- rows: the kernels that join parts of attention
 *
 * The list of kernels is that of the device, so the rows are made of it, once.
 */
#include "families/merge/device.h"

enum { ROWS = 32, NAME = 96 };

static conform_case rows[ROWS];
static char names[ROWS][NAME];
static size_t count;

static void make_rows(void)
{
    size_t kernels;
    const gpu_merge_kernel *k = gpu_merges(&kernels);
    for (; count < kernels && count < ROWS; count++) {
        snprintf(names[count], NAME, "merge-device%s", k[count].name + sizeof "merge" - 1);
        conform_case row = {names[count], k[count].name,        PLACE_DEVICE,
                            DOMAIN_MERGE, {{NULL, NULL, NULL}}, 0,
                            NULL,         SLICES_NONE,          0};
        rows[count] = row;
    }
}

size_t merge_case_count(void)
{
    if (count == 0)
        make_rows();
    return count;
}

const conform_case *merge_case_at(size_t i)
{
    return i < merge_case_count() ? &rows[i] : NULL;
}
