/* SPDX-License-Identifier: MIT */
/* prove_mma_fast.c -- products of matrices, on each level, against one sum at a time
 *
 * The subject is sf8_mma_matmul_at, the oracle sf8_mma_dot, which the rows mma/... compare with
 * MPFR. A case is one element of a result on one level.
 *
 * mma-fast: sums drawn from a seed, by kinds; each unit with each pair of formats.
 *
 * mma-fast-products: k products of which one, two or three are not zero. One: all pairs of codes at
 * each position; mma-fast-mixed does that for two formats. Two: each class of products, or one in
 * eight, beside all pairs of codes. Three: two classes that are drawn, beside all pairs of codes.
 *
 * mma-fast-c: zero products, and all 2^32 accumulators of hopper-qgmma, of others one in eight; all
 * 2^16 of f16.
 *
 * A class is the pairs of codes whose products are the same term: equal significand, exponent and
 * kind. The definition cannot distinguish them, so that it is computed for one of them.
 */
#include "rows/rows.h"
#include "softfp8_mma.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 70, COLUMNS = 70, INSTRUCTIONS = 2, K = 64, CODES = 256, MOST_CLASSES = 16384 };
enum { ANY, FINITE, SPARSE, CANCELLING, SMALL, LARGE, LADDER, EQUAL, KINDS };

/* Without optimization there are no fast tiles, and little to prove: a few drawn sums on one
 * level. */
#if defined(__OPTIMIZE__)
enum { LEVELS = 8 };
#else
enum { LEVELS = 1 };
#endif

typedef struct trial {
    worker *w;
    const sf8_mma_row *row;
    sf8_mma m;
    uint64_t seed;
    size_t rows, columns, k;
    /* codes as integers, then in the form in which they are multiplied */
    uint32_t code_a[CODES * K], code_b[CODES * K];
    uint32_t a[CODES * K], b[CODES * K];
    uint8_t scale_a[ROWS * K], scale_b[COLUMNS * K];
    uint32_t c[CODES * CODES], want[CODES * CODES], got[CODES * CODES];
    /* the classes of products of two codes, and a pair of each */
    uint16_t class_of[CODES * CODES];
    size_t classes;
    uint8_t class_a[MOST_CLASSES], class_b[MOST_CLASSES];
} trial;

static uint32_t draw(trial *t)
{
    return (uint32_t)(word_random(&t->seed) >> 32);
}

static trial *trial_of(worker *w)
{
    trial *t = calloc(1, sizeof *t);
    if (!t)
        abort();
    t->w = w;
    t->row = sf8_mma_at((size_t)w->row->work.arg);
    t->seed = (uint64_t)w->row->work.arg << 40 | (uint64_t)(w->f - ref_formats) << 32 | w->part;
    return t;
}

static sf8_format named(const char *name)
{
    sf8_status status;
    sf8_format f = sf8_format_named(name, &status);
    if (status != SF8_OK)
        abort();
    return f;
}

/* ---- holding --------------------------------------------------------------------------------- */

static size_t width(sf8_format f)
{
    return sf8_format_bits(f) <= 8 ? 1 : sf8_format_bits(f) <= 16 ? 2 : 4;
}

static void put(sf8_format f, void *to, const uint32_t *codes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (width(f) == 1)
            ((uint8_t *)to)[i] = (uint8_t)codes[i];
        else if (width(f) == 2)
            ((uint16_t *)to)[i] = (uint16_t)codes[i];
        else
            ((uint32_t *)to)[i] = codes[i];
    }
}

/* The result for an element by the definition. */
static uint32_t definition(const trial *t, size_t r, size_t i)
{
    size_t scales = t->m.scale_block ? t->k / (size_t)t->m.scale_block : 0;
    return sf8_mma_dot(&t->m, (const uint8_t *)t->a + r * t->k * width(t->m.a),
                       (const uint8_t *)t->b + i * t->k * width(t->m.b), t->scale_a + r * scales,
                       t->scale_b + i * scales, t->k, t->c[r * t->columns + i]);
}

/* Compares the whole result on each level with `want`. */
static void hold(trial *t)
{
    const char *level;
    sf8_mma_operands x = {t->a, t->b, t->scale_a, t->scale_b};
    size_t words = t->rows * t->columns;
    for (size_t l = 0; l < LEVELS && (level = sf8_simd_at(l)) != NULL; l++) {
        if (sf8_mma_matmul_at(level, &t->m, NULL, t->got, t->c, x, t->rows, t->columns, t->k) !=
            SF8_OK)
            abort();
        t->w->found.cases += words;
        if (memcmp(t->got, t->want, words * sizeof t->got[0]) == 0)
            continue;
        for (size_t i = 0; i < words; i++)
            if (t->got[i] != t->want[i]) {
                t->w->what = level;
                inputs(t->w, 3, t->code_a[i / t->columns * t->k], t->code_b[i % t->columns * t->k],
                       t->c[i]);
                mismatch(t->w, -1, 0, (ref_answer){.code = t->want[i]}, (sf8_result){t->got[i], 0});
            }
    }
}

/* ---- drawing --------------------------------------------------------------------------------- */

static uint32_t draw_code(trial *t, sf8_format f, int kind, size_t k)
{
    uint32_t mask = (uint32_t)sf8_format_code_mask(f), sign = (uint32_t)sf8_format_sign_bit(f);
    uint32_t low = (1u << f.man_bits) - 1, code = draw(t) & mask;
    uint32_t fields = (uint32_t)(sf8_format_mag_mask(f) >> f.man_bits);
    if (kind == SPARSE && draw(t) % 8)
        code &= sign;
    if (kind == SMALL && f.exp_bits == 8 && draw(t) % 16) /* products about the least of f32 */
        return (code & (sign | low)) | (54 + draw(t) % 12) << f.man_bits;
    if (kind == SMALL)
        code &= draw(t) % 16 ? sign | (low * 4 + 3) : sign;
    if (kind == LARGE)
        code = (code & (sign | low)) | (fields - draw(t) % 4) << f.man_bits;
    if (kind == LADDER)
        code = (code & (sign | low)) | (uint32_t)(k % (fields + 1)) << f.man_bits;
    while (kind != ANY && sf8_is_special(f, code))
        code = draw(t) & mask;
    return code;
}

static void draw_matrix(trial *t, sf8_format f, int kind, uint32_t *codes, size_t rows)
{
    uint32_t sign = (uint32_t)sf8_format_sign_bit(f);
    for (size_t r = 0; r < rows; r++)
        for (size_t k = 0; k < t->k; k++) {
            uint32_t *at = &codes[r * t->k + k];
            *at = draw_code(t, f, kind, k);
            /* every second row is the negative of the previous one, so that sums of such rows
             * cancel */
            if (kind == CANCELLING && k % 2 && draw(t) % 8)
                *at = at[-1] ^ (codes == t->code_a ? sign : 0);
            if (kind == EQUAL && k > 0 && draw(t) % 16)
                *at = at[-1];
            if (kind != ANY && sf8_is_special(f, *at))
                *at = 0;
        }
}

static uint32_t draw_c(trial *t, int kind)
{
    sf8_format f = t->m.out;
    uint32_t r = draw(t), fields = (uint32_t)(sf8_format_mag_mask(f) >> f.man_bits);
    uint32_t word = draw(t) & (uint32_t)sf8_format_code_mask(f);
    uint32_t rest = word & (uint32_t)(sf8_format_sign_bit(f) | ((1u << f.man_bits) - 1));
    uint32_t middle = (uint32_t)f.bias;
    if (kind == ANY && r % 2)
        return word;
    switch (r / 2 % 8) {
    case 0:
        return word & (uint32_t)sf8_format_sign_bit(f);
    case 1: /* subnormal, or nearly */
        return rest | r / 16 % 3 << f.man_bits;
    case 2: /* near the end of the range */
        return rest | (fields - 1 - r / 16 % 12) << f.man_bits;
    case 3: /* about as far as products alone do not get */
        return f.man_bits == 10 ? rest | r / 16 % fields << 10 : rest | (24 + r / 16 % 8) << 23;
    default:
        return f.man_bits == 10 ? rest | r / 16 % fields << 10
                                : rest | (middle - 45 + r / 16 % 70) << 23;
    }
}

static void draw_scales(trial *t, int kind, uint8_t *scales)
{
    int wide = t->m.scale.exp_bits == 8;
    for (size_t i = 0; t->m.scale_block && i < ROWS * K; i++) {
        uint32_t any = draw(t) & 255;
        scales[i] = (uint8_t)(kind == ANY     ? any
                              : kind == LARGE ? (wide ? 200 + any % 55 : 0x70 + any % 15)
                              : kind == SMALL ? (wide ? any % 8 : any % 12)
                                              : (wide ? 112 + any % 32 : any % 127));
    }
}

static void check_drawn(trial *t, int turn)
{
    int kind = turn % KINDS, which = turn / KINDS % 3; /* both, then a alone, then b */
    int left = which == 2 && kind != CANCELLING ? FINITE : kind;
    int right = which == 1 && kind != CANCELLING ? FINITE : kind;
    t->k = (size_t)t->m.k * (size_t)(1 + turn / 2 % INSTRUCTIONS);
    if (t->k > K)
        t->k = (size_t)t->m.k;
    t->rows = 1 + draw(t) % 40;
    t->columns = 1 + draw(t) % ROWS;
    draw_matrix(t, t->m.a, left, t->code_a, t->rows);
    draw_matrix(t, t->m.b, right, t->code_b, t->columns);
    put(t->m.a, t->a, t->code_a, t->rows * t->k);
    put(t->m.b, t->b, t->code_b, t->columns * t->k);
    draw_scales(t, left, t->scale_a);
    draw_scales(t, right, t->scale_b);
    for (size_t i = 0; i < t->rows * t->columns; i++) {
        t->c[i] = draw_c(t, kind);
        t->want[i] = 0;
    }
    for (size_t r = 0; r < t->rows; r++)
        for (size_t i = 0; i < t->columns; i++)
            t->want[r * t->columns + i] = definition(t, r, i);
    hold(t);
}

static void run_drawn(worker *w)
{
    trial *t = trial_of(w);
    int turns = w->tier == FULL ? 240 : KINDS;
    for (int i = 0; i < REF_FORMATS; i++) {
        const ref_format *other = &ref_formats[i];
        if (sf8_mma_read(&t->m, t->row, library_format(w->f), library_format(other),
                         named(t->row->out)) != SF8_OK)
            continue;
        for (int turn = 0; turn<turns; turn += LEVELS> 1 ? 1 : 5) {
            check_drawn(t, turn);
            if (t->m.order == SF8_MMA_CHAIN && turn % 2) {
                t->m.order = SF8_MMA_INDEPENDENT;
                check_drawn(t, turn);
                t->m.order = SF8_MMA_CHAIN;
            }
            t->m.underflow = turn % 3 == 0 ? SF8_MMA_POSITIVE : SF8_MMA_KEEPS_SIGN;
        }
    }
    free(t);
}

/* ---- few products ---------------------------------------------------------------------------- */

/* The class of each pair of codes: pairs with the same key are in a chain of one position. */
static void find_classes(trial *t)
{
    static const size_t places = 1 << 15;
    uint64_t *keys = calloc(places, sizeof *keys);
    uint16_t *class_at = calloc(places, sizeof *class_at);
    if (!keys || !class_at)
        abort();
    t->classes = 0;
    for (size_t pair = 0; pair < CODES * CODES; pair++) {
        uint8_t a[4] = {(uint8_t)(pair / CODES)}, b[4] = {(uint8_t)(pair % CODES)};
        sf8_mma_operands x = {a, b, NULL, NULL};
        sf8_mma_term p = sf8_mma_product(&t->m, x, 0);
        uint64_t key = (uint64_t)(p.significand + (1 << 24)) << 16 |
                       (uint64_t)(p.exponent + 1024) << 4 | p.kind | 8;
        if (p.kind != SF8_MMA_FINITE)
            key = 8 | p.kind;
        size_t place = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 49);
        while (keys[place] && keys[place] != key)
            place = (place + 1) % places;
        if (!keys[place]) {
            if (t->classes == MOST_CLASSES)
                abort();
            keys[place] = key;
            class_at[place] = (uint16_t)t->classes;
            t->class_a[t->classes] = a[0];
            t->class_b[t->classes++] = b[0];
        }
        t->class_of[pair] = class_at[place];
    }
    free(keys);
    free(class_at);
}

/* The full tier has each class for these, and of the other units one in eight. */
static int has_all(const trial *t)
{
    return strcmp(t->row->out, "f32") == 0 && (strcmp(t->row->unit, "hopper-qgmma") == 0 ||
                                               strcmp(t->row->unit, "blackwell-tcgen05") == 0);
}

/* All pairs of codes at one position, and at others a product of each of some classes. */
static void check_beside(trial *t, size_t place, const size_t *classes, const size_t *places,
                         size_t count)
{
    uint32_t right[MOST_CLASSES];
    uint8_t *a = (uint8_t *)t->a, *b = (uint8_t *)t->b;
    t->k = (size_t)t->m.k;
    t->rows = t->columns = CODES;
    memset(a, 0, CODES * t->k);
    memset(b, 0, CODES * t->k);
    for (size_t code = 0; code < CODES; code++) {
        for (size_t i = 0; i < count; i++) {
            a[code * t->k + places[i]] = t->class_a[classes[i]];
            b[code * t->k + places[i]] = t->class_b[classes[i]];
        }
        a[code * t->k + place] = b[code * t->k + place] = (uint8_t)code;
        t->code_a[code * t->k] = t->code_b[code * t->k] = (uint32_t)code;
    }
    for (size_t i = 0; i < t->classes; i++)
        right[i] = definition(t, t->class_a[i], t->class_b[i]);
    for (size_t pair = 0; pair < CODES * CODES; pair++)
        t->want[pair] = right[t->class_of[pair]];
    hold(t);
}

static void run_products(worker *w)
{
    trial *t = trial_of(w);
    unsigned parts = w->row->work.parts;
    size_t every = by_tier(w, has_all(t) ? 1 : 8, 300, 12000);
    if (sf8_mma_read(&t->m, t->row, library_format(w->f), library_format(w->f),
                     named(t->row->out)) != SF8_OK)
        abort();
    find_classes(t);
    size_t k = (size_t)t->m.k;
    for (size_t place = w->part; place < k; place += w->tier == FULL ? parts : k)
        check_beside(t, place, NULL, NULL, 0);
    for (size_t i = w->part; i < t->classes; i += parts * every) {
        size_t places[1] = {(i / parts) % (k - 1)};
        check_beside(t, k - 1, &i, places, 1);
    }
    for (int turn = 0; turn < (w->tier == FULL ? 50 : 1); turn++) {
        size_t places[2] = {draw(t) % 8, 8 + draw(t) % 8};
        size_t classes[2] = {draw(t) % t->classes, draw(t) % t->classes};
        check_beside(t, 16 + draw(t) % (k - 16), classes, places, 2);
    }
    free(t);
}

/* Single products of two formats, each pair at each position. */
static void run_mixed(worker *w)
{
    trial *t = trial_of(w);
    for (int i = 0; i < REF_NARROW; i++) {
        const ref_format *other = &ref_formats[i];
        if (other == w->f || other->width < 8 ||
            sf8_mma_read(&t->m, t->row, library_format(w->f), library_format(other),
                         named(t->row->out)) != SF8_OK)
            continue;
        find_classes(t);
        for (size_t place = w->part; place < (size_t)t->m.k;
             place += w->tier == FULL ? w->row->work.parts : (size_t)t->m.k)
            check_beside(t, place, NULL, NULL, 0);
    }
    free(t);
}

/* ---- accumulators ---------------------------------------------------------------------------- */

/* A sum of one zero product is that of any number of them. */
static void run_accumulators(worker *w)
{
    trial *t = trial_of(w);
    if (sf8_mma_read(&t->m, t->row, library_format(w->f), library_format(w->f),
                     named(t->row->out)) != SF8_OK)
        abort();
    uint64_t words = (uint64_t)1 << sf8_format_bits(t->m.out), n = CODES * CODES;
    uint64_t chunks = words / n, parts = w->row->work.parts;
    int all = w->tier == FULL || words == n;
    uint64_t step = strcmp(t->row->unit, "hopper-qgmma") == 0 ? parts : 8 * parts;
    uint64_t count = all ? (chunks + step - 1 - w->part) / step : w->part % 8 == 0;
    t->k = (size_t)t->m.k;
    t->rows = t->columns = CODES;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t chunk = i * step + w->part;
        for (uint64_t j = 0; j < n; j++) {
            /* not all: words far from one another */
            uint64_t word = all ? chunk * n + j : word_random(&t->seed) >> 32;
            t->c[j] = (uint32_t)word;
            t->want[j] = sf8_mma_dot(&t->m, t->a, t->b, NULL, NULL, 1, t->c[j]);
        }
        hold(t);
    }
    free(t);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void add_few(const char *name, const char *format, work of)
{
    of.run = run_products;
    of.parts = 8;
    add_row_named("mma-fast-products", name, format, of);
    of.run = run_mixed;
    add_row_named("mma-fast-mixed", name, format, of);
}

void add_mma_fast_rows(void)
{
    static char names[64][64];
    const sf8_mma_row *unit;
    for (size_t u = 0; u < 64 && (unit = sf8_mma_at(u)) != NULL; u++) {
        int heads = strcmp(unit->unit, "hopper-qgmma") == 0 ||
                    strcmp(unit->unit, "blackwell-tcgen05") == 0 ||
                    strcmp(unit->unit, "hopper-mma-fp8") == 0;
        snprintf(names[u], sizeof names[u], "%s/%s", unit->unit, unit->out);
        for (int i = 0; i < REF_FORMATS; i++) {
            sf8_mma m;
            sf8_format f = library_format(&ref_formats[i]);
            work of = {.modes = unit->out, .run = run_drawn, .arg = (int)u, .parts = 2};
            if (sf8_mma_read(&m, unit, f, f, named(unit->out)) != SF8_OK)
                continue;
            add_row_named("mma-fast", names[u], ref_formats[i].name, of);
            if (!heads || LEVELS == 1 || ref_formats[i].width < 8)
                continue;
            add_few(names[u], ref_formats[i].name, of);
            of.run = run_accumulators;
            of.parts = strcmp(unit->out, "f32") == 0 ? 64 : 1;
            if (strcmp(ref_formats[i].name, "e4m3") == 0)
                add_row_named("mma-fast-c", names[u], "e4m3", of);
        }
    }
}
