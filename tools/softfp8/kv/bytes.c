/* SPDX-License-Identifier: MIT */
/* bytes.c -- softfp8 kv bytes: how many bytes a token takes in each type of KV cache */
#include "cli/options.h"
#include "cli/text_table.h"
#include "files/io.h"
#include "kv/kv.h"
#include "base/json_writer.h"
#include "softfp8_kv.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 65535 }; /* what sf8_kv_token_bytes takes */

typedef unsigned long long ull;

typedef struct settings {
    sf8_kv_shape shape;
    uint32_t index;
    const char *type, *path;
    uint64_t tokens, memory;
    int json;
} settings;

/* ---- options --------------------------------------------------------------------------------- */

/* "1048576", "1024K", "40G": below 2^56. */
static void take_memory(void *place, const cli_option *o, const char *text)
{
    (void)o;
    static const char units[] = "KMGT";
    uint64_t n = 0;
    const char *c = text, *unit;
    for (; *c >= '0' && *c <= '9' && n >> 56 == 0; c++)
        n = 10 * n + (uint64_t)(*c - '0');
    unit = *c ? strchr(units, *c) : NULL;
    for (int i = unit ? (int)(unit - units) : -1; i >= 0 && n >> 56 == 0; i--)
        n *= 1024;
    if (c == text || (*c && (!unit || c[1])) || n >> 56)
        fail("expected a number of bytes below 2^56, for example 1000000000, 512M or 40G");
    *(uint64_t *)place = n;
}

static const char *type_name_at(size_t i)
{
    const sf8_kv_type *t = sf8_kv_type_at(i);
    return t ? t->name : NULL;
}

static const cli_option options[] = {
    HEADING("Shape of the model"),
    {"--layers", "L", "the number of layers; needed", NUMBER(settings, shape.layers, 1, MOST)},
    {"--heads", "H", "the number of key/value heads in a layer, not of query heads",
     NUMBER(settings, shape.heads, 1, MOST)},
    {"--size", "S", "elements in a head", NUMBER(settings, shape.size, 1, MOST)},
    {"--latent", "N", "elements in the latent vector of MLA (multi-head latent attention)",
     NUMBER(settings, shape.latent, 1, MOST)},
    {"--rope", "R", "elements in the rotary part beside the latent vector. Default: 0",
     NUMBER(settings, shape.rope, 0, MOST)},
    {"--index", "N", "elements in the key vector of a sparse-attention indexer",
     NUMBER(settings, index, 1, MOST)},
    HEADING("What to compute"),
    {"--type", "NAME", "only this type of cache", TEXT(settings, type), .name_at = type_name_at},
    {"--tokens", "N", "also the bytes of N tokens", NUMBER(settings, tokens, 1, UINT64_C(1) << 40)},
    {"--memory", "BYTES",
     "also how many tokens fit into this memory. K, M, G and T are 2^10, 2^20, 2^30 and 2^40 "
     "bytes: 40G",
     CALL(settings, memory, take_memory)},
    {"--json", NULL, "writes JSON, with the bytes as a numerator and a denominator",
     FLAG(settings, json)},
    GROUP(settings, path, output_option),
    {.kind = OPTION_END},
};

/* ---- types ----------------------------------------------------------------------------------- */

/* The option without which there is no answer, or NULL. */
static const char *missing(const settings *o, const sf8_kv_type *t)
{
    if (t->of == SF8_KV_LATENT)
        return o->shape.latent ? NULL : "--latent";
    if (t->of == SF8_KV_ONE_VECTOR)
        return o->index ? NULL : "--index";
    return !o->shape.heads ? "--heads" : !o->shape.size ? "--size" : NULL;
}

typedef struct answer {
    const char *missing, *odd; /* why there is none */
    uint64_t num, den;
    uint64_t fit;
    double of_bf16; /* 0: nothing to compare with */
} answer;

static answer answer_of(const settings *o, const sf8_kv_type *t)
{
    answer a = {missing(o, t), NULL, 0, 1, 0, 0};
    sf8_kv_type bf16;
    uint64_t num, den;
    if (a.missing)
        return a;
    sf8_kv_shape shape = o->shape;
    shape.size = t->of == SF8_KV_ONE_VECTOR ? o->index : shape.size;
    if (sf8_kv_token_bytes(t, &shape, &a.num, &a.den) != SF8_OK) {
        a.odd = "its codes do not fill whole bytes";
        return a;
    }
    if (option_was_given("memory") && sf8_kv_tokens(t, &shape, o->memory, &a.fit) != SF8_OK)
        fail("--memory: too large: the number of tokens must be below 2^64");
    if (t->of != SF8_KV_ONE_VECTOR &&
        sf8_kv_type_named(&bf16, t->of == SF8_KV_LATENT ? "mla-bf16" : "bf16") == SF8_OK &&
        sf8_kv_token_bytes(&bf16, &o->shape, &num, &den) == SF8_OK)
        a.of_bf16 = (double)a.num / (double)a.den / ((double)num / (double)den);
    return a;
}

/* The bytes of that many tokens, the last one's rounded up. */
static uint64_t bytes_together(const answer *a, uint64_t tokens)
{
    if (a->num > UINT64_MAX / tokens - a->den)
        fail("--tokens %llu: too many: their bytes must be below 2^64", (ull)tokens);
    return (a->num * tokens + a->den - 1) / a->den;
}

/* "327680", "52.5": exactly; "52 1/3" where no decimal is. */
static const char *fraction(const answer *a, char text[64])
{
    uint64_t whole = a->num / a->den, rest = a->num % a->den, unit = 100000;
    int digits = 5;
    if (unit % a->den)
        snprintf(text, 64, "%llu %llu/%llu", (ull)whole, (ull)rest, (ull)a->den);
    if (unit % a->den)
        return text;
    for (rest *= unit / a->den; digits && rest % 10 == 0; rest /= 10)
        digits--;
    if (digits)
        snprintf(text, 64, "%llu.%0*llu", (ull)whole, digits, (ull)rest);
    else
        snprintf(text, 64, "%llu", (ull)whole);
    return text;
}

/* ---- output ---------------------------------------------------------------------------------- */

static void add_line(text_table *table, const settings *o, const sf8_kv_type *t)
{
    answer a = answer_of(o, t);
    char text[64], share[16] = "", tokens[64] = "", fit[32] = "";
    if (a.missing)
        return;
    if (a.odd) {
        text_table_row(table, "%s\t %s", t->name, a.odd);
        return;
    }
    if (a.of_bf16 > 0)
        snprintf(share, sizeof share, "%7.5f", a.of_bf16);
    if (o->tokens) {
        uint64_t bytes = bytes_together(&a, o->tokens);
        snprintf(tokens, sizeof tokens, "\t%llu\t%.3f", (ull)bytes, (double)bytes / 0x1p30);
    }
    if (option_was_given("memory"))
        snprintf(fit, sizeof fit, "\t%llu", (ull)a.fit);
    text_table_row(table, "%s\t%s\t%s%s%s\t%s", t->name, fraction(&a, text), share, tokens, fit,
                   t->source);
}

static text_table *table_of(const settings *o)
{
    char layout[128], tokens[48] = "";
    snprintf(layout, sizeof layout, "%%-19s %%13s  %%7s%s%s  %%s", o->tokens ? "  %14s %9s" : "",
             option_was_given("memory") ? " %13s" : "");
    text_table *table = text_table_new(layout);
    if (o->tokens)
        snprintf(tokens, sizeof tokens, "\t%llu tokens\tGiB", (ull)o->tokens);
    text_table_row(table, "cache\tbytes/token\tvs bf16%s%s\tused by", tokens,
                   option_was_given("memory") ? "\ttokens fit" : "");
    return table;
}

static void put_type(json_writer *j, const settings *o, const sf8_kv_type *t)
{
    answer a = answer_of(o, t);
    jw_begin(j, NULL, '{');
    jw_text(j, "name", t->name);
    jw_text(j, "source", t->source);
    if (a.missing || a.odd) {
        jw_text(j, a.missing ? "needs" : "refused", a.missing ? a.missing : a.odd);
    } else {
        jw_unsigned(j, "numerator", a.num);
        jw_unsigned(j, "denominator", a.den);
        if (a.of_bf16 > 0)
            jw_real(j, "of_bf16", a.of_bf16, 9);
        if (o->tokens)
            jw_unsigned(j, "bytes", bytes_together(&a, o->tokens));
        if (option_was_given("memory"))
            jw_unsigned(j, "tokens_fit", a.fit);
    }
    jw_end(j);
}

/* The types that were asked for, from `i` on; NULL behind the last. */
static const sf8_kv_type *next_type(const settings *o, size_t *i)
{
    const sf8_kv_type *t;
    while ((t = sf8_kv_type_at((*i)++)) != NULL && o->type && strcmp(o->type, t->name) != 0)
        continue;
    return t;
}

static void put_all(output *out, const settings *o)
{
    const sf8_kv_type *t;
    const sf8_kv_shape *s = &o->shape;
    json_writer j = {.put = output_put, .context = out};
    jw_begin(&j, NULL, '{');
    jw_unsigned(&j, "layers", s->layers);
    jw_unsigned(&j, "heads", s->heads);
    jw_unsigned(&j, "size", s->size);
    jw_unsigned(&j, "latent", s->latent);
    jw_unsigned(&j, "rope", s->rope);
    jw_unsigned(&j, "index", o->index);
    jw_begin(jw_space(&j, "\n "), "types", '[');
    for (size_t i = 0; (t = next_type(o, &i)) != NULL;) {
        put_type(jw_space(&j, "\n  "), o, t);
    }
    jw_end(&j);
    jw_end(&j);
}

static void print_all(output *out, const settings *o)
{
    const sf8_kv_type *t;
    text_table *table = table_of(o);
    for (size_t i = 0; (t = next_type(o, &i)) != NULL;)
        add_line(table, o, t);
    text_table_write(table, out);
}

static void check_options(const settings *o)
{
    const sf8_kv_shape *s = &o->shape;
    sf8_kv_type t;
    if (!s->layers)
        fail("--layers is missing: the number of layers");
    if (o->type && sf8_kv_type_named(&t, o->type) != SF8_OK) {
        const char *near = nearest_name(o->type, type_name_at);
        fail("no type '%s'%s%s%s", o->type, near ? "; did you mean '" : "", near ? near : "",
             near ? "'?" : "; without --type all types are listed");
    }
    if (o->type) {
        answer a = answer_of(o, &t);
        if (a.missing)
            fail("--type %s needs %s", o->type, a.missing);
        if (a.odd)
            fail("--type %s: %s", o->type, a.odd);
    }
    if (!s->heads != !s->size)
        fail(s->heads ? "--heads %u needs --size too" : "--size %u needs --heads too",
             (unsigned)(s->heads ? s->heads : s->size));
    if (!s->heads && !s->latent && !o->index && !o->type)
        fail("--heads and --size are needed, or --latent, or --index");
    if (s->rope && !s->latent)
        fail("--rope %u needs --latent too", (unsigned)s->rope);
}

static int run(int argc, char **argv)
{
    settings o;
    memset(&o, 0, sizeof o);
    options_read(&kv_bytes, argc, argv, &o);
    check_options(&o);
    output *out = output_open(o.path);
    if (o.json)
        put_all(out, &o);
    else
        print_all(out, &o);
    output_close(out);
    return STATUS_HELD;
}

const command kv_bytes = {
    .name = "kv bytes",
    .purpose = "Computes how many bytes a token takes in each type of KV cache.",
    .example = "  $ softfp8 kv bytes --layers 80 --heads 8 --size 128 --tokens 131072\n",
    .usage = "kv bytes --layers L --heads H --size S [options]\n"
             "kv bytes --layers L --latent N [--rope R] [options]",
    .about =
        "The bytes are those of one token in all layers, with its scales and offsets, compared "
        "with a bf16 cache. Scales of a whole tensor or head are not counted, as they do not grow "
        "with the number of tokens. Types of cache are left out if the options for their shape "
        "are not given.",
    .more = "  $ softfp8 kv bytes --layers 61 --latent 512 --rope 64 --index 128 --memory 80G\n",
    .options = options,
    .run = run,
};
