/* SPDX-License-Identifier: MIT */
/* driver.h -- the version of the driver in what the kernel module says of itself
 *
 *     NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build  (...)
 *     NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 UTC 2023
 */
#ifndef SOFTFP8_GPU_DRIVER_H
#define SOFTFP8_GPU_DRIVER_H

#include <stddef.h>
#include <string.h>

/* Finds the first word of digits and points that has a point. Stores it in `version`, of `room`
 * bytes; returns 0 if there is no such word or it is too long. */
static inline int gpu_driver_version(const char *text, char *version, size_t room)
{
    while (*text) {
        text += strspn(text, " \t\n");
        size_t length = strcspn(text, " \t\n"), digits = strspn(text, "0123456789.");
        if (digits == length && length > 0 && length < room && text[0] != '.' &&
            memchr(text, '.', length)) {
            memcpy(version, text, length);
            version[length] = 0;
            return 1;
        }
        text += length;
    }
    return 0;
}

#endif
