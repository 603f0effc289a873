/* SPDX-License-Identifier: MIT */
/* kv_chain.c -- softfp8 kv chain: from one locked scale to "!!!!!!", link by link */
#include "kv.h"

static const char help[] = "softfp8 kv chain [options]\n";

static int run(int argc, char **argv)
{
    arguments a = arguments_of(argc, argv);
    while (arguments_next(&a)) {
        if (argument_help(&a, &kv_chain))
            continue;
        argument_unknown(&a);
    }
    fail("not there yet");
}

const command kv_chain = {"kv chain", "from one locked scale to \"!!!!!!\"", help, run};
