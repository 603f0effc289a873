/* SPDX-License-Identifier: MIT */
/* after.c -- --after and --with: a stage that is computed before a tensor is quantized */
#include "quantize/after.h"

#include "softfp8_stages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* NAME=FILE. */
void after_take_with(void *place, const cli_option *o, const char *text)
{
    after_choice *after = place;
    const char *equals = strchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : 0;
    (void)o;
    if (length == 0 || length >= AFTER_NAME || !equals[1])
        fail("expected NAME=FILE, where NAME is an array of the stage");
    if (after->count == AFTER_ARRAYS)
        fail("expected at most %d arrays", AFTER_ARRAYS);
    memcpy(after->array[after->count].name, text, length);
    after->array[after->count++].path = equals + 1;
}

const cli_option after_options[] = {
    {"--after", "STAGE",
     "first computes a norm, an activation or the like: 'rms-norm w=W eps=1e-6 | via=bf16'. The "
     "tensor is then quantized in the format of the last step",
     TEXT(after_choice, stage)},
    {"--with", "NAME=FILE",
     "an array that the stage names, a .npy file of one row or of as many as the tensor has",
     .kind = OPTION_CALL, .take = after_take_with, .complete = "file"},
    {.kind = OPTION_END},
};

sf8_stage after_stage(const after_choice *after)
{
    sf8_stage stage;
    size_t at = 0;
    sf8_status status = sf8_stage_read(after->stage, &stage, &at);
    int length = (int)strcspn(after->stage + at, " ,|");
    if (status == SF8_NO_ROOM)
        fail("--after '%s': expected at most %d steps", after->stage, SF8_STAGE_STEPS);
    if (status == SF8_BAD_TEXT)
        fail("--after '%s': '%.*s' is no value of this field, or does not go with the others",
             after->stage, length, after->stage + at);
    if (status != SF8_OK)
        fail("--after '%s': no step or field '%.*s' (docs/spec/stages.md has all)", after->stage,
             length, after->stage + at);
    return stage;
}

void after_check(const after_choice *after)
{
    if (!after->stage) {
        if (after->count)
            fail("--with %s=%s belongs to --after STAGE", after->array[0].name,
                 after->array[0].path);
        return;
    }
    sf8_stage stage = after_stage(after);
    const char *needed;
    for (size_t i = 0; (needed = sf8_stage_array(&stage, i)) != NULL; i++) {
        size_t k = 0;
        while (k < after->count && strcmp(after->array[k].name, needed) != 0)
            k++;
        if (k == after->count)
            fail("--after '%s' needs --with %s=FILE", after->stage, needed);
    }
}

static uint32_t *words_of(const tensor *t)
{
    size_t count = t->shape.rows * t->shape.columns;
    uint32_t *words = allocate(count, sizeof *words);
    for (size_t i = 0; i < count; i++)
        words[i] = tensor_f32(t, i);
    return words;
}

const char *after_format(const sf8_stage *stage)
{
    static const char *const names[] = {"f32", "bf16", "f16"};
    return names[stage->step[stage->count - 1].via];
}

/* Puts f32 words into the format of the last step. */
static void put(tensor *t, const sf8_stage *stage, const uint32_t *words)
{
    t->format_name = after_format(stage);
    t->format = sf8_format_named(t->format_name, NULL);
    size_t count = t->shape.rows * t->shape.columns;
    t->words = allocate(count, tensor_width(t->format));
    sf8_convert_n(t->format, t->words, SF8_F32, words, count, SF8_OCP_NOSAT);
}

after_arrays after_read(const after_choice *after)
{
    after_arrays all = {.count = after->count};
    for (size_t i = 0; i < after->count; i++) {
        tensor array = tensor_read(after->array[i].path, NULL, (tensor_shape){0, 0});
        all.words[i] = words_of(&array);
        all.input[i] = (sf8_stage_input){after->array[i].name, all.words[i], array.shape.rows,
                                         array.shape.columns};
        tensor_free(&array);
    }
    return all;
}

void after_free(after_arrays *all)
{
    for (size_t i = 0; i < all->count; i++)
        free(all->words[i]);
}

void after_fits(const after_choice *after, const after_arrays *all, const char *path,
                tensor_shape shape)
{
    const char *name;
    sf8_stage stage = after_stage(after);
    const char *wrong = sf8_stage_wrong(&stage, shape.rows, shape.columns, all->input, all->count,
                                        &name);
    for (size_t i = 0; wrong && i < after->count; i++)
        if (strcmp(name, after->array[i].name) == 0)
            fail_at(after->array[i].path, 0, "%zu x %zu elements for %s: %s", all->input[i].rows,
                    all->input[i].columns, name, wrong);
    if (wrong)
        fail_at(path, 0, "%zu x %zu elements: %s", shape.rows, shape.columns, wrong);
}

tensor after_computed(const after_choice *after, const char *path, tensor t)
{
    if (!after->stage)
        return t;
    sf8_stage stage = after_stage(after);
    after_arrays arrays = after_read(after);
    after_fits(after, &arrays, path, t.shape);
    uint32_t *words = words_of(&t);
    size_t rows = t.shape.rows, columns = t.shape.columns;
    sf8_span *work = allocate(3 * columns, sizeof *work);
    tensor result = t;
    result.shape.columns = sf8_stage_columns(&stage, columns);
    uint32_t *out = allocate(rows * result.shape.columns, sizeof *out);
    sf8_stage_run(&stage, out, words, rows, columns, arrays.input, arrays.count, work);
    put(&result, &stage, out);
    tensor_free(&t);
    free(words);
    free(out);
    free(work);
    after_free(&arrays);
    return result;
}

void after_list(void)
{
    const sf8_stage_row *row;
    for (size_t i = 0; (row = sf8_stage_at(i)) != NULL; i++) {
        printf("%s%s\n  stage     %s\n  product   %s, %s\n  source    %s\n  evidence  %s\n",
               i ? "\n" : "", row->name, row->text, row->product, row->versions, row->source,
               row->evidence);
        if (row->open[0])
            printf("  open      %s\n", row->open);
    }
}
