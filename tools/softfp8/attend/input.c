/* SPDX-License-Identifier: MIT */
/* input.c -- a request of attention out of files: tensors, stored as a recipe says */
#include "attend/attend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 16 };

/* ---- files ----------------------------------------------------------------------------------- */

/* A tensor [tokens][heads][dim]; *heads is what its file says, or 0. */
static tensor read_tensor(const char *path, const char *from, tensor_shape shape, size_t *heads)
{
    size_t size;
    npy_head head;
    input_error error;
    char *bytes = input_whole(path, &size, SIZE_MAX / 4);
    tensor t = tensor_of_bytes(path, bytes, size, from, shape);
    *heads = npy_is(bytes, size) && npy_head_read(bytes, size, &head, &error) &&
                     head.dimensions == 3
                 ? head.inner
                 : 0;
    free(bytes);
    return t;
}

/* The heads that the option gives, or those of the file; returns the tokens of the tensor. */
static size_t settle_heads(const char *path, const char *option, size_t given, size_t *heads,
                           const tensor *t)
{
    if (given && *heads && given != *heads)
        fail_at(input_name(path), 0, "the file has %zu heads, but %s is %zu", *heads, option,
                given);
    if (given)
        *heads = given;
    if (!*heads)
        fail_at(input_name(path), 0,
                "unknown number of heads; expected a .npy file of three dimensions, or %s", option);
    if (t->shape.rows % *heads != 0)
        fail_at(input_name(path), 0, "%zu rows cannot be divided into tokens of %zu heads",
                t->shape.rows, *heads);
    return t->shape.rows / *heads;
}

/* ---- caches ---------------------------------------------------------------------------------- */

static uint32_t amax_of(const tensor *t)
{
    uint32_t amax = 0;
    for (size_t i = 0; i < t->shape.rows * t->shape.columns; i++) {
        uint32_t magnitude = tensor_f32(t, i) & 0x7fffffff;
        amax = magnitude <= 0x7f800000 && magnitude > amax ? magnitude : amax;
    }
    return amax;
}

static sf8_kv_layout layout_for(const attend_request *r, const attend_side *s, int stored)
{
    size_t blocks = (r->keys + SLOTS - 1) / SLOTS;
    uint32_t bits = stored ? sf8_recipe_bits(&s->recipe) : (uint32_t)sf8_format_bits(s->t.format);
    sf8_kv_layout l = sf8_kv_nhd(blocks, SLOTS, r->kv_heads, s->dim, bits);
    if (stored && !sf8_recipe_scale_given(&s->recipe))
        l = sf8_kv_with_scales(l, s->recipe.block ? (uint64_t)s->recipe.block : s->dim,
                               (uint32_t)sf8_format_bits(s->recipe.scale), 0);
    return l;
}

/* The global scale: given, or by the largest magnitude. As the store takes it, and as a factor. */
static float global_scale(attend_side *s, const sf8_recipe_row *row, const char *option,
                          const char *text)
{
    uint32_t g = 0x3f800000;
    if (s->recipe.has_g == SF8_G_NONE) {
        if (text)
            fail("--%s: %s has no global scale", option, row->name);
    } else if (text) {
        g = attend_number(option, text);
        if (g == 0 || g >> 31)
            fail("--%s %s: expected a number above 0", option, text);
    } else {
        g = recipe_g_auto(row, amax_of(&s->t));
        if (g == 0)
            fail("--%s is missing: the largest magnitude of the tensor gives no scale", option);
    }
    s->scale = sf8_attend_cache_scale(&s->recipe, g);
    return sf8_f32_from_bits(g);
}

static void refuse(const char *what, sf8_kv_error error)
{
    fail("%s: %s", what, sf8_kv_reason(error.reason));
}

static int has_tiles(const sf8_recipe *recipe)
{
    return recipe->rows > 1;
}

/* Images have no place for an offset that is a word of its own, as KIVI's and KVQuant's is, nor for
 * elements of 2 and 6 bits. Tokens are stored in them one by one, so there are no tiles of several
 * tokens, no choice between two scales and no halves of blocks. */
static int has_image(const sf8_recipe *recipe)
{
    uint32_t bits = sf8_recipe_bits(recipe);
    return recipe->offset_at != SF8_OFFSET_WORD && (bits == 4 || bits == 8 || bits == 16) &&
           !has_tiles(recipe) && recipe->second_of.count == 0 &&
           recipe->nibbles == SF8_NIBBLES_NEXT;
}

/* A group of KIVI's keys is of one channel, token after token; all other groups lie in a token. */
static int groups_tokens(const attend_request *r, const attend_side *s, const sf8_recipe_row *row)
{
    return s == &r->k && strncmp(row->name, "kivi-", 5) == 0;
}

/* Stores a tensor as blocks, and takes what is read back, as words of f32, in its place. Tiles are
 * of the matrix whose rows are tokens with all their heads. */
static void store_beside(const attend_request *r, attend_side *s, const sf8_recipe_row *row,
                         float g)
{
    int down = groups_tokens(r, s, row),
        whole = down || s->recipe.per == SF8_PER_TOKEN || has_tiles(&s->recipe);
    size_t columns = whole ? r->kv_heads * s->dim : s->dim;
    size_t rows = r->keys * r->kv_heads * s->dim / columns, n = rows * columns;
    size_t blocks = down ? sf8_recipe_blocks(&s->recipe, rows) * columns
                         : sf8_recipe_blocks(&s->recipe, columns) * rows;
    uint8_t *codes = allocate(n + 1, 1);
    uint32_t *scales = allocate(blocks + 1, sizeof *scales);
    uint32_t *offsets = allocate(blocks + 1, sizeof *offsets);
    uint32_t *words = allocate(n + 1, sizeof *words);
    sf8_status status;
    if (down) {
        status = sf8_quantize_columns_n(&s->recipe, codes, scales, offsets, s->t.format, s->t.words,
                                        rows, columns, g);
        status |= sf8_dequantize_columns_n(&s->recipe, SF8_F32, words, codes, scales, offsets, rows,
                                           columns, g);
    } else {
        status = sf8_quantize_n(&s->recipe, codes, scales, offsets, s->t.format, s->t.words, rows,
                                columns, g);
        status |= sf8_dequantize_n(&s->recipe, SF8_F32, words, codes, scales, offsets, rows,
                                   columns, g);
    }
    if (status != SF8_OK)
        fail("--recipe %s: cannot store %zu rows of %zu", row->name, rows, columns);
    free(codes);
    free(scales);
    free(offsets);
    free(s->t.words);
    s->t.words = words;
    s->t.format = SF8_F32;
    s->t.format_name = "f32";
}

/* The tensor in another of the formats of tensors. */
static void take_format(tensor *t, const char *name)
{
    sf8_format to = format_of_name(name);
    size_t n = t->shape.rows * t->shape.columns;
    if (t->format_name && strcmp(name, t->format_name) == 0)
        return;
    void *words = allocate(n + 1, (size_t)sf8_format_bits(to) / 8);
    if (sf8_convert_n(to, words, t->format, t->words, n, SF8_OCP_NOSAT) != SF8_OK)
        fail("cannot store %s as %s", t->format_name, name);
    free(t->words);
    t->words = words;
    t->format = to;
    t->format_name = name;
}

/* How one side is stored: the row of a recipe, or NULL. */
static const sf8_recipe_row *recipe_for(const attend_options *o, attend_side *s, const char *own)
{
    const char *name = own ? own : o->recipe;
    for (size_t i = 0; own && tensor_formats[i]; i++)
        if (strcmp(own, tensor_formats[i]) == 0) {
            take_format(&s->t, own);
            return NULL;
        }
    return name ? recipe_of_name(name, &s->recipe) : NULL;
}

/* Tokens into the image, and back as floats. */
static void store_side(attend_request *r, attend_side *s, const attend_options *o, const char *what,
                       const char *scale)
{
    size_t count = r->keys * r->kv_heads * s->dim;
    s->given = allocate(count + 1, sizeof *s->given);
    for (size_t i = 0; i < count; i++)
        s->given[i] = sf8_f32_from_bits(tensor_f32(&s->t, i));
    const sf8_recipe_row *row = recipe_for(o, s, s == &r->k ? o->k_recipe : o->v_recipe);
    if (row && !has_image(&s->recipe)) {
        float second = global_scale(s, row, s == &r->k ? "k-scale" : "v-scale", scale);
        store_beside(r, s, row, second);
        row = NULL;
        scale = NULL;
    }
    sf8_kv_layout l = layout_for(r, s, row != NULL);
    sf8_attend_cache *cache = s == &r->k ? &r->a.k : &r->a.v;
    size_t size = (size_t)sf8_kv_size(&l), scales = (size_t)sf8_kv_scales_size(&l);
    sf8_kv_error error;
    float g = 1;
    if (row)
        g = global_scale(s, row, s == &r->k ? "k-scale" : "v-scale", scale);
    else if (scale)
        fail("--%s needs a recipe", s == &r->k ? "k-scale" : "v-scale");
    if (sf8_kv_check(&l) != SF8_KV_GOOD)
        fail("%s: %s", what, sf8_kv_reason(sf8_kv_check(&l)));
    s->data = allocate(size + 1, 1);
    s->scales = allocate(scales + 1, 1);
    s->values = allocate(r->keys * r->kv_heads * s->dim + 1, sizeof *s->values);
    memset(s->data, 0, size);
    memset(s->scales, 0, scales);
    sf8_kv_image image = {l, s->data, size, s->scales, scales};
    sf8_kv_store store = {image,
                          row ? &s->recipe : NULL,
                          s->t.format,
                          {s->t.words, r->keys, s->dim, r->kv_heads * s->dim, s->dim},
                          {NULL, 0, 0, 0, 0},
                          row ? &g : NULL,
                          row ? 1 : 0};
    size_t seen_size = sf8_kv_seen_size(&l);
    int64_t *slot = allocate(r->keys + 1, sizeof *slot);
    uint8_t *seen = allocate(seen_size + 1, 1);
    for (size_t i = 0; i < r->keys; i++)
        slot[i] = (int64_t)i;
    sf8_kv_slots slots = {slot, r->keys,  SF8_KV_OUTSIDE_REFUSE, SF8_KV_TWICE_REFUSE,
                          seen, seen_size};
    if (sf8_kv_store_n(&store, 1, &slots, &error) != SF8_OK)
        refuse(what, error);
    sf8_kv_gather back = {image,
                          row ? &s->recipe : NULL,
                          row ? SF8_F32 : s->t.format,
                          {s->values, r->keys, s->dim, r->kv_heads * s->dim, s->dim},
                          {NULL, 0, 0, 0, 0},
                          row ? &g : NULL,
                          row ? 1 : 0};
    if (row && sf8_kv_gather_n(&back, 1, &slots, &error) != SF8_OK)
        refuse(what, error);
    for (size_t i = 0; !row && i < r->keys * r->kv_heads * s->dim; i++)
        s->values[i] = sf8_f32_from_bits(tensor_f32(&s->t, i));
    free(slot);
    free(seen);
    cache->image = image;
    cache->recipe = row ? &s->recipe : NULL;
    cache->words = s->t.format;
    cache->scale = row ? &s->scale : NULL;
    cache->scales = row ? 1 : 0;
}

/* ---- the request ----------------------------------------------------------------------------- */

static void read_tensors(attend_request *r, const attend_options *o)
{
    size_t heads, k_heads, v_heads, values;
    tensor_advice("--from", 0);
    if (output_is_standard(o->q) + output_is_standard(o->k) + output_is_standard(o->v) > 1)
        fail("only one tensor can come from standard input");
    r->q = read_tensor(o->q, o->from, o->q_shape, &heads);
    r->k.t = read_tensor(o->k, o->from, o->k_shape, &k_heads);
    r->v.t = read_tensor(o->v, o->from, o->k_shape, &v_heads);
    r->queries = settle_heads(o->q, "--heads", o->heads, &heads, &r->q);
    r->keys = settle_heads(o->k, "--kv-heads", o->kv_heads, &k_heads, &r->k.t);
    values = settle_heads(o->v, "--kv-heads", o->kv_heads, &v_heads, &r->v.t);
    r->heads = heads;
    r->kv_heads = k_heads;
    r->k.dim = r->k.t.shape.columns;
    r->v.dim = r->v.t.shape.columns;
    if (k_heads != v_heads || r->keys != values)
        fail("%s has %zu tokens of %zu heads, but %s has %zu of %zu", o->k, r->keys, k_heads, o->v,
             values, v_heads);
    if (heads % k_heads != 0)
        fail("%s has %zu heads; expected a multiple of those of %s, which has %zu", o->q, heads,
             o->k, k_heads);
    if (r->q.shape.columns != r->k.dim)
        fail("%s has %zu elements per head, but %s has %zu", o->q, r->q.shape.columns, o->k,
             r->k.dim);
}

static void read_sinks(attend_request *r, const attend_options *o)
{
    if (!o->sinks)
        return;
    r->sinks = tensor_read(o->sinks, NULL, (tensor_shape){0, 0});
    if (r->sinks.shape.rows * r->sinks.shape.columns != r->heads ||
        sf8_format_bits(r->sinks.format) != 32)
        fail_at(input_name(o->sinks), 0, "expected %zu f32 values, one for each head", r->heads);
    for (size_t i = 0; i < r->heads; i++)
        if (sf8_is_nan(SF8_F32, tensor_f32(&r->sinks, i)))
            fail_at(input_name(o->sinks), 0, "the sink of head %zu is NaN; expected a number", i);
    r->a.sinks = r->sinks.words;
}

/* The queries as they came. */
static void take_given_queries(attend_request *r)
{
    size_t words = r->queries * r->heads * r->k.dim;
    r->q_given = allocate(words + 1, sizeof *r->q_given);
    for (size_t i = 0; i < words; i++)
        r->q_given[i] = sf8_f32_from_bits(tensor_f32(&r->q, i));
}

/* The queries as floats, times their scales. */
static void take_queries_f32(attend_request *r)
{
    size_t words = r->queries * r->heads * r->k.dim, group = r->heads / r->kv_heads;
    r->queries_f32 = allocate(words + 1, sizeof *r->queries_f32);
    for (size_t i = 0; i < words; i++) {
        if (!r->q_scales) {
            r->queries_f32[i] = sf8_f32_from_bits(tensor_f32(&r->q, i));
            continue;
        }
        uint64_t code = ((const uint8_t *)r->q.words)[i];
        uint64_t word = sf8_convert(SF8_F32, SF8_E4M3, code, SF8_OCP_NOSAT);
        r->queries_f32[i] = sf8_f32_from_bits((uint32_t)word) *
                            sf8_f32_from_bits(r->q_scales[i / r->k.dim % r->heads / group]);
    }
}

/* 1 / sqrt(dim), rounded to f64 and then to f32. */
static uint32_t usual_scale(size_t dim)
{
    uint64_t wide = sf8_f64_bits(1 / sqrt((double)dim));
    return (uint32_t)sf8_convert(SF8_F32, SF8_F64, wide, SF8_OCP_NOSAT);
}

void attend_read(attend_request *r, const attend_options *o)
{
    memset(r, 0, sizeof *r);
    read_tensors(r, o);
    if (o->q_scale) {
        take_given_queries(r);
        attend_cast_queries(r, o->q_scale);
    }
    store_side(r, &r->k, o, o->k, o->k_scale);
    store_side(r, &r->v, o, o->v, o->v_scale);
    read_sinks(r, o);
    size_t blocks = (r->keys + SLOTS - 1) / SLOTS;
    r->blocks = allocate(blocks + 1, sizeof *r->blocks);
    for (size_t i = 0; i < blocks; i++)
        r->blocks[i] = (int64_t)i;
    r->a.blocks = r->blocks;
    r->a.block_count = blocks;
    r->a.sums = o->sums;
    r->a.scale = o->scale ? attend_number("score-scale", o->scale) : usual_scale(r->k.dim);
    r->a.cap = o->cap ? attend_number("cap", o->cap) : 0;
    if (r->a.cap >> 31)
        fail("--cap %s: expected a finite number of at least 0", o->cap);
    r->a.left = o->left;
    r->a.right = o->causal ? 0 : -1;
    r->a.first = o->first >= 0 ? o->first : (int64_t)r->keys - (int64_t)r->queries;
    if (r->a.first < 0)
        fail("%zu queries, but only %zu keys; give the position of the first query by --first",
             r->queries, r->keys);
    r->a.keys = r->keys;
    r->a.queries = r->queries;
    r->a.heads = r->heads;
    r->a.q_words = r->q.format;
    r->a.out_words = SF8_F32;
    r->a.lse_base2 = o->base2;
    r->a.q = (sf8_kv_words){r->q.words, r->queries, r->k.dim, r->heads * r->k.dim, r->k.dim};
    r->a.out = (sf8_kv_room){NULL, r->queries, r->v.dim, r->heads * r->v.dim, r->v.dim};
    r->a.q_scale = r->q_scales;
    r->a.q_scales = r->q_scales ? r->kv_heads : 0;
    take_queries_f32(r);
    uint32_t why = sf8_attend_check(&r->a);
    if (why != SF8_ATTEND_GOOD)
        fail("%s, %s: %s", o->q, o->k, sf8_attend_reason(why));
}

void attend_free(attend_request *r)
{
    tensor_free(&r->q);
    tensor_free(&r->k.t);
    tensor_free(&r->v.t);
    if (r->sinks.words)
        tensor_free(&r->sinks);
    free(r->k.data);
    free(r->k.scales);
    free(r->k.values);
    free(r->k.given);
    free(r->v.given);
    free(r->v.data);
    free(r->v.scales);
    free(r->v.values);
    free(r->blocks);
    free(r->q_scales);
    free(r->queries_f32);
    free(r->q_given);
}

/* ---- running --------------------------------------------------------------------------------- */

static uint32_t *room_for(const sf8_attend *a, size_t *words)
{
    *words = sf8_attend_room(a);
    if (*words == SIZE_MAX)
        fail("the request is too large for memory");
    return allocate(*words + 1, sizeof(uint32_t));
}

void attend_run(attend_request *r, sf8_attend_sums sums, uint32_t *out, uint32_t *lse)
{
    sf8_attend a = r->a;
    a.sums = sums;
    a.out.words = out;
    a.lse = lse;
    uint32_t why = sf8_attend_check(&a);
    if (why != SF8_ATTEND_GOOD)
        fail("%s: %s", sf8_attend_sums_name(sums), sf8_attend_reason(why));
    const char *wrong = attend_compute(&a, sums, out, lse);
    if (wrong)
        fail("%s", wrong);
}

void attend_run_parts(attend_request *r, size_t n, uint32_t *out, uint32_t *lse)
{
    size_t words, chunks = sf8_attend_chunks(&r->a), piece = sf8_attend_piece_words(&r->a);
    sf8_attend a = r->a;
    uint32_t *room = room_for(&a, &words);
    sf8_attend_parted *parts = allocate(n, sizeof *parts);
    uint32_t **pieces = allocate(n, sizeof *pieces);
    a.out.words = out;
    a.lse = lse;
    for (size_t i = 0; i < n; i++) {
        size_t first = i * chunks / n, last = (i + 1) * chunks / n;
        pieces[i] = allocate(sf8_attend_pieces(&a, first, last) * piece + 1, sizeof **pieces);
        sf8_attend_part(&a, first, last, pieces[i], room, words);
        parts[i] = (sf8_attend_parted){first, last, pieces[i]};
    }
    if (sf8_attend_joined(&a, parts, n, room, words) != SF8_OK)
        fail("%zu parts cannot be joined", n);
    for (size_t i = 0; i < n; i++)
        free(pieces[i]);
    free(pieces);
    free(parts);
    free(room);
}
