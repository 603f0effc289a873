/* SPDX-License-Identifier: MIT */
/* kv.c -- softfp8 kv: caches of keys and values, the list of its subcommands */
#include "kv/kv.h"

static const command *const verbs[] = {&kv_chain, &kv_doctor, &kv_bytes, NULL};

const command command_kv = {
    .name = "kv",
    .purpose = "Examines caches of keys and values in FP8, and their failures.",
    .example = "  $ softfp8 kv doctor --scale 0.025 k.npy\n",
    .about = "'softfp8 kv chain --help' and so on show the options.",
    .verbs = verbs,
};
