/* SPDX-License-Identifier: MIT */
/* unit.c -- a matrix unit by its name, its formats and changes of its parameters */
#include "cli/options.h"
#include "mma/mma.h"

#include <string.h>

/* The formats that the rows of a unit take, for a message. */
static _Noreturn void wrong_formats(const char *unit, const char *a, const char *b, const char *out)
{
    char taken[256] = "";
    const sf8_mma_row *row;
    for (size_t i = 0; (row = sf8_mma_at(i)) != NULL; i++) {
        size_t used = strlen(taken);
        if (strcmp(row->unit, unit) == 0 &&
            used + strlen(row->operands) + strlen(row->out) + 8 < sizeof taken) {
            strcat(taken, used ? "; " : "");
            strcat(taken, row->operands);
            strcat(taken, " to ");
            strcat(taken, row->out);
        }
    }
    fail("%s cannot multiply %s and %s to %s; it can do %s", unit, a, b, out, taken);
}

sf8_mma mma_unit_of(const char *unit, const char *a, const char *b, const char *out)
{
    sf8_mma m;
    sf8_status status = sf8_mma_named(&m, unit, format_of_name(a), format_of_name(b),
                                      format_of_name(out));
    if (status == SF8_UNKNOWN_NAME)
        mma_unknown_unit(unit);
    if (status != SF8_OK)
        wrong_formats(unit, a, b, out);
    return m;
}

void mma_change_unit(sf8_mma *m, const char *unit, const char *name, const char *value)
{
    sf8_status status = sf8_mma_set(m, name, value);
    if (status == SF8_UNKNOWN_NAME)
        fail("%s=%s: expected lowering, fraction, zero, length, sum, round, order, underflow, "
             "cut, products",
             name, value);
    if (status != SF8_OK)
        fail("%s=%s is not possible for %s", name, value, unit);
}
