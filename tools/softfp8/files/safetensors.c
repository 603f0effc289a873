/* SPDX-License-Identifier: MIT */
/* safetensors.c -- the tensors of .safetensors files, and of .gguf files */
#include "files/safetensors.h"
#include "base/json_reader.h"
#include "files/gguf.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the head -------------------------------------------------------------------------------- */

unsigned safetensors_bits(const char *dtype)
{
    static const struct {
        const char *name;
        unsigned bits;
    } known[] = {{"F64", 64},        {"F32", 32},       {"F16", 16},    {"BF16", 16},
                 {"F8_E4M3", 8},     {"F8_E5M2", 8},    {"F8_E8M0", 8}, {"F6_E2M3", 6},
                 {"F6_E3M2", 6},     {"F4", 4},         {"I64", 64},    {"I32", 32},
                 {"I16", 16},        {"I8", 8},         {"U64", 64},    {"U32", 32},
                 {"U16", 16},        {"U8", 8},         {"BOOL", 8},    {"C64", 64},
                 {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(dtype, known[i].name) == 0)
            return known[i].bits;
    return 0;
}

/* [2, 3] */
static void take_shape(json_reader *r, safetensor *t)
{
    t->count = 1;
    for (jr_begin(r, '['); jr_element(r);) {
        uint64_t axis = jr_unsigned(r);
        if (t->dimensions == SAFETENSORS_AXES || (axis && t->count > SIZE_MAX / 64 / axis)) {
            jr_fail(r, "a shape of at most 8 axes that fits into memory");
            return;
        }
        t->axis[t->dimensions++] = (size_t)axis;
        t->count *= (size_t)axis;
    }
}

static void take_offsets(json_reader *r, safetensor *t, uint64_t data)
{
    uint64_t offset[2] = {0, 0};
    int n = 0;
    for (jr_begin(r, '['); jr_element(r);) {
        if (n == 2) {
            jr_fail(r, "two offsets");
            return;
        }
        offset[n++] = jr_unsigned(r);
    }
    if (!r->expected && (n != 2 || offset[0] > offset[1]))
        jr_fail(r, "two offsets, the lower one first");
    else if (!r->expected && offset[1] > data)
        jr_fail(r, "offsets within the file, which may be incomplete: download or copy it again");
    t->begin = offset[0];
    t->bytes = offset[1] - offset[0];
}

static void take_tensor(json_reader *r, safetensor *t, uint64_t data)
{
    char key[16];
    unsigned seen = 0;
    for (jr_begin(r, '{'); jr_member(r, key, sizeof key);) {
        if (strcmp(key, "dtype") == 0 && !(seen & 1)) {
            jr_text(r, t->dtype, sizeof t->dtype);
            seen |= 1;
        } else if (strcmp(key, "shape") == 0 && !(seen & 2)) {
            take_shape(r, t);
            seen |= 2;
        } else if (strcmp(key, "data_offsets") == 0 && !(seen & 4)) {
            take_offsets(r, t, data);
            seen |= 4;
        } else {
            jr_fail(r, "dtype, shape and data_offsets, once each");
        }
    }
    unsigned bits = safetensors_bits(t->dtype);
    if (!r->expected && seen != 7)
        jr_fail(r, "dtype, shape and data_offsets");
    else if (!r->expected && bits && (bits * t->count + 7) / 8 != t->bytes)
        jr_fail(r, "data_offsets as far apart as dtype and shape say");
}

int safetensors_parse(safetensors *s, const char *head, size_t size, uint64_t data,
                      input_error *error)
{
    json_reader r = json_read(head, size);
    char name[SAFETENSORS_NAME];
    for (jr_begin(&r, '{'); jr_member(&r, name, sizeof name);) {
        if (strcmp(name, "__metadata__") == 0) {
            jr_skip(&r);
            continue;
        }
        s->tensor = grow(s->tensor, s->count, &s->room, sizeof s->tensor[0]);
        safetensor *t = &s->tensor[s->count];
        memset(t, 0, sizeof *t);
        memcpy(t->name, name, sizeof name);
        make_printable(t->name);
        t->file = s->files;
        take_tensor(&r, t, data);
        s->count++;
    }
    jr_end(&r);
    if (!r.expected)
        return 1;
    input_wrong_at(error, 8 + (size_t)(r.at - r.begin), "in the head: expected %s", r.expected);
    return 0;
}

/* ---- files ----------------------------------------------------------------------------------- */

static uint64_t little_endian(const unsigned char bytes[8])
{
    uint64_t n = 0;
    for (int i = 7; i >= 0; i--)
        n = n << 8 | bytes[i];
    return n;
}

static int compare_places(const void *a, const void *b)
{
    const safetensor *x = a, *y = b;
    return x->begin != y->begin ? (x->begin < y->begin ? -1 : 1)
                                : (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

/* The tensors of a file, one after the other, have to be all of its data: the safetensors library
 * refuses anything else. */
static void check_places(const char *path, safetensor *list, size_t count, uint64_t data)
{
    uint64_t end = 0;
    if (count)
        qsort(list, count, sizeof *list, compare_places);
    for (size_t i = 0; i < count; end += list[i].bytes, i++)
        if (list[i].begin != end)
            fail_at(path, 0,
                    "the tensor '%s' begins at byte %llu of the data; expected %llu, where the one "
                    "before it ends",
                    list[i].name, (unsigned long long)list[i].begin, (unsigned long long)end);
    if (end != data)
        fail_at(path, 0, "%llu bytes after the last tensor; expected the end of the file",
                (unsigned long long)(data - end));
}

static void keep_file(safetensors *s, const char *path, FILE *stream)
{
    s->path = reallocate(s->path, s->files + 1, sizeof s->path[0]);
    s->stream = reallocate(s->stream, s->files + 1, sizeof s->stream[0]);
    s->path[s->files] = text_of("%s", path);
    s->stream[s->files] = stream;
}

/* `size` bytes, of which 8 are read. */
static void add_safetensors(safetensors *s, const char *path, FILE *stream,
                            const unsigned char first[8], uint64_t rest)
{
    input_error error;
    uint64_t size = little_endian(first);
    if (size > rest && first[0] == '{')
        fail_at(path, 0,
                "not a .safetensors file but JSON; give the .safetensors files themselves, or "
                "their folder");
    if (memcmp(first, "version ", 8) == 0)
        fail_at(path, 0,
                "not a .safetensors file but a pointer of Git LFS; 'git lfs pull' gets the file");
    if (size > rest || size > SAFETENSORS_HEAD_MOST)
        fail_at(path, 0,
                "not a .safetensors file: its first 8 bytes say that the head has %llu bytes",
                (unsigned long long)size);
    char *head = allocate((size_t)size + 1, 1);
    if (fread(head, 1, (size_t)size, stream) != size)
        fail_at(path, 0, "cannot be read");
    keep_file(s, path, stream);
    size_t from = s->count;
    if (!safetensors_parse(s, head, (size_t)size, rest - size, &error))
        fail_input(input_name(path), &error);
    check_places(path, s->tensor + from, s->count - from, rest - size);
    for (size_t i = from; i < s->count; i++)
        s->tensor[i].begin += 8 + size;
    s->files++;
    free(head);
}

/* Fails if it is a part of a model in several files and its name says otherwise: the others would
 * be missing. Returns how many tensors all parts have; 0: it does not say so. */
static uint64_t add_gguf(safetensors *s, const char *path, FILE *stream, uint64_t size)
{
    input_error error;
    gguf_parts parts;
    keep_file(s, path, stream);
    if (!gguf_read(s, stream, size, &parts, &error))
        fail_input(input_name(path), &error);
    if (parts.count > 1 && gguf_part_count(path) != parts.count)
        fail_at(input_name(path), 0,
                "one of %llu parts of a model; expected a name that ends in -00001-of-%05llu.gguf, "
                "and the other parts beside it",
                (unsigned long long)parts.count, (unsigned long long)parts.count);
    s->files++;
    return parts.tensors;
}

static uint64_t add_file(safetensors *s, const char *path)
{
    unsigned char first[8];
    FILE *stream = fopen(path, "rb");
    if (!stream)
        fail_at(path, 0, "cannot open: no such file, or no permission");
    off_t end = fseeko(stream, 0, SEEK_END) == 0 ? ftello(stream) : -1;
    if (end < 8 || fseeko(stream, 0, SEEK_SET) != 0 || fread(first, 1, 8, stream) != 8)
        fail_at(path, 0,
                "not a .safetensors or .gguf file: it is shorter than 8 bytes, or no regular file");
    if (gguf_is(first))
        return add_gguf(s, path, stream, (uint64_t)end);
    add_safetensors(s, path, stream, first, (uint64_t)end - 8);
    return 0;
}

static int is_open(const safetensors *s, const char *path)
{
    for (size_t i = 0; i < s->files; i++)
        if (strcmp(s->path[i], path) == 0)
            return 1;
    return 0;
}

/* A file; of a .gguf file that is a part of a model all parts, once. */
static void add_parts(safetensors *s, const char *path)
{
    size_t parts = gguf_part_count(path), from = s->count;
    uint64_t expected = parts ? 0 : add_file(s, path);
    if (parts && is_open(s, path))
        return;
    for (size_t i = 1; i <= parts; i++) {
        char *name = gguf_part(path, i);
        if (access(name, F_OK) != 0)
            fail_at(name, 0, "part %zu of the %zu parts of a model is missing", i, parts);
        expected = add_file(s, name);
        free(name);
    }
    if (parts && expected && expected != s->count - from)
        fail_at(input_name(path), 0, "%zu tensors in %zu parts; they say that it is %llu",
                s->count - from, parts, (unsigned long long)expected);
}

/* ---- folders --------------------------------------------------------------------------------- */

static int ends_so(const char *name, const char *end)
{
    size_t length = strlen(name), n = strlen(end);
    return name[0] != '.' && length > n && strcmp(name + length - n, end) == 0;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Adds the files of a folder whose names end so: how many. */
static size_t add_folder(safetensors *s, const char *path, DIR *folder, const char *end)
{
    char **list = NULL;
    size_t count = 0;
    rewinddir(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (!ends_so(entry->d_name, end))
            continue;
        list = reallocate(list, count + 1, sizeof *list);
        list[count++] = text_of("%s/%s", path, entry->d_name);
    }
    if (count)
        qsort(list, count, sizeof *list, compare_texts);
    for (size_t i = 0; i < count; i++) {
        add_parts(s, list[i]);
        free(list[i]);
    }
    free(list);
    return count;
}

void safetensors_add(safetensors *s, const char *path)
{
    DIR *folder = opendir(path);
    if (!folder) {
        add_parts(s, path);
        return;
    }
    if (!add_folder(s, path, folder, ".safetensors") && !add_folder(s, path, folder, ".gguf"))
        fail_at(path, 0, "a folder without a file whose name ends in .safetensors or .gguf");
    closedir(folder);
}

static int compare_names(const void *a, const void *b)
{
    const safetensor *x = a, *y = b;
    return strcmp(x->name, y->name);
}

void safetensors_sort(safetensors *s)
{
    if (s->count)
        qsort(s->tensor, s->count, sizeof s->tensor[0], compare_names);
    for (size_t i = 1; i < s->count; i++)
        if (compare_names(&s->tensor[i - 1], &s->tensor[i]) == 0) {
            size_t x = s->tensor[i - 1].file, y = s->tensor[i].file;
            fail_at(s->path[x > y ? x : y], 0,
                    "a second tensor '%s'; the first is in %s; expected the files of one model, "
                    "each once",
                    s->tensor[i].name, s->path[x < y ? x : y]);
        }
}

const safetensor *safetensors_find(const safetensors *s, const char *name)
{
    size_t low = 0, high = s->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(s->tensor[middle].name, name);
        if (order == 0)
            return &s->tensor[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

void safetensors_read(const safetensors *s, const safetensor *t, uint64_t at, void *bytes,
                      size_t size)
{
    FILE *stream = s->stream[t->file];
    if (fseeko(stream, (off_t)(t->begin + at), SEEK_SET) != 0 ||
        fread(bytes, 1, size, stream) != size)
        fail_at(s->path[t->file], 0, "cannot read the tensor '%s'", t->name);
}

void safetensors_close(safetensors *s)
{
    for (size_t i = 0; i < s->files; i++) {
        fclose(s->stream[i]);
        free(s->path[i]);
    }
    free(s->stream);
    free(s->path);
    free(s->tensor);
}
