/* SPDX-License-Identifier: MIT */
/* peers.c -- softfp8-bench --peers: other libraries beside softfp8, by the Python of an environment
 *
 * The program is conformance/families/libraries/python/peers.py. It loads libsoftfp8 and the other
 * libraries into one process.
 */
#include "bench.h"
#include "cli/options.h"
#include "suite/python.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PEERS_PATH = 4096, PEERS_LIMIT = 3600 /* seconds */, PEERS_OUTPUT = 1 << 20 };

/* The folder's python3 comes first on the PATH. */
static void use_environment(const char *folder)
{
    char programs[PEERS_PATH], *whole = realpath(folder, NULL);
    const char *path = getenv("PATH");
    if (!whole)
        fail("--peers %s: no such folder", folder);
    snprintf(programs, sizeof programs, "%.3000s/bin/python3", whole);
    free(whole);
    if (access(programs, X_OK) != 0)
        fail("--peers %s: no program bin/python3 in it", folder);
    programs[strlen(programs) - strlen("/python3")] = 0;
    size_t size = strlen(programs) + (path ? strlen(path) : 0) + 2;
    char *both = allocate(size, 1);
    snprintf(both, size, "%s:%s", programs, path ? path : "");
    if (setenv("PATH", both, 1) != 0)
        fail("not enough memory");
    free(both);
}

static void list_sizes(const bench_options *o, char *text, size_t size)
{
    static const uint64_t usual[] = {1000, 1000000, 10000000};
    const uint64_t *n = o->sizes ? o->size : usual;
    int count = o->sizes ? o->sizes : o->quick ? 1 : 3;
    for (int i = 0, used = 0; i < count; i++)
        used += snprintf(text + used, size - (size_t)used, "%s%llu", i ? "," : "",
                         (unsigned long long)n[i]);
}

/* Where libsoftfp8 is looked for: at a path that a variable names, or beside this program. */
static void find_library(char library[PEERS_PATH], char self[PEERS_PATH])
{
    const char *named = getenv("SOFTFP8_LIBRARY");
    char *whole = named && *named ? realpath(named, NULL) : NULL;
    if (named && *named && !whole)
        fail("SOFTFP8_LIBRARY %s: no such file", named);
    snprintf(library, PEERS_PATH, "%.4000s", whole ? whole : "-");
    free(whole);
    ssize_t length = readlink("/proc/self/exe", self, PEERS_PATH - 1);
    self[length > 0 ? length : 0] = 0;
}

static void refuse_others(void)
{
    static const char *const others[] = {"list", "only", "all", "data", "json", "svg"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (option_was_given(others[i]))
            fail("--%s does not go with --peers", others[i]);
}

int bench_peers(const bench_options *o)
{
    static const char *const pieces[PYTHON_PIECES] = {"peers"};
    char folder[PYTHON_PATH], sizes[512], rounds[16], why[512];
    char library[PEERS_PATH], self[PEERS_PATH];
    refuse_others();
    use_environment(o->peers);
    list_sizes(o, sizes, sizeof sizes);
    find_library(library, self);
    snprintf(rounds, sizeof rounds, "%d", o->repeats ? o->repeats : o->quick ? 3 : 15);
    const char *const arguments[PYTHON_ARGUMENTS] = {library, self, rounds, sizes};
    if (!python_folder(folder))
        fail("no folder for python3");
    const char *failed = python_run(folder, pieces, arguments, PEERS_LIMIT, why, sizeof why);
    size_t length;
    char *text = failed ? NULL : python_read(folder, "stdout", PEERS_OUTPUT, &length);
    python_folder_remove(folder);
    if (failed)
        fail("--peers %s: %s", o->peers, failed);
    output *out = output_open(NULL);
    output_print(out, "%s", text ? text : "");
    output_close(out);
    free(text);
    return STATUS_HELD;
}
