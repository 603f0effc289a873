/* SPDX-License-Identifier: MIT */
/* merges.c -- cases of merging two parts of attention by the rule of a stack; their tags
 *
 * A part has an output, and lse: the logarithm of the sum of its weights, in the base of the rule.
 */
#include "softfp8_f32.h"
#include "suite/input_sets.h"
#include "vectors/kinds.h"

#include <stdio.h>
#include <string.h>

enum { CHANNELS = 4, CHANNELS_MOST = 1024 };

static const char *open_merge(vector_group *g)
{
    sf8_status status;
    sf8_merge_named(g->head[0], &status);
    if (status != SF8_OK)
        return "one of the rules vllm, vllm-triton, flashinfer and fa3";
    group_field(g, "a", 32, 0, 0);
    group_field(g, "lse_a", 32, 1, 0);
    group_field(g, "b", 32, 0, 0);
    group_field(g, "lse_b", 32, 1, 0);
    group_field(g, "out", 32, 0, 1);
    group_field(g, "lse", 32, 1, 1);
    return NULL;
}

/* The two parts and what they give. */
typedef struct parts {
    uint32_t out[2][CHANNELS_MOST], lse[2], merged[CHANNELS_MOST];
    sf8_merged result;
    size_t channels;
} parts;

static void take(uint32_t *to, const vector_words *w)
{
    for (size_t i = 0; i < w->count; i++)
        to[i] = (uint32_t)w->word[i];
}

static const char *parts_of(const vector_group *g, vector_case *c, parts *p)
{
    const vector_words *a = case_field(g, c, "a"), *b = case_field(g, c, "b");
    if (a->count == 0 || a->count > CHANNELS_MOST || a->count != b->count)
        return "as many channels of a as of b, at most 1024";
    p->channels = a->count;
    take(p->out[0], a);
    take(p->out[1], b);
    take(&p->lse[0], case_field(g, c, "lse_a"));
    take(&p->lse[1], case_field(g, c, "lse_b"));
    return NULL;
}

/* Merges the parts; with `swap` the second one comes first. */
static void merge(const vector_group *g, parts *p, int fma, int swap)
{
    p->result = sf8_f32_merge_fused_n(sf8_merge_named(g->head[0], NULL),
                                      fma ? SF8_FUSE_SUM : SF8_FUSE_NONE, p->merged, p->out[swap],
                                      p->lse[swap], p->out[!swap], p->lse[!swap], p->channels);
}

static int has_fma(const vector_group *g)
{
    return strcmp(g->head[1], "false") != 0;
}

static const char *run_merge(const vector_group *g, vector_case *c)
{
    parts p;
    const char *expected = parts_of(g, c, &p);
    vector_words *out = case_field(g, c, "out"), *lse = case_field(g, c, "lse");
    if (expected)
        return expected;
    merge(g, &p, has_fma(g), 0);
    words_resize(out, p.channels);
    words_resize(lse, 1);
    for (size_t i = 0; i < p.channels; i++)
        out->word[i] = p.merged[i];
    lse->word[0] = p.result.lse;
    return NULL;
}

/* ---- tags ------------------------------------------------------------------------------------ */

static int is_same(const parts *p, const parts *other)
{
    return p->result.lse == other->result.lse &&
           memcmp(p->merged, other->merged, p->channels * sizeof p->merged[0]) == 0;
}

static vector_tags word_tags(uint64_t word)
{
    return tag_if(sf8_is_nan(SF8_F32, word) != 0, TAG_NAN) |
           tag_if(sf8_is_inf(SF8_F32, word) != 0, TAG_INFINITE) |
           tag_if(word == 0x80000000u, TAG_NEG_ZERO);
}

static vector_tags tags_of_merge(const vector_group *g, vector_case *c)
{
    parts p, unfused, swapped;
    parts_of(g, c, &p);
    unfused = swapped = p;
    merge(g, &p, has_fma(g), 0);
    merge(g, &unfused, !has_fma(g), 0);
    merge(g, &swapped, has_fma(g), 1);
    vector_tags tags = word_tags(p.lse[0]) | word_tags(p.lse[1]);
    int finite = !(tags >> TAG_NAN & 1) && !(tags >> TAG_INFINITE & 1);
    for (size_t i = 0; i < 2 * p.channels; i++)
        tags |= word_tags(p.out[i % 2][i / 2]);
    tags |= tag_if(p.lse[0] == 0xff800000u || p.lse[1] == 0xff800000u, TAG_EMPTY_PART) |
            tag_if(finite && (p.result.weight[0] == 0) != (p.result.weight[1] == 0),
                   TAG_WEIGHT_UNDERFLOW) |
            tag_if(finite && p.lse[0] == p.lse[1], TAG_EQUAL_LSE) |
            tag_if(!is_same(&p, &unfused), TAG_FUSED) |
            tag_if(!is_same(&p, &swapped), TAG_PART_ORDER);
    return tags ? tags : tag_if(1, TAG_PLAIN);
}

/* ---- inputs ---------------------------------------------------------------------------------- */

/* One, and numbers of about one; in every eighth case a zero, which is negative in both parts. */
static void put_part(vector_words *w, uint64_t *state, size_t i)
{
    words_resize(w, CHANNELS);
    for (size_t k = 0; k < CHANNELS; k++)
        w->word[k] = 0x3f000000 + (word_random(state) & 0x80ffffff);
    w->word[0] = 0x3f800000;
    if (i % 8 == 0)
        w->word[2] = 0x80000000u;
}

static int nth_merge(const vector_group *g, size_t i, vector_case *c, char name[CASE_NAME])
{
    /* 0, 1, -1, 10.3, 87.5, 104, -104, both infinities, NaN */
    static const uint32_t lse[] = {0,          0x3f800000, 0xbf800000, 0x4124cccd, 0x42af0000,
                                   0x42d00000, 0xc2d00000, 0xff800000, 0x7f800000, 0x7fc00000};
    enum { LSES = sizeof lse / sizeof lse[0] };
    uint64_t state = i;
    if (i >= (size_t)LSES * LSES)
        return 0;
    const uint32_t first = lse[i / LSES], second = lse[i % LSES];
    put_part(case_field(g, c, "a"), &state, i);
    put_part(case_field(g, c, "b"), &state, i);
    words_resize(case_field(g, c, "lse_a"), 1);
    words_resize(case_field(g, c, "lse_b"), 1);
    case_field(g, c, "lse_a")->word[0] = first;
    case_field(g, c, "lse_b")->word[0] = second;
    snprintf(name, CASE_NAME, "lse-%08x-%08x", (unsigned)first, (unsigned)second);
    return 1;
}

const vector_kind kind_merge = {
    .name = "merge",
    .head = {{"rule", 's', 0}, {"fma", 'b', 1}},
    .open = open_merge,
    .run = run_merge,
    .tags = tags_of_merge,
    .nth = nth_merge,
};
