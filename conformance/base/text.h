/* SPDX-License-Identifier: MIT */
/* text.h -- a text that grows, and its digest */
#ifndef SOFTFP8_BASE_TEXT_H
#define SOFTFP8_BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* All 0 at first. `bytes` is from malloc, and closed with 0 as soon as something was added. */
typedef struct text_buffer {
    char *bytes;
    size_t size, room;
} text_buffer;

void text_add(text_buffer *t, const char *bytes, size_t size);
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void text_print(text_buffer *t, const char *format, ...);

/* What printf would print, from malloc. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
char *
text_of(const char *format, ...);
/* The SHA-256 of a text, 64 hexadecimal digits. */
void text_digest(const char *bytes, size_t size, char digest[65]);
/* "I/N", which is part I, from 1, of N: *part counts from 0. Returns 0 for another text. */
int shard_read(const char *text, unsigned *part, unsigned *of);
/* A number with a comma between groups of three digits: 12,345. */
const char *grouped(uint64_t n, char text[32]);

#endif
