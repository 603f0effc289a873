/* SPDX-License-Identifier: MIT */
/* gguf.c -- the tensors of .gguf files */
#include "files/gguf.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const gguf_type types[] = {
    {0, "F32", 1, 4},         {1, "F16", 1, 2},         {2, "Q4_0", 32, 18},
    {3, "Q4_1", 32, 20},      {6, "Q5_0", 32, 22},      {7, "Q5_1", 32, 24},
    {8, "Q8_0", 32, 34},      {9, "Q8_1", 32, 36},      {10, "Q2_K", 256, 84},
    {11, "Q3_K", 256, 110},   {12, "Q4_K", 256, 144},   {13, "Q5_K", 256, 176},
    {14, "Q6_K", 256, 210},   {15, "Q8_K", 256, 292},   {16, "IQ2_XXS", 256, 66},
    {17, "IQ2_XS", 256, 74},  {18, "IQ3_XXS", 256, 98}, {19, "IQ1_S", 256, 50},
    {20, "IQ4_NL", 32, 18},   {21, "IQ3_S", 256, 110},  {22, "IQ2_S", 256, 82},
    {23, "IQ4_XS", 256, 136}, {24, "I8", 1, 1},         {25, "I16", 1, 2},
    {26, "I32", 1, 4},        {27, "I64", 1, 8},        {28, "F64", 1, 8},
    {29, "IQ1_M", 256, 56},   {30, "BF16", 1, 2},       {34, "TQ1_0", 256, 54},
    {35, "TQ2_0", 256, 66},   {39, "MXFP4", 32, 17},    {40, "NVFP4", 64, 36},
    {41, "Q1_0", 128, 18},    {42, "Q2_0", 64, 18}};

int gguf_is(const void *bytes)
{
    return memcmp(bytes, "GGUF", 4) == 0;
}

const gguf_type *gguf_type_named(const char *name)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(types[i].name, name) == 0)
            return &types[i];
    return NULL;
}

size_t gguf_row(const safetensor *t)
{
    const gguf_type *type = gguf_type_named(t->dtype);
    size_t columns = t->dimensions ? t->axis[t->dimensions - 1] : 1;
    if (!type || type->elements == 1 || columns % type->elements ||
        t->count / type->elements * type->bytes != t->bytes)
        return 0;
    return columns / type->elements * type->bytes;
}

/* ---- bytes ----------------------------------------------------------------------------------- */

/* The first thing that is wrong ends the reading: what follows gives 0. */
typedef struct source {
    FILE *stream;
    uint64_t at, size;
    input_error *error;
    int failed;
} source;

static void wrong(source *r, const char *text)
{
    if (!r->failed)
        input_wrong_at(r->error, (size_t)r->at, "%s", text);
    r->failed = 1;
}

/* Whether at least `count` bytes are left. */
static int has(source *r, uint64_t count)
{
    if (!r->failed && count > r->size - r->at)
        wrong(r, "the file ends before that; it may be incomplete: download or copy it again");
    return !r->failed;
}

static void take(source *r, void *bytes, size_t count)
{
    memset(bytes, 0, count);
    if (!has(r, count))
        return;
    if (fread(bytes, 1, count, r->stream) != count)
        wrong(r, "cannot be read");
    r->at += count;
}

static void skip(source *r, uint64_t count)
{
    char part[4096];
    if (!has(r, count))
        return;
    if (count > sizeof part) {
        if (fseeko(r->stream, (off_t)(r->at + count), SEEK_SET) != 0)
            wrong(r, "cannot be read");
        r->at += count;
        return;
    }
    take(r, part, (size_t)count);
}

static uint64_t number(source *r, size_t bytes)
{
    unsigned char b[8];
    uint64_t n = 0;
    take(r, b, bytes);
    for (size_t i = bytes; i-- > 0;)
        n = n << 8 | b[i];
    return n;
}

/* A text of less than `size` bytes, or the beginning of it; its length. */
static uint64_t text(source *r, char *text, size_t size)
{
    uint64_t length = number(r, 8);
    size_t kept = length < size ? (size_t)length : size - 1;
    text[0] = '\0';
    if (!has(r, length))
        return 0;
    take(r, text, kept);
    text[kept] = '\0';
    skip(r, length - kept);
    return length;
}

/* ---- metadata -------------------------------------------------------------------------------- */

enum { GGUF_TEXT = 8, GGUF_LIST = 9, DEEP = 4 };

/* Bytes of a value of a type; 0: a text, a list, or no type. */
static size_t width_of(uint64_t type)
{
    static const unsigned char widths[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
    return type < sizeof widths ? widths[type] : 0;
}

static void skip_value(source *r, uint64_t type, int depth)
{
    size_t width = width_of(type);
    if (width) {
        skip(r, width);
    } else if (type == GGUF_TEXT) {
        skip(r, number(r, 8));
    } else if (type == GGUF_LIST && depth < DEEP) {
        uint64_t of = number(r, 4), count = number(r, 8);
        width = width_of(of);
        if (width && count > UINT64_MAX / width)
            wrong(r, "a list that is longer than the file");
        else if (width)
            skip(r, count * width);
        for (uint64_t i = 0; !width && i < count && !r->failed; i++)
            skip_value(r, of, depth + 1);
    } else {
        wrong(r, type == GGUF_LIST ? "lists of lists of lists of lists"
                                   : "expected a type of metadata, 0 to 12");
    }
}

/* The value of an integer, wherever it is one. */
static uint64_t integer(source *r, uint64_t type)
{
    size_t width = type <= 5 || type == 10 || type == 11 ? width_of(type) : 0;
    if (width)
        return number(r, width);
    skip_value(r, type, 0);
    return 0;
}

static void take_metadata(source *r, uint64_t count, uint64_t *alignment, gguf_parts *parts)
{
    char key[64];
    for (uint64_t i = 0; i < count && !r->failed; i++) {
        text(r, key, sizeof key);
        uint64_t type = number(r, 4);
        if (strcmp(key, "general.alignment") == 0)
            *alignment = integer(r, type);
        else if (strcmp(key, "split.count") == 0)
            parts->count = integer(r, type);
        else if (strcmp(key, "split.tensors.count") == 0)
            parts->tensors = integer(r, type);
        else
            skip_value(r, type, 0);
    }
    if (!r->failed && (*alignment == 0 || *alignment > 1 << 30 || (*alignment & (*alignment - 1))))
        wrong(r, "general.alignment is no power of two up to 2^30");
}

/* ---- tensors --------------------------------------------------------------------------------- */

static void take_axes(source *r, safetensor *t)
{
    uint64_t axes = number(r, 4);
    if (axes > GGUF_AXES) {
        wrong(r, "more than 4 axes");
        return;
    }
    t->dimensions = (int)axes;
    t->count = 1;
    for (int i = t->dimensions; i-- > 0;) {
        uint64_t axis = number(r, 8);
        if (axis && t->count > SIZE_MAX / 64 / axis) {
            wrong(r, "expected a shape that fits into memory");
            return;
        }
        t->axis[i] = (size_t)axis;
        t->count *= (size_t)axis;
    }
}

static void take_type(source *r, safetensor *t)
{
    uint32_t number_of = (uint32_t)number(r, 4);
    const gguf_type *type = NULL;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (types[i].number == number_of)
            type = &types[i];
    if (!type) {
        snprintf(t->dtype, sizeof t->dtype, "type %u", (unsigned)number_of);
        return;
    }
    snprintf(t->dtype, sizeof t->dtype, "%s", type->name);
    if ((t->dimensions ? t->axis[t->dimensions - 1] : 1) % type->elements)
        wrong(r, "rows that are no whole number of the type's blocks");
    t->bytes = (uint64_t)t->count / type->elements * type->bytes;
}

static void take_tensors(source *r, safetensors *s, uint64_t count)
{
    for (uint64_t i = 0; i < count && !r->failed; i++) {
        s->tensor = grow(s->tensor, s->count, &s->room, sizeof s->tensor[0]);
        safetensor *t = &s->tensor[s->count];
        memset(t, 0, sizeof *t);
        if (text(r, t->name, sizeof t->name) >= GGUF_NAME)
            wrong(r, "a name of more than 63 bytes");
        make_printable(t->name);
        t->file = s->files;
        take_axes(r, t);
        take_type(r, t);
        t->begin = number(r, 8);
        s->count++;
    }
}

static int compare_places(const void *a, const void *b)
{
    const safetensor *x = a, *y = b;
    return x->begin != y->begin ? (x->begin < y->begin ? -1 : 1)
                                : (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

/* Each tensor has to begin where the one before it ends, or, if the size of its type is not known,
 * behind its beginning. `data` is how many bytes there are. */
static void check_places(source *r, safetensor *list, size_t count, uint64_t data,
                         uint64_t alignment)
{
    uint64_t end = 0;
    int known = 1;
    qsort(list, count, sizeof *list, compare_places);
    for (size_t i = 0; i < count && !r->failed; i++) {
        safetensor *t = &list[i];
        if (known ? t->begin != end : t->begin % alignment != 0) {
            input_wrong_at(r->error, (size_t)r->at,
                           "the tensor '%s' begins at byte %llu of the data; expected %s%llu",
                           t->name, (unsigned long long)t->begin, known ? "" : "a multiple of ",
                           (unsigned long long)(known ? end : alignment));
            r->failed = 1;
            return;
        }
        known = gguf_type_named(t->dtype) != NULL;
        if (!known) /* up to the next one */
            t->bytes = t->begin > data
                           ? 0
                           : (i + 1 < count && list[i + 1].begin < data ? list[i + 1].begin
                                                                        : data) -
                                 t->begin;
        if (t->begin > data || t->bytes > data - t->begin) {
            input_wrong_at(r->error, (size_t)r->at,
                           "the tensor '%s' ends behind the file, which may be incomplete: "
                           "download or copy it again",
                           t->name);
            r->failed = 1;
            return;
        }
        end = (t->begin + t->bytes + alignment - 1) / alignment * alignment;
    }
}

static void take_version(source *r)
{
    uint64_t version = number(r, 4);
    if (!r->failed && (version & 0xffff) == 0)
        wrong(r, "a file of a big-endian machine; expected a little-endian one");
    else if (!r->failed && version != 2 && version != 3)
        wrong(r, version == 1 ? "version 1 of GGUF, which llama.cpp reads no more; expected 2 or 3"
                              : "a version of GGUF that is not known; expected 2 or 3");
}

int gguf_read(safetensors *s, FILE *stream, uint64_t size, gguf_parts *parts, input_error *error)
{
    source r = {stream, 4, size, error, 0};
    uint64_t alignment = 32;
    size_t from = s->count;
    memset(parts, 0, sizeof *parts);
    if (size < 4 || fseeko(stream, 4, SEEK_SET) != 0) {
        r.at = 0;
        wrong(&r, "not a .gguf file");
    }
    take_version(&r);
    uint64_t tensors = number(&r, 8), metadata = number(&r, 8);
    take_metadata(&r, metadata, &alignment, parts);
    take_tensors(&r, s, tensors);
    if (r.failed)
        return 0;
    uint64_t begin = (r.at + alignment - 1) / alignment * alignment;
    if (s->count > from)
        check_places(&r, s->tensor + from, s->count - from, begin < size ? size - begin : 0,
                     alignment);
    for (size_t i = from; i < s->count; i++)
        s->tensor[i].begin += begin;
    return !r.failed;
}

/* ---- models in several files ----------------------------------------------------------------- */

/* Where "00002-of-00003.gguf" begins, if a name ends so. */
static const char *part_of(const char *path)
{
    static const char like[] = "-00000-of-00000.gguf";
    size_t length = strlen(path), n = sizeof like - 1;
    const char *end = length > n ? path + length - n : NULL;
    for (size_t i = 0; end && i < n; i++)
        if (like[i] == '0' ? !isdigit((unsigned char)end[i]) : end[i] != like[i])
            return NULL;
    return end ? end + 1 : NULL;
}

size_t gguf_part_count(const char *path)
{
    const char *part = part_of(path);
    return part ? strtoul(part + strlen("00000-of-"), NULL, 10) : 0;
}

char *gguf_part(const char *path, size_t part)
{
    char *name = text_of("%s", path), number_of[8];
    snprintf(number_of, sizeof number_of, "%05u", (unsigned)(part % 100000));
    memcpy(name + (part_of(path) - path), number_of, 5);
    return name;
}
