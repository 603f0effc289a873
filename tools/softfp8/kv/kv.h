/* SPDX-License-Identifier: MIT */
/* kv.h -- the subcommands of softfp8 kv; their names are "kv chain", as messages have them */
#ifndef SOFTFP8_KV_CLI_H
#define SOFTFP8_KV_CLI_H

#include "cli/cli.h"

extern const command kv_bytes, kv_chain, kv_doctor, kv_inspect;

#endif
