/* SPDX-License-Identifier: MIT */
/* gemm_case.c -- a case of a product: computed, compared with its schedule, and the schedule that
 * fits named */
#include "families/mma/mma.h"
#include "families/mma/gemm.h"

#include "suite/digest.h"

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
    conform_result *result;
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

static void close_run(gemm_run *r)
{
    free(r->in);
    free(r->d);
    free(r->right);
}

static int open_run(gemm_run *r, const conform_case *c, conform_result *result)
{
    size_t count;
    const gpu_gemm *list = gpu_gemms(&count);
    uint32_t shape = c->rbits % GEMM_SHAPES;
    memset(r, 0, sizeof *r);
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].name, c->subject) == 0)
            r->gemm = &list[i];
    r->kind = (int)(c->rbits / GEMM_SHAPES);
    r->rows = shapes[shape].rows;
    r->columns = shapes[shape].columns;
    r->result = result;
    result->status = CONFORM_PASSED;
    result->inputs = r->rows * r->columns;
    if (!r->gemm)
        return set_broken(result, "no product", c->subject);
    r->in = malloc(sizeof *r->in);
    r->d = malloc(r->rows * r->columns * sizeof r->d[0]);
    r->right = malloc(GEMM_WORDS * sizeof r->right[0]);
    if (!r->in || !r->d || !r->right) {
        close_run(r);
        return set_broken(result, "no memory for", c->name);
    }
    gemm_fill(r->in, r->kind);
    return 1;
}

static void digest_words(const gemm_run *r, const uint32_t *d, size_t period, char digest[65])
{
    sf8_sha256 hash;
    sf8_sha256_begin(&hash);
    for (size_t row = 0; row < r->rows; row++)
        for (size_t column = 0; column < r->columns;) {
            size_t n = r->columns - column < period ? r->columns - column : period;
            const uint32_t *from = period == GEMM_PERIOD ? d + row % period * period
                                                         : d + row * r->columns + column;
            sf8_sha256_add(&hash, from, n * sizeof d[0]);
            column += n;
        }
    sf8_sha256_end(&hash, digest);
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

/* The right results of a matrix with repeated rows, in place of those of a pretended device. */
static void pretend_product(const gemm_run *r, const gpu_device *device)
{
    for (size_t i = 0; i < r->rows * r->columns; i++)
        pretend_answer(device, &r->d[i],
                       &r->right[i / r->columns % GEMM_PERIOD * GEMM_PERIOD +
                                 i % r->columns % GEMM_PERIOD],
                       sizeof r->d[0]);
}

/* Compares the results in r->d with those of the schedule. If they differ, finds the order that
 * gave them. */
static void judge(gemm_run *r, const gpu_device *device, size_t splits)
{
    gemm_order expected;
    gemm_found found;
    char text[GEMM_TEXT];
    size_t first = 0;
    conform_result *result = r->result;
    if (!gemm_expected(r->gemm->schedule, splits, &expected)) {
        set_broken(result, "no schedule", r->gemm->schedule);
        return;
    }
    int fits = gemm_model(r->in, &expected, r->gemm->out, r->rows, r->right);
    pretend_product(r, device);
    digest_words(r, r->d, r->columns, result->digest);
    result->differ = fits ? gemm_differ(r->d, r->rows, r->columns, r->right, &first)
                          : result->inputs;
    if (result->differ == 0)
        return;
    result->status = CONFORM_FAILED;
    gemm_order_text(&expected, r->kind, text);
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

void mma_gemm_run(const conform_job *j)
{
    gemm_run r;
    gpu_gemm_choice choice;
    conform_result *result = j->result;
    const char *missing = gpu_gemm_missing(), *wrong = NULL;
    if (missing || (!j->device->emulated && strncmp(j->device->target, "sm_90", 5) != 0)) {
        set_not_run(result, missing ? missing : "needs sm_90a");
        return;
    }
    if (!open_run(&r, j->c, result))
        return;
    uint8_t *a = malloc(r.rows * GEMM_K), *b = malloc(r.columns * GEMM_K);
    for (size_t i = 0; a && i < r.rows; i++)
        memcpy(a + i * GEMM_K, r.in->a + i % GEMM_PERIOD * GEMM_K, GEMM_K);
    for (size_t i = 0; b && i < r.columns; i++)
        memcpy(b + i * GEMM_K, r.in->b + i % GEMM_PERIOD * GEMM_K, GEMM_K);
    gpu_product p = {r.gemm, r.rows,      r.columns,     GEMM_K,        a,
                     b,      r.in->alpha, r.in->scale_a, r.in->scale_b, r.d};
    wrong = a && b ? gpu_gemm_run(&p, &choice) : "no memory";
    free(a);
    free(b);
    if (wrong) {
        set_broken(result, "the device:", wrong);
    } else {
        choice_text(&choice, result->sass, sizeof result->sass);
        result->seconds = result->subject_seconds = choice.seconds;
        judge(&r, j->device, choice.splits > 1 ? (size_t)choice.splits : 1);
        if (result->status != CONFORM_BROKEN)
            record_digest(j, "mma", result->inputs);
    }
    close_run(&r);
}

/* The order whose results have the recorded digest; returns 0 if there is none. */
static int order_of_digest(gemm_run *r, const char *digest, gemm_order *order)
{
    char other[65];
    for (size_t i = 0; gemm_order_at(i, r->kind, order); i++) {
        if (!gemm_model(r->in, order, r->gemm->out, r->rows, r->right))
            continue;
        digest_words(r, r->right, GEMM_PERIOD, other);
        if (strcmp(other, digest) == 0)
            return 1;
    }
    return 0;
}

void mma_gemm_replay(const conform_job *j)
{
    gemm_run r;
    gemm_order order;
    conform_result *result = j->result;
    const record_case *record = j->c->record;
    char text[GEMM_TEXT] = "none of the schedules";
    if (!open_run(&r, j->c, result))
        return;
    if (result->inputs != record->inputs) {
        result->status = CONFORM_STALE;
        snprintf(result->why, sizeof result->why, "the suite now has other tiles");
    } else if (!gemm_expected(r.gemm->schedule, splits_reported(record->sass), &order)) {
        set_broken(result, "no schedule", r.gemm->schedule);
    } else {
        if (gemm_model(r.in, &order, r.gemm->out, r.rows, r.right))
            digest_words(&r, r.right, GEMM_PERIOD, result->digest);
        if (strcmp(result->digest, record->digest) != 0) {
            result->status = CONFORM_FAILED;
            result->differ = 1; /* so much at least */
            snprintf(result->why, sizeof result->why, "the result has the digest %s",
                     record->digest);
            if (order_of_digest(&r, record->digest, &order))
                gemm_order_text(&order, r.kind, text);
            snprintf(result->diagnosis, sizeof result->diagnosis, "%s explains all results", text);
        }
    }
    close_run(&r);
}
