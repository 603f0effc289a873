/* SPDX-License-Identifier: MIT */
/* export.c -- softfp8 export: definitions of functions for other programs: the list of its
 * subcommands */
#include "export/export.h"

static const command *const verbs[] = {&export_smt, NULL};

const command command_export = {
    .name = "export",
    .purpose = "Writes the definition of a conversion or operation for a solver.",
    .example = "  $ softfp8 export smt f32_to_e4m3 -o cast.smt2\n",
    .about = "'softfp8 export smt --help' shows the options of export smt.",
    .verbs = verbs,
};
