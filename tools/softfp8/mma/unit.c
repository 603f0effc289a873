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

/* Why sf8_mma_set refused a value: a rule that the unit does not have, or the values that it takes.
 */
static const char *why_refused(const sf8_mma *m, const char *name)
{
    static const struct {
        const char *name, *values;
    } rules[] = {{"lowering", "; expected chain or independent"},
                 {"underflow", "; expected signed or positive"},
                 {"cut", "; expected zero or down"},
                 {"products", "; expected raw or normalised"},
                 {"sum", "; expected the format of the result, or e8m1 to e8m22 where that is f32"},
                 {"length", "; expected 1 to 64"},
                 {"order", "; expected fused, chain, independent, two-stage or interleaved"},
                 {"round", "; expected rne, rna, rz, ru, rd, ro or rnz"},
                 {"zero", "; expected -300 to 0"},
                 {"fraction", "; expected 1 to 40"}};
    int lowered = m->order == SF8_MMA_CHAIN || m->order == SF8_MMA_INDEPENDENT;
    size_t i = 0;
    if (strcmp(name, "lowering") == 0 && !lowered)
        return ": it does not compute in two halves";
    if (strcmp(name, "length") == 0 && (lowered || m->group))
        return lowered ? ": it computes in two halves of fixed length"
                       : ": its groups of products have a fixed length";
    if (strcmp(name, "order") == 0 && m->scale_block)
        return ": a unit with block scales has a fixed order";
    while (strcmp(rules[i].name, name) != 0)
        i++;
    return rules[i].values;
}

void mma_change_unit(sf8_mma *m, const char *unit, const char *name, const char *value)
{
    sf8_status status = sf8_mma_set(m, name, value);
    if (status == SF8_UNKNOWN_NAME)
        fail("%s=%s: expected lowering, fraction, zero, length, sum, round, order, underflow, "
             "cut, products",
             name, value);
    if (status != SF8_OK)
        fail("%s=%s is not possible for %s%s", name, value, unit, why_refused(m, name));
}

sf8_format mma_stored_format(const mma_row *row)
{
    return row->stored == MMA_STORED_BF16  ? SF8_BF16
           : row->stored == MMA_STORED_F16 ? SF8_F16
                                           : row->m.out;
}
