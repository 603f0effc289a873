/* SPDX-License-Identifier: MIT */
/* gen_json.c -- softfp8 gen --format json: cases with reasons */
#include "vectors/gen_json.h"
#include "recipes/recipes.h"
#include "vectors/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const cli_option json_kind_options[] = {
    HEADING("Cases of quantize, dequantize, mma and merge, with --format json"),
    {"--recipe", "NAME", "the recipe of quantize and dequantize ('softfp8 recipes' lists all)",
     TEXT(json_options, recipe), .name_at = recipe_name_at},
    {"--unit", "UNIT", "the matrix unit of mma ('softfp8 mma --list' lists all)",
     TEXT(json_options, unit)},
    {"--in", "FORMAT[,FORMAT]",
     "the format of the values to quantize, f32 by default; with mma that of a and b, or one for "
     "each, e4m3 by default",
     TEXT(json_options, in)},
    {"--out", "FORMAT",
     "the format of the values that dequantize gives, or of the accumulator and the result of "
     "mma: f32 by default",
     TEXT(json_options, out)},
    {"--rule", "NAME", "the rule of merge: vllm, vllm-triton, flashinfer or fa3",
     TEXT(json_options, rule), .complete = "vllm vllm-triton flashinfer fa3"},
    {.kind = OPTION_END},
};

int gen_json_is_kind(const char *name)
{
    const vector_kind *kind = name ? kind_named(name) : NULL;
    return kind && kind->nth;
}

static vectors_writer writer_of(output *out)
{
    vectors_writer w;
    memset(&w, 0, sizeof w);
    w.j.put = output_put;
    w.j.context = out;
    return w;
}

static void open_group(vector_group *g)
{
    const char *expected = g->kind->open(g);
    if (expected)
        fail("%s: expected %s", g->kind->name, expected);
}

/* ---- kinds ----------------------------------------------------------------------------------- */

/* The head of the group: as options say, or what is usual. */
static void set_blocks(vector_group *g, const json_options *o)
{
    int reads = strcmp(g->kind->name, "dequantize") == 0;
    if (!o->recipe)
        fail("%s needs --recipe NAME; 'softfp8 recipes' lists all", g->kind->name);
    if (o->unit || o->rule || (reads ? o->in : o->out))
        fail("%s takes --recipe and %s", g->kind->name, reads ? "--out" : "--in");
    recipe_of_name(o->recipe, &g->recipe);
    group_set(g, "recipe", o->recipe);
    group_set(g, "from", o->in ? o->in : "f32");
    group_set(g, "to", o->out ? o->out : "f32");
}

void gen_quantize_group(vector_group *g, const json_options *options)
{
    group_begin(g, &kind_quantize);
    set_blocks(g, options);
    open_group(g);
}

static void set_unit(vector_group *g, const json_options *o)
{
    char a[32];
    const char *in = o->in ? o->in : "e4m3", *comma = strchr(in, ',');
    if (!o->unit)
        fail("mma needs --unit UNIT; 'softfp8 mma --list' lists all");
    if (o->recipe || o->rule)
        fail("mma takes --unit, --in and --out");
    snprintf(a, sizeof a, "%.*s", (int)strcspn(in, ","), in);
    group_set(g, "unit", o->unit);
    group_set(g, "a_format", a);
    group_set(g, "b_format", comma ? comma + 1 : a);
    group_set(g, "out_format", o->out ? o->out : "f32");
}

static void set_merge(vector_group *g, const json_options *o)
{
    if (!o->rule)
        fail("merge needs --rule NAME: vllm, vllm-triton, flashinfer or fa3");
    if (o->recipe || o->unit || o->in || o->out)
        fail("merge takes --rule alone");
    group_set(g, "rule", o->rule);
}

/* "quantize/nvfp4/f32": what the ids of the group begin with. */
static void prefix_of(const vector_group *g, char text[CASE_ID])
{
    size_t used = (size_t)snprintf(text, CASE_ID, "%s", g->kind->name);
    for (int i = 0; i < HEAD_MOST && used < CASE_ID; i++) {
        if (g->head[i][0])
            used += (size_t)snprintf(text + used, CASE_ID - used, "/%.40s", g->head[i]);
    }
}

uint64_t gen_json_kind(output *out, const char *name, const json_options *options)
{
    static vector_group g;
    vectors_writer w = writer_of(out);
    vector_case c;
    char prefix[CASE_ID], id[2 * CASE_ID], last[CASE_NAME];
    memset(&c, 0, sizeof c);
    group_begin(&g, kind_named(name));
    if (strcmp(name, "mma") == 0)
        set_unit(&g, options);
    else if (strcmp(name, "merge") == 0)
        set_merge(&g, options);
    else
        set_blocks(&g, options);
    open_group(&g);
    if (g.row && (sf8_recipe_rows(&g.recipe) > 1 || g.recipe.block > 256))
        fail("'%s' has blocks of more than 256 elements: too long for a line of JSON; --format npy "
             "writes a tensor",
             options->recipe);
    prefix_of(&g, prefix);
    vectors_write_begin(&w, prefix);
    vectors_write_group(&w, &g);
    for (size_t i = 0; g.kind->nth(&g, i, &c, last); i++) {
        const char *expected = g.kind->run(&g, &c);
        if (expected)
            fail("%s/%s: expected %s", prefix, last, expected);
        snprintf(id, sizeof id, "%s/%s", prefix, last);
        vectors_write_case(&w, &g, id, &c);
    }
    vectors_write_group_end(&w);
    vectors_write_end(&w);
    case_free(&c);
    return w.count;
}

/* ---- functions ------------------------------------------------------------------------------- */

/* "f32_to_e4m3/ocp+round=rz/3f800000": the operands, or the number of a case whose operands may
 * come again. */
static void id_of(const vector_group *g, const vector_case *c, int once, uint64_t i,
                  char id[CASE_ID])
{
    size_t used = (size_t)snprintf(id, CASE_ID, "%s/%.100s%s/", g->head[0], g->head[1],
                                   g->exact ? "+exact" : "");
    for (char *at = id; *at; at++)
        *at = *at == ' ' ? '+' : *at;
    if (!once) {
        snprintf(id + used, CASE_ID - used, "%llu", (unsigned long long)i);
        return;
    }
    for (int k = 0; k < g->fields && !g->field[k].output; k++) {
        char digits[20];
        *hex_write(digits, c->field[k].word[0], word_digits(g->field[k].bits), hex_lower) = '\0';
        used += (size_t)snprintf(id + used, CASE_ID - used, "%s%s", k ? "-" : "", digits);
    }
}

void gen_json_function(output *out, const testfloat *t, const sf8_function *f, cases *c, uint64_t n)
{
    static vector_group g;
    const char *base;
    char policy[1024], title[1200], id[CASE_ID];
    vectors_writer w = writer_of(out);
    vector_case one;
    memset(&one, 0, sizeof one);
    sf8_policy p = testfloat_policy(t, f, &base);
    group_begin(&g, kind_of_function(f));
    group_set(&g, "function", f->name);
    group_set(&g, "policy", policy_text(base, p, policy));
    group_set(&g, "exact", t->exact ? "true" : "");
    open_group(&g);
    snprintf(title, sizeof title, "%s, policy %s", f->name, policy);
    vectors_write_begin(&w, title);
    vectors_write_group(&w, &g);
    int once = n == c->least && (c->whole || c->options.critical) && !g.stochastic;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t operands[4] = {0, 0, 0, 0};
        cases_next(c, operands);
        for (int k = 0; k < g.fields && !g.field[k].output; k++) {
            words_resize(&one.field[k], 1);
            one.field[k].word[0] = operands[k];
        }
        g.kind->run(&g, &one);
        id_of(&g, &one, once, i, id);
        vectors_write_case(&w, &g, id, &one);
    }
    vectors_write_group_end(&w);
    vectors_write_end(&w);
    case_free(&one);
}
