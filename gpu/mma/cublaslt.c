/* SPDX-License-Identifier: MIT */
/* cublaslt.c -- finds and loads the library cuBLASLt while the program runs */
#include "mma/cublaslt.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH = 4096 };

static void *load(const char *path)
{
    return *path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
}

static void *load_named(const char *named, const char *name)
{
    char path[PATH];
    snprintf(path, sizeof path, "%s/%s", named, name);
    void *handle = load(path);
    return handle || !strchr(named, '/') ? handle : load(named);
}

/* NVIDIA's packages of PyPI have it in nvidia/cu13/lib. A folder nvidia/ where the program was
 * started is not looked at. */
static void *load_of_python(const char *name)
{
    char command[PATH], path[PATH];
    void *handle = NULL;
    snprintf(command, sizeof command,
             "cd / && python3 -c 'import glob, sys\n"
             "for p in sys.path[1:]:\n"
             "    print(*glob.glob(p + \"/nvidia/*/lib/%s\"), sep=\"\\n\")' 2> /dev/null",
             name);
    FILE *paths = popen(command, "r");
    while (paths && !handle && fgets(path, sizeof path, paths)) {
        path[strcspn(path, "\n")] = 0;
        handle = load(path);
    }
    if (paths)
        pclose(paths);
    return handle;
}

void *gpu_cublaslt_load(const char *name, const char *built, char *why, size_t size)
{
    const char *named = getenv("SOFTFP8_CUBLASLT");
    if (named && *named) {
        snprintf(why, size, "no cuBLASLt: SOFTFP8_CUBLASLT is %s; no %s can be loaded there", named,
                 name);
        return load_named(named, name);
    }
    snprintf(why, size,
             "no cuBLASLt: %s was looked for in the library path, %s%sthe packages of python3; "
             "SOFTFP8_CUBLASLT can name its folder",
             name, built, *built ? ", " : "");
    void *handle = load(name);
    handle = handle ? handle : load(built);
    return handle ? handle : load_of_python(name);
}
