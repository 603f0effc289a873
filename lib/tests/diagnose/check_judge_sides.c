/* SPDX-License-Identifier: MIT */
/* check_judge_sides.c -- honest noise is excused and never called one-sided; a bias of a tenth of a
 * unit in the last place of bf16 is
 *
 * The kernels are the library's own quantizers and casts, of values that differ from the exact ones
 * by noise. So what the judge has to say is known from how the values were made.
 */
#include "diagnose_check.h"
#include "softfp8_test.h"

#include <math.h>

enum { COLUMNS = 1024, MOST = 1 << 20 };

static float exact[MOST], came[MOST];
static uint8_t codes[MOST];
static uint32_t scales[MOST / 16];

/* ---- values ---------------------------------------------------------------------------------- */

static uint64_t state;

static uint64_t next(void)
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* From -1/2 to 1/2. */
static double even(void)
{
    return (double)(next() >> 11) * 0x1p-53 - 0.5;
}

/* About normal. */
static double normal(void)
{
    double sum = 0;
    for (int i = 0; i < 12; i++)
        sum += even();
    return sum;
}

static float to_bf16(double x)
{
    float value = (float)x;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits += 0x7fff + (bits >> 16 & 1);
    bits &= 0xffff0000U;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double unit(double x)
{
    int exponent;
    (void)frexp(x, &exponent);
    return ldexp(1, exponent - 8);
}

/* ---- noise ----------------------------------------------------------------------------------- */

enum { ROUNDED, EVEN, NARROW, NOISY, TWICE, EXACT, KINDS };
static const char *const kinds[] = {"rounded to bf16",     "even noise",    "normal noise",
                                    "noise, then rounded", "rounded twice", "no noise"};
/* For a bias of a tenth of a unit at most. */
static const char *const within[] = {"bf16*0.6", "bf16*0.6", "bf16*0.6",
                                     "bf16",     "bf16*1.6", "bf16/2"};

/* What a kernel computes for x. */
static double noisy(int kind, double x, double bias)
{
    double u = unit(x), b = bias * u * (x < 0 ? -1 : 1), e;
    switch (kind) {
    case ROUNDED:
        return to_bf16(x + b);
    case EVEN:
        return x + b + even() * u;
    case NARROW:
        e = normal() / 8;
        return x + b + fmax(-0.49, fmin(0.49, e)) * u;
    case NOISY:
        return to_bf16(x * (1 + even() * 1e-3) + b);
    case TWICE:
        return to_bf16(to_bf16(x * 0.7) / 0.7 + b);
    default:
        return x + b;
    }
}

static void make(int kind, size_t count, double size, double bias)
{
    int only_positive = next() % 4 == 0;
    for (size_t i = 0; i < count; i++) {
        double x = normal() * size;
        exact[i] = (float)(only_positive ? fabs(x) : x);
        came[i] = (float)noisy(kind, exact[i], bias);
    }
}

/* ---- kernels --------------------------------------------------------------------------------- */

static const char *const recipes[] = {
    "fp8-group128-sglang", "fp8-group128-deepseek", "mxfp8-te", "nvfp4-te",
    "nvfp4-vllm-4over6",   "fp8-per-token",         NULL /* a cast to e4m3 */};
enum { RECIPES = sizeof recipes / sizeof recipes[0] };

static sf8_judgement *judged(const char *name, int kind, size_t count)
{
    const sf8_uncertainty u = {.text = within[kind]};
    sf8_judgement *j = NULL;
    sf8_recipe r;
    if (!name) {
        const sf8_cast_flips cast = {.from = SF8_F32,
                                     .to = SF8_E4M3,
                                     .inputs = exact,
                                     .codes = codes,
                                     .count = count,
                                     .uncertainty = &u};
        holds("the kernel",
              sf8_convert_n(SF8_E4M3, codes, SF8_F32, came, count, SF8_OCP) == SF8_OK);
        holds("the judge", sf8_judge_cast(&cast, &j) == SF8_OK);
        return j;
    }
    holds(name, sf8_recipe_named(&r, name) == SF8_OK);
    float g = 1;
    if (r.has_g)
        holds("the global scale", sf8_recipe_g(&r, SF8_F32, 4, &g) == SF8_OK);
    const sf8_block_flips blocks = {.recipe = &r,
                                    .recipe_name = name,
                                    .from = SF8_F32,
                                    .inputs = exact,
                                    .rows = count / COLUMNS,
                                    .columns = COLUMNS,
                                    .codes = codes,
                                    .scales = scales,
                                    .g = g,
                                    .uncertainty = &u};
    holds("the kernel", sf8_quantize_n(&r, codes, scales, NULL, SF8_F32, came, count / COLUMNS,
                                       COLUMNS, g) == SF8_OK);
    holds("the judge", sf8_judge_blocks(&blocks, &j) == SF8_OK);
    return j;
}

/* A hundred seeds, kernels and noises in turn; 34 where someone waits. */
static void check_honest(void)
{
    size_t flips = 0;
    for (unsigned seed = 0; seed < 100; seed += waited(3)) {
        const char *name = recipes[seed % RECIPES];
        int kind = (int)(seed / RECIPES % (KINDS - 1));
        state = seed;
        make(kind, 1 << 15, exp(4 * even()), 0);
        sf8_judgement *j = judged(name, kind, 1 << 15);
        flips += j->codes.differ;
        if (j->verdict > SF8_JUDGED_EXCUSED) {
            failures++;
            printf("%s, %s, seed %u\n%s\n", name ? name : "cast", kinds[kind], seed, j->message);
        }
        sf8_judgement_free(j);
    }
    holds("there are flips", flips > 20000 / waited(3));
}

/* What the tests of the statistic compare with: a bias, with each noise. Where someone waits, one of
 * each sign: only below 0 a narrow noise needs the strata. */
static void check_biased(void)
{
    for (unsigned seed = waited(5) > 1 ? NOISY : 0; seed < 2 * KINDS; seed += waited(5)) {
        int kind = (int)(seed % KINDS);
        double bias = seed < KINDS ? 0.1 : -0.1;
        state = 1000 + seed;
        make(kind, 1 << 18, 1, bias);
        sf8_judgement *j = judged(recipes[1], kind, 1 << 18);
        if (j->verdict != SF8_JUDGED_ONE_SIDED || !j->sides.is_of_magnitude ||
            (j->sides.mean > 0) != (bias > 0)) {
            failures++;
            printf("%s, bias %g\n%s\n", kinds[kind], bias, j->message);
        }
        sf8_judgement_free(j);
    }
}

/* A constant that is added moves values, not magnitudes. */
static void check_constant(void)
{
    state = 7;
    make(EXACT, 1 << 18, 1, 0);
    for (size_t i = 0; i < 1 << 18; i++)
        came[i] = exact[i] + 0x1p-11F;
    const sf8_uncertainty u = {.text = "abs=0.001"};
    const sf8_cast_flips cast = {.from = SF8_F32,
                                 .to = SF8_E4M3,
                                 .inputs = exact,
                                 .codes = codes,
                                 .count = 1 << 18,
                                 .uncertainty = &u};
    sf8_judgement *j = NULL;
    holds("the kernel", sf8_convert_n(SF8_E4M3, codes, SF8_F32, came, 1 << 18, SF8_OCP) == SF8_OK);
    holds("the judge", sf8_judge_cast(&cast, &j) == SF8_OK);
    if (j->verdict != SF8_JUDGED_ONE_SIDED || j->sides.is_of_magnitude || !(j->sides.mean > 0)) {
        failures++;
        printf("a constant\n%s\n", j->message);
    }
    sf8_judgement_free(j);
}

/* One scale a little above 1: the boundaries lie just above numbers of bf16, so that rounding to
 * bf16 crosses them toward zero alone. That is honest. */
static void check_one_scale(void)
{
    const sf8_uncertainty u = {.text = "bf16/2"};
    const float g = 1.001F;
    sf8_recipe r;
    sf8_judgement *j = NULL;
    state = 5;
    make(ROUNDED, 1 << 15, 30, 0);
    holds("the recipe", sf8_recipe_named(&r, "kv-vllm") == SF8_OK);
    holds("the kernel",
          sf8_quantize_n(&r, codes, scales, NULL, SF8_F32, came, 32, COLUMNS, g) == SF8_OK);
    const sf8_block_flips blocks = {.recipe = &r,
                                    .recipe_name = "kv-vllm",
                                    .from = SF8_F32,
                                    .inputs = exact,
                                    .rows = 32,
                                    .columns = COLUMNS,
                                    .codes = codes,
                                    .g = g,
                                    .uncertainty = &u};
    holds("the judge", sf8_judge_blocks(&blocks, &j) == SF8_OK);
    if (j->verdict != SF8_JUDGED_EXCUSED || j->sides.smaller < 2 * j->sides.larger) {
        failures++;
        printf("one scale\n%s\n", j->message);
    }
    sf8_judgement_free(j);
}

/* ---- the figures of a prototype -------------------------------------------------------------- */

/* A path by bf16; the same with a scale 0.4 % too large; and one that truncates. */
static void check_paths(void)
{
    static const struct {
        const char *what, *mistake;
        sf8_judged verdict;
    } rows[] = {
        {"an honest path", "", SF8_JUDGED_EXCUSED},
        {"a scale that is 0.4 % too large", "with a scale 1.004 times as large",
         SF8_JUDGED_OUTSIDE},
        {"a truncation", "the values are cut to bf16, not rounded", SF8_JUDGED_OUTSIDE},
    };
    const size_t count = 1 << 18;
    sf8_recipe r;
    holds("the recipe", sf8_recipe_named(&r, recipes[1]) == SF8_OK);
    state = 3;
    make(ROUNDED, count, 1, 0);
    for (int k = 0; k < 3; k++) {
        const sf8_uncertainty u = {.text = "bf16/2"};
        sf8_block_flips blocks = {.recipe = &r,
                                  .recipe_name = recipes[1],
                                  .from = SF8_F32,
                                  .inputs = exact,
                                  .rows = count / COLUMNS,
                                  .columns = COLUMNS,
                                  .codes = codes,
                                  .scales = scales,
                                  .g = 1,
                                  .uncertainty = &u};
        for (size_t i = 0; i < count; i++) {
            uint32_t bits;
            memcpy(&bits, &exact[i], sizeof bits);
            bits &= 0xffff0000U;
            memcpy(&came[i], &bits, sizeof bits);
            came[i] = k == 2 ? came[i] : k == 1 ? exact[i] / 1.004F : to_bf16(exact[i]);
        }
        /* The scales are those of the exact values: a kernel that shares them. */
        holds("scales", sf8_quantize_n(&r, codes, scales, NULL, SF8_F32, exact, count / COLUMNS,
                                       COLUMNS, 1) == SF8_OK);
        for (size_t i = 0; i < count; i++) {
            float scale;
            memcpy(&scale, &scales[i / 128], sizeof scale);
            codes[i] = sf8_f32_to_e4m3(came[i] / scale, SF8_OCP);
        }
        sf8_judgement *j = NULL;
        holds("the judge", sf8_judge_blocks(&blocks, &j) == SF8_OK);
        if (j->verdict != rows[k].verdict || !strstr(j->mistake, rows[k].mistake) ||
            (k == 0 && !(j->codes.worst.of_allowed > 0.99))) {
            failures++;
            printf("%s\n%s\n", rows[k].what, j->message);
        }
        sf8_judgement_free(j);
    }
}

int main(void)
{
    check_honest();
    check_biased();
    check_constant();
    check_one_scale();
    check_paths();
    if (failures == 0)
        puts("held");
    return failures != 0;
}
