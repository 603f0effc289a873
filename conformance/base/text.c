/* SPDX-License-Identifier: MIT */
/* text.c -- a text that grows, and its digest */
#include "base/text.h"
#include "base/memory.h"
#include "softfp8/sha256.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static char *room_for(text_buffer *t, size_t size)
{
    if (t->size + size + 1 > t->room) {
        t->room = 2 * t->room + size + 256;
        t->bytes = reallocate(t->bytes, t->room, 1);
    }
    return t->bytes + t->size;
}

void text_add(text_buffer *t, const char *bytes, size_t size)
{
    char *end = room_for(t, size);
    if (size > 0) /* `bytes` may be NULL else */
        memcpy(end, bytes, size);
    t->size += size;
    end[size] = '\0';
}

static void print(text_buffer *t, const char *format, va_list list)
{
    va_list again;
    va_copy(again, list);
    int size = vsnprintf(NULL, 0, format, again);
    va_end(again);
    size_t length = size > 0 ? (size_t)size : 0;
    vsnprintf(room_for(t, length), length + 1, format, list);
    t->size += length;
}

void text_print(text_buffer *t, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    print(t, format, list);
    va_end(list);
}

char *text_of(const char *format, ...)
{
    text_buffer t = {NULL, 0, 0};
    va_list list;
    va_start(list, format);
    print(&t, format, list);
    va_end(list);
    return t.bytes;
}

void text_digest(const char *bytes, size_t size, char digest[65])
{
    sf8_sha256 hash;
    sf8_sha256_begin(&hash);
    sf8_sha256_add(&hash, bytes, size);
    sf8_sha256_end(&hash, digest);
}

const char *grouped(uint64_t n, char text[32])
{
    char digits[24];
    int count = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n), used = 0;
    for (int i = 0; i < count; i++) {
        if (i > 0 && (count - i) % 3 == 0)
            text[used++] = ',';
        text[used++] = digits[i];
    }
    text[used] = '\0';
    return text;
}

int shard_read(const char *text, unsigned *part, unsigned *of)
{
    unsigned i, n;
    char after;
    if (text[0] < '1' || text[0] > '9' || sscanf(text, "%7u/%7u%c", &i, &n, &after) != 2 || i > n ||
        n > 1000000 || !strchr("123456789", text[strcspn(text, "/") + 1]))
        return 0;
    *part = i - 1;
    *of = n;
    return 1;
}
