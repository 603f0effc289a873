/* SPDX-License-Identifier: MIT */
/* doctor.c -- softfp8 kv doctor: what a KV cache does to the values of a tensor */
#include "cli/options.h"
#include "files/page.h"
#include "kv/kv.h"
#include "kv/doctor.h"
#include "recipes/recipes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- scales of heads ------------------------------------------------------------------------- */

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

size_t kv_scales_read(const char *text, size_t size, uint32_t *scales, size_t most,
                      input_error *error)
{
    size_t count = 0, at = 0;
    for (;;) {
        char word[64];
        size_t n = 0;
        while (at < size && is_blank(text[at]))
            at++;
        if (at == size && count)
            return count;
        size_t begin = at;
        for (; at < size && !is_blank(text[at]) && text[at] != ','; at++)
            if (n + 1 < sizeof word)
                word[n++] = text[at];
        word[n] = '\0';
        uint32_t scale = 0;
        const char *wrong = recipe_g_wrong(word, &scale);
        if (at - begin != n || memchr(word, '\0', n))
            wrong = "expected a number or 8 hexadecimal digits";
        if (wrong)
            return (size_t)input_wrong_at(error, begin, "%s", wrong);
        if (scale == 0 || scale >= SF8_F32_INF)
            return (size_t)input_wrong_at(error, begin, "a scale is a finite number above 0");
        if (count == most)
            return (size_t)input_wrong_at(error, begin, "too many scales");
        scales[count++] = scale;
        while (at < size && is_blank(text[at]))
            at++;
        if (at < size && text[at] == ',' && ++at == size)
            return (size_t)input_wrong_at(error, at, "expected a number or 8 hexadecimal digits");
    }
}

static void take_npy_scales(kv_doctor_options *o, const char *path, const char *bytes, size_t size)
{
    tensor t = tensor_of_bytes(path, bytes, size, "f32", (tensor_shape){0, 0});
    o->head_scale_count = t.shape.rows * t.shape.columns;
    if (o->head_scale_count > DOCTOR_CHANNELS)
        fail_at(path, 0, "too many scales");
    for (size_t i = 0; i < o->head_scale_count; i++) {
        uint32_t scale = tensor_f32(&t, i);
        if (scale == 0 || scale >= SF8_F32_INF)
            fail_at(path, 0, "scale %zu: a scale is a finite number above 0", i);
        o->head_scales[i] = scale;
    }
    tensor_free(&t);
}

/* A number, a word, or what may be both. */
static int is_scale(const char *text)
{
    uint32_t scale;
    const char *wrong = recipe_g_wrong(text, &scale);
    return !wrong || strncmp(wrong, "expected", 8) != 0;
}

/* A list where it begins as one, else the name of a file. */
static void take_head_scales(void *place, const cli_option *option, const char *text)
{
    kv_doctor_options *o = place;
    (void)option;
    input_error error;
    char first[64];
    size_t size, n = strcspn(text, ", ");
    free(o->head_scales);
    o->head_scales = allocate(DOCTOR_CHANNELS, sizeof o->head_scales[0]);
    snprintf(first, sizeof first, "%.*s", (int)(n < 63 ? n : 63), text);
    if (strchr(text, ',') || is_scale(first)) {
        o->head_scale_count = kv_scales_read(text, strlen(text), o->head_scales, DOCTOR_CHANNELS,
                                             &error);
        if (!o->head_scale_count)
            fail("byte %" PRIu64 ": %s", error.byte, error.text);
        return;
    }
    char *bytes = input_whole(text, &size, (size_t)1 << 26);
    if (npy_is(bytes, size)) {
        take_npy_scales(o, text, bytes, size);
    } else {
        o->head_scale_count = kv_scales_read(bytes, size, o->head_scales, DOCTOR_CHANNELS, &error);
        if (!o->head_scale_count)
            fail_input(input_name(text), &error);
    }
    free(bytes);
}

/* ---- options --------------------------------------------------------------------------------- */

static const cli_option options[] = {
    HEADING("How the cache stores it"),
    {"--scale", "S",
     "the cache stores x / S: a number above 0, or the 8 hexadecimal digits of its f32 bits. "
     "Default: 1, as for a model without a scale",
     TEXT(kv_doctor_options, scale)},
    {"--per-head-scales", "LIST|FILE",
     "one scale per head, separated by commas or blanks; or a file with such a list; or a .npy "
     "file of type <f4",
     .kind = OPTION_CALL, .take = take_head_scales, .complete = "file"},
    {"--to", "FORMAT", "the format of the codes, a signed one. Default: e4m3",
     FORMAT(kv_doctor_options, format)},
    {"--policy", "NAME", "the policy of the cast. Default: cuda-satfinite",
     TEXT(kv_doctor_options, policy), .name_at = policy_row_name_at},
    {"--recipe", "NAME", "stores by this recipe instead ('softfp8 recipes' lists all)",
     TEXT(kv_doctor_options, recipe), .name_at = recipe_name_at},
    {"--global-scale", "G",
     "the recipe's global scale, above 0. Default: auto, computed from the tensor. "
     "kv-vllm-token-bound needs a bound here",
     TEXT(kv_doctor_options, g)},
    HEADING("The tensor"),
    {"--heads", "H", "the number of heads, for a file of tokens and channels. Default: 1",
     NUMBER(kv_doctor_options, heads, 1, DOCTOR_CHANNELS)},
    {"--from --type", NULL, "the format of the values; needed for raw data and for bf16",
     NAME(kv_doctor_options, from, tensor_formats)},
    {"--shape", "T,C|T,H,S",
     "the shape of raw data: tokens and channels, or tokens, heads and head size",
     CALL(kv_doctor_options, sides, tensor_sides_take)},
    HEADING("The report"),
    {"--all", NULL,
     "compares with every recipe, not only the usual ones. A scale that the caller would give is "
     "computed from the tensor's amax",
     FLAG(kv_doctor_options, all)},
    {"--one-pass", NULL,
     "reads the tensor once, which a pipe needs. Storage that needs the tensor's amax first is "
     "left out",
     FLAG(kv_doctor_options, one_pass)},
    {"--piece", "TOKENS", "the number of tokens in memory at a time, at least 32",
     NUMBER(kv_doctor_options, piece, DOCTOR_GROUP, UINT64_C(1) << 40)},
    {"--strict", NULL,
     "exit status 1 if a value is clipped or becomes NaN or infinite, as configured, or if the "
     "tensor has NaN or infinities. In JSON their number is \"problems\"",
     FLAG(kv_doctor_options, strict)},
    GROUP(kv_doctor_options, json, json_option),
    GROUP(kv_doctor_options, html, html_option),
    {"--svg", "FILE", "draws a histogram of the magnitudes and the range of the format",
     PATH(kv_doctor_options, svg)},
    {"--progress", NULL, "shows the progress on standard error even if that is not a terminal",
     FLAG(kv_doctor_options, progress)},
    {.kind = OPTION_END},
};

/* The word of --scale. */
static uint32_t scale_of(const char *text)
{
    uint32_t scale = 0;
    const char *wrong = recipe_g_wrong(text, &scale);
    if (wrong)
        fail("--scale %s: %s", text, wrong);
    if (scale == 0 || scale >= SF8_F32_INF)
        fail("--scale %s: a scale is a finite number above 0", text);
    return scale;
}

/* The word of --global-scale, of which "auto" is left to the amax of the tensor. */
static void settle_g(kv_way *way, const char *text)
{
    way->scale = KV_G_AUTO;
    if (strcmp(text, "auto") == 0)
        return;
    way->scale = KV_ITSELF;
    way->g = recipe_g(way->row, text, SF8_F32, 0);
    if (way->g == 0 || way->g >= SF8_F32_INF)
        fail("--global-scale %s: a global scale is a finite number above 0", text);
}

/* What is stored into: keys and values have both signs. */
static void check_format(const char *name)
{
    sf8_format f = format_of_name(name);
    if (sf8_format_bits(f) > 8)
        fail("--to %s: expected a format of at most 8 bits", name);
    if (!f.is_signed)
        fail("--to %s: it has no negative numbers, but keys and values do", name);
}

/* The way that was asked for. */
static void settle(kv_way *way, const kv_doctor_options *o)
{
    const char *format = o->format ? o->format : "e4m3";
    const char *policy = o->policy ? o->policy : "cuda-satfinite";
    if (o->recipe && (o->format || o->policy))
        fail("--recipe %s has its own cast: leave out --to and --policy", o->recipe);
    if (o->scale && o->head_scales)
        fail("--scale and --per-head-scales exclude each other: give one of them");
    if (o->recipe) {
        sf8_recipe recipe;
        kv_way_recipe(way, recipe_of_name(o->recipe, &recipe));
        snprintf(way->name, sizeof way->name, "%.60s", o->recipe);
    } else {
        check_format(format);
        if (!kv_way_store(way, format, policy_for(policy, format_of_name(format), SF8_F32)))
            fail("--to %s --policy %s: this cast is not supported", format, policy);
    }
    if (way->scale != KV_GIVEN && (o->scale || o->head_scales))
        fail("--recipe %s %s: leave out --scale and --per-head-scales", o->recipe,
             way->unit == KV_NONE ? "has no scale" : "computes its scales");
    if (o->g && way->scale != KV_G_AUTO && way->scale != KV_G_ASKED)
        fail("--global-scale %s: %s has no global scale", o->g, o->recipe ? o->recipe : format);
    if (!o->g && way->scale == KV_G_ASKED)
        fail("--recipe %s needs --global-scale: a number above 0, or auto to compute it from the "
             "tensor's amax",
             o->recipe);
    if (o->scale)
        way->g = scale_of(o->scale);
    if (o->g)
        settle_g(way, o->g);
}

/* ---- files ----------------------------------------------------------------------------------- */

static void take_shape(kv_report *r, const tensor_sides *s, const kv_doctor_options *o)
{
    kv_shape *shape = &r->shape;
    const char *name = input_name(r->path);
    shape->tokens = s->size[0];
    shape->heads = s->count == 3 ? s->size[1] : o->heads ? o->heads : 1;
    shape->channels = s->count == 3 ? s->size[1] * s->size[2] : s->size[1];
    shape->size = shape->channels / shape->heads;
    if (s->count == 3 && o->heads && o->heads != shape->heads)
        fail_at(name, 0, "the tensor has %zu heads, but --heads is %zu", shape->heads, o->heads);
    if (shape->channels % shape->heads)
        fail_at(name, 0, "%zu channels cannot be divided into %zu heads", shape->channels,
                shape->heads);
    if (shape->channels > DOCTOR_CHANNELS)
        fail_at(name, 0, "%zu channels; expected at most %d", shape->channels,
                (int)DOCTOR_CHANNELS);
    if (o->head_scales && o->head_scale_count != shape->heads)
        fail_at(name, 0, "the tensor has %zu head%s, but --per-head-scales has %zu scales",
                shape->heads, shape->heads == 1 ? "" : "s", o->head_scale_count);
}

static size_t read_words(void *context, uint32_t *words, size_t most)
{
    return tensor_stream_read(context, words, most);
}

static void rewind_words(void *context)
{
    tensor_stream_rewind(context);
}

/* Opens a file and chooses its ways; nothing is read yet but its head. */
static void begin(kv_report *r, tensor_stream *stream, const char *path, const kv_doctor_options *o)
{
    kv_way *way = &r->ways[0];
    r->path = path;
    tensor_stream_open(stream, path, o->from, o->sides);
    r->format_name = stream->format_name;
    r->source = (kv_source){stream->words, read_words, rewind_words, stream, progress_of_search};
    take_shape(r, &stream->sides, o);
    settle(way, o);
    r->count = 1;
    r->is_scaled = way->scale == KV_GIVEN || way->scale == KV_OF_TENSOR;
    kv_ways(r->ways, &r->count, o->format, o->one_pass, o->all);
    if (o->head_scales) {
        way->unit = KV_HEADS;
        way->head_g = allocate(r->shape.heads, sizeof way->head_g[0]);
        memcpy(way->head_g, o->head_scales, r->shape.heads * sizeof way->head_g[0]);
    }
    if (o->one_pass && kv_way_needs_amax(way))
        fail("--recipe %s needs the tensor's amax first: give --global-scale, or leave out "
             "--one-pass",
             o->recipe);
    if (!o->one_pass && !stream->again)
        fail("%s can be read only once, but amax needs two passes: give a file, or --one-pass",
             input_name(path));
}

static void end(kv_report *r)
{
    for (size_t i = 0; i < r->count; i++) {
        kv_way_free(&r->ways[i]);
        kv_tally_free(&r->tally[i]);
    }
    free(r->values.channel);
    free(r->values.head_amax);
}

typedef struct reports {
    const kv_report *list;
    size_t count;
    const kv_doctor_options *o;
} reports;

static void put_json(output *out, const void *report)
{
    const reports *r = report;
    kv_doctor_json(out, r->list, r->count);
}

static void put_words(output *out, const void *report)
{
    const reports *r = report;
    for (size_t i = 0; i < r->count; i++) {
        output_print(out, i ? "\n" : "");
        kv_doctor_text(out, &r->list[i], r->o);
    }
}

static void write_all(const kv_report *list, size_t count, const kv_doctor_options *o)
{
    output *svg = o->svg ? output_open(o->svg) : NULL;
    if (svg)
        kv_doctor_svg(svg, &list[0]);
    page_write(&(page_report){.command = "kv doctor",
                              .json = o->json,
                              .html = o->html,
                              .is_quiet = output_is_standard(o->svg),
                              .also = svg,
                              .put_json = put_json,
                              .put_words = put_words,
                              .report = &(reports){list, count, o}});
}

static void check_options(const kv_doctor_options *o, char *const *tensors, size_t count)
{
    const char *const outputs[] = {o->json, o->svg, o->html};
    if (count == 0)
        fail("no tensor given; expected FILE, or - for standard input");
    if (o->svg && count > 1)
        fail("--svg %s: expected one tensor, got %zu", o->svg, count);
    outputs_check(outputs, 3, (const char *const *)tensors, count);
}

static int run(int argc, char **argv)
{
    kv_doctor_options o;
    size_t standard = 0;
    memset(&o, 0, sizeof o);
    size_t count = options_read(&kv_doctor, argc, argv, &o);
    for (size_t i = 0; i < count; i++)
        standard += strcmp(argv[i], "-") == 0;
    check_options(&o, argv, count);
    if (standard > 1)
        fail("standard input (-) can be given only once");
    if (o.progress)
        progress_always();
    kv_report *list = allocate(count, sizeof list[0]);
    tensor_stream *streams = allocate(count, sizeof streams[0]);
    char why[160];
    for (size_t i = 0; i < count; i++)
        begin(&list[i], &streams[i], argv[i], &o);
    for (size_t i = 0; i < count; i++) {
        if (!kv_doctor_measure(&list[i], o.piece, o.one_pass, why))
            fail("%s", why);
        kv_doctor_advice(&list[i]);
    }
    write_all(list, count, &o);
    uint64_t problems = 0;
    for (size_t i = 0; i < count; i++) {
        problems += kv_doctor_problems(&list[i]);
        end(&list[i]);
        tensor_stream_close(&streams[i]);
    }
    free(streams);
    free(list);
    free(o.head_scales);
    return o.strict && problems > 0 ? STATUS_MISMATCH : STATUS_HELD;
}

const command kv_doctor = {
    .name = "kv doctor",
    .purpose = "Checks whether the scale of a KV cache is safe for a tensor, and advises.",
    .example = "  $ softfp8 kv doctor --scale 0.025 k.npy\n",
    .usage = "kv doctor [options] FILE...",
    .about =
        "The report counts the values that an FP8, INT8 or 4-bit cache clips, makes zero or turns "
        "into NaN. It shows the errors by channel and token, compares other ways to store the "
        "tensor, and ends with one sentence of advice.\n"
        "FILE holds keys or values: a .npy file of type <f4 or <f2 (or <u2 for bf16) in C order, "
        "or raw little-endian data. Its axes are tokens, heads and head size, or tokens and "
        "channels. It may be larger than memory: it is read twice, in pieces, and the report does "
        "not depend on them.",
    .more =
        "  $ softfp8 kv doctor --from bf16 --shape 4096,8,128 --svg k.svg k.bin\n"
        "Exit status: 0 the report was written; 1 with --strict: a tensor has such values; 2 bad "
        "usage or input.",
    .options = options,
    .operands = "FILE",
    .operands_most = OPERANDS_ANY,
    .complete = "file",
    .run = run,
};
