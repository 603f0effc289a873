/* SPDX-License-Identifier: MIT */
/* help.c -- the option --help of every subcommand */
#include "cli/cli.h"
#include "files/io.h"

#include <stdlib.h>
#include <string.h>

int argument_help(const arguments *a, const command *c)
{
    if (!argument_flag(a, "help") && !argument_flag(a, "h"))
        return 0;
    output *out = output_open(NULL);
    output_write(out, c->help, strlen(c->help));
    output_close(out);
    exit(STATUS_HELD);
}
