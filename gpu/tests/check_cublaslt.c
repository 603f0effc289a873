/* SPDX-License-Identifier: MIT */
/* check_cublaslt.c -- prints which library is found: check_cublaslt NAME [BUILT] */
#include "mma/cublaslt.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    char why[512];
    struct link_map *map;
    if (argc < 2)
        return 2;
    void *handle = gpu_cublaslt_load(argv[1], argc > 2 ? argv[2] : "", why, sizeof why);
    if (!handle)
        puts(why);
    else if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0)
        puts(map->l_name);
    return handle == NULL;
}
