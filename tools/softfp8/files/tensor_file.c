/* SPDX-License-Identifier: MIT */
/* tensor_file.c -- tensors in files: NumPy's .npy and raw words in, the same out */
#include "files/tensor_file.h"
#include "softfp8/number/convert.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether a .safetensors file begins so: with the length of its head in 8 bytes, and JSON. */
static int is_safetensors(const unsigned char *b, size_t size)
{
    return size > 8 && (b[4] | b[5] | b[6] | b[7]) == 0 && b[8] == '{';
}

static const char *from_option = "--from";
static int takes_raw = 1;

void tensor_advice(const char *from, int raw)
{
    from_option = from;
    takes_raw = raw;
}

void npy_missing(const char *path, const void *bytes, size_t size)
{
    const char *name = output_is_standard(path) || !path ? "FILE" : path;
    if (is_safetensors(bytes, size))
        fail_at(input_name(path), 0,
                "a .safetensors file, not a .npy file: 'softfp8 checkpoint %s' reads it, and with "
                "--tensor NAME -o FILE.npy it writes one tensor",
                name);
    if (size > 4 && memcmp(bytes, "GGUF", 4) == 0)
        fail_at(input_name(path), 0,
                "a .gguf file, not a .npy file: 'softfp8 checkpoint %s' reads it, and %s:NAME is "
                "one tensor",
                name, name);
    if (!takes_raw)
        fail_at(input_name(path), 0, "not a .npy file; expected one, as numpy.save writes it");
    fail_at(input_name(path), 0, "not a .npy file; raw data needs --from and --shape");
}

const char *npy_format(const char *path, const char *descr, const char *from)
{
    const char *format = NULL;
    if (strcmp(descr, "<f4") == 0)
        format = "f32";
    else if (strcmp(descr, "<f2") == 0)
        format = "f16";
    else if (strcmp(descr, NPY_BF16) == 0)
        format = "bf16";
    else if (strcmp(descr, "<u2") == 0 || strcmp(descr + (*descr != 0), "V2") == 0)
        format = "bf16";
    if (!format && (strcmp(descr, "|u1") == 0 || strcmp(descr, "|i1") == 0))
        fail_at(input_name(path), 0,
                "dtype '%s' looks like codes of 8 bits; expected numbers, <f4 or <f2: "
                "softfp8.decode makes them in Python, and 'softfp8 kv inspect' shows codes",
                descr);
    if (!format)
        fail_at(input_name(path), 0, "dtype '%s': expected <f4, <f2, or <u2 with %s bf16", descr,
                from_option);
    if (!from && strcmp(format, "bf16") == 0 && strcmp(descr, NPY_BF16) != 0)
        fail_at(input_name(path), 0, "dtype '%s' may hold bf16; add %s bf16 if it does", descr,
                from_option);
    if (from && strcmp(format, from) != 0)
        fail_at(input_name(path), 0, "dtype '%s' does not fit %s %s", descr, from_option, from);
    return format;
}

void words_check(const char *path, size_t bytes, sf8_format f, tensor_shape shape)
{
    size_t want = shape.rows * shape.columns * tensor_width(f);
    if (bytes != want)
        fail_at(input_name(path), 0, "%zu bytes of data; expected %zu for %zu x %zu values", bytes,
                want, shape.rows, shape.columns);
}

/* Checks that the number of bytes is that of the tensor, and takes them. */
static void take_words(tensor *t, const char *path, const char *bytes, size_t size)
{
    size_t width = tensor_width(t->format), n = t->shape.rows * t->shape.columns;
    words_check(path, size, t->format, t->shape);
    const unsigned char *b = (const unsigned char *)bytes;
    uint32_t *wide = t->words = allocate(n, width);
    uint16_t *half = t->words;
    for (size_t i = 0; i < n; i++, b += width) {
        uint16_t low = (uint16_t)(b[0] | b[1] << 8);
        if (width == 4)
            wide[i] = low | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
        else
            half[i] = low;
    }
}

tensor tensor_of_bytes(const char *path, const char *bytes, size_t size, const char *from,
                       tensor_shape shape)
{
    tensor t = {.format_name = from, .shape = shape};
    size_t data = 0;
    if (npy_is(bytes, size)) {
        npy_head head;
        input_error error;
        if (shape.rows)
            fail_at(input_name(path), 0, "a .npy file has its own shape; --shape is for raw data");
        if (!npy_head_read(bytes, size, &head, &error))
            fail_input(input_name(path), &error);
        t.format_name = npy_format(path, head.descr, from);
        t.shape = head.shape;
        t.dimensions = head.dimensions;
        memcpy(t.axis, head.axis, sizeof t.axis);
        data = head.data;
    } else if (!shape.rows || !from) {
        npy_missing(path, bytes, size);
    }
    t.format = format_of_name(t.format_name);
    take_words(&t, path, bytes + data, size - data);
    return t;
}

tensor tensor_read_exact(const char *path, const char *from, tensor_shape shape)
{
    size_t size, data = 0;
    char *bytes = tensor_whole(path, &size);
    npy_head head = {.descr = ""};
    input_error error;
    int is_npy = npy_is(bytes, size), is_wide = from && strcmp(from, "f64") == 0;
    if (is_npy && npy_head_read(bytes, size, &head, &error) && strcmp(head.descr, "<f8") == 0) {
        if (from && !is_wide)
            fail_at(input_name(path), 0, "dtype '%s' does not fit --from %s", head.descr, from);
        shape = head.shape;
        data = head.data;
        is_wide = 1;
    } else if (!is_npy && is_wide && shape.rows == 0) {
        npy_missing(path, bytes, size);
    } else if (is_npy || !is_wide) {
        tensor narrow = tensor_of_bytes(path, bytes, size, from, shape);
        free(bytes);
        return narrow;
    }
    tensor t = {.format_name = "f64", .format = SF8_F64, .shape = shape};
    size_t count = shape.rows * shape.columns;
    const unsigned char *b = (const unsigned char *)bytes + data;
    uint64_t *words = t.words = allocate(count, sizeof *words);
    if (size - data != count * sizeof *words)
        fail_at(input_name(path), 0, "%zu bytes of data; expected %zu for %zu x %zu values",
                size - data, count * sizeof *words, shape.rows, shape.columns);
    for (size_t i = 0; i < count; i++, b += sizeof *words)
        for (int k = 7; k >= 0; k--)
            words[i] = words[i] << 8 | b[k];
    free(bytes);
    return t;
}

tensor tensor_read(const char *path, const char *from, tensor_shape shape)
{
    size_t size;
    char *bytes = tensor_whole(path, &size);
    tensor t = tensor_of_bytes(path, bytes, size, from, shape);
    free(bytes);
    return t;
}

uint32_t tensor_f32(const tensor *t, size_t i)
{
    if (tensor_width(t->format) == 4)
        return ((const uint32_t *)t->words)[i];
    uint16_t word = ((const uint16_t *)t->words)[i];
    return (uint32_t)sf8_core_convert(SF8_F32, t->format, word, SF8_OCP_NOSAT, 0).code;
}

void tensor_write_raw(output *out, const tensor *t)
{
    size_t width = tensor_width(t->format), n = t->shape.rows * t->shape.columns;
    for (size_t i = 0; i < n; i++) {
        uint32_t word = width == 4 ? ((const uint32_t *)t->words)[i]
                                   : ((const uint16_t *)t->words)[i];
        const unsigned char b[4] = {(unsigned char)word, (unsigned char)(word >> 8),
                                    (unsigned char)(word >> 16), (unsigned char)(word >> 24)};
        output_write(out, b, width);
    }
}

void tensor_write_npy(output *out, const tensor *t)
{
    int half = tensor_width(t->format) == 2;
    const size_t matrix[] = {t->shape.rows, t->shape.columns};
    npy_head_write(out,
                   !half                     ? "'<f4'"
                   : t->format.exp_bits == 8 ? "'<u2'"
                                             : "'<f2'",
                   t->dimensions ? t->axis : matrix, t->dimensions ? t->dimensions : 2);
    tensor_write_raw(out, t);
}

void tensor_write_text(output *out, const tensor *t)
{
    size_t width = tensor_width(t->format);
    for (size_t i = 0; i < t->shape.rows * t->shape.columns; i++) {
        char text[SF8_TEXT_SIZE];
        size_t length;
        uint32_t word = width == 4 ? ((const uint32_t *)t->words)[i]
                                   : ((const uint16_t *)t->words)[i];
        if (sf8_to_text(t->format, word, SF8_TEXT_SHORTEST, text, sizeof text, &length) != SF8_OK)
            fail("internal error: a %s value has no text", t->format_name);
        output_print(out, "%s%s", text, (i + 1) % t->shape.columns ? " " : "\n");
    }
}

void tensor_free(tensor *t)
{
    free(t->words);
    t->words = NULL;
}
