/* SPDX-License-Identifier: MIT */
/* elements.c -- loops over operations that the library has for one value */
#include "elements.h"

#include <string.h>

/* Returns the bytes of an element of this many bits. */
static size_t bytes_of(int32_t bits)
{
    return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
}

static uint64_t load(const void *array, size_t i, size_t bytes)
{
    const unsigned char *at = (const unsigned char *)array + i * bytes;
    uint16_t two;
    uint32_t four;
    uint64_t eight;
    switch (bytes) {
    case 1:
        return *at;
    case 2:
        memcpy(&two, at, sizeof two);
        return two;
    case 4:
        memcpy(&four, at, sizeof four);
        return four;
    default:
        memcpy(&eight, at, sizeof eight);
        return eight;
    }
}

static void store(void *array, size_t i, size_t bytes, uint64_t word)
{
    unsigned char *at = (unsigned char *)array + i * bytes;
    uint16_t two = (uint16_t)word;
    uint32_t four = (uint32_t)word;
    switch (bytes) {
    case 1:
        *at = (unsigned char)word;
        break;
    case 2:
        memcpy(at, &two, sizeof two);
        break;
    case 4:
        memcpy(at, &four, sizeof four);
        break;
    default:
        memcpy(at, &word, sizeof word);
        break;
    }
}

/* Writes a result. Returns 0 if the operation is not supported. */
static int32_t keep(py_elements e, void *dst, size_t i, size_t bytes, sf8_result r)
{
    store(dst, i, bytes, r.code);
    if (e.flags)
        e.flags[i] = (uint8_t)(r.flags & 31u);
    return !(r.flags & SF8_UNSUPPORTED);
}

sf8_status py_call_n(const sf8_function *function, void *dst, const void *a, const void *b,
                     const void *c, py_elements e)
{
    const void *const array[3] = {a, b, c};
    size_t to = bytes_of(function->result.bits), from[3] = {0, 0, 0};
    uint64_t operand[3] = {0, 0, 0};
    int32_t supported = 1;
    for (int32_t k = 0; k < function->operands; k++)
        from[k] = bytes_of(function->operand[k].bits);
    for (size_t i = 0; i < e.n; i++) {
        for (int32_t k = 0; k < function->operands; k++)
            operand[k] = load(array[k], i, from[k]);
        supported &= keep(
            e, dst, i, to,
            sf8_function_call(function, operand, e.policy, e.random ? e.random[i] : 0, e.exact));
    }
    return supported ? SF8_OK : SF8_BAD_FORMAT;
}

sf8_status py_scalb_n(sf8_format f, void *dst, const void *a, const int32_t *exponents,
                      py_elements e)
{
    size_t bytes = bytes_of(sf8_format_bits(f));
    int32_t supported = 1;
    for (size_t i = 0; i < e.n; i++)
        supported &= keep(
            e, dst, i, bytes,
            sf8_scalb_sr(f, load(a, i, bytes), exponents[i], e.policy, e.random ? e.random[i] : 0));
    return supported ? SF8_OK : SF8_BAD_FORMAT;
}

sf8_status py_compare_n(sf8_format f, int8_t *dst, const void *a, const void *b, int32_t signaling,
                        py_elements e)
{
    size_t bytes = bytes_of(sf8_format_bits(f));
    if (!sf8_format_valid(f))
        return SF8_BAD_FORMAT;
    for (size_t i = 0; i < e.n; i++) {
        uint64_t x = load(a, i, bytes), y = load(b, i, bytes);
        uint32_t flags = 0;
        dst[i] = (int8_t)(signaling ? sf8_compare_signaling(f, x, y, e.policy, &flags)
                                    : sf8_compare(f, x, y, e.policy, &flags));
        if (e.flags)
            e.flags[i] = (uint8_t)flags;
    }
    return SF8_OK;
}

void py_special_n(sf8_format f, uint8_t *dst, const void *a, size_t n, int32_t what)
{
    size_t bytes = bytes_of(sf8_format_bits(f));
    for (size_t i = 0; i < n; i++) {
        uint64_t code = load(a, i, bytes) & sf8_format_code_mask(f);
        int32_t nan = sf8_is_nan(f, code), inf = sf8_is_inf(f, code);
        dst[i] = (uint8_t)(what == 0 ? nan : what == 1 ? inf : !nan && !inf);
    }
}

typedef struct writing {
    char *text;
    size_t room, size;
} writing;

static int32_t put(void *context, const char *text, size_t size)
{
    writing *w = context;
    if (w->size < w->room)
        memcpy(w->text + w->size, text, size < w->room - w->size ? size : w->room - w->size);
    w->size += size;
    return 0;
}

sf8_status py_steps_text(const sf8_steps_head *head, const sf8_step *rows, size_t count, char *text,
                         size_t room, size_t *size)
{
    writing w = {text, room, 0};
    sf8_steps_writer writer;
    sf8_status status;
    if (!rows) {
        status = sf8_steps_write(head, put, &w);
    } else {
        status = sf8_steps_write_head(&writer, head, put, &w);
        for (size_t i = 0; i < count && status == SF8_OK; i++)
            status = sf8_steps_write_row(&writer, rows + i);
        if (status == SF8_OK)
            status = sf8_steps_write_end(&writer);
    }
    *size = w.size;
    return status;
}
