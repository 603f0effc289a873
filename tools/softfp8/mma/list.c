/* SPDX-License-Identifier: MIT */
/* list.c -- softfp8 mma --list: the units, and what they rest on */
#include "cli/text_table.h"
#include "mma/schedule.h"

#include <stdio.h>
#include <string.h>

static text_table *new_table(void)
{
    text_table *c = text_table_new("%-17s %-24s %-3s %2s %3s %4s %4s %-6s %-3s %-4s %-11s %s");
    text_table_row(c, "unit\toperands\tout\tk\tsum\tbits\tzero\tresult\trnd\ttiny\torder\tevidence");
    return c;
}

static void add_row(text_table *c, const sf8_mma_row *row)
{
    text_table_row(c, "%s\t%s\t%s\t%d\t%d\t%d\t%d\t%s\t%s\t%s\t%s\t%s", row->unit, row->operands,
                   row->out, (int)row->k, (int)row->length, (int)row->fraction, (int)row->zero,
                   row->sum, row->round, strcmp(row->underflow, "positive") == 0 ? "+0" : "-0",
                   row->order, sf8_evidence_name(sf8_evidence_rank(row->evidence)));
}

const char *mma_unit_at(size_t i)
{
    const sf8_mma_row *row = sf8_mma_at(i);
    return row ? row->unit : NULL;
}

void mma_unknown_unit(const char *name)
{
    char several[256];
    const char *near = nearest_name(name, mma_unit_at);
    if (near)
        fail("no unit '%s'; did you mean '%s'?", name, near);
    names_beginning(name, mma_unit_at, several);
    if (several[0])
        fail("no unit '%s'; those that begin so are %s", name, several);
    fail("no unit '%s'; 'softfp8 mma --list' lists them", name);
}

/* What a line of the table does not say. */
static void print_more(const sf8_mma_row *row)
{
    printf("  %s to %s\n    product      %s\n    versions     %s\n    instruction  %s\n"
           "    evidence     %s\n",
           row->operands, row->out, row->product, row->versions, row->source, row->evidence);
    if (*row->open)
        printf("    open         %s\n", row->open);
    if (row->scale_block)
        printf("    scales       %s, one per %d elements\n", row->scale, (int)row->scale_block);
    if (row->group)
        printf("    groups       %d products are summed exactly, then scaled\n", (int)row->group);
}

void mma_list(const char *unit)
{
    const sf8_mma_row *row;
    text_table *table = new_table();
    int found = 0;
    for (size_t i = 0; (row = sf8_mma_at(i)) != NULL; i++) {
        if (unit && strcmp(unit, row->unit) != 0)
            continue;
        add_row(table, row);
        found = 1;
    }
    if (!found)
        mma_unknown_unit(unit);
    text_table_print(table, stdout);
    if (!unit) {
        printf("\nk: products per instruction; sum: products added at once; bits: bits that a term "
               "keeps below the\nlargest exponent; zero: the exponent of a zero; tiny: the zero that a "
               "negative sum rounds to;\n+: any two of the formats. --list UNIT shows the "
               "source.\n");
        mma_schedule_list();
        return;
    }
    printf("\n");
    for (size_t i = 0; (row = sf8_mma_at(i)) != NULL; i++)
        if (strcmp(unit, row->unit) == 0)
            print_more(row);
}
