/* SPDX-License-Identifier: MIT */
/* sets.c -- which kernels support which layouts, by what recipe, and with which sets of tokens */
#include "families/kv/kv.h"

#include "softfp8/kv/kv.h"

#include <string.h>

const char *const kv_places[KV_PLACES] = {"nhd",    "hnd",    "x-packed", "columns",
                                          "page-k", "page-v", "ds-mla",   "indexer",
                                          "mla",    "token",  "token-hnd"};

/* ---- recipes --------------------------------------------------------------------------------- */

/* Divisions that do not saturate; readers that move bits and leave the scale to the products. */
#define KV_ROW(text, element, policy, value_of)                                                    \
    {                                                                                              \
        .name = text, element, policy, "", 0, "f32", "ocp-nosat", "", "g", "", "", "x s /",        \
        value_of, "g=given"                                                                        \
    }
static const struct {
    sf8_recipe_row row;
    int all_numbers; /* no code is NaN or infinite */
} more[] = {{KV_ROW("kv-nosat", "e4m3", "cuda-nosat", "e s *"), 0},
            {KV_ROW("kv-nosat-e5m2", "e5m2", "cuda-nosat", "e s *"), 0},
            {KV_ROW("kv-flashinfer", "e4m3", "cuda-satfinite", "e"), 1},
            {KV_ROW("kv-flashinfer-e5m2", "e5m2", "cuda-satfinite", "e"), 1}};

static int recipe_of(sf8_recipe *r, const char *name)
{
    for (size_t i = 0; i < sizeof more / sizeof more[0]; i++)
        if (strcmp(name, more[i].row.name) == 0) {
            int good = sf8_recipe_read(r, &more[i].row) == SF8_OK;
            if (good && more[i].all_numbers)
                r->element = sf8_kv_all_numbers(r->element);
            return good;
        }
    return sf8_recipe_named(r, name) == SF8_OK;
}

/* Returns 1 if the scale is computed from the elements. */
static int makes_scale(const sf8_recipe *r)
{
    for (int32_t i = 0; i < r->scale_of.count; i++) {
        uint32_t what = r->scale_of.term[i].word;
        if (r->scale_of.term[i].op == SF8_TERM_VARIABLE &&
            (what == SF8_VAR_amax || what == SF8_VAR_low || what == SF8_VAR_high))
            return 1;
    }
    return 0;
}

static int is_copy(const gpu_kv_kernel *kernel)
{
    return kernel->tensor == NULL;
}

int kv_subject_of(kv_subject *s, const gpu_kv_kernel *kernel, kv_place place)
{
    memset(s, 0, sizeof *s);
    s->kernel = kernel;
    s->place = place;
    s->copies = is_copy(kernel);
    if (s->copies) {
        s->given = 1;
        s->words = kernel->bits == 8 ? SF8_E4M3 : kernel->bits == 16 ? SF8_BF16 : SF8_F32;
        return 1;
    }
    s->words = sf8_format_named(kernel->tensor, NULL);
    if (!recipe_of(&s->recipe, kernel->recipe))
        return 0;
    s->given = !makes_scale(&s->recipe);
    s->group = (size_t)s->recipe.block;
    return (int)sf8_recipe_bits(&s->recipe) == kernel->bits;
}

/* 128 elements with one scale: those of MLA, of its indexer, and others like the rest. */
static int takes_128(const gpu_kv_kernel *kernel, kv_place place)
{
    int wide = strcmp(kernel->tensor, "f32") == 0;
    if (strncmp(kernel->recipe, "kv-vllm-indexer", 15) == 0)
        return place == KV_INDEXER;
    if (strcmp(kernel->recipe, "kv-vllm-ds-mla") == 0)
        return (place == KV_DS_MLA && !wide) || (place == KV_INDEXER && kernel->back);
    return place == KV_NHD || place == KV_HND;
}

int kv_takes(const gpu_kv_kernel *kernel, kv_place place)
{
    kv_subject s;
    if (!kv_subject_of(&s, kernel, place))
        return place == KV_NHD; /* a case that says so in its name */
    if (s.given)
        return place <= KV_COLUMNS || place == KV_MLA;
    if (s.group == 128)
        return takes_128(kernel, place);
    if (s.group == 16)
        return place == KV_PAGE_K || place == KV_PAGE_V;
    if (s.group == 0 && (place == KV_TOKEN || place == KV_TOKEN_HND))
        return 1;
    return place == KV_NHD || place == KV_HND;
}

size_t kv_width(const kv_subject *s)
{
    return (size_t)sf8_format_bits(s->words) / 8;
}

/* ---- sets ------------------------------------------------------------------------------------ */

/* Given scales, as bits: ordinary ones; some that saturate, underflow, or divide by zero; a
 * negative one; one that makes a tie of e4m3; NaN. */
static const uint32_t given_scales[] = {
    0x3f800000, 0x3b1db6db, 0x3d4ccccd, 0x3c23d70a, 0x40490fdb, 0x4b000000, 0x2b8cbccc, 0xc0200000,
    0x00400000, 0x00000001, 0x00000000, 0x7e967699, 0x7f7fffff, 0x7f800000, 0x7fc00000, 0x3e924925,
};
enum { GIVEN_SCALES = sizeof given_scales / sizeof given_scales[0] };

static const struct {
    size_t tokens, blocks, slots, heads, dim, pad, skew, image_skew;
    int by_head;
    kv_words_lie lie;
} shapes[] = {
    {1, 1, 1, 1, 1, 0, 0, 0, 0, KV_DENSE},
    {7, 3, 16, 5, 13, 0, 0, 0, 0, KV_DENSE},
    {30, 3, 16, 3, 128, 0, 1, 4, 0, KV_DENSE},
    {17, 5, 7, 2, 96, 0, 3, 1, 1, KV_DENSE},
    {40, 2, 32, 8, 64, 16, 0, 0, 1, KV_DENSE},
    {9, 2, 16, 1, 576, 0, 0, 8, 0, KV_DENSE},
    {12, 4, 8, 4, 256, 4, 0, 0, 1, KV_DENSE},
    {5, 2, 128, 2, 190, 1, 1, 0, 1, KV_DENSE},
    {33, 4, 16, 8, 128, 0, 0, 0, 1, KV_DENSE},
    {19, 2, 16, 4, 128, 0, 0, 0, 1, KV_FUSED},
    {8, 3, 8, 3, 72, 0, 1, 0, 0, KV_FUSED},
    {11, 2, 16, 5, 80, 8, 0, 2, 0, KV_APART},
    {14, 2, 16, 2, 64, 0, 0, 0, 1, KV_BESIDE},
    {21, 2, 64, 3, 192, 0, 2, 0, 0, KV_BY_HEAD},
    /* each byte of a token, by chunks of 16 bytes just below, at and above 512, 640 and 1024 */
    {2, 1, 4, 511, 16, 0, 0, 0, 0, KV_DENSE},
    {2, 1, 4, 512, 16, 0, 0, 0, 0, KV_DENSE},
    {2, 1, 4, 513, 16, 0, 0, 0, 0, KV_DENSE},
    {2, 1, 4, 40, 256, 0, 0, 0, 0, KV_DENSE},
    {2, 1, 4, 64, 256, 0, 0, 0, 0, KV_DENSE},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0], WHOLE = 14, SPECIALS = 9, HEADS = 8 };

static size_t up_to(size_t n, size_t unit)
{
    return (n + unit - 1) / unit * unit;
}

/* Changes the set so that the layout supports it. */
static void fit(const kv_subject *s, kv_set *set)
{
    int mla = s->place == KV_MLA, tokens = s->place == KV_TOKEN || s->place == KV_TOKEN_HND;
    int page = s->place == KV_PAGE_K || s->place == KV_PAGE_V;
    size_t unit = s->kernel->bits == 4 ? 2 : 1;
    if (s->place == KV_XPACKED)
        unit = 128 / (size_t)s->kernel->bits;
    if (mla)
        unit = 16;
    if (!s->given && s->group)
        unit = s->group;
    if (s->place == KV_PAGE_V) {
        unit = 4 * s->group;
        set->slots = up_to(set->slots, 4);
    }
    if (s->place == KV_INDEXER || s->place == KV_DS_MLA || mla) {
        set->dim = up_to(set->heads * set->dim, unit);
        set->heads = 1;
    }
    set->second = mla ? 64 : 0;
    set->dim = s->place == KV_DS_MLA ? 512 : up_to(set->dim, unit) + set->second;
    if (s->place == KV_DS_MLA || s->place == KV_INDEXER || page)
        set->pad = 0;
    set->by_head = set->by_head && set->heads > 1 && !tokens;
}

/* A special value is once at each position of the first 128 of a row. */
static void directed(const kv_subject *s, kv_set *set)
{
    size_t rows, places;
    set->data = KV_DIRECTED;
    set->heads = HEADS;
    set->dim = s->given ? 64 : 128;
    set->slots = 16;
    fit(s, set);
    places = set->dim < 128 ? set->dim : 128;
    rows = places * SPECIALS;
    set->tokens = rows / set->heads;
    set->blocks = set->tokens / set->slots + 1;
}

/* Rows whose scales are powers of two, and next to them. */
static void steps(const kv_subject *s, kv_set *set)
{
    set->data = KV_STEPS;
    set->heads = s->place == KV_INDEXER || s->place == KV_DS_MLA ? 1 : HEADS;
    set->dim = 128;
    set->slots = 16;
    fit(s, set);
    set->tokens = set->heads == 1 ? 256 : 32;
    set->blocks = set->tokens / set->slots + 1;
}

static void all_words(const kv_subject *s, kv_set *set)
{
    set->data = KV_WORDS;
    set->heads = HEADS;
    set->dim = 128;
    set->slots = 16;
    fit(s, set);
    set->tokens = s->kernel->back ? 16 : (1 << 16) / (set->heads * (set->dim - set->second));
    set->blocks = set->tokens / set->slots + 2;
}

/* Kernels of bf16 that divide, and kernels that multiply by the reciprocal: the results differ. */
static int tells_divided(const kv_subject *s)
{
    return s->words.exp_bits == 8 && s->words.man_bits == 7 && !s->kernel->back && !s->copies &&
           (strcmp(s->kernel->recipe, "kv-vllm") == 0 ||
            strcmp(s->kernel->recipe, "kv-vllm-scaled") == 0);
}

/* Scales that distinguish recipes from each other: with a power of two they all agree. */
static const float matrix_scales[] = {0.025f,  0.1f,    0.3f, 1.0f / 3.0f,
                                      0.0123f, 0.7071f, 1.0f, 0.5f};
enum { MATRIX = sizeof matrix_scales / sizeof matrix_scales[0] };

size_t kv_word_sets(const kv_subject *s, conform_tier tier, int emulated)
{
    int g_matters = s->given ? s->place == KV_NHD : s->recipe.has_g != SF8_G_NONE;
    if (!g_matters || s->copies)
        return 1;
    if (tier == TIER_QUICK && emulated)
        return KV_WORDS_LEAST;
    if (tells_divided(s))
        return KV_WORDS_LEAST + MATRIX + KV_WORDS_SCALES;
    return tier == TIER_QUICK ? KV_WORDS_LEAST + MATRIX : 200;
}

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* After the sets that there always are, the matrix; then scales as they are computed in practice, a
 * largest magnitude of bf16, from 1 to below 4, divided by 448 and 200; or any scales. */
static uint32_t scale_of_words(const kv_subject *s, size_t i)
{
    float amax;
    uint32_t bits;
    if (i < KV_WORDS_LEAST)
        return given_scales[i];
    i -= KV_WORDS_LEAST;
    if (i < MATRIX)
        return bits_of(matrix_scales[i]);
    i -= MATRIX;
    if (!tells_divided(s))
        return i < GIVEN_SCALES ? given_scales[i]
                                : 0x38000000 + (uint32_t)(i * 0x9e3779b9u >> 5) % 0x10000000;
    bits = (uint32_t)(0x3f80 + i % 256) << 16;
    memcpy(&amax, &bits, sizeof amax);
    return bits_of(amax / (i < 256 ? 448.0f : 200.0f));
}

int kv_set_at(const kv_subject *s, size_t word_sets, size_t i, kv_set *set)
{
    memset(set, 0, sizeof *set);
    set->seed = i + 1;
    set->g = given_scales[i % GIVEN_SCALES];
    set->canary = i % 2 ? 0x5a : 0xa5;
    if (i < SHAPES) {
        set->tokens = shapes[i].tokens;
        set->blocks = shapes[i].blocks;
        set->slots = shapes[i].slots;
        set->heads = shapes[i].heads;
        set->dim = shapes[i].dim;
        set->pad = shapes[i].pad;
        set->skew = shapes[i].skew;
        set->image_skew = shapes[i].image_skew;
        set->by_head = shapes[i].by_head;
        set->lie = shapes[i].lie;
        fit(s, set);
        if (i >= WHOLE)
            set->g = 0x3d4ccccd;
        return 1;
    }
    i -= SHAPES;
    if (i < 2) {
        set->g = 0x3f800000;
        if (i == 0)
            directed(s, set);
        else
            steps(s, set);
        return 1;
    }
    i -= 2;
    set->g = scale_of_words(s, i);
    all_words(s, set);
    set->extra = i >= kv_word_sets(s, TIER_QUICK, 1);
    return i < word_sets;
}

void kv_set_again(const kv_subject *s, size_t tokens, kv_set *set)
{
    memset(set, 0, sizeof *set);
    set->tokens = tokens;
    set->slots = 16;
    set->blocks = tokens / 16 + 1;
    set->heads = 3;
    set->dim = 128;
    set->skew = 1;
    set->image_skew = 4;
    set->g = 0x3d4ccccd;
    set->canary = 0xa5;
    set->seed = 4712;
    set->extra = 1;
    fit(s, set);
}

/* Four fifths of the tokens have a slot. */
void kv_set_timed(const kv_subject *s, size_t tokens, kv_set *set)
{
    kv_set_again(s, tokens, set);
    set->heads = s->place == KV_DS_MLA || s->place == KV_INDEXER || s->place == KV_MLA ? 1 : 8;
    set->dim = s->place == KV_DS_MLA || s->place == KV_MLA ? 512 : 128;
    set->skew = set->image_skew = 0;
    set->timed = 1;
    fit(s, set);
}
