/* SPDX-License-Identifier: MIT */
/* kv.c -- softfp8 kv: caches of keys and values; finds the subcommand and calls it */
#include "kv/kv.h"

#include <string.h>

static const char help[] =
    "softfp8 kv chain [options]\n"
    "softfp8 kv doctor [options] FILE...\n"
    "softfp8 kv bytes --layers L --heads H --size S [options]\n"
    "\n"
    "Caches of keys and values in FP8, and what goes wrong with them. Each of these\n"
    "has a help of its own.\n"
    "\n"
    "chain: from one locked scale to \"!!!!!!\", link by link, and the cures\n"
    "  --values A,V,...   amax of the first request; values that come later\n"
    "  --policy P         satfinite or nosat\n"
    "  --order O --eps E  of the variance: sequential, warp, block, tree ...; 1e-12\n"
    "  --link N           one link alone\n"
    "  --json             the same as JSON\n"
    "\n"
    "doctor: what becomes of the values of a tensor, and which scale would do\n"
    "  --scale S, --per-head-scales S,S,..., --recipe NAME --g G, --to, --policy\n"
    "  --heads H --from FORMAT --shape T,H,S    of the tensor\n"
    "  --all --one-pass --piece TOKENS --json FILE --svg FILE --progress\n"
    "\n"
    "bytes: how many a token takes, by each type of cache\n"
    "  --latent N --rope R --type NAME --tokens N --memory BYTES --json\n";

static const command *const verbs[] = {&kv_chain, &kv_doctor, &kv_bytes};

enum { VERBS = sizeof verbs / sizeof verbs[0] };

/* Without "kv ". */
static const char *verb_name_at(size_t i)
{
    return i < VERBS ? verbs[i]->name + 3 : NULL;
}

static int run(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    char names[256] = "";
    for (size_t i = 0; i < VERBS; i++) {
        if (strcmp(what, verb_name_at(i)) == 0) {
            fail_as(verbs[i]->name);
            return verbs[i]->run(argc - 1, argv + 1);
        }
        strcat(strcat(names, " "), verb_name_at(i));
    }
    arguments a = arguments_of(argc, argv);
    while (arguments_next(&a))
        argument_help(&a, &command_kv);
    const char *near = *what ? nearest_name(what, verb_name_at) : NULL;
    if (near)
        fail("no '%s'; did you mean '%s'?", what, near);
    fail("expected one of%s%s%s", names, *what ? ", not " : "", what);
}

const command command_kv = {"kv", "caches of keys and values, and their failures", help, run};
