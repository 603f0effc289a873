/* SPDX-License-Identifier: MIT */
/* export.c -- softfp8 export: what softfp8 has, in the forms of other programs: the list of its
 * subcommands */
#include "export/export.h"

static const command *const verbs[] = {&export_smt, &export_p3109, NULL};

const command command_export = {
    .name = "export",
    .purpose = "Writes definitions for solvers, and declarations of P3109.",
    .example = "  $ softfp8 export smt f32_to_e4m3 -o cast.smt2\n",
    .about = "'softfp8 export smt --help' shows the options of export smt, and in the same way those "
             "of export p3109.",
    .verbs = verbs,
};
