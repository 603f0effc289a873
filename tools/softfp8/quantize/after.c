/* SPDX-License-Identifier: MIT */
/* after.c -- --after and --with: a stage that is computed before a tensor is quantized */
#include "quantize/after.h"

#include "softfp8_stages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* NAME=FILE. */
static void take_with(void *place, const cli_option *o, const char *text)
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
     .kind = OPTION_CALL, .take = take_with, .complete = "file"},
    {"--stages", NULL, "lists the stages of products, which --after takes by name",
     FLAG(after_choice, lists)},
    {.kind = OPTION_END},
};

static sf8_stage read_stage(const after_choice *after)
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
    sf8_stage stage = read_stage(after);
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

/* Puts f32 words into the format of the last step. */
static void put(tensor *t, const sf8_stage *stage, const uint32_t *words)
{
    static const char *const names[] = {"f32", "bf16", "f16"};
    t->format_name = names[stage->step[stage->count - 1].via];
    t->format = sf8_format_named(t->format_name, NULL);
    size_t count = t->shape.rows * t->shape.columns;
    t->words = allocate(count, tensor_width(t->format));
    sf8_convert_n(t->format, t->words, SF8_F32, words, count, SF8_OCP_NOSAT);
}

tensor after_computed(const after_choice *after, const char *path, tensor t)
{
    sf8_stage_input inputs[AFTER_ARRAYS];
    uint32_t *arrays[AFTER_ARRAYS];
    const char *name;
    if (!after->stage)
        return t;
    sf8_stage stage = read_stage(after);
    for (size_t i = 0; i < after->count; i++) {
        tensor array = tensor_read(after->array[i].path, NULL, (tensor_shape){0, 0});
        arrays[i] = words_of(&array);
        inputs[i] = (sf8_stage_input){after->array[i].name, arrays[i], array.shape.rows,
                                      array.shape.columns};
        tensor_free(&array);
    }
    const char *wrong = sf8_stage_wrong(&stage, t.shape.rows, t.shape.columns, inputs, after->count,
                                        &name);
    for (size_t i = 0; wrong && i < after->count; i++)
        if (strcmp(name, after->array[i].name) == 0)
            fail_at(after->array[i].path, 0, "%zu x %zu elements for %s: %s", inputs[i].rows,
                    inputs[i].columns, name, wrong);
    if (wrong)
        fail_at(path, 0, "%zu x %zu elements: %s", t.shape.rows, t.shape.columns, wrong);
    uint32_t *words = words_of(&t);
    size_t rows = t.shape.rows, columns = t.shape.columns;
    sf8_span *work = allocate(3 * columns, sizeof *work);
    tensor result = t;
    result.shape.columns = sf8_stage_columns(&stage, columns);
    uint32_t *out = allocate(rows * result.shape.columns, sizeof *out);
    sf8_stage_run(&stage, out, words, rows, columns, inputs, after->count, work);
    put(&result, &stage, out);
    tensor_free(&t);
    free(words);
    free(out);
    free(work);
    for (size_t i = 0; i < after->count; i++)
        free(arrays[i]);
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
