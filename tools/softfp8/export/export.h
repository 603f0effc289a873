/* SPDX-License-Identifier: MIT */
/* export.h -- the subcommands of softfp8 export */
#ifndef SOFTFP8_EXPORT_H
#define SOFTFP8_EXPORT_H

#include "cli/options.h"

extern const command export_p3109; /* p3109.c */
extern const command export_smt;   /* smt.c */

#endif
