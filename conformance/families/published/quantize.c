/* SPDX-License-Identifier: MIT */
/* quantize.c -- by=quantize: digests of a quantized matrix, which recipes have to give
 *
 *     case nvfp4-1 by=quantize recipes=nvfp4-vllm,nvfp4-te height=128 width=64 g=1 \
 *         layout=128x4 codes=HEX scales=HEX          (in one line)
 *
 * The matrix is bf16. Block i, of 16 elements and counted row by row, is 0 1 2 3 4 5 6 7 0 9 10 11
 * 12 13 14 15, read as codes of e2m1, times the value of the code i mod 127 of e4m3, divided by g.
 * If that code is 0, so are the elements. `codes` and `scales` are the SHA-256 of the packed codes,
 * and of the scales in their layout. `g` is what multiplies the scales.
 */
#include "families/published/published.h"
#include "softfp8/sha256.h"
#include "softfp8_blocks.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 16, SIDE_MOST = 4096, RECIPES_MOST = 8, LAST_SCALE = 0x7f };

typedef struct quantized {
    sf8_recipe recipe[RECIPES_MOST];
    char name[RECIPES_MOST][PUBLISHED_NAME];
    size_t recipes, height, width;
    float g;
    sf8_layout layout;
    const char *codes, *scales;
} quantized;

/* ---- reading --------------------------------------------------------------------------------- */

static int read_recipes(const published_item *item, quantized *q, const char *names,
                        char why[CONFORM_LONG])
{
    while (*names) {
        size_t n = strcspn(names, ",");
        if (q->recipes == RECIPES_MOST)
            return published_wrong(item, 0, why, "recipes: more than %d", RECIPES_MOST);
        char *name = q->name[q->recipes];
        snprintf(name, PUBLISHED_NAME, "%.*s", (int)n, names);
        if (sf8_recipe_named(&q->recipe[q->recipes++], name) != SF8_OK)
            return published_wrong(item, 0, why, "recipes: no recipe %s", name);
        names += n + (names[n] == ',');
    }
    return 1;
}

static int read_g(published_item *item, quantized *q, char why[CONFORM_LONG])
{
    static const struct {
        const char *text;
        float g;
    } known[] = {{"0.5", 0.5f}, {"1", 1}, {"2", 2}};
    const char *text = published_need(item, "g", why);
    for (size_t i = 0; text && i < sizeof known / sizeof known[0]; i++)
        if (strcmp(known[i].text, text) == 0)
            q->g = known[i].g;
    return !text      ? 0
           : q->g > 0 ? 1
                      : published_wrong(item, 0, why, "g=%.40s: expected 0.5, 1 or 2", text);
}

static int open_quantized(published_item *item, char why[CONFORM_LONG])
{
    quantized *q = calloc(1, sizeof *q);
    const char *recipes = published_need(item, "recipes", why);
    const char *layout = recipes ? published_need(item, "layout", why) : NULL;
    sf8_status status;
    item->data = q;
    if (!q || !layout || !read_recipes(item, q, recipes, why) || !read_g(item, q, why))
        return 0;
    q->layout = sf8_layout_named(layout, &status);
    if (status != SF8_OK)
        return published_wrong(item, 0, why, "layout=%.40s: expected a layout of scales", layout);
    q->height = (size_t)published_number(item, "height", SIDE_MOST, why);
    q->width = q->height ? (size_t)published_number(item, "width", SIDE_MOST, why) : 0;
    if (q->width % BLOCK)
        return published_wrong(item, 0, why, "width=%zu: expected a multiple of 16", q->width);
    q->codes = q->width ? published_need(item, "codes", why) : NULL;
    q->scales = q->codes ? published_need(item, "scales", why) : NULL;
    return q->scales != NULL;
}

/* ---- running --------------------------------------------------------------------------------- */

/* An element in f32, by the rule above; all steps are exact. */
static uint64_t element_of(const quantized *q, size_t i)
{
    uint64_t scale_code = i / BLOCK % LAST_SCALE;
    uint64_t code = i % BLOCK == 8 || scale_code == 0 ? 0 : i % BLOCK;
    uint64_t x = sf8_convert(SF8_F32, SF8_E2M1, code, SF8_OCP);
    uint64_t scale = sf8_convert(SF8_F32, SF8_E4M3, scale_code, SF8_OCP);
    uint64_t g = sf8_convert(SF8_F32, SF8_E4M3, sf8_f32_to_e4m3(q->g, SF8_OCP), SF8_OCP);
    x = sf8_mul(SF8_F32, x, scale, SF8_OCP).code;
    return sf8_div(SF8_F32, x, g, SF8_OCP).code;
}

static uint16_t *matrix_of(const quantized *q)
{
    uint16_t *matrix = calloc(q->height * q->width, sizeof matrix[0]);
    for (size_t i = 0; matrix && i < q->height * q->width; i++)
        matrix[i] = (uint16_t)sf8_convert(SF8_BF16, SF8_F32, element_of(q, i), SF8_OCP_NOSAT);
    return matrix;
}

static void digest_of(char digest[65], const uint8_t *bytes, size_t size)
{
    sf8_sha256 hash;
    sf8_sha256_begin(&hash);
    sf8_sha256_add(&hash, bytes, size);
    sf8_sha256_end(&hash, digest);
}

static void compare(const char *recipe, const char *what, const char *digest, const char *right,
                    conform_result *result)
{
    if (strcmp(digest, right) == 0)
        return;
    result->status = CONFORM_FAILED;
    if (result->differ++ == 0)
        snprintf(result->why, sizeof result->why,
                 "at least one element differs: the digest of the %s of %s is %s, published was %s",
                 what, recipe, digest, right);
}

static void run_recipe(const quantized *q, size_t i, const uint16_t *matrix, uint8_t *bytes,
                       conform_result *result)
{
    size_t blocks = q->width / BLOCK, packed = q->height * q->width / 2, places;
    uint8_t *scales = bytes + packed, *placed = scales + q->height * blocks;
    char digest[65];
    if (sf8_quantize_packed_n(&q->recipe[i], bytes, scales, SF8_BF16, matrix, q->height, q->width,
                              q->g) != SF8_OK ||
        sf8_layout_places(q->layout, q->height, blocks, &places) != SF8_OK ||
        sf8_layout_store_n(q->layout, placed, scales, q->height, blocks) != SF8_OK) {
        result->status = CONFORM_BROKEN;
        snprintf(result->why, sizeof result->why, "%s does not quantize the matrix", q->name[i]);
        return;
    }
    digest_of(digest, bytes, packed);
    compare(q->name[i], "codes", digest, q->codes, result);
    digest_of(digest, placed, places);
    compare(q->name[i], "scales", digest, q->scales, result);
}

static void run_quantized(const published_item *item, conform_result *result)
{
    const quantized *q = item->data;
    size_t places = 0, cells = q->height * q->width;
    uint16_t *matrix = matrix_of(q);
    sf8_layout_places(q->layout, q->height, q->width / BLOCK, &places);
    uint8_t *bytes = calloc(cells + places, 1);
    result->inputs = cells;
    for (size_t i = 0; matrix && bytes && i < q->recipes; i++)
        run_recipe(q, i, matrix, bytes, result);
    if (!matrix || !bytes) {
        result->status = CONFORM_BROKEN;
        snprintf(result->why, sizeof result->why, "not enough memory");
    }
    free(matrix);
    free(bytes);
}

const published_kind published_quantize = {"quantize", "recipes", 0, open_quantized, run_quantized, free};
