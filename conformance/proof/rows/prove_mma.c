/* SPDX-License-Identifier: MIT */
/* prove_mma.c -- matrix units compared with docs/spec/mma/units.md by MPFR
 *
 * A case is a sum of products of a unit: single products of all pairs of 8-bit codes; then sums
 * drawn from a seed by kinds: any bits; finite values, with accumulators near them; few that are
 * not zero; sums that cancel; small ones. Every unit has a row for each format that it supports,
 * paired with itself and with the next one.
 */
#include "rows/rows.h"
#include "mpfr/ref_mma.h"
#include "softfp8_mma.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = 5 };
enum { ANY, FINITE, SPARSE, CANCELLING, SMALL };

typedef struct trial {
    worker *w;
    const ref_mma_unit *u;
    const ref_format *fa, *fb;
    sf8_mma m;
    uint64_t seed;
    uint32_t a[REF_MMA_MOST], b[REF_MMA_MOST], scale_a[REF_MMA_MOST], scale_b[REF_MMA_MOST], c;
    int k;
} trial;

static uint32_t draw(trial *t)
{
    return (uint32_t)(word_random(&t->seed) >> 32);
}

static int is_special(const ref_format *f, uint32_t code)
{
    ref_operand o;
    ref_operand_init(&o);
    ref_decode(f, code, &o);
    int special = !mpfr_number_p(o.value);
    ref_operand_clear(&o);
    return special;
}

static uint32_t draw_code(trial *t, const ref_format *f, int kind)
{
    uint32_t mask = (uint32_t)((UINT64_C(1) << f->width) - 1), code = draw(t) & mask;
    while (kind != ANY && is_special(f, code))
        code = draw(t) & mask;
    if (kind == SPARSE && draw(t) % 4)
        code &= f->is_signed ? mask ^ mask >> 1 : 0;
    if (kind == SMALL) /* fields of 0 to 3 */
        code &= (mask ^ mask >> 1) | ((4u << f->man_bits) - 1);
    return kind != ANY && is_special(f, code) ? 0 : code;
}

/* The accumulator: any bits; an exponent near that of the products; zero; subnormal. */
static uint32_t draw_c(trial *t, int kind)
{
    uint32_t r = draw(t), f16 = t->m.out.man_bits == 10;
    if (kind == ANY)
        return f16 ? r & 0xffff : r;
    if (r % 8 == 0)
        return f16 ? r >> 16 & 0x8000 : r & 0x80000000u;
    if (r % 8 == 1)
        return f16 ? draw(t) & 0x83ff : draw(t) & 0x807fffffu;
    if (f16)
        return draw(t) & 0xbbff;
    return (draw(t) & 0x807fffffu) | (90 + r / 8 % 70) << 23;
}

static void fill(trial *t, int kind)
{
    for (int i = 0; i < t->k; i++) {
        t->a[i] = draw_code(t, t->fa, kind);
        t->b[i] = draw_code(t, t->fb, kind);
    }
    for (int i = 0; kind == CANCELLING && i + 1 < t->k; i += 2) {
        if (draw(t) % 8 == 0)
            continue;
        t->a[i + 1] = t->a[i] ^ (t->fa->is_signed ? 1u << (t->fa->width - 1) : 0);
        t->b[i + 1] = t->b[i];
        if (is_special(t->fa, t->a[i + 1]))
            t->a[i + 1] = t->a[i];
    }
    for (int i = 0; i < REF_MMA_MOST; i++) {
        int wide = t->u->scale && strcmp(t->u->scale, "e8m0") == 0;
        uint32_t any = draw(t) & (wide ? 255 : 127);
        t->scale_a[i] = kind == ANY ? any : wide ? 120 + any % 16 : any & 0x3f;
        any = draw(t) & (wide ? 255 : 127);
        t->scale_b[i] = kind == ANY ? any : wide ? 120 + any % 16 : any & 0x3f;
    }
    t->c = draw_c(t, kind);
}

static void put(sf8_format f, void *to, const uint32_t *codes, int n)
{
    for (int i = 0; i < n; i++) {
        if (sf8_format_bits(f) <= 8)
            ((uint8_t *)to)[i] = (uint8_t)codes[i];
        else if (sf8_format_bits(f) <= 16)
            ((uint16_t *)to)[i] = (uint16_t)codes[i];
        else
            ((uint32_t *)to)[i] = codes[i];
    }
}

static void check_sum(trial *t)
{
    uint32_t a[REF_MMA_MOST], b[REF_MMA_MOST];
    uint8_t scale_a[REF_MMA_MOST], scale_b[REF_MMA_MOST];
    put(t->m.a, a, t->a, t->k);
    put(t->m.b, b, t->b, t->k);
    for (int i = 0; i < REF_MMA_MOST; i++) {
        scale_a[i] = (uint8_t)t->scale_a[i];
        scale_b[i] = (uint8_t)t->scale_b[i];
    }
    uint64_t want = ref_mma(t->u, t->fa, t->fb, t->a, t->b, t->scale_a, t->scale_b, t->k, t->c);
    uint64_t got = sf8_mma_dot(&t->m, a, b, scale_a, scale_b, (size_t)t->k, t->c);
    t->w->found.cases++;
    if (want == got)
        return;
    t->w->what = t->u->name;
    inputs(t->w, 3, t->a[0], t->b[0], t->c);
    mismatch(t->w, -1, 0, (ref_answer){.code = want}, (sf8_result){got, 0});
}

/* Each product by itself, in the first place and in another. */
static void check_pairs(trial *t)
{
    memset(t->a, 0, sizeof t->a);
    memset(t->b, 0, sizeof t->b);
    memset(t->scale_a, 0, sizeof t->scale_a);
    memset(t->scale_b, 0, sizeof t->scale_b);
    for (int i = 0; i < REF_MMA_MOST && t->u->scale; i++)
        t->scale_a[i] = t->scale_b[i] = strcmp(t->u->scale, "e8m0") == 0 ? 127 : 0x38;
    uint64_t n = codes_of(t->fa), step = by_tier(t->w, 1, 7, 73);
    for (uint64_t pair = t->w->part; pair < n * codes_of(t->fb); pair += step) {
        int at = pair & 1 ? t->k - 1 : 0;
        t->a[at] = (uint32_t)(pair % n);
        t->b[at] = (uint32_t)(pair / n);
        t->c = 0;
        check_sum(t);
        t->a[at] = t->b[at] = 0;
    }
}

static trial trial_of(worker *w)
{
    trial t;
    const ref_mma_unit *u = ref_mma_at(w->row->work.arg % 1000);
    memset(&t, 0, sizeof t);
    t.w = w;
    t.u = u;
    t.fa = w->f;
    t.fb = w->f;
    for (int i = 0; w->row->work.arg >= 1000 && i < REF_NARROW; i++)
        if (ref_mma_takes(u, ref_formats[i].name) && &ref_formats[i] != w->f)
            t.fb = &ref_formats[i];
    if (sf8_mma_named(&t.m, u->name, library_format(t.fa), library_format(t.fb),
                      library_format(ref_format_of(u->out))) != SF8_OK)
        abort();
    t.k = u->k;
    t.seed = (uint64_t)w->row->work.arg << 32 | w->part;
    return t;
}

static void run_mma(worker *w)
{
    trial t = trial_of(w);
    int turns = (int)by_tier(w, 20000, 250, 32);
    for (int turn = 0; turn < turns; turn++) {
        int twice = turn % 16 == 0 && 2 * t.u->k <= REF_MMA_MOST;
        t.k = twice ? 2 * t.u->k : t.u->k;
        fill(&t, turn % KINDS);
        check_sum(&t);
        if (t.u->order == REF_MMA_CHAIN && turn % 2) {
            ref_mma_unit other = *t.u;
            sf8_mma m = t.m;
            other.order = REF_MMA_INDEPENDENT;
            t.m.order = SF8_MMA_INDEPENDENT;
            const ref_mma_unit *u = t.u;
            t.u = &other;
            check_sum(&t);
            t.u = u;
            t.m = m;
        }
    }
    t.k = t.u->k;
    if (t.fa->width <= 8 && w->part == 0)
        check_pairs(&t);
}

void add_mma_rows(void)
{
    static char names[128][64];
    const ref_mma_unit *u;
    int used = 0;
    for (int i = 0; (u = ref_mma_at(i)) != NULL; i++)
        for (int f = 0; f < REF_FORMATS; f++) {
            const char *name = ref_formats[f].name;
            if (!ref_mma_takes(u, name) || used == 128)
                continue;
            snprintf(names[used], sizeof names[used], "%s/%s", u->name, u->out);
            add_row_named("mma", names[used], name,
                          (work){.modes = u->out, .run = run_mma, .arg = i, .parts = 4});
            if (strchr(u->in, ' ') && ref_formats[f].width <= 8)
                add_row_named("mma-mixed", names[used], name,
                              (work){.modes = u->out, .run = run_mma, .arg = 1000 + i, .parts = 4});
            used++;
        }
}
