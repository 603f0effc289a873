/* SPDX-License-Identifier: MIT */
/* kv.c -- softfp8 kv: KV caches: the list of its subcommands */
#include "kv/kv.h"

static const command *const verbs[] = {&kv_chain, &kv_doctor, &kv_inspect, &kv_bytes, NULL};

const command command_kv = {
    .name = "kv",
    .purpose = "Checks the scale of a KV cache, its codes, and its size.",
    .example = "  $ softfp8 kv doctor --scale 0.025 k.npy\n",
    .about = "'softfp8 kv doctor --help' shows the options of kv doctor, and so on.",
    .verbs = verbs,
};
