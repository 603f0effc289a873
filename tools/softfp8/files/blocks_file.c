/* SPDX-License-Identifier: MIT */
/* blocks_file.c -- quantized matrices in files: one with a head, or codes, scales and offsets raw
 */
#include "files/blocks_file.h"
#include "softfp8/sha256.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const blocks_layouts[] = {
    [SF8_LAYOUT_LINEAR] = "linear",  [SF8_LAYOUT_128X4] = "128x4", [SF8_LAYOUT_8X4] = "8x4",
    [SF8_LAYOUT_4TOKEN] = "4-token", [SF8_LAYOUT_COUNT] = NULL,
};

/* ---- sizes ----------------------------------------------------------------------------------- */

/* Bytes of a word of scale or offset. */
static size_t word_size(sf8_format f)
{
    int bits = sf8_format_bits(f);
    return bits <= 8 ? 1 : bits <= 16 ? 2 : 4;
}

static size_t row_size(const blocks_head *h)
{
    return sf8_packed_size((int32_t)sf8_recipe_bits(&h->recipe), h->shape.columns);
}

int blocks_measure(blocks_head *h, const char **why)
{
    const size_t most = PTRDIFF_MAX / 4;
    size_t places;
    h->blocks = sf8_recipe_blocks(&h->recipe, h->shape.columns);
    h->scale_rows = sf8_recipe_scale_rows(&h->recipe, h->shape.rows);
    if (h->recipe.nibbles == SF8_NIBBLES_HALF && h->shape.columns % (size_t)h->recipe.block != 0) {
        *why = "a row has to be whole blocks, as their codes are packed by halves";
        return 0;
    }
    if (!sf8_layout_fits(h->layout, h->scale_rows, h->blocks)) {
        *why = "rows and scales in a row have to be multiples of 4";
        return 0;
    }
    size_t size = word_size(h->recipe.scale);
    if (!tensor_shape_good(h->shape.rows, h->shape.columns) ||
        sf8_layout_places(h->layout, h->scale_rows, h->blocks, &places) != SF8_OK ||
        places > most / size) {
        *why = "too large";
        return 0;
    }
    h->codes = h->shape.rows * row_size(h);
    h->scales = places * size;
    h->offsets = h->recipe.offset_at == SF8_OFFSET_WORD
                     ? h->scale_rows * h->blocks * word_size(h->recipe.offset)
                     : 0;
    return 1;
}

void blocks_allocate(blocks *b)
{
    size_t n = b->head.scale_rows * b->head.blocks;
    b->codes = allocate(b->head.shape.rows * b->head.shape.columns, 1);
    b->scales = allocate(n, sizeof b->scales[0]);
    b->offsets = allocate(n, sizeof b->offsets[0]);
}

void blocks_free(blocks *b)
{
    free(b->codes);
    free(b->scales);
    free(b->offsets);
}

/* ---- the head -------------------------------------------------------------------------------- */

typedef struct head_reader {
    const char *bytes, *at, *end;
    uint64_t line;
    char value[96]; /* of the line last read */
    input_error *error;
} head_reader;

#define wrong(r, ...) input_wrong((r)->error, (r)->line, __VA_ARGS__)

/* The next line, "key value", its value to r->value. */
static int next_line(head_reader *r, const char *key)
{
    size_t left = (size_t)(r->end - r->at), length = strlen(key);
    r->line++;
    const char *newline = memchr(r->at, '\n', left < 200 ? left : 200);
    if (!newline && left < 200)
        return wrong(r, "the header is cut off");
    if (!newline || (size_t)(newline - r->at) < length || memcmp(r->at, key, length) != 0)
        return wrong(r, "expected '%s'", key);
    size_t size = (size_t)(newline - r->at) - length;
    if (size >= sizeof r->value || memchr(r->at + length, '\0', size))
        return wrong(r, "expected '%s' and a value", key);
    memcpy(r->value, r->at + length, size);
    r->value[size] = '\0';
    r->at = newline + 1;
    return 1;
}

static int next_number(head_reader *r, const char *key, size_t *n)
{
    if (!next_line(r, key))
        return 0;
    const char *c = r->value;
    return (size_read(&c, c + strlen(c), n) && *c == '\0') ||
           wrong(r, "'%s': expected a number", r->value);
}

/* Bytes of a part: they are what the rest of the head says. */
static int next_part(head_reader *r, const char *key, size_t expected)
{
    size_t n;
    if (!next_number(r, key, &n))
        return 0;
    return n == expected || wrong(r, "%s%zu: expected %zu bytes", key, n, expected);
}

static int read_recipe(head_reader *r, blocks_head *h)
{
    if (!next_line(r, "recipe "))
        return 0;
    for (size_t i = 0; (h->row = sf8_recipe_at(i)) != NULL; i++) {
        if (strcmp(h->row->name, r->value) == 0)
            return sf8_recipe_read(&h->recipe, h->row) == SF8_OK ||
                   wrong(r, "this recipe cannot be read");
    }
    const char *near = nearest_name(r->value, recipe_name_at);
    return near ? wrong(r, "no recipe '%s'; did you mean '%s'?", r->value, near)
                : wrong(r, "no recipe '%s'", r->value);
}

static int read_from(head_reader *r, blocks_head *h)
{
    if (!next_line(r, "from "))
        return 0;
    for (size_t i = 0; tensor_formats[i]; i++) {
        if (strcmp(tensor_formats[i], r->value) == 0)
            h->from = tensor_formats[i];
    }
    return h->from || wrong(r, "'%s': expected f32, bf16 or f16", r->value);
}

static int read_g(head_reader *r, blocks_head *h)
{
    uint64_t g = 0;
    if (!next_line(r, "g "))
        return 0;
    if (strcmp(r->value, "none") == 0)
        return !h->recipe.has_g || wrong(r, "%s needs a global scale", h->row->name);
    if (strlen(r->value) != 8 || !hex_read(r->value, 8, &g))
        return wrong(r, "'%s': expected 8 hexadecimal digits or 'none'", r->value);
    if (!h->recipe.has_g)
        return wrong(r, "%s has no global scale", h->row->name);
    h->g = (uint32_t)g;
    return !sf8_f32_is_nan(h->g) || wrong(r, "NaN cannot be a scale");
}

static int read_layout(head_reader *r, blocks_head *h)
{
    sf8_status status;
    const char *why;
    if (!next_line(r, "layout "))
        return 0;
    h->layout = sf8_layout_named(r->value, &status);
    if (status != SF8_OK)
        return wrong(r, "unknown layout '%s'; expected linear, 128x4, 8x4 or 4-token", r->value);
    return blocks_measure(h, &why) || wrong(r, "%s: %s", r->value, why);
}

static int read_digest(head_reader *r, blocks_head *h)
{
    if (!next_line(r, "sha256 "))
        return 0;
    if (strlen(r->value) != 64 || strspn(r->value, hex_lower) != 64)
        return wrong(r, "expected 64 lower-case hexadecimal digits");
    memcpy(h->sha256, r->value, sizeof h->sha256);
    return 1;
}

int blocks_head_read(const void *bytes, size_t size, blocks_head *h, input_error *error)
{
    head_reader r = {.bytes = bytes, .at = bytes, .error = error};
    r.end = r.at + size;
    memset(h, 0, sizeof *h);
    if (!next_line(&r, "softfp8-blocks "))
        return 0;
    if (strcmp(r.value, "1") != 0)
        return wrong(&r, "version '%s': expected 1", r.value);
    if (!read_recipe(&r, h) || !read_from(&r, h) || !next_number(&r, "rows ", &h->shape.rows) ||
        !next_number(&r, "columns ", &h->shape.columns))
        return 0;
    if (!tensor_shape_good(h->shape.rows, h->shape.columns))
        return wrong(&r, "the shape is %s",
                     h->shape.rows && h->shape.columns ? "too large" : "empty");
    if (!read_g(&r, h) || !read_layout(&r, h) || !next_part(&r, "codes ", h->codes) ||
        !next_part(&r, "scales ", h->scales) || !next_part(&r, "offsets ", h->offsets) ||
        !read_digest(&r, h) || !next_line(&r, ""))
        return 0;
    if (r.value[0])
        return wrong(&r, "expected an empty line");
    h->data = (size_t)(r.at - r.bytes);
    return 1;
}

void blocks_head_write(output *out, const blocks_head *h)
{
    char g[16] = "none";
    if (h->recipe.has_g)
        snprintf(g, sizeof g, "%08x", (unsigned)h->g);
    output_print(out,
                 "softfp8-blocks 1\nrecipe %s\nfrom %s\nrows %zu\ncolumns %zu\ng %s\nlayout %s\n"
                 "codes %zu\nscales %zu\noffsets %zu\nsha256 %s\n\n",
                 h->row->name, h->from, h->shape.rows, h->shape.columns, g,
                 sf8_layout_name(h->layout), h->codes, h->scales, h->offsets, h->sha256);
}

/* ---- the parts ------------------------------------------------------------------------------- */

/* Where the bytes of the i-th scale lie, row by row. */
static size_t scale_place(const blocks_head *h, size_t i)
{
    return (size_t)sf8_layout_offset(h->layout, h->blocks, i / h->blocks, i % h->blocks);
}

static void put_word(unsigned char *to, size_t size, uint32_t word)
{
    for (size_t i = 0; i < size; i++)
        to[i] = (unsigned char)(word >> 8 * i);
}

static uint32_t get_word(const unsigned char *from, size_t size)
{
    uint32_t word = 0;
    for (size_t i = size; i > 0; i--)
        word = word << 8 | from[i - 1];
    return word;
}

/* All three parts, one behind the other. */
static unsigned char *pack(const blocks *b)
{
    const blocks_head *h = &b->head;
    size_t scale = word_size(h->recipe.scale), offset = word_size(h->recipe.offset);
    unsigned char *codes = allocate(h->codes + h->scales + h->offsets, 1);
    unsigned char *scales = codes + h->codes, *offsets = scales + h->scales;
    for (size_t row = 0; row < h->shape.rows; row++)
        sf8_recipe_pack_n(&h->recipe, codes + row * row_size(h), b->codes + row * h->shape.columns,
                          h->shape.columns);
    for (size_t i = 0; i < h->scale_rows * h->blocks; i++) {
        put_word(scales + scale_place(h, i) * scale, scale, b->scales[i]);
        if (h->offsets)
            put_word(offsets + i * offset, offset, b->offsets[i]);
    }
    return codes;
}

static void unpack(blocks *b, const unsigned char *codes, const unsigned char *scales,
                   const unsigned char *offsets)
{
    const blocks_head *h = &b->head;
    size_t scale = word_size(h->recipe.scale), offset = word_size(h->recipe.offset);
    blocks_allocate(b);
    for (size_t row = 0; row < h->shape.rows; row++)
        sf8_recipe_unpack_n(&h->recipe, b->codes + row * h->shape.columns,
                            codes + row * row_size(h), h->shape.columns);
    for (size_t i = 0; i < h->scale_rows * h->blocks; i++) {
        b->scales[i] = scales ? get_word(scales + scale_place(h, i) * scale, scale) : 0;
        if (h->offsets)
            b->offsets[i] = get_word(offsets + i * offset, offset);
    }
}

/* ---- files ----------------------------------------------------------------------------------- */

static void digest(const void *bytes, size_t size, char text[65])
{
    sf8_sha256 state;
    sf8_sha256_begin(&state);
    sf8_sha256_add(&state, bytes, size);
    sf8_sha256_end(&state, text);
}

static output *write_part(const char *path, const void *bytes, size_t size)
{
    output *out = path ? output_open(path) : NULL;
    if (out)
        output_write(out, bytes, size);
    return out;
}

/* Bytes of an image; fails where the recipe has none, or rows are no whole number of its groups. */
static size_t image_size(const blocks_head *h)
{
    size_t size;
    if (h->recipe.image == 0)
        fail("%s has no image format (scales before the codes of each block)", h->row->name);
    if (sf8_blocks_image_size(&h->recipe, h->shape.rows, h->shape.columns, &size) != SF8_OK)
        fail("image of %s: %zu elements per row; expected a multiple of %d", h->row->name,
             h->shape.columns, (int)(h->recipe.image * h->recipe.block));
    return size;
}

static void write_image(const blocks *b, const char *path)
{
    if (!path)
        return;
    const blocks_head *h = &b->head;
    size_t size = image_size(h);
    uint8_t *image = allocate(size, 1);
    sf8_blocks_image_store(&h->recipe, image, b->codes, b->scales, b->offsets, h->shape.rows,
                           h->shape.columns);
    output *out = output_open(path);
    output_write(out, image, size);
    output_close(out);
    free(image);
}

void blocks_write(blocks *b, const blocks_paths *paths)
{
    blocks_head *h = &b->head;
    size_t size = h->codes + h->scales + h->offsets;
    if (paths->image)
        image_size(h); /* fails before anything is written */
    unsigned char *parts = pack(b);
    if (paths->whole) {
        digest(parts, size, h->sha256);
        output *out = output_open(paths->whole);
        blocks_head_write(out, h);
        output_write(out, parts, size);
        output_close(out);
    }
    output *const out[] = {
        write_part(paths->codes, parts, h->codes),
        write_part(paths->scales, parts + h->codes, h->scales),
        write_part(paths->offsets, parts + h->codes + h->scales, h->offsets),
    };
    outputs_close(out, 3);
    free(parts);
    write_image(b, paths->image);
}

static void read_whole(blocks *b, const char *path)
{
    size_t size;
    char sha256[65], *bytes = input_whole(path, &size, SIZE_MAX / 4);
    input_error error;
    blocks_head *h = &b->head;
    if (!blocks_head_read(bytes, size, h, &error))
        fail_input(input_name(path), &error);
    const unsigned char *parts = (const unsigned char *)bytes + h->data;
    size_t expected = h->codes + h->scales + h->offsets;
    if (size - h->data != expected)
        fail_at(input_name(path), 0, "%zu bytes after the header; expected %zu", size - h->data,
                expected);
    digest(parts, expected, sha256);
    if (strcmp(sha256, h->sha256) != 0)
        fail_at(input_name(path), 0, "the SHA-256 of the data is %s, but the header has another",
                sha256);
    unpack(b, parts, parts + h->codes, parts + h->codes + h->scales);
    free(bytes);
}

/* A file of exactly that many bytes, or a .npy file with them in words of `width` bytes (0: any).
 */
static char *read_part(const char *path, const char *what, size_t width, size_t expected)
{
    size_t size;
    if (!path)
        return NULL;
    char *bytes = tensor_whole(path, &size);
    size = npy_codes(path, what, bytes, size, width);
    if (size != expected)
        fail_at(input_name(path), 0, "%zu bytes of %s; expected %zu", size, what, expected);
    return bytes;
}

static void read_image(blocks *b, const char *path)
{
    const blocks_head *h = &b->head;
    char *image = read_part(path, "an image", 1, image_size(h));
    blocks_allocate(b);
    sf8_blocks_image_load(&h->recipe, b->codes, b->scales, b->offsets, (const uint8_t *)image,
                          h->shape.rows, h->shape.columns);
    free(image);
}

void blocks_read(blocks *b, const blocks_paths *paths)
{
    if (paths->whole) {
        read_whole(b, paths->whole);
        return;
    }
    if (paths->image) {
        read_image(b, paths->image);
        return;
    }
    const blocks_head *h = &b->head;
    char *codes = read_part(paths->codes, "codes", 0, h->codes);
    char *scales = read_part(paths->scales, "scales", word_size(h->recipe.scale), h->scales);
    char *offsets = read_part(paths->offsets, "offsets", word_size(h->recipe.offset), h->offsets);
    unpack(b, (unsigned char *)codes, (unsigned char *)scales, (unsigned char *)offsets);
    free(codes);
    free(scales);
    free(offsets);
}
