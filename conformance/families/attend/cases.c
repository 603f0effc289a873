/* SPDX-License-Identifier: MIT */
/* cases.c -- rows: the kernels of attention
 *
 * The list of kernels is that of the device, so the rows are made of it, once.
 */
#include "families/attend/device.h"

enum { ROWS = 64, NAME = 96 };

static conform_case rows[ROWS];
static char names[ROWS][NAME];
static size_t count;

static void make_rows(void)
{
    size_t kernels;
    const gpu_attend_kernel *k = gpu_attends(&kernels);
    for (; count < kernels && count < ROWS; count++) {
        snprintf(names[count], NAME, "attend-device%s", k[count].name + sizeof "attend" - 1);
        conform_case row = {names[count],  k[count].name,        PLACE_DEVICE,
                            DOMAIN_ATTEND, {{NULL, NULL, NULL}}, 0,
                            NULL,          SLICES_NONE,          0};
        rows[count] = row;
    }
}

size_t attend_case_count(void)
{
    if (count == 0)
        make_rows();
    return count;
}

const conform_case *attend_case_at(size_t i)
{
    return i < attend_case_count() ? &rows[i] : NULL;
}
