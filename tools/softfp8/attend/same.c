/* SPDX-License-Identifier: MIT */
/* same.c -- softfp8 attend --same: two outputs of one request, and where they differ */
#include "attend/attend.h"
#include "base/json_writer.h"
#include "files/page.h"
#include "softfp8_diagnose.h"

#include <stdlib.h>
#include <string.h>

const cli_option same_options[] = {
    HEADING("Compare two outputs"),
    {"--same", NULL,
     "compares the outputs A and B of one request: of decode and prefill, of two batches, backends "
     "or GPUs. The first line says whether they are equal in every bit, or which rows differ; then "
     "come the first row that differs, and by how much. With --q, --k and --v it also looks for "
     "the pair of orders that gives both, and says which of them is nearer to the true value. Exit "
     "status 1 if they differ (docs/guides/decode-and-prefill.md)",
     FLAG(same_choice, same)},
    {"--keys", "N",
     "with --same, in place of --q, --k and --v: the number of keys, of which the queries are the "
     "last positions. Each query sees the keys up to its own. A prefill has as many keys as "
     "queries",
     NUMBER(same_choice, keys, 1, UINT64_C(1) << 40)},
    {.kind = OPTION_END},
};

/* ---- files ----------------------------------------------------------------------------------- */

/* An output, and its shape: queries, heads, elements. */
static tensor read_output(const char *path, const same_choice *c, size_t shape[3])
{
    tensor_advice("--to", 0);
    tensor t = tensor_read(path, c->from, (tensor_shape){0, 0});
    size_t heads = t.dimensions == 3 ? t.axis[1] : c->heads;
    if (t.dimensions > 3 || heads == 0 || t.shape.rows % heads != 0)
        fail_at(input_name(path), 0,
                "%zu rows of %zu; expected three dimensions (queries, heads, elements), or --heads",
                t.shape.rows, t.shape.columns);
    if (c->heads && heads != c->heads)
        fail_at(input_name(path), 0, "the file has %zu heads, but --heads is %zu", heads, c->heads);
    shape[0] = t.shape.rows / heads;
    shape[1] = heads;
    shape[2] = t.shape.columns;
    return t;
}

static void check_shape(const char *path, const size_t shape[3], const char *other,
                        const size_t expected[3])
{
    for (int axis = 0; axis < 3; axis++)
        if (shape[axis] != expected[axis])
            fail_at(input_name(path), 0,
                    "the shape is (%zu, %zu, %zu); expected (%zu, %zu, %zu), as in %s", shape[0],
                    shape[1], shape[2], expected[0], expected[1], expected[2], other);
}

/* ---- all ------------------------------------------------------------------------------------- */

void same_check(void)
{
    options_only(
        "same keys q k v recipe k-recipe v-recipe q-scale k-scale v-scale score-scale full window "
        "cap sinks first heads kv-heads from to splits json html",
        "--same compares two outputs");
    if (!option_was_given("q") && !option_was_given("k") && !option_was_given("v"))
        options_only("same keys heads to json html", "--same without --q, --k and --v");
    else if (option_was_given("keys"))
        fail("--keys: leave it out; the file of --k has the keys");
}

typedef struct compared {
    const sf8_same_attention_diagnosis *d;
    int has_request;
    size_t queries, heads;
    float *values; /* that differ, of each row */
} compared;

/* How many values of each row differ. */
static float *values_that_differ(const tensor *a, const tensor *b, const size_t shape[3])
{
    size_t each = (size_t)sf8_format_bits(a->format) / 8, size = shape[2] * each;
    size_t rows = shape[0] * shape[1];
    float *count = allocate(rows + 1, sizeof *count);
    const unsigned char *x = a->words, *y = b->words;
    for (size_t row = 0; row < rows; row++) {
        count[row] = 0;
        for (size_t at = 0; at < size; at += each)
            count[row] += (float)(memcmp(x + row * size + at, y + row * size + at, each) != 0);
    }
    return count;
}

static void put_words(output *out, const void *report)
{
    const char *words = ((const compared *)report)->d->message;
    output_put(out, words, strlen(words));
    output_put(out, "\n", 1);
}

static void put_json(output *out, const void *report)
{
    const compared *what = report;
    const sf8_same_attention_diagnosis *d = what->d;
    json_writer j = {.put = output_put, .context = out};
    const char nearer[2] = {d->nearer, 0};
    jw_begin(&j, NULL, '{');
    jw_bool(&j, "same", d->is_same);
    jw_unsigned(&j, "rows_differ", d->rows_differ);
    jw_unsigned(&j, "values_differ", d->values_differ);
    if (d->is_same) {
        jw_null(&j, "first");
        jw_null(&j, "first_keys");
    } else {
        jw_unsigned(&j, "first", d->first);
        if (d->first_keys)
            jw_unsigned(&j, "first_keys", d->first_keys);
        else
            jw_null(&j, "first_keys");
    }
    jw_begin(&j, "patterns", '[');
    for (size_t i = 0; i < d->pattern_count; i++)
        jw_text(&j, NULL, d->patterns[i]);
    jw_end(&j);
    jw_unsigned(&j, "ulps", d->ulps);
    jw_real(&j, "relative", d->relative, 6);
    jw_text(&j, "order_a", d->order_a);
    jw_text(&j, "order_b", d->order_b);
    if (what->has_request) {
        jw_real(&j, "error_a", d->error_a, 6);
        jw_real(&j, "error_b", d->error_b, 6);
    }
    jw_text(&j, "nearer", d->nearer ? nearer : NULL);
    if (!d->is_same)
        attend_put_field(&j, "differ", "values", what->values, what->queries, what->heads);
    jw_end(&j);
}

int attend_say_same(const same_choice *c, attend_request *r)
{
    size_t shape[2][3];
    tensor a = read_output(c->a, c, shape[0]), b = read_output(c->b, c, shape[1]);
    check_shape(c->b, shape[1], c->a, shape[0]);
    if (a.format_name != b.format_name && strcmp(a.format_name, b.format_name) != 0)
        fail_at(input_name(c->b), 0, "the values are %s; expected %s, as in %s", b.format_name,
                a.format_name, c->a);
    if (r)
        check_shape(c->a, shape[0], "the request", (size_t[3]){r->queries, r->heads, r->v.dim});
    if (!r && c->keys && c->keys < shape[0][0])
        fail("--keys %zu: %s has %zu queries, which are the last positions of the keys", c->keys,
             c->a, shape[0][0]);
    const sf8_same_attention_results results = {.queries = shape[0][0],
                                                .heads = shape[0][1],
                                                .dim = shape[0][2],
                                                .stored = a.format,
                                                .a = a.words,
                                                .b = b.words,
                                                .request = r ? &r->a : NULL,
                                                .keys = c->keys,
                                                .splits = c->splits,
                                                .progress = cli_search.progress,
                                                .user = cli_search.user};
    sf8_same_attention_diagnosis *d;
    if (sf8_diagnose_same_attention(&results, &d) != SF8_OK)
        fail("%s, %s: too large for memory", c->a, c->b);
    int is_same = d->is_same;
    compared what = {d, r != NULL, shape[0][0], shape[0][1], values_that_differ(&a, &b, shape[0])};
    page_write(&(page_report){.command = "attend",
                              .json = c->json,
                              .html = c->html,
                              .put_json = put_json,
                              .put_words = put_words,
                              .report = &what});
    free(what.values);
    sf8_same_attention_diagnosis_free(d);
    tensor_free(&a);
    tensor_free(&b);
    return is_same;
}
