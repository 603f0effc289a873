/* SPDX-License-Identifier: MIT */
/* judge.c -- softfp8 judge: files in, the verdict out; sf8_judge_cast and sf8_judge_blocks judge */
#include "base/json_writer.h"
#include "cli/options.h"
#include "files/blocks_file.h"
#include "files/page.h"
#include "softfp8_judge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct settings {
    const char *to, *policy, *recipe, *g, *values, *from, *uncertain, *errors, *between, *and,
        *json, *html;
    tensor_shape shape;
    int layout, any_nan;
    blocks_paths paths;
} settings;

static const char *const exact_formats[] = {"f32", "bf16", "f16", "f64", NULL};

static const cli_option options[] = {
    HEADING("What the kernel returned"),
    {"--to", "FORMAT", "of a cast: the format of the codes; --codes is a file of them",
     FORMAT(settings, to)},
    {"--recipe", "NAME",
     "of a quantizer: how the blocks are quantized ('softfp8 recipes' lists all)",
     TEXT(settings, recipe), .name_at = recipe_name_at},
    {"--codes", "FILE",
     "the codes: raw bytes or a .npy file; those of a recipe are packed as it packs a row",
     PATH(settings, paths.codes)},
    {"--scales", "FILE", "the scales: raw bytes, or a .npy file of codes or of f32",
     PATH(settings, paths.scales)},
    {"--layout", NULL, "the layout of the scales. Default: linear",
     WORD(settings, layout, blocks_layouts)},
    {"--global-scale", "G",
     "the global scale of the recipe: a number, or its f32 bits as 0x and 8 hexadecimal digits",
     TEXT(settings, g)},
    HEADING("What it should have returned"),
    {"--expected", "FILE",
     "the exact values that were cast or quantized: .npy, or raw words; f64 too",
     PATH(settings, values)},
    {"--from", NULL, "the format of the values; needed for raw words and for bf16",
     NAME(settings, from, exact_formats)},
    GROUP(settings, shape, shape_option),
    {"--policy", "TEXT",
     "the policy of the cast: a name, a product, or one with changed fields (\"ocp round=rz\"). "
     "Default: ocp",
     TEXT(settings, policy)},
    {"--any-nan", NULL, "all codes of NaN count as equal", FLAG(settings, any_nan)},
    HEADING("How far the values that the kernel rounds may be from the exact ones"),
    {"--uncertain", "TEXT",
     "bf16/2: half a unit in the last place of bf16; f32*4; rel=1e-3; abs=1e-6; or a sum of these "
     "with +",
     TEXT(settings, uncertain)},
    {"--errors", "FILE", "an absolute error for each value, as a .npy file of f32",
     PATH(settings, errors)},
    {"--between", "FILE",
     "with --and: two computations of the values, as .npy files of one format. A value may be "
     "anything between these",
     PATH(settings, between)},
    {"--and", "FILE", "see --between", PATH(settings, and)},
    HEADING("The report"),
    GROUP(settings, json, json_option),
    GROUP(settings, html, html_option),
    {.kind = OPTION_END},
};

/* ---- the uncertainty ------------------------------------------------------------------------- */

typedef struct noise {
    sf8_uncertainty u;
    tensor path[2];
    double *errors;
} noise;

static tensor other_tensor(const char *path, const tensor *values)
{
    tensor t = tensor_read_exact(path, NULL, (tensor_shape){0, 0});
    if (t.shape.rows * t.shape.columns != values->shape.rows * values->shape.columns)
        fail_at(input_name(path), 0, "%zu x %zu values; expected %zu x %zu, as --expected has",
                t.shape.rows, t.shape.columns, values->shape.rows, values->shape.columns);
    return t;
}

static void read_errors(noise *n, const char *path, const tensor *values)
{
    size_t count = values->shape.rows * values->shape.columns;
    tensor t = other_tensor(path, values);
    n->errors = allocate(count, sizeof *n->errors);
    for (size_t i = 0; i < count; i++) {
        n->errors[i] = t.format.man_bits == 52 ? sf8_f64_from_bits(((const uint64_t *)t.words)[i])
                                               : (double)sf8_f32_from_bits(tensor_f32(&t, i));
        if (!(n->errors[i] >= 0))
            fail_at(input_name(path), 0, "value %zu is %g; expected errors that are not negative",
                    i, n->errors[i]);
    }
    n->u.absolute = n->errors;
    tensor_free(&t);
}

static void read_noise(noise *n, const settings *o, const tensor *values)
{
    memset(n, 0, sizeof *n);
    n->u.text = o->uncertain;
    if (o->errors)
        read_errors(n, o->errors, values);
    const char *const paths[] = {o->between, o->and };
    for (int k = 0; k < 2 && o->between; k++) {
        n->path[k] = other_tensor(paths[k], values);
        n->u.between[k] = n->path[k].words;
        n->u.between_format = n->path[0].format;
    }
    if (o->between && n->path[0].format_name != n->path[1].format_name)
        fail_at(input_name(o->and), 0, "values of %s; expected %s, as %s has",
                n->path[1].format_name, n->path[0].format_name, input_name(o->between));
}

static void free_noise(noise *n)
{
    free(n->errors);
    for (int k = 0; k < 2 && n->u.between[0]; k++)
        tensor_free(&n->path[k]);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void put_part(json_writer *j, const char *name, const sf8_judged_part *p)
{
    jw_begin(jw_space(j, "\n"), name, '{');
    jw_unsigned(j, "count", p->count);
    jw_unsigned(j, "differ", p->differ);
    jw_unsigned(j, "excused", p->excused);
    jw_unsigned(j, "outside", p->outside);
    if (p->differ) {
        jw_begin(j, "worst", '{');
        jw_unsigned(j, "index", p->worst.index);
        jw_real(j, "input", p->worst.input, 17);
        jw_real(j, "low", p->worst.low, 17);
        jw_real(j, "high", p->worst.high, 17);
        jw_unsigned(j, "got", p->worst.got);
        jw_unsigned(j, "exact", p->worst.right);
        jw_unsigned(j, "least", p->worst.least);
        jw_unsigned(j, "most", p->worst.most);
        jw_real(j, "of_allowed", p->worst.of_allowed, 6);
        jw_end(j);
    }
    jw_end(j);
}

static void put_json(output *out, const void *report)
{
    const sf8_judgement *found = report;
    static const char *const verdicts[] = {"equal", "excused", "one-sided", "outside"};
    json_writer j = {.put = output_put, .context = out};
    jw_begin(&j, NULL, '{');
    jw_text(&j, "verdict", verdicts[found->verdict]);
    put_part(&j, "codes", &found->codes);
    put_part(&j, "scales", &found->scales);
    jw_begin(jw_space(&j, "\n"), "flips", '{');
    jw_unsigned(&j, "up", found->sides.up);
    jw_unsigned(&j, "down", found->sides.down);
    jw_unsigned(&j, "larger", found->sides.larger);
    jw_unsigned(&j, "smaller", found->sides.smaller);
    jw_bool(&j, "one_sided", found->sides.is_one_sided);
    if (found->sides.is_one_sided)
        jw_real(&j, "mean_of_allowed", found->sides.mean, 6);
    jw_end(&j);
    jw_text(jw_space(&j, "\n"), "mistake", found->mistake[0] ? found->mistake : NULL);
    jw_end(&j);
}

static void put_words(output *out, const void *report)
{
    const sf8_judgement *found = report;
    output_put(out, found->message, strlen(found->message));
    output_put(out, "\n", 1);
}

/* ---- what is judged -------------------------------------------------------------------------- */

static sf8_judgement *judge_cast(const settings *o, const tensor *values, const noise *n)
{
    size_t count = values->shape.rows * values->shape.columns, size;
    sf8_format to = format_of_name(o->to);
    int bits = sf8_format_bits(to);
    size_t width = bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
    char *codes = tensor_whole(o->paths.codes, &size);
    size = npy_codes(o->paths.codes, "codes", codes, size, width);
    if (size != count * width)
        fail_at(input_name(o->paths.codes), 0, "%zu bytes, expected %zu: %zu codes of %s", size,
                count * width, count, o->to);
    sf8_cast_flips flips = {.from = values->format,
                            .to = to,
                            .inputs = values->words,
                            .codes = codes,
                            .count = count,
                            .policy = o->policy,
                            .uncertainty = &n->u,
                            .any_nan = o->any_nan};
    sf8_judgement *found = NULL;
    sf8_status status = sf8_judge_cast(&flips, &found);
    if (status == SF8_UNKNOWN_NAME)
        fail("--policy %s: no such policy for %s to %s ('softfp8 policies' lists all)",
             o->policy ? o->policy : "ocp", values->format_name, o->to);
    if (status == SF8_BAD_CALL)
        fail("--codes %s: a code has more bits than %s, or codes of this policy do not grow with "
             "the value",
             o->paths.codes, o->to);
    if (status != SF8_OK)
        cli_search.no_memory(&cli_search, count);
    free(codes);
    return found;
}

/* The head of raw files is in the options. */
static void settle(const settings *o, const tensor *values, blocks_head *h)
{
    const char *why;
    h->row = recipe_of_name(o->recipe, &h->recipe);
    h->shape = values->shape;
    h->layout = o->layout >= 0 ? (sf8_layout)o->layout : SF8_LAYOUT_LINEAR;
    if (h->recipe.has_g && (!o->g || strcmp(o->g, "auto") == 0))
        fail("--global-scale G: expected the number that the kernel used; of values that are not "
             "exact "
             "it cannot be computed");
    h->g = recipe_g(h->row, o->g, values->format.man_bits == 52 ? SF8_F32 : values->format, 0);
    if (!blocks_measure(h, &why))
        fail("--shape %zu,%zu, layout %s: %s", h->shape.rows, h->shape.columns,
             sf8_layout_name(h->layout), why);
    if (!o->paths.scales && !sf8_recipe_scale_given(&h->recipe))
        fail("--scales FILE is missing: %s computes scales", h->row->name);
}

static sf8_judgement *judge_blocks(const settings *o, const tensor *values, const noise *n)
{
    blocks b;
    memset(&b, 0, sizeof b);
    if (!o->paths.whole)
        settle(o, values, &b.head);
    blocks_read(&b, &o->paths);
    if (b.head.shape.rows != values->shape.rows || b.head.shape.columns != values->shape.columns)
        fail_at(input_name(o->values), 0, "%zu x %zu values; expected %zu x %zu, as %s has",
                values->shape.rows, values->shape.columns, b.head.shape.rows, b.head.shape.columns,
                input_name(o->paths.whole));
    sf8_block_flips flips = {.recipe = &b.head.recipe,
                             .recipe_name = b.head.row->name,
                             .from = values->format,
                             .inputs = values->words,
                             .rows = b.head.shape.rows,
                             .columns = b.head.shape.columns,
                             .codes = b.codes,
                             .scales = sf8_recipe_scale_given(&b.head.recipe) ? NULL : b.scales,
                             .g = sf8_f32_from_bits(b.head.g),
                             .uncertainty = &n->u};
    sf8_judgement *found = NULL;
    sf8_status status = sf8_judge_blocks(&flips, &found);
    if (status == SF8_BAD_CALL)
        fail("recipe %s: it has offsets, or its scales depend on more than the largest magnitude; "
             "such recipes are not judged",
             b.head.row->name);
    if (status != SF8_OK)
        cli_search.no_memory(&cli_search, b.head.shape.rows * b.head.shape.columns);
    blocks_free(&b);
    return found;
}

static void check(const settings *o)
{
    static const char *const needed[] = {"expected"};
    options_need(needed, 1, "the exact values are needed");
    if (!o->paths.whole && !o->paths.codes)
        fail("no FILE given; expected FILE, or --codes FILE");
    if (o->paths.whole &&
        (o->paths.codes || o->paths.scales || o->recipe || o->to || o->g || o->layout >= 0))
        fail("%s has a header: leave out --to, --recipe, --codes, --scales, --global-scale, "
             "--layout",
             input_name(o->paths.whole));
    if (!o->paths.whole && !o->to == !o->recipe)
        fail("expected --to FORMAT for a cast, or --recipe NAME for a quantizer");
    if (o->to && (o->paths.scales || o->g || o->layout >= 0))
        fail("--to is for casts, which have no scales: leave out --scales, --global-scale, "
             "--layout");
    if (!o->to && (o->policy || o->any_nan))
        fail("--policy and --any-nan are for casts: leave them out, or give --to");
    if (!o->uncertain && !o->errors && !o->between)
        fail("no uncertainty given; expected --uncertain TEXT such as bf16/2, --errors FILE, or "
             "--between FILE --and FILE");
    if (!o->between != !o->and)
        fail("--between FILE and --and FILE need each other");
    if (o->uncertain && !sf8_uncertainty_is_good(o->uncertain))
        fail("--uncertain %s: expected for example bf16/2, f32*4, rel=1e-3, abs=1e-6, or a sum of "
             "these with +",
             o->uncertain);
}

static int run(int argc, char **argv)
{
    settings o;
    memset(&o, 0, sizeof o);
    o.layout = -1;
    o.paths.whole = options_read(&command_judge, argc, argv, &o) ? argv[0] : NULL;
    check(&o);
    const char *inputs[] = {o.paths.whole, o.paths.codes, o.paths.scales, o.values,
                            o.errors,      o.between,     o.and };
    const char *outputs[] = {o.json, o.html};
    outputs_check(outputs, 2, inputs, 7);
    tensor values = tensor_read_exact(o.values, o.from, o.shape);
    noise n;
    read_noise(&n, &o, &values);
    sf8_judgement *found = o.to ? judge_cast(&o, &values, &n) : judge_blocks(&o, &values, &n);
    page_write(&(page_report){.command = "judge",
                              .json = o.json,
                              .html = o.html,
                              .put_json = put_json,
                              .put_words = put_words,
                              .report = found});
    int status = found->verdict <= SF8_JUDGED_EXCUSED ? STATUS_HELD : STATUS_MISMATCH;
    sf8_judgement_free(found);
    free_noise(&n);
    tensor_free(&values);
    return status;
}

const command command_judge = {
    .name = "judge",
    .purpose = "Says whether rounding excuses a few codes that differ.",
    .example = "  $ softfp8 judge --to e4m3 --codes c.bin --expected x.npy --uncertain bf16/2\n",
    .usage = "judge --to FORMAT --codes FILE --expected FILE --uncertain TEXT\n"
             "judge --recipe NAME --codes FILE --scales FILE --expected FILE ...\n"
             "judge --expected FILE --uncertain TEXT FILE",
    .about =
        "A fused kernel keeps f32 where its reference rounds to bf16, or adds in another order. "
        "So a few codes in a million differ, since their values lie next to a boundary between "
        "two codes. This command gets the exact values, and how far the values that the kernel "
        "rounds may be from them. A code is excused if some value that is not farther away gives "
        "it. Scales are judged first, then the codes by the scales of the kernel.\n"
        "Flips of honest noise fall on both sides. If they fall on one side, as after a "
        "truncation or with a scale that is slightly off, that is reported, though the "
        "uncertainty excuses each of them. FILE is what 'softfp8 quantize -o' writes.",
    .more = "Exit status: 0 equal, or all that differs is excused; 1 something is not, or the "
            "flips are one-sided; 2 bad input.",
    .options = options,
    .operands = "file",
    .operands_most = 1,
    .complete = "file",
    .run = run,
};
