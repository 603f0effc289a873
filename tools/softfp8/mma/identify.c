/* SPDX-License-Identifier: MIT */
/* identify.c -- softfp8 mma --diagnose: which rule gives the words that came? */
#include "mma/line.h"
#include "mma/mma.h"
#include "diagnose/mma/diagnose.h"
#include "vectors/unit_apart.h"

#include <stdlib.h>
#include <string.h>

enum { SHOWN = 8 };

static void *copy_of(const void *data, size_t size)
{
    void *copy = allocate(size ? size : 1, 1);
    memcpy(copy, data, size);
    return copy;
}

void mma_collect(mma_list_of_rows *list, const mma_row *row, uint64_t line)
{
    const sf8_mma *m = &row->m;
    size_t scales = m->scale_block ? row->k / (size_t)m->scale_block : 0;
    if (list->count == list->room) {
        list->room = list->room ? 2 * list->room : 1024;
        list->row = reallocate(list->row, list->room, sizeof list->row[0]);
        list->words_a = reallocate(list->words_a, list->room, sizeof list->words_a[0]);
        list->words_b = reallocate(list->words_b, list->room, sizeof list->words_b[0]);
    }
    size_t stretch = mma_stretch(row), words = stretch ? row->k / stretch + 1 : 0;
    list->words_a[list->count] = copy_of(row->words_a, words * sizeof row->words_a[0]);
    list->words_b[list->count] = copy_of(row->words_b, words * sizeof row->words_b[0]);
    mma_result *r = &list->row[list->count++];
    r->x.a = copy_of(row->a, row->k * sf8_mma_code_bytes(m->a));
    r->x.b = copy_of(row->b, row->k * sf8_mma_code_bytes(m->b));
    r->x.scale_a = copy_of(row->scale_a, scales);
    r->x.scale_b = copy_of(row->scale_b, scales);
    r->k = row->k;
    r->c = row->c;
    r->d = row->d;
    r->stored = row->stored;
    r->line = line;
}

void mma_free_rows(mma_list_of_rows *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const void *codes[] = {list->row[i].x.a, list->row[i].x.b, list->row[i].x.scale_a,
                               list->row[i].x.scale_b};
        for (size_t k = 0; k < sizeof codes / sizeof codes[0]; k++)
            free((void *)(uintptr_t)codes[k]);
        free(list->words_a[i]);
        free(list->words_b[i]);
    }
    free(list->words_a);
    free(list->words_b);
    free(list->row);
}

/* The first rows that differ, and the one with the fewest terms. */
static void show_rows(output *out, const mma_row *row, const mma_list_of_rows *list)
{
    int digits = word_digits(sf8_format_bits(mma_stored_format(row)));
    size_t shown = 0, least = SIZE_MAX;
    const mma_result *smallest = NULL;
    output_print(out, "  %-8s %-8s  %-8s  %s\n", "line", "given", "by unit", "nonzero terms");
    for (size_t i = 0; i < list->count; i++) {
        const mma_result *r = &list->row[i];
        uint32_t right = mma_store(r->stored, mma_model(&row->m, r));
        size_t live = mma_live(&row->m, r);
        if (right == r->d)
            continue;
        if (shown++ < SHOWN)
            output_print(out, "  %-8llu %0*x%*s  %0*x%*s  %zu\n", (unsigned long long)r->line,
                         digits, (unsigned)r->d, 8 - digits, "", digits, (unsigned)right,
                         8 - digits, "", live);
        smallest = live < least ? r : smallest;
        least = live < least ? live : least;
    }
    if (shown > SHOWN)
        output_print(out, "  and %zu more\n", shown - SHOWN);
    if (shown > 1)
        output_print(out, "  line %llu has the fewest terms, %zu\n",
                     (unsigned long long)smallest->line, least);
}

/* ---- rules that the rows do not tell apart ----------------------------------------------------
 */

static void print_apart(const char *path, const mma_row *row, const unit_apart *t)
{
    const sf8_format byte = sf8_format_named("e8m0", NULL);
    output *out = output_open(path);
    int digits = word_digits(sf8_format_bits(row->m.out));
    output_print(out,
                 "# %s, %s and %s to %s: rows that tell rules apart; run them, append each result, "
                 "and --diagnose them\n",
                 row->unit, row->a_name, row->b_name, row->out_name);
    for (size_t i = 0; i < t->rows; i++) {
        const mma_result *r = &t->row[i].x;
        size_t scales = row->m.scale_block ? r->k / (size_t)row->m.scale_block : 0;
        const void *scale[] = {r->x.scale_a, r->x.scale_b};
        mma_print_codes(out, row->m.a, r->x.a, r->k);
        mma_print_codes(out, row->m.b, r->x.b, r->k);
        for (int side = 0; scales && side < 2; side++)
            mma_print_codes(out, byte, scale[side], scales);
        output_print(out, "%0*x\n", digits, (unsigned)r->c);
    }
    output_close(out);
}

/* The result of unit_tell_apart, in words, and the rows to a file if one is named. */
static void report_apart(output *out, const mma_row *row, const unit_apart *t, const char *path)
{
    if (t->rows)
        output_print(out, "rows that tell them apart: %zu%s%s\n", t->rows,
                     path ? ", in " : "; --tell-apart FILE writes them", path ? path : "");
    if (path)
        print_apart(path, row, t);
}

/* The unit explains all rows. Others that do, too, are shown if some row tells them from it. */
static void show_others(output *out, const mma_row *row, const mma_list_of_rows *list,
                        const char *path)
{
    mma_rule *rule = allocate(APART_RULES, sizeof *rule);
    unit_apart t;
    size_t shown = 0;
    size_t fits = mma_other_fits(rule + 1, APART_RULES - 1, &cli_search, row->unit, &row->m,
                                 list->row, list->count);
    size_t kept = fits < APART_RULES ? fits : APART_RULES - 1;
    rule[0].m = row->m;
    unit_tell_apart(&t, rule, 1 + kept, row->stored);
    if (t.rows)
        output_print(out, "so do other rules\n");
    for (size_t i = 1; i <= kept; i++)
        if (t.class_of[i] != 0 && shown++ < SHOWN)
            output_print(out, "  %s\n", rule[i].name);
    if (shown > SHOWN)
        output_print(out, "  and %zu more\n", shown - SHOWN);
    if (t.rows || path)
        report_apart(out, row, &t, path);
    unit_apart_end(&t);
    free(rule);
}

/* Each rule that is like an earlier one. */
static void show_alike(output *out, const mma_rule *rule, size_t count, const unit_apart *t)
{
    for (size_t i = 0; i < count; i++) {
        size_t first = 0;
        while (t->class_of[first] != t->class_of[i])
            first++;
        if (first < i)
            output_print(out, "no row was found that tells %s from %s\n", rule[i].name,
                         rule[first].name);
    }
}

/* Other rules than the unit explain rows. If several explain all, rows tell these apart. */
static void show_rules(output *out, const mma_row *row, const mma_diagnosis *d, const char *path)
{
    size_t all = 0;
    unit_apart t = {.rows = 0};
    if (d->found)
        output_print(out, d->rule[0].explained == d->rows ? "explained by\n"
                                                          : "no rule explains all; the best\n");
    for (size_t i = 0; i < d->found && i < MMA_RULES; i++) {
        output_print(out, "  %zu of %zu  %s\n", d->rule[i].explained, d->rows, d->rule[i].name);
        all += d->rule[i].explained == d->rows;
    }
    if (d->found > MMA_RULES)
        output_print(out, "  and %zu more rules\n", d->found - MMA_RULES);
    if (all > 1)
        unit_tell_apart(&t, d->rule, all, row->stored);
    if (all > 1 || path)
        report_apart(out, row, &t, path);
    if (all > 1)
        show_alike(out, d->rule, all, &t);
    unit_apart_end(&t);
}

/* What may be the matter; `all` says whether some rule explains all rows. */
static void show_hints(output *out, const mma_row *row, const mma_list_of_rows *list, int all)
{
    size_t instructions = 0, zeros = 0, others = 0;
    for (size_t i = 0; i < list->count; i++) {
        const mma_result *r = &list->row[i];
        size_t here = r->k / (size_t)row->m.k;
        instructions = here > instructions ? here : instructions;
        zeros += (r->d & 0xffff) == 0;
        others += r->d >> 16 != 0;
    }
    if (instructions > 1 && !all)
        output_print(out,
                     "rows have up to %zu instructions, here one after another; kernels may add "
                     "parts separately: --schedule cutlass-fast --diagnose tries that\n",
                     instructions);
    if (row->stored == MMA_STORED && row->m.out.man_bits == 23 && zeros == list->count &&
        others > 3)
        output_print(out, "all results end with 16 zero bits: if they were rounded to bf16, give "
                          "their codes and --rounded-to bf16\n");
}

int mma_identify(output *out, const mma_row *row, const mma_list_of_rows *list, const char *apart)
{
    mma_diagnosis *d = allocate(1, sizeof *d);
    mma_diagnose(d, &cli_search, row->unit, &row->m, list->row, list->count);
    int held = d->explained == d->rows;
    output_print(out, "%s explains %zu of %zu rows\n", row->unit, d->explained, d->rows);
    if (!held)
        show_rows(out, row, list);
    if (!held && !d->found)
        output_print(out, "none of the %zu rules that were tried explains more\n", d->tried);
    if (held)
        show_others(out, row, list, apart);
    else if (d->found || apart)
        show_rules(out, row, d, apart);
    if (!held)
        show_hints(out, row, list, d->found && d->rule[0].explained == d->rows);
    free(d);
    return held ? STATUS_HELD : STATUS_MISMATCH;
}
