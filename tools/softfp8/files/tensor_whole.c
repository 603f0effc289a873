/* SPDX-License-Identifier: MIT */
/* tensor_whole.c -- one tensor of a .safetensors file, as the .npy file that it would be */
#include "cli/cli.h"
#include "files/safetensors.h"

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

/* Where the name of the tensor begins in "model.safetensors:layer.weight"; NULL: the path is that
 * of a file, or of none. */
static const char *name_in(const char *path)
{
    static const char between[] = ".safetensors:";
    const char *at = path ? strstr(path, between) : NULL;
    if (!at || access(path, F_OK) == 0)
        return NULL;
    return at + sizeof between - 1;
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

/* The head of the .npy file, without that of a single number: it is an array of one. Codes of 4
 * bits are bytes of two. */
static void write_head(output *out, const safetensor *t, const char *descr)
{
    size_t axis[SAFETENSORS_AXES] = {1};
    char quoted[24];
    if (t->dimensions)
        memcpy(axis, t->axis, sizeof axis);
    if (safetensors_bits(t->dtype) == 4 && t->dimensions)
        axis[t->dimensions - 1] /= 2;
    snprintf(quoted, sizeof quoted, "'%s'", descr);
    npy_head_write(out, quoted, axis, t->dimensions ? t->dimensions : 1);
}

char *safetensors_npy(const safetensors *s, const safetensor *t, const char *bf16, size_t *size)
{
    const char *descr = strcmp(t->dtype, "BF16") == 0 ? bf16 : descr_of(t->dtype);
    if (!descr || t->bytes > SIZE_MAX / 4)
        fail_at(printable(t->name), 0, "dtype %s: expected numbers or codes of 8 or 4 bits",
                t->dtype);
    output *head = output_open_digest();
    write_head(head, t, descr);
    *size = head->used + (size_t)t->bytes;
    char *bytes = allocate(1, *size + 1);
    memcpy(bytes, head->buffer, head->used);
    safetensors_read(s, t, 0, bytes + head->used, (size_t)t->bytes);
    output_close(head);
    return bytes;
}

char *tensor_whole(const char *path, size_t *size)
{
    const char *name = name_in(path);
    safetensors s;
    if (!name)
        return input_whole(path, size, SIZE_MAX / 4);
    memset(&s, 0, sizeof s);
    char *file = allocate(1, (size_t)(name - path));
    memcpy(file, path, (size_t)(name - path) - 1);
    safetensors_add(&s, file);
    safetensors_sort(&s);
    char *bytes = safetensors_npy(&s, safetensors_named(&s, file, name), NPY_BF16, size);
    safetensors_close(&s);
    free(file);
    return bytes;
}

input *tensor_input(const char *path)
{
    if (!name_in(path))
        return input_open(path);
    input *in = allocate(1, sizeof *in);
    in->fd = -1;
    in->name = input_name(path);
    in->buffer = tensor_whole(path, &in->end);
    in->ended = 1;
    return in;
}
