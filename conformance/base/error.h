/* SPDX-License-Identifier: MIT */
/* error.h -- what is wrong in an input, and where: what every reader returns */
#ifndef SOFTFP8_BASE_ERROR_H
#define SOFTFP8_BASE_ERROR_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define BASE_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define BASE_PRINTF(text, first)
#endif

#define ERROR_NO_BYTE UINT64_MAX

enum { ERROR_FOUND = 68, ERROR_TEXT = 400, ERROR_WHOLE = ERROR_FOUND + ERROR_TEXT + 80 };

typedef struct input_error {
    int file;                /* which of several files that belong together */
    uint64_t line;           /* from 1; 0: none */
    uint64_t byte;           /* without a line: from 0; ERROR_NO_BYTE: none */
    const char *what;        /* the name of the field, or NULL */
    char found[ERROR_FOUND]; /* what stands there; "": not quoted */
    char text[ERROR_TEXT];   /* "expected 2 hexadecimal digits" */
} input_error;

/* The input is wrong in this line (0: as a whole), or at this byte. Both return 0. */
int input_wrong(input_error *e, uint64_t line, const char *format, ...) BASE_PRINTF(3, 4);
int input_wrong_at(input_error *e, size_t byte, const char *format, ...) BASE_PRINTF(3, 4);
int input_wrong_list(input_error *e, uint64_t line, const char *format, va_list list);
/* The field, which may have no name, is not what was expected; the line is that of the caller.
 * Returns 0. */
int input_expected(input_error *e, const char *what, const char *found, size_t length,
                   const char *format, ...) BASE_PRINTF(5, 6);
/* "a 'x7': expected 2 hexadecimal digits", or "byte 12: ..." where there is no line. */
const char *input_error_text(const input_error *e, char text[ERROR_WHOLE]);

#endif
