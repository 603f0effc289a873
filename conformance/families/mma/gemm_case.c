/* SPDX-License-Identifier: MIT */
/* gemm_case.c -- a case of a product: computed, compared with its schedule, and the schedule that
 * fits named */
#include "families/mma/mma.h"
#include "families/mma/gemm.h"

#include "suite/compare.h"

#include <stdlib.h>
#include <string.h>

/* One token, a tile, some tiles, and as many as fill a GPU. */
static const struct {
    size_t rows, columns;
    const char *name;
} shapes[GEMM_SHAPES] = {
    {16, 6144, "16x6144x3072"},
    {96, 96, "96x96x3072"},
    {384, 768, "384x768x3072"},
    {3072, 6144, "3072x6144x3072"},
};

/* What a case tests. */
typedef struct gemm_run {
    const gpu_gemm *gemm;
    int kind;
    size_t rows, columns;
    gemm_inputs *in;
    uint32_t *d, *right;
} gemm_run;

const char *mma_gemm_shape(uint32_t shape)
{
    return shapes[shape].name;
}

/* ---- what the library reports ---------------------------------------------------------------- */

/* Written like opcodes: letters, digits, '.'; what the library does not report is omitted. */
static void choice_text(const gpu_gemm_choice *c, char *text, size_t size)
{
    const struct {
        const char *name;
        long value;
    } values[] = {
        {"cublaslt", c->version}, {"algo", c->algo},     {"tile", c->tile},
        {"stages", c->stages},    {"splitk", c->splits}, {"reduction", c->reduction},
        {"swizzle", c->swizzle},  {"custom", c->custom}, {"inner", c->inner},
        {"cluster", c->cluster},
    };
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof values / sizeof values[0] && used < size; i++)
        if (values[i].value >= 0)
            used += (size_t)snprintf(text + used, size - used, "%s%s.%ld", used ? " " : "",
                                     values[i].name, values[i].value);
}

/* The number of splits in such a text; 1 if it does not mention them. */
static size_t splits_reported(const char *text)
{
    const char *at = text ? strstr(text, "splitk.") : NULL;
    long n = at ? strtol(at + 7, NULL, 10) : 1;
    return n > 1 ? (size_t)n : 1;
}

/* ---- a case ---------------------------------------------------------------------------------- */

static int open_product(kernel_run *k)
{
    const char *missing = k->device ? gpu_gemm_missing() : NULL;
    if (missing || (!k->emulated && strncmp(k->device->target, "sm_90", 5) != 0))
        return set_not_run(k->result, missing ? missing : "needs sm_90a");
    return 1;
}

static const char *make(const kernel_run *k, const void *set, void *data)
{
    gemm_run *r = data;
    const uint32_t number = k->job->c->rbits;
    (void)set;
    r->gemm = k->kernel;
    r->kind = (int)(number / GEMM_SHAPES);
    r->rows = shapes[number % GEMM_SHAPES].rows;
    r->columns = shapes[number % GEMM_SHAPES].columns;
    r->in = malloc(sizeof *r->in);
    r->d = malloc(r->rows * r->columns * sizeof r->d[0]);
    r->right = malloc(GEMM_WORDS * sizeof r->right[0]);
    if (!r->in || !r->d || !r->right)
        return "no memory";
    gemm_fill(r->in, r->kind);
    return NULL;
}

static void unmake(void *data)
{
    const gemm_run *r = data;
    free(r->in);
    free(r->d);
    free(r->right);
}

static void hash_words(const gemm_run *r, const uint32_t *d, size_t period, sf8_sha256 *hash)
{
    for (size_t row = 0; row < r->rows; row++)
        for (size_t column = 0; column < r->columns;) {
            size_t n = r->columns - column < period ? r->columns - column : period;
            const uint32_t *from = period == GEMM_PERIOD ? d + row % period * period
                                                         : d + row * r->columns + column;
            sf8_sha256_add(hash, from, n * sizeof d[0]);
            column += n;
        }
}

static void say_orders(const gemm_found *f, int kind, conform_result *result)
{
    char text[GEMM_TEXT];
    size_t used = 0, size = sizeof result->diagnosis;
    char *to = result->diagnosis;
    for (size_t i = 0; i < f->fits && i < GEMM_FITS && used < size; i++) {
        gemm_order_text(&f->fit[i], kind, text);
        used += (size_t)snprintf(to + used, size - used, "%s%s", i ? "; so does " : "", text);
        if (i == 0 && used < size)
            used += (size_t)snprintf(to + used, size - used, " explains all results");
    }
    if (f->fits > 0)
        return;
    gemm_order_text(&f->best, kind, text);
    snprintf(to, size, "none of %zu schedules explains all results; %s all but %llu", f->tried,
             text, (unsigned long long)f->best_differ);
}

/* Compares the results in r->d with those of the schedule. If they differ, finds the order that
 * gave them. */
static void judge(kernel_run *k, gemm_run *r, const gemm_order *expected)
{
    gemm_found found;
    char text[GEMM_TEXT];
    size_t first = 0;
    conform_result *result = k->result;
    int fits = gemm_model(r->in, expected, r->gemm->out, r->rows, r->right);
    hash_words(r, r->d, r->columns, &k->hash);
    result->differ = fits ? gemm_differ(r->d, r->rows, r->columns, r->right, &first)
                          : result->inputs;
    if (result->differ == 0)
        return;
    result->status = CONFORM_FAILED;
    gemm_order_text(expected, r->kind, text);
    if (fits)
        snprintf(result->why, sizeof result->why, "row %zu, column %zu: %0*x, not %0*x by %s",
                 first / r->columns, first % r->columns, strcmp(r->gemm->out, "f32") ? 4 : 8,
                 (unsigned)r->d[first], strcmp(r->gemm->out, "f32") ? 4 : 8,
                 (unsigned)r->right[first / r->columns % GEMM_PERIOD * GEMM_PERIOD +
                                    first % r->columns % GEMM_PERIOD],
                 text);
    else
        snprintf(result->why, sizeof result->why, "K cannot be put together by %s", text);
    if (gemm_identify(r->in, r->kind, r->gemm->out, r->d, r->rows, r->columns, &found))
        say_orders(&found, r->kind, result);
}

static const char *launch(kernel_run *k, const void *set, void *data, int hashed)
{
    gemm_run *r = data;
    gpu_gemm_choice choice;
    gemm_order expected;
    conform_result *result = k->result;
    uint8_t *a = malloc(r->rows * GEMM_K), *b = malloc(r->columns * GEMM_K);
    (void)set, (void)hashed;
    result->inputs = k->hashed = r->rows * r->columns;
    for (size_t i = 0; a && i < r->rows; i++)
        memcpy(a + i * GEMM_K, r->in->a + i % GEMM_PERIOD * GEMM_K, GEMM_K);
    for (size_t i = 0; b && i < r->columns; i++)
        memcpy(b + i * GEMM_K, r->in->b + i % GEMM_PERIOD * GEMM_K, GEMM_K);
    gpu_product p = {r->gemm, r->rows,      r->columns,     GEMM_K,         a,
                     b,       r->in->alpha, r->in->scale_a, r->in->scale_b, r->d};
    const char *wrong = a && b ? gpu_gemm_run(&p, &choice) : "no memory";
    free(a);
    free(b);
    if (wrong)
        return wrong;
    choice_text(&choice, result->sass, sizeof result->sass);
    result->seconds = result->subject_seconds = choice.seconds;
    if (!gemm_expected(r->gemm->schedule, choice.splits > 1 ? (size_t)choice.splits : 1, &expected))
        return "it has no such schedule";
    judge(k, r, &expected);
    return NULL;
}

/* Whether these results have the digest. */
static int has_digest(const gemm_run *r, const char *digest)
{
    char other[65];
    sf8_sha256 hash;
    sf8_sha256_begin(&hash);
    hash_words(r, r->right, GEMM_PERIOD, &hash);
    sf8_sha256_end(&hash, other);
    return strcmp(other, digest) == 0;
}

/* The order whose results have the recorded digest; returns 0 if there is none. */
static int order_of_digest(gemm_run *r, const char *digest, gemm_order *order)
{
    for (size_t i = 0; gemm_order_at(i, r->kind, order); i++) {
        if (gemm_model(r->in, order, r->gemm->out, r->rows, r->right) && has_digest(r, digest))
            return 1;
    }
    return 0;
}

/* If the record has other results, the result says which order gave them. */
static const char *right(kernel_run *k, const void *set, void *data)
{
    gemm_run *r = data;
    gemm_order order;
    const record_case *record = k->job->c->record;
    char text[GEMM_TEXT] = "none of the schedules";
    (void)set;
    k->hashed = r->rows * r->columns;
    if (k->hashed != record->inputs)
        return NULL;
    if (!gemm_expected(r->gemm->schedule, splits_reported(record->sass), &order))
        return "it has no such schedule";
    if (gemm_model(r->in, &order, r->gemm->out, r->rows, r->right)) {
        hash_words(r, r->right, GEMM_PERIOD, &k->hash);
        if (has_digest(r, record->digest))
            return NULL;
    }
    if (order_of_digest(r, record->digest, &order))
        gemm_order_text(&order, r->kind, text);
    snprintf(k->result->diagnosis, sizeof k->result->diagnosis, "%s explains all results", text);
    return NULL;
}

KERNEL_LIST(list, gpu_gemms)

const kernel_family mma_gemm_kernels = {.group = "mma",
                                        .counts = "tiles",
                                        .list = list,
                                        KERNEL_TYPES(gpu_gemm, char, char, gemm_run),
                                        .open = open_product,
                                        .make = make,
                                        .free = unmake,
                                        .launch = launch,
                                        .right = right};
