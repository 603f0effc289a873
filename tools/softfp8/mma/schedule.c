/* SPDX-License-Identifier: MIT */
/* schedule.c -- softfp8 mma --schedule: sums over a long K as kernels put them together */
#include "mma/schedule.h"
#include "cli/text_table.h"
#include "search/mma_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- schedules ------------------------------------------------------------------------------- */

static const char *const scalings[] = {"none", "product-first", "sum-first"};

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
        while (i < 3 && strcmp(scalings[i], value) != 0)
            i++;
        if (i == 3)
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
    *expected = "as much of K as the schedule divides: so many splits, of whole stretches each";
    return sf8_mma_matmul(&row->m, &row->schedule, &row->d, &row->c, x, 1, 1, row->k) == SF8_OK;
}

void mma_schedule_list(void)
{
    const sf8_mma_schedule_row *s;
    text_table *table = text_table_new("%-17s %-13s %7s %6s %s");
    text_table_row(table, "schedule\tunit\tpromote\tsplits\tscales");
    for (size_t i = 0; (s = sf8_mma_schedule_at(i)) != NULL; i++) {
        text_table_row(table, "%s\t%s\t%zu\t%zu\t%s", s->name, s->unit, s->promote, s->splits,
                       scalings[s->scaling]);
        text_table_row(table, "  %s", s->source);
        if (*s->open)
            text_table_row(table, "  open: %s", s->open);
    }
    printf("\n");
    text_table_print(table, stdout);
    printf("\npromote: after so many instructions the sum goes to a second accumulator, by "
           "operations of IEEE 754;\n0: never.\n");
}

/* ---- vectors that tell them apart ------------------------------------------------------------ */

enum { MOST_K = 2048, STEP = 32 };

/* 1.227174639701843, 1.682705283164978 */
static const uint32_t scale_a = 0x3f9d140f, scale_b = 0x3fd762e3;

static void print_codes(output *out, const uint8_t *codes, size_t k)
{
    for (size_t i = 0; i < k; i++)
        output_print(out, "%02x", codes[i]);
    output_print(out, " ");
}

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
        output_print(out, " scales=%s", scalings[scaling]);
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
    print_codes(out, a, k);
    print_codes(out, b, k);
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
    print_codes(out, a, k);
    print_codes(out, b, k);
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
    output_print(out, "# %s: words by schedule; of a row with scales 'a b sa sb c'\n", row.unit);
    print_ladder(out, &row, a, b, 1024);
    print_ladder(out, &row, a, b, 2048);
    print_scales(out, &row, a, b);
}

/* ---- which schedule gave these words? -------------------------------------------------------- */

typedef struct trial {
    char name[64];
    size_t explained, changes;
} trial;

enum { TRIALS = 1024, SHOWN = 8 };

static size_t explained_by(mma_row *row, const mma_list_of_rows *list)
{
    size_t good = 0;
    for (size_t i = 0; i < list->count; i++) {
        const mma_result *r = &list->row[i];
        uint32_t d;
        row->schedule.scale_a = list->words_a[i];
        row->schedule.scale_b = list->words_b[i];
        good += sf8_mma_matmul(&row->m, &row->schedule, &d, &r->c, r->x, 1, 1, r->k) == SF8_OK &&
                d == r->d;
    }
    return good;
}

static int better_first(const void *a, const void *b)
{
    const trial *x = a, *y = b;
    if (x->explained != y->explained)
        return x->explained < y->explained ? 1 : -1;
    return x->changes < y->changes ? -1 : x->changes > y->changes;
}

static void try_schedules(trial *list, size_t *count, const mma_row *asked, const char *unit,
                          const sf8_mma *m, const mma_list_of_rows *rows)
{
    static const size_t promotes[] = {0, 1, 2, 4, 8, 16, 32}, splits[] = {1, 2, 4, 8};
    int scaled = asked->schedule.scaling != SF8_MMA_UNSCALED;
    for (size_t p = 0; p < sizeof promotes / sizeof promotes[0]; p++)
        for (size_t s = 0; s < sizeof splits / sizeof splits[0]; s++)
            for (uint32_t scaling = scaled ? SF8_MMA_SCALES_FIRST : SF8_MMA_UNSCALED;
                 scaling <= (scaled ? (uint32_t)SF8_MMA_SUM_FIRST : 0u) && *count < TRIALS;
                 scaling++) {
                mma_row row = *asked;
                trial *t = &list[*count];
                /* scales belong to stretches of a length */
                if (scaled && promotes[p] != asked->schedule.promote)
                    continue;
                row.m = *m;
                row.schedule.promote = promotes[p];
                row.schedule.splits = splits[s];
                row.schedule.scaling = scaling;
                int other = strcmp(unit, asked->unit) != 0;
                snprintf(t->name, sizeof t->name, "%s%s%spromote=%zu splits=%zu%s%s",
                         other ? "unit=" : "", other ? unit : "", other ? " " : "", promotes[p],
                         splits[s], scaled ? " scales=" : "", scaled ? scalings[scaling] : "");
                t->explained = explained_by(&row, rows);
                t->changes = (size_t)other + (promotes[p] != asked->schedule.promote) +
                             (splits[s] != asked->schedule.splits) +
                             (scaling != asked->schedule.scaling);
                ++*count;
            }
}

int mma_schedule_identify(output *out, const mma_row *row, const mma_list_of_rows *list)
{
    trial *trials = allocate(TRIALS, sizeof *trials);
    const sf8_mma_row *other;
    size_t count = 0, shown = 0;
    mma_row asked = *row;
    size_t held = explained_by(&asked, list);
    output_print(out, "the schedule explains %zu of %zu rows\n", held, list->count);
    try_schedules(trials, &count, row, row->unit, &row->m, list);
    for (size_t i = 0; (other = sf8_mma_at(i)) != NULL; i++) {
        sf8_mma m;
        if (strcmp(other->unit, row->unit) != 0 &&
            sf8_mma_read(&m, other, row->m.a, row->m.b, row->m.out) == SF8_OK &&
            m.scale_block == row->m.scale_block && memcmp(&m, &row->m, sizeof m) != 0)
            try_schedules(trials, &count, row, other->unit, &m, list);
    }
    qsort(trials, count, sizeof trials[0], better_first);
    size_t least = trials[0].explained == list->count ? list->count : held + 1;
    for (size_t i = 0; i < count && held < list->count && shown < SHOWN; i++) {
        if (trials[i].explained < least)
            break;
        output_print(out, shown++ ? "" : "explained by\n");
        output_print(out, "  %zu of %zu  %s\n", trials[i].explained, list->count, trials[i].name);
    }
    if (!shown && held < list->count)
        output_print(out, "explained by none of %zu schedules that were tried\n", count);
    free(trials);
    return held == list->count ? STATUS_HELD : STATUS_MISMATCH;
}
