/* SPDX-License-Identifier: MIT */
/* gen_json.c -- softfp8 gen --format json: cases with reasons */
#include "vectors/gen_json.h"
#include "mma/mma.h"
#include "recipes/recipes.h"
#include "vectors/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const cli_option json_kind_options[] = {
    HEADING("Cases of quantize, dequantize, mma, merge, attend and kv-store"),
    {"--recipe", "NAME",
     "the recipe of quantize and dequantize ('softfp8 recipes' lists all). Of attend and kv-store: "
     "how the cache is stored, kv-vllm by default; of attend also f32, bf16 or f16",
     TEXT(json_options, recipe), .name_at = recipe_name_at},
    {"--unit", "UNIT",
     "the matrix unit of mma ('softfp8 mma --list' lists all). Parameters of your own design "
     "follow "
     "it, as 'softfp8 mma --set' takes them: 'hopper-qgmma fraction=20'",
     TEXT(json_options, unit)},
    {"--in", "FORMAT[,FORMAT]",
     "the format of the values to quantize or to store, or of query and output of attend: f32 by "
     "default; with mma that of a and b, or one for each, e4m3 by default",
     TEXT(json_options, in)},
    {"--result", "FORMAT",
     "the format of the values that dequantize gives, or of the accumulator and the result of "
     "mma: f32 by default",
     TEXT(json_options, out)},
    {"--rule", "NAME", "the rule of merge: vllm, vllm-triton, flashinfer or fa3",
     TEXT(json_options, rule), .complete = "vllm vllm-triton flashinfer fa3"},
    {"--order", "NAME",
     "the order of attend: exact, the default, mma-f16, mma-bf16, or one that 'softfp8 attend "
     "--orders' lists",
     TEXT(json_options, order)},
    {"--cache-layout", "NAME", "the layout of kv-store: nhd, the default, hnd, x-packed or columns",
     TEXT(json_options, layout), .complete = "nhd hnd x-packed columns"},
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

/* An option that kinds take, and which of them. */
typedef struct kind_option {
    const char *name, *value, *kinds;
} kind_option;

enum { KIND_OPTIONS = 7 };

static void options_of(const json_options *o, kind_option all[KIND_OPTIONS])
{
    const kind_option options[KIND_OPTIONS] = {
        {"--recipe", o->recipe, "quantize, dequantize, attend, kv-store"},
        {"--unit", o->unit, "mma"},
        {"--in", o->in, "quantize, mma, attend, kv-store"},
        {"--result", o->out, "dequantize, mma"},
        {"--rule", o->rule, "merge"},
        {"--order", o->order, "attend"},
        {"--cache-layout", o->layout, "kv-store"}};
    memcpy(all, options, sizeof options);
}

int gen_json_given(const json_options *options)
{
    kind_option all[KIND_OPTIONS];
    int given = 0;
    options_of(options, all);
    for (int i = 0; i < KIND_OPTIONS; i++)
        given |= all[i].value != NULL;
    return given;
}

/* Whether a list has the word, between commas. */
static int lists(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)) != NULL; at++) {
        if ((at == list || at[-1] == ' ') && (at[length] == ',' || at[length] == '\0'))
            return 1;
    }
    return 0;
}

/* Fails if an option is given that the kind does not take. */
static void check_options(const char *kind, const json_options *o)
{
    kind_option all[KIND_OPTIONS];
    options_of(o, all);
    for (int i = 0; i < KIND_OPTIONS; i++) {
        if (all[i].value && !lists(all[i].kinds, kind))
            fail("%s does not take %s %s; it is for %s", kind, all[i].name, all[i].value,
                 all[i].kinds);
    }
}

static const char *or_else(const char *given, const char *usual)
{
    return given ? given : usual;
}

/* The head of the group: as options say, or what is usual. */
static void set_blocks(vector_group *g, const json_options *o)
{
    if (!o->recipe)
        fail("%s needs --recipe NAME; 'softfp8 recipes' lists all", g->kind->name);
    recipe_of_name(o->recipe, &g->recipe);
    group_set(g, "recipe", o->recipe);
    group_set(g, "from", or_else(o->in, "f32"));
    group_set(g, "to", or_else(o->out, "f32"));
}

void gen_quantize_group(vector_group *g, const json_options *options)
{
    check_options("quantize", options);
    group_begin(g, &kind_quantize);
    set_blocks(g, options);
    open_group(g);
}

/* The words of "hopper-qgmma,fraction=20" with one blank between two. */
static void words_of_unit(const char *text, char words[HEAD_TEXT])
{
    size_t used = 0, length;
    for (const char *at = text + strspn(text, " ,"); *at; at += length, at += strspn(at, " ,")) {
        length = strcspn(at, " ,");
        if (used + length + 2 > HEAD_TEXT)
            fail("--unit: expected a unit and a few parameters");
        used += (size_t)snprintf(words + used, HEAD_TEXT - used, "%s%.*s", used ? " " : "",
                                 (int)length, at);
    }
    words[used] = '\0';
}

/* Each word is checked here, so that the message names it. */
static void check_unit(const char *words, const char *a, const char *b, const char *out)
{
    char text[HEAD_TEXT];
    snprintf(text, sizeof text, "%s", words);
    const char *unit = strtok(text, " ");
    sf8_mma m = mma_unit_of(unit ? unit : "", a, b, out);
    for (char *word; (word = strtok(NULL, " ")) != NULL;) {
        char *value = strchr(word, '=');
        if (!value)
            fail("--unit '%s': expected NAME=VALUE, for example fraction=13", word);
        *value++ = '\0';
        mma_change_unit(&m, unit, word, value);
    }
}

static void set_unit(vector_group *g, const json_options *o)
{
    char a[32], words[HEAD_TEXT];
    const char *in = or_else(o->in, "e4m3"), *comma = strchr(in, ',');
    const char *out = or_else(o->out, "f32");
    if (!o->unit)
        fail("mma needs --unit UNIT; 'softfp8 mma --list' lists all");
    snprintf(a, sizeof a, "%.*s", (int)strcspn(in, ","), in);
    words_of_unit(o->unit, words);
    check_unit(words, a, comma ? comma + 1 : a, out);
    group_set(g, "unit", words);
    group_set(g, "a_format", a);
    group_set(g, "b_format", comma ? comma + 1 : a);
    group_set(g, "out_format", out);
}

static void set_merge(vector_group *g, const json_options *o)
{
    if (!o->rule)
        fail("merge needs --rule NAME: vllm, vllm-triton, flashinfer or fa3");
    group_set(g, "rule", o->rule);
}

static void set_attend(vector_group *g, const json_options *o)
{
    group_set(g, "order", or_else(o->order, "exact"));
    group_set(g, "cache", or_else(o->recipe, "kv-vllm"));
    group_set(g, "words", or_else(o->in, "f32"));
    group_set(g, "dim", "16");
}

/* A cache in which no two strides are the same. */
static void set_store(vector_group *g, const json_options *o)
{
    group_set(g, "layout", or_else(o->layout, "nhd"));
    group_set(g, "recipe", or_else(o->recipe, "kv-vllm"));
    group_set(g, "from", or_else(o->in, "f32"));
    group_set(g, "shape", "3x4x2x16");
}

static void set_head(vector_group *g, const char *name, const json_options *o)
{
    static const struct {
        const char *name;
        void (*set)(vector_group *g, const json_options *o);
    } sets[] = {
        {"mma", set_unit}, {"merge", set_merge}, {"attend", set_attend}, {"kv-store", set_store}};
    check_options(name, o);
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        if (strcmp(name, sets[i].name) == 0) {
            sets[i].set(g, o);
            return;
        }
    }
    set_blocks(g, o);
}

/* "quantize/nvfp4/f32": what the ids of the group begin with. An id has no blanks. */
static void prefix_of(const vector_group *g, char text[CASE_ID])
{
    size_t used = (size_t)snprintf(text, CASE_ID, "%s", g->kind->name);
    for (int i = 0; i < HEAD_MOST && used < CASE_ID; i++) {
        if (g->head[i][0])
            used += (size_t)snprintf(text + used, CASE_ID - used, "/%.40s", g->head[i]);
    }
    for (char *at = text; *at; at++)
        *at = *at == ' ' ? '+' : *at;
}

void gen_kind_group(vector_group *g, const char *name, const json_options *options)
{
    group_begin(g, kind_named(name));
    set_head(g, name, options);
    open_group(g);
    if (g->kind->choose)
        g->kind->choose(g);
}

uint64_t gen_json_kind(output *out, const char *name, const json_options *options)
{
    static vector_group g;
    vectors_writer w = writer_of(out);
    vector_case c;
    char prefix[CASE_ID], id[2 * CASE_ID], last[CASE_NAME];
    memset(&c, 0, sizeof c);
    gen_kind_group(&g, name, options);
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

void gen_json_function(output *out, const testfloat *t, const sf8_function *f, operands_giver next,
                       void *context, int once)
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
    uint64_t operands[4] = {0, 0, 0, 0};
    for (uint64_t i = 0; next(context, operands); i++) {
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
