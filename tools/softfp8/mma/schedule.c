/* SPDX-License-Identifier: MIT */
/* schedule.c -- softfp8 mma --schedule: sums over a long K as kernels put them together */
#include "mma/schedule.h"
#include "cli/text_table.h"
#include "diagnose/mma/rows.h"
#include "diagnose/mma/schedules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- schedules ------------------------------------------------------------------------------- */

static const char *schedule_at(size_t i)
{
    const sf8_mma_schedule_row *s = sf8_mma_schedule_at(i);
    return s ? s->name : NULL;
}

const sf8_mma_schedule_row *mma_schedule_named(const char *name)
{
    const sf8_mma_schedule_row *s;
    for (size_t i = 0; (s = sf8_mma_schedule_at(i)) != NULL; i++)
        if (strcmp(s->name, name) == 0)
            return s;
    const char *near = nearest_name(name, schedule_at);
    if (near)
        fail("no schedule '%s'; did you mean '%s'?", name, near);
    fail("no schedule '%s'; 'softfp8 mma --list' lists them", name);
}

void mma_schedule_begin(mma_row *row, const sf8_mma_schedule_row *s)
{
    row->scheduled = 1;
    row->schedule.promote = s->promote;
    row->schedule.splits = s->splits;
    row->schedule.scaling = s->scaling;
}

static size_t number_of(const char *name, const char *value, size_t least, size_t most)
{
    char *end;
    unsigned long n = strtoul(value, &end, 10);
    if (value[0] < '0' || value[0] > '9' || *end || n < least || n > most)
        fail("--set %s=%s: expected a number from %zu to %zu", name, value, least, most);
    return (size_t)n;
}

int mma_schedule_set(mma_row *row, const char *name, const char *value)
{
    if (strcmp(name, "promote") == 0)
        row->schedule.promote = number_of(name, value, 0, 1024);
    else if (strcmp(name, "splits") == 0)
        row->schedule.splits = number_of(name, value, 1, 1024);
    else if (strcmp(name, "scales") == 0) {
        uint32_t i = 0;
        while (i < MMA_SCALINGS && strcmp(mma_scalings[i], value) != 0)
            i++;
        if (i == MMA_SCALINGS)
            fail("--set scales=%s: expected none, product-first or sum-first", value);
        row->schedule.scaling = i;
    } else {
        return 0;
    }
    return 1;
}

int mma_schedule_sum(mma_row *row, const char **expected)
{
    sf8_mma_operands x = {row->a, row->b, row->scale_a, row->scale_b};
    row->schedule.scale_a = row->words_a;
    row->schedule.scale_b = row->words_b;
    *expected = "a K that the schedule can divide into its splits, each of whole chains";
    return sf8_mma_matmul(&row->m, &row->schedule, &row->d, &row->c, x, 1, 1, row->k) == SF8_OK;
}

void mma_schedule_list(void)
{
    const sf8_mma_schedule_row *s;
    text_table *table = text_table_new("%-17s %-13s %7s %6s %s");
    text_table_row(table, "schedule\tunit\tpromote\tsplits\tscales");
    for (size_t i = 0; (s = sf8_mma_schedule_at(i)) != NULL; i++) {
        text_table_row(table, "%s\t%s\t%zu\t%zu\t%s", s->name, s->unit, s->promote, s->splits,
                       mma_scalings[s->scaling]);
        text_table_row(table, "  %s", s->source);
        if (*s->open)
            text_table_row(table, "  open: %s", s->open);
    }
    printf("\n");
    text_table_print(table, stdout);
    printf("\npromote: after this many instructions the sum is added to a second accumulator by "
           "IEEE 754\noperations; 0 means never.\n");
}

/* ---- vectors that distinguish them ------------------------------------------------------------
 */

enum { MOST_K = 2048, STEP = 32 };

/* 1.227174639701843, 1.682705283164978 */
static const uint32_t scale_a = 0x3f9d140f, scale_b = 0x3fd762e3;

/* The word by one schedule, and which of the known ones that is. */
static void print_word(output *out, mma_row *row, size_t promote, size_t splits, uint32_t scaling)
{
    const sf8_mma_schedule_row *s;
    const char *expected;
    row->schedule.promote = promote;
    row->schedule.splits = splits;
    row->schedule.scaling = scaling;
    if (!mma_schedule_sum(row, &expected))
        return;
    output_print(out, "#   %08x promote=%zu splits=%zu", (unsigned)row->d, promote, splits);
    if (scaling)
        output_print(out, " scales=%s", mma_scalings[scaling]);
    for (size_t i = 0; (s = sf8_mma_schedule_at(i)) != NULL; i++)
        if (s->promote == promote && s->splits == splits && s->scaling == scaling)
            output_print(out, " %s", s->name);
    output_print(out, "\n");
}

/* 2^14 in the first instruction, -2^14 in the last, 1 in each between: beside 2^14 all below 2 is
 * lost, so that the sum counts the instructions that were not in a chain with either. */
static void print_ladder(output *out, mma_row *row, uint8_t *a, uint8_t *b, size_t k)
{
    memset(a, 0, k);
    memset(b, 0, k);
    for (size_t at = 0; at < k; at += STEP)
        a[at] = b[at] = 0x38;
    a[0] = b[0] = a[k - STEP] = 0x70;
    b[k - STEP] = 0xf0;
    row->k = k;
    output_print(out,
                 "# ladder, K %zu: 2^14 in the first instruction, -2^14 in the last, 1 in each "
                 "between\n",
                 k);
    for (size_t promote = 0; promote <= 16; promote = promote ? 2 * promote : 1)
        print_word(out, row, promote, 1, SF8_MMA_UNSCALED);
    for (size_t splits = 2; splits <= 8; splits *= 2)
        print_word(out, row, 0, splits, SF8_MMA_UNSCALED);
    mma_print_codes(out, row->m.a, a, k);
    mma_print_codes(out, row->m.b, b, k);
    output_print(out, "%08x\n", 0u);
}

/* 3.515625 and two scales: each order of the products rounds to another word. */
static void print_scales(output *out, mma_row *row, uint8_t *a, uint8_t *b)
{
    size_t k = 4 * STEP;
    memset(a, 0, k);
    memset(b, 0, k);
    a[0] = b[0] = 0x3f;
    row->k = k;
    row->words_a[0] = scale_a;
    row->words_b[0] = scale_b;
    output_print(out, "# scales, K %zu: 3.515625 and a scale each\n", k);
    print_word(out, row, 4, 1, SF8_MMA_SCALES_FIRST);
    print_word(out, row, 4, 1, SF8_MMA_SUM_FIRST);
    mma_print_codes(out, row->m.a, a, k);
    mma_print_codes(out, row->m.b, b, k);
    output_print(out, "%08x %08x %08x\n", (unsigned)scale_a, (unsigned)scale_b, 0u);
}

void mma_schedule_probe(output *out, const mma_row *given)
{
    static uint8_t a[MOST_K], b[MOST_K];
    static uint32_t words[2];
    mma_row row = *given;
    row.a = a;
    row.b = b;
    row.words_a = &words[0];
    row.words_b = &words[1];
    row.c = 0;
    output_print(out, "# %s: the results of each schedule; rows with scales are 'a b sa sb c'\n",
                 row.unit);
    print_ladder(out, &row, a, b, 1024);
    print_ladder(out, &row, a, b, 2048);
    print_scales(out, &row, a, b);
}

/* ---- which schedule gave these words? -------------------------------------------------------- */

enum { SHOWN = 8 };

/* The schedules that are known by a name. */
static void print_known(output *out, const char *unit, const mma_schedule_trial *t)
{
    const sf8_mma_schedule_row *s;
    size_t at = 0, shown = 0;
    while ((s = mma_schedule_known(t->other ? t->other : unit, &t->schedule, &at)) != NULL)
        output_print(out, "%s%s", shown++ ? ", " : ": ", s->name);
    output_print(out, "\n");
}

int mma_schedule_identify(output *out, const mma_row *row, const mma_list_of_rows *list)
{
    const mma_scheduled_rows rows = {list->row, (const uint32_t *const *)list->words_a,
                                     (const uint32_t *const *)list->words_b, list->count};
    mma_schedules *found = allocate(1, sizeof *found);
    mma_schedules_try(&cli_search, found, row->unit, &row->m, &row->schedule, &rows);
    size_t held = found->explained, shown = 0;
    output_print(out, "the schedule explains %zu of %zu rows\n", held, list->count);
    size_t least = found->trial[0].explained == list->count ? list->count : held + 1;
    for (size_t i = 0; i < found->count && held < list->count && shown < SHOWN; i++) {
        const mma_schedule_trial *t = &found->trial[i];
        if (t->explained < least)
            break;
        output_print(out, shown++                       ? ""
                          : t->explained == list->count ? "explained by\n"
                                                        : "no schedule explains all; the best\n");
        output_print(out, "  %zu of %zu  %s", t->explained, list->count, t->name);
        print_known(out, row->unit, t);
    }
    if (!shown && held < list->count)
        output_print(out, "none of the %zu schedules that were tried explains more\n",
                     found->count);
    free(found);
    return held == list->count ? STATUS_HELD : STATUS_MISMATCH;
}
