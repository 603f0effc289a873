/* SPDX-License-Identifier: MIT */
/* tensor_whole.c -- one tensor of a .safetensors or .gguf file, or of torch.save's, as the .npy
 * file that it would be
 */
#include "cli/cli.h"
#include "files/gguf.h"
#include "files/torch_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How .npy writes a dtype. Codes of 8 bits are bytes; bf16, which NumPy does not have, has a name
 * of our own. NULL: no such words. */
static const char *descr_of(const char *dtype)
{
    static const char *const known[][2] = {
        {"F64", "<f8"},         {"F32", "<f4"},        {"F16", "<f2"},     {"I64", "<i8"},
        {"I32", "<i4"},         {"I16", "<i2"},        {"I8", "|i1"},      {"U64", "<u8"},
        {"U32", "<u4"},         {"U16", "<u2"},        {"U8", "|u1"},      {"BOOL", "|u1"},
        {"F8_E4M3", "|u1"},     {"F8_E5M2", "|u1"},    {"F8_E8M0", "|u1"}, {"F4", "|u1"},
        {"F8_E4M3FNUZ", "|u1"}, {"F8_E5M2FNUZ", "|u1"}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(dtype, known[i][0]) == 0)
            return known[i][1];
    return NULL;
}

/* Where the name of the tensor begins in "model.safetensors:layer.weight" and in "cache.pt:k";
 * NULL: the path is that of a file, or of none. */
static const char *name_in(const char *path)
{
    static const char *const between[] = {".safetensors:", ".gguf:", ".pt:", ".pth:", ".bin:"};
    for (size_t i = 0; path && i < sizeof between / sizeof between[0]; i++) {
        const char *at = strstr(path, between[i]);
        if (at && access(path, F_OK) != 0)
            return at + strlen(between[i]);
    }
    return NULL;
}

/* A copy of the path without the name of a tensor. */
static char *file_of(const char *path, const char *name)
{
    size_t length = name ? (size_t)(name - path) - 1 : strlen(path);
    char *file = allocate(1, length + 1);
    memcpy(file, path, length);
    return file;
}

const safetensor *safetensors_named(const safetensors *s, const char *path, const char *name)
{
    const safetensor *t = safetensors_find(s, name), *near = NULL;
    size_t least = strlen(name) / 3 + 1;
    for (size_t i = 0; !t && i < s->count; i++) {
        size_t far = name_distance(name, s->tensor[i].name);
        near = far < least ? &s->tensor[i] : near;
        least = far < least ? far : least;
    }
    if (!t)
        fail_at(input_name(path), 0, "no tensor '%s'%s%s%s", printable(name),
                near ? "; did you mean '" : "", near ? near->name : "", near ? "'?" : "");
    return t;
}

/* A .npy file of these words. A single number is an array of one. */
static char *npy_of(const char *descr, const size_t *axes, int dimensions, uint64_t bytes,
                    size_t *size)
{
    const size_t one[] = {1};
    char quoted[24];
    snprintf(quoted, sizeof quoted, "'%s'", descr);
    output *head = output_open_digest();
    npy_head_write(head, quoted, dimensions ? axes : one, dimensions ? dimensions : 1);
    *size = head->used;
    char *file = allocate(1, head->used + (size_t)bytes + 1);
    memcpy(file, head->buffer, head->used);
    output_close(head);
    return file;
}

char *safetensors_npy(const safetensors *s, const safetensor *t, const char *bf16, size_t *size)
{
    size_t row = gguf_row(t);
    const char *descr = row ? "|u1" : strcmp(t->dtype, "BF16") == 0 ? bf16 : descr_of(t->dtype);
    if (!descr || t->bytes > SIZE_MAX / 4)
        fail_at(printable(t->name), 0, "dtype %s: expected numbers or codes of 8 or 4 bits",
                t->dtype);
    size_t axis[SAFETENSORS_AXES];
    memcpy(axis, t->axis, sizeof axis);
    if (row) /* bytes of blocks */
        axis[t->dimensions - 1] = row;
    else if (safetensors_bits(t->dtype) == 4 && t->dimensions) /* bytes of two codes */
        axis[t->dimensions - 1] /= 2;
    char *file = npy_of(descr, axis, t->dimensions, t->bytes, size);
    safetensors_read(s, t, 0, file + *size, (size_t)t->bytes);
    *size += (size_t)t->bytes;
    return file;
}

/* The names of the first tensors of a file, with commas between. */
static const char *names_of(const torch_file *f, char text[256])
{
    size_t used = 0;
    for (size_t i = 0; i < f->count && used < 160; i++)
        used += (size_t)snprintf(text + used, 256 - used, "%s'%.80s'", i ? ", " : "",
                                 printable(f->tensor[i].name));
    return text;
}

static char *of_torch(const char *path, const char *name, const char *bytes, size_t *size)
{
    torch_file f = {.count = 0};
    const torch_tensor *t = NULL;
    input_error error;
    char names[256];
    if (!torch_read(bytes, *size, &f, &error))
        fail_input(input_name(path), &error);
    for (size_t i = 0; i < f.count && !t; i++)
        if (name ? strcmp(f.tensor[i].name, name) == 0 : f.count == 1)
            t = &f.tensor[i];
    if (!t && name)
        fail_at(input_name(path), 0, "no tensor '%s'; it has %s", printable(name),
                names_of(&f, names));
    if (!t)
        fail_at(input_name(path), 0, "%zu tensors, %s%s; name one of them, as in %s:NAME", f.count,
                names_of(&f, names), f.count > 3 ? " and others" : "", input_name(path));
    char *file = npy_of(t->dtype, t->axis, t->dimensions, t->bytes, size);
    memcpy(file + *size, bytes + t->begin, t->bytes);
    *size += t->bytes;
    free(f.tensor);
    return file;
}

char *tensor_whole(const char *path, size_t *size)
{
    const char *name = name_in(path);
    char *file = path ? file_of(path, name) : NULL, *bytes;
    if (name && (strstr(path, ".safetensors:") || strstr(path, ".gguf:"))) {
        safetensors s;
        memset(&s, 0, sizeof s);
        safetensors_add(&s, file);
        safetensors_sort(&s);
        bytes = safetensors_npy(&s, safetensors_named(&s, file, name), NPY_BF16, size);
        safetensors_close(&s);
    } else {
        bytes = input_whole(file, size, SIZE_MAX / 4);
        if (torch_is(bytes, *size)) {
            char *whole = bytes;
            bytes = of_torch(file, name, whole, size);
            free(whole);
        } else if (name) {
            fail_at(input_name(file), 0, "not a file of torch.save, which is a zip archive");
        }
    }
    free(file);
    return bytes;
}

input *tensor_input(const char *path)
{
    input *in = NULL;
    if (!name_in(path)) {
        in = input_open(path);
        input_fill(in);
        if (!torch_is(in->buffer, in->end) || in->fd == STDIN_FILENO)
            return in;
        input_close(in);
    }
    in = allocate(1, sizeof *in);
    in->fd = -1;
    in->name = input_name(path);
    in->buffer = tensor_whole(path, &in->end);
    in->ended = 1;
    return in;
}
