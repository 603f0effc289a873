/* SPDX-License-Identifier: MIT */
/* check_diagnose_layout.c -- sf8_diagnose_layout: planted mistakes are named, what is right is not
 * accused
 *
 * The values are quantized here, without the library: to e2m1 in blocks of 16 of a row, whose
 * scales are powers of two, as e4m3 or e8m0.
 */
#include "softfp8_diagnose.h"
#include "diagnose_check.h"

#include <math.h>

enum { ROWS = 36, COLUMNS = 192, ACROSS = COLUMNS / 16, COUNT = ROWS * COLUMNS, SCALES = 128 * 12 };

static float values[COUNT];
static uint8_t codes[COUNT / 2], scales[SCALES];

/* ---- quantized ------------------------------------------------------------------------------- */

static uint32_t random_bits(void)
{
    static uint64_t state = UINT64_C(88172645463325252);
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 32);
}

static unsigned nearest(double size)
{
    static const double e2m1[8] = {0, .5, 1, 1.5, 2, 3, 4, 6};
    unsigned best = 0;
    for (unsigned c = 1; c < 8; c++)
        best = fabs(e2m1[c] - size) < fabs(e2m1[best] - size) ? c : best;
    return best;
}

/* The place of a scale. */
static size_t place(const char *layout, size_t row, size_t block)
{
    if (strcmp(layout, "128x4") == 0)
        return block / 4 * 512 + row % 32 * 16 + row / 32 * 4 + block % 4;
    if (strcmp(layout, "transposed") == 0)
        return block * ROWS + row;
    if (strcmp(layout, "words") == 0) /* 36 rows are a multiple of 4 */
        return 4 * (block / 4 * ROWS + row) + block % 4;
    return row * ACROSS + block;
}

/* Each magnitude of a block is at least 1/8 of its largest: no scale but its own explains it. */
static void quantize_block(size_t row, size_t block, int is_e8m0, int is_high, const char *layout)
{
    double most = 0;
    for (size_t i = 0; i < 16; i++) {
        size_t at = row * COLUMNS + block * 16 + i;
        double x = 0.125 + 0.875 * (random_bits() / 4294967296.0);
        x *= ldexp(random_bits() % 2 ? -1 : 1, (int)((row * 7 + block * 5) % 7) - 2);
        values[at] = (float)x;
        most = fabs((double)values[at]) > most ? fabs((double)values[at]) : most;
    }
    int exponent = (int)ceil(log2(most / 6));
    scales[place(layout, row, block)] = (uint8_t)(is_e8m0 ? exponent + 127 : (exponent + 7) << 3);
    for (size_t i = 0; i < 16; i++) {
        size_t at = row * COLUMNS + block * 16 + i;
        unsigned code = nearest(fabs((double)values[at]) / ldexp(1, exponent));
        code |= values[at] < 0 ? 8u : 0;
        codes[at / 2] |= (uint8_t)(code << ((at % 2 == 1) != is_high ? 4 : 0));
    }
}

static sf8_layout_results quantize(int is_e8m0, int is_high, const char *layout)
{
    memset(codes, 0, sizeof codes);
    memset(scales, 0, sizeof scales);
    for (size_t row = 0; row < ROWS; row++)
        for (size_t block = 0; block < ACROSS; block++)
            quantize_block(row, block, is_e8m0, is_high, layout);
    return (sf8_layout_results){.rows = ROWS,
                                .columns = COLUMNS,
                                .values = values,
                                .from = SF8_F32,
                                .codes = codes,
                                .codes_size = sizeof codes,
                                .scales = scales,
                                .scales_size = strcmp(layout, "128x4") == 0 ? SCALES
                                                                            : ROWS * ACROSS};
}

static sf8_layout_diagnosis *diagnose(const sf8_layout_results *r)
{
    sf8_layout_diagnosis *d = NULL;
    holds("it is diagnosed", sf8_diagnose_layout(r, &d) == SF8_OK && d);
    if (!d)
        exit(1);
    return d;
}

/* ---- planted --------------------------------------------------------------------------------- */

static const char high[] = "the nibbles are stored high first, and were read low first",
                  place_words[] = "the scales have the layout 128x4, and were read as linear";

static const struct {
    const char *name, *label;
    int is_e8m0, is_high;
    const char *layout;
    const char *words[2], *advice[2];
} planted[] = {
    {"high first",
     "nibbles high first",
     0,
     1,
     "",
     {high},
     {"exchange the nibbles of each byte of the codes"}},
    {"128x4",
     "scales 128x4",
     0,
     0,
     "128x4",
     {place_words},
     {"softfp8 layout move --from-layout 128x4 --to-layout linear --shape 36,12 FILE -o "
      "moved.bin"}},
    {"transposed",
     "scales transposed",
     0,
     0,
     "transposed",
     {"the scales are stored transposed, column by column, and were read as row by row"},
     {"transpose the matrix of scales"}},
    {"both",
     "nibbles high first, scales 128x4",
     0,
     1,
     "128x4",
     {high, place_words},
     {"exchange the nibbles of each byte of the codes",
      "softfp8 layout move --from-layout 128x4 --to-layout linear --shape 36,12 FILE -o "
      "moved.bin"}},
    {"words of e8m0",
     "scales in words by columns",
     1,
     0,
     "words",
     {"four scales of a row are a word, and the words lie column by column, and were read as "
      "linear"},
     {"read byte (r, c) at 4 * (c / 4 * R + r) + c % 4; R is the rows, padded to a multiple of "
      "4"}},
    {"both, of e8m0",
     "nibbles high first, scales transposed",
     1,
     1,
     "transposed",
     {high, "the scales are stored transposed, column by column, and were read as row by row"},
     {"exchange the nibbles of each byte of the codes", "transpose the matrix of scales"}},
};

static void check_planted(void)
{
    for (size_t i = 0; i < sizeof planted / sizeof planted[0]; i++) {
        const sf8_layout_results r = quantize(planted[i].is_e8m0, planted[i].is_high,
                                              planted[i].layout);
        sf8_layout_diagnosis *d = diagnose(&r);
        const sf8_layout_reading *first = d->list;
        same(planted[i].name, planted[i].label, first->words);
        holds(planted[i].name, d->verdict == SF8_VERDICT_CHANGED && !d->is_expected &&
                                   first->explained == COUNT && first->counted == COUNT);
        for (size_t k = 0; k < first->count; k++) {
            same(planted[i].name, planted[i].words[k], first->change[k].words);
            same(planted[i].name, planted[i].advice[k], first->change[k].advice);
        }
        for (size_t k = 1; k < d->count; k++)
            for (size_t c = 0; c < d->list[k].count; c++)
                same("what is not proved has no advice", "", d->list[k].change[c].advice);
        sf8_layout_diagnosis_free(d);
    }
}

/* The advice followed: the scales are expected where they lie. */
static void check_right(void)
{
    sf8_layout_results r = quantize(0, 0, "");
    sf8_layout_diagnosis *d = diagnose(&r);
    same("what is right", "as expected", d->list->words);
    holds("what is right", d->verdict == SF8_VERDICT_POLICY && d->is_expected && d->bits == 4 &&
                               d->expected && d->expected_size == ROWS * ACROSS && d->tried > 100);
    sf8_layout_diagnosis_free(d);
    r = quantize(0, 0, "128x4");
    r.layout = SF8_LAYOUT_128X4;
    d = diagnose(&r);
    holds("128x4 as expected", d->is_expected && d->list->count == 0);
    sf8_layout_diagnosis_free(d);
}

/* These are the blocks of sglang-kvfp4; with a wrong code they are not. */
static void check_recipe(void)
{
    sf8_layout_results r = quantize(1, 0, "");
    r.recipe = "sglang-kvfp4";
    sf8_layout_diagnosis *d = diagnose(&r);
    holds("the expected recipe", d->is_expected && d->expected_recipe &&
                                     d->expected_recipe->codes_differ == 0 &&
                                     d->expected_recipe->scales_differ == 0 &&
                                     d->codes_compared == COUNT && d->rows_compared == ROWS);
    sf8_layout_diagnosis_free(d);
    codes[100] ^= 0x10;
    d = diagnose(&r);
    holds("a wrong code", d->verdict == SF8_VERDICT_NEAREST && !d->is_expected &&
                              d->list->count == 0 && d->list->explained == COUNT - 1 &&
                              d->expected_recipe->codes_differ == 1 &&
                              d->expected_recipe->codes_differ_for_scales == 1 &&
                              d->expected_recipe->scales_differ == 0);
    sf8_layout_diagnosis_free(d);
    r.recipe = NULL;
    d = diagnose(&r);
    holds("without a recipe", d->recipe_count > 0 && !d->expected_recipe);
    sf8_layout_diagnosis_free(d);
}

/* A factor, which may be given as global scale. Many explain the elements: it is the simplest. */
static void check_factor(float factor, const char *text)
{
    char label[64], words[64], advice[128];
    sf8_layout_results r = quantize(0, 0, "");
    for (size_t i = 0; i < COUNT; i++)
        values[i] *= factor;
    sf8_layout_diagnosis *d = diagnose(&r);
    const sf8_layout_change *c = d->list->change;
    snprintf(label, sizeof label, "a factor of %s", text);
    snprintf(words, sizeof words, "the values are %s times what is read", text);
    snprintf(advice, sizeof advice,
             "give --global-scale %s, the factor for codes times scales (or --recipe NAME and its "
             "own g)",
             text);
    same("a factor", label, d->list->words);
    same("a factor", words, c->words);
    same("a factor", advice, c->advice);
    holds("a factor", d->verdict == SF8_VERDICT_CHANGED && c->factor == (double)factor);
    r.global_scale = (float)d->global_scale;
    sf8_layout_diagnosis_free(d);
    d = diagnose(&r);
    holds("a factor that was given", d->is_expected);
    sf8_layout_diagnosis_free(d);
}

/* Few readings of so small a matrix are possible, so that all are listed: where no factor is needed
 * there is none among them. */
static void check_no_factor(void)
{
    enum { LINES = 8, LONG = 32 };
    static uint8_t bytes[LINES * LONG];
    static float read[LINES * LONG], factors[LINES];
    for (size_t i = 0; i < sizeof bytes; i++) {
        uint32_t code = 0x28 + random_bits() % 0x20, minus = random_bits() % 2;
        factors[i / LONG] = ldexpf(1, (int)(i / LONG) - 4);
        bytes[i] = (uint8_t)(code | minus << 7);
        read[i] = ldexpf((float)(8 + code % 8), (int)(code >> 3) - 10) * factors[i / LONG];
        read[i] = minus ? -read[i] : read[i];
    }
    const sf8_layout_results r = {.rows = LINES,
                                  .columns = LONG,
                                  .values = read,
                                  .from = SF8_F32,
                                  .codes = bytes,
                                  .codes_size = sizeof bytes,
                                  .scales = (const uint8_t *)factors,
                                  .scales_size = sizeof factors,
                                  .scale_width = 4,
                                  .recipe = "fp8-per-token",
                                  .is_quick = 1};
    sf8_layout_diagnosis *d = diagnose(&r);
    holds("no factor", d->is_expected && d->bits == 8 && d->count > 5 && d->tried < 32);
    for (size_t i = 0; i < d->count; i++)
        for (size_t k = 0; k < d->list[i].count; k++)
            holds("no factor", strstr(d->list[i].change[k].words, "times what is read") == NULL);
    sf8_layout_diagnosis_free(d);
}

static void check_nothing(void)
{
    sf8_layout_results r = quantize(0, 0, "");
    for (size_t i = 0; i < COUNT / 2; i++)
        codes[i] = (uint8_t)random_bits();
    sf8_layout_diagnosis *d = diagnose(&r);
    holds("noise", d->verdict == SF8_VERDICT_NEAREST && d->global_scale == 0);
    for (size_t k = 0; k < d->list->count; k++)
        same("noise: no advice", "", d->list->change[k].advice);
    sf8_layout_diagnosis_free(d);
    r.scales_size = 100;
    d = diagnose(&r);
    holds("sizes that nothing has", d->verdict == SF8_VERDICT_NONE && d->count == 0);
    /* 36 rows of 12 or 6 scales; tiles of 128 rows and 4 columns, and of 8 rows */
    same("which there could be",
         "432 (linear of 16), 1536 (128x4 of 16), 480 (8x4 of 16), 432 (4-token of 16), "
         "216 (linear of 32), 1024 (128x4 of 32), 320 (8x4 of 32)",
         d->sizes);
    sf8_layout_diagnosis_free(d);
    r = quantize(0, 0, "");
    r.rows = 1;
    r.codes_size /= ROWS;
    r.scales_size /= ROWS;
    d = diagnose(&r);
    size_t twins = 0;
    for (size_t i = 1; i < d->count; i++)
        twins += (size_t)d->list[i].is_twin && strcmp(d->list[i].words, "scales transposed") == 0;
    holds("one row is its own transpose", d->is_expected && twins == 1);
    sf8_layout_diagnosis_free(d);
}

/* ---- scales that were rounded after the codes -------------------------------------------------
 */

enum { UP, DOWN, EITHER, LEAKED };

/* A number of f32 joins the word of its block, which block 0 of four has cleared. */
static void leak(size_t block, float scale)
{
    static uint32_t word;
    uint32_t bits;
    memcpy(&bits, &scale, sizeof bits);
    word = block % 4 == 0 ? 0 : word;
    word |= block % 4 < 3 ? bits >> (23 - 8 * (block % 4)) : bits << 1;
    if (block % 4 == 3)
        for (size_t k = 0; k < 4; k++)
            scales[block - 3 + k] = (uint8_t)(word >> 8 * k);
}

/* The values of quantize(), with codes for the largest magnitude of each block over 6. */
static sf8_layout_results quantize_before(int kind)
{
    sf8_layout_results r = quantize(1, 0, "");
    r.recipe = "sglang-kvfp4";
    memset(codes, 0, sizeof codes);
    for (size_t block = 0; block < ROWS * ACROSS; block++) {
        double most = 0;
        for (size_t i = 0; i < 16; i++)
            most = fmax(most, fabs((double)values[16 * block + i]));
        int is_up = kind == UP || (kind == EITHER && block % 3 == 0);
        double log = log2(most / 6);
        scales[block] = (uint8_t)((is_up ? ceil(log) : floor(log)) + 127);
        if (kind == LEAKED)
            leak(block, (float)most / 6);
        for (size_t i = 0; i < 16; i++) {
            float x = values[16 * block + i];
            unsigned code = nearest(fabs((double)x) / (most / 6)) | (x < 0 ? 8u : 0);
            codes[8 * block + i / 2] |= (uint8_t)(code << (i % 2 ? 4 : 0));
        }
    }
    return r;
}

/* Right codes, with scales that are off by this number of powers of two. */
static void same_scale(const char *what, int off, const char *label)
{
    sf8_layout_results r = quantize(1, 0, "");
    r.recipe = "sglang-kvfp4";
    for (size_t i = 0; i < ROWS * ACROSS; i++)
        scales[i] = (uint8_t)(scales[i] + off);
    sf8_layout_diagnosis *d = diagnose(&r);
    same(what, label, d->list->words);
    sf8_layout_diagnosis_free(d);
}

static void check_rounded(void)
{
    static const char *const labels[] = {
        "scales rounded up after the codes", "scales rounded down after the codes",
        "scales rounded after the codes", "scales with leaked mantissas"};
    for (int kind = UP; kind <= LEAKED; kind++) {
        sf8_layout_results r = quantize_before(kind);
        sf8_layout_diagnosis *d = diagnose(&r);
        same("rounded after the codes", labels[kind], d->list->words);
        holds("rounded after the codes",
              d->verdict == SF8_VERDICT_CHANGED && d->list->explained == COUNT);
        sf8_layout_diagnosis_free(d);
        codes[100] ^= 0x80; /* a sign is no rounding */
        d = diagnose(&r);
        holds("one code is another", d->verdict == SF8_VERDICT_NEAREST);
        sf8_layout_diagnosis_free(d);
        for (size_t i = 0; i < COUNT / 2; i++)
            codes[i] = (uint8_t)random_bits();
        d = diagnose(&r);
        holds("noise beside scales", d->verdict == SF8_VERDICT_NEAREST);
        sf8_layout_diagnosis_free(d);
    }
    same_scale("one too large", 1, "scales e8m0 one too large");
    same_scale("one too small", -1, "scales e8m0 one too small");
    same_scale("right scales", 0, "as expected");
}

/* ---- what a scale means -----------------------------------------------------------------------
 */

static double e2m1_of(unsigned code)
{
    static const double sizes[8] = {0, .5, 1, 1.5, 2, 3, 4, 6};
    return code & 8 ? -sizes[code & 7] : sizes[code & 7];
}

/* Codes and scales at random, and the values that a reader of these scales gets. */
static sf8_layout_results read_by(const char *recipe, unsigned first, unsigned last,
                                  double (*scale_of)(unsigned byte))
{
    sf8_layout_results r = quantize(1, 0, "");
    r.recipe = recipe;
    for (size_t i = 0; i < ROWS * ACROSS; i++)
        scales[i] = (uint8_t)(first + random_bits() % (last - first + 1));
    for (size_t i = 0; i < COUNT; i++) {
        unsigned code = codes[i / 2] >> (i % 2 ? 4 : 0) & 15;
        values[i] = (float)(e2m1_of(code) * scale_of(scales[i / 16]));
    }
    return r;
}

static double as_e4m3(unsigned byte)
{
    unsigned field = byte >> 3 & 15, low = byte & 7;
    return field ? ldexp(8 + low, (int)field - 10) : ldexp(low, -9);
}

static double with_hidden_bit(unsigned byte)
{
    return byte ? ldexp(8 + (byte & 7), (int)(byte >> 3) - 10) : 0;
}

static double as_integer(unsigned byte)
{
    return byte;
}

static void check_meaning(void)
{
    static const struct {
        const char *recipe, *label;
        unsigned first, last;
        double (*scale_of)(unsigned byte);
    } readers[] = {
        {"nvfp4-te", "scales e4m3, subnormals as normal", 0, 40, with_hidden_bit},
        {"nvfp4-te", "as expected", 0, 40, as_e4m3},
        {"nvfp4-te", "as expected", 8, 40, with_hidden_bit}, /* none is subnormal */
        {"sglang-kvfp4", "scales integers", 100, 140, as_integer},
    };
    for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++) {
        sf8_layout_results r = read_by(readers[i].recipe, readers[i].first, readers[i].last,
                                       readers[i].scale_of);
        sf8_layout_diagnosis *d = diagnose(&r);
        same("what a scale means", readers[i].label, d->list->words);
        holds("what a scale means", d->verdict <= SF8_VERDICT_CHANGED);
        for (size_t k = 1; k < d->count; k++)
            holds("only subnormal scales can be read so",
                  readers[i].first == 0 || !strstr(d->list[k].words, "subnormals"));
        sf8_layout_diagnosis_free(d);
    }
}

/* ---- calls ----------------------------------------------------------------------------------- */

static void refuses(const char *what, sf8_status status, sf8_layout_results r)
{
    sf8_layout_diagnosis *d = (sf8_layout_diagnosis *)&r;
    holds(what, sf8_diagnose_layout(&r, &d) == status && !d);
}

static void check_calls(void)
{
    const sf8_layout_results good = quantize(1, 0, "");
    sf8_layout_results r = good;
    r.rows = 0;
    refuses("no rows", SF8_BAD_CALL, r);
    r.rows = SIZE_MAX;
    refuses("too many rows", SF8_BAD_CALL, r);
    r = good;
    r.codes_size--;
    refuses("a byte too few", SF8_BAD_CALL, r);
    r = good;
    r.scale_width = 3;
    refuses("scales of 3 bytes", SF8_BAD_CALL, r);
    r.scale_width = 4;
    refuses("4 bits with scales of f32", SF8_BAD_CALL, r);
    r = good;
    r.layout = (sf8_layout)9;
    refuses("no layout", SF8_BAD_CALL, r);
    r = good;
    r.from = SF8_E4M3;
    refuses("values of e4m3", SF8_BAD_FORMAT, r);
    r = good;
    r.recipe = "no such recipe";
    refuses("an unknown recipe", SF8_UNKNOWN_NAME, r);
    r.recipe = "kivi-int4";
    refuses("a recipe of integers", SF8_UNKNOWN_NAME, r);
    r.recipe = "sglang-kvfp4";
    r.global_scale = 2;
    refuses("a recipe without g", SF8_BAD_CALL, r);
    r.recipe = NULL;
    r.global_scale = NAN;
    refuses("g is NaN", SF8_BAD_CALL, r);
    r.global_scale = -1;
    refuses("g is negative", SF8_BAD_CALL, r);
    static const float zeros[COUNT];
    r = good;
    r.values = zeros;
    refuses("only zeros", SF8_BAD_CALL, r);
    sf8_layout_diagnosis_free(NULL);

    r = good;
    r.seconds = 1e-9;
    r.progress = tell;
    r.user = &told;
    sf8_layout_diagnosis *d = diagnose(&r);
    holds("the time was up",
          d->is_cut_short && !d->is_expected && d->verdict == SF8_VERDICT_NEAREST && told);
    sf8_layout_diagnosis_free(d);
}

static sf8_status diagnose_two_rows(void)
{
    sf8_layout_results r = quantize(1, 1, "");
    r.rows = 2;
    r.columns = 32;
    r.codes_size = 32;
    r.scales_size = 4;
    r.is_quick = 1;
    sf8_layout_diagnosis *d;
    sf8_status status = sf8_diagnose_layout(&r, &d);
    sf8_layout_diagnosis_free(d);
    return status;
}

int main(void)
{
    check_memory(diagnose_two_rows);
    check_calls();
    check_right();
    check_recipe();
    check_factor(3, "3");
    check_factor(4, "4");
    check_factor(1.0f / 3, "0.3333");
    check_no_factor();
    check_nothing();
    check_planted();
    check_rounded();
    check_meaning();
    printf("%d failures\n", failures);
    return failures > 0;
}
