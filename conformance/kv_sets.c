/* SPDX-License-Identifier: MIT */
/* kv_sets.c -- which kernels take which layouts, by what recipe, and with which sets of tokens */
#include "kv.h"

#include <string.h>

const char *const kv_places[KV_PLACES] = {"nhd",    "hnd",    "x-packed", "columns",
                                          "page-k", "page-v", "ds-mla",   "indexer"};

/* ---- recipes --------------------------------------------------------------------------------- */

/* What no stack has as such: a quotient that does not saturate. */
static const sf8_recipe_row nosat = {"kv-nosat",  "e4m3",    "cuda-nosat", "", 0,  "f32",
                                     "ocp-nosat", "",        "g",          "", "", "x s /",
                                     "e s *",     "g=given", "test",       ""};

static int recipe_of(sf8_recipe *r, const char *name)
{
    if (strcmp(name, nosat.name) == 0)
        return sf8_recipe_read(r, &nosat) == SF8_OK;
    return sf8_recipe_named(r, name) == SF8_OK;
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
    s->given = sf8_recipe_scale_given(&s->recipe);
    s->group = (size_t)s->recipe.block;
    return (int)sf8_recipe_bits(&s->recipe) == kernel->bits;
}

int kv_takes(const gpu_kv_kernel *kernel, kv_place place)
{
    kv_subject s;
    int wide = kernel->tensor && strcmp(kernel->tensor, "f32") == 0;
    if (!kv_subject_of(&s, kernel, place))
        return place == KV_NHD; /* a case that says so */
    if (s.given)
        return place <= KV_COLUMNS;
    if (s.group == 128 && place == KV_INDEXER)
        return kernel->back || strcmp(kernel->recipe, "kv-vllm-indexer") == 0;
    if (s.group == 128)
        return place == KV_DS_MLA && !wide && strcmp(kernel->recipe, "kv-vllm-indexer") != 0;
    if (s.group == 16)
        return place == KV_PAGE_K || place == KV_PAGE_V;
    return place == KV_NHD || place == KV_HND;
}

size_t kv_width(const kv_subject *s)
{
    return (size_t)sf8_format_bits(s->words) / 8;
}

/* ---- sets ------------------------------------------------------------------------------------ */

/* Scales that are given, as bits: ordinary ones; what saturates, underflows, divides by zero; a
 * negative; a tie of e4m3 for what made it; no number. */
static const uint32_t given_scales[] = {
    0x3f800000, 0x3b1db6db, 0x3d4ccccd, 0x3c23d70a, 0x40490fdb, 0x4b000000, 0x2b8cbccc, 0xc0200000,
    0x00400000, 0x00000001, 0x00000000, 0x7e967699, 0x7f7fffff, 0x7f800000, 0x7fc00000, 0x3e924925,
};
enum { GIVEN_SCALES = sizeof given_scales / sizeof given_scales[0] };

static const struct {
    size_t tokens, blocks, slots, heads, dim, pad, skew, image_skew;
    int by_head;
} shapes[] = {
    {1, 1, 1, 1, 1, 0, 0, 0, 0},
    {7, 3, 16, 5, 13, 0, 0, 0, 0},
    {30, 3, 16, 3, 128, 0, 1, 4, 0},
    {17, 5, 7, 2, 96, 0, 3, 1, 1},
    {40, 2, 32, 8, 64, 16, 0, 0, 1},
    {9, 2, 16, 1, 576, 0, 0, 8, 0},
    {12, 4, 8, 4, 256, 4, 0, 0, 1},
    {5, 2, 128, 2, 190, 1, 1, 0, 1},
    {33, 4, 16, 8, 128, 0, 0, 0, 1},
    /* each byte of a token, by chunks of 16 bytes just below, at and above 512, and 640 */
    {2, 1, 4, 511, 16, 0, 0, 0, 0},
    {2, 1, 4, 512, 16, 0, 0, 0, 0},
    {2, 1, 4, 513, 16, 0, 0, 0, 0},
    {2, 1, 4, 40, 256, 0, 0, 0, 0},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0], WHOLE = 9, SPECIALS = 9, HEADS = 8 };

static size_t up_to(size_t n, size_t unit)
{
    return (n + unit - 1) / unit * unit;
}

/* Makes the set one that the layout takes. */
static void fit(const kv_subject *s, kv_set *set)
{
    size_t unit = s->kernel->bits == 4 ? 2 : 1;
    if (s->place == KV_XPACKED)
        unit = 128 / (size_t)s->kernel->bits;
    if (!s->given && s->group)
        unit = s->group;
    if (s->place == KV_PAGE_V) {
        unit = 4 * s->group;
        set->slots = up_to(set->slots, 4);
    }
    if (s->place == KV_INDEXER || s->place == KV_DS_MLA) {
        set->dim = up_to(set->heads * set->dim, unit);
        set->heads = 1;
    }
    set->dim = s->place == KV_DS_MLA ? 512 : up_to(set->dim, unit);
    if (s->place == KV_DS_MLA || s->place >= KV_PAGE_K)
        set->pad = 0;
    set->by_head = set->by_head && set->heads > 1;
}

/* What is special is once in each place of the first 128 of a row. */
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

static void all_words(const kv_subject *s, kv_set *set)
{
    set->data = KV_WORDS;
    set->heads = HEADS;
    set->dim = 128;
    set->slots = 16;
    fit(s, set);
    set->tokens = s->kernel->back ? 16 : (1 << 16) / (set->heads * set->dim);
    set->blocks = set->tokens / set->slots + 2;
}

int kv_set_at(const kv_subject *s, conform_tier tier, size_t i, kv_set *set)
{
    size_t many = tier == TIER_QUICK ? 2 : 200;
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
        fit(s, set);
        if (i >= WHOLE)
            set->g = 0x3d4ccccd;
        return 1;
    }
    i -= SHAPES;
    if (i == 0) {
        set->g = 0x3f800000;
        directed(s, set);
        return 1;
    }
    i--;
    set->g = i < GIVEN_SCALES ? given_scales[i]
                              : 0x38000000 + (uint32_t)(i * 0x9e3779b9u >> 5) % 0x10000000;
    all_words(s, set);
    set->extra = i >= 2;
    return i < (s->place == KV_NHD || s->place >= KV_PAGE_K ? many : 1);
}
