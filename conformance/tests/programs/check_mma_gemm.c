/* SPDX-License-Identifier: MIT */
/* check_mma_gemm.c -- finding the schedule of a product from its results: each is recognised by its
 * own
 *
 * The library is a stub here: it multiplies by a schedule that the test chooses, and reports what
 * the test wants.
 */
#include "families/mma/mma.h"
#include "families/mma/gemm.h"
#include "checks.h"

#include <stdlib.h>
#include <string.h>

enum { ORDERS = 64, ROWS = 32, WORDS = ROWS * GEMM_PERIOD };

static gemm_inputs in;
static uint32_t words[GEMM_KINDS][ORDERS][WORDS], came[WORDS];

/* ---- the library ----------------------------------------------------------------------------- */

static struct {
    const char *missing, *wrong;
    size_t promote, splits,
        splits_reported; /* its schedule, and the number of splits that it reports */
    size_t flip;         /* 1 + the index of an element that is changed */
    size_t calls;
} library;

const char *gpu_gemm_missing(void)
{
    return library.missing;
}

const char *gpu_gemm_run(const gpu_product *p, gpu_gemm_choice *choice)
{
    sf8_mma unit;
    sf8_mma_schedule s = {library.promote, library.splits, SF8_MMA_UNSCALED, NULL, NULL};
    sf8_mma_operands x = {p->a, p->b, NULL, NULL};
    sf8_format out = sf8_format_named(p->gemm->out, NULL);
    static const gpu_gemm_choice chosen = {130100, 66, 20, 36, 1, 0, 0, -1, 0, 3, 0.25};
    library.calls++;
    *choice = chosen;
    choice->splits = (int)library.splits_reported;
    if (library.wrong)
        return library.wrong;
    if (p->alpha != 0x3f800000 || p->scale_a != p->alpha || p->scale_b != p->alpha)
        return "other factors";
    sf8_mma_named(&unit, "hopper-qgmma", SF8_E4M3, SF8_E4M3, SF8_F32);
    if (sf8_mma_matmul(&unit, &s, p->d, NULL, x, p->rows, p->columns, p->k) != SF8_OK)
        return "no such schedule";
    for (size_t i = 0; i < p->rows * p->columns && sf8_format_bits(out) < 32; i++)
        p->d[i] = (uint32_t)sf8_convert(out, SF8_F32, p->d[i], SF8_OCP_NOSAT);
    if (library.flip)
        p->d[library.flip - 1] ^= 1;
    return NULL;
}

/* ---- schedules ------------------------------------------------------------------------------- */

static size_t make_words(int kind)
{
    gemm_order o;
    size_t count = 0;
    gemm_fill(&in, kind);
    for (; count < ORDERS && gemm_order_at(count, kind, &o); count++)
        check(gemm_model(&in, &o, "f32", ROWS, words[kind][count]), "a schedule of K", o.unit);
    return count;
}

static int same(int kind, size_t i, size_t j)
{
    return memcmp(words[kind][i], words[kind][j], sizeof words[kind][i]) == 0;
}

/* No two schedules give the same results on random numbers, or on both of the other inputs; the
 * inputs that distinguish chains are by far the most. */
static void tell_apart(void)
{
    size_t count = make_words(GEMM_RANDOM), alike[GEMM_KINDS] = {0};
    char text[64];
    check(make_words(GEMM_INTERVAL) == count && make_words(GEMM_TREE) == count, "as many", "");
    check(count == 40, "schedules that are tried", "another number");
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++) {
            snprintf(text, sizeof text, "%zu and %zu", i, j);
            check(!same(GEMM_RANDOM, i, j), "apart on random numbers", text);
            check(!same(GEMM_INTERVAL, i, j) || !same(GEMM_TREE, i, j), "apart", text);
            alike[GEMM_INTERVAL] += (size_t)same(GEMM_INTERVAL, i, j);
            alike[GEMM_TREE] += (size_t)same(GEMM_TREE, i, j);
        }
    printf("alike: interval %zu, tree %zu pairs of %zu\n", alike[GEMM_INTERVAL], alike[GEMM_TREE],
           count * (count - 1) / 2);
    count = make_words(GEMM_SCALES);
    check(count == GEMM_FACTORS, "orders of factors", "another number");
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++) {
            snprintf(text, sizeof text, "%zu and %zu", i, j);
            check(!same(GEMM_SCALES, i, j), "factors apart", text);
        }
}

static int is_order(const gemm_order *one, const gemm_order *other)
{
    return strcmp(one->unit, other->unit) == 0 && one->promote == other->promote &&
           one->splits == other->splits && one->factors == other->factors;
}

/* With all elements, or with some rows, as of a product with few rows of A: one schedule is found.
 * With one wrong element none is found, and the same one fits best. */
static void identify(int kind, size_t rows)
{
    gemm_order o, other;
    char text[GEMM_TEXT];
    for (size_t i = 0; gemm_order_at(i, kind, &o); i++) {
        gemm_found found = {0}, wrong = {0};
        gemm_order_text(&o, kind, text);
        memcpy(came, words[kind][i], sizeof came);
        for (size_t j = 0; gemm_order_at(j, kind, &other); j++)
            gemm_try(&found, &other, words[kind][j], came, rows, GEMM_PERIOD);
        check(found.fits == 1 && is_order(&found.fit[0], &o), "it and no other", text);
        came[i % rows * GEMM_PERIOD + 5] ^= 1;
        for (size_t j = 0; gemm_order_at(j, kind, &other); j++)
            gemm_try(&wrong, &other, words[kind][j], came, rows, GEMM_PERIOD);
        check(wrong.fits == 0 && wrong.best_differ == 1 && is_order(&wrong.best, &o), "the best",
              text);
    }
}

/* By hand: which of the 96 small terms are kept, in units of 2^-6 or 2^-12. A chain keeps those
 * after both of U. With stretches of four, f32 keeps those of other stretches beside 2^14, and
 * those of later ones beside 2^19. */
static void by_hand(void)
{
    static const struct {
        int kind;
        size_t promote, i, j;
        uint32_t word;
    } rows[] = {
        {GEMM_INTERVAL, 0, 0, 95, 0},           {GEMM_INTERVAL, 0, 10, 20, 0x3f960000}, /* 75 */
        {GEMM_INTERVAL, 0, 20, 10, 0x3f960000}, {GEMM_INTERVAL, 4, 0, 95, 0x3fb00000},  /* 88 */
        {GEMM_INTERVAL, 4, 0, 1, 0x3fbc0000},                                           /* 94 */
        {GEMM_INTERVAL, 4, 28, 28, 0x3fbe0000}, /* 92 others, and 3 behind */
        {GEMM_TREE, 0, 4, 8, 0x3cae0000},       /* 87 */
        {GEMM_TREE, 4, 4, 8, 0x3ca80000},       /* 84 */
    };
    gemm_order o = {"hopper-qgmma", 0, 1, 0};
    char text[64];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        gemm_fill(&in, rows[i].kind);
        o.promote = rows[i].promote;
        check(gemm_model(&in, &o, "f32", ROWS, came), "a schedule", "");
        uint32_t word = came[rows[i].i * GEMM_PERIOD + rows[i].j];
        snprintf(text, sizeof text, "%zu: %08x", i, (unsigned)word);
        check(word == rows[i].word, "by hand", text);
    }
}

/* ---- cases ----------------------------------------------------------------------------------- */

static const conform_case *case_named(const char *name)
{
    static case_list list = {.family = &mma_gemm_family};
    if (list.count == 0)
        case_list_all(&list);
    for (const conform_case *c = list.cases; c < list.cases + list.count; c++)
        if (strcmp(c->name, name) == 0)
            return c;
    return NULL;
}

static void ask(const char *name, conform_status status, const char *why, const char *diagnosis)
{
    static const gpu_device device = {"fake", "1.0", "sm_90a", 0};
    static conform_result result;
    static record_case record;
    const conform_case *c = case_named(name);
    check(c != NULL, "no case", name);
    if (!c)
        return;
    memset(&result, 0, sizeof result);
    const conform_job run = {.c = c, .device = &device, .result = &result};
    c->family->run(&run);
    check(result.status == status, name, result.why);
    check(strstr(result.why, why) != NULL, why, result.why);
    check(strstr(result.diagnosis, diagnosis) == result.diagnosis, diagnosis, result.diagnosis);
    if (status != CONFORM_PASSED && status != CONFORM_FAILED)
        return;
    check(strstr(result.sass, "cublaslt.130100 algo.66 tile.20 stages.36 splitk.") == result.sass &&
              strstr(result.sass, " swizzle.0 inner.0 cluster.3"),
          "what the library tells", result.sass);
    /* Replaying its record gives the same verdict. */
    memset(&record, 0, sizeof record);
    record.inputs = result.inputs;
    record.digest = result.digest;
    record.sass = result.sass;
    static conform_result again;
    memset(&again, 0, sizeof again);
    conform_case recorded = *c;
    recorded.record = &record;
    const conform_job replay = {.c = &recorded, .result = &again};
    c->family->replay(&replay);
    check(again.status == status, "its record", again.why);
    if (!library.flip)
        check(strstr(again.diagnosis, diagnosis) == again.diagnosis, diagnosis, again.diagnosis);
    else
        check(strstr(again.diagnosis, "none of the schedules") == again.diagnosis, name,
              again.diagnosis);
}

static void sum_by(size_t promote, size_t splits, size_t reported)
{
    library.promote = promote;
    library.splits = splits;
    library.splits_reported = reported;
}

static void cases(void)
{
    sum_by(0, 1, 1);
    ask("mma-gemm-interval/cublaslt/e4m3.e4m3/f32/fast/96x96x3072", CONFORM_PASSED, "", "");
    ask("mma-gemm-tree/cublaslt/e4m3.e4m3/bf16/fast/96x96x3072", CONFORM_PASSED, "", "");
    ask("mma-gemm-random/cublaslt/e4m3.e4m3/f16/fast/384x768x3072", CONFORM_PASSED, "", "");
    ask("mma-gemm-interval/cublaslt/e4m3.e4m3/f32/promoted/16x6144x3072", CONFORM_FAILED,
        "row 0, column 4: 3fb60000, not 3fb00000 by promote=4",
        "promote=0 splits=1 (cutlass-fast, cublaslt-fast) explains all results");
    sum_by(4, 1, 1);
    ask("mma-gemm-random/cublaslt/e4m3.e4m3/f32/promoted/16x6144x3072", CONFORM_PASSED, "", "");
    ask("mma-gemm-random/cublaslt/e4m3.e4m3/f32/fast/16x6144x3072", CONFORM_FAILED, "row 0, column",
        "promote=4 splits=1 (cutlass-promote4, cublaslt-promoted) explains all results");
    sum_by(2, 1, 1);
    ask("mma-gemm-random/cublaslt/e4m3.e4m3/f32/promoted/16x6144x3072", CONFORM_FAILED,
        "by promote=4", "promote=2 splits=1 explains all results");
    sum_by(4, 2, 2); /* the number of splits is the one that the library reports */
    ask("mma-gemm-random/cublaslt/e4m3.e4m3/f32/promoted/96x96x3072", CONFORM_PASSED, "", "");
    sum_by(4, 2, 1);
    ask("mma-gemm-random/cublaslt/e4m3.e4m3/f32/promoted/16x6144x3072", CONFORM_FAILED, "splits=1",
        "promote=4 splits=2 explains all results");
    sum_by(4, 1, 1);
    library.flip = 1 + 7 * 6144 + 100;
    ask("mma-gemm-random/cublaslt/e4m3.e4m3/f32/promoted/16x6144x3072", CONFORM_FAILED,
        "row 7, column 100: ",
        "none of 40 schedules explains all results; promote=4 splits=1 (cutlass-promote4, "
        "cublaslt-promoted) all but 1");
    library.flip = 0;
    library.wrong = "cublasLtMatmul: CUBLAS_STATUS_NOT_SUPPORTED";
    ask("mma-gemm-tree/cublaslt/e4m3.e4m3/f32/fast/96x96x3072", CONFORM_BROKEN, library.wrong, "");
    library.missing = "no cuBLASLt when this was built";
    ask("mma-gemm-tree/cublaslt/e4m3.e4m3/f32/fast/96x96x3072", CONFORM_NOT_RUN, library.missing,
        "");
}

int main(void)
{
    tell_apart();
    identify(GEMM_RANDOM, ROWS);
    identify(GEMM_RANDOM, 16);
    identify(GEMM_SCALES, ROWS);
    identify(GEMM_SCALES, 16);
    by_hand();
    cases();
    printf("%d checks, %d failures\n", checks, failures);
    return failures != 0;
}
