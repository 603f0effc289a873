/* SPDX-License-Identifier: MIT */
/* check_judge_scales.c -- by what rule a kernel computes scales, beside honest noise
 *
 * The kernels are the library's quantizers with another global scale, or compute scales by hand. So
 * what the judge has to say is known from how the scales were made.
 */
#include "diagnose_check.h"
#include "softfp8_judge.h"

#include <math.h>

enum { ROWS = 4, COLUMNS = 256, COUNT = ROWS * COLUMNS, BLOCK = 16 };

static float exact[COUNT], came[COUNT];
static uint8_t codes[COUNT];
static uint32_t scales[COUNT / BLOCK];

/* ---- values ---------------------------------------------------------------------------------- */

static uint32_t state;

/* From -1 to 1. */
static double even(void)
{
    state = state * 1664525 + 1013904223;
    return (double)(state >> 8) * 0x1p-23 - 1;
}

static float to_bf16(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000U;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Rows of other sizes; what the kernel has is rounded to bf16, or a little off. */
static void make(uint32_t seed)
{
    state = seed;
    for (int i = 0; i < COUNT; i++) {
        exact[i] = (float)((even() + even() + even()) * (1 + i / COLUMNS));
        came[i] = seed % 2 ? to_bf16(exact[i]) : (float)(exact[i] * (1 + even() * 1e-3));
    }
}

static float amax_of(const float *x, int count)
{
    float most = 0;
    for (int i = 0; i < count; i++)
        most = fmaxf(most, fabsf(x[i]));
    return most;
}

/* ---- the judge ------------------------------------------------------------------------------- */

/* Whether the mistake has the words, and another one not; NULL: there is no mistake. */
static void says(const char *what, const char *recipe, float g, const char *uncertain,
                 const char *words, const char * not )
{
    const sf8_uncertainty u = {.text = uncertain};
    sf8_recipe r;
    sf8_judgement *j = NULL;
    holds(recipe, sf8_recipe_named(&r, recipe) == SF8_OK);
    const sf8_block_flips blocks = {.recipe = &r,
                                    .recipe_name = recipe,
                                    .from = SF8_F32,
                                    .inputs = exact,
                                    .rows = ROWS,
                                    .columns = COLUMNS,
                                    .codes = codes,
                                    .scales = scales,
                                    .g = g,
                                    .uncertainty = &u};
    holds(what, sf8_judge_blocks(&blocks, &j) == SF8_OK);
    if (words ? !strstr(j->mistake, words) || (not &&strstr(j->mistake, not ))
              : j->verdict > SF8_JUDGED_EXCUSED) {
        failures++;
        printf("%s, %s: expected %s\n%s\n", recipe, what, words ? words : "nothing", j->message);
    }
    sf8_judgement_free(j);
}

/* ---- the global scale ------------------------------------------------------------------------ */

static void quantize(const char *recipe, float g)
{
    sf8_recipe r;
    holds(recipe, sf8_recipe_named(&r, recipe) == SF8_OK);
    holds("the kernel",
          sf8_quantize_n(&r, codes, scales, NULL, SF8_F32, came, ROWS, COLUMNS, g) == SF8_OK);
}

/* By 40 times as large a g most scales are saturated, and by 1e7 times all codes too. */
static void check_global(void)
{
    static const struct {
        const char *name;
        int divides;
    } recipes[] = {{"nvfp4-te", 0}, {"nvfp4-flashinfer-append", 1}, {"nvfp4-vllm-4over6", 0}};
    for (uint32_t k = 0; k < 3; k++) {
        const char *name = recipes[k].name;
        make(7 + k);
        float most = amax_of(exact, COUNT), g = recipes[k].divides ? most / 2000 : 2000 / most;
        const struct {
            float used;
            const char *words;
        } rows[] = {
            {g, NULL},
            {2 * g, "the global scale is 2 times the one that is given"},
            {g / 2, "the global scale is 0.5 times the one that is given"},
            {1.37F * g, "the global scale is 1.3"},
            {recipes[k].divides ? g / 40 : 40 * g, recipes[k].divides
                                                       ? "the global scale is 0.025 times"
                                                       : "the global scale is 40 times"},
            {recipes[k].divides ? g * 1e-7F : g * 1e7F,
             recipes[k].divides ? "the global scale is at most " : "the global scale is at least "},
            {1, "times the one that is given, as if it were not applied"},
            {1 / g, "times the one that is given, as if it were inverted"},
            {g * g, "times the one that is given, as if it were applied twice"},
        };
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i += k ? waited(2) : 1) {
            quantize(name, rows[i].used);
            says("another global scale", name, g, "bf16/2", rows[i].words, "amax");
        }
    }
}

/* A block of zeros whose scale no global scale gives. */
static void check_zeros(void)
{
    make(11);
    float g = 2000 / amax_of(exact, COUNT);
    memset(exact, 0, BLOCK * sizeof *exact);
    memset(came, 0, BLOCK * sizeof *came);
    quantize("nvfp4-te", 2 * g);
    says("zeros", "nvfp4-te", g, "bf16/2", "the global scale is 2 times", NULL);
    scales[0] = 0x38;
    says("a scale of zeros", "nvfp4-te", g, "bf16/2", "", "global");
}

/* NVFP4 by hand: the scale is that of `amax` of each block, and the codes are those by it. */
static void quantize_by(float g, const float *amax)
{
    for (int i = 0; i < COUNT; i++) {
        uint8_t s = sf8_f32_to_e4m3(g * (amax[i / BLOCK] / 6), SF8_OCP);
        scales[i / BLOCK] = s;
        codes[i] = sf8_f32_to_e2m1(came[i] * (g / sf8_e4m3_to_f32(s)), SF8_OCP);
    }
}

/* amax is another one, and the global scale is right. */
static void check_amax(void)
{
    static float amax[COUNT / BLOCK];
    make(5);
    float g = 1000 / amax_of(exact, COUNT);
    for (int i = 0; i < COUNT / BLOCK; i++)
        amax[i] = amax_of(came + i * BLOCK, BLOCK);
    quantize_by(g, amax);
    says("right", "nvfp4-te", g, "bf16/2", NULL, NULL);
    for (int i = 0; i < COUNT / BLOCK; i++)
        amax[i] *= 2;
    quantize_by(g, amax);
    says("twice amax", "nvfp4-te", g, "bf16/2", "the scale is that of 2 times amax", "global");
    for (int i = 0; i < COUNT / BLOCK; i++)
        amax[i] = amax_of(came, COUNT);
    quantize_by(g, amax);
    says("the whole tensor", "nvfp4-te", g, "bf16/2", "amax is that of the whole tensor", "global");
    for (int i = 0; i < COUNT / BLOCK; i++)
        amax[i] = (float)(1 + fabs(even()));
    quantize_by(g, amax);
    says("any scales", "nvfp4-te", g, "bf16/2", "", "global");
}

/* Elements whose codes are in the middle of wide intervals do not say which of both it is. */
static void check_both(void)
{
    state = 3;
    for (int i = 0; i < COUNT; i++) {
        static double size;
        size = i % BLOCK ? size : 1.5 + even();
        exact[i] = came[i] = (float)(i % BLOCK ? size / 2 : size);
    }
    float g = 400;
    quantize("nvfp4-te", 1.3F * g);
    says("both", "nvfp4-te", g, "rel=0.2", "times amax; or the global scale is ", NULL);
}

/* ---- statistics ------------------------------------------------------------------------------ */

static int by_size(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

enum { MEAN, ROOT, QUANTILE_999, QUANTILE_99, LARGEST, SECOND, TWICE_MEAN, RULES };

/* What stands for amax of 128 elements: in f32, as a kernel has it. */
static float statistic(int rule, const float *x)
{
    float v[128], sum = 0;
    for (int i = 0; i < 128; i++) {
        v[i] = fabsf(x[i]);
        sum += rule == ROOT ? v[i] * v[i] : v[i];
    }
    qsort(v, 128, sizeof *v, by_size);
    float at = rule == QUANTILE_99 ? 125.73F : 126.873F;
    int below = (int)at;
    return rule == MEAN         ? sum / 128
           : rule == TWICE_MEAN ? sum / 64
           : rule == ROOT       ? sqrtf(sum / 128)
           : rule == LARGEST    ? v[127]
           : rule == SECOND     ? v[126]
                                : v[below] + (at - (float)below) * (v[below + 1] - v[below]);
}

static void check_statistics(void)
{
    static const char *const words[RULES] = {
        [MEAN] = "the scale is that of the mean magnitude, not of the largest",
        [ROOT] = "the scale is that of the root mean square",
        [QUANTILE_999] = "the scale is that of the 99.9 % quantile",
        [QUANTILE_99] = "the scale is that of the 99 % quantile"};
    for (int rule = 0; rule < RULES; rule++) {
        make(20 + (uint32_t)rule);
        for (int i = 0; i < COUNT; i++) {
            float scale = statistic(rule, came + i / 128 * 128) / 448;
            memcpy(&scales[i / 128], &scale, sizeof scale);
            codes[i] = sf8_f32_to_e4m3(came[i] / scale, SF8_OCP);
        }
        says("a statistic", "fp8-group128-deepseek", 1, "bf16/2",
             words[rule] || rule == LARGEST ? words[rule] : "",
             words[rule] ? NULL : "the scale is that of the ");
    }
}

int main(void)
{
    check_global();
    check_zeros();
    check_amax();
    check_both();
    check_statistics();
    if (failures == 0)
        puts("held");
    return failures != 0;
}
