/* SPDX-License-Identifier: MIT */
/* hex.h -- hexadecimal digits, read and written */
#ifndef SOFTFP8_BASE_HEX_H
#define SOFTFP8_BASE_HEX_H

#include <stdint.h>

/* Hexadecimal digits of a code of that many bits. */
static inline int word_digits(int bits)
{
    return (bits + 3) / 4;
}

/* The value of a hexadecimal digit, or 255. */
extern const unsigned char hex_values[256];

/* Reads exactly `digits` hexadecimal digits; 0 if there are none such. */
static inline int hex_read(const char *text, int digits, uint64_t *value)
{
    uint64_t v = 0;
    for (int i = 0; i < digits; i++) {
        unsigned d = hex_values[(unsigned char)text[i]];
        if (d > 15)
            return 0;
        v = v << 4 | d;
    }
    *value = v;
    return 1;
}

/* Writes `digits` digits; `set` is "0123456789abcdef" or its upper-case twin. */
static inline char *hex_write(char *text, uint64_t value, int digits, const char *set)
{
    for (int i = digits - 1; i >= 0; i--) {
        text[i] = set[value & 15];
        value >>= 4;
    }
    return text + digits;
}

extern const char hex_lower[], hex_upper[];

#endif
