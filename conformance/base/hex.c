/* SPDX-License-Identifier: MIT */
/* hex.c -- hexadecimal digits */
#include "base/hex.h"

const char hex_lower[] = "0123456789abcdef";
const char hex_upper[] = "0123456789ABCDEF";

/* One row a run of sixteen characters; 255 where there is no digit. */
#define NO 255, 255, 255, 255, 255, 255, 255, 255
#define LETTERS 255, 10, 11, 12, 13, 14, 15, 255, NO
const unsigned char hex_values[256] = {
    NO, NO,  NO,  NO,  NO,  NO,  0,   1,       2,  3,  4,       5,  6,  7,  8,
    9,  255, 255, 255, 255, 255, 255, LETTERS, NO, NO, LETTERS, NO, NO, NO, NO,
    NO, NO,  NO,  NO,  NO,  NO,  NO,  NO,      NO, NO, NO,      NO, NO, NO,
};
#undef NO
#undef LETTERS
