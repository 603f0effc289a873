/* SPDX-License-Identifier: MIT */
/* cases.c -- rows: the kernels of KV caches, by each layout that they take
 *
 * The list of kernels is that of the device, so the rows are made of it, once.
 */
#include "families/kv/kv.h"

enum { ROWS = 512, NAME = 96 };

static conform_case rows[ROWS];
static char names[ROWS][NAME];
static size_t count;

static void make_rows(void)
{
    size_t kernels;
    const gpu_kv_kernel *k = gpu_kv_kernels(&kernels);
    for (size_t i = 0; i < kernels; i++)
        for (uint32_t place = 0; place < KV_PLACES && count < ROWS; place++) {
            if (!kv_takes(&k[i], (kv_place)place))
                continue;
            snprintf(names[count], NAME, "%s/%s", k[i].name, kv_places[place]);
            conform_case row = {
                names[count], k[i].name,   PLACE_DEVICE, DOMAIN_KV, {{NULL, NULL, NULL}}, 0,
                NULL,         SLICES_NONE, place};
            rows[count++] = row;
        }
}

size_t kv_case_count(void)
{
    if (count == 0)
        make_rows();
    return count;
}

const conform_case *kv_case_at(size_t i)
{
    return i < kv_case_count() ? &rows[i] : NULL;
}
