/* SPDX-License-Identifier: MIT */
/* check_products.c -- recipes give what the products gave: the digests of vectors/products
 *
 *     check_products [--full] [FILE...]
 *
 * A file has the results of one function of a product for tensors that product_data.h generates.
 * Without FILE it is each file of vectors/products. Without --full only runs of at most 2^19 values
 * are repeated. Every level of this machine is tested; the core computes the literal blocks and the
 * first values of a run.
 *
 * Lines of a file:
 *
 *     # package NAME VERSION       what ran; the evidence of the recipe names it
 *     # recipe NAME                the recipe of the following lines
 *     # zeros unsigned             the values were compared without the sign of zero
 *     # zero codes unsigned        codes of e2m1 were compared without the sign of zero
 *     # scales own                 scales are stored in the format of the tensor, here as f32
 *     # except TYPE LOW HIGH WHY   blocks whose amax, as f32 bits, is in this range count as 0: the
 *                                  recipe does not say what the product computes for them
 *     TYPE SEED COUNT COLUMNS G | SCALES | CODES | VALUES
 *     TYPE G | X ... | SCALE | CODE ...
 *
 * The first form is a run: digests (SHA-256) of the scales as they are stored, little-endian, of
 * the codes, one to a byte, and of the values as f32; "-" is not compared. After a seed, w takes
 * only the groups that are like weights; x puts an infinity or NaN into half of the blocks of 32.
 * The second form is a block. G is the global scale, or "-".
 */
/* Without it readdir of a 32-bit processor finds no file in a folder whose numbers need 64 bits. */
#define _FILE_OFFSET_BITS 64

#include "blocks/product_data.h"
#include "softfp8/sha256.h"
#include "softfp8_blocks.h"
#include "softfp8_vectors.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { CHUNK = 1 << 19, FIRST = 4096, QUICK = 1 << 19, LINE = 8192, RANGES = 8, FILES = 512 };

typedef struct range {
    char type[8];
    uint32_t low, high;
} range;

/* The lines at the top of a file. */
typedef struct product {
    const char *path;
    unsigned line;
    sf8_recipe recipe;
    const sf8_recipe_row *row;
    int zeros_unsigned, zero_codes_unsigned, scales_own;
    range except[RANGES];
    size_t exceptions;
} product;

/* What a recipe makes of a piece of a tensor. */
typedef struct made {
    uint8_t code[CHUNK];
    uint32_t scale[CHUNK], offset[CHUNK], value[CHUNK];
} made;

static made made_room, core_room;
static uint32_t x_words[CHUNK];
static uint16_t x_halves[CHUNK], value_halves[CHUNK];
static uint8_t scale_bytes[4 * CHUNK];
static size_t failures, runs, blocks;
static int full;
static int brief; /* only the widest vectors of this processor */

static void wrong(const product *p, const char *what, const char *more)
{
    failures++;
    printf("%s:%u: %s%s\n", p->path, p->line, what, more);
}

/* ---- tensors --------------------------------------------------------------------------------- */

/* The place of the next value, `at` among those that the run takes. */
typedef struct source {
    const product_format *format;
    uint64_t seed, next, taken;
    char kind; /* w, x or 0 */
} source;

/* An infinity or a quiet NaN of either sign in blocks 8 i to 8 i + 3, at place i. */
static uint32_t special(const product_format *f, uint64_t at, uint32_t word)
{
    uint64_t block = at / 32, which = block % 8;
    if (which > 3 || at % 32 != block / 8 % 32)
        return word;
    return product_infinity(f) | (which & 2 ? UINT32_C(1) << (f->man_bits - 1) : 0) |
           (uint32_t)(which & 1) << f->sign;
}

static uint32_t take(source *s)
{
    while (s->kind == 'w' && s->next % 16 == 0 &&
           product_group_of(s->format, s->seed, s->next / 16).kind > 1)
        s->next += 16;
    uint32_t word = product_value(s->format, s->seed, s->next++);
    uint64_t at = s->taken++;
    return s->kind == 'x' ? special(s->format, at, word) : word;
}

static sf8_format format_of(const product_format *f)
{
    return f->sign == 31 ? SF8_F32 : f->man_bits == 7 ? SF8_BF16 : SF8_F16;
}

static uint32_t as_f32(const product_format *f, uint32_t word)
{
    return f->sign == 31 ? word : (uint32_t)sf8_convert(SF8_F32, format_of(f), word, SF8_OCP_NOSAT);
}

/* ---- what a recipe makes of them ------------------------------------------------------------- */

static int reads_own(const product *p)
{
    return strstr(p->row->value_of, "own") != NULL;
}

/* Quantizes and reads back rows of the format, from x_words; values as f32. */
static int make(const product *p, const char *level, const product_format *f, size_t rows,
                size_t columns, float g, made *m)
{
    size_t n = rows * columns;
    int own = reads_own(p) && f->sign != 31;
    const void *x = x_words;
    for (size_t i = 0; i < n && f->sign != 31; i++)
        x_halves[i] = (uint16_t)x_words[i];
    if (f->sign != 31)
        x = x_halves;
    if (sf8_quantize_n_at(level, &p->recipe, m->code, m->scale, m->offset, format_of(f), x, rows,
                          columns, g) != SF8_OK ||
        sf8_dequantize_n_at(level, &p->recipe, own ? format_of(f) : SF8_F32,
                            own ? (void *)value_halves : (void *)m->value, m->code, m->scale,
                            m->offset, rows, columns, g) != SF8_OK)
        return 0;
    for (size_t i = 0; i < n && own; i++)
        m->value[i] = as_f32(f, value_halves[i]);
    for (size_t i = 0; i < n; i++) {
        if (p->zero_codes_unsigned && m->code[i] == 8)
            m->code[i] = 0;
        if ((m->value[i] & 0x7fffffffu) > 0x7f800000u)
            m->value[i] = 0x7fc00000u;
        if (p->zeros_unsigned && m->value[i] == 0x80000000u)
            m->value[i] = 0;
    }
    return 1;
}

/* The largest magnitude of a block, or NaN. */
static uint32_t amax_of(const product_format *f, size_t at, size_t n)
{
    uint32_t amax = 0;
    for (size_t i = at; i < at + n; i++) {
        uint32_t magnitude = as_f32(f, x_words[i]) & 0x7fffffffu;
        amax = magnitude > amax ? magnitude : amax;
    }
    return amax;
}

/* Puts zeros into the blocks that are excepted. */
static void leave_out(const product *p, const product_format *f, size_t n, size_t block, made *m)
{
    for (size_t k = 0; k < p->exceptions; k++) {
        if (strcmp(p->except[k].type, f->name) != 0)
            continue;
        for (size_t at = 0; at < n; at += block) {
            uint32_t amax = amax_of(f, at, block);
            if (amax < p->except[k].low || amax > p->except[k].high)
                continue;
            m->scale[at / block] = 0;
            memset(m->code + at, 0, block);
            memset(m->value + at, 0, block * sizeof m->value[0]);
        }
    }
}

/* ---- runs ------------------------------------------------------------------------------------ */

typedef struct run {
    char type[8], seed[24], g[12], digest[3][68];
    uint64_t count;
    size_t columns;
} run;

static int same_start(const made *a, const made *b, size_t n, size_t block)
{
    return memcmp(a->code, b->code, n) == 0 &&
           memcmp(a->value, b->value, n * sizeof a->value[0]) == 0 &&
           memcmp(a->scale, b->scale, n / block * sizeof a->scale[0]) == 0;
}

static float g_of(const char *text)
{
    uint32_t word = strcmp(text, "-") == 0 ? 0 : (uint32_t)strtoul(text, NULL, 16);
    float g;
    memcpy(&g, &word, sizeof g);
    return g;
}

static void add(sf8_sha256 digest[3], const product *p, const product_format *f, const made *m,
                size_t n, size_t block)
{
    sf8_format stored = p->scales_own ? format_of(f) : p->recipe.scale;
    size_t width = ((size_t)sf8_format_bits(stored) + 7) / 8, bytes = 0;
    for (size_t i = 0; i < n / block; i++) {
        uint64_t scale = m->scale[i];
        if (p->scales_own)
            scale = sf8_convert(stored, p->recipe.scale, scale, SF8_OCP_NOSAT);
        for (size_t k = 0; k < width; k++)
            scale_bytes[bytes++] = (uint8_t)(scale >> (8 * k));
    }
    sf8_sha256_add(&digest[0], scale_bytes, bytes);
    sf8_sha256_add(&digest[1], m->code, n);
    sf8_sha256_add(&digest[2], m->value, n * sizeof m->value[0]);
}

static void check_run_at(const product *p, const run *r, const char *level)
{
    static const char *const names[3] = {"scales", "codes", "values"};
    source s = {product_format_named(r->type), strtoull(r->seed, NULL, 10), 0, 0, 0};
    size_t block = p->recipe.block ? (size_t)p->recipe.block : r->columns;
    size_t tall = p->recipe.rows > 1 ? (size_t)p->recipe.rows : 1;
    sf8_sha256 digest[3];
    char more[256];
    if (strchr("wx", r->seed[strlen(r->seed) - 1]))
        s.kind = r->seed[strlen(r->seed) - 1];
    for (int k = 0; k < 3; k++)
        sf8_sha256_begin(&digest[k]);
    for (uint64_t at = 0; at < r->count;) {
        size_t n = r->count - at < CHUNK ? (size_t)(r->count - at) : CHUNK, first = FIRST;
        for (size_t i = 0; i < n; i++)
            x_words[i] = take(&s);
        if (!make(p, level, s.format, n / r->columns, r->columns, g_of(r->g), &made_room)) {
            wrong(p, "cannot be quantized on ", level);
            return;
        }
        if (at == 0 && r->count <= QUICK && r->columns <= first && tall == 1 &&
            (!make(p, "core", s.format, first / r->columns, r->columns, g_of(r->g), &core_room) ||
             !same_start(&made_room, &core_room, first, block)))
            wrong(p, "the core has another start than ", level);
        leave_out(p, s.format, n, block, &made_room);
        add(digest, p, s.format, &made_room, n, block * tall);
        at += n;
    }
    for (int k = 0; k < 3; k++) {
        char digits[65];
        sf8_sha256_end(&digest[k], digits);
        if (strcmp(r->digest[k], "-") == 0 || strcmp(r->digest[k], digits) == 0)
            continue;
        snprintf(more, sizeof more, "%s of %s, %s seed %s, %" PRIu64 " values, g %s, on %s: %s",
                 names[k], p->row->name, r->type, r->seed, r->count, r->g, level, digits);
        wrong(p, "other ", more);
    }
}

static void check_run(const product *p, const run *r)
{
    const char *level;
    if (!product_format_named(r->type) || r->columns == 0 || r->count == 0 ||
        CHUNK % r->columns != 0 || r->count % r->columns != 0) {
        wrong(p, "a run that there is not", "");
        return;
    }
    if (r->count > QUICK && !full)
        return;
    runs++;
    for (size_t i = 0; (level = sf8_simd_at(i)) != NULL; i++)
        if ((r->count <= QUICK && !brief) || !sf8_simd_at(i + 1))
            check_run_at(p, r, level);
}

/* ---- literal blocks -------------------------------------------------------------------------- */

/* The numbers of a field, hexadecimal and separated by spaces, up to '|' or '#'. */
static size_t read_words(const char *text, uint32_t *words, size_t most)
{
    size_t n = 0;
    for (char *end; n < most; n++, text = end) {
        unsigned long word = strtoul(text, &end, 16);
        if (end == text)
            break;
        words[n] = (uint32_t)word;
    }
    return n;
}

static void check_block_at(const product *p, const char *level, const product_format *f, size_t n,
                           float g, uint32_t scale, const uint32_t *codes)
{
    size_t differ = 0;
    char more[128];
    if (!make(p, level, f, 1, n, g, &made_room)) {
        wrong(p, "cannot be quantized on ", level);
        return;
    }
    for (size_t i = 0; i < n; i++)
        differ += made_room.code[i] != codes[i];
    if (differ == 0 && made_room.scale[0] == scale)
        return;
    snprintf(more, sizeof more, "%s on %s: scale %x instead of %x, %zu codes differ", p->row->name,
             level, made_room.scale[0], scale, differ);
    wrong(p, "a block of ", more);
}

static void check_block(const product *p, const char *line)
{
    char type[8], g[12];
    uint32_t scale, codes[256];
    const char *x = strchr(line, '|'), *at_scale = x ? strchr(x + 1, '|') : NULL;
    const char *at_codes = at_scale ? strchr(at_scale + 1, '|') : NULL, *level;
    const product_format *f = NULL;
    size_t n = 0;
    if (at_codes && sscanf(line, "%7s %11s", type, g) == 2)
        f = product_format_named(type);
    if (f)
        n = read_words(x + 1, x_words, 256);
    if (n == 0 || read_words(at_codes + 1, codes, 256) != n ||
        read_words(at_scale + 1, &scale, 1) != 1) {
        wrong(p, "neither a run nor a block", "");
        return;
    }
    blocks++;
    check_block_at(p, "core", f, n, g_of(g), scale, codes);
    for (size_t i = 0; (level = sf8_simd_at(i)) != NULL; i++)
        check_block_at(p, level, f, n, g_of(g), scale, codes);
}

/* ---- files ----------------------------------------------------------------------------------- */

static void read_note(product *p, const char *line)
{
    char name[64];
    range *e = &p->except[p->exceptions];
    if (sscanf(line, "# recipe %63s", name) == 1) {
        const sf8_recipe_row *row;
        p->row = NULL;
        p->exceptions = 0;
        p->zeros_unsigned = p->zero_codes_unsigned = p->scales_own = 0;
        for (size_t i = 0; (row = sf8_recipe_at(i)) != NULL; i++)
            if (strcmp(row->name, name) == 0 && sf8_recipe_read(&p->recipe, row) == SF8_OK)
                p->row = row;
        if (!p->row)
            wrong(p, "no recipe ", name);
    } else if (strncmp(line, "# zeros unsigned", 16) == 0) {
        p->zeros_unsigned = 1;
    } else if (strncmp(line, "# zero codes unsigned", 21) == 0) {
        p->zero_codes_unsigned = 1;
    } else if (strncmp(line, "# scales own", 12) == 0) {
        p->scales_own = 1;
    } else if (strncmp(line, "# except ", 9) == 0) {
        if (p->exceptions == RANGES ||
            sscanf(line, "# except %7s %" SCNx32 " %" SCNx32, e->type, &e->low, &e->high) != 3)
            wrong(p, "not a range: ", line);
        else
            p->exceptions++;
    }
}

static void read_line(product *p, const char *line)
{
    run r;
    if (line[0] == '#') {
        read_note(p, line);
        return;
    }
    if (!p->row) {
        wrong(p, "no recipe yet", "");
        return;
    }
    if (sscanf(line, "%7s %23s %" SCNu64 " %zu %11s | %67s | %67s | %67s", r.type, r.seed, &r.count,
               &r.columns, r.g, r.digest[0], r.digest[1], r.digest[2]) == 8)
        check_run(p, &r);
    else
        check_block(p, line);
}

static void check_file(const char *path)
{
    static char line[LINE];
    product p;
    size_t before = runs;
    FILE *file = fopen(path, "r");
    memset(&p, 0, sizeof p);
    p.path = path;
    if (!file) {
        wrong(&p, "cannot be read", "");
        return;
    }
    for (p.line = 1; fgets(line, sizeof line, file); p.line++)
        read_line(&p, line);
    if (runs == before)
        wrong(&p, "no runs", "");
    fclose(file);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void check_folder(const char *folder)
{
    static char path[FILES][512];
    char *sorted[FILES];
    size_t n = 0;
    DIR *dir = opendir(folder);
    struct dirent *entry;
    while (dir && n < FILES && (entry = readdir(dir)) != NULL) {
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".txt") != 0 || strcmp(entry->d_name, "policies.txt") == 0)
            continue; /* check_product_policies.c reads that one */
        snprintf(path[n], sizeof path[n], "%.250s/%.250s", folder, entry->d_name);
        sorted[n] = path[n];
        n++;
    }
    if (dir)
        closedir(dir);
    if (n == 0) {
        printf("no files in %s\n", folder);
        failures++;
    }
    qsort(sorted, n, sizeof sorted[0], by_name);
    for (size_t i = 0; i < n; i++)
        check_file(sorted[i]);
}

int main(int argc, char **argv)
{
    const char *tier = getenv("SOFTFP8_TIER");
    brief = tier && strcmp(tier, "short") == 0;
    int files = 0;
    for (int i = 1; i < argc; i++)
        full |= strcmp(argv[i], "--full") == 0;
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-')
            continue;
        files = 1;
        check_file(argv[i]);
    }
    if (!files)
        check_folder(SOFTFP8_SOURCE "/vectors/products");
    printf("%zu runs, %zu blocks, %zu differences\n", runs, blocks, failures);
    return failures != 0;
}
